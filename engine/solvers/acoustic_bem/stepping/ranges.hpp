// SPDX-License-Identifier: BSD-3-Clause
// Loops over a range on the team, or in place when there is too little to share out.
#pragma once

#include <functional>
#include <string_view>

#include "engine/core/types.hpp"

namespace conoid {
class Team;
}

namespace conoid::acoustic_bem {

/// Runs body(chunk) over [0, items). `seconds` is a rough guess of the whole work: below 500 µs the team is not woken.
void for_range(Team& team, std::string_view name, Index items, Index grain, double seconds,
               const std::function<void(Interval)>& body);

}  // namespace conoid::acoustic_bem
