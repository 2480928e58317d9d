// SPDX-License-Identifier: BSD-3-Clause
// The few calls by which windows reach a disk, so that tests can make any of them fail.
#pragma once

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace conoid {

/// An open file that is read and written in whole blocks of `block` bytes at multiples of it, from memory aligned to it.
/// Calls for different places may come from several threads at a time. Each returns 0 or an errno value.
class DiskFile {
 public:
  static constexpr Bytes block = 4096;
  virtual ~DiskFile() = default;
  [[nodiscard]] virtual int read(std::span<std::byte> into, Bytes offset) = 0;
  [[nodiscard]] virtual int write(std::span<const std::byte> from, Bytes offset) = 0;
  /// Takes disk space for a range now, so that writing to it cannot find the disk full (0 also where the file system
  /// cannot do this).
  [[nodiscard]] virtual int reserve(Bytes offset, Bytes bytes) = 0;
  /// Returns when everything written is on the disk.
  [[nodiscard]] virtual int sync() = 0;
  /// Whether reads and writes pass the page cache by.
  [[nodiscard]] virtual bool direct() const = 0;
};

class Disk {
 public:
  virtual ~Disk() = default;
  /// Opens a file for reading and writing; `create`: a new one, empty, in place of any old one.
  [[nodiscard]] virtual Result<std::unique_ptr<DiskFile>> open(const std::filesystem::path& file, bool create) = 0;
  /// Bytes this user may still write in a folder.
  [[nodiscard]] virtual Result<Bytes> free_space(const std::filesystem::path& folder) = 0;
};

/// The system's files: O_DIRECT where the file system has it; else the page cache is told to forget what passed through.
[[nodiscard]] std::shared_ptr<Disk> system_disk();

}  // namespace conoid
