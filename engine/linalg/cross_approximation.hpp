// SPDX-License-Identifier: BSD-3-Clause
// A block of a matrix as a product of low rank, from some of its rows and columns: adaptive cross approximation (M. Bebendorf, Numer. Math.
// 86 (2000) 565), then recompressed.
//
// Blocks belong to points that have `width` rows or columns each (3: components of vectors). All rows of a point are taken together, as
// kernels that do not couple some components (tractions between points of one plane) let single rows end too early; when the crosses
// have become small, rows that no cross has seen are looked at, and the search goes on from the first that is not met.
#pragma once

#include <complex>
#include <vector>

#include "engine/core/types.hpp"

namespace conoid {

/// A block, asked for by rows and columns. Row and column c of point k are number k width + c.
class CrossBlock {
 public:
  using Complex = std::complex<double>;
  virtual ~CrossBlock() = default;
  /// The `width` rows of a point: out[row c][column], one after the other.
  virtual void rows(Index point, Complex* out) = 0;
  /// The `width` columns of a point: out[column c][row].
  virtual void columns(Index point, Complex* out) = 0;
};

/// U Vᴴ, column by column: U rows × rank, V columns × rank.
struct LowRank {
  using Complex = std::complex<double>;
  Index rank = 0, found = 0;  ///< after and before recompression
  std::vector<Complex> u, v;
  double norm2 = 0;   ///< ‖U Vᴴ‖², Frobenius
  double error2 = 0;  ///< ‖block − U Vᴴ‖² as rows tell of it that no cross has seen, scaled to all rows
};

/// To the relative error `tolerance` in the Frobenius norm of the block. `rows`, `columns`: of points. Uses the calling thread alone; the BLAS
/// is to be held to one thread by the caller (one_blas_thread.hpp) where several call.
[[nodiscard]] LowRank cross_approximation(CrossBlock& block, Index rows, Index columns, Index width, double tolerance);

}  // namespace conoid
