// SPDX-License-Identifier: BSD-3-Clause
// One solution by compressed matrices, those of each region by themselves: both are built, that of the known values serves for the right-hand sides and is given up before the
// other is made; then all columns by generalised conjugate residuals that share directions (engine/linalg/block_gcr.hpp), preconditioned.
//
// Interior equations C x = g (cavities at fictitious frequencies) join as A + Qᴴ Q, Q: rows of C made orthonormal. What satisfies both
// satisfies the sum, and motions of the hollow, which A does not see, are seen by Q.
//
// Ranks (SolveOptions::ranks) share matrices and preconditioner; the leading one has the iterations, whose vectors the others multiply with
// it, so that no rank goes another way; all calls but right_hand_sides() and rigid() are collective then.
#pragma once

#include "engine/solvers/elastic_bem/solving/joined_preconditioner.hpp"

namespace conoid::elastic_bem {

/// The rows of one region: its columns, and where their values are among all unknowns, which are in the order component, node.
template <class Real>
struct CompressedPart {
  const Surface* surface = nullptr;
  Index first_node = 0;  ///< of all regions
  RegionMedium<Real> medium;
  /// A closed region moves as a rigid whole without traction, and what its matrix makes of that instead pulls at what is around it: its
  /// stiffness over that, at least 1. So many times smaller are the errors that it may have.
  double weight = 1;
  const FarField* far = nullptr;
  std::span<const WeakMode> modes;
  std::vector<EquationColumn> unknown, known;  ///< nodes and tractions are those of the region
  std::vector<Index> place, known_place;       ///< of each column: its unknown, its known value
  std::vector<Complex> factor;                 ///< of each column of unknowns
};

template <class Real>
class CompressedSolution {
 public:
  struct Setting {
    Team& team;
    const Surface& surface;  ///< of all regions
    std::vector<CompressedPart<Real>> parts;
    const SolveOptions& options;
    const FreeMotions* free;          ///< null: the body is held; of one region
    std::span<const Mirror> mirrors;  ///< empty: no planes of symmetry; of one region
    std::stop_token stop;
  };
  /// `values`: of `known` columns, a column each load case. Errors: stopped.
  [[nodiscard]] static Result<std::unique_ptr<CompressedSolution>> make(Setting setting,
                                                                        const std::vector<Complex>& values,
                                                                        Index known);
  [[nodiscard]] const std::vector<Complex>& right_hand_sides() const { return right_; }
  /// The matrix times the rigid motions of a free body, before anything is added to it.
  [[nodiscard]] const std::vector<Complex>& rigid() const { return rigid_; }
  /// y = A x with all that belongs to it but interior equations.
  void multiply(const Complex* x, Index count, Complex* y) const;
  /// C: `rows` × unknowns, g: rows × cases, both column by column.
  void add_interior(std::vector<Complex> c, std::vector<Complex> g, Index rows);
  /// Solves for the right-hand sides f; residual, iterations, what the matrix is like go to `facts`, alike on all ranks. Errors: stopped,
  /// singular equations; on all ranks alike, too.
  [[nodiscard]] Result<std::vector<Complex>> solve(const std::vector<Complex>& f, SolveFacts& facts);

 private:
  /// Matrix of a region, and what is beside it.
  struct Region {
    std::unique_ptr<CompressedColumns> a;
    std::vector<Complex> more;
    std::optional<Beside> beside;
  };
  explicit CompressedSolution(Setting setting) : s_(std::move(setting)), n_(3 * s_.surface.node_count()) {}
  /// Their number does not change what the compressed matrix does, but what the library does.
  [[nodiscard]] int library_threads() const { return s_.options.deterministic ? 1 : s_.team.threads(); }
  void note(const CompressionFacts& facts, double weight);
  [[nodiscard]] Status build(std::size_t region, const std::vector<Complex>& values, Index known);
  /// Puts the rows of a region where they belong.
  void put_rows(const CompressedPart<Real>& part, const std::vector<Complex>& rows, Index count, Complex* to) const;
  void make_beside(std::size_t region);
  [[nodiscard]] Status prepare(const std::function<void(const Complex*, Index, Complex*)>& whole);
  void approximate(const Complex* y, Index count, Complex* x) const;
  void with_interior(const Complex* x, Index count, Complex* y) const;
  /// Whether this rank has the iterations, and a value of the one that has.
  [[nodiscard]] bool leads() const { return s_.options.ranks == nullptr || s_.options.ranks->leads(); }
  [[nodiscard]] Index told(Index value) const {
    return s_.options.ranks == nullptr ? value : s_.options.ranks->from_root(value);
  }
  void tell(std::vector<Complex>& values) const;
  /// The relative residual that is asked for.
  [[nodiscard]] double asked() const;
  /// Columns of right-hand sides by iterations, to a relative residual; adds the steps. False: stopped.
  [[nodiscard]] bool iterate(const std::vector<Complex>& right, double tolerance, std::vector<Complex>& x,
                             SolveFacts& facts);
  /// right becomes what x leaves of f; the largest relative one, of the leading rank.
  [[nodiscard]] double left(const std::vector<Complex>& f, const std::vector<Complex>& x,
                            std::vector<Complex>& right) const;
  [[nodiscard]] Status judge(const std::vector<Complex>& f, const std::vector<Complex>& x, SolveFacts& facts) const;

  Setting s_;
  Index n_;
  std::vector<Region> regions_;
  std::vector<Complex> right_, rigid_;
  std::unique_ptr<JoinedPreconditioner> joined_;  ///< of several regions
  std::vector<Complex> q_,
      q_right_;  ///< interior equations, orthonormal: a row after the other; a case after the other
  Index q_rows_ = 0;
  double growth_ = 0;       ///< largest ‖A v‖ of unit vectors v
  CompressionFacts facts_;  ///< bytes: at the most, of all ranks
  Bytes kept_ = 0;          ///< of the matrices of unknowns so far
};

}  // namespace conoid::elastic_bem
