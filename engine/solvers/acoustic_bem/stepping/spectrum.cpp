// SPDX-License-Identifier: BSD-3-Clause
// Discrete Fourier sums, far and near fields in frequency.
#include "engine/solvers/acoustic_bem/stepping/spectrum.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "engine/core/vec3.hpp"
#include "engine/solvers/acoustic_bem/discretization/quadrature.hpp"
#include "engine/solvers/acoustic_bem/stepping/ranges.hpp"

namespace conoid::acoustic_bem {

using namespace conoid::vec;
using Complex = std::complex<double>;

RunningSpectrum::RunningSpectrum(std::vector<double> frequencies, Index values)
    : frequencies_(std::move(frequencies)), values_(static_cast<std::size_t>(values)) {
  sums_.assign(frequencies_.size() * values_, Complex{});
}

void RunningSpectrum::add(Team& team, std::span<const double> a, double t, double dt) {
  if (sums_.empty()) return;
  const std::size_t steps = a.size() / values_;
  const double cost = 1e-9 * static_cast<double>(sums_.size() * steps);
  for_range(team, "spectra", static_cast<Index>(frequencies_.size()), 1, cost, [&](Interval range) {
    constexpr std::size_t at_once = 1024;  // sums that stay in the first cache while the steps pass
    for (Index k = range.begin; k < range.end; ++k) {
      const double omega = 2 * std::numbers::pi * frequencies_[static_cast<std::size_t>(k)];
      for (std::size_t first = 0; first < values_; first += at_once) {
        const std::size_t count = std::min(at_once, values_ - first);
        // Real and imaginary parts as plain arrays, so that the loop becomes SIMD.
        double* const s = reinterpret_cast<double*>(sums_.data() + static_cast<std::size_t>(k) * values_ + first);
        for (std::size_t g = 0; g < steps; ++g) {
          const Complex turn = std::polar(dt, omega * (t + static_cast<double>(g) * dt));
          const double* const from = a.data() + g * values_ + first;
          for (std::size_t j = 0; j < count; ++j) {
            s[2 * j] += turn.real() * from[j];
            s[2 * j + 1] += turn.imag() * from[j];
          }
        }
      }
    }
  });
}

namespace {

/// Sums over the faces and their images: kernel(T, y, φ, σ) is asked with the pressure and ∂_n p there. The unknowns of soft
/// parts are cΔt ∂_n p half a step earlier, ∂_n p of an impedance is −iωβ/c times the pressure.
template <class Kernel>
Complex integrate(const Surface& surface, const Form& form, double frequency, std::span<const Complex> a,
                  Kernel&& kernel) {
  static const Rule rule = triangle_rule(7);
  const double omega = 2 * std::numbers::pi * frequency;
  const Complex half_step = std::polar(1 / form.delta(), -0.5 * omega * form.dt);
  Complex sum = 0;
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    Complex pressure[3], sigma[3];
    for (std::size_t b = 0; b < 3; ++b) {
      const std::int32_t vertex = surface.triangles[t].vertex[b];
      Complex value = 0;
      for (const Share& part : surface.shares(vertex)) value += part.weight * a[static_cast<std::size_t>(part.unknown)];
      const Density of = density_of(surface, t, vertex);
      pressure[b] = form.rigid() ? of.pressure * value : 0;
      sigma[b] = !form.rigid() ? value
                 : surface.carries_pressure(vertex)
                     ? Complex(0, -omega / form.c) * (of.now != 0 ? surface.admittance_at(t, omega) : 0.0) * value
                     : of.now * half_step * value;
    }
    const auto add = [&](const Triangle& T, const std::array<std::size_t, 3>& corners, double factor) {
      for (const RulePoint& q : rule) {
        Vec3 y{};
        Complex phi = 0, derivative = 0;
        for (std::size_t c = 0; c < 3; ++c) {
          y = axpy(q.lambda[c], T.corner[c], y);
          phi += q.lambda[c] * pressure[corners[c]];
          derivative += q.lambda[c] * sigma[corners[c]];
        }
        sum += factor * q.weight * T.area * kernel(T, y, phi, derivative);
      }
    };
    add(surface.triangles[t], {0, 1, 2}, 1);
    if (!surface.images.empty()) add(surface.images[t], {0, 2, 1}, surface.image_sign());
  }
  return sum / (4 * std::numbers::pi);
}

}  // namespace

Complex far_field(const Surface& surface, const Form& form, std::span<const Complex> a, double frequency,
                  const Vec3& direction) {
  const double k = 2 * std::numbers::pi * frequency / form.c;
  return integrate(surface, form, frequency, a, [&](const Triangle& T, const Vec3& y, Complex phi, Complex sigma) {
    return std::polar(1.0, -k * dot(direction, y)) * (Complex(0, -k) * dot(T.normal, direction) * phi - sigma);
  });
}

Complex near_field(const Surface& surface, const Form& form, std::span<const Complex> a, double frequency,
                   const Vec3& x) {
  const double k = 2 * std::numbers::pi * frequency / form.c;
  return integrate(surface, form, frequency, a, [&](const Triangle& T, const Vec3& y, Complex phi, Complex sigma) {
    const Vec3 to = sub(x, y);
    const double R = norm(to);
    return std::polar(1 / R, k * R) * (dot(T.normal, to) / (R * R) * Complex(1, -k * R) * phi - sigma);
  });
}

double target_strength(Complex f_infinity, Complex pulse) {
  return 20 * std::log10(std::max(std::abs(f_infinity) / std::abs(pulse), 1e-300));
}

}  // namespace conoid::acoustic_bem
