// SPDX-License-Identifier: BSD-3-Clause
// Rows of `conoid verify acoustic-fd` about layers: absorbing ones and those of the medium.
#pragma once

#include "engine/solvers/solver.hpp"

namespace conoid::acoustic_fd {

void layers_table(const TestRun& run, const VerifySink& sink);

}  // namespace conoid::acoustic_fd
