// SPDX-License-Identifier: BSD-3-Clause
// Where a point lies: outside all closed bodies, inside one, on a body's surface or on a screen.
//
// Inside is told by the solid angle of a body's faces, 4π inside and 0 outside (A. van Oosterom, J. Strackee, IEEE Trans.
// Biomed. Eng. 30 (1983) 125), in the closed form that the moments have (shell_moments.hpp).
#pragma once

#include <vector>

#include "engine/solvers/acoustic_bem/discretization/surface.hpp"

namespace conoid::acoustic_bem {

enum class Side : char {
  outside,
  inside,   ///< of a closed body
  on_body,  ///< on its surface, or as little inside as flat faces miss a curved surface (a tenth of a triangle's radius)
  on_screen  ///< where the pressures of the two sides differ
};

struct Place {
  Side side = Side::outside;
  double distance = 0;   ///< from the surface, m
  Vec3 nearest{};        ///< on the surface
  Vec3 normal{};         ///< unit: mean of the normals of the triangles there
  double radius = 0;     ///< of a triangle there
  std::size_t body = 0;  ///< number of the body, for inside and on_body
  /// A point beside the surface, `triangles` radii off on the side to which the normals point.
  [[nodiscard]] Vec3 beside(double triangles) const;
};

class PlaceFinder {
 public:
  /// `solid`: closed pieces are bodies; else they are thin shells, with sound on both sides. The surface must outlive this.
  PlaceFinder(const Surface& surface, bool solid);
  /// Costs a pass over all triangles.
  [[nodiscard]] Place of(const Vec3& x) const;
  /// The body that a point lies in, −1: none; of a room, its walls and what is beyond. Costs a pass over the triangles of the bodies in whose boxes the point lies.
  [[nodiscard]] Index body_around(const Vec3& x) const;

 private:
  struct Box {
    Vec3 low{}, high{};
  };
  const Surface& surface_;
  bool solid_;
  Index room_ = -1;                    ///< the body with the fluid inside; a point outside it counts as in its walls
  std::vector<Box> boxes_;             ///< of each body
  std::vector<std::int32_t> body_of_;  ///< of each triangle; −1: a screen's
};

}  // namespace conoid::acoustic_bem
