// SPDX-License-Identifier: BSD-3-Clause
// A file in memory, found by the other process among the open files of its maker (proc(5), memfd_create(2)).
#include "engine/cluster/shared_block.hpp"

#include <cstring>
#include <random>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace conoid {

SharedBlock::~SharedBlock() {
  if (map_) munmap(map_, head + ticket_.bytes);
  if (file_ >= 0) close(file_);
}

bool SharedBlock::map() {
  void* const at = mmap(nullptr, head + ticket_.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (at == MAP_FAILED) return false;
  map_ = at;
  return true;
}

SharedBlock SharedBlock::make(Bytes bytes) {
  SharedBlock out;
  out.file_ = memfd_create("conoid", MFD_CLOEXEC);
  // Memory is taken now: a page that the system cannot give later would end the process.
  if (out.file_ < 0 || bytes == 0 || posix_fallocate(out.file_, 0, static_cast<off_t>(head + bytes)) != 0) return {};
  std::random_device random;
  out.ticket_ = {static_cast<std::uint64_t>(getpid()), static_cast<std::uint64_t>(out.file_), bytes, {}};
  for (auto& mark : out.ticket_.mark) mark = std::uint64_t{random()} << 32 | random();
  if (!out.map()) return {};
  std::memcpy(out.map_, out.ticket_.mark, sizeof out.ticket_.mark);
  return out;
}

SharedBlock SharedBlock::open(const Ticket& ticket) {
  SharedBlock out;
  if (ticket.bytes == 0) return out;
  out.file_ = ::open(fmt::format("/proc/{}/fd/{}", ticket.process, ticket.file).c_str(), O_RDWR | O_CLOEXEC);
  struct stat about {};
  if (out.file_ < 0 || fstat(out.file_, &about) != 0 || !S_ISREG(about.st_mode) ||
      static_cast<std::uint64_t>(about.st_size) != head + ticket.bytes)
    return {};
  out.ticket_ = ticket;
  if (!out.map() || std::memcmp(out.map_, ticket.mark, sizeof ticket.mark) != 0) return {};
  return out;
}

}  // namespace conoid
