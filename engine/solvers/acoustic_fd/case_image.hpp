// SPDX-License-Identifier: BSD-3-Clause
// What a case says of its images (`parameters.image`), and the traces that they are made from.
#pragma once

#include "engine/case/case_reader.hpp"
#include "engine/core/error.hpp"
#include "engine/core/types.hpp"
#include "engine/solvers/acoustic_fd/problem.hpp"

#include <filesystem>
#include <span>
#include <vector>

namespace conoid::acoustic_fd {

struct ImageSettings {
  enum class Kind { none, gradient, migration };
  enum class Observed { computed, run, segy };
  enum class Illumination { none, source, both };
  Kind kind = Kind::none;
  Observed observed = Observed::computed;
  std::filesystem::path file;  ///< run folder or SEG-Y file
  double smooth = 0;           ///< m, standard deviation of the medium's mean
  Index every = 1;             ///< steps from one product to the next
  bool compressed = true;      ///< snapshots of 16 bits
  bool send_observed = false;  ///< migration: the observed traces themselves
  Illumination illumination = Illumination::none;
  double stabilisation = 1e-3;  ///< of the largest illumination
  bool laplacian = false;
  bool adds = false;  ///< shots are added, this one's products lie beside the sum of those before it
  [[nodiscard]] bool any() const { return kind != Kind::none; }
  /// Marches of a shot.
  [[nodiscard]] Index passes() const { return !any() ? 1 : observed == Observed::computed ? 3 : 2; }
};

/// Traces of one shot, sorted by the receivers of the case.
struct ObservedShot {
  double interval = 0;  ///< s between samples, the first at 0
  Index samples = 0;
  std::vector<float> values;  ///< [receiver][sample]
  std::vector<char> known;    ///< whether a receiver has a trace
};

/// Reads `parameters.image`; `highest` in Hz, 0 where it is not known; needs the time step.
[[nodiscard]] ImageSettings read_image(const Case& input, const Problem& problem, double highest);

/// Interval of the observed traces of a shot, or all of them. A receiver takes the trace whose position is nearest, within `near` metres; of a run of
/// our own within what its file rounds positions by, too, and of traces at one place that of its own number. Errors (file,
/// invalid_input) say which file, and what fits not.
[[nodiscard]] Result<ObservedShot> read_observed(const ImageSettings& settings, Index shot, bool only_one,
                                                 std::span<const Receiver> receivers, double near);

/// What is wrong with it beside the rest of the case. `shots`: their numbers; `highest`: of what they send, Hz, 0 where it is not known.
void check_image(const CaseReader& reader, const ImageSettings& settings, const Problem& problem,
                 std::span<const Index> shots, std::span<const Receiver> receivers, double highest);

/// Speed (by its slowness) and density of the problem, at its nodes, smoothed by a Gaussian; beyond the grid the nearest value holds. A float a node
/// each. Throws Failure(resources) without memory.
void smooth_medium(Problem& problem, double deviation);

}  // namespace conoid::acoustic_fd
