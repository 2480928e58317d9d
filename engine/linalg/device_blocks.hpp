// SPDX-License-Identifier: BSD-3-Clause
// LU on a device by blocks of columns: panels by the library, everything else products, whose rounding may be chosen; and of matrices
// of the host that the device's memory does not hold.
//
// A panel of some hundred columns is factorised, its exchanges of rows are repeated in the other columns, and the triangle and the product
// that follow leave what remains (right-looking; J. J. Dongarra et al., "Solving Linear Systems on Vector and Shared Memory Computers", SIAM
// 1991, section 5.4). A matrix of the host passes block by block, as wide as the memory allows: each meets all columns to the left of it,
// which come from the host once more (left-looking), so that n³ operations move n³/width numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/core/stop.hpp"
#include "engine/linalg/dense.hpp"
#include "engine/linalg/device_solve.hpp"

namespace conoid::dense {

template <class Real>
struct SwapArguments;  // cuda/dense_arguments.hpp

/// Steps of a factorisation on one stream; T: std::complex<float>, std::complex<double>. What fails on the device throws Failure (resources).
template <class T>
class DeviceBlocks {
 public:
  using Real = typename T::value_type;
  /// Takes working memory of the device for matrices of up to rows × columns. The library has what is needed (has_blocks()). `width`:
  /// columns of a panel; 0: as many as suit the device.
  DeviceBlocks(std::shared_ptr<DeviceLibrary> library, Stream& stream, Index rows, Index columns, Rounding rounding,
               Index width = 0);
  /// P A = L U of a rows × columns matrix of the device, rows ≥ columns, in place. Waits. Row k was exchanged with row pivots[k], from 1.
  [[nodiscard]] std::vector<std::int64_t> factorise(T* a, Index rows, Index columns, Index leading);
  /// The exchanges of the last factorise() in other columns of the same rows. Returns at once.
  void exchange(T* a, Index columns, Index leading) { exchange(a, columns, leading, pivots_.data(), last_); }
  /// The same of exchanges that are given, addresses of the device.
  void exchange(T* a, Index columns, Index leading, const std::int64_t* pivots, Index count);
  /// Of the last factorise(): the first zero pivot, from 1; 0: none.
  [[nodiscard]] std::int64_t zero_pivot() const { return zero_; }

  /// Columns of a panel on this device.
  [[nodiscard]] static Index width_on(const DeviceInfo& device);

 private:
  std::shared_ptr<DeviceLibrary> library_;
  Stream& stream_;
  Rounding rounding_;
  Index width_;
  Index last_ = 0;
  std::int64_t zero_ = 0;
  DeviceBuffer<std::int64_t> pivots_;
  DeviceBuffer<int> states_;
  DeviceBuffer<std::byte> there_;
  std::vector<std::byte> here_;
  Kernel<SwapArguments<Real>> swap_;
};

/// The least memory of the device that factorise_through() can do with, and about the same before a device is opened.
template <class T>
[[nodiscard]] Bytes least_through(DeviceLibrary& library, Index n);
[[nodiscard]] Bytes expected_through(const DeviceInfo& device, Index n, Bytes entry);

/// Factorises an n × n matrix of the host in place by a device, of whose memory `memory` bytes are taken; what comes back is used by
/// processors. `threads` copy. Errors: singular (not_converged), stopped. Throws Failure (resources).
template <class T>
[[nodiscard]] Result<Lu<T>> factorise_through(const std::shared_ptr<DeviceLibrary>& library, Stream& stream, T* matrix,
                                              Index n, Bytes memory, Rounding rounding, int threads,
                                              const Stopped& stopped = {});

extern template class DeviceBlocks<std::complex<float>>;
extern template class DeviceBlocks<std::complex<double>>;

}  // namespace conoid::dense
