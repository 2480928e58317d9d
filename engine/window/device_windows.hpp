// SPDX-License-Identifier: BSD-3-Clause
// Windows that visit the memory of a device, over a level on the host: disk ⇄ host ⇄ device.
//
// The host's windows are leased only while they are copied, so that the host's budget can be a few windows. What the device
// level will load next is announced to the host level, which brings it from the disk meanwhile.
#pragma once

#include "engine/window/windows.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace conoid {

/// What a device module implements. Calls come from the movers of a device level, one mover a thread; a copy of one thread
/// may run beside copies of others and beside kernels.
class WindowDevice {
 public:
  virtual ~WindowDevice() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  /// Null when the device has none left.
  [[nodiscard]] virtual void* allocate(Bytes bytes) = 0;
  virtual void release(void* memory, Bytes bytes) noexcept = 0;
  /// Copies and returns when the copy is done. The host's side is page-locked if it came from staging().
  [[nodiscard]] virtual Status upload(void* device, const std::byte* host, Bytes bytes) = 0;
  [[nodiscard]] virtual Status download(std::byte* host, const void* device, Bytes bytes) = 0;
  /// Page-locked memory of the host for the level below (DiskWindowsOptions::memory); null if the device has no use for it.
  [[nodiscard]] virtual std::shared_ptr<WindowMemory> staging() { return nullptr; }
};

/// The windows of `host` on a device, at most `budget` bytes of them at a time. `host` and `device` must outlive it; while it
/// lives, windows are changed through it alone, and host.flush() is to be called after its own flush().
[[nodiscard]] std::unique_ptr<Windows> device_windows(Windows& host, std::shared_ptr<WindowDevice> device, Bytes budget,
                                                      int threads = 2);

}  // namespace conoid
