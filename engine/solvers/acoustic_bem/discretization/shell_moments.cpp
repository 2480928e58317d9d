// SPDX-License-Identifier: BSD-3-Clause
// Reference of the closed-form shell moments: plain, one observer at a time.
#include "engine/solvers/acoustic_bem/discretization/shell_moments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/core/vec3.hpp"

namespace conoid::acoustic_bem {

using namespace conoid::vec;

namespace {

/// The observer over the triangle's plane: height d, and per edge the signed distance p of the edge's line from x_p and
/// the positions l1, l2 of its ends along it.
struct Footprint {
  double d = 0;
  std::array<double, 3> p{}, l1{}, l2{};
};

Footprint footprint(const Triangle& t, const Vec3& x) {
  Footprint f;
  f.d = dot(t.normal, sub(x, t.corner[0]));
  if (std::abs(f.d) < 1e-11 * t.radius) f.d = 0;
  for (std::size_t e = 0; e < 3; ++e) {
    const Vec3 to = sub(t.corner[e], x);  // x − x_p is normal to û and t̂
    f.p[e] = dot(t.outward[e], to);
    f.l1[e] = dot(t.tangent[e], to);
    f.l2[e] = f.l1[e] + t.length[e];
  }
  return f;
}

double sign(double v) {
  return v > 0 ? 1 : v < 0 ? -1 : 0;
}

}  // namespace

ShellMoments cumulative_moments(const Triangle& t, const Vec3& x, double upper, bool whole) {
  const Footprint f = footprint(t, x);
  const double d = f.d, h = std::abs(d);
  ShellMoments out;
  if (!whole && upper <= h) return out;
  double F0 = 0, G1 = 0, G2 = 0, H0 = 0;
  std::array<double, 3> V{}, Z{};
  for (std::size_t e = 0; e < 3; ++e) {
    const double p = f.p[e], l1 = f.l1[e], l2 = f.l2[e], qq = p * p + d * d;
    const double LL = upper * upper - qq;
    double a = l1, b = l2;
    bool straight = true;
    if (!whole) {
      straight = LL > 0;
      if (straight) {
        a = std::max(l1, -std::sqrt(LL));
        b = std::min(l2, std::sqrt(LL));
        straight = a < b;
      }
    }
    double arc = p == 0 ? 0 : std::atan2(p * (l2 - l1), p * p + l1 * l2);
    if (straight) {
      const double Ra = std::sqrt(qq + a * a), Rb = std::sqrt(qq + b * b);
      double as = 0;
      if (qq > 1e-28 * t.radius * t.radius)
        as = a >= 0   ? std::log((b + Rb) / (a + Ra))
             : b <= 0 ? std::log((Ra - a) / (Rb - b))
                      : std::log((b + Rb) * (Ra - a) / qq);
      const double w = p == 0 ? 0 : std::atan2(p * (b - a), p * p + a * b);
      const double ta =
          p == 0 || d == 0 ? 0 : sign(p) * (std::atan2(h * b, std::abs(p) * Rb) - std::atan2(h * a, std::abs(p) * Ra));
      const double I1 = 0.5 * (b * Rb - a * Ra + qq * as);
      F0 += p * as + h * (ta - w);
      G1 += 0.5 * p * (b - a);
      G2 += (p * I1 + d * d * (p * as + h * ta) - h * h * h * w) / 3;
      H0 += sign(d) * (w - ta);
      for (std::size_t k = 0; k < 3; ++k) {
        const double gu = dot(t.gradient[k], t.outward[e]);
        V[k] += gu * (I1 - (whole ? 0 : upper * (b - a)));
        Z[k] += gu * d * (-as + (whole ? 0 : (b - a) / upper));
      }
      arc -= w;
    }
    if (whole) continue;
    F0 += arc * (upper - h);
    G1 += arc * 0.5 * (upper * upper - d * d);
    G2 += arc * (upper * upper * upper - h * h * h) / 3;
    H0 += arc * sign(d) * (1 - h / upper);
  }
  for (std::size_t b = 0; b < 3; ++b) {
    const double lambda = 1.0 / 3 + dot(t.gradient[b], sub(x, t.centroid));
    out.s[b] = lambda * F0 + V[b];
    out.k[b] = lambda * H0 + Z[b];
  }
  out.q1 = G1;
  out.q2 = G2;
  return out;
}

ShellRange shell_range(const Triangle& t, const Vec3& x, double delta) {
  const Footprint f = footprint(t, x);
  const double dd = f.d * f.d;
  double nearest = std::numeric_limits<double>::max(), farthest = 0;
  bool inside = true;
  for (std::size_t e = 0; e < 3; ++e) {
    const double l = f.l1[e] > 0 ? f.l1[e] : f.l2[e] < 0 ? f.l2[e] : 0;
    nearest = std::min(nearest, f.p[e] * f.p[e] + l * l);
    farthest = std::max(farthest, f.p[e] * f.p[e] + f.l1[e] * f.l1[e]);
    inside = inside && f.p[e] >= 0;
  }
  if (inside) nearest = 0;
  return {static_cast<Index>(std::floor(std::sqrt(dd + nearest) / delta)),
          static_cast<Index>(std::floor(std::sqrt(dd + farthest) / delta))};
}

ShellMoments shell_moments(const Triangle& t, const Vec3& x, double delta, Index m) {
  const ShellRange range = shell_range(t, x, delta);
  if (m < range.first || m > range.last) return {};
  ShellMoments out = cumulative_moments(t, x, static_cast<double>(m + 1) * delta, m == range.last);
  if (m > range.first) {
    const ShellMoments below = cumulative_moments(t, x, static_cast<double>(m) * delta, false);
    for (std::size_t b = 0; b < 3; ++b) out.s[b] -= below.s[b], out.k[b] -= below.k[b];
    out.q1 -= below.q1;
    out.q2 -= below.q2;
  }
  return out;
}

}  // namespace conoid::acoustic_bem
