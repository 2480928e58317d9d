// SPDX-License-Identifier: BSD-3-Clause
// Orderings along space-filling curves: neighbours in space become neighbours in memory, and any contiguous part of the row
// is a compact part of the body.
//
// 21 bits an axis (2 097 152 boxes along the longest side of the bounding box), 63 bits a key. An order is a vector
// that says for each new position which old item stands there.
#pragma once

#include "engine/mesh/mesh.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace conoid {

enum class Curve : std::uint8_t { morton, hilbert };

/// Bits of x, y, z (below 2^21) interleaved, x lowest (G. M. Morton, IBM Ltd, Ottawa, 1966).
[[nodiscard]] std::uint64_t morton_key(std::uint32_t x, std::uint32_t y, std::uint32_t z);

/// Position on the 3-D Hilbert curve (J. Skilling, "Programming the Hilbert curve", AIP Conf. Proc. 707 (2004) 381).
[[nodiscard]] std::uint64_t hilbert_key(std::uint32_t x, std::uint32_t y, std::uint32_t z);

/// Keys of points given as x y z …, by their place in their bounding cube.
[[nodiscard]] std::vector<std::uint64_t> curve_keys(std::span<const double> points, Curve curve);
/// The order of these points along the curve; equal keys keep their order.
[[nodiscard]] std::vector<Index> curve_order(std::span<const double> points, Curve curve);

/// Mean of the corners of each cell, x y z ….
[[nodiscard]] std::vector<double> cell_centres(const Mesh& mesh);

/// The inverse permutation: new position of each old item.
[[nodiscard]] std::vector<Index> inverse(std::span<const Index> order);

}  // namespace conoid
