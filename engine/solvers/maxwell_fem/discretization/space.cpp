// SPDX-License-Identifier: BSD-3-Clause
// Numbering by sorted lists of edges and faces.
#include "engine/solvers/maxwell_fem/discretization/space.hpp"

#include "engine/core/vec3.hpp"
#include "engine/mesh/shape_functions.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

namespace conoid::maxwell_fem {

using namespace conoid::vec;

Vec3 Map::covariant(const Vec3& v) const {
  // Rows of J⁻¹ are the reciprocal vectors of J's columns.
  const Vec3 a = cross(columns[1], columns[2]), b = cross(columns[2], columns[0]), c = cross(columns[0], columns[1]);
  return scale(1 / determinant, add(add(scale(v[0], a), scale(v[1], b)), scale(v[2], c)));
}

Vec3 Map::curl(const Vec3& v) const {
  return scale(1 / determinant, add(add(scale(v[0], columns[0]), scale(v[1], columns[1])), scale(v[2], columns[2])));
}

namespace {

int middle_node(int a, int b) {  // VTK's node of a tet10 on the edge of corners a < b
  constexpr int table[4][4] = {{0, 4, 6, 7}, {4, 0, 5, 8}, {6, 5, 0, 9}, {7, 8, 9, 0}};
  return table[a][b];
}

Tet sorted_tet(const Mesh& mesh, Index cell) {
  const auto nodes = mesh.nodes(cell);
  std::array<int, 4> order{0, 1, 2, 3};
  std::sort(order.begin(), order.end(), [&](int a, int b) { return nodes[a] < nodes[b]; });
  Tet t{};
  t.points.fill(-1);
  t.cell = cell;
  for (int k = 0; k < 4; ++k) t.points[k] = nodes[order[k]];
  if (mesh.shape(cell) == CellShape::tet10) {
    double size = 0, off = 0;
    for (int e = 0; e < 6; ++e) {
      const auto [i, j] = local_edges[e];
      t.points[4 + e] = nodes[middle_node(order[i], order[j])];
      const Vec3 a = mesh.point(t.points[i]), b = mesh.point(t.points[j]);
      size = std::max(size, distance(a, b));
      off = std::max(off, distance(mesh.point(t.points[4 + e]), scale(0.5, add(a, b))));
    }
    t.curved = off > 1e-9 * size;
  }
  return t;
}

}  // namespace

Result<Space> Space::make(const Mesh& mesh, int order, const Stopped& stopped) {
  Space s;
  s.mesh_ = &mesh;
  s.order_ = order;
  for (Index c = 0; c < mesh.cell_count(); ++c) {
    if (stopped_at(stopped, c)) return stop_error();
    if (dimension_of(mesh.shape(c)) != 3) continue;
    if (mesh.shape(c) != CellShape::tet4 && mesh.shape(c) != CellShape::tet10)
      return make_error(ErrorCode::invalid_input,
                        fmt::format("cell {} is a {}; this solver takes tetrahedra only", c, name_of(mesh.shape(c))),
                        "Mesh the volume with tetrahedra (in gmsh: no Recombine, no Transfinite Volume).");
    s.tets_.push_back(sorted_tet(mesh, c));
  }
  if (s.tets_.empty())
    return make_error(ErrorCode::invalid_input, "the mesh has no tetrahedra",
                      "Mesh the volume between the body and the outer surface.");

  std::vector<std::array<Index, 2>> edges;
  edges.reserve(6 * s.tets_.size());
  s.faces_.reserve(4 * s.tets_.size());
  for (const Tet& t : s.tets_) {
    for (const auto& [i, j] : local_edges) edges.push_back({t.points[i], t.points[j]});
    for (const auto& [i, j, k] : local_faces) s.faces_.push_back({t.points[i], t.points[j], t.points[k]});
  }
  const auto unique = [](auto& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    list.shrink_to_fit();
  };
  if (stopped_at(stopped, 0)) return stop_error();
  unique(edges);
  if (stopped_at(stopped, 0)) return stop_error();
  unique(s.faces_);
  s.edge_count_ = static_cast<Index>(edges.size());
  s.sides_.resize(s.faces_.size());
  const auto count = static_cast<Index>(s.tets_.size());
  s.tet_edges_.resize(s.tets_.size());
  s.tet_faces_.resize(s.tets_.size());
  for (Index n = 0; n < count; ++n) {
    if (stopped_at(stopped, n)) return stop_error();
    const Tet& t = s.tets_[n];
    for (int e = 0; e < 6; ++e) {
      const std::array<Index, 2> key{t.points[local_edges[e][0]], t.points[local_edges[e][1]]};
      s.tet_edges_[n][e] = std::lower_bound(edges.begin(), edges.end(), key) - edges.begin();
    }
    for (int f = 0; f < 4; ++f) {
      const auto [i, j, k] = local_faces[f];
      const Index face = s.find_face({t.points[i], t.points[j], t.points[k]});
      s.tet_faces_[n][f] = face;
      Sides& side = s.sides_[face];
      const int at = side.tet[0] < 0 ? 0 : 1;
      if (side.tet[at] >= 0)
        return make_error(ErrorCode::invalid_input,
                          fmt::format("three tetrahedra share the face of the points {}, {} and {}", t.points[i],
                                      t.points[j], t.points[k]),
                          "The volume mesh overlaps itself; mesh it again.");
      side.tet[at] = n;
      side.local[at] = f;
    }
  }
  for (Index n = 0; n < count; ++n) {
    if (stopped_at(stopped, n)) return stop_error();
    const double longest = s.longest_edge(n);
    for (const Vec3& at : {Vec3{0.25, 0.25, 0.25}, Vec3{0, 0, 0}, Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}) {
      const double here = std::abs(s.map(n, at).determinant);
      if (here < 1e-7 * longest * longest * longest)
        return make_error(
            ErrorCode::invalid_input,
            fmt::format("the tetrahedron of cell {} has no volume (longest edge {:.4g} m)", s.tets_[n].cell, longest),
            "Mesh again with the mesher's optimisation on; slivers spoil the fields around them.");
      if (!s.tets_[n].curved) break;
    }
  }
  return s;
}

std::array<Index, most_unknowns> Space::unknowns_of_tet(Index tet) const {
  std::array<Index, most_unknowns> out{};
  const auto& e = tet_edges_[tet];
  if (order_ == 1) {
    for (int k = 0; k < 6; ++k) out[k] = e[k];
    return out;
  }
  for (int k = 0; k < 6; ++k) {
    out[k] = 2 * e[k];
    out[6 + k] = 2 * e[k] + 1;
  }
  for (int f = 0; f < 4; ++f) {
    out[12 + 2 * f] = 2 * (edge_count_ + tet_faces_[tet][f]);
    out[13 + 2 * f] = out[12 + 2 * f] + 1;
  }
  return out;
}

Index Space::find_face(std::array<Index, 3> corners) const {
  std::sort(corners.begin(), corners.end());
  const auto at = std::lower_bound(faces_.begin(), faces_.end(), corners);
  return at != faces_.end() && *at == corners ? at - faces_.begin() : -1;
}

Map Space::map(Index tet, const Vec3& r) const {
  const Tet& t = tets_[tet];
  Map m;
  if (!t.curved) {
    const Vec3 a = mesh_->point(t.points[0]);
    m.x = a;
    for (int k = 0; k < 3; ++k) {
      m.columns[k] = sub(mesh_->point(t.points[k + 1]), a);
      m.x = axpy(r[k], m.columns[k], m.x);
    }
  } else {
    // Quadratic Lagrange functions: corners λ(2λ − 1), middles 4 λ_i λ_j.
    const std::array<double, 4> l{1 - r[0] - r[1] - r[2], r[0], r[1], r[2]};
    const auto gradient = [](int i, int d) { return i == 0 ? -1.0 : (i == d + 1 ? 1.0 : 0.0); };
    for (int i = 0; i < 4; ++i) {
      const Vec3 p = mesh_->point(t.points[i]);
      m.x = axpy(l[i] * (2 * l[i] - 1), p, m.x);
      for (int d = 0; d < 3; ++d) m.columns[d] = axpy((4 * l[i] - 1) * gradient(i, d), p, m.columns[d]);
    }
    for (int e = 0; e < 6; ++e) {
      const auto [i, j] = local_edges[e];
      const Vec3 p = mesh_->point(t.points[4 + e]);
      m.x = axpy(4 * l[i] * l[j], p, m.x);
      for (int d = 0; d < 3; ++d)
        m.columns[d] = axpy(4 * (l[i] * gradient(j, d) + l[j] * gradient(i, d)), p, m.columns[d]);
    }
  }
  m.determinant = triple(m.columns[0], m.columns[1], m.columns[2]);
  return m;
}

double Space::longest_edge(Index tet) const {
  double out = 0;
  for (const auto& [i, j] : local_edges)
    out = std::max(out, distance(mesh_->point(tets_[tet].points[i]), mesh_->point(tets_[tet].points[j])));
  return out;
}

}  // namespace conoid::maxwell_fem
