// SPDX-License-Identifier: BSD-3-Clause
// Many linear systems with one operator, solved together: what the operator did to the residual of one column serves all
// others. Generalised conjugate residuals (S. C. Eisenstat, H. C. Elman, M. H. Schultz, SIAM J. Numer. Anal. 20 (1983) 345)
// for several right-hand sides (P. Soudais, IEEE Trans. Antennas Propag. 42 (1994) 954). With one column it is GMRES.
//
// A step takes only directions that matter: the residuals of the unconverged columns are orthogonalised with pivots until
// what is left of each is small. So converged columns drop out, and columns that resemble each other share directions.
//
// The caller applies the operator, so that one step can be one unit of work that is shown, stopped and resumed:
//   BlockGcr g(n, b, tolerance, longest);
//   while (!g.finished()) { w = A g.next() (columns); g.take(w); }
//   g.solution()
#pragma once

#include "engine/core/types.hpp"

#include <complex>
#include <span>
#include <stop_token>
#include <vector>

namespace conoid {

class BlockGcr {
 public:
  using Complex = std::complex<double>;
  struct Options {
    double tolerance = 1e-3;  ///< a column ends when ‖b − A x‖ ≤ tolerance ‖b‖
    Index longest = 40;       ///< steps; each applies the operator to up to as many vectors as columns run
    Bytes memory =
        Bytes{4} << 30;  ///< of the directions kept, 32 n bytes each; full: they are given up, not the solution
    double share = 0.1;  ///< a step leaves this share of a column's residual, or its tolerance, untouched
    int threads = 1;
    /// Heard within a large product: take() then returns false.
    std::stop_token stop;
  };
  /// Systems A x_c = b_c, x = 0 at the start. `b`: columns of length n.
  BlockGcr(Index n, std::span<const Complex> b, const Options& options);

  [[nodiscard]] bool finished() const { return active_.empty(); }
  [[nodiscard]] std::span<const Index> active() const { return active_; }  ///< numbers of the columns that still run
  /// Vectors to which the operator is to be applied, the same until take().
  [[nodiscard]] std::span<const Complex> next() const { return directions_; }
  [[nodiscard]] Index directions() const { return static_cast<Index>(directions_.size()) / n_; }
  /// Takes A·next() and goes on. False: a stop was asked for. Then only state() is left to call, which holds the last whole
  /// step: this one, or the one before.
  /// `preconditioned`: M·next() of as many columns, where `product` is A M·next(). Then the solution is made of these, and is that of A
  /// to the last digit, whatever M rounds (Y. Saad, SIAM J. Sci. Comput. 14 (1993) 461). Always, or never.
  bool take(std::vector<Complex> product, std::vector<Complex> preconditioned = {});

  [[nodiscard]] Index steps() const { return steps_; }
  [[nodiscard]] Index applications() const { return applications_; }  ///< vectors the operator was applied to
  [[nodiscard]] Index columns() const { return static_cast<Index>(norm_.size()); }
  [[nodiscard]] double residual(Index column) const {
    return residual_[static_cast<std::size_t>(column)];
  }  ///< relative
  [[nodiscard]] Index steps_of(Index column) const { return steps_of_[static_cast<std::size_t>(column)]; }
  [[nodiscard]] const std::vector<Complex>& solution() const { return x_; }

  /// Everything that going on needs, as it stands between take() and next(): vectors in `data`, numbers in `marks`. Beyond
  /// `most` bytes the oldest directions are left out: then the resumed run needs some steps more, but loses nothing it had
  /// solved.
  struct State {
    std::vector<Complex> data;
    std::vector<double> marks;
  };
  [[nodiscard]] State state(Bytes most) const;
  /// False if the state belongs to other systems; then nothing has changed.
  [[nodiscard]] bool restore(const State& state);

 private:
  struct Block {
    std::vector<Complex> u, c;  ///< columns; c = A u, orthonormal
  };
  void choose();

  Index n_;
  Options options_;
  Index steps_ = 0, applications_ = 0;
  std::vector<Complex> x_, r_;           ///< solutions, residuals
  std::vector<double> norm_, residual_;  ///< ‖b‖, relative residuals
  std::vector<Index> steps_of_, active_;
  std::vector<Complex> directions_;
  std::vector<Block> blocks_;
  Index kept_ = 0;  ///< directions in the blocks
};

}  // namespace conoid
