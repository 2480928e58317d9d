// SPDX-License-Identifier: BSD-3-Clause
// How good the cells of a mesh are: shape, size, defects.
#pragma once

#include "engine/mesh/mesh.hpp"

#include <array>
#include <vector>

namespace conoid {

/// Length (m), area (m²) or volume (m³, negative for a cell turned inside out) of one cell; 0 for a vertex.
[[nodiscard]] double cell_measure(const Mesh& mesh, Index cell);

/// Sum over the cells of dimension 3.
[[nodiscard]] double total_volume(const Mesh& mesh);

struct CellQuality {
  Index cell = 0;
  /// Smallest Jacobian determinant at the nodes over the product of the edge lengths there, 1 for the ideal shape, <= 0 for
  /// a cell that is folded or inside out (P. Knupp, SIAM J. Sci. Comput. 23 (2001) 193; Verdict manual, SAND2007-1751).
  double scaled_jacobian = 1;
  /// Triangles and tets: inscribed over circumscribed radius, times the dimension, so that 1 is ideal. Others: shortest
  /// over longest edge. Corners only.
  double aspect = 1;
};

/// Of every cell of one dimension (-1: the mesh's highest), in the mesh's order. Vertices and lines have quality 1.
[[nodiscard]] std::vector<CellQuality> cell_quality(const Mesh& mesh, int dimension = -1);

struct Histogram {
  double low = 0;
  double high = 1;
  std::vector<Index> counts;  ///< equal bins; values outside are in the first and last
};

struct QualityOptions {
  int dimension = -1;  ///< -1: the mesh's highest
  int bins = 20;
  int worst = 10;  ///< how many of the worst cells to list
};

struct QualityReport {
  int dimension = 0;
  Index cells = 0;
  double measure = 0;                                ///< total length, area or volume of these cells
  double edge_min = 0, edge_mean = 0, edge_max = 0;  ///< distinct edges, between corners, m
  double scaled_jacobian_min = 1, scaled_jacobian_mean = 1;
  double aspect_min = 1, aspect_mean = 1;
  Histogram scaled_jacobian;       ///< over [0, 1]
  std::vector<CellQuality> worst;  ///< lowest scaled Jacobian first
  Index degenerate_cells = 0;      ///< a repeated corner, or no length, area or volume
  Index inverted_cells = 0;        ///< scaled Jacobian below 0 somewhere
  Index duplicate_points = 0;      ///< points at exactly the place of an earlier one
  Index unused_points = 0;         ///< points of no cell
};
[[nodiscard]] QualityReport mesh_quality(const Mesh& mesh, const QualityOptions& options = {});

/// Pairs (kept, duplicate) of points no further apart than `tolerance` (0: exactly equal), each duplicate once.
[[nodiscard]] std::vector<std::array<Index, 2>> duplicate_points(const Mesh& mesh, double tolerance = 0);

/// Distinct edges between corners as sorted pairs, of the cells of one dimension (-1: highest).
[[nodiscard]] std::vector<std::array<Index, 2>> distinct_edges(const Mesh& mesh, int dimension = -1);

}  // namespace conoid
