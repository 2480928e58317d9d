// SPDX-License-Identifier: BSD-3-Clause
// Open parts of cells and faces, by lines through them; masses that the time step bears.
#include "engine/solvers/acoustic_fd/discretization/cut_walls.hpp"

#include "engine/solvers/acoustic_fd/discretization/medium.hpp"
#include "engine/solvers/acoustic_fd/discretization/stencil.hpp"
#include "engine/team/parallel_for.hpp"

#include <algorithm>
#include <cmath>

namespace conoid::acoustic_fd {
namespace {

constexpr int lines_of_face = 6, lines_of_cell = 4;  // across, for each direction
constexpr double closed_below = 1e-3, nearest_wall = 1e-3;

/// Points as the grid sees them: behind reflecting faces their images, in absorbing layers those where the layer begins.
class Geometry {
 public:
  Geometry(const Problem& problem, const CutWalls::Classes& classes) : grid_(problem.grid), class_at_(classes()) {
    for (std::size_t a = 0; a < 3; ++a) {
      const auto taken = [&](const Face& face) {
        return face.absorbs() && face.width > 0 ? face.width + problem.order / 2 : Index{0};
      };
      const Face &low = problem.faces[2 * a], &high = problem.faces[2 * a + 1];
      Interval inner{taken(low), grid_.points[a] - taken(high)};
      if (inner.empty()) inner = {grid_.points[a] / 2, grid_.points[a] / 2 + 1};
      inner_[a] = inner;
      mirror_[a] = {!low.absorbs(), !high.absorbs()};
    }
  }
  [[nodiscard]] const Grid& grid() const { return grid_; }
  [[nodiscard]] bool flat(std::size_t a) const { return grid_.points[a] == 1; }
  [[nodiscard]] bool along_layer(std::size_t a, Index i) const { return i < inner_[a].begin || i >= inner_[a].end; }
  /// `i`: in nodes, from node 0.
  [[nodiscard]] Solid at(Vec3 i) const {
    for (std::size_t a = 0; a < 3; ++a) {
      const auto last = static_cast<double>(grid_.points[a] - 1);
      if (i[a] < 0 && mirror_[a][0]) i[a] = -i[a];
      if (i[a] > last && mirror_[a][1]) i[a] = 2 * last - i[a];
      i[a] = std::clamp(i[a], static_cast<double>(inner_[a].begin), static_cast<double>(inner_[a].end - 1));
      i[a] = grid_.origin[a] + i[a] * grid_.spacing[a];
    }
    return class_at_(i);
  }

  /// The first part of the way from `from` along an axis by `way` nodes (either sign) on which `is` holds as at its beginning; 1: all of it.
  template <class Is>
  [[nodiscard]] double until_change(const Vec3& from, std::size_t a, double way, const Is& is) const {
    Vec3 p = from;
    const auto holds = [&](double t) {
      p[a] = from[a] + t * way;
      return is(at(p));
    };
    const bool begins = holds(0);
    double low = 0, high = 1;
    if (holds(1) == begins) return 1;
    for (int n = 0; n < 26; ++n) {
      const double middle = 0.5 * (low + high);
      (holds(middle) == begins ? low : high) = middle;
    }
    return 0.5 * (low + high);
  }
  /// Open part of a line of one node's length around `middle`; `cut`: it is neither 0 nor 1.
  [[nodiscard]] double open_line(const Vec3& middle, std::size_t a, int& cut) const {
    const auto open = [](Solid what) { return what != Solid::rigid; };
    double sum = 0;
    for (const double half : {-0.5, 0.5}) {
      const bool begins = open(at(middle));
      const double part = until_change(middle, a, half, open);
      sum += 0.5 * (begins ? part : 1 - part);
    }
    cut += sum > 1e-7 && sum < 1 - 1e-7 ? 1 : 0;
    return sum;
  }
  /// Open part of a face across axis `a`, or of a cell (a = 3), around `middle`: the mean over lines along the axis that cuts most of them.
  [[nodiscard]] double open_part(const Vec3& middle, std::size_t a) const {
    const int lines = a == 3 ? lines_of_cell : lines_of_face;
    double best = 0;
    int most = -1;
    for (std::size_t along = 0; along < 3; ++along) {
      if (along == a || flat(along)) continue;
      std::array<int, 3> count{lines, lines, lines};
      count[along] = 1;
      for (std::size_t b = 0; b < 3; ++b)
        if (b == a || flat(b)) count[b] = 1;
      double sum = 0;
      int cut = 0;
      Vec3 p = middle;
      for (int i = 0; i < count[0]; ++i)
        for (int j = 0; j < count[1]; ++j)
          for (int k = 0; k < count[2]; ++k) {
            const std::array<int, 3> n{i, j, k};
            for (std::size_t b = 0; b < 3; ++b) p[b] = middle[b] + (n[b] + 0.5) / count[b] - 0.5;
            sum += open_line(p, along, cut);
          }
      if (cut > most) {
        most = cut;
        best = sum / (count[0] * count[1] * count[2]);
      }
    }
    return best;
  }

 private:
  Grid grid_;
  std::function<Solid(const Vec3&)> class_at_;
  std::array<Interval, 3> inner_;
  std::array<std::array<bool, 2>, 3> mirror_{};
};

Vec3 place(Index x, Index y, Index z) {
  return {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
}

constexpr unsigned char unlike = 255;
/// Of row (x, y): what the node and the eight beside it in its plane are, or `unlike`.
void columns_of(const Obstacles& o, const Grid& g, Index x, Index y, std::vector<unsigned char>& out) {
  const Solid* const own = o.row(x, y);
  for (std::size_t z = 0; z < out.size(); ++z) out[z] = static_cast<unsigned char>(own[z]);
  for (Index i = std::max<Index>(0, x - 1); i < std::min(g.points[0], x + 2); ++i)
    for (Index j = std::max<Index>(0, y - 1); j < std::min(g.points[1], y + 2); ++j) {
      const Solid* const other = o.row(i, j);
      for (std::size_t z = 0; z < out.size(); ++z)
        if (other[z] != own[z]) out[z] = unlike;
    }
}
/// Whether all nodes around one are what it is.
bool is_alone(const std::vector<unsigned char>& columns, Index z) {
  const auto here = static_cast<std::size_t>(z);
  return columns[here] != unlike && (here == 0 || columns[here - 1] == columns[here]) &&
         (here + 1 == columns.size() || columns[here + 1] == columns[here]);
}

/// Volume and faces of a cell, as if all cells beside it were open.
CutNode measured(const Geometry& geometry, Index x, Index y, Index z) {
  CutNode out{x, y, z};
  const Vec3 middle = place(x, y, z);
  const Grid& g = geometry.grid();
  const std::array<Index, 3> node{x, y, z};
  out.mass = geometry.open_part(middle, 3);
  for (std::size_t f = 0; f < 6; ++f) {
    const std::size_t a = f / 2;
    if (geometry.flat(a)) continue;
    const Index beyond = node[a] + (f % 2 == 0 ? -1 : 1);
    const bool in_layer = geometry.along_layer(a, node[a]);
    out.in_layer |= in_layer;
    out.along_layer[f] = in_layer || geometry.along_layer(a, beyond);
    Vec3 at = middle;
    at[a] += f % 2 == 0 ? -0.5 : 0.5;
    out.face[f] = geometry.open_part(at, a);
    if (geometry.at(middle) == Solid::soft) continue;
    Vec3 other = middle;
    other[a] = static_cast<double>(beyond);
    const auto dry = [](Solid what) { return what == Solid::soft; };
    if (!dry(geometry.at(other)) || beyond < 0 || beyond >= g.points[a]) continue;
    out.soft[f] = true;
    out.face[f] /= std::max(nearest_wall, geometry.until_change(middle, a, f % 2 == 0 ? -1 : 1, dry));
  }
  return out;
}

}  // namespace

CutWalls::CutWalls(const Problem& problem, const Classes& classes, Obstacles& obstacles)
    : rows_{problem.grid.points[0], problem.grid.points[1]} {
  const Grid& g = problem.grid;
  std::vector<std::vector<CutNode>> of_plane(static_cast<std::size_t>(rows_[0]));
  in_chunks(0, {0, rows_[0]}, 1, [&](Interval some, int) {
    const Geometry geometry(problem, classes);
    std::vector<unsigned char> columns(static_cast<std::size_t>(g.points[2]));
    for (Index x = some.begin; x < some.end; ++x)
      for (Index y = 0; y < rows_[1]; ++y) {
        columns_of(obstacles, g, x, y, columns);
        for (Index z = 0; z < g.points[2]; ++z)
          if (!is_alone(columns, z)) of_plane[static_cast<std::size_t>(x)].push_back(measured(geometry, x, y, z));
      }
  });
  first_.assign(static_cast<std::size_t>(rows_[0] * rows_[1] + 1), 0);
  for (auto& plane : of_plane) {
    for (CutNode& node : plane) {
      ++first_[static_cast<std::size_t>(node.x * rows_[1] + node.y + 1)];
      // Nodes in soft bodies, and cells of which next to nothing is left, are none.
      const bool soft = obstacles.at(node.x, node.y, node.z) == Solid::soft;
      if (soft || node.mass < closed_below) {
        if (!soft) obstacles.set(node.x, node.y, node.z, Solid::rigid);
        node.mass = 0;
      } else {
        obstacles.set(node.x, node.y, node.z, Solid::none);
      }
      nodes_.push_back(node);
    }
    plane = {};
  }
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  // Both sides of a face say the same.
  for (CutNode& node : nodes_)
    for (std::size_t f = 0; f < 6; ++f) {
      std::array<Index, 3> beside{node.x, node.y, node.z};
      beside[f / 2] += f % 2 == 0 ? -1 : 1;
      if (g.points[f / 2] == 1 || beside[f / 2] < 0 || beside[f / 2] >= g.points[f / 2]) continue;
      if (node.mass == 0 || (!node.soft[f] && obstacles.at(beside[0], beside[1], beside[2]) != Solid::none))
        node.face[f] = 0;
    }
  balance(problem);
}

std::span<const CutNode> CutWalls::row(Index x, Index y) const {
  const auto at = static_cast<std::size_t>(x * rows_[1] + y);
  return std::span(nodes_).subspan(first_[at], first_[at + 1] - first_[at]);
}

const CutNode* CutWalls::at(Index x, Index y, Index z) const {
  if (x < 0 || y < 0 || x >= rows_[0] || y >= rows_[1]) return nullptr;
  const auto all = row(x, y);
  const auto found =
      std::lower_bound(all.begin(), all.end(), z, [](const CutNode& node, Index at) { return node.z < at; });
  return found != all.end() && found->z == z ? &*found : nullptr;
}

/// In the order of the nodes, so that it is the same on all ranks.
void CutWalls::balance(const Problem& problem) {
  const Stencil stencil = stencil_of_order(problem.order);
  const Vec3 h = problem.grid.stencil_spacing();
  double most = std::abs(stencil.weight[0]), whole = 0;
  for (int i = 1; i <= stencil.radius; ++i) most += 2 * std::abs(stencil.weight[static_cast<std::size_t>(i)]);
  const double w = most / 4;
  std::array<double, 3> ratio{};
  for (std::size_t a = 0; a < 3; ++a) {
    ratio[a] = (h[0] / h[a]) * (h[0] / h[a]);
    whole += 2 * ratio[a];
  }
  double limit = largest_time_step(stencil, h, problem.speed.highest);
  if (problem.density) {
    const SpeedRange range = problem.density->range(
        problem.grid.origin, {problem.grid.upper(0), problem.grid.upper(1), problem.grid.upper(2)});
    limit *= density_step_share(stencil, h, range.lowest, range.highest);
  }
  const double used = problem.dt / limit, kappa = 1.001 * used * used;
  const auto needs = [&](const CutNode& node) {
    double sum = 0, own = 0;  // own: of faces that will count as much as the cell
    for (std::size_t f = 0; f < 6; ++f) {
      if (node.face[f] <= 0) continue;
      if (node.along_layer[f] && !node.soft[f])
        own += ratio[f / 2];
      else
        sum += ratio[f / 2] * node.face[f] / (node.soft[f] ? 2 * w : 1);
    }
    return sum > 0 ? kappa * sum / (whole - kappa * own) : 0.0;
  };
  const auto at_soft_wall = [](const CutNode& node) {
    return std::any_of(node.soft.begin(), node.soft.end(), [](bool s) { return s; });
  };
  for (CutNode& node : nodes_) {
    if (node.mass == 0) continue;
    double lacks = needs(node) - node.mass;
    if (lacks <= 0) continue;
    node.mass += lacks;
    if (at_soft_wall(node)) continue;
    // From the widest faces on.
    std::array<std::size_t, 6> order{0, 1, 2, 3, 4, 5};
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return node.face[a] > node.face[b]; });
    for (const std::size_t f : order) {
      if (node.face[f] <= 0 || lacks <= 0) break;
      if (node.along_layer[f]) continue;
      std::array<Index, 3> beside{node.x, node.y, node.z};
      beside[f / 2] += f % 2 == 0 ? -1 : 1;
      auto* const other = const_cast<CutNode*>(at(beside[0], beside[1], beside[2]));
      if (other == nullptr || other->mass == 0) continue;
      const double taken = std::clamp(other->mass - needs(*other), 0.0, lacks);
      other->mass -= taken;
      lacks -= taken;
    }
    added_ += lacks;
  }
  for (CutNode& node : nodes_)
    for (std::size_t f = 0; f < 6; ++f)
      if (node.along_layer[f] && node.face[f] > 0 && !node.soft[f]) {
        std::array<Index, 3> beside{node.x, node.y, node.z};
        beside[f / 2] += f % 2 == 0 ? -1 : 1;
        const CutNode* const other = at(beside[0], beside[1], beside[2]);
        node.face[f] = other && other->mass > 0 ? std::min(node.mass, other->mass) : node.mass;
      }
}

}  // namespace conoid::acoustic_fd
