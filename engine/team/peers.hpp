// SPDX-License-Identifier: BSD-3-Clause
// Numbers by which kernels of devices that reach each other's memory (Device::reaches) wait for one another, without the host.
//
// The one writes what the other needs, each block then passes a barrier and __threadfence_system(), and the last of them raises the number in
// the other's memory. The other waits for it, passes a barrier of its block, and reads. Numbers only grow, so none has to be taken back.
#pragma once

#include "engine/team/kernel.hpp"

namespace conoid {

using PeerNumber = unsigned long long;

/// By one thread. What its block wrote before its barrier is seen by who has waited for `value`.
__device__ inline void raise_peer(PeerNumber* number, PeerNumber value) {
#if defined(__CUDACC__)
  asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(number), "l"(value) : "memory");
#else
  emulated::raise_number(number, value);
#endif
}

/// By one thread, until the number has reached `value`. A device that waits for one that is gone gives up after ten minutes (emulated: after
/// twenty seconds) and fails.
__device__ inline void await_peer(const PeerNumber* number, PeerNumber value) {
#if defined(__CUDACC__)
  constexpr unsigned long long most = 600000000000ULL;  // ns
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
  for (;;) {
    PeerNumber there;
    asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(there) : "l"(number) : "memory");
    if (there >= value) return;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    if (now - begin > most) __trap();
  }
#else
  emulated::await_number(number, value);
#endif
}

}  // namespace conoid
