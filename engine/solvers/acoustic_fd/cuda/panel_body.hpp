// SPDX-License-Identifier: BSD-3-Clause
// Panels: a few steps at once on a device, out of place; included by the .cu files of orders 2 to 8. The association of sums is that of
// kernels/patch.hpp, so results are those of the stepwise kernel bit for bit.
#pragma once

#include "engine/team/box_copies.hpp"
#include "engine/team/cluster.hpp"
#include "engine/team/kernel.hpp"

#include <utility>

#include "engine/solvers/acoustic_fd/cuda/band_parts.hpp"
#include "engine/solvers/acoustic_fd/cuda/panel_arguments.hpp"

namespace conoid::acoustic_fd {

struct PanelPlace {
  int row, column, begin, end;  ///< and its planes
};
/// Of the n-th panel. Those at faces of y and z take longer: they go first, so that the last round is of equals.
__device__ __forceinline__ PanelPlace panel_place(int n, const PanelArguments& t) {
  const int lines = t.rows > 1 ? 2 : 1, ends = t.columns > 1 ? 2 : 1, inner_columns = t.columns - ends;
  const int outer = t.rows * t.columns - (t.rows - lines) * inner_columns,
            parts = (t.end - t.begin + t.segment - 1) / t.segment;
  // Three stretches of panels, each part by part, so that neighbours are at the same planes.
  const int first = outer < t.whole ? outer : t.whole;
  int from = 0, to = first, length = t.segment;
  if (n >= t.whole * parts) {
    n -= t.whole * parts;
    from = t.whole;
    to = t.rows * t.columns;
    length = t.rest;
  } else if (n >= first * parts) {
    n -= first * parts;
    from = first;
    to = t.whole;
  }
  const int begin = t.begin + n / (to - from) * length, end = begin + length < t.end ? begin + length : t.end;
  const int panel = from + n % (to - from), inner = panel - outer, side = panel - lines * t.columns;
  if (inner >= 0) return {1 + inner / inner_columns, 1 + inner % inner_columns, begin, end};
  if (side < 0) return {panel < t.columns ? 0 : t.rows - 1, panel % t.columns, begin, end};
  return {1 + side / ends, side % ends == 0 ? 0 : t.columns - 1, begin, end};
}

/// A panel is 128 cells along z and the rows of a cluster of blocks along y; it streams through planes of x, level k + 1 following level k at
/// a distance of R planes. What is computed from cells beyond the panel is wrong, by R more cells and rows a level, and is left to the
/// panels beside, which overlap: nothing is exchanged between clusters, all reads are of the levels before the band, and can be asked for
/// early. Columns stay with their thread: the 2R planes of each level lie in its registers, neighbours along z come from other lanes (R < 3)
/// or, as those along y, from the middle plane of the level in shared memory. What the next block of the cluster reads is stored
/// in its shared memory, where a signal counts the bytes. What is read comes as boxes for the whole block, which one thread asks for. One
/// barrier a step for all levels.
///
/// Along x a panel begins R T planes before its own and computes what it needs of them; or it goes on where the launch before ended, with the
/// planes that lay in registers then.
///
/// An update moves (12 · overlap + 8)/T bytes to and from the second cache, and 20/T to and from memory; 4/T more where the density varies.
template <class S, bool Unequal>
__global__ void __launch_bounds__(S::threads, 1) panel(const __grid_constant__ PanelArguments t) {
  constexpr int R = S::radius, T = S::levels, P = S::patch, U = S::unrolled, A = S::ahead, M = S::medium_ahead,
                Q = S::shown, H = S::high, W = S::warps;
  constexpr int plane = S::plane, buffer = S::buffer;
  constexpr bool ring = U == 2 * R + 1;  // else planes move to the front after U steps
  constexpr int depth = ring ? U : 2 * R + U;
  constexpr bool far = S::damping_far, dense = S::density;
  static_assert(H >= 2 * R && P <= H && M >= 1 && M <= A && H <= 256);
  float4* const buffers = dynamic_shared<float4>();
  float4* const medium = buffers + 2 * buffer;
  float4* const coming_u = medium + S::all_medium_planes * S::cells;  // planes X … X + A of level k
  float4* const coming_o = coming_u + A * S::cells;                   // and planes X − R … of level k − 1
  float4* const sponge =
      coming_o + A * S::cells;  // a thread's own where σ_x = 0: σ − 1, and 1/(1 + σ); unless in t.damping
  float4* const behind = sponge + (far ? 0 : 2 * S::cells);
  const SharedAddress signals = shared_address(behind);
  const SharedAddress arrivals = signals + 2 * ClusterSignal::bytes;  // of the boxes, one a stage
  unsigned* const words = reinterpret_cast<unsigned*>(behind + 1 + A);
  const int id = static_cast<int>(threadIdx.x), lane = id % 32, w = id / 32;
  const int rank = static_cast<int>(blockIdx.x) % t.cluster;
  const auto [j, l, x_begin, x_end] = panel_place(static_cast<int>(blockIdx.x) / t.cluster, t);
  const int nx = t.nx, ny = t.ny, nz = t.nz;
  // The last panels end where the grid does; what is theirs begins where it would anyway.
  const int fours = (nz + 3) / 4, last_y = ny - t.cluster * H, last_four = fours > 32 ? fours - 32 : 0;
  const int panel_y = j * t.panel_rows < last_y ? j * t.panel_rows : last_y,
            panel_four = l * S::useful_fours < last_four ? l * S::useful_fours : last_four;
  const int y_begin = panel_y + rank * H, y_end = y_begin + H, z_begin = 4 * panel_four, z_end = z_begin + 128;
  const int y0 = y_begin + w * P, four = panel_four + lane, z = 4 * four;
  const float4 zero = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
  const bool images_low = y_begin == 0 && t.sign[2] != 0, images_high = y_end == ny && t.sign[3] != 0;
  const bool edge = images_low || images_high || z_begin < R || z_end > nz - R;
  const bool undamped = y_begin >= t.core[2] && y_end <= t.core[3] && z_begin >= t.core[4] && z_end <= t.core[5];
  const bool plain = !edge && undamped;
  const bool smooth =
      z_end <= nz - R || (z_end == nz && nz % 4 == 0);  // the face of z has no cells of a four behind it

  for (int i = id; i < S::shared / 16; i += S::threads) buffers[i] = zero;
  BoxCopies::after_stores();
  __syncthreads();
  const int mine = w * P * 32 + lane;  // the thread's first row in what lies in rows of 32 fours
  const bool inside = z < nz;
  bool own[P];
  const float* const sigma_z = t.sigma_z + (inside ? z : 0);
  const int damped_at = ((j * t.columns + l) * t.cluster + rank) * 2 * S::cells + mine;
  const auto damping = [&](int p, float s_x, float4& less, float4& by) {
    const float s_xy = s_x + t.sigma_y[y0 + p];
    const float4 s_z = load_four(sigma_z), s = make_float4(s_xy + s_z.x, s_xy + s_z.y, s_xy + s_z.z, s_xy + s_z.w);
    less = make_float4(s.x - 1.0F, s.y - 1.0F, s.z - 1.0F, s.w - 1.0F);
    by = make_float4(reciprocal(1.0F + s.x), reciprocal(1.0F + s.y), reciprocal(1.0F + s.z), reciprocal(1.0F + s.w));
  };
#pragma unroll
  for (int p = 0; p < P; ++p) {
    const int y = y0 + p, own_y = j * t.panel_rows + R * T, own_four = l * S::useful_fours + S::rim;
    own[p] = z < nz && (four >= own_four || l == 0) && (four < own_four + S::useful_fours || l == t.columns - 1) &&
             (y >= own_y || j == 0) && (y < own_y + t.panel_rows || j == t.rows - 1);
    if constexpr (!far) damping(p, 0.0F, sponge[p * 32 + mine], sponge[S::cells + p * 32 + mine]);
  }
  const bool resumes = t.kept != nullptr && x_begin > 0, keeps = t.kept != nullptr && x_end < nx;
  const int X0 = resumes ? x_begin + R * T : x_begin > R * T ? x_begin - R * T : 0, needed = x_end + R * T - X0;
  // Where nobody goes on from here also what is missing in a round of the fast steps: a slow one costs more than those.
  const int X1 = X0 + (keeps ? needed : (needed + U - 1) / U * U);
  // Where the results of the thread's first row go, and from there to other rows and the level before.
  const std::int64_t plane_bytes = 4 * t.stride_x, row_bytes = 4 * t.stride_y;
  char* there_newer = reinterpret_cast<char*>(t.to_newer + (y0 * t.stride_y + z + (X0 - R * T - t.first) * t.stride_x));
  const std::int64_t to_older =
      reinterpret_cast<const char*>(t.to_older) - reinterpret_cast<const char*>(t.to_newer) + R * plane_bytes;

  // What this warp tells the blocks below and above in the cluster, and what it hears of them.
  const bool lower = w * P < R && rank > 0, upper = w * P + P > H - R && rank < t.cluster - 1, tells = lower || upper;
  const unsigned expected =
      static_cast<unsigned>(T * R * 512) * static_cast<unsigned>((rank > 0 ? 1 : 0) + (rank < t.cluster - 1 ? 1 : 0));
  if (id == 0) {
    ClusterSignal::start(signals);
    ClusterSignal::start(signals + ClusterSignal::bytes);
    for (int i = 0; i < A; ++i) ClusterSignal::start(arrivals + ClusterSignal::bytes * i);
  }
  const bool images = (images_low && w * P <= R) || (images_high && w * P + P >= H - 1 - R);
  float4* const lines = buffers + ((R + w * Q) * 32 + lane);  // the warp's first row in the plane of level 0

  float4 q[T][P][depth];
#pragma unroll
  for (int k = 0; k < T; ++k)
#pragma unroll
    for (int p = 0; p < P; ++p)
#pragma unroll
      for (int i = 0; i < depth; ++i) q[k][p][i] = zero;
  constexpr int medium_plane = 16 * S::cells, medium_ring = S::medium_planes * medium_plane;
  int slot = 0;                         // bytes to the medium of plane X − R
  unsigned phase = 0;                   // of the arrival of planes X and X − R
  int coming = 0;                       // its stage
  unsigned number = 0;                  // of the step
  const auto has_points = [&](int x) {  // asked by a whole warp
    const auto some = [&](const RowNodes& nodes) {
      const int at = nodes.slot[x];
      if (at < 0) return false;
      const std::uint32_t* const first = nodes.first + static_cast<std::int64_t>(at) * (ny + 1);
      const std::uint32_t end = first[y_end];
#pragma unroll 1
      for (std::uint32_t begin = first[y_begin]; begin < end; begin += 32) {
        const std::uint32_t i = begin + static_cast<std::uint32_t>(lane);
        if (__any_sync(0xffffffffU, i < end && nodes.list[i].z >= z_begin && nodes.list[i].z < z_end ? 1 : 0) != 0)
          return true;
      }
      return false;
    };
    return some(t.points->sources) || some(t.points->receivers);
  };
  const bool varies = t.a_stride_x != 0;
  // By one thread, of plane X, whose boxes all come to one stage. The medium may be asked for later than the levels.
  const auto ask = [&](int X, int stage) {
    const SharedAddress arrival = arrivals + ClusterSignal::bytes * stage;
    ClusterSignal::expect(arrival, ((varies ? 3U : 2U) + (dense ? 1U : 0U)) * S::cells * 16U);
    BoxCopies::copy(shared_address(coming_u + stage * S::cells), t.newer, z_begin, y_begin, X - t.first, arrival);
    BoxCopies::copy(shared_address(coming_o + stage * S::cells), t.older, z_begin, y_begin, X - R - t.first, arrival);
  };
  const auto ask_medium = [&](int X, int slot_bytes, int stage) {
    const SharedAddress arrival = arrivals + ClusterSignal::bytes * stage;
    if (varies)
      BoxCopies::copy(shared_address(medium) + slot_bytes, t.medium, z_begin, y_begin, X - R - t.first, arrival);
    if constexpr (dense)
      BoxCopies::copy(shared_address(medium) + (medium_ring + slot_bytes), t.potential, z_begin, y_begin,
                      X - R - t.first, arrival);
  };
  if (!varies && inside)
    for (int i = 0; i < S::medium_planes * P; ++i)
      medium[(i / P) * S::cells + (i % P) * 32 + mine] = load_four(t.a + z);
  __syncthreads();
  if (t.cluster > 1) cluster_barrier();
  SharedAddress told = signals, told_signal = signals;
  if (tells) {
    const unsigned other = static_cast<unsigned>(lower ? rank - 1 : rank + 1);
    told = in_cluster(shared_address(buffers), other) + 16 * ((R + w * Q + (lower ? W * Q : -W * Q)) * 32 + lane);
    told_signal = in_cluster(signals, other);
  }
  const bool asks = id == 32 * (W / 2);  // a thread of the warps that tell nobody anything
  if (asks) {
#pragma unroll
    for (int i = 0; i < A; ++i) ask(X0 + i, i);
#pragma unroll
    for (int i = 0; i < M; ++i) ask_medium(X0 + i, i * S::cells * 16, i);
  }
  // A thread's own of what is kept from launch to launch: planes of levels from the first on, and of the medium behind those on their way.
  float4* const kept = reinterpret_cast<float4*>(t.kept) +
                       (static_cast<std::int64_t>((j * t.columns + l) * t.cluster + rank) * S::kept_fours + id);
  const auto kept_at = [](int k, int p, int i) { return (((k - 1) * P + p) * 2 * R + i) * S::threads; };
  if (resumes && inside) {
    const float* const newer = t.from_newer + (y0 * t.stride_y + z + (X0 - 2 * R - t.first) * t.stride_x);
    float* const older = t.to_older + (y0 * t.stride_y + z + (x_begin - t.first) * t.stride_x);
    const float* const a = t.a + (y0 * t.a_stride_y + z + (X0 - R - t.first) * t.a_stride_x);
#pragma unroll
    for (int p = 0; p < P; ++p) {
#pragma unroll
      for (int i = 0; i < 2 * R; ++i) {
        q[0][p][i] = load_four(newer + (p * t.stride_y + i * t.stride_x));
#pragma unroll
        for (int k = 1; k < T; ++k) q[k][p][i] = kept[kept_at(k, p, i)];
        if (i >= R && own[p])
          store_fours(older + (p * t.stride_y + (i - R) * t.stride_x), q[T - 1][p][i],
                      nz - z);  // made by the launch before
      }
      if (varies)
#pragma unroll
        for (int i = 1; i <= R * (T - 1); ++i)
          medium[(S::medium_planes - i) * S::cells + p * 32 + mine] =
              load_four(a + (p * t.a_stride_y - i * t.a_stride_x));
      if constexpr (dense) {
        const float* const v = t.v + (y0 * t.stride_y + z + (X0 - R - t.first) * t.stride_x);
#pragma unroll
        for (int i = 1; i <= R * (T - 1); ++i)
          medium[(2 * S::medium_planes - i) * S::cells + p * 32 + mine] =
              load_four(v + (p * t.stride_y - i * t.stride_x));
      }
    }
  }
  // Planes with sources or receivers in rows of this block, a bit each from plane X0 − R T on.
  for (int i = w; i < (X1 - X0 + R * T + U + 31) / 32; i += W) {
    const int first = X0 - R * T + 32 * i, x = first + lane;
    unsigned word = 0;
#pragma unroll 1
    for (unsigned some = __ballot_sync(0xffffffffU, t.busy != nullptr && x >= 0 && x < nx && t.busy[x] != 0 ? 1 : 0);
         some != 0; some &= some - 1)
      if (const int bit = __ffs(static_cast<int>(some)) - 1; has_points(first + bit)) word |= 1U << bit;
    if (lane == 0) words[i] = word;
  }
  __syncthreads();
  const auto busy_from = [&](int X) {  // bit i: plane X − R T + i
    const int at = X - X0;
    return static_cast<unsigned>((words[at / 32] | static_cast<unsigned long long>(words[at / 32 + 1]) << 32U) >>
                                 (at % 32));
  };
  unsigned busy = 0;
  // Middle planes of all levels, in place i: to the other blocks, and behind the faces of y.
  const auto share = [&]<int i, bool edges>(int buffer_at) __attribute__((always_inline)) {
    const SharedAddress there = told + 16 * buffer_at, signal = told_signal + (number + 1) % 2 * ClusterSignal::bytes;
    const auto tell = [&]<bool below>() __attribute__((always_inline)) {
#pragma unroll
      for (int k = 0; k < T; ++k)
#pragma unroll
        for (int p = 0; p < P; ++p)
          if ((below ? p < R : p >= P - R) && (R % P == 0 || R < P || (below ? w * P + p < R : w * P + p >= H - R)))
            ClusterSignal::store(there + 16 * (k * plane + (p < R ? p : p - (P - Q)) * 32), q[k][p][i], signal);
    };
    if (lower) tell.template operator()<true>();
    if (upper) tell.template operator()<false>();
    if (edges && images)
#pragma unroll
      for (int k = 0; k < T; ++k)
#pragma unroll
        for (int p = 0; p < P; ++p) {
          const int low = w * P + p, high = H - 1 - low;
          float4* const left = lines + buffer_at + k * plane;
          if (images_low && low >= 1 && low <= R) left[-(w * Q + low) * 32] = scaled(t.sign[2], q[k][p][i]);
          if (images_high && high >= 1 && high <= R)
            left[((W - w) * Q + high - 1) * 32] = scaled(t.sign[3], q[k][p][i]);
        }
  };
  float4 made[P], first_old[P];  // of level k at plane X, of level k − 1 at plane X − R; then what the levels make
  // kind 0: the core; 1: sponges and faces of y and z; 2: those of x, too; 3: everything
  const auto step = [&]<int s, int kind>(int X) __attribute__((always_inline)) {
    const auto at = [](int i) { return ring ? (s + i) % depth : s + i; };
    const int now = static_cast<int>(number % 2) * buffer, other = buffer - now;
    const float4* const line = lines + now;
    float4* const left = lines + other;
    const bool sloped = X - R * T < t.core[0] || X - R >= t.core[1];
    const auto level = [&]<int k>() __attribute__((always_inline)) {
      const int x = X - R * (k + 1);
#pragma unroll
      for (int p = 0; p < P; ++p) {
        if constexpr (kind >= 2) {  // planes behind the faces of x
          if (x + R >= nx) {
            float4 v = zero;
#pragma unroll
            for (int i = 1; i <= R; ++i)
              v = chosen(x + R - (nx - 1) == i, scaled(t.sign[1], q[k][p][at(2 * (R - i))]), v);
            made[p] = v;
          }
        }
        q[k][p][at(2 * R)] = made[p];
        if constexpr (kind >= 2) {
          if (x == 0) {
#pragma unroll
            for (int i = 1; i <= R; ++i) q[k][p][at(R - i)] = scaled(t.sign[0], q[k][p][at(R + i)]);
          }
        }
      }
      float4 n[P];
      constexpr int back = R * k * medium_plane;
      const int at_a = slot + (slot < back ? medium_ring - back : -back);
      const bool exists = kind < 2 || (x >= 0 && x < nx);
#pragma unroll
      for (int p = 0; p < P; ++p) {
        n[p] = zero;
        if (!exists) continue;
        const float4 med =
                         *reinterpret_cast<const float4*>(reinterpret_cast<const char*>(medium + mine + p * 32) + at_a),
                     u = q[k][p][at(R)];
        LineOfFours<R> lz{};
        if constexpr (R <= 2) {
          lz.put(4, u);
          const float b[4] = {u.x, u.y, u.z, u.w};
#pragma unroll
          for (int i = 1; i <= R; ++i) {
            lz.value[4 - i] = __shfl_up_sync(0xffffffffU, b[4 - i], 1);
            lz.value[7 + i] = __shfl_down_sync(0xffffffffU, b[i - 1], 1);
          }
        } else {
          const float4* const m = line + (k * plane + p * 32);
          lz.take(u, [m](int f) { return m[f]; });
        }
        float4 low[R], high[R];
#pragma unroll
        for (int i = 1; i <= R; ++i) {
          low[i - 1] = p - i >= 0 ? q[k][p - i >= 0 ? p - i : 0][at(R)] : line[k * plane + (p - i) * 32];
          high[i - 1] = p + i < P ? q[k][p + i < P ? p + i : 0][at(R)] : line[k * plane + (Q + p + i - P) * 32];
        }
        if constexpr (kind > 0) {
          constexpr int o = 4 * LineOfFours<R>::fours;
#pragma unroll
          for (int i = 1; i <= R; ++i) {
            lz.value[o - i] = z == 0 ? t.sign[4] * lz.value[o + i] : lz.value[o - i];
            if (kind < 3) lz.value[o + 3 + i] = z + 4 == nz ? t.sign[5] * lz.value[o + 3 - i] : lz.value[o + 3 + i];
          }
          if (kind == 3 && z_end > nz - R) mirror_high<R>(lz.value, nz - 1 - z, t.sign[5]);
        }
        const float4 old = k == 0 ? first_old[p] : q[k > 0 ? k - 1 : 0][p][at(0)];
        float4 L = scaled(t.centre, u);
#pragma unroll
        for (int i = 1; i <= R; ++i)
          if constexpr (Unequal) {
            L = fused(t.x[i], sum(q[k][p][at(R - i)], q[k][p][at(R + i)]), L);
            L = fused(t.y[i], sum(low[i - 1], high[i - 1]), L);
            L = fused(t.z[i], lz.pair(i), L);
          } else {
            L = fused(t.x[i],
                      sum(sum(sum(q[k][p][at(R - i)], q[k][p][at(R + i)]), sum(low[i - 1], high[i - 1])), lz.pair(i)),
                      L);
          }
        if constexpr (dense)
          L = minus_product(*reinterpret_cast<const float4*>(reinterpret_cast<const char*>(medium + mine + p * 32) +
                                                             (medium_ring + at_a)),
                            u, L);
        // fma(2, u, −old) has the bits of (u + u) − old.
        if constexpr (kind == 0) {
          n[p] = make_float4(fmaf(med.x, L.x, fmaf(2.0F, u.x, -old.x)), fmaf(med.y, L.y, fmaf(2.0F, u.y, -old.y)),
                             fmaf(med.z, L.z, fmaf(2.0F, u.z, -old.z)), fmaf(med.w, L.w, fmaf(2.0F, u.w, -old.w)));
        } else {
          float4 less, by;
          if constexpr (far) {
            const float4* const damped = reinterpret_cast<const float4*>(t.damping) + damped_at;
            less = __ldg(damped + p * 32);
            by = __ldg(damped + (S::cells + p * 32));
          } else {
            less = sponge[p * 32 + mine];
            by = sponge[S::cells + p * 32 + mine];
          }
          if (kind >= 2 && sloped) damping(p, t.sigma_x[x], less, by);
          n[p] = make_float4(fmaf(med.x, L.x, fmaf(less.x, old.x, u.x + u.x)) * by.x,
                             fmaf(med.y, L.y, fmaf(less.y, old.y, u.y + u.y)) * by.y,
                             fmaf(med.z, L.z, fmaf(less.z, old.z, u.z + u.z)) * by.z,
                             fmaf(med.w, L.w, fmaf(less.w, old.w, u.w + u.w)) * by.w);
        }
      }
      if constexpr (kind == 3) {
        if ((busy >> (R * (T - 1 - k)) & 1U) != 0)
#pragma unroll 1
          for (int p = 0; p < P; ++p) {  // one copy of the code for all rows
            float4 v = n[0];
            bool mine_too = own[0];
#pragma unroll
            for (int i = 1; i < P; ++i) {
              v = chosen(p == i, n[i], v);
              mine_too = p == i ? own[i] : mine_too;
            }
            v = add_row_points(t.points, ny, t.first_step + k, x, y0 + p, z, v,
                               mine_too && x >= x_begin && x < x_end + (keeps ? R * (T - 1 - k) : 0));
#pragma unroll
            for (int i = 0; i < P; ++i) n[i] = chosen(p == i, v, n[i]);
          }
      }
      if constexpr (k >= T - 2) {
#pragma unroll
        for (int p = 0; p < P; ++p) {
          float4* const to = reinterpret_cast<float4*>(there_newer + ((k == T - 1 ? 0 : to_older) + p * row_bytes));
          if (own[p] && x >= x_begin && x < x_end) {
            if (kind < 3)
              *to = n[p];
            else
              store_fours(reinterpret_cast<float*>(to), n[p], nz - z);
          }
        }
      }
      // Middle planes of the next step, after this level's reads: then those of the next level can begin while this one computes.
#pragma unroll
      for (int p = 0; p < P; ++p)
        if (p < R || p >= P - R) left[k * plane + (p < R ? p : p - (P - Q)) * 32] = q[k][p][at(R + 1)];
#pragma unroll
      for (int p = 0; p < P; ++p) made[p] = n[p];
    };
    [&]<int... k>(std::integer_sequence<int, k...>) {
      (level.template operator()<k>(), ...);
    }
    (std::make_integer_sequence<int, T>());
    // Together, so that levels are one piece of code without branches; and after all that this warp reads, so that who hears of it may
    // overwrite that.
    share.template operator()<at(R + 1), (kind > 0)>(other);
  };
  const auto pass = [&]<int s, int kind>(int X) __attribute__((always_inline)) {
    ClusterSignal::wait(arrivals + ClusterSignal::bytes * coming, phase);
#pragma unroll
    for (int p = 0; p < P; ++p) {
      made[p] = coming_u[coming * S::cells + p * 32 + mine];
      first_old[p] = coming_o[coming * S::cells + p * 32 + mine];
    }
    __syncthreads();
    if (asks) {
      ask(X + A, coming);
      ask_medium(X + M,
                 slot + (slot < medium_ring - M * medium_plane ? M * medium_plane : M * medium_plane - medium_ring),
                 (coming + M) % A);
      if (M < A) {  // what has less time
        if (varies) BoxCopies::bring_near(t.medium, z_begin, y_begin, X + M + 1 - R - t.first);
        if (dense) BoxCopies::bring_near(t.potential, z_begin, y_begin, X + M + 1 - R - t.first);
      }
      if (t.cluster > 1) ClusterSignal::expect(signals + (number + 1) % 2 * ClusterSignal::bytes, expected);
    }
    if (tells && number > 0) ClusterSignal::wait(signals + number % 2 * ClusterSignal::bytes, (number - 1) / 2 % 2);
    step.template operator()<s, kind>(X);
    there_newer += plane_bytes;
    slot = slot == medium_ring - medium_plane ? 0 : slot + medium_plane;
    phase ^= coming + 1 == A ? 1U : 0U;
    coming = coming + 1 == A ? 0 : coming + 1;
    ++number;
  };
  const auto move_planes = [&]<int by>() __attribute__((always_inline)) {
#pragma unroll
    for (int k = 0; k < T; ++k)
#pragma unroll
      for (int p = 0; p < P; ++p)
#pragma unroll
        for (int i = 0; i < 2 * R; ++i) q[k][p][i] = q[k][p][i + by];
  };
  // Most of it goes a few steps at a time, in code that is short and has few branches. Of sponges and faces that of five would not fit
  // in the caches of instructions: planes move instead.
  const auto fast = [&]<int steps>(int X) {
    return X + steps <= X1 && X + steps <= nx && X - R * T >= 1 && X - R * T >= t.core[0] &&
           X + steps - 1 - R < t.core[1] && (busy_from(X) & ((2U << (R * (T - 1) + steps - 1)) - 1U)) == 0;
  };
  const auto passes = [&]<int kind, int... s>(int X, std::integer_sequence<int, s...>) __attribute__((always_inline)) {
    (pass.template operator()<s, kind>(X + s), ...);
    if constexpr (!ring || sizeof...(s) != U) move_planes.template operator()<static_cast<int>(sizeof...(s))>();
  };
  if (resumes) {  // as if a step had been made
    if (asks && t.cluster > 1) ClusterSignal::expect(signals + ClusterSignal::bytes, expected);
#pragma unroll
    for (int k = 0; k < T; ++k)
#pragma unroll
      for (int p = 0; p < P; ++p)
        if (p < R || p >= P - R) lines[buffer + k * plane + (p < R ? p : p - (P - Q)) * 32] = q[k][p][R];
    share.template operator()<R, true>(buffer);
    number = 1;
  }
  constexpr int edge_steps = U > 3 ? 1 : U;
  for (int X = X0; X < X1;) {
    // Loops of their own, or planes would change registers at their ends.
    if (plain)
      for (; fast.template operator()<U>(X); X += U)
        passes.template operator()<0>(X, std::make_integer_sequence<int, U>());
    else if (smooth)
      for (; fast.template operator()<edge_steps>(X); X += edge_steps)
        passes.template operator()<1>(X, std::make_integer_sequence<int, edge_steps>());
    if (X >= X1) break;
    busy = busy_from(X);
    if (smooth && (busy & ((2U << (R * (T - 1))) - 1U)) == 0)
      pass.template operator()<0, 2>(X);
    else
      pass.template operator()<0, 3>(X);
    move_planes.template operator()<1>();
    ++X;
  }
  if (keeps)
#pragma unroll
    for (int k = 1; k < T; ++k)
#pragma unroll
      for (int p = 0; p < P; ++p)
#pragma unroll
        for (int i = 0; i < 2 * R; ++i) kept[kept_at(k, p, i)] = q[k][p][i];
  // What nobody needs any more, of which the medium was not asked for yet.
  if (asks)
    for (int i = M; i < A; ++i) ask_medium(X1 + i, slot, (coming + i) % A);
  for (int i = 0; i < A; ++i) {
    ClusterSignal::wait(arrivals + ClusterSignal::bytes * coming, phase);
    phase ^= coming + 1 == A ? 1U : 0U;
    coming = coming + 1 == A ? 0 : coming + 1;
  }
  if (t.cluster > 1) cluster_barrier();
}

}  // namespace conoid::acoustic_fd
