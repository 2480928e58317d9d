// SPDX-License-Identifier: BSD-3-Clause
// Device → WindowDevice.
#include "engine/solvers/device_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "engine/team/machine.hpp"
#include "engine/team/team.hpp"

namespace conoid {
namespace {

/// Page-locked memory of the host.
class Staging final : public WindowMemory {
 public:
  explicit Staging(Device device) : device_(std::move(device)) {}
  void* allocate(Bytes bytes) override {
    constexpr std::uintptr_t page = 4096;
    try {
      PinnedBuffer<std::byte> buffer = device_.pinned<std::byte>(bytes + page);
      const auto at = (reinterpret_cast<std::uintptr_t>(buffer.data()) + page - 1) / page * page;
      void* const memory = reinterpret_cast<void*>(at);
      const std::scoped_lock lock(mutex_);
      taken_[memory] = std::move(buffer);
      return memory;
    } catch (const Failure&) {
      return nullptr;
    }
  }
  void release(void* memory, Bytes) noexcept override {
    const std::scoped_lock lock(mutex_);
    taken_.erase(memory);
  }

 private:
  Device device_;
  std::mutex mutex_;
  std::map<void*, PinnedBuffer<std::byte>> taken_;
};

class MemoryOfDevice final : public WindowDevice {
 public:
  explicit MemoryOfDevice(Device device) : device_(std::move(device)), staging_(std::make_shared<Staging>(device_)) {}
  std::string name() const override { return device_.info().name; }
  void* allocate(Bytes bytes) override {
    try {
      DeviceBuffer<std::byte> buffer = device_.allocate<std::byte>(bytes, "windows");
      void* const memory = buffer.data();
      const std::scoped_lock lock(mutex_);
      taken_[memory] = std::move(buffer);
      return memory;
    } catch (const Failure&) {
      return nullptr;
    }
  }
  void release(void* memory, Bytes) noexcept override {
    const std::scoped_lock lock(mutex_);
    taken_.erase(memory);
  }
  Status upload(void* device, const std::byte* host, Bytes bytes) override {
    return copy(device, [&](Stream& stream, const DeviceBuffer<std::byte>& buffer) {
      stream.to_device(buffer, std::span<const std::byte>(host, bytes));
    });
  }
  Status download(std::byte* host, const void* device, Bytes bytes) override {
    return copy(device, [&](Stream& stream, const DeviceBuffer<std::byte>& buffer) {
      stream.to_host(std::span<std::byte>(host, bytes), buffer);
    });
  }
  std::shared_ptr<WindowMemory> staging() override { return staging_; }

 private:
  template <class F>
  Status copy(const void* memory, F&& body) {
    try {
      Stream* stream = nullptr;
      const DeviceBuffer<std::byte>* buffer = nullptr;
      {
        const std::scoped_lock lock(mutex_);
        const auto at = taken_.find(const_cast<void*>(memory));
        verify(at != taken_.end(), "windows are copied to the begin of memory that was taken for them");
        buffer = &at->second;  // stays: the level releases no memory that it copies
        auto [own, fresh] = streams_.try_emplace(std::this_thread::get_id());
        if (fresh) own->second = device_.stream();
        stream = &own->second;
      }
      body(*stream, *buffer);
      stream->synchronize();
      return {};
    } catch (const Failure& failure) {
      return failure.error();
    }
  }

  Device device_;
  std::shared_ptr<Staging> staging_;
  std::mutex mutex_;
  std::map<void*, DeviceBuffer<std::byte>> taken_;
  std::map<std::thread::id, Stream> streams_;
};

}  // namespace

DevicesOfCase devices_of(const Case& input, double seconds) {
  DevicesOfCase out;
  const Values compute = input["compute"];
  const std::string text = compute["workers"].text();
  const int threads = std::max(1, this_machine().cores);
  auto workers = parse_workers(text, threads);
  if (!workers) return out;  // the session says what is wrong with them
  if (text == "auto") workers = worth_their_start(std::move(*workers), threads, seconds);
  for (const WorkerSpec& worker : *workers) {
    if (worker.device.empty()) continue;
    const std::size_t colon = worker.device.find(':');
    const auto found = find_devices(std::string_view(worker.device).substr(0, colon));
    const auto index = static_cast<std::size_t>(std::atoi(worker.device.c_str() + colon + 1));
    if (!found || index >= found->size()) return {};
    const Bytes most = (*found)[index].memory / 10 * 9;
    out.memory = out.names.empty() ? most : std::min(out.memory, most);
    if (out.names.empty()) out.first = (*found)[index];
    out.names.push_back(worker.name);
  }
  if (compute.has("memory") && compute["memory"].has("device"))
    out.memory = std::min(out.memory, static_cast<Bytes>(compute["memory"]["device"].integer()));
  return out;
}

std::shared_ptr<WindowDevice> window_memory_of(const Device& device) {
  return std::make_shared<MemoryOfDevice>(device);
}

}  // namespace conoid
