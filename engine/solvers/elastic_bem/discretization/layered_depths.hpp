// SPDX-License-Identifier: BSD-3-Clause
// Layered ground within: displacements at one depth under point forces at another, as a table over the distance along the surface.
//
// With the compliances f of BuriedCompliance, r the distance along the surface, e the unit vector along it from the force, D down, F the
// force's part down and f along the surface (f_rz, f_zr and the others are those functions):
//   u = 1/(2πμ*) [F (V D + U e) + A f + B (2 e (e·f) − f) − C (e·f) D],
//   V = ∫ f_zz J_0(kr) dk,  U = ∫ f_rz J_1 dk,  C = ∫ f_zr J_1 dk,  A = ½ ∫ (f_rr + f_tt) J_0 dk,  B = −½ ∫ (f_rr − f_tt) J_2 dk.
// At large k all fall as e^{−k h}, h the way between the depths, and at one depth not at all. So the path goes above the poles, along the
// axis until e^{−k h} is nothing or Bessel's functions are waves and what lies between the layers is nothing, and then on two ways off the
// axis, on each of which its part of them falls (as for the half-space, reflected_force.hpp): poles of layers off the axis, of motions that do not
// travel, have |e^{−2kt}| |2kt|² about 1 in a layer of the thickness t, and lie on this side of there, or so far off the axis that nothing of them
// comes to the distance (depth_path.hpp).
#pragma once

#include <array>
#include <vector>

#include "engine/core/vec3.hpp"
#include "engine/solvers/elastic_bem/discretization/chebyshev_panels.hpp"
#include "engine/solvers/elastic_bem/discretization/layered_compliance.hpp"
#include "engine/solvers/elastic_bem/discretization/surface.hpp"

namespace conoid::elastic_bem {

/// V, U, C, A, B, 1/m.
using DepthResponse = std::array<Complex, 5>;

/// The five functions at one distance, by quadrature, eight digits and more; r > 0 where the depths are the same. `height`: path_height().
[[nodiscard]] DepthResponse depth_response(const BuriedCompliance& compliance, double height, double r);

/// A table between two distances, Chebyshev's polynomials on panels that grow with the way between force and point. Thread-safe after it
/// was made; any number of threads gives the same bits.
class LayeredDepths {
 public:
  /// `height`: path_height() of the profile at ω. Forces at `load_depth`; 0 ≤ nearest ≤ farthest, above 0 where the depths are the same.
  LayeredDepths(const SoilProfile& profile, double omega, double height, double depth, double load_depth,
                double nearest, double farthest, int threads);
  /// Between the two distances, to a thousandth of them.
  [[nodiscard]] DepthResponse at(double r) const;
  /// Under a force; `offset` from the force along the surface, `down` a unit vector.
  [[nodiscard]] std::array<Complex, 3> displacement(const Vec3& offset, const Vec3& down, const Vec3& force) const;
  [[nodiscard]] const BuriedCompliance& compliance() const { return compliance_; }
  /// Wave numbers times distances of a table, and of its quadrature: what it takes.
  struct Work {
    double wave_numbers = 0, bessel_values = 0;
  };
  [[nodiscard]] static Work work(const BuriedCompliance& compliance, double height, double nearest, double farthest);

 private:
  BuriedCompliance compliance_;
  ChebyshevPanels<10> panels_;  ///< of the functions times the way
};

}  // namespace conoid::elastic_bem
