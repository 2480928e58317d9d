// SPDX-License-Identifier: BSD-3-Clause
// What a case will take, before it is run: the one form in which every solver says it, and the command line and the window
// show it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/types.hpp"
#include "engine/team/offer.hpp"

namespace conoid {

/// What one phase of a run is expected to take, on the rank that leads; what is priced together is one phase.
struct PhaseEstimate {
  std::string name;
  double seconds = 0;         ///< of the team that is chosen, all its steps, frequencies, rounds
  double device_seconds = 0;  ///< what of these passes while processors wait for a device
  std::string by{};           ///< who computes it, where that is not the processors alone: "cuda:0 and processors"
  std::vector<std::string>
      told{};  ///< the phases of Progress (and of summary.json) that make it up; empty: the one of its name
};

struct Estimate {
  Bytes host_memory = 0;       ///< of one rank: what every rank holds counts whole
  Bytes device_memory = 0;     ///< of each device that takes part, at most; 0: none does
  Bytes disk = 0;              ///< results, one checkpoint, and what windows keep there
  double seconds = 0;          ///< of the processors, streaming included; 0 = cannot tell honestly
  double copying = 0.5;        ///< share of them that waits for memory rather than for arithmetic
  double planned_seconds = 0;  ///< of the team that is chosen, its devices at their own rates; 0: as `seconds`
  double device_seconds = 0;   ///< what of these passes while processors wait for a device
  std::vector<PhaseEstimate>
      phases;         ///< those that the solver can price, in the order of the run; what is left is not told apart
  DeviceUse use;      ///< what the case can do with devices; with `seconds` it decides which take part
  GroupUse groups;    ///< what the case can do with several ranks
  std::string basis;  ///< "from the rate of a small box here", or why there are no seconds; no full stop
  Index steps = 0;    ///< advance() calls
  Bytes streamed =
      0;              ///< bytes that pass through windows, both ways, in the whole run; 0: all stays where it is needed
  double slower = 1;  ///< than with memory enough, because of it
  std::string streams;  ///< what passes, between which memories: "planes of the grid, between disk and memory"
  std::optional<std::array<Vec3, 2>>
      box;  ///< lower and upper corner of a region that is computed without a mesh file, m
  std::vector<std::pair<std::string, std::string>> details;  ///< "grid" → "512 × 512 × 512", "time step" → "12 µs"
  /// What a run is expected to take; 0 = not known.
  [[nodiscard]] double expected_seconds() const { return planned_seconds > 0 ? planned_seconds : seconds; }
};

}  // namespace conoid
