// SPDX-License-Identifier: BSD-3-Clause
// One solution by compressed matrices: both are built, that of the known values serves for the right-hand sides and is given up before the
// other is made; then all columns by generalised conjugate residuals that share directions (engine/linalg/block_gcr.hpp), preconditioned.
//
// Interior equations C x = g (cavities at fictitious frequencies) join as A + Qᴴ Q, Q: rows of C made orthonormal. What satisfies both
// satisfies the sum, and motions of the hollow, which A does not see, are seen by Q.
#pragma once

#include "engine/solvers/elastic_bem/solving/compressed_equations.hpp"

namespace conoid::elastic_bem {

template <class Real>
class CompressedSolution {
 public:
  struct Setting {
    Team& team;
    const Surface& surface;
    const FarRules<Real>& rules;
    const SolveOptions& options;
    const Harmonic& harmonic;
    std::span<const std::array<double, 9>> diagonal;
    const FarField* far;
    const FreeMotions* free;  ///< null: the body is held
    std::span<const WeakMode> modes;
    std::span<const Mirror> mirrors;  ///< empty: no planes of symmetry
    std::stop_token stop;
  };
  /// `unknown`: 3m columns; `values`: of the known ones, a column each load case. Errors: stopped.
  [[nodiscard]] static Result<std::unique_ptr<CompressedSolution>> make(const Setting& setting,
                                                                        std::vector<EquationColumn> unknown,
                                                                        std::vector<EquationColumn> known,
                                                                        const std::vector<Complex>& values);
  [[nodiscard]] const std::vector<Complex>& right_hand_sides() const { return right_; }
  /// The matrix times the rigid motions of a free body, before anything is added to it.
  [[nodiscard]] const std::vector<Complex>& rigid() const { return rigid_; }
  /// y = A x with all that belongs to it but interior equations.
  void multiply(const Complex* x, Index count, Complex* y) const;
  /// C: `rows` × unknowns, g: rows × cases, both column by column.
  void add_interior(std::vector<Complex> c, std::vector<Complex> g, Index rows);
  /// Solves for the right-hand sides f; residual, iterations, what the matrix is like go to `facts`. Errors: stopped, singular equations.
  [[nodiscard]] Result<std::vector<Complex>> solve(const std::vector<Complex>& f, SolveFacts& facts);

 private:
  explicit CompressedSolution(const Setting& setting) : s_(setting), n_(3 * setting.surface.node_count()) {}
  /// Their number does not change what the compressed matrix does, but what the library does.
  [[nodiscard]] int library_threads() const { return s_.options.deterministic ? 1 : s_.team.threads(); }
  void make_beside(const std::vector<EquationColumn>& unknown);
  void with_interior(const Complex* x, Index count, Complex* y) const;
  [[nodiscard]] Status judge(const std::vector<Complex>& f, const std::vector<Complex>& x, SolveFacts& facts) const;

  Setting s_;
  Index n_;
  std::unique_ptr<CompressedColumns> a_;
  std::vector<Complex> more_, right_, rigid_;
  std::optional<Beside> beside_;
  std::vector<Complex> q_,
      q_right_;  ///< interior equations, orthonormal: a row after the other; a case after the other
  Index q_rows_ = 0;
  double growth_ = 0;  ///< largest ‖A v‖ of unit vectors v
  CompressionFacts facts_;
};

}  // namespace conoid::elastic_bem
