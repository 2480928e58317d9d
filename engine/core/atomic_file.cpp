// SPDX-License-Identifier: BSD-3-Clause
// Atomic replacement of files with POSIX calls.
#include "engine/core/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include <fmt/core.h>

namespace conoid {
namespace fs = std::filesystem;

namespace {

Status expect_plain_file(const struct stat& info, const fs::path& path) {
  if (S_ISREG(info.st_mode)) return {};
  if (S_ISDIR(info.st_mode)) return system_error("read", path.string(), EISDIR);
  return make_error(ErrorCode::file,
                    fmt::format("'{}' is no plain file but {}", path.string(),
                                S_ISFIFO(info.st_mode)   ? "a pipe"
                                : S_ISSOCK(info.st_mode) ? "a socket"
                                                         : "a device"),
                    "Save what comes out of it as a file. (A case may come on standard input: `conoid run -`.)");
}

}  // namespace

Status sync_folder(const fs::path& folder) {
  const fs::path where = folder.empty() ? fs::path(".") : folder;
  const int fd = ::open(where.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return system_error("open the folder", where.string(), errno);
  const int rc = ::fsync(fd);
  const int saved = errno;
  ::close(fd);
  if (rc != 0 && saved != EINVAL) return system_error("flush the folder", where.string(), saved);
  return {};
}

Status write_file_atomically(const fs::path& path, std::string_view content) {
  const std::string beside = path.string() + fmt::format(".{}.part", ::getpid());
  // What lies there already, a link perhaps, is not written through.
  ::unlink(beside.c_str());
  const int fd = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (fd < 0) return system_error("write", path.string(), errno);
  auto fail = [&](std::string_view what) -> Status {
    const int saved = errno;
    ::close(fd);
    ::unlink(beside.c_str());
    return system_error(what, path.string(), saved);
  };
  std::size_t done = 0;
  while (done < content.size()) {
    const ssize_t n = ::write(fd, content.data() + done, content.size() - done);
    if (n < 0) {
      if (errno == EINTR) continue;
      return fail("write");
    }
    done += static_cast<std::size_t>(n);
  }
  if (::fsync(fd) != 0 && errno != EINVAL) return fail("flush");
  if (::close(fd) != 0) {
    const int saved = errno;
    ::unlink(beside.c_str());
    return system_error("write", path.string(), saved);
  }
  if (::rename(beside.c_str(), path.c_str()) != 0) {
    const int saved = errno;
    ::unlink(beside.c_str());
    return system_error("replace", path.string(), saved);
  }
  return sync_folder(path.parent_path());
}

void remove_unfinished_writes(const fs::path& folder, int depth) {
  std::vector<fs::path> unfinished, folders;
  std::error_code code;
  for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
    std::error_code ignored;
    const std::string digits = it->path().stem().extension().string();  // behind its point
    if (it->is_symlink(ignored)) continue;
    if (it->is_directory(ignored))
      folders.push_back(it->path());
    else if (it->path().extension() == ".part" && digits.size() > 1 &&
             digits.find_first_not_of("0123456789", 1) == std::string::npos)
      unfinished.push_back(it->path());
  }
  for (const fs::path& file : unfinished) fs::remove(file, code);
  if (depth > 0)
    for (const fs::path& inner : folders) remove_unfinished_writes(inner, depth - 1);
}

Status expect_plain_file(const fs::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return system_error("read", path.string(), errno);
  return expect_plain_file(info, path);
}

Result<std::string> read_file(const fs::path& path, Bytes limit) {
  // A pipe without a writer would hold the opening for ever.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return system_error("read", path.string(), errno);
  struct stat info {};
  Status plain = ::fstat(fd, &info) == 0 ? expect_plain_file(info, path) : system_error("read", path.string(), errno);
  if (!plain) {
    ::close(fd);
    return plain.error();
  }
  std::string out;
  out.reserve(std::min<Bytes>(static_cast<Bytes>(info.st_size), limit));
  char buffer[1 << 16];
  for (;;) {
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int saved = errno;
      ::close(fd);
      return system_error("read", path.string(), saved);
    }
    if (n == 0) break;
    if (out.size() + static_cast<std::size_t>(n) > limit) {
      ::close(fd);
      return make_error(ErrorCode::file,
                        fmt::format("'{}' is larger than the {} bytes this reader accepts", path.string(), limit),
                        "Check that this is the file you meant.");
    }
    out.append(buffer, static_cast<std::size_t>(n));
  }
  ::close(fd);
  return out;
}

fs::path absolute_path(const fs::path& path) {
  return path.empty() ? path : fs::absolute(path);
}

}  // namespace conoid
