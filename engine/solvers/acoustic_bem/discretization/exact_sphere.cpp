// SPDX-License-Identifier: BSD-3-Clause
// Sums the series of the sphere.
#include "engine/solvers/acoustic_bem/discretization/exact_sphere.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "engine/numerics/spherical_bessel.hpp"

namespace conoid::acoustic_bem {
namespace {

using Complex = std::complex<double>;
constexpr Complex I{0, 1};

/// h_l(x) and h_l'(x) = (l/x) h_l − h_{l+1}, l = 0 … most; stops early where y_l overflows (terms vanish there).
struct Bessel {
  std::vector<Complex> h, dh;
  Bessel(double x, int most) {
    const auto [j, y] = spherical_bessel(x, most + 1);
    int count = 0;
    while (count <= most && std::abs(y[static_cast<std::size_t>(count) + 1]) < 1e150) ++count;
    for (int l = 0; l < count; ++l) {
      const auto k = static_cast<std::size_t>(l);
      h.emplace_back(j[k], y[k]);
      dh.push_back(l / x * h[k] - Complex(j[k + 1], y[k + 1]));
    }
  }
};

int terms(double ka) {
  return static_cast<int>(1.1 * ka) + 22;
}
/// Terms beyond ka of a source at the distance rs fall off like (a/rs)^l only: down to 1e-12.
int terms(const ExactSphere& s, double ka) {
  if (s.source_distance <= s.radius) return terms(ka);
  return terms(ka) + static_cast<int>(std::min(27.7 / std::log(s.source_distance / s.radius), 2000.0));
}

/// i^l
Complex power_of_i(std::size_t l) {
  constexpr Complex table[4] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  return table[l % 4];
}

/// Σ_l c_l P_l(cos θ) by the recurrence of the Legendre polynomials.
Complex legendre_sum(const std::vector<Complex>& c, double x) {
  Complex sum = 0;
  double p0 = 1, p1 = x;
  for (std::size_t l = 0; l < c.size(); ++l) {
    sum += c[l] * p0;
    const double next =
        ((2 * static_cast<double>(l) + 3) * x * p1 - (static_cast<double>(l) + 1) * p0) / (static_cast<double>(l) + 2);
    p0 = p1;
    p1 = next;
  }
  return sum;
}

/// A_l
std::vector<Complex> incident(double k, double rs, std::size_t count) {
  std::vector<Complex> a(count);
  if (rs <= 0) {
    for (std::size_t l = 0; l < count; ++l) a[l] = power_of_i(l) * (2 * static_cast<double>(l) + 1);
  } else {
    const Bessel s(k * rs, static_cast<int>(count) + 1);
    a.resize(std::min(count, s.h.size()));
    for (std::size_t l = 0; l < a.size(); ++l)
      a[l] = I * k / (4 * std::numbers::pi) * (2 * static_cast<double>(l) + 1) * (l % 2 ? -1.0 : 1.0) * s.h[l];
  }
  return a;
}

/// Terms of what a moving surface sends to r.
std::vector<Complex> moved_terms(const ExactSphere& s, double omega, double r) {
  const double k = omega / s.c;
  const int count = static_cast<int>(s.motion.size()) + 1;
  const Bessel b(k * s.radius, count), out(k * r, count);
  std::vector<Complex> a(std::min({b.h.size(), out.h.size(), s.motion.size()}));
  for (std::size_t l = 0; l < a.size(); ++l) a[l] = I * omega * s.density * s.motion[l] * out.h[l] / (k * b.dh[l]);
  return a;
}

Complex admittance_of(const ExactSphere& s, double omega) {
  return s.admittance_at ? s.admittance_at(omega) : s.admittance;
}

/// j_l(k₂a) and g j_l′(k₂a) of a filled sphere.
std::array<double, 2> within(const ExactSphere& s, double omega, std::size_t l) {
  const double x = omega / s.filling->c * s.radius;
  const std::vector<double> of = spherical_bessel(x, static_cast<int>(l) + 1).j;
  const double j = of[l], above = of[l + 1];
  return {j, s.c / (s.filling->density * s.filling->c) * (static_cast<double>(l) / x * j - above)};
}
/// over / under; nothing where both have underflowed: such terms are far below round-off.
Complex ratio(Complex over, Complex under) {
  const Complex out = over / under;
  return std::isfinite(out.real()) && std::isfinite(out.imag()) ? out : 0;
}

std::vector<Complex> surface_terms(const ExactSphere& s, double omega) {
  const double k = omega / s.c, ka = k * s.radius;
  const Complex beta = admittance_of(s, omega);
  if (!s.motion.empty()) return moved_terms(s, omega, s.radius);
  const Bessel b(ka, terms(s, ka));
  std::vector<Complex> a = incident(k, s.source_distance, b.h.size());
  for (std::size_t l = 0; l < a.size() && s.filling; ++l) {
    const auto [j, dj] = within(s, omega, l);
    a[l] *= ratio(I * j / (ka * ka), b.dh[l] * j - b.h[l] * dj);
  }
  for (std::size_t l = 0; l < a.size() && !s.filling; ++l)
    a[l] *= s.rigid ? I / (ka * ka * (b.dh[l] + I * beta * b.h[l])) : -I * k / (ka * ka * b.h[l]);
  return a;
}

/// Of the outgoing part, over the incident one.
Complex reflected(const ExactSphere& s, double omega, std::size_t l, Complex beta, Complex h, Complex dh) {
  if (s.filling) {
    const auto [j, dj] = within(s, omega, l);
    return -ratio(dh.real() * j - h.real() * dj, dh * j - h * dj);
  }
  if (!s.rigid) return -h.real() / h;
  return -(dh.real() + I * beta * h.real()) / (dh + I * beta * h);
}

std::vector<Complex> scattered_terms(const ExactSphere& s, double omega, double r) {
  const double k = omega / s.c, ka = k * s.radius;
  const Complex beta = admittance_of(s, omega);
  if (!s.motion.empty()) return moved_terms(s, omega, r);
  const int count = terms(s, ka);
  const Bessel b(ka, count), out(k * r, count);
  std::vector<Complex> a = incident(k, s.source_distance, std::min(b.h.size(), out.h.size()));
  for (std::size_t l = 0; l < a.size(); ++l) a[l] *= reflected(s, omega, l, beta, b.h[l], b.dh[l]) * out.h[l];
  return a;
}

}  // namespace

Complex ExactSphere::surface(double omega, double cos_theta) const {
  return legendre_sum(surface_terms(*this, omega), cos_theta);
}

Complex ExactSphere::scattered(double omega, double r, double cos_theta) const {
  return legendre_sum(scattered_terms(*this, omega, r), cos_theta);
}

Complex ExactSphere::far_field(double omega, double cos_theta) const {
  const double k = omega / c, ka = k * radius;
  const Complex beta = admittance_of(*this, omega);
  const Bessel b(ka, terms(ka));
  std::vector<Complex> a(b.h.size());
  for (std::size_t l = 0; l < a.size(); ++l)
    a[l] = (2 * static_cast<double>(l) + 1) / (I * k) * reflected(*this, omega, l, beta, b.h[l], b.dh[l]);
  return legendre_sum(a, cos_theta);
}

std::vector<double> ExactSphere::cap(double half_angle, int terms) {
  const double x = std::cos(half_angle);
  std::vector<double> p{1, x};  // P_l(x)
  for (int l = 1; l <= terms; ++l)
    p.push_back(((2.0 * l + 1) * x * p[static_cast<std::size_t>(l)] - l * p[static_cast<std::size_t>(l) - 1]) /
                (l + 1.0));
  std::vector<double> out{0.5 * (1 - x)};
  for (std::size_t l = 1; l < static_cast<std::size_t>(terms); ++l) out.push_back(0.5 * (p[l - 1] - p[l + 1]));
  return out;
}

std::vector<std::vector<double>> ExactSphere::time_signals(Quantity quantity, double r,
                                                           const std::vector<double>& cosines,
                                                           const std::vector<double>& times, const Pulse& ricker,
                                                           double t0) const {
  // p(t) = dω/π Re Σ p̂(q dω) e^{−iq dω t}: periodic continuation, the period long against the sphere's ringing.
  const double wp = 2 * std::numbers::pi * ricker.frequency, most = 4.2 * wp;
  const double span = times.empty() ? 0 : times.back();
  const double period = std::max(80 * radius / c, 1.2 * span + 40 * radius / c);
  const double dw = 2 * std::numbers::pi / period;
  std::vector<std::vector<double>> out(cosines.size(), std::vector<double>(times.size(), 0));
  for (int q = 1; q * dw <= most; ++q) {
    const double w = q * dw;
    // ∫(1−2u)e^{−u}e^{iωt} dt, u = (ω_p t/2)²: 4√π/ω_p (ω/ω_p)² e^{−(ω/ω_p)²}
    const double spectrum =
        ricker.amplitude * 4 * std::sqrt(std::numbers::pi) / wp * std::pow(w / wp, 2) * std::exp(-std::pow(w / wp, 2));
    const auto coefficients = quantity == Quantity::surface ? surface_terms(*this, w) : scattered_terms(*this, w, r);
    std::vector<Complex> value(cosines.size());
    for (std::size_t a = 0; a < cosines.size(); ++a)
      value[a] = spectrum * dw / std::numbers::pi * legendre_sum(coefficients, cosines[a]);
    for (std::size_t n = 0; n < times.size(); ++n) {
      const Complex turn = std::polar(1.0, -w * (times[n] - t0));
      for (std::size_t a = 0; a < cosines.size(); ++a) out[a][n] += (value[a] * turn).real();
    }
  }
  return out;
}

}  // namespace conoid::acoustic_bem
