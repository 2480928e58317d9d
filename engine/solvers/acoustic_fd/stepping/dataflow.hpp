// SPDX-License-Identifier: BSD-3-Clause
// Runs the tiles of a tiling in the order of their dependencies: every tile has a counter of tiles it still waits for; a
// thread that finishes a tile counts down its successors and takes the next that is free. There is no barrier.
#pragma once

#include "engine/solvers/acoustic_fd/stepping/tiling.hpp"
#include "engine/team/phase.hpp"

namespace conoid {
class Team;
}

namespace conoid::acoustic_fd {

/// All workers of the team draw tiles from one heap. The first exception of a tile ends the run and is rethrown.
/// `work`: what all tiles take together, for telemetry.
void run_tiles(const Tiling& tiling, PatchSink& sink, Team& team, Work work = {});

}  // namespace conoid::acoustic_fd
