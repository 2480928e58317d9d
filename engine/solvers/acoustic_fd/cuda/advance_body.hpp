// SPDX-License-Identifier: BSD-3-Clause
// One step on a device; included by the .cu file of each order. The association of sums is that of kernels/patch.hpp, so
// results are the host's; subnormal numbers are zero for both (-ftz=true; the host's FlushSubnormals), in double precision for the host alone.
#pragma once

#include "engine/team/kernel.hpp"

#include "engine/solvers/acoustic_fd/cuda/advance_arguments.hpp"
#include "engine/solvers/acoustic_fd/cuda/fours.hpp"

namespace conoid::acoustic_fd {

/// In place. A thread marches four neighbouring columns along x with the 2R+1 planes of the stencil in registers; neighbours
/// along y and z come from the first cache; what the next plane needs is asked for before this one is computed. Limited by
/// memory: 16 bytes a cell in single precision.
template <int R, bool Unequal, class T>
__global__ void __launch_bounds__(advance_threads_z* advance_threads_y) advance(AdvanceArguments<T> t) {
  const int z = 4 * static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = t.y0 + static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (z >= t.nz || y >= t.y1) return;
  const int x0 = t.x0 + static_cast<int>(blockIdx.z) * t.planes;
  const int x1 = x0 + t.planes < t.x1 ? x0 + t.planes : t.x1;
  const std::int64_t sx = t.stride_x, sy = t.stride_y, here = y * sy + z + x0 * sx;
  const T* u = t.u + here;
  T* o = t.o + here;
  const T* a = t.a + y * t.a_stride_y + z + x0 * t.a_stride_x;
  const T* v = t.v != nullptr ? t.v + here : nullptr;
  const T s_y = t.sigma_y[y];
  const Four<T> s_z = load_four(t.sigma_z + z);
  Four<T> q[2 * R + 1];
#pragma unroll
  for (int i = 0; i < 2 * R; ++i) q[i + 1] = load_four(u + (i - R) * sx);
  Four<T> next_u = load_four(u + R * sx), next_o = load_changing_four(o), next_a = load_four(a);
  for (int x = x0; x < x1; ++x) {
#pragma unroll
    for (int i = 0; i < 2 * R; ++i) q[i] = q[i + 1];
    q[2 * R] = next_u;
    const Four<T> old = next_o, medium = next_a;
    Four<T> low[R], high[R];
#pragma unroll
    for (int i = 1; i <= R; ++i) {
      low[i - 1] = load_four(u - i * sy);
      high[i - 1] = load_four(u + i * sy);
    }
    LineOfFours<R, T> line;
    line.load(u, q[R]);
    if (x + 1 < x1) {
      next_u = load_four(u + (R + 1) * sx);
      next_o = load_changing_four(o + sx);
      next_a = load_four(a + t.a_stride_x);
    }
    Four<T> L = scaled(t.centre, q[R]);
#pragma unroll
    for (int i = 1; i <= R; ++i) {
      const Four<T> px = sum(q[R - i], q[R + i]), py = sum(low[i - 1], high[i - 1]), pz = line.pair(i);
      if constexpr (Unequal) {
        L = fused(t.x[i], px, L);
        L = fused(t.y[i], py, L);
        L = fused(t.z[i], pz, L);
      } else {
        L = fused(t.x[i], sum(sum(px, py), pz), L);
      }
    }
    if (v != nullptr) {
      L = minus_product(load_four(v), q[R], L);
      v += sx;
    }
    store_fours(o, updated(medium, L, q[R], old, t.sigma_x[x] + s_y, s_z), t.nz - z);
    u += sx;
    o += sx;
    a += t.a_stride_x;
  }
}

}  // namespace conoid::acoustic_fd
