// SPDX-License-Identifier: BSD-3-Clause
// Dipoles beside spheres, from mesh to directivity, and their exact fields: for the verification table and tests.
#pragma once

#include "engine/solvers/maxwell_fem/verify/spheres.hpp"

namespace conoid::maxwell_fem {

/// An electric dipole of 1 A m on the axis at kr = `place` beside a sphere about the origin (k = 1/m), along the axis.
struct RadialDipole {
  SphereSeries series;
  double place = 1;
  /// F along θ̂: (η/4πr_0) Σ j^n (2n+1) (j_n − a_n h_n)(kr_0) sin θ P_n'(cos θ), from the field of a plane wave along the axis by reciprocity.
  [[nodiscard]] std::complex<double> far(double theta) const;
  /// What it radiates, W: the integral of the above, π η/(4π r_0)² Σ (2n+1) 2 n(n+1) |j_n − a_n h_n|².
  [[nodiscard]] double radiated() const;
  /// What it gives, W: alone, and −½ Re E of the scattered field, E_r = (η/4πr_0²) Σ (2n+1) n(n+1) a_n h_n².
  [[nodiscard]] double given() const;
};

struct DipoleOutcome {
  Index tets = 0;
  double off = 0;                  ///< of F over both planes, relative, L2
  double directivity_db = 0;       ///< |difference| of the largest directivity
  double largest = 0;              ///< of |F|² over the same, V²
  double radiated = 0, given = 0;  ///< W
  double wanted = 0;               ///< radiated by the series, W
  double reciprocity =
      0;  ///< of F against the field of plane waves at the dipoles, of the total form where they are outside of S; of the largest
};
/// Sphere and dipoles (k = 1/m), F against the scene's exact series.
[[nodiscard]] Result<DipoleOutcome> run_dipoles(const SphereScene& scene, std::vector<Dipole> dipoles,
                                                const RowWorkers& workers);

}  // namespace conoid::maxwell_fem
