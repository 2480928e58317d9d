// SPDX-License-Identifier: BSD-3-Clause
// The mesh container: shapes, building, extraction of parts, look-up of groups.
#include "engine/mesh/mesh.hpp"

#include <algorithm>
#include <array>

#include <fmt/core.h>

namespace conoid {
namespace {

struct ShapeFacts {
  std::int8_t nodes, dimension, order, corners;
  std::string_view name;
};

// Indexed by VTK's cell type; entries without a name are types that Mesh does not hold.
constexpr std::array<ShapeFacts, 30> make_facts() {
  std::array<ShapeFacts, 30> f{};
  f[1] = {1, 0, 1, 1, "vertex"};
  f[3] = {2, 1, 1, 2, "line2"};
  f[5] = {3, 2, 1, 3, "triangle3"};
  f[9] = {4, 2, 1, 4, "quad4"};
  f[10] = {4, 3, 1, 4, "tet4"};
  f[12] = {8, 3, 1, 8, "hex8"};
  f[21] = {3, 1, 2, 2, "line3"};
  f[22] = {6, 2, 2, 3, "triangle6"};
  f[23] = {8, 2, 2, 4, "quad8"};
  f[24] = {10, 3, 2, 4, "tet10"};
  f[25] = {20, 3, 2, 8, "hex20"};
  f[28] = {9, 2, 2, 4, "quad9"};
  f[29] = {27, 3, 2, 8, "hex27"};
  return f;
}
constexpr auto facts = make_facts();

const ShapeFacts& fact(CellShape shape) {
  const auto i = static_cast<std::size_t>(shape);
  return i < facts.size() ? facts[i] : facts[0];
}

constexpr std::string_view dimension_names[] = {"points", "curve", "surface", "volume"};

}  // namespace

int nodes_of(CellShape shape) {
  return fact(shape).nodes;
}
int dimension_of(CellShape shape) {
  return fact(shape).dimension;
}
int order_of(CellShape shape) {
  return fact(shape).order;
}
int corners_of(CellShape shape) {
  return fact(shape).corners;
}
std::string_view name_of(CellShape shape) {
  return fact(shape).name;
}

const MeshGroup* Mesh::group(std::string_view name) const {
  for (const auto& g : groups_)
    if (g.name == name) return &g;
  return nullptr;
}

int Mesh::dimension() const {
  std::array<bool, 256> seen{};
  for (const CellShape s : shapes_) seen[static_cast<std::uint8_t>(s)] = true;
  int highest = 0;
  for (std::size_t i = 0; i < facts.size(); ++i)
    if (seen[i]) highest = std::max<int>(highest, facts[i].dimension);
  return highest;
}

Index Mesh::add_point(const Vec3& p) {
  points_.insert(points_.end(), p.begin(), p.end());
  return point_count() - 1;
}

Index Mesh::add_cell(CellShape shape, std::span<const Index> nodes) {
  verify(nodes.size() == static_cast<std::size_t>(nodes_of(shape)) && !nodes.empty(), "a cell has its shape's nodes");
  nodes_.insert(nodes_.end(), nodes.begin(), nodes.end());
  offsets_.push_back(static_cast<Index>(nodes_.size()));
  shapes_.push_back(shape);
  return cell_count() - 1;
}

MeshGroup& Mesh::add_group(std::string name, int dimension, int tag) {
  for (auto& g : groups_)
    if (g.name == name && g.dimension == dimension) return g;
  groups_.push_back({std::move(name), dimension, tag, {}});
  return groups_.back();
}

void Mesh::reserve(Index points, Index cells, Index nodes) {
  points_.reserve(static_cast<std::size_t>(3 * points));
  shapes_.reserve(static_cast<std::size_t>(cells));
  offsets_.reserve(static_cast<std::size_t>(cells + 1));
  nodes_.reserve(static_cast<std::size_t>(nodes));
}

Result<Mesh> Mesh::from_arrays(std::vector<double> points, std::vector<CellShape> shapes,
                               std::vector<Index> connectivity, std::vector<MeshGroup> groups) {
  const auto bad = [](std::string text) {
    return make_error(ErrorCode::invalid_input, "mesh arrays: " + std::move(text),
                      "The source of this mesh is damaged.");
  };
  if (points.size() % 3 != 0)
    return bad(fmt::format("expected three numbers a point, found {} numbers", points.size()));
  Mesh mesh;
  mesh.offsets_.reserve(shapes.size() + 1);
  Index end = 0;
  for (const CellShape s : shapes) {
    if (nodes_of(s) == 0) return bad(fmt::format("unknown cell type {}", static_cast<int>(s)));
    end += nodes_of(s);
    mesh.offsets_.push_back(end);
  }
  if (end != static_cast<Index>(connectivity.size()))
    return bad(fmt::format("the cells have {} nodes, found {}", end, connectivity.size()));
  const auto count = static_cast<Index>(points.size() / 3);
  for (const Index n : connectivity)
    if (n < 0 || n >= count) return bad(fmt::format("node {} is outside the {} points", n, count));
  for (auto& g : groups) {
    if (!std::is_sorted(g.cells.begin(), g.cells.end())) std::sort(g.cells.begin(), g.cells.end());
    g.cells.erase(std::unique(g.cells.begin(), g.cells.end()), g.cells.end());
    for (const Index c : g.cells) {
      if (c < 0 || c >= static_cast<Index>(shapes.size()))
        return bad(fmt::format("group '{}' names cell {} of {}", g.name, c, shapes.size()));
      if (dimension_of(shapes[static_cast<std::size_t>(c)]) != g.dimension)
        return bad(fmt::format("group '{}' of dimension {} names a {}", g.name, g.dimension,
                               name_of(shapes[static_cast<std::size_t>(c)])));
    }
  }
  mesh.points_ = std::move(points);
  mesh.shapes_ = std::move(shapes);
  mesh.nodes_ = std::move(connectivity);
  mesh.groups_ = std::move(groups);
  return mesh;
}

std::pair<Vec3, Vec3> Mesh::bounds() const {
  if (points_.empty()) return {Vec3{}, Vec3{}};
  Vec3 low = point(0);
  Vec3 high = low;
  for (std::size_t i = 0; i < points_.size(); i += 3)
    for (std::size_t a = 0; a < 3; ++a) {
      low[a] = std::min(low[a], points_[i + a]);
      high[a] = std::max(high[a], points_[i + a]);
    }
  return {low, high};
}

Mesh Mesh::extract(int dimension) const {
  std::vector<Index> cells;
  for (Index c = 0; c < cell_count(); ++c)
    if (dimension_of(shape(c)) == dimension) cells.push_back(c);
  Mesh out = extract(cells);
  std::erase_if(out.groups_, [&](const MeshGroup& g) { return g.dimension != dimension; });
  return out;
}

Mesh Mesh::extract(std::span<const Index> cells) const {
  std::vector<char> used(static_cast<std::size_t>(point_count()), 0);
  Index node_total = 0;
  for (const Index c : cells)
    for (const Index n : nodes(c)) {
      used[static_cast<std::size_t>(n)] = 1;
      ++node_total;
    }
  // Points keep their order, so that a mesh with nothing to drop comes out unchanged.
  std::vector<Index> new_point(used.size(), -1);
  Index points_kept = 0;
  for (std::size_t i = 0; i < used.size(); ++i)
    if (used[i] != 0) new_point[i] = points_kept++;
  Mesh out;
  out.reserve(points_kept, static_cast<Index>(cells.size()), node_total);
  for (std::size_t i = 0; i < used.size(); ++i)
    if (used[i] != 0) out.add_point(point(static_cast<Index>(i)));
  std::vector<Index> new_cell(shapes_.size(), -1);
  for (const Index c : cells) {
    for (const Index n : nodes(c)) out.nodes_.push_back(new_point[static_cast<std::size_t>(n)]);
    out.offsets_.push_back(static_cast<Index>(out.nodes_.size()));
    out.shapes_.push_back(shape(c));
    new_cell[static_cast<std::size_t>(c)] = out.cell_count() - 1;
  }
  for (const auto& g : groups_) {
    MeshGroup kept{g.name, g.dimension, g.tag, {}};
    for (const Index c : g.cells)
      if (const Index k = new_cell[static_cast<std::size_t>(c)]; k >= 0) kept.cells.push_back(k);
    std::sort(kept.cells.begin(), kept.cells.end());
    out.groups_.push_back(std::move(kept));
  }
  return out;
}

std::string list_groups(const Mesh& mesh) {
  if (mesh.groups().empty()) return "no groups";
  std::string out = fmt::format("{} group{}: ", mesh.groups().size(), mesh.groups().size() == 1 ? "" : "s");
  // A damaged or machine-made file may name thousands; the first ones tell enough.
  std::size_t shown = 0;
  for (const auto& g : mesh.groups()) {
    if (shown == 20) return out + fmt::format(" and {} more", mesh.groups().size() - shown);
    out += fmt::format("{}'{}' ({}, {} cell{})", shown == 0 ? "" : ", ", g.name,
                       dimension_names[std::clamp(g.dimension, 0, 3)], g.cells.size(), g.cells.size() == 1 ? "" : "s");
    ++shown;
  }
  return out;
}

Result<const MeshGroup*> require_group(const Mesh& mesh, std::string_view name, int dimension,
                                       const std::string& file) {
  const MeshGroup* other = nullptr;
  for (const auto& g : mesh.groups()) {
    if (g.name != name) continue;
    if (dimension < 0 || g.dimension == dimension) return &g;
    other = &g;
  }
  Place place;
  place.file = file;
  if (other != nullptr)
    return make_error(ErrorCode::invalid_input,
                      fmt::format("group '{}' is a {}, expected a {}; found {}", name,
                                  dimension_names[std::clamp(other->dimension, 0, 3)],
                                  dimension_names[std::clamp(dimension, 0, 3)], list_groups(mesh)),
                      "Name a group of the right dimension.", place);
  return make_error(
      ErrorCode::invalid_input, fmt::format("the mesh has no group '{}'; found {}", name, list_groups(mesh)),
      mesh.groups().empty()
          ? "Give the mesh groups: Physical Surface(\"name\") in Gmsh, 'g name' in OBJ, 'solid name' in STL."
          : "Use one of the names found, or add the group to the mesh.",
      place);
}

std::vector<Index> ungrouped_cells(const Mesh& mesh) {
  const int top = mesh.dimension();
  std::vector<char> grouped(static_cast<std::size_t>(mesh.cell_count()), 0);
  for (const auto& g : mesh.groups())
    if (g.dimension == top)
      for (const Index c : g.cells) grouped[static_cast<std::size_t>(c)] = 1;
  std::vector<Index> out;
  for (Index c = 0; c < mesh.cell_count(); ++c)
    if (grouped[static_cast<std::size_t>(c)] == 0 && dimension_of(mesh.shape(c)) == top) out.push_back(c);
  return out;
}

}  // namespace conoid
