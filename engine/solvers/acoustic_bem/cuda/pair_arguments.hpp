// SPDX-License-Identifier: BSD-3-Clause
// What the device kernels of the assembly take: pairs of triangles, one thread a pair, and the entries that gather them.
#pragma once

#include <cstdint>

#include "engine/solvers/acoustic_bem/kernels/shell_lanes.hpp"

namespace conoid::acoustic_bem {

struct PairTriangle : LaneSource {
  double area;
  double combined;  ///< 1; 0: what is tested there has form N beside a combined one
};

struct PairRule {
  const double* points;  ///< λ_0, λ_1, λ_2, weight of each
  std::int32_t count;
};

/// Shells that a pair meets.
struct PairHead {
  std::int32_t first, shells;
};

constexpr int pair_moments = 20;  ///< P (9), Q1, Q2, D (9)
constexpr int pair_values = 18;   ///< direct (9), transposed (9): as LaneResult

/// Pair p = source · outers + outer. Numbers of pairs lie side by side: moment r of shell s at (s · 20 + r) · pairs + p, value e of
/// column c at (c · 18 + e) · pairs + p.
struct PairArguments {
  const PairTriangle* triangle;
  const std::int32_t* outer;   ///< number of each outer triangle
  const std::int32_t* source;  ///< of each source triangle; images lie behind all triangles
  std::int32_t outers, sources;
  PairRule far, near, thin;
  double delta, alpha_plus, alpha_minus;
  std::int32_t kind;  ///< LaneKind
  std::int32_t most;  ///< shells of a pair
  PairHead* head;
  double* work;
  double* values;
};

/// An unknown's function at a corner of a triangle of the list.
struct PairCorner {
  std::int32_t triangle, corner;
  double weight;
};

/// Adds to every entry (i, j) of a block, one thread an entry, what the pairs of its triangles hold. Transposed: to entry (j, i) of a
/// block of cols × rows. Columns outside an entry's extent hold round-off of a shell that a pair just touches, and are left out.
struct PairGatherArguments {
  const PairHead* head;
  const double* values;
  std::int32_t pairs, outers, reach;
  const std::int32_t* row_begin;  ///< rows + 1
  const PairCorner* row;
  const std::int32_t* column_begin;  ///< cols + 1
  const PairCorner* column;
  std::int32_t rows, columns, transposed;
  const std::uint32_t* offset;  ///< of the block, as in Block
  const std::uint16_t* first;   ///< [entry of the block]
  const std::uint16_t* last;
  double* block;
};

}  // namespace conoid::acoustic_bem
