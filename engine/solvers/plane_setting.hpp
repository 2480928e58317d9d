// SPDX-License-Identifier: BSD-3-Clause
// A plane of points on which a case wants its fields: normal to an axis, from corner to corner.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "engine/case/case.hpp"
#include "engine/core/error.hpp"
#include "engine/core/types.hpp"

namespace conoid {

struct PlaneSetting {
  std::string name;
  Vec3 origin{}, spacing{1, 1, 1};                    ///< m
  std::array<Index, 3> points{1, 1, 1};               ///< one along the normal
  [[nodiscard]] std::vector<Vec3> positions() const;  ///< x fastest
};

/// From {"name", "normal", "low", "high", "points"}; without a name it is "plane `number`". One without extent, or whose
/// corners differ along its normal, is an error in `out`.
[[nodiscard]] PlaneSetting read_plane(const Case& input, const Values& values, std::size_t number,
                                      std::vector<Diagnostic>& out);

}  // namespace conoid
