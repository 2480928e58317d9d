// SPDX-License-Identifier: BSD-3-Clause
// What the streaming towers of a device take. The arrays lie as on the host (storage.hpp); pointers are at cell (0, 0, 0).
#pragma once

#include <cstdint>

namespace conoid::acoustic_fd {

/// A node of a source or a receiver in the row of its cell, by rising z.
struct RowNode {
  int z = 0;
  std::uint32_t begin = 0, end = 0;  ///< source: its contributions; receiver: where its value goes (begin)
};
/// Nodes by rows: those of row y of plane x are list[first[s (ny + 1) + y]] up to the next row's, s = slot[x]; s < 0: none.
struct RowNodes {
  const int* slot = nullptr;
  const std::uint32_t* first = nullptr;
  const RowNode* list = nullptr;
};
/// Sources and receivers of the steps of a launch; lies in the device's memory.
template <class T>
struct TowerPoints {
  RowNodes sources, receivers;
  const T* values = nullptr;  ///< [step][contribution], added one after the other
  std::int64_t contributions = 0;
  T* out = nullptr;  ///< [record][receiver node]
  std::int64_t receiver_count = 0;
  const int* record = nullptr;  ///< of each step; −1: none
};

/// What kernels that take bands of steps have in common: equal spacings, constant density. T: float or double.
template <class T>
struct BandArguments {
  const T* a = nullptr;  ///< c² dt²/h_x²; strides of zero: one row for all
  std::int64_t stride_x = 0, stride_y = 0, a_stride_x = 0, a_stride_y = 0;
  int nx = 0, ny = 0, nz = 0;
  int bands = 0;
  int rows = 0, columns = 0;  ///< tiles of a band: two counts whose product is their number
  T centre = 0;
  T sign[6] = {};              ///< of the images behind the faces; 0: none
  int core[6] = {};            ///< nodes [core[2 a], core[2 a + 1]) of axis a lie in no sponge
  const T* sigma_x = nullptr;  ///< at plane 0
  const T* sigma_y = nullptr;
  const T* sigma_z = nullptr;           ///< padded to whole fours
  const unsigned char* busy = nullptr;  ///< planes with sources or receivers; null: there are none
  const TowerPoints<T>* points = nullptr;
  unsigned* ticket = nullptr;  ///< the next tile; zero at first
  unsigned* done = nullptr;    ///< steps that each has done, by band, row and column; zero at first
};

/// Single precision. Every tower is a tile of rows and fours of cells along z that leans by the stencil's radius a level and streams through all
/// planes; rows and columns count them along y and z.
struct TowerArguments : BandArguments<float> {
  float* even = nullptr;         ///< level k, and every second level after it
  float* odd = nullptr;          ///< level k−1
  int first_y = 0, first_z = 0;  ///< corner of the lowest tile at level k; first_z divisible by 4
  float weight[7] = {};
};

/// The shape of a tower. A block has a warp more than its cells need.
template <int R, int T, int rows, int fours, int U>
struct TowerShape {
  static constexpr int radius = R, levels = T, tile_rows = rows, tile_fours = fours, unrolled = U;
  static constexpr int threads = rows * fours;  ///< with cells, each four along z
  static constexpr int launched = threads + 32;
  static constexpr int rim = (R + 3) / 4;  ///< fours of the stencil's reach and of the lean along z
  static constexpr int wide = fours + 2 * rim, high = rows + 2 * R, plane = wide * high;
  static constexpr int entering_rows = R * (T - 1) < rows ? R * (T - 1) : rows;
  static constexpr int entering_fours = rim * (T - 1) < fours ? rim * (T - 1) : fours;
  static constexpr int entering = entering_rows * fours + entering_fours * rows;
  static constexpr int buffer = T * plane + 3 * entering;
  static constexpr int medium_planes = R * (T - 1) + 2;
  static constexpr int halo = 2 * R * fours + 2 * rim * rows;  ///< of one level
  static constexpr int copies = T * halo + 3 * entering;
  static constexpr int shared = (2 * buffer + (medium_planes + 2) * threads + copies) * 16;  ///< bytes
};

/// Those of a run, by the stencil's radius: with the planes of all levels in registers, as many levels as leave few in memory. With the
/// warp that watches, each scheduler has as many warps as any other: one more on one of them would cost all a quarter of their registers.
template <int R>
struct TowerOf;
template <>
struct TowerOf<1> : TowerShape<1, 4, 30, 16, 3> {};
template <>
struct TowerOf<2> : TowerShape<2, 4, 22, 16, 1> {};
template <>
struct TowerOf<3> : TowerShape<3, 3, 22, 16, 1> {};
template <>
struct TowerOf<4> : TowerShape<4, 3, 22, 16, 1> {};
template <>
struct TowerOf<5> : TowerShape<5, 2, 22, 16, 1> {};
template <>
struct TowerOf<6> : TowerShape<6, 2, 22, 16, 1> {};

}  // namespace conoid::acoustic_fd
