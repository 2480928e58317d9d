// SPDX-License-Identifier: BSD-3-Clause
// Stresses within layered ground under point forces: with the displacements of layered_depths.hpp (its names) the strains along the level plane at
// the point's depth,
//   ∂_k u_i = 1/(2πμ*) {F [U' e_i e_k + (U/r) o_ik] + A' f_i e_k + B' (2 e_i (e·f) − f_i) e_k + 2 (B/r) [o_ik (e·f) + e_i (o f)_k]},  o = 1 − ee,
// and the traction on that plane, which is the stiffness of the ground on its far side from the force times the displacement:
//   σ·D = 1/(2π) [F (T_v D + T_u e) + T_a f + T_b (2 e (e·f) − f) − T_c (e·f) D].
// Hooke's law gives the other stresses from these, with nothing that cancels in nearly incompressible media. All are Hankel integrals of the
// same kind with one factor k more.
#pragma once

#include <array>

#include "engine/core/vec3.hpp"
#include "engine/solvers/elastic_bem/discretization/chebyshev_panels.hpp"
#include "engine/solvers/elastic_bem/discretization/field.hpp"
#include "engine/solvers/elastic_bem/discretization/layered_compliance.hpp"

namespace conoid::elastic_bem {

/// U', U/r, A', B', B/r, T_v, T_u, T_c, T_a, T_b, 1/m².
using StressResponse = std::array<Complex, 10>;

/// The functions at one distance, by quadrature; r > 0 where the depths are the same. `height`: path_height().
[[nodiscard]] StressResponse stress_response(const BuriedCompliance& compliance, double height, double r);
/// Stress at `offset` from a force along the surface, `down` a unit vector along z; on an interface that in the layer above.
[[nodiscard]] Stress stress_of(const StressResponse& response, const BuriedCompliance& compliance, const Vec3& offset,
                               const Vec3& down, const Complex3& force);

/// A table as LayeredDepths.
class LayeredStresses {
 public:
  LayeredStresses(const SoilProfile& profile, double omega, double height, double depth, double load_depth,
                  double nearest, double farthest, int threads);
  /// Between the two distances, to a thousandth of them.
  [[nodiscard]] StressResponse at(double r) const;
  [[nodiscard]] const BuriedCompliance& compliance() const { return compliance_; }

 private:
  BuriedCompliance compliance_;
  ChebyshevPanels<20> panels_;  ///< of the functions times the square of the way
};

}  // namespace conoid::elastic_bem
