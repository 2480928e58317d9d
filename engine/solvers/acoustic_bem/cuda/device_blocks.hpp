// SPDX-License-Identifier: BSD-3-Clause
// The published cut-outs (Bramas et al. 2015, §5) on a device: laid out once, multiplied many times. Baselines of the ragged
// blocks for tests and benchmarks; runs use DeviceSummation.
#pragma once

#include <memory>
#include <span>

#include "engine/solvers/acoustic_bem/discretization/slices.hpp"
#include "engine/solvers/acoustic_bem/stepping/history.hpp"
#include "engine/team/device.hpp"

namespace conoid::acoustic_bem {

enum class BlockKind { full, contiguous };

template <class Real>
class DeviceBlocks {
 public:
  /// `steps` is 4, 8 or 16, `width` (b_c) 16, 32, 64 or 128 and not less than the longest row-vector; `height` (b_r, Full-
  /// Blocking) a multiple of 32. Throws Failure: the device has no room.
  DeviceBlocks(const Device& device, const Slices<Real>& slices, BlockKind kind, int steps, int width, int height);
  ~DeviceBlocks();
  /// Past values to the device.
  void set_past(const History<Real>& history);
  /// sums[g][row], as Summation; returns the seconds of the device's clock.
  double run(std::span<double> sums);
  [[nodiscard]] Index stored_values() const;  ///< zeros included

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

extern template class DeviceBlocks<float>;
extern template class DeviceBlocks<double>;

}  // namespace conoid::acoustic_bem
