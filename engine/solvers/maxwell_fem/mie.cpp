// SPDX-License-Identifier: BSD-3-Clause
// Series of spherical modes.
#include "engine/solvers/maxwell_fem/mie.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace conoid::maxwell_fem {
namespace {

using Complex = std::complex<double>;
constexpr Complex j{0, 1};

int terms(double x) {
  return static_cast<int>(x + 4.05 * std::cbrt(x) + 14);
}

/// Riccati functions of one argument and their derivatives, orders 0 … count.
struct Riccati {
  std::vector<Complex> s, c, ds, dc;
  Riccati(Complex z, int count) : s(count + 1), c(count + 1), ds(count + 1), dc(count + 1) {
    // Downwards from where S_n is negligible; normalised by S_0 or S_1, whichever is larger.
    const int start = count + 20 + static_cast<int>(1.5 * std::abs(z));
    std::vector<Complex> down(static_cast<std::size_t>(start) + 2, 0);
    down[start] = 1e-280;
    for (int n = start; n > 0; --n) {
      down[n - 1] = static_cast<double>(2 * n + 1) / z * down[n] - down[n + 1];
      if (std::abs(down[n - 1]) > 1e200)
        for (int m = n - 1; m <= start; ++m) down[m] *= 1e-250;
    }
    const Complex s0 = std::sin(z), s1 = std::sin(z) / z - std::cos(z);
    const Complex factor = std::abs(s0) > std::abs(s1) ? s0 / down[0] : s1 / down[1];
    for (int n = 0; n <= count; ++n) s[n] = down[n] * factor;
    c[0] = -std::cos(z);
    if (count > 0) c[1] = -std::cos(z) / z - std::sin(z);
    for (int n = 1; n < count; ++n) c[n + 1] = static_cast<double>(2 * n + 1) / z * c[n] - c[n - 1];
    ds[0] = std::cos(z);
    dc[0] = std::sin(z);
    for (int n = 1; n <= count; ++n) {
      ds[n] = s[n - 1] - static_cast<double>(n) / z * s[n];
      dc[n] = c[n - 1] - static_cast<double>(n) / z * c[n];
    }
  }
  [[nodiscard]] Complex xi(int n) const { return s[n] - j * c[n]; }
  [[nodiscard]] Complex dxi(int n) const { return ds[n] - j * dc[n]; }
};

Complex root(Complex v) {  // Im ≤ 0
  const Complex m = std::sqrt(v);
  return m.imag() > 0 ? -m : m;
}

/// a_n and b_n of a penetrable outer layer (m, mu) whose inner functions are given with their derivatives.
template <class Inner>
SphereSeries penetrable(double x, Complex m, Complex mu, const Inner& inner) {
  const int count = terms(x);
  const Riccati outer(x, count);
  SphereSeries out;
  out.x = x;
  for (int n = 1; n <= count; ++n) {
    const auto [fa, dfa, fb, dfb] = inner(n);
    out.a.push_back((m * fa * outer.ds[n] - mu * outer.s[n] * dfa) / (m * fa * outer.dxi(n) - mu * outer.xi(n) * dfa));
    out.b.push_back((mu * fb * outer.ds[n] - m * outer.s[n] * dfb) / (mu * fb * outer.dxi(n) - m * outer.xi(n) * dfb));
  }
  return out;
}

struct Angular {
  Complex s1 = 0, s2 = 0;
};

Angular angular(const SphereSeries& series, double mu) {
  Angular out;
  double before = 0, now = 1;  // π_0, π_1
  for (int n = 1; n <= static_cast<int>(series.a.size()); ++n) {
    if (n > 1) {
      const double next = ((2 * n - 1) * mu * now - n * before) / (n - 1);
      before = now;
      now = next;
    }
    const double tau = n * mu * now - (n + 1) * before, factor = (2.0 * n + 1) / (n * (n + 1.0));
    out.s1 += factor * (series.a[n - 1] * now + series.b[n - 1] * tau);
    out.s2 += factor * (series.a[n - 1] * tau + series.b[n - 1] * now);
  }
  return out;
}

}  // namespace

Complex SphereSeries::s1(double cosine) const {
  return angular(*this, cosine).s1;
}
Complex SphereSeries::s2(double cosine) const {
  return angular(*this, cosine).s2;
}
double SphereSeries::sigma_e(double cosine) const {
  return 4 / (x * x) * std::norm(s2(cosine));
}
double SphereSeries::sigma_h(double cosine) const {
  return 4 / (x * x) * std::norm(s1(cosine));
}

double SphereSeries::extinction() const {
  double sum = 0;
  for (std::size_t n = 1; n <= a.size(); ++n) sum += (2.0 * n + 1) * (a[n - 1] + b[n - 1]).real();
  return 2 / (x * x) * sum;
}
double SphereSeries::scattering() const {
  double sum = 0;
  for (std::size_t n = 1; n <= a.size(); ++n) sum += (2.0 * n + 1) * (std::norm(a[n - 1]) + std::norm(b[n - 1]));
  return 2 / (x * x) * sum;
}

SphereSeries conducting_sphere(double ka) {
  const int count = terms(ka);
  const Riccati r(ka, count);
  SphereSeries out;
  out.x = ka;
  for (int n = 1; n <= count; ++n) {
    out.a.push_back(r.ds[n] / r.dxi(n));
    out.b.push_back(r.s[n] / r.xi(n));
  }
  return out;
}

SphereSeries homogeneous_sphere(double ka, Complex epsilon, Complex mu) {
  const Complex m = root(epsilon * mu);
  const Riccati r(m * ka, terms(ka));
  return penetrable(ka, m, mu, [&](int n) { return std::array{r.s[n], r.ds[n], r.s[n], r.ds[n]}; });
}

SphereSeries impedance_sphere(double ka, Complex eta) {
  const int count = terms(ka);
  const Riccati r(ka, count);
  SphereSeries out;
  out.x = ka;
  for (int n = 1; n <= count; ++n) {
    out.a.push_back((r.ds[n] - j * eta * r.s[n]) / (r.dxi(n) - j * eta * r.xi(n)));
    out.b.push_back((r.s[n] + j * eta * r.ds[n]) / (r.xi(n) + j * eta * r.dxi(n)));
  }
  return out;
}

SphereSeries coated_conductor(double ka, double kb, Complex epsilon, Complex mu) {
  const Complex m = root(epsilon * mu);
  const Riccati y(m * ka, terms(kb)), z(m * kb, terms(kb));
  return penetrable(kb, m, mu, [&](int n) {
    const Complex big_a = y.ds[n] / y.dc[n], big_b = y.s[n] / y.c[n];
    return std::array{z.s[n] - big_a * z.c[n], z.ds[n] - big_a * z.dc[n], z.s[n] - big_b * z.c[n],
                      z.ds[n] - big_b * z.dc[n]};
  });
}

SphereSeries coated_sphere(double ka, double kb, Complex core_epsilon, Complex core_mu, Complex epsilon, Complex mu) {
  const Complex m = root(epsilon * mu), core = root(core_epsilon * core_mu), r = core / m, u = core_mu / mu;
  const Riccati c(core * ka, terms(kb)), y(m * ka, terms(kb)), z(m * kb, terms(kb));
  return penetrable(kb, m, mu, [&](int n) {
    const Complex big_a = (r * c.s[n] * y.ds[n] - u * y.s[n] * c.ds[n]) / (r * c.s[n] * y.dc[n] - u * y.c[n] * c.ds[n]);
    const Complex big_b = (u * c.s[n] * y.ds[n] - r * y.s[n] * c.ds[n]) / (u * c.s[n] * y.dc[n] - r * y.c[n] * c.ds[n]);
    return std::array{z.s[n] - big_a * z.c[n], z.ds[n] - big_a * z.dc[n], z.s[n] - big_b * z.c[n],
                      z.ds[n] - big_b * z.dc[n]};
  });
}

Complex truncation_factor(int n, bool te, double ka, double kb) {
  const Riccati a(ka, n), b(kb, n);
  const Complex lh = b.dxi(n) + j * b.xi(n), lj = b.ds[n] + j * b.s[n];
  const Complex ratio = te ? a.xi(n) / a.s[n] : a.dxi(n) / a.ds[n];
  return lh / (lh - ratio * lj);
}

double truncation_radius(double ka, double kb) {
  double out = 0;
  for (int n = 1; n <= terms(kb); ++n)
    for (bool te : {false, true}) out = std::max(out, std::abs(truncation_factor(n, te, ka, kb)));
  return out;
}

}  // namespace conoid::maxwell_fem
