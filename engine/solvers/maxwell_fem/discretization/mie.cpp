// SPDX-License-Identifier: BSD-3-Clause
// Series of spherical modes.
#include "engine/solvers/maxwell_fem/discretization/mie.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace conoid::maxwell_fem {
namespace {

using Complex = std::complex<double>;
constexpr Complex j{0, 1};

int terms(double x, int least = 0) {
  return std::max(least, static_cast<int>(x + 4.05 * std::cbrt(x) + 14));
}

/// S_n/S_{n+1}, by its continued fraction (modified Lentz method): (2n+3)/z − 1/((2n+5)/z − …).
Complex ratio_down(Complex z, int n) {
  constexpr double tiny = 1e-30;
  Complex f = (2.0 * n + 3) / z, c = f, d = 0;
  const int longest = 10000 + static_cast<int>(3 * std::abs(z));
  for (int k = 1; k < longest; ++k) {
    const Complex b = (2.0 * (n + k) + 3) / z;
    d = b - d;
    c = b - 1.0 / c;
    if (std::abs(d) < tiny) d = tiny;
    if (std::abs(c) < tiny) c = tiny;
    d = 1.0 / d;
    f *= c * d;
    if (std::abs(c * d - 1.0) < 1e-15) break;
  }
  return f;
}

/// Riccati functions of one argument (Im z <= 0) and their derivatives, orders 0 … count. In a material that absorbs S grows like
/// e^{|Im z|} and ξ falls like e^{−|Im z|}: they are kept without these factors.
struct Riccati {
  std::vector<Complex> s, x, ds, dx;  ///< S e^{−|Im z|}, ξ e^{|Im z|}, derivatives
  double depth;                       ///< |Im z|
  Riccati(Complex z, int count) : s(count + 1), x(count + 1), ds(count + 1), dx(count + 1), depth(-z.imag()) {
    // S downwards, in which direction it does not lose digits; normalised by S_0 or S_1, whichever is larger.
    std::vector<Complex> down(static_cast<std::size_t>(count) + 2, 0);
    down[count + 1] = 1e-280;
    down[count] = ratio_down(z, count) * 1e-280;
    for (int n = count; n > 0; --n) {
      down[n - 1] = static_cast<double>(2 * n + 1) / z * down[n] - down[n + 1];
      if (std::abs(down[n - 1]) > 1e200)
        for (int m = n - 1; m <= count + 1; ++m) down[m] *= 1e-250;
    }
    // e^{jz} grows where Im z < 0, e^{−jz} falls.
    const Complex out = std::polar(1.0, -z.real()), grows = std::polar(1.0, z.real()),
                  falls = std::exp(-2 * depth) * out;
    const Complex s0 = (grows - falls) / (2.0 * j), c0 = (grows + falls) / 2.0, s1 = s0 / z - c0;
    const Complex factor = std::abs(s0) > std::abs(s1) ? s0 / down[0] : s1 / down[1];
    for (int n = 0; n <= count; ++n) s[n] = down[n] * factor;
    x[0] = j * out;
    if (count > 0) x[1] = x[0] / z - out;
    for (int n = 1; n < count; ++n) x[n + 1] = static_cast<double>(2 * n + 1) / z * x[n] - x[n - 1];
    ds[0] = c0;
    dx[0] = out;
    for (int n = 1; n <= count; ++n) {
      ds[n] = s[n - 1] - static_cast<double>(n) / z * s[n];
      dx[n] = x[n - 1] - static_cast<double>(n) / z * x[n];
    }
  }
  [[nodiscard]] Complex xi(int n) const { return x[n]; }
  [[nodiscard]] Complex dxi(int n) const { return dx[n]; }
};

Complex root(Complex v) {  // Im ≤ 0
  const Complex m = std::sqrt(v);
  return m.imag() > 0 ? -m : m;
}

/// a_n and b_n of a penetrable outer layer (m, mu) whose inner functions are given with their derivatives.
template <class Inner>
SphereSeries penetrable(double x, Complex m, Complex mu, int least, const Inner& inner) {
  const int count = terms(x, least);
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

int terms_near(double kb, double kr) {
  // ξ_n(x) ≈ (2n − 1)!!/xⁿ, and S_n its inverse, leave the range of doubles where x is small against n. Of a plane wave nothing is left by then.
  constexpr double decades = 280;
  int most = 1;
  for (double size = 0; most < 150 && size < decades; ++most) size += std::max(0.0, std::log10((2 * most + 1) / kb));
  // Static fields fall with (b/r)^(2n+1).
  const double needed = 14 * std::log(10.0) / (2 * std::log(std::max(kr / kb, 1.0001)));
  return std::max(terms(kb), static_cast<int>(std::min(needed, static_cast<double>(most))));
}

SphereField SphereSeries::outside(const std::array<double, 3>& kx) const {
  const double rho = std::sqrt(kx[0] * kx[0] + kx[1] * kx[1] + kx[2] * kx[2]), around = std::hypot(kx[0], kx[1]);
  const double cosine = kx[2] / rho, sine = around / rho;
  const double c = around > 0 ? kx[0] / around : 1, s = around > 0 ? kx[1] / around : 0;
  const Riccati r(rho, static_cast<int>(a.size()));
  // Spherical components of E and of the curl over k, which has sin φ where E has cos φ.
  std::array<Complex, 3> e{}, h{};
  Complex factor = 1;
  double before = 0, now = 1;  // π_0, π_1
  for (int n = 1; n <= static_cast<int>(a.size()); ++n) {
    if (n > 1) {
      const double next = ((2 * n - 1) * cosine * now - n * before) / (n - 1);
      before = now;
      now = next;
    }
    factor *= -j;
    const double tau = n * cosine * now - (n + 1) * before;
    const Complex weight = factor * ((2.0 * n + 1) / (n * (n + 1.0))) / rho;
    const Complex ta = -a[n - 1] * r.xi(n), da = -a[n - 1] * r.dxi(n), tb = -b[n - 1] * r.xi(n),
                  db = -b[n - 1] * r.dxi(n);
    const double radial = n * (n + 1.0) * sine * now / rho;
    e[0] += weight * j * radial * ta;
    e[1] += weight * (now * tb + j * tau * da);
    e[2] -= weight * (tau * tb + j * now * da);
    h[0] += weight * radial * tb;
    h[1] += weight * (tau * db - j * now * ta);
    h[2] += weight * (now * db - j * tau * ta);
  }
  const std::array<std::array<double, 3>, 3> unit{
      {{sine * c, sine * s, cosine}, {cosine * c, cosine * s, -sine}, {-s, c, 0}}};
  SphereField out;
  for (int d = 0; d < 3; ++d) {
    out.electric[d] = c * e[0] * unit[0][d] + c * e[1] * unit[1][d] + s * e[2] * unit[2][d];
    out.curl[d] = s * h[0] * unit[0][d] + s * h[1] * unit[1][d] + c * h[2] * unit[2][d];
  }
  const Complex phase = std::polar(1.0, -kx[2]);
  out.electric[0] += phase;
  out.curl[1] += -j * phase;
  return out;
}

SphereSeries conducting_sphere(double ka, int least) {
  const int count = terms(ka, least);
  const Riccati r(ka, count);
  SphereSeries out;
  out.x = ka;
  for (int n = 1; n <= count; ++n) {
    out.a.push_back(r.ds[n] / r.dxi(n));
    out.b.push_back(r.s[n] / r.xi(n));
  }
  return out;
}

SphereSeries homogeneous_sphere(double ka, Complex epsilon, Complex mu, int least) {
  const Complex m = root(epsilon * mu);
  const Riccati r(m * ka, terms(ka, least));
  return penetrable(ka, m, mu, least, [&](int n) { return std::array{r.s[n], r.ds[n], r.s[n], r.ds[n]}; });
}

SphereSeries impedance_sphere(double ka, Complex eta, int least) {
  const int count = terms(ka, least);
  const Riccati r(ka, count);
  SphereSeries out;
  out.x = ka;
  for (int n = 1; n <= count; ++n) {
    out.a.push_back((r.ds[n] - j * eta * r.s[n]) / (r.dxi(n) - j * eta * r.xi(n)));
    out.b.push_back((r.s[n] + j * eta * r.ds[n]) / (r.xi(n) + j * eta * r.dxi(n)));
  }
  return out;
}

SphereSeries resistive_shell(double ka, Complex eta) {
  const int count = terms(ka);
  const Riccati r(ka, count);
  SphereSeries out;
  out.x = ka;
  for (int n = 1; n <= count; ++n) {
    out.a.push_back(r.ds[n] * r.ds[n] / (eta + r.ds[n] * r.dxi(n)));
    out.b.push_back(r.s[n] * r.s[n] / (eta + r.s[n] * r.xi(n)));
  }
  return out;
}

SphereSeries coated_conductor(double ka, double kb, Complex epsilon, Complex mu, int least) {
  const Complex m = root(epsilon * mu);
  const Riccati y(m * ka, terms(kb, least)), z(m * kb, terms(kb, least));
  const double back = std::exp(-2 * (z.depth - y.depth));
  // S(z) ξ'(y) − ξ(z) S'(y) has no slope at y (TM), S(z) ξ(y) − ξ(z) S(y) no value (TE).
  return penetrable(kb, m, mu, least, [&](int n) {
    const Complex sa = y.dx[n], xa = back * y.ds[n], sb = y.x[n], xb = back * y.s[n];
    return std::array{z.s[n] * sa - z.x[n] * xa, z.ds[n] * sa - z.dx[n] * xa, z.s[n] * sb - z.x[n] * xb,
                      z.ds[n] * sb - z.dx[n] * xb};
  });
}

SphereSeries coated_sphere(double ka, double kb, Complex core_epsilon, Complex core_mu, Complex epsilon, Complex mu,
                           int least) {
  const Complex m = root(epsilon * mu), core = root(core_epsilon * core_mu), r = core / m, u = core_mu / mu;
  const Riccati c(core * ka, terms(kb, least)), y(m * ka, terms(kb, least)), z(m * kb, terms(kb, least));
  const double back = std::exp(-2 * (z.depth - y.depth));
  // As above, with the core's admittance at y in place of the conductor.
  return penetrable(kb, m, mu, least, [&](int n) {
    const Complex sa = r * c.s[n] * y.dx[n] - u * y.x[n] * c.ds[n],
                  xa = back * (r * c.s[n] * y.ds[n] - u * y.s[n] * c.ds[n]),
                  sb = r * y.x[n] * c.ds[n] - u * c.s[n] * y.dx[n],
                  xb = back * (r * y.s[n] * c.ds[n] - u * c.s[n] * y.ds[n]);
    return std::array{z.s[n] * sa - z.x[n] * xa, z.ds[n] * sa - z.dx[n] * xa, z.s[n] * sb - z.x[n] * xb,
                      z.ds[n] * sb - z.dx[n] * xb};
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
