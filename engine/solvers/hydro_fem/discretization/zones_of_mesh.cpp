// SPDX-License-Identifier: BSD-3-Clause
// Turning cells of a mesh into zones: corner order, orientation, curved sides, who lies on which boundary.
#include "engine/solvers/hydro_fem/discretization/zones_of_mesh.hpp"

#include "engine/mesh/shape_functions.hpp"
#include "engine/solvers/hydro_fem/discretization/index.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/core.h>

namespace conoid::hydro_fem {
namespace {

Error wrong(std::string text, std::string hint) {
  return make_error(ErrorCode::invalid_input, std::move(text), std::move(hint));
}

bool is_zone(CellShape shape) {
  switch (shape) {
    case CellShape::line2:
    case CellShape::line3:
    case CellShape::quad4:
    case CellShape::quad8:
    case CellShape::quad9:
    case CellShape::hex8:
    case CellShape::hex20:
    case CellShape::hex27: return true;
    default: return false;
  }
}

/// VTK's corners in lexicographic order, x fastest.
constexpr std::array<int, 8> lexicographic{0, 1, 3, 2, 4, 5, 7, 6};

std::string place(const Mesh& mesh, Index point) {
  const Vec3 p = mesh.point(point);
  return fmt::format("({:.6g}, {:.6g}, {:.6g})", p[0], p[1], p[2]);
}

/// Positions of the 3^dim points of a cell's quadratic map, lexicographic.
std::vector<Vec3> quadratic_points(const Mesh& mesh, Index cell, int dim) {
  const CellShape shape = mesh.shape(cell);
  const auto nodes = mesh.nodes(cell);
  std::vector<Vec3> out;
  const int count = dim == 1 ? 3 : dim == 2 ? 9 : 27;
  for (int i = 0; i < count; ++i) {
    const Vec3 at{0.5 * (i % 3), dim > 1 ? 0.5 * (i / 3 % 3) : 0, dim > 2 ? 0.5 * (i / 9) : 0};
    const ShapeValues n = shape_values(shape, at);
    Vec3 p{};
    for (std::size_t a = 0; a < nodes.size(); ++a) {
      const Vec3 x = mesh.point(nodes[a]);
      for (std::size_t d = 0; d < 3; ++d) p[d] += n.n[a] * x[d];
    }
    out.push_back(p);
  }
  return out;
}

/// Determinant of the map at the cell's centre.
double centre_determinant(const Mesh& mesh, Index cell, int dim) {
  const ShapeValues n = shape_values(mesh.shape(cell), {0.5, dim > 1 ? 0.5 : 0.0, dim > 2 ? 0.5 : 0.0});
  const auto nodes = mesh.nodes(cell);
  double J[3][3] = {};
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    const Vec3 x = mesh.point(nodes[a]);
    for (std::size_t d = 0; d < 3; ++d)
      for (std::size_t m = 0; m < 3; ++m) J[d][m] += n.dn[a][m] * x[d];
  }
  if (dim == 1) return J[0][0];
  if (dim == 2) return J[0][0] * J[1][1] - J[0][1] * J[1][0];
  return J[0][0] * (J[1][1] * J[2][2] - J[1][2] * J[2][1]) - J[0][1] * (J[1][0] * J[2][2] - J[1][2] * J[2][0]) +
         J[0][2] * (J[1][0] * J[2][1] - J[1][1] * J[2][0]);
}

/// Exchanges the first two axes of a zone (or turns a segment round), so that its Jacobian changes sign.
template <class T>
void mirror(T* entries, int dim, int n) {
  if (dim == 1) {
    std::reverse(entries, entries + n);
    return;
  }
  for (int k = 0; k < (dim > 2 ? n : 1); ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < j; ++i) std::swap(entries[(k * n + j) * n + i], entries[(k * n + i) * n + j]);
}

using Corners = std::array<Index, 4>;  // ascending, unused ones -1

Corners key_of(std::vector<Index> corners) {
  std::sort(corners.begin(), corners.end());
  Corners key{-1, -1, -1, -1};
  std::copy_n(corners.begin(), std::min<std::size_t>(corners.size(), 4), key.begin());
  return key;
}

Corners side_key(const ZoneMesh& m, Index zone, int side) {
  std::vector<Index> corners;
  for (int c = 0; c < (1 << m.dim); ++c)
    if ((c >> (side / 2) & 1) == side % 2) corners.push_back(m.zones[u(zone * (1 << m.dim) + c)]);
  return key_of(std::move(corners));
}

Status check_flat(const Mesh& mesh, const MeshZones& z) {
  const auto [low, high] = mesh.bounds();
  const double size = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
  for (const Index cell : z.cells) {
    const double level = mesh.point(mesh.nodes(z.cells[0])[0])[2];
    for (const Index n : mesh.nodes(cell)) {
      const Vec3 p = mesh.point(n);
      if (z.zones.dim == 2 && std::abs(p[2] - level) > 1e-9 * size)
        return wrong(fmt::format("a mesh of quadrilaterals must be plane: z is {:.6g} at {} and {:.6g} elsewhere", p[2],
                                 place(mesh, n), level),
                     "Draw it in the plane z = 0, or mesh a volume with hexahedra.");
      if (z.zones.dim == 1 && (std::abs(p[1]) > 1e-9 * size || std::abs(p[2]) > 1e-9 * size))
        return wrong(fmt::format("a mesh of segments must lie on the x axis; found a point at {}", place(mesh, n)),
                     "Draw it along x.");
    }
  }
  return {};
}

/// Fills faces and boundary names.
Status find_boundaries(const Mesh& mesh, MeshZones& z) {
  ZoneMesh& m = z.zones;
  struct Side {
    Index zone = 0;
    int side = 0, count = 0;
  };
  std::map<Corners, Side> sides;
  for (Index zone = 0; zone < m.zone_count(); ++zone)
    for (int side = 0; side < 2 * m.dim; ++side) {
      Side& s = sides[side_key(m, zone, side)];
      if (++s.count > 2)
        return wrong(fmt::format("three zones meet at one side, near {}", place(mesh, side_key(m, zone, side)[0])),
                     "A side belongs to two zones at most: look for duplicate cells.");
      s.zone = zone;
      s.side = side;
    }
  std::map<Corners, int> named;
  for (const MeshGroup& group : mesh.groups()) {
    if (group.dimension != m.dim - 1) continue;
    bool used = false;
    for (const Index cell : group.cells) {
      const auto nodes = mesh.nodes(cell);
      const auto corners = static_cast<std::size_t>(corners_of(mesh.shape(cell)));
      const Corners key = key_of({nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(corners)});
      const auto at = sides.find(key);
      if (at == sides.end() || at->second.count != 1) continue;
      used = true;
      named.emplace(key, static_cast<int>(m.boundary_names.size()));
    }
    if (used) m.boundary_names.push_back(group.name);
  }
  const int rest = static_cast<int>(m.boundary_names.size());
  bool any_rest = false;
  // Sides in the order of zones, so that sums over them do not depend on the numbering of points.
  std::map<std::array<long long, 3>, Index> centres;
  const auto [low, high] = mesh.bounds();
  const double grain = 1e-7 * std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2], 1e-300});
  for (Index zone = 0; zone < m.zone_count(); ++zone)
    for (int side = 0; side < 2 * m.dim; ++side) {
      const Corners key = side_key(m, zone, side);
      if (sides.at(key).count != 1) continue;
      const auto name = named.find(key);
      m.faces.push_back({zone, side, name == named.end() ? rest : name->second});
      any_rest = any_rest || name == named.end();
      Vec3 centre{};
      int n = 0;
      for (const Index c : key)
        if (c >= 0) {
          for (std::size_t d = 0; d < 3; ++d) centre[d] += mesh.point(c)[d];
          ++n;
        }
      std::array<long long, 3> cell{};
      for (std::size_t d = 0; d < 3; ++d) cell[d] = std::llround(centre[d] / n / grain);
      const auto [found, fresh] = centres.try_emplace(cell, zone);
      if (!fresh)
        return wrong(fmt::format("zones {} and {} touch near {} without sharing the points of that side", found->second,
                                 zone, place(mesh, key[0])),
                     "Merge duplicate points (in Gmsh: `Coherence;` before meshing).");
    }
  if (any_rest) m.boundary_names.emplace_back(MeshZones::rest);
  return {};
}

}  // namespace

Result<MeshZones> zones_of_mesh(const Mesh& mesh) {
  MeshZones out;
  ZoneMesh& m = out.zones;
  m.dim = mesh.dimension();
  if (m.dim < 1) return wrong("the mesh has no cells", "Mesh lines, surfaces or volumes.");
  const int dim = m.dim, corners = 1 << dim;
  bool curved = false;
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
    const CellShape shape = mesh.shape(cell);
    if (dimension_of(shape) != dim) continue;
    if (!is_zone(shape))
      return wrong(fmt::format("zones are quadrilaterals or hexahedra, cell {} is a {} near {}", cell, name_of(shape),
                               place(mesh, mesh.nodes(cell)[0])),
                   dim == 2 ? "In Gmsh: Recombine Surface, best after Transfinite Surface."
                            : "In Gmsh: Transfinite Volume after Transfinite and Recombine Surface, or extrude "
                              "quadrilaterals with Recombine.");
    curved = curved || order_of(shape) > 1;
    out.cells.push_back(cell);
  }
  m.region.assign(out.cells.size(), 0);
  for (Index i = 0; i < mesh.point_count(); ++i)
    for (int d = 0; d < dim; ++d) m.vertices.push_back(mesh.point(i)[u(d)]);
  if (const Status flat = check_flat(mesh, out); !flat) return flat.error();
  for (const Index cell : out.cells) {
    const auto nodes = mesh.nodes(cell);
    std::array<Index, 8> zone{};
    for (int c = 0; c < corners; ++c) zone[u(c)] = nodes[u(lexicographic[u(c)])];
    const bool turned = centre_determinant(mesh, cell, dim) < 0;
    if (turned) mirror(zone.data(), dim, 2);
    m.zones.insert(m.zones.end(), zone.begin(), zone.begin() + corners);
    if (!curved) continue;
    std::vector<Vec3> points = quadratic_points(mesh, cell, dim);
    if (turned) mirror(points.data(), dim, 3);
    for (const Vec3& p : points)
      for (int d = 0; d < dim; ++d) m.quadratic.push_back(p[u(d)]);
  }
  if (const Status found = find_boundaries(mesh, out); !found) return found.error();
  return out;
}

}  // namespace conoid::hydro_fem
