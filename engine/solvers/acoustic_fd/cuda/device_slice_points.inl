// SPDX-License-Identifier: BSD-3-Clause
// Sources, receivers and energies on the device. Part of device_slice.hpp.
#pragma once

#include "engine/solvers/acoustic_fd/cuda/device_slice.hpp"

namespace conoid::acoustic_fd {

template <class T>
void DeviceSlice<T>::begin_band(Index k, Index count) {
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

template <class T>
void DeviceSlice<T>::end_band() {
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

template <class T>
void DeviceSlice<T>::queue_row_energies(Index k, Interval planes) {
  if (planes.empty()) return;
  const Index ny = rows_.size(), beside = rows_.begin - held().begin;
  const std::size_t count = static_cast<std::size_t>(2 * ny * planes.size());
  DeviceBuffer<double>& sums = energies_[which_];
  if (sums.size() < count) {
    stream_.synchronize();
    sums = device_.allocate<double>(count, "energies");
    energy_ = device_.kernel<EnergyArguments<T>>(fmt::format("acoustic-fd/energy<{}{}>", s_, doubles ? ",double" : ""));
  }
  EnergyArguments<T> t;
  weigh(t);
  t.nx = static_cast<int>(planes.size());
  t.ny = static_cast<int>(ny);
  t.nz = static_cast<int>(at_.nz);
  t.unequal = host_.unequal();
  for (int end = 0; end < 2; ++end) t.half[end] = problem_.face_share(static_cast<std::size_t>(4 + end));
  t.sums = sums.data();
  const Index here = (planes.begin - first_) * at_.stride_x + beside * at_.stride_y;
  t.u0 = level_[static_cast<std::size_t>((k + 1) & 1)].data() + origin_ + here;
  t.u1 = level_[static_cast<std::size_t>(k & 1)].data() + origin_ + here;
  place(t, here);
  t.v = host_.potential() ? v_.data() + origin_ + here : nullptr;
  LaunchShape shape;
  shape.block = {energy_threads, 1, 1};
  shape.grid = {energy_groups * blocks(ny, energy_rows), blocks(planes.size(), energy_groups * energy_planes), 1};
  stream_.launch(energy_, shape, t);
  queue_wall_energies(k, planes, sums.data());
}

template <class T>
void DeviceSlice<T>::queue_plane_energies(Interval planes, const double* before, double* to) {
  if (planes.empty()) return;
  const auto count = static_cast<std::size_t>(2 * planes.size());
  DeviceBuffer<double>& sums = plane_sums_[which_];
  if (sums.size() < count) {
    stream_.synchronize();
    sums = device_.allocate<double>(count, "energies");
    plane_energies_ = device_.kernel<PlaneEnergyArguments>("acoustic-fd/plane-energies");
  }
  if (before)
    stream_.to_device(sums, std::span(before, count));
  else
    stream_.zero(sums);
  PlaneEnergyArguments t;
  t.rows = energies_[which_].data();
  t.sums = sums.data();
  t.ny = static_cast<int>(rows_.size());
  t.first = rows_.begin == 0 ? problem_.face_share(2) : 1;
  t.last = rows_.end == problem_.grid.points[1] ? problem_.face_share(3) : 1;
  LaunchShape shape;
  shape.block = {plane_energy_rows, 1, 1};
  shape.grid = {static_cast<unsigned>(planes.size()), 1, 1};
  stream_.launch(plane_energies_, shape, t);
  stream_.to_host(std::span(to, count), sums, 0);
}

template <class T>
std::span<const T> DeviceSlice<T>::gather(std::size_t array, const std::array<Index, 3>& first,
                                          const std::array<Index, 3>& step, const std::array<Index, 3>& count) {
  const auto values = static_cast<std::size_t>(count[0] * count[1] * count[2]);
  if (values == 0) return {};
  if (seen_.size() < values) seen_ = device_.allocate<T>(values, "nodes of a frame");
  if (shown_.size() < values) shown_ = device_.pinned<T>(values);
  GatherArguments<T> t;
  t.from = this->array(array).data() + origin_ + (first[0] - first_) * at_.stride_x +
           (first[1] - held().begin) * at_.stride_y + first[2];
  t.to = seen_.data();
  t.step_x = step[0] * at_.stride_x;
  t.step_y = step[1] * at_.stride_y;
  t.step_z = step[2];
  t.count = static_cast<std::int64_t>(values);
  t.ny = static_cast<int>(count[1]);
  t.nz = static_cast<int>(count[2]);
  LaunchShape shape;
  shape.block = {look_threads, 1, 1};
  shape.grid = {blocks(t.count, look_threads), 1, 1};
  stream_.launch(device_.kernel<GatherArguments<T>>(std::string("acoustic-fd/gather") + suffix), shape, t);
  const std::span<T> to = shown_.span().first(values);
  stream_.to_host(to, seen_, 0);
  stream_.synchronize();
  return to;
}

template <class T>
T DeviceSlice<T>::largest(Index k, Interval planes) {
  LargestArguments<T> t;
  t.stride_x = at_.stride_x;
  t.stride_y = at_.stride_y;
  t.ny = static_cast<int>(rows_.size());
  t.nz = static_cast<int>(at_.nz);
  t.groups = static_cast<int>(blocks(rows_.size(), look_rows));
  const auto values = static_cast<std::size_t>(t.groups * planes.size());
  if (values == 0) return 0;
  if (seen_.size() < values) seen_ = device_.allocate<T>(values, "largest pressures");
  t.from = level_[static_cast<std::size_t>(k & 1)].data() + origin_ + (planes.begin - first_) * at_.stride_x +
           (rows_.begin - held().begin) * at_.stride_y;
  t.most = seen_.data();
  LaunchShape shape;
  shape.block = {look_threads, 1, 1};
  shape.grid = {static_cast<unsigned>(values), 1, 1};
  stream_.launch(device_.kernel<LargestArguments<T>>(std::string("acoustic-fd/largest") + suffix), shape, t);
  std::vector<T> most(values);
  stream_.to_host(std::span(most), seen_, 0);
  stream_.synchronize();
  return *std::max_element(most.begin(), most.end());
}

template <class T>
void DeviceSlice<T>::place_points() {
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

template <class T>
std::array<Interval, 2> DeviceSlice<T>::box_of(const std::vector<PointNode>& nodes) const {
  std::array<Interval, 2> box{};
  for (const PointNode& node : nodes) {
    const std::array<Index, 2> at{node.y, node.place - node.y * at_.stride_y};
    for (std::size_t i = 0; i < 2; ++i)
      box[i] = box[i].empty() ? Interval{at[i], at[i] + 1}
                              : Interval{std::min(box[i].begin, at[i]), std::max(box[i].end, at[i] + 1)};
  }
  return box;
}

template <class T>
void DeviceSlice<T>::place_rows(const std::vector<PointNode>& receivers) {
  if (!(plain_ || panels_possible_ || !beside_.empty()) || (source_nodes_list_.empty() && receivers.empty())) return;
  const std::array<Index, 3> n = held_points();
  std::vector<unsigned char> busy(static_cast<std::size_t>(n[0]), 0);
  std::vector<std::uint32_t> firsts;
  std::vector<RowNode> nodes;
  std::vector<int> slot_of;
  const std::vector<PointNode>* const lists[] = {&source_nodes_list_, &receivers};
  for (const auto* const list : lists) {
    std::vector<PointNode> sorted = *list;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const PointNode& a, const PointNode& b) { return a.x != b.x ? a.x < b.x : a.place < b.place; });
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

template <class T>
void DeviceSlice<T>::points(const Kernel<PointArguments<T>>& kernel, const DeviceBuffer<PointNode>& nodes,
                            const std::vector<std::size_t>& first, const std::array<Interval, 2>& box, Interval planes,
                            Interval y, Interval z, T* o, Index k) {
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

}  // namespace conoid::acoustic_fd
