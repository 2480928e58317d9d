// SPDX-License-Identifier: BSD-3-Clause
// Series, recurrence, Hankel's expansion.
#include "engine/solvers/elastic_bem/discretization/bessel.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "engine/solvers/elastic_bem/discretization/complex_product.hpp"

namespace conoid::elastic_bem {

namespace {

using Number = std::complex<double>;

constexpr double series_below = 2, expansion_from = 25;
constexpr int expansion_terms = 18;

BesselValues bessel_by_series(Number w) {
  const Number half = 0.5 * w, square = -times(half, half);
  const Number first[3] = {1.0, half, 0.5 * times(half, half)};
  Number out[3];
  for (int n = 0; n < 3; ++n) {
    Number term = first[n], sum = term;
    for (int k = 1; k < 16; ++k) {
      term = times(term, square) / static_cast<double>(k * (k + n));
      sum += term;
    }
    out[n] = sum;
  }
  return {out[0], out[1], out[2]};
}

BesselValues bessel_by_recurrence(Number w) {
  const int start = 2 * static_cast<int>(0.5 * (std::abs(w) + 30));
  const Number twice = 2.0 / w;
  Number above = 0, here = 1e-30, even = 0;
  Number two = 0;
  for (int n = start; n > 0; --n) {
    if (n % 2 == 0) even += here;
    if (n == 2) two = here;
    const Number below = static_cast<double>(n) * times(twice, here) - above;
    above = here;
    here = below;
  }
  const Number scale = 1.0 / (here + 2.0 * even);
  return {times(here, scale), times(above, scale), times(two, scale)};
}

/// a_k(n) = Π (4n² − (2j − 1)²)/(k! 8^k), with the signs of P and Q.
constexpr std::array<std::array<double, expansion_terms>, 2> expansion = [] {
  std::array<std::array<double, expansion_terms>, 2> out{};
  for (int n = 0; n < 2; ++n) {
    double a = 1;
    for (int k = 0; k < expansion_terms; ++k) {
      if (k > 0) a *= (4.0 * n * n - (2.0 * k - 1) * (2.0 * k - 1)) / (8.0 * k);
      out[static_cast<std::size_t>(n)][static_cast<std::size_t>(k)] = (k / 2) % 2 == 0 ? a : -a;
    }
  }
  return out;
}();

BesselValues bessel_by_expansion(Number w) {
  const Number inverse = 1.0 / w, square = times(inverse, inverse);
  Number p[2], q[2];
  for (std::size_t n = 0; n < 2; ++n) {
    for (std::size_t k = expansion_terms; k > 1; k -= 2) {
      p[n] = times(p[n], square) + expansion[n][k - 2];
      q[n] = times(q[n], square) + expansion[n][k - 1];
    }
    q[n] = times(q[n], inverse);
  }
  const double s = std::sin(w.real()), c = std::cos(w.real()), sh = std::sinh(w.imag()), ch = std::cosh(w.imag());
  const Number sine{s * ch, c * sh}, cosine{c * ch, -s * sh};
  // cos and sin of w − π/4, but for 1/√2, which the front has.
  const Number along = cosine + sine, across = sine - cosine;
  const Number front = std::sqrt(inverse / std::numbers::pi);
  const Number f0 = times(front, times(p[0], along) - times(q[0], across)),
               f1 = times(front, times(p[1], across) + times(q[1], along));
  return {f0, f1, 2.0 * times(f1, inverse) - f0};
}

}  // namespace

BesselValues bessel_values(Number w) {
  const double size = std::abs(w);
  if (size < series_below) return bessel_by_series(w);
  return size < expansion_from ? bessel_by_recurrence(w) : bessel_by_expansion(w);
}

BesselValues hankel_values(Number w, double sign) {
  const Number i1{0, 1}, front = std::sqrt(2.0 / (std::numbers::pi * w));
  Number out[3];
  for (int n = 0; n < 3; ++n) {
    Number term = 1, sum = 1;
    for (int k = 1; k < 40; ++k) {
      const double odd = 2 * k - 1;
      const Number next = term * sign * i1 * (4.0 * n * n - odd * odd) / (8.0 * k * w);
      if (std::abs(next) >= std::abs(term) || std::abs(next) < 1e-17) break;
      term = next;
      sum += term;
    }
    out[n] = front * sum * std::polar(1.0, -sign * std::numbers::pi * (0.5 * n + 0.25));
  }
  return {out[0], out[1], out[2]};
}

}  // namespace conoid::elastic_bem
