// SPDX-License-Identifier: BSD-3-Clause
// Dense complex linear algebra on a device: LU, triangular solves, products of matrices that lie there, column by column.
//
// By cuBLAS and cuSOLVER of CUDA 12 or 13, found at run time (the system's library path, $CUDA_HOME, $CUDA_PATH, /usr/local/cuda): a
// program without them starts, and open() says what is missing. Emulated devices have the functions of dense.hpp on their stream, one
// thread, and the checked one sees which memory they read and write.
//
// A library belongs to one thread at a time, as its streams do. What fails on the device throws Failure (resources).
#pragma once

#include <complex>
#include <memory>
#include <string>

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"
#include "engine/team/device.hpp"

namespace conoid::dense {

class DeviceLibrary {
 public:
  /// Error (resources): the libraries are not here, or do not start.
  [[nodiscard]] static Result<std::shared_ptr<DeviceLibrary>> open(const Device& device);
  ~DeviceLibrary();
  DeviceLibrary(const DeviceLibrary&) = delete;
  DeviceLibrary& operator=(const DeviceLibrary&) = delete;

  [[nodiscard]] const Device& device() const { return device_; }
  /// "cuSOLVER 12.0.4" or what dense.hpp has: for logs.
  [[nodiscard]] const std::string& name() const { return name_; }

  /// y = αA x + βy for `columns` vectors: A rows × cols, x cols × columns, y rows × columns; leading dimensions as many, or those given
  /// for x and y; addresses of the device. Returns at once. T: std::complex<float>, std::complex<double>.
  template <class T>
  void multiply(Stream& stream, const T* a, Index rows, Index cols, const T* x, Index columns, T alpha, T beta, T* y,
                Index x_leading = 0, Index y_leading = 0);

  /// f_i = a_i bᵀ for `count` real matrices a_i (rows × inner) that follow one another, and f_i (rows × columns) likewise; one b (columns ×
  /// inner) for all, its columns `b_leading` numbers apart. Addresses of the device. Returns at once.
  void multiply_batches(Stream& stream, const double* a, Index rows, Index inner, const double* b, Index columns,
                        Index b_leading, double* f, Index count);

 private:
  template <class T>
  friend class DeviceLu;
  struct Calls;
  explicit DeviceLibrary(const Device& device) : device_(device) {}
  /// For the calls that follow: their stream, and this thread's device.
  void use(Stream& stream) const;
  void check(int status, std::string_view what) const;
  Device device_;
  std::string name_;
  const Calls* calls_ = nullptr;  ///< null: emulated
  void *blas_ = nullptr, *solver_ = nullptr, *parameters_ = nullptr;
};

/// Flop/s of large complex products in double (4096³; of zeros, which flatter) of the library of a device, by its clock; 0: there is none.
/// Some tenths of a second. Throws Failure (resources) where there is no memory for it.
[[nodiscard]] double product_rate(const Device& device);

/// P A = L U with partial pivoting, as Lu has it.
template <class T>
class DeviceLu {
 public:
  using Real = typename T::value_type;
  /// Factorises the n × n matrix of the device in place and waits; its memory must outlive this object. An exactly singular matrix is an
  /// error of code not_converged; working memory that is refused throws Failure (resources).
  [[nodiscard]] static Result<DeviceLu> factorise(const std::shared_ptr<DeviceLibrary>& library, Stream& stream,
                                                  T* matrix, Index n);
  /// Bytes of the device that factorise() takes beside the matrix.
  [[nodiscard]] static Bytes room(DeviceLibrary& library, Index n);
  /// Overwrites `columns` right-hand sides (leading dimension n) on the device. Returns at once.
  void solve(Stream& stream, T* rhs, Index columns) const { apply(stream, false, rhs, columns); }
  /// Estimate of 1/(‖A‖₁ ‖A⁻¹‖₁) (N. J. Higham, ACM TOMS 14 (1988) 381). Waits.
  [[nodiscard]] double reciprocal_condition(Stream& stream) const;
  [[nodiscard]] Index size() const { return n_; }
  /// What the library's own factorisation took of factorise(), by the device's clock.
  [[nodiscard]] double library_seconds() const { return library_seconds_; }

 private:
  struct OnHost;
  void apply(Stream& stream, bool adjoint, T* rhs, Index columns) const;
  std::shared_ptr<DeviceLibrary> library_;
  T* matrix_ = nullptr;
  Index n_ = 0;
  double norm_ = 0;  ///< ‖A‖₁
  double library_seconds_ = 0;
  DeviceBuffer<std::int64_t> pivots_;
  DeviceBuffer<int> info_;
  std::shared_ptr<OnHost> host_;  ///< emulated
};

extern template class DeviceLu<std::complex<float>>;
extern template class DeviceLu<std::complex<double>>;

}  // namespace conoid::dense
