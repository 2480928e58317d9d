// SPDX-License-Identifier: BSD-3-Clause
// Keys on the curves, and renumbering.
#include "engine/mesh/ordering.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace conoid {
namespace {

constexpr int bits = 21;

/// Two zeros between the 21 bits of x.
std::uint64_t spread(std::uint64_t x) {
  x &= 0x1fffff;
  x = (x | x << 32) & 0x1f00000000ffffull;
  x = (x | x << 16) & 0x1f0000ff0000ffull;
  x = (x | x << 8) & 0x100f00f00f00f00full;
  x = (x | x << 4) & 0x10c30c30c30c30c3ull;
  x = (x | x << 2) & 0x1249249249249249ull;
  return x;
}
}  // namespace

std::uint64_t morton_key(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  return spread(x) | spread(y) << 1 | spread(z) << 2;
}

// Skilling's transposed form: the key's bits lie across the three words, highest first.
std::uint64_t hilbert_key(std::uint32_t x0, std::uint32_t y0, std::uint32_t z0) {
  std::array<std::uint32_t, 3> x{x0, y0, z0};
  constexpr std::uint32_t top = 1u << (bits - 1);
  for (std::uint32_t q = top; q > 1; q >>= 1) {
    const std::uint32_t p = q - 1;
    for (std::uint32_t& xi : x) {
      if ((xi & q) != 0) {
        x[0] ^= p;
      } else {
        const std::uint32_t t = (x[0] ^ xi) & p;
        x[0] ^= t;
        xi ^= t;
      }
    }
  }
  x[1] ^= x[0];
  x[2] ^= x[1];
  std::uint32_t t = 0;
  for (std::uint32_t q = top; q > 1; q >>= 1)
    if ((x[2] & q) != 0) t ^= q - 1;
  for (std::uint32_t& xi : x) xi ^= t;
  return morton_key(x[2], x[1], x[0]);
}

std::vector<std::uint64_t> curve_keys(std::span<const double> points, Curve curve) {
  std::vector<std::uint64_t> keys;
  if (points.size() < 3) return keys;
  keys.reserve(points.size() / 3);
  Vec3 low{points[0], points[1], points[2]};
  Vec3 high = low;
  for (std::size_t i = 0; i + 2 < points.size(); i += 3)
    for (std::size_t a = 0; a < 3; ++a) {
      low[a] = std::min(low[a], points[i + a]);
      high[a] = std::max(high[a], points[i + a]);
    }
  const double side = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
  constexpr double last = (1 << bits) - 1;
  for (std::size_t i = 0; i + 2 < points.size(); i += 3) {
    std::array<std::uint32_t, 3> k{};
    for (std::size_t a = 0; a < 3; ++a) {
      // Dividing first keeps the product finite when the box is as wide as doubles go.
      const double t = side > 0 ? (points[i + a] - low[a]) / side : 0;
      k[a] = static_cast<std::uint32_t>(std::clamp(std::floor(t * (last + 1)), 0.0, last));
    }
    keys.push_back(curve == Curve::morton ? morton_key(k[0], k[1], k[2]) : hilbert_key(k[0], k[1], k[2]));
  }
  return keys;
}

std::vector<Index> curve_order(std::span<const double> points, Curve curve) {
  const auto keys = curve_keys(points, curve);
  std::vector<std::pair<std::uint64_t, Index>> sorted;
  sorted.reserve(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) sorted.emplace_back(keys[i], static_cast<Index>(i));
  std::sort(sorted.begin(), sorted.end());
  std::vector<Index> order;
  order.reserve(sorted.size());
  for (const auto& s : sorted) order.push_back(s.second);
  return order;
}

std::vector<double> cell_centres(const Mesh& mesh) {
  std::vector<double> out;
  out.reserve(static_cast<std::size_t>(3 * mesh.cell_count()));
  for (Index c = 0; c < mesh.cell_count(); ++c) {
    const auto corners = mesh.nodes(c).first(static_cast<std::size_t>(corners_of(mesh.shape(c))));
    Vec3 sum{};
    for (const Index n : corners)
      for (std::size_t a = 0; a < 3; ++a) sum[a] += mesh.point(n)[a] / static_cast<double>(corners.size());
    out.insert(out.end(), sum.begin(), sum.end());
  }
  return out;
}

std::vector<Index> inverse(std::span<const Index> order) {
  std::vector<Index> out(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) out[static_cast<std::size_t>(order[i])] = static_cast<Index>(i);
  return out;
}

}  // namespace conoid
