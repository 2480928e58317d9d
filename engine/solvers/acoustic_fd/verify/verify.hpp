// SPDX-License-Identifier: BSD-3-Clause
// The tables of `conoid verify acoustic-fd` and `conoid bench acoustic-fd`, with --paper those of the method's source.
#pragma once

#include "engine/solvers/solver.hpp"

namespace conoid::acoustic_fd {

[[nodiscard]] Status verify_table(const TestRun& run, const VerifySink& row);
[[nodiscard]] Status bench_table(const TestRun& run, const BenchSink& row);
[[nodiscard]] Status paper_table(const TestRun& run, const BenchSink& row);

}  // namespace conoid::acoustic_fd
