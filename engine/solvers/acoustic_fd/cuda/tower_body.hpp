// SPDX-License-Identifier: BSD-3-Clause
// The skewed streaming tower on a device; included by the .cu file of each order. The association of sums is that of
// kernels/patch.hpp, so results are those of the stepwise kernel bit for bit.
#pragma once

#include "engine/team/kernel.hpp"

#include "engine/solvers/acoustic_fd/cuda/band_parts.hpp"
#include "engine/solvers/acoustic_fd/cuda/tower_arguments.hpp"

namespace conoid::acoustic_fd {

__device__ __forceinline__ unsigned load_acquire(const unsigned* p) {
#if defined(__CUDACC__)
  unsigned v;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
#else
  return atomicAdd(const_cast<unsigned*>(p), 0U);
#endif
}
__device__ __forceinline__ void store_release(unsigned* p, unsigned v) {
#if defined(__CUDACC__)
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
#else
  atomicExch(p, v);
#endif
}
/// A value that the compiler may not compute ahead of the loop: that would cost a register for each level.
__device__ __forceinline__ int made_here(int v) {
#if defined(__CUDACC__)
  asm volatile("" : "+r"(v));
#endif
  return v;
}
/// Pair sums of the neighbours along y and z.
template <int R>
struct Near {
  float4 y[R], z[R];

  template <int W>
  __device__ __forceinline__ void look(const float4* m, float4 u) {
    LineOfFours<R> line;
    line.take(u, [m](int f) { return m[f]; });
#pragma unroll
    for (int i = 1; i <= R; ++i) {
      y[i - 1] = sum(m[-i * W], m[i * W]);
      z[i - 1] = line.pair(i);
    }
  }
};
__device__ __forceinline__ void wait_for(const unsigned* p, unsigned steps) {
  while (load_acquire(p) < steps) {
  }
}

/// A four that a step brings from the device's memory into shared memory: of plane x − behind, asked for as `from` + x strides.
struct alignas(16) TowerCopy {
  const float4* from = nullptr;
  int stride = 0;                    ///< fours between planes
  std::uint16_t to = 0, behind = 0;  ///< to: place in a buffer
};

/// One persistent block takes tower after tower in the order of their dependencies, band after band.
///
/// Update k of a band (it makes level k+1) covers, at step X of the stream, plane X − R k of rows [B + R k, B + R k + rows) and fours
/// [C + rim k, C + rim k + fours). So a tower needs what the towers above it along y and z did at the same step, and nothing of those below.
/// A thread keeps its column from level to level, with the 2R+1 planes of the stencil in registers, until the tile leaves that column;
/// then it takes over the one a whole tile further up, whose newest levels the neighbour left in memory. In-plane neighbours are
/// read from middle planes in shared memory, one barrier a step for all levels. What comes from neighbours (the rim of each middle
/// plane, entering columns) is copied asynchronously, one step ahead, from a list that is made once a tower. The last warp has no
/// cells: it looks how far the neighbours are and tells how far this tower is, while the others compute.
template <class S>
__global__ void __launch_bounds__(S::launched, 1) tower(TowerArguments t) {
  constexpr int R = S::radius, T = S::levels, rows = S::tile_rows, fours = S::tile_fours, U = S::unrolled;
  static_assert(R * T <= rows && S::rim * T <= fours && R * (T - 1) < 32 && sizeof(TowerCopy) == 16 &&
                S::buffer < 65536);
  constexpr int F = S::rim, W = S::wide, plane = S::plane, threads = S::threads, buffer = S::buffer;
  float4* const buffers = dynamic_shared<float4>();
  float4* const medium = buffers + 2 * buffer;
  float4* const coming_u = medium + S::medium_planes * threads;  // a thread's own: plane X + R of level k
  float4* const coming_o = coming_u + threads;                   // plane X of level k − 1
  TowerCopy* const copies = reinterpret_cast<TowerCopy*>(coming_o + threads);
  __shared__ unsigned shared_ticket;
  __shared__ int copy_count;
  __shared__ unsigned busy_plane[2];  // at even and odd steps: whether plane X has sources or receivers
  const int id = static_cast<int>(threadIdx.x), own_r = id / fours, own_c = id % fours;
  const float4 zero = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
  const std::int64_t sx = t.stride_x / 4, ax = t.a_stride_x / 4;
  const int sy = static_cast<int>(t.stride_y / 4), ay = static_cast<int>(t.a_stride_y / 4), nx = t.nx, ny = t.ny,
            nz = t.nz;
  const int steps = nx + R * (T - 1) + R;  // of a tower; step s is X = s − R
  const int towers = t.rows * t.columns;
  const int r = own_r, c = own_c;
  const int ky = r < S::entering_rows ? r / R + 1 : T, kz = c < S::entering_fours ? c / F + 1 : T;
  constexpr unsigned points_mask = (2U << (R * (T - 1))) - 1U;

  for (;;) {
    __syncthreads();
    if (id == 0) {
      shared_ticket = atomicAdd(t.ticket, 1U);
      copy_count = 0;
    }
    __syncthreads();
    const int ticket = static_cast<int>(shared_ticket);
    if (ticket >= towers * t.bands) return;
    const int band = ticket / towers, number = ticket % towers;
    const int j = t.rows - 1 - number / t.columns, l = t.columns - 1 - number % t.columns;
    const int B = t.first_y + j * rows, C = t.first_z / 4 + l * fours;  // C in fours
    const bool swapped = T % 2 == 1 && band % 2 == 1;
    float4* const even = reinterpret_cast<float4*>(swapped ? t.odd : t.even);
    float4* const odd = reinterpret_cast<float4*>(swapped ? t.even : t.odd);
    const float4* const a = reinterpret_cast<const float4*>(t.a);
    unsigned* const mine = t.done + band * towers + j * t.columns + l;
    const unsigned* const above_y = j + 1 < t.rows ? mine + t.columns : nullptr;
    const unsigned* const above_z = l + 1 < t.columns ? mine + 1 : nullptr;
    const unsigned* const before =
        band > 0 ? t.done + (band - 1) * towers + (j > 0 ? j - 1 : 0) * t.columns + (l > 0 ? l - 1 : 0) : nullptr;
    // The reach of the tile over all levels.
    const int y_end = B + rows + R * (T - 1), z_begin = 4 * C, z_end = 4 * (C + fours + F * (T - 1));
    const bool inner = B >= 0 && z_begin >= 0 && y_end <= ny && z_end <= nz;
    const bool edge_y = (t.sign[2] != 0 && B < R) || (t.sign[3] != 0 && y_end > ny - R);
    const bool edge_low = t.sign[4] != 0 && z_begin < R, edge_high = t.sign[5] != 0 && z_end > nz - R;
    const bool edge = edge_y || edge_low || edge_high;
    const bool undamped = B >= t.core[2] && y_end <= t.core[3] && z_begin >= t.core[4] && z_end <= t.core[5];

    for (int i = id; i < 2 * buffer; i += S::launched) buffers[i] = zero;  // what lies outside the grid stays so
    const auto enlist = [&](int y, int z, int to, int behind, unsigned array) {
      if (y < 0 || y >= ny || z < 0 || 4 * z >= nz) return;
      const int place = array == 2 ? y * ay + z : y * sy + z;
      const std::int64_t stride = array == 2 ? ax : sx;
      copies[atomicAdd(&copy_count, 1)] =
          TowerCopy{(array == 0   ? even
                     : array == 1 ? odd
                                  : a) +
                        (place - behind * stride),
                    static_cast<int>(stride), static_cast<std::uint16_t>(to), static_cast<std::uint16_t>(behind)};
    };
    for (int e = id; e < T * S::halo; e += S::launched) {
      const int k = e / S::halo;
      int i = e % S::halo, row, four;
      if (i < 2 * R * fours) {
        row = i / fours < R ? i / fours : rows + i / fours;
        four = F + i % fours;
      } else {
        i -= 2 * R * fours;
        row = R + i / (2 * F);
        four = i % (2 * F) < F ? i % (2 * F) : fours + i % (2 * F);
      }
      // With R = 1 what this tower leaves below is put there directly: it would come too late through memory.
      if (R == 1 && k > 0 && row < rows && four < fours) continue;
      enlist(B + R * k + row - R, C + F * k + four - F, k * plane + row * W + four, R * k, k % 2);
    }
    for (int e = id; e < 3 * S::entering; e += S::launched) {
      const int what = e / S::entering;
      int i = e % S::entering, y, z, k;
      if (i < S::entering_rows * fours) {
        k = i / fours / R + 1;
        y = B + i / fours + rows;
        z = C + i % fours + (i % fours < F * k ? fours : 0);
      } else {
        i -= S::entering_rows * fours;
        const int rr = i / S::entering_fours, cc = i % S::entering_fours;
        k = cc / F + 1;
        if (rr < S::entering_rows && rr / R + 1 == k) continue;
        y = B + rr + (rr < R * k ? rows : 0);
        z = C + cc + fours;
      }
      const unsigned array = what == 0 ? k % 2 : what == 1 ? (k + 1) % 2 : 2;
      enlist(y, z, T * plane + e, what == 0 ? R * (k - 1) : R * k, array);
    }

    if (id >= threads) {
      // What steps up to s ask for, for the step after each: others must have done that one. A lane looks at each of them.
      const int lane = id - threads, ahead = lane == 2 ? 2 + R * T : 2;
      const unsigned* const watched = lane == 0 ? above_y : lane == 1 ? above_z : lane == 2 ? before : nullptr;
      const auto look = [&](int s) {
        if (watched != nullptr) wait_for(watched, static_cast<unsigned>(s + ahead < steps ? s + ahead : steps));
      };
      if (lane < 2) busy_plane[lane] = 0;
      look(1);
      __syncthreads();
      for (int s = 0; s < (steps + U - 1) / U * U; ++s) {
        __syncthreads();
        if (lane == 4 && t.busy != nullptr) {
          const int x = s + 1 - R;
          busy_plane[(s + 1) & 1] = x >= 0 && x < nx ? t.busy[x] : 0U;
        }
        if (s % 2 == 1)
          look(s + 2);
        else if (lane == 3 && s > 0 && s < steps)
          store_release(mine, static_cast<unsigned>(s));
      }
      __syncthreads();
      if (lane == 3) store_release(mine, static_cast<unsigned>(steps));
      continue;
    }
    const int slot_z = T * plane + S::entering_rows * fours + r * S::entering_fours + c;
    const bool first_inside = B + r >= 0 && B + r < ny && C + c >= 0 && 4 * (C + c) < nz;
    const float4* const first_even = even + ((B + r) * sy + C + c);
    const float4* const first_odd = odd + ((B + r) * sy + C + c);
    const float4* const first_medium = a + ((B + r) * ay + C + c);
    float4 q[T][2 * R + U];
#pragma unroll
    for (int k = 0; k < T; ++k)
#pragma unroll
      for (int i = 0; i < 2 * R + U; ++i) q[k][i] = zero;
    unsigned busy = 0;                     // bit i: plane X − i has sources or receivers
    int at_medium = S::medium_planes - 1;  // slot of plane X
    int now = 0;                           // the buffer in use

    __syncthreads();
    if (first_inside) copy_async<16>(shared_address(coming_u + id), first_even);
    __pipeline_commit();

    const auto pass = [&]<int p>(int s) {
      const int X = s - R;
      const int r = made_here(own_r), c = made_here(own_c);
      float4* const mid = buffers + now;
      const int other = buffer - now;
#pragma unroll
      for (int k = 0; k < T; ++k) {
        const int at = (r + (r < R * k ? rows : 0) - R * k + R) * W + c + (c < F * k ? fours : 0) - F * k + F;
        mid[k * plane + at] = q[k][p + R];
      }
      __pipeline_wait_prior(0);
      __syncthreads();
      busy = busy << 1 | busy_plane[s & 1];
      const float4 next_now = first_inside && X + R < nx ? coming_u[id] : zero, old_0 = coming_o[id];
      q[0][p + 2 * R] = next_now;
      {  // for the next step
        const int x = X + 1, into = at_medium + 1 == S::medium_planes ? 0 : at_medium + 1;
        if (first_inside && x + R < nx) copy_async<16>(shared_address(coming_u + id), first_even + (x + R) * sx);
        if (first_inside && x >= 0 && x < nx) {
          copy_async<16>(shared_address(coming_o + id), first_odd + x * sx);
          copy_async<16>(shared_address(medium + into * threads + id), first_medium + x * ax);
        }
        const int count = copy_count;
        for (int i = id; i < count; i += threads) {
          const TowerCopy e = copies[i];
          if (static_cast<unsigned>(x - e.behind) < static_cast<unsigned>(nx))
            copy_async<16>(shared_address(buffers + other + e.to), e.from + static_cast<std::int64_t>(x) * e.stride);
        }
        __pipeline_commit();
      }
      // The medium of the columns that enter is used by all levels that follow.
      if (ky < T) {
        const int into = at_medium - R * ky + (at_medium < R * ky ? S::medium_planes : 0);
        medium[into * threads + id] = mid[T * plane + 2 * S::entering + id];
      }
      if (kz < T && kz != ky) {
        const int into = at_medium - R * kz + (at_medium < R * kz ? S::medium_planes : 0);
        medium[into * threads + id] = mid[2 * S::entering + slot_z];
      }
      // kind 0: the core; 1: sponges; 2: images along y and z too.
      const auto levels = [&]<int kind>() {
        float4 made = zero;
        int at_a = at_medium;
        Near<R> near;
        if constexpr (R == 1) near.template look<W>(mid + (r + R) * W + c + F, q[0][p + R]);
#pragma unroll
        for (int k = 0; k < T; ++k) {
          const int x = X - R * k;
          const int row = r + (r < R * k ? rows : 0) - R * k, four = c + (c < F * k ? fours : 0) - F * k;
          const int at = (row + R) * W + four + F;
          float4 newest = k == 0 ? next_now : made, old = k == 0 ? old_0 : q[k > 0 ? k - 1 : 0][p];
          if (k > 0 && (k == ky || k == kz)) {
            const float4* const from = mid + (k == ky ? T * plane + id : slot_z);
            newest = from[0];
            old = from[S::entering];
          }
          const float4 med = medium[at_a * threads + id];
          if constexpr (R > 1) near.template look<W>(mid + k * plane + at, q[k][p + R]);
          const int y = B + R * k + row, z = 4 * (C + F * k + four);
          if constexpr (kind == 2) {
            const float4* const m = mid + k * plane + at;
            if (edge_y) {
#pragma unroll
              for (int i = 1; i <= R; ++i) {
                float4 low = m[-i * W], high = m[i * W];
                if (y - i < 0 && t.sign[2] != 0 && y >= 0) low = scaled(t.sign[2], m[(i - 2 * y) * W]);
                if (y + i >= ny && t.sign[3] != 0 && y < ny) high = scaled(t.sign[3], m[(2 * (ny - 1 - y) - i) * W]);
                near.y[i - 1] = sum(low, high);
              }
            }
            if (edge_low || edge_high) {
              LineOfFours<R> line;
              line.take(q[k][p + R], [m](int f) { return m[f]; });
              if (edge_low) mirror_low<R>(line.value, z, t.sign[4]);
              if (edge_high) mirror_high<R>(line.value, nz - 1 - z, t.sign[5]);
#pragma unroll
              for (int i = 1; i <= R; ++i) near.z[i - 1] = line.pair(i);
            }
          }
          const Near<R> here = near;
          if (R == 1 && k + 1 < T) {  // in time: stores follow that nothing read later may overtake
            const int after = (r + (r < R * (k + 1) ? rows : 0) - R * (k + 1) + R) * W + c +
                              (c < F * (k + 1) ? fours : 0) - F * (k + 1) + F;
            near.template look<W>(mid + (k + 1) * plane + after, q[k + 1 < T ? k + 1 : k][p + R]);
          }
          q[k][p + 2 * R] = newest;
          const float4 u = q[k][p + R];
          float4 L = scaled(t.centre, u);
#pragma unroll
          for (int i = 1; i <= R; ++i)
            L = fused(t.weight[i], sum(sum(sum(q[k][p + R - i], q[k][p + R + i]), here.y[i - 1]), here.z[i - 1]), L);
          float4 n;
          float4* const to = (k % 2 == 0 ? odd : even) + (x * sx + (y * sy + z / 4));
          const bool left = k >= T - 2 || row < 2 * R || four < 2 * F;
          if constexpr (kind == 0) {
            n = make_float4(fmaf(med.x, L.x, (u.x + u.x) - old.x), fmaf(med.y, L.y, (u.y + u.y) - old.y),
                            fmaf(med.z, L.z, (u.z + u.z) - old.z), fmaf(med.w, L.w, (u.w + u.w) - old.w));
            if (left) *to = n;
          } else {
            const bool inside = y >= 0 && y < ny && z >= 0 && z < nz;
            const float s_xy = __ldg(t.sigma_x + x) + __ldg(t.sigma_y + (inside ? y : 0));
            const float4 s_z = load_four(t.sigma_z + (inside ? z : 0));
            n = make_float4(
                damped_here(med.x, L.x, u.x, old.x, s_xy + s_z.x), damped_here(med.y, L.y, u.y, old.y, s_xy + s_z.y),
                damped_here(med.z, L.z, u.z, old.z, s_xy + s_z.z), damped_here(med.w, L.w, u.w, old.w, s_xy + s_z.w));
            n = make_float4(inside ? n.x : 0.0F, inside && z + 1 < nz ? n.y : 0.0F, inside && z + 2 < nz ? n.z : 0.0F,
                            inside && z + 3 < nz ? n.w : 0.0F);
            if (inside && left) store_fours(reinterpret_cast<float*>(to), n, nz - z);
          }
          if (R == 1 && k + 1 < T && (row < R || four < F)) buffers[other + (k + 1) * plane + at - R * W - F] = n;
          made = n;
          at_a = at_a >= R ? at_a - R : at_a - R + S::medium_planes;
        }
      };
      const bool far_from_ends = X > R * (T - 1) && X + R < nx && (busy & points_mask) == 0;
      if (inner && undamped && far_from_ends && !edge && X - R * (T - 1) >= t.core[0] && X < t.core[1]) {
        levels.template operator()<0>();
      } else if (far_from_ends && !edge) {
        levels.template operator()<1>();
      } else if (R > 1 && far_from_ends) {
        if constexpr (R > 1) levels.template operator()<2>();
      } else {
        float4 made = zero;
        int at_a = at_medium;
#pragma unroll
        for (int k = 0; k < T; ++k) {
          const int x = X - R * k;
          const int row = r + (r < R * k ? rows : 0) - R * k,
                    four = c + (c < F * k ? fours : 0) - F * k;  // in the tile
          const int at = (row + R) * W + four + F;
          const float4* const m = mid + k * plane + at;
          float4 newest, old;
          const float4 med = medium[at_a * threads + id];
          if (k == 0) {
            old = old_0;
          } else {
            newest = made;
            old = q[k > 0 ? k - 1 : 0][p];
            if (k == ky || k == kz) {
              const float4* const from = mid + (k == ky ? T * plane + id : slot_z);
              newest = from[0];
              old = from[S::entering];
            }
            q[k][p + 2 * R] = newest;
          }
          if (x + R >= nx) {  // planes behind the faces of x
            float4 image = zero;
#pragma unroll
            for (int i = 1; i <= R; ++i)
              image = chosen(x + R - (nx - 1) == i && t.sign[1] != 0, scaled(t.sign[1], q[k][p + 2 * (R - i)]), image);
            q[k][p + 2 * R] = image;
          }
          if (x == 0) {
#pragma unroll
            for (int i = 1; i <= R; ++i)
              q[k][p + R - i] = chosen(t.sign[0] != 0, scaled(t.sign[0], q[k][p + R + i]), zero);
          }
          float4 n = zero;
          const int y = B + R * k + row, z = 4 * (C + F * k + four);
          if (x >= 0 && x < nx && (inner || (y >= 0 && y < ny && z >= 0 && z < nz))) {
            const float4 u = q[k][p + R];
            LineOfFours<R> line;
            line.take(u, [m](int f) { return m[f]; });
            if (edge_low) mirror_low<R>(line.value, z, t.sign[4]);
            if (edge_high) mirror_high<R>(line.value, nz - 1 - z, t.sign[5]);
            float4 L = scaled(t.centre, u);
#pragma unroll
            for (int i = 1; i <= R; ++i) {
              float4 low = m[-i * W], high = m[i * W];
              if (edge_y) {
                if (y - i < 0 && t.sign[2] != 0) low = scaled(t.sign[2], m[(i - 2 * y) * W]);
                if (y + i >= ny && t.sign[3] != 0) high = scaled(t.sign[3], m[(2 * (ny - 1 - y) - i) * W]);
              }
              L = fused(t.weight[i], sum(sum(sum(q[k][p + R - i], q[k][p + R + i]), sum(low, high)), line.pair(i)), L);
            }
            if (undamped && x >= t.core[0] && x < t.core[1]) {
              n = make_float4(fmaf(med.x, L.x, (u.x + u.x) - old.x), fmaf(med.y, L.y, (u.y + u.y) - old.y),
                              fmaf(med.z, L.z, (u.z + u.z) - old.z), fmaf(med.w, L.w, (u.w + u.w) - old.w));
            } else {
              const float s_xy = t.sigma_x[x] + t.sigma_y[y];
              const float4 s_z = load_four(t.sigma_z + z);
              n = make_float4(
                  damped_here(med.x, L.x, u.x, old.x, s_xy + s_z.x), damped_here(med.y, L.y, u.y, old.y, s_xy + s_z.y),
                  damped_here(med.z, L.z, u.z, old.z, s_xy + s_z.z), damped_here(med.w, L.w, u.w, old.w, s_xy + s_z.w));
            }
            if (!inner && z + 4 > nz) {  // behind the last cell of a row
              n.w = 0.0F;
              if (z + 3 > nz) n.z = 0.0F;
              if (z + 2 > nz) n.y = 0.0F;
            }
            if (busy >> (R * k) & 1U) n = with_points(t.points, ny, band * T + k, x, y, z, n);
            if (k >= T - 2 || row < 2 * R || four < 2 * F) {
              float4* const to = (k % 2 == 0 ? odd : even) + (x * sx + (y * sy + z / 4));
              if (inner)
                *to = n;
              else
                store_fours(reinterpret_cast<float*>(to), n, nz - z);
            }
          }
          if (R == 1 && k + 1 < T && (row < R || four < F)) buffers[other + (k + 1) * plane + at - R * W - F] = n;
          made = n;
          at_a = at_a >= R ? at_a - R : at_a - R + S::medium_planes;
        }
      }
      at_medium = at_medium + 1 == S::medium_planes ? 0 : at_medium + 1;
      now = other;
    };
    for (int s = 0; s < steps; s += U) {
      pass.template operator()<0>(s);
      if constexpr (U > 1) pass.template operator()<1>(s + 1);
      if constexpr (U > 2) pass.template operator()<2>(s + 2);
#pragma unroll
      for (int k = 0; k < T; ++k)
#pragma unroll
        for (int i = 0; i < 2 * R; ++i) q[k][i] = q[k][i + U];
    }
    __pipeline_wait_prior(0);
    __syncthreads();
  }
}

}  // namespace conoid::acoustic_fd
