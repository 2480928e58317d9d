// SPDX-License-Identifier: BSD-3-Clause
// What kernels take that look at a level which rests on a device (look.cu).
#pragma once

#include <cstdint>

namespace conoid::acoustic_fd {

constexpr int look_threads = 256;
constexpr int look_rows = 32;  ///< of a plane, of which one block finds the largest

/// Every so many values of a level, x slowest: what a frame shows.
template <class T>
struct GatherArguments {
  const T* from = nullptr;                          ///< the first
  T* to = nullptr;                                  ///< one behind the other
  std::int64_t step_x = 0, step_y = 0, step_z = 0;  ///< in values of the level
  std::int64_t count = 0;                           ///< of all
  int ny = 0, nz = 0;                               ///< rows of a plane, values of a row
};

/// The largest |value| of rows of planes.
template <class T>
struct LargestArguments {
  const T* from = nullptr;  ///< cell (0, 0, 0)
  T* most = nullptr;        ///< [plane][group of look_rows rows]; infinite where a value is not finite
  std::int64_t stride_x = 0, stride_y = 0;
  int groups = 0, ny = 0, nz = 0;
};

}  // namespace conoid::acoustic_fd
