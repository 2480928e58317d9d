// SPDX-License-Identifier: BSD-3-Clause
// Rows of the table of `conoid verify acoustic-fd` that a device makes.
#pragma once

#include "engine/solvers/solver.hpp"

#include <string>

namespace conoid::acoustic_fd {

/// Of the devices of a backend: "cuda". None where it has no devices.
void device_table(const TestRun& run, const VerifySink& sink, const std::string& backend);

}  // namespace conoid::acoustic_fd
