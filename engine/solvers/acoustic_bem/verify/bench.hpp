// SPDX-License-Identifier: BSD-3-Clause
// The table of `conoid bench acoustic-bem`.
#pragma once

#include "engine/solvers/solver.hpp"

namespace conoid::acoustic_bem {

[[nodiscard]] Status bench_table(const TestRun& run, const BenchSink& row);
/// Tables 1 to 4 and Figs. 13 to 15 of the source of the method. Under mpirun collective.
[[nodiscard]] Status paper_table(const TestRun& run, const BenchSink& row);
/// Tables 2 and 3 on each device.
void paper_blocks_on_devices(const TestRun& run, const BenchSink& row);
/// Rows of the kernels on each CUDA device of this machine, beside its memory's bandwidth; none without a device.
void bench_devices(const TestRun& run, const BenchSink& row);

}  // namespace conoid::acoustic_bem
