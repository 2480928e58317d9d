// SPDX-License-Identifier: BSD-3-Clause
// Zones and the numbering of velocity nodes: a mesh of segments, quadrilaterals or hexahedra carrying continuous Q_k.
#pragma once

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"
#include "engine/solvers/hydro_fem/discretization/paged_vector.hpp"

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace conoid::hydro_fem {

/// The coarse description: zones in lexicographic corner order (x fastest), their region, and named boundaries.
struct ZoneMesh {
  int dim = 2;
  std::vector<double> vertices;  ///< dim numbers a vertex
  std::vector<Index> zones;      ///< 2^dim vertices a zone, lexicographic
  std::vector<int> region;       ///< one a zone
  struct Face {
    Index zone = 0;
    int side = 0;  ///< 2*axis + (0 low, 1 high), of the zone's reference cube
    int boundary = 0;
  };
  std::vector<Face> faces;  ///< boundary faces
  std::vector<std::string> boundary_names;
  /// Curved zones: maps a point of the straight mesh to its true position; empty = straight.
  std::function<Vec3(const Vec3&)> curve;
  /// Or: dim × 3^dim numbers a zone, the points of its quadratic map in lexicographic order; empty = straight.
  std::vector<double> quadratic;

  [[nodiscard]] Index zone_count() const { return static_cast<Index>(region.size()); }
  /// Where reference coordinates in [0,1]^dim of a zone lie at the start.
  [[nodiscard]] Vec3 position(Index zone, const Vec3& xi) const;
  [[nodiscard]] Vec3 vertex(Index v) const;
  /// Keeps regions and boundary faces only, once the zones' nodes are made.
  void drop_places();
  [[nodiscard]] ZoneMesh without_places() const;
};

/// A boundary side at the start: its middle, its outward normal there, and the largest distance of its points from the
/// plane through it, over its size. In one dimension the side is a point and stands off by nothing.
struct SidePlane {
  Vec3 middle{}, normal{};
  double off = 0;
};
/// What a wall's side may stand off its plane, over its size.
inline constexpr double flat_side = 1e-6;
[[nodiscard]] SidePlane side_plane(const ZoneMesh& mesh, const ZoneMesh::Face& face);

/// A box of nx × ny × nz zones with coordinate lines; boundaries x_min, x_max, y_min, …
[[nodiscard]] ZoneMesh box_zones(int dim, const std::array<std::vector<double>, 3>& lines);

/// Continuous Q_k nodes: shared over corners, edges and faces by their vertices, so any mesh of zones works.
struct Space {
  Space(const ZoneMesh& mesh, int k);

  int dim;
  int k;
  Index nodes = 0;  ///< scalar H1 dofs
  Index zones = 0;
  int zone_nodes = 0;  ///< (k+1)^dim
  Paged<Index> map;    ///< zone × zone_nodes, lexicographic → node
  PagedVector x0;      ///< dim × nodes: initial positions, component by component
  /// Transposed map: the places zone*zone_nodes+local that meet at each node, ascending (a fixed order of sums).
  Paged<Index> meet_begin, meet;

 private:
  void place_nodes(const ZoneMesh& mesh);
};

}  // namespace conoid::hydro_fem
