// SPDX-License-Identifier: BSD-3-Clause
// Assembly of pairs of triangles: the moments of shell_lanes_isa.inl, one pair a thread, in double precision.
#include "engine/team/kernel.hpp"

#include "engine/solvers/acoustic_bem/cuda/pair_arguments.hpp"

namespace conoid::acoustic_bem {
namespace {

constexpr int soft = 2, combined_bit = 1;  // LaneKind: rigid, rigid_combined, soft, soft_combined

struct PairFootprint {
  double d, p[3], l1[3], qq[3], arc[3], lambda[3];
  int first, last;
};

__device__ double dot_of(const double* a, const double* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

__device__ void stand_over(const PairTriangle& t, const double* x, double delta, PairFootprint& f) {
  const double from[3] = {x[0] - t.corner[0][0], x[1] - t.corner[0][1], x[2] - t.corner[0][2]};
  f.d = dot_of(t.normal, from);
  if (fabs(f.d) < 1e-11 * t.radius) f.d = 0;
  double nearest = 1e300, farthest = 0;
  bool inside = true;
  for (int e = 0; e < 3; ++e) {
    const double to[3] = {t.corner[e][0] - x[0], t.corner[e][1] - x[1], t.corner[e][2] - x[2]};
    const double p = dot_of(t.outward[e], to), l1 = dot_of(t.tangent[e], to), l2 = l1 + t.length[e];
    const double l = l1 > 0 ? l1 : l2 < 0 ? l2 : 0;
    nearest = fmin(nearest, p * p + l * l);
    farthest = fmax(farthest, p * p + l1 * l1);
    inside = inside && p >= 0;
    f.p[e] = p;
    f.l1[e] = l1;
    f.qq[e] = p * p + f.d * f.d;
    f.arc[e] = p == 0 ? 0 : atan2(p * t.length[e], p * p + l1 * l2);
    const double off[3] = {x[0] - t.centroid[0], x[1] - t.centroid[1], x[2] - t.centroid[2]};
    f.lambda[e] = 1.0 / 3 + dot_of(t.gradient[e], off);
  }
  if (inside) nearest = 0;
  f.first = static_cast<int>(floor(sqrt(f.d * f.d + nearest) / delta));
  f.last = static_cast<int>(floor(sqrt(f.d * f.d + farthest) / delta));
  if (f.last < f.first) f.last = f.first;
}

/// Cumulative moments s_b, q1, q2, k_b up to a radius.
__device__ void cumulative(const PairTriangle& t, const PairFootprint& f, double upper, bool whole, double* out) {
  const double h = fabs(f.d), dd = f.d * f.d;
  double F0 = 0, G1 = 0, G2 = 0, H0 = 0, arcs = 0, V[3] = {0, 0, 0}, Z[3] = {0, 0, 0};
  for (int e = 0; e < 3; ++e) {
    const double p = f.p[e], l1 = f.l1[e], l2 = l1 + t.length[e], qq = f.qq[e];
    const double root = sqrt(fmax(upper * upper - qq, 0.0));
    double a = whole ? l1 : fmax(l1, -root), b = whole ? l2 : fmin(l2, root);
    if (!whole && !(root > 0 && a < b)) a = b = 0;
    const double Ra = sqrt(qq + a * a), Rb = sqrt(qq + b * b);
    double as = 0;
    if (qq > 1e-28 * t.radius * t.radius)
      as = log(a >= 0 ? (b + Rb) / (a + Ra) : b <= 0 ? (Ra - a) / (Rb - b) : (b + Rb) * (Ra - a) / qq);
    const double w = p == 0 ? 0 : atan2(p * (b - a), p * p + a * b), hp = h * fabs(p);
    double ta = hp == 0 ? 0 : atan2(hp * (b * Ra - a * Rb), p * p * (Ra * Rb) + dd * (a * b));
    if (p < 0) ta = -ta;
    const double I1 = 0.5 * (b * Rb - a * Ra + qq * as), span = whole ? 0 : b - a;
    F0 += p * as + h * (ta - w);
    G1 += 0.5 * p * (b - a);
    G2 += p * I1 + dd * (p * as + h * ta) - dd * h * w;
    H0 += w - ta;
    for (int k = 0; k < 3; ++k) {
      V[k] += t.gu[e][k] * (I1 - upper * span);
      Z[k] += t.gu[e][k] * (span / upper - as);
    }
    arcs += f.arc[e] - w;
  }
  if (whole) arcs = 0;
  F0 += arcs * (upper - h);
  G1 += arcs * 0.5 * (upper * upper - dd);
  G2 += arcs * (upper * upper * upper - dd * h);
  H0 += arcs * (1.0 - h / upper);
  const double sign = f.d > 0 ? 1 : f.d < 0 ? -1 : 0;
  for (int b = 0; b < 3; ++b) {
    out[b] = f.lambda[b] * F0 + V[b];
    out[5 + b] = f.lambda[b] * sign * H0 + f.d * Z[b];
  }
  out[3] = G1;
  out[4] = G2 / 3;
}

/// How close two triangles are decides the rule, as OuterSet::classify() has it.
__device__ PairRule rule_of(const PairArguments& a, const PairTriangle& outer, const PairTriangle& source) {
  double square = 0;
  for (int d = 0; d < 3; ++d)
    square += (outer.centroid[d] - source.centroid[d]) * (outer.centroid[d] - source.centroid[d]);
  const double reach = (outer.radius + source.radius + fmax(outer.radius, source.radius)) * (1 + 1e-9);
  if (square > reach * reach) return a.far;
  return dot_of(outer.normal, source.normal) < -0.5 ? a.thin : a.near;
}

__device__ void point_of(const PairTriangle& t, const double* rule, double* x) {
  for (int d = 0; d < 3; ++d) x[d] = rule[0] * t.corner[0][d] + rule[1] * t.corner[1][d] + rule[2] * t.corner[2][d];
}

/// Time factors: one shell's moments become values of M_m … M_{m+2}.
__device__ void combine(const PairArguments& a, const PairTriangle& outer, const PairTriangle& source, int m,
                        const double* work, double* values, std::int64_t pairs) {
  const double scale = outer.area / (4 * 3.14159265358979323846), delta = a.delta;
  const bool rigid = a.kind < soft, both = (a.kind & combined_bit) != 0;
  const int reach = rigid ? 2 : both ? 1 : 0;
  double q0 = 0;
  for (int k = 0; k < 9; ++k) q0 += work[k * pairs];
  const double e0 = q0 * scale, q1 = work[9 * pairs] * scale / delta, q2 = work[10 * pairs] * scale / (delta * delta);
  const double e1 = q1 - m * e0, e2 = q2 - m * (2.0 * q1 - m * e0);
  const double t0 = 0.25 * delta * (e0 - 2.0 * e1 + e2), t1 = 0.25 * delta * (e0 + 2.0 * e1 - 2.0 * e2),
               t2 = 0.25 * delta * e2, nn = dot_of(outer.normal, source.normal);
  for (int k = 0; k < 9; ++k) {
    const double P = work[k * pairs] * scale, D = work[(11 + k) * pairs] * scale;
    double half[3] = {0, 0, 0};
    if (rigid) {
      const double np = nn * P * (0.5 / delta), cc = dot_of(outer.curl[k / 3], source.curl[k % 3]);
      half[0] = np + cc * t0;
      half[1] = cc * t1 - 2.0 * np;
      half[2] = np + cc * t2;
    } else {
      half[0] = (both ? 0.5 * a.alpha_plus : 0.5) * P;
      half[1] = both ? 0.5 * a.alpha_minus * P : 0;
    }
    double one[3] = {half[0], half[1], half[2]};  // the side that gets the double layer
    if (both && rigid) {
      const double plus = outer.combined * a.alpha_plus, minus = outer.combined * a.alpha_minus;
      one[0] -= plus * (m + 1.0) * D;
      one[1] += (plus * m - minus * (m + 1.0)) * D;
      one[2] += minus * m * D;
    } else if (both) {
      one[0] += delta * (m + 1.0) * D;
      one[1] -= delta * m * D;
    }
    for (int c = 0; c <= reach; ++c) {
      values[(c * pair_values + k) * pairs] += rigid ? one[c] : half[c];
      values[(c * pair_values + 9 + k) * pairs] += rigid ? half[c] : one[c];
    }
  }
}

__global__ void pairs(PairArguments a) {
  const std::int64_t p = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t all = static_cast<std::int64_t>(a.outers) * a.sources;
  if (p >= all) return;
  const PairTriangle& outer = a.triangle[a.outer[p % a.outers]];
  const PairTriangle& source = a.triangle[a.source[p / a.outers]];
  const PairRule rule = rule_of(a, outer, source);
  PairFootprint f;
  double x[3];
  int first = 1 << 30, last = 0;
  for (int q = 0; q < rule.count; ++q) {
    point_of(outer, rule.points + 4 * q, x);
    stand_over(source, x, a.delta, f);
    first = f.first < first ? f.first : first;
    last = f.last > last ? f.last : last;
  }
  int shells = last - first + 1;
  if (shells > a.most) shells = a.most;
  a.head[p] = {first, shells};
  double* const work = a.work + p;
  double* const values = a.values + p;
  for (int k = 0; k < shells * pair_moments; ++k) work[k * all] = 0;
  for (int k = 0; k < (shells + 2) * pair_values; ++k) values[k * all] = 0;
  for (int q = 0; q < rule.count; ++q) {
    const double* const point = rule.points + 4 * q;
    point_of(outer, point, x);
    stand_over(source, x, a.delta, f);
    double below[8] = {0, 0, 0, 0, 0, 0, 0, 0}, now[8];
    for (int m = f.first; m <= f.last && m - first < shells; ++m) {
      cumulative(source, f, (m + 1.0) * a.delta, m == f.last, now);
      double* const row = work + static_cast<std::int64_t>(m - first) * pair_moments * all;
      for (int k = 0; k < 8; ++k) {
        const double shell = point[3] * (now[k] - below[k]);
        below[k] = now[k];
        if (k == 3 || k == 4) {
          row[(6 + k) * all] += shell;
          continue;
        }
        const int at = k < 3 ? k : 6 + k;  // P at b, D at 11 + b
        for (int c = 0; c < 3; ++c) row[(at + 3 * c) * all] += point[c] * shell;
      }
    }
  }
  for (int s = 0; s < shells; ++s)
    combine(a, outer, source, first + s, work + static_cast<std::int64_t>(s) * pair_moments * all,
            values + static_cast<std::int64_t>(s) * pair_values * all, all);
}

__global__ void gather_pairs(PairGatherArguments a) {
  const std::int64_t e = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (e >= static_cast<std::int64_t>(a.rows) * a.columns) return;
  const int i = static_cast<int>(e % a.rows), j = static_cast<int>(e / a.rows);
  const std::int64_t at = a.transposed != 0 ? static_cast<std::int64_t>(i) * a.columns + j : e;
  const int low = a.first[at], high = a.last[at];
  double* const out = a.block + a.offset[at];
  for (int s = a.column_begin[j]; s < a.column_begin[j + 1]; ++s)
    for (int t = a.row_begin[i]; t < a.row_begin[i + 1]; ++t) {
      const PairCorner column = a.column[s], row = a.row[t];
      const std::int64_t p = static_cast<std::int64_t>(column.triangle) * a.outers + row.triangle;
      const PairHead head = a.head[p];
      const double weight = row.weight * column.weight;
      const int entry = 3 * row.corner + column.corner + (a.transposed != 0 ? 9 : 0);
      for (int c = 0; c < head.shells + a.reach; ++c) {
        const int k = head.first + c;
        if (k < low || k > high) continue;
        out[k - low] += weight * a.values[(static_cast<std::int64_t>(c) * pair_values + entry) * a.pairs + p];
      }
    }
}

}  // namespace

static const RegisterKernel pairs_kernel("acoustic-bem/pairs", pairs);
static const RegisterKernel gather_pairs_kernel("acoustic-bem/gather_pairs", gather_pairs);

}  // namespace conoid::acoustic_bem
