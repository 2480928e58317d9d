// SPDX-License-Identifier: BSD-3-Clause
// Memory of one level of the field: zeroed on first touch, on huge pages where the system gives them.
#pragma once

#include <cstddef>
#include <utility>

#include <fmt/core.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif
#include "engine/core/error.hpp"
#include "engine/core/types.hpp"
#include "engine/core/units.hpp"

#include <cstdlib>
#include <cstring>

namespace conoid::acoustic_fd {

/// `count` values of T, aligned to a page. The pages belong to the memory node of the thread that writes them first.
/// Throws Failure(resources) when the system refuses.
template <class T>
class Block {
 public:
  Block() = default;
  explicit Block(Index count) : bytes_(static_cast<std::size_t>(count) * sizeof(T)) {
#if defined(__linux__)
    void* p = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) p = nullptr;
    if (p) (void)madvise(p, bytes_, MADV_HUGEPAGE);
#else
    void* p = std::aligned_alloc(4096, (bytes_ + 4095) / 4096 * 4096);
    if (p) std::memset(p, 0, bytes_);
#endif
    if (!p)
      throw Failure(make_error(ErrorCode::resources, fmt::format("no memory for an array of {}", format_bytes(bytes_)),
                               "Use a coarser or smaller grid, single precision, or more ranks."));
    data_ = static_cast<T*>(p);
  }
  ~Block() {
    release();
  }
  Block(Block&& other) noexcept : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Block& operator=(Block&& other) noexcept {
    if (this != &other) {
      release();
      data_ = std::exchange(other.data_, nullptr);
      bytes_ = std::exchange(other.bytes_, 0);
    }
    return *this;
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  [[nodiscard]] T* data() const {
    return data_;
  }

 private:
  void release() {
    if (!data_) return;
#if defined(__linux__)
    munmap(data_, bytes_);
#else
    std::free(data_);
#endif
  }
  T* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Where cell (x, y, z) of a rank's slab lies in a Block. x reaches from −halo_x to nx + halo_x − 1, y and z from −halo. Rows start
/// on 64 bytes; 16 values between rows hold the upper ghosts of one and the lower ghosts of the next.
struct Layout {
  Index first = 0;               ///< global x of the slab's plane 0
  Index nx = 0, ny = 0, nz = 0;  ///< nx: planes of this rank
  Index halo = 0;                ///< the stencil's radius
  Index halo_y = 0;              ///< the same, or none where there is one row
  Index halo_x = 0;  ///< at least that; more where a neighbour's planes are computed along for several steps
  Index stride_x = 0, stride_y = 0;
  Index origin = 0;  ///< position of (0, 0, 0)
  Index count = 0;
  static constexpr Index pad = 16;

  Layout() = default;
  Layout(Index first_plane, Index planes, Index ny_, Index nz_, int radius, Index planes_beside = 0)
      : first(first_plane), nx(planes), ny(ny_), nz(nz_), halo(radius), halo_y(ny_ > 1 ? radius : 0),
        halo_x(planes_beside > radius ? planes_beside : radius) {
    stride_y = (nz + pad - 1) / pad * pad + pad;
    if (stride_y % 1024 == 0) stride_y += pad;  // rows a page apart would share cache sets
    stride_x = (ny + 2 * halo_y) * stride_y;
    if (halo_y == 0) stride_x += pad;  // see row_values()
    // Planes that a kernel reads at the same place should not share sets of the first cache: 512 bytes apart modulo a page, where that
    // is a small part of a plane, the rows of a block lie side by side in it. Orders 2 and 8 lost up to a tenth and a third elsewhere.
    if (stride_x >= 32768)
      stride_x += (1024 + 128 - stride_x % 1024) % 1024;
    else if (stride_x % 1024 == 0)
      stride_x += pad;
    origin = halo_x * stride_x + halo_y * stride_y + pad;
    count = (nx + 2 * halo_x) * stride_x + 2 * pad;
  }
  [[nodiscard]] Index at(Index x, Index y, Index z = 0) const { return origin + x * stride_x + y * stride_y + z; }
  /// Values from 16 before the first of so many rows on, as planes go to neighbours, disk and devices: behind a single row, which has
  /// none beside it, stand its upper ghosts.
  [[nodiscard]] Index row_values(Index rows) const { return rows * stride_y + (halo_y == 0 ? pad : 0); }
  /// From a row to its neighbour as stencils read it: of a single one itself, with weights of zero.
  [[nodiscard]] Index step_y() const { return halo_y > 0 ? stride_y : 0; }
};

}  // namespace conoid::acoustic_fd
