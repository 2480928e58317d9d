// SPDX-License-Identifier: BSD-3-Clause
// What the device kernels of far pairs take. Plain structs: host code fills them in, nvcc reads nothing else of the solver.
//
// Elements come in groups of consecutive ones. A thread owns a row and goes through the elements of a group, so that sums at nodes which
// those share need no atomic operation and have one order. Each group has columns of its own in the panel, 3 · rows complex values each:
// component c of row i at c · rows + i, as in the matrix.
#pragma once

namespace conoid::elastic_bem {

inline constexpr int pair_terms = 17;          ///< of the series: what single precision needs, double needs fewer
inline constexpr int pair_nodes = 9;           ///< of an element, at most
inline constexpr int pair_threads = 128;       ///< a block for constant elements
inline constexpr int pair_block_threads = 64;  ///< a block a pair: 8 x 8 points
inline constexpr int pair_sets = 5;    ///< warps of a block for elements of several nodes, each with six sums a node
inline constexpr int pair_parts = 15;  ///< values that t* and u* of a point are made of
inline constexpr int pair_rows_a_block = 32;  ///< of a block for elements of several nodes

/// The medium at one frequency, as LaneMedium.
template <class Real>
struct PairMedium {
  int damped = 0;
  Real kS[2], kP[2], iS[2], iP[2];
  Real kappa2, L, scale;
  Real series[5][2][pair_terms];
};

/// Gauss points of one class: at · … in PairArguments::points, x, y, z, n_x, n_y, n_z, w and the field functions, `padded` values each.
struct PairClass {
  double distance2 = 0;
  long long at = 0;
  int count = 0, padded = 0;
};
struct PairElement {
  double centre[3];  ///< about the origin of the rules
  int node[pair_nodes];
  int nodes = 0, with_u = 0;
  int first_class = 0, classes = 0;
  int first_target = 0;  ///< of its 6 · nodes ones: of each node three of H, three of G
};
/// Where a column goes; −1: nowhere.
template <class Real>
struct PairTarget {
  int column = -1;
  int add = 0;  ///< to what an element of the group before has written
  Real re = 0, im = 0;
};
struct PairGroup {
  int begin = 0, end = 0;
};

template <class Real>
struct PairArguments {
  const PairElement* elements;
  const PairClass* classes;
  const PairTarget<Real>* targets;
  const PairGroup* groups;  ///< of this launch: blockIdx.y
  const Real* points;
  const Real* rows;                 ///< x, y, z of all rows about the origin of the rules
  Real* panel;                      ///< complex
  unsigned long long* evaluations;  ///< counted up: Gauss points of all pairs
  int row_count;
  int on_surface;  ///< row i is node i
  int lanes;       ///< rows that the processor takes together, which decides their rule
  int chunk;       ///< points in shared memory at a time (elements of several nodes)
  PairMedium<Real> medium;
};
/// A column of a matrix on the device that gets columns of a panel: order[begin] … order[end − 1].
template <class Real>
struct PlacedColumn {
  Real* to = nullptr;  ///< complex
  int begin = 0, end = 0;
};
template <class Real>
struct PlaceArguments {
  const PlacedColumn<Real>* columns;  ///< blockIdx.y
  const int* order;
  const Real* panel;
  long long length;  ///< complex values of a column
  int set;           ///< 0: they are added to what is there
};

/// Columns of a panel times rows of x, added to sums of parts of them.
template <class Real>
struct SumArguments {
  const int* row;     ///< of x, of each column
  const Real* x;      ///< complex, rows of `cases`
  const Real* panel;  ///< complex
  Real* parts;        ///< complex: sums of a part, those of a case together
  long long length;   ///< complex values of a column
  int columns;
  int parts_count;
  int cases;  ///< a multiple of sum_cases
};
inline constexpr int sum_cases = 4;  ///< of a thread

/// A value that the host has worked out, for a matrix on the device; no two of a launch for the same place.
template <class Real>
struct MatrixPatch {
  Real* to = nullptr;  ///< complex
  Real re = 0, im = 0;
};
template <class Real>
struct PatchArguments {
  const MatrixPatch<Real>* patches;
  long long count;
};

/// What becomes of a column once all pairs are in: w · column + diagonal at one row + weight · a column of `more`.
template <class Real>
struct FinishedColumn {
  Real* column = nullptr;  ///< complex
  Real window = 1;
  Real diagonal_re = 0, diagonal_im = 0;
  long long row = -1;  ///< of the diagonal; −1: none
  int from = -1;       ///< column of `more`; −1: none
  Real weight_re = 0, weight_im = 0;
};
template <class Real>
struct FinishArguments {
  const FinishedColumn<Real>* columns;  ///< blockIdx.y
  const Real* more;
  long long length;
};
inline constexpr int matrix_threads = 256;

/// Bytes of shared memory of a block for elements of several nodes.
constexpr unsigned long long pair_shared(int chunk, int real_bytes) {
  return 1ULL * static_cast<unsigned>(chunk) * pair_parts * pair_rows_a_block * static_cast<unsigned>(real_bytes);
}

}  // namespace conoid::elastic_bem
