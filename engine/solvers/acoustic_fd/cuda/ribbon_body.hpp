// SPDX-License-Identifier: BSD-3-Clause
// Ribbons: several steps of order 2 at once on a device; included by order2.cu. The association of sums is that of
// kernels/patch.hpp, so results are those of the stepwise kernel bit for bit.
#pragma once

#include "engine/team/kernel.hpp"

#include "engine/solvers/acoustic_fd/cuda/fours.hpp"
#include "engine/solvers/acoustic_fd/cuda/ribbon_arguments.hpp"
#include "engine/solvers/acoustic_fd/cuda/tower_body.hpp"

namespace conoid::acoustic_fd {

/// One persistent block takes ribbon after ribbon in the order of their dependencies, band after band.
///
/// A ribbon is 128 cells along z, of which the outer ones are computed twice, times a tile of rows that leans by one row a level;
/// it streams along x, level k lagging by k planes. Update k of a band (it makes level k+1) covers at step X of the stream
/// plane X − k of rows B + k … B + k + H − 1. So a ribbon needs what the one above it did at the same step and nothing of the one below.
/// A thread has four cells along z of `own` neighbouring rows and keeps two planes of every level in registers: neighbours along z
/// come by shuffles, most along y from the thread's own registers, the outer rows of a warp by way of shared memory, one barrier a
/// step for all levels. Row n of the tile belongs to slot n; when the tile has left a row, its slot takes over the row H
/// further up. So the seam between the ends of the tile lies, at level k, between slots k − 1 and k.
///
/// Limited by instructions (138 for 128 cells, 36 of them arithmetic; half a one a clock and scheduler) with three warps a scheduler,
/// which is what the planes in registers leave; memory and second cache are at 0.6 and 0.76 of their peaks. The solver's README has
/// the variants.
template <class S>
__global__ void __launch_bounds__(S::threads, S::blocks) ribbon(RibbonArguments t) {
  constexpr int T = S::levels, Y = S::own, warps = S::block_warps, H = S::tile_rows, threads = S::threads, wide = S::wide;
  static_assert(T <= H && T >= 2 && Y >= 2 && H <= 32 && S::copied <= 32);
  float4* const medium = dynamic_shared<float4>();           // [planes][H][32], a thread's own
  float4* const coming_o = medium + S::medium_planes * H * 32;  // [H][32]
  float4* const coming_u = coming_o + H * 32;                // [H][wide]
  float4* const outer = coming_u + H * wide;                 // [2][T][warps][2][32]: outer rows of the warps' middle planes
  float4* const lines = outer + 2 * T * warps * 2 * 32;      // [2][lines][32]
  constexpr int outer_buffer = T * warps * 2 * 32, line_buffer = S::lines * 32;
  // Lines of a step: 0, 1: rows below and above at level k; then for each level newest, above, old; then those below.
  const auto line_of = [](int k, int what) { return (what == 3 ? S::copied + k - 1 : k == 0 ? what : 3 * k - 1 + what) * 32; };
  __shared__ unsigned shared_ticket;
  const int id = static_cast<int>(threadIdx.x), own_lane = id % 32, own_warp = id / 32, lane = own_lane, warp = own_warp;
  const float4 zero = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
  const std::int64_t sx = t.stride_x / 4, ax = t.a_stride_x / 4;
  const int sy = static_cast<int>(t.stride_y / 4), ay = static_cast<int>(t.a_stride_y / 4), nx = t.nx, ny = t.ny, nz = t.nz;
  const int steps = nx + T;  // of a ribbon; step s is X = s − 1
  const int ribbons = t.rows * t.columns;
  const int slot = warp * Y;  // the thread's first
  constexpr unsigned points_mask = (1U << T) - 1U;

  for (;;) {
    __syncthreads();
    if (id == 0) shared_ticket = atomicAdd(t.ticket, 1U);
    __syncthreads();
    if (shared_ticket >= static_cast<unsigned>(ribbons * t.bands)) return;
    const int ticket = static_cast<int>(t.order[shared_ticket]);
    const int band = ticket / ribbons, j = ticket % ribbons / t.columns, l = ticket % t.columns;
    const int B = t.first_y + j * H, z_begin = l * S::useful - S::rim, z = z_begin + 4 * lane;
    const float4* const u = reinterpret_cast<const float4*>(t.newer[band & 1]);
    const float4* const o = reinterpret_cast<const float4*>(t.older[band & 1]);
    float4* const new_u = reinterpret_cast<float4*>(t.newer[(band + 1) & 1]);
    float4* const new_o = reinterpret_cast<float4*>(t.older[(band + 1) & 1]);
    const float4* const a = reinterpret_cast<const float4*>(t.a);
    const std::int64_t border_level = std::int64_t{64} * nx, border_ribbon = (T - 1) * border_level;
    float4* const left_below = reinterpret_cast<float4*>(t.borders) + (j * t.columns + l) * border_ribbon;
    const float4* const from_above = left_below + t.columns * border_ribbon;
    unsigned* const mine = t.done + band * ribbons + j * t.columns + l;
    const unsigned* const above = j + 1 < t.rows ? mine + t.columns : nullptr;
    const bool in_z = z >= 0 && z < nz;
    const bool keeps = in_z && 4 * lane >= S::rim && 4 * lane < 128 - S::rim;
    // The reach of the tile over all levels.
    const int y_end = B + H + T - 1, z_end = z_begin + 128;
    const bool edge_y = (t.sign[2] != 0 && B < 1) || (t.sign[3] != 0 && y_end > ny - 1);
    const bool edge_z = (t.sign[4] != 0 && z_begin < 1) || (t.sign[5] != 0 && z_end > nz - 1);
    const bool ragged = nz % 4 != 0 && z_end > nz;
    const bool undamped = B >= t.core[2] && y_end <= t.core[3] && z_begin >= t.core[4] && z_end <= t.core[5];
    const int place = (B + slot) * sy + z / 4;
    const float4 s_z = in_z ? load_four(t.sigma_z + z) : zero;

    for (int i = id; i < static_cast<int>(S::shared / 16); i += threads) medium[i] = zero;  // what lies outside the grid stays so
    __syncthreads();

    float4 q[T][2][Y];
#pragma unroll
    for (int k = 0; k < T; ++k)
#pragma unroll
      for (int i = 0; i < Y; ++i) q[k][0][i] = q[k][1][i] = zero;
    float beside[Y];  // of the outer lanes: the cells beside the 128, plane X of level k
#pragma unroll
    for (int i = 0; i < Y; ++i) beside[i] = 0.0F;
    unsigned busy = 0;                     // bit i: plane X − i has sources or receivers
    int at_medium = S::medium_planes - 1;  // slot of plane X

    // For what steps s … s + cadence − 1 ask of others, for the step after each: a lane looks at each of them.
    const unsigned* watched = nullptr;
    if (lane == 0 && above != nullptr) watched = above;
    if (lane >= 1 && lane < 4 && band > 0 && l + lane - 2 >= 0 && l + lane - 2 < t.columns)
      watched = t.done + (band - 1) * ribbons + (j > 0 ? j - 1 : 0) * t.columns + (l + lane - 2);
    const auto wait = [&](int s) {
      const int wanted = s + S::cadence + 1 + (lane == 0 ? 0 : T);
      if (watched != nullptr) wait_for(watched, static_cast<unsigned>(wanted < steps ? wanted : steps));
    };
    // Rows that this thread copies a four of: its own, and some of the lines.
    unsigned rows_in = 0;
#pragma unroll
    for (int i = 0; i < Y; ++i) rows_in |= B + slot + i >= 0 && B + slot + i < ny ? 1U << i : 0U;
    const bool more = lane == 0 || lane == 31;  // the fours beside
    const int z_more = lane == 0 ? z - 4 : z + 4, more_off = lane == 0 ? -1 : 1;
    const bool has_more = more && z_more >= 0 && z_more < nz;
    constexpr int jobs = (S::copied + warps - 1) / warps;
    int job_behind[jobs];
    const float4* job_from[jobs];  // of plane 0
    std::int64_t job_stride[jobs];
#pragma unroll
    for (int n = 0; n < jobs; ++n) {
      const int job = n * warps + warp;
      const int k = job < 2 ? 0 : (job - 2) / 3 + 1, what = job < 2 ? job : (job - 2) % 3;
      job_behind[n] = what == 0 && k > 0 ? k - 1 : k;
      bool there = job < S::copied;
      if (k == 0 || (k == 1 && what == 2)) {
        const int y = k == 0 && what == 0 ? B - 1 : B + H;
        there = there && in_z && y >= 0 && y < ny;
        job_from[n] = u + (y * sy + z / 4);
        job_stride[n] = sx;
      } else {
        there = there && above != nullptr;
        const int level = what == 2 ? k - 1 : k, row = what == 0 ? 0 : 1;
        job_from[n] = from_above + ((level - 1) * border_level + row * 32 + lane);
        job_stride[n] = 64;
      }
      if (!there) job_behind[n] = 1 << 28;  // never
    }
    // For step X: plane X + 1 of level k, plane X of level k−1 and of the medium; lines. What lies outside the grid stays zero, but for
    // planes behind the last, which nobody looks at, and the medium of slots that had taken over rows inside.
    const auto ask = [&](int X, int into, float4* lines_to) {
      if (in_z && X + 1 < nx) {
        const float4* const from = u + ((X + 1) * sx + place);
        float4* const to = coming_u + slot * wide + 1 + lane;
#pragma unroll
        for (int i = 0; i < Y; ++i)
          if (rows_in >> i & 1U) copy_async<16>(shared_address(to + i * wide), from + i * sy);
      }
      if (has_more && X + 1 < nx) {
        const float4* const from = u + ((X + 1) * sx + place + more_off);
        float4* const to = coming_u + slot * wide + 1 + lane + more_off;
#pragma unroll
        for (int i = 0; i < Y; ++i)
          if (rows_in >> i & 1U) copy_async<16>(shared_address(to + i * wide), from + i * sy);
      }
      if (in_z && X >= 0 && X < nx) {
        const float4* const from = o + (X * sx + place);
        const float4* const from_a = a + (X * ax + ((B + slot) * ay + z / 4));
        float4* const to = coming_o + slot * 32 + lane;
        float4* const to_a = medium + (into * H + slot) * 32 + lane;
#pragma unroll
        for (int i = 0; i < Y; ++i)
          if (rows_in >> i & 1U) {
            copy_async<16>(shared_address(to + i * 32), from + i * sy);
            copy_async<16>(shared_address(to_a + i * 32), from_a + i * ay);
          } else if (slot + i < T - 1) {
            to_a[i * 32] = zero;
          }
      }
#pragma unroll
      for (int n = 0; n < jobs; ++n) {
        const int x = X - job_behind[n];
        if (x >= 0 && x < nx)
          copy_async<16>(shared_address(lines_to + (n * warps + warp) * 32 + lane), job_from[n] + x * job_stride[n]);
      }
      __pipeline_commit();
    };
    if (warp == 0) wait(0);
    __syncthreads();
    ask(-1, at_medium, lines);

    const auto pass = [&]<int p>(int s) {
      const int X = s - 1;
      const int lane = made_here(own_lane), warp = made_here(own_warp), slot = warp * Y;
      float4* const rows_now = outer + (s & 1) * outer_buffer;
      const float4* const lines_now = lines + (s & 1) * line_buffer;
      float4* const lines_next = lines + ((s & 1) ^ 1) * line_buffer;
#pragma unroll
      for (int k = 0; k < T; ++k) {
        float4* const to = rows_now + warp * 64 + lane;
        to[k * (warps * 64)] = q[k][1 - p][0];
        to[k * (warps * 64) + 32] = q[k][1 - p][Y - 1];
      }
      if (s % S::cadence == 0 && s > 0 && warp == 0) wait(s);
      __pipeline_wait_prior(0);
      __syncthreads();
      if (s % S::cadence == 0 && s > 0 && id == threads / 2) store_release(mine, static_cast<unsigned>(s));
      busy = busy << 1 | (t.busy != nullptr && X >= 0 && X < nx ? t.busy[X] : 0U);
      const int next_medium = at_medium + 1 == S::medium_planes ? 0 : at_medium + 1;
      const int below_warp = warp > 0 ? warp - 1 : warps - 1, above_warp = warp + 1 < warps ? warp + 1 : 0;

      // kind 0: the core; 1: sponges, images along z; 2: all images, sources and receivers too.
      const auto levels = [&]<int kind>() {
        float4 before[Y], newest[Y];  // plane X − k + 1 of levels k − 1 (one further) and k
        float4 old_0[Y];
        float next_to[Y];
#pragma unroll
        for (int i = 0; i < Y; ++i) {
          newest[i] = X + 1 < nx ? coming_u[(slot + i) * wide + 1 + lane] : zero;
          old_0[i] = X < nx ? coming_o[(slot + i) * 32 + lane] : zero;
          if (X >= nx) medium[(at_medium * H + slot + i) * 32 + lane] = zero;
          before[i] = zero;
          next_to[i] = beside[i];
          if (S::outer_cells)
            beside[i] = lane == 0 || lane == 31
                            ? reinterpret_cast<const float*>(coming_u + (slot + i) * wide)[lane == 0 ? 3 : 132]
                            : 0.0F;
        }
        ask(X + 1, next_medium, lines_next);
        int at_a = at_medium;
        float4* const my_medium = medium + slot * 32 + lane;
        const float4* const rows_below = rows_now + below_warp * 64 + 32 + lane;
        const float4* const rows_above = rows_now + above_warp * 64 + lane;
        const std::int64_t to = (X - (T - 1)) * sx + place;
        float4* const to_u = new_u + to;
        float4* const to_o = new_o + to;
#pragma unroll
        for (int k = 0; k < T; ++k) {
          const int x = X - k;
          const bool seam_here = warp == k / Y;
          float4* const medium_here = my_medium + at_a * (H * 32);
          const float4* below_at = rows_below + k * (warps * 64);
          const float4* above_at = rows_above + k * (warps * 64);
          if (k % Y == 0) {
            if (seam_here) below_at = lines_now + (k == 0 ? 0 : line_of(k, 3)) + lane;
            if ((warp + 1) % warps == k / Y) above_at = lines_now + line_of(k, 1) + lane;
          }
          const float4 below = *below_at, over = *above_at;
          float4 made[Y];
          float s_x = 0;
          if (kind > 0) s_x = __ldg(t.sigma_x + (x < 0 ? 0 : x < nx ? x : nx - 1));
#pragma unroll
          for (int i = 0; i < Y; ++i) {
            const float4 med = medium_here[i * 32];
            const float4 c = q[k][1 - p][i];
            float4 low = i == 0 ? below : q[k][1 - p][i > 0 ? i - 1 : 0];
            float4 high = i + 1 == Y ? over : q[k][1 - p][i + 1 < Y ? i + 1 : i];
            float4 old = k == 0 ? old_0[i] : q[k > 0 ? k - 1 : 0][p][i];
            if (k % Y != 0 && seam_here) {
              if (i == k % Y) low = lines_now[line_of(k, 3) + lane];
              if (i + 1 == k % Y) high = lines_now[line_of(k, 1) + lane];
            }
            if (k > 0 && i == (k - 1) % Y && warp == (k - 1) / Y) old = x < nx ? lines_now[line_of(k, 2) + lane] : zero;
            float left = __shfl_up_sync(0xffffffffU, c.w, 1), right = __shfl_down_sync(0xffffffffU, c.x, 1);
            if (S::outer_cells && k == 0) {
              left = lane == 0 ? next_to[i] : left;
              right = lane == 31 ? next_to[i] : right;
            }
            float4 first = q[k][p][i], last = newest[i];
            float4 pz = make_float4(left + c.y, c.x + c.z, c.y + c.w, c.z + right);
            const int here = slot + i, y = B + here + (here < k ? H : 0);
            if (kind > 0 && edge_z) {
              if (z == 0 && t.sign[4] != 0) pz.x = t.sign[4] * c.y + c.y;
              const int e = t.sign[5] != 0 ? nz - 1 - z : -1;
              if (e == 0) pz.x = left + t.sign[5] * left;
              if (e == 1) pz.y = c.x + t.sign[5] * c.x;
              if (e == 2) pz.z = c.y + t.sign[5] * c.y;
              if (e == 3) pz.w = c.z + t.sign[5] * c.z;
            }
            if constexpr (kind == 2) {
              const float4 l0 = low, h0 = high;
              low = chosen(y == 0 && t.sign[2] != 0, scaled(t.sign[2], h0), l0);
              high = chosen(y == ny - 1 && t.sign[3] != 0, scaled(t.sign[3], l0), h0);
              const float4 f0 = first, n0 = last;
              first = chosen(x == 0 && t.sign[0] != 0, scaled(t.sign[0], n0), f0);
              last = chosen(x == nx - 1 && t.sign[1] != 0, scaled(t.sign[1], f0), n0);
            }
            const float4 L = fused(t.weight, sum(sum(sum(first, last), sum(low, high)), pz), scaled(t.centre, c));
            float4 n;
            if constexpr (kind == 0) {
              n = make_float4(fmaf(med.x, L.x, fmaf(2.0F, c.x, -old.x)), fmaf(med.y, L.y, fmaf(2.0F, c.y, -old.y)),
                              fmaf(med.z, L.z, fmaf(2.0F, c.z, -old.z)), fmaf(med.w, L.w, fmaf(2.0F, c.w, -old.w)));
            } else {
              const float s_xy = s_x + __ldg(t.sigma_y + (y < 0 ? 0 : y < ny ? y : ny - 1));
              n = make_float4(
                  damped_here(med.x, L.x, c.x, old.x, s_xy + s_z.x), damped_here(med.y, L.y, c.y, old.y, s_xy + s_z.y),
                  damped_here(med.z, L.z, c.z, old.z, s_xy + s_z.z), damped_here(med.w, L.w, c.w, old.w, s_xy + s_z.w));
              if (ragged)
                n = make_float4(n.x, z + 1 < nz ? n.y : 0.0F, z + 2 < nz ? n.z : 0.0F, z + 3 < nz ? n.w : 0.0F);
            }
            made[i] = n;
          }
          if constexpr (kind == 2) {
            if ((busy >> k & 1U) != 0 && in_z && x >= 0 && x < nx) {
              float4 some[Y];  // in memory: one code for all rows
#pragma unroll
              for (int i = 0; i < Y; ++i) some[i] = made[i];
#pragma unroll 1
              for (int i = 0; i < Y; ++i) {
                const int y = B + slot + i + (slot + i < k ? H : 0);
                if (y >= 0 && y < ny) some[i] = add_points(t.points, ny, band * T + k, x, y, z, some[i], keeps);
              }
#pragma unroll
              for (int i = 0; i < Y; ++i) made[i] = some[i];
            }
          }
#pragma unroll
          for (int i = 0; i < Y; ++i) {
            float4 n = made[i];
            const int here = slot + i, y = B + here + (here < k ? H : 0);
            if (k + 1 < T) {
              // Level k + 1 of slots k and k + 1 is for the ribbon below; slot k takes over another row, with its medium.
              if (i == k % Y && warp == k / Y) {
                if (x >= 0 && x < nx) {
                  left_below[k * border_level + x * 64 + lane] = n;
                  float4* const med_at = medium_here + i * 32;
                  if (in_z && B + k + H < ny)
                    copy_async<16>(shared_address(med_at), a + (x * ax + ((B + k + H) * ay + z / 4)));
                  else
                    *med_at = zero;
                }
                lines_next[line_of(k + 1, 3) + lane] = n;
                n = x < nx ? lines_now[line_of(k + 1, 0) + lane] : zero;
              }
              if (i == (k + 1) % Y && warp == (k + 1) / Y && x >= 0 && x < nx)
                left_below[k * border_level + x * 64 + 32 + lane] = n;
            } else if (keeps && x >= 0 && x < nx && y >= 0 && y < ny) {
              const int row = (i + (here < k ? H : 0)) * sy;
              if (kind == 0) {
                to_u[row] = n;
                to_o[row] = q[k][1 - p][i];
              } else {
                store_fours(reinterpret_cast<float*>(to_u + row), n, nz - z);
                store_fours(reinterpret_cast<float*>(to_o + row), q[k][1 - p][i], nz - z);
              }
            }
            made[i] = n;
          }
#pragma unroll
          for (int i = 0; i < Y; ++i) {
            if (k > 0) q[k > 0 ? k - 1 : 0][p][i] = before[i];
            before[i] = newest[i];
            newest[i] = made[i];
          }
          at_a = at_a == 0 ? S::medium_planes - 1 : at_a - 1;
        }
#pragma unroll
        for (int i = 0; i < Y; ++i) q[T - 1][p][i] = before[i];
        __pipeline_commit();
      };
      const bool special = edge_y || (t.sign[0] != 0 && X - (T - 1) <= 0) || (t.sign[1] != 0 && X >= nx - 1) || (busy & points_mask) != 0;
      if (special)
        levels.template operator()<2>();
      else if (undamped && !ragged && !edge_z && X - (T - 1) >= t.core[0] && X < t.core[1])
        levels.template operator()<0>();
      else
        levels.template operator()<1>();
      at_medium = next_medium;
    };
    for (int s = 0; s < steps; s += 2) {
      pass.template operator()<0>(s);
      pass.template operator()<1>(s + 1);
    }
    __pipeline_wait_prior(0);
    __syncthreads();
    if (id == threads / 2) store_release(mine, static_cast<unsigned>(steps));
  }
}

}  // namespace conoid::acoustic_fd
