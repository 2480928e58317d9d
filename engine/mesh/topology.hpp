// SPDX-License-Identifier: BSD-3-Clause
// How cells hang together: closed and consistently oriented surfaces, components, the boundary of a volume mesh.
#pragma once

#include "engine/mesh/mesh.hpp"

#include <array>
#include <span>
#include <string>
#include <vector>

namespace conoid {

/// An edge between two corners and the surface cells that share it.
struct SurfaceEdge {
  Index a = 0, b = 0;
  std::vector<Index> cells;
};

/// What is wrong with a surface. Lists hold at most `list_limit` entries, the counts are exact.
struct SurfaceReport {
  Index cells = 0;
  Index edges = 0;
  Index points = 0;                    ///< corners in use
  Index open_edge_count = 0;           ///< edges of one cell only: the rim of a hole
  Index non_manifold_edge_count = 0;   ///< edges of three or more cells
  Index inconsistent_edge_count = 0;   ///< two cells that run along their edge in the same direction
  Index non_manifold_point_count = 0;  ///< points where sheets touch without an edge in common
  Index collapsed_cell_count = 0;      ///< cells with a repeated corner
  std::vector<SurfaceEdge> open_edges, non_manifold_edges, inconsistent_edges;
  Index components = 0;  ///< pieces joined by edges
  double volume = 0;     ///< enclosed, m³; positive: outward normals (closed surfaces only)

  [[nodiscard]] bool closed() const { return cells > 0 && open_edge_count == 0; }
  [[nodiscard]] bool manifold() const { return non_manifold_edge_count == 0 && non_manifold_point_count == 0; }
  [[nodiscard]] bool consistent() const { return inconsistent_edge_count == 0; }
  /// Closed, manifold, consistent, outward: a body that a boundary element method can take.
  [[nodiscard]] bool is_body() const {
    return closed() && manifold() && consistent() && collapsed_cell_count == 0 && volume > 0;
  }
};
/// Of all surface cells, or of the given ones.
[[nodiscard]] SurfaceReport check_surface(const Mesh& mesh, int list_limit = 20);
[[nodiscard]] SurfaceReport check_surface(const Mesh& mesh, std::span<const Index> cells, int list_limit = 20);

/// For people, a thing each: "open: 12 edges belong to one cell only, the first between points 4 and 9 at (…)".
[[nodiscard]] std::vector<std::string> explained(const SurfaceReport& report, const Mesh& mesh);
/// The same in one line, for messages.
[[nodiscard]] std::string explain(const SurfaceReport& report, const Mesh& mesh);

/// Component number of each surface cell (-1 for other cells), cells joined by an edge; numbered by first appearance.
[[nodiscard]] std::vector<Index> surface_components(const Mesh& mesh);

struct OrientationChange {
  Index turned = 0;  ///< cells turned round
  Index components = 0;
  Index cavities = 0;         ///< closed components inside another: their normals point into the cavity
  Index open_components = 0;  ///< made consistent, but inside and outside cannot be told
  bool orientable =
      true;  ///< false: a component is one-sided (or has edges of three cells) and stays partly inconsistent
};
/// Turns surface cells so that each component is consistent and each closed one has its normals out of the material:
/// away from the inside for a body, into the hollow for a cavity (a component inside an odd number of others).
OrientationChange orient_outward(Mesh& mesh);

/// Under which the triangle a, b, c is seen from the origin, steradians, with the sign of a·(b×c); −2π … 2π (van Oosterom and Strackee, as below).
[[nodiscard]] double solid_angle(const Vec3& a, const Vec3& b, const Vec3& c);

/// Times that the closed, consistently oriented cells wind around the point: 1 inside an outward surface, 0 outside
/// (A. van Oosterom, J. Strackee, IEEE Trans. Biomed. Eng. 30 (1983) 125, eq. 8; quads as two triangles, order 2 by corners).
[[nodiscard]] double winding_number(const Mesh& mesh, std::span<const Index> cells, const Vec3& point);

/// Where the cells and points of a boundary surface come from.
struct BoundaryLinks {
  std::vector<Index> volume_cells;  ///< for each boundary cell the volume cell behind it
  std::vector<Index> points;        ///< for each boundary point its number in the volume mesh
};
/// Faces of volume cells that have no neighbour, normals outwards. Surface groups of the mesh are carried over to the
/// faces that they cover.
[[nodiscard]] Mesh boundary_surface(const Mesh& mesh, BoundaryLinks* links = nullptr);

/// Pairs of surface cells that cut through each other, at most `limit`; cells that share a corner are not compared, nor found
/// if they lie in one plane. Quads count as two triangles, order 2 by corners. Costs about n log n on ordinary surfaces; cells
/// heaped in one place are given up after a million and 200 comparisons a cell, with what was found.
[[nodiscard]] std::vector<std::array<Index, 2>> self_intersections(const Mesh& mesh, Index limit = 100);

}  // namespace conoid
