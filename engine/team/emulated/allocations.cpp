// SPDX-License-Identifier: BSD-3-Clause
// Memory of emulated devices without checks; check.cpp has the checked kind.
#include "engine/team/emulated/allocations.hpp"

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include <sys/mman.h>
#include <unistd.h>

namespace conoid::emulated {

void* map_ring(Bytes size) {
  if (static_cast<Bytes>(sysconf(_SC_PAGESIZE)) > ring_unit) return nullptr;
  const int file = memfd_create("conoid-ring", MFD_CLOEXEC);
  if (file < 0) return nullptr;
  unsigned char* ring = nullptr;
  if (ftruncate(file, static_cast<off_t>(size)) == 0) {
    void* const all = mmap(nullptr, 2 * (size + ring_unit), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all != MAP_FAILED) {
      ring = static_cast<unsigned char*>(all) + ring_unit;
      bool mapped = true;
      for (const Bytes at : {Bytes{0}, size})
        mapped = mapped && mmap(ring + at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED;
      if (!mapped) {
        unmap_ring(ring, size);
        ring = nullptr;
      }
    }
  }
  close(file);
  if (ring != nullptr) std::memset(ring, 0xff, size);
  return ring;
}
void unmap_ring(void* ring, Bytes size) {
  munmap(static_cast<unsigned char*>(ring) - ring_unit, 2 * (size + ring_unit));
}

#if !defined(CONOID_CHECKED)

namespace {
std::mutex mutex;
std::map<void*, Bytes> rings;
}  // namespace

void* allocate_memory(Bytes size, std::string_view) {
  void* const memory = std::aligned_alloc(256, (std::max<Bytes>(size, 1) + 255) & ~Bytes{255});
  if (memory != nullptr) std::memset(memory, 0xff, size);
  return memory;
}
void* allocate_ring(Bytes size, std::string_view) {
  void* const ring = map_ring(size);
  std::lock_guard lock(mutex);
  if (ring != nullptr) rings[ring] = size;
  return ring;
}
void release_memory(void* memory) {
  {
    std::lock_guard lock(mutex);
    if (const auto ring = rings.find(memory); ring != rings.end()) {
      unmap_ring(ring->first, ring->second);
      rings.erase(ring);
      return;
    }
  }
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
