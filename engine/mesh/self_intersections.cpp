// SPDX-License-Identifier: BSD-3-Clause
// Triangles that cut through each other: a tree of boxes over the triangles in Hilbert order, then
// edges against triangles in plain doubles.
#include "engine/core/vec3.hpp"
#include "engine/mesh/ordering.hpp"
#include "engine/mesh/topology.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

namespace conoid {
namespace {

struct Box {
  Vec3 low{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(),
           std::numeric_limits<double>::infinity()};
  Vec3 high{-std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
            -std::numeric_limits<double>::infinity()};
  void add(const Vec3& p) {
    for (std::size_t a = 0; a < 3; ++a) {
      low[a] = std::min(low[a], p[a]);
      high[a] = std::max(high[a], p[a]);
    }
  }
  void add(const Box& o) {  // an empty one adds nothing
    for (std::size_t a = 0; a < 3; ++a) {
      low[a] = std::min(low[a], o.low[a]);
      high[a] = std::max(high[a], o.high[a]);
    }
  }
  [[nodiscard]] bool meets(const Box& o) const {
    for (std::size_t a = 0; a < 3; ++a)
      if (low[a] > o.high[a] || o.low[a] > high[a]) return false;
    return true;
  }
};

struct Triangle {
  Index cell;
  std::array<Index, 3> nodes;
};

/// Does the segment pq pass through the inside of the triangle? Strict: touching does not count.
bool pierces(const Vec3& p, const Vec3& q, const std::array<Vec3, 3>& t) {
  const auto side = [](const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    return vec::triple(vec::sub(b, a), vec::sub(c, a), vec::sub(d, a));
  };
  const double sp = side(t[0], t[1], t[2], p);
  const double sq = side(t[0], t[1], t[2], q);
  if (!((sp > 0 && sq < 0) || (sp < 0 && sq > 0))) return false;
  const double a = side(p, q, t[0], t[1]);
  const double b = side(p, q, t[1], t[2]);
  const double c = side(p, q, t[2], t[0]);
  return (a > 0 && b > 0 && c > 0) || (a < 0 && b < 0 && c < 0);
}

/// Complete binary tree over a row of leaves of up to 4 triangles; node 1 is the root, its children 2i and 2i + 1.
class BoxTree {
 public:
  static constexpr std::size_t leaf_size = 4;

  BoxTree(const Mesh& mesh, const std::vector<Triangle>& triangles) : triangles_(triangles) {
    const std::size_t leaves = (triangles.size() + leaf_size - 1) / leaf_size;
    while (first_leaf_ < leaves) first_leaf_ *= 2;
    boxes_.resize(2 * first_leaf_);
    for (std::size_t i = 0; i < triangles.size(); ++i)
      for (const Index n : triangles[i].nodes) boxes_[first_leaf_ + i / leaf_size].add(mesh.point(n));
    for (std::size_t i = first_leaf_; i-- > 1;)
      for (const std::size_t child : {2 * i, 2 * i + 1}) boxes_[i].add(boxes_[child]);
  }
  /// f(i) for each triangle i whose leaf meets the box; stops when f returns false.
  void visit(const Box& box, const auto& f) const {
    std::vector<std::size_t> stack{1};
    while (!stack.empty()) {
      const std::size_t node = stack.back();
      stack.pop_back();
      if (!boxes_[node].meets(box)) continue;
      if (node < first_leaf_) {
        stack.push_back(2 * node);
        stack.push_back(2 * node + 1);
        continue;
      }
      const std::size_t begin = (node - first_leaf_) * leaf_size;
      for (std::size_t i = begin; i < std::min(begin + leaf_size, triangles_.size()); ++i)
        if (!f(i)) return;
    }
  }

 private:
  const std::vector<Triangle>& triangles_;
  std::vector<Box> boxes_;
  std::size_t first_leaf_ = 1;
};

}  // namespace

std::vector<std::array<Index, 2>> self_intersections(const Mesh& mesh, Index limit) {
  std::vector<Triangle> triangles;
  const auto centres = cell_centres(mesh);
  for (const Index c : curve_order(centres, Curve::hilbert)) {
    if (dimension_of(mesh.shape(c)) != 2) continue;
    const auto n = mesh.nodes(c);
    triangles.push_back({c, {n[0], n[1], n[2]}});
    if (corners_of(mesh.shape(c)) == 4) triangles.push_back({c, {n[0], n[2], n[3]}});
  }
  std::set<std::array<Index, 2>> found;
  if (triangles.empty()) return {};
  const BoxTree tree(mesh, triangles);
  const auto shares_corner = [&](Index a, Index b) {
    const auto x = mesh.nodes(a).first(static_cast<std::size_t>(corners_of(mesh.shape(a))));
    const auto y = mesh.nodes(b).first(static_cast<std::size_t>(corners_of(mesh.shape(b))));
    return std::find_first_of(x.begin(), x.end(), y.begin(), y.end()) != x.end();
  };
  // Cells heaped in one place all meet each other: an ordinary surface needs some fifty comparisons a triangle.
  std::size_t comparisons = 1'000'000 + 200 * triangles.size();
  for (std::size_t i = 0; i < triangles.size() && comparisons > 0 && static_cast<Index>(found.size()) < limit; ++i) {
    std::array<Vec3, 3> p;
    Box box;
    for (std::size_t k = 0; k < 3; ++k) box.add(p[k] = mesh.point(triangles[i].nodes[k]));
    tree.visit(box, [&](std::size_t j) {
      if (--comparisons == 0) return false;
      if (j <= i || triangles[i].cell == triangles[j].cell) return true;
      std::array<Vec3, 3> q;
      Box other;
      for (std::size_t k = 0; k < 3; ++k) other.add(q[k] = mesh.point(triangles[j].nodes[k]));
      if (!box.meets(other) || shares_corner(triangles[i].cell, triangles[j].cell)) return true;
      bool cut = false;
      for (std::size_t k = 0; k < 3 && !cut; ++k)
        cut = pierces(p[k], p[(k + 1) % 3], q) || pierces(q[k], q[(k + 1) % 3], p);
      if (cut)
        found.insert({std::min(triangles[i].cell, triangles[j].cell), std::max(triangles[i].cell, triangles[j].cell)});
      return static_cast<Index>(found.size()) < limit;
    });
  }
  return {found.begin(), found.end()};
}

}  // namespace conoid
