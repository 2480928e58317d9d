// SPDX-License-Identifier: BSD-3-Clause
// Which frames of a run somebody means: "all", "last", "3,7,12", "10:20", "0.1s:0.3s".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/io/vtkhdf.hpp"

namespace conoid {

/// Positions in `frames`, ascending, each once. Items are separated by commas: "all", "first", "last"; numbers of frames as they are listed,
/// negative ones from the last (-1); ranges FROM:TO, ends included, one of which may be left out; with a unit ("20 ms", "1GHz:2GHz") the time or frequency,
/// alone the nearest frame. Whole numbers without a unit are numbers of frames, others are in SI units.
/// Errors (command_line) say what there is. `option` names what was typed: "--frames".
[[nodiscard]] Result<std::vector<std::size_t>> choose_frames(const std::vector<StoredFrame>& frames,
                                                             std::string_view text, std::string_view option);

/// "12.5 ms", "2 GHz", "7": the moment of a frame for people.
[[nodiscard]] std::string moment_of(const StoredFrame& frame);
/// "0 to 40 (41 frames, 0 s to 0.5 s)"; "none".
[[nodiscard]] std::string frames_in_words(const std::vector<StoredFrame>& frames);
/// "s", "Hz" or "1", and the name of that axis: "time", "frequency", "iteration".
[[nodiscard]] std::string unit_of(FrameAxis axis);
[[nodiscard]] std::string name_of(FrameAxis axis);

}  // namespace conoid
