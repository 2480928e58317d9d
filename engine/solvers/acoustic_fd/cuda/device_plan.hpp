// SPDX-License-Identifier: BSD-3-Clause
// Whether and how a problem goes to devices; see device_steps.hpp.
#pragma once

#include "engine/solvers/acoustic_fd/problem.hpp"
#include "engine/team/module.hpp"

#include <vector>

namespace conoid::acoustic_fd {

/// In core: steps for which the host waits at a time; of several devices: between exchanges.
inline constexpr Index steps_together = 16;
/// Seconds that sweeps of a window may take together: nobody is heard meanwhile.
inline constexpr double longest_chain = 2.2;
/// Steps between two exchanges of devices that share the rows: rounds of panels where all of them have panels, else what leaves most of a device's rows its
/// own. `thinnest`: rows of the device that has fewest; 0: all have as many.
[[nodiscard]] Index shared_band(const Problem& problem, int devices, const DeviceInfo* device = nullptr,
                                Index thinnest = 0);
/// Rows of each device in turn, as their shares say, in whole rows and at least `least` each; `shares`: positive, one a device.
[[nodiscard]] std::vector<Interval> share_rows(Index rows, const std::vector<double>& shares, Index least);

/// Panels of so many steps in core leave cells near matched layers to single steps; false: those of an axis are all its cells.
[[nodiscard]] bool leaves_an_interior(const Problem& problem, Index levels);

/// Tiles of several steps know no walls, no grids of one row, and nothing that updates keep beside the levels (attenuation, maps): their steps go
/// one by one.
[[nodiscard]] inline bool takes_several_steps(const Problem& problem) {
  return !problem.has_walls() && !problem.grid.flat() && problem.kept_arrays() == 0;
}

/// How a grid streams through a device.
struct WindowPlan {
  Index planes = 0;  ///< B: the window moves by so many
  Index steps = 0;   ///< T: of a sweep
  Index room = 0;    ///< planes for which there is memory
  Index sweeps = 1;  ///< that follow each other without a gap
  Index levels = 0;  ///< of the panels that take the steps; 0: others do, or they go one by one
  Bytes kept = 0;    ///< by panels, from a position to the next; 0: they compute it again
};
/// How a grid would lie on a device with this much memory for it.
struct DevicePlan : WindowPlan {
  Bytes in_core = 0;      ///< needed to hold all of it (of one device of `devices`)
  Bytes least = 0;        ///< the smallest budget that would do
  Bytes taken = 0;        ///< what a run takes: with the second pair of levels of panels, where there is room for it
  bool streamed = false;  ///< it does not fit
  bool possible = true;
  double slower = 1;  ///< expected time over that in the memory of a device like an H200 on a link of 50 GB/s
  double step = 0;    ///< seconds of a step of a device like an H200, of one of `devices`, launches included
};
/// A part of a sweep: a band of panels, or one step. Stage m takes planes [jB − lag, (j+1)B − lag) in position j of a window. It reads s · levels
/// planes around them that the stage before has made; and what it overwrites no stage still reads: panels write where the stage before
/// the one before wrote, which lags by as much.
struct Stage {
  Index first;  ///< step, counted from the beginning of the sweep
  Index levels;
  Index lag;  ///< planes by which it follows the first stage
  int kind;   ///< of the panels; −1: a single step
};
/// Of a sweep; `panel_levels`: by kind, falling.
[[nodiscard]] std::vector<Stage> stages_of(Index steps, Index s, const std::vector<Index>& panel_levels);
/// Planes of a window below jB and beyond (j+1)B: what stages read, also those of panels before single steps, which lag less than they reach; and
/// the images that a step writes.
[[nodiscard]] Index planes_behind(const std::vector<Stage>& stages, Index s);
[[nodiscard]] Index planes_ahead(const std::vector<Stage>& stages, Index s);

/// Where planes rest that stream through a device. Those on a disk stream though the grid would fit in the device's memory, as nobody could fill or look at it there.
enum class PlanesRest { host, disk };
/// `device`: one of the devices, all alike; null: one that takes single steps only.
[[nodiscard]] DevicePlan device_plan(const Problem& problem, Bytes budget, int devices,
                                     const DeviceInfo* device = nullptr, PlanesRest rest = PlanesRest::host);
/// The same of the slab of one of several ranks, each of which has one device: it lies there whole, or not at all.
[[nodiscard]] DevicePlan slab_plan(const Problem& problem, Bytes budget, int ranks, const DeviceInfo& device);

}  // namespace conoid::acoustic_fd
