// SPDX-License-Identifier: BSD-3-Clause
// Tables of an equation of state from CSV files.
#pragma once

#include "engine/core/error.hpp"
#include "engine/solvers/hydro_fem/discretization/eos.hpp"

#include <filesystem>

namespace conoid::hydro_fem {

/// Columns density, energy, pressure and sound_speed (any order, SI), one row for every density with every energy, in
/// any order of rows. At least two values on each axis. The error names the column, the row or the pair that is wrong.
[[nodiscard]] Result<EosTable> read_eos_table(const std::filesystem::path& file);

}  // namespace conoid::hydro_fem
