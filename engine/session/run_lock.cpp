// SPDX-License-Identifier: BSD-3-Clause
// The lock of a run folder by flock().
#include "engine/session/run_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include <fmt/core.h>

namespace conoid {

RunLock::~RunLock() {
  if (fd_ >= 0) ::close(fd_);
}

Status RunLock::acquire(const std::filesystem::path& folder) {
  const std::string file = (folder / ".lock").string();
  fd_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);
  if (fd_ < 0) return system_error("write", file, errno);
  // Somebody who only looks (is_held) has it for a moment.
  for (int tries = 0; tries < 10; ++tries) {
    if (::flock(fd_, LOCK_EX | LOCK_NB) == 0) return {};
    // File systems without locks (some network mounts) must not keep anybody from running.
    if (errno != EWOULDBLOCK) return {};
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return make_error(ErrorCode::file, fmt::format("'{}' is in use by another run", folder.string()),
                    "Wait until that run has ended, or stop it (SIGTERM makes it write a checkpoint).");
}

bool RunLock::is_held(const std::filesystem::path& folder) {
  const int fd = ::open((folder / ".lock").c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return false;
  const bool held = ::flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(fd);
  return held;
}

}  // namespace conoid
