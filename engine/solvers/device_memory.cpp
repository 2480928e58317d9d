// SPDX-License-Identifier: BSD-3-Clause
// Device → WindowDevice.
#include "engine/solvers/device_memory.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace conoid {
namespace {

/// Buffers by the address that was given for each; from any thread.
template <class Buffer>
class TakenBuffers {
 public:
  void* keep(void* memory, Buffer buffer) {
    const std::scoped_lock lock(mutex_);
    buffers_[memory] = std::move(buffer);
    return memory;
  }
  void release(void* memory) {
    const std::scoped_lock lock(mutex_);
    buffers_.erase(memory);
  }
  /// Stays where it is until it is released.
  const Buffer& at(const void* memory) {
    const std::scoped_lock lock(mutex_);
    const auto found = buffers_.find(const_cast<void*>(memory));
    verify(found != buffers_.end(), "windows are copied to the begin of memory that was taken for them");
    return found->second;
  }

 private:
  std::mutex mutex_;
  std::map<void*, Buffer> buffers_;
};

/// Page-locked memory of the host.
class Staging final : public WindowMemory {
 public:
  explicit Staging(Device device) : device_(std::move(device)) {}
  void* allocate(Bytes bytes) override {
    constexpr std::uintptr_t page = 4096;
    try {
      PinnedBuffer<std::byte> buffer = device_.pinned<std::byte>(bytes + page);
      const auto at = (reinterpret_cast<std::uintptr_t>(buffer.data()) + page - 1) / page * page;
      return taken_.keep(reinterpret_cast<void*>(at), std::move(buffer));
    } catch (const Failure&) {
      return nullptr;
    }
  }
  void release(void* memory, Bytes) noexcept override { taken_.release(memory); }

 private:
  Device device_;
  TakenBuffers<PinnedBuffer<std::byte>> taken_;
};

class MemoryOfDevice final : public WindowDevice {
 public:
  explicit MemoryOfDevice(Device device) : device_(std::move(device)), staging_(std::make_shared<Staging>(device_)) {}
  std::string name() const override { return device_.info().name; }
  void* allocate(Bytes bytes) override {
    try {
      DeviceBuffer<std::byte> buffer = device_.allocate<std::byte>(bytes, "windows");
      void* const memory = buffer.data();
      return taken_.keep(memory, std::move(buffer));
    } catch (const Failure&) {
      return nullptr;
    }
  }
  void release(void* memory, Bytes) noexcept override { taken_.release(memory); }
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
      const DeviceBuffer<std::byte>& buffer = taken_.at(memory);  // the level releases no memory that it copies
      Stream* stream = nullptr;
      {
        const std::scoped_lock lock(mutex_);
        auto [own, fresh] = streams_.try_emplace(std::this_thread::get_id());
        if (fresh) own->second = device_.stream();
        stream = &own->second;
      }
      body(*stream, buffer);
      stream->synchronize();
      return {};
    } catch (const Failure& failure) {
      return failure.error();
    }
  }

  Device device_;
  std::shared_ptr<Staging> staging_;
  TakenBuffers<DeviceBuffer<std::byte>> taken_;
  std::mutex mutex_;
  std::map<std::thread::id, Stream> streams_;
};

}  // namespace

std::shared_ptr<WindowDevice> window_memory_of(const Device& device) {
  return std::make_shared<MemoryOfDevice>(device);
}

}  // namespace conoid
