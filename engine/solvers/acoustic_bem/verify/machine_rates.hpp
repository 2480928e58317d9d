// SPDX-License-Identifier: BSD-3-Clause
// What one core of this machine does at most: multiply-adds and copies. Times are the thread's own processor time, so that
// a busy machine does not change them much.
#pragma once

namespace conoid::acoustic_bem {

struct MachineRates {
  double fma_single = 0, fma_double = 0;  ///< flop/s, one core, widest registers
  double copy = 0;                        ///< bytes/s, read and written, arrays far beyond the caches
  double read = 0;                        ///< bytes/s of a sweep that only reads
  // By `threads` threads at once, in wall time: virtual processors may share the units of one core.
  double fma_together = 0;  ///< single precision
  double copy_together = 0, read_together = 0;
};
[[nodiscard]] MachineRates measure_rates(int threads = 1);

/// Processor seconds of this thread so far.
[[nodiscard]] double thread_seconds();

/// One instruction set's multiply-add loop: `rounds` times 24 independent registers; returns flops done.
struct FmaLoops {
  double (*single)(long rounds, double* keep);
  double (*twice)(long rounds, double* keep);
};

}  // namespace conoid::acoustic_bem
