// SPDX-License-Identifier: BSD-3-Clause
// The corner force as the paper has it, W zones at once: A_z, F_z = A_z B^T, F·1, F^T v, M_e^-1 (F^T v) (Dong et al., §3.1.1,
// kernels 1, 2, 3, 5, 6), for any order.
// isas: base avx2 avx512
//
// F is formed and kept: (dim (k+1)^dim) × k^dim numbers a zone. A_z is made row by row and used at once, so that it stays
// in the first-level cache; the product is limited by multiply-adds, of which it has some ten times those of the
// sum-factorised form.
#include "engine/solvers/hydro_fem/kernels/zone_tensor.hpp"

namespace conoid::hydro_fem {
namespace {

template <class V>
struct CornerForce {
  static constexpr int W = lanes_of<V>;
  const ZoneData& z;
  const CornerTables& t;
  const int D, NN, QQ, EE;

  explicit CornerForce(const ZoneData& data)
      : z(data), t(*data.corner), D(z.dim), NN(z.zone_nodes), QQ(z.zone_points), EE(z.zone_energies) {}

  /// Row (c, i) of A_z: α_k σ(q_k) : J^-1 ∇w_i(q_k) |J| for all points k; with the hoop stress where the flow is turned.
  void row(Index batch, int c, int i, V* a) const {
    const V* S = reinterpret_cast<const V*>(z.S) + batch * QQ * D * D + c * D;
    const double* g = t.grad.data() + static_cast<std::ptrdiff_t>(i) * D * QQ;
    for (int k = 0; k < QQ; ++k) {
      V sum = S[k * D * D] * g[k];
      for (int m = 1; m < D; ++m) sum += S[k * D * D + m] * g[m * QQ + k];
      a[k] = sum;
    }
    if (z.turns > 0 && c == D - 1) {
      const V* hoop = reinterpret_cast<const V*>(z.hoop) + batch * QQ;
      const double* w = t.value.data() + static_cast<std::ptrdiff_t>(i) * QQ;
      for (int k = 0; k < QQ; ++k) a[k] += hoop[k] * w[k];
    }
  }

  /// Kernel 1, its product with the basis: the matrix of one batch, [dim·nodes][points][W].
  void matrix(Index batch, double* A) const {
    for (int r = 0; r < D * NN; ++r)
      row(batch, r / NN, r % NN, reinterpret_cast<V*>(A) + static_cast<std::ptrdiff_t>(r) * QQ);
  }

  /// Kernels 1 and 2: F_z = A_z B^T.
  void force(Interval batches) const {
    V* a = scratch<V>(0, static_cast<std::size_t>(QQ));
    for (Index b = batches.begin; b < batches.end; ++b) {
      V* F = reinterpret_cast<V*>(z.F) + b * D * NN * EE;
      for (int r = 0; r < D * NN; ++r, F += EE) {
        row(b, r / NN, r % NN, a);
        int j = 0;
        for (; j + 4 <= EE; j += 4) columns<4>(a, j, F);
        for (; j < EE; ++j) columns<1>(a, j, F);
      }
    }
  }
  template <int n>
  void columns(const V* a, int j, V* F) const {
    V sum[n] = {};
    const double* B = t.energy.data() + static_cast<std::ptrdiff_t>(j) * QQ;
    for (int k = 0; k < QQ; ++k)
      for (int m = 0; m < n; ++m) sum[m] += a[k] * B[m * QQ + k];
    for (int m = 0; m < n; ++m) F[j + m] = sum[m];
  }

  /// Kernel 3: node_terms = F·1.
  void times_one(Interval batches) const {
    for (Index b = batches.begin; b < batches.end; ++b) {
      const V* F = reinterpret_cast<const V*>(z.F) + b * D * NN * EE;
      V* out = reinterpret_cast<V*>(z.node_terms) + b * D * NN;
      for (int r = 0; r < D * NN; ++r, F += EE) {
        V sum{};
        for (int j = 0; j < EE; ++j) sum += F[j];
        out[r] = sum;
      }
    }
  }

  /// Kernel 5: power = F^T v, [batch][e][W].
  void transposed_times(const double* v, double* power, Interval batches) const {
    for (Index b = batches.begin; b < batches.end; ++b) {
      const V* F = reinterpret_cast<const V*>(z.F) + b * D * NN * EE;
      const int* map = z.batch_map + b * NN * W;
      V* out = reinterpret_cast<V*>(power) + b * EE;
      for (int j = 0; j < EE; ++j) out[j] = V{};
      for (int r = 0; r < D * NN; ++r, F += EE) {
        const V at = simd::gather<V>(v + static_cast<std::ptrdiff_t>(r / NN) * z.nodes, map + r % NN * W);
        for (int j = 0; j < EE; ++j) out[j] += F[j] * at;
      }
    }
  }

  /// Kernel 6: de = M_e^-1 power.
  void energy_inverse(const double* power, double* de, Interval batches) const {
    for (Index b = batches.begin; b < batches.end; ++b) {
      const V* r = reinterpret_cast<const V*>(power) + b * EE;
      const V* inverse = reinterpret_cast<const V*>(z.Meinv) + b * EE * EE;
      for (int i = 0; i < EE; ++i) {
        V sum{};
        for (int j = 0; j < EE; ++j) sum += inverse[i * EE + j] * r[j];
        for (int l = 0; l < W; ++l) de[z.lane_zone[b * W + l] * EE + i] = lane(sum, l);
      }
    }
  }
};

template <int W>
CornerKernels make_corner_kernels() {
  using C = CornerForce<typename simd::Lanes<double, 8 * W>::v>;
  CornerKernels k;
  k.matrix = [](const ZoneData& z, Index batch, double* A) { C(z).matrix(batch, A); };
  k.force = [](const ZoneData& z, Interval b) { C(z).force(b); };
  k.times_one = [](const ZoneData& z, Interval b) { C(z).times_one(b); };
  k.transposed_times = [](const ZoneData& z, const double* v, double* power, Interval b) {
    C(z).transposed_times(v, power, b);
  };
  k.energy_inverse = [](const ZoneData& z, const double* power, double* de, Interval b) {
    C(z).energy_inverse(power, de, b);
  };
  return k;
}

}  // namespace

const CornerKernels& CONOID_ISA_NAME(corner_kernels)() {
  static const CornerKernels kernels = make_corner_kernels<CONOID_BYTES / 8>();
  return kernels;
}

}  // namespace conoid::hydro_fem
