// SPDX-License-Identifier: BSD-3-Clause
// The passes over zones on a device: stress and F·1, M_e^-1 F^T v, M_v p, by sum factorisation; several zones a block.
//
// D dimensions, order K at compile time, or K = 0: any order, read at run time. Where K is known, a thread carries a whole line of
// a tensor in registers and the one-dimensional tables stand in the instructions' constant operands. Numbers lie [zone][…][point] in
// the block's memory: shared memory, or, for orders whose zones do not fit there, a piece of device memory a block.
//
// Limited by shared memory's bandwidth and, in three dimensions, by the arithmetic of the stress; the mass too (0.67 of the first-level cache's
// and shared memory's rate on an H200, device memory 0.23), and what meets at nodes by the second-level cache (0.76).
#pragma once

#include "engine/team/kernel.hpp"

#include "engine/solvers/hydro_fem/cuda/point_math.hpp"

namespace conoid::hydro_fem {

constexpr int device_threads = 128;  // of a block over zones
constexpr int device_warps = 32;     // at most, of any block

/// Sum (or least) over the block, known to all of its threads; every thread calls it. The order does not depend on anything.
template <bool least>
__device__ inline double block_fold(double value) {
  __shared__ double warps[device_warps + 1];
  const int id = static_cast<int>(threadIdx.x), warp = id / 32, count = (static_cast<int>(blockDim.x) + 31) / 32;
  const auto fold = [](double a, double b) { return least ? fmin(a, b) : a + b; };
  for (int step = 16; step > 0; step /= 2) value = fold(value, __shfl_xor_sync(0xffffffffU, value, step));
  __syncthreads();
  if (id % 32 == 0) warps[warp] = value;
  __syncthreads();
  if (id == 0) {
    double all = warps[0];
    for (int w = 1; w < count; ++w) all = fold(all, warps[w]);
    warps[device_warps] = all;
  }
  __syncthreads();
  return warps[device_warps];
}
/// Sum of what `count` blocks of another kernel have left.
__device__ inline double sum_of(const double* partial, int count) {
  double sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) sum += partial[i];
  return block_fold<false>(sum);
}

/// Σ_i M[o·so + i·si] in[a][i][c] for all a, o, c, handed to put(a, o·C + c, sum). n to m numbers a line, 0: `rn` to `rm`; lines lie
/// `in_stride` apart.
template <int n, int m, class Put>
__device__ __forceinline__ void contract_into(const double* M, int so, int si, int rn, int rm, int A, int C,
                                              const double* in, int in_stride, const Put& put) {
  const int T = static_cast<int>(blockDim.x);
  if constexpr (n > 0) {
    for (int j = static_cast<int>(threadIdx.x); j < A * C; j += T) {
      const int a = j / C, c = j % C;
      double line[n];
#pragma unroll
      for (int i = 0; i < n; ++i) line[i] = in[a * in_stride + i * C + c];
#pragma unroll
      for (int o = 0; o < m; ++o) {
        double sum = 0;
#pragma unroll
        for (int i = 0; i < n; ++i) sum += M[o * so + i * si] * line[i];
        put(a, o * C + c, sum);
      }
    }
  } else {
    for (int j = static_cast<int>(threadIdx.x); j < A * rm * C; j += T) {
      const int c = j % C, o = j / C % rm, a = j / (C * rm);
      double sum = 0;
      for (int i = 0; i < rn; ++i) sum += M[o * so + i * si] * in[a * in_stride + i * C + c];
      put(a, o * C + c, sum);
    }
  }
}
/// out[a][o][c] = that.
template <int n, int m>
__device__ __forceinline__ void contract(const double* M, int so, int si, int rn, int rm, int A, int C,
                                         const double* in, int in_stride, double* out, int out_stride) {
  contract_into<n, m>(M, so, si, rn, rm, A, C, in, in_stride,
                      [=](int a, int at, double value) { out[a * out_stride + at] = value; });
}
/// The same of M1 in1 + M2 in2.
template <int n, int m, class Put>
__device__ __forceinline__ void contract_both(const double* M1, const double* M2, int so, int si, int rn, int rm, int A,
                                              int C, const double* in1, int stride1, const double* in2, int stride2,
                                              const Put& put) {
  const int T = static_cast<int>(blockDim.x);
  if constexpr (n > 0) {
    for (int j = static_cast<int>(threadIdx.x); j < A * C; j += T) {
      const int a = j / C, c = j % C;
      double first[n], second[n];
#pragma unroll
      for (int i = 0; i < n; ++i) {
        first[i] = in1[a * stride1 + i * C + c];
        second[i] = in2[a * stride2 + i * C + c];
      }
#pragma unroll
      for (int o = 0; o < m; ++o) {
        double sum = 0;
#pragma unroll
        for (int i = 0; i < n; ++i) sum += M1[o * so + i * si] * first[i] + M2[o * so + i * si] * second[i];
        put(a, o * C + c, sum);
      }
    }
  } else {
    for (int j = static_cast<int>(threadIdx.x); j < A * rm * C; j += T) {
      const int c = j % C, o = j / C % rm, a = j / (C * rm);
      double sum = 0;
      for (int i = 0; i < rn; ++i)
        sum += M1[o * so + i * si] * in1[a * stride1 + i * C + c] + M2[o * so + i * si] * in2[a * stride2 + i * C + c];
      put(a, o * C + c, sum);
    }
  }
}

template <int D, int K>
struct DeviceZone {
  static constexpr int cN = K > 0 ? K + 1 : 0, cQ = 2 * K, cE = K;  // 0: at run time
  const ZoneArguments& a;
  const int N, Q, E, NN, QQ, EE, Z;
  const double *B, *G, *L, *M, *C;  // for unrolled loops
  const double *tB, *tG, *tL, *w;   // for places known at run time only: in shared memory
  double* memory;                   // of the block

  static __device__ __forceinline__ int raised(int n) { return D == 1 ? n : D == 2 ? n * n : n * n * n; }

  /// Brings the tables; all threads.
  __device__ __forceinline__ explicit DeviceZone(const ZoneArguments& arguments)
      : a(arguments), N(K > 0 ? K + 1 : a.k + 1), Q(K > 0 ? 2 * K : 2 * a.k), E(K > 0 ? K : a.k), NN(raised(N)),
        QQ(raised(Q)), EE(raised(E)), Z(a.zones_a_block) {
    double* const shared = dynamic_shared<double>();
    const TableLayout at = table_layout(E);
    for (int i = static_cast<int>(threadIdx.x); i < at.end; i += static_cast<int>(blockDim.x)) shared[i] = a.tables[i];
    __syncthreads();
    tB = shared + at.B;
    tG = shared + at.G;
    tL = shared + at.L;
    w = shared + at.w;
    if constexpr (K > 0) {
      constexpr TableLayout own = table_layout(K);
      B = a.own + own.B;
      G = a.own + own.G;
      L = a.own + own.L;
      M = a.own + own.M;
      C = a.own + own.C;
    } else {
      B = tB;
      G = tG;
      L = tL;
      M = shared + at.M;
      C = shared + at.C;
    }
    memory = a.scratch != nullptr ? a.scratch + static_cast<long long>(blockIdx.x) * a.scratch_block : shared + at.end;
  }

  // Along an axis: values and derivatives at the points from nodes (n → q), and the transposes.
  __device__ __forceinline__ void to_points(const double* table, int A, int C, const double* in, int in_stride,
                                            double* out, int out_stride) const {
    contract<cN, cQ>(table, N, 1, N, Q, A, C, in, in_stride, out, out_stride);
  }
  __device__ __forceinline__ void to_nodes(const double* table, int A, int C, const double* in, int in_stride,
                                           double* out, int out_stride) const {
    contract<cQ, cN>(table, 1, N, Q, N, A, C, in, in_stride, out, out_stride);
  }
  template <class Put>
  __device__ __forceinline__ void to_nodes_into(const double* table, int A, int C, const double* in, int in_stride,
                                                const Put& put) const {
    contract_into<cQ, cN>(table, 1, N, Q, N, A, C, in, in_stride, put);
  }
  template <class Put>
  __device__ __forceinline__ void to_nodes_both(const double* t1, const double* t2, int A, int C, const double* in1,
                                                int stride1, const double* in2, int stride2, const Put& put) const {
    contract_both<cQ, cN>(t1, t2, 1, N, Q, N, A, C, in1, stride1, in2, stride2, put);
  }
  __device__ __forceinline__ void energy_to_points(int A, int C, const double* in, double* out) const {
    contract<cE, cQ>(L, E, 1, E, Q, A, C, in, E * C, out, Q * C);
  }
  __device__ __forceinline__ void points_to_energy(int A, int C, const double* in, double* out) const {
    contract<cQ, cE>(L, 1, E, Q, E, A, C, in, Q * C, out, E * C);
  }

  /// All but the last axis of F fields u[zone·F][NN]: `second` is bx, gx [·][N][Q] in two dimensions, bb, bg, gb [·][N][Q²] in three
  /// (names tell the table of x, then y). Ends with a barrier.
  __device__ __forceinline__ void stages(int fields, int most, const double* u, double* first, double* second) const {
    if constexpr (D == 2) {
      to_points(B, fields * N, 1, u, N, second, Q);
      to_points(G, fields * N, 1, u, N, second + most * N * Q, Q);
      __syncthreads();
    }
    if constexpr (D == 3) {
      double* const gx = first + most * N * N * Q;
      to_points(B, fields * N * N, 1, u, N, first, Q);
      to_points(G, fields * N * N, 1, u, N, gx, Q);
      __syncthreads();
      const int size = most * N * Q * Q;
      to_points(B, fields * N, Q, first, N * Q, second, Q * Q);
      to_points(B, fields * N, Q, gx, N * Q, second + size, Q * Q);
      to_points(G, fields * N, Q, first, N * Q, second + 2 * size, Q * Q);
      __syncthreads();
    }
  }
  /// The last axis, at one point: derivatives d[D] of a field, and its value in fewer than three dimensions.
  __device__ __forceinline__ void at_point(int field, int most, int q, const double* u, const double* second, double* d,
                                           double& value) const {
    value = 0;
    for (int m = 0; m < D; ++m) d[m] = 0;
    if constexpr (D == 1) {
#pragma unroll
      for (int i = 0; i < N; ++i) {
        d[0] += tG[q * N + i] * u[field * N + i];
        value += tB[q * N + i] * u[field * N + i];
      }
    }
    if constexpr (D == 2) {
      const double* const bx = second + field * N * Q + q % Q;
      const double* const gx = bx + most * N * Q;
      const double *const b = tB + q / Q * N, *const g = tG + q / Q * N;
#pragma unroll
      for (int i = 0; i < N; ++i) {
        const double x = bx[i * Q];
        d[0] += b[i] * gx[i * Q];
        d[1] += g[i] * x;
        value += b[i] * x;
      }
    }
    if constexpr (D == 3) {
      const int plane = Q * Q, size = most * N * plane;
      const double* const bb = second + field * N * plane + q % plane;
      const double *const b = tB + q / plane * N, *const g = tG + q / plane * N;
#pragma unroll
      for (int i = 0; i < N; ++i) {
        d[0] += b[i] * bb[size + i * plane];
        d[1] += b[i] * bb[2 * size + i * plane];
        d[2] += g[i] * bb[i * plane];
      }
    }
  }
  /// What of the viscosity a zone takes for its roughness (Smoothness), from its velocities v[D][NN]. One thread: the sums are short.
  __device__ double viscosity_share(const double* v) const {
    const double* const P = w + Q;  // as the tables lie
    double highest = 0, all = 0;
    for (int c = 0; c < D; ++c)
      for (int axis = 0, stride = 1; axis < D; ++axis, stride *= N)
        for (int i = 0; i < NN; ++i) {
          if (i / stride % N != 0) continue;
          for (int j = 0; j < E; ++j) {
            double mode = 0;
            for (int m = 0; m < N; ++m) mode += P[j * N + m] * v[c * NN + i + m * stride];
            all += mode * mode;
            if (j == E - 1) highest += mode * mode;
          }
        }
    return all > 0 ? device_ramp(highest / all, a.rough_from, a.rough_to) : 1.0;
  }
  __device__ __forceinline__ double weight(int q) const {
    double out = w[q % Q];
    if constexpr (D > 1) out *= w[q / Q % Q];
    if constexpr (D > 2) out *= w[q / (Q * Q)];
    return out;
  }
};

/// Stress S at the points, the step they allow, and F·1 in `terms`: kernels 1 to 3 of Dong et al. without F.
template <int D, int K>
__global__ void __launch_bounds__(device_threads, 4) update_zones(const __grid_constant__ ZoneArguments a) {
  const DeviceZone<D, K> zone(a);
  const UpdateLayout at = update_layout(D, K > 0 ? K : a.k);
  const int N = zone.N, Q = zone.Q, E = zone.E, NN = zone.NN, QQ = zone.QQ, EE = zone.EE, Z = zone.Z;
  const int id = static_cast<int>(threadIdx.x), T = static_cast<int>(blockDim.x);
  constexpr int F = 2 * D;
  double* const early = zone.memory;
  double* const late = zone.memory + Z * at.early_or_stress;
  double* const u = D == 1 ? late : early;
  double* const energy = u + Z * at.u;
  double* const first = energy + Z * at.energy;
  double* const energy_first = first + Z * at.first;
  double* const second = late;
  double* const energy_second = late + Z * at.second;
  double* const stress = early;
  double* const hoop = early + Z * at.stress;
  const bool turned = D < 3 && a.turns != 0, vanishes = a.viscosity != 0 && a.rough_to > 0;
  __shared__ double shares[most_zones_a_block];
  double slowest = 1e300;
  int beyond = 0;
  for (int group = static_cast<int>(blockIdx.x); group * Z < a.zones; group += static_cast<int>(gridDim.x)) {
    const int begin = group * Z, count = a.zones - begin < Z ? a.zones - begin : Z;
    for (int j = id; j < count * NN; j += T) {
      const int z = j / NN, i = j % NN;
      const long long node = a.map[static_cast<long long>(begin + z) * NN + i];
#pragma unroll
      for (int c = 0; c < D; ++c) {
        u[(z * F + c) * NN + i] = a.x[c * a.nodes + node];
        u[(z * F + D + c) * NN + i] = a.v[c * a.nodes + node];
      }
    }
    for (int j = id; j < count * EE; j += T) energy[j] = a.e[static_cast<long long>(begin) * EE + j];
    __syncthreads();
    if (vanishes) {
      for (int z = id; z < count; z += T) shares[z] = zone.viscosity_share(u + (z * F + D) * NN);
      __syncthreads();
    }
    if constexpr (D == 2) zone.energy_to_points(count * E, 1, energy, energy_second);
    if constexpr (D == 3) zone.energy_to_points(count * E * E, 1, energy, energy_first);
    zone.stages(count * F, Z * F, u, first, second);
    if constexpr (D == 3) {
      zone.energy_to_points(count * E, Q, energy_first, energy_second);
      __syncthreads();
    }
    for (int j = id; j < count * QQ; j += T) {
      const int z = j / QQ, q = j % QQ;
      const long long number = begin + z;
      DevicePoint<D> point;
      double value, radius = 1, radial_velocity = 0;
#pragma unroll
      for (int c = 0; c < D; ++c) {
        zone.at_point(z * F + c, Z * F, q, u, second, point.J + c * D, value);
        if (c == D - 1 && turned) radius = value;
        zone.at_point(z * F + D + c, Z * F, q, u, second, point.dv + c * D, value);
        if (c == D - 1 && turned) radial_velocity = value;
      }
      const int plane = D == 1 ? 1 : D == 2 ? Q : Q * Q;
      const double* const line = (D == 1 ? energy : energy_second) + z * E * plane + q % plane;
      double e = 0;
#pragma unroll
      for (int i = 0; i < E; ++i) e += zone.tL[q / plane * E + i] * line[i * plane];
      point.energy = e;
      point.mass = a.mass[number * QQ + q];
      point.weight = zone.weight(q);
      point.radius = radius;
      point.radial_velocity = radial_velocity;
      point.measure = a.turns == 2 ? radius * radius : radius;
      point.hoop_measure = a.turns == 2 ? 2 * radius : 1.0;
      point.turned = turned;
      point.burnt = 1;
      if (a.burn != nullptr) {
        const double* const burn = a.burn + number * (2 * QQ) + q;
        point.burnt = fmin(fmax((a.time - burn[0]) * burn[QQ], 0.0), 1.0);
      }
      point.J0inv = a.J0inv + number * (D * D * QQ) + q;
      point.widths =
          D > 1 && a.widths != nullptr && a.cubes[number] == 0 ? a.widths + number * (D * D * QQ) + q : nullptr;
      point.stride = QQ;
      point.k = E;
      point.viscosity = a.viscosity != 0;
      point.vorticity_switch = a.vorticity_switch != 0;
      point.vanishes = vanishes;
      point.share = vanishes ? shares[z] : 1;
      point.steep_from = a.steep_from;
      point.steep_to = a.steep_to;
      double S[D * D], hoop_stress;
      bool outside;
      const double step =
          device_stress<D>(point, a.materials[a.material[number]], a.material_tables, S, hoop_stress, outside);
      slowest = fmin(slowest, step);
      beyond += outside ? 1 : 0;
#pragma unroll
      for (int m = 0; m < D * D; ++m) {
        stress[(z * (D * D) + m) * QQ + q] = S[m];
        a.S[number * (D * D * QQ) + m * QQ + q] = S[m];
      }
      if (turned) {
        hoop[z * QQ + q] = hoop_stress;
        a.hoop[number * QQ + q] = hoop_stress;
      }
    }
    __syncthreads();
    double* const terms = a.terms + static_cast<long long>(begin) * (D * NN);
    const double *const B = zone.B, *const G = zone.G;
    const int lines = D == 1 ? 1 : D == 2 ? N : N * N;  // along x, of a component
    const auto put_term = [=](int line, int i, double value) {
      const int f = line / lines;
      terms[((f / D) * NN + line % lines * N + i) * D + f % D] = value;
    };
    if constexpr (D == 1) {
      if (turned)
        zone.to_nodes_both(G, B, count, 1, stress, QQ, hoop, QQ, put_term);
      else
        zone.to_nodes_into(G, count, 1, stress, QQ, put_term);
    }
    if constexpr (D == 2) {
      double *const by = late, *const gy = late + Z * D * N * Q;
      zone.to_nodes(B, count * D, Q, stress, D * QQ, by, N * Q);
      zone.to_nodes(G, count * D, Q, stress + QQ, D * QQ, gy, N * Q);
      __syncthreads();
      if (turned) {
        zone.to_nodes_into(B, count, Q, hoop, QQ,
                           [=](int z, int i, double value) { gy[(z * D + 1) * N * Q + i] += value; });
        __syncthreads();
      }
      zone.to_nodes_both(G, B, count * D * N, 1, by, Q, gy, Q, put_term);
    }
    if constexpr (D == 3) {
      const int size = Z * D * N * Q * Q;
      double *const bx = late, *const by = late + size, *const gz = by + size;
      double *const one = late + Z * at.back_second, *const two = one + Z * D * N * N * Q;
      zone.to_nodes(B, count * D, Q * Q, stress, D * QQ, bx, N * Q * Q);
      zone.to_nodes(B, count * D, Q * Q, stress + QQ, D * QQ, by, N * Q * Q);
      zone.to_nodes(G, count * D, Q * Q, stress + 2 * QQ, D * QQ, gz, N * Q * Q);
      __syncthreads();
      zone.to_nodes(B, count * D * N, Q, bx, Q * Q, one, N * Q);
      zone.to_nodes_both(G, B, count * D * N, Q, by, Q * Q, gz, Q * Q,
                         [=](int line, int i, double value) { two[line * N * Q + i] = value; });
      __syncthreads();
      zone.to_nodes_both(G, B, count * D * N * N, 1, one, Q, two, Q, put_term);
    }
    __syncthreads();
  }
  const double least = block_fold<true>(slowest);
  if (id == 0) a.partial[blockIdx.x] = least;
  if (beyond > 0) atomicAdd(a.outside, beyond);
}

/// de = M_e^-1 F^T v from S: kernels 5 and 6.
template <int D, int K>
__global__ void __launch_bounds__(device_threads) energy_of_zones(const __grid_constant__ ZoneArguments a) {
  const DeviceZone<D, K> zone(a);
  const EnergyLayout at = energy_layout(D, K > 0 ? K : a.k);
  const int Q = zone.Q, E = zone.E, NN = zone.NN, QQ = zone.QQ, EE = zone.EE, Z = zone.Z;
  const int id = static_cast<int>(threadIdx.x), T = static_cast<int>(blockDim.x);
  double* const u = zone.memory;
  double* const first = u + Z * at.u;
  double* const second = first + Z * at.first;
  double* const power = second + Z * at.second;
  double* const back_second = power + Z * at.power;
  double* const back_first = back_second + Z * at.back_second;
  double* const load = back_first + Z * at.back_first;
  const bool turned = D < 3 && a.turns != 0;
  for (int group = static_cast<int>(blockIdx.x); group * Z < a.zones; group += static_cast<int>(gridDim.x)) {
    const int begin = group * Z, count = a.zones - begin < Z ? a.zones - begin : Z;
    for (int j = id; j < count * NN; j += T) {
      const int z = j / NN, i = j % NN;
      const long long node = a.map[static_cast<long long>(begin + z) * NN + i];
#pragma unroll
      for (int c = 0; c < D; ++c) u[(z * D + c) * NN + i] = a.v[c * a.nodes + node];
    }
    __syncthreads();
    zone.stages(count * D, Z * D, u, first, second);
    for (int j = id; j < count * QQ; j += T) {
      const int z = j / QQ, q = j % QQ;
      const long long number = begin + z;
      const double* const S = a.S + number * (D * D * QQ) + q;
      double sum = 0;
#pragma unroll
      for (int c = 0; c < D; ++c) {
        double d[D], value;
        zone.at_point(z * D + c, Z * D, q, u, second, d, value);
#pragma unroll
        for (int m = 0; m < D; ++m) sum += S[(c * D + m) * QQ] * d[m];
        if (c == D - 1 && turned) sum += a.hoop[number * QQ + q] * value;
      }
      power[z * QQ + q] = sum;
    }
    __syncthreads();
    if constexpr (D == 1) zone.points_to_energy(count, 1, power, load);
    if constexpr (D == 2) {
      zone.points_to_energy(count, Q, power, back_second);
      __syncthreads();
      zone.points_to_energy(count * E, 1, back_second, load);
    }
    if constexpr (D == 3) {
      zone.points_to_energy(count, Q * Q, power, back_second);
      __syncthreads();
      zone.points_to_energy(count * E, Q, back_second, back_first);
      __syncthreads();
      zone.points_to_energy(count * E * E, 1, back_first, load);
    }
    __syncthreads();
    for (int j = id; j < count * EE; j += T) {
      const int z = j / EE, i = j % EE;
      const long long number = begin + z;
      const double* const inverse = a.Meinv + number * EE * EE + i;  // symmetric: a column for a row
      double sum = 0;
      if (a.uniform[number] > 0)  // Gauss points: no two functions of the energy meet there
        sum = inverse[static_cast<long long>(i) * EE] * load[j];
      else
        for (int l = 0; l < EE; ++l) sum += inverse[static_cast<long long>(l) * EE] * load[z * EE + l];
      a.de[number * EE + i] = sum;
    }
    __syncthreads();
  }
}

/// Zones of a group, which a block takes together.
template <int D, int K>
struct MassGroup {
  const DeviceZone<D, K>& zone;
  int begin, count;
  double *u, *one, *two;  ///< [zone][component][node], and room for what the axes leave

  __device__ __forceinline__ MassGroup(const DeviceZone<D, K>& z, bool uniform) : zone(z), begin(0), count(0) {
    const MassLayout at = mass_layout(D, K > 0 ? K : z.a.k, uniform);
    u = z.memory;
    one = u + z.Z * at.u;
    two = one + z.Z * at.turn;
  }
  __device__ __forceinline__ void take(int group) {
    begin = group * zone.Z;
    count = zone.a.zones - begin < zone.Z ? zone.a.zones - begin : zone.Z;
  }
  [[nodiscard]] __device__ __forceinline__ long long number(int z) const {
    return zone.a.list != nullptr ? zone.a.list[begin + z] : begin + z;
  }

  /// u = the field (`plain`, or else `field`, as in MassArguments), times the zone's heft if so wished. A thread a component, neighbours side by side in memory: what a warp asks for lies
  /// in one piece.
  template <bool weighed>
  __device__ __forceinline__ void load(const double* plain, const double* field) const {
    const int NN = zone.NN;
    for (int j = static_cast<int>(threadIdx.x); j < count * NN * D; j += static_cast<int>(blockDim.x)) {
      const int z = j / (NN * D), i = j / D % NN, c = j % D;
      const long long which = number(z), node = zone.a.map[which * NN + i];
      double value = plain != nullptr ? plain[c * zone.a.nodes + node] : field[node * D + c];
      if constexpr (weighed)
        if (zone.a.heft != nullptr && !(zone.a.uniform[which] > 0)) value *= zone.a.heft[which * NN + i];
      u[(z * D + c) * NN + i] = value;
    }
  }
  /// put(field, node, value) of u times a matrix of nodes along each axis.
  template <class Put>
  __device__ __forceinline__ void multiply_axes(const double* matrix, const Put& put) const {
    constexpr int cN = DeviceZone<D, K>::cN;
    const int N = zone.N, NN = zone.NN;
    const double* from = u;
    if constexpr (D > 1) {
      contract<cN, cN>(matrix, N, 1, N, N, count * D * (D == 2 ? N : N * N), 1, u, N, one, N);
      __syncthreads();
      from = one;
    }
    if constexpr (D > 2) {
      contract<cN, cN>(matrix, N, 1, N, N, count * D * N, N, one, N * N, two, N * N);
      __syncthreads();
      from = two;
    }
    const int C = D == 1 ? 1 : D == 2 ? N : N * N;
    contract_into<cN, cN>(matrix, N, 1, N, N, count * D, C, from, NN, put);
  }
  /// `out` = M u by one-dimensional matrices; returns this thread's part of u·M u.
  __device__ __forceinline__ double multiply_uniform(double* out) const {
    const int NN = zone.NN;
    double product = 0;
    multiply_axes(zone.M, [&](int f, int i, double value) {
      value *= zone.a.uniform[number(f / D)];
      product += u[f * NN + i] * value;
      out[f * NN + i] = value;
    });
    return product;
  }
  /// `out` = h C h y of what load<true>() brought, h the zones' heft; returns this thread's part of y·that.
  __device__ __forceinline__ double multiply_inverse(double* out) const {
    const int NN = zone.NN;
    double product = 0;
    multiply_axes(zone.C, [&](int f, int i, double value) {
      const long long which = number(f / D);
      const double uniform = zone.a.uniform[which];
      if (uniform > 0) value *= uniform;
      product += u[f * NN + i] * value;
      out[f * NN + i] = uniform > 0 ? value : zone.a.heft[which * NN + i] * value;
    });
    return product;
  }
  /// The same with the masses at the points; without `out` the product alone.
  __device__ __forceinline__ double multiply_points(double* out) const {
    const int N = zone.N, Q = zone.Q, QQ = zone.QQ, fields = count * D;
    const double* from = u;
    if constexpr (D == 2) {
      zone.to_points(zone.B, fields * N, 1, u, N, one, Q);
      from = one;
    }
    if constexpr (D == 3) {
      zone.to_points(zone.B, fields * N * N, 1, u, N, two, Q);
      __syncthreads();
      zone.to_points(zone.B, fields * N, Q, two, N * Q, one, Q * Q);
      from = one;
    }
    if constexpr (D > 1) __syncthreads();
    const int plane = D == 1 ? 1 : D == 2 ? Q : Q * Q;
    double product = 0;
    for (int j = static_cast<int>(threadIdx.x); j < fields * QQ; j += static_cast<int>(blockDim.x)) {
      const int f = j / QQ, q = j % QQ;
      const double* const line = from + f * N * plane + q % plane;
      double value = 0;
#pragma unroll
      for (int i = 0; i < N; ++i) value += zone.tB[q / plane * N + i] * line[i * plane];
      const double weighted = zone.a.mass[number(f / D) * QQ + q] * value;
      product += value * weighted;
      two[j] = weighted;
    }
    __syncthreads();
    if (out == nullptr) return product;
    const double* last = two;
    if constexpr (D == 3) {
      zone.to_nodes(zone.B, fields, Q * Q, two, QQ, one, N * Q * Q);
      __syncthreads();
      zone.to_nodes(zone.B, fields * N, Q, one, Q * Q, two, N * Q);
      __syncthreads();
    }
    if constexpr (D == 2) {
      zone.to_nodes(zone.B, fields, Q, two, QQ, one, N * Q);
      last = one;
      __syncthreads();
    }
    const int lines = D == 1 ? 1 : D == 2 ? N : N * N;
    zone.to_nodes_into(zone.B, fields * lines, 1, last, Q,
                       [&](int line, int i, double value) { out[line * N + i] = value; });
    return product;
  }
  /// `out` to the zones' terms, in the order of memory: a sector that is written in pieces costs as much as many.
  __device__ __forceinline__ void store(const double* out) const {
    const int NN = zone.NN;
    for (int j = static_cast<int>(threadIdx.x); j < count * NN * D; j += static_cast<int>(blockDim.x)) {
      const int z = j / (NN * D), i = j / D % NN, c = j % D;
      zone.a.terms[number(z) * (NN * D) + j % (NN * D)] = out[(z * D + c) * NN + i];
    }
  }
};

/// terms = M_v p of zones, p the field; returns this thread's part of p·M_v p. uniform: zones where ρ0 |J0| is constant, whose matrix is a
/// product of one-dimensional ones.
template <int D, int K, bool uniform>
__device__ __forceinline__ double mass_pass(const MassArguments& m, const DeviceZone<D, K>& zone) {
  MassGroup<D, K> of(zone, uniform);
  double* const out = uniform && D == 1 ? of.one : of.u;  // in place where nothing else is read any more
  const int step = static_cast<int>(gridDim.x);
  double product = 0;
  for (int group = static_cast<int>(blockIdx.x); group * zone.Z < zone.a.zones; group += step) {
    of.take(group);
    of.template load<false>(m.plain, m.field);
    __syncthreads();
    if constexpr (uniform)
      product += of.multiply_uniform(out);
    else
      product += of.multiply_points(zone.a.terms != nullptr ? out : nullptr);
    __syncthreads();
    if (zone.a.terms == nullptr) continue;
    of.store(out);
    __syncthreads();
  }
  return product;
}
/// terms = what zones add to the preconditioner times r, from y = D r; returns this thread's part of r·z.
template <int D, int K>
__device__ __forceinline__ double inverse_pass(const double* y, const DeviceZone<D, K>& zone) {
  MassGroup<D, K> of(zone, true);
  double* const out = D == 1 ? of.one : of.u;
  const int step = static_cast<int>(gridDim.x);
  double product = 0;
  for (int group = static_cast<int>(blockIdx.x); group * zone.Z < zone.a.zones; group += step) {
    of.take(group);
    of.template load<true>(nullptr, y);
    __syncthreads();
    product += of.multiply_inverse(out);
    __syncthreads();
    of.store(out);
    __syncthreads();
  }
  return product;
}

/// Σ of the zones' terms at a node.
template <int D>
__device__ __forceinline__ void meet(const NodeArguments& a, long long node, double* sum) {
  for (int c = 0; c < D; ++c) sum[c] = 0;
  const int end = a.meet_begin[node + 1];
#pragma unroll 4
  for (int m = a.meet_begin[node]; m < end; ++m) {
    const double* const term = a.terms + static_cast<long long>(D) * a.place[m];
#pragma unroll
    for (int c = 0; c < D; ++c) sum[c] += term[c];
  }
}
/// Takes what walls do not leave free.
template <int D>
__device__ __forceinline__ void keep_free(const NodeArguments& a, long long node, double* value) {
  const int number = a.constraint[node];
  if (number < 0) return;
  const double* const P = a.projector + static_cast<long long>(number) * (D * D);
  double in[D];
  for (int c = 0; c < D; ++c) in[c] = value[c];
  for (int i = 0; i < D; ++i) {
    double sum = 0;
    for (int j = 0; j < D; ++j) sum += P[i * D + j] * in[j];
    value[i] = sum;
  }
}
/// Component c of P Σ of the zones' terms at a node. Threads of a node's components lie side by side, and so do the terms that they
/// read; four at a time are on their way together.
template <int D>
__device__ __forceinline__ double free_component(const NodeArguments& a, long long node, int c) {
  const int begin = a.meet_begin[node], end = a.meet_begin[node + 1];
  if (a.constraint[node] >= 0) {
    double all[D];
    meet<D>(a, node, all);
    keep_free<D>(a, node, all);
    double out = all[0];
#pragma unroll
    for (int i = 1; i < D; ++i)
      if (c == i) out = all[i];
    return out;
  }
  double sum = 0;
  for (int m = begin; m < end; m += 4) {
    int place[4];
    double term[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) place[i] = m + i < end ? a.place[m + i] : -1;
#pragma unroll
    for (int i = 0; i < 4; ++i) term[i] = place[i] >= 0 ? a.terms[static_cast<long long>(D) * place[i] + c] : 0.0;
#pragma unroll
    for (int i = 0; i < 4; ++i) sum += term[i];
  }
  return sum;
}
/// body(at, node, component, P Σ of the zones' terms) for this thread's share of [node][component].
template <int D, class Body>
__device__ __forceinline__ void over_components(const NodeArguments& a, const Body& body) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long at = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; at < a.nodes * D; at += stride) {
    const long long node = at / D;
    const int c = static_cast<int>(at % D);
    body(at, node, c, free_component<D>(a, node, c));
  }
}
/// From the terms of M_v p: a += α p, r -= α P M_v p. p lies in the free directions, so p·(P M p) = p·(M p).
template <int D>
__device__ __forceinline__ void advance_pass(const NodeArguments& a, double alpha) {
  over_components<D>(a, [&](long long at, long long node, int c, double sum) {
    a.a[c * a.nodes + node] += alpha * a.p[at];
    a.y[at] -= alpha * a.diagonal[node] * sum;
  });
}
/// From the terms of the preconditioner: p = z + β p.
template <int D>
__device__ __forceinline__ void direction_pass(const NodeArguments& a, bool first, double beta) {
  over_components<D>(a, [&](long long at, long long node, int, double sum) {
    const double z = a.diagonal[node] * sum;
    a.p[at] = first ? z : z + beta * a.p[at];
  });
}

/// The same: a += z, at the end of a solve.
template <int D>
__device__ __forceinline__ void last_pass(const NodeArguments& a) {
  over_components<D>(
      a, [&](long long, long long node, int c, double sum) { a.a[c * a.nodes + node] += a.diagonal[node] * sum; });
}

/// An iteration's product with the mass, or M_v of a field.
template <int D, int K, bool uniform>
__global__ void __launch_bounds__(device_threads) mass_of_zones(const __grid_constant__ MassArguments m) {
  const int id = static_cast<int>(threadIdx.x);
  if (m.numbers != nullptr && m.numbers->node_done != 0) {
    if (blockIdx.x == 0 && id == 0) m.numbers->zone_done = 1;
    return;
  }
  const DeviceZone<D, K> zone(m.zone);
  const double sum = block_fold<false>(mass_pass<D, K, uniform>(m, zone));
  if (id == 0) m.zone.partial[blockIdx.x] = sum;
}
/// What zones add to the preconditioner.
template <int D, int K>
__global__ void __launch_bounds__(device_threads) inverse_of_zones(const __grid_constant__ MassArguments m) {
  if (m.numbers != nullptr && m.numbers->zone_done != 0) return;
  const DeviceZone<D, K> zone(m.zone);
  const double sum = block_fold<false>(inverse_pass<D, K>(m.field, zone));
  if (threadIdx.x == 0) m.zone.partial[blockIdx.x] = sum;
}

/// A whole solve, from what begin_solve has left: all blocks are there at once, and the grid's barrier is all that they wait for. For
/// meshes that are too small for launches to count for nothing. `field` is p.
template <int D, int K, bool uniform>
__global__ void __launch_bounds__(device_threads) solve_at_once(const __grid_constant__ SolveArguments s) {
  const DeviceZone<D, K> zone(s.mass.zone);
  const auto grid = cooperative_groups::this_grid();
  const int blocks = static_cast<int>(gridDim.x);
  const auto whole = [&](double mine) {
    const double sum = block_fold<false>(mine);
    if (threadIdx.x == 0) s.mass.zone.partial[blockIdx.x] = sum;
    grid.sync();
    return sum_of(s.mass.zone.partial, blocks);
  };
  double gamma = whole(inverse_pass<D, K>(s.node.y, zone)), beta = 0;
  const double target = s.node.tolerance2 * gamma;
  int iteration = 0;
  for (; gamma > target && iteration < s.node.most_iterations; ++iteration) {
    direction_pass<D>(s.node, iteration == 0, beta);
    grid.sync();
    const double alpha = gamma / whole(mass_pass<D, K, uniform>(s.mass, zone));
    advance_pass<D>(s.node, alpha);
    grid.sync();
    const double next = whole(inverse_pass<D, K>(s.node.y, zone));
    beta = next / gamma;
    gamma = next;
  }
  last_pass<D>(s.node);
  if (blockIdx.x == 0 && threadIdx.x == 0) s.mass.numbers->iterations = iteration;
}

}  // namespace conoid::hydro_fem
