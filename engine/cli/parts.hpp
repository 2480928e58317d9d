// SPDX-License-Identifier: BSD-3-Clause
// What this program is made of: compiler, libraries, modules, instruction sets, MPI.
#pragma once

#include "engine/case/document.hpp"

namespace conoid::cli {

/// {"version","compiler","libraries":[{"name","compiled","running"}],"mpi","instruction_sets","modules","programs","solvers",…}. A
/// library that this build does without is not listed; `running` is what was loaded, null where the library does not tell. Starts
/// neither MPI nor a device.
[[nodiscard]] Json parts_of_program();

}  // namespace conoid::cli
