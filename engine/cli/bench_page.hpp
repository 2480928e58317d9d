// SPDX-License-Identifier: BSD-3-Clause
// The page of `conoid bench`: machine, limits, every row beside its floor and what it is measured against, whole runs, scaling over threads,
// and what earlier reports said.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/case/document.hpp"
#include "engine/core/error.hpp"

namespace conoid::cli {

/// Earlier reports of a folder: objects of `conoid bench --json`, those without a time get that of their file. Oldest first, at most the
/// newest 200. Files that are no such object are named in `left_out`. An error where the folder cannot be read.
[[nodiscard]] Result<std::vector<Json>> read_earlier_benches(const std::filesystem::path& folder,
                                                             std::vector<std::string>& left_out);

/// `bench`: the object of `conoid bench --json`. `earlier`: others, oldest first; a change is to the newest one of the same processor,
/// as many threads, and --quick or not alike.
[[nodiscard]] std::string bench_page(const Json& bench, const std::vector<Json>& earlier);

}  // namespace conoid::cli
