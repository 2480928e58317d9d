// SPDX-License-Identifier: BSD-3-Clause
// Several steps at once on a device: single precision, equal spacings, varying or constant c, sponges, fields beyond the faces
// zero. What `conoid bench` measures there and what the tests compare with the host. Runs go step by step (device_steps.hpp),
// with sources, receivers and images, which these kernels lack.
#pragma once

#include "engine/solvers/acoustic_fd/cuda/arguments.hpp"
#include "engine/solvers/acoustic_fd/field.hpp"
#include "engine/team/device.hpp"

#include <vector>

namespace conoid::acoustic_fd {

class DeviceField {
 public:
  /// Copies the levels 0 and −1 and the medium of a host field. Throws Failure(resources) without memory.
  DeviceField(const Device& device, const Problem& problem, const Field<float>& host);
  /// Bands of T steps, T ≥ 2; false when there is no such kernel.
  [[nodiscard]] bool step_bands(int T, Index bands);
  /// Level k (all of the host's layout).
  void read(std::vector<float>& out);
  void synchronize() { stream_.synchronize(); }
  [[nodiscard]] Index steps_done() const { return k_; }

 private:
  [[nodiscard]] StepArguments arguments() const;
  Device device_;
  Stream stream_;
  Layout at_;
  int radius_;
  DeviceBuffer<float> level_[4];  ///< [2], [3]: made when bands need them
  DeviceBuffer<float> a_, sigma_;
  float weight_[7]{};
  std::size_t u_ = 0, o_ = 1;  ///< places of levels k and k−1
  Index k_ = 0;
};

}  // namespace conoid::acoustic_fd
