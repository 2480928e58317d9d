// SPDX-License-Identifier: BSD-3-Clause
// Cells in one plane are joined to facets; bends between facets give their curvature.
#include "engine/solvers/maxwell_fem/mesh/facets.hpp"

#include "engine/core/vec3.hpp"
#include "engine/solvers/maxwell_fem/discretization/pi.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

namespace conoid::maxwell_fem {

using namespace conoid::vec;

namespace {

constexpr double flat_bend = 1e-3;            ///< radians; files hold normals to six digits at best
constexpr double sharp_bend = 40 * pi / 180;  ///< a round section of nine sides or more bends less
constexpr double narrowest = 1.0 / 3;         ///< of a facet's width, its neighbour's
constexpr Index fewest = 10;
constexpr double mean_share = 0.7;  ///< mean over largest distance: 3/4 on an equilateral triangle, 2/3 on a strip

struct Side {
  std::array<Index, 2> points;
  std::array<std::size_t, 2> facets;
  double bend;  ///< radians, positive: convex
};

struct Facet {
  Vec3 middle{};  ///< by area
  double area = 0;
  std::vector<std::size_t> sides;
  std::vector<Index> corners;
};

class Measure {
 public:
  Measure(const Mesh& mesh, std::span<const Index> cells) : mesh_(mesh) {
    for (Index c : cells)
      if (dimension_of(mesh.shape(c)) == 2 && order_of(mesh.shape(c)) == 1)
        cells_.push_back(c);
      else if (dimension_of(mesh.shape(c)) == 2)
        other_area_ += area_vector(c).second;
    join();
  }

  Facets run() {
    std::vector<std::vector<std::size_t>> bends(facets_.size());
    for (std::size_t f = 0; f < facets_.size(); ++f) bends[f] = bends_of(f);
    Facets out;
    double whole = other_area_, all = 0;
    for (std::size_t f = 0; f < facets_.size(); ++f) {
      whole += facets_[f].area;
      if (bends[f].size() < 2) continue;
      if (std::none_of(bends[f].begin(), bends[f].end(),
                       [&](std::size_t s) { return bends[beyond(s, f)].size() >= 2; }))
        continue;
      ++out.count;
      const double sagitta = sagitta_of(f, bends[f]);
      all += mean_share * sagitta * facets_[f].area;
      if (sagitta <= out.largest) continue;
      out.largest = sagitta;
      out.where = facets_[f].middle;
      out.bend = 0;
      for (std::size_t s : bends[f]) out.bend = std::max(out.bend, std::abs(sides_[s].bend));
    }
    if (out.count < fewest) return {};
    out.mean = whole > 0 ? all / whole : 0;
    return out;
  }

 private:
  /// Along the normal, as long as the area; and the area.
  [[nodiscard]] std::pair<Vec3, double> area_vector(Index c) const {
    const auto n = mesh_.nodes(c);
    const int corners = corners_of(mesh_.shape(c));
    Vec3 out{};
    for (int k = 2; k < corners; ++k)
      out = axpy(0.5, cross(sub(mesh_.point(n[k - 1]), mesh_.point(n[0])), sub(mesh_.point(n[k]), mesh_.point(n[0]))),
                 out);
    return {out, norm(out)};
  }
  [[nodiscard]] Vec3 middle_of(Index c) const {
    const auto n = mesh_.nodes(c);
    const int corners = corners_of(mesh_.shape(c));
    Vec3 out{};
    for (int k = 0; k < corners; ++k) out = axpy(1.0 / corners, mesh_.point(n[k]), out);
    return out;
  }

  void join() {
    struct Meeting {
      std::array<std::size_t, 2> cell{};
      int count = 0;
      bool alike = false;  ///< both run along it in the same direction: normals on opposite sides
    };
    std::map<std::array<Index, 2>, Meeting> meetings;
    std::map<std::array<Index, 2>, bool> upward;
    std::vector<Vec3> normal(cells_.size());
    std::vector<double> area(cells_.size());
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const auto [a, size] = area_vector(cells_[i]);
      area[i] = size;
      normal[i] = size > 0 ? scale(1 / size, a) : Vec3{};
      const auto n = mesh_.nodes(cells_[i]);
      const int corners = corners_of(mesh_.shape(cells_[i]));
      for (int k = 0; k < corners; ++k) {
        const Index p = n[k], q = n[(k + 1) % corners];
        const std::array<Index, 2> key{std::min(p, q), std::max(p, q)};
        Meeting& m = meetings[key];
        if (m.count == 0)
          upward[key] = p < q;
        else
          m.alike = upward[key] == (p < q);
        if (m.count < 2) m.cell[static_cast<std::size_t>(m.count)] = i;
        ++m.count;
      }
    }
    std::vector<std::size_t> root(cells_.size());
    std::iota(root.begin(), root.end(), std::size_t{0});
    const auto find = [&](std::size_t i) {
      while (root[i] != i) i = root[i] = root[root[i]];
      return i;
    };
    const auto bend = [&](const Meeting& m) {
      const Vec3 &a = normal[m.cell[0]], b = scale(m.alike ? -1 : 1, normal[m.cell[1]]);
      const double angle = std::atan2(norm(cross(a, b)), dot(a, b));
      return dot(a, sub(middle_of(cells_[m.cell[1]]), middle_of(cells_[m.cell[0]]))) > 0 ? -angle : angle;
    };
    for (const auto& [key, m] : meetings)
      if (m.count == 2 && std::abs(bend(m)) < flat_bend) root[find(m.cell[0])] = find(m.cell[1]);
    std::map<std::size_t, std::size_t> number;
    std::vector<std::size_t> facet(cells_.size());
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      facet[i] = number.try_emplace(find(i), number.size()).first->second;
      if (facets_.size() < number.size()) facets_.emplace_back();
      Facet& f = facets_[facet[i]];
      f.middle = axpy(area[i], middle_of(cells_[i]), f.middle);
      f.area += area[i];
    }
    for (Facet& f : facets_)
      if (f.area > 0) f.middle = scale(1 / f.area, f.middle);
    for (const auto& [key, m] : meetings) {
      const std::size_t a = facet[m.cell[0]], b = m.count == 2 ? facet[m.cell[1]] : a;
      if (m.count == 2 && a == b) continue;
      for (std::size_t f : {a, b})
        for (Index p : key) facets_[f].corners.push_back(p);
      if (m.count != 2) continue;
      for (std::size_t f : {a, b}) facets_[f].sides.push_back(sides_.size());
      sides_.push_back({key, {a, b}, bend(m)});
    }
  }

  [[nodiscard]] std::size_t beyond(std::size_t side, std::size_t facet) const {
    const auto& f = sides_[side].facets;
    return f[0] == facet ? f[1] : f[0];
  }
  /// From the middle of a facet to the line of a side, in the facet's plane and square to it.
  [[nodiscard]] Vec3 way_to(std::size_t side, std::size_t facet) const {
    const Vec3 a = mesh_.point(sides_[side].points[0]), along = unit(sub(mesh_.point(sides_[side].points[1]), a)),
               from = sub(a, facets_[facet].middle);
    return sub(from, scale(dot(from, along), along));
  }
  /// Sides at which the surface may be curved: shallow bends of the sign that has most of them, neighbours not too narrow.
  [[nodiscard]] std::vector<std::size_t> bends_of(std::size_t facet) const {
    std::vector<std::size_t> convex, concave;
    for (std::size_t s : facets_[facet].sides) {
      if (std::abs(sides_[s].bend) >= sharp_bend) continue;
      if (norm(way_to(s, beyond(s, facet))) < narrowest * norm(way_to(s, facet))) continue;
      // Cells cut one side of a facet into several: one bend.
      auto& list = sides_[s].bend > 0 ? convex : concave;
      if (std::none_of(list.begin(), list.end(),
                       [&](std::size_t other) { return beyond(other, facet) == beyond(s, facet); }))
        list.push_back(s);
    }
    return convex.size() >= concave.size() ? convex : concave;
  }
  [[nodiscard]] double sagitta_of(std::size_t facet, const std::vector<std::size_t>& bends) const {
    const Facet& f = facets_[facet];
    double most = 0;
    for (std::size_t s : bends) {
      const Vec3 way = way_to(s, facet);
      const double here = norm(way);
      if (!(here > 0)) continue;
      const double there = std::min(here, norm(way_to(s, beyond(s, facet)))),
                   curvature = std::abs(sides_[s].bend) / (here + there);
      double across = 0;
      for (Index p : f.corners) across = std::max(across, std::abs(dot(way, sub(mesh_.point(p), f.middle))) / here);
      most = std::max(most, 0.5 * curvature * across * across);
    }
    return bends.size() == 4 ? 2 * most : most;
  }

  const Mesh& mesh_;
  std::vector<Index> cells_;
  std::vector<Facet> facets_;
  std::vector<Side> sides_;
  double other_area_ = 0;
};

}  // namespace

Facets measure_facets(const Mesh& mesh, std::span<const Index> cells) {
  return Measure(mesh, cells).run();
}

}  // namespace conoid::maxwell_fem
