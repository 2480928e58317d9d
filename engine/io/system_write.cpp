// SPDX-License-Identifier: BSD-3-Clause
// Complete writes with a hook for faults.
#include "engine/io/system_write.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace conoid {
namespace {

WriteFault& fault() {
  static WriteFault instance;
  return instance;
}

}  // namespace

void set_write_fault(WriteFault f) {
  fault() = std::move(f);
}

int write_fully(int fd, std::span<const std::byte> data, std::int64_t offset) {
  int planned = 0;
  if (fault() && !data.empty()) {
    planned = fault()(data.size());
    if (planned > 0) return planned;
    if (planned == short_write) data = data.first(data.size() / 2);
  }
  while (!data.empty()) {
    const std::size_t part = std::min(data.size(), std::size_t{1} << 30);
    const ssize_t n =
        offset < 0 ? ::write(fd, data.data(), part) : ::pwrite(fd, data.data(), part, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0) return ENOSPC;
    data = data.subspan(static_cast<std::size_t>(n));
    if (offset >= 0) offset += n;
  }
  return planned == short_write ? ENOSPC : 0;
}

}  // namespace conoid
