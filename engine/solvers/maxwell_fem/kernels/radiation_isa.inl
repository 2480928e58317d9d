// SPDX-License-Identifier: BSD-3-Clause
// The radiation kernels for registers of CONOID_BYTES: lanes are points of S, a point of S' is broadcast.
// The coefficients are limited by issue (no division or square root where the processor estimates 1/√x), the product by the
// multiply-add rate: one load of the tile serves six right-hand sides from registers.
// isas: base avx2 avx512
#include "engine/simd/lanes.hpp"
#include "engine/solvers/maxwell_fem/kernels/radiation.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace conoid::maxwell_fem {
namespace {

using simd::load, simd::store;
constexpr int lanes = CONOID_BYTES / 8;
using vd = simd::Lanes<double, CONOID_BYTES>::v;
using vi = simd::Lanes<double, CONOID_BYTES>::i;

/// 1/√x to the last digits.
inline vd inverse_root(vd x) {
#if CONOID_BYTES == 64
  vd y = (vd)_mm512_maskz_rsqrt14_pd(0xff, (__m512d)x);
  const vd half = 0.5 * x;
  y = y * (1.5 - half * y * y);
  y = y * (1.5 - half * y * y);
  return y;
#else
  vd y;
  for (int l = 0; l < lanes; ++l) y[l] = 1 / std::sqrt(x[l]);
  return y;
#endif
}

/// cos x and sin x for 0 ≤ x < 10⁶: x − n π/2 in three parts (W. J. Cody, W. Waite, 1980), Taylor series to 10⁻¹⁶.
inline void cosine_sine(vd x, vd& c, vd& s) {
  constexpr double magic = 6755399441055744.0;  // 1.5 · 2⁵²: adding it rounds to an integer in the low bits
  const vd shifted = x * 0.63661977236758134308 + magic;
  vi n;
  std::memcpy(&n, &shifted, sizeof n);
  const vd turns = shifted - magic;
  vd r = x - turns * 1.57079632673412561417e+00;
  r = r - turns * 6.07710050630396597660e-11;
  r = r - turns * 2.02226624871116645580e-21;
  const vd z = r * r;
  const vd sine =
      r * (1.0 + z * (-1.0 / 6 + z * (1.0 / 120 + z * (-1.0 / 5040 +
                                                       z * (1.0 / 362880 + z * (-1.0 / 39916800 +
                                                                                z * (1.0 / 6227020800.0 -
                                                                                     z * (1.0 / 1307674368000.0))))))));
  const vd cosine =
      1.0 + z * (-0.5 + z * (1.0 / 24 +
                             z * (-1.0 / 720 + z * (1.0 / 40320 +
                                                    z * (-1.0 / 3628800 + z * (1.0 / 479001600.0 +
                                                                               z * (-1.0 / 87178291200.0 +
                                                                                    z * (1.0 / 20922789888000.0))))))));
  const vi odd = -(n & 1);  // all bits set where sine and cosine change places
  const vi sine_bits = (vi)sine, cosine_bits = (vi)cosine;
  const vi sign_s = (n & 2) << 62, sign_c = ((n + 1) & 2) << 62;
  s = (vd)(((sine_bits & ~odd) | (cosine_bits & odd)) ^ sign_s);
  c = (vd)(((cosine_bits & ~odd) | (sine_bits & odd)) ^ sign_c);
}

/// Lanes of S and what does not depend on the point of S'.
struct Row {
  vd x, y, z, ux, uy, uz, vx, vy, vz;
  Row(const PointArrays& to, Index at)
      : x(load<vd>(to.row(0) + at)), y(load<vd>(to.row(1) + at)), z(load<vd>(to.row(2) + at)),
        ux(load<vd>(to.row(3) + at)), uy(load<vd>(to.row(4) + at)), uz(load<vd>(to.row(5) + at)),
        vx(load<vd>(to.row(6) + at)), vy(load<vd>(to.row(7) + at)), vz(load<vd>(to.row(8) + at)) {}
};

/// A_j and B_j of the header for one point of S'.
struct Pair {
  vd ar[2], ai[2], br[2], bi[2];
};

inline Pair pair(const Row& p, const PointArrays& from, Index q, double k, double inverse_k, double over_four_pi) {
  const vd dx = p.x - from.row(0)[q], dy = p.y - from.row(1)[q], dz = p.z - from.row(2)[q];
  const vd r2 = dx * dx + dy * dy + dz * dz;
  const vd over_r = inverse_root(r2);
  const vd kr = k * (r2 * over_r);
  const vd ex = dx * over_r, ey = dy * over_r, ez = dz * over_r;
  vd c, s;
  cosine_sine(kr, c, s);
  const vd size = over_four_pi * over_r;
  const vd gr = size * c, gi = -(size * s);  // g = (cos kR − j sin kR)/4πR
  const vd a = inverse_k * over_r, a2 = a * a;
  // −jk g α with α = 1 − j/kR − 1/(kR)²; −jk g β with β = −1 + 3j/kR + 3/(kR)²; γ g = −(jk + 1/R) g.
  const vd wr = k * gi, wi = -(k * gr);  // −jk g
  const vd one = 1.0 - a2, three = 3.0 * a2 - 1.0, a3 = 3.0 * a;
  const vd alpha_r = wr * one + wi * a, alpha_i = wi * one - wr * a;
  const vd beta_r = wr * three - wi * a3, beta_i = wi * three + wr * a3;
  const vd gamma_r = wr - over_r * gr, gamma_i = wi - over_r * gi;
  const vd ue = p.ux * ex + p.uy * ey + p.uz * ez, ve = p.vx * ex + p.vy * ey + p.vz * ez;
  // t·(ê × τ) = τ·(t × ê)
  const vd mx = p.uy * ez - p.uz * ey, my = p.uz * ex - p.ux * ez, mz = p.ux * ey - p.uy * ex;
  const vd nx = p.vy * ez - p.vz * ey, ny = p.vz * ex - p.vx * ez, nz = p.vx * ey - p.vy * ex;
  Pair out;
  for (int j = 0; j < 2; ++j) {
    const double tx = from.row(3 + 3 * j)[q], ty = from.row(4 + 3 * j)[q], tz = from.row(5 + 3 * j)[q];
    const vd et = ex * tx + ey * ty + ez * tz;
    const vd ut = p.ux * tx + p.uy * ty + p.uz * tz, vt = p.vx * tx + p.vy * ty + p.vz * tz;
    const vd xu = mx * tx + my * ty + mz * tz, xv = nx * tx + ny * ty + nz * tz;
    const vd ueet = ue * et, veet = ve * et;
    out.ar[j] = alpha_r * ut + beta_r * ueet - gamma_r * xv;
    out.ai[j] = alpha_i * ut + beta_i * ueet - gamma_i * xv;
    out.br[j] = alpha_r * vt + beta_r * veet + gamma_r * xu;
    out.bi[j] = alpha_i * vt + beta_i * veet + gamma_i * xu;
  }
  return out;
}

constexpr int strip_vectors = CONOID_BYTES == 64 ? 2 : 1;
constexpr int strip = strip_vectors * lanes;
constexpr double quarter_pi_inverse = 0.079577471545947667884;  // 1/4π

void tile(const PointArrays& to, Index row, int rows, const PointArrays& from, Index point, int points, double k,
          double* plus, double* minus) {
  const double inverse_k = 1 / k;
  for (int r = 0; r < rows; r += lanes) {
    const Row p(to, row + r);
    const std::ptrdiff_t base = static_cast<std::ptrdiff_t>(r / strip) * strip * 2 * 2 * points + r % strip;
    double *up = plus + base, *down = minus + base;
    for (int q = 0; q < points; ++q) {
      const Pair c = pair(p, from, point + q, k, inverse_k, quarter_pi_inverse);
      for (int j = 0; j < 2; ++j, up += 2 * strip, down += 2 * strip) {
        store(up, c.ar[j] - c.bi[j]);
        store(up + strip, c.ai[j] + c.br[j]);
        store(down, c.ar[j] + c.bi[j]);
        store(down + strip, c.ai[j] - c.br[j]);
      }
    }
  }
}

void multiply(const double* tile_data, int rows, int depth, const double* panel, double* sums, Index stride) {
  for (int r = 0; r < rows; r += strip) {
    const double* t = tile_data + static_cast<std::ptrdiff_t>(r) * 2 * depth;
    vd re[strip_vectors][panel_width] = {}, im[strip_vectors][panel_width] = {};
    const double* b = panel;
    for (int d = 0; d < depth; ++d, t += 2 * strip, b += 2 * panel_width) {
      vd cr[strip_vectors], ci[strip_vectors];
#pragma GCC unroll 2
      for (int s = 0; s < strip_vectors; ++s) {
        cr[s] = load<vd>(t + s * lanes);
        ci[s] = load<vd>(t + strip + s * lanes);
      }
#pragma GCC unroll 6
      for (int c = 0; c < panel_width; ++c) {
        const double fr = b[2 * c], fi = b[2 * c + 1];
#pragma GCC unroll 2
        for (int s = 0; s < strip_vectors; ++s) {
          re[s][c] += cr[s] * fr;
          im[s][c] += ci[s] * fr;
          re[s][c] -= ci[s] * fi;
          im[s][c] += cr[s] * fi;
        }
      }
    }
#pragma GCC unroll 6
    for (int c = 0; c < panel_width; ++c)
#pragma GCC unroll 2
      for (int s = 0; s < strip_vectors; ++s) {
        double* to_re = sums + 2 * c * stride + r + s * lanes;
        double* to_im = to_re + stride;
        store(to_re, load<vd>(to_re) + re[s][c]);
        store(to_im, load<vd>(to_im) + im[s][c]);
      }
  }
}

void fused(const PointArrays& to, Index row, int rows, const PointArrays& from, double k, const double* f_plus,
           const double* f_minus, Complex* psi_plus, Complex* psi_minus) {
  const double inverse_k = 1 / k;
  for (int r = 0; r < rows; r += lanes) {
    const Row p(to, row + r);
    vd pr = {}, pi = {}, mr = {}, mi = {};
    for (Index q = 0; q < from.count; ++q) {
      const Pair c = pair(p, from, q, k, inverse_k, quarter_pi_inverse);
#pragma GCC unroll 2
      for (int j = 0; j < 2; ++j) {
        const vd cpr = c.ar[j] - c.bi[j], cpi = c.ai[j] + c.br[j], cmr = c.ar[j] + c.bi[j], cmi = c.ai[j] - c.br[j];
        const double *m = f_minus + 2 * (2 * q + j), *u = f_plus + 2 * (2 * q + j);
        pr += cpr * m[0];
        pi += cpi * m[0];
        pr -= cpi * m[1];
        pi += cpr * m[1];
        mr += cmr * u[0];
        mi += cmi * u[0];
        mr -= cmi * u[1];
        mi += cmr * u[1];
      }
    }
    for (int l = 0; l < lanes && row + r + l < to.count; ++l) {
      psi_plus[r + l] = {pr[l], pi[l]};
      psi_minus[r + l] = {mr[l], mi[l]};
    }
  }
}

double multiply_adds(long rounds, double* keep) {
  constexpr int chains = CONOID_BYTES == 64 ? 20 : 12;
  vd a[chains];
  for (int c = 0; c < chains; ++c) a[c] = vd{} + 0.001 * c;
  const vd x = vd{} + 0.999, y = vd{} + (0.001 + 1e-9 * *keep);
  for (long r = 0; r < rounds; ++r)
#pragma GCC unroll 32
    for (int c = 0; c < chains; ++c) a[c] = a[c] * x + y;
  for (int c = 0; c < chains; ++c)
    for (int l = 0; l < lanes; ++l) *keep += a[c][l];
  return 2.0 * chains * lanes * static_cast<double>(rounds);
}

}  // namespace

extern const RadiationKernel CONOID_ISA_NAME(radiation);
const RadiationKernel CONOID_ISA_NAME(radiation){CONOID_ISA_TEXT, lanes, strip, tile, multiply, fused, multiply_adds};

}  // namespace conoid::maxwell_fem
