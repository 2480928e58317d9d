// SPDX-License-Identifier: BSD-3-Clause
#include "engine/solvers/hydro_fem/discretization/paged_vector.hpp"

#include <cstdlib>

#include <sys/mman.h>
#include <unistd.h>

namespace conoid::hydro_fem {
namespace {

/// The heap may give what it had before, and writes zeros there.
constexpr std::size_t least_mapped = 64 << 10;

}  // namespace

void* zero_pages(std::size_t bytes) {
  void* const at = bytes < least_mapped ? std::calloc(bytes + 1, 1)
                                        : mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == nullptr || at == MAP_FAILED) throw std::bad_alloc();
  return at;
}

void keep_pages(void* at, std::size_t bytes, std::span<const Interval> kept) {
  if (bytes < least_mapped) return;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::vector<char> needed((bytes + page - 1) / page, 0);
  for (const Interval& some : kept)
    for (std::size_t p = static_cast<std::size_t>(some.begin) / page; p * page < static_cast<std::size_t>(some.end);
         ++p)
      needed[p] = 1;
  for (std::size_t p = 0, end = 0; p < needed.size(); p = end) {
    for (end = p + 1; end < needed.size() && needed[end] == needed[p]; ++end) {
    }
    if (!needed[p]) madvise(static_cast<std::byte*>(at) + p * page, (end - p) * page, MADV_DONTNEED);
  }
}

void free_zero_pages(void* at, std::size_t bytes) noexcept {
  bytes < least_mapped ? std::free(at) : static_cast<void>(munmap(at, bytes));
}

}  // namespace conoid::hydro_fem
