// SPDX-License-Identifier: BSD-3-Clause
// Looking at a state: the curved moving zones as cells of a picture, and values at single points that move along.
#pragma once

#include "engine/io/frame.hpp"
#include "engine/solvers/hydro_fem/stepping/operator.hpp"
#include "engine/team/phase.hpp"

#include <optional>
#include <span>
#include <vector>

namespace conoid::hydro_fem {

struct PointValues {
  Vec3 position{}, velocity{};
  double density = 0, energy = 0, pressure = 0, viscosity = 0;
};

/// Density comes from strong mass conservation (ρ0 |J0| / |J|), pressure from the equation of state, viscosity from the
/// formula of the stress: nothing is projected or smoothed. Used from one thread.
class View {
 public:
  /// `setup` and `op` must outlive the view. Of several ranks that share the operator it is collective, and only the leading one, which gets
  /// what others have of the masses, can look.
  View(const Operator& op, const Setup& setup);

  /// A point of the material: a zone and its one-dimensional tables at fixed reference coordinates.
  struct Place {
    Index zone = 0;
    Vec3 xi{};
    std::array<std::vector<double>, 3> b, g, l,
        q;  ///< velocity basis, its derivative, energy basis, mass points
  };
  [[nodiscard]] Place place(Index zone, const Vec3& xi) const;
  /// Bounding boxes of all zones at a state, for many searches in it: (low, high) a direction.
  struct Boxes {
    std::vector<double> range;
    std::vector<Index> zones;  ///< whose they are, in their order; empty: of all
  };
  [[nodiscard]] Boxes boxes(const State& state) const;
  /// Those that a straight line from `from` to `to` meets: for many searches along it, with the same answers.
  [[nodiscard]] Boxes along(const Boxes& boxes, const Vec3& from, const Vec3& to) const;
  /// The material at a point of space now: the zone whose curved map holds it (Newton), or nothing outside all zones.
  [[nodiscard]] std::optional<Place> locate(const State& state, const Boxes& boxes, const Vec3& position) const;
  [[nodiscard]] PointValues at(const State& state, const Place& place, bool with_viscosity = true) const;

  /// For loops over points; all const functions of a view may be called by several threads.
  [[nodiscard]] const CpuWorker& workers() const { return workers_; }

  /// What is burnt is so at this time from now on; everything without it.
  void at_time(double t) { time_ = t; }

  /// Mass at a point of the quadrature of a zone: w ρ0 |J0| (times r0^turns).
  [[nodiscard]] double mass(Index zone, int q) const;

  /// |J| at a place (times r^turns).
  [[nodiscard]] double volume(const State& state, const Place& place) const;

  /// Cells a direction that every zone is cut into: the order, or fewer so that about `points_limit` points remain.
  [[nodiscard]] int cuts(Index points_limit) const;
  /// Every zone with its own points, so that jumps between zones stay; sub × sub (× sub) cells a zone.
  [[nodiscard]] MeshGeometry geometry(const State& state, int sub) const;
  /// Values at the points of geometry(state, sub); `out` is called once a point, from several threads.
  void values(const State& state, int sub, bool with_viscosity,
              const std::function<void(Index, const PointValues&)>& out) const;

 private:
  /// at(), with ρ0 |J0| there.
  [[nodiscard]] PointValues evaluate(const State& state, const Place& place, double mass, bool with_viscosity) const;
  struct Topology {
    std::shared_ptr<const std::vector<Index>> connectivity, offsets;
    std::shared_ptr<const std::vector<std::uint8_t>> types;
  };
  [[nodiscard]] const Topology& topology(int sub) const;
  [[nodiscard]] double turned(Index zone, int q) const;
  [[nodiscard]] std::vector<int> kept_nodes(int sub) const;  ///< of the k+1 a direction

  const Operator& op_;
  const Setup& setup_;
  double time_ = 1e300;
  std::vector<double> density_points_;  // zone × mass points: ρ0 |J0|
  std::vector<double> density_nodes_;   // zone × nodes: the same
  CpuWorker workers_;
  std::vector<Place> node_places_;  // of one zone, lexicographic
  mutable std::vector<std::pair<int, Topology>> topologies_;
};

}  // namespace conoid::hydro_fem
