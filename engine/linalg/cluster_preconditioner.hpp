// SPDX-License-Identifier: BSD-3-Clause
// An approximate inverse of a square compressed matrix: of what is within clusters, by LU in single precision, and of what passes between
// them, by the Galerkin matrix of a few motions of each cluster (two levels; R. A. Nicolaides, SIAM J. Numer. Anal. 24 (1987) 355).
//
// Several ranks share the clusters and the rows of the image of the motions, each an interval of the positions; the Galerkin matrix is
// whole on all. What comes out is that of one rank but for rounding in double precision.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/linalg/compressed_matrix.hpp"
#include "engine/linalg/dense.hpp"

namespace conoid {

template <class T>
class ClusterPreconditioner {
 public:
  using Complex = std::complex<double>;
  using Operator = std::function<void(const Complex* x, Index count, Complex* y)>;
  struct Options {
    Index points = 160;       ///< of a cluster at most
    Index coarse_points = 0;  ///< of one that moves as a whole; 0: no coarse matrix
    int threads = 1;
    int library_threads = 1;  ///< of products that the library splits, whose bits depend on it
    Communicator* ranks =
        nullptr;  ///< that share it; null: one has it. Outlives it. Then make() and solve() are collective, bytes() too
  };
  /// `motion(point, k, values)`: the `width` values of motion k at a point; `motions` of them, 0: no coarse matrix. `apply`: the matrix as
  /// it is to be solved, in the caller's order. Errors: singular clusters (not_converged).
  [[nodiscard]] static Result<ClusterPreconditioner> make(
      const CompressedMatrix<T>& matrix, const Options& options, Index motions,
      const std::function<void(Index point, Index k, double* values)>& motion, const Operator& apply);
  /// The same of a matrix that is kept otherwise: `tree` of its points, which outlives this, `width` rows and columns a point;
  /// `block(cluster, out)`: as CompressedMatrix::diagonal_block(), called by several threads at once; whole on any rank.
  [[nodiscard]] static Result<ClusterPreconditioner> make(
      const ClusterTree& tree, Index width,
      const std::function<void(const ClusterTree::Cluster& cluster, std::complex<float>* out)>& block,
      const Options& options, Index motions, const std::function<void(Index point, Index k, double* values)>& motion,
      const Operator& apply);

  /// y ≈ A⁻¹ x for `count` columns in the caller's order.
  void solve(const Complex* x, Index count, Complex* y) const;
  [[nodiscard]] Bytes bytes() const;  ///< of all ranks
  [[nodiscard]] Index clusters() const { return static_cast<Index>(blocks_.size()); }
  [[nodiscard]] Index coarse() const { return coarse_; }

 private:
  ClusterPreconditioner(const ClusterTree& tree, Index width, const Options& options)
      : tree_(&tree), width_(width), options_(options) {}
  using BlockOf = std::function<void(const ClusterTree::Cluster& cluster, std::complex<float>* out)>;
  [[nodiscard]] static Result<ClusterPreconditioner> make(
      const ClusterTree& tree, Index width, const BlockOf& block, bool parted, const Options& options, Index motions,
      const std::function<void(Index point, Index k, double* values)>& motion, const Operator& apply);
  /// Chooses clusters, and those of this rank.
  void share_out();
  /// `parted`: each rank has a part of each block.
  [[nodiscard]] Status factorise(const BlockOf& block, bool parted);
  /// The values of own blocks, each a sum of the parts of all ranks.
  void gather_blocks(const BlockOf& block);
  [[nodiscard]] Status make_coarse(Index motions, const std::function<void(Index, Index, double*)>& motion,
                                   const Operator& apply);
  /// Columns in the caller's order, out in the tree's.
  void to_tree(const Complex* x, Index count, Complex* out) const;
  /// z = Pᵀ x of one column in the tree's order.
  void onto_moves(const Complex* x, Complex* z) const;
  /// In the tree's order.
  void within(const Complex* x, Index count, Complex* y) const;

  struct Block {
    Index cluster = 0;
    std::vector<std::complex<float>> values;
    std::optional<dense::Lu<std::complex<float>>> lu;
  };
  struct Moves {  ///< columns of P that live on one cluster
    Interval positions;
    Index first = 0;             ///< column
    std::vector<double> values;  ///< entry, column
    Index columns = 0;
  };
  const ClusterTree* tree_;
  Index width_;
  Options options_;
  std::vector<Block> blocks_;  ///< of this rank
  Interval own_;               ///< positions of theirs
  std::vector<Moves> moves_;
  Index coarse_ = 0;
  std::vector<Complex> galerkin_, image_;  ///< Pᵀ A P, factorised; A P in the tree's order, rows of own positions
  std::optional<dense::Lu<Complex>> coarse_lu_;
};

}  // namespace conoid
