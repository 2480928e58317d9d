// SPDX-License-Identifier: BSD-3-Clause
// What the device kernels of several steps take. The arrays lie as on the host (storage.hpp).
#pragma once

#include <cstdint>

namespace conoid::acoustic_fd {

/// Single precision, equal spacings, sponges; outside the grid the field is zero. Pointers are at cell (0, 0, 0).
struct StepArguments {
  const float* u = nullptr;  ///< level k
  float* o = nullptr;        ///< level k−1
  float* new_u = nullptr;    ///< level k+T
  float* new_o = nullptr;    ///< level k+T−1
  const float* a = nullptr;  ///< c² dt²/h²
  std::int64_t stride_x = 0, stride_y = 0;
  int nx = 0, ny = 0, nz = 0;
  int planes = 0;  ///< that one block marches through
  float weight[7] = {};
  const float* sigma_x = nullptr;
  const float* sigma_y = nullptr;
  const float* sigma_z = nullptr;
};

constexpr int band_threads_z = 32, band_threads_y = 32;

}  // namespace conoid::acoustic_fd
