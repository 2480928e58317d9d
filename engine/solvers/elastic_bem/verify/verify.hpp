// SPDX-License-Identifier: BSD-3-Clause
// The tables of `conoid verify elastic-bem` and `conoid bench elastic-bem`, with --paper those of the method's source.
#pragma once

#include "engine/solvers/solver.hpp"

namespace conoid::elastic_bem {

[[nodiscard]] Status verify_table(const TestRun& run, const VerifySink& row);
[[nodiscard]] Status bench_table(const TestRun& run, const BenchSink& row);
[[nodiscard]] Status paper_table(const TestRun& run, const BenchSink& row);

}  // namespace conoid::elastic_bem
