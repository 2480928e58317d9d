// SPDX-License-Identifier: BSD-3-Clause
// Closed forms, power series and tensors of the fundamental solutions.
#include "engine/solvers/elastic_bem/kernels/fundamental.hpp"

#include <cmath>
#include <numbers>

#include "engine/core/vec3.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

namespace {
constexpr double pi = std::numbers::pi;
}

template <class Real>
RadialOf<Real> radial_closed(const Harmonic& h, double distance_) {
  using C = std::complex<Real>;
  const auto r = static_cast<Real>(distance_), k2 = static_cast<Real>(h.kappa * h.kappa), r2 = r * r, r3 = r2 * r;
  const C s = C(Complex(0, 1) * h.kS) * r, p = C(Complex(0, 1) * h.kP) * r;  // ζ_S, ζ_P
  const C es = std::exp(-s), ep = k2 * std::exp(-p);
  const C s1 = Real(1) / s, s2 = s1 * s1, p1 = Real(1) / p, p2 = p1 * p1;
  const auto c = [](double v) { return static_cast<Real>(v); };
  RadialOf<Real> f;
  f.psi = ((c(1) + s1 + s2) * es - (p1 + p2) * ep) / r;
  f.chi = ((c(1) + c(3) * s1 + c(3) * s2) * es - (c(1) + c(3) * p1 + c(3) * p2) * ep) / r;
  f.dpsi = (-(c(2) + s + c(3) * s1 + c(3) * s2) * es + (c(1) + c(3) * p1 + c(3) * p2) * ep) / r2;
  f.dchi = (-(c(4) + s + c(9) * s1 + c(9) * s2) * es + (c(4) + p + c(9) * p1 + c(9) * p2) * ep) / r2;
  f.d2psi = ((s * s + c(3) * s + c(7) + c(12) * s1 + c(12) * s2) * es - (p + c(5) + c(12) * p1 + c(12) * p2) * ep) / r3;
  f.d2chi = ((s * s + c(5) * s + c(17) + c(36) * s1 + c(36) * s2) * es -
             (p * p + c(5) * p + c(17) + c(36) * p1 + c(36) * p2) * ep) /
            r3;
  return f;
}

template <class Real>
RadialOf<Real> radial_series(const Harmonic& h, double distance_, Part part) {
  using C = std::complex<Real>;
  const SeriesCoefficients series(h.kappa);
  const auto r = static_cast<Real>(distance_);
  const C minus_zeta = C(Complex(0, -1) * h.kS) * r;
  const int first = part == Part::difference ? 1 : 0, last = part == Part::fixed ? 1 : series_terms;
  RadialOf<Real> f{};
  for (int m = last - 1; m >= first; --m) {  // smallest terms first
    C power(1);
    for (int q = 0; q < m; ++q) power *= minus_zeta;
    const C a = power * static_cast<Real>(series.a[static_cast<std::size_t>(m)]);
    const C b = power * static_cast<Real>(series.b[static_cast<std::size_t>(m)]);
    const auto m1 = static_cast<Real>(m - 1), m2 = static_cast<Real>((m - 1) * (m - 2));
    f.psi += a;
    f.chi += b;
    f.dpsi += m1 * a;
    f.dchi += m1 * b;
    f.d2psi += m2 * a;
    f.d2chi += m2 * b;
  }
  const Real r1 = Real(1) / r, r2 = r1 * r1, r3 = r2 * r1;
  f.psi *= r1;
  f.chi *= r1;
  f.dpsi *= r2;
  f.dchi *= r2;
  f.d2psi *= r3;
  f.d2chi *= r3;
  return f;
}

template <class Real>
RadialOf<Real> radial(const Harmonic& h, double r, Part part) {
  const double limit = sizeof(Real) == 8 ? 1 : 2;
  if (part == Part::fixed || std::abs(h.kS) * r < limit) return radial_series<Real>(h, r, part);
  RadialOf<Real> f = radial_closed<Real>(h, r);
  if (part == Part::difference) {
    const RadialOf<Real> s = radial_series<Real>(h, r, Part::fixed);
    f.psi -= s.psi;
    f.chi -= s.chi;
    f.dpsi -= s.dpsi;
    f.dchi -= s.dchi;
    f.d2psi -= s.d2psi;
    f.d2chi -= s.d2chi;
  }
  return f;
}

template RadialOf<double> radial_closed<double>(const Harmonic&, double);
template RadialOf<float> radial_closed<float>(const Harmonic&, double);
template RadialOf<double> radial_series<double>(const Harmonic&, double, Part);
template RadialOf<float> radial_series<float>(const Harmonic&, double, Part);
template RadialOf<double> radial<double>(const Harmonic&, double, Part);
template RadialOf<float> radial<float>(const Harmonic&, double, Part);

Kernels kernels(const Harmonic& h, const Vec3& from, const Vec3& to, const Vec3& n, Part part) {
  const Vec3 d = sub(to, from);
  const double r = norm(d), k2 = h.kappa * h.kappa;
  const Vec3 e = scale(1 / r, d);
  const Radial f = radial(h, r, part);
  const double rn = dot(e, n);
  const Complex a = f.dpsi - f.chi / r, b = 4.0 * f.chi / r - 2.0 * f.dchi;
  const Complex c = (1 / k2 - 2) * (f.dpsi - f.dchi - 2.0 * f.chi / r) - 2.0 * f.chi / r;
  Kernels out;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const double delta = i == j ? 1 : 0;
      out.u[i][j] = (f.psi * delta - f.chi * (e[i] * e[j])) / (4 * pi * h.mu);
      out.t[i][j] = (a * (rn * delta + e[j] * n[i]) + b * (e[i] * e[j] * rn) + c * (e[i] * n[j])) / (4 * pi);
    }
  return out;
}

StressKernels stress_kernels(const Harmonic& h, const Vec3& from, const Vec3& to, const Vec3& n) {
  const Vec3 d = sub(to, from);
  const double r = norm(d), r2 = r * r, L = h.L;
  const Vec3 e = scale(1 / r, d);
  const Radial f = radial(h, r);
  const double rn = dot(e, n);
  const Complex c1 = 2.0 * f.chi / r, c2 = L * (f.dpsi - f.dchi - c1), c3 = f.dpsi - f.chi / r,
                c4 = 2.0 * (f.dchi - c1);
  const Complex c5 = 4.0 * (f.d2chi - 5.0 * f.dchi / r + 8.0 * f.chi / r2);
  const Complex c6 = f.d2psi - f.dpsi / r - 3.0 * f.dchi / r + 6.0 * f.chi / r2;
  const Complex c7 = 2.0 * f.dchi / r - 4.0 * f.chi / r2;
  const Complex c8 = L * (f.d2chi + f.dchi / r - 4.0 * f.chi / r2 - f.d2psi + f.dpsi / r);
  const Complex c9 = 2.0 * (c7 + c8);
  const Complex c10 = 4.0 * f.chi / r2 + 4.0 * L * (f.dchi / r + 2.0 * f.chi / r2 - f.dpsi / r);
  const Complex c11 = L * L * (f.d2chi + 4.0 * f.dchi / r + 2.0 * f.chi / r2 - f.d2psi - 2.0 * f.dpsi / r);
  const Complex c12 = 2.0 * (f.dpsi / r - f.chi / r2);
  StressKernels out;
  const auto delta = [](std::size_t i, std::size_t j) { return i == j ? 1.0 : 0.0; };
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        out.d[k][i][j] = ((c1 - c2) * (delta(i, j) * e[k]) - c3 * (delta(j, k) * e[i] + delta(i, k) * e[j]) +
                          c4 * (e[i] * e[j] * e[k])) /
                         (4 * pi);
        out.s[k][i][j] =
            h.mu / (4 * pi) *
            ((c5 * (e[i] * e[j] * e[k]) - c6 * (delta(j, k) * e[i] + delta(i, k) * e[j]) + c9 * (delta(i, j) * e[k])) *
                 rn +
             c9 * (e[i] * e[j] * n[k]) - c6 * ((e[i] * n[j] + e[j] * n[i]) * e[k]) +
             (c10 + c11) * (delta(i, j) * n[k]) - c12 * (delta(i, k) * n[j] + delta(j, k) * n[i]));
      }
  return out;
}

}  // namespace conoid::elastic_bem
