// SPDX-License-Identifier: BSD-3-Clause
// Numbering of the unknowns along a space-filling curve (Morton 1966, Hilbert 1891).
#pragma once

#include <vector>

#include "engine/core/types.hpp"
#include "engine/solvers/acoustic_bem/surface.hpp"

namespace conoid::acoustic_bem {

/// A permutation: entry k is the point that becomes number k.
[[nodiscard]] std::vector<Index> numbering(const std::vector<Vec3>& points, Ordering ordering);

}  // namespace conoid::acoustic_bem
