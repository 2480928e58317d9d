// SPDX-License-Identifier: BSD-3-Clause
// The equations kept compressed (engine/linalg/compressed_matrix.hpp), with what is beside the mesh's own elements: fading, the ground beyond
// it, equations for what the others hardly see, are added to products, not to the matrix. Ranks share blocks and clusters; what is beside
// is alike on all of them.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>

#include "engine/linalg/cluster_preconditioner.hpp"
#include "engine/solvers/elastic_bem/discretization/compressed_values.hpp"
#include "engine/solvers/elastic_bem/discretization/far_ground.hpp"
#include "engine/solvers/elastic_bem/discretization/weak_modes.hpp"
#include "engine/solvers/elastic_bem/solving/system.hpp"

namespace conoid::elastic_bem {

/// Nodes of a leaf, and how far clusters of far blocks are apart (of the smaller one's diameter).
inline constexpr Index compressed_leaf = 32;
inline constexpr double compressed_separation = 0.5;
/// Values are kept in double precision from this tolerance down, and where products are to leave a smaller residual than this (in single
/// precision 1.7e-7 are left, of any number of steps).
inline constexpr double kept_in_single = 1e-5, least_residual_in_single = 1e-6;
[[nodiscard]] inline bool kept_in_double(double tolerance, double residual) {
  return tolerance < kept_in_single || residual < least_residual_in_single;
}

/// The relative residual that iterations are to leave: what was asked for, else this share of the matrices' error, which is the larger one
/// then. `weight`: so many times smaller the errors are to be.
inline constexpr double residual_share = 0.1;
[[nodiscard]] inline double compressed_residual(const SolveOptions& options, double weight = 1) {
  return options.tolerance_asked ? options.tolerance
                                 : std::max(options.tolerance, residual_share * options.compression / weight);
}

/// Of the tolerance: static row sums, which go into the diagonal.
inline constexpr double compressed_sums_share = 0.1;
/// Below so many nodes every pair of them is summed in less time than that takes.
inline constexpr Index least_compressed_sums = 8000;
/// The accuracy of the integrals of row sums, compressed or not: a diagonal's error is that of all its row's pairs.
[[nodiscard]] inline Accuracy static_accuracy(Accuracy accuracy) {
  if (!accuracy.fixed8) accuracy.target = std::min(accuracy.target, 1e-7);
  return accuracy;
}

/// What was made, for results and logs.
struct CompressionFacts {
  Bytes bytes = 0;             ///< of all ranks, as all that follows
  double rank = 0, error = 0;  ///< mean rank; sampled error of the far blocks
  AssemblyWork work;
};

/// One matrix: of the unknowns, or of known values.
class CompressedColumns {
 public:
  virtual ~CompressedColumns() = default;
  /// y = M x: a value of x for each of the columns, y with rows c m + node.
  virtual void multiply(const Complex* x, Index count, Complex* y, int threads) const = 0;
  [[nodiscard]] virtual const CompressionFacts& facts() const = 0;
  /// x ≈ M⁻¹ y, of the matrix of unknowns; null until prepare().
  [[nodiscard]] virtual Status prepare(const std::function<void(const Complex*, Index, Complex*)>& whole, int threads,
                                       int library_threads) = 0;
  virtual void approximate(const Complex* y, Index count, Complex* x) const = 0;
  /// Values of some rows and columns, of neighbours: three rows a node, (3 node + component), column by column.
  virtual void values(std::span<const Index> nodes, std::span<const Index> columns, Complex* out) const = 0;
};

/// What clusters of so many nodes are solved by in preconditioners.
template <class T>
[[nodiscard]] typename ClusterPreconditioner<T>::Options cluster_options(Index nodes, int threads, int library_threads,
                                                                         Communicator* ranks);
/// The six rigid motions of the surface where `moves` (component, node) says that a displacement is unknown.
[[nodiscard]] std::function<void(Index node, Index k, double* values)> rigid_motions(const Surface& surface,
                                                                                     std::span<const char> moves);

/// Builds it, phase "compress" of the team. `mirrors` of a square one (empty: no planes of symmetry): rows of one node of all that are its
/// images are made, those of the others are products of reflected vectors. `ranks`: that share it, null: none; then it and all that is done
/// with it are collective. `residual`: what its products are to leave at most of right-hand sides, which single precision may not do.
/// Errors: stopped, on all ranks where one was.
template <class Real>
[[nodiscard]] Result<std::unique_ptr<CompressedColumns>> compress(
    Team& team, const Surface& surface, const FarRules<Real>& rules, const Accuracy& accuracy, const Harmonic& harmonic,
    std::span<const std::array<double, 9>> diagonal, std::span<const EquationColumn> columns, bool square,
    std::span<const Mirror> mirrors, double tolerance, std::stop_token stop, Communicator* ranks = nullptr,
    double residual = 1);

/// Whether a stop was asked for on some rank. Collective; null: of this one.
[[nodiscard]] bool stop_of_any(const std::stop_token& stop, Communicator* ranks);

/// What is added to the products of one matrix.
class Beside {
 public:
  /// `more`: rows × places of the ground beyond the mesh (null: none), `modes`; all must outlive it.
  Beside(const Surface& surface, std::span<const EquationColumn> columns, const FarField* far,
         const std::vector<Complex>* more, std::span<const WeakMode> modes);
  /// x as the matrix is to see it: displacements faded.
  [[nodiscard]] std::vector<Complex> faded(const Complex* x, Index count) const;
  /// Adds to y, the product with faded(x), what belongs to x.
  void add(const Complex* x, Index count, Complex* y) const;

 private:
  struct Faded {
    Index column = 0, row = 0;
    double window = 1;
    Complex diagonal;
  };
  struct Place {
    Index column = 0, from = 0;  ///< column of `more`
    Complex weight;
  };
  Index columns_, rows_;
  std::vector<Faded> faded_;
  std::vector<Place> places_;
  const std::vector<Complex>* more_;
  std::span<const WeakMode> modes_;
  std::vector<std::vector<Complex>> mode_values_;  ///< mode, column
};

}  // namespace conoid::elastic_bem
