// SPDX-License-Identifier: BSD-3-Clause
// Where dipoles may be: in vacuum, off all surfaces by about the elements there.
#pragma once

#include "engine/case/case_reader.hpp"
#include "engine/solvers/maxwell_fem/problem.hpp"

namespace conoid::maxwell_fem {

/// What is wrong with the places of a case's dipoles. `skin`: of a body around which the program puts S, else null.
void check_dipoles(const CaseReader& reader, const Problem& problem, const Mesh* skin);

}  // namespace conoid::maxwell_fem
