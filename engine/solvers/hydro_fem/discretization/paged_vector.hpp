// SPDX-License-Identifier: BSD-3-Clause
// Vectors over all nodes or zones of which a rank holds its own: whoever never writes a part of one has no memory for it.
#pragma once

#include "engine/core/types.hpp"

#include <cstddef>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace conoid::hydro_fem {

/// Zeros on pages of their own, which the system gives as they are first written; throws std::bad_alloc. Few bytes come from the heap.
[[nodiscard]] void* zero_pages(std::size_t bytes);
void free_zero_pages(void* at, std::size_t bytes) noexcept;

/// Allocates zero_pages() and leaves elements without a value as they are, zero. A vector must not shrink and grow again.
template <class T>
class ZeroPages {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;
  ZeroPages() = default;
  template <class U>
  ZeroPages(const ZeroPages<U>& /*other*/) noexcept {}
  [[nodiscard]] T* allocate(std::size_t count) { return static_cast<T*>(zero_pages(count * sizeof(T))); }
  void deallocate(T* at, std::size_t count) noexcept { free_zero_pages(at, count * sizeof(T)); }
  template <class U>
  void construct(U* /*at*/) noexcept {}
  template <class U, class... Values>
  void construct(U* at, Values&&... values) {
    ::new (static_cast<void*>(at)) U(std::forward<Values>(values)...);
  }
  template <class U>
  friend bool operator==(const ZeroPages& /*a*/, const ZeroPages<U>& /*b*/) noexcept {
    return true;
  }
};

/// resize() takes no memory; a copy, assign() and a loop over all of it take the whole.
template <class T>
using Paged = std::vector<T, ZeroPages<T>>;
using PagedVector = Paged<double>;

/// Pages in which none of these intervals of bytes lies are given back, and read as zeros.
void keep_pages(void* at, std::size_t bytes, std::span<const Interval> kept);
/// The same of entries.
template <class T>
void keep_entries(Paged<T>& values, std::vector<Interval> kept) {
  for (Interval& some : kept)
    some = {some.begin * static_cast<Index>(sizeof(T)), some.end * static_cast<Index>(sizeof(T))};
  keep_pages(values.data(), values.size() * sizeof(T), kept);
}

}  // namespace conoid::hydro_fem
