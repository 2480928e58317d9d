// SPDX-License-Identifier: BSD-3-Clause
// Whole runs of sample cases, each by a program of its own: what a person waits for, beside the kernels that `conoid bench` times alone.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/case/document.hpp"
#include "engine/cli/resource_options.hpp"
#include "engine/core/error.hpp"
#include "engine/solvers/solver.hpp"

namespace conoid::cli {

/// One sample with one number of threads.
struct WholeRun {
  std::string solver, sample, title, item;  ///< item: what the rate counts, "cell"
  int threads = 1;
  double items_per_second = 0;  ///< while marching; of solvers that count none the whole run is one item
  Json seconds;                 ///< of the summary: "total", "prepare", "march", "frames", "checkpoints", "finish"
  Bytes memory = 0;             ///< of the host, at most
};
[[nodiscard]] Json to_json(const WholeRun& run);

/// Of each solver of these ids (all: empty) one sample: with `quick` the one that is done soonest, else the longest of at most a minute on
/// two cores. It is run with 1, 2, 4 … threads, up to and with `how.threads`; rows are called "run SAMPLE, N threads", and those alone
/// are run that `how` wants. The ratio is to N times the rate of one thread. An error where a run fails.
[[nodiscard]] Status measure_whole_runs(const TestRun& how, const ResourceOptions& resources,
                                        const std::vector<std::string>& solvers,
                                        const std::function<void(const BenchRow&, const WholeRun&)>& sink);

}  // namespace conoid::cli
