// SPDX-License-Identifier: BSD-3-Clause
// Which solvers this program contains; the list is made by CMake from the folders of engine/solvers.
#pragma once

#include <span>
#include <string_view>

#include "engine/solvers/solver.hpp"

namespace conoid {

[[nodiscard]] std::span<const SolverInfo* const> registered_solvers();

/// The solver of this id, or nullptr.
[[nodiscard]] const SolverInfo* find_solver(std::string_view id);

}  // namespace conoid
