// SPDX-License-Identifier: BSD-3-Clause
// Lanes of W zones at quadrature points: fields are interpolated one axis after the other (sum factorisation).
//
// For dimension D and order K (K = 0: any order, read from the tables). Limited by floating-point issue: all operands of
// a batch stay in the first- or second-level cache for the orders in use (k <= 4).
#pragma once

#include "engine/solvers/hydro_fem/kernels/lanes.hpp"
#include "engine/solvers/hydro_fem/kernels/zone_kernels.hpp"

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
struct ZoneTensor {
  static constexpr int W = lanes_of<V>;
  const ZoneData& z;
  const Tables& t;
  const int N, Q, E;     // points a direction: nodes, quadrature, energies
  const int NN, QQ, EE;  // and their powers

  explicit ZoneTensor(const ZoneData& data)
      : z(data), t(*data.tables), N(K > 0 ? K + 1 : t.h1), Q(K > 0 ? 2 * K : t.q), E(K > 0 ? K : t.l2),
        NN(K > 0 ? power(K + 1, D) : z.zone_nodes), QQ(K > 0 ? power(2 * K, D) : z.zone_points),
        EE(K > 0 ? power(K, D) : z.zone_energies) {}

  /// Component `c` of a nodal field into lanes.
  void gather(const double* field, int c, Index batch, V* out) const {
    const double* f = field + static_cast<std::ptrdiff_t>(c) * z.nodes;
    const int* m = z.batch_map + batch * NN * W;
    for (int i = 0; i < NN; ++i) out[i] = simd::gather<V>(f, m + i * W);
  }

  /// Contraction of the middle index, in [A][n][C] → out [A][m][C], with entry M[o·so + i·si]: out_o = Σ_i M_oi in_i.
  /// A column is read once into registers; the products then need one operand from memory, which is broadcast.
  template <int n>
  static void contract_fixed(const double* M, int so, int si, int m, int A, int C, const V* in, V* out, bool add) {
    for (int a = 0; a < A; ++a)
      for (int c = 0; c < C; ++c) {
        V column[n];
#pragma GCC unroll 16
        for (int i = 0; i < n; ++i) column[i] = in[(a * n + i) * C + c];
        V* to = out + a * m * C + c;
        for (int o = 0; o < m; ++o) {
          const double* row = M + o * so;
          V sum = add ? to[o * C] : V{};
#pragma GCC unroll 16
          for (int i = 0; i < n; ++i) sum += row[i * si] * column[i];
          to[o * C] = sum;
        }
      }
  }
  static void contract_any(const double* M, int so, int si, int m, int n, int A, int C, const V* in, V* out, bool add) {
    switch (n) {
      case 1: return contract_fixed<1>(M, so, si, m, A, C, in, out, add);
      case 2: return contract_fixed<2>(M, so, si, m, A, C, in, out, add);
      case 3: return contract_fixed<3>(M, so, si, m, A, C, in, out, add);
      case 4: return contract_fixed<4>(M, so, si, m, A, C, in, out, add);
      case 5: return contract_fixed<5>(M, so, si, m, A, C, in, out, add);
      case 6: return contract_fixed<6>(M, so, si, m, A, C, in, out, add);
      case 8: return contract_fixed<8>(M, so, si, m, A, C, in, out, add);
      case 7: return contract_fixed<7>(M, so, si, m, A, C, in, out, add);
      case 9: return contract_fixed<9>(M, so, si, m, A, C, in, out, add);
      case 10: return contract_fixed<10>(M, so, si, m, A, C, in, out, add);
      case 12: return contract_fixed<12>(M, so, si, m, A, C, in, out, add);
      case 14: return contract_fixed<14>(M, so, si, m, A, C, in, out, add);
      case 16: return contract_fixed<16>(M, so, si, m, A, C, in, out, add);
      default: break;
    }
    for (int a = 0; a < A; ++a)
      for (int o = 0; o < m; ++o)
        for (int c = 0; c < C; ++c) {
          V sum = add ? out[(a * m + o) * C + c] : V{};
          for (int i = 0; i < n; ++i) sum += M[o * so + i * si] * in[(a * n + i) * C + c];
          out[(a * m + o) * C + c] = sum;
        }
  }
  /// The same with a square matrix of a size known to the compiler, all of it in registers.
  template <int n>
  static inline __attribute__((always_inline)) void contract_square(const double* M, int A, int C, const V* in,
                                                                    V* out) {
    for (int a = 0; a < A; ++a)
      for (int c = 0; c < C; ++c) {
        V column[n];
#pragma GCC unroll 8
        for (int i = 0; i < n; ++i) column[i] = in[(a * n + i) * C + c];
#pragma GCC unroll 8
        for (int o = 0; o < n; ++o) {
          V sum = M[o * n] * column[0];
#pragma GCC unroll 8
          for (int i = 1; i < n; ++i) sum += M[o * n + i] * column[i];
          out[(a * n + o) * C + c] = sum;
        }
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
};

}  // namespace
}  // namespace conoid::hydro_fem
