// SPDX-License-Identifier: BSD-3-Clause
// The system's files: O_DIRECT, or buffered with the page cache told to forget.
#include "engine/window/disk.hpp"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace conoid {
namespace {

constexpr std::size_t largest_call = std::size_t{1} << 30;

class SystemFile final : public DiskFile {
 public:
  SystemFile(int fd, bool direct) : fd_(fd), direct_(direct) {}
  ~SystemFile() override { ::close(fd_); }
  SystemFile(const SystemFile&) = delete;
  SystemFile& operator=(const SystemFile&) = delete;

  int read(std::span<std::byte> into, Bytes offset) override {
    const Bytes begin = offset, bytes = into.size();
    while (!into.empty()) {
      const ssize_t n = ::pread(fd_, into.data(), std::min(into.size(), largest_call), static_cast<off_t>(offset));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return errno;
      if (n == 0) return EIO;  // the file ends before the window does
      into = into.subspan(static_cast<std::size_t>(n));
      offset += static_cast<Bytes>(n);
    }
    if (!direct_) ::posix_fadvise(fd_, static_cast<off_t>(begin), static_cast<off_t>(bytes), POSIX_FADV_DONTNEED);
    return 0;
  }

  int write(std::span<const std::byte> from, Bytes offset) override {
    const Bytes begin = offset, bytes = from.size();
    while (!from.empty()) {
      const ssize_t n = ::pwrite(fd_, from.data(), std::min(from.size(), largest_call), static_cast<off_t>(offset));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return errno;
      if (n == 0) return ENOSPC;
      from = from.subspan(static_cast<std::size_t>(n));
      offset += static_cast<Bytes>(n);
    }
    if (!direct_) {  // pages can be forgotten only once they are clean
      ::sync_file_range(fd_, static_cast<off_t>(begin), static_cast<off_t>(bytes),
                        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
      ::posix_fadvise(fd_, static_cast<off_t>(begin), static_cast<off_t>(bytes), POSIX_FADV_DONTNEED);
    }
    return 0;
  }

  int reserve(Bytes offset, Bytes bytes) override {
    int rc = 0;
    do {
      rc = ::fallocate(fd_, 0, static_cast<off_t>(offset), static_cast<off_t>(bytes)) == 0 ? 0 : errno;
    } while (rc == EINTR);
    if (rc == EOPNOTSUPP || rc == ENOSYS) {
      struct stat info {};
      if (::fstat(fd_, &info) != 0) return errno;
      const auto end = static_cast<off_t>(offset + bytes);
      return info.st_size >= end || ::ftruncate(fd_, end) == 0 ? 0 : errno;
    }
    return rc;
  }

  int sync() override { return ::fdatasync(fd_) == 0 ? 0 : errno; }
  [[nodiscard]] bool direct() const override { return direct_; }

 private:
  int fd_;
  bool direct_;
};

class SystemDisk final : public Disk {
 public:
  Result<std::unique_ptr<DiskFile>> open(const std::filesystem::path& file, bool create) override {
    if (create) ::unlink(file.c_str());  // readers of an older file keep theirs
    const int flags = O_RDWR | O_CLOEXEC | (create ? O_CREAT | O_EXCL : 0);
    bool direct = true;
    int fd = ::open(file.c_str(), flags | O_DIRECT, 0644);
    if (fd < 0 && errno == EINVAL) {  // tmpfs and a few others; the failed call may have made the file
      if (create) ::unlink(file.c_str());
      direct = false;
      fd = ::open(file.c_str(), flags, 0644);
    }
    if (fd < 0) return system_error(create ? "create" : "open", file.string(), errno);
    return std::unique_ptr<DiskFile>(std::make_unique<SystemFile>(fd, direct));
  }

  Result<Bytes> free_space(const std::filesystem::path& folder) override {
    struct statvfs info {};
    const std::string where = folder.empty() ? "." : folder.string();
    if (::statvfs(where.c_str(), &info) != 0) return system_error("ask for the free space of", where, errno);
    return static_cast<Bytes>(info.f_bavail) * info.f_frsize;
  }
};

}  // namespace

std::shared_ptr<Disk> system_disk() {
  return std::make_shared<SystemDisk>();
}

}  // namespace conoid
