// SPDX-License-Identifier: BSD-3-Clause
// What this machine can do at best, measured: the yardsticks of `conoid bench`.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "engine/core/error.hpp"
#include "engine/solvers/solver.hpp"

namespace conoid::cli {

/// Measures with `threads` threads and hands out rows: copy bandwidth (bytes read + bytes written a second), rate of
/// fused multiply-adds in double and single precision (2 operations each; by the widest vector instructions of this
/// processor), sequential writing to disk in `folder` (with fdatasync; the file is removed). `quick`: about 2 s in all.
[[nodiscard]] Status measure_machine_limits(int threads, bool quick, const std::filesystem::path& folder,
                                            const std::function<void(BenchRow)>& sink);

}  // namespace conoid::cli
