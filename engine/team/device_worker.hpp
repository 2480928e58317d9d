// SPDX-License-Identifier: BSD-3-Clause
// A worker that is a device, with the host thread that feeds it.
#pragma once

#include <algorithm>
#include <utility>

#include "engine/team/device.hpp"
#include "engine/team/phase.hpp"

namespace conoid {

/// The body of a Phase runs on the worker's host thread and gives the device its work; it returns when the device is done.
class DeviceWorker {
 public:
  /// `memory`: bytes of the device that a run may use; 0: most of what is free.
  DeviceWorker(Device device, int index, CpuWorker helpers, Bytes memory)
      : device_(std::move(device)), index_(index), helpers_(std::move(helpers)), memory_(memory) {}
  [[nodiscard]] const Device& device() const { return device_; }
  /// Its number in the team: a key for what a phase keeps on the device from pass to pass.
  [[nodiscard]] int index() const { return index_; }
  /// Host threads for what only a host can do: laying out data before it is copied.
  [[nodiscard]] const CpuWorker& host() const { return helpers_; }
  void set_host(CpuWorker helpers) { helpers_ = std::move(helpers); }
  /// Bytes of device memory that a phase may hold.
  [[nodiscard]] Bytes memory() const {
    const Bytes most = device_.info().memory / 10 * 9;
    return memory_ == 0 ? std::min(most, free()) : std::min(memory_, most);
  }
  /// The same beside bytes that the solver holds there already; never more than is free, whoever else holds some.
  [[nodiscard]] Bytes memory_beside(Bytes held) const {
    const Bytes all = memory();
    return memory_ == 0 ? all : std::min(all - std::min(all, held), free());
  }
  /// Tells the team of seconds in which data moved and nothing was computed meanwhile.
  void add_copying(double seconds) { copying_ += seconds; }
  [[nodiscard]] double take_copying() { return std::exchange(copying_, 0.0); }

 private:
  [[nodiscard]] Bytes free() const { return device_.free_memory() / 10 * 9; }

  Device device_;
  int index_;
  CpuWorker helpers_;
  Bytes memory_;
  double copying_ = 0;
};

}  // namespace conoid
