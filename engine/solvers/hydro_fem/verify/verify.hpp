// SPDX-License-Identifier: BSD-3-Clause
// The tables of `conoid verify hydro-fem` and `conoid bench hydro-fem`, with --paper those of the method's source.
#pragma once

#include "engine/solvers/solver.hpp"

namespace conoid::hydro_fem {

[[nodiscard]] Status verify_table(const TestRun& run, const VerifySink& row);
[[nodiscard]] Status bench_table(const TestRun& run, const BenchSink& row);
[[nodiscard]] Status paper_table(const TestRun& run, const BenchSink& row);

}  // namespace conoid::hydro_fem
