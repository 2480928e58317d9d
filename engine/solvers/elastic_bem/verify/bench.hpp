// SPDX-License-Identifier: BSD-3-Clause
// Parts of the bench of elastic-bem that stand in a file of their own.
#pragma once

#include "engine/solvers/solver.hpp"

namespace conoid::elastic_bem {

/// Far pairs on the CUDA devices that are here; no rows where there are none. Throws Failure.
void bench_devices(const TestRun& run, const BenchSink& row);

/// Rows of compressed matrices.
void bench_compressed(const TestRun& run, const BenchSink& row);

}  // namespace conoid::elastic_bem
