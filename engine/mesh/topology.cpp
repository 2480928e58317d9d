// SPDX-License-Identifier: BSD-3-Clause
// Edges of surfaces by sorting, components by union-find, orientation by flooding.
#include "engine/mesh/topology.hpp"

#include "engine/core/vec3.hpp"
#include "engine/mesh/shape_tables.hpp"
#include "engine/mesh/surface.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <unordered_map>

#include <fmt/core.h>
#include <fmt/format.h>

namespace conoid {
namespace {

class UnionFind {
 public:
  explicit UnionFind(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), Index{0}); }
  Index find(Index i) {
    while (at(i) != i) i = at(i) = at(at(i));
    return i;
  }
  void unite(Index a, Index b) {
    a = find(a);
    b = find(b);
    if (a != b) at(std::max(a, b)) = std::min(a, b);
  }

 private:
  Index& at(Index i) { return parent_[static_cast<std::size_t>(i)]; }
  std::vector<Index> parent_;
};

/// One cell's side of an edge: from corner `local` to the next one.
struct HalfEdge {
  Index low, high;
  Index item;  // position in the list of cells
  std::int8_t local;
  bool forward;  // runs from low to high
};

std::vector<Index> surface_cells(const Mesh& mesh) {
  std::vector<Index> cells;
  for (Index c = 0; c < mesh.cell_count(); ++c)
    if (dimension_of(mesh.shape(c)) == 2) cells.push_back(c);
  return cells;
}

std::span<const Index> corner_nodes(const Mesh& mesh, Index cell) {
  return mesh.nodes(cell).first(static_cast<std::size_t>(corners_of(mesh.shape(cell))));
}

/// Half-edges sorted by edge, sides without length left out.
std::vector<HalfEdge> half_edges(const Mesh& mesh, std::span<const Index> cells) {
  std::vector<HalfEdge> out;
  out.reserve(4 * cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto n = corner_nodes(mesh, cells[i]);
    for (std::size_t k = 0; k < n.size(); ++k) {
      const Index a = n[k];
      const Index b = n[(k + 1) % n.size()];
      if (a != b)
        out.push_back({std::min(a, b), std::max(a, b), static_cast<Index>(i), static_cast<std::int8_t>(k), a < b});
    }
  }
  std::sort(out.begin(), out.end(), [](const HalfEdge& x, const HalfEdge& y) {
    return x.low != y.low ? x.low < y.low : x.high != y.high ? x.high < y.high : x.item < y.item;
  });
  return out;
}

/// f(begin, end) for each edge.
void for_each_edge(const std::vector<HalfEdge>& h, const auto& f) {
  for (std::size_t i = 0; i < h.size();) {
    std::size_t j = i + 1;
    while (j < h.size() && h[j].low == h[i].low && h[j].high == h[i].high) ++j;
    f(std::span(h.data() + i, j - i));
    i = j;
  }
}

/// Numbers 0, 1, … by first appearance.
std::vector<Index> numbered(UnionFind& sets, std::size_t n, Index* count) {
  std::vector<Index> out(n);
  std::unordered_map<Index, Index> seen;
  for (std::size_t i = 0; i < n; ++i)
    out[i] = seen.try_emplace(sets.find(static_cast<Index>(i)), static_cast<Index>(seen.size())).first->second;
  *count = static_cast<Index>(seen.size());
  return out;
}

std::string at(const Vec3& p) {
  return fmt::format("({:.6g}, {:.6g}, {:.6g})", p[0], p[1], p[2]);
}

void turn_round(Mesh& mesh, Index cell) {
  const auto order = turned_order(mesh.shape(cell));
  auto nodes = std::span(mesh.mutable_connectivity())
                   .subspan(static_cast<std::size_t>(mesh.offsets()[static_cast<std::size_t>(cell)]),
                            static_cast<std::size_t>(nodes_of(mesh.shape(cell))));
  std::array<Index, 27> before{};
  std::copy(nodes.begin(), nodes.end(), before.begin());
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] = before[static_cast<std::size_t>(order[i])];
}

double signed_volume(const Mesh& mesh, std::span<const Index> cells, const Vec3& origin) {
  double volume = 0;
  for (const Index c : cells) {
    const auto n = corner_nodes(mesh, c);
    const Vec3 a = vec::sub(mesh.point(n[0]), origin);
    for (std::size_t k = 1; k + 1 < n.size(); ++k)
      volume += vec::triple(a, vec::sub(mesh.point(n[k]), origin), vec::sub(mesh.point(n[k + 1]), origin)) / 6;
  }
  return volume;
}

}  // namespace

SurfaceReport check_surface(const Mesh& mesh, int list_limit) {
  return check_surface(mesh, surface_cells(mesh), list_limit);
}

SurfaceReport check_surface(const Mesh& mesh, std::span<const Index> cells, int list_limit) {
  SurfaceReport r;
  r.cells = static_cast<Index>(cells.size());
  const auto h = half_edges(mesh, cells);
  const auto limit = static_cast<std::size_t>(std::max(0, list_limit));
  UnionFind pieces(cells.size());
  // Corners of cells; joined across edges they form the fans around a point.
  std::vector<Index> first_corner(cells.size() + 1, 0);
  for (std::size_t i = 0; i < cells.size(); ++i)
    first_corner[i + 1] = first_corner[i] + corners_of(mesh.shape(cells[i]));
  UnionFind fans(static_cast<std::size_t>(first_corner.back()));
  for_each_edge(h, [&](std::span<const HalfEdge> e) {
    ++r.edges;
    const auto list = [&](std::vector<SurfaceEdge>& into) {
      if (into.size() >= limit) return;
      SurfaceEdge edge{e[0].low, e[0].high, {}};
      for (const HalfEdge& x : e.first(std::min<std::size_t>(e.size(), 16)))
        edge.cells.push_back(cells[static_cast<std::size_t>(x.item)]);
      into.push_back(std::move(edge));
    };
    if (e.size() == 1) {
      ++r.open_edge_count;
      list(r.open_edges);
    } else if (e.size() > 2) {
      ++r.non_manifold_edge_count;
      list(r.non_manifold_edges);
    } else if (e[0].forward == e[1].forward) {
      ++r.inconsistent_edge_count;
      list(r.inconsistent_edges);
    }
    for (std::size_t k = 1; k < e.size(); ++k) {
      pieces.unite(e[0].item, e[k].item);
      const auto corner = [&](const HalfEdge& x, bool low) {
        const auto i = static_cast<std::size_t>(x.item);
        const Index n = corners_of(mesh.shape(cells[i]));
        return first_corner[i] + (x.forward == low ? x.local : (x.local + 1) % n);
      };
      fans.unite(corner(e[0], true), corner(e[k], true));
      fans.unite(corner(e[0], false), corner(e[k], false));
    }
  });
  std::vector<Index> fan_of_point(static_cast<std::size_t>(mesh.point_count()), -1);
  std::vector<char> pinched(fan_of_point.size(), 0);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto n = corner_nodes(mesh, cells[i]);
    bool collapsed = false;
    for (std::size_t k = 0; k < n.size(); ++k) {
      const Index fan = fans.find(first_corner[i] + static_cast<Index>(k));
      Index& known = fan_of_point[static_cast<std::size_t>(n[k])];
      if (known < 0) {
        known = fan;
        ++r.points;
      } else if (known != fan && pinched[static_cast<std::size_t>(n[k])] == 0) {
        pinched[static_cast<std::size_t>(n[k])] = 1;
        ++r.non_manifold_point_count;
      }
      for (std::size_t l = 0; l < k; ++l) collapsed |= n[l] == n[k];
    }
    if (collapsed) ++r.collapsed_cell_count;
  }
  numbered(pieces, cells.size(), &r.components);
  if (!cells.empty()) r.volume = enclosed_volume(mesh, cells);
  return r;
}

std::vector<std::string> explained(const SurfaceReport& r, const Mesh& mesh) {
  if (r.cells == 0) return {"no surface cells"};
  const auto where = [&](const std::vector<SurfaceEdge>& edges) {
    if (edges.empty()) return std::string();
    const auto& e = edges.front();
    return fmt::format(", the first between points {} and {} at {} and {} (cell {})", e.a, e.b, at(mesh.point(e.a)),
                       at(mesh.point(e.b)), e.cells.empty() ? Index{-1} : e.cells.front());
  };
  std::vector<std::string> out;
  if (r.open_edge_count > 0)
    out.push_back(fmt::format("open: {} edges belong to one cell only{}", r.open_edge_count, where(r.open_edges)));
  if (r.non_manifold_edge_count > 0)
    out.push_back(fmt::format("not manifold: {} edges belong to more than two cells{}", r.non_manifold_edge_count,
                              where(r.non_manifold_edges)));
  if (r.non_manifold_point_count > 0)
    out.push_back(
        fmt::format("not manifold: at {} points sheets touch without a common edge", r.non_manifold_point_count));
  if (r.inconsistent_edge_count > 0)
    out.push_back(fmt::format("inconsistent: at {} edges the normals of the two cells disagree{}",
                              r.inconsistent_edge_count, where(r.inconsistent_edges)));
  if (r.collapsed_cell_count > 0) out.push_back(fmt::format("{} cells have a repeated corner", r.collapsed_cell_count));
  if (r.closed() && r.consistent())
    out.push_back(fmt::format("closed, {} component{}, volume {:.6g} m³, normals point {}", r.components,
                              r.components == 1 ? "" : "s", std::abs(r.volume), r.volume > 0 ? "outwards" : "inwards"));
  return out;
}

std::string explain(const SurfaceReport& report, const Mesh& mesh) {
  return fmt::format("{}", fmt::join(explained(report, mesh), "; "));
}

std::vector<Index> surface_components(const Mesh& mesh) {
  const auto cells = surface_cells(mesh);
  UnionFind pieces(cells.size());
  for_each_edge(half_edges(mesh, cells), [&](std::span<const HalfEdge> e) {
    for (std::size_t k = 1; k < e.size(); ++k) pieces.unite(e[0].item, e[k].item);
  });
  Index count = 0;
  const auto number = numbered(pieces, cells.size(), &count);
  std::vector<Index> out(static_cast<std::size_t>(mesh.cell_count()), -1);
  for (std::size_t i = 0; i < cells.size(); ++i) out[static_cast<std::size_t>(cells[i])] = number[i];
  return out;
}

namespace {

struct Neighbour {
  Index item;
  bool same_direction;  // along the shared edge: one of the two must turn
};
/// Cells of a surface, and their neighbours through edges of two cells, as one row a cell.
struct Neighbourhood {
  std::vector<Index> begin;
  std::vector<Neighbour> neighbours;
  std::vector<char> open;  ///< an edge of it has no other cell
  bool manifold = true;    ///< no edge has more than two
};

Neighbourhood neighbours_of(const Mesh& mesh, std::span<const Index> cells) {
  Neighbourhood out;
  const auto h = half_edges(mesh, cells);
  std::vector<Index>& begin = out.begin;
  std::vector<Neighbour>& neighbours = out.neighbours;
  std::vector<char>& open = out.open;
  begin.assign(cells.size() + 1, 0);
  open.assign(cells.size(), 0);
  for_each_edge(h, [&](std::span<const HalfEdge> e) {
    if (e.size() == 2)
      for (const HalfEdge& x : e) ++begin[static_cast<std::size_t>(x.item) + 1];
    if (e.size() == 1) open[static_cast<std::size_t>(e[0].item)] = 1;
    if (e.size() > 2) out.manifold = false;
  });
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  neighbours.resize(static_cast<std::size_t>(begin.back()));
  {
    std::vector<Index> next(begin.begin(), begin.end() - 1);
    for_each_edge(h, [&](std::span<const HalfEdge> e) {
      if (e.size() != 2) return;
      for (std::size_t k = 0; k < 2; ++k)
        neighbours[static_cast<std::size_t>(next[static_cast<std::size_t>(e[k].item)]++)] = {
            e[1 - k].item, e[0].forward == e[1].forward};
    });
  }
  return out;
}

/// Components as lists of items, and which of their cells turn to agree with the first one of theirs.
struct Flooded {
  std::vector<std::vector<Index>> components;
  std::vector<signed char> turn;
  bool consistent = true;
};

Flooded flood(const Neighbourhood& around) {
  Flooded out;
  const std::vector<Index>& begin = around.begin;
  auto& [components, turn, consistent] = out;
  turn.assign(around.open.size(), -1);
  for (std::size_t seed = 0; seed < turn.size(); ++seed) {
    if (turn[seed] >= 0) continue;
    turn[seed] = 0;
    std::vector<Index> items{static_cast<Index>(seed)};
    for (std::size_t done = 0; done < items.size(); ++done) {
      const auto i = static_cast<std::size_t>(items[done]);
      for (Index k = begin[i]; k < begin[i + 1]; ++k) {
        const Neighbour& n = around.neighbours[static_cast<std::size_t>(k)];
        const auto wanted = static_cast<signed char>(n.same_direction ? 1 - turn[i] : turn[i]);
        signed char& known = turn[static_cast<std::size_t>(n.item)];
        if (known < 0) {
          known = wanted;
          items.push_back(n.item);
        } else if (known != wanted) {
          consistent = false;
        }
      }
    }
    components.push_back(std::move(items));
  }
  return out;
}

/// Only closed components that may enclose something, with their boxes: thousands of separate bodies are common, and in damaged files
/// thousands of single cells whose edges have three neighbours.
struct Hull {
  std::size_t component;
  Vec3 low, high;
  std::array<Index, 6> ends{};  ///< points that reach farthest: to −x, +x, −y …

  [[nodiscard]] bool holds(const Vec3& p) const {
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (p[axis] < low[axis] || p[axis] > high[axis]) return false;
    return true;
  }
};

std::vector<Hull> hulls_of(const Mesh& mesh, const std::vector<std::vector<Index>>& lists,
                           const std::vector<char>& closed) {
  std::vector<Hull> hulls;
  for (std::size_t k = 0; k < lists.size(); ++k) {
    Index triangles = 0;
    Hull hull{k, {}, {}};
    hull.low.fill(std::numeric_limits<double>::infinity());
    hull.high.fill(-std::numeric_limits<double>::infinity());
    for (const Index c : lists[k]) {
      triangles += corners_of(mesh.shape(c)) - 2;
      for (const Index n : corner_nodes(mesh, c))
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const double at = mesh.point(n)[axis];
          if (at < hull.low[axis]) hull.ends[2 * axis] = n;
          if (at > hull.high[axis]) hull.ends[2 * axis + 1] = n;
          hull.low[axis] = std::min(hull.low[axis], at);
          hull.high[axis] = std::max(hull.high[axis], at);
        }
    }
    if (closed[k] != 0 && triangles >= 4) hulls.push_back(hull);
  }
  return hulls;
}

/// Whether a closed component lies inside another one. All that reaches farthest must: pieces that cut one another have a part in each
/// other, and neither is the other's cavity.
bool lies_inside(const Mesh& mesh, const Hull& hull, const Hull& other, const std::vector<Index>& cells_of_other) {
  return other.holds(hull.low) && other.holds(hull.high) &&
         std::all_of(hull.ends.begin(), hull.ends.end(), [&](const Index n) {
           return std::abs(winding_number(mesh, cells_of_other, mesh.point(n))) > 0.5;
         });
}

}  // namespace

OrientationChange orient_outward(Mesh& mesh) {
  OrientationChange change;
  const auto cells = surface_cells(mesh);
  const Neighbourhood around = neighbours_of(mesh, cells);
  const Flooded flooded = flood(around);
  const auto& components = flooded.components;
  change.orientable = around.manifold && flooded.consistent;
  change.components = static_cast<Index>(components.size());
  // Turn what disagrees with its component's first cell; then whole components.
  std::vector<char> is_turned(cells.size(), 0);
  const auto flip = [&](Index item) {
    turn_round(mesh, cells[static_cast<std::size_t>(item)]);
    is_turned[static_cast<std::size_t>(item)] ^= 1;
  };
  std::vector<std::vector<Index>> lists;
  std::vector<char> closed;
  for (const auto& items : components) {
    std::vector<Index> list;
    bool whole = true;
    for (const Index i : items) {
      if (flooded.turn[static_cast<std::size_t>(i)] == 1) flip(i);
      whole &= around.open[static_cast<std::size_t>(i)] == 0;
      list.push_back(cells[static_cast<std::size_t>(i)]);
    }
    closed.push_back(whole ? 1 : 0);
    lists.push_back(std::move(list));
  }
  const std::vector<Hull> hulls = hulls_of(mesh, lists, closed);
  for (std::size_t k = 0; k < components.size(); ++k) {
    if (closed[k] == 0) {
      ++change.open_components;
      // Undecidable: keep the direction of the majority.
      Index turned = 0;
      for (const Index i : components[k]) turned += is_turned[static_cast<std::size_t>(i)];
      if (2 * turned > static_cast<Index>(components[k].size()))
        for (const Index i : components[k]) flip(i);
      continue;
    }
    const Vec3 inside_point = mesh.point(mesh.nodes(lists[k].front())[0]);
    const auto mine = std::find_if(hulls.begin(), hulls.end(), [&](const Hull& h) { return h.component == k; });
    int depth = 0;
    for (const Hull& other : hulls)
      if (other.component != k && mine != hulls.end() && lies_inside(mesh, *mine, other, lists[other.component]))
        ++depth;
    const bool cavity = depth % 2 == 1;
    if (cavity) ++change.cavities;
    const bool outward = signed_volume(mesh, lists[k], inside_point) > 0;
    if (outward == cavity)
      for (const Index i : components[k]) flip(i);
  }
  change.turned = std::count(is_turned.begin(), is_turned.end(), 1);
  return change;
}

double solid_angle(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double la = vec::norm(a), lb = vec::norm(b), lc = vec::norm(c);
  return 2 * std::atan2(vec::triple(a, b, c),
                        la * lb * lc + vec::dot(a, b) * lc + vec::dot(b, c) * la + vec::dot(c, a) * lb);
}

double winding_number(const Mesh& mesh, std::span<const Index> cells, const Vec3& point) {
  double angle = 0;
  for (const Index cell : cells) {
    const auto n = corner_nodes(mesh, cell);
    for (std::size_t k = 1; k + 1 < n.size(); ++k)
      angle += solid_angle(vec::sub(mesh.point(n[0]), point), vec::sub(mesh.point(n[k]), point),
                           vec::sub(mesh.point(n[k + 1]), point));
  }
  return angle / (4 * std::numbers::pi);
}

Mesh boundary_surface(const Mesh& mesh, BoundaryLinks* links) {
  struct Face {
    std::array<Index, 4> key;  // sorted corners, -1 in front for triangles
    Index cell;
    std::int8_t local;  // -1: a surface cell of the mesh
  };
  std::vector<Face> faces;
  const auto key_of = [](std::span<const Index> corners) {
    std::array<Index, 4> key{-1, -1, -1, -1};
    std::copy(corners.begin(), corners.end(), key.begin());
    std::sort(key.begin(), key.end());
    return key;
  };
  for (Index c = 0; c < mesh.cell_count(); ++c) {
    const auto n = mesh.nodes(c);
    const CellShape shape = mesh.shape(c);
    if (dimension_of(shape) == 2) faces.push_back({key_of(corner_nodes(mesh, c)), c, -1});
    std::int8_t local = 0;
    for (const FaceNodes& f : faces_of(shape)) {
      std::array<Index, 4> corners{};
      const auto k = static_cast<std::size_t>(corners_of(f.shape));
      for (std::size_t i = 0; i < k; ++i) corners[i] = n[static_cast<std::size_t>(f.nodes[i])];
      faces.push_back({key_of(std::span(corners).first(k)), c, local++});
    }
  }
  std::sort(faces.begin(), faces.end(), [](const Face& a, const Face& b) {
    return a.key != b.key ? a.key < b.key : a.local != b.local ? a.local < b.local : a.cell < b.cell;
  });
  struct Found {
    Index cell;
    std::int8_t local;
    std::vector<Index> covers;  // surface cells of the mesh on this face
  };
  std::vector<Found> boundary;
  for (std::size_t i = 0; i < faces.size();) {
    std::size_t j = i;
    Index of_volume = 0;
    while (j < faces.size() && faces[j].key == faces[i].key) of_volume += faces[j++].local >= 0 ? 1 : 0;
    if (of_volume == 1) {
      Found f{faces[j - 1].cell, faces[j - 1].local, {}};
      for (std::size_t k = i; k + 1 < j; ++k) f.covers.push_back(faces[k].cell);
      boundary.push_back(std::move(f));
    }
    i = j;
  }
  std::sort(boundary.begin(), boundary.end(),
            [](const Found& a, const Found& b) { return a.cell != b.cell ? a.cell < b.cell : a.local < b.local; });

  std::vector<Index> new_point(static_cast<std::size_t>(mesh.point_count()), -1);
  for (const Found& f : boundary)
    for (const std::int8_t l : faces_of(mesh.shape(f.cell))[static_cast<std::size_t>(f.local)].list())
      new_point[static_cast<std::size_t>(mesh.nodes(f.cell)[static_cast<std::size_t>(l)])] = 0;
  Mesh out;
  if (links != nullptr) *links = {};
  for (std::size_t i = 0; i < new_point.size(); ++i) {
    if (new_point[i] < 0) continue;
    new_point[i] = out.add_point(mesh.point(static_cast<Index>(i)));
    if (links != nullptr) links->points.push_back(static_cast<Index>(i));
  }
  std::unordered_map<Index, Index> face_of_surface_cell;
  for (const Found& f : boundary) {
    const FaceNodes& face = faces_of(mesh.shape(f.cell))[static_cast<std::size_t>(f.local)];
    std::array<Index, 9> nodes{};
    const auto list = face.list();
    for (std::size_t i = 0; i < list.size(); ++i)
      nodes[i] = new_point[static_cast<std::size_t>(mesh.nodes(f.cell)[static_cast<std::size_t>(list[i])])];
    const Index cell = out.add_cell(face.shape, std::span(nodes).first(list.size()));
    for (const Index s : f.covers) face_of_surface_cell[s] = cell;
    if (links != nullptr) links->volume_cells.push_back(f.cell);
  }
  for (const auto& g : mesh.groups()) {
    if (g.dimension != 2) continue;
    auto& cells = out.add_group(g.name, 2, g.tag).cells;
    for (const Index c : g.cells)
      if (const auto it = face_of_surface_cell.find(c); it != face_of_surface_cell.end()) cells.push_back(it->second);
    std::sort(cells.begin(), cells.end());
    cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  }
  return out;
}

}  // namespace conoid
