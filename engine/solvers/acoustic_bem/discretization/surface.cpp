// SPDX-License-Identifier: BSD-3-Clause
// Builds the surface from a mesh: triangles, numbering of the unknowns, lengths.
#include "engine/solvers/acoustic_bem/discretization/surface.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "engine/core/vec3.hpp"
#include "engine/mesh/ordering.hpp"
#include "engine/mesh/topology.hpp"
#include "engine/solvers/acoustic_bem/discretization/skeletons.hpp"

namespace conoid::acoustic_bem {

using namespace conoid::vec;

Triangle make_triangle(const Vec3& v0, const Vec3& v1, const Vec3& v2) {
  Triangle t;
  t.corner = {v0, v1, v2};
  const Vec3 twice = cross(sub(v1, v0), sub(v2, v0));
  const double size = norm(twice);
  t.area = 0.5 * size;
  t.normal = unit(twice);
  for (int k = 0; k < 3; ++k) t.centroid[k] = (v0[k] + v1[k] + v2[k]) / 3;
  for (std::size_t b = 0; b < 3; ++b) {
    const Vec3 e = sub(t.corner[(b + 2) % 3], t.corner[(b + 1) % 3]);
    t.curl[b] = size > 0 ? scale(-1 / size, e) : Vec3{};
    t.gradient[b] = size > 0 ? scale(1 / size, cross(t.normal, e)) : Vec3{};
    const Vec3 along = sub(t.corner[(b + 1) % 3], t.corner[b]);
    t.length[b] = norm(along);
    t.tangent[b] = unit(along);
    t.outward[b] = cross(t.tangent[b], t.normal);
    t.radius = std::max(t.radius, distance(t.corner[b], t.centroid));
  }
  return t;
}

std::vector<std::int32_t> Surface::touching(Interval range) const {
  std::vector<std::int32_t> out;
  for (Index v = range.begin; v < range.end; ++v)
    for (std::int32_t k = touch_begin[static_cast<std::size_t>(v)]; k < touch_begin[static_cast<std::size_t>(v) + 1];
         ++k)
      out.push_back(touch[static_cast<std::size_t>(k)]);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

namespace {

/// Largest distance of two points. Points are grouped in the given order (neighbours lie together in a space-filling
/// order), and pairs of groups that cannot beat the best are left out.
double largest_distance(const std::vector<Vec3>& points) {
  constexpr std::size_t group = 64;
  struct Ball {
    Vec3 centre{};
    double radius = 0;
    std::size_t begin = 0, end = 0;
  };
  std::vector<Ball> balls;
  for (std::size_t b = 0; b < points.size(); b += group) {
    Ball ball{{}, 0, b, std::min(b + group, points.size())};
    for (std::size_t i = ball.begin; i < ball.end; ++i)
      ball.centre = axpy(1.0 / static_cast<double>(ball.end - ball.begin), points[i], ball.centre);
    for (std::size_t i = ball.begin; i < ball.end; ++i)
      ball.radius = std::max(ball.radius, distance(points[i], ball.centre));
    balls.push_back(ball);
  }
  double best = 0;
  for (std::size_t p = 0; p < balls.size(); ++p)
    for (std::size_t q = p; q < balls.size(); ++q) {
      if (distance(balls[p].centre, balls[q].centre) + balls[p].radius + balls[q].radius <= best) continue;
      for (std::size_t i = balls[p].begin; i < balls[p].end; ++i)
        for (std::size_t j = balls[q].begin; j < balls[q].end; ++j)
          best = std::max(best, distance(points[i], points[j]));
    }
  return best;
}

/// The corner triples of all surface cells; quads are cut along their shorter diagonal.
/// `cells`, if given, gets the cell of each.
std::vector<std::array<Index, 3>> corner_triples(const Mesh& mesh, std::vector<Index>* cells = nullptr) {
  std::vector<std::array<Index, 3>> out;
  for (Index c = 0; c < mesh.cell_count(); ++c) {
    const auto n = mesh.nodes(c);
    const CellShape shape = mesh.shape(c);
    if (dimension_of(shape) != 2) continue;
    if (corners_of(shape) == 3) {
      out.push_back({n[0], n[1], n[2]});
    } else if (distance(mesh.point(n[0]), mesh.point(n[2])) <= distance(mesh.point(n[1]), mesh.point(n[3]))) {
      out.push_back({n[0], n[1], n[2]});
      out.push_back({n[0], n[2], n[3]});
    } else {
      out.push_back({n[0], n[1], n[3]});
      out.push_back({n[1], n[2], n[3]});
    }
    if (cells != nullptr) cells->resize(out.size(), c);
  }
  return out;
}

using EdgeKey = std::pair<Index, Index>;
/// A triangle at an edge, and whether it runs from the edge's lower point to the higher.
struct EdgeUse {
  std::size_t triangle = 0;
  bool forward = false;
};
using Edges = std::map<EdgeKey, std::vector<EdgeUse>>;

using Triples = std::vector<std::array<Index, 3>>;

/// Along a rigid ground the triangle's image is its neighbour: it counts as its own, run through the other way.
Edges edges_of(const Mesh& mesh, const Triples& triples, const std::optional<Ground>& ground) {
  Edges edges;
  for (std::size_t t = 0; t < triples.size(); ++t)
    for (std::size_t e = 0; e < 3; ++e) {
      const Index a = triples[t][e], b = triples[t][(e + 1) % 3];
      edges[{std::min(a, b), std::max(a, b)}].push_back({t, a < b});
    }
  if (!ground || !ground->rigid) return edges;
  const auto [low, high] = mesh.bounds();
  const double near = 1e-7 * distance(low, high);
  for (auto& [edge, uses] : edges)
    if (uses.size() == 1 && std::abs(ground->above(mesh.point(edge.first))) <= near &&
        std::abs(ground->above(mesh.point(edge.second))) <= near)
      uses.push_back({uses[0].triangle, !uses[0].forward});
  return edges;
}

/// Pieces of triangles joined by edges.
struct Pieces {
  std::vector<Index> number;   ///< of each triangle
  std::vector<char> closed;    ///< of each piece: every edge has two triangles
  std::vector<double> volume;  ///< enclosed, m³; positive: outward normals
};

Pieces pieces_of(const Mesh& mesh, const Triples& triples, const Edges& edges, const std::optional<Ground>& ground) {
  std::vector<std::vector<std::size_t>> beside(triples.size());
  for (const auto& [edge, uses] : edges)
    for (std::size_t k = 1; k < uses.size(); ++k) {
      beside[uses[0].triangle].push_back(uses[k].triangle);
      beside[uses[k].triangle].push_back(uses[0].triangle);
    }
  Pieces out;
  out.number.assign(triples.size(), -1);
  for (std::size_t seed = 0; seed < triples.size(); ++seed) {
    if (out.number[seed] >= 0) continue;
    Vec3 base = mesh.point(triples[seed][0]);
    if (ground) base[static_cast<std::size_t>(ground->axis)] = ground->height;  // what is open below adds nothing
    double six = 0;
    std::vector<std::size_t> found{seed};
    out.number[seed] = static_cast<Index>(out.closed.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      const auto& t = triples[found[k]];
      six += triple(sub(mesh.point(t[0]), base), sub(mesh.point(t[1]), base), sub(mesh.point(t[2]), base));
      for (std::size_t n : beside[found[k]])
        if (out.number[n] < 0) {
          out.number[n] = out.number[seed];
          found.push_back(n);
        }
    }
    out.closed.push_back(1);
    out.volume.push_back(six / 6);
  }
  for (const auto& [edge, uses] : edges)
    if (uses.size() != 2) out.closed[static_cast<std::size_t>(out.number[uses[0].triangle])] = 0;
  return out;
}

/// Edges of two triangles that both run along it in one direction.
Index disagreeing(const Edges& edges) {
  return std::count_if(edges.begin(), edges.end(), [](const auto& e) {
    return e.second.size() == 2 && e.second[0].forward == e.second[1].forward;
  });
}

/// The surface's triangles, turned where they must be.
struct Faces {
  Triples triples;
  std::vector<Index> cells;  ///< of the mesh, of each triangle
  Edges edges;
  Pieces pieces;
  Index turned = 0;
  Index room = -1;  ///< the piece that is the room's walls
};

Faces faces_of(const Mesh& mesh, const Conditions& conditions) {
  Faces f;
  const auto connect = [&] {
    f.edges = edges_of(mesh, f.triples, conditions.ground);
    f.pieces = pieces_of(mesh, f.triples, f.edges, conditions.ground);
  };
  f.triples = corner_triples(mesh, &f.cells);
  connect();
  const Triples given = f.triples;
  if (disagreeing(f.edges) > 0) {
    Mesh turned = mesh;
    orient_outward(turned);
    f.triples = corner_triples(turned);
    connect();
  }
  // A closed piece inside another is a body, not a hollow: sound comes from outside.
  bool inward = false;
  for (std::size_t t = 0; t < f.triples.size(); ++t) {
    const auto piece = static_cast<std::size_t>(f.pieces.number[t]);
    if (!f.pieces.closed[piece] || f.pieces.volume[piece] >= 0) continue;
    std::swap(f.triples[t][1], f.triples[t][2]);
    inward = true;
  }
  if (inward) connect();
  for (std::size_t t = 0; t < given.size(); ++t) {
    const auto &a = given[t], &b = f.triples[t];
    const bool same =
        (a[0] == b[0] && a[1] == b[1]) || (a[0] == b[1] && a[1] == b[2]) || (a[0] == b[2] && a[1] == b[0]);
    f.turned += !same;
  }
  if (!conditions.inside) return f;
  std::size_t room = 0;  // its normals point into it
  for (std::size_t p = 1; p < f.pieces.volume.size(); ++p)
    if (std::abs(f.pieces.volume[p]) > std::abs(f.pieces.volume[room])) room = p;
  for (std::size_t t = 0; t < f.triples.size(); ++t)
    if (static_cast<std::size_t>(f.pieces.number[t]) == room) std::swap(f.triples[t][1], f.triples[t][2]);
  connect();
  f.room = static_cast<Index>(room);
  return f;
}

/// The values at the triangles' corners: one for each sheet at each point, and what it is made of.
struct Sheets {
  std::vector<std::array<std::int32_t, 3>> node;  ///< of each triangle's corners
  std::vector<Index> point;                       ///< of each node
  std::vector<std::vector<Share>> shares;         ///< in nodes that are free; a free node has itself
};

/// Solves, at one point, the conditions of its edges for the sheets' values: each row says Σ_k row[k] value_k = 0.
/// Returns for each sheet its shares in the sheets that are left free.
std::vector<std::vector<Share>> solved(std::vector<std::vector<double>> rows, std::size_t sheets) {
  std::vector<int> row_of(sheets, -1);
  std::size_t done = 0;
  for (std::size_t c = sheets; c-- > 0 && done < rows.size();) {  // the last sheets are given by the first
    const auto pivot = std::find_if(rows.begin() + static_cast<std::ptrdiff_t>(done), rows.end(),
                                    [&](const auto& r) { return std::abs(r[c]) > 1e-9; });
    if (pivot == rows.end()) continue;
    std::swap(rows[done], *pivot);
    const double by = rows[done][c];
    for (double& v : rows[done]) v /= by;
    for (std::size_t r = 0; r < rows.size(); ++r)
      if (const double factor = rows[r][c]; r != done && factor != 0)
        for (std::size_t k = 0; k < sheets; ++k) rows[r][k] -= factor * rows[done][k];
    row_of[c] = static_cast<int>(done++);
  }
  std::vector<std::vector<Share>> out(sheets);
  for (std::size_t c = 0; c < sheets; ++c) {
    if (row_of[c] < 0) {
      out[c] = {{static_cast<std::int32_t>(c), 1}};
      continue;
    }
    const auto& row = rows[static_cast<std::size_t>(row_of[c])];
    for (std::size_t k = 0; k < sheets; ++k)
      if (k != c && std::abs(row[k]) > 1e-9) out[c].push_back({static_cast<std::int32_t>(k), -row[k]});
  }
  return out;
}

/// Sheets at a point are its triangles joined through edges of two; the jump is continuous over those, zero at edges of one
/// triangle, and adds up to nothing round edges of more (each sheet counted by the direction in which it runs along the edge).
Sheets sheets_of(const Faces& f) {
  const std::size_t corners = 3 * f.triples.size();
  std::vector<std::size_t> joined(corners);
  std::iota(joined.begin(), joined.end(), std::size_t{0});
  const auto root = [&](std::size_t c) {
    while (joined[c] != c) c = joined[c] = joined[joined[c]];
    return c;
  };
  const auto corner = [&](std::size_t t, Index point) {
    const auto& n = f.triples[t];
    return 3 * t + (n[0] == point ? 0U : n[1] == point ? 1U : 2U);
  };
  for (const auto& [edge, uses] : f.edges)
    if (uses.size() == 2)
      for (Index p : {edge.first, edge.second}) {
        const std::size_t a = root(corner(uses[0].triangle, p)), b = root(corner(uses[1].triangle, p));
        joined[std::max(a, b)] = std::min(a, b);
      }
  std::map<Index, std::vector<std::size_t>> at;  // point → sheets, by their first corner
  for (std::size_t c = 0; c < corners; ++c)
    if (root(c) == c) at[f.triples[c / 3][c % 3]].push_back(c);
  std::map<Index, std::vector<std::vector<std::pair<std::size_t, double>>>> conditions;
  for (const auto& [edge, uses] : f.edges)
    if (uses.size() != 2)
      for (Index p : {edge.first, edge.second}) {
        auto& row = conditions[p].emplace_back();
        for (const EdgeUse& u : uses) row.emplace_back(root(corner(u.triangle, p)), u.forward ? 1 : -1);
      }
  Sheets out;
  std::map<std::size_t, std::int32_t> node_of;
  for (const auto& [point, sheets] : at) {
    const auto first = static_cast<std::int32_t>(out.point.size());
    std::vector<std::vector<double>> rows;
    if (const auto c = conditions.find(point); c != conditions.end())
      for (const auto& condition : c->second) {
        auto& row = rows.emplace_back(sheets.size(), 0.0);
        for (const auto& [sheet, sign] : condition)
          row[static_cast<std::size_t>(std::find(sheets.begin(), sheets.end(), sheet) - sheets.begin())] += sign;
      }
    for (auto& shares : solved(std::move(rows), sheets.size())) {
      for (Share& s : shares) s.unknown += first;
      node_of[sheets[out.point.size() - static_cast<std::size_t>(first)]] = static_cast<std::int32_t>(out.point.size());
      out.point.push_back(point);
      out.shares.push_back(std::move(shares));
    }
  }
  out.node.resize(f.triples.size());
  for (std::size_t c = 0; c < corners; ++c) out.node[c / 3][c % 3] = node_of.at(root(c));
  return out;
}

void measure_edges(const Mesh& mesh, const Edges& edges, Surface& s) {
  s.shortest_edge = std::numeric_limits<double>::max();
  for (const auto& [edge, uses] : edges) {
    if (uses.size() == 1) s.closed = false;
    const double length = distance(mesh.point(edge.first), mesh.point(edge.second));
    s.mean_edge += length / static_cast<double>(edges.size());
    s.longest_edge = std::max(s.longest_edge, length);
    s.shortest_edge = std::min(s.shortest_edge, length);
  }
}

/// Free nodes in the wanted order, then the others; returns the vertex of each node.
std::vector<std::int32_t> number_vertices(const Mesh& mesh, const Sheets& sheets, Ordering ordering, Surface& s) {
  std::vector<std::int32_t> inner, outer;
  for (std::size_t n = 0; n < sheets.point.size(); ++n) {
    const auto& own = sheets.shares[n];
    const bool free = own.size() == 1 && own[0].unknown == static_cast<std::int32_t>(n);
    (free ? inner : outer).push_back(static_cast<std::int32_t>(n));
  }
  std::vector<std::int32_t> order;
  if (ordering == Ordering::given) {
    order = inner;
  } else if (ordering == Ordering::clusters) {
    std::vector<Vec3> positions;
    for (std::int32_t n : inner) positions.push_back(mesh.point(sheets.point[static_cast<std::size_t>(n)]));
    for (Index k : cluster_order(positions)) order.push_back(inner[static_cast<std::size_t>(k)]);
  } else {
    std::vector<double> positions;
    for (std::int32_t n : inner)
      for (double x : mesh.point(sheets.point[static_cast<std::size_t>(n)])) positions.push_back(x);
    if (!inner.empty())
      for (Index k : curve_order(positions, ordering == Ordering::morton ? Curve::morton : Curve::hilbert))
        order.push_back(inner[static_cast<std::size_t>(k)]);
  }
  s.unknowns = static_cast<Index>(inner.size());
  order.insert(order.end(), outer.begin(), outer.end());
  std::vector<std::int32_t> vertex(order.size());
  for (std::size_t v = 0; v < order.size(); ++v) {
    vertex[static_cast<std::size_t>(order[v])] = static_cast<std::int32_t>(v);
    s.mesh_point.push_back(sheets.point[static_cast<std::size_t>(order[v])]);
    s.vertices.push_back(mesh.point(s.mesh_point.back()));
  }
  s.share_begin.push_back(0);
  for (std::int32_t n : order) {
    for (const Share& part : sheets.shares[static_cast<std::size_t>(n)])
      s.share.push_back({vertex[static_cast<std::size_t>(part.unknown)], part.weight});
    s.share_begin.push_back(static_cast<std::int32_t>(s.share.size()));
  }
  return vertex;
}

/// Cuts the triangles at a rim into layers.
class RimLayers {
 public:
  RimLayers(Surface& s, int layers) : surface_(s), layers_(layers) {}

  /// Vertices counter-clockwise; calls add(vertices) for each piece.
  template <class Add>
  void cut(std::array<std::int32_t, 3> v, Add&& add) {
    const auto on_rim = [&](std::size_t k) { return surface_.shares(v[k]).empty(); };
    const auto count = static_cast<int>(on_rim(0)) + static_cast<int>(on_rim(1)) + static_cast<int>(on_rim(2));
    surface_.rim_faces += count > 0;
    surface_.dead_faces += count == 3;
    if (count == 0 || count == 3 || layers_ <= 1) return add(v);
    const bool apex_on_rim = count == 1;  // the corner that is alone on or off the rim comes first
    while (on_rim(0) != apex_on_rim || on_rim(1) == apex_on_rim) v = {v[1], v[2], v[0]};
    const auto n = static_cast<std::size_t>(layers_);
    std::array<std::vector<std::int32_t>, 2> side;
    for (std::size_t k = 0; k < 2; ++k)
      for (std::size_t j = 0; j <= n; ++j)
        side[k].push_back(apex_on_rim ? at(v[0], v[k + 1], static_cast<int>(j))
                                      : at(v[k + 1], v[0], static_cast<int>(n - j)));
    add({v[0], side[0][1], side[1][1]});
    for (std::size_t j = 1; j < n; ++j) {
      add({side[0][j], side[0][j + 1], side[1][j + 1]});
      add({side[0][j], side[1][j + 1], side[1][j]});
    }
  }

 private:
  /// Vertex at layer j of the edge from the rim to an inner vertex.
  std::int32_t at(std::int32_t rim, std::int32_t inner, int j) {
    if (j == 0) return rim;
    if (j == layers_) return inner;
    const auto [place, fresh] = made_.try_emplace({rim, inner, j}, static_cast<std::int32_t>(surface_.vertices.size()));
    if (!fresh) return place->second;
    const double s = std::pow(static_cast<double>(j) / layers_, grading), weight = std::sqrt(s);
    const Vec3 from = surface_.vertices[static_cast<std::size_t>(rim)],
               to = surface_.vertices[static_cast<std::size_t>(inner)];
    surface_.vertices.push_back(axpy(s, sub(to, from), from));
    surface_.mesh_point.push_back(-1);
    const auto parts = surface_.shares(inner);
    const std::vector<Share> copied(parts.begin(), parts.end());
    for (const Share& p : copied) surface_.share.push_back({p.unknown, weight * p.weight});
    surface_.share_begin.push_back(static_cast<std::int32_t>(surface_.share.size()));
    return place->second;
  }

  static constexpr double grading = 3;
  Surface& surface_;
  int layers_;
  std::map<std::array<std::int32_t, 3>, std::int32_t> made_;
};

/// Fills `touch` from the triangles.
void list_touching(Surface& s) {
  std::vector<std::vector<std::int32_t>> of(static_cast<std::size_t>(s.unknowns));
  for (std::size_t k = 0; k < s.triangles.size(); ++k)
    for (std::int32_t v : s.triangles[k].vertex)
      for (const Share& part : s.shares(v)) {
        auto& list = of[static_cast<std::size_t>(part.unknown)];
        if (list.empty() || list.back() != static_cast<std::int32_t>(k)) list.push_back(static_cast<std::int32_t>(k));
      }
  s.touch_begin.assign(1, 0);
  for (const auto& list : of) {
    s.touch.insert(s.touch.end(), list.begin(), list.end());
    s.touch_begin.push_back(static_cast<std::int32_t>(s.touch.size()));
  }
}

/// The wall of each cell; −1: none. Error: no such group, or cells in two.
Result<std::vector<std::int16_t>> walls_of_cells(const Mesh& mesh, const Conditions& conditions) {
  std::vector<std::int16_t> out(static_cast<std::size_t>(mesh.cell_count()), -1);
  for (std::size_t w = 0; w < conditions.walls.size(); ++w) {
    const auto group = require_group(mesh, conditions.walls[w].group, 2);
    if (!group) return group.error();
    for (const Index c : (*group)->cells) {
      auto& wall = out[static_cast<std::size_t>(c)];
      if (wall >= 0)
        return make_error(
            ErrorCode::invalid_input,
            fmt::format("cell {} lies in the groups '{}' and '{}', which both have a condition", c,
                        conditions.walls[static_cast<std::size_t>(wall)].group, conditions.walls[w].group),
            "Give each face one condition.");
      wall = static_cast<std::int16_t>(w);
    }
  }
  return out;
}

/// What the conditions say of triangles and vertices.
void lay_walls(Surface& s) {
  const auto& walls = s.conditions.walls;
  if (std::all_of(walls.begin(), walls.end(), [](const Wall& w) { return w.kind == WallKind::velocity; })) return;
  s.admittance.assign(s.triangles.size(), 0);
  s.admittance_before.assign(s.triangles.size(), 0);
  s.soft.assign(s.triangles.size(), 0);
  s.derivative.assign(s.vertices.size(), 0);
  for (std::size_t t = 0; t < s.triangles.size(); ++t) {
    if (s.wall[t] < 0) continue;
    const Wall& wall = walls[static_cast<std::size_t>(s.wall[t])];
    if (wall.kind == WallKind::impedance) {
      s.admittance[t] = 1 / wall.impedance;
      s.admittance_before[t] = -s.admittance[t];
    }
    if (wall.kind != WallKind::soft) continue;
    s.soft[t] = 1;
    for (const std::int32_t v : s.triangles[t].vertex) s.derivative[static_cast<std::size_t>(v)] = 1;
  }
}

/// Gives every vertex a second unknown, cΔt ∂_n p, right behind its pressure, and every triangle a second one that carries it.
void double_layers(Surface& s) {
  const auto twice = [](auto& values) {
    auto out = values;
    out.clear();
    for (const auto& v : values) out.insert(out.end(), {v, v});
    values = std::move(out);
  };
  twice(s.vertices);
  twice(s.mesh_point);
  s.unknowns *= 2;
  s.share.clear();
  s.share_begin.assign(1, 0);
  for (Index v = 0; v < s.unknowns; ++v) {  // of closed bodies a vertex is an unknown
    s.share.push_back({static_cast<std::int32_t>(v), 1});
    s.share_begin.push_back(static_cast<std::int32_t>(v) + 1);
  }
  const std::size_t faces = s.triangles.size();
  s.body_of.assign(faces, -1);
  for (std::size_t b = 0; b < s.bodies.size(); ++b)
    for (const std::int32_t t : s.bodies[b]) s.body_of[static_cast<std::size_t>(t)] = static_cast<std::int32_t>(b);
  for (std::size_t t = 0; t < faces; ++t) {
    for (std::int32_t& v : s.triangles[t].vertex) v *= 2;
    Triangle second = s.triangles[t];
    for (std::int32_t& v : second.vertex) ++v;
    s.triangles.push_back(second);
  }
  s.admittance.assign(2 * faces, 0);
  s.admittance_before.assign(2 * faces, 0);
  s.soft.assign(2 * faces, 0);
  std::fill(s.soft.begin() + static_cast<std::ptrdiff_t>(faces), s.soft.end(), 1);
  s.derivative.resize(s.vertices.size());
  for (std::size_t v = 0; v < s.derivative.size(); ++v) s.derivative[v] = v % 2;
}

void add_images(Surface& s) {
  const Ground& ground = *s.conditions.ground;
  for (const Triangle& t : s.triangles) {
    Triangle image =
        make_triangle(ground.mirrored(t.corner[0]), ground.mirrored(t.corner[2]), ground.mirrored(t.corner[1]));
    image.vertex = {t.vertex[0], t.vertex[2], t.vertex[1]};
    s.images.push_back(image);
  }
}

}  // namespace

Result<Surface> make_surface(const Mesh& mesh, Ordering ordering, int rim_layers, const Conditions& conditions) {
  const Faces faces = faces_of(mesh, conditions);
  if (faces.triples.empty())
    return make_error(ErrorCode::invalid_input, "The mesh has no surface cells.",
                      "Boundary elements need a surface of triangles: mesh the body's surface, not its volume.");
  const Sheets sheets = sheets_of(faces);
  const auto walls = walls_of_cells(mesh, conditions);
  if (!walls) return walls.error();
  Surface s;
  s.conditions = conditions;
  s.turned = faces.turned;
  measure_edges(mesh, faces.edges, s);
  const auto vertex_of = number_vertices(mesh, sheets, ordering, s);
  if (s.unknowns == 0)
    return make_error(ErrorCode::invalid_input, "The open screen has no vertex inside its rim, so it has no unknowns.",
                      "Refine the mesh until there are vertices inside the rim.");
  // Triangles follow their lowest vertex, so that eight neighbours in the list are neighbours in space.
  std::vector<std::pair<std::int32_t, std::size_t>> order;
  for (std::size_t t = 0; t < faces.triples.size(); ++t) {
    std::int32_t lowest = std::numeric_limits<std::int32_t>::max();
    for (std::int32_t n : sheets.node[t]) lowest = std::min(lowest, vertex_of[static_cast<std::size_t>(n)]);
    order.emplace_back(lowest, t);
  }
  std::sort(order.begin(), order.end());
  RimLayers layers(s, rim_layers);
  std::map<Index, std::vector<std::int32_t>> bodies;
  for (const auto& [lowest, t] : order) {
    std::array<std::int32_t, 3> v{};
    for (std::size_t a = 0; a < 3; ++a) v[a] = vertex_of[static_cast<std::size_t>(sheets.node[t][a])];
    const std::size_t face = t;
    layers.cut(v, [&](const std::array<std::int32_t, 3>& part) {
      Triangle triangle =
          make_triangle(s.vertices[static_cast<std::size_t>(part[0])], s.vertices[static_cast<std::size_t>(part[1])],
                        s.vertices[static_cast<std::size_t>(part[2])]);
      triangle.vertex = part;
      s.area += triangle.area;
      const Index piece = faces.pieces.number[face];
      if (faces.pieces.closed[static_cast<std::size_t>(piece)])
        bodies[piece].push_back(static_cast<std::int32_t>(s.triangles.size()));
      s.triangles.push_back(triangle);
      if (faces.room >= 0) s.plain.push_back(piece == faces.room ? 1 : 0);
      if (!conditions.walls.empty()) s.wall.push_back((*walls)[static_cast<std::size_t>(faces.cells[face])]);
    });
  }
  for (auto& [piece, list] : bodies) s.bodies.push_back(std::move(list));
  if (s.filled()) {
    if (s.bodies.size() == 0 || !s.closed)
      return make_error(ErrorCode::invalid_input,
                        "A body that is filled with another fluid is closed, and this surface is open.",
                        "Close the surface: `conoid mesh FILE --fill-holes --convert OUT.msh`.");
    double_layers(s);
  }
  list_touching(s);
  if (!s.filled()) lay_walls(s);
  std::vector<Vec3> points = s.vertices;
  if (conditions.ground) {
    add_images(s);
    for (const Vec3& x : s.vertices) points.push_back(conditions.ground->mirrored(x));
  }
  s.diameter = largest_distance(points);
  return s;
}

double thinness(const Surface& surface) {
  // A grid of cells as wide as the widest pair that counts; triangles are looked up by their centroids.
  double widest = 0;
  for (const Triangle& t : surface.triangles) widest = std::max(widest, t.radius);
  if (!(widest > 0)) return 1;
  const double cell = 2 * widest;
  const auto key = [&](const Vec3& x, int dx, int dy, int dz) {
    return std::array<Index, 3>{static_cast<Index>(std::floor(x[0] / cell)) + dx,
                                static_cast<Index>(std::floor(x[1] / cell)) + dy,
                                static_cast<Index>(std::floor(x[2] / cell)) + dz};
  };
  std::map<std::array<Index, 3>, std::vector<const Triangle*>> grid;
  const std::span faces(surface.triangles.data(), surface.faces());
  for (const Triangle& t : faces) grid[key(t.centroid, 0, 0, 0)].push_back(&t);
  double least = 1;
  for (const Triangle& t : faces)
    for (int n = 0; n < 27; ++n) {
      const auto found = grid.find(key(t.centroid, n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1));
      if (found == grid.end()) continue;
      for (const Triangle* other : found->second) {
        if (vec::dot(t.normal, other->normal) > -0.5) continue;
        const Vec3 to = vec::sub(other->centroid, t.centroid);
        const double gap = std::abs(vec::dot(to, t.normal)), apart = vec::norm(to);
        if (gap >= least * t.radius || apart * apart - gap * gap > t.radius * t.radius) continue;
        bool touch = false;
        for (const auto a : t.vertex)
          for (const auto c : other->vertex) touch = touch || a == c;
        if (!touch) least = gap / t.radius;
      }
    }
  return least;
}

double signed_volume(const Surface& surface) {
  double six = 0;
  Vec3 base = surface.vertices.front();
  if (const auto& ground = surface.conditions.ground) base[static_cast<std::size_t>(ground->axis)] = ground->height;
  for (std::size_t k = 0; k < surface.faces(); ++k) {
    const Triangle& t = surface.triangles[k];
    six += triple(sub(t.corner[0], base), sub(t.corner[1], base), sub(t.corner[2], base));
  }
  return six / 6;
}

Index Surface::memory_column(std::int32_t unknown, std::int16_t at) const {
  const auto found =
      std::lower_bound(memory_columns.begin(), memory_columns.end(), std::pair(unknown, at),
                       [](const MemoryColumn& c, const auto& key) { return std::pair(c.unknown, c.wall) < key; });
  return found != memory_columns.end() && found->unknown == unknown && found->wall == at
             ? static_cast<Index>(found - memory_columns.begin())
             : -1;
}

void set_wall_memory(Surface& surface, double dt) {
  const auto& walls = surface.conditions.walls;
  surface.memory.clear();
  surface.memory_columns.clear();
  if (std::none_of(walls.begin(), walls.end(), [](const Wall& w) { return w.admittance.has_value(); })) return;
  for (const Wall& w : walls) surface.memory.push_back(w.admittance ? memory_of(*w.admittance, dt) : WallMemory{});
  std::set<std::pair<std::int32_t, std::int16_t>> columns;
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    const std::int16_t w = surface.wall[t];
    if (w < 0 || !walls[static_cast<std::size_t>(w)].admittance) continue;
    const WallMemory& memory = surface.memory[static_cast<std::size_t>(w)];
    surface.admittance[t] = memory.now;
    surface.admittance_before[t] = memory.before;
    for (const std::int32_t v : surface.triangles[t].vertex)
      if (surface.carries_pressure(v))
        for (const Share& part : surface.shares(v)) columns.emplace(part.unknown, w);
  }
  for (const auto& [unknown, wall] : columns) surface.memory_columns.push_back({unknown, wall});
}

std::vector<Diagnostic> check_surface(const Mesh& mesh, bool closed_needed, std::string_view form,
                                      const Conditions& conditions) {
  std::vector<Diagnostic> out;
  const auto error = [&](std::string text, std::string hint) {
    out.push_back(make_error(ErrorCode::invalid_input, std::move(text), std::move(hint), {"", 0, "/mesh"}));
  };
  const auto triples = corner_triples(mesh);
  if (triples.empty()) {
    error("the mesh has no surface cells", "Boundary elements need triangles: mesh the surface of the body.");
    return out;
  }
  Index degenerate = 0, first_degenerate = -1;
  Vec3 low = mesh.point(triples.front()[0]), high = low;
  std::vector<char> used(static_cast<std::size_t>(mesh.point_count()), 0);
  for (std::size_t k = 0; k < triples.size(); ++k) {
    const Vec3 a = mesh.point(triples[k][0]), b = mesh.point(triples[k][1]), c = mesh.point(triples[k][2]);
    const double longest = std::max({distance(a, b), distance(b, c), distance(c, a)});
    if (!(norm(cross(sub(b, a), sub(c, a))) > 1e-9 * longest * longest)) {
      if (degenerate++ == 0) first_degenerate = static_cast<Index>(k);
    }
    for (Index v : triples[k]) {
      used[static_cast<std::size_t>(v)] = 1;
      const Vec3 x = mesh.point(v);
      for (std::size_t d = 0; d < 3; ++d) low[d] = std::min(low[d], x[d]), high[d] = std::max(high[d], x[d]);
    }
  }
  if (degenerate > 0)
    error(fmt::format("{} of {} triangles have no area (the first is triangle {})", degenerate, triples.size(),
                      first_degenerate),
          "Remove slivers and repeated corners in the mesh generator.");

  // Duplicate vertices: sorted along x, compared within a tolerance of 1e-7 of the extent.
  const double tolerance = 1e-7 * distance(low, high);
  std::vector<Index> sorted;
  for (Index p = 0; p < mesh.point_count(); ++p)
    if (used[static_cast<std::size_t>(p)]) sorted.push_back(p);
  std::sort(sorted.begin(), sorted.end(), [&](Index a, Index b) { return mesh.point(a) < mesh.point(b); });
  Index duplicates = 0, one = -1, other = -1;
  for (std::size_t i = 0; i < sorted.size(); ++i)
    for (std::size_t j = i + 1; j < sorted.size(); ++j) {
      const Vec3 a = mesh.point(sorted[i]), b = mesh.point(sorted[j]);
      if (b[0] - a[0] > tolerance || j - i > 4096) break;
      if (distance(a, b) <= tolerance && duplicates++ == 0) one = sorted[i], other = sorted[j];
    }
  if (duplicates > 0)
    error(fmt::format("{} pairs of vertices lie at the same place within {:.2g} m (first: points {} and {})",
                      duplicates, tolerance, one, other),
          "Neighbouring triangles must share their corners: `conoid mesh FILE --merge --convert OUT.msh`, or the key "
          "mesh.merge.");

  const Faces faces = faces_of(mesh, conditions);
  Index rim = 0, crowded = 0;
  for (const auto& [edge, uses] : faces.edges) {
    rim += uses.size() == 1;
    crowded += uses.size() > 2;
  }
  if (crowded > 0 && closed_needed)
    error(fmt::format(
              "{} edges belong to more than two triangles, but the form \"{}\" needs bodies without inner walls or "
              "fins",
              crowded, form),
          "Set \"boundaries\": {\"surface\": \"screen\"}: it computes rigid sheets that meet along edges, bodies with "
          "fins "
          "among them. If the walls are not meant, remove inner walls and doubled faces.");
  if (const Index flipped = disagreeing(faces.edges); flipped > 0)
    error(
        fmt::format(
            "the surface is one-sided: {} edges join triangles of opposite orientation, however they are turned",
            flipped),
        "A body's surface and a screen have two sides. Look for a Moebius band or for triangles that are given twice.");
  else if (faces.turned > 0) {
    Diagnostic note = make_error(
        ErrorCode::invalid_input,
        fmt::format(
            "{} of {} triangles are turned round, so that neighbours agree and the normals of closed pieces point "
            "out of them",
            faces.turned, triples.size()),
        rim > 0 ? "A screen's pressure jump is that of the side to which its normals point, less the other; the "
                  "direction of "
                  "most triangles is kept."
                : "Results do not depend on the directions in the file.",
        {"", 0, "/mesh"});
    note.severity = Severity::warning;
    out.push_back(std::move(note));
  }
  if (rim > 0 && closed_needed && duplicates == 0)
    error(fmt::format("the surface is open ({} rim edges), but the form \"{}\" needs a closed body", rim, form),
          "Close the surface (`conoid mesh FILE --fill-holes --convert OUT.msh`), or treat it as an open rigid screen: "
          "\"boundaries\": {\"surface\": \"screen\"}.");
  return out;
}

}  // namespace conoid::acoustic_bem
