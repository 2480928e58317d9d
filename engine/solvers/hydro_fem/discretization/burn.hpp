// SPDX-License-Identifier: BSD-3-Clause
// Programmed burn: an explosive gives its pressure from the time on at which a front that runs at its detonation velocity has come.
#pragma once

#include "engine/core/types.hpp"

#include <vector>

namespace conoid::hydro_fem {

/// Products that burn on in the air around them: heat per mass, even over the products and steady from one time to another, as LS-DYNA's JWL
/// with afterburn at a constant rate and Radioss' Eadd have it.
struct Afterburn {
  double energy = 0;  ///< in all [J/kg]
  double begin = 0, end = 0;
  /// Mean power between two times [W/kg], so that steps give the energy whole wherever they end.
  [[nodiscard]] double power(double from, double to) const;
};

/// The front runs along straight lines from the nearest of the points (whatever lies between), in the material as it was at the start:
/// arrival = min(time + distance / velocity). Behind it the share that is burnt rises from 0 to 1 over so many zones,
///     F = (t - arrival) velocity / (front · h), cut at 0 and 1, h = |J0|^(1/dimension) / k,
/// and p = F p(ρ, e) of the products, e with the energy of detonation from the start. The speed of sound is that of the products
/// throughout, so that steps are those of what comes. As LS-DYNA's high-explosive burn by time alone.
struct Burn {
  struct Point {
    Vec3 position{};
    double time = 0;  ///< [s]
  };
  std::vector<Point> points;
  std::vector<double> velocity;  ///< of each region [m/s]; 0 where nothing burns
  double front = 3;              ///< zones of order 1 over which the front burns

  [[nodiscard]] bool any() const;
  [[nodiscard]] bool burns(int region) const;
  /// Of a place at the start; long ago where nothing burns.
  [[nodiscard]] double arrival(const Vec3& x0, int region) const;
  /// dF/dt behind the arrival, of a place with this determinant |J0| in zones of order k.
  [[nodiscard]] double rate(double determinant, int dim, int k, int region) const;
  [[nodiscard]] double burnt(const Vec3& x0, double determinant, int dim, int k, int region, double t) const;
};

}  // namespace conoid::hydro_fem
