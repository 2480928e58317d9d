// SPDX-License-Identifier: BSD-3-Clause
// One step of a box of cells in and beside matched layers; included by the .cu files of the orders that have panels. The association of sums is
// that of kernels/patch.hpp: the bits are those of `advance` and of `matched` after it, axis after axis.
#pragma once

#include "engine/team/kernel.hpp"

#include "engine/solvers/acoustic_fd/cuda/fours.hpp"
#include "engine/solvers/acoustic_fd/cuda/shell_arguments.hpp"

namespace conoid::acoustic_fd {

/// f and g of one axis, four cells: pair(i) is the sum of the neighbours i nodes away, slope(i) the higher one less the lower one.
struct ShellStencils {
  float4 f, g;
};
template <int R, class Pair, class Slope>
__device__ __forceinline__ ShellStencils shell_stencils(const ShellArguments& t, float4 u, Pair&& pair, Slope&& slope) {
  ShellStencils out{scaled(t.curvature[0], u), make_float4(0.0F, 0.0F, 0.0F, 0.0F)};
#pragma unroll
  for (int i = 1; i <= R; ++i) {
    out.f = fused(t.curvature[i], pair(i), out.f);
    out.g = fused(t.slope[i], slope(i), out.g);
  }
  return out;
}
/// What the layer of one axis adds to a cell; its memory goes on.
__device__ __forceinline__ float shell_memory(float f, float g, const float* c, int nodes, float& m1, float& m2) {
  const float E = c[0], n2 = fmaf(E, m2, fmaf(c[nodes], f, c[2 * nodes] * g)),
              n1 = fmaf(E, m1, (n2 + m2) + fmaf(c[3 * nodes], f, c[4 * nodes] * g)),
              extra = (n1 + m1) + fmaf(c[5 * nodes], f, c[6 * nodes] * g);
  m1 = n1;
  m2 = n2;
  return extra;
}

/// A thread marches four neighbouring columns along x as in `advance`. Limited by memory: 16 bytes a cell, and 16 more a layer.
template <int R, bool Unequal>
__global__ void __launch_bounds__(advance_threads_z* advance_threads_y)
    shell(const __grid_constant__ ShellArguments t) {
  const int z = t.z0 / 4 * 4 + 4 * static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = t.y0 + static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (z >= t.z1 || y >= t.y1) return;
  const int x0 = t.x0 + static_cast<int>(blockIdx.z) * t.planes;
  const int x1 = x0 + t.planes < t.x1 ? x0 + t.planes : t.x1;
  const std::int64_t sx = t.stride_x, sy = t.stride_y, here = y * sy + z + x0 * sx;
  const float *u = t.u + here, *older = t.older + here, *a = t.a + y * t.a_stride_y + z + x0 * t.a_stride_x;
  const float* v = t.v != nullptr ? t.v + here : nullptr;
  float* o = t.o + here;
  const float s_y = t.sigma_y[y];
  const float4 s_z = load_four(t.sigma_z + z);
  const int first = t.z0 - z, last = t.z1 - z;  // of the four: cells [first, last)
  const bool whole = first <= 0 && last >= 4;
  const bool in_y = y < t.layer[1].low || y >= t.layer[1].high, in_z = z < t.layer[2].low || z + 4 > t.layer[2].high;
  float4 q[2 * R + 1];
#pragma unroll
  for (int i = 0; i < 2 * R; ++i) q[i + 1] = load_four(u + (i - R) * sx);
#pragma unroll 1
  for (int x = x0; x < x1; ++x) {
#pragma unroll
    for (int i = 0; i < 2 * R; ++i) q[i] = q[i + 1];
    q[2 * R] = load_four(u + R * sx);
    const float4 old = load_changing_four(older), medium = load_four(a);
    float4 low[R], high[R];
#pragma unroll
    for (int i = 1; i <= R; ++i) {
      low[i - 1] = load_four(u - i * sy);
      high[i - 1] = load_four(u + i * sy);
    }
    LineOfFours<R> line;
    line.load(u, q[R]);
    float4 L = scaled(t.centre, q[R]);
#pragma unroll
    for (int i = 1; i <= R; ++i) {
      const float4 px = sum(q[R - i], q[R + i]), py = sum(low[i - 1], high[i - 1]), pz = line.pair(i);
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
    const float s_xy = t.sigma_x[x] + s_y;
    const float4 n = updated(medium, L, q[R], old, s_xy, s_z);
    float value[4] = {n.x, n.y, n.z, n.w};
    const float damping[4] = {s_xy + s_z.x, s_xy + s_z.y, s_xy + s_z.z, s_xy + s_z.w};
    float factor[4] = {medium.x, medium.y, medium.z, medium.w};
#pragma unroll
    for (int j = 0; j < 4; ++j)
      if (damping[j] != 0.0F) factor[j] = factor[j] * (1.0F / (1.0F + damping[j]));
    const auto with = [&](const ShellLayer& axis, int node, bool along_z, const ShellStencils& s) {
      const bool behind = along_z ? z + 4 > axis.high : node >= axis.high;
      const std::int64_t at = x * axis.m_stride_x + y * axis.m_stride_y + z + (behind ? axis.to_high : 0);
      const float f[4] = {s.f.x, s.f.y, s.f.z, s.f.w}, g[4] = {s.g.x, s.g.y, s.g.z, s.g.w},
                  middle[4] = {q[R].x, q[R].y, q[R].z, q[R].w};
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        if (j < first || j >= last || (along_z && z + j >= axis.low && z + j < axis.high)) continue;
        // A narrow grid may have both layers in one four.
        const std::int64_t place = along_z && behind && z + j < axis.low ? at - axis.to_high + j : at + j;
        float m1 = axis.m[0][place], m2 = axis.m[1][place];
        float f_j = f[j], g_j = g[j];
        if (axis.v != nullptr) {
          f_j = fmaf(-axis.v[place], middle[j], f_j);
          g_j = fmaf(-axis.w[place], middle[j], g_j);
        }
        const float extra = shell_memory(f_j, g_j, axis.factor + (along_z ? z + j : node), axis.nodes, m1, m2);
        value[j] = fmaf(factor[j], extra, value[j]);
        axis.m[0][place] = m1;
        axis.m[1][place] = m2;
      }
    };
    if (x < t.layer[0].low || x >= t.layer[0].high)
      with(t.layer[0], x, false,
           shell_stencils<R>(
               t, q[R], [&](int i) { return sum(q[R - i], q[R + i]); },
               [&](int i) { return sum(q[R + i], scaled(-1.0F, q[R - i])); }));
    if (in_y)
      with(t.layer[1], y, false,
           shell_stencils<R>(
               t, q[R], [&](int i) { return sum(low[i - 1], high[i - 1]); },
               [&](int i) { return sum(high[i - 1], scaled(-1.0F, low[i - 1])); }));
    if (in_z)
      with(t.layer[2], z, true,
           shell_stencils<R>(
               t, q[R], [&](int i) { return line.pair(i); },
               [&](int i) {
                 constexpr int c = 4 * LineOfFours<R>::fours;
                 const float* const v = line.value;
                 return make_float4(v[c + i] - v[c - i], v[c + 1 + i] - v[c + 1 - i], v[c + 2 + i] - v[c + 2 - i],
                                    v[c + 3 + i] - v[c + 3 - i]);
               }));
    if (whole) {
      *reinterpret_cast<float4*>(o) = make_float4(value[0], value[1], value[2], value[3]);
    } else {
#pragma unroll
      for (int j = 0; j < 4; ++j)
        if (j >= first && j < last) o[j] = value[j];
    }
    u += sx;
    o += sx;
    older += sx;
    a += t.a_stride_x;
  }
}

}  // namespace conoid::acoustic_fd
