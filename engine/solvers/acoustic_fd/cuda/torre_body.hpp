// SPDX-License-Identifier: BSD-3-Clause
// DiamondTorre with the tile in registers: many steps of order 2 at once on a device, in place (Perepelkina & Levchenko, preprint
// 2015-18, section 3; cuts along z lean by a cell a step, which the paper does not need). The association of sums is that of
// kernels/patch.hpp, so results are those of the stepwise kernel bit for bit.
//
// Model, single precision, varying c. A step of a tile of 2 DTS² cells reads 4 DTS + 2 cells of its neighbours and 2 DTS − 1 of the
// medium, and leaves 4 DTS − 2: (20 − 1/DTS)/DTS bytes a cell update from memory, times 1 + (2 − 2/DTS + 1/DTS²) D/(4 N_t) for the
// beginning and end of a tower of N_t steps; here N_t = 4 D. With 9 floating-point instructions (14 operations with an fma as two) and
// three words of shared memory for the neighbours along z a cell, and where memory gives 4.0 TB/s (an H200):
//   DTS 3: 7.2 B, 560 Gcells/s · DTS 4: 5.4 B, 740 Gcells/s · DTS 5: 4.4 B, 920 Gcells/s
// MEASURED, H200, 1024³, sponges and a free surface: 222, 243 and 131 Gcells/s at DTS 3, 4, 5 (8 DTS steps); without waits for other towers
// 295 and 299 at DTS 3 and 4. So memory (1.2 TB/s at DTS 4) is far from its limit: a multiprocessor has one block of 16, 12 or 8
// warps, which issue 0.32 of a clock and scheduler (DTS 4); two fifths of their time they wait at the barrier of a step for the warp
// that looks at other towers, and rims are read in rows that begin anywhere. Panels are more than twice as fast.
// nvcc 13.0 for sm_90: DTS 3 128 registers, nothing spilled; DTS 4 168 and 16 bytes spilled, DTS 5 255 and 40 bytes;
// double precision 198, nothing spilled. Shared memory 168, 198, 199 and 177 KiB.
#pragma once

#include "engine/team/kernel.hpp"

#include "engine/solvers/acoustic_fd/cuda/fours.hpp"
#include "engine/solvers/acoustic_fd/cuda/torre_arguments.hpp"
#include "engine/solvers/acoustic_fd/cuda/tower_body.hpp"

namespace conoid::acoustic_fd {

/// Row r of a tile: y' = r − (DTS − 1), x' from |y'| to D − 1 − |y'|.
template <int half>
struct TorreRow {
  static constexpr int low(int r) { return r < half ? half - 1 - r : r - (half - 1); }
  static constexpr int high(int r) { return 2 * half - 1 - low(r); }
  static constexpr int length(int r) { return 2 * half - 2 * low(r); }
  static constexpr int first(int r) {  ///< cells of the rows before it
    return r < half ? r * (r + 1) : 2 * half * half - (2 * half - 1 - r) * (2 * half - r);
  }
  static constexpr bool has(int r, int x) {
    return x >= low(r) && x <= high(r);
  }  ///< loops of fixed length unroll well
  /// Cell `m` of those that remain when each row loses its first `without`.
  __device__ static void cell(int m, int without, int& r, int& x) {
    for (r = 0; r < 2 * half - 2 && m >= length(r) - without; ++r) m -= length(r) - without;
    x = low(r) + without + m;
  }
};

/// One persistent block takes tower after tower in the order of their dependencies, band after band: by falling row w.
///
/// Update k of a tile needs, of level k, two cells beyond the upper end of each of its rows along x, which the tiles (a+1, b), (a, b+1) and
/// (a+1, b+1) made one update before; the rest it made itself. The two lowest cells of each row are left in memory for the tiles below.
/// Along z a cut covers cells [C + k, C + k + threads): it leans by one a step, so its top comes from the cut above and its two lowest
/// cells are left for the one below. All dependencies point up; the seven tiles above (in a, b and z) are a few steps ahead.
/// A thread keeps its z until the cut leaves it, then it takes over the one a whole cut higher. It has both levels of its cells in
/// registers: update k turns level k−1 of the cell at x' + 2 into level k+1 of the cell at x', so that nothing is moved; the medium moves
/// once in two steps. Neighbours along z, and what comes from other tiles, are read from shared memory: lines that have room for the lean,
/// one barrier a step. What comes is copied asynchronously one step ahead.
/// Outside the grid a tile computes values that nobody reads: cells at a face take images, or zero, in place of them.
template <class S>
__global__ void __launch_bounds__(S::most, 1) torre(TorreArguments<typename S::Value> t) {
  using T = typename S::Value;
  constexpr int half = S::dts, D = S::width, rows = S::rows, cells = S::cells, inner = S::inner, halo = S::halo,
                line = S::line;
  using Row = TorreRow<half>;
  T* const made = dynamic_shared<T>();                             // [2][inner][line]: level k of the cells that go on
  T* const coming = made + 2 * inner * line;                       // [3][halo][line]: cells beyond the ends of the rows
  T* const medium = coming + 3 * halo * line;                      // [2][rows][line]: of the cells that enter
  T* const extra = medium + 2 * rows * line;                       // [2][2 inner]
  int* const jobs = reinterpret_cast<int*>(extra + 2 * S::extra);  // [threads]: what a thread asks for; −1: nothing
  // What a tower has for itself lies in shared memory too: registers are for cells.
  __shared__ struct {
    unsigned ticket;
    int band, row, tile, cut, x, y,
        z;             ///< x: plane of x' = 0 at the first step, y: row of y' = 0, z: first of the cut there
    unsigned busy[2];  ///< at even and odd steps: bit x' where the plane has sources or receivers
  } own;
  const int id = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x), warps = threads / 32;
  const std::int64_t sx = t.stride_x, sy = t.stride_y, ax = t.a_stride_x, ay = t.a_stride_y;
  const int nx = t.nx, ny = t.ny, nz = t.nz, N = t.steps;

  for (int i = id; i < (S::shared - 4 * S::most) / static_cast<int>(sizeof(T)); i += threads)
    made[i] = T{0};  // what is never brought is never used
  for (;;) {
    __syncthreads();
    if (id == 0) {
      own.ticket = atomicAdd(t.ticket, 1U);
      const int towers = t.rows * t.columns, ticket = static_cast<int>(own.ticket), column = ticket % t.columns;
      own.band = ticket / towers;
      own.row = t.rows - 1 - ticket % towers / t.columns;
      own.tile = column / t.deep;
      own.cut = t.deep - 1 - column % t.deep;
      const int w = t.first_row + own.row;
      own.x = w * half;
      own.y = (2 * own.tile + (w & 1)) * half;
      own.z = t.first_z + own.cut * threads;
    }
    __syncthreads();
    if (own.ticket >= static_cast<unsigned>(t.rows * t.columns) * static_cast<unsigned>(t.bands)) return;
    // Progress of tower (row, tile of the row, cut).
    const auto progress = [&](int of_band, int r, int tile, int c) {
      return t.done + (static_cast<std::int64_t>(of_band * t.rows + r) * t.columns + tile * t.deep + c);
    };
    const auto publish = [&](int i) {
      store_release(progress(own.band, own.row, own.tile, own.cut), static_cast<unsigned>(i));
    };
    // A lane looks at each of those that this one waits for: seven above, two of the band before.
    const auto wait = [&](int i) {
      const int lane = made_here(id) % 32;
      if (lane > 0 && lane < 8) {
        const int c = own.cut + (lane & 1), which = lane >> 1;  // 0: the same tile; 1, 2: (a+1, b), (a, b+1); 3: both
        const int r = own.row + (which == 0 ? 0 : which == 3 ? 2 : 1), odd_row = (t.first_row + own.row) & 1;
        const int tile = own.tile + (which == 1 ? odd_row : which == 2 ? odd_row - 1 : 0);
        if (c < t.deep && r < t.rows && tile >= 0 && tile < t.columns / t.deep)
          wait_for(progress(own.band, r, tile, c), static_cast<unsigned>(i + S::cadence > N ? N : i + S::cadence));
      } else if (lane >= 8 && lane < 10 && own.band > 0 && i == 0) {
        const int r = own.row - N / half, c = own.cut - (lane - 8);  // the tower that this one continues
        if (r >= 0 && c >= 0) wait_for(progress(own.band - 1, r, own.tile, c), static_cast<unsigned>(N));
      }
    };
    const auto level = [&](int i) { return (i & 1) != 0 ? t.odd : t.even; };
    // Lines of step i: plane X0 + i + …, level i of the band.
    const auto ask = [&](int i) {
      T* const to_halo = coming + (i + 3) % 3 * halo * line;
      T* const to_medium = medium + (i & 1) * rows * line;
      const T* const from_level = level(i);
      const int base = (i + 3) & ~3, last = i + threads + 4, me = made_here(id), lane = me % 32;
#pragma unroll 1
      for (int n = me / 32; n < halo + rows; n += warps) {
        const bool of_level = n < halo;
        const int r = of_level ? n / 2 : n - halo, y_in = r - (of_level ? half : half - 1),
                  away = y_in < 0 ? -y_in : y_in;
        const int x = own.x + i + D - 1 - away + (of_level ? n % 2 : 0), y = own.y + y_in;
        if (x < 0 || x >= nx || y < 0 || y >= ny) continue;
        const T* const from = of_level ? from_level + (x * sx + y * sy) : t.a + (x * ax + y * ay);
        T* const to = of_level ? to_halo + n * line : to_medium + r * line;
#pragma unroll 1
        for (int f = base + 4 * lane; f <= last; f += 128) {
          const int z = own.z - 4 + f;
          if (z < 0 || z >= nz) continue;
#pragma unroll
          for (int part = 0; part < 4; part += 16 / static_cast<int>(sizeof(T)))
            copy_async<16>(shared_address(to + f + part), from + z + part);
        }
      }
    };
    // One value a thread for the cells above the cut: level i at the two lowest of them, of the lowest also level i − 1 and the medium.
    {  // Kinds 0, 1: level i; 2: medium; 3: level i − 1, and level i of the first cells.
      const int job = id / inner, cell = id % inner;
      int job_at = -1;  // row, plane after that of x' = 0 at step i, the second z, medium, level i − 1
      if (job < 4) {
        int r = 0, x = 0;
        if (job < 3)
          Row::cell(cell, 1, r, x);
        else if (cell < inner - rows)
          Row::cell(cell, 2, r, x);
        else
          x = Row::low(r = cell - (inner - rows));
        const bool old = job == 3 && cell < inner - rows;
        const int y = own.y + r - (half - 1);
        if (y >= 0 && y < ny)
          job_at = r << 8 | (x + (old ? 0 : 1)) << 3 | (job == 1 ? 4 : 0) | (job == 2 ? 2 : old ? 1 : 0);
      }
      jobs[id] = job_at;
    }
    const auto asked = [&](int i) {
      const int job_at = jobs[id];
      const int x = own.x + i + (job_at >> 3 & 31) - 2, y = own.y + (job_at >> 8) - (half - 1);
      const int z = own.z + threads + i - 1 + (job_at >> 2 & 1);
      if (job_at < 0 || x < 0 || x >= nx || z < 0 || z >= nz) return T{0};
      return (job_at & 2) != 0 ? __ldcg(t.a + (x * ax + y * ay + z))
                               : __ldcg(level(i + (job_at & 1)) + (x * sx + y * sy + z));
    };
    const auto put = [&](int i, T value) {
      const int mine = made_here(id), what = mine / inner, cell = mine % inner;
      if (what < 2)
        made[((i & 1) * inner + cell) * line + threads + 3 + i + what] = value;
      else if (what < 4)
        extra[(i & 1) * S::extra + (what - 2) * inner + cell] = value;
    };

    if (id < 32) wait(0);
    __syncthreads();
    ask(-1);
    ask(0);
    __pipeline_commit();
    T q[2][cells];      // level i of the cells as update i − 1 counts them, level i − 1 as update i − 2 does
    T c[cells + rows];  // medium: in even steps from the first on, in odd ones from the second on
    {
      const int z = own.z + id, at = id + 4;
      const bool in_z = z >= 0 && z < nz;
      const int X0 = own.x, Y = own.y, C = own.z;
      const auto there = [&](int x, int y) { return in_z && x >= 0 && x < nx && y >= 0 && y < ny; };
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        const int y = Y + r - (half - 1);
        const T* const newer = level(0) + (X0 * sx + y * sy + z);
        const T* const older = level(1) + (X0 * sx + y * sy + z);
        const T* const med = t.a + (X0 * ax + y * ay + z);
#pragma unroll
        for (int x = 0; x < D; ++x) {
          if (!Row::has(r, x)) continue;
          const int n = Row::first(r) + x - Row::low(r);
          q[0][n] = there(X0 + x - 1, y) ? __ldcg(newer + (x - 1) * sx) : T{0};
          q[1][n] = x >= Row::low(r) + 2 && there(X0 + x - 2, y) ? __ldcg(older + (x - 2) * sx) : T{0};
          c[n + r] = x < Row::high(r) && there(X0 + x, y) ? __ldcg(med + x * ax) : T{0};
          if (x > Row::low(r)) made[(n - r - 1) * line + at] = q[0][n];
        }
        c[Row::first(r) + Row::length(r) + r] = T{0};
      }
      for (int n = id; n < 2 * inner; n += threads) {  // a cell on either side of the cut
        int r = 0, x = 0;
        Row::cell(n / 2, 1, r, x);
        const int y = Y + r - (half - 1), beside = n % 2 == 0 ? C - 1 : C + threads;
        if (X0 + x - 1 >= 0 && X0 + x - 1 < nx && y >= 0 && y < ny && beside >= 0 && beside < nz)
          made[n / 2 * line + (n % 2 == 0 ? 3 : threads + 4)] =
              __ldcg(level(0) + ((X0 + x - 1) * sx + y * sy + beside));
      }
    }
    const auto busy_plane = [&](int x) {
      return t.busy != nullptr && x >= 0 && x < nx && t.busy[x] != 0 ? 1U << (D - 1) : 0U;
    };
    if (id == 0) {
      unsigned busy = 0;
      for (int x = 0; x < D; ++x) busy = busy >> 1 | busy_plane(own.x + x);
      own.busy[0] = busy;
    }

    const auto pass = [&]<int p>(int i) {
      if (p == 0 && i % S::cadence == 0 && i > 0 && made_here(id) < 32) wait(i);
      __pipeline_wait_prior(0);
      __syncthreads();
      if (p == 0 && i % S::cadence == 0 && i > 0 && id == threads - 32) publish(i);
      const int X = own.x + i, Y = own.y;
      const int me = made_here(id),
                moved = me < i ? threads : 0;  // the cut has left the cells of those, which are a whole cut higher
      const int z = own.z + me + moved, at = me + 4 + moved;  // place in a line: z − (C − 4)
      const T* const here = made + p * inner * line;
      T* const next = made + (1 - p) * inner * line;
      const T* const beyond = coming + i % 3 * halo * line;
      const T* const beyond_before = coming + (i + 2) % 3 * halo * line;
      const T* const entering = medium + p * rows * line;
      if (me == i - 1) {  // just now
        const T* const more = extra + p * S::extra;
#pragma unroll
        for (int r = 0; r < rows; ++r) {
#pragma unroll
          for (int x = 0; x < D; ++x) {
            if (!Row::has(r, x)) continue;
            const int n = Row::first(r) + x - Row::low(r);
            q[p][n] = x == Row::low(r) ? more[2 * inner - rows + r] : here[(n - r - 1) * line + at];
            if (x >= Row::low(r) + 2) q[1 - p][n] = more[inner + n - 2 * r - 2];
            if (x < Row::high(r)) c[n + r + p] = more[n - r];
          }
        }
      }
      T brought = 0;
      if (i + 1 < N) {
        ask(i + 1);
        brought = asked(i + 1);
        if (me == 0) own.busy[1 - p] = own.busy[p] >> 1 | busy_plane(X + D);
      }
      __pipeline_commit();

      // kind 0: the core; 1: sponges, faces of z; 2: all faces, sources and receivers too.
      const auto step = [&]<int kind>() {
        const T s_z = kind > 0 ? t.sigma_z[z < 0 ? 0 : z < nz ? z : nz - 1] : T{0};
#pragma unroll
        for (int r = 0; r < rows; ++r) {
          const int y = Y + r - (half - 1);
          T s_y = 0;
          if constexpr (kind > 0) s_y = __ldg(t.sigma_y + (y < 0 ? 0 : y < ny ? y : ny - 1));
#pragma unroll
          for (int x = 0; x < D; ++x) {
            if (!Row::has(r, x)) continue;
            // Level i at (x' + dx, row r + dr): made by this tile at update i − 1, as x' + 1, or beyond its end.
            const auto of = [&](int dx, int dr) {
              const int other = r + dr, place_x = x + dx + 1;
              const int over = other < 0 || other >= rows ? place_x - half : place_x - Row::high(other) - 1;
              if (over >= 0) return beyond[(2 * (other + 1) + over) * line + at];
              return q[p][Row::first(other) + place_x - Row::low(other)];
            };
            const int n = Row::first(r) + x - Row::low(r);
            const bool last = x == Row::high(r);
            const T* const row_z = last ? beyond + 2 * (r + 1) * line : here + (n - r) * line;
            const T u = of(0, 0);
            T left = of(-1, 0), right = of(1, 0), low = of(0, -1), high = of(0, 1), down = row_z[at - 1],
              up = row_z[at + 1];
            const T old = x + 2 <= Row::high(r) ? q[1 - p][n + 2]
                                                : beyond_before[(2 * (r + 1) + x + 1 - Row::high(r)) * line + at];
            if (last) c[n + r + p] = entering[r * line + at];
            const T med = c[n + r + p];
            if constexpr (kind > 0) {
              const auto image = [&](int face, T inside) { return t.sign[face] != 0 ? t.sign[face] * inside : T{0}; };
              const T d = down, e = up;
              down = z == 0 ? image(4, e) : d;
              up = z == nz - 1 ? image(5, d) : e;
              if constexpr (kind == 2) {
                const T l = left, h = right, f = low, g = high;
                left = X + x == 0 ? image(0, h) : l;
                right = X + x == nx - 1 ? image(1, l) : h;
                low = y == 0 ? image(2, g) : f;
                high = y == ny - 1 ? image(3, f) : g;
              }
            }
            const T L = fused_one(t.weight, ((left + right) + (low + high)) + (down + up), t.centre * u);
            if constexpr (kind == 0) {
              q[1 - p][n] = fused_one(med, L, (u + u) - old);
            } else {
              const int plane = made_here(X) + x;  // looked up for each cell: no registers for profiles
              const T s_x = __ldg(t.sigma_x + (plane < 0 ? 0 : plane < nx ? plane : nx - 1));
              q[1 - p][n] = damped_here(med, L, u, old, s_x + s_y + s_z);
            }
          }
        }
        if constexpr (kind == 2) {
          if (own.busy[p] != 0 && z >= 0 && z < nz) {
            T some[cells];  // in memory: one code for all cells
#pragma unroll
            for (int n = 0; n < cells; ++n) some[n] = q[1 - p][n];
            int n = 0;
#pragma unroll 1
            for (int r = 0; r < rows; ++r) {
              const int y = Y + r - (half - 1);
#pragma unroll 1
              for (int x = Row::low(r); x <= Row::high(r); ++x, ++n)
                if ((own.busy[p] >> x & 1U) != 0 && y >= 0 && y < ny)
                  some[n] = add_point(t.points, ny, own.band * N + i, X + x, y, z, some[n]);
            }
#pragma unroll
            for (int k = 0; k < cells; ++k) q[1 - p][k] = some[k];
          }
        }
        // Level i + 1: for the next step, and for others what they need or everything.
        const int mine = made_here(id), up = mine < i ? threads : 0, z = own.z + mine + up,
                  at = mine + 4 + up;  // as above, not kept
        const bool everything = i >= N - 2 || z - (own.z + i) < 2, in_z = kind == 0 || (z >= 0 && z < nz);
#pragma unroll
        for (int r = 0; r < rows; ++r) {
          const int y = made_here(Y) + r - (half - 1);  // rows' addresses one after the other
          T* const to = level(1 - p) + (X * sx + y * sy + z);
#pragma unroll
          for (int x = 0; x < D; ++x) {
            if (!Row::has(r, x)) continue;
            const int n = Row::first(r) + x - Row::low(r);
            const bool inside = in_z && (kind < 2 || (X + x >= 0 && X + x < nx && y >= 0 && y < ny));
            if ((x < Row::low(r) + 2 || everything) && inside) to[x * sx] = q[1 - p][n];
            if (x > Row::low(r)) next[(n - r - 1) * line + at] = q[1 - p][n];
          }
        }
      };
      const bool some_in_z = __any_sync(0xffffffffU, z >= 0 && z < nz ? 1 : 0) != 0;
      const bool all_in_z = __all_sync(0xffffffffU, z >= 1 && z < nz - 1 ? 1 : 0) != 0;
      const bool core_z = __all_sync(0xffffffffU, z >= t.core[4] && z < t.core[5] ? 1 : 0) != 0;
      if (some_in_z && X + D > 0 && X < nx && Y + half > 0 && Y - half < ny) {
        const bool edge_y = Y - (half - 1) < 1 || Y + half - 1 > ny - 2;
        const bool undamped_y = Y - (half - 1) >= t.core[2] && Y + half <= t.core[3];
        if (edge_y || X < 1 || X + D > nx - 1 || own.busy[p] != 0)
          step.template operator()<2>();
        else if (all_in_z && core_z && undamped_y && X >= t.core[0] && X + D <= t.core[1])
          step.template operator()<0>();
        else
          step.template operator()<1>();
      }
      if (i + 1 < N) put(i + 1, brought);
    };
    for (int i = 0; i < N; i += 2) {
      pass.template operator()<0>(i);
      pass.template operator()<1>(i + 1);
#pragma unroll
      for (int r = 0; r < rows; ++r)
#pragma unroll
        for (int x = 0; x < D - 1; ++x)
          if (Row::has(r, x) && x < Row::high(r))
            c[Row::first(r) + r + x - Row::low(r)] = c[Row::first(r) + r + x - Row::low(r) + 2];
    }
    __syncthreads();
    if (id == threads - 32) publish(N);
  }
}

}  // namespace conoid::acoustic_fd
