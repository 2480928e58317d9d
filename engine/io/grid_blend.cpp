// SPDX-License-Identifier: BSD-3-Clause
// Trilinear weights.
#include "engine/io/grid_blend.hpp"

#include <algorithm>
#include <cmath>

namespace conoid {

std::array<Index, 3> grid_entries(const ImageGeometry& grid, Association association) {
  std::array<Index, 3> n = grid.points;
  if (association == Association::cell)
    for (Index& k : n) k = std::max<Index>(k - 1, 1);
  return n;
}

GridBlend blend_at(const ImageGeometry& grid, Association association, const Vec3& point) {
  GridBlend out;
  const auto n = grid_entries(grid, association);
  const bool cells = association == Association::cell;
  std::array<Index, 3> low{};
  std::array<double, 3> part{};
  double off = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    if (!std::isfinite(point[k])) return out;
    if (grid.points[k] <= 1) {
      off += (point[k] - grid.origin[k]) * (point[k] - grid.origin[k]);
      continue;
    }
    const double last = static_cast<double>(grid.points[k] - 1);
    double f = (point[k] - grid.origin[k]) / grid.spacing[k];
    if (!(f >= -1e-9 * last && f <= last * (1 + 1e-9))) return out;
    f = std::clamp(f, 0.0, last);
    if (cells) {
      low[k] = std::min(static_cast<Index>(f), n[k] - 1);
    } else {
      low[k] = std::clamp<Index>(static_cast<Index>(f), 0, std::max<Index>(n[k] - 2, 0));
      part[k] = f - static_cast<double>(low[k]);
    }
  }
  out.distance = std::sqrt(off);
  for (unsigned corner = 0; corner < 8; ++corner) {
    double weight = 1;
    Index index = 0;
    Index stride = 1;
    for (std::size_t k = 0; k < 3; ++k) {
      const bool up = ((corner >> k) & 1U) != 0;
      weight *= up ? part[k] : 1 - part[k];
      index += stride * (low[k] + (up && part[k] > 0 ? 1 : 0));
      stride *= n[k];
    }
    if (!(weight > 0)) continue;
    out.entries[static_cast<std::size_t>(out.count)] = index;
    out.weights[static_cast<std::size_t>(out.count++)] = weight;
  }
  return out;
}

}  // namespace conoid
