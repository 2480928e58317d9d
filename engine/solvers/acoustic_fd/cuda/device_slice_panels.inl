// SPDX-License-Identifier: BSD-3-Clause
// Panels: several steps at once, out of place, by clusters of blocks that go along x. Part of device_slice.hpp.
#pragma once

#include "engine/solvers/acoustic_fd/cuda/device_slice.hpp"

namespace conoid::acoustic_fd {

template <class T>
void DeviceSlice<T>::allow_panels(Bytes spare, Index planes, Bytes kept, Index bands) {
  const auto count = static_cast<std::size_t>(at_.count);
  if (!panels_possible_ || torre_forced_ || 2 * count * sizeof(T) > spare) return;
  const std::array<Index, 3> n = held_points();
  for (PanelPlan plan : panel_plans) {
    if (!plan.fits(s_, host_.potential() != nullptr, device_.info())) continue;
    if (layered_ && !leaves_an_interior(problem_, plan.levels)) continue;
    auto kernel =
        device_.kernel<PanelArguments>(fmt::format("acoustic-fd/panel<{},{}{}{}>", s_, plan.levels,
                                                   plan.density ? ",density" : "", host_.unequal() ? ",unequal" : ""));
    const auto cover = [&](PanelPlan::Launch launch) {
      plan.cover(
          {planes, n[1], n[2]}, device_.info().cluster,
          [&](Index cluster) -> Index { return device_.clusters_at_once(kernel, panel_shape(plan, cluster, cluster)); },
          launch);
    };
    if (panels_.empty() && bands > 0) {
      cover(PanelPlan::Launch::going_on);
      if (const Bytes all = static_cast<Bytes>(bands) * plan.kept_bytes(); plan.cluster > 0 && all <= kept) {
        kept_ = device_.allocate<T>(all / sizeof(T), "panels");
        kept_bands_ = bands;
      }
    }
    if (kept_bands_ == 0 || !panels_.empty()) cover(window_ ? PanelPlan::Launch::together : PanelPlan::Launch::alone);
    if (plan.cluster > 0 && plan.damping_bytes() <= spare - 2 * count * sizeof(T))
      panels_.push_back({plan, std::move(kernel), damping_of(plan)});
  }
  if (panels_.empty()) return;
  for (auto& level : spare_) {
    level = planes_of(count, "pressure");
    stream_.zero(level);
  }
  torre_plan_ = {};  // these have been timed
  if (layered_)
    shell_ =
        device_.kernel<ShellArguments>(fmt::format("acoustic-fd/shell<{}{}>", s_, host_.unequal() ? ",unequal" : ""));
}

template <class T>
Index DeviceSlice<T>::bands(Index k, Index steps) {
  Index done = 0;
  if (has_panels()) {
    begin_panels(k, steps);
    for (std::size_t kind = 0; kind < panels_.size(); ++kind)
      for (; steps - done >= panel_levels(kind); done += panel_levels(kind)) {
        panel(kind, k + done, {0, problem_.grid.points[0]});
        finish_shell(k + done, panel_levels(kind), {0, problem_.grid.points[0]});
        turn(1 - pair_);
      }
  } else if (const Index count = steps / band_steps(); count > 0) {
    done = count * band_steps();
    if (torre_plan_.half > 0)
      torre(k, count);
    else if constexpr (!doubles)
      towers(k, count);
  }
  if (done > 0) mirror(k + done, {0, problem_.grid.points[0]});
  return done;
}

template <class T>
void DeviceSlice<T>::begin_panels(Index k, Index steps) {
  if constexpr (!doubles) {
    panels_from_ = k;
    place_band(k, 1, steps, panel_);
    weigh(panel_);
  }
}

template <class T>
void DeviceSlice<T>::panel(std::size_t kind, Index k, Interval planes, Index band) {
  if constexpr (!doubles) {
    if (planes.empty()) return;
    const auto first = [&](DeviceBuffer<T>(&levels)[2], Index level) {
      return levels[static_cast<std::size_t>(level & 1)].data() + origin_;
    };
    const PanelKind& chosen = panels_[kind];
    const PanelPlan& p = chosen.plan;
    PanelArguments& t = panel_;
    place(t);
    const Index panels = p.rows * p.columns, parts = std::min(p.parts, planes.size()),
                rest = std::min(p.rest, planes.size());
    const auto length = [&](Index pieces) { return static_cast<int>((planes.size() + pieces - 1) / pieces); };
    const auto pieces = [&](int each) { return (planes.size() + each - 1) / each; };
    t.rows = static_cast<int>(p.rows);
    t.columns = static_cast<int>(p.columns);
    t.cluster = static_cast<int>(p.cluster);
    t.panel_rows = static_cast<int>(p.apart());
    t.first = static_cast<int>(first_);
    t.begin = static_cast<int>(planes.begin);
    t.end = static_cast<int>(planes.end);
    t.reach = static_cast<int>(std::min(problem_.grid.points[0], planes.end + p.radius * p.levels));
    t.whole = static_cast<int>(p.whole);
    t.segment = length(parts);
    t.rest = length(rest);
    t.damping = chosen.damping.data();
    t.first_step = static_cast<int>(k - panels_from_);
    const auto boxes = [&](const T* array, Index row_stride, Index plane_stride) {
      return device_.box_source({array,
                                 {(problem_.grid.points[2] + 3) / 4 * 4, held().size(), t.reach - t.first},
                                 row_stride,
                                 plane_stride,
                                 128,
                                 static_cast<int>(p.high)});
    };
    t.newer = boxes(first(level_, k), at_.stride_y, at_.stride_x);
    t.older = boxes(first(level_, k - 1), at_.stride_y, at_.stride_x);
    if (t.a_stride_x != 0) t.medium = boxes(t.a, t.a_stride_y, t.a_stride_x);
    if (p.density) {
      t.v = v_.data() + origin_;
      t.potential = boxes(t.v, at_.stride_y, at_.stride_x);
    }
    t.from_newer = first(level_, k);
    t.kept = keeps(kind, band) ? kept_.data() + static_cast<Bytes>(band) * p.kept_bytes() / sizeof(T) : nullptr;
    t.to_newer = first(spare_, k + p.levels);
    t.to_older = first(spare_, k + p.levels - 1);
    stream_.launch(
        chosen.kernel,
        panel_shape(p, (p.whole * pieces(t.segment) + (panels - p.whole) * pieces(t.rest)) * p.cluster, p.cluster), t);
  }
}

template <class T>
void DeviceSlice<T>::clear_margins(Stream& stream, Interval planes) {
  if constexpr (!doubles) {
    if (!margins_) margins_ = device_.kernel<MarginArguments>("acoustic-fd/margins");
    MarginArguments t;
    t.even = level_[0].data() + plane_at(planes.begin);
    t.odd = level_[1].data() + plane_at(planes.begin);
    t.stride_x = at_.stride_x;
    t.stride_y = at_.stride_y;
    t.before = static_cast<int>(pad);
    t.y0 = static_cast<int>(at_.halo_y);
    t.y1 = static_cast<int>(at_.halo_y + rows_.size());
    t.rows = static_cast<int>(rows_.size() + 2 * at_.halo_y);
    t.nz = static_cast<int>(at_.nz);
    LaunchShape shape;
    shape.block = {32 * margin_rows, 1, 1};
    shape.grid = {blocks(t.rows + 1, margin_rows), static_cast<unsigned>(planes.size()), 1};
    stream.launch(margins_, shape, t);
  }
}

template <class T>
DeviceBuffer<T> DeviceSlice<T>::damping_of(const PanelPlan& plan) {
  if (plan.damping == 0) return {};
  const std::array<Index, 3> n = held_points();
  const auto &sigma_y = host_.sigma(1), &sigma_z = host_.sigma(2);
  const std::size_t cells = plan.damping / (2 * sizeof(T)), wide = cells / static_cast<std::size_t>(plan.high);
  std::vector<T> factors(plan.damping_bytes() / sizeof(T));
  T* to = factors.data();
  for (Index j = 0; j < plan.rows; ++j)
    for (Index l = 0; l < plan.columns; ++l) {
      const auto [y0, four] = plan.corner(j, l, n);
      for (Index block = 0; block < plan.cluster; ++block, to += 2 * cells)
        for (std::size_t i = 0; i < cells; ++i) {
          const auto y = static_cast<std::size_t>(held().begin + y0 + block * plan.high) + i / wide,
                     z = static_cast<std::size_t>(4 * four) + i % wide;
          const T sigma = sigma_y[y] + (z < sigma_z.size() ? sigma_z[z] : T{0});
          to[i] = sigma - T{1};
          to[cells + i] = T{1} / (T{1} + sigma);
        }
    }
  DeviceBuffer<T> damping = device_.allocate<T>(factors.size(), "sponges of panels");
  stream_.to_device(damping, std::span<const T>(factors));
  stream_.synchronize();
  return damping;
}

template <class T>
LaunchShape DeviceSlice<T>::panel_shape(const PanelPlan& plan, Index blocks, Index cluster) {
  LaunchShape shape;
  shape.grid = {static_cast<unsigned>(blocks), 1, 1};
  shape.block = {static_cast<unsigned>(plan.threads), 1, 1};
  shape.shared = plan.shared;
  shape.cluster = static_cast<unsigned>(cluster);
  return shape;
}

}  // namespace conoid::acoustic_fd
