// SPDX-License-Identifier: BSD-3-Clause
// Sorts points by their key on a curve through a cube of 2^20 cells an axis.
#include "engine/solvers/acoustic_bem/numbering.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace conoid::acoustic_bem {
namespace {

constexpr int bits = 20;
using Cell = std::array<std::uint32_t, 3>;

std::uint64_t interleave(const Cell& c) {
  std::uint64_t key = 0;
  for (int b = bits - 1; b >= 0; --b)
    for (std::size_t d = 0; d < 3; ++d) key = key << 1 | (c[d] >> b & 1U);
  return key;
}

/// Coordinates → transposed Hilbert index (J. Skilling, Programming the Hilbert curve, AIP Conf. Proc. 707, 2004):
/// undo the excess rotations from the top bit down, then Gray-encode.
Cell hilbert_transpose(Cell x) {
  constexpr std::uint32_t top = 1U << (bits - 1);
  for (std::uint32_t q = top; q > 1; q >>= 1) {
    const std::uint32_t below = q - 1;
    for (std::size_t d = 0; d < 3; ++d) {
      if (x[d] & q) {
        x[0] ^= below;
      } else {
        const std::uint32_t swap = (x[0] ^ x[d]) & below;
        x[0] ^= swap;
        x[d] ^= swap;
      }
    }
  }
  x[1] ^= x[0];
  x[2] ^= x[1];
  std::uint32_t flip = 0;
  for (std::uint32_t q = top; q > 1; q >>= 1)
    if (x[2] & q) flip ^= q - 1;
  for (auto& c : x) c ^= flip;
  return x;
}

}  // namespace

std::vector<Index> numbering(const std::vector<Vec3>& points, Ordering ordering) {
  std::vector<Index> order(points.size());
  std::iota(order.begin(), order.end(), Index{0});
  if (ordering == Ordering::given || points.empty()) return order;
  Vec3 low = points[0], high = points[0];
  for (const Vec3& p : points)
    for (std::size_t d = 0; d < 3; ++d) low[d] = std::min(low[d], p[d]), high[d] = std::max(high[d], p[d]);
  const double extent = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2], 1e-300});
  std::vector<std::uint64_t> key(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    Cell c{};
    for (std::size_t d = 0; d < 3; ++d)
      c[d] = static_cast<std::uint32_t>((points[i][d] - low[d]) / extent * ((1U << bits) - 1));
    key[i] = interleave(ordering == Ordering::morton ? c : hilbert_transpose(c));
  }
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return key[static_cast<std::size_t>(a)] < key[static_cast<std::size_t>(b)];
  });
  return order;
}

}  // namespace conoid::acoustic_bem
