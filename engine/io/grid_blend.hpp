// SPDX-License-Identifier: BSD-3-Clause
// Values of a grid between its points: which entries count, and how much.
#pragma once

#include <array>

#include "engine/core/types.hpp"
#include "engine/io/frame.hpp"

namespace conoid {

/// Σ weight · value of entry: trilinear between points, the cell's own value of cell fields.
struct GridBlend {
  int count = 0;  ///< 0: outside
  std::array<Index, 8> entries{};
  std::array<double, 8> weights{};
  double distance = 0;  ///< metres off the plane or line of a grid with a single point along an axis; 0 of a solid one
};

/// Points up to 1e-9 of the extent outside count as inside. Any thread may call.
[[nodiscard]] GridBlend blend_at(const ImageGeometry& grid, Association association, const Vec3& point);

/// Entries along each axis: points, or cells (1 along an axis with one point).
[[nodiscard]] std::array<Index, 3> grid_entries(const ImageGeometry& grid, Association association);

}  // namespace conoid
