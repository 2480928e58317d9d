// SPDX-License-Identifier: BSD-3-Clause
// Radiation stage and solution of a whole group of steps in one launch, so that nobody waits for the host between them.
//
// A thread has rows of its own, which it alone writes. An iteration of the gradients needs two barriers of the grid: p is made anew
// wherever it is read, p = z + β p', from the last one, which is kept; every block adds up the sums of all blocks by itself, in their
// order, so that all go on with the same bits and end together.
#include "engine/team/kernel.hpp"

#include "engine/solvers/acoustic_bem/cuda/step_arguments.hpp"

namespace conoid::acoustic_bem {
namespace {

__device__ inline double sum_of_warp(double v) {
  for (int bits = 16; bits > 0; bits /= 2) v += __shfl_xor_sync(0xffffffffU, v, bits);
  return v;
}

/// Σ over the threads of the block to `out`, by all of them.
__device__ inline void add_up_block(double v, double* warps, double* out) {
  const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  v = sum_of_warp(v);
  if (lane == 0) warps[warp] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    double sum = 0;
    for (unsigned w = 0; w < step_threads / 32; ++w) sum += warps[w];
    *out = sum;
  }
  __syncthreads();
}

/// Σ over the blocks of each run's team to out[run].
__device__ inline void add_up_teams(const StepArguments& a, const double* partial, double* out) {
  const int lane = static_cast<int>(threadIdx.x & 31), warp = static_cast<int>(threadIdx.x >> 5);
  for (int run = warp; run < a.runs; run += static_cast<int>(step_threads / 32)) {
    double sum = 0;
    for (int b = lane; b < a.per_team; b += 32) sum += partial[run * a.per_team + b];
    sum = sum_of_warp(sum);
    if (lane == 0) out[run] = sum;
  }
  __syncthreads();
}

template <class Real>
__global__ void __launch_bounds__(step_threads) steps(StepArguments a) {
  const auto grid = cooperative_groups::this_grid();
  double* const rz = dynamic_shared<double>();
  double* const pq = rz + a.runs;
  double* const at_begin = pq + a.runs;
  double* const warps = at_begin + a.runs;
  const int team = static_cast<int>(blockIdx.x) / a.per_team, member = static_cast<int>(blockIdx.x) % a.per_team;
  const int first = member * static_cast<int>(step_threads) + static_cast<int>(threadIdx.x),
            stride = a.per_team * static_cast<int>(step_threads);
  const std::int64_t rows = a.rows, all = rows * a.runs;
  const std::int64_t sums = static_cast<std::int64_t>(a.runs) * a.per_team;
  const double* const m0 = static_cast<const double*>(a.instant.value);
  const Real* const near = static_cast<const Real*>(a.near.value);
  int most = 0;

  for (int g = 0; g < a.steps; ++g) {
    double* const begin_sums = a.partial + (g & 1) * sums;
    double* const pq_sums = a.partial + 2 * sums;
    double* const rz_sums = a.partial + 3 * sums;
    for (int run = team; run < a.runs; run += a.teams) {
      double* const group = a.a + static_cast<std::int64_t>(run) * a.steps * rows;
      double dot = 0;
      for (int i = first; i < a.rows; i += stride) {
        double s = a.right[(static_cast<std::int64_t>(run) * a.steps + g) * rows + i];
        for (int k = 1; k <= g; ++k) {
          const double* const past = group + (g - k) * rows;
          const std::int64_t* const begin = a.near.begin + (k - 1) * (rows + 1) + i;
          for (std::int64_t e = begin[0]; e < begin[1]; ++e) s -= static_cast<double>(near[e]) * past[a.near.column[e]];
        }
        const std::int64_t own = run * rows + i;
        const double z = a.inverse_diagonal[i] * s;
        group[g * rows + i] = 0;
        a.r[own] = s;
        a.z[own] = z;
        a.p[own] = 0;
        dot += s * z;
      }
      add_up_block(dot, warps, begin_sums + run * a.per_team + member);
    }
    grid.sync();
    add_up_teams(a, begin_sums, rz);
    for (int run = static_cast<int>(threadIdx.x); run < a.runs; run += static_cast<int>(step_threads)) {
      at_begin[run] = rz[run];
      pq[run] = 0;  // β
    }
    __syncthreads();

    // β lies in pq at the begin of an iteration.
    const auto goes_on = [&](int run) { return rz[run] > a.tolerance * at_begin[run]; };
    int iteration = 0;
    for (; iteration < a.limit; ++iteration) {
      bool any = false;
      for (int run = 0; run < a.runs; ++run) any = any || goes_on(run);
      if (!any) break;
      const double* const before = a.p + (iteration & 1) * all;
      double* const now = a.p + ((iteration & 1) ^ 1) * all;
      for (int run = team; run < a.runs; run += a.teams) {
        if (!goes_on(run)) continue;
        const double beta = pq[run];
        const double* const z = a.z + run * rows;
        const double* const old = before + run * rows;
        double dot = 0;
        for (int i = first; i < a.rows; i += stride) {
          double q = 0;
          for (std::int64_t e = a.instant.begin[i]; e < a.instant.begin[i + 1]; ++e) {
            const std::int32_t j = a.instant.column[e];
            q += m0[e] * (z[j] + beta * old[j]);
          }
          const double p = z[i] + beta * old[i];
          now[run * rows + i] = p;
          a.q[run * rows + i] = q;
          dot += p * q;
        }
        add_up_block(dot, warps, pq_sums + run * a.per_team + member);
      }
      grid.sync();
      add_up_teams(a, pq_sums, pq);
      for (int run = team; run < a.runs; run += a.teams) {
        if (!goes_on(run)) continue;
        const double alpha = rz[run] / pq[run];
        double* const y = a.a + (static_cast<std::int64_t>(run) * a.steps + g) * rows;
        double dot = 0;
        for (int i = first; i < a.rows; i += stride) {
          const std::int64_t own = run * rows + i;
          y[i] += alpha * now[own];
          const double r = a.r[own] - alpha * a.q[own], z = a.inverse_diagonal[i] * r;
          a.r[own] = r;
          a.z[own] = z;
          dot += r * z;
        }
        add_up_block(dot, warps, rz_sums + run * a.per_team + member);
      }
      grid.sync();
      add_up_teams(a, rz_sums, pq);  // r·z now, for β
      for (int run = static_cast<int>(threadIdx.x); run < a.runs; run += static_cast<int>(step_threads)) {
        const double next = pq[run];
        if (goes_on(run)) {
          pq[run] = next / rz[run];
          rz[run] = next;
        }
      }
      __syncthreads();
    }
    most = iteration > most ? iteration : most;
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) *a.most_iterations = most;
}

}  // namespace

static const RegisterKernel steps_float("acoustic-bem/steps<float>", steps<float>);
static const RegisterKernel steps_double("acoustic-bem/steps<double>", steps<double>);

}  // namespace conoid::acoustic_bem
