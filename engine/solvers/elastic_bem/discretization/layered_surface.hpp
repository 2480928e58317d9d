// SPDX-License-Identifier: BSD-3-Clause
// Surface displacements of layered ground under point forces on it: Hankel integrals of the layers' compliance, as a table over the
// distance.
//
// With the compliances f of LayeredCompliance, r the distance, e the unit vector from the force, d into the ground:
//   P along d:        u = P/(2πμ* r) [V d + U e],  V = r∫ f_zz J_0(kr) dk,  U = r∫ f_rz J_1(kr) dk
//   Q on the surface: u = 1/(2πμ* r) [A Q + B (2 e (e·Q) − Q) − U (e·Q) d],
//                     A = ½ r∫ (f_rr + f_tt) J_0 dk,  B = −½ r∫ (f_rr − f_tt) J_2 dk,
// (as for the half-space, surface_loads.hpp). The first three terms of f for large k are put off to functions whose integrals are known,
//   r∫ k (k² + c²)^{−1/2} J_0 dk = e^{−cr},  r∫ k² (k² + c²)^{−1} J_1 dk = cr K_1(cr),  r∫ k³ (k² + c²)^{−3/2} J_2 dk = e^{−cr}(1 + cr),
// c = 0, |k_S| and 2|k_S| (I. S. Gradshteyn, I. M. Ryzhik, 6.554, 6.565), so that what is integrated falls as k^{−6}, and as e^{−2kh}
// with the thickness h of the uppermost layer: on a path above the poles, then along the axis, and at distances of many thicknesses on two ways
// off the axis (depth_path.hpp).
#pragma once

#include <vector>

#include "engine/core/vec3.hpp"
#include "engine/solvers/elastic_bem/discretization/chebyshev_panels.hpp"
#include "engine/solvers/elastic_bem/discretization/layered_compliance.hpp"
#include "engine/solvers/elastic_bem/discretization/surface_loads.hpp"

namespace conoid::elastic_bem {

/// The four functions at one distance, by quadrature; about eight digits.
[[nodiscard]] SurfaceResponse layered_response(const LayeredCompliance& compliance, double r);

/// A table up to a distance, Chebyshev's polynomials on panels that grow with the distance and end where waves ask for it. Thread-safe
/// after it was made; any number of threads gives the same bits.
class LayeredSurface {
 public:
  /// Up to `farthest`; 0: without a table, where nobody asks for a distance.
  LayeredSurface(const SoilProfile& profile, double omega, double farthest, int threads);
  /// At most `farthest`.
  [[nodiscard]] SurfaceResponse at(double r) const;
  /// Component i of the displacement at `offset` (along the surface, not zero) from a unit force along j.
  [[nodiscard]] Matrix3 displacement(const Vec3& offset, const Vec3& down) const {
    return surface_displacement(at(vec::norm(offset)), compliance_.top().mu, offset, down);
  }
  /// Up to which the functions change over the distance: of the slowest waves, and of the uppermost layer's thickness.
  [[nodiscard]] double wave_number() const;
  [[nodiscard]] const LayeredCompliance& compliance() const { return compliance_; }
  [[nodiscard]] double farthest() const { return panels_.ends().back(); }
  [[nodiscard]] double height() const { return height_; }  ///< path_height()

 private:
  LayeredCompliance compliance_;
  double height_;
  ChebyshevPanels<8> panels_;  ///< from 0; real and imaginary parts side by side
};

}  // namespace conoid::elastic_bem
