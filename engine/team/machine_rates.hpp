// SPDX-License-Identifier: BSD-3-Clause
// What the processors of this machine do at best, measured: the yardsticks of `conoid bench` and the roof of a run's kernels
// (Williams, Waterman, Patterson, Comm. ACM 52 (2009) 65).
#pragma once

#include <string_view>

#include "engine/core/types.hpp"

namespace conoid {

/// Zeros: not measured.
struct MachineRates {
  double copy = 0;          ///< bytes/s, read and written ones counted
  double flops_double = 0;  ///< flop/s, fused multiply-adds counted as two
  double flops_single = 0;
  int threads = 0;  ///< that were measured together
  [[nodiscard]] bool known() const { return copy > 0 && flops_double > 0 && flops_single > 0; }
};

/// By `threads` threads at once, rounds repeated for `seconds`, the best counts: what disturbs a measurement only makes it
/// slower. Arrays of four times the last cache, of at most `most` bytes each and an eighth of the free memory.
[[nodiscard]] double measure_copy_rate(int threads, double seconds, Bytes most = ~Bytes{0});
/// Of the widest vector instructions of this processor; `name`, if not null, becomes their name.
[[nodiscard]] double measure_fma_rate(bool single, int threads, double seconds, std::string_view* name = nullptr);

/// All three in about a sixth of a second; measured once on a machine for a number of threads (rate_book.hpp). Any thread may call. Zeros
/// where there is no memory for it.
[[nodiscard]] MachineRates machine_rates(int threads);
/// Whether machine_rates() answers with what the quiet machine does: such rates are kept, or nothing else runs. Any thread.
[[nodiscard]] bool machine_rates_hold(int threads);

/// The same of a device, "cuda:0", by its own clock: copies within its memory (256 MiB, less where little is free) and
/// multiply-adds without its matrix units, on an NVIDIA device in some milliseconds. Measured once in a process for a device. Zeros where
/// it cannot be opened or has no memory left.
[[nodiscard]] MachineRates device_rates(std::string_view device);

}  // namespace conoid
