// SPDX-License-Identifier: BSD-3-Clause
// A device level: its backing is the host's level.
#include "engine/window/device_windows.hpp"

#include <fmt/core.h>

namespace conoid {
namespace {

class DeviceMemory final : public WindowMemory {
 public:
  explicit DeviceMemory(std::shared_ptr<WindowDevice> device) : device_(std::move(device)) {}
  void* allocate(Bytes bytes) override { return device_->allocate(bytes); }
  void release(void* memory, Bytes bytes) noexcept override { device_->release(memory, bytes); }

 private:
  std::shared_ptr<WindowDevice> device_;
};

class HostBacking final : public WindowBacking {
 public:
  HostBacking(Windows& host, std::shared_ptr<WindowDevice> device)
      : device_(std::move(device)), tour_(host.announce(std::vector<Visit>{})) {}

  Status load(Index window, std::span<std::byte> memory) override {
    auto lease = tour_.acquire(window, Access::read);
    if (!lease) return lease.error();
    return device_->upload(memory.data(), lease->bytes().data(), memory.size());
  }
  Status save(Index window, std::span<const std::byte> memory) override {
    auto lease = tour_.acquire(window, Access::write);
    if (!lease) return lease.error();
    return device_->download(lease->writable().data(), memory.data(), memory.size());
  }
  void expect(std::span<const Index> soon) override {
    std::vector<Visit> visits;
    for (const Index w : soon) visits.push_back({w, Access::read});
    tour_.announce(std::move(visits));
  }

 private:
  std::shared_ptr<WindowDevice> device_;
  Tour tour_;
};

}  // namespace

std::unique_ptr<Windows> device_windows(Windows& host, std::shared_ptr<WindowDevice> device, Bytes budget,
                                        int threads) {
  std::vector<Bytes> sizes;
  for (Index w = 0; w < host.count(); ++w) sizes.push_back(host.size(w));
  auto memory = std::make_shared<DeviceMemory>(device);
  const std::string name = device->name();
  return std::make_unique<Windows>(name, std::move(sizes), budget,
                                   std::make_shared<HostBacking>(host, std::move(device)), std::move(memory), threads);
}

}  // namespace conoid
