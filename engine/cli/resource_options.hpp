// SPDX-License-Identifier: BSD-3-Clause
// The flags by which a verb is told what it may take; all verbs that compute or foresee have the same.
#pragma once

#include <string>

#include "engine/cli/option_set.hpp"
#include "engine/core/error.hpp"
#include "engine/team/offer.hpp"

namespace conoid::cli {

/// As typed.
struct ResourceOptions {
  std::string workers;
  int threads = 0;
  std::string memory;  ///< "host=8GiB,device=4GiB", or "8GiB" (the host's)
  bool deterministic = false;
};

/// Declares --workers, --threads, --memory, --deterministic.
void add_resource_options(OptionSet verb, ResourceOptions& options);

[[nodiscard]] Result<ResourceRequest> request_of(const ResourceOptions& options);

/// The words by which another `conoid` is told the same; `threads` in place of those typed, if > 0.
[[nodiscard]] std::vector<std::string> words_of(const ResourceOptions& options, int threads);

}  // namespace conoid::cli
