// SPDX-License-Identifier: BSD-3-Clause
// Memory for many arrays of some hundred kilobytes each, side by side on large pages: a sweep over all of them then walks
// page tables once in two megabytes instead of once in four kilobytes.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace conoid::acoustic_bem {

/// Hands out pieces that live as long as the pool. Thread-safe.
class HugePages {
 public:
  [[nodiscard]] void* take(std::size_t bytes) {
    bytes = (bytes + 63) / 64 * 64;
    const std::scoped_lock lock(mutex_);
    if (bytes > left_) {
      const std::size_t size = (std::max(bytes, next_) + page - 1) / page * page;
      chunks_.emplace_back(std::aligned_alloc(page, size));
      if (!chunks_.back()) {
        chunks_.pop_back();
        throw std::bad_alloc();
      }
      ::madvise(chunks_.back().get(), size, MADV_HUGEPAGE);  // a wish: small pages serve as well
      at_ = static_cast<std::byte*>(chunks_.back().get());
      left_ = size;
      next_ = std::min(2 * next_, largest);
    }
    void* const out = at_;
    at_ += bytes;
    left_ -= bytes;
    return out;
  }

 private:
  static constexpr std::size_t page = std::size_t{2} << 20, largest = std::size_t{64} << 20;
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  std::mutex mutex_;
  std::vector<std::unique_ptr<void, Free>> chunks_;
  std::byte* at_ = nullptr;
  std::size_t left_ = 0, next_ = page;
};

/// For vectors whose numbers lie in a pool; without one they come from the heap.
template <class T>
class HugePageAllocator {
 public:
  using value_type = T;
  using propagate_on_container_copy_assignment = std::true_type;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;

  HugePageAllocator() = default;
  explicit HugePageAllocator(std::shared_ptr<HugePages> pool) : pool_(std::move(pool)) {}
  template <class U>
  HugePageAllocator(const HugePageAllocator<U>& other) : pool_(other.pool()) {}  // NOLINT: as containers want it

  [[nodiscard]] T* allocate(std::size_t n) {
    return static_cast<T*>(pool_ ? pool_->take(n * sizeof(T)) : ::operator new(n * sizeof(T)));
  }
  void deallocate(T* p, std::size_t /*n*/) noexcept {
    if (!pool_) ::operator delete(p);
  }
  [[nodiscard]] const std::shared_ptr<HugePages>& pool() const { return pool_; }
  template <class U>
  bool operator==(const HugePageAllocator<U>& other) const {
    return pool_ == other.pool();
  }

 private:
  std::shared_ptr<HugePages> pool_;
};

}  // namespace conoid::acoustic_bem
