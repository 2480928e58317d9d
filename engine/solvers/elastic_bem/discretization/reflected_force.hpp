// SPDX-License-Identifier: BSD-3-Clause
// What the free surface of a half-space adds to the field of a force within it: reflected P, SV and SH waves, as Hankel integrals.
//
// Force at the depth d, field at the depth z, e along the surface from the one to the other, D down, f the force's part along the
// surface and F that down:
//   u = F (W D + Q e) + A f + B (2 e (e·f) − f) + C (e·f) D,
//   W, Q, A, B, C = 1/(4πμ*) ∫ (w_v J_0, q_v J_1, ½(h − q_h) J_0, ½(h + q_h) J_2, w_h J_1)(kr) dk.
// Upward waves of the force (Stokes' solution by Sommerfeld's integral) times the reflection coefficients of the surface
// (H. Lamb, Phil. Trans. R. Soc. A 203 (1904) 1; K. Aki, P. G. Richards, "Quantitative Seismology", §5.2), with P waves written as
// those of SV and the difference of both over k_S²/k², so that no digits are lost at large k; at rest the same is R. D. Mindlin's
// solution (Physics 7 (1936) 195).
#pragma once

#include <array>
#include <map>
#include <mutex>
#include <span>

#include "engine/core/types.hpp"
#include "engine/solvers/elastic_bem/kernels/medium.hpp"

namespace conoid::elastic_bem {

/// W, Q, A, B, C times 4πμ*, 1/m.
using ReflectedParts = std::array<Complex, 5>;
struct ReflectedSlopes {
  ReflectedParts value{}, along{}, down{};  ///< ∂/∂r, ∂/∂z
};

/// Thread-safe. Points may lie above the surface by less than `depth()`: the field goes on there without a singularity.
class ReflectedForce {
 public:
  /// `down`: a unit vector; `level`: down · x of the surface, below which `at` lies (down · at > level).
  ReflectedForce(const Vec3& at, const Vec3& force, const Vec3& down, double level, const Harmonic& harmonic);
  [[nodiscard]] double depth() const { return depth_; }
  [[nodiscard]] std::array<Complex, 3> displacement(const Vec3& x) const;
  /// [k][i] = ∂u_i/∂x_k.
  [[nodiscard]] std::array<std::array<Complex, 3>, 3> slopes(const Vec3& x) const;
  /// Whether x lies on the surface, where with the force's own field there is no traction on it.
  [[nodiscard]] bool on_surface(const Vec3& x) const;
  [[nodiscard]] const Vec3& down() const { return down_; }

  /// What fields cost, by the wave numbers that their integrals add up: at x off the surface, and of the table for points of the surface.
  [[nodiscard]] double wave_numbers(const Vec3& x) const;
  [[nodiscard]] double wave_numbers_of_table(std::span<const Vec3> on_surface) const;

  /// The integrals themselves at the distance r along the surface and the depth z.
  [[nodiscard]] ReflectedSlopes integrals(double r, double z, bool slopes) const;

 private:
  struct Place {
    double r, z;
    Vec3 e;
  };
  [[nodiscard]] Place place(const Vec3& x) const;
  /// Where the panel of the table ends that begins at r.
  [[nodiscard]] double panel_end(double r) const;
  /// On the surface, from a table that grows as it is asked for.
  [[nodiscard]] ReflectedParts on_surface_at(double r) const;
  [[nodiscard]] std::array<Complex, 3> vector(const ReflectedParts& parts, const Vec3& e) const;

  Harmonic h_;
  Vec3 at_, force_, down_;
  double level_, depth_;
  static constexpr int samples = 14;  ///< Chebyshev's, of a panel
  struct Panel {
    double from = 0, to = 0;
    std::array<ReflectedParts, samples> values{};
  };
  mutable std::mutex mutex_;
  mutable std::map<double, Panel> table_;  ///< by the end of a panel
  mutable double reaches_ = 0;
};

}  // namespace conoid::elastic_bem
