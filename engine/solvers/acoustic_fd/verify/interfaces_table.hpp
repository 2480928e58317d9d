// SPDX-License-Identifier: BSD-3-Clause
// Rows of the table of exact numbers: interfaces between the nodes, and the time step's error taken out.
#pragma once

#include "engine/solvers/solver.hpp"

namespace conoid::acoustic_fd {

void interfaces_table(const TestRun& run, const VerifySink& sink);
void time_table(const TestRun& run, const VerifySink& sink);

}  // namespace conoid::acoustic_fd
