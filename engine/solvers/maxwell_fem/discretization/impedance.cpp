// SPDX-License-Identifier: BSD-3-Clause
// Metal, and lines in front of it.
#include "engine/solvers/maxwell_fem/discretization/impedance.hpp"

#include "engine/solvers/maxwell_fem/discretization/pi.hpp"
#include "engine/solvers/maxwell_fem/solving/system.hpp"

#include <cmath>

namespace conoid::maxwell_fem {

using Complex = std::complex<double>;

Complex metal_impedance(double conductivity, double permeability, double frequency) {
  if (!(conductivity > 0)) return 0;
  // √(jωμ/σ) = (1 + j) √(ωμ/2σ)
  return Complex(1, 1) * std::sqrt(pi * frequency * permeability * vacuum_impedance / light_speed / conductivity);
}

Complex coated_impedance(Complex z, const std::vector<ThinCoat>& coats, double frequency) {
  constexpr Complex j{0, 1};
  for (const ThinCoat& coat : coats) {
    const Medium m = coat.material(frequency);
    // Both roots with their cuts along the negative axis: the wave dies away in losses.
    const Complex index = std::sqrt(m.epsilon[0]) * std::sqrt(m.mu[0]),
                  line = vacuum_impedance * std::sqrt(m.mu[0]) / std::sqrt(m.epsilon[0]),
                  turn = std::tan(2 * pi * frequency / light_speed * index * coat.thickness);
    z = line * (z + j * line * turn) / (line + j * z * turn);
  }
  return z;
}

}  // namespace conoid::maxwell_fem
