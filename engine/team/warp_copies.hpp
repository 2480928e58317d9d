// SPDX-License-Identifier: BSD-3-Clause
// For kernels: copies from device memory to shared memory that a warp asks for and that arrive while it computes.
//
// From compute capability 9.0 on one lane asks for a copy in one instruction, the copy engine of the multiprocessor moves it, and
// a barrier in shared memory counts the bytes (PTX ISA: cp.async.bulk, mbarrier). Before, and on emulated devices, all lanes copy
// 16 bytes at a time. All addresses and sizes are multiples of 16 bytes. The lanes of a warp call each function together.
//
//     WarpCopies::prepare<2>(barriers, lane);                 // two stages; WarpCopies::bytes each in shared memory
//     copies.begin(lane, barrier, a + b);                     // of one stage: bytes in all
//     copies.copy(lane, barrier, to, from, a); …
//     copies.end();
//     …                                                       // ask for another stage
//     copies.wait<1>(barrier, parity);                        // all but the newest stage; parity: 0 at first, then 1, then 0, …
//     …                                                       // read it
//     __syncwarp();                                           // now it may be filled again
#pragma once

#include "engine/team/kernel.hpp"

namespace conoid {

#if defined(__CUDA_ARCH__)
#if __CUDA_ARCH__ >= 900
#define CONOID_BULK_COPIES 1
#endif
#endif

struct WarpCopies {
  static constexpr int bytes = 8;  ///< of a barrier

  template <int stages>
  __device__ static __forceinline__ void prepare([[maybe_unused]] SharedAddress barriers, [[maybe_unused]] int lane) {
#if defined(CONOID_BULK_COPIES)
    if (lane == 0) {
#pragma unroll
      for (int s = 0; s < stages; ++s)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barriers + bytes * s) : "memory");
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncwarp();
#endif
  }
  __device__ static __forceinline__ void begin([[maybe_unused]] int lane, [[maybe_unused]] SharedAddress barrier,
                                               [[maybe_unused]] unsigned total) {
#if defined(CONOID_BULK_COPIES)
    if (lane == 0)
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(total) : "memory");
#endif
  }
  __device__ static __forceinline__ void copy(int lane, [[maybe_unused]] SharedAddress barrier, SharedAddress to,
                                              const void* from, unsigned size) {
#if defined(CONOID_BULK_COPIES)
    if (lane == 0)
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                   "l"(__cvta_generic_to_global(from)), "r"(size), "r"(barrier)
                   : "memory");
#else
    for (unsigned at = 16U * static_cast<unsigned>(lane); at < size; at += 512)
      copy_async<16>(to + at, static_cast<const unsigned char*>(from) + at);
#endif
  }
  __device__ static __forceinline__ void end() {
#if !defined(CONOID_BULK_COPIES)
    __pipeline_commit();
#endif
  }
  /// All stages asked for but the newest `newer`.
  template <int newer>
  __device__ static __forceinline__ void wait([[maybe_unused]] SharedAddress barrier,
                                              [[maybe_unused]] unsigned parity) {
#if defined(CONOID_BULK_COPIES)
    unsigned done = 0;
    do {
      asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                   : "=r"(done)
                   : "r"(barrier), "r"(parity)
                   : "memory");
    } while (done == 0);
#else
    __pipeline_wait_prior(newer);
    __syncwarp();
#endif
  }
};

/// The number `index` places behind `at` in shared memory if a < b, else 0: a predicate, never a branch.
template <class Real, int index>
__device__ __forceinline__ Real shared_value_if(SharedAddress at, int a, int b) {
#if defined(__CUDA_ARCH__)
  Real v;
  if constexpr (sizeof(Real) == 4)
    asm volatile("{\n.reg .pred p;\nsetp.lt.s32 p, %2, %3;\nmov.f32 %0, 0f00000000;\n@p ld.shared.f32 %0, [%1+%4];\n}"
                 : "=f"(v)
                 : "r"(at), "r"(a), "r"(b), "n"(4 * index));
  else
    asm volatile(
        "{\n.reg .pred p;\nsetp.lt.s32 p, %2, %3;\nmov.f64 %0, 0d0000000000000000;\n@p ld.shared.f64 %0, [%1+%4];\n}"
        : "=d"(v)
        : "r"(at), "r"(a), "r"(b), "n"(8 * index));
  return v;
#elif defined(__CUDACC__)
  return a < b && at != 0 ? Real{index} : Real{0};  // nvcc's pass for the host: never called
#else
  return a < b ? reinterpret_cast<const Real*>(at)[index] : Real{0};
#endif
}

}  // namespace conoid
