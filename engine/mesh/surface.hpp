// SPDX-License-Identifier: BSD-3-Clause
// Areas, centroids and normals of surface cells, as boundary element methods need them.
#pragma once

#include "engine/mesh/mesh.hpp"

#include <span>
#include <vector>

namespace conoid {

/// Geometry of each surface cell of a mesh, cell by cell in the mesh's order. Straight triangles are exact; quads and
/// cells of order 2 are integrated over their map (Gauss points 4x4, 16 on triangles: exact for flat cells, about eight digits on
/// gently curved ones). `normal` is the mean normal, ∫n dS normalised: counter-clockwise nodes are seen from its tip.
struct SurfaceGeometry {
  std::vector<Index> cells;       ///< numbers in the mesh of the rows below
  std::vector<double> areas;      ///< m²
  std::vector<Vec3> centroids;    ///< m
  std::vector<Vec3> normals;      ///< unit; zero for a degenerate cell
  std::vector<double> diameters;  ///< largest distance of two corners, m
};
[[nodiscard]] SurfaceGeometry surface_geometry(const Mesh& mesh);
[[nodiscard]] SurfaceGeometry surface_geometry(const Mesh& mesh, std::span<const Index> cells);

/// Area of one surface cell in m² (quads and order 2 by integration), centroid, and ∫ n dS.
struct CellSurface {
  double area = 0;
  Vec3 centroid{};
  Vec3 area_vector{};
};
[[nodiscard]] CellSurface cell_surface(const Mesh& mesh, Index cell);

/// Volume that the surface cells enclose, (1/3) ∮ x·n dS: positive when normals point outwards. Meaningful for closed,
/// consistently oriented surfaces only. Relative to the mesh's middle, so that far-away bodies lose no digits.
[[nodiscard]] double enclosed_volume(const Mesh& mesh);
[[nodiscard]] double enclosed_volume(const Mesh& mesh, std::span<const Index> cells);

/// Sum of the areas of all surface cells.
[[nodiscard]] double total_area(const Mesh& mesh);

}  // namespace conoid
