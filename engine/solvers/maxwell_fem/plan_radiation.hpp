// SPDX-License-Identifier: BSD-3-Clause
// Who computes the radiation, and how, where the case leaves it open: the way that is foreseen to take the least time.
//
// blocked: every coefficient anew, in tiles times all right-hand sides (one by one where there is a single one). compressed: far blocks
// kept as products of low rank (compressed.hpp); a right-hand side costs less, but the making costs as much as some applications.
// devices: the devices of the run share S with its processors (device_radiation.hpp).
//
// Forecasts are counted operations over rates of this machine, times the share of those rates that each way was measured to reach
// (README, "Speed"). Of the operator written out, 4 N_S N_S' complex numbers, compression keeps a share by laws fitted to spheres, which
// hold within a factor of two: it is taken when it is foreseen to need less than 0.7 of the time of the others and no more than a
// quarter of the memory budget.
#pragma once

#include "engine/core/types.hpp"
#include "engine/team/module.hpp"
#include "engine/team/workers.hpp"

#include <span>
#include <string>
#include <vector>

namespace conoid::maxwell_fem {

struct RadiationWork {
  double outer_points = 0, current_points = 0;  ///< of S, of S'
  double columns = 1;       ///< right-hand sides to which the operator is applied at once, on average
  double applications = 1;  ///< how often
  double tolerance = 1e-4;  ///< of the blocks
  double ranks = 1;         ///< that share the loops; of a compressed operator each makes its own rows
};

/// What those who compute do at best.
struct RadiationRates {
  struct OfDevice {
    std::string name{};
    double multiply_adds = 0;  ///< double, flop/s
    double copy = 0;           ///< within its memory, bytes/s, read and written ones counted
    double products = 0;       ///< complex matrix products of its library, flop/s; 0: there is none
    Bytes memory = 0;          ///< that may be taken; 0: not known, enough
  };
  int threads = 1;                ///< of the team
  int beside = 0;                 ///< of these with no device to feed
  double multiply_adds = 5.8e10;  ///< double, flop/s of all threads
  double copy = 1e10;             ///< bytes/s of all threads
  bool measured = false;          ///< of the processors; else those of one core of a server times the threads
  bool devices_measured = false;
  std::vector<OfDevice> devices{};
};

/// Of a team on this machine. Rates of processors are measured where that is worth something now (machine_rates_hold), else assumed. Of
/// devices those that were measured before (rate_book.hpp); `open`: they may be opened and measured, else what is missing is taken
/// from their data (`known`, by name).
[[nodiscard]] RadiationRates radiation_rates(const std::vector<WorkerSpec>& workers, std::span<const DeviceInfo> known,
                                             bool open);

enum class RadiationWay : std::uint8_t { blocked, compressed, devices };

struct RadiationPlan {
  RadiationWay way = RadiationWay::blocked;
  double dense_bytes = 0, compressed_bytes = 0;  ///< the latter of one rank
  /// Of one rank, all applications: by processors with every coefficient anew; with the making of blocks; with devices, infinite without
  /// any that can.
  double plain_seconds = 0, compressed_seconds = 0, device_seconds = 0;
  double groups = 1;    ///< in which the fullest device takes its right-hand sides
  double slower = 1;    ///< than with memory enough, because of these groups: of the way `devices`
  double streamed = 0;  ///< bytes to devices and back
  std::string reason;   ///< one clause, for people
  std::string
      room;  ///< what devices lack memory for, with "; " before each clause: of the way `devices`; empty: nothing
  [[nodiscard]] bool compressed() const { return way == RadiationWay::compressed; }
  /// Of the way, or another one.
  [[nodiscard]] double seconds(RadiationWay of) const {
    return of == RadiationWay::devices      ? device_seconds
           : of == RadiationWay::compressed ? compressed_seconds
                                            : plain_seconds;
  }
  [[nodiscard]] double seconds() const { return seconds(way); }
};

/// Ranks that share the elements of S of one frequency and are more than these, as a sentence; empty where each has some.
[[nodiscard]] std::string idle_ranks(Index ranks, Index faces);

/// `budget`: bytes of the whole run. `obeyed`: devices were named, and take part whatever is faster.
[[nodiscard]] RadiationPlan plan_radiation(const RadiationWork& work, const RadiationRates& rates, double budget,
                                           bool obeyed = false);

}  // namespace conoid::maxwell_fem
