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

 private:
  int fd_ = -1;
};

}  // namespace conoid
