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
  bool found = false;  ///< there is material
};

/// Density comes from strong mass conservation (ρ0 |J0| / |J|), pressure from the equation of state, viscosity from the
/// formula of the stress: nothing is projected or smoothed. Used from one thread.
class View {
 public:
  /// `setup` and `op` must outlive the view. Of several ranks that share the operator each looks at its own zones, at the state that it
  /// holds; the answers of all come together on the leading one where a call says so.
  View(const Operator& op, const Setup& setup);

  /// A point of the material: a zone and its one-dimensional tables at fixed reference coordinates.
  struct Place {
    Index zone = 0;
    Vec3 xi{};
    std::array<std::vector<double>, 3> b, g, l,
        q;  ///< velocity basis, its derivative, energy basis, mass points
  };
  [[nodiscard]] Place place(Index zone, const Vec3& xi) const;
  /// Bounding boxes of this rank's zones at a state, for many searches in it: (low, high) a direction.
  struct Boxes {
    std::vector<double> range;
    std::vector<Index> zones;  ///< whose they are, ascending
  };
  [[nodiscard]] Boxes boxes(const State& state) const;
  /// Those that a straight line from `from` to `to` meets: for many searches along it, with the same answers.
  [[nodiscard]] Boxes along(const Boxes& boxes, const Vec3& from, const Vec3& to) const;
  /// The material at a point of space now: the zone whose curved map holds it (Newton), or nothing outside this rank's zones.
  [[nodiscard]] std::optional<Place> locate(const State& state, const Boxes& boxes, const Vec3& position) const;
  [[nodiscard]] PointValues at(const State& state, const Place& place, bool with_viscosity = true) const;

  /// A point of space that is looked for among zones, or of the material once it is found.
  struct Searched {
    const Boxes* boxes = nullptr;
    Vec3 position{};
  };
  struct Spot {
    Index zone = -1;  ///< -1: no zone of any rank holds the point
    Vec3 xi{};        ///< of its own rank alone
  };
  /// Of the zones of all ranks that hold a point that of the least number, as on one rank. Collective, with the same points everywhere.
  [[nodiscard]] std::vector<Spot> find(const State& state, std::span<const Searched> points) const;
  /// Values at spots on the leading rank, not `found` where no zone is; empty elsewhere. Collective.
  [[nodiscard]] std::vector<PointValues> at(const State& state, std::span<const Spot> spots) const;
  [[nodiscard]] bool leads() const { return op_.leads(); }
  [[nodiscard]] const Operator& op() const { return op_; }

  /// For loops over points; all const functions of a view may be called by several threads.
  [[nodiscard]] const CpuWorker& workers() const { return workers_; }

  /// What is burnt is so at this time from now on; everything without it.
  void at_time(double t) { time_ = t; }

  /// Mass at a point of the quadrature of an own zone: w ρ0 |J0| (times r0^turns).
  [[nodiscard]] double mass(Index zone, int q) const;

  /// |J| at a place (times r^turns).
  [[nodiscard]] double volume(const State& state, const Place& place) const;

  /// Cells a direction that every zone is cut into: the order, or fewer so that about `points_limit` points remain.
  [[nodiscard]] int cuts(Index points_limit) const;
  /// Every zone of all ranks with its own points, so that jumps between zones stay; sub × sub (× sub) cells a zone. On the leading rank,
  /// without points and cells elsewhere. Collective.
  [[nodiscard]] MeshGeometry geometry(const State& state, int sub) const;
  /// Points of a zone there.
  [[nodiscard]] Index zone_points(int sub) const;
  /// So many numbers at each of those points: `pack` makes them of the values there, from several threads, and `take` gets each point's on
  /// the leading rank, from one. Collective.
  void values(const State& state, int sub, bool with_viscosity, Index numbers,
              const std::function<void(const PointValues&, float*)>& pack,
              const std::function<void(Index, const float*)>& take) const;

 private:
  /// at(), in a zone instead of the place's own, with ρ0 |J0| there.
  [[nodiscard]] PointValues evaluate(const State& state, Index zone, const Place& place, double mass,
                                     bool with_viscosity) const;
  struct Topology {
    std::shared_ptr<const std::vector<Index>> connectivity, offsets;
    std::shared_ptr<const std::vector<std::uint8_t>> types;
  };
  [[nodiscard]] const Topology& topology(int sub) const;
  [[nodiscard]] double turned(Index zone, int q) const;
  [[nodiscard]] std::vector<double> densities(Index zone) const;
  [[nodiscard]] std::vector<int> kept_nodes(int sub) const;   ///< of the k+1 a direction
  [[nodiscard]] std::vector<int> shown_nodes(int sub) const;  ///< of a zone's

  const Operator& op_;
  const Setup& setup_;
  double time_ = 1e300;
  std::vector<Index> zones_;  // this rank's, ascending
  Paged<int> lane_of_zone_;   // of all zones, this rank's written: batch × lanes + lane
  CpuWorker workers_;
  std::vector<Place> node_places_;  // of one zone, lexicographic
  mutable std::vector<std::pair<int, Topology>> topologies_;
};

}  // namespace conoid::hydro_fem
