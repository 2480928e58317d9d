// SPDX-License-Identifier: BSD-3-Clause
// Sums over the points of S'.
#include "engine/solvers/maxwell_fem/solving/far_field.hpp"

#include "engine/core/vec3.hpp"
#include "engine/numerics/gauss_legendre.hpp"
#include "engine/solvers/maxwell_fem/discretization/pi.hpp"
#include "engine/solvers/maxwell_fem/kernels/reference.hpp"
#include "engine/team/parallel_for.hpp"

#include <algorithm>
#include <cmath>

namespace conoid::maxwell_fem {

using namespace conoid::vec;

namespace {
constexpr Complex j{0, 1};
}  // namespace

Vec3 Direction::radial() const {
  return {std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi), std::cos(theta)};
}
Vec3 Direction::theta_hat() const {
  return {std::cos(theta) * std::cos(phi), std::cos(theta) * std::sin(phi), -std::sin(theta)};
}
Vec3 Direction::phi_hat() const {
  return {-std::sin(phi), std::cos(phi), 0};
}

PlaneWave wave_from(const Direction& from, bool horizontal, double k) {
  return {scale(-1, from.radial()), horizontal ? from.phi_hat() : from.theta_hat(), k};
}

std::vector<FarAmplitude> far_field(const Domain& domain, double k, std::span<const Complex> f, Index count,
                                    std::span<const Direction> directions, int threads, std::stop_token stop) {
  const Patch& s = domain.currents;
  const Index n = s.size(), many = static_cast<Index>(directions.size());
  std::vector<FarAmplitude> out(static_cast<std::size_t>(many * count));
  parallel_for(threads, {0, many}, 4, [&](Index d) {
    if (stop.stop_requested()) return;
    const Vec3 r = directions[d].radial(), t = directions[d].theta_hat(), p = directions[d].phi_hat();
    // J = (F− + F+)/2w, kM = (F− − F+)/2w:  4π F_θ = ∮ (θ̂·J − jk φ̂·M) e^{…},  4π F_φ = ∮ (φ̂·J + jk θ̂·M) e^{…}
    struct Row {
      Complex theta_minus, theta_plus, phi_minus, phi_plus;
    };
    std::vector<Row> rows(static_cast<std::size_t>(2 * n));
    for (Index q = 0; q < n; ++q) {
      const FacePoint& at = s.point(q);
      const Complex phase = std::polar(0.5 / (4 * pi), k * dot(r, at.x));
      for (int c = 0; c < 2; ++c) {
        const Vec3& tangent = c == 0 ? at.t1 : at.t2;
        const double along_t = dot(t, tangent), along_p = dot(p, tangent);
        rows[2 * q + c] = {phase * (along_t - j * along_p), phase * (along_t + j * along_p),
                           phase * (along_p + j * along_t), phase * (along_p - j * along_t)};
      }
    }
    for (Index c = 0; c < count; ++c) {
      FarAmplitude sum;
      const Complex *minus = f.data() + c * 4 * n, *plus = minus + 2 * n;
      for (Index q = 0; q < 2 * n; ++q) {
        sum.theta += rows[q].theta_minus * minus[q] + rows[q].theta_plus * plus[q];
        sum.phi += rows[q].phi_minus * minus[q] + rows[q].phi_plus * plus[q];
      }
      out[d * count + c] = sum;
    }
  });
  return out;
}

FarAmplitude far_field(std::span<const Dipole> dipoles, double k, const Direction& direction) {
  FarAmplitude out;
  const Vec3 r = direction.radial(), t = direction.theta_hat(), p = direction.phi_hat();
  for (const Dipole& d : dipoles) {
    const auto f = d.far(r, k);
    for (int c = 0; c < 3; ++c) {
      out.theta += t[c] * f[c];
      out.phi += p[c] * f[c];
    }
  }
  return out;
}

SphereRule sphere_rule(double k_radius) {
  const int n = static_cast<int>(std::ceil(k_radius)) + 10;
  SphereRule out;
  const LineRule rule = gauss_legendre(n);
  for (std::size_t i = 0; i < rule.points.size(); ++i) {
    const double x = 1 - 2 * rule.points[i], weight = 2 * rule.weights[i];
    for (int m = 0; m < 2 * n; ++m) {
      out.directions.push_back({std::acos(x), pi * m / n});
      out.weights.push_back(weight * pi / n);
    }
  }
  return out;
}

double extinction(const FarAmplitude& forward, const Direction& direction, const PlaneWave& wave) {
  const Complex along = dot(wave.polarisation, direction.theta_hat()) * forward.theta +
                        dot(wave.polarisation, direction.phi_hat()) * forward.phi;
  return -4 * pi / wave.k * along.imag();
}

RangeProfile range_profile(std::span<const double> frequencies, std::span<const Complex> echo, int count) {
  RangeProfile out;
  const std::size_t n = echo.size();
  if (n < 2) return out;
  const double step = (frequencies.back() - frequencies.front()) / static_cast<double>(n - 1),
               longest = light_speed / (2 * step);
  for (int i = 0; i <= count; ++i) {
    const double r = longest * (static_cast<double>(i) / count - 0.5);
    Complex sum = 0;
    double weights = 0;
    for (std::size_t f = 0; f < n; ++f) {
      const double w = std::pow(std::sin(pi * (static_cast<double>(f) + 0.5) / static_cast<double>(n)), 2);
      sum += w * echo[f] * std::polar(1.0, 4 * pi * frequencies[f] / light_speed * r);
      weights += w;
    }
    out.range.push_back(r);
    out.level.push_back(20 * std::log10(std::max(std::abs(sum) / weights, 1e-15)));
  }
  return out;
}

std::vector<Complex> near_field(const Domain& domain, double k, std::span<const Complex> f,
                                std::span<const Vec3> points, int threads, std::stop_token stop,
                                NearQuantity quantity) {
  const Patch& s = domain.currents;
  const Index n = s.size(), many = static_cast<Index>(points.size());
  // ∇×E is the E of the currents −k² M and −J.
  const bool of_curl = quantity == NearQuantity::curl;
  std::vector<Complex> out(static_cast<std::size_t>(3 * many));
  parallel_for(threads, {0, many}, 16, [&](Index p) {
    if (stop.stop_requested()) return;
    Complex3 sum{};
    for (Index q = 0; q < n; ++q) {
      const FacePoint& at = s.point(q);
      const Coupling c = coupling(points[p], at.x, k);
      Complex3 current{}, m{};
      for (int t = 0; t < 2; ++t) {
        const Complex minus = f[2 * q + t], plus = f[2 * n + 2 * q + t];
        const Vec3& along = t == 0 ? at.t1 : at.t2;
        for (int d = 0; d < 3; ++d) {
          current[d] += along[d] * 0.5 * (minus + plus);
          m[d] += along[d] * (0.5 / k) * (minus - plus);
        }
      }
      if (of_curl)
        for (int d = 0; d < 3; ++d) {
          const Complex electric = -k * k * m[d];
          m[d] = -current[d];
          current[d] = electric;
        }
      sum[0] += c.g[0] * current[0] + c.g[3] * current[1] + c.g[4] * current[2] -
                (c.gradient[1] * m[2] - c.gradient[2] * m[1]);
      sum[1] += c.g[3] * current[0] + c.g[1] * current[1] + c.g[5] * current[2] -
                (c.gradient[2] * m[0] - c.gradient[0] * m[2]);
      sum[2] += c.g[4] * current[0] + c.g[5] * current[1] + c.g[2] * current[2] -
                (c.gradient[0] * m[1] - c.gradient[1] * m[0]);
    }
    for (int d = 0; d < 3; ++d) out[3 * p + d] = sum[d];
  });
  return out;
}

}  // namespace conoid::maxwell_fem
