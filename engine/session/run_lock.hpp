// SPDX-License-Identifier: BSD-3-Clause
// One process at a time in a run folder.
#pragma once

#include <filesystem>

#include "engine/core/error.hpp"

namespace conoid {

/// An advisory lock on the file `.lock` of a run folder, freed when the object goes or the process dies.
class RunLock {
 public:
  RunLock() = default;
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;
  ~RunLock();

  /// Does not wait: a folder that another process holds is an error (file) that says so.
  [[nodiscard]] Status acquire(const std::filesystem::path& folder);
  /// Whether somebody, this process included, computes in the folder now. Looks only: no file is made. False where the file system
  /// has no locks, or the run is on another machine whose locks are not seen here.
  [[nodiscard]] static bool is_held(const std::filesystem::path& folder);

 private:
  int fd_ = -1;
};

}  // namespace conoid
