// SPDX-License-Identifier: BSD-3-Clause
// Things on nodes, found by plane and row: few, among many rows.
#pragma once

#include "engine/core/types.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace conoid::acoustic_fd {

/// Point has members x (plane), y (row) and z. 4 B a plane and 16 B more a point. Read by any number of threads once sorted.
template <class Point>
class PointRows {
 public:
  void clear() {
    points_.clear();
    first_.clear();
  }
  void add(const Point& point) { points_.push_back(point); }
  /// After the last was added: by plane and row, those of a row as they were added.
  void sort() {
    std::stable_sort(points_.begin(), points_.end(),
                     [](const Point& p, const Point& q) { return p.x != q.x ? p.x < q.x : p.y < q.y; });
    first_.clear();
    if (points_.empty()) return;
    for (std::size_t n = 0; n < points_.size(); ++n)
      while (static_cast<Index>(first_.size()) <= points_[n].x - points_.front().x)
        first_.push_back(static_cast<std::uint32_t>(n));
    first_.push_back(static_cast<std::uint32_t>(points_.size()));
  }
  [[nodiscard]] bool empty() const { return points_.empty(); }
  [[nodiscard]] std::span<const Point> all() const { return points_; }
  /// Those of some rows of a plane.
  [[nodiscard]] std::span<const Point> at(Index x, Interval rows) const {
    if (points_.empty() || x < points_.front().x || x > points_.back().x) return {};
    const auto plane = static_cast<std::size_t>(x - points_.front().x);
    const auto begin = points_.begin() + first_[plane], end = points_.begin() + first_[plane + 1];
    const auto before = [](const Point& p, Index y) { return p.y < y; };
    const auto low = std::lower_bound(begin, end, rows.begin, before);
    return {low, std::lower_bound(low, end, rows.end, before)};
  }

 private:
  std::vector<Point> points_;
  std::vector<std::uint32_t> first_;  ///< of each plane from that of the first point on, and one more
};

}  // namespace conoid::acoustic_fd
