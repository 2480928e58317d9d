// SPDX-License-Identifier: BSD-3-Clause
// Preloaded into a program (LD_PRELOAD), lets its memory run out: `operator new` of 32 KiB or more fails from one call on.
//
// CONOID_MEMORY_AT=n: from the n-th such call, counted from 1, all fail, and go on failing. CONOID_MEMORY_COUNT=file: receives
// the number of such calls when the program ends by itself. Smaller pieces are always had, as from a heap with some room left:
// the library of JSON, for one, needs a few to let a document go, and ends the program without.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t large = std::size_t{32} << 10;
std::atomic<long> calls;

long number_of(const char* variable) {
  const char* text = std::getenv(variable);
  return text ? std::atol(text) : 0;
}

const long fails_from = number_of("CONOID_MEMORY_AT");

void* take(std::size_t bytes, std::size_t align) {
  if (bytes >= large) {
    const long now = ++calls;
    if (fails_from > 0 && now >= fails_from) throw std::bad_alloc();
  }
  void* const memory =
      align == 0 ? std::malloc(bytes ? bytes : 1) : std::aligned_alloc(align, (bytes + align) / align * align);
  if (!memory) throw std::bad_alloc();
  return memory;
}

void* take_or_none(std::size_t bytes, std::size_t align) noexcept {
  try {
    return take(bytes, align);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

struct Count {
  ~Count() {
    const char* file = std::getenv("CONOID_MEMORY_COUNT");
    std::FILE* out = file && *file ? std::fopen(file, "w") : nullptr;
    if (!out) return;
    std::fprintf(out, "%ld\n", calls.load());
    std::fclose(out);
  }
} count;

}  // namespace

void* operator new(std::size_t bytes) {
  return take(bytes, 0);
}
void* operator new[](std::size_t bytes) {
  return take(bytes, 0);
}
void* operator new(std::size_t bytes, std::align_val_t align) {
  return take(bytes, static_cast<std::size_t>(align));
}
void* operator new[](std::size_t bytes, std::align_val_t align) {
  return take(bytes, static_cast<std::size_t>(align));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return take_or_none(bytes, 0);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return take_or_none(bytes, 0);
}
void* operator new(std::size_t bytes, std::align_val_t align, const std::nothrow_t&) noexcept {
  return take_or_none(bytes, static_cast<std::size_t>(align));
}
void* operator new[](std::size_t bytes, std::align_val_t align, const std::nothrow_t&) noexcept {
  return take_or_none(bytes, static_cast<std::size_t>(align));
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
