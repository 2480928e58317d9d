// SPDX-License-Identifier: BSD-3-Clause
// Symmetric rules on a triangle (D. A. Dunavant, IJNME 21 (1985) 1129–1148), and a rule on a triangle split into parts.
#pragma once

#include <array>
#include <vector>

namespace conoid::acoustic_bem {

/// One point in barycentric coordinates; the weights of a rule add up to 1.
struct RulePoint {
  std::array<double, 3> lambda{};
  double weight = 0;
};
using Rule = std::vector<RulePoint>;

/// 1, 3, 6, 7 or 12 points: exact to degree 1, 2, 4, 5, 6.
[[nodiscard]] Rule triangle_rule(int points);
/// The same rule on each of the 4^splits parts of the halved edges.
[[nodiscard]] Rule split_rule(const Rule& rule, int splits);

}  // namespace conoid::acoustic_bem
