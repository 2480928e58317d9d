// SPDX-License-Identifier: BSD-3-Clause
// Complex matrix products on devices: cuBLAS, loaded when it is first asked for, so that a program starts without it; and the same
// product on the host, which stands for it on emulated devices.
//
// Column-major, as in the BLAS. Threads: an object belongs to one thread at a time and to the device that was current when it was opened.
#pragma once

#include <complex>
#include <memory>

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"

namespace conoid {

/// C (m × n) = A (m × k) · B (k × n).
struct ComplexProduct {
  Index m = 0, n = 0, k = 0;
  const std::complex<double>* a = nullptr;
  Index lda = 0;
  const std::complex<double>* b = nullptr;
  Index ldb = 0;
  std::complex<double>* c = nullptr;
  Index ldc = 0;
};

/// On the host, one thread.
void multiply_on_host(const ComplexProduct& product);

class DeviceGemm {
 public:
  /// For the NVIDIA device that is current on this thread (any call of a Device makes it so). Errors of code `resources`: no cuBLAS
  /// where libraries are looked for, one that is too old, no memory for it.
  [[nodiscard]] static Result<std::unique_ptr<DeviceGemm>> open();
  virtual ~DeviceGemm() = default;
  /// Addresses of the device. Returns at once; `stream` is a cudaStream_t of the device. Sizes fit an int.
  [[nodiscard]] virtual Status multiply(void* stream, const ComplexProduct& product) = 0;
};

}  // namespace conoid
