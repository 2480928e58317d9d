// SPDX-License-Identifier: BSD-3-Clause
// Pressure gauges: points that stay in space or move with the material, with peak, impulse and arrival of what they see.
#pragma once

#include "engine/solvers/hydro_fem/output_view.hpp"

#include <string>
#include <vector>

namespace conoid::hydro_fem {

struct Gauge {
  std::string name;
  Vec3 position{};       ///< at the start; a fixed one stays there
  bool moves = false;    ///< with the material
  double threshold = 0;  ///< overpressure that counts as arrival [Pa]; 0: a hundredth of the pressure at the start
};

/// What to say of a gauge that is to move with material where there is none.
[[nodiscard]] Error lies_in_no_zone(const std::string& gauge);

/// What a gauge has seen so far. Overpressure is what goes beyond the pressure at the start.
struct GaugeSums {
  double start = 0;    ///< pressure at the start [Pa]
  double peak = 0;     ///< largest overpressure [Pa]
  double impulse = 0;  ///< ∫ overpressure dt where it is positive, by trapezes between samples [Pa s]
  double arrival =
      -1;  ///< first time of an overpressure above the threshold, between samples by a straight line [s]; -1: never
  double last = 0, time = -1;  ///< sample before; time -1: there is none

  void add(double t, double pressure, double threshold);
};

/// Samples come at rows of the tables over time (`output.rows`). Where there is no material, a fixed gauge sees 0. From one thread; of
/// several ranks all look for them, and the leading one has what they see.
class Gauges {
 public:
  explicit Gauges(std::vector<Gauge> gauges);
  /// Finds those that move; returns the first that lies in no zone, -1 if all are found. Collective.
  [[nodiscard]] Index place(const View& view, const State& initial);
  /// Both. Throws Failure(invalid_input) naming a moving gauge that lies in no zone.
  Gauges(std::vector<Gauge> gauges, const View& view, const State& initial);

  /// Pressures now, one a gauge, and what they add to the sums, on the leading rank; empty elsewhere. Collective.
  std::vector<double> sample(const View& view, const State& state, double t);
  [[nodiscard]] const std::vector<Gauge>& gauges() const { return gauges_; }
  [[nodiscard]] const std::vector<GaugeSums>& sums() const { return sums_; }
  /// For checkpoints: where each gauge stands and its sums, as numbers.
  [[nodiscard]] std::vector<double> kept() const;
  /// Each gauge takes the sums of the one of its place and kind. Names of those that have none: they begin with the next sample.
  [[nodiscard]] std::vector<std::string> restore(const std::vector<double>& kept);

 private:
  void find(const View& view, const State& state, bool moving);
  std::vector<Gauge> gauges_;
  std::vector<View::Spot> spots_;  // of those that move for good, of the others since the last sample
  std::vector<GaugeSums> sums_;
};

}  // namespace conoid::hydro_fem
