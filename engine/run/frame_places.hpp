// SPDX-License-Identifier: BSD-3-Clause
// Where the entries of a field lie, and whether two parts are the same places.
#pragma once

#include <vector>

#include "engine/io/frame.hpp"

namespace conoid {

/// The same grid; the same cells with nodes that are apart by less than 2 % of the extent (marches of moving meshes).
[[nodiscard]] bool same_geometry(const Geometry& a, const Geometry& b);
/// Places of the entries of a field: points, or the middles of cells (mean of their points); metres.
[[nodiscard]] std::vector<Vec3> places_of(const FramePart& part, Association association);

}  // namespace conoid
