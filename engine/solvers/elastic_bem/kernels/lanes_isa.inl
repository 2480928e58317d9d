// SPDX-License-Identifier: BSD-3-Clause
// The lane kernels for registers of CONOID_BYTES.
// isas: base avx2 avx512
//
// Limited by the multipliers and the number of registers: about 200 vector instructions a point for both kernels, most of them
// multiply-adds; two sines and cosines, one reciprocal square root, no division. A block of constant elements goes over its
// points three times (what they are made of, sums of t*, sums of u*), as the thirty sums beside the functions do not fit the
// registers. Everything sits in an unnamed namespace, so that no two instruction sets share a
// function.
#include <utility>

#include "engine/simd/lanes.hpp"
#include "engine/solvers/elastic_bem/kernels/lanes.hpp"

namespace conoid::elastic_bem {
namespace {

using simd::any, simd::every, simd::load, simd::store;
template <class Real>
using Types = simd::Lanes<Real, CONOID_BYTES>;
using vd = Types<double>::v;
using vf = Types<float>::v;
using vl = Types<double>::i;
using vi = Types<float>::i;

template <class V, class Real>
inline V all(Real v) {
  return simd::splat<V>(v);
}

#if CONOID_BYTES == 64
inline __attribute__((always_inline)) vd inverse_root(vd x) {
  vd y = (vd)_mm512_maskz_rsqrt14_pd(0xff, (__m512d)x);
  const vd half = 0.5 * x;
  y = y + y * (0.5 - half * y * y);
  return y + y * (0.5 - half * y * y);
}
inline __attribute__((always_inline)) vf inverse_root(vf x) {
  const vf y = (vf)_mm512_maskz_rsqrt14_ps(0xffff, (__m512)x);
  return y + y * (0.5F - 0.5F * x * y * y);
}
#elif CONOID_BYTES == 32
inline __attribute__((always_inline)) vd inverse_root(vd x) {
  return 1.0 / (vd)_mm256_sqrt_pd((__m256d)x);
}
inline __attribute__((always_inline)) vf inverse_root(vf x) {
  return 1.0F / (vf)_mm256_sqrt_ps((__m256)x);
}
#else
inline __attribute__((always_inline)) vd inverse_root(vd x) {
  return 1.0 / (vd)_mm_sqrt_pd((__m128d)x);
}
inline __attribute__((always_inline)) vf inverse_root(vf x) {
  return 1.0F / (vf)_mm_sqrt_ps((__m128)x);
}
#endif

/// Sine and cosine for |x| < 10^5: reduction by multiples of π/2 in three parts, then the minimax polynomials on
/// [−π/4, π/4] of the Cephes library's tables (S. L. Moshier, "Methods and Programs for Mathematical Functions", 1989).
inline __attribute__((always_inline)) void sine_cosine(vd x, vd& s, vd& c) {
  const vd magic = all<vd>(6755399441055744.0);
  vd q = x * 0.63661977236758134308 + magic;
  const vl n = (vl)q;
  q -= magic;
  vd r = x - q * 1.57079625129699707031;
  r = r - q * 7.54978941586159635335e-8;
  r = r - q * 5.39030285815811905290e-15;
  const vd z = r * r;
  vd a = all<vd>(1.58962301576546568060e-10);
  a = a * z - 2.50507477628578072866e-8;
  a = a * z + 2.75573136213857245213e-6;
  a = a * z - 1.98412698295895385996e-4;
  a = a * z + 8.33333333332211858878e-3;
  a = a * z - 1.66666666666666307295e-1;
  a = a * (z * r) + r;
  vd b = all<vd>(-1.13585365213876817300e-11);
  b = b * z + 2.08757008419747316778e-9;
  b = b * z - 2.75573141792967388112e-7;
  b = b * z + 2.48015872888517045348e-5;
  b = b * z - 1.38888888888730564116e-3;
  b = b * z + 4.16666666666665929218e-2;
  b = b * (z * z) + (1.0 - 0.5 * z);
  const vl swap = (n & 1) != 0;
  const vd sine = swap ? b : a, cosine = swap ? a : b;
  s = (vd)((vl)sine ^ ((n & 2) << 62));
  c = (vd)((vl)cosine ^ (((n + 1) & 2) << 62));
}
inline __attribute__((always_inline)) void sine_cosine(vf x, vf& s, vf& c) {
  const vf magic = all<vf>(12582912.0F);
  vf q = x * 0.636619772F + magic;
  const vi n = (vi)q;
  q -= magic;
  vf r = x - q * 1.5703125F;
  r = r - q * 4.837512969970703125e-4F;
  r = r - q * 7.54978995489188216e-8F;
  const vf z = r * r;
  vf a = all<vf>(-1.9515295891e-4F);
  a = a * z + 8.3321608736e-3F;
  a = a * z - 1.6666654611e-1F;
  a = a * (z * r) + r;
  vf b = all<vf>(2.443315711809948e-5F);
  b = b * z - 1.388731625493765e-3F;
  b = b * z + 4.166664568298827e-2F;
  b = b * (z * z) + (1.0F - 0.5F * z);
  const vi swap = (n & 1) != 0;
  const vf sine = swap ? b : a, cosine = swap ? a : b;
  s = (vf)((vi)sine ^ ((n & 2) << 30));
  c = (vf)((vi)cosine ^ (((n + 1) & 2) << 30));
}

/// e^x for x ≤ 0 (below −700, −80 in single: that limit's value): 2^n times the Taylor polynomial on |x| ≤ ln 2 / 2.
inline __attribute__((always_inline)) vd exponential(vd x) {
  x = x < all<vd>(-700.0) ? all<vd>(-700.0) : x;
  const vd magic = all<vd>(6755399441055744.0);
  vd q = x * 1.44269504088896340736 + magic;
  const vl n = (vl)q;
  q -= magic;
  vd r = x - q * 6.93145751953125e-1;
  r = r - q * 1.42860682030941723212e-6;
  vd p = all<vd>(1.0 / 6227020800.0);
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  return (vd)((vl)p + (n << 52));
}
inline __attribute__((always_inline)) vf exponential(vf x) {
  x = x < all<vf>(-80.0F) ? all<vf>(-80.0F) : x;
  const vf magic = all<vf>(12582912.0F);
  vf q = x * 1.44269504F + magic;
  const vi n = (vi)q;
  q -= magic;
  vf r = x - q * 0.693359375F;
  r = r + q * 2.12194440e-4F;
  vf p = all<vf>(1.0F / 5040.0F);
  p = p * r + 1.0F / 720.0F;
  p = p * r + 1.0F / 120.0F;
  p = p * r + 1.0F / 24.0F;
  p = p * r + 1.0F / 6.0F;
  p = p * r + 0.5F;
  p = p * r + 1.0F;
  p = p * r + 1.0F;
  return (vf)((vi)p + (n << 23));
}

template <class V>
struct Pair {
  V re, im;
};
template <class V>
inline __attribute__((always_inline)) Pair<V> times(Pair<V> a, Pair<V> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/// r ψ, r χ, r² A, r² B, r² C.
template <class V>
struct Functions {
  Pair<V> psi, chi, a, b, c;
};

template <class Real, class V>
__attribute__((noinline)) Functions<V> by_series(const LaneMedium<Real>& m, V y, int first, int terms) {
  V f[5][2];
  for (int k = 0; k < 5; ++k)
    for (int p = 0; p < 2; ++p) f[k][p] = V{};
  for (int q = terms - 1; q >= first; --q)
#pragma GCC unroll 5
    for (int k = 0; k < 5; ++k)
#pragma GCC unroll 2
      for (int p = 0; p < 2; ++p) f[k][p] = f[k][p] * y + m.series[k][p][q];
  if (first == 1)
    for (int k = 0; k < 5; ++k)
      for (int p = 0; p < 2; ++p) f[k][p] *= y;
  return {{f[0][0], f[0][1]}, {f[1][0], f[1][1]}, {f[2][0], f[2][1]}, {f[3][0], f[3][1]}, {f[4][0], f[4][1]}};
}

/// The closed forms, sorted by e^{-ζ_S} and e^{-ζ_P}:
///   r² A = −(3 + ζ_S + 6/ζ_S + 6/ζ_S²) e^{-ζ_S} + 2κ²(1 + 3/ζ_P + 3/ζ_P²) e^{-ζ_P}
///   r² B = (12 + 2ζ_S + 30/ζ_S + 30/ζ_S²) e^{-ζ_S} − κ²(12 + 2ζ_P + 30/ζ_P + 30/ζ_P²) e^{-ζ_P}
///   r² C = −Lκ²(1 + ζ_P) e^{-ζ_P} − 2 r χ
template <class V>
struct Turns {
  V ss, cs, sp, cp;  ///< sines and cosines of k_S r, k_P r
};
template <class Real, class V>
inline __attribute__((always_inline)) Turns<V> turns(const LaneMedium<Real>& m, V r) {
  Turns<V> t;
  sine_cosine(V(r * m.kS[0]), t.ss, t.cs);
  sine_cosine(V(r * m.kP[0]), t.sp, t.cp);
  return t;
}
template <bool damped, class Real, class V>
inline __attribute__((always_inline)) Functions<V> closed(const LaneMedium<Real>& m, V r, V s, const Turns<V>& turn) {
  const auto c = [](double v) { return static_cast<Real>(v); };
  Functions<V> f;
  const V ss = turn.ss, cs = turn.cs, sp = turn.sp, cp = turn.cp;
  if constexpr (!damped) {
    const Pair<V> es{cs, -ss}, ep{m.kappa2 * cp, -m.kappa2 * sp};
    const V x = r * m.kS[0], p = r * m.kP[0];
    const V t = -(s * m.iS[1]), q = -(s * m.iP[1]);  // 1/(k r)
    const V X = c(1) - c(3) * t * t, P = c(3) * q * q - c(1);
    const V t3 = c(3) * t, q3 = c(3) * q;
    const Pair<V> ps = times(es, Pair<V>{X * c(1.0 / 3) + c(2.0 / 3), -t}), pp = times(ep, Pair<V>{q * q, q});
    f.psi = {ps.re + pp.re, ps.im + pp.im};
    const Pair<V> xs = times(es, Pair<V>{X, -t3}), xp = times(ep, Pair<V>{P, q3});
    f.chi = {xs.re + xp.re, xs.im + xp.im};
    // −(3 − 6t² + i(x − 6t)) = −(1 + 2X) − i(x − 2 t3)
    const Pair<V> as = times(es, Pair<V>{c(-1) - c(2) * X, c(2) * t3 - x});
    f.a = {as.re - c(2) * xp.re, as.im - c(2) * xp.im};
    const Pair<V> bs = times(es, Pair<V>{c(2) + c(10) * X, c(2) * x - c(10) * t3});
    const Pair<V> bp = times(ep, Pair<V>{c(10) * P - c(2), c(10) * q3 - c(2) * p});
    f.b = {bs.re + bp.re, bs.im + bp.im};
    const Pair<V> cc = times(ep, Pair<V>{all<V>(-m.L), -m.L * p});
    f.c = {cc.re - c(2) * f.chi.re, cc.im - c(2) * f.chi.im};
  } else {
    const V gs = exponential(V(r * m.kS[1])), gp = exponential(V(r * m.kP[1])) * m.kappa2;
    const Pair<V> es{gs * cs, -(gs * ss)}, ep{gp * cp, -(gp * sp)};
    const Pair<V> zs{-m.kS[1] * r, m.kS[0] * r}, zp{-m.kP[1] * r, m.kP[0] * r};
    const Pair<V> t{m.iS[0] * s, m.iS[1] * s}, q{m.iP[0] * s, m.iP[1] * s};
    const Pair<V> t2 = times(t, t), q2 = times(q, q);
    const Pair<V> ts{t.re + t2.re, t.im + t2.im}, qs{q.re + q2.re, q.im + q2.im};  // 1/ζ + 1/ζ²
    const Pair<V> ps = times(es, Pair<V>{c(1) + ts.re, ts.im}), pp = times(ep, qs);
    f.psi = {ps.re - pp.re, ps.im - pp.im};
    const Pair<V> xs = times(es, Pair<V>{c(1) + c(3) * ts.re, c(3) * ts.im});
    const Pair<V> xp = times(ep, Pair<V>{c(1) + c(3) * qs.re, c(3) * qs.im});
    f.chi = {xs.re - xp.re, xs.im - xp.im};
    const Pair<V> as = times(es, Pair<V>{c(3) + zs.re + c(6) * ts.re, zs.im + c(6) * ts.im});
    f.a = {c(2) * xp.re - as.re, c(2) * xp.im - as.im};
    const Pair<V> bs = times(es, Pair<V>{c(12) + c(2) * zs.re + c(30) * ts.re, c(2) * zs.im + c(30) * ts.im});
    const Pair<V> bp = times(ep, Pair<V>{c(12) + c(2) * zp.re + c(30) * qs.re, c(2) * zp.im + c(30) * qs.im});
    f.b = {bs.re - bp.re, bs.im - bp.im};
    const Pair<V> cc = times(ep, Pair<V>{-m.L * (c(1) + zp.re), -m.L * zp.im});
    f.c = {cc.re - c(2) * f.chi.re, cc.im - c(2) * f.chi.im};
  }
  return f;
}

/// Where the series takes over and how many terms it needs there: closed forms lose ε/y², their difference to the static
/// part ε/y³.
template <class Real, Part part>
struct Switch;
template <>
struct Switch<double, Part::dynamic> {
  static constexpr double limit = 0.25;
  static constexpr int terms = 13;
};
template <>
struct Switch<double, Part::difference> {
  static constexpr double limit = 1;
  static constexpr int terms = 21;
};
template <>
struct Switch<double, Part::split> : Switch<double, Part::difference> {};
template <Part part>
struct Switch<float, part> {
  static constexpr float limit = 2;
  static constexpr int terms = 17;
};

template <Part part, bool damped, class Real, class V>
inline __attribute__((always_inline)) Functions<V> functions(const LaneMedium<Real>& m, V r, V s) {
  constexpr bool without_fixed = part == Part::difference || part == Part::split;
  constexpr int first = without_fixed ? 1 : 0;
  using S = Switch<Real, part>;
  const V y = r * m.scale;
  const typename Types<Real>::i small = y < all<V>(S::limit);
  const auto whole_u = [&](Functions<V> f) __attribute__((always_inline)) {
    if constexpr (part == Part::split) {
      f.psi.re += m.fixed[0];
      f.chi.re += m.fixed[1];
    }
    return f;
  };
  if (every(small)) return whole_u(by_series<Real, V>(m, y, first, S::terms));
  Functions<V> f = closed<damped>(m, r, s, turns(m, r));
  if constexpr (without_fixed) {
    f.psi.re -= m.fixed[0];
    f.chi.re -= m.fixed[1];
    f.a.re -= m.fixed[2];
    f.b.re -= m.fixed[3];
    f.c.re -= m.fixed[4];
  }
  if (any(small)) {
    const Functions<V> g = by_series<Real, V>(m, y, first, S::terms);
    const auto mix = [&](Pair<V>& to, const Pair<V>& from) {
      to.re = small ? from.re : to.re;
      to.im = small ? from.im : to.im;
    };
    mix(f.psi, g.psi);
    mix(f.chi, g.chi);
    mix(f.a, g.a);
    mix(f.b, g.b);
    mix(f.c, g.c);
  }
  return whole_u(f);
}

/// What t* and u* of one point are made of: direction, r² A, r² B, r² C over r² (B and `an`: times e·n), ψ and χ times weight.
template <class V>
struct Parts {
  V e[3];
  Pair<V> a, an, b, c, psi, chi;
};

template <bool with_u, class V>
inline __attribute__((always_inline)) void weigh(Parts<V>& p, const Functions<V>& f, V s, V rn, V w) {
  const V s2 = s * s, sn = s2 * rn;
  p.a = {f.a.re * s2, f.a.im * s2};
  p.an = {f.a.re * sn, f.a.im * sn};
  p.b = {f.b.re * sn, f.b.im * sn};
  p.c = {f.c.re * s2, f.c.im * s2};
  if constexpr (with_u) {
    const V ws = w * s;
    p.psi = {f.psi.re * ws, f.psi.im * ws};
    p.chi = {f.chi.re * ws, f.chi.im * ws};
  }
}

template <Part part, bool damped, bool with_u, class Real, class V>
inline __attribute__((always_inline)) Parts<V> parts(const LaneMedium<Real>& m, V dx, V dy, V dz, V nx, V ny, V nz,
                                                     V w) {
  const V r2 = dx * dx + dy * dy + dz * dz;
  const V s = inverse_root(r2), r = r2 * s;
  Parts<V> p;
  p.e[0] = dx * s;
  p.e[1] = dy * s;
  p.e[2] = dz * s;
  const V rn = p.e[0] * nx + p.e[1] * ny + p.e[2] * nz;
  weigh<with_u>(p, functions<part, damped>(m, r, s), s, rn, w);
  return p;
}

template <class V>
inline __attribute__((always_inline)) void add_t(const Parts<V>& p, V nx, V ny, V nz, V* t) {
  const V n[3] = {nx, ny, nz};
#pragma GCC unroll 3
  for (int j = 0; j < 3; ++j) {
    const V gr = p.c.re * n[j] + p.b.re * p.e[j], gi = p.c.im * n[j] + p.b.im * p.e[j], hr = p.a.re * p.e[j],
            hi = p.a.im * p.e[j];
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
      V& re = t[2 * (3 * i + j)];
      V& im = t[2 * (3 * i + j) + 1];
      re = p.e[i] * gr + re;
      re = n[i] * hr + re;
      im = p.e[i] * gi + im;
      im = n[i] * hi + im;
    }
    t[8 * j] += p.an.re;
    t[8 * j + 1] += p.an.im;
  }
}

template <class V>
inline __attribute__((always_inline)) void add_u(const Parts<V>& p, V* u) {
  int k = 0;
#pragma GCC unroll 3
  for (int i = 0; i < 3; ++i)
#pragma GCC unroll 3
    for (int j = i; j < 3; ++j, k += 2) {
      const V ee = p.e[i] * p.e[j];
      u[k] = u[k] - p.chi.re * ee;
      u[k + 1] = u[k + 1] - p.chi.im * ee;
      if (i == j) {
        u[k] += p.psi.re;
        u[k + 1] += p.psi.im;
      }
    }
}

/// Adds the values of one point (lane by lane) to acc[30].
template <Part part, bool damped, bool with_u, class Real, class V>
inline __attribute__((always_inline)) void point(const LaneMedium<Real>& m, V dx, V dy, V dz, V nx, V ny, V nz, V w,
                                                 V* acc) {
  if constexpr (part != Part::fixed) {
    const Parts<V> p = parts<part, damped, with_u, Real, V>(m, dx, dy, dz, nx, ny, nz, w);
    add_t(p, nx, ny, nz, acc + lane_t);
    if constexpr (with_u) add_u(p, acc);
    return;
  }
  const V r2 = dx * dx + dy * dy + dz * dz;
  const V s = inverse_root(r2);
  const V e[3] = {dx * s, dy * s, dz * s}, n[3] = {nx, ny, nz};
  const V rn = e[0] * nx + e[1] * ny + e[2] * nz, s2 = s * s;
  if constexpr (part == Part::fixed) {  // Kelvin: real
    const V a = s2 * m.fixed[2], b = s2 * m.fixed[3] * rn, c = s2 * m.fixed[4];
    V* t = acc + lane_t;
#pragma GCC unroll 3
    for (int j = 0; j < 3; ++j) {
      const V g = c * n[j] + b * e[j], h = a * e[j];
#pragma GCC unroll 3
      for (int i = 0; i < 3; ++i) t[2 * (3 * i + j)] += e[i] * g + n[i] * h;
      t[8 * j] += a * rn;
    }
    if constexpr (with_u) {
      const V p = w * s * m.fixed[0], q = w * s * m.fixed[1];
      int k = 0;
#pragma GCC unroll 3
      for (int i = 0; i < 3; ++i)
#pragma GCC unroll 3
        for (int j = i; j < 3; ++j, k += 2) acc[k] += (i == j ? p : V{}) - q * (e[i] * e[j]);
    }
  }
}

/// out[a][k] += Σ_q N_a(q) V[q][k]; shape values are scalars (far) or vectors (near).
template <int nodes, bool vectors, class Real, class V>
inline void contract(const V* values, int points, const Real* shape, std::size_t stride, V* out) {
  constexpr int step = vectors ? static_cast<int>(sizeof(V) / sizeof(Real)) : 1;
  for (int k = 0; k < lane_values; k += 2) {
    V sum[nodes][2];
#pragma GCC unroll 9
    for (int a = 0; a < nodes; ++a) {
      sum[a][0] = out[a * lane_values + k];
      sum[a][1] = out[a * lane_values + k + 1];
    }
    for (int q = 0; q < points; ++q) {
      const V v0 = values[q * lane_values + k], v1 = values[q * lane_values + k + 1];
#pragma GCC unroll 9
      for (int a = 0; a < nodes; ++a) {
        const Real* at = shape + static_cast<std::size_t>(a) * stride + q * step;
        V n;
        if constexpr (vectors)
          n = load<V>(at);
        else
          n = all<V>(*at);
        sum[a][0] += n * v0;
        sum[a][1] += n * v1;
      }
    }
#pragma GCC unroll 9
    for (int a = 0; a < nodes; ++a) {
      out[a * lane_values + k] = sum[a][0];
      out[a * lane_values + k + 1] = sum[a][1];
    }
  }
}

template <bool vectors, class Real, class V>
inline void contract(int nodes, const V* values, int points, const Real* shape, std::size_t stride, V* out) {
  switch (nodes) {
    case 3: return contract<3, vectors>(values, points, shape, stride, out);
    case 4: return contract<4, vectors>(values, points, shape, stride, out);
    case 6: return contract<6, vectors>(values, points, shape, stride, out);
    case 8: return contract<8, vectors>(values, points, shape, stride, out);
    default: return contract<9, vectors>(values, points, shape, stride, out);
  }
}

constexpr int chunk = 8;

/// Runs `body` on a copy of acc[first …] that can live in registers.
template <int first, int count, class V, class Body>
inline __attribute__((always_inline)) void sum_parts(V* acc, Body&& body) {
  V local[count];
#pragma GCC unroll 18
  for (int k = 0; k < count; ++k) local[k] = acc[first + k];
  body(local);
#pragma GCC unroll 18
  for (int k = 0; k < count; ++k) acc[first + k] = local[k];
}

/// Quadrature points as they come: the same one in all lanes (far), or others in each (near).
template <bool vectors, class Real, class V>
inline __attribute__((always_inline)) V value(const Real* p, int q) {
  if constexpr (vectors)
    return load<V>(p + q * static_cast<int>(sizeof(V) / sizeof(Real)));
  else
    return all<V>(p[q]);
}

/// parts() of the points [begin, begin + count), count ≤ chunk. Where no series is needed, stage by stage: each waits for
/// results of its own for most of its time, and a point's stages are too long for the processor to see two points at once.
template <Part part, bool damped, bool with_u, bool vectors, class Real, class V>
inline __attribute__((always_inline)) void make_parts(const LaneMedium<Real>& m, const LanePoints<Real>& p, int begin,
                                                      int count, V x0, V y0, V z0, Parts<V>* made) {
  const auto of = [](const Real* from, int k) __attribute__((always_inline)) {
    return value<vectors, Real, V>(from, k);
  };
  if constexpr (part == Part::dynamic && !damped) {
    V s[chunk], r[chunk], rn[chunk];
    V least = all<V>(Switch<Real, part>::limit);
    for (int q = 0; q < count; ++q) {
      const int k = begin + q;
      const V dx = of(p.x, k) - x0, dy = of(p.y, k) - y0, dz = of(p.z, k) - z0, r2 = dx * dx + dy * dy + dz * dz;
      s[q] = inverse_root(r2);
      r[q] = r2 * s[q];
      V* e = made[q].e;
      e[0] = dx * s[q];
      e[1] = dy * s[q];
      e[2] = dz * s[q];
      rn[q] = e[0] * of(p.nx, k) + e[1] * of(p.ny, k) + e[2] * of(p.nz, k);
      const V y = r[q] * m.scale;
      least = y < least ? y : least;
    }
    const typename Types<Real>::i small = least < all<V>(Switch<Real, part>::limit);
    if (!any(small)) {
      Turns<V> turn[chunk];
      for (int q = 0; q < count; ++q) turn[q] = turns(m, r[q]);
      for (int q = 0; q < count; ++q)
        weigh<with_u>(made[q], closed<damped>(m, r[q], s[q], turn[q]), s[q], rn[q], of(p.w, begin + q));
      return;
    }
  }
  for (int q = 0; q < count; ++q) {
    const int k = begin + q;
    made[q] = parts<part, damped, with_u, Real, V>(m, of(p.x, k) - x0, of(p.y, k) - y0, of(p.z, k) - z0, of(p.nx, k),
                                                   of(p.ny, k), of(p.nz, k), of(p.w, k));
  }
}

/// Adds the values of points to acc[30]: first what the points are made of, then their sums, so that neither has to keep the
/// other's registers in memory.
template <Part part, bool damped, bool with_u, bool vectors, class Real, class V>
inline __attribute__((always_inline)) void add_points(const LaneMedium<Real>& m, const LanePoints<Real>& p, int begin,
                                                      int count, V x0, V y0, V z0, V* acc) {
  const auto of = [](const Real* from, int k) __attribute__((always_inline)) {
    return value<vectors, Real, V>(from, k);
  };
  Parts<V> made[chunk];
  make_parts<part, damped, with_u, vectors>(m, p, begin, count, x0, y0, z0, made);
  sum_parts<lane_t, lane_values - lane_t>(
      acc, [&](V * t) __attribute__((always_inline)) {
        for (int q = 0; q < count; ++q)
          add_t(made[q], of(p.nx, begin + q), of(p.ny, begin + q), of(p.nz, begin + q), t);
      });
  if constexpr (with_u)
    sum_parts<lane_u, lane_t - lane_u>(
        acc, [&](V * u) __attribute__((always_inline)) {
          for (int q = 0; q < count; ++q) add_u(made[q], u);
        });
}

/// Of p and of q, whose lanes are groups of 2h each: the first halves of all groups, or the second ones.
template <int h, bool second, class V, int... i>
inline __attribute__((always_inline)) V halves(V p, V q, std::integer_sequence<int, i...>) {
  constexpr int lanes = sizeof...(i), groups = lanes / (2 * h);
  return __builtin_shufflevector(p, q,
                                 (i / h % groups * 2 * h + i % h + (second ? h : 0) + (i / h < groups ? 0 : lanes))...);
}
/// Sums of lanes, of lanes/h vectors at once: h partial ones of each, side by side.
template <int h, int lanes, class V>
inline __attribute__((always_inline)) V across(const V* v) {
  if constexpr (h == lanes) {
    return *v;
  } else {
    constexpr std::make_integer_sequence<int, lanes> all_lanes{};
    const V p = across<2 * h, lanes>(v), q = across<2 * h, lanes>(v + lanes / (2 * h));
    return halves<h, false>(p, q, all_lanes) + halves<h, true>(p, q, all_lanes);
  }
}
constexpr int spare = 15;  ///< vectors behind those that sum_lanes() is given, of any values
/// out[k] is the sum of the lanes of v[k].
template <class Real, class V>
inline void sum_lanes(const V* v, int count, Real* out) {
  constexpr int lanes = static_cast<int>(sizeof(V) / sizeof(Real));
  for (int k = 0; k < count; k += lanes) {
    const V sums = across<1, lanes>(v + k);
    if (count - k >= lanes)
      store(out + k, sums);
    else
      for (int l = 0; l < count - k; ++l) out[k + l] = sums[l];
  }
}

template <Part part, bool damped, bool with_u, class Real>
void far_block(const LaneMedium<Real>& m, const LanePoints<Real>& p, const Real* x, const Real* y, const Real* z,
               Real* out) {
  using V = typename Types<Real>::v;
  const V x0 = load<V>(x), y0 = load<V>(y), z0 = load<V>(z);
  const auto at = [&](int q, V* acc) __attribute__((always_inline)) {
    point<part, damped, with_u, Real, V>(m, p.x[q] - x0, p.y[q] - y0, p.z[q] - z0, all<V>(p.nx[q]), all<V>(p.ny[q]),
                                         all<V>(p.nz[q]), all<V>(p.w[q]), acc);
  };
  if (p.nodes == 1) {
    V acc[lane_values];
    for (V& v : acc) v = V{};
    if constexpr (part == Part::fixed) {
      for (int q = 0; q < p.count; ++q) at(q, acc);
    } else {
      if (p.count == 4)  // most pairs
        add_points<part, damped, with_u, false>(m, p, 0, 4, x0, y0, z0, acc);
      else
        for (int begin = 0; begin < p.count; begin += chunk)
          add_points<part, damped, with_u, false>(m, p, begin, p.count - begin < chunk ? p.count - begin : chunk, x0,
                                                  y0, z0, acc);
    }
    for (int k = 0; k < lane_values; ++k) store(out + static_cast<std::size_t>(k) * (sizeof(V) / sizeof(Real)), acc[k]);
    return;
  }
  V values[chunk * lane_values], sums[9 * lane_values];
  for (int k = 0; k < p.nodes * lane_values; ++k) sums[k] = V{};
  for (int begin = 0; begin < p.count; begin += chunk) {
    const int count = p.count - begin < chunk ? p.count - begin : chunk;
    for (int q = 0; q < count; ++q) {
      V acc[lane_values];
      for (V& v : acc) v = V{};
      at(begin + q, acc);
      for (int k = 0; k < lane_values; ++k) values[q * lane_values + k] = acc[k];
    }
    contract<false>(p.nodes, values, count, p.shape + begin, p.stride, sums);
  }
  for (int k = 0; k < p.nodes * lane_values; ++k)
    store(out + static_cast<std::size_t>(k) * (sizeof(V) / sizeof(Real)), sums[k]);
}

template <Part part, bool damped, bool with_u, class Real>
void near_points(const LaneMedium<Real>& m, const LanePoints<Real>& p, const Real* at, Real* out) {
  using V = typename Types<Real>::v;
  const V x0 = all<V>(at != nullptr ? at[0] : Real(0)), y0 = all<V>(at != nullptr ? at[1] : Real(0)),
          z0 = all<V>(at != nullptr ? at[2] : Real(0));
  constexpr int lanes = static_cast<int>(sizeof(V) / sizeof(Real));
  if constexpr (part != Part::fixed)
    if (p.nodes == 1) {
      V acc[lane_values + spare];
      for (V& v : acc) v = V{};
      const int registers = (p.count + lanes - 1) / lanes;
      for (int begin = 0; begin < registers; begin += chunk)
        add_points<part, damped, with_u, true>(m, p, begin, registers - begin < chunk ? registers - begin : chunk, x0,
                                               y0, z0, acc);
      sum_lanes(acc, lane_values, out);
      return;
    }
  V values[chunk * lane_values], sums[9 * lane_values + spare];
  for (int k = 0; k < p.nodes * lane_values + spare; ++k) sums[k] = V{};
  for (int begin = 0; begin < p.count; begin += chunk * lanes) {
    const int left = (p.count - begin + lanes - 1) / lanes, count = left < chunk ? left : chunk;
    for (int q = 0; q < count; ++q) {
      const int o = begin + q * lanes;
      V acc[lane_values];
      for (V& v : acc) v = V{};
      point<part, damped, with_u, Real, V>(m, load<V>(p.x + o) - x0, load<V>(p.y + o) - y0, load<V>(p.z + o) - z0,
                                           load<V>(p.nx + o), load<V>(p.ny + o), load<V>(p.nz + o), load<V>(p.w + o),
                                           acc);
      if (p.nodes == 1)
        for (int k = 0; k < lane_values; ++k) sums[k] += acc[k];
      else
        for (int k = 0; k < lane_values; ++k) values[q * lane_values + k] = acc[k];
    }
    if (p.nodes > 1) contract<true>(p.nodes, values, count, p.shape + begin, p.stride, sums);
  }
  sum_lanes(sums, p.nodes * lane_values, out);
}

template <class Real>
void far_any(const LaneMedium<Real>& m, const LanePoints<Real>& p, const Real* x, const Real* y, const Real* z,
             Part part, bool with_u, Real* out) {
  if (part == Part::fixed) return far_block<Part::fixed, false, false>(m, p, x, y, z, out);
  if (part == Part::difference)
    return m.damped ? far_block<Part::difference, true, true>(m, p, x, y, z, out)
                    : far_block<Part::difference, false, true>(m, p, x, y, z, out);
  if (with_u)
    return m.damped ? far_block<Part::dynamic, true, true>(m, p, x, y, z, out)
                    : far_block<Part::dynamic, false, true>(m, p, x, y, z, out);
  return m.damped ? far_block<Part::dynamic, true, false>(m, p, x, y, z, out)
                  : far_block<Part::dynamic, false, false>(m, p, x, y, z, out);
}

template <class Real>
void near_any(const LaneMedium<Real>& m, const LanePoints<Real>& p, const Real* at, Part part, bool with_u, Real* out) {
  if (part == Part::fixed) return near_points<Part::fixed, false, true>(m, p, at, out);
  if (part == Part::split)
    return m.damped ? near_points<Part::split, true, true>(m, p, at, out)
                    : near_points<Part::split, false, true>(m, p, at, out);
  if (part == Part::difference)
    return m.damped ? near_points<Part::difference, true, false>(m, p, at, out)
                    : near_points<Part::difference, false, false>(m, p, at, out);
  if (with_u)
    return m.damped ? near_points<Part::dynamic, true, true>(m, p, at, out)
                    : near_points<Part::dynamic, false, true>(m, p, at, out);
  return m.damped ? near_points<Part::dynamic, true, false>(m, p, at, out)
                  : near_points<Part::dynamic, false, false>(m, p, at, out);
}

template <class V, class Real>
inline __attribute__((always_inline)) void write_past(Real* to, V v) {
#if CONOID_BYTES == 64
  if constexpr (sizeof(Real) == 8)
    _mm512_stream_pd(to, (__m512d)v);
  else
    _mm512_stream_ps(to, (__m512)v);
#elif CONOID_BYTES == 32
  if constexpr (sizeof(Real) == 8)
    _mm256_stream_pd(to, (__m256d)v);
  else
    _mm256_stream_ps(to, (__m256)v);
#else
  if constexpr (sizeof(Real) == 8)
    _mm_stream_pd(to, (__m128d)v);
  else
    _mm_stream_ps(to, (__m128)v);
#endif
}

template <PutMode mode, class Real>
void put_as(const Real* block, const LanePut<Real>* entries, std::size_t count, std::ptrdiff_t row) {
  using V = typename Types<Real>::v;
  constexpr int lanes = static_cast<int>(sizeof(V) / sizeof(Real));
  for (std::size_t n = 0; n < count; ++n) {
    const LanePut<Real>& e = entries[n];
    const Real* from = block + e.value * lanes;
    const V a = load<V>(from), b = load<V>(from + lanes);
    const Real c = reinterpret_cast<const Real(&)[2]>(e.scale)[0], d = reinterpret_cast<const Real(&)[2]>(e.scale)[1];
    const V u = a * c - b * d, v = a * d + b * c;
    Real* to = reinterpret_cast<Real*>(e.column + row);
    V low, high;
#if CONOID_BYTES == 64
    if constexpr (sizeof(Real) == 8) {
      const __m512i i0 = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11),
                    i1 = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
      low = (V)_mm512_permutex2var_pd((__m512d)u, i0, (__m512d)v);
      high = (V)_mm512_permutex2var_pd((__m512d)u, i1, (__m512d)v);
    } else {
      const __m512i i0 = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
      const __m512i i1 = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
      low = (V)_mm512_permutex2var_ps((__m512)u, i0, (__m512)v);
      high = (V)_mm512_permutex2var_ps((__m512)u, i1, (__m512)v);
    }
#else
    for (int k = 0; k < lanes / 2; ++k) {
      low[2 * k] = u[k];
      low[2 * k + 1] = v[k];
      high[2 * k] = u[lanes / 2 + k];
      high[2 * k + 1] = v[lanes / 2 + k];
    }
#endif
    if constexpr (mode == PutMode::stream) {
      write_past(to, low);
      write_past(to + lanes, high);
    } else if constexpr (mode == PutMode::set) {
      store(to, low);
      store(to + lanes, high);
    } else {
      store(to, V(load<V>(to) + low));
      store(to + lanes, V(load<V>(to + lanes) + high));
    }
  }
}

template <class Real>
void put_block(const Real* block, const LanePut<Real>* entries, std::size_t count, std::ptrdiff_t row, PutMode mode) {
  if (mode == PutMode::add) return put_as<PutMode::add>(block, entries, count, row);
  if (mode == PutMode::stream) {
    std::size_t low_bits = 0;
    for (std::size_t n = 0; n < count; ++n) low_bits |= reinterpret_cast<std::size_t>(entries[n].column + row);
    if (low_bits % CONOID_BYTES == 0) return put_as<PutMode::stream>(block, entries, count, row);
  }
  put_as<PutMode::set>(block, entries, count, row);
}

inline void streams_done() {
  _mm_sfence();
}

template <class Real>
double peak_loop(long rounds, Real* keep) {
  using V = typename Types<Real>::v;
  constexpr int lanes = static_cast<int>(sizeof(V) / sizeof(Real)), chains = CONOID_BYTES == 64 ? 20 : 12;
  V a[chains];
  for (int k = 0; k < chains; ++k) a[k] = all<V>(static_cast<Real>(0.001 * k));
  const V x = all<V>(static_cast<Real>(0.999)), y = all<V>(static_cast<Real>(0.001) + *keep);
  for (long r = 0; r < rounds; ++r)
#pragma GCC unroll 20
    for (int k = 0; k < chains; ++k) a[k] = a[k] * x + y;
  Real sum = 0;
  for (int k = 0; k < chains; ++k)
    for (int l = 0; l < lanes; ++l) sum += a[k][l];
  *keep = sum * static_cast<Real>(1e-12);
  return 2.0 * chains * lanes * static_cast<double>(rounds);
}

}  // namespace

extern const LaneKernels<double> CONOID_ISA_NAME(lane_kernels_double);
extern const LaneKernels<float> CONOID_ISA_NAME(lane_kernels_single);
const LaneKernels<double> CONOID_ISA_NAME(lane_kernels_double){CONOID_BYTES / 8,  far_any<double>, near_any<double>,
                                                               put_block<double>, streams_done,    peak_loop<double>};
const LaneKernels<float> CONOID_ISA_NAME(lane_kernels_single){CONOID_BYTES / 4, far_any<float>, near_any<float>,
                                                              put_block<float>, streams_done,   peak_loop<float>};

}  // namespace conoid::elastic_bem
