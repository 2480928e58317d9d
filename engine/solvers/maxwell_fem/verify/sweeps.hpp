// SPDX-License-Identifier: BSD-3-Clause
// A fast sweep through a resonance, as a case that is run from its text to its tables.
#pragma once

#include "engine/core/error.hpp"
#include "engine/io/results.hpp"
#include "engine/solvers/test_run.hpp"

#include <string>

namespace conoid::maxwell_fem {

/// A ball of 50 mm and permittivity 38 from 430 to 530 MHz, 1001 frequencies: its first resonance, the magnetic dipole at 478 MHz, and the
/// flank below it, where the echo back falls by 40 dB. The case as text; accuracy of the sweep 0.1 dB.
[[nodiscard]] std::string resonant_sweep_case(int divisions, int layers, bool error_bar);

struct SweepOutcome {
  double computed = 0;  ///< frequencies
  double rows = 0;      ///< of the table of the echo
  double unknowns = 0;
  double worst = 0;     ///< largest difference from the Mie series at any frequency, dB
  double over_bar = 0;  ///< largest of that over what the run says it may be, where it says more than 0.01 dB
  double bar_over = 0;  ///< rms of what it says over rms of the difference
};
/// What the tables of such a run come to.
[[nodiscard]] SweepOutcome judge_resonant_sweep(const MemoryResults& results);

/// Runs the case. Errors: those of the run.
[[nodiscard]] Result<SweepOutcome> run_resonant_sweep(int divisions, int layers, bool error_bar, const TestRun& run);

}  // namespace conoid::maxwell_fem
