// SPDX-License-Identifier: BSD-3-Clause
// Triangles found again by their corners.
#include "engine/solvers/maxwell_fem/mesh/conditions.hpp"

#include "engine/core/vec3.hpp"
#include "engine/mesh/topology.hpp"
#include "engine/solvers/maxwell_fem/mesh/places.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/core.h>

namespace conoid::maxwell_fem {

using namespace conoid::vec;

namespace {

const MeshGroup* surface_group(const Mesh& mesh, const std::string& name) {
  for (const MeshGroup& g : mesh.groups())
    if (g.dimension == 2 && g.name == name && !g.cells.empty()) return &g;
  return nullptr;
}

/// Of each cell: the number of its name; −1: none of them. In two of them: −2.
std::vector<int> names_of_cells(const Mesh& body, const std::vector<std::string>& names) {
  std::vector<int> out(static_cast<std::size_t>(body.cell_count()), -1);
  for (std::size_t n = 0; n < names.size(); ++n)
    if (const MeshGroup* group = surface_group(body, names[n]))
      for (const Index c : group->cells) {
        int& of = out[static_cast<std::size_t>(c)];
        of = of == -1 ? static_cast<int>(n) : -2;
      }
  return out;
}

}  // namespace

std::string name_on_body(const std::string& group) {
  return "body: " + group;
}

std::string why_no_conditions(const Mesh& mesh, const Mesh& skin, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (surface_group(mesh, name) == nullptr)
      return fmt::format("the mesh has no surface group '{}' with faces; it has {}", name, list_groups(mesh));
    if (surface_group(skin, name) == nullptr)
      return fmt::format("the group '{}' has no face on the outside of the mesh", name);
  }
  const std::vector<int> of = names_of_cells(skin, names);
  for (std::size_t c = 0; c < of.size(); ++c)
    if (of[c] == -2) {
      const Vec3 x = skin.point(skin.nodes(static_cast<Index>(c))[0]);
      return fmt::format("a face near ({:.4g}, {:.4g}, {:.4g}) m is in two groups with conditions", x[0], x[1], x[2]);
    }
  if (mesh.dimension() < 3) return {};
  // Normals point out of the material, so that the wall of a hollow encloses a negative volume.
  const std::vector<Index> piece = surface_components(skin);
  std::map<Index, double> volume;
  for (Index c = 0; c < skin.cell_count(); ++c) {
    const auto n = skin.nodes(c);
    for (int k = 2; k < corners_of(skin.shape(c)); ++k)
      volume[piece[static_cast<std::size_t>(c)]] += triple(
          skin.point(n[0]), skin.point(n[static_cast<std::size_t>(k) - 1]), skin.point(n[static_cast<std::size_t>(k)]));
  }
  for (std::size_t c = 0; c < of.size(); ++c)
    if (of[c] >= 0 && volume[piece[c]] < 0)
      return fmt::format("the group '{}' is an inner surface of the mesh", names[static_cast<std::size_t>(of[c])]);
  return {};
}

Status carry_groups(Mesh& mesh, const Mesh& body, const std::vector<std::string>& names) {
  if (names.empty()) return {};
  if (const std::string problem = why_no_conditions(body, body, names); !problem.empty())
    return make_error(ErrorCode::invalid_input, problem);
  Places places(body);
  for (Index c = 0; c < body.cell_count(); ++c)
    for (int k = 0; k < corners_of(body.shape(c)); ++k) {
      const Index p = body.nodes(c)[static_cast<std::size_t>(k)];
      places.add(body.point(p), p);
    }
  const std::vector<int> of = names_of_cells(body, names);
  std::map<std::array<Index, 3>, int> name_of;
  const auto add = [&](Index a, Index b, Index c, int name) {
    // Points of the same place have one number.
    std::array<Index, 3> key{places.find(body.point(a)), places.find(body.point(b)), places.find(body.point(c))};
    std::sort(key.begin(), key.end());
    name_of[key] = name;
  };
  for (Index c = 0; c < body.cell_count(); ++c) {
    const auto n = body.nodes(c);
    for (int k = 2; k < corners_of(body.shape(c)); ++k)
      add(n[0], n[static_cast<std::size_t>(k) - 1], n[static_cast<std::size_t>(k)], of[static_cast<std::size_t>(c)]);
  }
  const MeshGroup* skin = surface_group(mesh, "body");
  if (skin == nullptr) return make_error(ErrorCode::internal, "the mesh around the body has lost its surface");
  std::vector<std::vector<Index>> cells(names.size() + 1);
  for (const Index c : skin->cells) {
    const auto n = mesh.nodes(c);
    std::array<Index, 3> key{places.find(mesh.point(n[0])), places.find(mesh.point(n[1])),
                             places.find(mesh.point(n[2]))};
    std::sort(key.begin(), key.end());
    const auto at = name_of.find(key);
    if (at == name_of.end())
      return make_error(ErrorCode::internal, "the mesher has made new triangles on a surface that it was given");
    cells[static_cast<std::size_t>(at->second) + 1].push_back(c);
  }
  mesh.add_group("body", 2).cells = std::move(cells[0]);
  for (std::size_t n = 0; n < names.size(); ++n)
    mesh.add_group(name_on_body(names[n]), 2).cells = std::move(cells[n + 1]);
  return {};
}

}  // namespace conoid::maxwell_fem
