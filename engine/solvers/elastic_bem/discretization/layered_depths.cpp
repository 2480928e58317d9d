// SPDX-License-Identifier: BSD-3-Clause
// Integrals of displacements, tables.
#include "engine/solvers/elastic_bem/discretization/layered_depths.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "engine/solvers/elastic_bem/discretization/depth_path.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

namespace {

using Integrals = DepthIntegrals<5>;

Integrals integrals_on(const BuriedCompliance& f, double height, double nearest, double farthest, int threads) {
  return {DepthPath(f, height, nearest, farthest), threads, [&f](Complex k) {
            const DepthCompliance g = f.at(k);
            return Integrals::Values{g.zz, g.rz, g.zr, 0.5 * (g.rr + g.tt), -0.5 * (g.rr - g.tt)};
          }};
}

DepthResponse sums_at(const Integrals& integrals, double r) {
  DepthResponse out{};
  integrals.sum(r, [&](const Integrals::Values& f, const BesselValues& j, Complex, Complex by) {
    out[0] += f[0] * (j.f0 * by);
    out[1] += f[1] * (j.f1 * by);
    out[2] += f[2] * (j.f1 * by);
    out[3] += f[3] * (j.f0 * by);
    out[4] += f[4] * (j.f2 * by);
  });
  return out;
}

}  // namespace

DepthResponse depth_response(const BuriedCompliance& compliance, double height, double r) {
  return sums_at(integrals_on(compliance, height, r, r > 0 ? r : compliance.apart(), 1), r);
}

LayeredDepths::LayeredDepths(const SoilProfile& profile, double omega, double height, double depth, double load_depth,
                             double nearest, double farthest, int threads)
    : compliance_(profile, omega, depth, load_depth), panels_(depth_panel_ends(compliance_, nearest, farthest)) {
  fit_depth_panels(
      panels_, threads, [&](double from, double to) { return integrals_on(compliance_, height, from, to, threads); },
      [](const Integrals& integrals, double r) { return sums_at(integrals, r); },
      [this](double r) { return std::hypot(r, compliance_.apart()); });
}

DepthResponse LayeredDepths::at(double r) const {
  const auto f = panels_.at(r);
  const double way = std::hypot(r, compliance_.apart());
  DepthResponse out{};
  for (std::size_t k = 0; k < 5; ++k) out[k] = {f[2 * k] / way, f[2 * k + 1] / way};
  return out;
}

std::array<Complex, 3> LayeredDepths::displacement(const Vec3& offset, const Vec3& down, const Vec3& force) const {
  const double r = norm(offset), F = dot(force, down);
  const auto [v, u, c, a, b] = at(r);
  // Straight above and below all directions are the same: U, C and B are zero.
  const Vec3 e = r > 0 ? scale(1 / r, offset) : Vec3{};
  const double along = dot(e, force);
  std::array<Complex, 3> out{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double f = force[i] - F * down[i];
    out[i] = (F * (v * down[i] + u * e[i]) + a * f + b * (2 * e[i] * along - f) - c * along * down[i]) /
             (2 * std::numbers::pi * compliance_.top().mu);
  }
  return out;
}

LayeredDepths::Work LayeredDepths::work(const BuriedCompliance& f, double height, double nearest, double farthest) {
  const std::vector<double> ends = depth_panel_ends(f, nearest, farthest);
  Work out;
  for (std::size_t first = 0; first + 1 < ends.size();) {
    const std::size_t last = depth_group_end(ends, first);
    const double numbers = DepthPath(f, height, ends[first], ends[last]).count();
    out.wave_numbers += numbers;
    out.bessel_values += numbers * static_cast<double>((last - first) * decltype(panels_)::degree);
    first = last;
  }
  return out;
}

}  // namespace conoid::elastic_bem
