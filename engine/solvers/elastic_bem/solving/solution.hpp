// SPDX-License-Identifier: BSD-3-Clause
// One solution of the boundary element equations, of which BoundarySystem::solve() takes the steps. For solve.cpp,
// solution_equations.cpp, which makes the equations, and solution_solving.cpp, which solves them; thread of the run, whose team computes.
#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "engine/linalg/dense.hpp"
#include "engine/solvers/elastic_bem/cuda/device_solution.hpp"
#include "engine/solvers/elastic_bem/discretization/weak_modes.hpp"
#include "engine/solvers/elastic_bem/solving/compressed_solution.hpp"
#include "engine/solvers/elastic_bem/solving/system.hpp"
#include "engine/team/team.hpp"

namespace conoid::elastic_bem {

/// What one call of BoundarySystem::solve() works on; its members are the steps, in the order in which solve() takes them.
template <class Real>
class BoundarySystem::Solution {
 public:
  using C = std::complex<Real>;
  /// A residual that is good enough of equations in single precision.
  static constexpr double residual_in_single = 1e-4;
  Solution(const BoundarySystem& system, Team& team, std::span<const RegionMedium<Real>> media,
           const std::vector<LoadValues>& cases, const SolveOptions& options, SolveFacts& facts, std::stop_token stop,
           SolveMemory* memory, const FarField* far);

  [[nodiscard]] Status assemble(Progress& progress);
  /// What is beside the mesh's own elements: fading, the ground beyond it, equations for what the others hardly see.
  void complete();
  void right_hand_sides();
  /// Of a free body the loads' resultant goes into its acceleration.
  [[nodiscard]] Status accelerate();
  [[nodiscard]] Status solve_by_gmres();
  [[nodiscard]] Status solve_compressed();
  [[nodiscard]] Status solve_by_factors();
  void note_interior_defect();
  [[nodiscard]] Status add_interior_equations();
  [[nodiscard]] std::vector<BoundaryValues> boundary_values() const;
  [[nodiscard]] bool has_interior() const { return extra_ > 0; }
  /// The residual that the answer is held to.
  [[nodiscard]] double asked() const {
    return sizeof(Real) == 8 || options_.tolerance_asked ? options_.tolerance
                                                         : std::max(residual_in_single, options_.tolerance);
  }

 private:
  template <class T>
  static std::span<T> numbers(BigArray<std::byte>& from, Index count);
  /// A region's equations.
  struct Part {
    RegionRows rows;
    Index begin = 0, count = 0;  ///< its rows of the matrix
    std::vector<Vec3> interior;  ///< points of its interior equations
    Index first = 0;             ///< their first row
    std::vector<WeakMode> modes;
    Targets<Real> targets, targets2;
  };
  /// Columns of a part: `unknown` and `known` begin at its first row, `rows` apart.
  [[nodiscard]] Targets<Real> targets_of(const Part& part, C* unknown, C* known, Index rows) const;
  [[nodiscard]] Index partner(Index node) const { return system_.partner(node); }
  /// Adds to the right-hand sides what a field from the medium puts on interfaces.
  void add_incident();
  [[nodiscard]] bool compressed() const { return options_.method == Method::compressed; }
  [[nodiscard]] Status compress();
  void collect_columns(const Part& from, CompressedPart<Real>& part) const;
  /// Of the matrix: where the row of component d at a node of a region is. Compressed rows are in the order of the unknowns.
  [[nodiscard]] Index row_of(const Part& part, Index node, Index d) const {
    return compressed() ? d * m_ + node : system_.row_of(part.rows, node, d);
  }
  [[nodiscard]] Status assemble_interior();
  /// Of the known columns: a value each, case after case.
  [[nodiscard]] std::vector<C> known_values() const;
  double residuals(std::vector<Complex>& r) const;
  template <class F>
  [[nodiscard]] Status factorise_and_correct(dense::Rounding rounding = dense::Rounding::of_numbers);
  /// Whether factors of ten bits were tried and corrections by them reached the tolerance.
  [[nodiscard]] Result<bool> solve_by_coarse_factors();
  /// The matrix in the precision of the factors, in memory of the host.
  template <class F>
  [[nodiscard]] F* factors_of_matrix();
  [[nodiscard]] bool whole() const { return device_ && device_->whole(); }
  void leave_device();
  void multiply(std::span<C> a, Index cols, const C* x, Index columns, C* y) const {
    if (whole())
      device_->multiply(a.data(), cols, x, columns, y);
    else
      dense::multiply<C>(a.data(), n_, cols, x, columns, C(0), y, library_threads_);
  }

  const BoundarySystem& system_;
  const Surface& s_;
  Team& team_;
  const std::span<const RegionMedium<Real>> media_;
  const Harmonic& harmonic_;     ///< of the first region
  const Complex traction_unit_;  ///< unknown tractions are over it: that of the first region
  const std::vector<LoadValues>& cases_;
  const SolveOptions& options_;
  SolveFacts& facts_;
  std::stop_token stop_;
  const FarField* far_;
  const CpuWorker all_threads_;
  const int
      library_threads_;  ///< products and triangular solves of the library depend on their number; our own LU does not
  const Index m_, n_, columns_;
  const std::vector<Known> known_;
  std::vector<Part> parts_;
  Index extra_ = 0;  ///< points of the interior equations
  SolveMemory own_memory_;
  SolveMemory& room_;
  const bool keep_room_;
  std::unique_ptr<DeviceSolution<Real>> device_;          ///< null: processors solve
  std::unique_ptr<CompressedSolution<Real>> compressed_;  ///< null: dense matrices
  std::span<C> a_, b_;      ///< matrices of unknown and of known values, column by column; on the device, if whole()
  std::vector<C> a2_, b2_;  ///< those of the interior equations
  FreeMotions free_;
  bool is_free_ = false;
  bool parted_ = false;         ///< the equations fall apart by their parities
  std::vector<C> rigid_;        ///< the columns of H times the rigid motions, before anything is added
  std::vector<Complex> f_, x_;  ///< right-hand sides, solutions
  std::vector<C> rhs2_;
  std::vector<std::vector<Complex>> accelerated_;  ///< a case: rigid motion of a free body, empty where it rests
};

template <class Real>
template <class T>
std::span<T> BoundarySystem::Solution<Real>::numbers(BigArray<std::byte>& from, Index count) {
  const auto bytes = static_cast<std::size_t>(count) * sizeof(T);
  if (from.size() < bytes) {
    from = BigArray<std::byte>();
    from = BigArray<std::byte>(bytes);
  }
  return {reinterpret_cast<T*>(from.data()), static_cast<std::size_t>(count)};
}

}  // namespace conoid::elastic_bem
