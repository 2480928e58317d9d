// SPDX-License-Identifier: BSD-3-Clause
// Rayleigh and Love waves of layered ground: horizontal wave numbers at which the ground moves without loads.
//
// Layers are cut so thin that none has a frequency of its own with both faces held: such a frequency is at least c_S √(k² + π²/h²), as Korn's
// identity ∫ 2 ε:ε = ∫ |∇u|² + (div u)² holds for faces at rest. The dynamic stiffness of all interfaces then has as many negative
// eigenvalues as there are modes with a lower frequency at this wave number (W. H. Wittrick, F. W. Williams, Q. J. Mech. Appl. Math. 24 (1971) 263), which
// the signs of pivots tell (Sylvester): no mode is missed, and halving finds each. With damping the mode is followed from there by Newton's method for
// K(k) u = 0 (inverse iteration, A. Ruhe, SIAM J. Numer. Anal. 10 (1973) 674), which no pole is near to.
#pragma once

#include "engine/core/error.hpp"
#include "engine/solvers/elastic_bem/discretization/layered_compliance.hpp"
#include "engine/solvers/elastic_bem/discretization/waves.hpp"

namespace conoid::elastic_bem {

/// k of the mode e^{−ikx} at ω > 0, without layers that of the half-space's Rayleigh wave; its speed is ω/Re k, its amplitude falls as e^{x Im k}. `mode`: 0, the fundamental one, is the slowest. Over a
/// half-space modes are those that are slower than its S waves. Errors: there is no such mode (layers on rock have none below their first
/// frequency, Love waves need a layer softer than the half-space), damping so large that it cannot be followed.
[[nodiscard]] Result<Complex> surface_wave_number(const SoilProfile& profile, WaveKind kind, int mode, double omega);

}  // namespace conoid::elastic_bem
