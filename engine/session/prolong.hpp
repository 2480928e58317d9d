// SPDX-License-Identifier: BSD-3-Clause
// What a run that goes on may change: marks in the schemas ("prolongs": true).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/case/document.hpp"
#include "engine/case/schema.hpp"

namespace conoid {

/// The schema of a case's solver; empty where there is no such solver. Made once a solver and kept; from any thread.
[[nodiscard]] const Schema& schema_of(const Json& document);
[[nodiscard]] const Schema& schema_of(const CaseDocument& document);

/// "parameters.end_time", "output.frames.every": the keys that `conoid resume RUN --set KEY=VALUE` may change.
[[nodiscard]] std::vector<std::string> changeable_keys(const Schema& schema);

/// Those of them that move the end of a run; none for solvers whose runs have no end to move.
[[nodiscard]] std::vector<std::string> keys_of_the_end(const Schema& schema);

/// `count` frames spread over a run lie end / count apart. Where its end has moved and the frames were not named anew, they stay as
/// far apart as they were: `output.frames` (JSON) of the case from here on, by `interval` for ends in seconds and by `every` for
/// ends in steps. Nothing where the case names its distance, keeps none, or its end has not moved.
[[nodiscard]] std::optional<std::string> frames_as_begun(const CaseDocument& before, const CaseDocument& after,
                                                         const Schema& schema);

}  // namespace conoid
