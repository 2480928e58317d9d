// SPDX-License-Identifier: BSD-3-Clause
// The small linear algebra of one quadrature point, of W zones at once (engine/simd/lanes.hpp).
#pragma once

#include "engine/simd/lanes.hpp"
#include "engine/solvers/hydro_fem/kernels/rest_rate.hpp"

namespace conoid::hydro_fem {

using simd::lane, simd::lanes_of, simd::splat, simd::vabs, simd::vmax, simd::vmin, simd::vsqrt;

/// Smallest eigenvalue mu of the symmetric [a b; b c] and its eigenvector (not normalised, never shorter than rest_rate).
template <class V>
inline void smallest_eigen2(V a, V b, V c, V& mu, V& sx, V& sy) {
  const V mean = 0.5 * (a + c);
  const V half = 0.5 * (a - c);
  const V radius = vsqrt(half * half + b * b);
  mu = mean - radius;
  // (A - mu) s = 0 by the row that does not cancel.
  sx = half >= 0 ? -b : radius - half;
  sy = half >= 0 ? half + radius : -b;
  const auto isotropic = (vabs(sx) < rest_rate) & (vabs(sy) < rest_rate);
  sx = isotropic ? splat<V>(1) : sx;
}

/// One Jacobi rotation that zeroes a[p][q]; written without dividing by a[p][q], so that it is safe when that is zero.
template <class V>
inline void rotate(V& app, V& aqq, V& apq, V& arp, V& arq, V& t, V& c, V& s) {
  const V d = aqq - app;
  const V root = vsqrt(d * d + 4.0 * apq * apq);
  const V sign = d < 0 ? splat<V>(-1) : splat<V>(1);
  t = 2.0 * apq * sign / (vabs(d) + root + 1e-300);
  c = 1.0 / vsqrt(1.0 + t * t);
  s = t * c;
  app = app - t * apq;
  aqq = aqq + t * apq;
  apq = V{};
  const V p = arp;
  arp = c * p - s * arq;
  arq = s * p + c * arq;
}

/// Eigenvalues d[3] of a symmetric 3×3 (a[0..5] = xx yy zz yz xz xy) by cyclic Jacobi; with `vectors` also the columns
/// of v[3][3]. Stops when every lane's off-diagonal part is below round-off of its diagonal (5 sweeps at most).
template <class V, bool vectors>
inline void jacobi3(V a[6], V v[3][3]) {
  if constexpr (vectors)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) v[i][j] = splat<V>(i == j ? 1.0 : 0.0);
  for (int sweep = 0; sweep < 6; ++sweep) {
    const V off = a[3] * a[3] + a[4] * a[4] + a[5] * a[5];
    const V diagonal = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
    const auto rough = off > 1e-32 * diagonal;
    if (!simd::any(rough)) break;
    V t, c, s;
    auto turn = [&](int p, int q) {
      if constexpr (vectors) {
        for (int i = 0; i < 3; ++i) {
          const V x = v[i][p];
          v[i][p] = c * x - s * v[i][q];
          v[i][q] = s * x + c * v[i][q];
        }
      }
    };
    rotate(a[0], a[1], a[5], a[4], a[3], t, c, s);  // (x,y): third is z, a_zx = a[4], a_zy = a[3]
    turn(0, 1);
    rotate(a[0], a[2], a[4], a[5], a[3], t, c, s);  // (x,z): third is y, a_yx = a[5], a_yz = a[3]
    turn(0, 2);
    rotate(a[1], a[2], a[3], a[5], a[4], t, c, s);  // (y,z): third is x, a_xy = a[5], a_xz = a[4]
    turn(1, 2);
  }
}

/// cos(acos(r)/3) for r in [-1,1], the largest root of 4x³ - 3x = r, as cos(2/3 acos s) with s = cos(acos(r)/2) =
/// sqrt((1+r)/2): analytic in s on [0,1], so that a Chebyshev sum of degree 20 (here by powers of 2s-1) is exact to round-off.
template <class V>
inline V cos_third(V r) {
  constexpr double c[] = {0.7660444431189779,      0.24740906632284282,     -0.015509188436467463,
                          0.0024663528154168575,   -0.0005041246914453106,  0.00011642544892101741,
                          -2.8919935887220666e-05, 7.541104736032145e-06,   -2.035853649606789e-06,
                          5.640500361087097e-07,   -1.5965774713411207e-07, 4.610169068719472e-08,
                          -1.2993810472039513e-08, 3.57141982654241e-09,    -1.7846559785539284e-09,
                          6.777653993594868e-10,   4.814566523236863e-10,   -1.3078604865768284e-10,
                          -3.0873081868776353e-10, 3.795719294430455e-11,   6.195932655828074e-11};
  const V t = 2.0 * vsqrt(0.5 * (1.0 + vmin(vmax(r, splat<V>(-1)), splat<V>(1)))) - 1.0;
  V sum = splat<V>(c[20]);
  for (int i = 19; i >= 0; --i) sum = sum * t + c[i];
  return sum;
}

/// Eigenvalues of a symmetric 3×3 (xx yy zz yz xz xy) in closed form: mean + 2 p x with 4x³ - 3x = r, the deviator's
/// third invariant over p³. The wanted end of the spectrum is accurate to round-off where it is simple, to its square root
/// of p where it is double.
template <class V>
inline V extreme_eigen3(const V a[6], double sign) {
  const V mean = (a[0] + a[1] + a[2]) * (1.0 / 3.0);
  const V x = a[0] - mean, y = a[1] - mean, z = a[2] - mean;
  const V beside = a[3] * a[3] + a[4] * a[4] + a[5] * a[5];
  const V p = vsqrt((x * x + y * y + z * z + 2.0 * beside) * (1.0 / 6.0));
  const V s = 1.0 / (p + 1e-150);
  const V xs = x * s, ys = y * s, zs = z * s, f = a[3] * s, g = a[4] * s, h = a[5] * s;
  const V r = 0.5 * (xs * (ys * zs - f * f) - h * (h * zs - f * g) + g * (h * f - ys * g));
  return mean + (2.0 * sign) * p * cos_third<V>(sign * r);
}

/// Smallest eigenvalue mu of a symmetric 3×3 and its eigenvector (not normalised, never zero): closed form, the vector
/// from the largest cross product of two rows of A - mu, mu once more as its Rayleigh quotient. Where the smallest
/// eigenvalue is nearly double, or all is rest, in any lane, Jacobi's rotations take over.
template <class V>
inline void smallest_eigen3(const V a[6], V& mu, V s[3]) {
  mu = extreme_eigen3<V>(a, -1.0);
  const V x = a[0] - mu, y = a[1] - mu, z = a[2] - mu;
  const V c01[3] = {a[5] * a[3] - a[4] * y, a[4] * a[5] - x * a[3], x * y - a[5] * a[5]};
  const V c02[3] = {a[5] * z - a[4] * a[3], a[4] * a[4] - x * z, x * a[3] - a[5] * a[4]};
  const V c12[3] = {y * z - a[3] * a[3], a[3] * a[4] - a[5] * z, a[5] * a[3] - y * a[4]};
  auto norm = [](const V v[3]) { return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]; };
  V best = norm(c01);
  for (int i = 0; i < 3; ++i) s[i] = c01[i];
  for (const V* c : {c02, c12}) {
    const V n = norm(c);
    const auto larger = n > best;
    best = larger ? n : best;
    for (int i = 0; i < 3; ++i) s[i] = larger ? c[i] : s[i];
  }
  const V size = x * x + y * y + z * z + 2.0 * (a[3] * a[3] + a[4] * a[4] + a[5] * a[5]);
  // best / size² ~ (gap to the next eigenvalue / spread)².
  constexpr double rest = rest_rate * rest_rate;
  const auto doubtful = (best <= 1e-10 * size * size) | (best < rest * rest);
  if (simd::any(doubtful)) {
    V d[6] = {a[0], a[1], a[2], a[3], a[4], a[5]};
    V vec[3][3];
    jacobi3<V, true>(d, vec);
    mu = d[0];
    for (int i = 0; i < 3; ++i) s[i] = vec[i][0];
    for (int m = 1; m < 3; ++m) {
      const auto lower = d[m] < mu;
      mu = lower ? d[m] : mu;
      for (int i = 0; i < 3; ++i) s[i] = lower ? vec[i][m] : s[i];
    }
    return;
  }
  const V As0 = a[0] * s[0] + a[5] * s[1] + a[4] * s[2];
  const V As1 = a[5] * s[0] + a[1] * s[1] + a[3] * s[2];
  const V As2 = a[4] * s[0] + a[3] * s[1] + a[2] * s[2];
  mu = (s[0] * As0 + s[1] * As1 + s[2] * As2) / best;
}

}  // namespace conoid::hydro_fem
