// SPDX-License-Identifier: BSD-3-Clause
// For kernels: blocks of a cluster (LaunchShape::cluster of them, compute capability 9.0 and later) write into each other's shared memory.
//
// Who receives counts the bytes in a signal, eight bytes of its own shared memory; phases of a signal follow each other
// (PTX ISA: mbarrier, st.async, mapa). Offsets in dynamic shared memory are the same in all blocks of a kernel.
//
//     if (id == 0) ClusterSignal::start(signal);                          // once
//     cluster_barrier();                                                  // before anybody writes
//     const SharedAddress there = in_cluster(to, rank), told = in_cluster(signal, rank);
//     if (id == 0) ClusterSignal::expect(signal, bytes);                  // of the phase that goes on
//     ClusterSignal::store(there, value, told);                           // 16 bytes, in the other block
//     ClusterSignal::wait(signal, parity);                                // parity: 0 at first, then 1, then 0, …
//     cluster_barrier();                                                  // nobody ends while others write
//
// A block may be told of a phase before it expects it, of no more than one. All threads of all blocks come to cluster_barrier(); the other
// calls are single threads'.
#pragma once

#include "engine/team/kernel.hpp"

namespace conoid {

#if defined(__CUDA_ARCH__)
#if __CUDA_ARCH__ >= 900
#define CONOID_CLUSTERS 1
#endif
#endif

__device__ __forceinline__ void cluster_barrier() {
#if defined(CONOID_CLUSTERS)
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
#elif defined(__CUDA_ARCH__)
  __trap();  // never launched on such devices
#elif !defined(__CUDACC__)
  emulated::cluster_barrier({__builtin_FILE(), __builtin_LINE()});
#endif
}
/// What lies at `mine` in this block, in block `rank` of the cluster.
__device__ __forceinline__ SharedAddress in_cluster(SharedAddress mine, [[maybe_unused]] unsigned rank) {
#if defined(CONOID_CLUSTERS)
  SharedAddress there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(mine), "r"(rank));
  return there;
#elif !defined(__CUDACC__)
  return emulated::in_cluster(mine, rank);
#else
  return mine;
#endif
}

struct ClusterSignal {
  static constexpr int bytes = 8;

  __device__ static __forceinline__ void start([[maybe_unused]] SharedAddress signal) {
#if defined(CONOID_CLUSTERS)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(signal)
                 : "memory");
#elif !defined(__CUDACC__)
    emulated::signal_start(signal);
#endif
  }
  __device__ static __forceinline__ void expect([[maybe_unused]] SharedAddress signal,
                                                [[maybe_unused]] unsigned total) {
#if defined(CONOID_CLUSTERS)
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(signal), "r"(total) : "memory");
#elif !defined(__CUDACC__)
    emulated::signal_expect(signal, total);
#endif
  }
  __device__ static __forceinline__ void wait([[maybe_unused]] SharedAddress signal, [[maybe_unused]] unsigned parity) {
#if defined(CONOID_CLUSTERS)
    unsigned done = 0;
    do {
      asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                   : "=r"(done)
                   : "r"(signal), "r"(parity)
                   : "memory");
    } while (done == 0);
#elif !defined(__CUDACC__)
    emulated::signal_wait(signal, parity, {__builtin_FILE(), __builtin_LINE()});
#endif
  }
  /// `to` and `signal` lie in the same block of the cluster.
  __device__ static __forceinline__ void store([[maybe_unused]] SharedAddress to, [[maybe_unused]] float4 value,
                                               [[maybe_unused]] SharedAddress signal) {
#if defined(CONOID_CLUSTERS)
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(to),
        "f"(value.x), "f"(value.y), "f"(value.z), "f"(value.w), "r"(signal)
        : "memory");
#elif !defined(__CUDACC__)
    emulated::store_in_cluster(to, &value, sizeof value, signal);
#endif
  }
};

}  // namespace conoid
