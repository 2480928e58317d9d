// SPDX-License-Identifier: BSD-3-Clause
// Subnormal numbers as zero.
//
// Ahead of every front a stencil leaves values that fall off geometrically, through the subnormal range, where x86
// works ten to a hundred times slower. Kernels that run under this mode agree bit for bit; what is lost lies below 1.2e-38 in single precision.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace conoid {

/// Whether this thread's arithmetic takes subnormal numbers for zero and its results become zero: bits of MXCSR; elsewhere 0.
[[nodiscard]] inline unsigned subnormal_mode() {
#if defined(__x86_64__)
  return _mm_getcsr() & 0x8040U;  // flush to zero, denormals are zero
#else
  return 0;
#endif
}
inline void set_subnormal_mode([[maybe_unused]] unsigned mode) {
#if defined(__x86_64__)
  _mm_setcsr((_mm_getcsr() & ~0x8040U) | mode);
#endif
}

/// For the life of the object, on its thread.
class FlushSubnormals {
 public:
  FlushSubnormals() : before_(subnormal_mode()) { set_subnormal_mode(0x8040U); }
  ~FlushSubnormals() { set_subnormal_mode(before_); }
  FlushSubnormals(const FlushSubnormals&) = delete;
  FlushSubnormals& operator=(const FlushSubnormals&) = delete;

 private:
  unsigned before_;
};

}  // namespace conoid
