// SPDX-License-Identifier: BSD-3-Clause
// Windows that live in a file and visit the memory of the host.
//
// Layout of <file>: a page with the file's mark, then the first slots of all windows, then the second slots, each slot a
// whole number of pages. A kept file always writes a changed window into the slot that the last commit does not need, so
// whatever happens between two commits, the state of the last one can be opened; second slots take disk space only when
// they are used. <file>.index is replaced atomically by commit(): slot, size and CRC-32C of every window. A scratch file
// has first slots only and has no name on the disk, so that nothing is left when the program ends in any way.
#pragma once

#include "engine/window/disk.hpp"
#include "engine/window/windows.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace conoid {

struct DiskWindowsOptions {
  std::string name = "windows";  ///< for messages: "slices"
  std::filesystem::path file{};  ///< of a kept file; of a scratch file the folder is used
  Bytes budget = 0;              ///< memory of the host for windows
  bool keep = false;             ///< a kept file instead of scratch
  bool reserve = true;           ///< take the disk space of the first slots at the beginning
  bool checksums = true;         ///< of every window, verified whenever it is read
  int threads = 4;               ///< that read and write: two or three at the disk while others make checksums
  std::shared_ptr<WindowMemory> memory{};  ///< host_memory() if null; a device module has page-locked memory
  std::shared_ptr<Disk> disk{};            ///< system_disk() if null
};

/// Disk space that windows of these sizes take (first slots), pages filled up.
[[nodiscard]] Bytes disk_bytes(std::span<const Bytes> sizes);

class DiskWindows final : public Windows {
 public:
  /// New windows, all zero. Errors: no room on the disk (code `file`, says how much is missing), no such folder.
  [[nodiscard]] static Result<std::unique_ptr<DiskWindows>> create(std::vector<Bytes> sizes,
                                                                   DiskWindowsOptions options);
  /// The windows of a kept file as of its last commit. `identity` must be that given to commit(): a hash of what the
  /// contents were made from. Errors (code `file`): no index, damaged index, other identity, other version.
  [[nodiscard]] static Result<std::unique_ptr<DiskWindows>> open(const std::string& identity,
                                                                 DiskWindowsOptions options);

  /// Flushes, waits for the disk, and makes this the state that open() finds. Not while a lease for writing is held.
  [[nodiscard]] Status commit(const std::string& identity);
  [[nodiscard]] bool direct() const;  ///< reads and writes pass the page cache by

  ~DiskWindows();

 private:
  class Backing;
  DiskWindows(std::vector<Bytes> sizes, const DiskWindowsOptions& options, std::shared_ptr<Backing> backing);
  std::shared_ptr<Backing> backing_;
};

}  // namespace conoid
