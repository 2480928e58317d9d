// SPDX-License-Identifier: BSD-3-Clause
// The mean pressure of rooms, which stays, or grows evenly where a source has raised it: what errors of matrices would change it is taken out.
#pragma once

#include "engine/solvers/acoustic_bem/discretization/assembly.hpp"

namespace conoid::acoustic_bem {

/// Rooms whose walls are rigid or of an impedance: a pressure that is constant over all walls and bodies stays as it is. Form N at the walls says
/// so by itself, and the combined one at bodies by what it combines: the field inside each vanishes then (its solid angles are exact).
[[nodiscard]] bool holds_mean_pressure(const Surface& surface);

/// Makes such a pressure one of these matrices, whose slices lie in memory: r = Σ_k M_k on ones, which vanishes but for round-off with whole
/// matrices and of far blocks only within their error, is taken from the diagonal, half from M_0 and half from M_1. (1 + z)/2 at the frequency of
/// z is what means over steps make of a stiffness: it changes the energy of a φ by −½ Σ r φ² and neither feeds nor damps; and since Σ_k k M_k of
/// rigid faces is half of Σ_k M_k for each pair of unknowns (∫ curl λ dS = 0), far blocks included (far_kernel.hpp), pressures that grow evenly
/// in time stay solutions, too. What walls of an impedance do, S_k − S_{k−1}, adds up to nothing by itself, where
/// it depends on frequency with what the wall remembers of such a pressure. M_0, in double precision, takes what
/// rounding leaves of the sum. All ranks.
template <class Real>
void keep_mean_pressure(Matrices<Real>& matrices, Communicator* cluster, Team& team);

}  // namespace conoid::acoustic_bem
