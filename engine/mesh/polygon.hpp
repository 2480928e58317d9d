// SPDX-License-Identifier: BSD-3-Clause
// Polygons cut into triangles: faces of surface files, cells of results, rims of holes.
#pragma once

#include "engine/core/types.hpp"

#include <array>
#include <span>
#include <vector>

namespace conoid {

/// True where no corner turns back against the polygon's mean normal (Newell's: the sum of the cross products of its sides), to
/// round-off. Fewer than four corners are convex.
[[nodiscard]] bool is_convex(std::span<const Vec3> corners);

/// Triangles of local corner numbers that fill a polygon and run as it runs: a fan about the first corner of a convex one, ears
/// (G. H. Meisters, Amer. Math. Monthly 82 (1975) 648) of another, seen along its mean normal. A polygon that crosses itself in that view
/// is filled as well as ears go and then by a fan; so is what is left after `most` comparisons. n − 2 triangles.
[[nodiscard]] std::vector<std::array<Index, 3>> triangulate(std::span<const Vec3> corners, Index most = 20'000'000);

}  // namespace conoid
