// SPDX-License-Identifier: BSD-3-Clause
// Towers and DiamondTorre: several steps at once, in place. Part of device_slice.hpp.
#pragma once

#include "engine/solvers/acoustic_fd/cuda/device_slice.hpp"

namespace conoid::acoustic_fd {

template <class T>
void DeviceSlice<T>::towers(Index k, Index bands) {
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

template <class T>
void DeviceSlice<T>::choose_torre() {
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

template <class T>
void DeviceSlice<T>::torre(Index k, Index bands) {
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

template <class T>
void DeviceSlice<T>::place_band(Index k, Index bands, Index levels, BandArguments<T>& t) {
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
    if (record_of_step_.size() < records_.size()) record_of_step_ = device_.allocate<int>(records_.size(), "receivers");
    stream_.to_device(record_of_step_, std::span<const int>(records_));
    point_data_.record = record_of_step_.data();
    if (points_.empty()) points_ = device_.allocate<TowerPoints<T>>(1, "points");
    stream_.to_device(points_, std::span<const TowerPoints<T>>(&point_data_, 1));
    t.busy = busy_.data();
    t.points = points_.data();
  }
}

}  // namespace conoid::acoustic_fd
