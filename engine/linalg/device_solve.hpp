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
#include <span>
#include <string>

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"
#include "engine/team/device.hpp"

namespace conoid::dense {

/// How products within a factorisation round: as their numbers do, or with factors of ten bits and sums in single precision (TF32 of tensor
/// cores; of complex<float> only), which is several times as fast. Corrections with residuals make up for it where equations are not too
/// close to singular (N. J. Higham, T. Mary, Acta Numerica 31 (2022) 347, section 4).
enum class Rounding { of_numbers, ten_bits };

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

  /// y = αA x + βy for `columns` vectors: A rows × cols, x cols × columns, y rows × columns; leading dimensions as many, or those
  /// given; addresses of the device. Returns at once. T: std::complex<float>, std::complex<double>.
  template <class T>
  void multiply(Stream& stream, const T* a, Index rows, Index cols, const T* x, Index columns, T alpha, T beta, T* y,
                Index x_leading = 0, Index y_leading = 0, Index a_leading = 0,
                Rounding rounding = Rounding::of_numbers);

  /// What factorisations by blocks of columns (device_blocks.hpp) are made of; false: the library lacks some of it.
  [[nodiscard]] bool has_blocks() const;
  /// Whether products of ten bits are there and pay. Emulated devices imitate them.
  [[nodiscard]] bool has_ten_bits() const;
  /// B = L⁻¹ B for the unit lower triangle of the n × n matrix L; leading dimensions given. Returns at once.
  template <class T>
  void solve_lower(Stream& stream, const T* l, Index n, Index leading, T* b, Index columns, Index b_leading);
  /// Working memory of factorise_panel(): of the device, of the host.
  struct PanelRoom {
    Bytes there = 0, here = 0;
  };
  template <class T>
  [[nodiscard]] PanelRoom panel_room(Index rows, Index columns);
  /// P A = L U of a rows × columns matrix, rows ≥ columns, in place with partial pivoting. Row k was exchanged with row pivots[k], from 1;
  /// `state`: 0, or the number (from 1) of the first zero pivot. Returns at once; `here` outlives the work.
  template <class T>
  void factorise_panel(Stream& stream, T* a, Index rows, Index columns, Index leading, std::int64_t* pivots, int* state,
                       std::byte* there, std::span<std::byte> here);

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
  /// `rounding`: with factors of ten bits blocks of columns are our own (device_blocks.hpp).
  [[nodiscard]] static Result<DeviceLu> factorise(const std::shared_ptr<DeviceLibrary>& library, Stream& stream,
                                                  T* matrix, Index n, Rounding rounding = Rounding::of_numbers);
  /// Bytes of the device that factorise() takes beside the matrix.
  [[nodiscard]] static Bytes room(DeviceLibrary& library, Index n);
  /// Overwrites `columns` right-hand sides (leading dimension n) on the device. Returns at once.
  void solve(Stream& stream, T* rhs, Index columns) const { apply(stream, false, rhs, columns); }
  /// Estimate of 1/(‖A‖₁ ‖A⁻¹‖₁) (N. J. Higham, ACM TOMS 14 (1988) 381). Waits.
  [[nodiscard]] double reciprocal_condition(Stream& stream) const;
  [[nodiscard]] Index size() const { return n_; }
  /// What the factorisation itself took of factorise(), by the device's clock.
  [[nodiscard]] double library_seconds() const { return library_seconds_; }

 private:
  struct OnHost;
  [[nodiscard]] Status by_library(Stream& stream, const Event& begin);
  [[nodiscard]] Status by_blocks(Stream& stream, const Event& begin);
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
