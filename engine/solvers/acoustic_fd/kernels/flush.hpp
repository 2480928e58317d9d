// SPDX-License-Identifier: BSD-3-Clause
// Subnormal numbers as zero while rows are computed.
//
// Ahead of every front a stencil leaves values that fall off geometrically, through the subnormal range, where x86
// works ten to a hundred times slower. All kernel bodies run under this mode, so they still agree bit for bit; what is
// lost lies below 1.2e-38 Pa in single precision.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace conoid::acoustic_fd {

/// For the life of the object, on its thread.
class FlushSubnormals {
 public:
#if defined(__x86_64__)
  FlushSubnormals() : before_(_mm_getcsr()) {
    _mm_setcsr(before_ | 0x8040U);
  }  // flush to zero, denormals are zero
  ~FlushSubnormals() {
    _mm_setcsr(before_);
  }
#else
  FlushSubnormals() = default;
#endif
  FlushSubnormals(const FlushSubnormals&) = delete;
  FlushSubnormals& operator=(const FlushSubnormals&) = delete;

 private:
#if defined(__x86_64__)
  unsigned before_;
#endif
};

}  // namespace conoid::acoustic_fd
