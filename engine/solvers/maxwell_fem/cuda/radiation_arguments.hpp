// SPDX-License-Identifier: BSD-3-Clause
// What the device kernels of the radiation take. Plain structs: host code fills them in, nvcc reads nothing else of the solver.
//
// Complex columns as Radiation::apply has them: of F [2 column + half][2 point + tangent], half 0 = F−, half 1 = F+; of ψ
// [2 column + half][row], half 0 = ψ+ = C+ F−, half 1 = ψ− = C− F+. Rows are points of S, sources points of S'.
#pragma once

namespace conoid::maxwell_fem {

struct alignas(16) DeviceComplex {
  double re, im;
};

inline constexpr int radiation_threads = 128;  ///< a block; a row each
inline constexpr int radiation_tile = 32;      ///< sources in shared memory at a time
inline constexpr int radiation_point =
    10;  ///< doubles of a source there: place, two tangents, one that keeps pairs aligned
inline constexpr int fused_columns[] = {8, 4, 2, 1};  ///< right-hand sides for which there are fused kernels
inline constexpr int near_entries = 12;               ///< of a near block and half: six points, two tangents

/// Bytes of shared memory of a block with so many right-hand sides.
constexpr unsigned radiation_shared(int columns) {
  return static_cast<unsigned>(radiation_tile * (radiation_point + 8 * columns)) * sizeof(double);
}

/// Places and tangents, nine rows of `padded` doubles, as PointArrays.
struct DeviceSurfaces {
  const double* to;
  const double* from;
  long long to_padded, from_padded;
  int sources;
  double k;
};

/// Sums of rows [first, first + rows) over blocks of sources: partial[block of sources][2 column + half][row].
struct FusedArguments {
  DeviceSurfaces surfaces;
  int first, rows, sources_a_block;
  const DeviceComplex* f;  ///< of the first column
  DeviceComplex* partial;
};

/// The operator of rows [first, first + rows), each scaled: C+ in columns of `rows` values, one a source and tangent, then C−.
struct OperatorArguments {
  DeviceSurfaces surfaces;
  int first, rows, sources_a_block;
  const double* scale;  ///< of all rows
  DeviceComplex* panel;
};

/// Near blocks (NearBlock) of each row: blocks start[row] to start[row + 1], of C+ twelve entries, then of C−.
struct NearArguments {
  const int* start;
  const int* face;
  const DeviceComplex* blocks;
  int first, rows, sources;
  const DeviceComplex* f;  ///< near_sums: of the first column
  DeviceComplex* sums;     ///< near_sums: [2 column + half] rows of `rows` values, set
  const double* scale;     ///< near_panel: as OperatorArguments
  DeviceComplex* panel;    ///< near_panel: added to
};

/// psi = scale (psi + Σ partial): `values` = 2 columns, rows as above.
struct FinishArguments {
  const DeviceComplex* partial;
  int parts, values, first, rows;
  const double* scale;
  DeviceComplex* psi;
};

/// The paper's arrays (kernels/reference.hpp, PaperArrays): a thread an element of S.
struct PaperArguments {
  const double* to;    ///< x, y, z of each point of the elements of S at hand
  const double* from;  ///< of S'
  const DeviceComplex* currents;
  DeviceComplex* fields;  ///< of the elements at hand, added to
  int elements, samples, sources, rhs;
  double k;
};
/// The innermost loop alone: one pair of points, a thread a right-hand side.
struct PaperPairArguments {
  const DeviceComplex* currents;  ///< of the point of S'
  DeviceComplex* fields;          ///< of the point of S
  DeviceComplex g[6], gradient[3];
  double k2;
  int rhs;
};

}  // namespace conoid::maxwell_fem
