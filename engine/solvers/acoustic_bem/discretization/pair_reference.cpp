// SPDX-License-Identifier: BSD-3-Clause
// Moments of the shells by the outer rule, then the time factors.
//
// Unknowns piecewise linear (rigid) or constant (soft) in time, equation averaged over (t_{n−1}, t_n): the energetic
// space-time Galerkin method (Bamberger and Ha-Duong, Math. Meth. Appl. Sci. 8 (1986) 405 and 598; Ha-Duong, LNCSE 31
// (2003) 301; Aimi et al., Comput. Mech. 51 (2013) 475). With ξ = R/Δ − m in shell m:
//   rigid, acceleration part: (n·n'/Δ) (P_k − 2 P_{k−1} + P_{k−2});
//   rigid, curl part: Δ curl λ_a·curl λ_b ∫∫ b_2(R/Δ − k + 2)/4πR with the quadratic B-spline b_2 on [0, 3], that is
//     ½(1−ξ)², ½(1+2ξ−2ξ²), ½ξ² for k = m, m+1, m+2;
//   double layer at t_n: φ + sφ̇ is constant over a shell, so (Kφ)(t_n) = Σ_k κ_k a^{n−k}, κ_k = (k+1)D_k − (k−1)D_{k−1}.
#include "engine/solvers/acoustic_bem/discretization/pair_reference.hpp"

#include <algorithm>
#include <limits>
#include <numbers>

#include "engine/core/vec3.hpp"
#include "engine/solvers/acoustic_bem/discretization/shell_moments.hpp"

namespace conoid::acoustic_bem {

using namespace conoid::vec;

PairMatrices pair_reference(const Triangle& T, const Triangle& S, const Rule& rule, const Form& form) {
  const double delta = form.delta();
  std::vector<Vec3> x;
  ShellRange range{std::numeric_limits<Index>::max(), 0};
  for (const RulePoint& q : rule) {
    Vec3 p{};
    for (std::size_t c = 0; c < 3; ++c) p = axpy(q.lambda[c], T.corner[c], p);
    x.push_back(p);
    const ShellRange r = shell_range(S, p, delta);
    range = {std::min(range.first, r.first), std::max(range.last, r.last)};
  }
  PairMatrices out;
  out.first = range.first;
  out.direct.assign(static_cast<std::size_t>(range.last - range.first + 1 + form.reach()), {});
  out.transposed = out.direct;
  const auto plus = [&](std::vector<std::array<double, 9>>& to, Index k, std::size_t ab, double v) {
    to[static_cast<std::size_t>(k - out.first)][ab] += v;
  };
  const double nn = dot(T.normal, S.normal), ap = form.alpha_plus(), am = form.alpha_minus();
  for (Index m = range.first; m <= range.last; ++m) {
    std::array<double, 9> P{}, D{};
    double Q1 = 0, Q2 = 0;
    for (std::size_t q = 0; q < rule.size(); ++q) {
      const ShellMoments s = shell_moments(S, x[q], delta, m);
      const double w = rule[q].weight * T.area / (4 * std::numbers::pi);
      for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t b = 0; b < 3; ++b) {
          P[3 * a + b] += w * rule[q].lambda[a] * s.s[b];
          D[3 * a + b] += w * rule[q].lambda[a] * s.k[b];
        }
      Q1 += w * s.q1;
      Q2 += w * s.q2;
    }
    double Q0 = 0;
    for (double v : P) Q0 += v;
    const double md = static_cast<double>(m);
    const double e0 = Q0, e1 = Q1 / delta - md * Q0, e2 = Q2 / (delta * delta) - 2 * md * Q1 / delta + md * md * Q0;
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b) {
        const std::size_t ab = 3 * a + b;
        const auto symmetric = [&](Index k, double v) {  // the mirror pair (source, outer) adds the other half
          plus(out.direct, k, ab, 0.5 * v);
          plus(out.transposed, k, ab, 0.5 * v);
        };
        const double cc = dot(T.curl[a], S.curl[b]);
        switch (form.name) {
          case FormName::N:
          case FormName::NC:
            symmetric(m, nn / delta * P[ab] + delta * cc * 0.5 * (e0 - 2 * e1 + e2));
            symmetric(m + 1, -2 * nn / delta * P[ab] + delta * cc * 0.5 * (e0 + 2 * e1 - 2 * e2));
            symmetric(m + 2, nn / delta * P[ab] + delta * cc * 0.5 * e2);
            if (form.name == FormName::N) break;
            plus(out.direct, m, ab, -ap * (md + 1) * D[ab]);
            plus(out.direct, m + 1, ab, (ap * md - am * (md + 1)) * D[ab]);
            plus(out.direct, m + 2, ab, am * md * D[ab]);
            break;
          case FormName::D: symmetric(m, P[ab]); break;
          case FormName::DC:
            symmetric(m, ap * P[ab]);
            symmetric(m + 1, am * P[ab]);
            plus(out.transposed, m, ab, delta * (md + 1) * D[ab]);
            plus(out.transposed, m + 1, ab, -delta * md * D[ab]);
            break;
        }
      }
  }
  return out;
}

}  // namespace conoid::acoustic_bem
