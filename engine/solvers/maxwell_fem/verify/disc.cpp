// SPDX-License-Identifier: BSD-3-Clause
// Galerkin's equations of the currents: static parts in closed form, the rest by quadrature.
//
// With the radius as the unit of length the currents are J_x = f_0(ρ) + f_2(ρ) cos 2φ, J_y = f_2(ρ) sin 2φ; F_0, F_2 are the transforms of f_0,
// f_2 with J_0 and J_2. Along the wave number κ the transform of J is (F_0 − F_2) cos α, across it −(F_0 + F_2) sin α, and their fields on the
// disc are −η/2 times k_z/k and k/k_z of that, k_z² = k² − κ². f_0 and f_2 are sums of j_{2n}(κ) and j_{2n+2}(κ); of the currents across the
// rim only what vanishes there, so that F_0 − F_2 falls as κ^−2.
#include "engine/solvers/maxwell_fem/verify/disc.hpp"

#include "engine/numerics/gauss_legendre.hpp"
#include "engine/numerics/spherical_bessel.hpp"
#include "engine/solvers/maxwell_fem/discretization/patch.hpp"
#include "engine/solvers/maxwell_fem/discretization/pi.hpp"

#include <cmath>
#include <functional>
#include <vector>

namespace conoid::maxwell_fem {

namespace {

/// Coefficients of j_0, j_1, … of a function of the series: of F_0 − F_2 times κ, and of F_0 + F_2.
struct DiscTerm {
  std::vector<double> along, across;
};

/// One term with currents that are singular along the rim, then pairs j_m + j_{m+2} = (2m + 3) j_{m+1}/κ of F_0 and of F_2.
std::vector<DiscTerm> disc_series(int pairs, int orders) {
  std::vector<DiscTerm> out;
  const auto term = [&] {
    out.push_back(
        {std::vector<double>(static_cast<std::size_t>(orders)), std::vector<double>(static_cast<std::size_t>(orders))});
    return &out.back();
  };
  DiscTerm* t = term();  // F_0 = j_0, F_2 = −j_2
  t->along[1] = 3;
  t->across[0] = 1;
  t->across[2] = -1;
  for (const int sign : {1, -1})
    for (int n = 0; n < pairs; ++n) {
      const int m = 2 * n + (sign < 0 ? 2 : 0);
      t = term();
      t->along[m + 1] = sign * (2 * m + 3);
      t->across[m] = t->across[m + 2] = 1;
    }
  return out;
}

/// Gauss's elimination with pivots; a is overwritten.
std::vector<Complex> eliminated(std::vector<Complex> a, std::vector<Complex> b) {
  const std::size_t n = b.size();
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c + 1; r < n; ++r)
      if (std::abs(a[r * n + c]) > std::abs(a[pivot * n + c])) pivot = r;
    for (std::size_t k = 0; k < n; ++k) std::swap(a[c * n + k], a[pivot * n + k]);
    std::swap(b[c], b[pivot]);
    for (std::size_t r = c + 1; r < n; ++r) {
      const Complex f = a[r * n + c] / a[c * n + c];
      for (std::size_t k = c; k < n; ++k) a[r * n + k] -= f * a[c * n + k];
      b[r] -= f * b[c];
    }
  }
  for (std::size_t r = n; r-- > 0;) {
    for (std::size_t k = r + 1; k < n; ++k) b[r] -= a[r * n + k] * b[k];
    b[r] /= a[r * n + r];
  }
  return b;
}

}  // namespace

Complex disc_amplitude(double k) {
  constexpr Complex j{0, 1};
  const int pairs = 5 + static_cast<int>(k), orders = 2 * pairs + 4;
  const std::vector<DiscTerm> terms = disc_series(pairs, orders);
  const std::size_t n = terms.size();
  std::vector<Complex> z(n * n, 0);
  // What is left at large κ, k_z = −jκ: ∫ j_m j_n dκ = π/(4m + 2) for m = n, and nothing for others of the same parity.
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b)
      for (int m = 0; m < orders; ++m)
        z[a * n + b] +=
            pi / (4 * m + 2) *
            (-j / k * terms[a].along[m] * terms[b].along[m] + j * k * terms[a].across[m] * terms[b].across[m]);
  // The rest falls as κ^−4; weight: of dκ. Of κ near k the root is taken out by sin and cosh.
  const auto add = [&](double kappa, double weight, Complex kz) {
    std::vector<double> along(n, 0), across(n, 0);
    const std::vector<double> all = spherical_bessel(kappa, orders - 1).j;
    for (int m = 0; m < orders; ++m) {
      const double bessel = all[static_cast<std::size_t>(m)];
      for (std::size_t a = 0; a < n; ++a) {
        along[a] += terms[a].along[m] * bessel / kappa;
        across[a] += terms[a].across[m] * bessel;
      }
    }
    const Complex one = weight * kappa * (kz + j * kappa) / k, two = weight * (k * kappa / kz - j * k);
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < n; ++b) z[a * n + b] += one * along[a] * along[b] + two * across[a] * across[b];
  };
  const LineRule rule = gauss_legendre(40);
  const auto over = [&](double from, double to, const std::function<void(double, double)>& at) {
    for (std::size_t p = 0; p < rule.points.size(); ++p)
      at(from + (to - from) * rule.points[p], (to - from) * rule.weights[p]);
  };
  over(0, pi / 2, [&](double t, double w) { add(k * std::sin(t), w * k * std::cos(t), k * std::cos(t)); });
  const double farthest = 250;
  double from = 0;
  for (double kappa = k; kappa < farthest; kappa += 5) {
    const double to = std::acosh((kappa + 5) / k);
    over(from, to, [&](double u, double w) { add(k * std::cosh(u), w * k * std::sinh(u), -j * k * std::sinh(u)); });
    from = to;
  }
  // F_0(0) of the first term and of the first pair; E on the disc against E of the wave.
  std::vector<Complex> right(n, 0);
  right[0] = right[1] = 8 * pi;
  const std::vector<Complex> current = eliminated(std::move(z), std::move(right));
  return -j * k / (4 * pi) * (current[0] + current[1]);
}

}  // namespace conoid::maxwell_fem
