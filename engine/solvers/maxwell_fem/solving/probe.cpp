// SPDX-License-Identifier: BSD-3-Clause
// Points among elements.
#include "engine/solvers/maxwell_fem/solving/probe.hpp"

#include "engine/core/vec3.hpp"
#include "engine/mesh/topology.hpp"
#include "engine/solvers/maxwell_fem/discretization/pi.hpp"
#include "engine/solvers/maxwell_fem/solving/far_field.hpp"

#include <algorithm>
#include <cmath>

namespace conoid::maxwell_fem {

using namespace conoid::vec;

double outside_by(const Vec3& reference) {
  return -std::min({reference[0], reference[1], reference[2], 1 - reference[0] - reference[1] - reference[2]});
}

Vec3 reference_of(const Space& space, Index tet, const Vec3& x, const Vec3& from) {
  constexpr double settled = 1e-13;
  Vec3 at = from;
  const int steps = space.tets()[tet].curved ? 12 : 1;
  for (int s = 0; s < steps; ++s) {
    const Map map = space.map(tet, at);
    const Vec3 away = sub(x, map.x);
    const Vec3 step = scale(1 / map.determinant,
                            {triple(away, map.columns[1], map.columns[2]), triple(map.columns[0], away, map.columns[2]),
                             triple(map.columns[0], map.columns[1], away)});
    at = add(at, step);
    for (double& c : at) c = std::clamp(c, -1.0, 2.0);  // far outside of the element its map may fold
    if (norm(step) < settled) break;
  }
  return at;
}

Spot spot_of(const Space& space, const Vec3& x) {
  const Mesh& mesh = space.mesh();
  Spot best;
  double least = 1e-3;  // farther outside of all elements a point is in none
  for (Index t = 0; t < static_cast<Index>(space.tets().size()); ++t) {
    Vec3 low = mesh.point(space.tets()[t].points[0]), high = low;
    for (const Index p : space.tets()[t].points)
      for (int d = 0; d < 3 && p >= 0; ++d) {
        low[d] = std::min(low[d], mesh.point(p)[d]);
        high[d] = std::max(high[d], mesh.point(p)[d]);
      }
    const double slack = 0.25 * distance(low, high);
    bool misses = false;
    for (int d = 0; d < 3; ++d) misses = misses || x[d] < low[d] - slack || x[d] > high[d] + slack;
    if (misses) continue;
    const Vec3 at = reference_of(space, t, x);
    if (distance(space.map(t, at).x, x) > 1e-6 * distance(low, high)) continue;
    if (const double by = outside_by(at); by < least) {
      least = by;
      best = {t, at};
    }
    if (least <= 0) break;
  }
  return best;
}

bool winds_around(const Space& space, const Patch& patch, const Vec3& x) {
  double angle = 0;
  for (Index f = 0; f < patch.faces(); ++f) {
    const auto c = patch.corners(space, f);
    Vec3 a = sub(space.mesh().point(c[0]), x), b = sub(space.mesh().point(c[1]), x),
         e = sub(space.mesh().point(c[2]), x);
    if (dot(cross(sub(b, a), sub(e, a)), patch.point(f * face_points).normal) < 0) std::swap(b, e);
    angle += solid_angle(a, b, e);
  }
  return std::abs(angle) > 2 * pi;
}

FieldAtPoint field_at(const Space& space, const Spot& at, std::span<const Complex> u) {
  const BasisValues basis = nedelec(space.order(), at.reference);
  const Map map = space.map(at.tet, at.reference);
  const auto all = space.unknowns_of_tet(at.tet);
  std::array<Vec3, 4> parts{};  // value and curl, real and imaginary
  for (int a = 0; a < space.unknowns_a_tet(); ++a) {
    const Complex c = u[all[a]];
    parts[0] = axpy(c.real(), basis.value[a], parts[0]);
    parts[1] = axpy(c.imag(), basis.value[a], parts[1]);
    parts[2] = axpy(c.real(), basis.curl[a], parts[2]);
    parts[3] = axpy(c.imag(), basis.curl[a], parts[3]);
  }
  const Vec3 re = map.covariant(parts[0]), im = map.covariant(parts[1]), curl_re = map.curl(parts[2]),
             curl_im = map.curl(parts[3]);
  FieldAtPoint out;
  for (int d = 0; d < 3; ++d) {
    out.electric[d] = {re[d], im[d]};
    out.curl[d] = {curl_re[d], curl_im[d]};
  }
  return out;
}

FieldAtPoint scattered_at(const Domain& domain, double k, const Vec3& x, std::span<const Complex> u,
                          std::span<const Complex> f, int threads) {
  if (const Spot at = spot_of(domain.space, x); at.tet >= 0) return field_at(domain.space, at, u);
  FieldAtPoint out;
  if (winds_around(domain.space, domain.outer, x)) return out;
  const auto electric = near_field(domain, k, f, std::span(&x, 1), threads),
             curl = near_field(domain, k, f, std::span(&x, 1), threads, {}, NearQuantity::curl);
  std::copy_n(electric.begin(), 3, out.electric.begin());
  std::copy_n(curl.begin(), 3, out.curl.begin());
  return out;
}

}  // namespace conoid::maxwell_fem
