// SPDX-License-Identifier: BSD-3-Clause
// Launches of the stencil's device kernels.
#include "engine/solvers/acoustic_fd/device_field.hpp"

#include "engine/solvers/acoustic_fd/cuda/arguments.hpp"

#include <algorithm>

#include <fmt/core.h>

namespace conoid::acoustic_fd {

DeviceField::DeviceField(const Device& device, const Problem& problem, const Field<float>& host)
    : device_(device), stream_(device.stream()), at_(host.at()), radius_(host.stencil().radius) {
  const auto count = static_cast<std::size_t>(at_.count);
  std::vector<float> medium;
  for (std::size_t l = 0; l < 2; ++l) {
    level_[l] = device_.allocate<float>(count, "pressure");
    stream_.to_device(level_[l], std::span<const float>(host.level(static_cast<Index>(l)), count));
  }
  a_ = device_.allocate<float>(count, "medium");
  host.copy_medium(medium);
  stream_.to_device(a_, std::span<const float>(medium));
  std::vector<float> sigma;
  for (std::size_t a = 0; a < 3; ++a)
    for (const double v : sponge_profile(problem, a)) sigma.push_back(static_cast<float>(v));
  sigma_ = device_.allocate<float>(sigma.size(), "sponges");
  stream_.to_device(sigma_, std::span<const float>(sigma));
  const RowWeights<float> w = row_weights<float>(host.stencil(), problem.grid.spacing);
  weight_[0] = w.centre;
  for (int i = 1; i <= radius_; ++i) weight_[i] = w.equal[i];
  stream_.synchronize();
}

StepArguments DeviceField::arguments() const {
  StepArguments t;
  t.u = level_[u_].data() + at_.origin;
  t.o = level_[o_].data() + at_.origin;
  t.a = a_.data() + at_.origin;
  t.stride_x = at_.stride_x;
  t.stride_y = at_.stride_y;
  t.nx = static_cast<int>(at_.nx);
  t.ny = static_cast<int>(at_.ny);
  t.nz = static_cast<int>(at_.nz);
  std::copy(std::begin(weight_), std::end(weight_), std::begin(t.weight));
  t.sigma_x = sigma_.data();
  t.sigma_y = t.sigma_x + at_.nx;
  t.sigma_z = t.sigma_y + at_.ny;
  return t;
}

namespace {
unsigned blocks(Index n, Index each) {
  return static_cast<unsigned>((n + each - 1) / each);
}
}  // namespace

bool DeviceField::step_bands(int T, Index bands) {
  if (!(radius_ == 1 && T >= 2 && T <= 4) && !(radius_ == 2 && T == 2)) return false;
  const auto kernel = device_.kernel<StepArguments>(fmt::format("acoustic-fd/bands<{},{}>", radius_, T));
  for (std::size_t l = 2; l < 4; ++l)
    if (level_[l].empty()) {
      level_[l] = device_.allocate<float>(level_[0].size(), "pressure");
      stream_.zero(level_[l]);
    }
  const int rim = radius_ * T;
  for (Index n = 0; n < bands; ++n) {
    StepArguments t = arguments();
    const std::size_t spare = u_ < 2 ? 2 : 0;  // levels move between the pairs (0, 1) and (2, 3)
    t.new_u = level_[spare].data() + at_.origin;
    t.new_o = level_[spare + 1].data() + at_.origin;
    t.planes = std::max(8 * rim, t.nx / 4);
    LaunchShape shape;
    shape.block = {band_threads_z, band_threads_y, 1};
    shape.grid = {blocks(at_.nz, band_threads_z - 2 * rim), blocks(at_.ny, band_threads_y - 2 * rim), blocks(at_.nx, t.planes)};
    stream_.launch(kernel, shape, t);
    u_ = spare;
    o_ = spare + 1;
    k_ += T;
  }
  return true;
}

void DeviceField::read(std::vector<float>& out) {
  out.resize(level_[u_].size());
  stream_.to_host(std::span(out), level_[u_]);
  stream_.synchronize();
}

}  // namespace conoid::acoustic_fd
