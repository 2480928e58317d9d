// SPDX-License-Identifier: BSD-3-Clause
// Pressure gauges: points that stay in space or move with the material, with peak, impulse and arrival of what they see.
#pragma once

#include "engine/solvers/hydro_fem/output_view.hpp"

#include <array>
#include <string>
#include <vector>

namespace conoid::hydro_fem {

struct Gauge {
  std::string name;
  Vec3 position{};       ///< at the start; a fixed one stays there
  bool moves = false;    ///< with the material
  double threshold = 0;  ///< overpressure that counts as arrival [Pa]; 0: see GaugeSums::arrival
};

/// What to say of a gauge that is to move with material where there is none.
[[nodiscard]] Error lies_in_no_zone(const std::string& gauge);

/// What a gauge has seen so far. Overpressure is what goes beyond the pressure at the start.
struct GaugeSums {
  double start = 0;    ///< pressure at the start [Pa]
  double peak = 0;     ///< largest overpressure [Pa]
  double impulse = 0;  ///< ∫ overpressure dt where it is positive, by trapezes between samples [Pa s]
  /// First time of an overpressure above the threshold, between samples by a straight line [s]; -1: never. Without one a hundredth of the
  /// pressure at the start counts, and where that is less than a millionth of the peak, so that it may be the noise that runs ahead of a
  /// shock, a hundredth to a fiftieth of the peak.
  double arrival = -1;
  double last = 0, time = -1;  ///< sample before; time -1: there is none
  static constexpr int no_level = -100000;
  int level = no_level;            ///< the largest power of two of a pascal that overpressure has reached
  std::array<double, 8> passed{};  ///< when it first reached that, and those below it [s]

  void add(double t, double pressure, double threshold);
  /// Where peak and arrival are known and levels are not: all of them count as passed at the arrival.
  void begin_levels();

 private:
  void pass_levels(double before, double now, double dt);
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
  /// `older`: numbers of a checkpoint that had no levels.
  [[nodiscard]] std::vector<std::string> restore(const std::vector<double>& kept, bool older = false);

 private:
  void find(const View& view, const State& state, bool moving);
  std::vector<Gauge> gauges_;
  std::vector<View::Spot> spots_;  // of those that move for good, of the others since the last sample
  std::vector<GaugeSums> sums_;
};

}  // namespace conoid::hydro_fem
