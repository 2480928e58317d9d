// SPDX-License-Identifier: BSD-3-Clause
// Metal, and lines in front of it.
#include "engine/solvers/maxwell_fem/discretization/impedance.hpp"

#include "engine/solvers/maxwell_fem/discretization/pi.hpp"
#include "engine/solvers/maxwell_fem/solving/system.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace conoid::maxwell_fem {

using Complex = std::complex<double>;

Complex metal_impedance(double conductivity, double permeability, double frequency) {
  if (!(conductivity > 0)) return 0;
  // √(jωμ/σ) = (1 + j) √(ωμ/2σ)
  return Complex(1, 1) * std::sqrt(pi * frequency * permeability * vacuum_impedance / light_speed / conductivity);
}

namespace {

enum class Polarisation : std::uint8_t { magnetic_across, electric_across };

/// `along`: the square of the wave number along the surface over that of vacuum.
Complex line_impedance(Complex z, const std::vector<ThinCoat>& coats, double frequency, double along,
                       Polarisation polarisation) {
  constexpr Complex j{0, 1};
  for (const ThinCoat& coat : coats) {
    const Medium m = coat.material(frequency);
    // Both roots with their cuts along the negative axis: the wave dies away in losses.
    Complex across = std::sqrt(m.epsilon[0]) * std::sqrt(m.mu[0]);
    Complex line = vacuum_impedance * std::sqrt(m.mu[0]) / std::sqrt(m.epsilon[0]);
    if (along > 0) {
      across = std::sqrt(across * across - along - Complex(0, 1e-9));
      line =
          vacuum_impedance * (polarisation == Polarisation::magnetic_across ? across / m.epsilon[0] : m.mu[0] / across);
    }
    const Complex turn = std::tan(2 * pi * frequency / light_speed * across * coat.thickness);
    z = line * (z + j * line * turn) / (line + j * z * turn);
  }
  return z;
}

}  // namespace

Complex coated_impedance(Complex metal, const std::vector<ThinCoat>& coats, double frequency) {
  return line_impedance(metal, coats, frequency, 0, Polarisation::magnetic_across);
}

double aslant_change(Complex metal, const std::vector<ThinCoat>& coats, double frequency) {
  const Complex upright = coated_impedance(metal, coats, frequency) / vacuum_impedance;
  double out = 0;
  for (const Polarisation p : {Polarisation::magnetic_across, Polarisation::electric_across}) {
    const Complex grazing = line_impedance(metal, coats, frequency, 1, p) / vacuum_impedance;
    out = std::max(out, 2 * std::abs(grazing - upright) / (std::abs(1.0 + upright) * std::abs(1.0 + grazing)));
  }
  return out;
}

}  // namespace conoid::maxwell_fem
