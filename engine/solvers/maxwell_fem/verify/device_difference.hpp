// SPDX-License-Identifier: BSD-3-Clause
// The radiation of devices against that of processors: for the verification table and tests.
#pragma once

#include "engine/solvers/maxwell_fem/solving/radiation.hpp"

namespace conoid::maxwell_fem {

/// Columns of F of random signs and sizes, the same every time.
[[nodiscard]] std::vector<Complex> random_currents(const Domain& domain, Index count);

/// What rounding may leave of ‖difference‖/‖ψ‖ between two loops for random_currents(), u = 2⁻⁵³: a coefficient has some 20 operations
/// and a phase kR, whose distance has three more; n terms of random signs are added in another order, √n u. Both sides err so, and a
/// distribution reaches twice its mean.
[[nodiscard]] double radiation_round_off(const Domain& domain, double k);

/// ‖difference‖/‖ψ‖ of one application of `loop` by `team` to random_currents() and of the processors' own; the last of `times`.
/// `near`: as Radiation has it.
[[nodiscard]] double radiation_difference(Team& team, const Domain& domain, double k, double near, Index count,
                                          RadiationLoop loop, Interval faces, int times = 1);

}  // namespace conoid::maxwell_fem
