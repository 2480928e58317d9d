// SPDX-License-Identifier: BSD-3-Clause
// cuBLAS and cuSOLVER by their symbols, so that neither their headers nor the libraries are needed to build; dense.hpp for emulated devices.
#include "engine/linalg/device_solve.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <vector>

#include <fmt/core.h>
#include <Eigen/Core>

#include "engine/linalg/cuda/dense_arguments.hpp"
#include "engine/linalg/dense.hpp"
#include "engine/linalg/device_blocks.hpp"
#include "engine/linalg/inverse_norm.hpp"

namespace conoid::dense {
namespace {

template <class T>
constexpr bool is_double = sizeof(T) == 16;
/// cudaDataType of complex values.
template <class T>
constexpr int complex_type = is_double<T> ? 5 : 4;
constexpr int plain = 0, transposed = 1, conjugate_transposed = 2;  // cublasOperation_t
constexpr int left = 0, lower = 0, unit_diagonal = 1;  // cublasSideMode_t, cublasFillMode_t, cublasDiagType_t
constexpr int default_math = 0, ten_bit_math = 3;      // cublasMath_t: CUBLAS_TF32_TENSOR_OP_MATH

bool emulated(const Device& device) {
  return device.info().backend != "cuda";
}

/// The nearest number of ten bits, as tensor cores take it.
float of_ten_bits(float v) {
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(v) + 0x1000U) & 0xffffe000U);
}
template <class T>
T of_ten_bits(T v) {
  if constexpr (is_double<T>)
    return v;
  else
    return {of_ten_bits(v.real()), of_ten_bits(v.imag())};
}

/// What a matrix of the device with this leading dimension is to a function of the host.
template <class T>
void add_uses(std::vector<HostUse>& to, const T* a, Index rows, Index columns, Index leading, bool read, bool written) {
  for (Index c = 0; c < columns; ++c)
    to.push_back({a + c * leading, static_cast<Bytes>(rows) * sizeof(T), read, written});
}

/// As factorise_panel() says; plain loops.
template <class T>
void factorise_plainly(T* a, Index rows, Index columns, Index leading, std::int64_t* pivots, int* state) {
  *state = 0;
  const auto size = [](T v) { return std::abs(v.real()) + std::abs(v.imag()); };
  for (Index k = 0; k < columns; ++k) {
    T* const column = a + k * leading;
    Index most = k;
    for (Index i = k + 1; i < rows; ++i)
      if (size(column[i]) > size(column[most])) most = i;
    pivots[k] = most + 1;
    if (column[most] == T(0)) {
      if (*state == 0) *state = static_cast<int>(k + 1);
      continue;
    }
    for (Index c = 0; c < columns && most != k; ++c) std::swap(a[c * leading + k], a[c * leading + most]);
    const T inverse = T(1) / column[k];
    for (Index i = k + 1; i < rows; ++i) column[i] *= inverse;
    for (Index c = k + 1; c < columns; ++c) {
      const T factor = a[c * leading + k];
      for (Index i = k + 1; i < rows; ++i) a[c * leading + i] -= column[i] * factor;
    }
  }
}

}  // namespace

/// The calls that are used, as cublas_v2.h and cusolverDn.h of CUDA 12 and 13 declare them.
struct DeviceLibrary::Calls {
  using Handle = void*;
  int (*blas_create)(Handle*) = nullptr;
  int (*blas_destroy)(Handle) = nullptr;
  int (*blas_stream)(Handle, void*) = nullptr;
  int (*cgemm)(Handle, int, int, std::int64_t, std::int64_t, std::int64_t, const void*, const void*, std::int64_t,
               const void*, std::int64_t, const void*, void*, std::int64_t) = nullptr;
  int (*zgemm)(Handle, int, int, std::int64_t, std::int64_t, std::int64_t, const void*, const void*, std::int64_t,
               const void*, std::int64_t, const void*, void*, std::int64_t) = nullptr;
  int (*dgemm_batches)(Handle, int, int, std::int64_t, std::int64_t, std::int64_t, const double*, const double*,
                       std::int64_t, long long, const double*, std::int64_t, long long, const double*, double*,
                       std::int64_t, long long, std::int64_t) = nullptr;
  int (*ctrsm)(Handle, int, int, int, int, std::int64_t, std::int64_t, const void*, const void*, std::int64_t, void*,
               std::int64_t) = nullptr;
  int (*ztrsm)(Handle, int, int, int, int, std::int64_t, std::int64_t, const void*, const void*, std::int64_t, void*,
               std::int64_t) = nullptr;
  int (*blas_math)(Handle, int) = nullptr;
  int (*solver_create)(Handle*) = nullptr;
  int (*solver_destroy)(Handle) = nullptr;
  int (*solver_stream)(Handle, void*) = nullptr;
  int (*parameters_create)(Handle*) = nullptr;
  int (*parameters_destroy)(Handle) = nullptr;
  int (*getrf_size)(Handle, Handle, std::int64_t, std::int64_t, int, const void*, std::int64_t, int, std::size_t*,
                    std::size_t*) = nullptr;
  int (*getrf)(Handle, Handle, std::int64_t, std::int64_t, int, void*, std::int64_t, std::int64_t*, int, void*,
               std::size_t, void*, std::size_t, int*) = nullptr;
  int (*getrs)(Handle, Handle, int, std::int64_t, std::int64_t, int, const void*, std::int64_t, const std::int64_t*,
               int, void*, std::int64_t, int*) = nullptr;
  std::string name, missing;

  Calls() {
    struct Release {
      const char *lt, *blas, *solver;
    };
    constexpr Release releases[] = {{"libcublasLt.so.13", "libcublas.so.13", "libcusolver.so.12"},
                                    {"libcublasLt.so.12", "libcublas.so.12", "libcusolver.so.11"}};
    std::vector<std::string> folders{""};
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
      if (const char* root = std::getenv(variable); root != nullptr && *root != '\0')
        folders.push_back(std::string(root) + "/lib64/");
    folders.emplace_back("/usr/local/cuda/lib64/");
    for (const Release& r : releases)
      for (const std::string& folder : folders) {
        const auto open = [&](const char* file) { return dlopen((folder + file).c_str(), RTLD_NOW | RTLD_LOCAL); };
        static_cast<void>(open(r.lt));  // which the others look for where they lie themselves
        void *const blas = open(r.blas), *const solver = blas != nullptr ? open(r.solver) : nullptr;
        if (solver == nullptr) continue;
        find(blas, "cublasCreate_v2", blas_create);
        find(blas, "cublasDestroy_v2", blas_destroy);
        find(blas, "cublasSetStream_v2", blas_stream);
        find(blas, "cublasCgemm_v2_64", cgemm);
        find(blas, "cublasZgemm_v2_64", zgemm);
        find(blas, "cublasDgemmStridedBatched_64", dgemm_batches);
        // Without these factorisations are the library's own alone.
        ctrsm = reinterpret_cast<decltype(ctrsm)>(dlsym(blas, "cublasCtrsm_v2_64"));
        ztrsm = reinterpret_cast<decltype(ztrsm)>(dlsym(blas, "cublasZtrsm_v2_64"));
        blas_math = reinterpret_cast<decltype(blas_math)>(dlsym(blas, "cublasSetMathMode"));
        find(solver, "cusolverDnCreate", solver_create);
        find(solver, "cusolverDnDestroy", solver_destroy);
        find(solver, "cusolverDnSetStream", solver_stream);
        find(solver, "cusolverDnCreateParams", parameters_create);
        find(solver, "cusolverDnDestroyParams", parameters_destroy);
        find(solver, "cusolverDnXgetrf_bufferSize", getrf_size);
        find(solver, "cusolverDnXgetrf", getrf);
        find(solver, "cusolverDnXgetrs", getrs);
        if (!missing.empty()) missing = fmt::format("{} has no {}", r.solver, missing);
        int version[3] = {};
        if (const auto property = reinterpret_cast<int (*)(int, int*)>(dlsym(solver, "cusolverGetProperty")))
          for (int k = 0; k < 3; ++k) static_cast<void>(property(k, &version[k]));
        name = fmt::format("cuSOLVER {}.{}.{}", version[0], version[1], version[2]);
        return;
      }
    missing = "there are no libcublas.so and libcusolver.so of CUDA 12 or 13";
  }
  template <class Call>
  void find(void* library, const char* symbol, Call& call) {
    call = reinterpret_cast<Call>(dlsym(library, symbol));
    if (call == nullptr) missing = symbol;
  }
};

Result<std::shared_ptr<DeviceLibrary>> DeviceLibrary::open(const Device& device) {
  std::shared_ptr<DeviceLibrary> out(new DeviceLibrary(device));
  if (emulated(device)) {
    out->name_ = backend_name();
    return out;
  }
  static const Calls calls;  // loaded once; the libraries stay
  const std::string hint =
      "Install the run-time libraries of the CUDA toolkit (cuBLAS, cuSOLVER), or set CUDA_HOME to where they are.";
  if (!calls.missing.empty()) return make_error(ErrorCode::resources, calls.missing, hint);
  static_cast<void>(device.free_memory());  // makes it the device of this thread, which the libraries take
  out->calls_ = &calls;
  out->name_ = calls.name;
  for (const int status :
       {calls.blas_create(&out->blas_), calls.solver_create(&out->solver_), calls.parameters_create(&out->parameters_)})
    if (status != 0)
      return make_error(ErrorCode::resources,
                        fmt::format("{} does not start on {}: status {}", calls.name, device.info().name, status),
                        "Free memory of the device, or install libraries that its driver knows (`nvidia-smi`).");
  return out;
}

DeviceLibrary::~DeviceLibrary() {
  if (calls_ == nullptr) return;
  if (parameters_ != nullptr) static_cast<void>(calls_->parameters_destroy(parameters_));
  if (solver_ != nullptr) static_cast<void>(calls_->solver_destroy(solver_));
  if (blas_ != nullptr) static_cast<void>(calls_->blas_destroy(blas_));
}

void DeviceLibrary::check(int status, std::string_view what) const {
  if (status != 0)
    throw Failure(make_error(ErrorCode::resources,
                             fmt::format("{}: {} cannot {}: status {}", device_.info().name, name_, what, status),
                             "`conoid resume` continues from the last checkpoint, with --workers cpu on processors."));
}

void DeviceLibrary::use(Stream& stream) const {
  static_cast<void>(device_.free_memory());
  check(calls_->blas_stream(blas_, stream.native()), "take a stream");
  check(calls_->solver_stream(solver_, stream.native()), "take a stream");
}

template <class T>
void DeviceLibrary::multiply(Stream& stream, const T* a, Index rows, Index cols, const T* x, Index columns, T alpha,
                             T beta, T* y, Index x_leading, Index y_leading, Index a_leading, Rounding rounding) {
  if (rows == 0 || columns == 0 || cols == 0) {
    verify(cols > 0 || rows == 0 || columns == 0, "a product on a device has something to sum");
    return;
  }
  if (x_leading == 0) x_leading = cols;
  if (y_leading == 0) y_leading = rows;
  if (a_leading == 0) a_leading = rows;
  const bool ten_bits = rounding == Rounding::ten_bits && !is_double<T>;
  if (calls_ != nullptr) {
    use(stream);
    const auto gemm = is_double<T> ? calls_->zgemm : calls_->cgemm;
    if (ten_bits) check(calls_->blas_math(blas_, ten_bit_math), "round products");
    check(gemm(blas_, plain, plain, rows, columns, cols, &alpha, a, a_leading, x, x_leading, &beta, y, y_leading),
          "multiply");
    if (ten_bits) check(calls_->blas_math(blas_, default_math), "round products");
    return;
  }
  std::vector<HostUse> uses;
  add_uses(uses, a, rows, cols, a_leading, true, false);
  add_uses(uses, x, cols, columns, x_leading, true, false);
  add_uses(uses, y, rows, columns, y_leading, beta != T(0), true);
  stream.run_on_host(
      [=] {
        const auto together = [ten_bits](const T* from, Index many, Index count, Index leading) {
          std::vector<T> out(static_cast<std::size_t>(many * count));
          for (Index c = 0; c < count; ++c) std::copy_n(from + c * leading, many, out.data() + c * many);
          if (ten_bits)
            for (T& v : out) v = of_ten_bits(v);
          return out;
        };
        const std::vector<T> left_one = together(a, rows, cols, a_leading),
                             right_one = together(x, cols, columns, x_leading);
        std::vector<T> sums(static_cast<std::size_t>(rows * columns));
        dense::multiply<T>(left_one.data(), rows, cols, right_one.data(), columns, T(0), sums.data(), 1);
        for (Index c = 0; c < columns; ++c)
          for (Index r = 0; r < rows; ++r) {
            T& to = y[c * y_leading + r];
            to = alpha * sums[static_cast<std::size_t>(c * rows + r)] + (beta == T(0) ? T(0) : beta * to);
          }
      },
      std::move(uses));
}

bool DeviceLibrary::has_blocks() const {
  return calls_ == nullptr || (calls_->ctrsm != nullptr && calls_->ztrsm != nullptr);
}
bool DeviceLibrary::has_ten_bits() const {
  return has_blocks() && (calls_ == nullptr || (calls_->blas_math != nullptr && device_.info().major >= 8));
}

template <class T>
void DeviceLibrary::solve_lower(Stream& stream, const T* l, Index n, Index leading, T* b, Index columns,
                                Index b_leading) {
  if (n == 0 || columns == 0) return;
  if (calls_ != nullptr) {
    use(stream);
    const T one(1);
    check((is_double<T> ? calls_->ztrsm : calls_->ctrsm)(blas_, left, lower, plain, unit_diagonal, n, columns, &one, l,
                                                         leading, b, b_leading),
          "solve with a triangle");
    return;
  }
  std::vector<HostUse> uses;
  add_uses(uses, l, n, n, leading, true, false);
  add_uses(uses, b, n, columns, b_leading, true, true);
  stream.run_on_host(
      [=] {
        for (Index c = 0; c < columns; ++c)
          for (Index k = 0; k < n; ++k)
            for (Index i = k + 1; i < n; ++i) b[c * b_leading + i] -= l[k * leading + i] * b[c * b_leading + k];
      },
      std::move(uses));
}

template <class T>
DeviceLibrary::PanelRoom DeviceLibrary::panel_room(Index rows, Index columns) {
  if (calls_ == nullptr) return {};
  static_cast<void>(device_.free_memory());
  std::size_t there = 0, here = 0;
  check(calls_->getrf_size(solver_, parameters_, rows, columns, complex_type<T>, nullptr, rows, complex_type<T>, &there,
                           &here),
        "size a factorisation");
  return {there, here};
}

template <class T>
void DeviceLibrary::factorise_panel(Stream& stream, T* a, Index rows, Index columns, Index leading,
                                    std::int64_t* pivots, int* state, std::byte* there, std::span<std::byte> here) {
  if (calls_ != nullptr) {
    use(stream);
    const PanelRoom room = panel_room<T>(rows, columns);
    check(calls_->getrf(solver_, parameters_, rows, columns, complex_type<T>, a, leading, pivots, complex_type<T>,
                        there, room.there, here.data(), room.here, state),
          "factorise");
    return;
  }
  std::vector<HostUse> uses{{pivots, static_cast<Bytes>(columns) * sizeof(*pivots), false, true},
                            {state, sizeof(*state), false, true}};
  add_uses(uses, a, rows, columns, leading, true, true);
  stream.run_on_host([=] { factorise_plainly(a, rows, columns, leading, pivots, state); }, std::move(uses));
}

#define CONOID_DEVICE_NUMBERS(T)                                                                                  \
  template void DeviceLibrary::multiply(Stream&, const T*, Index, Index, const T*, Index, T, T, T*, Index, Index, \
                                        Index, Rounding);                                                         \
  template void DeviceLibrary::solve_lower(Stream&, const T*, Index, Index, T*, Index, Index);                    \
  template DeviceLibrary::PanelRoom DeviceLibrary::panel_room<T>(Index, Index);                                   \
  template void DeviceLibrary::factorise_panel(Stream&, T*, Index, Index, Index, std::int64_t*, int*, std::byte*, \
                                               std::span<std::byte>);
CONOID_DEVICE_NUMBERS(std::complex<float>)
CONOID_DEVICE_NUMBERS(std::complex<double>)
#undef CONOID_DEVICE_NUMBERS

void DeviceLibrary::multiply_batches(Stream& stream, const double* a, Index rows, Index inner, const double* b,
                                     Index columns, Index b_leading, double* f, Index count) {
  if (rows == 0 || columns == 0 || count == 0) return;
  verify(inner > 0 && b_leading >= columns, "products on a device have something to sum");
  if (calls_ != nullptr) {
    use(stream);
    constexpr double one = 1, nothing = 0;
    check(calls_->dgemm_batches(blas_, plain, transposed, rows, columns, inner, &one, a, rows, rows * inner, b,
                                b_leading, 0, &nothing, f, rows, rows * columns, count),
          "multiply matrices");
    return;
  }
  const auto bytes = [](Index values) { return static_cast<Bytes>(values) * sizeof(double); };
  stream.run_on_host(
      [=] {
        using Matrix = Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
        const Matrix factor(b, columns, inner, Eigen::OuterStride<>(b_leading));
        for (Index i = 0; i < count; ++i)
          Eigen::Map<Eigen::MatrixXd>(f + i * rows * columns, rows, columns).noalias() =
              Matrix(a + i * rows * inner, rows, inner, Eigen::OuterStride<>(rows)) * factor.transpose();
      },
      {{a, bytes(rows * inner * count), true, false},
       {b, bytes(b_leading * (inner - 1) + columns), true, false},
       {f, bytes(rows * columns * count), false, true}});
}

template <class T>
struct DeviceLu<T>::OnHost {
  std::optional<Result<Lu<T>>> lu;
};

template <class T>
Bytes DeviceLu<T>::room(DeviceLibrary& library, Index n) {
  return library.panel_room<T>(n, n).there + static_cast<Bytes>(n) * (sizeof(std::int64_t) + sizeof(double)) + 4096;
}

namespace {

Error singular_matrix(Index n, std::int64_t pivot) {
  return make_error(ErrorCode::not_converged,
                    fmt::format("the matrix of {} equations is singular (pivot {})", n, pivot),
                    "Check that the case is well posed: every body held or damped, no two surfaces at the same place.");
}

}  // namespace

template <class T>
Result<DeviceLu<T>> DeviceLu<T>::factorise(const std::shared_ptr<DeviceLibrary>& library, Stream& stream, T* matrix,
                                           Index n, Rounding rounding) {
  DeviceLu lu;
  lu.matrix_ = matrix;
  lu.n_ = n;
  lu.library_ = library;
  const Device& device = lu.library_->device_;
  {
    const auto norms = device.allocate<double>(static_cast<std::size_t>(n), "norms of columns");
    const auto kernel = device.kernel<ColumnNormArguments<Real>>(
        fmt::format("linalg/column_norms<{}>", is_double<T> ? "double" : "float"));
    std::vector<double> here(static_cast<std::size_t>(n));
    stream.launch(kernel, {.grid = {static_cast<unsigned>(n), 1, 1}, .block = {norm_threads, 1, 1}},
                  {reinterpret_cast<const Real*>(matrix), norms.data(), static_cast<long long>(n)});
    stream.to_host(here, norms);
    stream.synchronize();
    lu.norm_ = *std::max_element(here.begin(), here.end());
  }
  const Event begin = device.event(), end = device.event();
  const Status made = rounding == Rounding::ten_bits ? lu.by_blocks(stream, begin) : lu.by_library(stream, begin);
  if (!made) return made.error();
  stream.record(end);
  stream.synchronize();
  lu.library_seconds_ = end.seconds_since(begin);
  return lu;
}

template <class T>
Status DeviceLu<T>::by_blocks(Stream& stream, const Event& begin) {
  DeviceBlocks<T> blocks(library_, stream, n_, n_, Rounding::ten_bits);
  stream.record(begin);
  const std::vector<std::int64_t> pivots = blocks.factorise(matrix_, n_, n_, n_);
  if (const auto zero = blocks.zero_pivot()) return singular_matrix(n_, zero);
  if (library_->calls_ == nullptr) {
    host_ = std::make_shared<OnHost>();
    host_->lu.emplace(Lu<T>::of_factors(matrix_, n_, 1, norm_, {pivots.begin(), pivots.end()}));
    return {};
  }
  pivots_ = library_->device_.template allocate<std::int64_t>(pivots.size(), "pivots");
  info_ = library_->device_.template allocate<int>(1, "state of a factorisation");
  stream.to_device(pivots_, pivots);
  stream.synchronize();
  return {};
}

template <class T>
Status DeviceLu<T>::by_library(Stream& stream, const Event& begin) {
  DeviceLibrary& lib = *library_;
  if (lib.calls_ == nullptr) {
    stream.record(begin);
    host_ = std::make_shared<OnHost>();
    stream.run_on_host([host = host_, matrix = matrix_, n = n_] { host->lu.emplace(Lu<T>::factorise(matrix, n, 1)); },
                       {{matrix_, static_cast<Bytes>(n_ * n_) * sizeof(T), true, true}});
    stream.synchronize();
    if (!*host_->lu) return host_->lu->error();
    return {};
  }
  const DeviceLibrary::PanelRoom room = lib.panel_room<T>(n_, n_);
  const auto work = lib.device_.template allocate<std::byte>(std::max<Bytes>(room.there, 1), "room of a factorisation");
  std::vector<std::byte> here(room.here);
  pivots_ = lib.device_.template allocate<std::int64_t>(static_cast<std::size_t>(n_), "pivots");
  info_ = lib.device_.template allocate<int>(1, "state of a factorisation");
  stream.record(begin);
  lib.factorise_panel(stream, matrix_, n_, n_, n_, pivots_.data(), info_.data(), work.data(), here);
  int info = 0;
  stream.to_host(std::span(&info, 1), info_);
  stream.synchronize();
  if (info != 0) return singular_matrix(n_, info);
  return {};
}

template <class T>
void DeviceLu<T>::apply(Stream& stream, bool adjoint, T* rhs, Index columns) const {
  DeviceLibrary& lib = *library_;
  if (lib.calls_ != nullptr) {
    lib.use(stream);
    lib.check(lib.calls_->getrs(lib.solver_, lib.parameters_, adjoint ? conjugate_transposed : plain, n_, columns,
                                complex_type<T>, matrix_, n_, pivots_.data(), complex_type<T>, rhs, n_, info_.data()),
              "solve");
    return;
  }
  verify(!adjoint, "emulated devices have the estimate of Lu");
  stream.run_on_host([host = host_, rhs, columns] { (*host->lu)->solve(rhs, columns); },
                     {{matrix_, static_cast<Bytes>(n_ * n_) * sizeof(T), true, false},
                      {rhs, static_cast<Bytes>(n_ * columns) * sizeof(T), true, true}});
}

template <class T>
double DeviceLu<T>::reciprocal_condition(Stream& stream) const {
  if (n_ == 0) return 1;
  if (library_->calls_ == nullptr) {
    double out = 0;
    stream.run_on_host([host = host_, &out] { out = (*host->lu)->reciprocal_condition(); },
                       {{matrix_, static_cast<Bytes>(n_ * n_) * sizeof(T), true, false}});
    stream.synchronize();
    return out;
  }
  const auto there = library_->device_.template allocate<T>(static_cast<std::size_t>(n_), "vector of the condition");
  const auto solved = [&](std::vector<T>& v, bool adjoint) {
    stream.to_device(there, v);
    apply(stream, adjoint, there.data(), 1);
    stream.to_host(v, there);
    stream.synchronize();
  };
  const double estimate = inverse_norm1<T>(static_cast<std::size_t>(n_), solved);
  return estimate > 0 && norm_ > 0 ? 1 / (estimate * norm_) : 0;
}

template class DeviceLu<std::complex<float>>;
template class DeviceLu<std::complex<double>>;

double product_rate(const Device& device) {
  const auto library = DeviceLibrary::open(device);
  if (!library) return 0;
  const Index n = emulated(device) ? 96 : 4096;
  using Number = std::complex<double>;
  const auto size = static_cast<std::size_t>(n * n);
  const auto a = device.allocate<Number>(size, "factor"), b = device.allocate<Number>(size, "factor"),
             c = device.allocate<Number>(size, "product");
  Stream stream = device.stream();
  for (const auto* matrix : {&a, &b, &c}) stream.zero(*matrix);
  const Event begin = device.event(), end = device.event();
  double best = 0;
  for (int k = 0; k < 4; ++k) {
    stream.record(begin);
    (*library)->multiply(stream, a.data(), n, n, b.data(), n, Number(1), Number(1), c.data());
    stream.record(end);
    stream.synchronize();
    const auto side = static_cast<double>(n);
    if (const double t = end.seconds_since(begin); t > 0) best = std::max(best, 8 * side * side * side / t);
  }
  return best;
}

}  // namespace conoid::dense
