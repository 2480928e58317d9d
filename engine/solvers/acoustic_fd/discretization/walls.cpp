// SPDX-License-Identifier: BSD-3-Clause
// Corrections beside voxels and walls of an impedance.
#include "engine/solvers/acoustic_fd/discretization/walls.hpp"

#include "engine/solvers/acoustic_fd/discretization/cut_walls.hpp"
#include "engine/solvers/acoustic_fd/discretization/medium.hpp"
#include "engine/team/parallel_for.hpp"

#include <algorithm>
#include <cmath>
#include <new>

namespace conoid::acoustic_fd {

Obstacles::Obstacles(const Grid& grid, bool held) : points_(grid.points) {
  if (held) hold();
}

void Obstacles::hold() {
  try {
    nodes_.assign(static_cast<std::size_t>(points_[0] * points_[1] * points_[2]), Solid::none);
  } catch (const std::bad_alloc&) {
    throw Failure(make_error(ErrorCode::resources, "no memory for the obstacles, a byte a node of the grid",
                             "Use a coarser grid."));
  }
}

void Obstacles::set(Index x, Index y, Index z, Solid what) {
  nodes_[static_cast<std::size_t>((x * points_[1] + y) * points_[2] + z)] = what;
}

Index Obstacles::count() const {
  return static_cast<Index>(nodes_.size()) - std::count(nodes_.begin(), nodes_.end(), Solid::none);
}

std::array<double, 6> Obstacles::extend_through_layers(const std::array<Face, 6>& faces, int radius) {
  std::array<Interval, 3> inner;
  for (std::size_t a = 0; a < 3; ++a) {
    const auto taken = [&](std::size_t face) {
      return faces[face].absorbs() && faces[face].width > 0 ? faces[face].width + radius : 0;
    };
    inner[a] = {taken(2 * a), points_[a] - taken(2 * a + 1)};
    if (inner[a].empty()) inner[a] = {points_[a] / 2, points_[a] / 2 + 1};
  }
  const auto within = [](Interval of, Index i) { return std::clamp(i, of.begin, of.end - 1); };
  const auto on_faces = [&] {
    std::array<Index, 6> solid{};
    for (Index x = 0; x < points_[0]; ++x)
      for (Index y = 0; y < points_[1]; ++y)
        for (Index z = 0; z < points_[2]; ++z) {
          const std::array<Index, 3> node{x, y, z};
          for (std::size_t f = 0; f < 6; ++f)
            if (node[f / 2] == (f % 2 == 0 ? 0 : points_[f / 2] - 1) && at(x, y, z) != Solid::none) ++solid[f];
        }
    return solid;
  };
  const std::array<Index, 6> before = on_faces();
  // Nodes that are read lie in the inner box, which is not written.
  for (Index x = 0; x < points_[0]; ++x)
    for (Index y = 0; y < points_[1]; ++y)
      for (Index z = 0; z < points_[2]; ++z) {
        const Index i = within(inner[0], x), j = within(inner[1], y), k = within(inner[2], z);
        if (i != x || j != y || k != z) set(x, y, z, at(i, j, k));
      }
  const std::array<Index, 6> after = on_faces();
  std::array<double, 6> lost{};
  for (std::size_t f = 0; f < 6; ++f)
    if (before[f] > after[f]) lost[f] = static_cast<double>(before[f] - after[f]) / static_cast<double>(before[f]);
  return lost;
}

double wall_softness(int order) {
  constexpr std::array<double, 6> softness{0, 0.16679, 0.21061, 0.23066, 0.24196, 0.24913};
  return softness.at(static_cast<std::size_t>(order / 2 - 1));
}

namespace {

/// Where the value comes from that a row with walls has `offset` nodes from a node, and its sign; sign 0: there is none.
struct Origin {
  Index at = 0;
  int sign = 0;
  bool operator==(const Origin&) const = default;
};

/// The nodes of one axis through a node: what they are, and the images behind its ends.
class Row {
 public:
  Row(const Problem& problem, std::size_t axis, const std::array<Index, 3>& node)
      : obstacles_(problem.obstacles.get()), axis_(axis), node_(node),
        last_(problem.grid.points[axis] - 1), sign_{problem.faces[2 * axis].image_sign(),
                                                    problem.faces[2 * axis + 1].image_sign()} {}
  [[nodiscard]] Solid at(Index i) const {
    if (!obstacles_) return Solid::none;
    std::array<Index, 3> n = node_;
    n[axis_] = i;
    return obstacles_->at(n[0], n[1], n[2]);
  }
  /// As it should be.
  [[nodiscard]] Origin continued(Index from, Index offset) const {
    Index at = from, step = offset < 0 ? -1 : 1;
    int sign = 1;
    for (Index n = 0; n < std::abs(offset); ++n) {
      Index next = at + step;
      if (next < 0 || next > last_) {  // the image of the node before the face
        const int face = sign_[next < 0 ? 0 : 1];
        if (face == 0) return {};
        sign *= face;
        step = -step;
        next = at + step;
      }
      if (const Solid what = at_checked(next); what != Solid::none) {
        if (what == Solid::soft) sign = -sign;
        step = -step;
        continue;  // the image of the node itself
      }
      at = next;
    }
    return {at, sign};
  }
  /// A node or its image behind an end; sign 0: there is none.
  [[nodiscard]] Origin image(Index at) const {
    int sign = 1;
    if (at < 0 || at > last_) {
      sign = sign_[at < 0 ? 0 : 1];
      at = at < 0 ? -at : 2 * last_ - at;
    }
    return sign == 0 || at < 0 || at > last_ ? Origin{} : Origin{at, sign};
  }
  /// As the plain update reads it: voxels hold zero, walls are no obstacle.
  [[nodiscard]] Origin plain(Index from, Index offset) const {
    const Origin out = image(from + offset);
    return out.sign == 0 || at_checked(out.at) != Solid::none ? Origin{} : out;
  }

 private:
  [[nodiscard]] Solid at_checked(Index i) const { return i < 0 || i > last_ ? Solid::rigid : at(i); }
  const Obstacles* obstacles_;
  std::size_t axis_;
  std::array<Index, 3> node_;
  Index last_;
  std::array<int, 2> sign_;
};

/// Faces of one axis through a node, where walls are smooth.
class CutRow {
 public:
  CutRow(const Problem& problem, std::size_t axis, const std::array<Index, 3>& node)
      : problem_(problem), cuts_(*problem.obstacles->cuts()), axis_(axis), node_(node),
        last_(problem.grid.points[axis] - 1) {}
  struct Between {
    double open = 0;
    bool soft = false;
  };
  /// Between nodes i and i + 1; behind the ends of the grid as before them.
  [[nodiscard]] Between face(Index i) const {
    if (i < 0) i = -1 - i;
    if (i >= last_) i = 2 * last_ - 1 - i;
    i = std::clamp<Index>(i, 0, last_ - 1);
    if (const CutNode* low = at(i)) return of(*low, 2 * axis_ + 1, *this, i + 1);
    if (const CutNode* high = at(i + 1)) return {high->face[2 * axis_], high->soft[2 * axis_]};
    const bool fluid = solid(i) == Solid::none && solid(i + 1) == Solid::none;
    return {fluid ? 1.0 : 0.0, false};
  }
  /// Whether a pair of nodes `reach` apart stays, the lower one being i: all faces between are alike and no walls; `open`: they are so far.
  [[nodiscard]] bool whole(Index i, Index reach, double& open) const {
    const Between first = face(i);
    open = first.open;
    if (first.soft || !(first.open > 0)) return false;
    for (Index n = 1; n < reach; ++n) {
      const Between next = face(i + n);
      if (next.soft || std::abs(next.open - first.open) > 1e-9 * first.open) return false;
    }
    return true;
  }

 private:
  /// A face between a fluid and a soft node is a wall, whichever of them is asked.
  static Between of(const CutNode& low, std::size_t f, const CutRow& row, Index high) {
    if (low.mass > 0) return {low.face[f], low.soft[f]};
    if (const CutNode* other = row.at(high)) return {other->face[f - 1], other->soft[f - 1]};
    return {low.face[f], low.soft[f]};
  }
  [[nodiscard]] std::array<Index, 3> place(Index i) const {
    std::array<Index, 3> n = node_;
    n[axis_] = i;
    return n;
  }
  [[nodiscard]] const CutNode* at(Index i) const {
    const auto n = place(i);
    return cuts_.at(n[0], n[1], n[2]);
  }
  [[nodiscard]] Solid solid(Index i) const {
    const auto n = place(i);
    return problem_.obstacles->at(n[0], n[1], n[2]);
  }
  const Problem& problem_;
  const CutWalls& cuts_;
  std::size_t axis_;
  std::array<Index, 3> node_;
  Index last_;
};

/// An axis's second difference beside smooth walls (cut_walls.hpp): link(offset, w) for every w (p of the node there − p), soft(w) for every −w p of a wall with p = 0.
template <class Link, class Soft>
void cut_links(const Problem& problem, const Stencil& stencil, std::size_t axis, const std::array<Index, 3>& node,
               double scale, const Link& link, const Soft& soft) {
  const Index s = stencil.radius, here = node[axis];
  const CutRow cut(problem, axis, node);
  const auto weight = [&](Index j) { return stencil.weight[static_cast<std::size_t>(j)]; };
  for (const Index way : {Index{-1}, Index{1}}) {
    double left = 0;  // of the pairs that do not stay, in units of the face beside this node
    const Index beside = way > 0 ? here : here - 1;
    double open = 0;
    for (Index j = 1; j <= s; ++j) {
      if (cut.whole(way > 0 ? here : here - j, j, open)) link(way * j, scale * weight(j) * open);
      for (Index first = beside - j + 1; first <= beside; ++first)
        if (!cut.whole(first, j, open)) left += weight(j) * static_cast<double>(j);
    }
    const CutRow::Between face = cut.face(beside);
    if (left == 0 || !(face.open > 0)) continue;
    if (face.soft)
      soft(scale * left * face.open);
    else
      link(way, scale * left * face.open);
  }
}

/// By which the corrections of a node are divided: the update of other nodes of cut cells is so as a whole.
double divisor_of(const CutWalls& cuts, const std::array<Index, 3>& node) {
  const CutNode* const own = cuts.at(node[0], node[1], node[2]);
  return own && own->in_layer ? own->mass : 1.0;
}

/// By which the link of the first two nodes at a face of an impedance is softer, in units of a whole link: as far as smooth walls leave it open.
double softness_of(const Problem& problem, const Stencil& stencil, std::size_t axis, const std::array<Index, 3>& node,
                   std::size_t side) {
  const double whole = wall_softness(stencil.order);
  const CutWalls* const cuts = problem.obstacles ? problem.obstacles->cuts() : nullptr;
  if (!cuts) return whole;
  const CutRow::Between link = CutRow(problem, axis, node).face(side == 0 ? 0 : problem.grid.points[axis] - 2);
  return link.soft ? 0 : whole * link.open / divisor_of(*cuts, node);
}

/// Its weights less those of the plain update.
template <class At>
void add_cut_axis(const Problem& problem, const Stencil& stencil, std::size_t axis, const std::array<Index, 3>& node,
                  double ratio, double mass, const At& at) {
  const Index s = stencil.radius, here = node[axis];
  const Row row(problem, axis, node);
  cut_links(
      problem, stencil, axis, node, ratio / mass,
      [&](Index offset, double w) {
        at(0) -= w;
        if (const Origin from = row.image(here + offset); from.sign != 0) at(from.at - here) += w * from.sign;
      },
      [&](double w) { at(0) -= w; });
  at(0) -= ratio * stencil.weight[0];
  for (Index offset = -s; offset <= s; ++offset)
    if (offset != 0)
      if (const Origin read = row.plain(here, offset); read.sign != 0)
        at(read.at - here) -= ratio * stencil.weight[static_cast<std::size_t>(std::abs(offset))] * read.sign;
}

/// Entries of one node and axis.
void add_axis(const Problem& problem, const Stencil& stencil, std::size_t axis, const std::array<Index, 3>& node,
              std::vector<WallEntry>& out) {
  const Index s = stencil.radius, here = node[axis];
  const Vec3 h = problem.grid.stencil_spacing();
  const double ratio = (h[0] / h[axis]) * (h[0] / h[axis]);
  std::array<double, 2 * max_radius + 1> weight{};
  const auto at = [&](Index offset) -> double& { return weight[static_cast<std::size_t>(offset + s)]; };
  const Row row(problem, axis, node);
  const CutWalls* const cuts = problem.obstacles ? problem.obstacles->cuts() : nullptr;
  if (cuts) add_cut_axis(problem, stencil, axis, node, ratio, divisor_of(*cuts, node), at);
  for (Index offset = -s; offset <= s && !cuts; ++offset) {
    if (offset == 0) continue;
    const Origin wanted = row.continued(here, offset), read = row.plain(here, offset);
    if (wanted == read) continue;
    const double w = ratio * stencil.weight[static_cast<std::size_t>(std::abs(offset))];
    if (wanted.sign != 0) at(wanted.at - here) += w * wanted.sign;
    if (read.sign != 0) at(read.at - here) -= w * read.sign;
  }
  const Index last = problem.grid.points[axis] - 1;
  for (std::size_t side = 0; side < 2; ++side) {
    if (problem.faces[2 * axis + side].kind != FaceKind::impedance) continue;
    const Index face = side == 0 ? 0 : last, inwards = side == 0 ? 1 : -1;
    if (row.at(face) != Solid::none || row.at(face + inwards) != Solid::none) continue;
    if (here != face && here != face + inwards) continue;
    const double soft = ratio * softness_of(problem, stencil, axis, node, side);
    if (here == face) {
      at(0) += 2 * soft;
      at(inwards) -= 2 * soft;
    } else {
      at(0) += soft;
      at(-inwards) -= soft;
    }
  }
  for (Index offset = -s; offset <= s; ++offset)
    if (std::abs(at(offset)) > 1e-14 * ratio)
      out.push_back({static_cast<std::uint8_t>(axis), static_cast<std::int8_t>(offset), at(offset)});
}

/// Which axes of the nodes of row (x, y) have a wall within reach, as bits.
void mark_row(const Problem& problem, Index radius, Index x, Index y, std::vector<unsigned char>& axes) {
  const auto& n = problem.grid.points;
  const std::array<Index, 3> here{x, y, 0};
  std::fill(axes.begin(), axes.end(), 0);
  if (const CutWalls* const cuts = problem.obstacles ? problem.obstacles->cuts() : nullptr) {
    for (std::size_t a = 0; a < 2; ++a)
      for (Index i = std::max<Index>(0, here[a] - radius); i <= std::min(n[a] - 1, here[a] + radius); ++i)
        for (const CutNode& cut : a == 0 ? cuts->row(i, y) : cuts->row(x, i))
          axes[static_cast<std::size_t>(cut.z)] |= static_cast<unsigned char>(1U << a);
    for (const CutNode& cut : cuts->row(x, y))
      for (Index i = std::max<Index>(0, cut.z - radius); i <= std::min(n[2] - 1, cut.z + radius); ++i)
        axes[static_cast<std::size_t>(i)] |= 4U;
  }
  if (const Obstacles* const o = problem.obstacles.get()) {
    for (std::size_t a = 0; a < 2; ++a)
      for (Index i = std::max<Index>(0, here[a] - radius); i <= std::min(n[a] - 1, here[a] + radius); ++i) {
        const Solid* const other = a == 0 ? o->row(i, y) : o->row(x, i);
        for (Index z = 0; z < n[2]; ++z)
          if (other[z] != Solid::none) axes[static_cast<std::size_t>(z)] |= static_cast<unsigned char>(1U << a);
      }
    const Solid* const own = o->row(x, y);
    for (Index z = 0; z < n[2]; ++z)
      if (own[z] != Solid::none)
        for (Index i = std::max<Index>(0, z - radius); i <= std::min(n[2] - 1, z + radius); ++i)
          axes[static_cast<std::size_t>(i)] |= 4U;
    for (Index z = 0; z < n[2]; ++z)
      if (own[z] != Solid::none) axes[static_cast<std::size_t>(z)] = 0;
  }
  for (std::size_t f = 0; f < 6; ++f) {
    if (problem.faces[f].kind != FaceKind::impedance) continue;
    const std::size_t a = f / 2;
    const Index face = f % 2 == 0 ? 0 : n[a] - 1;
    for (Index z = 0; z < n[2]; ++z) {
      const Index at = a == 2 ? z : here[a];
      if (std::abs(at - face) > 1 || (problem.obstacles && problem.obstacles->at(x, y, z) != Solid::none)) continue;
      axes[static_cast<std::size_t>(z)] |= static_cast<unsigned char>(1U << a);
    }
  }
}

}  // namespace

Walls find_walls(const Problem& problem, const Stencil& stencil, Interval planes) {
  Walls out;
  if (!problem.has_walls() || planes.empty()) return out;
  const auto& n = problem.grid.points;
  std::vector<Walls> of_plane(static_cast<std::size_t>(planes.size()));
  in_chunks(0, planes, 1, [&](Interval some, int) {
    std::vector<unsigned char> axes(static_cast<std::size_t>(n[2]));
    for (Index x = some.begin; x < some.end; ++x) {
      Walls& own = of_plane[static_cast<std::size_t>(x - planes.begin)];
      for (Index y = 0; y < n[1]; ++y) {
        mark_row(problem, stencil.radius, x, y, axes);
        for (Index z = 0; z < n[2]; ++z) {
          if (axes[static_cast<std::size_t>(z)] == 0) continue;
          const auto first = static_cast<std::uint32_t>(own.entries.size());
          for (std::size_t a = 0; a < 3; ++a)
            if ((axes[static_cast<std::size_t>(z)] >> a & 1U) != 0 && n[a] > 1)
              add_axis(problem, stencil, a, {x, y, z}, own.entries);
          if (const auto last = static_cast<std::uint32_t>(own.entries.size()); last > first)
            own.nodes.push_back({x, y, z, first, last});
        }
      }
    }
  });
  for (Walls& own : of_plane) {
    const auto before = static_cast<std::uint32_t>(out.entries.size());
    for (WallNode node : own.nodes) {
      node.first += before;
      node.last += before;
      out.nodes.push_back(node);
    }
    out.entries.insert(out.entries.end(), own.entries.begin(), own.entries.end());
    own = {};
  }
  return out;
}

namespace {

/// √(ρ/ρ_0) along an axis through a node; behind reflecting faces their images, beyond absorbing ones what is there.
class DensityRow {
 public:
  DensityRow(const Problem& problem, std::size_t axis, const std::array<Index, 3>& node)
      : problem_(problem), axis_(axis), node_(node), row_(problem, axis, node), last_(problem.grid.points[axis] - 1),
        own_(at(node[axis])) {}
  /// That of this node over that of another.
  [[nodiscard]] double over(Index i) const {
    const Origin from = row_.image(i);
    return own_ / at(from.sign != 0 ? from.at : std::clamp<Index>(i, 0, last_));
  }

 private:
  [[nodiscard]] double at(Index i) const {
    std::array<Index, 3> node = node_;
    node[axis_] = i;
    double value = 1;
    pressure_factor(problem_, node[0], node[1], node[2], 1, {&value, 1});
    return value;
  }
  const Problem& problem_;
  std::size_t axis_;
  std::array<Index, 3> node_;
  Row row_;
  Index last_;
  double own_;
};

/// What voxels change of the potential of one axis.
double voxel_potential(const Problem& problem, const Stencil& stencil, std::size_t axis,
                       const std::array<Index, 3>& node, const DensityRow& density) {
  const Row row(problem, axis, node);
  double sum = 0;
  for (Index offset = -stencil.radius; offset <= stencil.radius; ++offset) {
    const Origin wanted = row.continued(node[axis], offset), read = row.image(node[axis] + offset);
    if (offset == 0 || wanted.sign == 0 || read.sign == 0 || wanted.at == read.at) continue;
    sum +=
        stencil.weight[static_cast<std::size_t>(std::abs(offset))] * (density.over(wanted.at) - density.over(read.at));
  }
  return sum;
}

/// What smooth walls do: differences between nodes that stay linked are of the pressure, a soft wall has the density of the node.
double cut_potential(const Problem& problem, const Stencil& stencil, std::size_t axis, const std::array<Index, 3>& node,
                     const DensityRow& density) {
  const Index here = node[axis];
  double sum = 0;
  cut_links(
      problem, stencil, axis, node, 1 / divisor_of(*problem.obstacles->cuts(), node),
      [&](Index offset, double w) { sum += w * (density.over(here + offset) - 1); }, [](double) {});
  for (Index offset = -stencil.radius; offset <= stencil.radius; ++offset)
    if (offset != 0)
      sum -= stencil.weight[static_cast<std::size_t>(std::abs(offset))] * (density.over(here + offset) - 1);
  return sum;
}

/// The softer link of the first two nodes at a wall of an impedance is one of the pressure as well.
double impedance_potential(const Problem& problem, const Stencil& stencil, std::size_t axis,
                           const std::array<Index, 3>& node, const DensityRow& density) {
  const Row row(problem, axis, node);
  double sum = 0;
  for (std::size_t side = 0; side < 2; ++side) {
    if (problem.faces[2 * axis + side].kind != FaceKind::impedance) continue;
    const Index face = side == 0 ? 0 : problem.grid.points[axis] - 1, next = face + (side == 0 ? 1 : -1);
    if (row.at(face) != Solid::none || row.at(next) != Solid::none) continue;
    const double soft = softness_of(problem, stencil, axis, node, side);
    if (node[axis] == face) sum += 2 * soft * (1 - density.over(next));
    if (node[axis] == next) sum += soft * (1 - density.over(face));
  }
  return sum;
}

}  // namespace

void add_wall_potential(const Problem& problem, const Stencil& stencil, Index x, Index y, std::span<double> out) {
  if (!problem.has_walls()) return;
  const auto& n = problem.grid.points;
  const Vec3 h = problem.grid.stencil_spacing();
  const bool smooth = problem.obstacles && problem.obstacles->cuts();
  std::vector<unsigned char> axes(static_cast<std::size_t>(n[2]));
  mark_row(problem, stencil.radius, x, y, axes);
  for (Index z = 0; z < n[2]; ++z)
    for (std::size_t a = 0; a < 3; ++a) {
      if ((axes[static_cast<std::size_t>(z)] >> a & 1U) == 0 || n[a] == 1) continue;
      const std::array<Index, 3> node{x, y, z};
      const DensityRow density(problem, a, node);
      out[static_cast<std::size_t>(z)] += (h[0] / h[a]) * (h[0] / h[a]) *
                                          ((smooth ? cut_potential(problem, stencil, a, node, density)
                                                   : voxel_potential(problem, stencil, a, node, density)) +
                                           impedance_potential(problem, stencil, a, node, density));
    }
}

}  // namespace conoid::acoustic_fd
