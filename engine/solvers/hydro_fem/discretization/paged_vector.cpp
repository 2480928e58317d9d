// SPDX-License-Identifier: BSD-3-Clause
#include "engine/solvers/hydro_fem/discretization/paged_vector.hpp"

#include <cstdlib>

#include <sys/mman.h>

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

void free_zero_pages(void* at, std::size_t bytes) noexcept {
  bytes < least_mapped ? std::free(at) : static_cast<void>(munmap(at, bytes));
}

}  // namespace conoid::hydro_fem
