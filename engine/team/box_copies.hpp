// SPDX-License-Identifier: BSD-3-Clause
// For kernels: boxes of an array in device memory that the copy engine brings to shared memory while threads compute (compute capability
// 9.0 and later, and emulated devices). One thread asks for a box in one instruction; a signal (cluster.hpp) counts its bytes
// (PTX ISA: cp.async.bulk.tensor).
//
//     BoxSource source = device.box_source(...);              // on the host; an argument of the kernel, or part of one
//     __global__ void k(const __grid_constant__ Arguments a)
//     …
//     BoxCopies::after_stores(); __syncthreads();             // once, by all who have written where boxes come
//     if (id == 0) {
//       ClusterSignal::expect(signal, bytes);                 // of all boxes of the phase
//       BoxCopies::copy(to, a.source, x, y, z, signal);       // from place (x, y, z) on, x along rows; `to` aligned to 128
//     }
//     ClusterSignal::wait(signal, parity);
//     …                                                       // read it
//     __syncthreads();                                        // now it may be filled again
//
// What lies outside the array comes as zeros, and is counted like all else.
#pragma once

#include "engine/team/box_source.hpp"
#include "engine/team/cluster.hpp"

namespace conoid {

struct BoxCopies {
  __device__ static __forceinline__ void after_stores() {
#if defined(CONOID_CLUSTERS)
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
  }
  __device__ static __forceinline__ void copy([[maybe_unused]] SharedAddress to,
                                              [[maybe_unused]] const BoxSource& source, [[maybe_unused]] int x,
                                              [[maybe_unused]] int y, [[maybe_unused]] int z,
                                              [[maybe_unused]] SharedAddress signal) {
#if defined(CONOID_CLUSTERS)
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], "
        "[%5];" ::"r"(to),
        "l"(&source), "r"(x), "r"(y), "r"(z), "r"(signal)
        : "memory");
#elif !defined(__CUDACC__)
    emulated::copy_box(to, source, x, y, z, signal);
#endif
  }
  /// Brings a box to the second cache, from which it comes sooner when it is asked for. Emulated devices have none.
  __device__ static __forceinline__ void bring_near([[maybe_unused]] const BoxSource& source, [[maybe_unused]] int x,
                                                    [[maybe_unused]] int y, [[maybe_unused]] int z) {
#if defined(CONOID_CLUSTERS)
    asm volatile("cp.async.bulk.prefetch.tensor.3d.L2.global.tile [%0, {%1, %2, %3}];" ::"l"(&source), "r"(x), "r"(y),
                 "r"(z)
                 : "memory");
#endif
  }
};

}  // namespace conoid
