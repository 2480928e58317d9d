// SPDX-License-Identifier: BSD-3-Clause
// Raising the order of a mesh's cells.
#pragma once

#include "engine/mesh/mesh.hpp"

#include <functional>

namespace conoid {

/// Moves a new node onto the true geometry (a sphere, say); the argument is the middle of its edge, face or cell.
using Projection = std::function<Vec3(const Vec3&)>;

/// Every cell of order 1 with nodes between its corners: triangle6, quad9, tet10, hex27, or quad8 and hex20 when
/// `serendipity`. Cells of order 2 stay as they are. Corner points keep their numbers, groups stay.
[[nodiscard]] Mesh to_order2(const Mesh& mesh, bool serendipity = false, const Projection& project = {});

}  // namespace conoid
