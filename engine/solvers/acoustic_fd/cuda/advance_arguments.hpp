// SPDX-License-Identifier: BSD-3-Clause
// What the device kernels of a run take. The arrays lie as on the host (storage.hpp); pointers to levels are at cell (0, 0, 0)
// of what the device holds, whose planes and rows are counted from there.
#pragma once

#include <cstdint>

namespace conoid::acoustic_fd {

/// One step of planes [x0, x1) and rows [y0, y1). T: float or double, as in all of them.
template <class T>
struct AdvanceArguments {
  const T* u = nullptr;  ///< level k
  T* o = nullptr;        ///< level k−1 on entry, k+1 on return
  const T* a = nullptr;  ///< c² dt²/h_x²; strides of zero: one row for all
  const T* v = nullptr;  ///< V of medium.hpp; null where the density is constant
  std::int64_t stride_x = 0, stride_y = 0, a_stride_x = 0, a_stride_y = 0;
  int x0 = 0, x1 = 0, y0 = 0, y1 = 0, nz = 0;
  int planes = 0;  ///< that one block marches through
  T centre = 0;
  T x[7] = {}, y[7] = {}, z[7] = {};  ///< weights; the three alike where spacings are equal
  const T* sigma_x = nullptr;         ///< at plane 0
  const T* sigma_y = nullptr;         ///< at row 0
  const T* sigma_z = nullptr;         ///< padded to whole fours
};

/// Energy of the rows of some planes, see EnergyRow of kernels/patch.hpp; pointers are at the first row of the first plane.
template <class T>
struct EnergyArguments {
  const T* u0 = nullptr;  ///< level k−1, with its images
  const T* u1 = nullptr;  ///< level k
  const T* a = nullptr;
  const T* v = nullptr;
  std::int64_t stride_x = 0, stride_y = 0, a_stride_x = 0, a_stride_y = 0;
  int nx = 0, ny = 0, nz = 0;
  bool unequal = false;
  T centre = 0;
  T x[7] = {}, y[7] = {}, z[7] = {};  ///< as in AdvanceArguments
  double half[2] = {1, 1};            ///< weights of the first and last cell of a row
  double* sums = nullptr;             ///< [plane][row][2]: kinetic, potential
};

/// Rows of planes that EnergyArguments::sums has, added to what is in `sums`.
struct PlaneEnergyArguments {
  const double* rows = nullptr;  ///< [plane][row][2]
  double* sums = nullptr;        ///< [plane][2]
  int ny = 0;
  double first = 1, last = 1;  ///< weights of the first and last row
};

/// Images behind a face: to[−i n] = sign · from[i n] for first ≤ i < last and all nodes (p, q) of a part of the face.
template <class T>
struct MirrorArguments {
  T* face = nullptr;
  std::int64_t inwards = 0;  ///< stride n from the face into the grid, with its sign
  std::int64_t stride_p = 0, stride_q = 0;
  int p = 0, q = 0;  ///< nodes along both
  int first = 1, last = 1;
  T sign = 1;
};

/// Zeros for what is no cell of the grid in planes of two levels: before and behind rows, and rows beyond the faces.
struct MarginArguments {
  float *even = nullptr, *odd = nullptr;  ///< where the first plane begins, margins included
  std::int64_t stride_x = 0, stride_y = 0;
  int before = 0;                ///< values of a row before its first cell
  int y0 = 0, y1 = 0, rows = 0;  ///< rows [y0, y1) of `rows` have cells
  int nz = 0;
};

/// The memory of a matched layer of one axis in a box of nx × ny × nz cells that have been updated; all pointers but those of the
/// factors' tables are at its first cell. As MemoryPatch of kernels/patch.hpp.
template <class T>
struct MatchedArguments {
  const T* u = nullptr;  ///< level k
  T* o = nullptr;        ///< level k+1
  const T* a = nullptr;
  std::int64_t stride_x = 0, stride_y = 0, a_stride_x = 0, a_stride_y = 0;
  std::int64_t along = 0;  ///< stride of the axis
  T* m[2] = {};
  const T* v = nullptr;  ///< V_a and W_a, as m lies; null where the density is constant
  const T* w = nullptr;
  std::int64_t m_stride_x = 0, m_stride_y = 0;
  const T* factor = nullptr;  ///< seven tables of `nodes`, at the first node of the box
  int nodes = 0;
  int axis = 0;
  int radius = 1;
  T curvature[7] = {}, slope[7] = {};
  const T* sigma_x = nullptr;
  const T* sigma_y = nullptr;
  const T* sigma_z = nullptr;
  int nx = 0, ny = 0, nz = 0;
};

/// A node of a source or a receiver: plane and place in the plane, counted as the kernels count.
struct PointNode {
  int x = 0, y = 0;
  std::int64_t place = 0;            ///< y stride_y + z
  std::uint32_t begin = 0, end = 0;  ///< source: its contributions; receiver: where its value goes (begin)
};

/// Nodes [0, count) of `nodes`; those outside rows [y0, y1) and cells [z0, z1) are left alone.
template <class T>
struct PointArguments {
  T* o = nullptr;  ///< level k+1
  std::int64_t stride_x = 0, stride_y = 0;
  int first = 0;  ///< nodes count planes of the grid; this is plane 0 of what the device holds
  int y0 = 0, y1 = 0, z0 = 0, z1 = 0;
  int count = 0;
  const PointNode* nodes = nullptr;
  const T* values = nullptr;  ///< of the contributions, added one after the other
  T* out = nullptr;           ///< of the receivers
};

/// Nodes [0, count) beside walls (walls.hpp), which take some more of their neighbours; those outside rows [y0, y1) are left alone.
/// PointNode::begin and end: entries.
template <class T>
struct WallArguments {
  const T* u = nullptr;  ///< level k
  T* o = nullptr;        ///< level k+1
  const T* a = nullptr;
  std::int64_t stride_x = 0, stride_y = 0, a_stride_x = 0, a_stride_y = 0;
  int first = 0;  ///< plane 0 of what the device holds
  int y0 = 0, y1 = 0;
  int count = 0;
  const PointNode* nodes = nullptr;
  const std::int64_t* offsets = nullptr;  ///< of entries: from the node to its neighbour
  const T* weights = nullptr;
  const T* sigma_x = nullptr;  ///< of global planes
  const T* sigma_y = nullptr;  ///< of row 0 that is held
  const T* sigma_z = nullptr;
};

/// What nodes [0, count) beside walls add to the potential energy of their rows; those outside rows [y0, y0 + ny) are left alone. By planes and rows,
/// as PointRows has them.
template <class T>
struct WallEnergyArguments {
  const T* u0 = nullptr;  ///< the older level, at cell (0, 0, 0) of plane `first`
  const T* u1 = nullptr;
  std::int64_t stride_x = 0, stride_y = 0;
  int first = 0;  ///< plane of the grid
  int y0 = 0, ny = 0, nz = 0;
  int count = 0;
  const PointNode* nodes = nullptr;
  const std::int64_t* offsets = nullptr;
  const T* weights = nullptr;
  double half[2] = {1, 1};  ///< of the ends of rows
  double* sums = nullptr;   ///< [plane][row][kinetic, potential], of plane `first` and row y0 on
};

constexpr int advance_threads_z = 32,
              advance_threads_y = 4;  // a thread has four cells along z; a multiprocessor holds more of small blocks
constexpr int energy_rows = 8,
              energy_planes = 8;  // of a block, four threads a row
constexpr int energy_threads = 4 * energy_rows * energy_planes;
constexpr int energy_groups = 8;        // of planes, whose blocks run together
constexpr int plane_energy_rows = 256;  // added together, and threads of a block
constexpr int point_threads = 64;
constexpr int mirror_threads = 64;
constexpr int margin_rows = 4;  ///< of a block, a warp each
constexpr int matched_threads = 128;

}  // namespace conoid::acoustic_fd
