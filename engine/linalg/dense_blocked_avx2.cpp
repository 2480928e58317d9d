// SPDX-License-Identifier: BSD-3-Clause
// Blocked LU factorisation on registers of 32 bytes.
#define CONOID_BYTES 32
#include "engine/linalg/dense_blocked_body.hpp"

namespace conoid::dense::blocked {

int factorise_avx2(float* a, long n, int* pivots, int threads, Wish wish) {
  return factorise(a, n, pivots, threads, wish);
}
int factorise_avx2(double* a, long n, int* pivots, int threads, Wish wish) {
  return factorise(a, n, pivots, threads, wish);
}

}  // namespace conoid::dense::blocked
