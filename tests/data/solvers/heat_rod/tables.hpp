// SPDX-License-Identifier: BSD-3-Clause
// The tables of `conoid verify` and `conoid bench`.
#pragma once

#include "engine/solvers/test_run.hpp"

namespace conoid::heat_rod {

Status verify(const TestRun& run, const VerifySink& sink);
Status bench(const TestRun& run, const BenchSink& sink);

}  // namespace conoid::heat_rod
