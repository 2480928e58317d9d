// SPDX-License-Identifier: BSD-3-Clause
// The first include of every `.cu` file: CUDA as nvcc has it, or CUDA's model for the host compiler.
//
// A kernel is written once, in CUDA C++:
//
//     struct ScaleArguments { const float* x; float* y; float factor; int count; };   // in a header, host code shares it
//
//     __global__ void scale(ScaleArguments a) {
//       const int i = blockIdx.x * blockDim.x + threadIdx.x;
//       if (i < a.count) a.y[i] = a.factor * a.x[i];
//     }
//     static const conoid::RegisterKernel scale_kernel("my-solver/scale", scale);
//
// and launched by host code through device.hpp. README.md in this folder lists what the host compiler's model has.
#pragma once

#include <cstddef>
#include <typeinfo>
#include <utility>
#include <vector>

#if defined(__CUDACC__)
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#else
#include "engine/team/emulated/model.hpp"
#endif

namespace conoid {

/// The dynamic shared memory of the block (LaunchShape::shared bytes, aligned to 128; on emulated devices to 64).
template <class T>
__device__ inline T* dynamic_shared() {
#if defined(__CUDACC__)
  extern __shared__ __align__(128) unsigned char conoid_dynamic_shared_memory[];
  return reinterpret_cast<T*>(conoid_dynamic_shared_memory);
#else
  return static_cast<T*>(emulated::dynamic_shared_memory());
#endif
}

/// A place in shared memory as asynchronous copies take it: computed once, and moved by adding bytes.
#if defined(__CUDACC__)
using SharedAddress = unsigned;
__device__ inline SharedAddress shared_address(void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
/// Copies 4, 8 or 16 bytes from device memory; complete after __pipeline_commit() and __pipeline_wait_prior(). As
/// __pipeline_memcpy_async(), without its conversions of addresses at each call.
template <int bytes>
__device__ inline void copy_async(SharedAddress to, const void* from) {
  if constexpr (bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(__cvta_generic_to_global(from)) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(__cvta_generic_to_global(from)), "n"(bytes)
                 : "memory");
}
#else
using SharedAddress = unsigned char*;
inline SharedAddress shared_address(void* p) {
  return static_cast<unsigned char*>(p);
}
template <int bytes>
inline void copy_async(SharedAddress to, const void* from, const char* file = __builtin_FILE(),
                       int line = __builtin_LINE()) {
  emulated::async_copy(to, from, bytes, {file, line});
}
#endif

namespace kernels {
/// As KernelEntry (module.hpp), in plain types: nvcc need not read the engine's headers.
struct Entry {
  const char* name;
  const char* signature;
  const void* function;
  void (*invoke)(const void* function, void** arguments);
};
/// Of the module that this file is linked into; the modules' drivers define it.
std::vector<Entry>& registered();

#if !defined(__CUDACC__)
template <class... P, std::size_t... I>
CONOID_UNCHECKED inline void call(void (*kernel)(P...), void** arguments, std::index_sequence<I...>) {
  kernel(*static_cast<P*>(arguments[I])...);
}
template <class... P>
CONOID_UNCHECKED inline void invoke(const void* function, void** arguments) {
  call(reinterpret_cast<void (*)(P...)>(const_cast<void*>(function)), arguments, std::index_sequence_for<P...>{});
}
#endif
}  // namespace kernels

/// A static object of this type puts a kernel into the module, under the name that Device::kernel() is asked for.
/// Names read "<solver>/<kernel>", with template arguments spelled out: "my-solver/scale<float,8>".
struct RegisterKernel {
  template <class... P>
  RegisterKernel(const char* name, void (*kernel)(P...)) {
#if defined(__CUDACC__)
    kernels::registered().push_back(
        {name, typeid(void (*)(P...)).name(), reinterpret_cast<const void*>(kernel), nullptr});
#else
    kernels::registered().push_back(
        {name, typeid(void (*)(P...)).name(), reinterpret_cast<const void*>(kernel), &kernels::invoke<P...>});
#endif
  }
};

}  // namespace conoid
