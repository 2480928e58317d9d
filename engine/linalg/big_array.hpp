// SPDX-License-Identifier: BSD-3-Clause
// One big array on large pages that nobody has written to yet: whoever fills it, on all threads, also takes the memory from
// the system. A vector would do both on one thread.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>

namespace conoid {

/// `count` numbers without a value; throws std::bad_alloc. Movable, not copyable.
template <class T>
class BigArray {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  BigArray() = default;
  explicit BigArray(std::size_t count) : size_(count) {
    if (count == 0) return;
    constexpr std::size_t page = std::size_t{2} << 20;
    const std::size_t align = count * sizeof(T) >= 4 * page ? page : 64,
                      bytes = (count * sizeof(T) + align - 1) / align * align;
    data_ = static_cast<T*>(std::aligned_alloc(align, bytes));
    if (data_ == nullptr) throw std::bad_alloc();
    if (align == page) ::madvise(data_, bytes, MADV_HUGEPAGE);  // a wish: small pages serve as well
  }
  BigArray(BigArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  BigArray& operator=(BigArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~BigArray() { std::free(data_); }

  [[nodiscard]] T* data() { return data_; }
  [[nodiscard]] const T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace conoid
