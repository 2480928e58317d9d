// SPDX-License-Identifier: BSD-3-Clause
// Walls of porous layers: the law of their impedance (porous_admittance() in admittance.hpp), fitted.
//
// M. E. Delany and E. N. Bazley, Applied Acoustics 3 (1970) 105, fitted measurements of fibrous materials by Z_c = 1 + 9.08 X^−0.75 −
// 11.9j X^−0.73 and k = (ω/c)(1 + 10.8 X^−0.70 − 10.3j X^−0.59), X = 1000 f/resistivity, which no causal material has. Y. Miki, J. Acoust.
// Soc. Japan (E) 11 (1990) 19, fitted the same by powers of jω: 8.43/5.50 = tan(0.632 π/2), 7.81/11.41 = cot(0.618 π/2). His own
// figures, for f/resistivity itself, are 0.070, 0.107, 0.109 and 0.160.
#pragma once

#include "engine/solvers/acoustic_bem/discretization/admittance.hpp"

namespace conoid::acoustic_bem {

/// The law at 121 frequencies from a fiftieth of `highest` (Hz) up to it, fitted. Resistivity in Pa s/m², thickness in m (0: without an end).
[[nodiscard]] AdmittanceFit fit_porous(double resistivity, double thickness, double c, double highest);

}  // namespace conoid::acoustic_bem
