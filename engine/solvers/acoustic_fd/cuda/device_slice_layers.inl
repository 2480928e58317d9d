// SPDX-License-Identifier: BSD-3-Clause
// What panels and plain steps leave: the updates of boxes, matched layers, images behind faces. Part of device_slice.hpp.
#pragma once

#include "engine/solvers/acoustic_fd/cuda/device_slice.hpp"

namespace conoid::acoustic_fd {

template <class T>
std::vector<typename DeviceSlice<T>::PlaneMemory> DeviceSlice<T>::plane_memory() const {
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

template <class T>
Interval DeviceSlice<T>::layer_nodes(std::size_t a) const {
  const MatchedLayer& layer = host_.layer_memory(a).layer;
  const Interval held = a == 1 ? this->held() : Interval{0, problem_.grid.points[a]};
  return {std::clamp(layer.low, held.begin, held.end) - held.begin,
          std::clamp(problem_.grid.points[a] - layer.high, held.begin, held.end) - held.begin};
}

template <class T>
Interval DeviceSlice<T>::memory_rows(std::size_t a, Interval rows) const {
  if (a != 1) return rows;
  const MatchedLayer& layer = host_.layer_memory(1).layer;
  const auto before = [&](Index y) {
    return std::min(y, layer.low) + std::max<Index>(0, y - (problem_.grid.points[1] - layer.high));
  };
  return {before(rows.begin), before(rows.end)};
}

template <class T>
Index DeviceSlice<T>::memory_stride_x(std::size_t a) const {
  return memory_rows(a, held()).size() * host_.layer_memory(a).stride_y;
}

template <class T>
std::size_t DeviceSlice<T>::memory_count(std::size_t a) const {
  const auto& m = host_.layer_memory(a);
  return m.count() == 0 ? 0 : static_cast<std::size_t>(m.planes * memory_stride_x(a));
}

template <class T>
template <class Call>
void DeviceSlice<T>::for_memory_rows(std::size_t a, Interval rows, Call&& call) const {
  const auto& m = host_.layer_memory(a);
  const Interval held_rows = memory_rows(a, held()), some = memory_rows(a, rows);
  if (m.count() == 0 || some.empty()) return;
  const Index stride = memory_stride_x(a);
  const bool whole = stride == m.stride_x && some.size() * m.stride_y == stride;
  for (Index plane = 0; plane < (whole ? 1 : m.planes); ++plane)
    call(static_cast<std::size_t>(plane * stride + (some.begin - held_rows.begin) * m.stride_y),
         plane * m.stride_x + some.begin * m.stride_y,
         static_cast<std::size_t>(whole ? m.planes * stride : some.size() * m.stride_y));
}

template <class T>
void DeviceSlice<T>::send_layers(bool silent) {
  if (silent && !host_.potential()) return;
  for (std::size_t a = 0; a < (window_ ? 1U : 3U); ++a)
    for_memory_rows(a, held(), [&](std::size_t here, Index there, std::size_t count) {
      const auto& m = host_.layer_memory(a);
      for (std::size_t i = 0; !silent && i < layer_variables; ++i)
        stream_.to_device(memory_[a][i], std::span<const T>(m.block[i].data() + there, count), here);
      if (host_.potential())
        for (std::size_t i = 0; i < 2; ++i)
          stream_.to_device(density_[a][i], std::span<const T>(m.density[i].data() + there, count), here);
    });
}

template <class T>
void DeviceSlice<T>::fetch_layers() {
  for (std::size_t a = 0; a < (window_ ? 1U : 3U); ++a)
    for_memory_rows(a, rows_, [&](std::size_t here, Index there, std::size_t count) {
      for (std::size_t i = 0; i < layer_variables; ++i)
        stream_.to_host(std::span<T>(host_.layer_memory(a).block[i].data() + there, count), memory_[a][i], here);
    });
}

template <class T>
void DeviceSlice<T>::pull_layers(const DeviceSlice& from, Interval rows) {
  for (std::size_t a = 0; a < 3; ++a) {
    const auto& m = host_.layer_memory(a);
    const Interval some = memory_rows(a, rows);
    if (m.count() == 0 || some.empty()) continue;
    const auto at = [&](const DeviceSlice& slice) {
      return static_cast<std::size_t>((some.begin - slice.memory_rows(a, slice.held()).begin) * m.stride_y);
    };
    for (std::size_t i = 0; i < layer_variables; ++i)
      stream_.from_peer(memory_[a][i], at(*this), static_cast<std::size_t>(memory_stride_x(a)), from.memory_[a][i],
                        at(from), static_cast<std::size_t>(from.memory_stride_x(a)), from.device_.info().index,
                        static_cast<std::size_t>(some.size() * m.stride_y), static_cast<std::size_t>(m.planes));
  }
}

template <class T>
void DeviceSlice<T>::update(Index k, Interval planes, Interval rows) {
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
  shape.grid = {blocks(at_.nz, 4 * advance_threads_z), blocks(y.size(), advance_threads_y), blocks(x.size(), t.planes)};
  stream_.launch(advance_, shape, t);
  if (layered_) layers(k, planes, y);
  walls(k, planes, y);
  finish(k, {planes, rows, whole_row()}, o);
}

template <class T>
void DeviceSlice<T>::finish(Index k, const Part& part, T* o) {
  const Interval y{part.y.begin - held().begin, part.y.end - held().begin};
  if (beside_.empty())
    points(inject_, source_nodes_, source_first_, source_box_, part.x, y, part.z, o, k);
  else
    update_beside(k, part, o);
  images(o, part.x, part.y, part.z);
  if (recorded_.empty()) return;
  const auto slot = std::find(recorded_.begin(), recorded_.end(), k);
  if (slot == recorded_.end()) return;
  const Interval own{rows_.begin - held().begin, rows_.end - held().begin};
  slot_ = static_cast<std::size_t>(slot - recorded_.begin());
  points(record_, receiver_nodes_, receiver_first_, receiver_box_, part.x,
         {std::max(y.begin, own.begin), std::min(y.end, own.end)}, part.z, o, k);
}

template <class T>
void DeviceSlice<T>::make_beside() {
  static_assert(beside_solids == most_relaxations);
  const auto add = [&](T* host) {
    if (host) beside_.push_back({planes_of(static_cast<std::size_t>(at_.count), "attenuation and maps"), host});
  };
  for (std::size_t l = 0; l < host_.relaxations(); ++l) add(host_.memory_of(l));
  for (const int which : {0, 1}) add(host_.map_of(which));
  if (!beside_.empty()) update_beside_ = device_.kernel<BesideArguments<T>>(std::string("acoustic-fd/beside") + suffix);
}

template <class T>
void DeviceSlice<T>::update_beside(Index k, const Part& part, T* o) {
  BesideArguments<T> t;
  t.u = level_[static_cast<std::size_t>(k & 1)].data() + origin_;
  t.o = o;
  t.stride_x = at_.stride_x;
  t.stride_y = at_.stride_y;
  t.solids = static_cast<int>(host_.relaxations());
  std::size_t next = 0;
  const auto array = [&] { return beside_[next++].values.data() + origin_; };
  for (std::size_t l = 0; l < host_.relaxations(); ++l) {
    const RelaxationStep& step = host_.relaxation(l);
    t.m[l] = array();
    t.pull[l] = static_cast<T>(step.pull);
    t.keep[l] = static_cast<T>(step.keep);
    t.add[l] = static_cast<T>(step.add);
  }
  if (host_.map_of(0)) t.peak = array();
  if (host_.map_of(1)) t.squares = array();
  t.sigma_x = sigma_.data() + sigma_at_[0] + first_;
  t.sigma_y = sigma_.data() + sigma_at_[1] + held().begin;
  t.sigma_z = sigma_.data() + sigma_at_[2];
  if (!source_nodes_.empty()) t.sources = point_data_.sources;
  t.values = values_.data() + static_cast<std::size_t>(k - band_) * parts_.size();
  t.rows = static_cast<int>(held().size());
  t.first = static_cast<int>(first_);
  t.x0 = static_cast<int>(part.x.begin - first_);
  t.x1 = static_cast<int>(part.x.end - first_);
  t.y0 = static_cast<int>(part.y.begin - held().begin);
  t.y1 = static_cast<int>(part.y.end - held().begin);
  t.nz = static_cast<int>(at_.nz);
  LaunchShape shape;
  shape.block = {beside_threads_z, beside_threads_y, 1};
  shape.grid = {blocks(at_.nz, 4 * beside_threads_z), blocks(part.y.size(), beside_threads_y),
                static_cast<unsigned>(part.x.size())};
  stream_.launch(update_beside_, shape, t);
}

template <class T>
std::vector<typename DeviceSlice<T>::Part> DeviceSlice<T>::shell_parts(Interval planes, Index beside) const {
  std::vector<Part> out;
  Part rest{planes, held(), whole_row()};
  for (std::size_t a = 0; a < 3; ++a) {
    const auto axis = [a](Part& part) -> Interval& { return a == 0 ? part.x : a == 1 ? part.y : part.z; };
    const Index from = a == 1 ? held().begin : 0, nodes = a == 1 ? held().size() : problem_.grid.points[a];
    const Interval all = axis(rest), plain = layer_nodes(a);
    // Of several devices that of a layer may hold fewer rows than what is beside it; of several ranks some hold none of its planes.
    const Interval inner{plain.begin > 0 ? std::clamp(from + plain.begin + beside, all.begin, all.end) : all.begin,
                         plain.end < nodes ? std::clamp(from + plain.end - beside, all.begin, all.end) : all.end};
    if (inner.empty()) {
      out.push_back(rest);
      return out;
    }
    for (const Interval side : {Interval{all.begin, inner.begin}, Interval{inner.end, all.end}})
      if (!side.empty()) {
        out.push_back(rest);
        axis(out.back()) = side;
      }
    axis(rest) = inner;
  }
  return out;
}

template <class T>
void DeviceSlice<T>::finish_shell(Index k, Index levels, Interval planes) {
  if (!layered_) return;
  for (Index m = 0; m < levels; ++m) {
    const bool last = m == levels - 1;
    const Index along = s_ * (levels - 1 - m);
    const std::vector<Part> parts =
        shell_parts({std::max<Index>(0, planes.begin - along), std::min(problem_.grid.points[0], planes.end + along)},
                    s_ * (last ? levels - 1 : 2 * (levels - 2) - m));
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

template <class T>
void DeviceSlice<T>::update_shell(const Part& part, const T* u, const T* older, T* o) {
  if constexpr (!doubles) {
    ShellArguments t;
    t.u = u;
    t.older = older;
    t.o = o;
    place(t);
    t.v = host_.potential() ? v_.data() + origin_ : nullptr;
    t.x0 = static_cast<int>(part.x.begin - first_);
    t.x1 = static_cast<int>(part.x.end - first_);
    t.y0 = static_cast<int>(part.y.begin - held().begin);
    t.y1 = static_cast<int>(part.y.end - held().begin);
    t.z0 = static_cast<int>(part.z.begin);
    t.z1 = static_cast<int>(part.z.end);
    t.nz = static_cast<int>(at_.nz);
    weigh(t);
    t.sigma_x = sigma_.data() + first_;
    t.sigma_y = sigma_.data() + sigma_at_[1] + held().begin;
    t.sigma_z = sigma_.data() + sigma_at_[2];
    std::copy_n(host_.curvature(), s_ + 1, t.curvature);
    std::copy_n(host_.slope(), s_ + 1, t.slope);
    const Index held_from = host_.held().begin + host_.at().first;  // the plane at which the memories begin
    for (std::size_t a = 0; a < 3; ++a) {
      ShellLayer& layer = t.layer[a];
      const auto& memory = host_.layer_memory(a);
      // Along x planes count from `first_`, which a rank's memories of layers do not.
      const Index from = a == 0 ? first_ : 0;
      const Interval plain = layer_nodes(a);
      layer.high = static_cast<int>(plain.end - from);
      if (memory_count(a) == 0) continue;
      layer.low = static_cast<int>(plain.begin - from);
      layer.m_stride_x = memory_stride_x(a);
      layer.m_stride_y = memory.stride_y;
      const Index here = (first_ - held_from) * layer.m_stride_x;
      for (std::size_t i = 0; i < layer_variables; ++i) layer.m[i] = memory_[a][i].data() + here;
      if (host_.potential()) {
        layer.v = density_[a][0].data() + here;
        layer.w = density_[a][1].data() + here;
      }
      // Nodes of the higher layer follow those of the lower one.
      const Index lower_planes = std::max<Index>(0, plain.begin - held_from);
      layer.to_high = a == 2   ? memory.offset_high
                      : a == 1 ? (plain.begin - plain.end) * memory.stride_y
                               : (lower_planes + held_from - std::max(plain.end, held_from)) * layer.m_stride_x;
      layer.factor = factors_[a].data() + (a == 1 ? held().begin : from);
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

template <class T>
Index DeviceSlice<T>::memory_at(std::size_t a, Index global, Index y) const {
  const Index x = global - host_.at().first;
  const auto& m = host_.layer_memory(a);
  const Index there = host_.memory_at(a, x, y + held().begin);
  if (a > 0 && window_) return there - x * m.stride_x + static_cast<Index>(layer_at(a, global));
  // Planes as on the host, of the rows that are held.
  return there / m.stride_x * memory_stride_x(a) + there % m.stride_x - memory_rows(a, held()).begin * m.stride_y;
}

template <class T>
void DeviceSlice<T>::layers(Index k, Interval planes, Interval rows) {
  const auto& n = problem_.grid.points;
  for (std::size_t a = 0; a < 3; ++a) {
    const auto& memory = host_.layer_memory(a);
    if (memory_count(a) == 0) continue;
    const Interval plain = layer_nodes(a);
    for (const bool high : {false, true}) {
      const Interval nodes = high ? Interval{plain.end, n[a]} : Interval{0, plain.begin};
      std::array<Interval, 3> box{planes, rows, Interval{0, n[2]}};
      box[a] = {std::max(box[a].begin, nodes.begin), std::min(box[a].end, nodes.end)};
      if (box[0].empty() || box[1].empty() || box[2].empty()) continue;
      const Index here = origin_ + (box[0].begin - first_) * at_.stride_x + box[1].begin * at_.stride_y + box[2].begin;
      MatchedArguments<T> t;
      t.u = level_[static_cast<std::size_t>(k & 1)].data() + here;
      t.o = level_[static_cast<std::size_t>((k + 1) & 1)].data() + here;
      t.a = a_.data() + (host_.medium_varies() ? here : box[2].begin);
      t.stride_x = at_.stride_x;
      t.stride_y = at_.stride_y;
      t.a_stride_x = host_.medium_varies() ? at_.stride_x : 0;
      t.a_stride_y = host_.medium_varies() ? at_.stride_y : 0;
      t.along = std::array<Index, 3>{at_.stride_x, at_.stride_y, 1}[a];
      const Index place =
          memory_at(a, box[0].begin, box[1].begin) + box[2].begin + (a == 2 && high ? memory.offset_high : 0);
      for (std::size_t i = 0; i < layer_variables; ++i) t.m[i] = memory_[a][i].data() + place;
      if (host_.potential()) {
        t.v = density_[a][0].data() + place;
        t.w = density_[a][1].data() + place;
      }
      t.m_stride_x = memory_stride_x(a);
      t.m_stride_y = memory.stride_y;
      t.factor = factors_[a].data() + box[a].begin + (a == 1 ? held().begin : 0);
      t.nodes = static_cast<int>(memory.factor[0].size());
      t.axis = static_cast<int>(a);
      t.radius = static_cast<int>(s_);
      std::copy_n(host_.curvature(), s_ + 1, t.curvature);
      std::copy_n(host_.slope(), s_ + 1, t.slope);
      t.sigma_x = sigma_.data() + sigma_at_[0] + box[0].begin;
      t.sigma_y = sigma_.data() + sigma_at_[1] + held().begin + box[1].begin;
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

template <class T>
void DeviceSlice<T>::images(T* o, Interval planes, Interval rows, Interval cells) {
  const auto& n = problem_.grid.points;
  for (std::size_t f = 0; f < 6; ++f) {
    const int sign = problem_.faces[f].image_sign();
    const std::size_t axis = f / 2;
    if (sign == 0 || n[axis] == 1) continue;
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

template <class T>
void DeviceSlice<T>::place_walls() {
  const auto all = host_.wall_nodes();
  if (all.empty()) return;
  const auto from = host_.wall_entries();
  const Index stride[3]{at_.stride_x, at_.stride_y, 1};
  std::vector<PointNode> nodes;
  std::vector<std::int64_t> offsets;
  std::vector<T> weights;
  wall_first_.assign(static_cast<std::size_t>(problem_.grid.points[0] + 1), 0);
  for (const WallNode& wall : all) {
    if (wall.y < held().begin || wall.y >= held().end) continue;
    PointNode node;
    node.x = static_cast<int>(wall.x);
    node.y = static_cast<int>(wall.y - held().begin);
    node.place = node.y * at_.stride_y + wall.z;
    node.begin = static_cast<std::uint32_t>(offsets.size());
    for (std::uint32_t i = wall.first; i < wall.last; ++i) {
      offsets.push_back(from[i].offset * stride[from[i].axis]);
      weights.push_back(static_cast<T>(from[i].weight));
    }
    node.end = static_cast<std::uint32_t>(offsets.size());
    nodes.push_back(node);
    ++wall_first_[static_cast<std::size_t>(wall.x + 1)];
  }
  for (std::size_t i = 1; i < wall_first_.size(); ++i) wall_first_[i] += wall_first_[i - 1];
  if (nodes.empty()) return;
  wall_nodes_ = device_.allocate<PointNode>(nodes.size(), "walls");
  wall_offsets_ = device_.allocate<std::int64_t>(offsets.size(), "walls");
  wall_weights_ = device_.allocate<T>(weights.size(), "walls");
  stream_.to_device(wall_nodes_, std::span<const PointNode>(nodes));
  stream_.to_device(wall_offsets_, std::span<const std::int64_t>(offsets));
  stream_.to_device(wall_weights_, std::span<const T>(weights));
  walls_ = device_.kernel<WallArguments<T>>(std::string("acoustic-fd/walls") + suffix);
  wall_energy_ = device_.kernel<WallEnergyArguments<T>>(std::string("acoustic-fd/wall-energies") + suffix);
  stream_.synchronize();
}

template <class T>
void DeviceSlice<T>::walls(Index k, Interval planes, Interval rows) {
  if (wall_nodes_.empty()) return;
  const std::size_t begin = wall_first_[static_cast<std::size_t>(planes.begin)],
                    end = wall_first_[static_cast<std::size_t>(planes.end)];
  if (begin == end) return;
  WallArguments<T> t;
  place(t);
  t.stride_y = at_.stride_y;  // as nodes are placed
  t.u = level_[static_cast<std::size_t>(k & 1)].data() + origin_;
  t.o = level_[static_cast<std::size_t>((k + 1) & 1)].data() + origin_;
  t.first = static_cast<int>(first_);
  t.y0 = static_cast<int>(rows.begin);
  t.y1 = static_cast<int>(rows.end);
  t.count = static_cast<int>(end - begin);
  t.nodes = wall_nodes_.data() + begin;
  t.offsets = wall_offsets_.data();
  t.weights = wall_weights_.data();
  t.sigma_x = sigma_.data() + sigma_at_[0];
  t.sigma_y = sigma_.data() + sigma_at_[1] + held().begin;
  t.sigma_z = sigma_.data() + sigma_at_[2];
  LaunchShape shape;
  shape.block = {point_threads, 1, 1};
  shape.grid = {blocks(t.count, point_threads), 1, 1};
  stream_.launch(walls_, shape, t);
}

template <class T>
void DeviceSlice<T>::queue_wall_energies(Index k, Interval planes, double* sums) {
  if (wall_nodes_.empty()) return;
  const std::size_t begin = wall_first_[static_cast<std::size_t>(planes.begin)],
                    end = wall_first_[static_cast<std::size_t>(planes.end)];
  if (begin == end) return;
  WallEnergyArguments<T> t;
  const Index here = origin_ + (planes.begin - first_) * at_.stride_x;
  t.u0 = level_[static_cast<std::size_t>((k + 1) & 1)].data() + here;
  t.u1 = level_[static_cast<std::size_t>(k & 1)].data() + here;
  t.stride_x = at_.stride_x;
  t.stride_y = at_.stride_y;
  t.first = static_cast<int>(planes.begin);
  t.y0 = static_cast<int>(rows_.begin - held().begin);
  t.ny = static_cast<int>(rows_.size());
  t.nz = static_cast<int>(at_.nz);
  t.count = static_cast<int>(end - begin);
  t.nodes = wall_nodes_.data() + begin;
  t.offsets = wall_offsets_.data();
  t.weights = wall_weights_.data();
  for (std::size_t side = 0; side < 2; ++side) t.half[side] = problem_.face_share(4 + side);
  t.sums = sums;
  LaunchShape shape;
  shape.block = {point_threads, 1, 1};
  shape.grid = {blocks(t.count, point_threads), 1, 1};
  stream_.launch(wall_energy_, shape, t);
}

}  // namespace conoid::acoustic_fd
