// SPDX-License-Identifier: BSD-3-Clause
// Backings, disks and devices for the tests of calculation windows: with delays, failures and a count of what was asked.
#pragma once

#include "engine/window/device_windows.hpp"
#include "engine/window/disk.hpp"
#include "engine/window/windows.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace conoid::window_tests {

constexpr Bytes page = 4096;

/// Windows kept in vectors; `before` may delay, or fail an operation.
class VectorBacking final : public WindowBacking {
 public:
  explicit VectorBacking(const std::vector<Bytes>& sizes) {
    for (const Bytes b : sizes) stored.emplace_back(b, std::byte{0});
  }
  Status load(Index window, std::span<std::byte> memory) override {
    ++loads;
    if (before)
      if (const Status s = before('r', window); !s) return s;
    std::memcpy(memory.data(), stored[static_cast<std::size_t>(window)].data(), memory.size());
    return {};
  }
  Status save(Index window, std::span<const std::byte> memory) override {
    ++saves;
    if (before)
      if (const Status s = before('w', window); !s) return s;
    std::memcpy(stored[static_cast<std::size_t>(window)].data(), memory.data(), memory.size());
    return {};
  }
  std::vector<std::vector<std::byte>> stored;
  std::function<Status(char, Index)> before;
  std::atomic<int> loads{0}, saves{0};
};

/// Host memory of at most `limit` bytes; counts what is out.
class CountedMemory final : public WindowMemory {
 public:
  explicit CountedMemory(Bytes limit = ~Bytes{0}) : limit_(limit) {}
  void* allocate(Bytes bytes) override {
    const std::lock_guard lock(mutex_);
    if (out_ + bytes > limit_) return nullptr;
    out_ += bytes;
    peak = std::max(peak, out_);
    return std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  }
  void release(void* memory, Bytes bytes) noexcept override {
    const std::lock_guard lock(mutex_);
    out_ -= bytes;
    std::free(memory);
  }
  Bytes peak = 0;
  [[nodiscard]] Bytes out() {
    const std::lock_guard lock(mutex_);
    return out_;
  }

 private:
  std::mutex mutex_;
  Bytes limit_, out_ = 0;
};

/// A disk that asks `fault` before each operation: 0 as usual, an errno value to fail with, `torn` to write half and fail
/// for good, `flip` to return a wrong bit.
class FaultyDisk final : public Disk {
 public:
  static constexpr int torn = -1;
  static constexpr int flip = -2;
  using Fault = std::function<int(char operation)>;  // 'o' open, 'r' read, 'w' write, 'a' reserve, 's' sync
  explicit FaultyDisk(Fault fault) : fault_(std::move(fault)) {}

  Result<std::unique_ptr<DiskFile>> open(const std::filesystem::path& file, bool create) override {
    if (const int code = ask('o'); code > 0) return system_error("open", file.string(), code);
    auto real = real_->open(file, create);
    if (!real) return real.error();
    return std::unique_ptr<DiskFile>(std::make_unique<File>(*this, std::move(*real)));
  }
  Result<Bytes> free_space(const std::filesystem::path& folder) override {
    if (free > 0) return free;
    return real_->free_space(folder);
  }
  Bytes free = 0;
  std::atomic<int> operations{0};

 private:
  class File final : public DiskFile {
   public:
    File(FaultyDisk& disk, std::unique_ptr<DiskFile> real) : disk_(disk), real_(std::move(real)) {}
    int read(std::span<std::byte> into, Bytes offset) override {
      const int code = disk_.ask('r');
      if (code > 0) return code;
      const int rc = real_->read(into, offset);
      if (code == flip) into[into.size() / 3] ^= std::byte{4};
      return rc;
    }
    int write(std::span<const std::byte> from, Bytes offset) override {
      const int code = disk_.ask('w');
      if (code == torn) {
        const Bytes half = from.size() / 2 / block * block;
        if (half > 0 && real_->write(from.first(half), offset) != 0) return EIO;
        return EIO;
      }
      return code > 0 ? code : real_->write(from, offset);
    }
    int reserve(Bytes offset, Bytes bytes) override {
      const int code = disk_.ask('a');
      return code > 0 ? code : real_->reserve(offset, bytes);
    }
    int sync() override {
      const int code = disk_.ask('s');
      return code > 0 ? code : real_->sync();
    }
    [[nodiscard]] bool direct() const override { return real_->direct(); }

   private:
    FaultyDisk& disk_;
    std::unique_ptr<DiskFile> real_;
  };

  int ask(char operation) {
    ++operations;
    const std::lock_guard lock(mutex_);
    return fault_ ? fault_(operation) : 0;
  }

  std::shared_ptr<Disk> real_ = system_disk();
  std::mutex mutex_;
  Fault fault_;
};

/// A device in memory of its own kind: only upload() and download() reach it in these tests, or kernels that are given its
/// addresses.
class PretendedDevice final : public WindowDevice {
 public:
  explicit PretendedDevice(Bytes memory) : memory_(memory) {}
  [[nodiscard]] std::string name() const override { return "pretended device"; }
  void* allocate(Bytes bytes) override { return memory_.allocate(bytes); }
  void release(void* memory, Bytes bytes) noexcept override { memory_.release(memory, bytes); }
  Status upload(void* device, const std::byte* host, Bytes bytes) override {
    ++uploads;
    if (before)
      if (const Status s = before('u'); !s) return s;
    std::memcpy(device, host, bytes);
    return {};
  }
  Status download(std::byte* host, const void* device, Bytes bytes) override {
    ++downloads;
    if (before)
      if (const Status s = before('d'); !s) return s;
    std::memcpy(host, device, bytes);
    return {};
  }
  std::function<Status(char)> before;
  std::atomic<int> uploads{0}, downloads{0};
  [[nodiscard]] Bytes out() { return memory_.out(); }

 private:
  CountedMemory memory_;
};

/// Pattern of a window's n-th version, so that mixed versions and mixed windows are seen.
inline void paint(std::span<std::byte> bytes, Index window, int version) {
  for (std::size_t k = 0; k < bytes.size(); ++k)
    bytes[k] =
        static_cast<std::byte>(static_cast<std::size_t>(window) * 31 + static_cast<std::size_t>(version) * 7 + k % 251);
}
inline bool painted(std::span<const std::byte> bytes, Index window, int version) {
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    const auto wanted = version == 0 ? std::byte{0}
                                     : static_cast<std::byte>(static_cast<std::size_t>(window) * 31 +
                                                              static_cast<std::size_t>(version) * 7 + k % 251);
    if (bytes[k] != wanted) return false;
  }
  return true;
}

}  // namespace conoid::window_tests
