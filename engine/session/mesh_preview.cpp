// SPDX-License-Identifier: BSD-3-Clause
// Reads, measures and colours a mesh.
#include "engine/session/mesh_preview.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include <fmt/core.h>

#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/mesh/edit.hpp"
#include "engine/mesh/gmsh.hpp"
#include "engine/mesh/refine.hpp"
#include "engine/mesh/surface.hpp"
#include "engine/mesh/topology.hpp"
#include "engine/mesh/writers/write_mesh.hpp"
#include "engine/solvers/mesh_frame.hpp"
#include "engine/solvers/mesh_section.hpp"

namespace conoid {
namespace {

constexpr int worst_cells = 20;

Vec3 centre_of(const Mesh& mesh, Index cell) {
  Vec3 sum{};
  const auto nodes = mesh.nodes(cell);
  for (const Index n : nodes) {
    const Vec3 p = mesh.point(n);
    for (std::size_t k = 0; k < 3; ++k) sum[k] += p[k] / static_cast<double>(nodes.size());
  }
  return sum;
}

double longest_edge(const Mesh& mesh, Index cell) {
  const auto nodes = mesh.nodes(cell);
  const auto corners = static_cast<std::size_t>(corners_of(mesh.shape(cell)));
  double longest = 0;
  // All pairs of corners: diagonals count too, as a wave may run along them.
  const bool simplex = corners == static_cast<std::size_t>(dimension_of(mesh.shape(cell))) + 1;
  for (std::size_t i = 0; i < corners; ++i)
    for (std::size_t j = i + 1; j < corners; ++j) {
      if (!simplex && corners == 4 && j - i == 2) continue;
      const Vec3 a = mesh.point(nodes[i]);
      const Vec3 b = mesh.point(nodes[j]);
      longest = std::max(longest, std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]));
    }
  return longest;
}

Field cell_field(const char* name, const char* label, std::vector<float> values, const char* unit = "1") {
  FieldInfo info;
  info.name = name;
  info.label = label;
  info.unit = unit;
  info.kind = FieldKind::magnitude;
  info.association = Association::cell;
  return make_field(std::move(info), std::move(values));
}

/// The number of the group of each cell of one dimension (the last that holds it), 0 for none.
std::vector<float> group_numbers(const Mesh& mesh, int dimension, const std::vector<std::string>& names) {
  std::vector<float> of_cell(static_cast<std::size_t>(mesh.cell_count()), 0.0F);
  for (const MeshGroup& group : mesh.groups()) {
    if (group.dimension != dimension) continue;
    const auto at = std::find(names.begin(), names.end(), group.name) - names.begin();
    for (const Index c : group.cells) of_cell[static_cast<std::size_t>(c)] = static_cast<float>(at);
  }
  std::vector<float> out;
  for (Index c = 0; c < mesh.cell_count(); ++c)
    if (dimension_of(mesh.shape(c)) == dimension) out.push_back(of_cell[static_cast<std::size_t>(c)]);
  return out;
}

/// The middles of the outer sides of a mesh's cells, by the number of their group.
std::vector<std::vector<Vec3>> outer_sides(const Mesh& mesh, const std::vector<std::string>& names) {
  std::vector<std::vector<Vec3>> out(names.size());
  if (mesh.dimension() == 3) {
    const Mesh skin = boundary_surface(mesh);
    const std::vector<float> groups = group_numbers(skin, 2, names);
    for (Index c = 0, face = 0; c < skin.cell_count(); ++c)
      if (dimension_of(skin.shape(c)) == 2)
        out[static_cast<std::size_t>(groups[static_cast<std::size_t>(face++)])].push_back(centre_of(skin, c));
  } else if (mesh.dimension() == 2) {
    std::map<std::pair<Index, Index>, std::size_t> named;
    for (const MeshGroup& group : mesh.groups())
      if (group.dimension == 1)
        for (const Index c : group.cells) {
          const auto [a, b] = std::minmax(mesh.nodes(c)[0], mesh.nodes(c)[1]);
          named[{a, b}] = static_cast<std::size_t>(std::find(names.begin(), names.end(), group.name) - names.begin());
        }
    for (const SurfaceEdge& rim : check_surface(mesh, std::numeric_limits<int>::max()).open_edges) {
      const auto at = named.find(std::minmax(rim.a, rim.b));
      out[at == named.end() ? 0 : at->second].push_back(
          vec::scale(0.5, vec::add(mesh.point(rim.a), mesh.point(rim.b))));
    }
  }
  return out;
}

/// Parts sides, by group, into those at a coordinate of zero and the others.
MeshPreview::AtZero part_at_zero(const std::vector<std::vector<Vec3>>& sides, std::size_t axis) {
  double farthest = 0;
  for (const auto& of_group : sides)
    for (const Vec3& middle : of_group) farthest = std::max(farthest, std::abs(middle[axis]));
  const double zero = 1e-12 * farthest;  // digits of coordinates in files
  MeshPreview::AtZero out;
  for (const auto& of_group : sides) {
    std::vector<Vec3> there, elsewhere;
    for (const Vec3& middle : of_group) (std::abs(middle[axis]) <= zero ? there : elsewhere).push_back(middle);
    if (out.elsewhere.empty()) out.there = central(there);
    out.elsewhere.push_back(central(elsewhere));
  }
  return out;
}

/// A file as it is, in metres: what is chosen or changed by hand counts its cells.
Result<Mesh> unrepaired(const std::filesystem::path& file, double scale, std::stop_token stop) {
  MeshRequest request;
  request.file = file;
  request.fallback = fmt::format("{} m", scale);
  request.repair.merge = RepairOptions::Merge::none;
  request.repair.orient = RepairOptions::Orient::keep;
  auto mesh = prepare_mesh(request, std::move(stop));
  if (!mesh) return mesh.error();
  return std::move(mesh->mesh);
}

}  // namespace

std::optional<Vec3> central(const std::vector<Vec3>& middles) {
  if (middles.empty()) return std::nullopt;
  Vec3 middle{};
  for (const Vec3& m : middles) middle = vec::axpy(1.0 / static_cast<double>(middles.size()), m, middle);
  return *std::min_element(middles.begin(), middles.end(), [&](const Vec3& a, const Vec3& b) {
    return vec::distance(a, middle) < vec::distance(b, middle);
  });
}

bool can_be_meshed(const std::filesystem::path& file) {
  return is_geometry(file);
}

Result<std::shared_ptr<const MeshPreview>> preview_mesh(const std::filesystem::path& file, double scale,
                                                        std::stop_token stop) {
  MeshRequest request;
  request.file = file;
  request.fallback = fmt::format("{} m", scale);
  return preview_mesh(request, std::move(stop));
}

Result<std::shared_ptr<const MeshPreview>> preview_mesh(const MeshRequest& request, std::stop_token stop) {
  const std::filesystem::path& file = request.file;
  MeshRequest looking = request;
  // Opening a case executes nothing that somebody else wrote.
  looking.gmsh.only_made_before = request.gmsh.script != ScriptUse::own;
  const auto loaded = prepare_mesh(looking, std::move(stop));
  if (!loaded) return loaded.error();
  const Mesh& mesh = loaded->mesh;
  auto out = std::make_shared<MeshPreview>();
  out->file = file;
  QualityOptions quality;
  quality.worst = worst_cells;
  out->summary = summarize(mesh, quality);
  if (out->summary.has_surface && !out->summary.surface.is_body()) out->surface = explain(out->summary.surface, mesh);
  for (const CellQuality& worst : out->summary.quality.worst) out->worst_places.push_back(centre_of(mesh, worst.cell));
  const int dimension = mesh.dimension();
  out->group_names = {"no group"};
  for (const MeshGroup& group : mesh.groups()) out->group_names.push_back(group.name);
  for (Index c = 0; c < mesh.cell_count(); ++c)
    if (dimension_of(mesh.shape(c)) == dimension) out->longest_edges.push_back(longest_edge(mesh, c));
  std::vector<float> edges(out->longest_edges.begin(), out->longest_edges.end());
  std::sort(out->longest_edges.begin(), out->longest_edges.end());

  auto frame = std::make_shared<Frame>();
  frame->axis = FrameAxis::iteration;
  FramePart part{"mesh", mesh_geometry(mesh, dimension), {}};
  std::vector<float> jacobians;
  for (const CellQuality& q : cell_quality(mesh, dimension)) jacobians.push_back(static_cast<float>(q.scaled_jacobian));
  const bool grouped = std::any_of(mesh.groups().begin(), mesh.groups().end(),
                                   [&](const MeshGroup& g) { return g.dimension == dimension; });
  part.fields.push_back(cell_field("quality", "Quality of the cells", std::move(jacobians)));
  part.fields.push_back(cell_field("longest_edge", "Longest edge", std::move(edges), "m"));
  if (grouped) {
    std::vector<float> numbers = group_numbers(mesh, dimension, out->group_names);
    // Several groups are what one wants to see first; a single one says nothing.
    const bool several = std::any_of(numbers.begin(), numbers.end(), [&](float n) { return n != numbers.front(); });
    part.fields.insert(several ? part.fields.begin() : part.fields.end(),
                       cell_field("group", "Groups", std::move(numbers)));
  }
  const bool faces = dimension == 3 && std::any_of(mesh.groups().begin(), mesh.groups().end(),
                                                   [](const MeshGroup& g) { return g.dimension == 2; });
  frame->parts.push_back(std::move(part));
  if (faces) {
    FramePart skin{"faces", mesh_geometry(mesh, 2), {}};
    skin.fields.push_back(cell_field("group", "Groups", group_numbers(mesh, 2, out->group_names)));
    frame->parts.push_back(std::move(skin));
  }
  const auto sides = outer_sides(mesh, out->group_names);
  for (const auto& of_group : sides) out->side_places.push_back(central(of_group));
  for (std::size_t axis = 0; axis < 3; ++axis) out->at_zero[axis] = part_at_zero(sides, axis);
  out->frame = std::move(frame);
  out->scale = loaded->scale;
  for (const Diagnostic& d : loaded->notes) out->notes.push_back(d.text);
  if (!can_be_meshed(file)) out->fixed = why_not_remeshed(mesh);
  return std::shared_ptr<const MeshPreview>(std::move(out));
}

Result<std::shared_ptr<const MeshSides>> mesh_sides(const std::filesystem::path& file, double scale, double angle,
                                                    const MeshSides* known, std::stop_token stop) {
  auto out = std::make_shared<MeshSides>();
  if (known && known->faces) {
    out->faces = known->faces;
    out->geometry = known->geometry;
  } else {
    const auto mesh = unrepaired(file, scale, std::move(stop));
    if (!mesh) return mesh.error();
    if (mesh->dimension() < 2)
      return make_error(ErrorCode::invalid_input, "the mesh has no surface", "Groups are made of faces.");
    out->faces = std::make_shared<const Mesh>(outer_faces(*mesh));
    out->geometry = mesh_geometry(*out->faces, 2);
  }
  const Mesh& faces = *out->faces;
  out->angle = angle;
  out->side_of = smooth_regions(faces, angle);
  Index count = 0;
  for (const Index side : out->side_of) count = std::max(count, side + 1);
  std::vector<MeshSides::Side> sides(static_cast<std::size_t>(count));
  std::vector<Vec3> middle(sides.size(), Vec3{});
  const auto each = [&](const auto& body) {
    for (Index c = 0; c < faces.cell_count(); ++c)
      if (const Index side = out->side_of[static_cast<std::size_t>(c)]; side >= 0)
        body(static_cast<std::size_t>(side), cell_surface(faces, c));
  };
  each([&](std::size_t s, const CellSurface& cell) {
    const double area = cell.area;
    ++sides[s].cells;
    sides[s].area += area;
    for (std::size_t k = 0; k < 3; ++k) {
      sides[s].normal[k] += cell.area_vector[k];
      middle[s][k] += area * cell.centroid[k];
    }
  });
  for (std::size_t s = 0; s < sides.size(); ++s)
    for (std::size_t k = 0; k < 3; ++k) {
      sides[s].normal[k] /= std::max(sides[s].area, std::numeric_limits<double>::min());
      middle[s][k] /= std::max(sides[s].area, std::numeric_limits<double>::min());
    }
  std::vector<double> nearest(sides.size(), std::numeric_limits<double>::infinity());
  each([&](std::size_t s, const CellSurface& cell) {
    const double apart = vec::distance(cell.centroid, middle[s]);
    if (apart >= nearest[s]) return;
    nearest[s] = apart;
    sides[s].place = cell.centroid;
  });
  // The largest first.
  std::vector<std::size_t> order(sides.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return sides[a].area > sides[b].area; });
  std::vector<Index> place(sides.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = static_cast<Index>(i);
    out->sides.push_back(sides[order[i]]);
  }
  for (Index& side : out->side_of)
    if (side >= 0) side = place[static_cast<std::size_t>(side)];
  return std::shared_ptr<const MeshSides>(std::move(out));
}

Index side_at(const MeshSides& sides, const Vec3& place) {
  const Index face = sides.faces ? nearest_face(*sides.faces, place) : -1;
  return face < 0 ? -1 : sides.side_of[static_cast<std::size_t>(face)];
}

std::filesystem::path unmeshed_geometry(const CaseDocument& document) {
  if (!names_a_mesh(document)) return {};
  const MeshRequest request = mesh_request(document);
  if (request.gmsh.script == ScriptUse::own) return {};  // made as it is looked at
  std::error_code ignored;
  return std::filesystem::is_regular_file(request.file, ignored) && !is_made(request) ? request.file
                                                                                      : std::filesystem::path();
}

std::string why_not_trusted(const std::filesystem::path& geometry) {
  const auto error = needs_trust(geometry);
  return error ? fmt::format("{}:{}: {}", error->place.file, error->place.line, error->text) : std::string();
}

Status mesh_geometry_of(const CaseDocument& document, bool trusted, std::stop_token stop) {
  const MeshRequest request = mesh_request(document);
  if (trusted)
    if (const Status kept = trust_geometry(request.file); !kept) return kept;
  const auto options = geometry_options(request);
  if (!options) return options.error();
  const auto made = run_gmsh(request.file, *options, std::move(stop));
  return made ? Status() : Status(made.error());
}

Result<std::shared_ptr<const MeshPreview>> preview_mesh(const CaseDocument& document, std::stop_token stop) {
  if (!names_a_mesh(document)) return std::shared_ptr<const MeshPreview>();
  auto preview = preview_mesh(mesh_request(document), std::move(stop));
  if (preview || preview.error().code != ErrorCode::invalid_input || document.find("/mesh/unit") != nullptr)
    return preview;
  Error error = preview.error();
  if (error.text.find("unit of the mesh file") != std::string::npos) {
    error.hint = "Choose the unit of length.";
    error.place = document.place("/mesh");
  }
  return error;
}

namespace {

/// Reads a file, changes the mesh and writes it in the unit of the file.
Status rewrite(const std::filesystem::path& file, double scale, const std::filesystem::path& out, std::stop_token stop,
               const auto& change) {
  const auto mesh = unrepaired(file, scale, std::move(stop));
  if (!mesh) return mesh.error();
  const Result<Mesh> changed = change(*mesh);
  if (!changed) return changed.error();
  WriteOptions write;
  write.scale = 1 / scale;
  return write_mesh(*changed, out, write);
}

}  // namespace

Status mesh_file_again(const std::filesystem::path& file, double scale, double size, const std::filesystem::path& out,
                       std::stop_token stop) {
  if (!can_be_meshed(file))
    return rewrite(file, scale, out, stop, [&](const Mesh& mesh) { return remeshed(mesh, size, stop); });
  MeshRequest request;
  request.file = file;
  request.fallback = fmt::format("{} m", scale);
  request.size = size;
  const auto made = prepare_mesh(request, stop);
  if (!made) return made.error();
  WriteOptions write;
  write.scale = 1 / scale;
  return write_mesh(made->mesh, out, write);
}

Status group_faces_of_file(const std::filesystem::path& file, double scale, const std::vector<Index>& faces,
                           const std::string& name, const std::filesystem::path& out, std::stop_token stop) {
  return rewrite(file, scale, out, std::move(stop), [&](const Mesh& mesh) { return with_group(mesh, faces, name); });
}

Status refine_mesh_file(const std::filesystem::path& file, double scale, const std::filesystem::path& out,
                        std::stop_token stop) {
  return rewrite(file, scale, out, std::move(stop), [](const Mesh& mesh) { return refined(mesh); });
}

}  // namespace conoid
