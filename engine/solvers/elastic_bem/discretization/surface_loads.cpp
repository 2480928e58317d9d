// SPDX-License-Identifier: BSD-3-Clause
// Lamb's integrals and their table.
#include "engine/solvers/elastic_bem/discretization/surface_loads.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/core/vec3.hpp"
#include "engine/solvers/elastic_bem/discretization/bessel.hpp"
#include "engine/solvers/elastic_bem/discretization/quadrature.hpp"
#include "engine/team/phase.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

namespace {

constexpr Complex i1{0, 1};
constexpr Index neighbours = 6;  ///< of the polynomial through values of the table

/// The four integrands without their Bessel functions, less the limits for q → ∞.
struct Spectrum {
  Complex v, u, a, b;
};
Spectrum spectrum(double nu, Complex q) {
  const double kappa2 = (1 - 2 * nu) / (2 * (1 - nu));
  const auto root = [](Complex square) {
    const Complex s = std::sqrt(square);
    return s.real() < 0 ? -s : s;
  };
  const Complex q2 = q * q, alpha = root(q2 - kappa2), beta = root(q2 - 1.0);
  // R and the numerator of U lose their leading terms for large q: written with α − q and β − q.
  const Complex da = -kappa2 / (alpha + q), db = -1.0 / (beta + q), product = q * (da + db) + da * db;  // αβ − q²
  const Complex R = 1.0 - 4.0 * q2 * (1.0 + product), sv = -beta / R, sh = 1.0 / beta;
  return {-alpha / R * q - (1 - nu), (-1.0 - 2.0 * product) / R * q2 + (1 - 2 * nu) / 2,
          0.5 * (sv + sh) * q - (1 - nu / 2), 0.5 * (sh - sv) * q - nu / 2};
}

void add(SurfaceResponse& sum, const Spectrum& s, const BesselValues& f, Complex weight) {
  sum.v += weight * s.v * f.f0;
  sum.u += weight * s.u * f.f1;
  sum.a += weight * s.a * f.f0;
  sum.b += weight * s.b * f.f2;
}

/// Straight from `from` to `to`, in panels of the given length at most.
void straight(double nu, Complex z, Complex from, Complex to, double panel, SurfaceResponse& sum) {
  const int panels = std::max(1, static_cast<int>(std::ceil(std::abs(to - from) / panel)));
  const Complex step = (to - from) / static_cast<double>(panels);
  for (int k = 0; k < panels; ++k)
    for (const GaussPoint& g : gauss_points(10)) {
      const Complex q = from + (static_cast<double>(k) + g.x) * step;
      add(sum, spectrum(nu, q), bessel_values(q * z), g.w * step);
    }
}

}  // namespace

SurfaceResponse surface_response(double nu, Complex z) {
  const double size = std::abs(z);
  SurfaceResponse sum{};
  if (size > 0) {
    // Branch points κ and 1, the Rayleigh pole below 1.15 for ν ≥ 0 and below 1.5 for any ν: the path runs above them, turned so that q z
    // stays real beyond: else Bessel's functions grow with the damping as far as the answer falls.
    const Complex turn = size / z;
    const double past = 1.6, height = std::min(0.4, 3 / size), panel = std::min(1.2 * height, 4 / size);
    straight(nu, z, 0, turn * Complex(0.5 * height, height), panel, sum);
    straight(nu, z, turn * Complex(0.5 * height, height), turn * Complex(past, height), panel, sum);
    straight(nu, z, turn * Complex(past, height), turn * past, panel, sum);
    // Then along that ray until Hankel's expansions hold, and on along the ways on which they decay.
    const double last = std::max(past, (far_argument + 1) / size);
    for (double q = past; q < last;) {
      const double next = std::min(last, q + std::max(0.2 * q, 2 / size));
      straight(nu, z, turn * q, turn * next, std::min(0.5 * q, 4 / size), sum);
      q = next;
    }
    for (double sign : {1.0, -1.0}) {
      // e^{±iqz} over q = turn last ± i s/z is e^{±i last |z|} e^{−s}.
      const Complex ahead = std::exp(sign * i1 * last * size);
      for (int k = 0; k < 10; ++k)
        for (const GaussPoint& g : gauss_points(10)) {
          const double s = 4 * (k + g.x);
          const Complex q = turn * last + sign * i1 * s / z;
          add(sum, spectrum(nu, q), hankel_values(q * z, sign), 0.5 * g.w * 4 * std::exp(-s) * ahead * sign * i1 / z);
        }
    }
  }
  return {z * sum.v + (1 - nu), z * sum.u - (1 - 2 * nu) / 2, z * sum.a + (1 - nu / 2), z * sum.b + nu / 2};
}

SurfaceLoads::SurfaceLoads(double nu, Complex kS, double farthest, int threads) {
  const Complex ray = std::abs(kS) > 0 ? kS / std::abs(kS) : Complex(1);
  const auto count = std::max<Index>(static_cast<Index>(std::ceil(farthest / step_)) + 4, neighbours);
  table_.resize(static_cast<std::size_t>(count));
  CpuWorker(threads).for_each({0, count}, 8, [&](Interval some, int) {
    for (Index k = some.begin; k < some.end; ++k)
      table_[static_cast<std::size_t>(k)] = surface_response(nu, static_cast<double>(k) * step_ * ray);
  });
}

SurfaceResponse SurfaceLoads::at(double z) const {
  // Lagrange's polynomial through six neighbours: the waves have about thirty of them a length.
  const auto n = static_cast<Index>(table_.size());
  const double x = std::min(z / step_, static_cast<double>(n - 1));
  const Index first = std::clamp<Index>(static_cast<Index>(x) - 2, 0, n - neighbours);
  SurfaceResponse out{};
  for (Index i = 0; i < neighbours; ++i) {
    double w = 1;
    for (Index j = 0; j < neighbours; ++j)
      if (j != i) w *= (x - static_cast<double>(first + j)) / static_cast<double>(i - j);
    const SurfaceResponse& r = table_[static_cast<std::size_t>(first + i)];
    out.v += w * r.v;
    out.u += w * r.u;
    out.a += w * r.a;
    out.b += w * r.b;
  }
  return out;
}

Matrix3 surface_displacement(const SurfaceResponse& s, Complex mu, const Vec3& offset, const Vec3& down) {
  const double r = norm(offset);
  const Vec3 e = scale(1 / r, offset);
  const Complex front = 1.0 / (2 * std::numbers::pi * mu * r);
  Matrix3 out{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const double flat = (i == j ? 1.0 : 0.0) - down[i] * down[j], along = e[i] * e[j];
      out[i][j] = front * (s.v * (down[i] * down[j]) + s.u * (e[i] * down[j] - down[i] * e[j]) + s.a * flat +
                           s.b * (2 * along - flat));
    }
  return out;
}

Matrix3 SurfaceLoads::displacement(const Harmonic& h, const Vec3& offset, const Vec3& down) const {
  return surface_displacement(at(std::abs(h.kS) * norm(offset)), h.mu, offset, down);
}

}  // namespace conoid::elastic_bem
