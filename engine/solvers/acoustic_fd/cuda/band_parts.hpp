// SPDX-License-Identifier: BSD-3-Clause
// What kernels of many steps have in common: damped cells, images, sources and receivers.
#pragma once

#include "engine/team/kernel.hpp"

#include "engine/solvers/acoustic_fd/cuda/fours.hpp"
#include "engine/solvers/acoustic_fd/cuda/tower_arguments.hpp"

namespace conoid::acoustic_fd {

/// 1/d for 1 ≤ d < 2^100, rounded as a division rounds.
__device__ __forceinline__ float reciprocal(float d) {
#if defined(__CUDACC__)
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(d));
  return fmaf(r, fmaf(-d, r, 1.0F), r);
#else
  return 1.0F / d;
#endif
}
__device__ __forceinline__ double damped_here(double a, double L, double u, double old, double sigma) {
  return damped(a, L, u, old, sigma);
}
__device__ __forceinline__ float damped_here(float a, float L, float u, float old, float sigma) {
  return fmaf(a, L, fmaf(sigma - 1.0F, old, u + u)) * reciprocal(1.0F + sigma);
}

/// Nodes of row y of plane x from cell z on, below z + cells, one after the other.
template <int cells, class Take>
__device__ __forceinline__ void for_nodes(const RowNodes& nodes, int ny, int x, int y, int z, Take&& take) {
  const int slot = nodes.slot[x];
  if (slot < 0) return;
  const std::uint32_t* const first = nodes.first + (static_cast<std::int64_t>(slot) * (ny + 1) + y);
  std::uint32_t low = first[0], high = first[1];
  const std::uint32_t end = high;
  // None of these loops is unrolled: they are short, and there are many copies of them.
#pragma unroll 1
  while (low < high) {  // the first node at or beyond z
    const std::uint32_t middle = (low + high) / 2;
    if (nodes.list[middle].z < z)
      low = middle + 1;
    else
      high = middle;
  }
#pragma unroll 1
  for (; low < end && nodes.list[low].z < z + cells; ++low) take(nodes.list[low]);
}
/// Four new cells with what sources add to them; receivers take theirs.
__device__ __noinline__ static float4 with_points(const TowerPoints<float>* t, int ny, int step, int x, int y, int z,
                                                  float4 n) {
  for_nodes<4>(t->sources, ny, x, y, z, [&](const RowNode node) {
    const int d = node.z - z;
    float p = d == 0 ? n.x : d == 1 ? n.y : d == 2 ? n.z : n.w;
    const float* const values = t->values + step * t->contributions;
#pragma unroll 1
    for (std::uint32_t i = node.begin; i < node.end; ++i) p += values[i];
    if (d == 0) n.x = p;
    if (d == 1) n.y = p;
    if (d == 2) n.z = p;
    if (d == 3) n.w = p;
  });
  const int record = t->record[step];
  if (record >= 0)
    for_nodes<4>(t->receivers, ny, x, y, z, [&](const RowNode node) {
      const int d = node.z - z;
      t->out[record * t->receiver_count + node.begin] = d == 0 ? n.x : d == 1 ? n.y : d == 2 ? n.z : n.w;
    });
  return n;
}
/// The same by a warp whose lanes have a row between them, four cells each. Nodes come 32 at a time: searches of single lanes would wait for the
/// memory at each of their steps.
__device__ __forceinline__ float4 add_row_points(const TowerPoints<float>* t, int ny, int step, int x, int y, int z,
                                                 float4 n, bool own) {
  constexpr unsigned all = 0xffffffffU;
  const int lane = static_cast<int>(threadIdx.x % 32), z_begin = z - 4 * lane;
  const auto for_row = [&](const RowNodes& nodes, auto&& take) {
    const int slot = nodes.slot[x];
    if (slot < 0) return;
    const std::uint32_t* const first = nodes.first + (static_cast<std::int64_t>(slot) * (ny + 1) + y);
    const std::uint32_t end = first[1];
#pragma unroll 1
    for (std::uint32_t begin = first[0]; begin < end; begin += 32) {
      RowNode node;
      node.z = -1;
      if (begin + static_cast<std::uint32_t>(lane) < end) node = nodes.list[begin + static_cast<std::uint32_t>(lane)];
#pragma unroll 1
      for (unsigned some = __ballot_sync(all, node.z >= z_begin && node.z < z_begin + 128 ? 1 : 0); some != 0;
           some &= some - 1) {
        const int from = __ffs(static_cast<int>(some)) - 1, d = __shfl_sync(all, node.z, from) - z;
        const std::uint32_t low = __shfl_sync(all, node.begin, from), high = __shfl_sync(all, node.end, from);
        if (d >= 0 && d < 4) take(d, low, high);
      }
    }
  };
  for_row(t->sources, [&](int d, std::uint32_t low, std::uint32_t high) {
    float p = d == 0 ? n.x : d == 1 ? n.y : d == 2 ? n.z : n.w;
    const float* const values = t->values + step * t->contributions;
#pragma unroll 1
    for (std::uint32_t i = low; i < high; ++i) p += values[i];
    n = make_float4(d == 0 ? p : n.x, d == 1 ? p : n.y, d == 2 ? p : n.z, d == 3 ? p : n.w);
  });
  const int record = t->record[step];
  if (record >= 0)
    for_row(t->receivers, [&](int d, std::uint32_t low, std::uint32_t) {
      if (own) t->out[record * t->receiver_count + low] = d == 0 ? n.x : d == 1 ? n.y : d == 2 ? n.z : n.w;
    });
  return n;
}
/// One new cell.
template <class T>
__device__ __forceinline__ T add_point(const TowerPoints<T>* t, int ny, int step, int x, int y, int z, T n) {
  for_nodes<1>(t->sources, ny, x, y, z, [&](const RowNode node) {
    const T* const values = t->values + step * t->contributions;
#pragma unroll 1
    for (std::uint32_t i = node.begin; i < node.end; ++i) n += values[i];
  });
  const int record = t->record[step];
  if (record >= 0)
    for_nodes<1>(t->receivers, ny, x, y, z,
                 [&](const RowNode node) { t->out[record * t->receiver_count + node.begin] = n; });
  return n;
}
/// Without a branch, which would move registers to memory.
__device__ __forceinline__ float4 chosen(bool first, float4 a, float4 b) {
  return make_float4(first ? a.x : b.x, first ? a.y : b.y, first ? a.z : b.z, first ? a.w : b.w);
}
/// Images, as far as cells inside reach, behind the low face of z in a line of cells, `below` cells under the first of the middle four; or the high one, `above` cells over it.
template <int R>
__device__ __forceinline__ void mirror_low(float* value, int below, float sign) {
  constexpr int o = 4 * ((R + 3) / 4);
#pragma unroll
  for (int i = 0; i < o; ++i) {
    float v = value[i];
#pragma unroll
    for (int d = 0; d < R; d += 4)
      if (o - d > i) v = below == d ? sign * value[2 * (o - d) - i] : v;
    value[i] = v;
  }
}
template <int R>
__device__ __forceinline__ void mirror_high(float* value, int above, float sign) {
  constexpr int o = 4 * ((R + 3) / 4);
#pragma unroll
  for (int i = 2 * o + 3; i > o; --i) {
    float v = value[i];
#pragma unroll
    for (int d = 0; d < R + 3; ++d)
      if (o + d < i && i <= o + d + R && 2 * (o + d) - i >= 0) v = above == d ? sign * value[2 * (o + d) - i] : v;
    value[i] = v;
  }
}

}  // namespace conoid::acoustic_fd
