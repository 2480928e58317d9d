// SPDX-License-Identifier: BSD-3-Clause
// Flat faces that stand for a curved surface as well as flat ones can.
#pragma once

#include <optional>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/mesh/mesh.hpp"
#include "engine/solvers/acoustic_bem/discretization/surface.hpp"

namespace conoid::acoustic_bem {

/// Mean gap of each face of a surface: how far the curved surface through its corners lies beyond it, along its normal, m. As below; 0 in layers
/// at rims.
[[nodiscard]] std::vector<double> gaps_of(const Surface& surface);

/// A mesh whose corners lie on a curved surface, with the corners moved so that its faces lie as far outside as inside that surface: what
/// flat faces lose of a body's volume comes back to second order, and with it most of their error in echoes of slender and of small bodies.
///
/// Under a triangle through three points of a surface the mean gap is Σ κ_e L_e²/24 over its edges (the error of linear interpolation of a
/// quadratic function), κ_e L_e by the turn of the normals from corner to corner. Normals at corners are weighted as N. Max (J. Graphics
/// Tools 4 (1999) 1) does, over faces within 50 degrees of the triangle: others are beyond a true edge. A corner moves by what its faces ask
/// for along their normals there; at true edges by what both sides ask for. Corners at rims, and where three sheets meet, stay;
/// in a ground they move along it, as those of a body that its image completes.
/// Lengths in metres. Error: that of make_surface().
struct CurvedMesh {
  Mesh mesh;
  double farthest = 0;  ///< that a corner was moved, m
};
[[nodiscard]] Result<CurvedMesh> with_curved_faces(const Mesh& mesh, const std::optional<Ground>& ground = {});

}  // namespace conoid::acoustic_bem
