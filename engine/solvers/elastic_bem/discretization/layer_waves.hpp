// SPDX-License-Identifier: BSD-3-Clause
// P and SV waves of one layer at one wave number, in the terms of layered_compliance.hpp, and small systems of equations of them.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "engine/solvers/elastic_bem/kernels/medium.hpp"

namespace conoid::elastic_bem {

using Vector2 = std::array<Complex, 2>;
using Square2 = std::array<Vector2, 2>;

[[nodiscard]] inline Square2 inverse2(const Square2& m) {
  const Complex d = 1.0 / (m[0][0] * m[1][1] - m[0][1] * m[1][0]);
  return {Vector2{m[1][1] * d, -m[0][1] * d}, Vector2{-m[1][0] * d, m[0][0] * d}};
}

[[nodiscard]] inline Square2 product2(const Square2& a, const Square2& b) {
  Square2 out{};
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 2; ++j) out[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j];
  return out;
}

/// P and SV waves of one medium at one wave number; across, μb is the stiffness of SH waves that go down.
struct LayerWaves {
  Complex a, b, s;
  double kappa2;
  Complex stiffness;  ///< μ over that of the uppermost medium

  LayerWaves(const Harmonic& h, Complex k, Complex stiffness_) : kappa2(h.kappa * h.kappa), stiffness(stiffness_) {
    const auto root = [](Complex square) {
      const Complex r = std::sqrt(square);
      return r.real() < 0 ? -r : r;
    };
    a = root(k * k - h.kP * h.kP) / k;
    b = root(k * k - h.kS * h.kS) / k;
    s = h.kS * h.kS / (k * k);
  }
  LayerWaves(double kappa2_, Complex s_) : s(s_), kappa2(kappa2_), stiffness(1) {
    a = std::sqrt(1.0 - kappa2 * s);
    b = std::sqrt(1.0 - s);
  }

  /// Displacements and loads at the way `depth` = k z of the two that go down, columns S and (P − S)/s.
  void down(Complex depth, Square2& d, Square2& t) const {
    const Complex es = std::exp(-b * depth), ep = std::exp(-a * depth);
    const Complex each = -depth * (1 - kappa2) / (a + b), x = s * each;  // −(α − β) z
    Complex apart;                                                       // (e^{−αz} − e^{−βz})/s
    if (std::abs(x) < 0.1)
      apart = es * each *
              (1.0 +
               x / 2.0 *
                   (1.0 +
                    x / 3.0 * (1.0 + x / 4.0 * (1.0 + x / 5.0 * (1.0 + x / 6.0 * (1.0 + x / 7.0 * (1.0 + x / 8.0)))))));
    else
      apart = (ep - es) / s;
    const Vector2 ds{b, 1}, ts{stiffness * (2.0 - s), stiffness * 2.0 * b}, dd{1.0 / (1.0 + b), -kappa2 / (1.0 + a)},
        td{stiffness * (1.0 - 2 * kappa2 / (1.0 + a)), stiffness * (2.0 / (1.0 + b) - 1.0)};
    for (std::size_t i = 0; i < 2; ++i) {
      d[i] = {ds[i] * es, dd[i] * ep + ds[i] * apart};
      t[i] = {ts[i] * es, td[i] * ep + ts[i] * apart};
    }
  }
  /// Loads over displacements on top of a half-space.
  [[nodiscard]] Square2 half_space() const {
    Square2 d, t;
    down(0, d, t);
    return product2(t, inverse2(d));
  }
};

/// The same wave upside down: (q, −w), (−p_r, p_z).
[[nodiscard]] inline Square2 mirrored(const Square2& m, bool load) {
  Square2 out = m;
  for (Complex& v : out[load ? 0 : 1]) v = -v;
  return out;
}

/// a x = b for four unknowns; x takes the place of b.
template <std::size_t Columns>
void eliminate(std::array<std::array<Complex, 4>, 4>& a, std::array<std::array<Complex, Columns>, 4>& b) {
  for (std::size_t k = 0; k < 4; ++k) {
    std::size_t p = k;
    for (std::size_t i = k + 1; i < 4; ++i)
      if (std::norm(a[i][k]) > std::norm(a[p][k])) p = i;
    std::swap(a[k], a[p]);
    std::swap(b[k], b[p]);
    const Complex pivot = 1.0 / a[k][k];
    for (std::size_t i = k + 1; i < 4; ++i) {
      const Complex f = a[i][k] * pivot;
      for (std::size_t j = k + 1; j < 4; ++j) a[i][j] -= f * a[k][j];
      for (std::size_t j = 0; j < Columns; ++j) b[i][j] -= f * b[k][j];
    }
  }
  for (std::size_t k = 4; k-- > 0;)
    for (std::size_t j = 0; j < Columns; ++j) {
      Complex v = b[k][j];
      for (std::size_t i = k + 1; i < 4; ++i) v -= a[k][i] * b[i][j];
      b[k][j] = v / a[k][k];
    }
}

}  // namespace conoid::elastic_bem
