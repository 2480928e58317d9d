// SPDX-License-Identifier: BSD-3-Clause
// What a run that goes on may change: marks in the schemas ("prolongs": true).
#pragma once

#include <string>
#include <vector>

#include "engine/case/document.hpp"
#include "engine/case/schema.hpp"

namespace conoid {

/// The schema of the case's solver; empty where there is no such solver.
[[nodiscard]] Schema schema_of(const CaseDocument& document);

/// "parameters.duration", "output.frames.every": the keys that `conoid resume RUN --set KEY=VALUE` may change.
[[nodiscard]] std::vector<std::string> changeable_keys(const Schema& schema);

/// Those of them that move the end of a run; none for solvers whose runs have no end to move.
[[nodiscard]] std::vector<std::string> keys_of_the_end(const Schema& schema);

}  // namespace conoid
