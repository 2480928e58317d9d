// SPDX-License-Identifier: BSD-3-Clause
// LAPACK where there is one, Eigen else.
#include "engine/linalg/dense.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "conoid/config.hpp"
#include "engine/core/room_to_start.hpp"
#include "engine/linalg/dense_backends.hpp"
#include "engine/linalg/dense_blocked.hpp"
#include "engine/linalg/inverse_norm.hpp"
#include "engine/simd/instruction_set.hpp"
#include "engine/team/parallel_for.hpp"

#if CONOID_HAVE_OPENMP
#include <omp.h>
#endif

#if CONOID_HAVE_LAPACK
// LAPACK's and BLAS's Fortran interface (E. Anderson et al., "LAPACK Users' Guide", SIAM 1999).
extern "C" {
using complex_float = std::complex<float>;
using complex_double = std::complex<double>;
void cgetrf_(const int*, const int*, complex_float*, const int*, int*, int*);
void zgetrf_(const int*, const int*, complex_double*, const int*, int*, int*);
void cgetrs_(const char*, const int*, const int*, const complex_float*, const int*, const int*, complex_float*,
             const int*, int*);
void zgetrs_(const char*, const int*, const int*, const complex_double*, const int*, const int*, complex_double*,
             const int*, int*);
void cgecon_(const char*, const int*, const complex_float*, const int*, const float*, float*, complex_float*, float*,
             int*);
void zgecon_(const char*, const int*, const complex_double*, const int*, const double*, double*, complex_double*,
             double*, int*);
void cgels_(const char*, const int*, const int*, const int*, complex_float*, const int*, complex_float*, const int*,
            complex_float*, const int*, int*);
void zgels_(const char*, const int*, const int*, const int*, complex_double*, const int*, complex_double*, const int*,
            complex_double*, const int*, int*);
void cgemm_(const char*, const char*, const int*, const int*, const int*, const complex_float*, const complex_float*,
            const int*, const complex_float*, const int*, const complex_float*, complex_float*, const int*);
void zgemm_(const char*, const char*, const int*, const int*, const int*, const complex_double*, const complex_double*,
            const int*, const complex_double*, const int*, const complex_double*, complex_double*, const int*);
void cgemv_(const char*, const int*, const int*, const complex_float*, const complex_float*, const int*,
            const complex_float*, const int*, const complex_float*, complex_float*, const int*);
void zgemv_(const char*, const int*, const int*, const complex_double*, const complex_double*, const int*,
            const complex_double*, const int*, const complex_double*, complex_double*, const int*);
}
#endif

namespace conoid::dense {

namespace {

/// While alive, parallel regions that this thread opens have so many threads.
class Threads {
 public:
  explicit Threads([[maybe_unused]] int wanted) {
#if CONOID_HAVE_OPENMP
    before_ = omp_get_max_threads();
    omp_set_num_threads(blas_threads_with_room(std::max(1, wanted)));
#endif
  }
  ~Threads() {
#if CONOID_HAVE_OPENMP
    omp_set_num_threads(before_);
#endif
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_ = 1;
};

/// Bytes a register of the own kernels that this processor and the choice of back end call for; 0: none.
int own_register(Backend b) {
  if (b != Backend::automatic && b != Backend::own) return 0;
  const InstructionSet set = instruction_set();
  if (set == InstructionSet::base || (set == InstructionSet::avx2 && b != Backend::own)) return 0;
  return register_bytes(set);
}

bool by_lapack(Backend b) {
  return b != Backend::eigen && has_lapack();
}

/// Products smaller than these are left to the library.
constexpr Index least_own_columns = 3, least_own_product = Index{1} << 20;

template <class T>
constexpr bool twice = sizeof(T) == 16;

}  // namespace

bool has_lapack() {
  return CONOID_HAVE_LAPACK != 0;
}
std::string_view backend_name(Backend b) {
  return own_register(b) > 0 ? "own kernels" : by_lapack(b) ? "LAPACK" : "Eigen";
}

template <class T>
double norm1(const T* a, Index n, int threads) {
  std::vector<double> sums(static_cast<std::size_t>(n));
  parallel_for(std::max(1, threads), {0, n}, 16, [&](Index j) {
    double sum = 0;
    for (Index i = 0; i < n; ++i) {
      const double re = a[j * n + i].real(), im = a[j * n + i].imag();
      sum += std::sqrt(re * re + im * im);
    }
    sums[static_cast<std::size_t>(j)] = sum;
  });
  double most = 0;
  for (const double sum : sums) most = std::max(most, sum);
  return most;
}
template double norm1(const std::complex<float>*, Index, int);
template double norm1(const std::complex<double>*, Index, int);

template <class T>
Result<Lu<T>> Lu<T>::factorise(T* matrix, Index n, int threads, Backend backend, const Stopped& stopped) {
  Lu lu;
  lu.matrix_ = matrix;
  lu.n_ = n;
  lu.threads_ = threads;
  lu.backend_ = backend;
  lu.norm_ = norm1(matrix, n, threads);
  lu.pivots_.resize(static_cast<std::size_t>(n));
  if (backend == Backend::own && own_register(backend) == 0) threads = 1;
  const Threads guard(threads);
  int info = 0;
  if (const int bytes = own_register(backend); bytes > 0) {
    auto* const numbers = reinterpret_cast<Real*>(matrix);
    const auto heard = [](const void* whom) { return (*static_cast<const Stopped*>(whom))(); };
    const blocked::Wish wish{stopped ? +heard : nullptr, &stopped};
    info = bytes == 64 ? blocked::factorise_avx512(numbers, static_cast<long>(n), lu.pivots_.data(), threads, wish)
                       : blocked::factorise_avx2(numbers, static_cast<long>(n), lu.pivots_.data(), threads, wish);
    if (info < 0) return stop_error();
  } else if (by_lapack(backend)) {
#if CONOID_HAVE_LAPACK
    const BlasCall room;
    const int size = static_cast<int>(n);
    if constexpr (twice<T>)
      zgetrf_(&size, &size, matrix, &size, lu.pivots_.data(), &info);
    else
      cgetrf_(&size, &size, matrix, &size, lu.pivots_.data(), &info);
#endif
  } else {
    info = eigen::factorise<T>(matrix, n, lu.pivots_);
  }
  if (info != 0)
    return make_error(
        ErrorCode::not_converged, fmt::format("the matrix of {} equations is singular (pivot {})", n, info),
        "Check that the case is well posed: every body held or damped, no two surfaces at the same place.");
  return lu;
}

template <class T>
Lu<T> Lu<T>::of_factors(T* matrix, Index n, int threads, double norm, std::vector<int> pivots) {
  verify(static_cast<Index>(pivots.size()) == n, "each row of a factorisation has a pivot");
  Lu lu;
  lu.matrix_ = matrix;
  lu.n_ = n;
  lu.threads_ = threads;
  lu.norm_ = norm;
  lu.pivots_ = std::move(pivots);
  return lu;
}

template <class T>
void Lu<T>::solve(T* rhs, Index columns) const {
  const Threads guard(backend_ == Backend::own ? 1 : threads_);  // the library splits by threads, and its bits follow
  if (by_lapack(backend_)) {
#if CONOID_HAVE_LAPACK
    const BlasCall room;
    const int size = static_cast<int>(n_), count = static_cast<int>(columns);
    int info = 0;
    if constexpr (twice<T>)
      zgetrs_("N", &size, &count, matrix_, &size, pivots_.data(), rhs, &size, &info);
    else
      cgetrs_("N", &size, &count, matrix_, &size, pivots_.data(), rhs, &size, &info);
#endif
    return;
  }
  eigen::solve<T>(matrix_, n_, pivots_, rhs, columns);
}

template <class T>
double Lu<T>::reciprocal_condition() const {
  if (n_ == 0) return 1;
  const Threads guard(backend_ == Backend::own ? 1 : threads_);
  if (by_lapack(backend_)) {
#if CONOID_HAVE_LAPACK
    const BlasCall room;
    const int size = static_cast<int>(n_);
    int info = 0;
    const Real norm = static_cast<Real>(norm_);
    Real out = 0;
    std::vector<T> work(static_cast<std::size_t>(2 * n_));
    std::vector<Real> real_work(static_cast<std::size_t>(2 * n_));
    if constexpr (twice<T>)
      zgecon_("1", &size, matrix_, &size, &norm, &out, work.data(), real_work.data(), &info);
    else
      cgecon_("1", &size, matrix_, &size, &norm, &out, work.data(), real_work.data(), &info);
    return static_cast<double>(out);
#endif
  }
  const double estimate = inverse_norm1<T>(static_cast<std::size_t>(n_), [this](std::vector<T>& v, bool adjoint) {
    adjoint ? eigen::solve_adjoint<T>(matrix_, n_, pivots_, v.data())
            : eigen::solve<T>(matrix_, n_, pivots_, v.data(), 1);
  });
  return estimate > 0 && norm_ > 0 ? 1 / (estimate * norm_) : 0;
}

template class Lu<std::complex<float>>;
template class Lu<std::complex<double>>;

template <class T>
void multiply(const T* a, Index rows, Index cols, const T* x, Index columns, T beta, T* y, int threads,
              Backend backend) {
  if (rows == 0 || columns == 0) return;
  const Threads guard(threads);
  // Few columns wait for the memory whatever multiplies them; small products do not pay for work space.
  const bool large = columns >= least_own_columns && rows * cols * columns >= least_own_product;
  if (const int bytes = own_register(backend); bytes > 0 && (large || backend == Backend::own)) {
    using Real = typename T::value_type;
    const auto *const numbers = reinterpret_cast<const Real*>(a), *const vectors = reinterpret_cast<const Real*>(x);
    const Real factor[2] = {beta.real(), beta.imag()};
    using Own = void (*)(long, long, long, const Real*, const Real*, const Real*, Real*, int);
    const Own own = bytes == 64 ? static_cast<Own>(blocked::multiply_avx512) : static_cast<Own>(blocked::multiply_avx2);
    own(static_cast<long>(rows), static_cast<long>(columns), static_cast<long>(cols), numbers, vectors, factor,
        reinterpret_cast<Real*>(y), threads);
    return;
  }
  if (by_lapack(backend) && cols > 0) {
#if CONOID_HAVE_LAPACK
    const BlasCall room;
    const int m = static_cast<int>(rows), n = static_cast<int>(columns), k = static_cast<int>(cols), one = 1;
    const T alpha(1);
    if (columns == 1) {
      if constexpr (twice<T>)
        zgemv_("N", &m, &k, &alpha, a, &m, x, &one, &beta, y, &one);
      else
        cgemv_("N", &m, &k, &alpha, a, &m, x, &one, &beta, y, &one);
    } else if constexpr (twice<T>) {
      zgemm_("N", "N", &m, &n, &k, &alpha, a, &m, x, &k, &beta, y, &m);
    } else {
      cgemm_("N", "N", &m, &n, &k, &alpha, a, &m, x, &k, &beta, y, &m);
    }
#endif
    return;
  }
  eigen::multiply<T>(a, rows, cols, x, columns, beta, y);
}
template void multiply(const std::complex<float>*, Index, Index, const std::complex<float>*, Index, std::complex<float>,
                       std::complex<float>*, int, Backend);
template void multiply(const std::complex<double>*, Index, Index, const std::complex<double>*, Index,
                       std::complex<double>, std::complex<double>*, int, Backend);

template <class T>
void multiply_adjoint(const T* a, Index rows, Index cols, const T* x, Index columns, T* y, int threads,
                      Backend backend) {
  if (cols == 0 || columns == 0) return;
  const Threads guard(threads);
  if (by_lapack(backend) && rows > 0) {
#if CONOID_HAVE_LAPACK
    const BlasCall room;
    const int m = static_cast<int>(cols), n = static_cast<int>(columns), k = static_cast<int>(rows);
    const T alpha(1), beta(0);
    if constexpr (twice<T>)
      zgemm_("C", "N", &m, &n, &k, &alpha, a, &k, x, &k, &beta, y, &m);
    else
      cgemm_("C", "N", &m, &n, &k, &alpha, a, &k, x, &k, &beta, y, &m);
#endif
    return;
  }
  eigen::multiply_adjoint<T>(a, rows, cols, x, columns, y);
}
template void multiply_adjoint(const std::complex<float>*, Index, Index, const std::complex<float>*, Index,
                               std::complex<float>*, int, Backend);
template void multiply_adjoint(const std::complex<double>*, Index, Index, const std::complex<double>*, Index,
                               std::complex<double>*, int, Backend);

template <class T>
Status least_squares(T* a, Index rows, Index cols, T* b, Index columns, int threads, Backend backend) {
  const Threads guard(threads);
  if (by_lapack(backend)) {
#if CONOID_HAVE_LAPACK
    const BlasCall room;
    const int m = static_cast<int>(rows), n = static_cast<int>(cols), k = static_cast<int>(columns);
    int info = 0, ask = -1;
    T best;
    const auto call = [&](T* work, const int* size) {
      if constexpr (twice<T>)
        zgels_("N", &m, &n, &k, a, &m, b, &m, work, size, &info);
      else
        cgels_("N", &m, &n, &k, a, &m, b, &m, work, size, &info);
    };
    call(&best, &ask);
    const int size = std::max(1, static_cast<int>(best.real()));
    std::vector<T> work(static_cast<std::size_t>(size));
    call(work.data(), &size);
    if (info != 0)
      return make_error(ErrorCode::not_converged,
                        fmt::format("the least-squares system of {} x {} has no full rank", rows, cols),
                        "Check the boundary conditions.");
    return {};
#endif
  }
  eigen::least_squares<T>(a, rows, cols, b, columns);
  return {};
}
template Status least_squares(std::complex<float>*, Index, Index, std::complex<float>*, Index, int, Backend);
template Status least_squares(std::complex<double>*, Index, Index, std::complex<double>*, Index, int, Backend);

}  // namespace conoid::dense
