// SPDX-License-Identifier: BSD-3-Clause
// Integrals of strains and tractions, Hooke's law.
#include "engine/solvers/elastic_bem/discretization/layered_stresses.hpp"

#include <cmath>
#include <numbers>

#include "engine/solvers/elastic_bem/discretization/depth_path.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

namespace {

using Integrals = DepthIntegrals<8>;

Integrals integrals_on(const BuriedCompliance& f, double height, double nearest, double farthest, int threads) {
  return {DepthPath(f, height, nearest, farthest), threads, [&f](Complex k) {
            DepthCompliance t;
            const DepthCompliance u = f.at(k, &t);
            return Integrals::Values{k * u.rz, 0.5 * k * (u.rr + u.tt), -0.5 * k * (u.rr - u.tt), k * t.zz, k * t.rz,
                                     k * t.zr, 0.5 * k * (t.rr + t.tt), -0.5 * k * (t.rr - t.tt)};
          }};
}

StressResponse sums_at(const Integrals& integrals, double r) {
  StressResponse out{};
  integrals.sum(r, [&](const Integrals::Values& f, const BesselValues& j, Complex w, Complex by) {
    const Complex low = by * j.f0, first = by * j.f1, second = by * j.f2,
                  over = w == Complex(0) ? Complex(0) : second / w;
    out[0] += f[0] * 0.5 * (low - second);
    out[1] += f[0] * 0.5 * (low + second);
    out[2] -= f[1] * first;
    out[3] += f[2] * (first - 2.0 * over);
    out[4] += f[2] * over;
    out[5] += f[3] * low;
    out[6] += f[4] * first;
    out[7] += f[5] * first;
    out[8] += f[6] * low;
    out[9] += f[7] * second;
  });
  return out;
}

}  // namespace

StressResponse stress_response(const BuriedCompliance& f, double height, double r) {
  return sums_at(integrals_on(f, height, r, r > 0 ? r : f.apart(), 1), r);
}

Stress stress_of(const StressResponse& s, const BuriedCompliance& compliance, const Vec3& offset, const Vec3& down,
                 const Complex3& force) {
  const auto& [u1, u0, a1, b1, b0, tv, tu, tc, ta, tb] = s;
  const double r = norm(offset);
  // Straight above and below all directions are the same.
  const double e[2] = {r > 0 ? offset[0] / r : 1, r > 0 ? offset[1] / r : 0};
  const Complex F = force[2] * down[2], f[2] = {force[0], force[1]}, along = e[0] * f[0] + e[1] * f[1];
  Complex slope[2][2], load[3];
  for (std::size_t i = 0; i < 2; ++i) {
    const Complex turned = 2.0 * e[i] * along - f[i];
    for (std::size_t k = 0; k < 2; ++k) {
      const double other = (i == k ? 1.0 : 0.0) - e[i] * e[k];
      slope[i][k] = F * (u1 * (e[i] * e[k]) + u0 * other) + a1 * f[i] * e[k] + b1 * turned * e[k] +
                    2.0 * b0 * (other * along + e[i] * (f[k] - e[k] * along));
    }
    load[i] = F * tu * e[i] + ta * f[i] + tb * turned;
  }
  load[2] = F * tv - tc * along;  // along `down`
  const Harmonic& h = compliance.here();
  const Complex strain = 1.0 / (2 * std::numbers::pi * compliance.top().mu),
                pressure = load[2] / (2 * std::numbers::pi), ratio = h.lambda / (h.lambda + 2.0 * h.mu),
                same = ratio * (pressure + 2.0 * h.mu * strain * (slope[0][0] + slope[1][1])),
                shear = 1.0 / (2 * std::numbers::pi) * down[2];
  return {same + 2.0 * h.mu * strain * slope[0][0],
          same + 2.0 * h.mu * strain * slope[1][1],
          pressure,
          h.mu * strain * (slope[0][1] + slope[1][0]),
          shear * load[1],
          shear * load[0]};
}

LayeredStresses::LayeredStresses(const SoilProfile& profile, double omega, double height, double depth,
                                 double load_depth, double nearest, double farthest, int threads)
    : compliance_(profile, omega, depth, load_depth), panels_(depth_panel_ends(compliance_, nearest, farthest)) {
  fit_depth_panels(
      panels_, threads, [&](double from, double to) { return integrals_on(compliance_, height, from, to, threads); },
      [](const Integrals& integrals, double r) { return sums_at(integrals, r); },
      [this](double r) { return r * r + compliance_.apart() * compliance_.apart(); });
}

StressResponse LayeredStresses::at(double r) const {
  const auto f = panels_.at(r);
  const double way = r * r + compliance_.apart() * compliance_.apart();
  StressResponse out{};
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = {f[2 * k] / way, f[2 * k + 1] / way};
  return out;
}

}  // namespace conoid::elastic_bem
