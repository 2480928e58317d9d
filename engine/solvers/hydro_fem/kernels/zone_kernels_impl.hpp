// SPDX-License-Identifier: BSD-3-Clause
// Bodies of the zone kernels for W lanes, dim D and order K (K = 0: any order, read from the tables).
//
// Sum factorisation: a field is interpolated to quadrature points one axis after the other. Limited by floating-point
// issue: all operands of a batch stay in the first- or second-level cache for the orders in use (k <= 4). The stress of
// a point costs some 20 ns in two dimensions and under 100 in three on one core with eight lanes.
#pragma once

#include "engine/solvers/hydro_fem/kernels/lanes.hpp"
#include "engine/solvers/hydro_fem/kernels/zone_kernels.hpp"

#include <algorithm>
#include <vector>

#pragma GCC optimize("no-math-errno", "no-trapping-math")

namespace conoid::hydro_fem {
namespace {

constexpr int power(int base, int exponent) {
  return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

/// Scratch of one thread, grown as needed.
template <class V>
inline V* scratch(int slot, std::size_t count) {
  thread_local std::vector<std::vector<V, std::allocator<V>>> buffers(8);
  auto& b = buffers[static_cast<std::size_t>(slot)];
  if (b.size() < count) b.resize(count);
  return b.data();
}

template <class V, int D, int K>
struct Zone {
  static constexpr int W = lanes_of<V>;
  const ZoneData& z;
  const Tables& t;
  const int N, Q, E;     // points a direction: nodes, quadrature, energies
  const int NN, QQ, EE;  // and their powers

  explicit Zone(const ZoneData& data)
      : z(data),
        t(*data.tables),
        N(K > 0 ? K + 1 : t.h1),
        Q(K > 0 ? 2 * K : t.q),
        E(K > 0 ? K : t.l2),
        NN(K > 0 ? power(K + 1, D) : z.zone_nodes),
        QQ(K > 0 ? power(2 * K, D) : z.zone_points),
        EE(K > 0 ? power(K, D) : z.zone_energies) {}

  /// Component `c` of a nodal field into lanes.
  void gather(const double* field, int c, Index batch, V* out) const {
    const double* f = field + static_cast<std::ptrdiff_t>(c) * z.nodes;
    const int* m = z.batch_map + batch * NN * W;
    for (int i = 0; i < NN; ++i) out[i] = hydro_fem::gather<V>(f, m + i * W);
  }

  /// Contraction of the middle index, in [A][n][C] → out [A][m][C], with entry M[o·so + i·si]: out_o = Σ_i M_oi in_i.
  /// A column is read once into registers; the products then need one operand from memory, which is broadcast.
  template <int n>
  static void contract_fixed(const double* M, int so, int si, int m, int A, int C, const V* in, V* out,
                             bool add) {
    for (int a = 0; a < A; ++a)
      for (int c = 0; c < C; ++c) {
        V column[n];
#pragma GCC unroll 12
        for (int i = 0; i < n; ++i) column[i] = in[(a * n + i) * C + c];
        V* to = out + a * m * C + c;
        for (int o = 0; o < m; ++o) {
          const double* row = M + o * so;
          V sum = add ? to[o * C] : V{};
#pragma GCC unroll 12
          for (int i = 0; i < n; ++i) sum += row[i * si] * column[i];
          to[o * C] = sum;
        }
      }
  }
  static void contract_any(const double* M, int so, int si, int m, int n, int A, int C, const V* in, V* out,
                           bool add) {
    switch (n) {
      case 1:
        return contract_fixed<1>(M, so, si, m, A, C, in, out, add);
      case 2:
        return contract_fixed<2>(M, so, si, m, A, C, in, out, add);
      case 3:
        return contract_fixed<3>(M, so, si, m, A, C, in, out, add);
      case 4:
        return contract_fixed<4>(M, so, si, m, A, C, in, out, add);
      case 5:
        return contract_fixed<5>(M, so, si, m, A, C, in, out, add);
      case 6:
        return contract_fixed<6>(M, so, si, m, A, C, in, out, add);
      case 8:
        return contract_fixed<8>(M, so, si, m, A, C, in, out, add);
      default:
        break;
    }
    for (int a = 0; a < A; ++a)
      for (int o = 0; o < m; ++o)
        for (int c = 0; c < C; ++c) {
          V sum = add ? out[(a * m + o) * C + c] : V{};
          for (int i = 0; i < n; ++i) sum += M[o * so + i * si] * in[(a * n + i) * C + c];
          out[(a * m + o) * C + c] = sum;
        }
  }
  /// in [A][n][C] → out [A][q][C] with M (q × n).
  static void contract(const double* M, int q, int n, int A, int C, const V* in, V* out, bool add = false) {
    contract_any(M, n, 1, q, n, A, C, in, out, add);
  }
  /// The transpose: in [A][q][C] → out [A][n][C].
  static void contract_t(const double* M, int q, int n, int A, int C, const V* in, V* out, bool add = false) {
    contract_any(M, 1, n, n, q, A, C, in, out, add);
  }

  /// Reference derivatives d[D][QQ] of a zone field u[NN]; values too when `value` is given. `w` is scratch.
  void derivatives(const V* u, V* d, V* value, V* w) const {
    const double* B = t.B.a.data();
    const double* G = t.G.a.data();
    if constexpr (D == 1) {
      contract(G, Q, N, 1, 1, u, d);
      if (value) contract(B, Q, N, 1, 1, u, value);
    } else if constexpr (D == 2) {
      V* bx = w;
      V* gx = w + N * Q;
      contract(B, Q, N, N, 1, u, bx);
      contract(G, Q, N, N, 1, u, gx);
      contract(B, Q, N, 1, Q, gx, d);
      contract(G, Q, N, 1, Q, bx, d + QQ);
      if (value) contract(B, Q, N, 1, Q, bx, value);
    } else {
      V* bx = w;
      V* gx = bx + N * N * Q;
      V* bb = gx + N * N * Q;
      V* bg = bb + N * Q * Q;
      V* gb = bg + N * Q * Q;
      contract(B, Q, N, N * N, 1, u, bx);
      contract(G, Q, N, N * N, 1, u, gx);
      contract(B, Q, N, N, Q, bx, bb);
      contract(B, Q, N, N, Q, gx, bg);
      contract(G, Q, N, N, Q, bx, gb);
      contract(B, Q, N, 1, Q * Q, bg, d);
      contract(B, Q, N, 1, Q * Q, gb, d + QQ);
      contract(G, Q, N, 1, Q * Q, bb, d + 2 * QQ);
      if (value) contract(B, Q, N, 1, Q * Q, bb, value);
    }
  }

  /// u[NN] += Σ_q Σ_d (∂_d w_i)(q) f[d][q]; with `plain` also Σ_q w_i(q) plain[q].
  void derivatives_t(const V* f, const V* plain, V* u, V* w) const {
    const double* B = t.B.a.data();
    const double* G = t.G.a.data();
    if constexpr (D == 1) {
      contract_t(G, Q, N, 1, 1, f, u);
      if (plain) contract_t(B, Q, N, 1, 1, plain, u, true);
    } else if constexpr (D == 2) {
      V* by = w;
      V* gy = w + N * Q;
      contract_t(B, Q, N, 1, Q, f, by);
      contract_t(G, Q, N, 1, Q, f + QQ, gy);
      if (plain) contract_t(B, Q, N, 1, Q, plain, gy, true);
      contract_t(G, Q, N, N, 1, by, u);
      contract_t(B, Q, N, N, 1, gy, u, true);
    } else {
      V* bx = w;
      V* by = bx + N * Q * Q;
      V* gz = by + N * Q * Q;
      V* a = gz + N * Q * Q;
      V* b = a + N * N * Q;
      contract_t(B, Q, N, 1, Q * Q, f, bx);
      contract_t(B, Q, N, 1, Q * Q, f + QQ, by);
      contract_t(G, Q, N, 1, Q * Q, f + 2 * QQ, gz);
      if (plain) contract_t(B, Q, N, 1, Q * Q, plain, gz, true);
      contract_t(B, Q, N, N, Q, bx, a);
      contract_t(G, Q, N, N, Q, by, b);
      contract_t(B, Q, N, N, Q, gz, b, true);
      contract_t(G, Q, N, N * N, 1, a, u);
      contract_t(B, Q, N, N * N, 1, b, u, true);
    }
  }

  /// Values at points of a tensor field with n a direction.
  static void values(const double* M, int q, int n, const V* u, V* out, V* w) {
    if constexpr (D == 1) {
      contract(M, q, n, 1, 1, u, out);
    } else if constexpr (D == 2) {
      contract(M, q, n, n, 1, u, w);
      contract(M, q, n, 1, q, w, out);
    } else {
      V* w2 = w + n * n * q;
      contract(M, q, n, n * n, 1, u, w);
      contract(M, q, n, n, q, w, w2);
      contract(M, q, n, 1, q * q, w2, out);
    }
  }
  static void values_t(const double* M, int q, int n, const V* f, V* out, V* w) {
    if constexpr (D == 1) {
      contract_t(M, q, n, 1, 1, f, out);
    } else if constexpr (D == 2) {
      contract_t(M, q, n, 1, q, f, w);
      contract_t(M, q, n, n, 1, w, out);
    } else {
      V* w2 = w + n * q * q;
      contract_t(M, q, n, 1, q * q, f, w);
      contract_t(M, q, n, n, q, w, w2);
      contract_t(M, q, n, n * n, 1, w2, out);
    }
  }
  [[nodiscard]] std::size_t work_size() const {
    if constexpr (D == 3) return static_cast<std::size_t>(2 * N * N * Q + 3 * N * Q * Q);
    return static_cast<std::size_t>(2 * N * Q + Q);
  }

  static V det(const V* J) {
    if constexpr (D == 1) return J[0];
    if constexpr (D == 2) return J[0] * J[3] - J[1] * J[2];
    if constexpr (D == 3)
      return J[0] * (J[4] * J[8] - J[5] * J[7]) - J[1] * (J[3] * J[8] - J[5] * J[6]) +
             J[2] * (J[3] * J[7] - J[4] * J[6]);
  }
  /// |J| J^-1, row-major.
  static void adjugate(const V* J, V* A) {
    if constexpr (D == 1) A[0] = splat<V>(1);
    if constexpr (D == 2) {
      A[0] = J[3];
      A[1] = -J[1];
      A[2] = -J[2];
      A[3] = J[0];
    }
    if constexpr (D == 3) {
      A[0] = J[4] * J[8] - J[5] * J[7];
      A[1] = J[2] * J[7] - J[1] * J[8];
      A[2] = J[1] * J[5] - J[2] * J[4];
      A[3] = J[5] * J[6] - J[3] * J[8];
      A[4] = J[0] * J[8] - J[2] * J[6];
      A[5] = J[2] * J[3] - J[0] * J[5];
      A[6] = J[3] * J[7] - J[4] * J[6];
      A[7] = J[1] * J[6] - J[0] * J[7];
      A[8] = J[0] * J[4] - J[1] * J[3];
    }
  }
  /// Smallest singular value of J; A is its adjugate.
  static V smallest_singular(const V* J, [[maybe_unused]] const V* A, V determinant) {
    if constexpr (D == 1) return vabs(J[0]);
    if constexpr (D == 2) {
      const V s1 = vsqrt((J[0] + J[3]) * (J[0] + J[3]) + (J[1] - J[2]) * (J[1] - J[2]));
      const V s2 = vsqrt((J[0] - J[3]) * (J[0] - J[3]) + (J[1] + J[2]) * (J[1] + J[2]));
      // σ_max = (s1+s2)/2, and σ_min = |det|/σ_max does not cancel.
      return 2.0 * vabs(determinant) / (s1 + s2 + 1e-300);
    }
    if constexpr (D == 3) {
      // With σ1 the largest: λ2 λ3 = det²/λ1 and λ2 + λ3 = (|adj J|² - λ2 λ3)/λ1, sums of squares that do not cancel.
      V a[6];
      auto column = [&](int i, int j) { return J[i] * J[j] + J[3 + i] * J[3 + j] + J[6 + i] * J[6 + j]; };
      a[0] = column(0, 0);
      a[1] = column(1, 1);
      a[2] = column(2, 2);
      a[3] = column(1, 2);
      a[4] = column(0, 2);
      a[5] = column(0, 1);
      const V inv1 = 1.0 / (extreme_eigen3<V>(a, 1.0) + 1e-300);
      V minors{};
      for (int i = 0; i < 9; ++i) minors += A[i] * A[i];
      const V product = determinant * determinant * inv1;
      const V sum = (minors - product) * inv1;
      const V apart = vsqrt(vmax(sum * sum - 4.0 * product, V{}));
      return vsqrt(2.0 * product / (sum + apart + 1e-300));
    }
  }

  void update(const double* x, const double* v, const double* e, double* dt, Interval batches) const {
    V* work = scratch<V>(0, work_size());
    V* node = scratch<V>(1, static_cast<std::size_t>(NN));
    V* J = scratch<V>(2, static_cast<std::size_t>(D * D * QQ));  // [component][axis][point]
    V* dv = scratch<V>(3, static_cast<std::size_t>(D * D * QQ));
    V* other = scratch<V>(4, static_cast<std::size_t>(7 * QQ));  // ρ, e, p, c, |J|, r, v_r
    V* rho = other;
    V* energy = other + QQ;
    V* p = other + 2 * QQ;
    V* c = other + 3 * QQ;
    V* detJ = other + 4 * QQ;
    V* radius = other + 5 * QQ;
    V* vr = other + 6 * QQ;
    const std::vector<double>& w1 = t.rule.weights;

    for (Index b = batches.begin; b < batches.end; ++b) {
      for (int d = 0; d < D; ++d) {
        const bool radial = D == 2 && z.axisymmetric && d == 1;
        gather(x, d, b, node);
        derivatives(node, J + d * D * QQ, radial ? radius : nullptr, work);
        gather(v, d, b, node);
        derivatives(node, dv + d * D * QQ, radial ? vr : nullptr, work);
      }
      V* en = node;  // NN >= EE
      for (int l = 0; l < W; ++l) {
        const double* ez = e + z.lane_zone[b * W + l] * EE;
        for (int i = 0; i < EE; ++i) lane(en[i], l) = ez[i];
      }
      values(t.L.a.data(), Q, E, en, energy, work);

      const V* mass = reinterpret_cast<const V*>(z.mass) + b * QQ;
      auto weight = [&](int q) {
        double w = w1[static_cast<std::size_t>(q % Q)];
        if constexpr (D > 1) w *= w1[static_cast<std::size_t>(q / Q % Q)];
        if constexpr (D > 2) w *= w1[static_cast<std::size_t>(q / (Q * Q))];
        return w;
      };
      for (int q = 0; q < QQ; ++q) {
        V Jq[D * D];
        for (int i = 0; i < D * D; ++i) Jq[i] = J[i * QQ + q];
        detJ[q] = det(Jq);
        V volume = weight(q) * detJ[q];
        if (D == 2 && z.axisymmetric) volume *= radius[q];
        rho[q] = mass[q] / volume;
      }
      const auto count = static_cast<std::size_t>(QQ * W);
      z.material[b]->evaluate({reinterpret_cast<const double*>(rho), count},
                              {reinterpret_cast<const double*>(energy), count},
                              {reinterpret_cast<double*>(p), count}, {reinterpret_cast<double*>(c), count});

      V* S = reinterpret_cast<V*>(z.S) + b * QQ * D * D;
      const V* J0inv = reinterpret_cast<const V*>(z.J0inv) + b * QQ * D * D;
      V slowest = splat<V>(1e300);
      for (int q = 0; q < QQ; ++q) {
        V Jq[D * D];
        V A[D * D];
        for (int i = 0; i < D * D; ++i) Jq[i] = J[i * QQ + q];
        adjugate(Jq, A);
        const V invdet = 1.0 / detJ[q];
        V sigma[D * D];
        for (int i = 0; i < D; ++i)
          for (int j = 0; j < D; ++j) sigma[i * D + j] = i == j ? -p[q] : V{};
        V hoop_stress = -p[q];
        V nu{};
        if (z.viscosity) {
          V grad[D * D];  // ∂v_i/∂x_j = Σ_m ∂v_i/∂ξ_m (J^-1)_mj
          for (int i = 0; i < D; ++i)
            for (int j = 0; j < D; ++j) {
              V g{};
              for (int m = 0; m < D; ++m) g += dv[(i * D + m) * QQ + q] * A[m * D + j];
              grad[i * D + j] = g * invdet;
            }
          V mu;
          V s[D];
          if constexpr (D == 1) {
            mu = grad[0];
            s[0] = splat<V>(1);
          } else if constexpr (D == 2) {
            smallest_eigen2(grad[0], V(0.5 * (grad[1] + grad[2])), grad[3], mu, s[0], s[1]);
          } else {
            V a[6] = {grad[0],
                      grad[4],
                      grad[8],
                      0.5 * (grad[5] + grad[7]),
                      0.5 * (grad[2] + grad[6]),
                      0.5 * (grad[1] + grad[3])};
            smallest_eigen3<V>(a, mu, s);
          }
          // h = h0 |J J0^-1 s| / |s|
          V moved{};
          V length{};
          V back[D];
          for (int m = 0; m < D; ++m) {
            back[m] = V{};
            for (int j = 0; j < D; ++j) back[m] += J0inv[q * D * D + m * D + j] * s[j];
            length += s[m] * s[m];
          }
          for (int i = 0; i < D; ++i) {
            V image{};
            for (int m = 0; m < D; ++m) image += Jq[i * D + m] * back[m];
            moved += image * image;
          }
          const V h = z.h0 * vsqrt(moved / length);
          V switch_factor = splat<V>(1);
          if (z.vorticity_switch) {
            V norm{};
            V div{};
            for (int i = 0; i < D; ++i) {
              div += grad[i * D + i];
              for (int j = 0; j < D; ++j) norm += grad[i * D + j] * grad[i * D + j];
            }
            norm = vsqrt(norm);
            switch_factor = norm > 0 ? vabs(div) / (norm + 1e-300) : splat<V>(1);
          }
          constexpr double eps = 1e-12;
          V y = (mu - 2 * eps + eps) / (2 * eps);
          y = vmin(vmax(y, V{}), splat<V>(1));
          const V smooth = (3.0 - 2.0 * y) * y * y;
          nu = 2.0 * rho[q] * h * h * vabs(mu) + 0.5 * rho[q] * h * c[q] * switch_factor * (1.0 - smooth);
          for (int i = 0; i < D; ++i)
            for (int j = 0; j < D; ++j) sigma[i * D + j] += nu * 0.5 * (grad[i * D + j] + grad[j * D + i]);
          if (D == 2 && z.axisymmetric) hoop_stress += nu * vr[q] / radius[q];
        }
        const double w = weight(q);
        const V scale = D == 2 && z.axisymmetric ? w * radius[q] : splat<V>(w);
        for (int i = 0; i < D; ++i)
          for (int m = 0; m < D; ++m) {
            V value{};
            for (int j = 0; j < D; ++j) value += sigma[i * D + j] * A[m * D + j];
            S[q * D * D + i * D + m] = scale * value;
          }
        if (D == 2 && z.axisymmetric) reinterpret_cast<V*>(z.hoop)[b * QQ + q] = w * detJ[q] * hoop_stress;

        const V h_min = smallest_singular(Jq, A, detJ[q]) / static_cast<double>(t.k);
        const V rate = c[q] / h_min + 2.5 * nu / (rho[q] * h_min * h_min);
        const V step = detJ[q] > 0 ? 1.0 / (rate + 1e-300) : V{};
        slowest = step == step ? vmin(slowest, step) : V{};
        if (z.point_terms) {
          V* out = reinterpret_cast<V*>(z.point_terms) + (b * QQ + q) * 5;
          out[0] = rho[q];
          out[1] = p[q];
          out[2] = c[q];
          out[3] = nu;
          out[4] = detJ[q];
        }
      }
      double smallest = 1e300;
      for (int l = 0; l < W; ++l) smallest = std::min(smallest, lane(slowest, l));
      dt[b] = smallest;
    }
  }

  void force(Interval batches) const {
    V* work = scratch<V>(0, work_size());
    V* f = scratch<V>(2, static_cast<std::size_t>(D * QQ));
    for (Index b = batches.begin; b < batches.end; ++b) {
      const V* S = reinterpret_cast<const V*>(z.S) + b * QQ * D * D;
      V* out = reinterpret_cast<V*>(z.node_terms) + b * D * NN;
      for (int i = 0; i < D; ++i) {
        for (int q = 0; q < QQ; ++q)
          for (int m = 0; m < D; ++m) f[m * QQ + q] = S[q * D * D + i * D + m];
        const bool radial = D == 2 && z.axisymmetric && i == 1;
        derivatives_t(f, radial ? reinterpret_cast<const V*>(z.hoop) + b * QQ : nullptr, out + i * NN, work);
      }
    }
  }

  void force_transposed(const double* v, double* de, Interval batches) const {
    V* work = scratch<V>(0, work_size());
    V* node = scratch<V>(1, static_cast<std::size_t>(NN));
    V* dv = scratch<V>(2, static_cast<std::size_t>(D * QQ));
    V* power_ = scratch<V>(3, static_cast<std::size_t>(QQ));
    V* value = scratch<V>(4, static_cast<std::size_t>(QQ));
    V* r = scratch<V>(5, static_cast<std::size_t>(EE));
    for (Index b = batches.begin; b < batches.end; ++b) {
      const V* S = reinterpret_cast<const V*>(z.S) + b * QQ * D * D;
      for (int q = 0; q < QQ; ++q) power_[q] = V{};
      for (int i = 0; i < D; ++i) {
        const bool radial = D == 2 && z.axisymmetric && i == 1;
        gather(v, i, b, node);
        derivatives(node, dv, radial ? value : nullptr, work);
        for (int q = 0; q < QQ; ++q)
          for (int m = 0; m < D; ++m) power_[q] += S[q * D * D + i * D + m] * dv[m * QQ + q];
        if (radial) {
          const V* hoop = reinterpret_cast<const V*>(z.hoop) + b * QQ;
          for (int q = 0; q < QQ; ++q) power_[q] += hoop[q] * value[q];
        }
      }
      values_t(t.L.a.data(), Q, E, power_, r, work);
      const V* inverse = reinterpret_cast<const V*>(z.Meinv) + b * EE * EE;
      for (int i = 0; i < EE; ++i) {
        V sum{};
        for (int j = 0; j < EE; ++j) sum += inverse[i * EE + j] * r[j];
        for (int l = 0; l < W; ++l) de[z.lane_zone[b * W + l] * EE + i] = lane(sum, l);
      }
    }
  }

  void mass(const double* p, int components, Interval batches) const {
    V* work = scratch<V>(0, work_size());
    V* node = scratch<V>(1, static_cast<std::size_t>(NN));
    V* value = scratch<V>(2, static_cast<std::size_t>(QQ));
    for (Index b = batches.begin; b < batches.end; ++b) {
      const V* m = reinterpret_cast<const V*>(z.mass) + b * QQ;
      V* out = reinterpret_cast<V*>(z.node_terms) + b * D * NN;
      // Where ρ0 |J0| is constant the zone's matrix is a product of one-dimensional ones: a quarter of the work.
      const bool uniform = z.uniform && z.uniform[b * W] > 0;
      for (int c = 0; c < components; ++c) {
        gather(p, c, b, node);
        if (uniform) {
          const V scale = reinterpret_cast<const V*>(z.uniform)[b];
          for (int i = 0; i < NN; ++i) node[i] *= scale;
          values(t.M.a.data(), N, N, node, out + c * NN, work);
          continue;
        }
        values(t.B.a.data(), Q, N, node, value, work);
        for (int q = 0; q < QQ; ++q) value[q] *= m[q];
        values_t(t.B.a.data(), Q, N, value, out + c * NN, work);
      }
    }
  }
};

/// Calls `body(Zone)` for the dimension and, where it pays, for the order at compile time.
template <int W, class Body>
void with_zone(const ZoneData& z, const Body& body) {
  using V = typename LaneType<W>::Real;
  const int k = z.tables->k;
  if (z.dim == 1) return body(Zone<V, 1, 0>(z));
  if (z.dim == 2) {
    if (k == 2) return body(Zone<V, 2, 2>(z));
    if (k == 3) return body(Zone<V, 2, 3>(z));
    if (k == 4) return body(Zone<V, 2, 4>(z));
    return body(Zone<V, 2, 0>(z));
  }
  if (k == 1) return body(Zone<V, 3, 1>(z));
  if (k == 2) return body(Zone<V, 3, 2>(z));
  if (k == 3) return body(Zone<V, 3, 3>(z));
  return body(Zone<V, 3, 0>(z));
}

template <int W>
ZoneKernels make_kernels(const char* name) {
  ZoneKernels k;
  k.lanes = W;
  k.name = name;
  k.update = [](const ZoneData& z, const double* x, const double* v, const double* e, double* dt,
                Interval batches) {
    with_zone<W>(z, [&](const auto& zone) { zone.update(x, v, e, dt, batches); });
  };
  k.force = [](const ZoneData& z, Interval batches) {
    with_zone<W>(z, [&](const auto& zone) { zone.force(batches); });
  };
  k.force_transposed = [](const ZoneData& z, const double* v, double* de, Interval batches) {
    with_zone<W>(z, [&](const auto& zone) { zone.force_transposed(v, de, batches); });
  };
  k.mass = [](const ZoneData& z, const double* p, int components, Interval batches) {
    with_zone<W>(z, [&](const auto& zone) { zone.mass(p, components, batches); });
  };
  return k;
}

}  // namespace
}  // namespace conoid::hydro_fem
