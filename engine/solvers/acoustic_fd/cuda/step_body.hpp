// SPDX-License-Identifier: BSD-3-Clause
// Several steps at once on a device; included by the .cu file of each order. The association of sums is that of
// kernels/patch.hpp, so results agree with the host's up to subnormal numbers, which the host flushes.
#pragma once

#include "engine/team/kernel.hpp"

#include "engine/solvers/acoustic_fd/cuda/arguments.hpp"

namespace conoid::acoustic_fd {

__device__ inline float device_update(float a, float L, float u, float old, float sigma) {
  if (sigma == 0.0F) return fmaf(a, L, (u + u) - old);
  return fmaf(a, L, fmaf(sigma - 1.0F, old, u + u)) * (1.0F / (1.0F + sigma));
}

/// T steps at once. A block owns a tile of columns with a rim of R T cells that is computed twice; each thread streams its
/// column along x and keeps, of every level, the 2R+1 planes of the stencil in registers. Level k+1 of plane x − (k+1) R is
/// computed when plane x of level 0 arrives; all planes that y and z neighbours need are then R planes old, so one barrier
/// a plane serves all levels. Out of place, since neighbours still read the old levels of the rim.
template <int R, int T>
__global__ void __launch_bounds__(band_threads_z* band_threads_y) bands(StepArguments t) {
  constexpr int rim = R * T;
  constexpr int wide = band_threads_z, high = band_threads_y;
  __shared__ float plane[2][T][high][wide];
  const int tz = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
  const int z = static_cast<int>(blockIdx.x) * (wide - 2 * rim) + tz - rim;
  const int y = static_cast<int>(blockIdx.y) * (high - 2 * rim) + ty - rim;
  const bool inside = z >= 0 && z < t.nz && y >= 0 && y < t.ny;
  const bool keeps = inside && tz >= rim && tz < wide - rim && ty >= rim && ty < high - rim;
  const int x0 = static_cast<int>(blockIdx.z) * t.planes;
  const int x1 = x0 + t.planes < t.nx ? x0 + t.planes : t.nx;
  const std::int64_t here = y * t.stride_y + z;
  const float sigma_yz = inside ? t.sigma_y[y] : 0.0F;
  const float sigma_z = inside ? t.sigma_z[z] : 0.0F;
  float q[T + 1][2 * R + 1];  // of levels 0 … T, newest last
  float a[rim + 1], old[R + 1];
#pragma unroll
  for (int k = 0; k <= T; ++k)
#pragma unroll
    for (int i = 0; i <= 2 * R; ++i) q[k][i] = 0.0F;
#pragma unroll
  for (int i = 0; i <= rim; ++i) a[i] = 0.0F;
#pragma unroll
  for (int i = 0; i <= R; ++i) old[i] = 0.0F;

  // Planes from the rim below to the rim above; outside the grid they are zero.
  for (int x = x0 - rim; x < x1 + rim; ++x) {
    const bool load = inside && x >= 0 && x < t.nx;
    const std::int64_t cell = here + x * t.stride_x;
#pragma unroll
    for (int i = 0; i < rim; ++i) a[i] = a[i + 1];
#pragma unroll
    for (int i = 0; i < R; ++i) old[i] = old[i + 1];
#pragma unroll
    for (int k = 0; k <= T; ++k)
#pragma unroll
      for (int i = 0; i < 2 * R; ++i) q[k][i] = q[k][i + 1];
    q[0][2 * R] = load ? t.u[cell] : 0.0F;
    old[R] = load ? t.o[cell] : 0.0F;
    a[rim] = load ? t.a[cell] : 0.0F;
    float(*const now)[high][wide] = plane[x & 1];
#pragma unroll
    for (int k = 0; k < T; ++k) now[k][ty][tz] = q[k][R];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < T; ++k) {
      const int xk = x - (k + 1) * R;
      float L = t.weight[0] * q[k][R];
#pragma unroll
      for (int i = 1; i <= R; ++i) {
        const int low_y = ty >= i ? ty - i : 0, high_y = ty + i < high ? ty + i : high - 1;
        const int low_z = tz >= i ? tz - i : 0, high_z = tz + i < wide ? tz + i : wide - 1;
        const float sx = q[k][R - i] + q[k][R + i];
        const float sy = now[k][low_y][tz] + now[k][high_y][tz];
        const float sz = now[k][ty][low_z] + now[k][ty][high_z];
        L = fmaf(t.weight[i], (sx + sy) + sz, L);
      }
      const float before = k == 0 ? old[0] : q[k > 0 ? k - 1 : 0][0];
      const bool exists = inside && xk >= 0 && xk < t.nx;
      const float sigma = exists ? (t.sigma_x[xk] + sigma_yz) + sigma_z : 0.0F;
      q[k + 1][2 * R] = exists ? device_update(a[rim - (k + 1) * R], L, q[k][R], before, sigma) : 0.0F;
    }
    const int done = x - rim;
    if (keeps && done >= x0 && done < x1) {
      t.new_u[here + done * t.stride_x] = q[T][2 * R];
      t.new_o[here + done * t.stride_x] = q[T - 1][R];
    }
  }
}

}  // namespace conoid::acoustic_fd
