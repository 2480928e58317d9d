// SPDX-License-Identifier: BSD-3-Clause
// Rows of the table of exact numbers: two dimensions, impedance walls, obstacles, sources over surfaces, particle velocity, fields of files, maps.
#pragma once

#include "engine/solvers/solver.hpp"

namespace conoid::acoustic_fd {

void start_table(const TestRun& run, const VerifySink& sink);       ///< fields of files, maps
void plane_table(const TestRun& run, const VerifySink& sink);       ///< two dimensions
void walls_table(const TestRun& run, const VerifySink& sink);       ///< impedance walls and obstacles
void adjoint_table(const TestRun& run, const VerifySink& sink);     ///< reciprocity, which adjoints rest on
void image_table(const TestRun& run, const VerifySink& sink);       ///< gradients and migration
void transducer_table(const TestRun& run, const VerifySink& sink);  ///< discs, bowls, dipoles, velocities

}  // namespace conoid::acoustic_fd
