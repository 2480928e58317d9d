// SPDX-License-Identifier: BSD-3-Clause
// Ear clipping on the plane that a polygon spans at best.
#include "engine/mesh/polygon.hpp"

#include "engine/core/vec3.hpp"

#include <cmath>

namespace conoid {
namespace {

using Plane = std::array<double, 2>;

/// Twice the area vector, about the first corner, which keeps the digits of a small polygon far away.
Vec3 newell(std::span<const Vec3> p) {
  Vec3 sum{};
  for (std::size_t i = 1; i + 1 < p.size(); ++i)
    sum = vec::add(sum, vec::cross(vec::sub(p[i], p[0]), vec::sub(p[i + 1], p[0])));
  return sum;
}

double turn(const Plane& a, const Plane& b, const Plane& c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/// The corners in a plane across the mean normal, counter-clockwise; empty for a polygon without area.
std::vector<Plane> flattened(std::span<const Vec3> p) {
  const Vec3 normal = newell(p);
  std::size_t drop = 0;
  for (std::size_t a = 1; a < 3; ++a)
    if (std::abs(normal[a]) > std::abs(normal[drop])) drop = a;
  if (!(std::abs(normal[drop]) > 0)) return {};
  const std::size_t u = (drop + 1) % 3, v = (drop + 2) % 3;
  const double sign = normal[drop] > 0 ? 1 : -1;
  std::vector<Plane> out;
  out.reserve(p.size());
  for (const Vec3& x : p) out.push_back({x[u] - p[0][u], sign * (x[v] - p[0][v])});
  return out;
}

bool holds(const Plane& a, const Plane& b, const Plane& c, const Plane& x) {
  if (x == a || x == b || x == c) return false;  // a corner that occurs twice does not spoil the ear at itself
  return turn(a, b, x) >= 0 && turn(b, c, x) >= 0 && turn(c, a, x) >= 0;
}

}  // namespace

bool is_convex(std::span<const Vec3> corners) {
  const std::size_t n = corners.size();
  if (n < 4) return true;
  const auto p = flattened(corners);
  if (p.empty()) return true;
  double longest = 0;
  for (std::size_t i = 0; i < n; ++i)
    longest = std::max(longest, std::hypot(p[(i + 1) % n][0] - p[i][0], p[(i + 1) % n][1] - p[i][1]));
  for (std::size_t i = 0; i < n; ++i)
    if (turn(p[i], p[(i + 1) % n], p[(i + 2) % n]) < -1e-9 * longest * longest) return false;
  return true;
}

std::vector<std::array<Index, 3>> triangulate(std::span<const Vec3> corners, Index most) {
  std::vector<std::array<Index, 3>> out;
  const std::size_t n = corners.size();
  if (n < 3) return out;
  out.reserve(n - 2);
  std::vector<Index> left(n);
  for (std::size_t i = 0; i < n; ++i) left[i] = static_cast<Index>(i);
  const std::vector<Plane> p = is_convex(corners) ? std::vector<Plane>{} : flattened(corners);
  const auto at = [&](std::size_t k) -> const Plane& { return p[static_cast<std::size_t>(left[k % left.size()])]; };
  std::size_t from = 0;
  while (!p.empty() && left.size() > 3 && most > 0) {
    const std::size_t m = left.size();
    bool cut = false;
    for (std::size_t s = 0; s < m && !cut && most > 0; ++s) {
      const std::size_t i = (from + s) % m;
      const Plane &a = at(i), &b = at(i + 1), &c = at(i + 2);
      if (!(turn(a, b, c) > 0)) continue;
      bool ear = true;
      for (std::size_t k = i + 3; k < i + m && ear; ++k, --most) ear = !holds(a, b, c, at(k));
      if (!ear) continue;
      out.push_back({left[i], left[(i + 1) % m], left[(i + 2) % m]});
      left.erase(left.begin() + static_cast<std::ptrdiff_t>((i + 1) % m));
      from = i;
      cut = true;
    }
    if (!cut) break;
  }
  for (std::size_t i = 1; i + 1 < left.size(); ++i) out.push_back({left[0], left[i], left[i + 1]});
  return out;
}

}  // namespace conoid
