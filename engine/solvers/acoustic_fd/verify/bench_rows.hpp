// SPDX-License-Identifier: BSD-3-Clause
// The part of `conoid bench acoustic-fd` that is about devices and whole runs.
#pragma once

#include "engine/solvers/test_run.hpp"

namespace conoid::acoustic_fd {

/// Rows of every device that is unlike those before, in core and streamed, and of runs from their case to their end, by a device where there is one. Nothing
/// where no such row is wanted. Throws Failure(resources).
void bench_devices(const TestRun& run, const BenchSink& sink);

}  // namespace conoid::acoustic_fd
