// SPDX-License-Identifier: BSD-3-Clause
// Sizes of a body, quadratic triangles, and middles of edges.
#define EIGEN_MPL2_ONLY
#include "engine/solvers/maxwell_fem/mesh/body.hpp"

#include "engine/core/log.hpp"
#include "engine/core/vec3.hpp"
#include "engine/mesh/order.hpp"
#include "engine/mesh/topology.hpp"
#include "engine/solvers/maxwell_fem/mesh/places.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/core.h>
#include <Eigen/SparseCholesky>

namespace conoid::maxwell_fem {

using namespace conoid::vec;

BodyMeasure measure_body(const Mesh& surface) {
  BodyMeasure out;
  const std::vector<Index> piece = surface_components(surface);
  struct Box {
    Vec3 low{}, high{};
    bool empty = true;
  };
  std::vector<Box> boxes;
  for (Index c = 0; c < surface.cell_count(); ++c) {
    if (dimension_of(surface.shape(c)) != 2) continue;
    const auto n = surface.nodes(c);
    const int corners = corners_of(surface.shape(c));
    const auto p = static_cast<std::size_t>(std::max<Index>(0, piece[c]));
    if (boxes.size() <= p) boxes.resize(p + 1);
    for (int k = 0; k < corners; ++k) {
      const Vec3 x = surface.point(n[k]);
      Box& b = boxes[p];
      for (int d = 0; d < 3; ++d) {
        b.low[d] = b.empty ? x[d] : std::min(b.low[d], x[d]);
        b.high[d] = b.empty ? x[d] : std::max(b.high[d], x[d]);
      }
      b.empty = false;
      out.edge = std::max(out.edge, distance(x, surface.point(n[(k + 1) % corners])));
    }
    for (int k = 2; k < corners; ++k, ++out.cells) {
      const Vec3 a = surface.point(n[0]);
      out.area += 0.5 * norm(cross(sub(surface.point(n[k - 1]), a), sub(surface.point(n[k]), a)));
    }
  }
  for (const Box& b : boxes)
    if (!b.empty)
      for (int d = 0; d < 3; ++d) out.size = std::max(out.size, 0.5 * (b.high[d] - b.low[d]));
  return out;
}

namespace {

/// Corners 0, 1, 2 and middles 3 (01), 4 (12), 5 (20) of a quadratic triangle at (u, v).
Vec3 on_triangle(const std::array<Vec3, 6>& x, double u, double v) {
  const double w = 1 - u - v;
  const std::array<double, 6> shape{w * (2 * w - 1), u * (2 * u - 1), v * (2 * v - 1), 4 * w * u, 4 * u * v, 4 * v * w};
  Vec3 out{};
  for (int k = 0; k < 6; ++k) out = axpy(shape[k], x[k], out);
  return out;
}

/// Points of finer triangles: on a lattice over each triangle, those of its edges shared with its neighbours.
class Lattice {
 public:
  Lattice(const Mesh& surface, int steps) : surface_(surface), steps_(steps) {}

  Mesh out;

  /// Numbers of the lattice points (i, j), i + j <= steps, of a triangle: u = i/steps towards corner 1, v = j/steps towards 2.
  std::vector<Index> points_of(Index cell) {
    const auto n = surface_.nodes(cell);
    std::array<Vec3, 6> x{};
    for (int k = 0; k < 3; ++k) x[k] = surface_.point(n[k]);
    for (int k = 0; k < 3; ++k)
      x[3 + k] = n.size() == 6 ? surface_.point(n[3 + k]) : scale(0.5, add(x[k], x[(k + 1) % 3]));
    std::vector<Index> numbers;
    for (int j = 0; j <= steps_; ++j)
      for (int i = 0; i + j <= steps_; ++i) {
        const Vec3 at = on_triangle(x, static_cast<double>(i) / steps_, static_cast<double>(j) / steps_);
        const int w = steps_ - i - j;
        if (i == 0)
          numbers.push_back(on_edge(n[0], n[2], j, at));
        else if (j == 0)
          numbers.push_back(on_edge(n[0], n[1], i, at));
        else if (w == 0)
          numbers.push_back(on_edge(n[1], n[2], j, at));
        else
          numbers.push_back(out.add_point(at));
      }
    return numbers;
  }
  [[nodiscard]] std::size_t place(int i, int j) const {
    return static_cast<std::size_t>(j * (steps_ + 1) - j * (j - 1) / 2 + i);
  }

 private:
  /// The point `k` steps from corner a towards b.
  Index on_edge(Index a, Index b, int k, const Vec3& at) {
    if (a > b) {
      std::swap(a, b);
      k = steps_ - k;
    }
    const std::array<Index, 3> key = k == 0        ? std::array<Index, 3>{a, a, 0}
                                     : k == steps_ ? std::array<Index, 3>{b, b, 0}
                                                   : std::array<Index, 3>{a, b, k};
    const auto [it, fresh] = known_.try_emplace(key, 0);
    if (fresh) it->second = out.add_point(at);
    return it->second;
  }

  const Mesh& surface_;
  int steps_;
  std::map<std::array<Index, 3>, Index> known_;
};

}  // namespace

Result<Mesh> subdivided(const Mesh& surface, int parts) {
  const Mesh s = surface.extract(2);
  bool quadratic = false;
  for (Index c = 0; c < s.cell_count(); ++c) {
    quadratic = quadratic || s.shape(c) == CellShape::triangle6;
    if (corners_of(s.shape(c)) != 3)
      return make_error(ErrorCode::invalid_input, fmt::format("cell {} of the surface is a {}", c, name_of(s.shape(c))),
                        "Finer elements can only be made from triangles: mesh the surface with triangles.");
  }
  const int order = quadratic ? 2 : 1;
  Lattice lattice(s, order * parts);
  std::vector<std::vector<Index>> children(static_cast<std::size_t>(s.cell_count()));
  for (Index c = 0; c < s.cell_count(); ++c) {
    const std::vector<Index> number = lattice.points_of(c);
    // A triangle at (i, j), in units of a part, that points along (1, 0) and (0, 1), or back along both.
    const auto add_child = [&](int i, int j, int way) {
      const std::array<std::array<int, 2>, 3> corner{{{i, j}, {i + way, j}, {i, j + way}}};
      std::array<Index, 6> node{};
      for (int k = 0; k < 3; ++k) {
        const auto &a = corner[k], &b = corner[(k + 1) % 3];
        node[k] = number[lattice.place(order * a[0], order * a[1])];
        if (quadratic) node[3 + k] = number[lattice.place(a[0] + b[0], a[1] + b[1])];
      }
      children[c].push_back(lattice.out.add_cell(quadratic ? CellShape::triangle6 : CellShape::triangle3,
                                                 std::span<const Index>(node).first(quadratic ? 6 : 3)));
    };
    for (int j = 0; j < parts; ++j)
      for (int i = 0; i + j < parts; ++i) {
        add_child(i, j, 1);
        if (i + j + 2 <= parts) add_child(i + 1, j + 1, -1);
      }
  }
  for (const MeshGroup& g : s.groups()) {
    if (g.dimension != 2) continue;
    auto& cells = lattice.out.add_group(g.name, 2).cells;
    for (Index c : g.cells) cells.insert(cells.end(), children[c].begin(), children[c].end());
  }
  return std::move(lattice.out);
}

void say_what_was_straightened(Index middles) {
  if (middles > 0)
    log::info("maxwell-fem: {} middles of edges were drawn towards straight edges, where elements would fold", middles);
}

namespace {

constexpr std::array<std::array<int, 2>, 6> ends{{{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}};  // of nodes 4 … 9

/// Derivatives of the ten shape functions of a tetrahedron by its barycentric coordinates 1, 2, 3.
std::array<Vec3, 10> shape_gradients(const std::array<double, 4>& l) {
  const auto gradient = [](int i, int d) { return i == 0 ? -1.0 : (i == d + 1 ? 1.0 : 0.0); };
  std::array<Vec3, 10> out{};
  for (int d = 0; d < 3; ++d) {
    for (int i = 0; i < 4; ++i) out[i][d] = (4 * l[i] - 1) * gradient(i, d);
    for (int e = 0; e < 6; ++e)
      out[4 + e][d] = 4 * (l[ends[e][0]] * gradient(ends[e][1], d) + l[ends[e][1]] * gradient(ends[e][0], d));
  }
  return out;
}

/// Six times the volume of the straight tetrahedron.
double straight_determinant(const Mesh& mesh, std::span<const Index> n) {
  const Vec3 o = mesh.point(n[0]);
  return triple(sub(mesh.point(n[1]), o), sub(mesh.point(n[2]), o), sub(mesh.point(n[3]), o));
}

constexpr double least = 0.1;  ///< share of the straight determinant below which an element counts as squeezed

/// The least determinant of a tetrahedron of order 2 at its nodes, over that of the straight one.
double room_in(const Mesh& mesh, std::span<const Index> n) {
  static const auto gradients = [] {
    constexpr std::array<std::array<double, 4>, 10> at{{{1, 0, 0, 0},
                                                        {0, 1, 0, 0},
                                                        {0, 0, 1, 0},
                                                        {0, 0, 0, 1},
                                                        {.5, .5, 0, 0},
                                                        {0, .5, .5, 0},
                                                        {.5, 0, .5, 0},
                                                        {.5, 0, 0, .5},
                                                        {0, .5, 0, .5},
                                                        {0, 0, .5, .5}}};
    std::array<std::array<Vec3, 10>, 10> out{};
    for (std::size_t k = 0; k < at.size(); ++k) out[k] = shape_gradients(at[k]);
    return out;
  }();
  std::array<Vec3, 10> x{};
  for (std::size_t i = 0; i < 10; ++i) x[i] = mesh.point(n[i]);
  double lowest = std::numeric_limits<double>::max();
  for (const auto& shape : gradients) {
    std::array<Vec3, 3> column{};
    for (std::size_t i = 0; i < 10; ++i)
      for (std::size_t d = 0; d < 3; ++d) column[d] = axpy(shape[i][d], x[i], column[d]);
    lowest = std::min(lowest, triple(column[0], column[1], column[2]) / straight_determinant(mesh, n));
  }
  return lowest;
}

bool is_squeezed(const Mesh& mesh, std::span<const Index> n) {
  return room_in(mesh, n) < least;
}

bool has_squeezed(const Mesh& mesh) {
  for (Index c = 0; c < mesh.cell_count(); ++c)
    if (mesh.shape(c) == CellShape::tet10 && is_squeezed(mesh, mesh.nodes(c))) return true;
  return false;
}

/// Holds nodes more than three elements away from the group "body" as well: displacements die out over the length of an edge, and the
/// equations stay those of a shell, whose factors are small, where the body is filled.
void hold_far_nodes(const Mesh& mesh, std::vector<bool>& held) {
  std::vector<bool> near(held.size(), false);
  for (Index c : mesh.group("body")->cells)
    for (Index p : mesh.nodes(c)) near[static_cast<std::size_t>(p)] = true;
  for (int ring = 0; ring < 3; ++ring) {
    std::vector<bool> wider = near;
    for (Index c = 0; c < mesh.cell_count(); ++c) {
      if (mesh.shape(c) != CellShape::tet10) continue;
      const auto n = mesh.nodes(c);
      if (std::any_of(n.begin(), n.end(), [&](Index p) { return near[static_cast<std::size_t>(p)]; }))
        for (Index p : n) wider[static_cast<std::size_t>(p)] = true;
    }
    near.swap(wider);
  }
  for (std::size_t p = 0; p < held.size(); ++p) held[p] = held[p] || !near[p];
}

/// Nodes follow those that are `held`, whose displacements are in `moved`, and stay where they are beside held ones that do not move:
/// the displacement u with the least ∑ ∫|∇u|² / volume over the straight tetrahedra, so that small elements are the stiffest.
/// Nothing is moved where the equations cannot be solved.
void follow(Mesh& mesh, const std::vector<bool>& held, const std::vector<Vec3>& moved) {
  using Matrix = Eigen::SparseMatrix<double>;
  std::vector<int> row(held.size(), -1);
  int rows = 0;
  for (Index c = 0; c < mesh.cell_count(); ++c)
    if (mesh.shape(c) == CellShape::tet10)
      for (Index p : mesh.nodes(c))
        if (const auto i = static_cast<std::size_t>(p); !held[i] && row[i] < 0) row[i] = rows++;
  if (rows == 0) return;
  // Exact for the products of linear functions (four points of degree 2).
  constexpr double near = 0.5854101966249685, off = 0.1381966011250105;
  std::vector<Eigen::Triplet<double>> entries;
  Eigen::MatrixXd right = Eigen::MatrixXd::Zero(rows, 3);
  for (Index c = 0; c < mesh.cell_count(); ++c) {
    if (mesh.shape(c) != CellShape::tet10) continue;
    const auto n = mesh.nodes(c);
    const Vec3 o = mesh.point(n[0]);
    const Vec3 a = sub(mesh.point(n[1]), o), b = sub(mesh.point(n[2]), o), d = sub(mesh.point(n[3]), o);
    const double determinant = triple(a, b, d);
    if (determinant == 0) return;
    const std::array<Vec3, 3> inverse{scale(1 / determinant, cross(b, d)), scale(1 / determinant, cross(d, a)),
                                      scale(1 / determinant, cross(a, b))};
    std::array<std::array<double, 10>, 10> k{};
    for (int q = 0; q < 4; ++q) {
      std::array<double, 4> l{off, off, off, off};
      l[q] = near;
      const auto shape = shape_gradients(l);
      std::array<Vec3, 10> g{};
      for (int i = 0; i < 10; ++i)
        for (int e = 0; e < 3; ++e) g[i] = axpy(shape[i][e], inverse[e], g[i]);
      for (int i = 0; i < 10; ++i)
        for (int j = 0; j < 10; ++j) k[i][j] += 0.25 * dot(g[i], g[j]);  // volume over volume
    }
    for (int i = 0; i < 10; ++i) {
      const int r = row[static_cast<std::size_t>(n[i])];
      if (r < 0) continue;
      for (int j = 0; j < 10; ++j) {
        const auto other = static_cast<std::size_t>(n[j]);
        if (row[other] >= 0)
          entries.emplace_back(r, row[other], k[i][j]);
        else
          for (int e = 0; e < 3; ++e) right(r, e) -= k[i][j] * moved[other][e];
      }
    }
  }
  Matrix matrix(rows, rows);
  matrix.setFromTriplets(entries.begin(), entries.end());
  const Eigen::SimplicialLLT<Matrix, Eigen::Lower, Eigen::AMDOrdering<int>> factors(matrix);
  if (factors.info() != Eigen::Success) return;
  const Eigen::MatrixXd u = factors.solve(right);
  for (std::size_t i = 0; i < row.size(); ++i)
    for (int e = 0; row[i] >= 0 && e < 3; ++e)
      mesh.mutable_points()[3 * i + static_cast<std::size_t>(e)] += u(row[i], e);
}

/// Moves nodes of squeezed elements that are not held, one after another, where that makes room: the sum over the elements around a
/// node of the squares of what they lack falls (a pattern search along the axes).
void make_room(Mesh& mesh, const std::vector<bool>& held) {
  constexpr double enough = 3 * least;
  constexpr int sweeps = 20;
  std::vector<std::vector<Index>> around(held.size());
  for (Index c = 0; c < mesh.cell_count(); ++c) {
    if (mesh.shape(c) != CellShape::tet10) continue;
    for (Index p : mesh.nodes(c))
      if (!held[static_cast<std::size_t>(p)]) around[static_cast<std::size_t>(p)].push_back(c);
  }
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    std::map<Index, double> nodes;  // and a length there
    for (Index c = 0; c < mesh.cell_count(); ++c)
      if (mesh.shape(c) == CellShape::tet10 && room_in(mesh, mesh.nodes(c)) < 1.5 * least)
        for (Index p : mesh.nodes(c))
          if (!held[static_cast<std::size_t>(p)])
            nodes[p] = std::cbrt(std::abs(straight_determinant(mesh, mesh.nodes(c))));
    bool moved = false;
    for (const auto& [p, length] : nodes) {
      const auto lack = [&, p = p] {
        double sum = 0;
        for (Index c : around[static_cast<std::size_t>(p)])
          sum += std::pow(std::max(0.0, enough - room_in(mesh, mesh.nodes(c))), 2);
        return sum;
      };
      double now = lack();
      for (double step = 0.2 * length; step > 0.01 * length; step /= 2)
        for (std::size_t d = 0; d < 3; ++d)
          for (double way : {step, -step}) {
            double& x = mesh.mutable_points()[3 * static_cast<std::size_t>(p) + d];
            const double before = x;
            x += way;
            if (const double then = lack(); then < 0.999 * now) {
              now = then;
              moved = true;
            } else {
              x = before;
            }
          }
    }
    if (!moved) break;
  }
}

}  // namespace

Index straighten_folded(Mesh& mesh) {
  std::vector<bool> touched(static_cast<std::size_t>(mesh.point_count()), false);
  for (int pass = 0; pass < 8; ++pass) {
    const double keep = pass < 7 ? 0.5 : 0;  // of the way off the straight edge; straight in the end
    std::map<Index, Vec3> moved;
    for (Index c = 0; c < mesh.cell_count(); ++c) {
      if (mesh.shape(c) != CellShape::tet10) continue;
      const auto n = mesh.nodes(c);
      if (!is_squeezed(mesh, n)) continue;
      for (int e = 0; e < 6; ++e) {
        const Vec3 flat = scale(0.5, add(mesh.point(n[ends[e][0]]), mesh.point(n[ends[e][1]])));
        const Vec3 off = sub(mesh.point(n[4 + e]), flat);
        if (norm(off) > 0) moved[n[4 + e]] = axpy(keep, off, flat);
      }
    }
    if (moved.empty()) break;
    for (const auto& [p, x] : moved) {
      touched[static_cast<std::size_t>(p)] = true;
      std::copy(x.begin(), x.end(), mesh.mutable_points().begin() + static_cast<std::ptrdiff_t>(3 * p));
    }
  }
  return std::count(touched.begin(), touched.end(), true);
}

Mesh curved_onto(const Mesh& mesh, const Mesh& body) {
  bool quadratic = false;
  for (CellShape s : body.shapes()) quadratic = quadratic || s == CellShape::triangle6;
  const MeshGroup* skin = mesh.group("body");
  if (!quadratic || skin == nullptr) return mesh;
  Places number(body);  // of its corners
  for (Index c = 0; c < body.cell_count(); ++c)
    for (int k = 0; k < corners_of(body.shape(c)); ++k) number.add(body.point(body.nodes(c)[k]), body.nodes(c)[k]);
  std::map<std::array<Index, 2>, Index> middle;
  for (Index c = 0; c < body.cell_count(); ++c) {
    if (body.shape(c) != CellShape::triangle6) continue;
    const auto n = body.nodes(c);
    for (int k = 0; k < 3; ++k) {
      const Index a = n[k], b = n[(k + 1) % 3];
      middle[{std::min(a, b), std::max(a, b)}] = n[3 + k];
    }
  }
  Mesh out = to_order2(mesh);
  std::vector<bool> held(static_cast<std::size_t>(out.point_count()), false);
  std::vector<Vec3> moved(held.size(), Vec3{});
  for (const char* name : {"body", "currents", "outer"})
    if (const MeshGroup* surface = out.group(name))
      for (Index c : surface->cells)
        for (Index p : out.nodes(c)) held[static_cast<std::size_t>(p)] = true;
  const Mesh before = out;
  for (Index c : out.group("body")->cells) {
    const auto n = out.nodes(c);
    std::array<Index, 3> of{};
    for (int k = 0; k < 3; ++k) of[k] = number.find(out.point(n[k]));
    for (int k = 0; k < 3; ++k) {
      const Index a = of[k], b = of[(k + 1) % 3];
      const auto it = middle.find({std::min(a, b), std::max(a, b)});
      if (a < 0 || b < 0 || it == middle.end()) continue;
      const Vec3 x = body.point(it->second);
      moved[static_cast<std::size_t>(n[3 + k])] = sub(x, before.point(n[3 + k]));
      std::copy(x.begin(), x.end(), out.mutable_points().begin() + static_cast<std::ptrdiff_t>(3 * n[3 + k]));
    }
  }
  if (has_squeezed(out)) {
    // The elements beside the body make room, between it and the next surface; what is left after that is straightened.
    hold_far_nodes(out, held);
    Mesh roomy = before;
    follow(roomy, held, moved);
    for (std::size_t p = 0; p < held.size(); ++p)
      if (!held[p])
        std::copy_n(roomy.points().begin() + static_cast<std::ptrdiff_t>(3 * p), 3,
                    out.mutable_points().begin() + static_cast<std::ptrdiff_t>(3 * p));
    make_room(out, held);
  }
  say_what_was_straightened(straighten_folded(out));
  return out;
}

}  // namespace conoid::maxwell_fem
