// SPDX-License-Identifier: BSD-3-Clause
// Which team is the fastest for a case: the processors, the devices alone, or both, by what each of them makes of the phases.
#pragma once

#include <span>
#include <string>

#include "engine/solvers/acoustic_bem/problem.hpp"
#include "engine/team/offer.hpp"

namespace conoid::acoustic_bem {

/// What a device does for this solver.
struct DevicePace {
  double evaluations = 0;  ///< of shell moments a second, at cΔt = 0.4 h
  double bytes = 0;        ///< of matrix values a second that are summed up
  double step = 0;         ///< seconds of a step and excitation: radiation and solution
};
/// As runs on this device have found (keep_pace()), or else by its data, from rates of an H200: moments by its multiprocessors, of which only those of
/// compute capability x.0 up to 10.0 have doubles at half the rate of singles, others a 32nd of that; sums by its memory.
[[nodiscard]] DevicePace pace_of(const DeviceInfo& device);
/// Keeps the rate of an assembly by this device alone, if it was long enough to tell, for estimates to come.
void keep_pace(const DeviceInfo& device, double evaluations, double seconds);

/// Seconds of the phases of a run, and what of them passes while processors wait for devices.
struct PhasePrices {
  struct Price {
    double seconds = 0, on_devices = 0;
  };
  Price assembly, march, beside;  ///< beside: receivers, planes, far field
};

/// Seconds of a case by the teams that there are; of devices, with as many as are the fastest.
struct TeamPrice {
  double processors = 0, alone = 0, both = 0;
  PhasePrices of_alone, of_both;
  DeviceUse use;  ///< the fastest of them
  [[nodiscard]] double best() const { return use.most == 0 ? processors : use.alone.empty() ? both : alone; }
};
/// `threads`: of all workers; `paces` of devices that are there, of which the first ones are taken, `least` at least: fewer have no room for
/// the case.
[[nodiscard]] TeamPrice price_teams(const Settings& settings, const Surface& surface, int threads,
                                    std::span<const DevicePace> paces, std::size_t least = 1);

/// What check and estimate foresee of an offer: beside what the driver of its CUDA devices keeps, which a run finds resident when it plans.
[[nodiscard]] MemoryPlan plan_for(const Settings& settings, const Surface& surface, const Offer& offer);

}  // namespace conoid::acoustic_bem
