// SPDX-License-Identifier: BSD-3-Clause
// The receiver kernels for registers of CONOID_BYTES: 2, 4 or 8 lanes.
// isas: base avx2 avx512
//
// Times and cubics are computed for all lanes at once; a lane then adds its four columns, three corners each, to a row of its own,
// since columns differ from lane to lane. Everything sits in an unnamed namespace, so that no two instruction sets share a function.
#include "engine/simd/lanes.hpp"
#include "engine/solvers/acoustic_bem/kernels/receiver_lanes.hpp"

namespace conoid::acoustic_bem {
namespace {

constexpr std::size_t W = CONOID_BYTES / 8;
using simd::load, simd::store, simd::vceil, simd::vsqrt;
using vd = simd::Lanes<double, CONOID_BYTES>::v;
typedef double four __attribute__((vector_size(32)));

/// Distance of a point of the rule, and its time in steps before now, rounded up. Not inlined: both kernels must round alike, else a
/// value could fall out of its row-vector.
__attribute__((noinline)) void time_of(const LaneSender& s, int q, const double* x, std::size_t stride, double early,
                                       double* distance, double* column) {
  const double* const y = s.y + 3 * q;
  const vd dx = load<vd>(x) - y[0], dy = load<vd>(x + stride) - y[1], dz = load<vd>(x + 2 * stride) - y[2];
  const vd R = vsqrt(dx * dx + dy * dy + dz * dz);
  store(distance, R);
  store(column, vceil(R / s.delta - early));
}

void range(const LaneSender& s, const double* x, std::size_t stride, double early, double* first, double* last) {
  vd low = vd{} + 1e300, high = vd{} - 1e300;
  for (int q = 0; q < s.points; ++q) {
    double R[W], column[W];
    time_of(s, q, x, stride, early, R, column);
    const vd k = load<vd>(column);
    low = k < low ? k : low;
    high = k > high ? k : high;
  }
  store(first, low - 2.0);
  store(last, high + 1.0);
}

void values(const LaneSender& s, const double* x, std::size_t stride, double early, bool of_sigma, const double* first,
            const double* last, std::size_t most, double* out) {
  for (int q = 0; q < s.points; ++q) {
    double distance[W], column[W], factor[4][W];
    time_of(s, q, x, stride, early, distance, column);
    const vd R = load<vd>(distance), steps = R / s.delta, f = load<vd>(column) - (steps - early);
    const vd w = s.weight[q] * s.scale / R;
    // Lagrange on the nodes m−1 … m+2, m = n − column, at m + f: the node m+2 belongs to the first column.
    const vd L[4] = {(f + 1.0) * f * (f - 1.0) * (1.0 / 6), -(f + 1.0) * f * (f - 2.0) * 0.5,
                     (f + 1.0) * (f - 1.0) * (f - 2.0) * 0.5, -f * (f - 1.0) * (f - 2.0) * (1.0 / 6)};
    if (of_sigma) {
      for (int c = 0; c < 4; ++c) store(factor[c], -w * L[c]);
    } else {
      const vd ff = 3.0 * f * f;
      const vd slope[4] = {(ff - 1.0) * (1.0 / 6), -(ff - 2.0 * f - 2.0) * 0.5, (ff - 4.0 * f - 1.0) * 0.5,
                           -(ff - 6.0 * f + 2.0) * (1.0 / 6)};
      const double* const y = s.y + 3 * q;
      const vd cosine = (s.normal[0] * (load<vd>(x) - y[0]) + s.normal[1] * (load<vd>(x + stride) - y[1]) +
                         s.normal[2] * (load<vd>(x + 2 * stride) - y[2])) /
                        R;
      const vd all = w * cosine / R;
      for (int c = 0; c < 4; ++c) store(factor[c], all * (L[c] + steps * slope[c]));
    }
    four lambda;
    __builtin_memcpy(&lambda, s.lambda + 4 * q, sizeof lambda);
    for (std::size_t t = 0; t < W; ++t) {
      if (last[t] < first[t]) continue;
      double* const row =
          out + 4 * (most * t + static_cast<std::size_t>(static_cast<long long>(column[t] - 2.0 - first[t])));
      for (int c = 0; c < 4; ++c) {
        four v;
        __builtin_memcpy(&v, row + 4 * c, sizeof v);
        v += factor[c][t] * lambda;
        __builtin_memcpy(row + 4 * c, &v, sizeof v);
      }
    }
  }
}

}  // namespace

extern const ReceiverLanes CONOID_ISA_NAME(receiver_lanes);
const ReceiverLanes CONOID_ISA_NAME(receiver_lanes){W, range, values};

}  // namespace conoid::acoustic_bem
