// SPDX-License-Identifier: BSD-3-Clause
// Weights of points between nodes.
#include "engine/solvers/acoustic_fd/points.hpp"

#include <cmath>
#include <map>
#include <numbers>

namespace conoid::acoustic_fd {

double windowed_sinc(double x, double radius, double b) {
  if (std::abs(x) >= radius) return 0;
  if (x == 0) return 1;
  const double window =
      std::cyl_bessel_i(0.0, b * std::sqrt(1 - x * x / (radius * radius))) / std::cyl_bessel_i(0.0, b);
  return window * std::sin(std::numbers::pi * x) / (std::numbers::pi * x);
}

namespace {

std::map<Index, double> axis_weights(double place, Index points, Spread spread, int lower_sign, int upper_sign,
                                     PointUse use) {
  // Positions typed in decimal rarely hit a node to the last bit.
  if (std::abs(place - std::round(place)) < 1e-9 * std::max(1.0, std::abs(place))) place = std::round(place);
  const auto base = static_cast<Index>(std::floor(place));
  const double f = place - static_cast<double>(base);
  std::map<Index, double> raw;
  if (f == 0) {
    raw[base] = 1;
  } else if (spread == Spread::trilinear) {
    raw[base] = 1 - f;
    raw[base + 1] = f;
  } else {
    for (Index i = base - 3; i <= base + 4; ++i) raw[i] = windowed_sinc(static_cast<double>(i) - place, 4, 6.31);
  }
  std::map<Index, double> out;
  const Index last = points - 1;
  const auto add = [&](Index i, double w) {
    if (i >= 0 && i <= last) out[i] += w;
  };
  for (const auto& [i, w] : raw) {
    if (use == PointUse::source) {
      add(i, w);
      if (lower_sign != 0) add(-i, lower_sign * w);
      if (upper_sign != 0) add(2 * last - i, upper_sign * w);
    } else if (i < 0) {
      add(-i, lower_sign * w);
    } else if (i > last) {
      add(2 * last - i, upper_sign * w);
    } else {
      add(i, w);
    }
  }
  return out;
}

}  // namespace

std::vector<NodeWeight> point_weights(const Grid& grid, const std::array<Face, 6>& faces, const Vec3& position,
                                      Spread spread, PointUse use) {
  std::array<std::map<Index, double>, 3> axis;
  for (std::size_t a = 0; a < 3; ++a)
    axis[a] = axis_weights((position[a] - grid.origin[a]) / grid.spacing[a], grid.points[a], spread,
                           faces[2 * a].image_sign(), faces[2 * a + 1].image_sign(), use);
  std::vector<NodeWeight> out;
  for (const auto& [x, wx] : axis[0])
    for (const auto& [y, wy] : axis[1])
      for (const auto& [z, wz] : axis[2])
        if (const double w = wx * wy * wz; w != 0) out.push_back({x, y, z, w});
  return out;
}

}  // namespace conoid::acoustic_fd
