// SPDX-License-Identifier: BSD-3-Clause
// Planes of the host that pass through a ring of a device (Device::ring) and back, while kernels advance those that lie there.
//
//     PlaneRing planes(device);
//     planes.lock(field, bytes);                       // copies overlap with kernels
//     planes.wait_until_left(n);                       // before others take the places of planes below n
//     planes.bring(buffer, host, offset);  planes.all_came();
//     planes.follow(kernels);                          // kernels wait for what came
//     planes.leave_after(kernels);                     // what leaves waits for kernels
//     planes.take_away(host, buffer, offset);  planes.left(n);
//
// The lease of a plane begins and ends on the device: it lasts from all_came() to left(), and streams wait for one another by events, so
// that the host gives out many positions of a window at a time and waits once. That, and kernels that read their neighbours at one stride across all planes
// that are there, is what levels of windows (engine/window, part_windows.hpp) have no form for: their windows lie at addresses of their own, and
// threads of the host wait for a copy before they plan the next one. What both have alike is InFlight and WindowStatistics.
#pragma once

#include <span>
#include <type_traits>
#include <vector>

#include "engine/core/types.hpp"
#include "engine/solvers/in_flight.hpp"
#include "engine/window/windows.hpp"

namespace conoid {

/// Used by one thread, but for statistics(), which is not to be called meanwhile.
class PlaneRing {
 public:
  explicit PlaneRing(Device device);

  /// Locks memory of the host until this ends, which must be before the memory does. False: the system refuses; copies are then slower.
  bool lock(void* memory, Bytes bytes);

  /// Nothing is on its way.
  void begin();
  /// What is brought from here on comes when planes below `plane` have left.
  void wait_until_left(Index plane);
  template <class T>
  void bring(const DeviceBuffer<T>& ring, std::span<const std::type_identity_t<T>> host, std::size_t at) {
    in_.to_device(ring, host, at);
    statistics_.loaded += host.size_bytes();
  }
  void all_came();               ///< what was brought
  void follow(Stream& kernels);  ///< they wait for what came
  void leave_after(Stream& kernels);
  template <class T>
  void take_away(std::span<std::type_identity_t<T>> host, const DeviceBuffer<T>& ring, std::size_t at) {
    out_.to_host(host, ring, at);
    statistics_.saved += host.size_bytes();
  }
  void left(Index below);  ///< planes below this one, by what was taken away
  void finish();           ///< waits until all have left

  /// The stream on which planes come, for kernels that prepare their places.
  [[nodiscard]] Stream& coming() { return in_; }
  /// On which they leave.
  [[nodiscard]] Stream& leaving() { return out_; }
  /// Bytes that came and went, and how often.
  [[nodiscard]] const WindowStatistics& statistics() const { return statistics_; }

 private:
  Device device_;
  std::vector<detail::Held> locks_;
  Stream in_, out_;
  Event came_;
  std::vector<Event> done_;  ///< of the streams that leave_after() named since left()
  std::size_t named_ = 0;
  InFlight<Index> leaving_;  ///< planes below have left
  WindowStatistics statistics_;
};

}  // namespace conoid
