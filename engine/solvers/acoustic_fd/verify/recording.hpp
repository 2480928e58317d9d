// SPDX-License-Identifier: BSD-3-Clause
// Traces of a problem, as the march gives them and as a run writes them.
#pragma once

#include "engine/solvers/acoustic_fd/problem.hpp"
#include "engine/solvers/test_run.hpp"

#include <array>
#include <vector>

namespace conoid::acoustic_fd {

using Traces = std::vector<std::vector<double>>;  // [receiver][step]

/// Space of speed 1 on nodes one apart, of order 8, whose faces absorb in matched layers of twelve.
[[nodiscard]] Problem open_space(const std::array<Index, 3>& points);

/// Levels 1 … steps as they are.
[[nodiscard]] Traces recorded_levels(const Problem& problem, Index steps, const RowWorkers& workers);

/// Levels 0 … steps with the medium averaged over cells and the time step's error taken out of signals and traces, as the solver
/// does it; `highest` in Hz.
[[nodiscard]] Traces traces_of_run(Problem problem, Index steps, double highest, const RowWorkers& workers);

/// √(Σ (got − exact)² / Σ exact²).
[[nodiscard]] double relative_error(const std::vector<double>& got, const std::vector<double>& exact);

}  // namespace conoid::acoustic_fd
