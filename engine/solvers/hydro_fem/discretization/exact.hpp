// SPDX-License-Identifier: BSD-3-Clause
// Exact solutions to compare with: the point blast in a cold gas, and the shock tube.
#pragma once

#include <vector>

namespace conoid::hydro_fem {

struct GasState {
  double density = 0, velocity = 0, pressure = 0;
};

/// Sedov's blast in a uniform cold gas: closed form in the similarity variable, energy constant by quadrature (Kamm,
/// LA-UR-00-6055, §2; Sedov 1959). `dimension`: 1 planar, 2 cylindrical, 3 spherical; gamma other than 2 and the singular
/// value (below 7 in three dimensions). `energy` is that of the whole space (per unit area, per unit length, or all).
class SedovBlast {
 public:
  SedovBlast(int dimension, double gamma, double density, double energy);
  [[nodiscard]] double shock_radius(double t) const;
  [[nodiscard]] GasState at(double r, double t) const;
  [[nodiscard]] double alpha() const { return alpha_; }

 private:
  struct Profile {  ///< at a similarity velocity V: r/r2, and v, rho, p in units of those behind the shock
    double lambda, f, g, h;
  };
  [[nodiscard]] Profile profile(double s) const;  ///< s in [0,1] from the centre to the shock

  int j_;
  double gamma_, density_, energy_, alpha_ = 1;
  std::vector<double> lambda_;  // at equal steps of s, ascending: where to look for a radius
};

/// Exact solution of the shock tube between two ideal gases (Toro, Riemann Solvers, ch. 4), gamma each; x/t = speed.
class ShockTube {
 public:
  ShockTube(GasState left, double gamma_left, GasState right, double gamma_right);
  [[nodiscard]] GasState at(double speed) const;

 private:
  GasState left_, right_;
  double gl_, gr_, p_ = 0, v_ = 0;
};

}  // namespace conoid::hydro_fem
