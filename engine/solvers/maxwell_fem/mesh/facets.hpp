// SPDX-License-Identifier: BSD-3-Clause
// How far a smooth surface lies off the flat facets that stand for it, as their bends tell.
//
// A facet is what lies in one plane, of however many cells. Where the bends at several sides of a facet are shallow, turn the same
// way, and a neighbour bends likewise, it stands for a piece of a curved surface through its corners: a bend of θ at a side means
// a curvature κ = θ/(d_1 + d_2) across it, d the distances of the side from the middles of the two facets, and a sagitta of
// ½ κ u², u from the middle to the farthest corner that way: ρ²/2R for triangles on a sphere and w²/8R for strips on a cylinder, of
// the circumradius ρ and the width w. Quadrilaterals bend both ways at once: twice that.
#pragma once

#include "engine/mesh/mesh.hpp"

#include <span>

namespace conoid::maxwell_fem {

struct Facets {
  Index count = 0;     ///< facets that stand for a curved surface
  double largest = 0;  ///< their largest sagitta, m
  Vec3 where{};        ///< the middle of that facet
  double bend = 0;     ///< the largest bend at it, radians
  double mean = 0;     ///< distance of the curved surface from the facets, mean over all the given cells by area, m
};

/// Of the surface cells given. Cells of order 2 are curved and no facets. Bends sharper than 40 degrees are edges of the body, and
/// so are all where fewer than ten facets look curved. Side by side with curved ones, large flat faces stay flat: a neighbour must
/// be a third as wide at least. From any thread.
[[nodiscard]] Facets measure_facets(const Mesh& mesh, std::span<const Index> cells);

}  // namespace conoid::maxwell_fem
