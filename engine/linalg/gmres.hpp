// SPDX-License-Identifier: BSD-3-Clause
// Many linear systems with one operator, each by its own GMRES, all in step: the operator sees all unconverged columns at
// once, converged columns drop out (Y. Saad, M. H. Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856).
//
// The caller applies the operator, so that one step can be one unit of work that is shown, stopped and resumed:
//   LockstepGmres g(n, b, tolerance, longest);
//   while (!g.finished()) { auto v = g.next(); w = A v (columns of v); g.take(w); }
//   g.solution()
#pragma once

#include "engine/core/types.hpp"

#include <complex>
#include <span>
#include <vector>

namespace conoid {

class LockstepGmres {
 public:
  using Complex = std::complex<double>;
  /// Systems A x_c = b_c, x = 0 at the start. `b`: columns of length n. Ends a column when ‖b − A x‖ ≤ tolerance ‖b‖ or
  /// after `longest` steps. Keeps longest + 1 vectors of length n a column.
  LockstepGmres(Index n, std::span<const Complex> b, double tolerance, Index longest);

  [[nodiscard]] bool finished() const { return active_.empty(); }
  [[nodiscard]] std::span<const Index> active() const { return active_; }  ///< numbers of the columns that still run
  /// Vectors to which the operator is to be applied: one column for each of active().
  [[nodiscard]] std::vector<Complex> next() const;
  /// Takes A·next() and goes on.
  void take(std::span<const Complex> product);

  [[nodiscard]] Index steps() const { return steps_; }
  [[nodiscard]] Index columns() const { return static_cast<Index>(systems_.size()); }
  [[nodiscard]] double residual(Index column) const {
    return systems_[static_cast<std::size_t>(column)].residual;
  }  ///< relative
  [[nodiscard]] Index steps_of(Index column) const { return systems_[static_cast<std::size_t>(column)].steps; }
  [[nodiscard]] double largest_residual() const;
  [[nodiscard]] bool converged() const;  ///< all columns reached the tolerance

  /// The best iterate so far, all columns.
  [[nodiscard]] std::vector<Complex> solution() const;

 private:
  struct System {
    std::vector<std::vector<Complex>> basis;       ///< orthonormal
    std::vector<std::vector<Complex>> hessenberg;  ///< columns of R after the rotations
    std::vector<Complex> rotation_s, right;        ///< right: Qᴴ (‖b‖ e1)
    std::vector<double> rotation_c;
    double norm = 0, residual = 0;
    Index steps = 0;
  };
  Index n_;
  double tolerance_;
  Index longest_, steps_ = 0;
  std::vector<System> systems_;
  std::vector<Index> active_;
};

}  // namespace conoid
