// SPDX-License-Identifier: BSD-3-Clause
// Columns of what walls remember: the density ν/(cΔt) of each unknown at a wall whose admittance depends on frequency, ν = Σ (E − 1) ψ of the step
// before (admittance.hpp). Its matrices are those of DC over the wall's faces alone, a step late: column k ≥ 1 holds S_{k−1}/(cΔt).
#pragma once

#include <stop_token>

#include "engine/solvers/acoustic_bem/discretization/assembly.hpp"

namespace conoid::acoustic_bem {

/// Fills out.memory, memory_columns and walls; a rank gets the columns of its own unknowns. Nothing where no wall depends on frequency.
/// `pattern`: rows of clusters that are wanted with that of the column's unknown alone; no clusters: all rows.
template <class Real>
void add_memory_columns(Matrices<Real>& out, const Surface& surface, const AssemblyOptions& options,
                        const BlockPattern& pattern, Interval own, Team& team, const std::stop_token& stop);

}  // namespace conoid::acoustic_bem
