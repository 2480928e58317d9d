// SPDX-License-Identifier: BSD-3-Clause
// Discrete Fourier sums, far and near fields in frequency.
#include "engine/solvers/acoustic_bem/spectrum.hpp"

#include <cmath>
#include <numbers>

#include "engine/core/vec3.hpp"
#include "engine/solvers/acoustic_bem/quadrature.hpp"
#include "engine/solvers/acoustic_bem/ranges.hpp"

namespace conoid::acoustic_bem {

using namespace conoid::vec;
using Complex = std::complex<double>;

RunningSpectrum::RunningSpectrum(std::vector<double> frequencies, Index values)
    : frequencies_(std::move(frequencies)), values_(static_cast<std::size_t>(values)) {
  sums_.assign(frequencies_.size() * values_, Complex{});
}

void RunningSpectrum::add(Team& team, std::span<const double> a, double t, double dt) {
  const double cost = 1e-9 * static_cast<double>(sums_.size());
  for_range(team, "spectra", static_cast<Index>(frequencies_.size()), 1, cost, [&](Interval range) {
    for (Index k = range.begin; k < range.end; ++k) {
      const Complex turn = std::polar(dt, 2 * std::numbers::pi * frequencies_[static_cast<std::size_t>(k)] * t);
      // Real and imaginary parts as plain arrays, so that the loop becomes SIMD.
      double* const s = reinterpret_cast<double*>(sums_.data() + static_cast<std::size_t>(k) * values_);
      for (std::size_t j = 0; j < values_; ++j) {
        s[2 * j] += turn.real() * a[j];
        s[2 * j + 1] += turn.imag() * a[j];
      }
    }
  });
}

namespace {

template <class Kernel>
Complex integrate(const Surface& surface, std::span<const Complex> a, Kernel&& kernel) {
  static const Rule rule = triangle_rule(7);
  Complex sum = 0;
  for (const Triangle& T : surface.triangles) {
    Complex value[3];
    for (std::size_t b = 0; b < 3; ++b)
      for (const Share& part : surface.shares(T.vertex[b]))
        value[b] += part.weight * a[static_cast<std::size_t>(part.unknown)];
    for (const RulePoint& q : rule) {
      Vec3 y{};
      Complex density = 0;
      for (std::size_t c = 0; c < 3; ++c) {
        y = axpy(q.lambda[c], T.corner[c], y);
        density += q.lambda[c] * value[c];
      }
      sum += q.weight * T.area * density * kernel(T, y);
    }
  }
  return sum / (4 * std::numbers::pi);
}

}  // namespace

Complex far_field(const Surface& surface, const Form& form, std::span<const Complex> a, double frequency,
                  const Vec3& direction) {
  const double k = 2 * std::numbers::pi * frequency / form.c;
  return integrate(surface, a, [&](const Triangle& T, const Vec3& y) {
    const Complex phase = std::polar(1.0, -k * dot(direction, y));
    return form.rigid() ? Complex(0, -k) * dot(T.normal, direction) * phase : -phase;
  });
}

Complex near_field(const Surface& surface, const Form& form, std::span<const Complex> a, double frequency,
                   const Vec3& x) {
  const double k = 2 * std::numbers::pi * frequency / form.c;
  return integrate(surface, a, [&](const Triangle& T, const Vec3& y) {
    const Vec3 to = sub(x, y);
    const double R = norm(to);
    const Complex wave = std::polar(1 / R, k * R);
    return form.rigid() ? dot(T.normal, to) / (R * R) * Complex(1, -k * R) * wave : -wave;
  });
}

double target_strength(Complex f_infinity, Complex pulse) {
  return 20 * std::log10(std::max(std::abs(f_infinity) / std::abs(pulse), 1e-300));
}

}  // namespace conoid::acoustic_bem
