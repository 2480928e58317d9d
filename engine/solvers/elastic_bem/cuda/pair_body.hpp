// SPDX-License-Identifier: BSD-3-Clause
// Far pairs on a device: ∫ t* N dS and ∫ u* N dS of rows and elements. The same formulas as kernels/lanes_isa.inl, one row a thread.
//
// A row's rule is the one that the processor would take (PairPhase::tile), so that both give the same sums up to round-off. Gauss points
// are read by all threads of a warp at one address. Limited by multiply-adds, about 200 a point; what they write is 144 or 288 bytes a
// pair and node in double precision.
#pragma once

#include "engine/team/kernel.hpp"

#include "engine/solvers/elastic_bem/cuda/pair_arguments.hpp"

namespace conoid::elastic_bem {

template <class Real>
struct alignas(2 * sizeof(Real)) PairComplex {
  Real re, im;
};
template <class Real>
__device__ __forceinline__ PairComplex<Real> times(PairComplex<Real> a, PairComplex<Real> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/// Never fused into a multiply-add: which pairs are near must be decided as on the host.
__device__ __forceinline__ double plain_sum(double a, double b) {
#if defined(__CUDACC__)
  return __dadd_rn(a, b);
#else
  return a + b;
#endif
}
__device__ __forceinline__ double plain_square(double a) {
#if defined(__CUDACC__)
  return __dmul_rn(a, a);
#else
  return a * a;
#endif
}

__device__ __forceinline__ double inverse_root(double x) {
  return rsqrt(x);
}
__device__ __forceinline__ float inverse_root(float x) {
  return rsqrtf(x);
}

/// As sine_cosine() of the lanes, for |x| < 10^5.
__device__ __forceinline__ void sine_cosine(double x, double& s, double& c) {
  const double magic = 6755399441055744.0;
  const double q = (x * 0.63661977236758134308 + magic) - magic;
  const int n = static_cast<int>(q);
  double r = x - q * 1.57079625129699707031;
  r = r - q * 7.54978941586159635335e-8;
  r = r - q * 5.39030285815811905290e-15;
  const double z = r * r;
  double a = 1.58962301576546568060e-10;
  a = a * z - 2.50507477628578072866e-8;
  a = a * z + 2.75573136213857245213e-6;
  a = a * z - 1.98412698295895385996e-4;
  a = a * z + 8.33333333332211858878e-3;
  a = a * z - 1.66666666666666307295e-1;
  a = a * (z * r) + r;
  double b = -1.13585365213876817300e-11;
  b = b * z + 2.08757008419747316778e-9;
  b = b * z - 2.75573141792967388112e-7;
  b = b * z + 2.48015872888517045348e-5;
  b = b * z - 1.38888888888730564116e-3;
  b = b * z + 4.16666666666665929218e-2;
  b = b * (z * z) + (1.0 - 0.5 * z);
  const double sine = (n & 1) != 0 ? b : a, cosine = (n & 1) != 0 ? a : b;
  s = (n & 2) != 0 ? -sine : sine;
  c = ((n + 1) & 2) != 0 ? -cosine : cosine;
}
__device__ __forceinline__ void sine_cosine(float x, float& s, float& c) {
  const float magic = 12582912.0F;
  const float q = (x * 0.636619772F + magic) - magic;
  const int n = static_cast<int>(q);
  float r = x - q * 1.5703125F;
  r = r - q * 4.837512969970703125e-4F;
  r = r - q * 7.54978995489188216e-8F;
  const float z = r * r;
  float a = -1.9515295891e-4F;
  a = a * z + 8.3321608736e-3F;
  a = a * z - 1.6666654611e-1F;
  a = a * (z * r) + r;
  float b = 2.443315711809948e-5F;
  b = b * z - 1.388731625493765e-3F;
  b = b * z + 4.166664568298827e-2F;
  b = b * (z * z) + (1.0F - 0.5F * z);
  const float sine = (n & 1) != 0 ? b : a, cosine = (n & 1) != 0 ? a : b;
  s = (n & 2) != 0 ? -sine : sine;
  c = ((n + 1) & 2) != 0 ? -cosine : cosine;
}
__device__ __forceinline__ double decay(double x) {
  return exp(x);
}
__device__ __forceinline__ float decay(float x) {
  return expf(x);
}

/// r ψ, r χ, r² A, r² B, r² C.
template <class Real>
struct PairFunctions {
  PairComplex<Real> psi, chi, a, b, c;
};

/// Below this |k_S| r the series takes over, with so many terms.
template <class Real>
struct PairSwitch;
template <>
struct PairSwitch<double> {
  static constexpr double limit = 0.25;
  static constexpr int terms = 13;
};
template <>
struct PairSwitch<float> {
  static constexpr float limit = 2;
  static constexpr int terms = 17;
};

template <class Real>
__device__ __forceinline__ PairFunctions<Real> by_series(const PairMedium<Real>& m, Real y) {
  Real f[5][2] = {};
#pragma unroll 1
  for (int q = PairSwitch<Real>::terms - 1; q >= 0; --q)
#pragma unroll
    for (int k = 0; k < 5; ++k)
#pragma unroll
      for (int p = 0; p < 2; ++p) f[k][p] = f[k][p] * y + m.series[k][p][q];
  return {{f[0][0], f[0][1]}, {f[1][0], f[1][1]}, {f[2][0], f[2][1]}, {f[3][0], f[3][1]}, {f[4][0], f[4][1]}};
}

/// The closed forms, sorted by e^{-ζ_S} and e^{-ζ_P}; s = 1/r.
template <class Real>
__device__ __forceinline__ PairFunctions<Real> by_waves(const PairMedium<Real>& m, Real r, Real s) {
  using C = PairComplex<Real>;
  const auto c = [](double v) { return static_cast<Real>(v); };
  Real ss, cs, sp, cp;
  sine_cosine(r * m.kS[0], ss, cs);
  sine_cosine(r * m.kP[0], sp, cp);
  PairFunctions<Real> f;
  if (m.damped == 0) {
    const C es{cs, -ss}, ep{m.kappa2 * cp, -m.kappa2 * sp};
    const Real x = r * m.kS[0], p = r * m.kP[0];
    const Real t = -(s * m.iS[1]), q = -(s * m.iP[1]);  // 1/(k r)
    const Real X = c(1) - c(3) * t * t, P = c(3) * q * q - c(1);
    const Real t3 = c(3) * t, q3 = c(3) * q;
    const C ps = times(es, C{X * c(1.0 / 3) + c(2.0 / 3), -t}), pp = times(ep, C{q * q, q});
    f.psi = {ps.re + pp.re, ps.im + pp.im};
    const C xs = times(es, C{X, -t3}), xp = times(ep, C{P, q3});
    f.chi = {xs.re + xp.re, xs.im + xp.im};
    const C as = times(es, C{c(-1) - c(2) * X, c(2) * t3 - x});
    f.a = {as.re - c(2) * xp.re, as.im - c(2) * xp.im};
    const C bs = times(es, C{c(2) + c(10) * X, c(2) * x - c(10) * t3});
    const C bp = times(ep, C{c(10) * P - c(2), c(10) * q3 - c(2) * p});
    f.b = {bs.re + bp.re, bs.im + bp.im};
    const C cc = times(ep, C{-m.L, -m.L * p});
    f.c = {cc.re - c(2) * f.chi.re, cc.im - c(2) * f.chi.im};
    return f;
  }
  const Real gs = decay(r * m.kS[1]), gp = decay(r * m.kP[1]) * m.kappa2;
  const C es{gs * cs, -(gs * ss)}, ep{gp * cp, -(gp * sp)};
  const C zs{-m.kS[1] * r, m.kS[0] * r}, zp{-m.kP[1] * r, m.kP[0] * r};
  const C t{m.iS[0] * s, m.iS[1] * s}, q{m.iP[0] * s, m.iP[1] * s};
  const C t2 = times(t, t), q2 = times(q, q);
  const C ts{t.re + t2.re, t.im + t2.im}, qs{q.re + q2.re, q.im + q2.im};  // 1/ζ + 1/ζ²
  const C ps = times(es, C{c(1) + ts.re, ts.im}), pp = times(ep, qs);
  f.psi = {ps.re - pp.re, ps.im - pp.im};
  const C xs = times(es, C{c(1) + c(3) * ts.re, c(3) * ts.im}), xp = times(ep, C{c(1) + c(3) * qs.re, c(3) * qs.im});
  f.chi = {xs.re - xp.re, xs.im - xp.im};
  const C as = times(es, C{c(3) + zs.re + c(6) * ts.re, zs.im + c(6) * ts.im});
  f.a = {c(2) * xp.re - as.re, c(2) * xp.im - as.im};
  const C bs = times(es, C{c(12) + c(2) * zs.re + c(30) * ts.re, c(2) * zs.im + c(30) * ts.im});
  const C bp = times(ep, C{c(12) + c(2) * zp.re + c(30) * qs.re, c(2) * zp.im + c(30) * qs.im});
  f.b = {bs.re - bp.re, bs.im - bp.im};
  const C cc = times(ep, C{-m.L * (c(1) + zp.re), -m.L * zp.im});
  f.c = {cc.re - c(2) * f.chi.re, cc.im - c(2) * f.chi.im};
  return f;
}

/// What t* and u* of one point are made of: direction, r² A, r² B, r² C over r² (B and `an`: times e·n), ψ and χ times weight.
template <class Real>
struct PairParts {
  Real e[3];
  PairComplex<Real> a, an, b, c, psi, chi;
};

/// Of point q of a class whose values begin at p, n of them each; u* is weighed even where it is not wanted, two multiplications.
template <class Real>
__device__ __forceinline__ PairParts<Real> parts_of(const PairMedium<Real>& m, const Real* p, int n, int q, Real x,
                                                    Real y, Real z) {
  PairParts<Real> out;
  const Real dx = __ldg(p + q) - x, dy = __ldg(p + n + q) - y, dz = __ldg(p + 2 * n + q) - z;
  const Real r2 = dx * dx + dy * dy + dz * dz, s = inverse_root(r2), r = r2 * s;
  out.e[0] = dx * s;
  out.e[1] = dy * s;
  out.e[2] = dz * s;
  const Real rn = out.e[0] * __ldg(p + 3 * n + q) + out.e[1] * __ldg(p + 4 * n + q) + out.e[2] * __ldg(p + 5 * n + q);
  const Real scaled = r * m.scale;
  const PairFunctions<Real> f = scaled < PairSwitch<Real>::limit ? by_series(m, scaled) : by_waves(m, r, s);
  const Real s2 = s * s, sn = s2 * rn, ws = __ldg(p + 6 * n + q) * s;
  out.a = {f.a.re * s2, f.a.im * s2};
  out.an = {f.a.re * sn, f.a.im * sn};
  out.b = {f.b.re * sn, f.b.im * sn};
  out.c = {f.c.re * s2, f.c.im * s2};
  out.psi = {f.psi.re * ws, f.psi.im * ws};
  out.chi = {f.chi.re * ws, f.chi.im * ws};
  return out;
}

/// The class of Gauss points that a row takes; −1: none, it lies on the element, near to it, or is no row. To be called by whole warps of
/// consecutive rows. As on the processor: rows that it takes together share a rule where that costs less than one of its own for each.
template <class Real>
__device__ __forceinline__ int class_of(const PairArguments<Real>& a, const PairElement& e, int row, Real x, Real y,
                                        Real z) {
  constexpr unsigned everybody = 0xffffffffU;
  const PairClass* const c = a.classes + e.first_class;
  int asked = -1;
  if (row < a.row_count) {
    bool own = false;
    if (a.on_surface != 0)
      for (int k = 0; k < e.nodes; ++k) own = own || e.node[k] == row;
    const double d2 = plain_sum(plain_sum(plain_square(plain_sum(static_cast<double>(x), -e.centre[0])),
                                          plain_square(plain_sum(static_cast<double>(y), -e.centre[1]))),
                                plain_square(plain_sum(static_cast<double>(z), -e.centre[2])));
    if (!own && !(d2 < c[e.classes - 1].distance2)) {
      asked = 0;
      while (asked + 1 < e.classes && d2 < c[asked].distance2) ++asked;
    }
  }
  if (__any_sync(everybody, asked > 0) == 0) return asked;  // most
  const int top = __reduce_max_sync(everybody, asked), lane = static_cast<int>(threadIdx.x) % 32;
  const unsigned mine = (a.lanes >= 32 ? everybody : (1U << a.lanes) - 1U) << (lane / a.lanes * a.lanes);
  const int all = __popc(__ballot_sync(everybody, asked >= 0) & mine);
  int finer = 0, cost_of_finer = 0, least = 0, together = -1;
  for (int level = top; level >= 0; --level) {
    const int here = __popc(__ballot_sync(everybody, asked == level) & mine);
    if (finer + here == 0) continue;
    const int cost = cost_of_finer + (all > finer ? c[level].count : 0);
    if (together < 0 || cost <= least) {
      least = cost;
      together = level;
    }
    cost_of_finer += here * (c[level].padded / a.lanes + 1);
    finer += here;
  }
  return asked < 0 ? -1 : max(asked, together);
}

/// A complex value to component i of a row in a column of the panel.
template <class Real>
__device__ __forceinline__ void put(const PairArguments<Real>& a, const PairTarget<Real>& to, int i, int row, Real re,
                                    Real im) {
  if (to.column < 0) return;
  PairComplex<Real>* const at =
      reinterpret_cast<PairComplex<Real>*>(a.panel) + (static_cast<long long>(to.column) * 3 + i) * a.row_count + row;
  PairComplex<Real> v = times(PairComplex<Real>{to.re, to.im}, PairComplex<Real>{re, im});
  if (to.add != 0) {
    const PairComplex<Real> before = *at;
    v.re += before.re;
    v.im += before.im;
  }
  *at = v;
}

template <class Real>
__device__ __forceinline__ void count_up(const PairArguments<Real>& a, unsigned points) {
  const unsigned all = __reduce_add_sync(0xffffffffU, points);
  if (threadIdx.x % 32 == 0 && all > 0) atomicAdd(a.evaluations, static_cast<unsigned long long>(all));
}

/// Adds a point of a constant element to the nine complex sums of t* and the six of u*.
template <class Real>
__device__ __forceinline__ void add_point(const PairParts<Real>& f, const Real (&n)[3], bool with_u, Real (&t)[18],
                                          Real (&u)[12]) {
#pragma unroll
  for (int j = 0; j < 3; ++j) {
    const Real gr = f.c.re * n[j] + f.b.re * f.e[j], gi = f.c.im * n[j] + f.b.im * f.e[j], hr = f.a.re * f.e[j],
               hi = f.a.im * f.e[j];
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      t[2 * (3 * i + j)] += f.e[i] * gr + n[i] * hr;
      t[2 * (3 * i + j) + 1] += f.e[i] * gi + n[i] * hi;
    }
    t[8 * j] += f.an.re;
    t[8 * j + 1] += f.an.im;
  }
  if (!with_u) return;
  int v = 0;
#pragma unroll
  for (int i = 0; i < 3; ++i)
#pragma unroll
    for (int j = i; j < 3; ++j, v += 2) {
      const Real ee = f.e[i] * f.e[j];
      u[v] -= f.chi.re * ee;
      u[v + 1] -= f.chi.im * ee;
      if (i == j) {
        u[v] += f.psi.re;
        u[v + 1] += f.psi.im;
      }
    }
}
/// Number of component (i, j) among the six of u*.
__device__ __forceinline__ int symmetric_of(int i, int j) {
  return i <= j ? i * (5 - i) / 2 + j : j * (5 - j) / 2 + i;
}

/// Constant elements: the thirty sums of a row and an element in registers. Grid: rows, groups.
template <class Real>
__global__ void __launch_bounds__(pair_threads) pairs_constant(PairArguments<Real> a) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), at = min(row, a.row_count - 1);
  const Real x = a.rows[at], y = a.rows[a.row_count + at], z = a.rows[2 * a.row_count + at];
  const PairGroup group = a.groups[blockIdx.y];
  unsigned points = 0;
  for (int k = group.begin; k < group.end; ++k) {
    const PairElement& e = a.elements[k];
    const int level = class_of(a, e, row, x, y, z);
    Real t[18] = {}, u[12] = {};
    if (level >= 0) {
      const PairClass c = a.classes[e.first_class + level];
      const Real* const p = a.points + c.at;
      const bool with_u = e.with_u != 0;
      points += static_cast<unsigned>(c.count);
#pragma unroll 1
      for (int q = 0; q < c.count; ++q) {
        const PairParts<Real> f = parts_of(a.medium, p, c.padded, q, x, y, z);
        const Real n[3] = {__ldg(p + 3 * c.padded + q), __ldg(p + 4 * c.padded + q), __ldg(p + 5 * c.padded + q)};
        add_point(f, n, with_u, t, u);
      }
    }
    if (row < a.row_count) {
      const PairTarget<Real>* const to = a.targets + e.first_target;
#pragma unroll
      for (int j = 0; j < 3; ++j)
#pragma unroll
        for (int i = 0; i < 3; ++i) {
          const int v = symmetric_of(i, j);
          put(a, to[j], i, row, t[2 * (3 * i + j)], t[2 * (3 * i + j) + 1]);
          put(a, to[3 + j], i, row, u[2 * v], u[2 * v + 1]);
        }
    }
  }
  count_up(a, points);
}

/// Elements of several nodes, whose 30 sums a node no thread has registers for: a block has 32 rows and five warps. All of them work out
/// what the points are made of, some points at a time, in shared memory; then each warp adds up three complex values of all nodes: a
/// column of t*, or half of u*. Grid: rows, groups.
template <class Real, int nodes>
__global__ void __launch_bounds__(32 * pair_sets) pairs_nodes(PairArguments<Real> a) {
  Real* const shared = dynamic_shared<Real>();  // [point][part][row]
  const int lane = static_cast<int>(threadIdx.x) % 32, set = static_cast<int>(threadIdx.x) / 32;
  const int row = static_cast<int>(blockIdx.x) * pair_rows_a_block + lane, at = min(row, a.row_count - 1);
  const Real x = a.rows[at], y = a.rows[a.row_count + at], z = a.rows[2 * a.row_count + at];
  const PairGroup group = a.groups[blockIdx.y];
  unsigned points = 0;
  for (int k = group.begin; k < group.end; ++k) {
    const PairElement& e = a.elements[k];
    const int level = class_of(a, e, row, x, y, z);  // the same in all warps
    const PairClass c = level >= 0 ? a.classes[e.first_class + level] : PairClass{};
    const Real* const p = a.points + c.at;
    const int most = __reduce_max_sync(0xffffffffU, c.count);
    const bool mine = set < 3 || e.with_u != 0;
    if (set == 0) points += static_cast<unsigned>(c.count);
    Real sum[nodes][6] = {};
    for (int begin = 0; begin < most; begin += a.chunk) {
      const int some = min(a.chunk, most - begin);
      for (int q = set; q < some; q += pair_sets) {
        if (begin + q >= c.count) continue;
        const PairParts<Real> f = parts_of(a.medium, p, c.padded, begin + q, x, y, z);
        const Real values[pair_parts] = {f.e[0], f.e[1], f.e[2], f.a.re,   f.a.im,   f.an.re,  f.an.im, f.b.re,
                                         f.b.im, f.c.re, f.c.im, f.psi.re, f.psi.im, f.chi.re, f.chi.im};
#pragma unroll
        for (int v = 0; v < pair_parts; ++v) shared[(q * pair_parts + v) * pair_rows_a_block + lane] = values[v];
      }
      __syncthreads();
      if (mine)
#pragma unroll 1
        for (int q = 0; q < some && begin + q < c.count; ++q) {
          const Real* const f = shared + q * pair_parts * pair_rows_a_block + lane;
          const auto part = [&](int v) { return f[v * pair_rows_a_block]; };
          const Real* const of_point = p + begin + q;
          const Real e0 = part(0), e1 = part(1), e2 = part(2);
          Real v[6];
          if (set < 3) {
            const Real n[3] = {__ldg(of_point + 3 * c.padded), __ldg(of_point + 4 * c.padded),
                               __ldg(of_point + 5 * c.padded)};
            const Real nj = __ldg(of_point + (3 + set) * c.padded), ej = part(set);
            const Real gr = part(9) * nj + part(7) * ej, gi = part(10) * nj + part(8) * ej, hr = part(3) * ej,
                       hi = part(4) * ej;
            const Real es[3] = {e0, e1, e2};
#pragma unroll
            for (int i = 0; i < 3; ++i) {
              v[2 * i] = es[i] * gr + n[i] * hr + (i == set ? part(5) : Real(0));
              v[2 * i + 1] = es[i] * gi + n[i] * hi + (i == set ? part(6) : Real(0));
            }
          } else {
            const Real pr = part(11), pi = part(12), xr = part(13), xi = part(14);
            const bool second = set == 4;  // xx xy xz, or yy yz zz
            const Real p0 = second ? e1 * e1 : e0 * e0, p1 = second ? e1 * e2 : e0 * e1,
                       p2 = second ? e2 * e2 : e0 * e2;
            v[0] = pr - xr * p0;
            v[1] = pi - xi * p0;
            v[2] = -(xr * p1);
            v[3] = -(xi * p1);
            v[4] = (second ? pr : Real(0)) - xr * p2;
            v[5] = (second ? pi : Real(0)) - xi * p2;
          }
#pragma unroll
          for (int b = 0; b < nodes; ++b) {
            const Real shape = __ldg(of_point + (7 + b) * c.padded);
#pragma unroll
            for (int w = 0; w < 6; ++w) sum[b][w] += shape * v[w];
          }
        }
      __syncthreads();
    }
    if (!mine || row >= a.row_count) continue;
    const PairTarget<Real>* const to = a.targets + e.first_target;
#pragma unroll
    for (int b = 0; b < nodes; ++b) {
      const Real* const s = sum[b];
      if (set < 3) {
        for (int i = 0; i < 3; ++i) put(a, to[6 * b + set], i, row, s[2 * i], s[2 * i + 1]);
        continue;
      }
      const PairTarget<Real>* const g = to + 6 * b + 3;
      if (set == 3) {
        put(a, g[0], 0, row, s[0], s[1]);
        put(a, g[0], 1, row, s[2], s[3]);
        put(a, g[1], 0, row, s[2], s[3]);
        put(a, g[0], 2, row, s[4], s[5]);
        put(a, g[2], 0, row, s[4], s[5]);
      } else {
        put(a, g[1], 1, row, s[0], s[1]);
        put(a, g[1], 2, row, s[2], s[3]);
        put(a, g[2], 1, row, s[2], s[3]);
        put(a, g[2], 2, row, s[4], s[5]);
      }
    }
  }
  count_up(a, points);
}

/// The form of Belinassi 2017, Algorithm 5, for comparison: a block a pair, a thread a Gauss point, sums by shuffles and shared memory.
/// Constant elements with one class of points. Grid: rows, elements of the panel.
template <class Real>
__global__ void __launch_bounds__(pair_block_threads) pairs_block(PairArguments<Real> a) {
  __shared__ Real sums[pair_block_threads / 32][30];
  const int row = static_cast<int>(blockIdx.x), thread = static_cast<int>(threadIdx.x);
  const PairElement& e = a.elements[blockIdx.y];
  const PairClass c = a.classes[e.first_class];
  Real t[18] = {}, u[12] = {};
  if (a.on_surface == 0 || e.node[0] != row) {
    const Real x = a.rows[row], y = a.rows[a.row_count + row], z = a.rows[2 * a.row_count + row];
    const Real* const p = a.points + c.at;
    for (int q = thread; q < c.count; q += pair_block_threads) {
      const PairParts<Real> f = parts_of(a.medium, p, c.padded, q, x, y, z);
      const Real n[3] = {p[3 * c.padded + q], p[4 * c.padded + q], p[5 * c.padded + q]};
      add_point(f, n, e.with_u != 0, t, u);
    }
  }
#pragma unroll
  for (int v = 0; v < 30; ++v) {
    Real sum = v < 18 ? t[v < 18 ? v : 0] : u[v < 18 ? 0 : v - 18];
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_down_sync(0xffffffffU, sum, apart);
    if (thread % 32 == 0) sums[thread / 32][v] = sum;
  }
  __syncthreads();
  if (thread >= 9) return;
  const int i = thread / 3, j = thread % 3, of_t = 2 * thread, of_u = 18 + 2 * symmetric_of(i, j);
  Real all[4] = {};
  for (int w = 0; w < pair_block_threads / 32; ++w)
    for (int k = 0; k < 2; ++k) {
      all[k] += sums[w][of_t + k];
      all[2 + k] += sums[w][of_u + k];
    }
  const PairTarget<Real>* const to = a.targets + e.first_target;
  put(a, to[j], i, row, all[0], all[1]);
  put(a, to[3 + j], i, row, all[2], all[3]);
}

}  // namespace conoid::elastic_bem
