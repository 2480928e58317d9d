// SPDX-License-Identifier: BSD-3-Clause
// Summaries of meshes.
#include "engine/mesh/describe.hpp"

#include "engine/core/units.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/core.h>

namespace conoid {
namespace {

constexpr const char* kinds[] = {"points", "curve", "surface", "volume"};
constexpr const char* measures[] = {"", "length", "area", "volume"};
constexpr const char* measure_units[] = {"", "m", "m²", "m³"};

std::string json_text(const std::string& s) {
  std::string out = "\"";
  for (const char c : s) {
    if (c == '"' || c == '\\')
      out += '\\', out += c;
    else if (static_cast<unsigned char>(c) < 32)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + '"';
}

/// JSON has no infinity; it can only come from coordinates near the largest double.
std::string json_number(double x) {
  return std::isfinite(x) ? fmt::format("{}", x) : "null";
}

std::string json_vector(const Vec3& v) {
  return fmt::format("[{},{},{}]", json_number(v[0]), json_number(v[1]), json_number(v[2]));
}

}  // namespace

MeshSummary summarize(const Mesh& mesh, const QualityOptions& options) {
  MeshSummary s;
  s.points = mesh.point_count();
  s.cells = mesh.cell_count();
  s.dimension = mesh.dimension();
  for (const CellShape shape : mesh.shapes()) {
    ++s.cells_by_shape[std::string(name_of(shape))];
    s.order = std::max(s.order, order_of(shape));
  }
  std::tie(s.low, s.high) = mesh.bounds();
  for (const auto& g : mesh.groups()) {
    double measure = 0;
    for (const Index c : g.cells) measure += cell_measure(mesh, c);
    s.groups.push_back({g.name, g.dimension, g.tag, static_cast<Index>(g.cells.size()), measure});
  }
  s.ungrouped = static_cast<Index>(ungrouped_cells(mesh).size());
  s.quality = mesh_quality(mesh, options);
  s.has_surface = s.dimension >= 2 && s.cells > 0;
  if (s.dimension == 3) s.surface = check_surface(boundary_surface(mesh));
  if (s.dimension == 2) {
    s.surface = check_surface(mesh);
    if (const auto cuts = self_intersections(mesh, 1); !cuts.empty()) s.cut = cuts.front();
  }
  return s;
}

std::vector<std::string> describe(const Mesh& mesh) {
  return describe(summarize(mesh), mesh);
}

std::vector<std::string> describe(const MeshSummary& s, const Mesh& mesh) {
  std::vector<std::string> out;
  std::string shapes;
  for (const auto& [name, count] : s.cells_by_shape)
    shapes += fmt::format("{}{} {}", shapes.empty() ? "" : ", ", count, name);
  out.push_back(fmt::format("{} points, {} cells{}", s.points, s.cells, shapes.empty() ? "" : ": " + shapes));
  out.push_back(fmt::format("bounding box ({}) to ({}), {} x {} x {}",
                            fmt::format("{:.6g}, {:.6g}, {:.6g}", s.low[0], s.low[1], s.low[2]),
                            fmt::format("{:.6g}, {:.6g}, {:.6g}", s.high[0], s.high[1], s.high[2]),
                            format_quantity(s.high[0] - s.low[0], "m"), format_quantity(s.high[1] - s.low[1], "m"),
                            format_quantity(s.high[2] - s.low[2], "m")));
  for (const auto& g : s.groups) {
    const auto d = static_cast<std::size_t>(std::clamp(g.dimension, 0, 3));
    std::string line = fmt::format("group '{}': {}, {} cell{}", g.name, kinds[d], g.cells, g.cells == 1 ? "" : "s");
    if (d > 0) line += fmt::format(", {} {:.6g} {}", measures[d], g.measure, measure_units[d]);
    out.push_back(std::move(line));
  }
  if (s.groups.empty())
    out.push_back("no groups");
  else if (s.ungrouped > 0)
    out.push_back(fmt::format("{} cells are in no group", s.ungrouped));
  const QualityReport& q = s.quality;
  const auto d = static_cast<std::size_t>(std::clamp(q.dimension, 0, 3));
  if (q.cells > 0 && d > 0) {
    out.push_back(fmt::format("{} {:.6g} {}; edges {} to {}, mean {}", measures[d], q.measure, measure_units[d],
                              format_quantity(q.edge_min, "m"), format_quantity(q.edge_max, "m"),
                              format_quantity(q.edge_mean, "m")));
    if (d > 1)
      out.push_back(
          fmt::format("quality: scaled Jacobian {:.3f} at worst (cell {}), {:.3f} on average; aspect {:.3f} at worst",
                      q.scaled_jacobian_min, q.worst.empty() ? Index{-1} : q.worst.front().cell, q.scaled_jacobian_mean,
                      q.aspect_min));
  }
  if (q.degenerate_cells > 0) out.push_back(fmt::format("warning: {} degenerate cells", q.degenerate_cells));
  if (q.inverted_cells > 0) out.push_back(fmt::format("warning: {} folded or inverted cells", q.inverted_cells));
  if (q.duplicate_points > 0)
    out.push_back(fmt::format("warning: {} points lie exactly on others", q.duplicate_points));
  if (q.unused_points > 0) out.push_back(fmt::format("{} points belong to no cell", q.unused_points));
  if (s.has_surface) {
    // For a volume mesh the places in the report are those of its boundary.
    const Mesh skin = s.dimension == 3 ? boundary_surface(mesh) : Mesh();
    for (const std::string& line : explained(s.surface, s.dimension == 3 ? skin : mesh))
      out.push_back((s.dimension == 3 ? "boundary: " : "surface: ") + line);
  }
  if (s.cut) {
    const Vec3& x = mesh.point(mesh.nodes((*s.cut)[0])[0]);
    out.push_back(fmt::format("surface: cuts itself, first seen at cells {} and {} near ({:.6g}, {:.6g}, {:.6g})",
                              (*s.cut)[0], (*s.cut)[1], x[0], x[1], x[2]));
  }
  return out;
}

std::string to_json(const MeshSummary& s) {
  std::string shapes;
  for (const auto& [name, count] : s.cells_by_shape)
    shapes += fmt::format("{}{}:{}", shapes.empty() ? "" : ",", json_text(name), count);
  std::string groups;
  for (const auto& g : s.groups)
    groups +=
        fmt::format("{}{{\"name\":{},\"dimension\":{},\"tag\":{},\"cells\":{},\"measure\":{}}}",
                    groups.empty() ? "" : ",", json_text(g.name), g.dimension, g.tag, g.cells, json_number(g.measure));
  const QualityReport& q = s.quality;
  std::string counts;
  for (const Index c : q.scaled_jacobian.counts) counts += fmt::format("{}{}", counts.empty() ? "" : ",", c);
  std::string worst;
  for (const auto& w : q.worst)
    worst += fmt::format("{}{{\"cell\":{},\"scaled_jacobian\":{},\"aspect\":{}}}", worst.empty() ? "" : ",", w.cell,
                         json_number(w.scaled_jacobian), json_number(w.aspect));
  std::string out = fmt::format(
      "{{\"points\":{},\"cells\":{},\"dimension\":{},\"order\":{},\"cells_by_shape\":{{{}}},\"low\":{},"
      "\"high\":{},\"groups\":[{}],"
      "\"ungrouped\":{},",
      s.points, s.cells, s.dimension, s.order, shapes, json_vector(s.low), json_vector(s.high), groups, s.ungrouped);
  out += fmt::format(
      "\"quality\":{{\"dimension\":{},\"cells\":{},\"measure\":{},\"edge_min\":{},\"edge_mean\":{},\"edge_"
      "max\":{},"
      "\"scaled_jacobian_min\":{},\"scaled_jacobian_mean\":{},\"aspect_min\":{},\"aspect_mean\":{},"
      "\"histogram\":[{}],"
      "\"worst\":[{}],\"degenerate_cells\":{},\"inverted_cells\":{},\"duplicate_points\":{},\"unused_"
      "points\":{}}}",
      q.dimension, q.cells, json_number(q.measure), json_number(q.edge_min), json_number(q.edge_mean),
      json_number(q.edge_max), json_number(q.scaled_jacobian_min), json_number(q.scaled_jacobian_mean),
      json_number(q.aspect_min), json_number(q.aspect_mean), counts, worst, q.degenerate_cells, q.inverted_cells,
      q.duplicate_points, q.unused_points);
  if (s.has_surface) {
    const SurfaceReport& r = s.surface;
    out += fmt::format(
        ",\"surface\":{{\"cells\":{},\"closed\":{},\"manifold\":{},\"consistent\":{},\"components\":{},"
        "\"open_edges\":{},"
        "\"non_manifold_edges\":{},\"non_manifold_points\":{},\"inconsistent_edges\":{},\"volume\":{}}}",
        r.cells, r.closed(), r.manifold(), r.consistent(), r.components, r.open_edge_count, r.non_manifold_edge_count,
        r.non_manifold_point_count, r.inconsistent_edge_count, json_number(r.volume));
  }
  if (s.dimension == 2) out += fmt::format(",\"cuts_itself\":{}", s.cut.has_value());
  return out + "}";
}

}  // namespace conoid
