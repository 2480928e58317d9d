// SPDX-License-Identifier: BSD-3-Clause
// Arrays, kernels and what is possible of them: the constructor of DeviceSlice. Part of device_slice.hpp.
#pragma once

#include "engine/solvers/acoustic_fd/cuda/device_slice.hpp"

namespace conoid::acoustic_fd {

template <class T>
DeviceSlice<T>::DeviceSlice(const Problem& problem, Field<T>& host, Device device, Interval rows, Index below,
                            Index above, Index planes, bool window)
    : problem_(problem), host_(host), device_(std::move(device)), stream_(device_.stream()), rows_(rows), below_(below),
      above_(above), s_(host.stencil().radius), window_(window),
      at_(0, planes, rows.size() + below + above, problem.grid.points[2], host.stencil().radius) {
  // Beyond its planes a slice has what images take: those of a window count from −s as those of a whole grid do, and the slab of a rank counts
  // what it computes along among its own.
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
    layered_ = layered_ || memory.count() > 0;
    const std::size_t values = memory_count(a);
    if (values == 0) continue;  // of the layers of y a device between others has none
    // Those of y and z come and go with the planes of a window, as they lie on the host.
    for (auto& m : memory_[a]) {
      m = a == 0 || !window_
              ? device_.allocate<T>(values, "matched layers")
              : planes_of(static_cast<std::size_t>((planes + 2 * s_) * memory.stride_x), "matched layers");
      stream_.zero(m);
    }
    if (host.potential())
      for (auto& m : density_[a])
        m = a == 0 || !window_
                ? device_.allocate<T>(values, "density in matched layers")
                : planes_of(static_cast<std::size_t>((planes + 2 * s_) * memory.stride_x), "density in matched layers");
    std::vector<T> factors;
    for (const auto& f : memory.factor) factors.insert(factors.end(), f.begin(), f.end());
    factors_[a] = device_.allocate<T>(factors.size(), "matched layers");
    stream_.to_device(factors_[a], std::span<const T>(factors));
    stream_.synchronize();
  }
  if (layered_) matched_ = device_.kernel<MatchedArguments<T>>(std::string("acoustic-fd/matched") + suffix);
  plan_ = tower_plans[s_ - 1];
  plain_ = !layered_ && !host.unequal() && !host.potential() && at_.nz > 0 && rows.size() == problem.grid.points[1] &&
           takes_several_steps(problem);
  const bool whole = planes == problem.grid.points[0] && !window_;
  bands_possible_ = plain_ && whole;
  panels_possible_ = !doubles && at_.nz > 0 && !(window_ && layered_) && takes_several_steps(problem);
  towers_possible_ = bands_possible_ && !doubles && device_.info().shared_per_block >= plan_.shared + 1024;
  if (towers_possible_) tower_ = device_.kernel<TowerArguments>(fmt::format("acoustic-fd/tower<{}>", s_));
  choose_torre();
  stream_.synchronize();
  make_beside();
  place_points();
  place_walls();
  if (window) other_stream_ = device_.stream();
}

}  // namespace conoid::acoustic_fd
