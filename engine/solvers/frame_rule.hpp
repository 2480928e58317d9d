// SPDX-License-Identifier: BSD-3-Clause
// What a case says of its results frames: when they are kept and what they show. Sessions follow it; solvers foresee by it what frames will take,
// and keep those of moments that they come to before their turn.
#pragma once

#include "engine/case/case.hpp"
#include "engine/io/frame.hpp"
#include "engine/solvers/frame_marks.hpp"

namespace conoid {

/// "output.frames" of a resolved case.
[[nodiscard]] Cadence frame_cadence(const Case& input);
[[nodiscard]] FrameRequest frame_request(const Case& input);

}  // namespace conoid
