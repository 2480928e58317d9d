// SPDX-License-Identifier: BSD-3-Clause
// The coefficients of a pair of points on a device.
//
// In the frame (t1, t2, n) of the point of S, with t± = t1 ± j t2, the operator of kernels/radiation.hpp is
//   C± of τ = (α − γ ê·n)(t±·τ) + (t±·ê)(β ê·τ + γ n·τ),
// since t± × ê = ±j (ê·n) t± ∓ j (t±·ê) n; α, β = −jk g times those of G, γ = −(jk + 1/R) g. So both halves share their products.
// 185 flops a pair, 140 instructions of which most are multiply-adds.
#pragma once

#include "engine/team/kernel.hpp"

#include "engine/solvers/maxwell_fem/cuda/radiation_arguments.hpp"

namespace conoid::maxwell_fem {

/// A point of S.
struct DeviceRow {
  double x, y, z, t1[3], t2[3], n[3];
};

__device__ __forceinline__ DeviceRow device_row(const DeviceSurfaces& s, int at) {
  DeviceRow p;
  const double* from = s.to + at;
  p.x = from[0];
  p.y = from[s.to_padded];
  p.z = from[2 * s.to_padded];
  for (int d = 0; d < 3; ++d) {
    p.t1[d] = from[(3 + d) * s.to_padded];
    p.t2[d] = from[(6 + d) * s.to_padded];
  }
  p.n[0] = p.t1[1] * p.t2[2] - p.t1[2] * p.t2[1];
  p.n[1] = p.t1[2] * p.t2[0] - p.t1[0] * p.t2[2];
  p.n[2] = p.t1[0] * p.t2[1] - p.t1[1] * p.t2[0];
  return p;
}

/// 1/√x to the last digits for x that single precision can hold: one step of third order from 22 bits.
__device__ __forceinline__ double device_inverse_root(double x) {
  const double y = static_cast<double>(rsqrtf(static_cast<float>(x)));
  const double e = 1.0 - x * y * y;
  return y + y * e * (0.5 + 0.375 * e);
}

/// cos x and sin x for 0 ≤ x < 10⁶: x − n π/2 in three parts (W. J. Cody, W. Waite, 1980), polynomials of Sun's fdlibm.
__device__ __forceinline__ void device_cosine_sine(double x, double& c, double& s) {
  const double magic = 6755399441055744.0;  // 1.5 · 2⁵²: adding it rounds to an integer in the low bits
  const double shifted = x * 0.63661977236758134308 + magic;
  const int n = static_cast<int>(__double_as_longlong(shifted));
  const double turns = shifted - magic;
  double r = x - turns * 1.57079632673412561417e+00;
  r = r - turns * 6.07710050630396597660e-11;
  r = r - turns * 2.02226624871116645580e-21;
  const double z = r * r;
  double sine = 1.58969099521155010221e-10;
  sine = sine * z - 2.50507602534068634195e-08;
  sine = sine * z + 2.75573137070700676789e-06;
  sine = sine * z - 1.98412698298579493134e-04;
  sine = sine * z + 8.33333333332248946124e-03;
  sine = sine * z - 1.66666666666666324348e-01;
  sine = r + r * z * sine;
  double cosine = -1.13596475577881948265e-11;
  cosine = cosine * z + 2.08757232129817482790e-09;
  cosine = cosine * z - 2.75573143513906633035e-07;
  cosine = cosine * z + 2.48015872894767294178e-05;
  cosine = cosine * z - 1.38888888888741095749e-03;
  cosine = cosine * z + 4.16666666666666019037e-02;
  cosine = 1.0 + z * (z * cosine - 0.5);
  const bool odd = (n & 1) != 0;
  s = odd ? cosine : sine;
  c = odd ? sine : cosine;
  if ((n & 2) != 0) s = -s;
  if (((n + 1) & 2) != 0) c = -c;
}

/// C+ and C− of both tangents of a source.
struct DevicePair {
  double plus_re[2], plus_im[2], minus_re[2], minus_im[2];
};

/// `source`: place and tangents, nine doubles.
__device__ __forceinline__ DevicePair device_pair(const DeviceRow& p, const double* source, double k,
                                                  double inverse_k) {
  const double dx = p.x - source[0], dy = p.y - source[1], dz = p.z - source[2];
  const double r2 = dx * dx + dy * dy + dz * dz;
  const double over_r = device_inverse_root(r2);
  double c, s;
  device_cosine_sine(k * (r2 * over_r), c, s);
  const double ex = dx * over_r, ey = dy * over_r, ez = dz * over_r;
  const double size = 0.079577471545947667884 * over_r;  // 1/4π
  const double gr = size * c, gi = -(size * s);          // g = (cos kR − j sin kR)/4πR
  const double wr = k * gi, wi = -(k * gr);              // −jk g
  const double a = inverse_k * over_r, a2 = a * a, one = 1.0 - a2, three = 3.0 * a2 - 1.0, a3 = 3.0 * a;
  const double beta_r = wr * three - wi * a3, beta_i = wi * three + wr * a3;
  const double gamma_r = wr - over_r * gr, gamma_i = wi - over_r * gi;
  const double e1 = p.t1[0] * ex + p.t1[1] * ey + p.t1[2] * ez, e2 = p.t2[0] * ex + p.t2[1] * ey + p.t2[2] * ez,
               en = p.n[0] * ex + p.n[1] * ey + p.n[2] * ez;
  const double first_r = wr * one + wi * a - gamma_r * en, first_i = wi * one - wr * a - gamma_i * en;
  DevicePair out;
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    const double tx = source[3 + 3 * j], ty = source[4 + 3 * j], tz = source[5 + 3 * j];
    const double u = p.t1[0] * tx + p.t1[1] * ty + p.t1[2] * tz, v = p.t2[0] * tx + p.t2[1] * ty + p.t2[2] * tz,
                 w = p.n[0] * tx + p.n[1] * ty + p.n[2] * tz;
    const double et = e1 * u + e2 * v + en * w;
    const double second_r = beta_r * et + gamma_r * w, second_i = beta_i * et + gamma_i * w;
    const double ru = first_r * u + e1 * second_r, iv = first_i * v + e2 * second_i, iu = first_i * u + e1 * second_i,
                 rv = first_r * v + e2 * second_r;
    out.plus_re[j] = ru - iv;
    out.plus_im[j] = iu + rv;
    out.minus_re[j] = ru + iv;
    out.minus_im[j] = iu - rv;
  }
  return out;
}

/// Places and tangents of sources [begin, begin + some) to shared memory, `width` doubles apart; by all threads of the block.
__device__ __forceinline__ void load_sources(const DeviceSurfaces& s, int begin, int some, double* shared, int width) {
  for (int i = static_cast<int>(threadIdx.x); i < 9 * radiation_tile; i += radiation_threads) {
    const int r = i / radiation_tile, q = i % radiation_tile;
    if (q < some) shared[q * width + r] = s.from[r * s.from_padded + begin + q];
  }
}

}  // namespace conoid::maxwell_fem
