// SPDX-License-Identifier: BSD-3-Clause
// Memory of emulated devices without checks; check.cpp has the checked kind.
#include "engine/team/emulated/allocations.hpp"

#include <cstdlib>
#include <cstring>

namespace conoid::emulated {
#if !defined(CONOID_CHECKED)

void* allocate_memory(Bytes size, std::string_view) {
  void* const memory = std::aligned_alloc(256, (std::max<Bytes>(size, 1) + 255) & ~Bytes{255});
  if (memory != nullptr) std::memset(memory, 0xff, size);
  return memory;
}
void release_memory(void* memory) {
  std::free(memory);
}
std::string device_write(void*, Bytes, const void*, bool) {
  return {};
}
std::string device_read(const void*, Bytes, bool) {
  return {};
}
void forget_written(void*, Bytes) {}
void launch_begins(bool) {}
std::string launch_ends() {
  return {};
}

#endif
}  // namespace conoid::emulated
