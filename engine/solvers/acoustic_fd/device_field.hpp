// SPDX-License-Identifier: BSD-3-Clause
// Several steps at once on a device: order 2, single precision, equal spacings, sponges, fields beyond the faces zero. What
// `conoid bench` measures there and what the tests compare with the host. Runs go step by step (device_steps.hpp), with
// sources, receivers and images, which this kernel lacks.
#pragma once

#include "engine/solvers/acoustic_fd/cuda/bands_arguments.hpp"
#include "engine/solvers/acoustic_fd/field.hpp"
#include "engine/team/device.hpp"

namespace conoid::acoustic_fd {

class DeviceField {
 public:
  /// Copies the levels 0 and −1 and the medium (which must vary) of a host field. Throws Failure(resources) without memory.
  DeviceField(const Device& device, const Problem& problem, const Field<float>& host);
  /// Bands of T steps; false when there is no such kernel.
  [[nodiscard]] bool step_bands(int T, Index bands);
  /// Level k (all of the host's layout).
  void read(std::vector<float>& out);
  void synchronize() { stream_.synchronize(); }
  [[nodiscard]] Index steps_done() const { return k_; }

 private:
  Device device_;
  Stream stream_;
  Layout at_;
  int radius_;
  float centre_, weight_;
  DeviceBuffer<float> level_[4];
  DeviceBuffer<float> a_, sigma_;
  std::size_t sigma_y_ = 0, sigma_z_ = 0;
  std::size_t u_ = 0, o_ = 1;  ///< places of levels k and k−1
  Index k_ = 0;
};

}  // namespace conoid::acoustic_fd
