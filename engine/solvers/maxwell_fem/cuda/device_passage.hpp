// SPDX-License-Identifier: BSD-3-Clause
// Complex columns from the host to a device and back, by page-locked memory: pieces of some megabytes, of which one is laid out by the host's
// threads while others are on their way, on a stream of its own, so that kernels and products of other streams go on meanwhile.
//
// A copy out of memory that is not page-locked is laid out by the driver, one thread of the host, which two devices hinder each other in
// (two H200: 0.24 s where one alone took 0.10), and its stream waits for it.
#pragma once

#include "engine/core/types.hpp"
#include "engine/team/device.hpp"
#include "engine/team/phase.hpp"

#include <array>
#include <complex>
#include <functional>
#include <span>

namespace conoid::maxwell_fem {

using Complex = std::complex<double>;

/// For one thread, that of the streams of its device. Failures of the device, and page-locked memory that is refused, throw Failure (resources).
class DevicePassage {
 public:
  static constexpr std::size_t usual_piece = std::size_t{1} << 19;  ///< complex numbers: 8 MiB

  /// `host`: who lays out pieces, with so many of its threads at most (0: all). `piece`: complex numbers of each of three; fewer where less passes at
  /// once.
  DevicePassage(Device device, CpuWorker host, int threads = 0, std::size_t piece = usual_piece);
  ~DevicePassage();
  DevicePassage(const DevicePassage&) = delete;
  DevicePassage& operator=(const DevicePassage&) = delete;

  /// `from` to entries `offset`… of the device. When it comes back, `from` may change; the stream may still be copying.
  void up(const DeviceBuffer<Complex>& to, std::size_t offset, std::span<const Complex> from);
  /// `columns` columns of `rows` numbers, one after the other on the device from entry `offset` on, to to[column · leading + row]. When it comes
  /// back they are there.
  void down(std::span<Complex> to, Index leading, const DeviceBuffer<Complex>& from, std::size_t offset, Index rows,
            Index columns);
  /// For events: what was given is done when the stream comes there.
  [[nodiscard]] Stream& stream() { return stream_; }
  [[nodiscard]] std::size_t piece() const { return piece_; }

 private:
  struct Slot {
    PinnedBuffer<Complex> memory;
    Event passed;
  };
  void make_room(std::size_t entries);
  void by_threads(Interval items, Index grain, const std::function<void(Interval, int)>& body) const;
  /// Of the three by turns, when what it held has passed.
  Slot& next();

  Device device_;
  CpuWorker host_;
  int threads_;
  std::size_t piece_;
  Stream stream_;
  std::array<Slot, 3> slots_;
  std::size_t turn_ = 0;
};

}  // namespace conoid::maxwell_fem
