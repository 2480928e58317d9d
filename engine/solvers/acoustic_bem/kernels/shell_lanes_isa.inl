// SPDX-License-Identifier: BSD-3-Clause
// The lane kernels for registers of CONOID_BYTES: 2, 4 or 8 lanes.
// isas: base avx2 avx512
//
// Limited by issue: per edge and clipped shell one logarithm, two arctangents, three square roots. Everything sits in an
// unnamed namespace, so that no two instruction sets share a function.
#include "engine/simd/lanes.hpp"
#include "engine/solvers/acoustic_bem/kernels/shell_lanes.hpp"

namespace conoid::acoustic_bem {
namespace {

constexpr std::size_t W = CONOID_BYTES / 8;
using simd::load, simd::store, simd::vabs, simd::vfloor, simd::vmax, simd::vmin, simd::vsqrt;
using vd = simd::Lanes<double, CONOID_BYTES>::v;
using vi = simd::Lanes<double, CONOID_BYTES>::i;

inline vd all(double v) {
  return vd{} + v;
}
inline double largest(vd v) {
  double m = v[0];
  for (std::size_t t = 1; t < W; ++t) m = v[t] > m ? v[t] : m;
  return m;
}

/// atan2 in (−π, π], about one unit in the last place: |tan| is reduced to ≤ tan(π/16) by the addition theorem with the
/// nearest of 0, π/8, π/4; then the odd series. atan2(0, 0) = 0.
inline vd atan2_of(vd y, vd x) {
  constexpr double tan8 = 0.41421356237309504880;    // tan(π/8)
  constexpr double tan16 = 0.19891236737965800691;   // tan(π/16)
  constexpr double tan316 = 0.66817863791929891999;  // tan(3π/16)
  constexpr double pi = 3.14159265358979323846;
  const vd ay = vabs(y), ax = vabs(x);
  const vi swap = ay > ax;
  const vd lo = swap ? ax : ay;
  vd hi = swap ? ay : ax;
  hi = hi == all(0) ? all(1) : hi;
  const vi upper = lo > tan316 * hi, middle = lo > tan16 * hi;
  const vd c = upper ? all(1) : middle ? all(tan8) : all(0);
  const vd base = upper ? all(pi / 4) : middle ? all(pi / 8) : all(0);
  const vd t = (lo - c * hi) / (hi + c * lo);
  const vd u = t * t;
  vd s = all(-1.0 / 23);
  s = s * u + 1.0 / 21;
  s = s * u - 1.0 / 19;
  s = s * u + 1.0 / 17;
  s = s * u - 1.0 / 15;
  s = s * u + 1.0 / 13;
  s = s * u - 1.0 / 11;
  s = s * u + 1.0 / 9;
  s = s * u - 1.0 / 7;
  s = s * u + 1.0 / 5;
  s = s * u - 1.0 / 3;
  vd r = base + (t + t * u * s);
  r = swap ? pi / 2 - r : r;
  r = x < all(0) ? pi - r : r;
  return y < all(0) ? -r : r;
}

/// Natural logarithm of positive normal numbers: x = 2^e m, m in [√½, √2), log m = 2 artanh((m−1)/(m+1)).
inline vd log_of(vd x) {
  const vi bits = (vi)x;
  // Exponent as a double: its bits placed in the mantissa of 2^52.
  vd e = (vd)((bits >> 52) | 0x4330000000000000LL) - (4503599627370496.0 + 1023.0);
  vd m = (vd)((bits & 0x000fffffffffffffLL) | 0x3ff0000000000000LL);
  const vi high = m > all(1.41421356237309504880);
  m = high ? 0.5 * m : m;
  e = high ? e + 1.0 : e;
  const vd s = (m - 1.0) / (m + 1.0);
  const vd u = s * s;
  vd r = all(2.0 / 21);
  r = r * u + 2.0 / 19;
  r = r * u + 2.0 / 17;
  r = r * u + 2.0 / 15;
  r = r * u + 2.0 / 13;
  r = r * u + 2.0 / 11;
  r = r * u + 2.0 / 9;
  r = r * u + 2.0 / 7;
  r = r * u + 2.0 / 5;
  r = r * u + 2.0 / 3;
  // ln 2 in two parts: the first has trailing zeros, so that e times it is exact.
  return e * 0.693147180369123816490 + (e * 1.90821492927058770002e-10 + (2.0 * s + s * u * r));
}

/// Observers over the plane of the source: height and, per edge, the positions of shell_moments.cpp.
struct Footprint {
  vd d, p[3], l1[3];
};
inline Footprint footprint(const LaneSource& t, vd x, vd y, vd z) {
  Footprint f;
  f.d = t.normal[0] * (x - t.corner0[0]) + t.normal[1] * (y - t.corner0[1]) + t.normal[2] * (z - t.corner0[2]);
  f.d = vabs(f.d) < all(1e-11 * t.radius) ? all(0) : f.d;
  for (int e = 0; e < 3; ++e) {
    const vd tx = t.corner[e][0] - x, ty = t.corner[e][1] - y, tz = t.corner[e][2] - z;
    f.p[e] = t.outward[e][0] * tx + t.outward[e][1] * ty + t.outward[e][2] * tz;
    f.l1[e] = t.tangent[e][0] * tx + t.tangent[e][1] * ty + t.tangent[e][2] * tz;
  }
  return f;
}

/// Not inlined: both passes must round alike, else a shell could fall out of its row-vector.
__attribute__((noinline)) void range_at(const LaneSource& t, const double* px, const double* py, const double* pz,
                                        double delta, double* first, double* last) {
  const Footprint f = footprint(t, load<vd>(px), load<vd>(py), load<vd>(pz));
  const vd dd = f.d * f.d;
  vd nearest = all(1e300), farthest = all(0);
  vi inside = vi{} - 1;
  for (int e = 0; e < 3; ++e) {
    const vd l2 = f.l1[e] + t.length[e];
    const vd l = f.l1[e] > all(0) ? f.l1[e] : l2 < all(0) ? l2 : all(0);
    nearest = vmin(nearest, f.p[e] * f.p[e] + l * l);
    farthest = vmax(farthest, f.p[e] * f.p[e] + f.l1[e] * f.l1[e]);
    inside &= f.p[e] >= all(0);
  }
  nearest = inside ? all(0) : nearest;
  const vd m0 = vfloor(vsqrt(dd + nearest) / delta), m1 = vfloor(vsqrt(dd + farthest) / delta);
  store(first, m0);
  store(last, vmax(m0, m1));
}

/// Cumulative moments s_b (0–2), q1, q2 (3, 4), and with a double layer k_b (5–7).
template <bool double_layer>
struct Cumulative {
  vd v[double_layer ? 8 : 5];
};

/// What does not depend on the shell.
struct EdgeConstants {
  vd qq, arc;
};

template <bool double_layer>
inline Cumulative<double_layer> cumulative(const LaneSource& t, const Footprint& f, const EdgeConstants* c,
                                           const vd* lambda, vd upper, vi whole) {
  const vd zero = all(0), h = vabs(f.d), dd = f.d * f.d;
  vd F0 = zero, G1 = zero, G2 = zero, H0 = zero, arcs = zero;
  vd V[3] = {zero, zero, zero}, Z[3] = {zero, zero, zero};
  for (int e = 0; e < 3; ++e) {
    const vd p = f.p[e], l1 = f.l1[e], l2 = f.l1[e] + t.length[e], qq = c[e].qq;
    const vd root = vsqrt(vmax(upper * upper - qq, zero));
    vd a = whole ? l1 : vmax(l1, -root);
    vd b = whole ? l2 : vmin(l2, root);
    const vi straight = whole | ((root > zero) & (a < b));
    a = straight ? a : zero;
    b = straight ? b : zero;
    const vd Ra = vsqrt(qq + a * a), Rb = vsqrt(qq + b * b);
    const vi right = a >= zero, left = b <= zero;
    const vd numerator = right ? b + Rb : left ? Ra - a : (b + Rb) * (Ra - a);
    const vd denominator = right ? a + Ra : left ? Rb - b : qq;
    const vi regular = qq > all(1e-28 * t.radius * t.radius);
    const vd as = log_of(regular ? numerator / denominator : all(1));
    const vd ap = vabs(p);
    const vi on_line = p == zero;
    const vd w = on_line ? zero : atan2_of(p * (b - a), p * p + a * b);
    // The difference of the two arctangents as one: tan of a difference.
    const vd hp = h * ap;
    vd ta = atan2_of(hp * (b * Ra - a * Rb), ap * ap * (Ra * Rb) + h * h * (a * b));
    ta = hp == zero ? zero : p < zero ? -ta : ta;
    const vd I1 = 0.5 * (b * Rb - a * Ra + qq * as);
    const vd span = whole ? zero : b - a;
    F0 += p * as + h * (ta - w);
    G1 += 0.5 * p * (b - a);
    G2 += p * I1 + dd * (p * as + h * ta) - dd * h * w;
    const vd ve = I1 - upper * span;
    for (int k = 0; k < 3; ++k) V[k] += t.gu[e][k] * ve;
    if constexpr (double_layer) {
      H0 += w - ta;
      const vd ze = span / upper - as;
      for (int k = 0; k < 3; ++k) Z[k] += t.gu[e][k] * ze;
    }
    arcs += c[e].arc - w;
  }
  arcs = whole ? zero : arcs;
  F0 += arcs * (upper - h);
  G1 += arcs * 0.5 * (upper * upper - dd);
  G2 += arcs * (upper * upper * upper - dd * h);
  Cumulative<double_layer> out;
  for (int b = 0; b < 3; ++b) out.v[b] = lambda[b] * F0 + V[b];
  out.v[3] = G1;
  out.v[4] = G2 * (1.0 / 3);
  if constexpr (double_layer) {
    const vd sign = f.d > zero ? all(1) : f.d < zero ? all(-1) : zero;
    H0 = sign * (H0 + arcs * (1.0 - h / upper));
    for (int b = 0; b < 3; ++b) out.v[5 + b] = lambda[b] * H0 + f.d * Z[b];
  }
  return out;
}

/// Adds the outer points' shells to work: rows P (9, a·3+b), Q1, Q2, and with a double layer D (9).
template <bool double_layer>
inline void gather_shells(const LaneSource& t, const LaneOuter& o, std::size_t begin, const LaneRule& rule,
                          double delta, vd first, int shells, double* work) {
  constexpr int rows = double_layer ? 20 : 11;
  const vd zero = all(0);
  for (int k = 0; k < shells * rows; ++k) store(work + static_cast<std::size_t>(k) * W, zero);
  for (int q = 0; q < rule.points; ++q) {
    const double* px = o.points + static_cast<std::size_t>(3 * q) * o.stride + begin;
    const double* py = px + o.stride;
    const double* pz = py + o.stride;
    double lanes_first[W], lanes_last[W];
    range_at(t, px, py, pz, delta, lanes_first, lanes_last);
    const vd m0 = load<vd>(lanes_first), m1 = load<vd>(lanes_last);
    const vd x = load<vd>(px), y = load<vd>(py), z = load<vd>(pz);
    const Footprint f = footprint(t, x, y, z);
    EdgeConstants c[3];
    vd lambda[3];
    for (int e = 0; e < 3; ++e) {
      const vd p = f.p[e], l1 = f.l1[e];
      c[e].qq = p * p + f.d * f.d;
      c[e].arc = p == zero ? zero : atan2_of(p * t.length[e], p * p + l1 * (l1 + t.length[e]));
      lambda[e] = 1.0 / 3 + t.gradient[e][0] * (x - t.centroid[0]) + t.gradient[e][1] * (y - t.centroid[1]) +
                  t.gradient[e][2] * (z - t.centroid[2]);
    }
    const double wq = rule.weight[q];
    const double wl[3] = {wq * rule.lambda[3 * q], wq * rule.lambda[3 * q + 1], wq * rule.lambda[3 * q + 2]};
    constexpr int moments = double_layer ? 8 : 5;
    vd below[moments];
    for (int k = 0; k < moments; ++k) below[k] = zero;
    const int count = static_cast<int>(largest(m1 - first)) + 1;
    for (int s = 0; s < count; ++s) {
      const vd m = first + static_cast<double>(s);
      const Cumulative<double_layer> now = cumulative<double_layer>(t, f, c, lambda, (m + 1.0) * delta, m >= m1);
      const vi reached = m >= m0;
      vd shell[moments];
      for (int k = 0; k < moments; ++k) {
        const vd v = reached ? now.v[k] : zero;
        shell[k] = v - below[k];
        below[k] = v;
      }
      double* row = work + static_cast<std::size_t>(s * rows) * W;
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) store(row + (3 * a + b) * W, load<vd>(row + (3 * a + b) * W) + wl[a] * shell[b]);
      store(row + 9 * W, load<vd>(row + 9 * W) + wq * shell[3]);
      store(row + 10 * W, load<vd>(row + 10 * W) + wq * shell[4]);
      if constexpr (double_layer)
        for (int a = 0; a < 3; ++a)
          for (int b = 0; b < 3; ++b)
            store(row + (11 + 3 * a + b) * W, load<vd>(row + (11 + 3 * a + b) * W) + wl[a] * shell[5 + b]);
    }
  }
}

inline void add(double* p, vd v) {
  store(p, load<vd>(p) + v);
}

/// Time factors: the shells' moments become entries of M_k.
template <bool double_layer>
inline void combine(const LaneSource& t, const LaneOuter& o, std::size_t begin, const LaneForm& form, vd first,
                    int shells, const LaneResult& out) {
  constexpr int rows = double_layer ? 20 : 11;
  const int reach = lane_reach(form.kind);
  const vd zero = all(0);
  for (int k = 0; k < (shells + reach) * 9; ++k) {
    store(out.direct + static_cast<std::size_t>(k) * W, zero);
    store(out.transposed + static_cast<std::size_t>(k) * W, zero);
  }
  const bool rigid = form.kind == LaneKind::rigid || form.kind == LaneKind::rigid_combined;
  const vd scale = load<vd>(o.scale + begin);
  const double delta = form.delta;
  vd nn = zero, cc[9];
  for (int d = 0; d < 3; ++d) nn += load<vd>(o.normal + static_cast<std::size_t>(d) * o.stride + begin) * t.normal[d];
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      cc[3 * a + b] = zero;
      for (int d = 0; d < 3; ++d)
        cc[3 * a + b] += load<vd>(o.curl + static_cast<std::size_t>(3 * a + d) * o.stride + begin) * t.curl[b][d];
    }
  for (int s = 0; s < shells; ++s) {
    const vd m = first + static_cast<double>(s);
    const double* row = out.work + static_cast<std::size_t>(s * rows) * W;
    double* direct = out.direct + static_cast<std::size_t>(9 * s) * W;
    double* transposed = out.transposed + static_cast<std::size_t>(9 * s) * W;
    vd q0 = zero;
    for (int k = 0; k < 9; ++k) q0 += load<vd>(row + k * W);
    const vd e0 = q0 * scale;
    const vd q1 = load<vd>(row + 9 * W) * scale * (1.0 / delta),
             q2 = load<vd>(row + 10 * W) * scale * (1.0 / (delta * delta));
    const vd e1 = q1 - m * e0, e2 = q2 - m * (2.0 * q1 - m * e0);
    const vd t0 = 0.25 * delta * (e0 - 2.0 * e1 + e2), t1 = 0.25 * delta * (e0 + 2.0 * e1 - 2.0 * e2),
             t2 = 0.25 * delta * e2;
    for (int k = 0; k < 9; ++k) {
      const vd P = load<vd>(row + k * W) * scale;
      vd half0, half1 = zero, half2 = zero;
      if (rigid) {
        const vd np = nn * P * (0.5 / delta);
        half0 = np + cc[k] * t0;
        half1 = cc[k] * t1 - 2.0 * np;
        half2 = np + cc[k] * t2;
      } else if (form.kind == LaneKind::soft) {
        half0 = 0.5 * P;
      } else {
        half0 = 0.5 * form.alpha_plus * P;
        half1 = 0.5 * form.alpha_minus * P;
      }
      vd one0 = half0, one1 = half1, one2 = half2;  // the side that gets the double layer
      if constexpr (double_layer) {
        const vd D = load<vd>(row + (11 + k) * W) * scale;
        if (rigid) {
          one0 -= form.alpha_plus * (m + 1.0) * D;
          one1 += (form.alpha_plus * m - form.alpha_minus * (m + 1.0)) * D;
          one2 += form.alpha_minus * m * D;
        } else {
          one0 += delta * (m + 1.0) * D;
          one1 -= delta * m * D;
        }
      }
      double* with = (rigid ? direct : transposed) + k * W;
      double* without = (rigid ? transposed : direct) + k * W;
      add(with, one0);
      add(without, half0);
      if (reach >= 1) add(with + 9 * W, one1), add(without + 9 * W, half1);
      if (reach >= 2) add(with + 18 * W, one2), add(without + 18 * W, half2);
    }
  }
}

void range_lanes(const LaneSource& t, const LaneOuter& o, std::size_t begin, const LaneRule& rule, double delta,
                 double* first, double* last) {
  vd low = all(1e300), high = all(0);
  for (int q = 0; q < rule.points; ++q) {
    const double* px = o.points + static_cast<std::size_t>(3 * q) * o.stride + begin;
    double m0[W], m1[W];
    range_at(t, px, px + o.stride, px + 2 * o.stride, delta, m0, m1);
    low = vmin(low, load<vd>(m0));
    high = vmax(high, load<vd>(m1));
  }
  store(first, low);
  store(last, high);
}

void pair_lanes(const LaneSource& t, const LaneOuter& o, std::size_t begin, const LaneRule& rule, const LaneForm& form,
                const LaneResult& out) {
  range_lanes(t, o, begin, rule, form.delta, out.first, out.last);
  const vd first = load<vd>(out.first);
  const int shells = static_cast<int>(largest(load<vd>(out.last) - first)) + 1;
  if (form.kind == LaneKind::rigid_combined || form.kind == LaneKind::soft_combined) {
    gather_shells<true>(t, o, begin, rule, form.delta, first, shells, out.work);
    combine<true>(t, o, begin, form, first, shells, out);
  } else {
    gather_shells<false>(t, o, begin, rule, form.delta, first, shells, out.work);
    combine<false>(t, o, begin, form, first, shells, out);
  }
}

}  // namespace

extern const LaneKernels CONOID_ISA_NAME(lane_kernels);
const LaneKernels CONOID_ISA_NAME(lane_kernels){W, range_lanes, pair_lanes};

}  // namespace conoid::acoustic_bem
