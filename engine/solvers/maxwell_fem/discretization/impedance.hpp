// SPDX-License-Identifier: BSD-3-Clause
// Surface impedances over frequency, e^{+jωt}: E_t = Z n×H with n out of the body.
//
// Metal (Leontovich): Z = √(jωμ/σ), where its skin is thin against the body and its bends. Coats on it, each a line of impedance
// Z_m = η_0 √(μ/ε) and wave number k_m = k √(εμ) (normal incidence: right where |εμ| is large or the coat thin against the wave; S. A.
// Schelkunoff, Bell Syst. Tech. J. 17 (1938) 17; T. B. A. Senior, J. L. Volakis, Approximate Boundary Conditions in Electromagnetics, IEE
// 1995, ch. 2): Z ← Z_m (Z + j Z_m tan k_m d)/(Z_m + j Z tan k_m d), from the metal outwards.
#pragma once

#include "engine/solvers/maxwell_fem/discretization/media.hpp"

#include <complex>
#include <functional>
#include <vector>

namespace conoid::maxwell_fem {

/// Ohms at a frequency in Hz.
using ImpedanceLaw = std::function<std::complex<double>(double frequency)>;

struct ThinCoat {
  MaterialLaw material;
  double thickness = 0;  ///< m
};

/// `conductivity` 0: a perfect conductor.
[[nodiscard]] std::complex<double> metal_impedance(double conductivity, double permeability, double frequency);
/// `coats` from the metal outwards.
[[nodiscard]] std::complex<double> coated_impedance(std::complex<double> metal, const std::vector<ThinCoat>& coats,
                                                    double frequency);

/// What the coats are off by where waves run aslant in them, as a share of the echo: the largest change of the reflection when the wave outside
/// grazes instead of coming along the normal, k_m → √(k_m² − k²), in both polarisations, 2|∂Z|/(|1 + Z||1 + Z + ∂Z|). Spheres of ka = 1, 3 and 8
/// under coats of k d = 0.02 and 0.1 and permittivities 1.2 to 10, full series against that of the impedance: 1.7, 1.1 and 0.7 of it.
[[nodiscard]] double aslant_change(std::complex<double> metal, const std::vector<ThinCoat>& coats, double frequency);

}  // namespace conoid::maxwell_fem
