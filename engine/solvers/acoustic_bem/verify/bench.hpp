// SPDX-License-Identifier: BSD-3-Clause
// The table of `conoid bench acoustic-bem`.
#pragma once

#include "engine/solvers/solver.hpp"

namespace conoid::acoustic_bem {

[[nodiscard]] Status bench_table(const TestRun& run, const BenchSink& row);
[[nodiscard]] Status paper_table(const TestRun& run,
                                 const BenchSink& row);  ///< Tables 2, 3 and 4 of the source of the method
/// Rows of the kernels on each CUDA device of this machine, beside its memory's bandwidth; none without a device.
void bench_devices(const TestRun& run, const BenchSink& row);

}  // namespace conoid::acoustic_bem
