// SPDX-License-Identifier: BSD-3-Clause
// Launches of the device kernels of several steps.
#include "engine/solvers/acoustic_fd/device_field.hpp"

#include <algorithm>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

unsigned blocks(Index n, Index each) {
  return static_cast<unsigned>((n + each - 1) / each);
}

}  // namespace

DeviceField::DeviceField(const Device& device, const Problem& problem, const Field<float>& host)
    : device_(device), stream_(device_.stream()), at_(host.at()), radius_(host.stencil().radius),
      centre_(host.weights().centre), weight_(host.weights().equal[1]) {
  verify(host.medium_varies() && equal_spacings(problem.grid.spacing),
         "the kernel of several steps reads a medium of its own");
  const auto count = static_cast<std::size_t>(at_.count);
  for (std::size_t l = 0; l < 4; ++l) {
    level_[l] = device_.allocate<float>(count, "pressure");
    if (l < 2)
      stream_.to_device(level_[l], std::span<const float>(host.level(static_cast<Index>(l)), count));
    else
      stream_.zero(level_[l]);
  }
  a_ = device_.allocate<float>(count, "medium");
  stream_.to_device(a_, std::span<const float>(host.medium(), count));
  std::vector<float> sigma;
  std::size_t at[3]{};
  for (std::size_t a = 0; a < 3; ++a) {
    at[a] = sigma.size();
    sigma.insert(sigma.end(), host.sigma(a).begin(), host.sigma(a).end());
    sigma.resize((sigma.size() + 3) / 4 * 4, 0.0F);
  }
  sigma_y_ = at[1];
  sigma_z_ = at[2];
  sigma_ = device_.allocate<float>(sigma.size(), "sponges");
  stream_.to_device(sigma_, std::span<const float>(sigma));
  stream_.synchronize();
}

bool DeviceField::step_bands(int T, Index bands) {
  if (radius_ != 1 || T < 3 || T > 4) return false;
  const auto kernel = device_.kernel<BandArguments>(fmt::format("acoustic-fd/bands<{}>", T));
  for (Index n = 0; n < bands; ++n) {
    const std::size_t spare = u_ < 2 ? 2 : 0;  // levels move between the pairs (0, 1) and (2, 3)
    BandArguments t;
    t.u = level_[u_].data() + at_.origin;
    t.o = level_[o_].data() + at_.origin;
    t.new_u = level_[spare].data() + at_.origin;
    t.new_o = level_[spare + 1].data() + at_.origin;
    t.a = a_.data() + at_.origin;
    t.stride_x = at_.stride_x;
    t.stride_y = at_.stride_y;
    t.nx = static_cast<int>(at_.nx);
    t.ny = static_cast<int>(at_.ny);
    t.nz = static_cast<int>(at_.nz);
    t.planes = std::max(32, t.nx / 4);
    t.centre = centre_;
    t.weight = weight_;
    t.sigma_x = sigma_.data();
    t.sigma_y = sigma_.data() + sigma_y_;
    t.sigma_z = sigma_.data() + sigma_z_;
    LaunchShape shape;
    shape.block = {band_threads_z, band_threads_y, 1};
    shape.grid = {blocks(at_.nz, 4 * band_threads_z - 2 * band_rim_z(T)), blocks(at_.ny, band_threads_y - 2 * T),
                  blocks(at_.nx, t.planes)};
    shape.shared = static_cast<Bytes>(band_shared(T));
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
