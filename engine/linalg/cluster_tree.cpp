// SPDX-License-Identifier: BSD-3-Clause
// Halving by medians.
#include "engine/linalg/cluster_tree.hpp"

#include "engine/core/vec3.hpp"

#include <algorithm>
#include <numeric>

namespace conoid {

ClusterTree::ClusterTree(std::span<const Vec3> points, std::span<const double> reach, Index leaf)
    : order_(points.size()) {
  std::iota(order_.begin(), order_.end(), Index{0});
  clusters_.push_back({.begin = 0, .end = size()});
  const auto point = [&](Index position) -> const Vec3& {
    return points[static_cast<std::size_t>(order_[static_cast<std::size_t>(position)])];
  };
  for (std::size_t at = 0; at < clusters_.size(); ++at) {
    Cluster& c = clusters_[at];
    if (c.size() == 0) continue;
    Vec3 low = point(c.begin), high = low;
    for (Index i = c.begin; i < c.end; ++i)
      for (std::size_t d = 0; d < 3; ++d) {
        low[d] = std::min(low[d], point(i)[d]);
        high[d] = std::max(high[d], point(i)[d]);
      }
    c.centre = vec::scale(0.5, vec::add(low, high));
    for (Index i = c.begin; i < c.end; ++i) {
      const auto number = static_cast<std::size_t>(order_[static_cast<std::size_t>(i)]);
      const double own = reach.empty() ? 0 : reach[number];
      c.radius = std::max(c.radius, vec::distance(points[number], c.centre) + own);
      c.reach = std::max(c.reach, own);
    }
    if (c.size() <= leaf) continue;
    const Vec3 side = vec::sub(high, low);
    const auto axis = static_cast<std::size_t>(std::max_element(side.begin(), side.end()) - side.begin());
    const Index begin = c.begin, end = c.end, middle = (begin + end) / 2;
    std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end, [&](Index a, Index b) {
      const double xa = points[static_cast<std::size_t>(a)][axis], xb = points[static_cast<std::size_t>(b)][axis];
      return xa != xb ? xa < xb : a < b;
    });
    const auto first = static_cast<Index>(clusters_.size());
    c.child = {first, first + 1};  // before push_back() moves it
    clusters_.push_back({.begin = begin, .end = middle});
    clusters_.push_back({.begin = middle, .end = end});
  }
}

std::vector<Index> ClusterTree::cut(Index most) const {
  std::vector<Index> out, open{0};
  while (!open.empty()) {
    const Index k = open.back();
    open.pop_back();
    const Cluster& c = (*this)[k];
    if (c.leaf() || c.size() <= most) {
      out.push_back(k);
      continue;
    }
    open.push_back(c.child[1]);
    open.push_back(c.child[0]);
  }
  return out;
}

ClusterPairs cluster_pairs(const ClusterTree& rows, const ClusterTree& columns, double separation) {
  ClusterPairs out;
  if (rows.size() == 0 || columns.size() == 0) return out;
  std::vector<ClusterPairs::Pair> open{{0, 0}};
  while (!open.empty()) {
    const ClusterPairs::Pair pair = open.back();
    open.pop_back();
    const ClusterTree::Cluster &r = rows[pair.row], &c = columns[pair.column];
    const double gap = vec::distance(r.centre, c.centre) - r.radius - c.radius;
    if (gap > std::max(separation * 2 * std::min(r.radius, c.radius), c.reach)) {
      out.far.push_back(pair);
    } else if (r.leaf() && c.leaf()) {
      out.near.push_back(pair);
    } else if (c.leaf() || (!r.leaf() && r.radius >= c.radius)) {
      for (const Index child : r.child) open.push_back({child, pair.column});
    } else {
      for (const Index child : c.child) open.push_back({pair.row, child});
    }
  }
  return out;
}

}  // namespace conoid
