// SPDX-License-Identifier: BSD-3-Clause
// How strongly a surface of flat facets stands for a curved one, so that elements made anew follow it.
#pragma once

#include "engine/mesh/mesh.hpp"

#include <array>
#include <vector>

namespace conoid {

/// The larger principal curvature, 1/m, at the corners of each cell of `faces` (0 of what is no triangle): the mean over the facets around a
/// corner of the bends at their common edges (D. Cohen-Steiner, J.-M. Morvan, Restricted Delaunay triangulations and normal cycle, Proc.
/// SoCG 2003, 312, the edges' part of the tensor). Exact for strips along a cylinder, within some per cent for even facets of a sphere. Edges at
/// which faces turn by more than `sharp` degrees are edges of the body and count for neither side; so do those of three cells or of one.
/// Any thread may call.
[[nodiscard]] std::vector<std::array<double, 3>> corner_curvatures(const Mesh& faces, double sharp);

}  // namespace conoid
