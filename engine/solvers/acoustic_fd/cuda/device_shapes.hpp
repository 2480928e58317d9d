// SPDX-License-Identifier: BSD-3-Clause
// Shapes of the kernels that take several steps at once on a device, and how many of their tiles cover a grid.
#pragma once

#include "engine/core/types.hpp"
#include "engine/solvers/acoustic_fd/cuda/panel_arguments.hpp"
#include "engine/solvers/acoustic_fd/cuda/torre_arguments.hpp"
#include "engine/solvers/acoustic_fd/cuda/tower_arguments.hpp"
#include "engine/team/module.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace conoid::acoustic_fd {

/// What a launch of towers has to know of their shape.
struct TowerPlan {
  int levels, rows, fours, rim, threads;
  Bytes shared;
};
template <int R>
constexpr TowerPlan plan_of() {
  using S = TowerOf<R>;
  return {S::levels, S::tile_rows, S::tile_fours, S::rim, S::launched, static_cast<Bytes>(S::shared)};
}
inline constexpr TowerPlan tower_plans[] = {plan_of<1>(), plan_of<2>(), plan_of<3>(),
                                            plan_of<4>(), plan_of<5>(), plan_of<6>()};

/// What a launch of panels has to know of their shape; and how many of them cover a grid.
struct PanelPlan {
  Index radius, levels, high, rim, useful, threads, unrolled;
  Bytes shared, kept,
      damping;   ///< of a block; kept: from launch to launch; damping: PanelArguments::damping, where there is such
  bool density;  ///< for grids where it varies
  Index cluster = 0, rows = 0, columns = 0;
  Index whole = 0, parts = 0, rest = 0;  ///< panels that go in `parts` along x; the others, which come last, in `rest`

  enum class Launch {
    alone,     ///< nothing else runs beside it
    together,  ///< other launches take what the last round leaves free
    going_on   ///< the same, and in one part, which goes on where the launch before ended
  };
  static constexpr Index to_go_on = 8;  ///< planes that this takes as long as

  /// Of this stencil, and within a block's shared memory; devices without clusters have no boxes either.
  [[nodiscard]] bool fits(Index stencil_radius, bool density_varies, const DeviceInfo& device) const {
    return radius == stencil_radius && density == density_varies && device.cluster > 1 &&
           device.shared_per_block >= shared + 1024;
  }
  [[nodiscard]] Bytes kept_bytes() const { return static_cast<Bytes>(rows * columns * cluster) * kept; }
  [[nodiscard]] Bytes damping_bytes() const { return static_cast<Bytes>(rows * columns * cluster) * damping; }
  /// By which panels are apart along y.
  [[nodiscard]] Index apart() const { return cluster * high - 2 * radius * levels; }
  /// First row and four of a panel.
  [[nodiscard]] std::array<Index, 2> corner(Index row, Index column, const std::array<Index, 3>& n) const {
    const Index fours = (n[2] + 3) / 4;
    return {std::min(row * apart(), n[1] - cluster * high), std::min(column * useful, std::max<Index>(0, fours - 32))};
  }
  /// The cover that takes the fewest rounds of planes; how many. at_once(cluster): clusters of that size that run at a time. Alone, as many
  /// panels as make whole rounds are longer than the rest, which is cut so that it fills its rounds too.
  template <class AtOnce>
  double cover(const std::array<Index, 3>& n, Index largest_cluster, AtOnce&& at_once, Launch launch = Launch::alone) {
    const Index overlap = 2 * radius * levels, fours = (n[2] + 3) / 4;
    columns = fours <= 32 ? 1 : (fours - 2 * rim + useful - 1) / useful;
    double least = 0, best = 0;
    for (Index c = 1; c <= largest_cluster; ++c) {
      const Index apart = c * high - overlap;
      if (n[1] < c * high || (apart < 1 && n[1] > c * high)) continue;
      const Index down = n[1] == c * high ? 1 : (n[1] - overlap + apart - 1) / apart, at_a_time = at_once(c);
      const Index fewest = (n[0] + longest_panel - 1) / longest_panel;
      const Index most = launch == Launch::going_on ? fewest : std::max(fewest, n[0] / (2 * overlap));
      const Index beside = launch == Launch::going_on ? to_go_on : overlap;
      const Index panels = down * columns;
      const auto planes_of = [&](Index p) { return static_cast<double>((n[0] + p - 1) / p + beside); };
      const auto rounds_of = [&](Index count) {
        return std::ceil(static_cast<double>(count) / static_cast<double>(at_a_time));
      };
      const auto consider = [&](double cost, double uneven, Index long_ones, Index p, Index r) {
        if (best != 0 && cost + uneven >= best) return;
        best = cost + uneven;
        least = cost;
        cluster = c;
        rows = down;
        whole = long_ones;
        parts = p;
        rest = r;
      };
      for (Index p = fewest; at_a_time > 0 && p <= most; ++p) {
        if (launch != Launch::alone) {
          consider(std::max(0.5, static_cast<double>(panels * p) / static_cast<double>(at_a_time)) * planes_of(p), 0,
                   panels, p, p);
          continue;
        }
        // Not all end at a time: about half of a round is lost at the end.
        consider(rounds_of(panels * p) * planes_of(p), planes_of(p) / 2, panels, p, p);
        const Index long_ones = panels * p / at_a_time * at_a_time / p;
        for (Index r = p + 1; p <= fewest + 1 && long_ones > 0 && long_ones < panels && r <= std::min<Index>(most, 64);
             ++r)
          consider(rounds_of(long_ones * p) * planes_of(p) + rounds_of((panels - long_ones) * r) * planes_of(r),
                   planes_of(r) / 2, long_ones, p, r);
      }
    }
    return least;
  }
};
template <int R, int T, bool density = false>
constexpr PanelPlan panel_plan_of() {
  using S = PanelOf<R, T, density>;
  return {R,
          S::levels,
          S::high,
          S::rim,
          S::useful_fours,
          S::threads,
          S::unrolled,
          static_cast<Bytes>(S::shared),
          Bytes{16} * S::kept_fours,
          S::damping_far ? Bytes{32} * S::cells : 0,
          density};
}
/// By the stencil's radius, by falling levels.
inline constexpr PanelPlan panel_plans[] = {
    panel_plan_of<1, 7>(),       panel_plan_of<1, 4>(),       panel_plan_of<2, 4>(),
    panel_plan_of<3, 2>(),       panel_plan_of<4, 2>(),       panel_plan_of<1, 5, true>(),
    panel_plan_of<2, 3, true>(), panel_plan_of<3, 2, true>(), panel_plan_of<4, 2, true>()};

/// The same of DiamondTorre.
struct TorrePlan {
  Index half = 0;   ///< DTS; 0: none
  Index steps = 0;  ///< of a band
  Index rows = 0, across = 0, deep = 0, first_row = 0, threads = 0;
  Bytes shared = 0;
  double rate = 0;  ///< expected of an H200 (cuda/torre_body.hpp), 10⁹ updates a second
};
template <class T, int half>
TorrePlan torre_plan(const std::array<Index, 3>& n, Index steps) {
  using S = TorreOf<T, half>;
  constexpr Index D = S::width;
  TorrePlan p;
  p.half = half;
  p.steps = std::min<Index>((steps + D - 1) / D * D, S::longest);
  const Index lean = (p.steps - 1 + 3) / 4 * 4, least = std::max<Index>(S::least, (p.steps + 31) / 32 * 32);
  if (least > S::most) return {};
  p.deep = (n[2] + lean + S::most - 1) / S::most;
  p.threads = std::clamp<Index>(((n[2] + lean + p.deep - 1) / p.deep + 31) / 32 * 32, least, S::most);
  p.first_row = -(D + p.steps + half) / half;
  p.rows = n[0] / half + 1 - p.first_row;
  p.across = (n[1] + 2 * half - 2) / D + 1;
  p.shared = static_cast<Bytes>(S::shared);
  const double useful = static_cast<double>(n[1] * n[2]) / static_cast<double>(p.across * D * p.deep * p.threads) *
                        static_cast<double>(n[0]) / static_cast<double>(n[0] + p.steps + D);
  p.rate = useful * (half == 3 ? 230 : half == 4 ? 250 : 135) * 4 / static_cast<double>(sizeof(T));
  return p;
}

}  // namespace conoid::acoustic_fd
