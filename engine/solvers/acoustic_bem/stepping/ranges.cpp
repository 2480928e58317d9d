// SPDX-License-Identifier: BSD-3-Clause
// A phase, where there is enough to share out.
#include "engine/solvers/acoustic_bem/stepping/ranges.hpp"

#include "engine/simd/subnormals.hpp"
#include "engine/team/loop_phase.hpp"
#include "engine/team/team.hpp"

namespace conoid::acoustic_bem {
void for_range(Team& team, std::string_view name, Index items, Index grain, double seconds,
               const std::function<void(Interval)>& body) {
  if (seconds < 5e-4 || team.threads() == 1) {
    const FlushSubnormals flush;
    body({0, items});
    return;
  }
  LoopPhase phase(name, items, grain, [&body](Interval chunk) {
    const FlushSubnormals flush;
    body(chunk);
  });
  team.run(phase);
}

}  // namespace conoid::acoustic_bem
