// SPDX-License-Identifier: BSD-3-Clause
// A march over a grid that does not fit in memory: a window of x-planes slides over it once a band of T steps.
//
// In window position j update k (counted in the band) covers planes [jB − s k, (j+1)B − s k): everything to the left is done,
// everything to the right is old, so two levels in place are enough, nothing is computed twice, and the bits are those of a
// march in memory. The window holds planes [jB − s T, (j+1)B + s); a plane enters and leaves once a band. Planes rest in
// windows on the disk (engine/window), read ahead and written behind by their own threads.
//
// Where the team has a device, it takes the steps: planes pass from the store to its rings and back once a sweep, leased while they are copied
// (cuda/host_planes.hpp), and the window on the host serves what is not a step: beginning, energies, frames, checkpoints.
//
// A rank has the planes of its slab on its disk and s T planes of its neighbours on either side, which it receives before a band, some planes a message, and marches along as if nothing
// lay beyond: what is wrong there comes s planes nearer a step and ends where its own begin.
#pragma once

#include "engine/solvers/acoustic_fd/stepping/march.hpp"

namespace conoid::acoustic_fd {

/// How a grid would be streamed within problem.memory.
struct StreamPlan {
  bool needed = false;  ///< it does not fit
  bool possible = false;
  Index planes = 0;       ///< B
  Index steps = 0;        ///< T
  Index beside = 0;       ///< planes of each neighbour that a rank marches along
  Bytes plane_bytes = 0;  ///< on the disk
  Bytes disk = 0;
  Bytes least = 0;  ///< the smallest budget that would do
  Bytes window_memory = 0, level_memory = 0;
};
/// Who takes the steps: the processors in the window, or a device (of one rank alone), through which planes pass (cuda/device_plan.hpp says by how many steps at a time):
/// then the window serves what is done once, and `steps` is 1.
enum class PlanesMarch { processors, device };
/// Of one rank of `ranks`, which march alike: by the thinnest slab.
[[nodiscard]] StreamPlan stream_plan(const Problem& problem, int ranks = 1,
                                     PlanesMarch march = PlanesMarch::processors);

/// Throws Failure(resources) when the budget is too small, Failure(file) without disk space. problem.memory is the same on all ranks.
[[nodiscard]] std::unique_ptr<March> make_streamed_march(const Problem& problem, const Machine& machine,
                                                         const Communicator& cluster);

}  // namespace conoid::acoustic_fd
