// SPDX-License-Identifier: BSD-3-Clause
// The surface of a body: how large it is, finer triangles on its quadratic geometry, elements that follow that geometry.
#pragma once

#include "engine/core/error.hpp"
#include "engine/mesh/mesh.hpp"

namespace conoid::maxwell_fem {

struct BodyMeasure {
  double size = 0;   ///< half the longest side of the box around the largest piece, m
  double area = 0;   ///< m², triangles by their corners
  double cells = 0;  ///< triangles; a quadrilateral counts as two
  double edge = 0;   ///< longest between corners, m
};
[[nodiscard]] BodyMeasure measure_body(const Mesh& surface);

/// Triangles of order 1 or 2 with each edge cut into `parts`, so that one becomes parts²; new points lie on the parent's quadratic
/// surface. Groups are carried over. Errors (invalid_input): other cells than triangles.
[[nodiscard]] Result<Mesh> subdivided(const Mesh& surface, int parts);

/// The mesh with elements of order 2: middles of edges of the group "body" are those of the same edges of `body` (found by the
/// places of their corners), all other edges stay straight. Where an element would be squeezed (a determinant below a tenth of
/// its straight one) the nodes between "body" and the groups "currents" and "outer" make room, and where that does not help the
/// middles go back as far as is needed. A body of order 1 gives the mesh as it is.
[[nodiscard]] Mesh curved_onto(const Mesh& mesh, const Mesh& body);

/// Tetrahedra of order 2 of which a determinant falls below a tenth of the straight one: their middles go back towards the
/// straight edges as far as is needed. Returns how many middles were moved.
Index straighten_folded(Mesh& mesh);
/// The same in the log, where there were any: so many bits of curvature the body has lost.
void say_what_was_straightened(Index middles);

}  // namespace conoid::maxwell_fem
