// SPDX-License-Identifier: BSD-3-Clause
// From a case to a Problem, with everything that can be wrong with it.
#pragma once

#include "engine/case/case.hpp"
#include "engine/core/error.hpp"
#include "engine/solvers/acoustic_fd/case_image.hpp"
#include "engine/solvers/acoustic_fd/discretization/trace_filter.hpp"
#include "engine/solvers/acoustic_fd/problem.hpp"

#include <vector>

namespace conoid::acoustic_fd {

/// What else a case says that the march does not need.
struct Setup {
  Problem problem;
  Index volume_points = 0;
  Vec3 plane_at{};
  std::size_t pressure_receivers = 0;   ///< of problem.receivers; slopes for the particle velocity come behind them
  std::vector<std::size_t> heard_with;  ///< of each slope: the receiver of pressure at its place
  std::vector<Index> shots;             ///< numbers in ascending order; at least one
  Index shots_at_once = 0;              ///< that march at the same time, as the case says; 0: it says nothing
  std::string segy;                     ///< "none", "ieee" or "ibm"
  double segy_interval = 0;             ///< s between samples of SEG-Y: whole microseconds where it can be
  double highest_frequency = 0;         ///< of all sources; 0 = unknown
  double highest_sent = 0;              ///< of sources and initial field, Hz
  SpeedRange density;                   ///< 0: constant
  double quality = 0;                   ///< Q of the medium; 0: no attenuation
  SpeedRange quality_band;              ///< Hz, where Q is constant
  double quality_frequency = 0;         ///< at which the case's speed holds
  bool several_speeds = false;  ///< as the case has it: the nodes beside a jump of density may differ by themselves
  ImageSettings image;
  bool velocity_known = false;  ///< problem.velocity is set (a file may not have been loaded)
  [[nodiscard]] TimeScheme time_scheme() const { return {problem.dt, problem.time_correction, highest_sent}; }
};

/// The medium is averaged over cells (cell_means.hpp). `load` false: a velocity file is only read through (its range is known, `problem.velocity` stays null).
/// Diagnostics are appended; the result is usable when none of them is an error.
[[nodiscard]] Setup read_setup(const Case& input, bool load, std::vector<Diagnostic>& diagnostics);

/// Checks that cost nothing: stability, resolution, places, sponges. `input` names the places in messages.
void check_setup(const Setup& setup, const Case& input, std::vector<Diagnostic>& diagnostics);

/// c dt/h of the slowest waves where the time step's error counts; tiny where the traces are corrected.
[[nodiscard]] double traced_courant(const Setup& setup, double spacing);
/// What becomes of the time step's error, in words.
[[nodiscard]] std::string time_error_text(const Setup& setup);

}  // namespace conoid::acoustic_fd
