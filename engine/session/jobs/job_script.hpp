// SPDX-License-Identifier: BSD-3-Clause
// The script of a job that waits in a cluster's queue, made of a template.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "engine/core/error.hpp"

namespace conoid {

/// A template with each @key@ replaced by its value, "@@" before a key being an "@" and the value. A line that begins with "#SBATCH"
/// and names a key whose value is empty is left out: what was not asked for is the cluster's own affair.
/// Errors (invalid_input): a key that is not in `values`; the hint lists those that are.
[[nodiscard]] Result<std::string> fill_template(std::string_view text,
                                                const std::map<std::string, std::string>& values);

/// Seconds as Slurm takes them, "D-HH:MM:SS", rounded up to a whole second.
[[nodiscard]] std::string slurm_time(double seconds);

/// A name that is one plain word for shells, queues and folders: letters, digits, '.', '_' and '-', at most 40 of them and none of
/// them '-' or '.' in front; "case" where nothing is left.
[[nodiscard]] std::string plain_name(std::string_view text);

}  // namespace conoid
