// SPDX-License-Identifier: BSD-3-Clause
// Points in clusters that are halved again and again along their longest side: what blocks of matrices of far interactions belong to.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "engine/core/types.hpp"

namespace conoid {

class ClusterTree {
 public:
  struct Cluster {
    Index begin = 0, end = 0;  ///< positions in the tree's order
    std::array<Index, 2> child{-1, -1};
    Vec3 centre{};
    double radius = 0;  ///< about the centre, reaches included
    double reach = 0;   ///< the largest of its points
    [[nodiscard]] bool leaf() const { return child[0] < 0; }
    [[nodiscard]] Index size() const { return end - begin; }
  };
  /// `reach`: how far what belongs to a point extends from it; empty: not at all. The order follows from the points alone. Leaves have
  /// up to `leaf` points. O(n log n).
  ClusterTree(std::span<const Vec3> points, std::span<const double> reach, Index leaf);

  /// Clusters; children follow their parents, the first is the whole.
  [[nodiscard]] const std::vector<Cluster>& clusters() const { return clusters_; }
  [[nodiscard]] const Cluster& operator[](Index k) const { return clusters_[static_cast<std::size_t>(k)]; }
  [[nodiscard]] const std::vector<Index>& order() const { return order_; }  ///< point of each position
  [[nodiscard]] std::span<const Index> points(const Cluster& c) const {
    return {order_.data() + c.begin, static_cast<std::size_t>(c.size())};
  }
  [[nodiscard]] Index size() const { return static_cast<Index>(order_.size()); }
  /// The coarsest clusters of up to `most` points, in the order of their positions.
  [[nodiscard]] std::vector<Index> cut(Index most) const;

 private:
  std::vector<Index> order_;
  std::vector<Cluster> clusters_;
};

/// Clusters of rows and columns whose blocks make up a matrix. Far: the gap between the spheres is wider than `separation` times the
/// smaller diameter, and than the reach of the columns.
struct ClusterPairs {
  struct Pair {
    Index row = 0, column = 0;
  };
  std::vector<Pair> far, near;  ///< near ones are leaves both
};
[[nodiscard]] ClusterPairs cluster_pairs(const ClusterTree& rows, const ClusterTree& columns, double separation);

}  // namespace conoid
