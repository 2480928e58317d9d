// SPDX-License-Identifier: BSD-3-Clause
// The points and weights of the rules.
#include "engine/solvers/acoustic_bem/discretization/quadrature.hpp"

#include <cmath>

#include "engine/core/error.hpp"

namespace conoid::acoustic_bem {
namespace {

void add3(Rule& r, double a, double weight) {
  r.push_back({{1 - 2 * a, a, a}, weight});
  r.push_back({{a, 1 - 2 * a, a}, weight});
  r.push_back({{a, a, 1 - 2 * a}, weight});
}

}  // namespace

Rule triangle_rule(int points) {
  Rule r;
  switch (points) {
    case 1: r.push_back({{1.0 / 3, 1.0 / 3, 1.0 / 3}, 1}); break;
    case 3: add3(r, 1.0 / 6, 1.0 / 3); break;
    case 6:
      add3(r, 0.445948490915965, 0.223381589678011);
      add3(r, 0.091576213509771, 0.109951743655322);
      break;
    case 7: {
      const double root = std::sqrt(15.0);
      r.push_back({{1.0 / 3, 1.0 / 3, 1.0 / 3}, 0.225});
      add3(r, (6 + root) / 21, (155 + root) / 1200);
      add3(r, (6 - root) / 21, (155 - root) / 1200);
      break;
    }
    case 12: {
      add3(r, 0.249286745170910, 0.116786275726379);
      add3(r, 0.063089014491502, 0.050844906370207);
      const std::array<double, 3> l{0.053145049844817, 0.310352451033784, 0.636502499121399};
      for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t b = 0; b < 3; ++b)
          if (a != b) r.push_back({{l[a], l[b], l[3 - a - b]}, 0.082851075618374});
      break;
    }
    default: verify(false, "a triangle rule has 1, 3, 6, 7 or 12 points");
  }
  double total = 0;  // the tables have 15 digits: let constants be integrated exactly
  for (const RulePoint& p : r) total += p.weight;
  for (RulePoint& p : r) p.weight /= total;
  return r;
}

Rule split_rule(const Rule& rule, int splits) {
  if (splits <= 0) return rule;
  constexpr double h = 0.5;
  const std::array<std::array<std::array<double, 3>, 3>, 4> parts{{{{{1, 0, 0}, {h, h, 0}, {h, 0, h}}},
                                                                   {{{h, h, 0}, {0, 1, 0}, {0, h, h}}},
                                                                   {{{h, 0, h}, {0, h, h}, {0, 0, 1}}},
                                                                   {{{0, h, h}, {h, 0, h}, {h, h, 0}}}}};
  Rule out;
  for (const auto& part : parts)
    for (const RulePoint& p : split_rule(rule, splits - 1)) {
      RulePoint q;
      for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t k = 0; k < 3; ++k) q.lambda[k] += p.lambda[c] * part[c][k];
      q.weight = p.weight / 4;
      out.push_back(q);
    }
  return out;
}

}  // namespace conoid::acoustic_bem
