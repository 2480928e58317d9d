// SPDX-License-Identifier: BSD-3-Clause
// What the streaming towers of a device take. The arrays lie as on the host (storage.hpp); pointers are at cell (0, 0, 0).
#pragma once

#include <cstdint>

namespace conoid::acoustic_fd {

/// Bands of T steps, single precision, equal spacings, constant density. Every tower is a tile of rows and fours of cells along
/// z that leans by the stencil's radius a level and streams through all planes.
struct TowerArguments {
  float* even = nullptr;     ///< level k, and every second level after it
  float* odd = nullptr;      ///< level k−1
  const float* a = nullptr;  ///< c² dt²/h_x²; strides of zero: one row for all
  std::int64_t stride_x = 0, stride_y = 0, a_stride_x = 0, a_stride_y = 0;
  int nx = 0, ny = 0, nz = 0;
  int bands = 0;
  int rows = 0, columns = 0;          ///< towers along y and z
  int first_y = 0, first_z = 0;       ///< corner of the lowest tile at level k; first_z divisible by 4
  float centre = 0;
  float weight[7] = {};
  float sign[6] = {};                 ///< of the images behind the faces; 0: none
  int core[6] = {};                   ///< nodes [core[2 a], core[2 a + 1]) of axis a lie in no sponge
  const float* sigma_x = nullptr;     ///< at plane 0
  const float* sigma_y = nullptr;
  const float* sigma_z = nullptr;     ///< padded to whole fours
  unsigned* ticket = nullptr;         ///< the next tower; zero at first
  unsigned* done = nullptr;           ///< steps that each tower has done, [band][row][column]; zero at first
};

/// The shape of the towers of one order.
template <int R, int T, int rows, int fours>
struct TowerShape {
  static constexpr int threads = rows * fours;       ///< a thread has four cells along z
  static constexpr int rim = (R + 3) / 4;            ///< fours of the stencil's reach and of the lean along z
  static constexpr int wide = fours + 2 * rim, high = rows + 2 * R, plane = wide * high;
  static constexpr int entering_rows = R * (T - 1) < rows ? R * (T - 1) : rows;
  static constexpr int entering_fours = rim * (T - 1) < fours ? rim * (T - 1) : fours;
  static constexpr int slots = entering_rows * fours + entering_fours * rows;
  static constexpr int buffer = T * plane + 3 * slots;
  static constexpr int medium_planes = R * (T - 1) + 2;
  static constexpr int halo = 2 * R * fours + 2 * rim * rows;  ///< of one level
  static constexpr int copies = T * halo + 3 * slots;
  static constexpr int shared = (2 * buffer + medium_planes * threads) * 16 + copies * 8;  ///< bytes
};

}  // namespace conoid::acoustic_fd
