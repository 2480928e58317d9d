// SPDX-License-Identifier: BSD-3-Clause
// The summation stage on one device: slices as ragged blocks (cuda/arguments.hpp) in slabs of 64, past values in a ring.
//
// Slabs stay on the device while they fit its budget; the rest passes through it each time, copied while the slab before is
// summed. Sums of parts are added in a fixed order: the same interval gives the same bits. Single or double precision as the
// slices have it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/solvers/acoustic_bem/cuda/arguments.hpp"
#include "engine/solvers/acoustic_bem/discretization/slices.hpp"
#include "engine/solvers/acoustic_bem/stepping/history.hpp"
#include "engine/team/device_worker.hpp"

namespace conoid::acoustic_bem {

constexpr Index slab_slices = 64;

/// How the product is launched; zeros are chosen by what the device has.
struct RaggedTuning {
  unsigned warps = 0;   ///< a block, at most ragged_warps
  unsigned blocks = 0;  ///< a multiprocessor, all at the same time
  unsigned rounds = 0;  ///< times that the blocks of a launch fill the device
};

template <class Real>
class DeviceSummation {
 public:
  /// Throws Failure(resources) if the device cannot hold even two slabs and the past values. `budget`: bytes of device
  /// memory. `device` is kept; `host` measures the slabs.
  DeviceSummation(const Device& device, const Slices<Real>& slices, int steps, Bytes budget, const CpuWorker& host,
                  RaggedTuning tuning = {});
  ~DeviceSummation();

  /// sums[run][g][row] += nothing: they are set to Σ over the slices of `interval`. `host` lays out slabs that are not on the
  /// device yet. Returns when the sums are there.
  void run(const CpuWorker& host, Interval interval, std::span<const History<Real>> runs, Index shift,
           std::span<double> sums);

  /// Seconds of the last run() in which slabs were laid out or copied and nothing was summed.
  [[nodiscard]] double copying() const;
  [[nodiscard]] Bytes resident() const;         ///< bytes of slabs that stay on the device
  [[nodiscard]] Bytes streamed() const;         ///< bytes of slabs that passed through it in the last run()
  [[nodiscard]] double kernel_seconds() const;  ///< of the device's clock, in the last run()
  [[nodiscard]] Bytes kernel_bytes() const;     ///< of pieces and headers read by the last run(), one reading a run

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// True if row-vectors and windows are of a size that the kernels' marks can tell.
template <class Real>
[[nodiscard]] bool fits_devices(const Slices<Real>& slices);
/// True if rows that a warp takes together start within the columns that shared memory has room for: rows of the matrices do, points that
/// lie far apart need not.
template <class Real>
[[nodiscard]] bool starts_fit_devices(const Slices<Real>& slices, int steps);

/// Row-vectors of a row group in one slice, and the header of their piece, offset 0.
struct PieceExtent {
  Index low = 1 << 30, high = 0;  ///< starts
  std::size_t rows = 0, count = 0, longest = 0, shortest = ~std::size_t{0};
  void add(Index start, std::size_t length);
  [[nodiscard]] PieceHeader header(int steps, std::size_t real) const;
};
/// Where the pieces of a slab begin behind its headers, PieceHeader [group][slice].
constexpr std::size_t behind_headers(std::size_t header_bytes) {
  return (header_bytes + 255) / 256 * 256;
}
/// Slices [first, first + slab_slices) of the matrix, fewer at its end, as a slab lies in a device's memory: headers, zeros up to
/// behind_headers(), pieces. `to` is as large as they are or larger; nothing else of it is written.
template <class Real>
void pack_slab(const Slices<Real>& slices, Index first, int steps, const CpuWorker& host, std::span<std::byte> to);

extern template class DeviceSummation<float>;
extern template class DeviceSummation<double>;

}  // namespace conoid::acoustic_bem
