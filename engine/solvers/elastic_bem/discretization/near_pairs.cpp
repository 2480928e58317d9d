// SPDX-License-Identifier: BSD-3-Clause
// The list of near pairs: boxes of consecutive rows against elements, then rows.
#include "engine/solvers/elastic_bem/discretization/near_pairs.hpp"

#include "engine/team/phase.hpp"

#include <algorithm>
#include <cmath>

namespace conoid::elastic_bem {

template <class Real>
NearPairs near_pairs(const Surface& surface, const FarRules<Real>& rules, const RowPoints& rows, Index elements,
                     const CpuWorker& threads) {
  // Rows follow each other along the mesh, so that boxes of some of them are small; were they not, all pairs would be looked at.
  constexpr Index some = 64;
  const auto m = static_cast<Index>(rows.points.size()), boxes = (m + some - 1) / some;
  std::vector<std::vector<Index>> found(static_cast<std::size_t>(m));
  threads.for_each({0, boxes}, 1, [&](Interval chunk, int) {
    for (Index b = chunk.begin; b < chunk.end; ++b) {
      const Interval mine{b * some, std::min(m, (b + 1) * some)};
      double x[some][3];
      Vec3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
      for (Index r = mine.begin; r < mine.end; ++r) {
        const Vec3 p = vec::sub(rows.points[static_cast<std::size_t>(r)], rules.origin());
        for (std::size_t d = 0; d < 3; ++d) {
          const double v = static_cast<double>(static_cast<Real>(p[d]));
          x[r - mine.begin][d] = v;
          low[d] = std::min(low[d], v);
          high[d] = std::max(high[d], v);
        }
      }
      for (Index k = 0; k < elements; ++k) {
        const double limit = rules.classes(k).back().distance2;
        const Vec3 c = rule_centre(rules, surface.elements[static_cast<std::size_t>(k)]);
        double apart = 0;
        for (std::size_t d = 0; d < 3; ++d) {
          const double gap = std::max({0.0, low[d] - c[d], c[d] - high[d]});
          apart += gap * gap;
        }
        if (!(apart < 1.0001 * limit)) continue;
        for (Index r = mine.begin; r < mine.end; ++r) {
          const double* at = x[r - mine.begin];
          const double dx = at[0] - c[0], dy = at[1] - c[1], dz = at[2] - c[2];
          if (!(dx * dx + dy * dy + dz * dz < limit)) continue;
          if (rows.on_surface && std::ranges::any_of(surface.touches[static_cast<std::size_t>(r)],
                                                     [k](const Touch& touch) { return touch.element == k; }))
            continue;
          found[static_cast<std::size_t>(r)].push_back(k);
        }
      }
    }
  });
  NearPairs out;
  out.first.reserve(static_cast<std::size_t>(m) + 1);
  out.first.push_back(0);
  for (const auto& list : found) out.first.push_back(out.first.back() + static_cast<Index>(list.size()));
  out.element.reserve(static_cast<std::size_t>(out.first.back()));
  for (const auto& list : found) out.element.insert(out.element.end(), list.begin(), list.end());
  return out;
}

template NearPairs near_pairs<double>(const Surface&, const FarRules<double>&, const RowPoints&, Index,
                                      const CpuWorker&);
template NearPairs near_pairs<float>(const Surface&, const FarRules<float>&, const RowPoints&, Index, const CpuWorker&);

}  // namespace conoid::elastic_bem
