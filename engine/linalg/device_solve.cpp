// SPDX-License-Identifier: BSD-3-Clause
// cuBLAS and cuSOLVER by their symbols, so that neither their headers nor the libraries are needed to build; dense.hpp for emulated devices.
#include "engine/linalg/device_solve.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <vector>

#include <fmt/core.h>
#include <Eigen/Core>

#include "engine/linalg/cuda/dense_arguments.hpp"
#include "engine/linalg/dense.hpp"
#include "engine/linalg/inverse_norm.hpp"

namespace conoid::dense {
namespace {

template <class T>
constexpr bool is_double = sizeof(T) == 16;
/// cudaDataType of complex values.
template <class T>
constexpr int complex_type = is_double<T> ? 5 : 4;
constexpr int plain = 0, transposed = 1, conjugate_transposed = 2;  // cublasOperation_t

bool emulated(const Device& device) {
  return device.info().backend != "cuda";
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
                             T beta, T* y, Index x_leading, Index y_leading) {
  if (rows == 0 || columns == 0 || cols == 0) {
    verify(cols > 0 || rows == 0 || columns == 0, "a product on a device has something to sum");
    return;
  }
  if (x_leading == 0) x_leading = cols;
  if (y_leading == 0) y_leading = rows;
  if (calls_ != nullptr) {
    use(stream);
    const auto gemm = is_double<T> ? calls_->zgemm : calls_->cgemm;
    check(gemm(blas_, plain, plain, rows, columns, cols, &alpha, a, rows, x, x_leading, &beta, y, y_leading),
          "multiply");
    return;
  }
  const auto bytes = [](Index values) { return static_cast<Bytes>(values) * sizeof(T); };
  std::vector<HostUse> uses{{a, bytes(rows * cols), true, false}};
  for (Index c = 0; c < columns; ++c) {
    uses.push_back({x + c * x_leading, bytes(cols), true, false});
    uses.push_back({y + c * y_leading, bytes(rows), beta != T(0), true});
  }
  stream.run_on_host(
      [=] {
        std::vector<T> together(static_cast<std::size_t>(cols * columns)),
            sums(static_cast<std::size_t>(rows * columns));
        for (Index c = 0; c < columns; ++c) std::copy_n(x + c * x_leading, cols, together.data() + c * cols);
        dense::multiply<T>(a, rows, cols, together.data(), columns, T(0), sums.data(), 1);
        for (Index c = 0; c < columns; ++c)
          for (Index r = 0; r < rows; ++r) {
            T& to = y[c * y_leading + r];
            to = alpha * sums[static_cast<std::size_t>(c * rows + r)] + (beta == T(0) ? T(0) : beta * to);
          }
      },
      std::move(uses));
}
template void DeviceLibrary::multiply(Stream&, const std::complex<float>*, Index, Index, const std::complex<float>*,
                                      Index, std::complex<float>, std::complex<float>, std::complex<float>*, Index,
                                      Index);
template void DeviceLibrary::multiply(Stream&, const std::complex<double>*, Index, Index, const std::complex<double>*,
                                      Index, std::complex<double>, std::complex<double>, std::complex<double>*, Index,
                                      Index);

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
  std::size_t there = 0, here = 0;
  if (library.calls_ != nullptr) {
    static_cast<void>(library.device_.free_memory());
    library.check(library.calls_->getrf_size(library.solver_, library.parameters_, n, n, complex_type<T>, nullptr, n,
                                             complex_type<T>, &there, &here),
                  "size a factorisation");
  }
  return static_cast<Bytes>(there) + static_cast<Bytes>(n) * (sizeof(std::int64_t) + sizeof(double)) + 4096;
}

template <class T>
Result<DeviceLu<T>> DeviceLu<T>::factorise(const std::shared_ptr<DeviceLibrary>& library, Stream& stream, T* matrix,
                                           Index n) {
  DeviceLu lu;
  lu.matrix_ = matrix;
  lu.n_ = n;
  lu.library_ = library;
  DeviceLibrary& lib = *lu.library_;
  const Device& device = lib.device_;
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
  int info = 0;
  const Event begin = device.event(), end = device.event();
  if (lib.calls_ == nullptr) {
    stream.record(begin);
    lu.host_ = std::make_shared<OnHost>();
    stream.run_on_host([host = lu.host_, matrix, n] { host->lu.emplace(Lu<T>::factorise(matrix, n, 1)); },
                       {{matrix, static_cast<Bytes>(n * n) * sizeof(T), true, true}});
    stream.record(end);
    stream.synchronize();
    lu.library_seconds_ = end.seconds_since(begin);
    if (!*lu.host_->lu) return lu.host_->lu->error();
    return lu;
  }
  lib.use(stream);
  std::size_t there = 0, here = 0;
  lib.check(lib.calls_->getrf_size(lib.solver_, lib.parameters_, n, n, complex_type<T>, matrix, n, complex_type<T>,
                                   &there, &here),
            "size a factorisation");
  const auto work = device.allocate<std::byte>(std::max<std::size_t>(there, 1), "room of a factorisation");
  std::vector<std::byte> host_work(here);
  lu.pivots_ = device.allocate<std::int64_t>(static_cast<std::size_t>(n), "pivots");
  lu.info_ = device.allocate<int>(1, "state of a factorisation");
  stream.record(begin);
  lib.check(lib.calls_->getrf(lib.solver_, lib.parameters_, n, n, complex_type<T>, matrix, n, lu.pivots_.data(),
                              complex_type<T>, work.data(), there, host_work.data(), here, lu.info_.data()),
            "factorise");
  stream.record(end);
  stream.to_host(std::span(&info, 1), lu.info_);
  stream.synchronize();
  lu.library_seconds_ = end.seconds_since(begin);
  if (info != 0)
    return make_error(
        ErrorCode::not_converged, fmt::format("the matrix of {} equations is singular (pivot {})", n, info),
        "Check that the case is well posed: every body held or damped, no two surfaces at the same place.");
  return lu;
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
