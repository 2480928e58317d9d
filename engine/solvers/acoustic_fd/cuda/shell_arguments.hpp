// SPDX-License-Identifier: BSD-3-Clause
// What the kernel of a device takes that computes cells in and beside matched layers, which panels leave: a step of a box, memory of the layers
// included. The arrays lie as on the host (storage.hpp); pointers are at cell (0, 0, 0) of the grid.
#pragma once

#include "engine/solvers/acoustic_fd/cuda/advance_arguments.hpp"

namespace conoid::acoustic_fd {

/// The matched layers of one axis: nodes below `low` and from `high` on.
struct ShellLayer {
  float* m[2] = {};          ///< where cell (0, 0, 0) would be if the lower layer had all cells
  std::int64_t to_high = 0;  ///< what comes to a position in the higher layer
  std::int64_t m_stride_x = 0, m_stride_y = 0;
  const float *v = nullptr, *w = nullptr;  ///< V_a and W_a of medium.hpp, as m lies; null where the density is constant
  const float* factor = nullptr;           ///< seven tables of `nodes`, at node 0
  int nodes = 0;
  int low = 0, high = 0;
};

/// Cells z0 ≤ z < z1 of planes [x0, x1) and rows [y0, y1); nz, as in AdvanceArguments, is the number of cells of a row of the grid. Single
/// precision.
struct ShellArguments : AdvanceArguments<float> {
  const float* older = nullptr;  ///< level k−1; `o` takes level k+1 and may be the same array
  int z0 = 0, z1 = 0;
  ShellLayer layer[3];
  float curvature[7] = {}, slope[7] = {};
};

}  // namespace conoid::acoustic_fd
