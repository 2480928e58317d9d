// SPDX-License-Identifier: BSD-3-Clause
// A dense matrix of far interactions kept as a hierarchical one: blocks of clusters that lie apart as products of low rank
// (cross_approximation.hpp), those of neighbouring leaves as they are. Memory and a product grow as n log n at fixed ranks.
//
// The caller tells values (MatrixSource) and runs the items, so that building can be a phase of a team:
//   CompressedMatrix<T> a(source, rows, columns, options);
//   items 0 … a.items() − 1, in any order, by any threads: a.build(item);
//   a.finish();
//   a.multiply(x, count, y, threads);
// T: what is kept, std::complex<float> or std::complex<double>. Vectors are in the caller's order: component c of point k is entry
// c points + k.
//
// Several ranks keep a matrix together: each builds the near blocks of some leaves and the far blocks of some clusters of rows, an
// interval of each by the values they are expected to have. Vectors are whole on all ranks; products are added over the ranks, each block
// row by the rank that has it, in double precision, so that they are those of one rank but for the last digits of that.
#pragma once

#include <complex>
#include <memory>
#include <span>
#include <vector>

#include "engine/cluster/communicator.hpp"
#include "engine/linalg/cluster_tree.hpp"
#include "engine/linalg/cross_approximation.hpp"

namespace conoid {

/// Values of the matrix, each point with `width` rows or columns. Called by several threads at once.
class MatrixSource {
 public:
  using Complex = std::complex<double>;
  virtual ~MatrixSource() = default;
  /// A block of clusters that lie apart.
  [[nodiscard]] virtual std::unique_ptr<CrossBlock> far(std::span<const Index> rows,
                                                        std::span<const Index> columns) const = 0;
  /// All values of a block of neighbours, column by column: row c of point k of `rows` is number k width + c, columns alike.
  virtual void near(std::span<const Index> rows, std::span<const Index> columns, Complex* out) const = 0;
};

/// Complex values added over ranks, in rank order; null: left as they are. Collective.
void sum_over(Communicator* ranks, std::span<std::complex<double>> values);

template <class T>
class CompressedMatrix {
 public:
  using Complex = std::complex<double>;
  struct Options {
    Index width = 3;
    double tolerance = 1e-4;  ///< of each far block
    double separation = 0.5;  ///< cluster_pairs()
    /// That keep the matrix together; null: one does. Outlives it. Then multiply() and what is said of all blocks are collective.
    Communicator* ranks = nullptr;
  };
  /// Plans the blocks. `source` is used by build() only and must outlive the last call.
  CompressedMatrix(const MatrixSource& source, ClusterTree rows, ClusterTree columns, const Options& options);

  /// Rows of near blocks and far blocks of this rank, dear ones first.
  [[nodiscard]] Index items() const { return static_cast<Index>(strips_.size() + far_.size()); }
  void build(Index item);
  void finish();

  /// y = A x for `count` columns. The same bits for any number of threads. Blocks in whose columns all vectors are zero cost nothing.
  void multiply(const Complex* x, Index count, Complex* y, int threads) const;
  /// The square block of the positions of a cluster, rows and columns having the same order: entry (row, column) of out, whose numbers are
  /// position width + component less those of the cluster's first. Of several ranks what this one has of it; the rest is left alone.
  void diagonal_block(const ClusterTree::Cluster& cluster, std::complex<float>* out) const;

  [[nodiscard]] const ClusterTree& rows() const { return rows_; }
  [[nodiscard]] const ClusterTree& columns() const { return columns_; }
  [[nodiscard]] Index width() const { return options_.width; }
  [[nodiscard]] Communicator* ranks() const { return options_.ranks; }
  [[nodiscard]] Bytes bytes() const;          ///< of this rank
  [[nodiscard]] Bytes all_bytes() const;      ///< of all ranks
  [[nodiscard]] double average_rank() const;  ///< of the far blocks; 0: there are none
  /// ‖A − what is kept‖ / ‖A‖ of the far blocks together, Frobenius, as rows tell of it that were looked at beside those used.
  [[nodiscard]] double sampled_error() const;

 private:
  struct Strip {
    Index row = 0;               ///< a leaf
    std::vector<Index> columns;  ///< leaves
    std::vector<T> values;       ///< rows of the leaf, columns of the leaves one after the other
  };
  struct Far {
    Index row = 0, column = 0, rank = 0;
    std::vector<T> u, v;
    double norm2 = 0, error2 = 0;
  };
  /// Leaves the blocks of this rank.
  void share_out();
  /// Of each cluster of columns whether there is anything but zeros in the vectors.
  [[nodiscard]] std::vector<char> with_values(const T* x, Index count, int threads) const;
  void add_strip(const Strip& strip, const T* x, const std::vector<char>& some, Index count, Complex* y) const;
  void add_far(Interval blocks, const T* x, const std::vector<char>& some, Index count, Complex* y) const;

  const MatrixSource& source_;
  ClusterTree rows_, columns_;
  Options options_;
  std::vector<Strip> strips_;                  ///< by where their rows begin
  std::vector<Far> far_;                       ///< when finished by where their rows begin, by clusters of rows
  std::vector<std::vector<Interval>> levels_;  ///< far blocks of each cluster of rows, by levels of the tree
};

}  // namespace conoid
