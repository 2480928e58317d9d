// SPDX-License-Identifier: BSD-3-Clause
// Planes and rows of the grid on one device: its arrays, what goes to and fro, and the launches of its kernels. Used by one thread.
// Everything is queued on stream() in order; who reads what came back synchronizes it first. Throws Failure(resources) where the
// device lacks memory. Part of device_steps.cpp.
#pragma once

#include "engine/solvers/acoustic_fd/cuda/advance_arguments.hpp"
#include "engine/solvers/acoustic_fd/cuda/shell_arguments.hpp"
#include "engine/solvers/acoustic_fd/device_plan.hpp"
#include "engine/solvers/acoustic_fd/device_shapes.hpp"
#include "engine/solvers/acoustic_fd/field.hpp"
#include "engine/team/device.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/core.h>

namespace conoid::acoustic_fd {

/// Planes and rows on one device. T: float or double.
template <class T>
class DeviceSlice {
 public:
  static constexpr bool doubles = std::is_same_v<T, double>;
  static constexpr const char* suffix = doubles ? "<double>" : "";
  static constexpr Index pad = 16;  ///< values before the first cell of a row, as in Layout

  /// `below` and `above`: rows of neighbours that are held. `planes`: those of the host's field and where it begins (begin_at); or of a window,
  /// which lies in rings.
  DeviceSlice(const Problem& problem, Field<T>& host, Device device, Interval rows, Index below, Index above,
              Index planes, bool window = false)
      : problem_(problem), host_(host), device_(std::move(device)), stream_(device_.stream()), rows_(rows),
        below_(below), above_(above), s_(host.stencil().radius), window_(window),
        at_(0, planes, rows.size() + below + above, problem.grid.points[2], host.stencil().radius,
            window ? 0 : host.at().halo_x) {
    // A window has no halo of its own: its planes count from −s as those of a whole grid do.
    const auto count = static_cast<std::size_t>(at_.count);
    for (std::size_t l = 0; l < 2; ++l) level_[l] = planes_of(count, "pressure");
    a_ = host.medium_varies() ? planes_of(count, "medium")
                              : device_.allocate<T>(static_cast<std::size_t>((at_.nz + pad - 1) / pad * pad + 4 * pad),
                                                    "medium");  // a row as the host has it
    if (host.potential()) v_ = planes_of(count, "density");
    origin_ = at_.origin;
    std::vector<T> sigma;
    const auto whole_fours = [&] { sigma.resize((sigma.size() + 3) / 4 * 4, T{0}); };
    for (std::size_t a = 0; a < 3; ++a) {
      sigma_at_[a] = sigma.size();
      const auto& of = host.sigma(a);
      const Index nodes = problem.grid.points[a], middle = nodes / 2;
      Index low = 0, high = nodes;
      for (Index i = 0; i < nodes; ++i)
        if (of[static_cast<std::size_t>(i)] != 0) (i < middle ? low : high) = i < middle ? i + 1 : std::min(high, i);
      core_[2 * a] = static_cast<int>(low);
      core_[2 * a + 1] = static_cast<int>(high);
      sigma.insert(sigma.end(), host.sigma(a).begin(), host.sigma(a).end());
      whole_fours();
    }
    sigma_ = device_.allocate<T>(sigma.size() + 4, "sponges");
    sigma.resize(sigma.size() + 4, T{0});
    stream_.to_device(sigma_, std::span<const T>(sigma));
    if (!host.medium_varies()) stream_.to_device(a_, std::span<const T>(host.medium(), a_.size()));
    advance_ = device_.kernel<AdvanceArguments<T>>(
        fmt::format("acoustic-fd/advance<{}{}{}>", s_, host.unequal() ? ",unequal" : "", doubles ? ",double" : ""));
    inject_ = device_.kernel<PointArguments<T>>(std::string("acoustic-fd/inject") + suffix);
    record_ = device_.kernel<PointArguments<T>>(std::string("acoustic-fd/record") + suffix);
    mirror_ = device_.kernel<MirrorArguments<T>>(std::string("acoustic-fd/mirror") + suffix);
    for (std::size_t a = 0; a < 3; ++a) {
      const auto& memory = host.layer_memory(a);
      if (memory.count() == 0) continue;
      verify(rows.size() == problem.grid.points[1], "matched layers lie whole on one device");
      layered_ = true;
      // Those of y and z come and go with the planes of a window, as they lie on the host.
      for (auto& m : memory_[a]) {
        m = a == 0 || !window_
                ? device_.allocate<T>(memory.count(), "matched layers")
                : planes_of(static_cast<std::size_t>((planes + 2 * s_) * memory.stride_x), "matched layers");
        stream_.zero(m);
      }
      if (host.potential())
        for (auto& m : density_[a])
          m = a == 0 || !window_ ? device_.allocate<T>(memory.count(), "density in matched layers")
                                 : planes_of(static_cast<std::size_t>((planes + 2 * s_) * memory.stride_x),
                                             "density in matched layers");
      std::vector<T> factors;
      for (const auto& f : memory.factor) factors.insert(factors.end(), f.begin(), f.end());
      factors_[a] = device_.allocate<T>(factors.size(), "matched layers");
      stream_.to_device(factors_[a], std::span<const T>(factors));
      stream_.synchronize();
    }
    if (layered_) matched_ = device_.kernel<MatchedArguments<T>>(std::string("acoustic-fd/matched") + suffix);
    plan_ = tower_plans[s_ - 1];
    plain_ = !layered_ && !host.unequal() && !host.potential() && at_.nz > 0 && rows.size() == problem.grid.points[1];
    const bool whole = planes == problem.grid.points[0] && !window_;
    bands_possible_ = plain_ && whole;
    panels_possible_ = !doubles && at_.nz > 0 && (window_ ? !layered_ : whole);
    towers_possible_ = bands_possible_ && !doubles && device_.info().shared_per_block >= plan_.shared + 1024;
    if (towers_possible_) tower_ = device_.kernel<TowerArguments>(fmt::format("acoustic-fd/tower<{}>", s_));
    choose_torre();
    stream_.synchronize();
    place_points();
    if (window) other_stream_ = device_.stream();
  }

  /// Panels take the place of towers, where they are possible and `spare` bytes hold two levels more. `planes`: that a launch takes. Panels of
  /// `bands` bands keep what launches of the next planes go on with, if `kept` bytes hold it.
  void allow_panels(Bytes spare, Index planes, Bytes kept = 0, Index bands = 0) {
    const auto count = static_cast<std::size_t>(at_.count);
    if (!panels_possible_ || torre_forced_ || 2 * count * sizeof(T) > spare) return;
    const std::array<Index, 3> n = held_points();
    for (PanelPlan plan : panel_plans) {
      if (!plan.fits(s_, host_.potential() != nullptr, device_.info())) continue;
      if (layered_ && !leaves_an_interior(problem_, plan.levels)) continue;
      auto kernel = device_.kernel<PanelArguments>(fmt::format("acoustic-fd/panel<{},{}{}{}>", s_, plan.levels,
                                                               plan.density ? ",density" : "",
                                                               host_.unequal() ? ",unequal" : ""));
      const auto cover = [&](PanelPlan::Launch launch) {
        plan.cover(
            {planes, n[1], n[2]}, device_.info().cluster,
            [&](Index cluster) -> Index {
              return device_.clusters_at_once(kernel, panel_shape(plan, cluster, cluster));
            },
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
  [[nodiscard]] bool has_panels() const { return !panels_.empty(); }
  [[nodiscard]] std::size_t kinds_of_panels() const { return panels_.size(); }
  [[nodiscard]] Index panel_levels(std::size_t kind) const { return panels_[kind].plan.levels; }
  /// Panels work out of place, between two pairs of levels; all else is about the pair that was turned to.
  void turn(int pair) {
    if (pair == pair_) return;
    for (std::size_t i = 0; i < 2; ++i) std::swap(level_[i], spare_[i]);
    pair_ = pair;
  }
  /// "towers of 4 steps".
  [[nodiscard]] std::string way() const {
    if (torre_plan_.half > 0) return fmt::format("DiamondTorre {}x{}", 2 * torre_plan_.half, torre_plan_.steps);
    return fmt::format("{} of {} steps", has_panels() ? "panels" : "towers", band_steps());
  }
  /// The case asks for it: it is not to be compared with single steps.
  [[nodiscard]] bool forced() const { return torre_forced_; }
  /// Steps of a band of towers or panels; 0: this grid, or this device, has none.
  [[nodiscard]] Index band_steps() const {
    return has_panels()           ? panels_.front().plan.levels
           : torre_plan_.half > 0 ? torre_plan_.steps
           : towers_possible_     ? plan_.levels
                                  : 0;
  }
  /// Bands that are worth a launch: they overlap.
  [[nodiscard]] Index bands_together() const {
    return torre_plan_.half > 0 ? std::max<Index>(2, 64 / torre_plan_.steps) : 8;
  }
  /// Updates from k on in towers or panels, sources, images and receivers included; after begin_band(). Returns how many of `steps` it made:
  /// all but what is too little for a band.
  Index bands(Index k, Index steps) {
    Index done = 0;
    if (has_panels()) {
      begin_panels(k, steps);
      for (std::size_t kind = 0; kind < panels_.size(); ++kind)
        for (; steps - done >= panel_levels(kind); done += panel_levels(kind)) {
          panel(kind, k + done, {0, problem_.grid.points[0]});
          if constexpr (!doubles)
            if (layered_) finish_shell(k + done, panel_levels(kind));
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
  /// Panels of this kind and band go on where the launch before ended.
  [[nodiscard]] bool keeps(std::size_t kind, Index band) const { return kind == 0 && band < kept_bands_; }
  /// What panels of steps k … k+steps−1 have in common, after begin_band().
  void begin_panels(Index k, Index steps) {
    if constexpr (!doubles) {
      panels_from_ = k;
      place_band(k, 1, steps, panel_);
      weigh(panel_);
    }
  }
  /// Planes (global) of level k + panel_levels(kind) and the one before it, sources and receivers included, from levels k and k − 1 of s ·
  /// panel_levels(kind) planes more; they go to the other pair, without images. `band`: where keeps(kind, band), planes follow those of the call
  /// before for this band without a gap, after its launch, and end s · panel_levels(kind) planes or more before the last, or with it.
  void panel(std::size_t kind, Index k, Interval planes, Index band = 0) {
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
          panel_shape(p, (p.whole * pieces(t.segment) + (panels - p.whole) * pieces(t.rest)) * p.cluster, p.cluster),
          t);
    }
  }
  /// Zeros around the cells of planes (global) of this pair: rings bring new planes where others have left their values, and panels write
  /// cells only.
  void clear_margins(Stream& stream, Interval planes) {
    if constexpr (!doubles) {
      if (!margins_) margins_ = device_.kernel<MarginArguments>("acoustic-fd/margins");
      MarginArguments t;
      t.even = level_[0].data() + plane_at(planes.begin);
      t.odd = level_[1].data() + plane_at(planes.begin);
      t.stride_x = at_.stride_x;
      t.stride_y = at_.stride_y;
      t.before = static_cast<int>(pad);
      t.y0 = static_cast<int>(s_);
      t.y1 = static_cast<int>(s_ + rows_.size());
      t.rows = static_cast<int>(rows_.size() + 2 * s_);
      t.nz = static_cast<int>(at_.nz);
      LaunchShape shape;
      shape.block = {32 * margin_rows, 1, 1};
      shape.grid = {blocks(t.rows + 1, margin_rows), static_cast<unsigned>(planes.size()), 1};
      stream.launch(margins_, shape, t);
    }
  }
  /// The images of planes (global) of level k.
  void mirror(Index k, Interval planes) {
    if (!planes.empty()) images(level_[static_cast<std::size_t>(k & 1)].data() + origin_, planes, held(), whole_row());
  }
  [[nodiscard]] const Device& device() const { return device_; }
  /// The stream to which work is given; a window has two of them, which overlap unless told to wait.
  [[nodiscard]] Stream& stream() { return stream_; }
  void work_on(int stream) {
    if (stream != which_) std::swap(stream_, other_stream_);
    which_ = stream;
  }
  [[nodiscard]] int working_on() const { return which_; }
  [[nodiscard]] Interval rows() const { return rows_; }
  [[nodiscard]] Interval held() const { return {rows_.begin - below_, rows_.end + above_}; }
  [[nodiscard]] Index planes() const { return at_.nx; }
  /// Planes of the grid, rows that are held, nodes of a row.
  [[nodiscard]] std::array<Index, 3> held_points() const {
    return {problem_.grid.points[0], held().size(), problem_.grid.points[2]};
  }
  [[nodiscard]] std::size_t plane_values() const { return static_cast<std::size_t>(at_.stride_x); }
  [[nodiscard]] Bytes bytes() const {
    const auto held = [&](const DeviceBuffer<T>& planes) { return window_ ? planes.size() / 2 : planes.size(); };
    std::size_t all = kept_.size() + 2 * held(level_[0]) + 2 * held(spare_[0]) +
                      (host_.medium_varies() ? held(a_) : a_.size()) + held(v_) + sigma_.size();
    for (const PanelKind& kind : panels_) all += kind.damping.size();
    for (std::size_t a = 0; a < 3; ++a)
      all += layer_arrays(problem_) * (a == 0 ? memory_[a][0].size() : held(memory_[a][0]));
    return all * sizeof(T);
  }
  /// Arrays that come with a plane: the levels, the medium and the density where they vary.
  [[nodiscard]] std::size_t arrays() const {
    return 2 + (host_.medium_varies() ? 1U : 0U) + (host_.potential() ? 1U : 0U);
  }
  [[nodiscard]] const DeviceBuffer<T>& array(std::size_t n) const {
    return n < 2 ? level_[n] : n == 2 && host_.medium_varies() ? a_ : v_;
  }
  [[nodiscard]] const T* host_array(std::size_t n) const {
    return n < 2                             ? host_.level(static_cast<Index>(n))
           : n == 2 && host_.medium_varies() ? host_.medium()
                                             : host_.potential();
  }
  /// Where plane `global` lies in the buffers.
  [[nodiscard]] std::size_t plane_at(Index global) const {
    return static_cast<std::size_t>(origin_ + (global - first_) * at_.stride_x - s_ * at_.stride_y - pad);
  }
  void begin_at(Index first) { first_ = first; }
  /// Of a window: plane `first` is the lowest that is meant from here on, and `number` counts planes through all sweeps: it lies in the
  /// rings behind those with lower numbers.
  void begin_at(Index first, Index number) {
    first_ = first;
    number_ = number + s_;
    origin_ = number_ * at_.stride_x % ring_values(level_[0]) + s_ * at_.stride_y + pad;
  }
  /// Planes for which the rings have room.
  [[nodiscard]] Index room() const {
    Index planes = ring_values(level_[0]) / at_.stride_x;
    for (std::size_t a = 1; a < 3; ++a)
      if (const auto& m = host_.layer_memory(a); m.count() > 0)
        planes = std::min(planes, ring_values(memory_[a][0]) / m.stride_x);
    return planes;
  }
  /// Values of the host's plane that this slice holds: position and count.
  [[nodiscard]] std::pair<Index, Index> host_plane(Index global) const {
    const Layout& h = host_.at();
    return {h.at(global - h.first, held().begin - s_) - pad, (held().size() + 2 * s_) * h.stride_y};
  }

  /// Levels (and the medium) of rows of the host, plane by plane.
  void send(Interval planes, Interval rows, bool medium) {
    const Layout& h = host_.at();
    for (std::size_t n = 0; n < (medium ? arrays() : 2); ++n)
      for (Index x = planes.begin; x < planes.end; ++x) {
        const Index count = rows.size() * h.stride_y;
        stream_.to_device(
            array(n),
            std::span<const T>(host_array(n) + h.at(x - h.first, rows.begin) - pad, static_cast<std::size_t>(count)),
            static_cast<std::size_t>(at_.at(x - first_, rows.begin - held().begin) - pad));
      }
  }
  void fetch(Interval planes, Interval rows) {
    const Layout& h = host_.at();
    for (Index n = 0; n < 2; ++n)
      for (Index x = planes.begin; x < planes.end; ++x)
        stream_.to_host(std::span<T>(host_.level(n) + h.at(x - h.first, rows.begin) - pad,
                                     static_cast<std::size_t>(rows.size() * h.stride_y)),
                        level_[static_cast<std::size_t>(n)],
                        static_cast<std::size_t>(at_.at(x - first_, rows.begin - held().begin) - pad));
  }

  /// Rows (global) of another device, both levels, with the images behind the faces of x.
  void pull(const DeviceSlice& from, Interval rows) {
    if (rows.empty()) return;
    const auto at = [&](const DeviceSlice& slice) {
      return static_cast<std::size_t>(slice.at_.at(-s_, rows.begin - slice.held().begin) - pad);
    };
    for (std::size_t l = 0; l < 2; ++l)
      stream_.from_peer(level_[l], at(*this), static_cast<std::size_t>(at_.stride_x), from.level_[l], at(from),
                        static_cast<std::size_t>(from.at_.stride_x), from.device_.info().index,
                        static_cast<std::size_t>(rows.size() * at_.stride_y),
                        static_cast<std::size_t>(problem_.grid.points[0] + 2 * s_));
  }

  /// The same of some planes (global) of a rank.
  void send_layers(Interval planes) {
    for_layers(planes, [&](const DeviceBuffer<T>& to, T* from, std::size_t at, std::size_t count) {
      stream_.to_device(to, std::span<const T>(from, count), at);
    });
  }
  void fetch_layers(Interval planes) {
    for_layers(planes, [&](const DeviceBuffer<T>& from, T* to, std::size_t at, std::size_t count) {
      stream_.to_host(std::span<T>(to, count), from, at);
    });
  }
  /// What belongs to a plane of a window beside arrays(): memory of the layers of y and z, and the density there.
  struct PlaneMemory {
    const DeviceBuffer<T>* buffer;
    T* host;       ///< of plane 0
    Index values;  ///< of a plane
    std::size_t axis;
    bool changes;
  };
  [[nodiscard]] std::vector<PlaneMemory> plane_memory() const {
    std::vector<PlaneMemory> out;
    for (std::size_t a = 1; a < 3; ++a)
      if (const auto& m = host_.layer_memory(a); m.count() > 0) {
        for (std::size_t i = 0; i < layer_variables; ++i)
          out.push_back({&memory_[a][i], m.block[i].data(), m.stride_x, a, true});
        if (host_.potential())
          for (std::size_t i = 0; i < 2; ++i)
            out.push_back({&density_[a][i], const_cast<T*>(m.density[i].data()), m.stride_x, a, false});
      }
    return out;
  }
  /// Where what an axis's layer has of plane `global` lies in its memory in a window.
  [[nodiscard]] std::size_t layer_at(std::size_t axis, Index global) const {
    const Index values = host_.layer_memory(axis).stride_x;
    return static_cast<std::size_t>(number_ * values % ring_values(memory_[axis][0]) + (global - first_) * values);
  }

  /// The memory of the matched layers, of which the host has the same arrays, and the density there; of a window those of x.
  void send_layers() {
    for (std::size_t a = 0; a < (window_ ? 1U : 3U); ++a)
      if (const auto& m = host_.layer_memory(a); m.count() > 0) {
        for (std::size_t i = 0; i < layer_variables; ++i)
          stream_.to_device(memory_[a][i], std::span<const T>(m.block[i].data(), m.count()));
        if (host_.potential())
          for (std::size_t i = 0; i < 2; ++i)
            stream_.to_device(density_[a][i], std::span<const T>(m.density[i].data(), m.count()));
      }
  }
  void fetch_layers() {
    for (std::size_t a = 0; a < (window_ ? 1U : 3U); ++a)
      for (std::size_t i = 0; i < layer_variables; ++i)
        if (const auto& m = host_.layer_memory(a); m.count() > 0)
          stream_.to_host(std::span<T>(m.block[i].data(), m.count()), memory_[a][i]);
  }

  /// Contributions of the sources and room for the receivers of updates k … k+count−1.
  void begin_band(Index k, Index count) {
    band_ = k;
    contributions_.clear();
    for (Index i = k; i < k + count; ++i)
      for (const auto& [weight, source] : parts_)
        contributions_.push_back(static_cast<T>(weight * host_.signal(i, source)));
    if (values_.size() < contributions_.size()) values_ = device_.allocate<T>(contributions_.size(), "sources");
    if (!contributions_.empty()) stream_.to_device(values_, std::span<const T>(contributions_));
    recorded_.clear();
    for (Index i = k; i < k + count; ++i)
      if (host_.record_of(i)) recorded_.push_back(i);
    const std::size_t room = recorded_.size() * receiver_count_;
    if (traces_.size() < room) traces_ = device_.allocate<T>(room, "receivers");
    if (!traces_.empty()) traces_.expect_written();
  }
  /// Values of the receivers in this slice's rows go to the host's record.
  void end_band() {
    if (recorded_.empty() || receiver_nodes_.empty()) return;
    if (host_.record_bytes() == static_cast<Index>(receiver_count_ * sizeof(T))) {  // all of them, as the host has them
      stream_.to_host(std::span(host_.record_of(recorded_.front()), recorded_.size() * receiver_count_), traces_, 0);
      stream_.synchronize();
      return;
    }
    std::vector<T> all(recorded_.size() * receiver_count_);
    stream_.to_host(std::span(all), traces_, 0);
    stream_.synchronize();
    for (std::size_t slot = 0; slot < recorded_.size(); ++slot) {
      T* to = host_.record_of(recorded_[slot]);
      for (std::size_t n = 0; n < receiver_nodes_.size(); ++n) to[receiver_of_[n]] = all[slot * receiver_count_ + n];
    }
  }

  /// Sums of the energy of own rows of some planes (global) between levels k−1 and k, as [plane][row of the grid][2] from `to` on.
  void row_energies(Index k, Interval planes, double* to) {
    const Index ny = rows_.size(), all_rows = problem_.grid.points[1];
    const std::size_t plane = 2 * static_cast<std::size_t>(ny);
    const Index together =
        std::clamp<Index>((Index{1} << 15) / (2 * ny), 1, planes.size());  // a quarter of a megabyte of sums
    std::vector<double> sums(plane * static_cast<std::size_t>(together));
    mirror(k - 1, planes);
    for (Index x = planes.begin; x < planes.end; x += together) {
      const Index count = std::min(together, planes.end - x);
      queue_energies(k, {x, x + count}, sums.data());
      stream_.synchronize();
      for (Index i = 0; i < count; ++i)
        std::copy_n(sums.data() + static_cast<std::size_t>(i) * plane, plane,
                    to + 2 * ((x - planes.begin + i) * all_rows + rows_.begin));
    }
  }
  /// The same of this slice's rows only, without waiting for them; from levels with their images.
  void queue_energies(Index k, Interval planes, double* to) {
    if (planes.empty()) return;
    const Index ny = rows_.size(), beside = rows_.begin - held().begin;
    const std::size_t count = static_cast<std::size_t>(2 * ny * planes.size());
    DeviceBuffer<double>& sums = energies_[which_];
    if (sums.size() < count) {
      stream_.synchronize();
      sums = device_.allocate<double>(count, "energies");
      energy_ = device_.kernel<EnergyArguments<T>>(std::string("acoustic-fd/energy") + suffix);
    }
    EnergyArguments<T> t;
    weigh(t);
    t.ny = static_cast<int>(ny);
    t.nz = static_cast<int>(at_.nz);
    t.radius = static_cast<int>(s_);
    t.unequal = host_.unequal();
    for (int end = 0; end < 2; ++end)
      t.half[end] = problem_.faces[static_cast<std::size_t>(4 + end)].image_sign() != 0 ? 0.5 : 1.0;
    t.sums = sums.data();
    const Index here = (planes.begin - first_) * at_.stride_x + beside * at_.stride_y;
    t.u0 = level_[static_cast<std::size_t>((k + 1) & 1)].data() + origin_ + here;
    t.u1 = level_[static_cast<std::size_t>(k & 1)].data() + origin_ + here;
    place(t, here);
    t.v = host_.potential() ? v_.data() + origin_ + here : nullptr;
    LaunchShape shape;
    shape.block = {16 * energy_rows, 1, 1};
    shape.grid = {blocks(ny, energy_rows), static_cast<unsigned>(planes.size()), 1};
    stream_.launch(energy_, shape, t);
    stream_.to_host(std::span(to, count), sums, 0);
  }

  /// Update k of global planes and rows: stencil, sources, images, receivers.
  void update(Index k, Interval planes, Interval rows) {
    if (planes.empty() || rows.empty()) return;
    const Interval x{planes.begin - first_, planes.end - first_}, y{rows.begin - held().begin, rows.end - held().begin};
    T* o = level_[static_cast<std::size_t>((k + 1) & 1)].data() + origin_;
    AdvanceArguments<T> t;
    t.u = level_[static_cast<std::size_t>(k & 1)].data() + origin_;
    t.o = o;
    place(t);
    t.v = host_.potential() ? v_.data() + origin_ : nullptr;
    t.x0 = static_cast<int>(x.begin);
    t.x1 = static_cast<int>(x.end);
    t.y0 = static_cast<int>(y.begin);
    t.y1 = static_cast<int>(y.end);
    t.nz = static_cast<int>(at_.nz);
    weigh(t);
    t.sigma_x = sigma_.data() + sigma_at_[0] + first_;
    t.sigma_y = sigma_.data() + sigma_at_[1] + held().begin;
    t.sigma_z = sigma_.data() + sigma_at_[2];
    // Short pieces leave no tail of idle multiprocessors; each loads 2s planes more. All are of one length: the longest is waited for.
    const Index about = std::clamp<Index>(x.size() / 16, 16 * s_, 128),
                pieces = std::max<Index>(1, (x.size() + about / 2) / about);
    t.planes = static_cast<int>((x.size() + pieces - 1) / pieces);
    LaunchShape shape;
    shape.block = {advance_threads_z, advance_threads_y, 1};
    shape.grid = {blocks(at_.nz, 4 * advance_threads_z), blocks(y.size(), advance_threads_y),
                  blocks(x.size(), t.planes)};
    stream_.launch(advance_, shape, t);
    if (layered_) layers(k, planes, y);
    finish(k, {planes, rows, whole_row()}, o);
  }

 private:
  /// Planes and rows of the grid, cells of rows.
  struct Part {
    Interval x, y, z;
    [[nodiscard]] bool empty() const { return x.empty() || y.empty() || z.empty(); }
  };
  [[nodiscard]] Interval whole_row() const { return {0, at_.nz}; }
  /// What comes after the stencil and the layers of update k: sources, images, receivers.
  void finish(Index k, const Part& part, T* o) {
    const Interval y{part.y.begin - held().begin, part.y.end - held().begin};
    points(inject_, source_nodes_, source_first_, source_box_, part.x, y, part.z, o, k);
    images(o, part.x, part.y, part.z);
    if (recorded_.empty()) return;
    const auto slot = std::find(recorded_.begin(), recorded_.end(), k);
    if (slot == recorded_.end()) return;
    const Interval own{rows_.begin - held().begin, rows_.end - held().begin};
    slot_ = static_cast<std::size_t>(slot - recorded_.begin());
    points(record_, receiver_nodes_, receiver_first_, receiver_box_, part.x,
           {std::max(y.begin, own.begin), std::min(y.end, own.end)}, part.z, o, k);
  }
  /// Cells that lie within `beside` nodes of matched layers, in parts that share none.
  [[nodiscard]] std::vector<Part> shell_parts(Index beside) const {
    std::vector<Part> out;
    Part rest{{0, problem_.grid.points[0]}, {0, problem_.grid.points[1]}, whole_row()};
    for (std::size_t a = 0; a < 3; ++a) {
      const MatchedLayer& layer = host_.layer_memory(a).layer;
      const auto axis = [a](Part& part) -> Interval& { return a == 0 ? part.x : a == 1 ? part.y : part.z; };
      const Interval all = axis(rest), inner{layer.low > 0 ? layer.low + beside : 0,
                                             layer.high > 0 ? all.end - layer.high - beside : all.end};
      for (const Interval side : {Interval{all.begin, inner.begin}, Interval{inner.end, all.end}})
        if (!side.empty()) {
          out.push_back(rest);
          axis(out.back()) = side;
        }
      axis(rest) = inner;
    }
    return out;
  }
  /// Panels know nothing of matched layers: at level k + m they are wrong within s (m − 1) nodes of these. Those cells are computed here step by
  /// step, from levels k and k − 1 that panels have read, which go from there to k + T − 2 in place; the last two go where the panels wrote. Update m
  /// needs the level before it s nodes farther in, and finds level k + T − 1 beyond its own part as panels made it: so update T − 1 takes what lies
  /// within s (T − 1) nodes of the layers, the ones before it s (2 (T − 2) − m).
  void finish_shell(Index k, Index levels) {
    for (Index m = 0; m < levels; ++m) {
      const bool last = m == levels - 1;
      const std::vector<Part> parts = shell_parts(s_ * (last ? levels - 1 : 2 * (levels - 2) - m));
      const auto level = [&](DeviceBuffer<T>(&pair)[2], Index n) {
        return pair[static_cast<std::size_t>(n & 1)].data() + origin_;
      };
      T* const u = level(last ? spare_ : level_, k + m);
      T* const older = level(level_, k + m - 1);
      T* const o = level(m >= levels - 2 ? spare_ : level_, k + m + 1);
      // Panels leave no images.
      if (m == 0 || last)
        for (const Part& part : parts) images(u, part.x, part.y, part.z);
      for (const Part& part : parts) {
        update_shell(part, u, older, o);
        finish(k + m, part, o);
      }
    }
  }
  void update_shell(const Part& part, const T* u, const T* older, T* o) {
    if constexpr (!doubles) {
      ShellArguments t;
      t.u = u;
      t.older = older;
      t.o = o;
      place(t);
      t.v = host_.potential() ? v_.data() + origin_ : nullptr;
      t.x0 = static_cast<int>(part.x.begin);
      t.x1 = static_cast<int>(part.x.end);
      t.y0 = static_cast<int>(part.y.begin);
      t.y1 = static_cast<int>(part.y.end);
      t.z0 = static_cast<int>(part.z.begin);
      t.z1 = static_cast<int>(part.z.end);
      t.nz = static_cast<int>(at_.nz);
      weigh(t);
      t.sigma_x = sigma_.data();
      t.sigma_y = sigma_.data() + sigma_at_[1];
      t.sigma_z = sigma_.data() + sigma_at_[2];
      std::copy_n(host_.curvature(), s_ + 1, t.curvature);
      std::copy_n(host_.slope(), s_ + 1, t.slope);
      const auto& n = problem_.grid.points;
      for (std::size_t a = 0; a < 3; ++a) {
        ShellLayer& layer = t.layer[a];
        const auto& memory = host_.layer_memory(a);
        layer.high = static_cast<int>(n[a] - memory.layer.high);
        if (memory.count() == 0) continue;
        layer.low = static_cast<int>(memory.layer.low);
        for (std::size_t i = 0; i < layer_variables; ++i) layer.m[i] = memory_[a][i].data();
        if (host_.potential()) {
          layer.v = density_[a][0].data();
          layer.w = density_[a][1].data();
        }
        layer.m_stride_x = memory.stride_x;
        layer.m_stride_y = memory.stride_y;
        // Nodes of the higher layer follow those of the lower one.
        layer.to_high =
            a == 2 ? memory.offset_high
                   : (memory.layer.low + memory.layer.high - n[a]) * (a == 0 ? memory.stride_x : memory.stride_y);
        layer.factor = factors_[a].data();
        layer.nodes = static_cast<int>(memory.factor[0].size());
      }
      const Index fours = (part.z.end + 3) / 4 - part.z.begin / 4;
      LaunchShape shape;
      shape.block = {advance_threads_z, advance_threads_y, 1};
      // Along z layers are a few fours wide: warps of several rows.
      for (; shape.block[0] > 4 && 2 * fours <= static_cast<Index>(shape.block[0]); shape.block[1] *= 2)
        shape.block[0] /= 2;
      const Index about = std::min<Index>(part.x.size(), 32 + 8 * s_), pieces = (part.x.size() + about - 1) / about;
      t.planes = static_cast<int>((part.x.size() + pieces - 1) / pieces);
      shape.grid = {blocks(fours, shape.block[0]), blocks(part.y.size(), shape.block[1]),
                    blocks(part.x.size(), t.planes)};
      stream_.launch(shell_, shape, t);
    }
  }
  [[nodiscard]] DeviceBuffer<T> planes_of(std::size_t values, const char* label) const {
    return window_ ? device_.ring<T>(values, label) : device_.allocate<T>(values, label);
  }
  [[nodiscard]] static Index ring_values(const DeviceBuffer<T>& ring) { return static_cast<Index>(ring.size() / 2); }
  /// Strides, and the medium from `here` values behind cell (0, 0, 0) on; one row for all where it does not vary.
  template <class Arguments>
  void place(Arguments& t, Index here = 0) const {
    const bool varies = host_.medium_varies();
    t.a = varies ? a_.data() + origin_ + here : a_.data();
    t.stride_x = at_.stride_x;
    t.stride_y = at_.stride_y;
    t.a_stride_x = varies ? at_.stride_x : 0;
    t.a_stride_y = varies ? at_.stride_y : 0;
  }
  /// The weights of all three axes.
  template <class Arguments>
  void weigh(Arguments& t) const {
    const RowWeights<T>& w = host_.weights();
    t.centre = w.centre;
    for (Index i = 1; i <= s_; ++i) {
      t.x[i] = host_.unequal() ? w.x[i] : w.equal[i];
      t.y[i] = host_.unequal() ? w.y[i] : w.equal[i];
      t.z[i] = host_.unequal() ? w.z[i] : w.equal[i];
    }
  }
  void towers(Index k, Index bands) {
    const auto& n = problem_.grid.points;
    const Index lean_y = s_ * (plan_.levels - 1), lean_z = Index{4} * plan_.rim * (plan_.levels - 1);
    const Index tile_z = Index{4} * plan_.fours;
    TowerArguments t;
    t.even = level_[static_cast<std::size_t>(k & 1)].data() + origin_;
    t.odd = level_[static_cast<std::size_t>((k + 1) & 1)].data() + origin_;
    t.rows = static_cast<int>((n[1] + lean_y + plan_.rows - 1) / plan_.rows);
    t.columns = static_cast<int>((n[2] + lean_z + tile_z - 1) / tile_z);
    t.first_y = static_cast<int>(-lean_y);
    // Rows that begin on 128 bytes where that costs no tile more.
    const Index aligned = (lean_z + 31) / 32 * 32;
    t.first_z = static_cast<int>(-(t.columns * tile_z >= n[2] + aligned ? aligned : lean_z));
    for (Index i = 1; i <= s_; ++i) t.weight[i] = host_.weights().equal[i];
    place_band(k, bands, plan_.levels, t);
    launch_bands(tower_, static_cast<unsigned>(plan_.threads), plan_.shared, t);
  }
  /// DiamondTorre where "tower WIDTHxSTEPS" asks for it, or where it should be faster than streaming towers, of which 4 levels made
  /// 331 · 10⁹ updates a second on a device of that size.
  void choose_torre() {
    if (!bands_possible_ || s_ != 1) return;
    const auto& n = problem_.grid.points;
    TileShape shape;
    torre_forced_ =
        problem_.tiling != "auto" && parse_shape(problem_.tiling, shape) && shape.kind == TileShape::Kind::tower;
    const auto plan = [&](int half, Index steps) {
      if constexpr (doubles) {
        return torre_plan<T, 3>(n, steps);
      } else {
        return half == 3   ? torre_plan<T, 3>(n, steps)
               : half == 4 ? torre_plan<T, 4>(n, steps)
                           : torre_plan<T, 5>(n, steps);
      }
    };
    TorrePlan best;
    if (torre_forced_) {
      best = plan(static_cast<int>(std::clamp<Index>(shape.width / 2, 3, doubles ? 3 : 5)), shape.height);
    } else {
      // What it competes with: single steps, and towers.
      best.rate = doubles ? 110 : 220;
      if (towers_possible_) {
        const Index lean_y = plan_.levels - 1, lean_z = Index{4} * plan_.rim * lean_y, tile_z = Index{4} * plan_.fours;
        const double cells = static_cast<double>((n[1] + lean_y + plan_.rows - 1) / plan_.rows * plan_.rows) *
                             static_cast<double>((n[2] + lean_z + tile_z - 1) / tile_z * tile_z);
        best.rate = std::max(best.rate, 331 * static_cast<double>(n[1] * n[2]) / cells);
      }
      for (const int half : {3, 4, 5})
        if (const TorrePlan other = plan(half, Index{8} * half); other.rate > best.rate) best = other;
    }
    if (best.half == 0 || device_.info().shared_per_block < best.shared + 1024) {
      torre_forced_ = false;
      return;
    }
    torre_plan_ = best;
    torre_ =
        device_.kernel<TorreArguments<T>>(fmt::format("acoustic-fd/torre<{}{}>", best.half, doubles ? ",double" : ""));
  }
  void torre(Index k, Index bands) {
    const TorrePlan& p = torre_plan_;
    TorreArguments<T> t;
    t.even = level_[static_cast<std::size_t>(k & 1)].data() + origin_;
    t.odd = level_[static_cast<std::size_t>((k + 1) & 1)].data() + origin_;
    t.steps = static_cast<int>(p.steps);
    t.deep = static_cast<int>(p.deep);
    t.rows = static_cast<int>(p.rows);
    t.columns = static_cast<int>(p.across * p.deep);
    t.first_row = static_cast<int>(p.first_row);
    t.first_z = static_cast<int>(-((p.steps - 1 + 3) / 4 * 4));
    t.weight = host_.weights().equal[1];
    place_band(k, bands, p.steps, t);
    launch_bands(torre_, static_cast<unsigned>(p.threads), p.shared, t);
  }
  /// What PanelArguments::damping points to, which is the same for every launch; empty where these panels have it in shared memory.
  [[nodiscard]] DeviceBuffer<T> damping_of(const PanelPlan& plan) {
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
  [[nodiscard]] static LaunchShape panel_shape(const PanelPlan& plan, Index blocks, Index cluster) {
    LaunchShape shape;
    shape.grid = {static_cast<unsigned>(blocks), 1, 1};
    shape.block = {static_cast<unsigned>(plan.threads), 1, 1};
    shape.shared = plan.shared;
    shape.cluster = static_cast<unsigned>(cluster);
    return shape;
  }
  /// What all of them take alike.
  void place_band(Index k, Index bands, Index levels, BandArguments<T>& t) {
    const std::array<Index, 3> n = held_points();
    place(t);
    t.nx = static_cast<int>(n[0]);
    t.ny = static_cast<int>(n[1]);
    t.nz = static_cast<int>(n[2]);
    t.bands = static_cast<int>(bands);
    t.centre = host_.weights().centre;
    for (std::size_t f = 0; f < 6; ++f) {
      t.sign[f] = static_cast<T>(problem_.faces[f].image_sign());
      t.core[f] = core_[f];
    }
    // Rows at the border of a neighbour's are no faces, and wrong by a radius more each level: who shares rows holds as many more.
    if (held().begin > 0) t.sign[2] = T{0};
    if (held().end < problem_.grid.points[1]) t.sign[3] = T{0};
    for (const int f : {2, 3}) t.core[f] = static_cast<int>(std::clamp<Index>(core_[f] - held().begin, 0, n[1]));
    t.sigma_x = sigma_.data();
    t.sigma_y = sigma_.data() + sigma_at_[1] + held().begin;
    t.sigma_z = sigma_.data() + sigma_at_[2];
    if (!busy_.empty()) {
      point_data_.values = values_.data();
      point_data_.contributions = static_cast<std::int64_t>(parts_.size());
      point_data_.out = traces_.data();
      point_data_.receiver_count = static_cast<std::int64_t>(receiver_count_);
      records_.assign(static_cast<std::size_t>(bands * levels), -1);
      for (std::size_t i = 0; i < recorded_.size(); ++i)
        if (recorded_[i] >= k && recorded_[i] < k + bands * levels)
          records_[static_cast<std::size_t>(recorded_[i] - k)] = static_cast<int>(i);
      point_data_.values += (k - band_) * point_data_.contributions;
      if (record_of_step_.size() < records_.size())
        record_of_step_ = device_.allocate<int>(records_.size(), "receivers");
      stream_.to_device(record_of_step_, std::span<const int>(records_));
      point_data_.record = record_of_step_.data();
      if (points_.empty()) points_ = device_.allocate<TowerPoints<T>>(1, "points");
      stream_.to_device(points_, std::span<const TowerPoints<T>>(&point_data_, 1));
      t.busy = busy_.data();
      t.points = points_.data();
    }
  }
  /// Persistent blocks, at most one a multiprocessor, which wait for each other.
  template <class Arguments>
  void launch_bands(const Kernel<Arguments>& kernel, unsigned threads, Bytes shared, Arguments& t) {
    const std::size_t number =
        static_cast<std::size_t>(t.rows) * static_cast<std::size_t>(t.columns) * static_cast<std::size_t>(t.bands);
    if (progress_.size() < number + 1) progress_ = device_.allocate<unsigned>(number + 1, "progress of towers");
    stream_.zero(progress_);
    t.ticket = progress_.data();
    t.done = progress_.data() + 1;
    LaunchShape shape;
    shape.block = {threads, 1, 1};
    shape.shared = shared;
    shape.cooperative = true;
    shape.grid = {static_cast<unsigned>(std::min(number, static_cast<std::size_t>(device_.info().multiprocessors))), 1,
                  1};
    stream_.launch(kernel, shape, t);
  }

  static unsigned blocks(Index n, Index each) { return static_cast<unsigned>((n + each - 1) / each); }
  void place_points() {
    const Index n = problem_.grid.points[0];
    const auto inside = [&](Index y) { return y >= held().begin && y < held().end; };
    source_first_.assign(static_cast<std::size_t>(n + 1), 0);
    receiver_first_ = source_first_;
    for (const auto& cell : host_.source_cells()) {  // in the order of planes
      if (!inside(cell.y)) continue;
      PointNode node;
      node.x = static_cast<int>(cell.x);
      node.y = static_cast<int>(cell.y - held().begin);
      node.place = node.y * at_.stride_y + cell.z;
      node.begin = static_cast<std::uint32_t>(parts_.size());
      for (const auto& c : cell.from) parts_.emplace_back(c.weight, c.source);
      node.end = static_cast<std::uint32_t>(parts_.size());
      source_nodes_list_.push_back(node);
      ++source_first_[static_cast<std::size_t>(cell.x + 1)];
    }
    const auto all = host_.receiver_nodes();
    std::vector<PointNode> list;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i][1] < rows_.begin || all[i][1] >= rows_.end) continue;
      PointNode node;
      node.x = static_cast<int>(all[i][0]);
      node.y = static_cast<int>(all[i][1] - held().begin);
      node.place = node.y * at_.stride_y + all[i][2];
      node.begin = static_cast<std::uint32_t>(list.size());
      list.push_back(node);
      receiver_of_.push_back(i);
      ++receiver_first_[static_cast<std::size_t>(all[i][0] + 1)];
    }
    receiver_count_ = list.size();
    std::stable_sort(list.begin(), list.end(), [](const PointNode& a, const PointNode& b) { return a.x < b.x; });
    for (auto* first : {&source_first_, &receiver_first_})
      for (std::size_t i = 1; i < first->size(); ++i) (*first)[i] += (*first)[i - 1];
    place_rows(list);
    const auto upload = [&](const std::vector<PointNode>& from, DeviceBuffer<PointNode>& to) {
      if (from.empty()) return;
      to = device_.allocate<PointNode>(from.size(), "points");
      stream_.to_device(to, std::span<const PointNode>(from));
    };
    upload(source_nodes_list_, source_nodes_);
    upload(list, receiver_nodes_);
    source_box_ = box_of(source_nodes_list_);
    receiver_box_ = box_of(list);
    stream_.synchronize();
  }

  /// Rows and cells of rows between which nodes lie.
  [[nodiscard]] std::array<Interval, 2> box_of(const std::vector<PointNode>& nodes) const {
    std::array<Interval, 2> box{};
    for (const PointNode& node : nodes) {
      const std::array<Index, 2> at{node.y, node.place - node.y * at_.stride_y};
      for (std::size_t i = 0; i < 2; ++i)
        box[i] = box[i].empty() ? Interval{at[i], at[i] + 1}
                                : Interval{std::min(box[i].begin, at[i]), std::max(box[i].end, at[i] + 1)};
    }
    return box;
  }
  /// The same nodes as towers look for them.
  void place_rows(const std::vector<PointNode>& receivers) {
    if (!(plain_ || panels_possible_) || (source_nodes_list_.empty() && receivers.empty())) return;
    const std::array<Index, 3> n = held_points();
    std::vector<unsigned char> busy(static_cast<std::size_t>(n[0]), 0);
    std::vector<std::uint32_t> firsts;
    std::vector<RowNode> nodes;
    std::vector<int> slot_of;
    const std::vector<PointNode>* const lists[] = {&source_nodes_list_, &receivers};
    for (const auto* const list : lists) {
      std::vector<PointNode> sorted = *list;
      std::stable_sort(sorted.begin(), sorted.end(), [](const PointNode& a, const PointNode& b) {
        return a.x != b.x ? a.x < b.x : a.place < b.place;
      });
      int slot = 0;
      std::size_t i = 0;
      for (Index x = 0; x < n[0]; ++x) {
        const bool some = i < sorted.size() && sorted[i].x == x;
        slot_of.push_back(some ? slot : -1);
        if (!some) continue;
        busy[static_cast<std::size_t>(x)] = 1;
        ++slot;
        for (Index y = 0; y <= n[1]; ++y) {
          firsts.push_back(static_cast<std::uint32_t>(nodes.size()));
          for (; i < sorted.size() && sorted[i].x == x && sorted[i].y == y; ++i)
            nodes.push_back({static_cast<int>(sorted[i].place - y * at_.stride_y), sorted[i].begin, sorted[i].end});
        }
      }
      if (list == &source_nodes_list_) source_rows_ = {slot_of.size(), firsts.size()};
    }
    busy_ = device_.allocate<unsigned char>(busy.size(), "points");
    row_slots_ = device_.allocate<int>(slot_of.size(), "points");
    row_firsts_ = device_.allocate<std::uint32_t>(std::max<std::size_t>(firsts.size(), 1), "points");
    row_nodes_ = device_.allocate<RowNode>(std::max<std::size_t>(nodes.size(), 1), "points");
    stream_.to_device(busy_, std::span<const unsigned char>(busy));
    stream_.to_device(row_slots_, std::span<const int>(slot_of));
    stream_.to_device(row_firsts_, std::span<const std::uint32_t>(firsts));
    stream_.to_device(row_nodes_, std::span<const RowNode>(nodes));
    stream_.synchronize();
    point_data_.sources = {row_slots_.data(), row_firsts_.data(), row_nodes_.data()};
    point_data_.receivers = {row_slots_.data() + source_rows_[0], row_firsts_.data() + source_rows_[1],
                             row_nodes_.data()};
  }

  template <class Call>
  void for_layers(Interval planes, Call&& call) const {
    for (std::size_t a = 0; a < 3; ++a) {
      const auto& m = host_.layer_memory(a);
      if (m.count() == 0) continue;
      for (Index x = planes.begin; x < planes.end; ++x) {
        const Index local = x - host_.at().first,
                    at = a == 0 ? host_.memory_at(0, local, 0) : (local - host_.held().begin) * m.stride_x;
        if (at < 0) continue;
        for (std::size_t i = 0; i < layer_variables; ++i)
          call(memory_[a][i], m.block[i].data() + at, static_cast<std::size_t>(at),
               static_cast<std::size_t>(m.stride_x));
      }
    }
  }
  /// Position in the memory of axis a of cell (plane `global`, row y, z = 0).
  [[nodiscard]] Index memory_at(std::size_t a, Index global, Index y) const {
    const Index x = global - host_.at().first;
    const Index there = host_.memory_at(a, x, y);
    return a > 0 && window_ ? there - x * host_.layer_memory(a).stride_x + static_cast<Index>(layer_at(a, global))
                            : there;
  }
  /// The matched layers in planes (global) and local rows, axis after axis as the host has them.
  void layers(Index k, Interval planes, Interval rows) {
    const auto& n = problem_.grid.points;
    for (std::size_t a = 0; a < 3; ++a) {
      const auto& memory = host_.layer_memory(a);
      if (memory.count() == 0) continue;
      for (const Interval nodes : {Interval{0, memory.layer.low}, Interval{n[a] - memory.layer.high, n[a]}}) {
        std::array<Interval, 3> box{planes, rows, Interval{0, n[2]}};
        box[a] = {std::max(box[a].begin, nodes.begin), std::min(box[a].end, nodes.end)};
        if (box[0].empty() || box[1].empty() || box[2].empty()) continue;
        const Index here =
            origin_ + (box[0].begin - first_) * at_.stride_x + box[1].begin * at_.stride_y + box[2].begin;
        MatchedArguments<T> t;
        t.u = level_[static_cast<std::size_t>(k & 1)].data() + here;
        t.o = level_[static_cast<std::size_t>((k + 1) & 1)].data() + here;
        t.a = a_.data() + (host_.medium_varies() ? here : box[2].begin);
        t.stride_x = at_.stride_x;
        t.stride_y = at_.stride_y;
        t.a_stride_x = host_.medium_varies() ? at_.stride_x : 0;
        t.a_stride_y = host_.medium_varies() ? at_.stride_y : 0;
        t.along = std::array<Index, 3>{at_.stride_x, at_.stride_y, 1}[a];
        const Index place = memory_at(a, box[0].begin, box[1].begin) + box[2].begin +
                            (a == 2 && nodes.begin > 0 ? memory.offset_high : 0);
        for (std::size_t i = 0; i < layer_variables; ++i) t.m[i] = memory_[a][i].data() + place;
        if (host_.potential()) {
          t.v = density_[a][0].data() + place;
          t.w = density_[a][1].data() + place;
        }
        t.m_stride_x = memory.stride_x;
        t.m_stride_y = memory.stride_y;
        t.factor = factors_[a].data() + box[a].begin;
        t.nodes = static_cast<int>(memory.factor[0].size());
        t.axis = static_cast<int>(a);
        t.radius = static_cast<int>(s_);
        std::copy_n(host_.curvature(), s_ + 1, t.curvature);
        std::copy_n(host_.slope(), s_ + 1, t.slope);
        t.sigma_x = sigma_.data() + sigma_at_[0] + box[0].begin;
        t.sigma_y = sigma_.data() + sigma_at_[1] + box[1].begin;
        t.sigma_z = sigma_.data() + sigma_at_[2] + box[2].begin;
        t.nx = static_cast<int>(box[0].size());
        t.ny = static_cast<int>(box[1].size());
        t.nz = static_cast<int>(box[2].size());
        LaunchShape shape;
        shape.block = {matched_threads, 1, 1};
        shape.grid = {blocks(box[0].size() * box[1].size() * box[2].size(), matched_threads), 1, 1};
        stream_.launch(matched_, shape, t);
      }
    }
  }

  void points(const Kernel<PointArguments<T>>& kernel, const DeviceBuffer<PointNode>& nodes,
              const std::vector<std::size_t>& first, const std::array<Interval, 2>& box, Interval planes, Interval y,
              Interval z, T* o, Index k) {
    if (nodes.empty() || y.empty()) return;
    if (y.end <= box[0].begin || y.begin >= box[0].end || z.end <= box[1].begin || z.begin >= box[1].end) return;
    const std::size_t begin = first[static_cast<std::size_t>(planes.begin)],
                      end = first[static_cast<std::size_t>(planes.end)];
    if (begin == end) return;
    PointArguments<T> t;
    t.o = o;
    t.stride_x = at_.stride_x;
    t.first = static_cast<int>(first_);
    t.y0 = static_cast<int>(y.begin);
    t.y1 = static_cast<int>(y.end);
    t.stride_y = at_.stride_y;
    t.z0 = static_cast<int>(z.begin);
    t.z1 = static_cast<int>(z.end);
    t.count = static_cast<int>(end - begin);
    t.nodes = nodes.data() + begin;
    t.values = values_.data() + static_cast<std::size_t>(k - band_) * parts_.size();
    t.out = traces_.data() + slot_ * receiver_count_;
    LaunchShape shape;
    shape.block = {point_threads, 1, 1};
    shape.grid = {blocks(t.count, point_threads), 1, 1};
    stream_.launch(kernel, shape, t);
  }

  void images(T* o, Interval planes, Interval rows, Interval cells) {
    const auto& n = problem_.grid.points;
    for (std::size_t f = 0; f < 6; ++f) {
      const int sign = problem_.faces[f].image_sign();
      if (sign == 0) continue;
      const std::size_t axis = f / 2;
      const Index face = f % 2 == 0 ? 0 : n[axis] - 1, towards = f % 2 == 0 ? 1 : -1;
      const Interval part = axis == 0 ? planes : axis == 1 ? rows : cells;
      // Nodes face + i inwards lie in the part that was updated.
      MirrorArguments<T> t;
      const Index near = towards > 0 ? part.begin - face : face - (part.end - 1);
      const Index far = towards > 0 ? part.end - face : face - part.begin + 1;
      t.first = static_cast<int>(std::max<Index>(1, near));
      t.last = static_cast<int>(std::min(s_ + 1, far));
      if (t.first >= t.last) continue;
      const std::array<Index, 3> stride{at_.stride_x, at_.stride_y, 1};
      const std::array<Index, 3> begin{planes.begin - first_, rows.begin - held().begin, cells.begin};
      const std::array<Index, 3> count{planes.size(), rows.size(), cells.size()};
      const std::size_t p = axis == 2 ? 1 : 2, q = 3 - axis - p;
      std::array<Index, 3> corner = begin;
      corner[axis] = face - (axis == 0 ? first_ : axis == 1 ? held().begin : 0);
      t.face = o + corner[0] * stride[0] + corner[1] * stride[1] + corner[2];
      t.inwards = towards * stride[axis];
      t.stride_p = stride[p];
      t.stride_q = stride[q];
      t.p = static_cast<int>(count[p]);
      t.q = static_cast<int>(count[q]);
      t.sign = static_cast<T>(sign);
      LaunchShape shape;
      shape.block = {mirror_threads, 1, 1};
      shape.grid = {blocks(t.p, mirror_threads), static_cast<unsigned>(t.q), 1};
      stream_.launch(mirror_, shape, t);
    }
  }

  const Problem& problem_;
  Field<T>& host_;
  Device device_;
  Stream stream_, other_stream_;
  int which_ = 0;
  Interval rows_;
  Index below_, above_, s_;
  bool window_;  ///< of planes that come and go
  Layout at_;
  Index first_ = 0;   ///< global plane of plane 0
  Index number_ = 0;  ///< of a window: its number, from 0 on
  Index origin_ = 0;  ///< position of cell (0, 0, 0) in the arrays
  DeviceBuffer<T> level_[2], a_, v_, sigma_, values_, traces_;
  DeviceBuffer<T> spare_[2];  ///< the other pair
  DeviceBuffer<T> kept_;      ///< by panels, of each of the bands
  Index kept_bands_ = 0;
  int pair_ = 0;
  struct PanelKind {
    PanelPlan plan;
    Kernel<PanelArguments> kernel;
    DeviceBuffer<T> damping;
  };
  std::vector<PanelKind> panels_;  ///< by falling levels
  PanelArguments panel_;
  Index panels_from_ = 0;
  std::size_t sigma_at_[3]{};
  Kernel<AdvanceArguments<T>> advance_;
  Kernel<PointArguments<T>> inject_, record_;
  Kernel<MirrorArguments<T>> mirror_;
  Kernel<MarginArguments> margins_;
  Kernel<EnergyArguments<T>> energy_;
  DeviceBuffer<double> energies_[2];  ///< of each stream
  Kernel<MatchedArguments<T>> matched_;
  DeviceBuffer<T> memory_[3][layer_variables], factors_[3];  ///< of the matched layers, by axis
  DeviceBuffer<T> density_[3][2];                            ///< V_a and W_a there, where the density varies
  bool layered_ = false;
  Kernel<ShellArguments> shell_;  ///< where panels leave matched layers
  std::vector<PointNode> source_nodes_list_;
  DeviceBuffer<PointNode> source_nodes_, receiver_nodes_;
  std::vector<std::size_t> source_first_, receiver_first_;  ///< nodes before each plane
  std::array<Interval, 2> source_box_{}, receiver_box_{};   ///< of rows and cells
  std::vector<std::pair<double, std::size_t>> parts_;
  std::vector<std::size_t> receiver_of_;
  std::size_t receiver_count_ = 0, slot_ = 0;
  TowerPlan plan_{};
  bool plain_ = false;  ///< equal spacings, constant density, sponges: towers know no more, panels do
  bool bands_possible_ = false, towers_possible_ = false, panels_possible_ = false;
  Kernel<TowerArguments> tower_;
  Kernel<TorreArguments<T>> torre_;
  TorrePlan torre_plan_;
  bool torre_forced_ = false;
  int core_[6]{};  ///< nodes of each axis that lie in no sponge
  DeviceBuffer<unsigned> progress_;
  DeviceBuffer<unsigned char> busy_;
  DeviceBuffer<int> row_slots_, record_of_step_;
  DeviceBuffer<std::uint32_t> row_firsts_;
  DeviceBuffer<RowNode> row_nodes_;
  DeviceBuffer<TowerPoints<T>> points_;
  TowerPoints<T> point_data_;
  std::array<std::size_t, 2>
      source_rows_{};  ///< of the sources, planes and firsts, which come before those of the receivers
  std::vector<int> records_;
  Index band_ = 0;
  std::vector<T> contributions_;
  std::vector<Index> recorded_;
};

}  // namespace conoid::acoustic_fd
