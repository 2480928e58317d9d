// SPDX-License-Identifier: BSD-3-Clause
// What the kernel of attenuation and maps takes (beside.cu).
#pragma once

#include "engine/solvers/acoustic_fd/cuda/tower_arguments.hpp"

#include <cstdint>

namespace conoid::acoustic_fd {

constexpr int beside_solids = 6;  ///< as most_relaxations
constexpr int beside_threads_z = 32, beside_threads_y = 4;

/// Cells of planes [x0, x1) and rows [y0, y1) that the stencil, layers and walls have updated. Pointers to arrays of the nodes are at cell
/// (0, 0, 0) of what the device holds.
template <class T>
struct BesideArguments {
  const T* u = nullptr;  ///< level k
  T* o = nullptr;        ///< level k+1
  std::int64_t stride_x = 0, stride_y = 0;
  T* m[beside_solids] = {};  ///< memories of the attenuation
  T pull[beside_solids] = {}, keep[beside_solids] = {}, add[beside_solids] = {};
  int solids = 0;
  T* peak = nullptr;           ///< largest |p|; null: not kept
  T* squares = nullptr;        ///< sum of p²; null: not kept
  const T* sigma_x = nullptr;  ///< at plane 0
  const T* sigma_y = nullptr;  ///< at row 0
  const T* sigma_z = nullptr;  ///< padded to whole fours
  RowNodes sources;            ///< by planes of the grid and rows that are held; no slots: there are none
  const T* values = nullptr;   ///< of their contributions
  int rows = 0;                ///< that are held
  int first = 0;               ///< plane 0 of what the device holds
  int x0 = 0, x1 = 0, y0 = 0, y1 = 0, nz = 0;
};

}  // namespace conoid::acoustic_fd
