// SPDX-License-Identifier: BSD-3-Clause
// The stress at quadrature points and the step it allows (numbers 1 of Dong et al.'s kernels, without the product).
//
// Costs some 20 ns a point in two dimensions and under 100 in three on one core with eight lanes.
#pragma once

#include "engine/numerics/small_matrix.hpp"
#include "engine/solvers/hydro_fem/kernels/zone_tensor.hpp"

#include <algorithm>

namespace conoid::hydro_fem {
namespace {

/// Small matrices of one point, W zones at once, and their singular values.
template <class V, int D>
struct PointMatrix : SmallMatrix<V, D> {
  /// Twice the largest singular value of a 2×2.
  static V largest_twice(const V* J) {
    const V s1 = vsqrt((J[0] + J[3]) * (J[0] + J[3]) + (J[1] - J[2]) * (J[1] - J[2]));
    const V s2 = vsqrt((J[0] - J[3]) * (J[0] - J[3]) + (J[1] + J[2]) * (J[1] + J[2]));
    return s1 + s2;
  }
  /// J^T J of a 3×3 (xx yy zz yz xz xy).
  static void squared(const V* J, V a[6]) {
    auto column = [&](int i, int j) { return J[i] * J[j] + J[3 + i] * J[3 + j] + J[6 + i] * J[6 + j]; };
    a[0] = column(0, 0);
    a[1] = column(1, 1);
    a[2] = column(2, 2);
    a[3] = column(1, 2);
    a[4] = column(0, 2);
    a[5] = column(0, 1);
  }
  static V largest_singular(const V* J) {
    if constexpr (D == 1) return vabs(J[0]);
    if constexpr (D == 2) return 0.5 * largest_twice(J);
    if constexpr (D == 3) {
      V a[6];
      squared(J, a);
      return vsqrt(extreme_eigen3<V>(a, 1.0));
    }
  }
  /// Smallest singular value of J; A is its adjugate.
  static V smallest_singular(const V* J, [[maybe_unused]] const V* A, V determinant) {
    if constexpr (D == 1) return vabs(J[0]);
    // σ_min = |det|/σ_max does not cancel.
    if constexpr (D == 2) return 2.0 * vabs(determinant) / (largest_twice(J) + 1e-300);
    if constexpr (D == 3) {
      // With σ1 the largest: λ2 λ3 = det²/λ1 and λ2 + λ3 = (|adj J|² - λ2 λ3)/λ1, sums of squares that do not cancel.
      V a[6];
      squared(J, a);
      const V inv1 = 1.0 / (extreme_eigen3<V>(a, 1.0) + 1e-300);
      V minors{};
      for (int i = 0; i < 9; ++i) minors += A[i] * A[i];
      const V product = determinant * determinant * inv1;
      const V sum = (minors - product) * inv1;
      const V apart = vsqrt(vmax(sum * sum - 4.0 * product, V{}));
      return vsqrt(2.0 * product / (sum + apart + 1e-300));
    }
  }
};

template <class V, int D, int K>
struct ZoneStress : ZoneTensor<V, D, K> {
  using Base = ZoneTensor<V, D, K>;
  using Base::Base;
  using Base::derivatives;
  using Base::E;
  using Base::EE;
  using Base::gather;
  using Base::NN;
  using Base::Q;
  using Base::QQ;
  using Base::t;
  using Base::values;
  using Base::W;
  using Base::work_size;
  using Base::z;

  /// Points of a batch whose state its material's table does not hold.
  Index outside_table(Index b, V* rho, V* energy) const {
    const EquationOfState& material = *z.material[b];
    Index count = 0;
    if (!material.limited()) return count;
    for (int l = 0; l < W; ++l) {
      if (l > 0 && z.lane_zone[b * W + l] == z.lane_zone[b * W + l - 1]) continue;
      for (int q = 0; q < QQ; ++q) count += material.holds(lane(rho[q], l), lane(energy[q], l)) ? 0 : 1;
    }
    return count;
  }
  /// |J0^T s| / |s| = |B B^T s| / |s|, from |s|².
  static V width_along(const V* B, const V* s, V length) {
    V back[D];
    for (int m = 0; m < D; ++m) {
      back[m] = V{};
      for (int i = 0; i < D; ++i) back[m] += B[i * D + m] * s[i];
    }
    V sum{};
    for (int i = 0; i < D; ++i) {
      V image{};
      for (int m = 0; m < D; ++m) image += B[i * D + m] * back[m];
      sum += image * image;
    }
    return vsqrt(sum / length);
  }
  /// B (2/(a_i + a_j) ∘ B^T ε B) B^T / width in place of the strain: in the axes of the zone its components, each times the
  /// harmonic mean of two widths.
  static void weigh(const V* B, V width, V* strain) {
    V a[D], half[D * D], inner[D * D];
    for (int i = 0; i < D; ++i) {
      a[i] = V{};
      for (int m = 0; m < D; ++m) a[i] += B[m * D + i] * B[m * D + i];
    }
    PointMatrix<V, D>::product(strain, B, half);
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) {
        V sum{};
        for (int m = 0; m < D; ++m) sum += B[m * D + i] * half[m * D + j];
        inner[i * D + j] = 2.0 * sum / ((a[i] + a[j]) * width);
      }
    PointMatrix<V, D>::product(B, inner, half);
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) {
        V sum{};
        for (int m = 0; m < D; ++m) sum += half[i * D + m] * B[j * D + m];
        strain[i * D + j] = sum;
      }
  }

  /// Adds what of a component of velocity at the nodes is of the highest degree along any axis to `highest`, and all but what is even to
  /// `all`: squares of coefficients of Legendre's polynomials along the lines of nodes.
  void add_modes(const V* node, V& highest, V& all) const {
    const int N = E + 1, k = E;
    const double* P = t.P.a.data();
    for (int axis = 0, stride = 1; axis < D; ++axis, stride *= N)
      for (int i = 0; i < NN; ++i) {
        if (i / stride % N != 0) continue;
        V square{};
        for (int j = 0; j < k; ++j) {
          V mode{};
          for (int a = 0; a < N; ++a) mode += P[j * N + a] * node[i + a * stride];
          square = mode * mode;
          all += square;
        }
        highest += square;
      }
  }
  /// The share of the viscosity that a zone takes, from these.
  V viscosity_share(V highest, V all) const {
    V y = (highest - z.smooth.rough_from * all) / ((z.smooth.rough_to - z.smooth.rough_from) * all + 1e-300);
    y = vmin(vmax(y, V{}), splat<V>(1));
    return all > 0 ? (3.0 - 2.0 * y) * y * y : splat<V>(1);
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
    const bool turned = D < 3 && z.turns > 0;
    const auto measure = [&](int q) -> V { return z.turns == 2 ? V(radius[q] * radius[q]) : radius[q]; };

    const bool vanishes = z.viscosity && z.smooth.vanishes();
    for (Index b = batches.begin; b < batches.end; ++b) {
      V highest{}, all{};
      for (int d = 0; d < D; ++d) {
        const bool radial = turned && d == D - 1;
        gather(x, d, b, node);
        derivatives(node, J + d * D * QQ, radial ? radius : nullptr, work);
        gather(v, d, b, node);
        derivatives(node, dv + d * D * QQ, radial ? vr : nullptr, work);
        if (vanishes) add_modes(node, highest, all);
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
        detJ[q] = PointMatrix<V, D>::det(Jq);
        V volume = weight(q) * detJ[q];
        if (turned) volume *= measure(q);
        rho[q] = mass[q] / volume;
      }
      const auto count = static_cast<std::size_t>(QQ * W);
      z.material[b]->evaluate({reinterpret_cast<const double*>(rho), count},
                              {reinterpret_cast<const double*>(energy), count}, {reinterpret_cast<double*>(p), count},
                              {reinterpret_cast<double*>(c), count});
      if (z.burn != nullptr) {
        const V* burn = reinterpret_cast<const V*>(z.burn) + b * QQ * 2;
        for (int q = 0; q < QQ; ++q) p[q] *= vmin(vmax(V((z.time - burn[2 * q]) * burn[2 * q + 1]), V{}), splat<V>(1));
      }
      if (z.outside) z.outside[b] = outside_table(b, rho, energy);

      V* S = reinterpret_cast<V*>(z.S) + b * QQ * D * D;
      const V* J0inv = reinterpret_cast<const V*>(z.J0inv) + b * QQ * D * D;
      const V* widths =
          D > 1 && z.viscosity && !z.cubes[b] ? reinterpret_cast<const V*>(z.widths) + b * QQ * D * D : nullptr;
      const V share = vanishes ? viscosity_share(highest, all) : splat<V>(1);
      V slowest = splat<V>(1e300);
      for (int q = 0; q < QQ; ++q) {
        V Jq[D * D];
        V A[D * D];
        for (int i = 0; i < D * D; ++i) Jq[i] = J[i * QQ + q];
        PointMatrix<V, D>::adjugate(Jq, A);
        const V invdet = 1.0 / detJ[q];
        V sigma[D * D];
        for (int i = 0; i < D; ++i)
          for (int j = 0; j < D; ++j) sigma[i * D + j] = i == j ? -p[q] : V{};
        V hoop_stress = -p[q];
        V nu{};
        V per_area{};
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
          // h = width |J J0^-1 s| / k, the width along s: 1/|J0^-1 s| in cubes, |J0^T s| in others
          V moved{};
          V length{};
          V back_length{};
          V back[D];
          for (int m = 0; m < D; ++m) {
            back[m] = V{};
            for (int j = 0; j < D; ++j) back[m] += J0inv[q * D * D + m * D + j] * s[j];
            length += s[m] * s[m];
            back_length += back[m] * back[m];
          }
          for (int i = 0; i < D; ++i) {
            V image{};
            for (int m = 0; m < D; ++m) image += Jq[i * D + m] * back[m];
            moved += image * image;
          }
          const V width = widths ? width_along(widths + q * D * D, s, length) : vsqrt(length / back_length);
          const V h = width * vsqrt(moved / length) / static_cast<double>(t.k);
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
          const V eps = switch_width * c[q] / h;
          V y = (mu - eps) / (2.0 * eps + 1e-300);
          y = vmin(vmax(y, V{}), splat<V>(1));
          const V smooth = (3.0 - 2.0 * y) * y * y;
          V here = share;
          if (vanishes) {
            V steep =
                (-mu * h - z.smooth.steep_from * c[q]) / ((z.smooth.steep_to - z.smooth.steep_from) * c[q] + 1e-300);
            steep = vmin(vmax(steep, V{}), splat<V>(1));
            here = vmax(here, V((3.0 - 2.0 * steep) * steep * steep));
          }
          nu = here * (2.0 * rho[q] * h * h * vabs(mu) + 0.5 * rho[q] * h * c[q] * switch_factor * (1.0 - smooth));
          V strain[D * D];
          for (int i = 0; i < D; ++i)
            for (int j = 0; j < D; ++j) strain[i * D + j] = 0.5 * (grad[i * D + j] + grad[j * D + i]);
          V hoop_share = splat<V>(1);
          if (widths) {
            const V* B = widths + q * D * D;
            weigh(B, width, strain);
            if constexpr (D == 2) hoop_share = (B[2] * B[2] + B[3] * B[3]) / width;
            V stretched[D * D];  // |J| J^-1 B
            PointMatrix<V, D>::product(A, B, stretched);
            const V largest = PointMatrix<V, D>::largest_singular(stretched) * invdet;
            per_area = largest * largest / width;
          }
          for (int i = 0; i < D * D; ++i) sigma[i] += nu * strain[i];
          if (turned) hoop_stress += nu * hoop_share * vr[q] / radius[q];
        }
        const double w = weight(q);
        const V scale = turned ? w * measure(q) : splat<V>(w);
        for (int i = 0; i < D; ++i)
          for (int m = 0; m < D; ++m) {
            V value{};
            for (int j = 0; j < D; ++j) value += sigma[i * D + j] * A[m * D + j];
            S[q * D * D + i * D + m] = scale * value;
          }
        if (turned) {  // each of the turns pushes outwards: turns r^(turns - 1)
          V& hoop = reinterpret_cast<V*>(z.hoop)[b * QQ + q];
          hoop = w * detJ[q] * hoop_stress;
          if (z.turns == 2) hoop *= 2.0 * radius[q];
        }

        const V h_min = PointMatrix<V, D>::smallest_singular(Jq, A, detJ[q]) / static_cast<double>(t.k);
        const V viscous =
            nu / rho[q] * (widths ? V(per_area * static_cast<double>(t.k * t.k)) : V(1.0 / (h_min * h_min)));
        const V rate = c[q] / h_min + 2.5 * viscous;
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
};

}  // namespace
}  // namespace conoid::hydro_fem
