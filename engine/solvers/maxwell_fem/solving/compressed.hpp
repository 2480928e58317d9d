// SPDX-License-Identifier: BSD-3-Clause
// The radiation operator kept: far blocks as products of low rank by adaptive cross approximation (M. Bebendorf, Numer. Math.
// 86 (2000) 565), near blocks computed anew each time. When it pays: plan_radiation.hpp.
#pragma once

#include "engine/solvers/maxwell_fem/discretization/domain.hpp"
#include "engine/solvers/maxwell_fem/kernels/radiation.hpp"

#include <span>
#include <stop_token>
#include <vector>

namespace conoid::maxwell_fem {

class CompressedRadiation {
 public:
  /// Blocks whose clusters are farther apart than `separation` of the smaller one's diameter are compressed to `tolerance`
  /// (relative, Frobenius norm of each block).
  /// Of several ranks each makes and applies the rows of its own part of S: a stretch of leaves of the tree.
  CompressedRadiation(const Domain& domain, double k, double tolerance, int threads, std::stop_token stop = {},
                      double separation = 0.5, int rank = 0, int ranks = 1);
  /// Whether a face of S is this rank's; sums of others are left alone.
  [[nodiscard]] bool owns(Index face) const { return owned_[static_cast<std::size_t>(face)]; }

  /// plus and minus halves (kernels/radiation.hpp), unscaled, without near corrections; f and sums in columns as
  /// Radiation::apply has them. Adds to `sums`.
  void apply(std::span<const Complex> f, Index count, std::span<Complex> sums, int threads) const;

  [[nodiscard]] Bytes bytes() const;  ///< of this rank
  /// Of these rows written out.
  [[nodiscard]] Bytes dense_bytes() const {
    return static_cast<Bytes>(4 * own_.size() * face_points * from_.count) * sizeof(Complex);
  }
  [[nodiscard]] double average_rank() const;

 private:
  struct Cluster {
    Index begin = 0, end = 0;  ///< faces, in the tree's order
    std::array<Index, 2> child{-1, -1};
    Vec3 centre{};
    double radius = 0;
  };
  struct Tree {
    std::vector<Index> faces;  ///< the patch's number of each face
    std::vector<Cluster> clusters;
  };
  struct LowRank {
    Index to = 0, from = 0;           ///< clusters
    Index rank[2] = {0, 0};           ///< of the halves
    std::vector<Complex> u[2], v[2];  ///< rows × rank; columns × rank, conjugated: the block is U Vᴴ
  };
  struct Near {
    Index to = 0, from = 0;  ///< leaves
  };

  static Tree make_tree(const Domain& domain, const Patch& patch);
  static PointArrays ordered_points(const Patch& patch, const Tree& tree);
  void share_out(int rank, int ranks);
  void pair_up(Index to, Index from, double separation);
  void compress(LowRank& block, double tolerance) const;
  void sort_far();
  void add_far(std::span<const Complex> g, Index count, std::span<Complex> out, int threads) const;
  void add_blocks(Interval blocks, int half, Interval these, std::span<const Complex> g, std::span<Complex> out) const;

  double k_;
  std::stop_token stop_;
  Tree to_tree_, from_tree_;
  PointArrays to_, from_;                      ///< in the trees' orders
  std::vector<LowRank> far_;                   ///< by target cluster
  std::vector<std::vector<Interval>> levels_;  ///< far blocks of each target cluster, by levels of the tree
  std::vector<Near> near_;
  Interval own_;             ///< faces in the tree's order
  std::vector<bool> owned_;  ///< faces in the patch's
};

}  // namespace conoid::maxwell_fem
