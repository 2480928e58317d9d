// SPDX-License-Identifier: BSD-3-Clause
// What the device kernels of several steps take. The arrays lie as on the host (storage.hpp).
#pragma once

#include <cstdint>

namespace conoid::acoustic_fd {

/// Order 2, single precision, equal spacings, sponges; outside the grid the field is zero. Pointers are at cell (0, 0, 0);
/// between the rows lie zeros.
struct BandArguments {
  const float* u = nullptr;  ///< level k
  const float* o = nullptr;  ///< level k−1
  float* new_u = nullptr;    ///< level k+T
  float* new_o = nullptr;    ///< level k+T−1
  const float* a = nullptr;  ///< c² dt²/h², zero between the rows
  std::int64_t stride_x = 0, stride_y = 0;
  int nx = 0, ny = 0, nz = 0;
  int planes = 0;  ///< that one block marches through
  float centre = 0, weight = 0;
  const float* sigma_x = nullptr;
  const float* sigma_y = nullptr;
  const float* sigma_z = nullptr;  ///< padded to whole fours
};

constexpr int band_threads_z = 16, band_threads_y = 40;  // four cells along z a thread
constexpr int band_ahead = 2;                            // planes
constexpr int band_rim_z(int T) {
  return (T + 3) / 4 * 4;
}
/// Bytes of shared memory of a block.
constexpr int band_shared(int T) {
  return (3 * band_ahead + 3 + T + 2 * (T - 1)) * band_threads_y * band_threads_z * 16;
}

}  // namespace conoid::acoustic_fd
