// SPDX-License-Identifier: BSD-3-Clause
// The table of `conoid verify acoustic-bem`.
#pragma once

#include "engine/solvers/solver.hpp"

namespace conoid::acoustic_bem {

[[nodiscard]] Status verify_table(const TestRun& run, const VerifySink& row);

}  // namespace conoid::acoustic_bem
