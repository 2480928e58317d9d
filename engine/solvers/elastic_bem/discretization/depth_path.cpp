// SPDX-License-Identifier: BSD-3-Clause
// Where the way runs.
#include "engine/solvers/elastic_bem/discretization/depth_path.hpp"

#include <algorithm>
#include <cmath>

#include "engine/solvers/elastic_bem/discretization/quadrature.hpp"

namespace conoid::elastic_bem {

namespace {

constexpr int gauss = 10;  ///< points of a panel

}  // namespace

DepthPath::DepthPath(const BuriedCompliance& f, double highest, double nearest, double farthest) {
  const double fastest = f.highest_wave_number(), deep = f.apart();
  // As on the surface: branch points up to k_S of the slowest medium, poles up to 1.15 of it, anything near 0.
  double at = 0;
  if (fastest > 0) {
    const double past = 1.6 * fastest, height = std::min(highest, 3 / farthest),
                 panel = std::min(1.2 * height, 4 / farthest);
    const Complex up(0.5 * height, height), over(past, height);
    double share = std::ldexp(1.0, -10);
    straight(0, share * up, panel);
    for (; share < 1; share *= 2) straight(share * up, 2 * share * up, panel);
    straight(up, over, panel);
    straight(over, past, panel);
    at = past;
  }
  const double end = deep > 0 ? decayed / deep : 1e300,
               turn = nearest > 0
                          ? std::max({at, (far_argument + 1) / nearest, std::min(6 / f.thinnest(), settled / nearest)})
                          : 1e300,
               last = std::min(std::max(at, end), turn),
               least = 0.25 / std::max(f.deepest(), std::max(deep, 0.25 * farthest));
  while (at < last) {
    const double width = std::min(std::max(0.5 * at, at > 0 ? 0 : least), 4 / farthest),
                 next = std::min(at + width, last);
    straight(at, next, width * 1.001);
    at = next;
  }
  if (!(turn < end)) return;
  // On k = k_0 + s/(deep ∓ ir) the product e^{±ikr} e^{−k deep} falls as e^{−s}, and as e^{−0.7 s} or faster at the other distances.
  const double middle = std::sqrt(nearest * farthest);
  for (std::size_t side = 0; side < 2; ++side) {
    const Complex way_on = 1.0 / Complex(deep, side == 0 ? -middle : middle);
    for (int n = 0; n < turned_panels; ++n)
      for (const GaussPoint& g : gauss_points(gauss))
        turned[side].emplace_back(at + 4 * (n + g.x) * way_on, 4 * g.w * way_on);
  }
}

void DepthPath::straight(Complex from, Complex to, double panel) {
  const int panels = std::max(1, static_cast<int>(std::ceil(std::abs(to - from) / panel)));
  const Complex step = (to - from) / static_cast<double>(panels);
  for (int n = 0; n < panels; ++n)
    for (const GaussPoint& g : gauss_points(gauss))
      axis.emplace_back(from + (static_cast<double>(n) + g.x) * step, g.w * step);
}

std::vector<double> depth_panel_ends(const BuriedCompliance& f, double nearest, double farthest) {
  const double deep = f.apart(), fastest = f.highest_wave_number(), longest = fastest > 0 ? 3.4 / fastest : 1e300;
  std::vector<double> out{0.999 * nearest};
  const double last = std::max(1.001 * farthest, 1e-3 * deep);
  while (out.back() < last) {
    const double at = out.back(), end = at + std::min(0.5 * std::hypot(at, deep), longest);
    out.push_back(end > last - 0.1 * (end - at) ? last : end);
  }
  return out;
}

std::size_t depth_group_end(const std::vector<double>& ends, std::size_t first) {
  std::size_t last = first + 1;
  while (last + 1 < ends.size() && ends[last + 1] <= 2 * ends[first]) ++last;
  return last;
}

}  // namespace conoid::elastic_bem
