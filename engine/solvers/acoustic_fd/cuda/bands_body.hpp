// SPDX-License-Identifier: BSD-3-Clause
// Several steps of order 2 at once on a device; included by order2.cu. The association of sums is that of kernels/patch.hpp, so
// results agree with the host's up to subnormal numbers, which the host flushes.
#pragma once

#include "engine/team/kernel.hpp"

#include "engine/solvers/acoustic_fd/cuda/bands_arguments.hpp"
#include "engine/solvers/acoustic_fd/cuda/fours.hpp"

namespace conoid::acoustic_fd {

/// T steps at once. A block owns a tile of columns, four cells along z a thread, with a rim that is computed twice; it streams
/// the tile along x and keeps, of every level, the three planes of the stencil in registers. Level k+1 of plane x − k − 1 is
/// computed when plane x of level 0 arrives; all planes that y neighbours need are then one plane old, so one barrier a plane
/// serves all levels. What enters travels into rings of planes in shared memory by asynchronous copies, band_ahead planes
/// before it is used. Out of place, since neighbours still read the old levels of the rim. Limited by shared memory: twenty
/// accesses of four values a thread and plane.
template <int T>
__global__ void __launch_bounds__(band_threads_z* band_threads_y) bands(BandArguments t) {
  constexpr int rim_z = band_rim_z(T), rim_y = T, wide = 4 * band_threads_z, high = band_threads_y,
                lanes = band_threads_z;
  constexpr int plane = high * lanes, ahead = band_ahead;
  constexpr int u_planes = ahead + 2, o_planes = ahead + 1, a_planes = T + ahead;
  float4* const u_ring = dynamic_shared<float4>();
  float4* const o_ring = u_ring + u_planes * plane;
  float4* const a_ring = o_ring + o_planes * plane;
  float4* const middles = a_ring + a_planes * plane;  // [2][T − 1]: middle planes of levels 1 … T − 1
  const int tz = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y), mine = ty * lanes + tz;
  const int z = static_cast<int>(blockIdx.x) * (wide - 2 * rim_z) + 4 * tz - rim_z;
  const int y = static_cast<int>(blockIdx.y) * (high - 2 * rim_y) + ty - rim_y;
  const int x0 = static_cast<int>(blockIdx.z) * t.planes, x1 = x0 + t.planes < t.nx ? x0 + t.planes : t.nx;
  const bool inside = z >= 0 && z < t.nz && y >= 0 && y < t.ny;
  const bool keeps = inside && 4 * tz >= rim_z && 4 * tz < wide - rim_z && ty >= rim_y && ty < high - rim_y;
  const std::int64_t here = inside ? y * t.stride_y + z : 0;
  const float4 zero = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
  const float s_y = inside ? t.sigma_y[y] : 0.0F;
  const float4 s_z = inside ? load_four(t.sigma_z + z) : zero;
  const int low = (ty > 0 ? ty - 1 : 0) * lanes + tz, up = (ty + 1 < high ? ty + 1 : high - 1) * lanes + tz;
  float4 q[T][3];  // of levels 0 … T − 1, in turn
#pragma unroll
  for (int k = 0; k < T; ++k)
#pragma unroll
    for (int i = 0; i < 3; ++i) q[k][i] = zero;
  for (int p = 0; p < u_planes + o_planes + a_planes; ++p) u_ring[p * plane + mine] = zero;
  __syncthreads();

  const int first = x0 - T, last = x1 + T;  // planes of level 0, the rim below and above included
  const auto place = [](int x, int n) { return (x % n + n) % n; };
  const auto after = [](int p, int by, int n) { return p + by >= n ? p + by - n : p + by; };
  int at_u = place(first, u_planes), at_o = place(first - 1, o_planes), at_a = place(first - 1, a_planes);
  const auto enter = [&](float4* to, const float* from, bool there) {  // outside the grid the field is zero
    if (there)
      copy_async<16>(shared_address(to), from);
    else
      *to = zero;
  };
  const auto bring = [&](int x, int pu, int po, int pa) {  // plane x of u, plane x − 1 of o and a
    const bool now = inside && x >= 0 && x < t.nx && x < last,
               before = inside && x - 1 >= 0 && x - 1 < t.nx && x <= last;
    const std::int64_t this_plane = here + x * t.stride_x, that_plane = this_plane - t.stride_x;
    enter(u_ring + pu * plane + mine, t.u + this_plane, now);
    enter(o_ring + po * plane + mine, t.o + that_plane, before);
    enter(a_ring + pa * plane + mine, t.a + that_plane, before);
    __pipeline_commit();
  };
#pragma unroll
  for (int p = 0; p < ahead; ++p)
    bring(first + p, after(at_u, p, u_planes), after(at_o, p, o_planes), after(at_a, p, a_planes));

  const auto pass = [&]<int phase>(int x) {
    constexpr int oldest = phase % 3, middle = (phase + 1) % 3, newest = (phase + 2) % 3;
    float4* const now = middles + (x & 1) * ((T - 1) * plane);
#pragma unroll
    for (int k = 1; k < T; ++k) now[(k - 1) * plane + mine] = q[k][middle];
    __pipeline_wait_prior(ahead - 1);
    __syncthreads();
    bring(x + ahead, after(at_u, ahead, u_planes), after(at_o, ahead, o_planes), after(at_a, ahead, a_planes));
    q[0][newest] = u_ring[at_u * plane + mine];
    const float4* const middle_0 = u_ring + after(at_u, u_planes - 1, u_planes) * plane;
    int at = at_a;
#pragma unroll
    for (int k = 0; k < T; ++k) {
      const int xk = x - k - 1;
      const float s_x = xk >= 0 && xk < t.nx ? t.sigma_x[xk] : 0.0F;
      const float4* const centre = k == 0 ? middle_0 : now + (k > 0 ? k - 1 : 0) * plane;
      const float4 c = q[k][middle];
      const float left = __shfl_up_sync(0xffffffffU, c.w, 1, lanes),
                  right = __shfl_down_sync(0xffffffffU, c.x, 1, lanes);
      const float4 pz = make_float4(left + c.y, c.x + c.z, c.y + c.w, c.z + right);
      const float4 S = sum(sum(sum(q[k][oldest], q[k][newest]), sum(centre[low], centre[up])), pz);
      const float4 L = fused(t.weight, S, scaled(t.centre, c));
      const float4 old = k == 0 ? o_ring[at_o * plane + mine] : q[k > 0 ? k - 1 : 0][oldest];
      const float4 n = updated(a_ring[at * plane + mine], L, c, old, s_x + s_y, s_z);
      if (k + 1 < T) {
        q[k + 1 < T ? k + 1 : 0][newest] = n;
      } else if (keeps && xk >= x0 && xk < x1) {
        store_fours(t.new_u + here + xk * t.stride_x, n, t.nz - z);
        store_fours(t.new_o + here + xk * t.stride_x, c, t.nz - z);
      }
      at = at == 0 ? a_planes - 1 : at - 1;
    }
    at_u = after(at_u, 1, u_planes);
    at_o = after(at_o, 1, o_planes);
    at_a = after(at_a, 1, a_planes);
  };
  for (int x = first; x < last; x += 3) {  // the planes of q change places instead of values
    pass.template operator()<0>(x);
    pass.template operator()<1>(x + 1);
    pass.template operator()<2>(x + 2);
  }
}

}  // namespace conoid::acoustic_fd
