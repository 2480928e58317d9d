// SPDX-License-Identifier: BSD-3-Clause
// cuBLAS by its names: its headers are not needed to build, and the types of its calls have not changed since version 4.
#include "engine/linalg/device_gemm.hpp"

#include <dlfcn.h>

#include <Eigen/Dense>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/core.h>

namespace conoid {
namespace {

using Complex = std::complex<double>;

struct Cublas {
  int (*create)(void** handle) = nullptr;
  int (*destroy)(void* handle) = nullptr;
  int (*set_stream)(void* handle, void* stream) = nullptr;
  int (*zgemm)(void* handle, int operation_a, int operation_b, int m, int n, int k, const Complex* alpha,
               const Complex* a, int lda, const Complex* b, int ldb, const Complex* beta, Complex* c,
               int ldc) = nullptr;
  std::string missing;  ///< why it cannot be used
};

Cublas load() {
  Cublas out;
  void* library = nullptr;
  std::vector<std::string> folders{""};
  for (const char* home : {std::getenv("CUDA_HOME"), std::getenv("CUDA_PATH")})
    if (home != nullptr && *home != '\0') folders.push_back(std::string(home) + "/lib64/");
  folders.emplace_back("/usr/local/cuda/lib64/");
  for (const std::string& folder : folders)
    for (const char* version : {".13", ".12"}) {
      // First what it needs itself: outside of the library path nobody else would find it.
      static_cast<void>(dlopen((folder + "libcublasLt.so" + version).c_str(), RTLD_NOW | RTLD_LOCAL));
      if (library == nullptr) library = dlopen((folder + "libcublas.so" + version).c_str(), RTLD_NOW | RTLD_LOCAL);
    }
  if (library == nullptr) {
    out.missing = "there is no libcublas.so of CUDA 12 or 13";
    return out;
  }
  const auto find = [&](const char* name, auto& call) {
    call = reinterpret_cast<std::remove_reference_t<decltype(call)>>(dlsym(library, name));
    if (call == nullptr) out.missing = fmt::format("it has no {}", name);
  };
  find("cublasCreate_v2", out.create);
  find("cublasDestroy_v2", out.destroy);
  find("cublasSetStream_v2", out.set_stream);
  find("cublasZgemm_v2", out.zgemm);
  return out;
}

/// Stays loaded until the process ends.
const Cublas& cublas() {
  static const Cublas library = load();
  return library;
}

class CublasGemm final : public DeviceGemm {
 public:
  explicit CublasGemm(void* handle) : handle_(handle) {}
  ~CublasGemm() override { static_cast<void>(cublas().destroy(handle_)); }
  CublasGemm(const CublasGemm&) = delete;
  CublasGemm& operator=(const CublasGemm&) = delete;

  [[nodiscard]] Status multiply(void* stream, const ComplexProduct& p) override {
    const Complex one = 1, zero = 0;
    int code = cublas().set_stream(handle_, stream);
    if (code == 0)
      code =
          cublas().zgemm(handle_, 0, 0, static_cast<int>(p.m), static_cast<int>(p.n), static_cast<int>(p.k), &one, p.a,
                         static_cast<int>(p.lda), p.b, static_cast<int>(p.ldb), &zero, p.c, static_cast<int>(p.ldc));
    if (code == 0) return {};
    return make_error(ErrorCode::resources, fmt::format("cuBLAS failed to multiply matrices (its status {})", code),
                      "Compute with --workers cpu; a checkpoint goes on from where it is.");
  }

 private:
  void* handle_;
};

}  // namespace

void multiply_on_host(const ComplexProduct& p) {
  using Matrix = Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic>;
  using Stride = Eigen::OuterStride<>;
  const Eigen::Map<const Matrix, 0, Stride> a(p.a, p.m, p.k, Stride(p.lda)), b(p.b, p.k, p.n, Stride(p.ldb));
  Eigen::Map<Matrix, 0, Stride>(p.c, p.m, p.n, Stride(p.ldc)).noalias() = a * b;
}

Result<std::unique_ptr<DeviceGemm>> DeviceGemm::open() {
  if (!cublas().missing.empty())
    return make_error(ErrorCode::resources, fmt::format("cuBLAS cannot be used: {}", cublas().missing),
                      "Install the CUDA toolkit's libcublas, or name the folder of the toolkit in CUDA_HOME.");
  void* handle = nullptr;
  if (const int code = cublas().create(&handle); code != 0)
    return make_error(ErrorCode::resources, fmt::format("cuBLAS does not start (its status {})", code),
                      "Is the driver as new as the library, and is there memory left on the device?");
  return std::unique_ptr<DeviceGemm>(std::make_unique<CublasGemm>(handle));
}

}  // namespace conoid
