// SPDX-License-Identifier: BSD-3-Clause
// How a grid goes to a device: whether it fits, and the window that takes the least time where it does not.
#include "engine/solvers/acoustic_fd/cuda/device_plan.hpp"

#include "engine/solvers/acoustic_fd/cuda/device_shapes.hpp"
#include "engine/solvers/acoustic_fd/discretization/layers.hpp"
#include "engine/solvers/acoustic_fd/stepping/slab.hpp"
#include "engine/solvers/acoustic_fd/stepping/storage.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace conoid::acoustic_fd {

std::vector<Stage> stages_of(Index steps, Index s, const std::vector<Index>& panel_levels) {
  std::vector<Stage> out;
  Index lag = 0;
  const auto add = [&](Index levels, int kind) {
    if (!out.empty()) lag += s * (kind < 0 ? 1 : std::max(levels, out.back().levels));
    out.push_back({out.empty() ? 0 : out.back().first + out.back().levels, levels, lag, kind});
    steps -= levels;
  };
  for (std::size_t kind = 0; kind < panel_levels.size(); ++kind)
    while (steps >= panel_levels[kind]) add(panel_levels[kind], static_cast<int>(kind));
  while (steps > 0) add(1, -1);
  return out;
}
Index planes_behind(const std::vector<Stage>& stages, Index s) {
  Index most = 0;
  for (const Stage& stage : stages) most = std::max(most, stage.lag + s * stage.levels);
  return most + 2 * s;
}
Index planes_ahead(const std::vector<Stage>& stages, Index s) {
  return s * std::max<Index>(2, stages.front().levels);
}

bool leaves_an_interior(const Problem& problem, Index levels) {
  const Index beside = problem.order / 2 * std::max(levels - 1, 2 * (levels - 2));
  for (std::size_t a = 0; a < 3; ++a) {
    Index taken = 0;
    for (const Face& face : {problem.faces[2 * a], problem.faces[2 * a + 1]})
      if (face.kind == FaceKind::matched) taken += face.width + beside;
    if (taken >= problem.grid.points[a]) return false;
  }
  return true;
}

namespace {

Bytes value_bytes(const Problem& problem) {
  return problem.double_precision ? sizeof(double) : sizeof(float);
}

/// Values of the memory of the matched layers in so many rows: of x in all, of y and z a plane.
struct LayerValues {
  Index fixed = 0, plane = 0;
};
LayerValues layer_values(const Problem& problem, Index rows) {
  const std::array<Index, 3> n{problem.grid.points[0], rows, problem.grid.points[2]};
  constexpr Index pad = 16;  // as in Layout
  const auto padded = [](Index count) { return (count + pad - 1) / pad * pad + pad; };
  const auto variables = static_cast<Index>(layer_arrays(problem));
  LayerValues out;
  for (std::size_t f = 0; f < 6; ++f)
    if (const Face& face = problem.faces[f]; face.kind == FaceKind::matched) {
      const Index width = std::min(face.width, n[f / 2]);
      if (f / 2 == 0) out.fixed += variables * width * n[1] * padded(n[2]);
      if (f / 2 == 1) out.plane += variables * width * padded(n[2]);
      if (f / 2 == 2) out.plane += variables * n[1] * padded(width);
    }
  return out;
}

/// 10⁹ updates a second of an H200, by the radius: single steps, and kernels of panels, alone on 1024³ nodes. They weigh ways against each other.
constexpr double single_rate[] = {0, 205, 192, 180, 171, 150, 140}, panel_rate[] = {0, 797, 498, 312, 294};
/// The same of panels where the density varies, from the bytes that they move: 24/levels a node instead of 20/levels.
constexpr double dense_panel_rate[] = {0, 600, 380, 270, 255};
constexpr std::array<Index, 3> panels_timed_on{1024, 1024, 1024};
/// B/s to the device, and as many back. Both ways at once a link of 52e9 has less to spare: windows planned for that had too few steps and waited for
/// it (3072 x 768² at orders 2, 4, 8 with half of the memory 708, 408 and 235 instead of 735, 432 and 251); one of 40e9 and they gain nothing more.
constexpr double host_link = 45e9;
/// The same of a disk that reads and writes 1 GB/s in all (slowdown_of() in plan.cpp): windows have as many steps as their memory allows.
constexpr double disk_link = 0.5e9;
constexpr double single_launch = 25e-6, panel_launch = 10e-6;  ///< seconds that a stage takes however small it is
constexpr Index most_sweeps = 4, longest_band = 128, longest_panel_band = 256;  ///< the last two in steps of a window
constexpr Index longest_disk_band = 1024;

/// Clusters that a device runs at a time, as far as it is known before it is opened.
Index at_once(const DeviceInfo& device, Index cluster) {
  return std::max<Index>(1, device.multiprocessors / cluster);
}

bool density_varies(const Problem& problem) {
  return problem.density && !problem.density->constant();
}
/// Levels of the panels by which planes of so many rows could be advanced; none: single steps.
std::vector<Index> panels_for(const Problem& problem, const DeviceInfo& device, bool layered, Index rows) {
  std::vector<Index> levels;
  if (problem.double_precision || problem.tiling.starts_with("stepwise") || !takes_several_steps(problem))
    return levels;
  for (PanelPlan plan : panel_plans) {
    if (!plan.fits(problem.order / 2, density_varies(problem), device)) continue;
    if (layered && !leaves_an_interior(problem, plan.levels)) continue;
    plan.cover({longest_panel, rows, problem.grid.points[2]}, device.cluster,
               [&](Index cluster) { return at_once(device, cluster); });
    if (plan.cluster > 0) levels.push_back(plan.levels);
  }
  return levels;
}

}  // namespace

std::vector<Interval> share_rows(Index rows, const std::vector<double>& shares, Index least) {
  const auto count = static_cast<Index>(shares.size());
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
  std::vector<Interval> out;
  double before = 0;
  for (Index d = 0, begin = 0; d < count; ++d) {
    before += shares[static_cast<std::size_t>(d)];
    const auto wanted = static_cast<Index>(std::lround(before / all * static_cast<double>(rows)));
    const Index end = d + 1 == count ? rows : std::clamp(wanted, begin + least, rows - (count - 1 - d) * least);
    out.push_back({begin, end});
    begin = end;
  }
  return out;
}

Index shared_band(const Problem& problem, int devices, const DeviceInfo* device, Index thinnest) {
  const Index s = problem.order / 2;
  if (thinnest == 0) thinnest = problem.grid.points[1] / devices;
  // Two or three bands of panels: their halo of sixteen rows or so costs a few percent, and rounds are long beside what it takes to begin them.
  if (device && devices > 1)
    if (const std::vector<Index> panels = panels_for(problem, *device, has_matched_layers(problem), thinnest);
        !panels.empty())
      if (const Index band = panels.front() * std::max<Index>(1, 16 / (s * panels.front())); 2 * s * band <= thinnest)
        return band;
  return std::clamp<Index>(thinnest / (4 * s), 1, steps_together);
}

namespace {

/// What a window takes of the device, and for how long.
struct WindowCost {
  Bytes plane;          ///< bytes of a plane of one array
  Bytes layers, fixed;  ///< memory of matched layers with a plane, and what does not move
  Bytes arrays;         ///< of the host
  Bytes changing;       ///< of these go back, too
  const Problem& problem;
  const DeviceInfo* device;
  const std::vector<Index>& panels;
  PlanesRest rest;

  /// B/s each way.
  [[nodiscard]] double link() const { return rest == PlanesRest::disk ? disk_link : host_link; }
  [[nodiscard]] Index longest() const {
    return rest == PlanesRest::disk ? longest_disk_band : panels.empty() ? longest_band : longest_panel_band;
  }
  [[nodiscard]] Bytes each() const { return plane * (arrays + (panels.empty() ? 0 : 2)) + layers; }
  /// Seconds that a plane comes, and goes.
  [[nodiscard]] double bound() const { return static_cast<double>(plane * arrays + layers) / link(); }
  [[nodiscard]] double back() const { return static_cast<double>(plane * changing + layers) / link(); }
  /// The longest panels that cover a grid, and in how many rounds of planes.
  [[nodiscard]] std::pair<PanelPlan, double> cover(const std::array<Index, 3>& points, PanelPlan::Launch launch) const {
    PanelPlan plan = *std::find_if(std::begin(panel_plans), std::end(panel_plans), [&](const PanelPlan& p) {
      return p.radius == problem.order / 2 && p.levels == panels.front() && p.density == density_varies(problem);
    });
    const double rounds = plan.cover(
        points, device->cluster, [&](Index c) { return at_once(*device, c); }, launch);
    return {plan, rounds};
  }
  /// Of so many planes of this one.
  [[nodiscard]] std::pair<PanelPlan, double> cover(Index planes, PanelPlan::Launch launch) const {
    return cover({planes, problem.grid.points[1], problem.grid.points[2]}, launch);
  }
  /// Seconds of a plane and T steps on the device.
  [[nodiscard]] double work(Index steps, Index B, PanelPlan::Launch launch = PanelPlan::Launch::together) const {
    const auto& n = problem.grid.points;
    const auto s = static_cast<std::size_t>(problem.order / 2);
    if (panels.empty()) {
      // Steps move four values a cell; attenuation and maps three more, and two of each of their arrays.
      const Index kept = problem.kept_arrays();
      const double values = kept == 0 ? 1 : 1 + 0.25 * static_cast<double>(3 + 2 * kept);
      return static_cast<double>(steps * n[1] * n[2]) * 1e-9 * values * (problem.double_precision ? 2 : 1) /
             single_rate[s];
    }
    const auto& timed = panels_timed_on;
    const double round = static_cast<double>(timed[0] * timed[1] * timed[2]) * 1e-9 /
                         (density_varies(problem) ? dense_panel_rate : panel_rate)[s] /
                         cover(timed, PanelPlan::Launch::alone).second;
    return static_cast<double>(steps) * round * cover(B, launch).second / static_cast<double>(B);
  }
};

/// The window of single steps, or of panels, that takes the least time; nothing where it has no room.
struct Window : WindowPlan {
  double seconds = 0;  ///< of a step
};
Window best_window(const WindowCost& cost, Bytes budget) {
  const bool panels = !cost.panels.empty();
  const Index N = cost.problem.grid.points[0], s = cost.problem.order / 2, unit = panels ? cost.panels.front() : 1;
  const double bound = cost.bound();
  Window best;
  const auto try_one = [&](Index T, Index share, bool keeps) {  // share: positions in the rings beside what stages read
    const std::vector<Stage> stages = stages_of(T, s, cost.panels);
    const Index behind = planes_behind(stages, s), around = behind + planes_ahead(stages, s);
    const PanelPlan plan = keeps ? cost.cover(1, PanelPlan::Launch::going_on).first : PanelPlan{};
    const Bytes kept = keeps ? static_cast<Bytes>(T / unit) * plan.kept_bytes() : 0, taken = cost.fixed + kept;
    const Index room =
        std::min<Index>(budget > taken ? static_cast<Index>((budget - taken) / cost.each()) - 1 : 0, 4 * N);
    Index B = std::min((room - around) / share, N);
    if (keeps) B = std::min<Index>(B, longest_panel) / plan.unrolled * plan.unrolled;  // slow steps for a rest
    if (B < 1) return;
    const double launches = static_cast<double>(stages.size()) * (panels ? panel_launch : single_launch);
    const double work = cost.work(T, B, keeps ? PanelPlan::Launch::going_on : PanelPlan::Launch::together) +
                        launches / static_cast<double>(B);
    // What comes takes the place of what has left so many positions ago, which shared the device with another one.
    const double plane = std::max({work, bound, (1.8 * work + bound + cost.back()) / static_cast<double>(share)});
    Window w{{B, T, around + share * B, 1, panels ? unit : 0, kept}, 0};
    if (N + 2 * s >= around + 3 * B)
      w.sweeps =
          std::clamp<Index>(static_cast<Index>(longest_chain / (plane * static_cast<double>(N))), 1, most_sweeps);
    // The first planes come before, the last leave after what overlaps; and the window runs out at the end.
    const double beside =
        static_cast<double>(2 * B + planes_ahead(stages, s)) * bound + 0.5 * static_cast<double>(behind) * work;
    w.seconds = (plane * static_cast<double>(N) + beside / static_cast<double>(w.sweeps)) / static_cast<double>(T);
    if (best.steps == 0 || w.seconds < best.seconds) best = w;
  };
  for (Index T = unit; T <= cost.longest(); T += unit)
    for (Index share = 2; share <= 5; ++share)
      for (const bool keeps : {false, true})
        if (panels || !keeps) try_one(T, share, keeps);
  return best;
}

/// Nodes that panels of so many levels get wrong beside matched layers of these widths on both sides of each axis.
double nodes_beside_layers(const std::array<Index, 3>& points, const std::array<std::array<Index, 2>, 3>& widths,
                           Index reach) {
  double all = 1, core = 1;
  for (std::size_t a = 0; a < 3; ++a) {
    Index left = points[a];
    for (const Index width : widths[a])
      if (width > 0) left -= width + reach;
    all *= static_cast<double>(points[a]);
    core *= static_cast<double>(std::max<Index>(0, left));
  }
  return all - core;
}

/// Of a step where all of the grid lies on one device. What lies beside matched layers went step by step: five faces of 9 nodes of 1024³ took panels from 0.55
/// (order 2) to 0.77 (orders 6 and 8) of their rate, six of 16 of 384³ at order 8 to 0.37; single steps take one launch more an axis.
double seconds_in_core(const WindowCost& cost, bool layered) {
  const Index n = cost.problem.grid.points[0];
  const double work = cost.work(1, n, PanelPlan::Launch::alone) * static_cast<double>(n);
  if (cost.panels.empty()) return work * (layered ? 1.2 : 1) + single_launch * (layered ? 2 : 1);
  constexpr double beside_layers[] = {1, 0.55, 0.7, 0.77, 0.77}, layer_launches = 1e-4;
  double beside = 0;
  if (layered) {
    const auto& points = cost.problem.grid.points;
    const Index s = cost.problem.order / 2, reach = s * (cost.panels.front() - 1);
    std::array<std::array<Index, 2>, 3> widths{};
    for (std::size_t f = 0; f < 6; ++f)
      if (const Face& face = cost.problem.faces[f]; face.kind == FaceKind::matched) widths[f / 2][f % 2] = face.width;
    const double timed = static_cast<double>(panels_timed_on[0] * panels_timed_on[1] * panels_timed_on[2]) * 1e-9 /
                         (density_varies(cost.problem) ? dense_panel_rate : panel_rate)[static_cast<std::size_t>(s)];
    const double more = timed * (1 / beside_layers[static_cast<std::size_t>(s)] - 1) - layer_launches;
    beside = layer_launches + more * nodes_beside_layers(points, widths, reach) /
                                  nodes_beside_layers(panels_timed_on, {{{9, 9}, {9, 9}, {9, 0}}}, reach);
  }
  return work + beside + panel_launch / static_cast<double>(cost.panels.front());
}

}  // namespace

DevicePlan device_plan(const Problem& problem, Bytes budget, int devices, const DeviceInfo* device, PlanesRest rest) {
  DevicePlan plan;
  const auto& n = problem.grid.points;
  const Index s = problem.order / 2;
  const bool varying = problem.medium_varies();
  const Bytes changing = 2 + static_cast<Bytes>(problem.kept_arrays()),
              arrays = changing + (varying ? 1U : 0U) + (density_varies(problem) ? 1U : 0U);
  const Bytes besides = Bytes{1} << 20;  // points, profiles
  const Index beside = devices > 1 ? 2 * s * shared_band(problem, devices, device) : 0,
              rows = (n[1] + devices - 1) / devices + beside;
  const LayerValues layers = layer_values(problem, rows);
  const bool layered = has_matched_layers(problem);
  const Layout whole(0, n[0], rows, n[2], static_cast<int>(s));
  plan.in_core = arrays * static_cast<Bytes>(whole.count) * value_bytes(problem) + besides +
                 static_cast<Bytes>(layers.fixed + layers.plane * n[0]) * value_bytes(problem);
  plan.streamed = rest == PlanesRest::disk || plan.in_core > budget;
  plan.taken = plan.streamed ? budget : plan.in_core;
  const std::vector<Index> none, possible = device ? panels_for(problem, *device, layered, n[1] / devices) : none,
                                 panels = layered && plan.streamed ? none : possible;
  const Layout one(0, 1, n[1], n[2], static_cast<int>(s));
  const Bytes rings = arrays + 2 + 2 * layer_arrays(problem);
  const WindowCost single{
      static_cast<Bytes>(one.stride_x) * value_bytes(problem),
      static_cast<Bytes>(layers.plane) * value_bytes(problem),
      besides + static_cast<Bytes>(layers.fixed) * value_bytes(problem) + rings * (device ? device->ring_unit : 4096),
      arrays,
      rest == PlanesRest::disk ? arrays : changing,
      problem,
      device,
      none,
      rest};
  const WindowCost several{single.plane, single.layers, single.fixed, arrays, single.changing,
                           problem,      device,        panels,       rest};
  if (!plan.streamed) {
    if (const Bytes pair = 2 * static_cast<Bytes>(whole.count) * value_bytes(problem);
        !panels.empty() && pair <= budget - plan.in_core) {
      plan.taken += pair;
      plan.levels = panels.front();
    }
    plan.step = seconds_in_core(plan.levels > 0 ? several : single, layered) / devices;
    return plan;
  }
  const std::vector<Stage> step = stages_of(1, s, none);
  plan.least =
      single.each() * static_cast<Bytes>(planes_behind(step, s) + planes_ahead(step, s) + 2 * 2 * s + 1) + single.fixed;
  plan.possible = devices == 1 && plan.least <= budget;
  if (!plan.possible) return plan;
  Window window = best_window(single, budget);
  const double in_core = seconds_in_core(panels.empty() ? single : several, false);
  if (!panels.empty())
    if (const Window other = best_window(several, budget); other.steps > 0 && other.seconds < window.seconds)
      window = other;
  static_cast<WindowPlan&>(plan) = window;
  plan.slower = window.seconds / in_core;
  plan.step = window.seconds;
  return plan;
}

DevicePlan slab_plan(const Problem& problem, Bytes budget, int ranks, const DeviceInfo& device) {
  DevicePlan plan;
  const auto& n = problem.grid.points;
  const Index s = problem.order / 2;
  plan.in_core = plan.least = plan.taken = march_bytes(problem, ranks) + (Bytes{1} << 20);
  plan.possible = plan.in_core <= budget;
  const std::vector<Index> panels = panels_for(problem, device, has_matched_layers(problem), n[1]);
  const Index planes = (n[0] + ranks - 1) / ranks, steps = steps_between_exchanges(problem, ranks);
  const Layout slab(0, planes + 2 * s * (steps + 1), n[1], n[2], static_cast<int>(s));
  const Bytes pair = 2 * static_cast<Bytes>(slab.count) * value_bytes(problem);
  if (plan.possible && !panels.empty() && panels.back() <= steps && pair <= budget - plan.in_core) {
    plan.taken += pair;
    plan.levels = panels.front() <= steps ? panels.front() : panels.back();
  }
  return plan;
}

}  // namespace conoid::acoustic_fd
