// SPDX-License-Identifier: BSD-3-Clause
// How well flat faces can stand for a curved surface: what volume they lose, and where they blunt or sharpen tips.
#pragma once

#include "engine/solvers/acoustic_bem/discretization/surface.hpp"

namespace conoid::acoustic_bem {

/// Estimated from the faces alone, as if the vertices lay on the true surface; edges at which faces turn by more than 50
/// degrees count as true edges of the body.
struct Facets {
  /// Volume between the faces and the curved surface over the enclosed one; 0 without closed bodies. Gaps under
  /// faces are those of curved_faces.hpp, for triangles of any shape: exact to second order.
  double lost_volume = 0;
  /// Largest missing angle (2π less the angles of the faces) at a vertex that is on no true edge, radians: 4π/N on a sphere
  /// of N vertices; near 2π at the end of a needle.
  double missing_angle = 0;
  Vec3 tip{};  ///< where that is
};
[[nodiscard]] Facets facets_of(const Surface& surface);

}  // namespace conoid::acoustic_bem
