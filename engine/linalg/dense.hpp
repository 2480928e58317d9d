// SPDX-License-Identifier: BSD-3-Clause
// Big dense complex matrices: LU, least squares, products; column-major, by LAPACK where the build has it, else by Eigen; LU
// and large products by our own kernels on processors with AVX-512, which the LAPACK of a distribution may know too little of.
//
// All functions use `threads` threads of OpenMP and are to be called from one thread at a time. Matrices belong to the caller;
// factorisations overwrite them. Sizes must fit 32-bit numbers a side.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/stop.hpp"
#include "engine/core/types.hpp"

namespace conoid::dense {

/// `own` gives the same bits for any number of threads (LU, products; needs AVX2, else one thread is used for LU) and serves where AVX-512 is.
enum class Backend { automatic, lapack, eigen, own };

[[nodiscard]] bool has_lapack();
/// "own kernels", "LAPACK" or "Eigen": what factorises, for logs.
[[nodiscard]] std::string_view backend_name(Backend backend = Backend::automatic);

/// P A = L U with partial pivoting. T: std::complex<float>, std::complex<double>.
template <class T>
class Lu {
 public:
  using Real = typename T::value_type;
  /// Factorises the n × n matrix in place; the memory must outlive this object. An exactly singular matrix is an error of code
  /// not_converged. Our own kernels ask `stopped` before each tile, on all threads, and give up when it was; the libraries do not.
  [[nodiscard]] static Result<Lu> factorise(T* matrix, Index n, int threads, Backend backend = Backend::automatic,
                                            const Stopped& stopped = {});
  /// Of factors that others have made, L below a diagonal of ones and U in one matrix: `norm` is ‖A‖₁, `pivots` LAPACK's.
  [[nodiscard]] static Lu of_factors(T* matrix, Index n, int threads, double norm, std::vector<int> pivots);
  /// Overwrites `columns` right-hand sides (leading dimension n) with the solutions.
  void solve(T* rhs, Index columns) const;
  /// Estimate of 1/(‖A‖₁ ‖A⁻¹‖₁) (N. J. Higham, ACM TOMS 14 (1988) 381).
  [[nodiscard]] double reciprocal_condition() const;
  [[nodiscard]] Index size() const { return n_; }

 private:
  T* matrix_ = nullptr;
  Index n_ = 0;
  int threads_ = 1;
  Backend backend_ = Backend::automatic;
  double norm_ = 0;          ///< ‖A‖₁
  std::vector<int> pivots_;  ///< LAPACK's: row k was swapped with row pivots_[k], from 1
};

/// ‖A‖₁ of an n × n matrix; the same for any number of threads. Entries below 10^154, whose squares are numbers.
template <class T>
[[nodiscard]] double norm1(const T* a, Index n, int threads);

/// y = A x + βy for `columns` vectors, by our own kernels where these factorise and the product is large: A rows × cols with leading dimension rows, x cols × columns, y rows × columns.
template <class T>
void multiply(const T* a, Index rows, Index cols, const T* x, Index columns, T beta, T* y, int threads,
              Backend backend = Backend::automatic);

/// y = Aᴴ x for `columns` vectors: A rows × cols, x rows × columns, y cols × columns; leading dimensions as many.
template <class T>
void multiply_adjoint(const T* a, Index rows, Index cols, const T* x, Index columns, T* y, int threads,
                      Backend backend = Backend::automatic);

/// min ‖A x − b‖₂ by QR for rows ≥ cols; A is overwritten; b (rows × columns) holds x in its first `cols` rows afterwards.
template <class T>
[[nodiscard]] Status least_squares(T* a, Index rows, Index cols, T* b, Index columns, int threads,
                                   Backend backend = Backend::automatic);

}  // namespace conoid::dense
