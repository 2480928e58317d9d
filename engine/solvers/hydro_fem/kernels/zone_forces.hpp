// SPDX-License-Identifier: BSD-3-Clause
// What is done with the stress: F·1, M_e^-1 F^T v, and the velocity mass, all without forming F.
#pragma once

#include "engine/solvers/hydro_fem/kernels/zone_stress.hpp"

namespace conoid::hydro_fem {
namespace {

template <class V, int D, int K>
struct Zone : ZoneStress<V, D, K> {
  using Base = ZoneStress<V, D, K>;
  using Base::Base;
  using Base::derivatives;
  using Base::derivatives_t;
  using Base::E;
  using Base::EE;
  using Base::gather;
  using Base::N;
  using Base::NN;
  using Base::Q;
  using Base::QQ;
  using Base::t;
  using Base::values;
  using Base::values_t;
  using Base::W;
  using Base::work_size;
  using Base::z;

  void force(Interval batches) const {
    V* work = scratch<V>(0, work_size());
    V* f = scratch<V>(2, static_cast<std::size_t>(D * QQ));
    for (Index b = batches.begin; b < batches.end; ++b) {
      const V* S = reinterpret_cast<const V*>(z.S) + b * QQ * D * D;
      V* out = reinterpret_cast<V*>(z.node_terms) + b * D * NN;
      for (int i = 0; i < D; ++i) {
        for (int q = 0; q < QQ; ++q)
          for (int m = 0; m < D; ++m) f[m * QQ + q] = S[q * D * D + i * D + m];
        const bool radial = D < 3 && z.turns > 0 && i == D - 1;
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
        const bool radial = D < 3 && z.turns > 0 && i == D - 1;
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

  /// out = M ⊗ … ⊗ M u, with a matrix of nodes along each axis: of t.M the mass of a zone where ρ0 |J0| is 1.
  void axis_product(const double* M, const V* u, V* out, V* w) const {
    if constexpr (K == 0 || D == 1) {
      values(M, N, N, u, out, w);
    } else if constexpr (D == 2) {
      Base::template contract_square<K + 1>(M, N, 1, u, w);
      Base::template contract_square<K + 1>(M, 1, N, w, out);
    } else {
      Base::template contract_square<K + 1>(M, N * N, 1, u, out);
      Base::template contract_square<K + 1>(M, N, N, out, w);
      Base::template contract_square<K + 1>(M, 1, N * N, w, out);
    }
  }

  double mass(const double* p, int components, Interval batches) const {
    V* work = scratch<V>(0, work_size());
    V* node = scratch<V>(1, static_cast<std::size_t>(NN));
    V* value = scratch<V>(2, static_cast<std::size_t>(QQ));
    V product{};
    for (Index b = batches.begin; b < batches.end; ++b) {
      const V* m = reinterpret_cast<const V*>(z.mass) + b * QQ;
      V* out = reinterpret_cast<V*>(z.node_terms) + b * D * NN;
      // Where ρ0 |J0| is constant the zone's matrix is a product of one-dimensional ones: a quarter of the work.
      const bool uniform = z.uniform && z.uniform[b * W] > 0;
      V here{};
      for (int c = 0; c < components; ++c) {
        gather(p, c, b, node);
        if (uniform) {
          const V scale = reinterpret_cast<const V*>(z.uniform)[b];
          axis_product(t.M.a.data(), node, out + c * NN, work);
          for (int i = 0; i < NN; ++i) {
            const V q = scale * out[c * NN + i];
            out[c * NN + i] = q;
            here += node[i] * q;
          }
          continue;
        }
        values(t.B.a.data(), Q, N, node, value, work);
        for (int q = 0; q < QQ; ++q) {
          const V weighted = m[q] * value[q];
          here += value[q] * weighted;
          value[q] = weighted;
        }
        values_t(t.B.a.data(), Q, N, value, out + c * NN, work);
      }
      add_used(b, here, product);
    }
    return sum_of_lanes(product);
  }

  double inverse(const double* y, int components, Interval batches) const {
    V* work = scratch<V>(0, work_size());
    V* node = scratch<V>(1, static_cast<std::size_t>(NN));
    V product{};
    for (Index b = batches.begin; b < batches.end; ++b) {
      V* out = reinterpret_cast<V*>(z.node_terms) + b * D * NN;
      const bool uniform = z.uniform[b * W] > 0;
      const V* heft = uniform ? nullptr : reinterpret_cast<const V*>(z.heft) + b * NN;
      const V scale = uniform ? reinterpret_cast<const V*>(z.uniform)[b] : splat<V>(1);
      V here{};
      for (int c = 0; c < components; ++c) {
        V* to = out + c * NN;
        gather(y, c, b, node);
        for (int i = 0; heft && i < NN; ++i) node[i] *= heft[i];
        axis_product(t.C.a.data(), node, to, work);
        for (int i = 0; i < NN; ++i) {
          const V value = scale * to[i];
          here += node[i] * value;
          to[i] = heft ? heft[i] * value : value;
        }
      }
      add_used(b, here, product);
    }
    return sum_of_lanes(product);
  }

 private:
  /// product += here, but for lanes that repeat the last zone.
  void add_used(Index b, V& here, V& product) const {
    for (int l = W - 1; l > 0 && z.lane_zone[b * W + l] == z.lane_zone[b * W + l - 1]; --l) lane(here, l) = 0;
    product += here;
  }
  static double sum_of_lanes(V product) {
    double sum = 0;
    for (int l = 0; l < W; ++l) sum += lane(product, l);
    return sum;
  }
};

}  // namespace
}  // namespace conoid::hydro_fem
