// SPDX-License-Identifier: BSD-3-Clause
// How much slower this machine is than the one whose seconds the program knows.
#pragma once

#include <algorithm>
#include <cmath>

#include "engine/solvers/estimate.hpp"
#include "engine/team/machine.hpp"
#include "engine/team/machine_rates.hpp"

namespace conoid {

/// The two cores on which the seconds of the sample cards, and the rates that solvers know of a server's core, were measured.
inline constexpr MachineRates reference_machine{25e9, 170e9, 337e9, 2};

/// The rates of this machine that every estimate takes: measured once, read from what is kept after that. From any thread.
[[nodiscard]] inline MachineRates rates_here() {
  return machine_rates(this_machine().cores);
}

/// How many times as long a machine of these rates takes as the reference: the geometric mean of copies and of multiply-adds in
/// double precision, copies by their share of the work. 1 where they are not known, and where the difference may be the measurement's (a
/// third).
[[nodiscard]] inline double slowness_of(const MachineRates& rates, double copying = 0.5) {
  if (!(rates.copy > 0 && rates.flops_double > 0)) return 1;
  const double slowness = std::clamp(std::pow(reference_machine.copy / rates.copy, copying) *
                                         std::pow(reference_machine.flops_double / rates.flops_double, 1 - copying),
                                     0.02, 50.0);
  return slowness > 0.75 && slowness < 1.33 ? 1 : slowness;
}

/// Seconds of a server's cores, as a basis says that speaks of one, become those of as many cores here, of the whole and of the phases.
/// Only for what is said: what is chosen by the seconds (devices that pay) must not hang on a measurement.
void say_of_this_machine(Estimate& e, int cores);

}  // namespace conoid
