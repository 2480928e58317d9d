// SPDX-License-Identifier: BSD-3-Clause
// O_NOFOLLOW for the folder, then openat below it.
#include "engine/io/own_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include <fmt/core.h>

namespace conoid {
namespace fs = std::filesystem;

namespace {
constexpr const char* put_it_back = "Put the folder itself back into its place, then go on with `conoid resume`.";
}

Status expect_own_folder(const fs::path& folder) {
  struct stat info {};
  if (::lstat(folder.c_str(), &info) != 0) {
    const int failed = errno;
    // What has vanished may be hidden by a link that stands for the folder above it.
    if (const fs::path above = folder.parent_path(); ::lstat(above.c_str(), &info) == 0 && S_ISLNK(info.st_mode))
      return expect_own_folder(above);
    if (failed == ENOENT)
      return make_error(ErrorCode::file, fmt::format("'{}' is gone: it was moved or removed", folder.string()),
                        put_it_back);
    return system_error("find the folder", folder.string(), failed);
  }
  if (S_ISDIR(info.st_mode)) return {};
  return make_error(
      ErrorCode::file,
      S_ISLNK(info.st_mode)
          ? fmt::format("'{}' has become a link, which could lead out of the run folder; it is not followed",
                        folder.string())
          : fmt::format("'{}' is no longer a folder", folder.string()),
      put_it_back);
}

Status told_by_folder(const fs::path& folder, Status status) {
  if (status) return status;
  Status own = expect_own_folder(folder);
  return own ? std::move(status) : own;
}

int open_in_own_folder(const fs::path& file, bool anew) {
  const int folder = ::open(file.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return -1;
  const int flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | (anew ? O_TRUNC : 0);
  const int fd = ::openat(folder, file.filename().c_str(), flags, 0644);
  const int failed = errno;
  ::close(folder);
  errno = failed;
  return fd;
}

}  // namespace conoid
