// SPDX-License-Identifier: BSD-3-Clause
// From a case to a Problem, with everything that can be wrong with it.
#pragma once

#include "engine/case/case.hpp"
#include "engine/core/error.hpp"
#include "engine/io/frame.hpp"
#include "engine/solvers/acoustic_fd/case_image.hpp"
#include "engine/solvers/acoustic_fd/case_shapes.hpp"
#include "engine/solvers/acoustic_fd/discretization/cell_means.hpp"
#include "engine/solvers/acoustic_fd/discretization/trace_filter.hpp"
#include "engine/solvers/acoustic_fd/problem.hpp"
#include "engine/solvers/frame_marks.hpp"

#include <memory>
#include <string>
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
  double highest_traced = 0;            ///< the same of what traces keep of them
  SpeedRange density;                   ///< 0: constant
  double quality = 0;                   ///< Q of the medium; 0: no attenuation
  SpeedRange quality_band;              ///< Hz, where Q is constant
  double quality_frequency = 0;         ///< at which the case's speed holds
  bool several_speeds = false;  ///< as the case has it: the nodes beside a jump of density may differ by themselves
  ImageSettings image;
  bool model_file = false;      ///< the speed is that of a file
  bool velocity_known = false;  ///< problem.velocity is set
  /// Receivers of a line stand one after the other behind the single ones.
  struct ReceiverLine {
    std::string name;
    std::size_t count = 0;
  };
  std::size_t single_receivers = 0;
  std::vector<ReceiverLine> receiver_lines;
  Cadence cadence{0, 0, 0};  ///< when frames are kept, of all shots one after the other
  FrameRequest frames;       ///< what they show
  [[nodiscard]] bool keeps_frames() const { return cadence.keeps_any(); }
  // Of a run that takes every n-th shot of a case, the rest beside it: `shots` are its own.
  Index first_shot = 0, shot_stride = 1;
  Index all_shots = 0;  ///< of the case; 0: `shots` are all
  [[nodiscard]] Index shots_of_case() const { return all_shots > 0 ? all_shots : static_cast<Index>(shots.size()); }
  // What takes every node of the grid, and is made when the run begins (make_nodes).
  std::shared_ptr<CellMeans> means;  ///< null: nodes have the medium as it is
  ListedObstacles obstacles;
  [[nodiscard]] TimeScheme time_scheme() const { return {problem.dt, problem.time_correction, highest_traced}; }
};

/// Everything that the case says, files and all; of the grid no node is made yet.
/// Diagnostics are appended; the result is usable when none of them is an error.
[[nodiscard]] Setup read_setup(const Case& input, std::vector<Diagnostic>& diagnostics);

/// The nodes of a setup without errors: means of the medium over cells (cell_means.hpp), obstacles and their cuts. `input` names the places in
/// messages. Throws Failure(resources) without memory.
void make_nodes(Setup& setup, const Case& input, std::vector<Diagnostic>& diagnostics);

/// Checks that cost nothing: stability, resolution, places, sponges. `input` names the places in messages.
void check_setup(const Setup& setup, const Case& input, std::vector<Diagnostic>& diagnostics);

/// c dt/h of the slowest waves where the time step's error counts; tiny where the traces are corrected.
[[nodiscard]] double traced_courant(const Setup& setup, double spacing);
/// What becomes of the time step's error, in words.
[[nodiscard]] std::string time_error_text(const Setup& setup);

}  // namespace conoid::acoustic_fd
