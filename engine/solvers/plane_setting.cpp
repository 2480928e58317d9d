// SPDX-License-Identifier: BSD-3-Clause
// Planes of output, as all solvers on surfaces and meshes read them.
#include "engine/solvers/plane_setting.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/core.h>

#include "engine/case/case_reader.hpp"

namespace conoid {

std::vector<Vec3> PlaneSetting::positions() const {
  std::vector<Vec3> out;
  for (Index k = 0; k < points[2]; ++k)
    for (Index j = 0; j < points[1]; ++j)
      for (Index i = 0; i < points[0]; ++i)
        out.push_back({origin[0] + spacing[0] * static_cast<double>(i), origin[1] + spacing[1] * static_cast<double>(j),
                       origin[2] + spacing[2] * static_cast<double>(k)});
  return out;
}

PlaneSetting read_plane(const Case& input, const Values& v, std::size_t number, std::vector<Diagnostic>& out) {
  PlaneSetting p;
  p.name = name_or_number(v, "plane ", number);
  const std::size_t normal = std::string_view("xyz").find(v["normal"].text());
  const Vec3 low = v["low"].vec3(), high = v["high"].vec3();
  p.origin = low;
  std::size_t k = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    if (d == normal) {
      if (std::abs(high[d] - low[d]) >
          1e-9 * std::max(std::abs(low[d]), std::abs(high[d])))  // not the round-off of units
        out.push_back(
            input.error_at(v,
                           fmt::format("the plane is normal to {0}, but low and high differ along {0}: {1:.6g} "
                                       "and {2:.6g} m",
                                       "xyz"[d], low[d], high[d]),
                           "Give both corners the same value along the normal."));
      continue;
    }
    p.points[d] = v["points"].at(k++).integer();
    p.spacing[d] = (high[d] - low[d]) / static_cast<double>(p.points[d] - 1);
    if (!(p.spacing[d] > 0))
      out.push_back(input.error_at(v, fmt::format("the plane has no extent along {}", "xyz"[d]),
                                   "Give low and high corners that differ along both axes in the plane."));
  }
  return p;
}

}  // namespace conoid
