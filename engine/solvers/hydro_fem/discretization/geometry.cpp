// SPDX-License-Identifier: BSD-3-Clause
// Reading `grid`, `mesh` and the boxes and groups of regions.
#include "engine/solvers/hydro_fem/discretization/geometry.hpp"

#include "engine/core/log.hpp"
#include "engine/solvers/hydro_fem/discretization/index.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

namespace conoid::hydro_fem {
namespace {

bool inside(const Extent& e, const Vec3& p, int dim) {
  if (e.everywhere) return true;
  for (int d = 0; d < dim; ++d)
    if (p[u(d)] < e.lower[u(d)] || p[u(d)] > e.upper[u(d)]) return false;
  return true;
}

Vec3 centre_of(const ZoneMesh& m, Index zone) {
  const int corners = 1 << m.dim;
  Vec3 c{};
  for (int i = 0; i < corners; ++i) {
    const Vec3 p = m.vertex(m.zones[u(zone * corners + i)]);
    for (int d = 0; d < m.dim; ++d) c[u(d)] += p[u(d)] / corners;
  }
  return c;
}

void read_grid(ProblemReader& r, Geometry& g) {
  const Values v = r.input["grid"];
  const auto upper = v["upper"].numbers();
  const auto lower = v["lower"].numbers();
  g.dim = static_cast<int>(upper.size());
  g.upper = padded(upper);
  g.lower = padded(lower);
  for (std::size_t d = 0; d < v["zones"].size() && d < 3; ++d) g.counts[d] = v["zones"].at(d).integer();
  for (std::size_t d = 0; d < v["grading"].size() && d < 3; ++d) g.grading[d] = v["grading"].at(d).number();
  if (v["grading"].size() > 0 && v["grading"].size() != upper.size())
    r.fail(v["grading"], fmt::format("{} gradings for {} dimensions", v["grading"].size(), g.dim),
           "Give one number for each axis of `upper`; 1 is even.");
  if (v["zones"].size() != upper.size())
    r.fail(v["zones"], fmt::format("{} numbers of zones for {} dimensions", v["zones"].size(), g.dim),
           "Give one number for each axis of `upper`.");
  for (int d = 0; d < g.dim; ++d)
    if (!(g.upper[u(d)] > g.lower[u(d)]))
      r.fail(
          v["upper"],
          fmt::format("the upper corner {} is not above the lower {} along {}", g.upper[u(d)], g.lower[u(d)], "xyz"[d]),
          "Give the larger coordinate in `upper`.");
}

void read_mesh_zones(ProblemReader& r, Geometry& g, const Geometry* before) {
  const Values v = r.input["mesh"];
  if (before != nullptr && before->mesh != nullptr) {
    g = *before;
    return;
  }
  log::debug("hydro-fem: zones were made of the mesh");
  auto zones = zones_of_mesh(*r.mesh);
  if (!zones) {
    r.fail(v["file"], zones.error().text, zones.error().hint);
    return;
  }
  auto made = std::make_shared<MeshZones>(std::move(*zones));
  g.dim = made->zones.dim;
  std::vector<Index> zone_of(u(r.mesh->cell_count()), -1);
  for (std::size_t i = 0; i < made->cells.size(); ++i) zone_of[u(made->cells[i])] = static_cast<Index>(i);
  auto groups = std::make_shared<std::vector<std::vector<Index>>>();
  for (const MeshGroup& group : r.mesh->groups()) {
    if (group.dimension != g.dim) continue;
    g.group_names.push_back(group.name);
    groups->emplace_back();
    for (const Index cell : group.cells)
      if (zone_of[u(cell)] >= 0) groups->back().push_back(zone_of[u(cell)]);
  }
  g.groups = std::move(groups);
  g.mesh = std::move(made);
  const auto [low, high] = r.mesh->bounds();
  for (int d = 0; d < g.dim; ++d) {
    g.lower[u(d)] = low[u(d)];
    g.upper[u(d)] = high[u(d)];
  }
}

/// A box must not cut through a zone of the mesh: some corners inside and some outside.
void check_box_on_mesh(ProblemReader& r, const Geometry& g, const Values& at, const Extent& e) {
  const ZoneMesh& m = g.mesh->zones;
  double size = 0;
  for (int d = 0; d < g.dim; ++d) size = std::max(size, g.upper[u(d)] - g.lower[u(d)]);
  const double slack = 1e-6 * size;
  const int corners = 1 << g.dim;
  for (Index zone = 0; zone < m.zone_count(); ++zone) {
    bool within = false, without = false;
    for (int c = 0; c < corners; ++c) {
      const Vec3 p = m.vertex(m.zones[u(zone * corners + c)]);
      bool strictly_in = true, strictly_out = false;
      for (int d = 0; d < g.dim; ++d) {
        strictly_in = strictly_in && p[u(d)] > e.lower[u(d)] + slack && p[u(d)] < e.upper[u(d)] - slack;
        strictly_out = strictly_out || p[u(d)] < e.lower[u(d)] - slack || p[u(d)] > e.upper[u(d)] + slack;
      }
      within = within || strictly_in;
      without = without || strictly_out;
    }
    if (!within || !without) continue;
    const Vec3 c = centre_of(m, zone);
    r.fail(at,
           fmt::format("the border of the region cuts through the zone at ({:.6g}, {:.6g}, {:.6g})", c[0], c[1], c[2]),
           "Draw the border in the mesh, and give the region the `group` of its cells: a jump inside a zone "
           "is not kept sharp.");
    return;
  }
}

}  // namespace

Vec3 padded(const std::vector<double>& v) {
  Vec3 p{};
  std::copy_n(v.begin(), std::min<std::size_t>(v.size(), 3), p.begin());
  return p;
}

double Geometry::step(int d) const {
  return (upper[u(d)] - lower[u(d)]) / static_cast<double>(counts[u(d)]);
}

double Geometry::line_at(int d, double i) const {
  const double n = static_cast<double>(counts[u(d)]), G = grading[u(d)];
  if (G == 1) return lower[u(d)] + step(d) * i;
  return lower[u(d)] + (upper[u(d)] - lower[u(d)]) * std::expm1(std::log(G) * i / n) / (G - 1);
}

double Geometry::line_of(int d, double x) const {
  const double G = grading[u(d)];
  if (G == 1) return (x - lower[u(d)]) / step(d);
  const double share = (x - lower[u(d)]) / (upper[u(d)] - lower[u(d)]);
  return static_cast<double>(counts[u(d)]) * std::log1p(std::max(share * (G - 1), -0.999999)) / std::log(G);
}

std::vector<std::string> Geometry::boundary_names() const {
  if (!is_grid()) return mesh->zones.boundary_names;
  std::vector<std::string> out;
  for (int d = 0; d < dim; ++d)
    for (const char* end : {"min", "max"}) out.push_back(std::string(1, "xyz"[d]) + "_" + end);
  return out;
}

ZoneMesh Geometry::zones(std::span<const Extent> extents) const {
  ZoneMesh m;
  if (is_grid()) {
    std::array<std::vector<double>, 3> lines;
    for (int d = 0; d < dim; ++d)
      for (Index i = 0; i <= counts[u(d)]; ++i)
        lines[u(d)].push_back(i == counts[u(d)] ? upper[u(d)] : line_at(d, static_cast<double>(i)));
    m = box_zones(dim, lines);
  } else {
    m = mesh->zones;
  }
  m.region = regions(m, extents);
  return m;
}

std::vector<int> Geometry::regions(const ZoneMesh& m, std::span<const Extent> extents) const {
  std::vector<int> out(m.region.size(), -1);
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const Extent& e = extents[i];
    if (!e.group.empty()) {
      const auto at = std::find(group_names.begin(), group_names.end(), e.group);
      verify(at != group_names.end(), "a region's group exists");
      for (const Index zone : (*groups)[static_cast<std::size_t>(at - group_names.begin())])
        out[u(zone)] = static_cast<int>(i);
      continue;
    }
    for (Index z = 0; z < m.zone_count(); ++z)
      if (e.everywhere || inside(e, centre_of(m, z), dim)) out[u(z)] = static_cast<int>(i);
  }
  return out;
}

Geometry::Count Geometry::count() const {
  if (!is_grid()) {
    const Index zones = mesh->zones.zone_count();
    return {static_cast<double>(zones), fmt::format("{}", zones)};
  }
  Count out{1, {}};
  for (int d = 0; d < dim; ++d) {
    out.zones *= static_cast<double>(counts[u(d)]);
    out.text += fmt::format("{}{}", d ? " × " : "", counts[u(d)]);
  }
  return out;
}

bool Geometry::inside_zones(int d, double x) const {
  const double line = line_of(d, x);
  const bool between = line > 0 && line < static_cast<double>(counts[u(d)]);
  // Lines of a graded grid are given in as many digits as messages have.
  return between && std::abs(line - std::round(line)) >= (grading[u(d)] == 1 ? 1e-6 : 1e-3);
}

Geometry read_geometry(ProblemReader& r, const Geometry* before) {
  Geometry g;
  const bool grid = r.input.values().has("grid"), mesh = r.input.values().has("mesh");
  if (grid == mesh) {
    r.fail(r.input.values(), grid ? "the case has a `grid` and a `mesh`" : "the case has neither a `grid` nor a `mesh`",
           "Give a box of zones in `grid`, or a file of quadrilaterals or hexahedra in `mesh`: one of them.");
    return g;
  }
  if (mesh) {
    verify(r.mesh != nullptr, "the mesh of the case has been read");
    read_mesh_zones(r, g, before);
  } else {
    read_grid(r, g);
  }
  if (!r.good()) return g;
  const Values section = r.input[grid ? "grid" : "mesh"];
  const std::string coordinates = section["coordinates"].text();
  g.turns = turns_of(coordinates);
  const bool plane = coordinates == "axisymmetric";
  if (plane && g.dim != 2)
    r.fail(section["coordinates"], fmt::format("axisymmetric flow has two dimensions, found {}", g.dim),
           "Give `lower`, `upper` and `zones` two numbers, or a plane mesh: x along the axis, y along the "
           "radius.");
  else if (g.turns > 0 && !plane && g.dim != 1)
    r.fail(section["coordinates"], fmt::format("{} flow has one dimension, the radius, found {}", coordinates, g.dim),
           "Give `lower`, `upper` and `zones` one number, or a mesh of segments; with two dimensions there is "
           "axisymmetric flow.");
  else if (g.turns > 0 && g.lower[u(g.dim - 1)] < -1e-12 * g.upper[u(g.dim - 1)])
    r.fail(grid ? section["lower"] : section["coordinates"],
           fmt::format("the radius begins at {}", g.lower[u(g.dim - 1)]),
           fmt::format("Let {} begin at 0 (on the axis) or above.", plane ? "y" : "x"));
  return g;
}

int turns_of(std::string_view coordinates) {
  return coordinates == "spherical" ? 2 : coordinates == "axisymmetric" || coordinates == "cylindrical" ? 1 : 0;
}

Extent read_extent(ProblemReader& r, const Geometry& g, const Values& v) {
  Extent e;
  if (v.has("group")) {
    e.group = v["group"].text();
    e.everywhere = false;
    if (g.is_grid())
      r.fail(v["group"], "a grid has no groups", "Give the region `lower` and `upper`, or the case a mesh.");
    else if (std::find(g.group_names.begin(), g.group_names.end(), e.group) == g.group_names.end())
      r.fail(v["group"], fmt::format("the group '{}' holds no cells of dimension {}", e.group, g.dim),
             "Name a group of zones; groups of their sides are for `boundaries`.");
    return e;
  }
  e.everywhere = !v.has("lower") && !v.has("upper");
  e.lower = v.has("lower") ? padded(v["lower"].numbers()) : g.lower;
  e.upper = v.has("upper") ? padded(v["upper"].numbers()) : g.upper;
  bool complete = true;
  for (const char* corner : {"lower", "upper"}) {
    if (!v.has(corner)) continue;
    const auto numbers = v[corner].numbers();
    if (static_cast<int>(numbers.size()) < g.dim) {
      r.fail(v[corner], fmt::format("{} coordinates in {} dimensions", numbers.size(), g.dim),
             "Give one coordinate for each axis.");
      complete = false;
      continue;
    }
    for (int d = 0; d < g.dim && g.is_grid(); ++d) {
      if (!g.inside_zones(d, numbers[u(d)])) continue;
      const double line = std::floor(g.line_of(d, numbers[u(d)]));
      r.fail(v[corner],
             fmt::format("the region ends at {} = {:.6g}, inside zones; the nearest zone edges are {:.6g} and {:.6g}",
                         "xyz"[d], numbers[u(d)], g.line_at(d, line), g.line_at(d, line + 1)),
             fmt::format("Move the border to a zone edge, or change `zones` along {} so that an edge falls "
                         "there: a jump inside a zone is not kept sharp.",
                         "xyz"[d]));
    }
  }
  if (!e.everywhere && complete && !g.is_grid()) check_box_on_mesh(r, g, v, e);
  return e;
}

void check_cover(ProblemReader& r, const Geometry& g, std::span<const Extent> extents) {
  if (const auto c = g.uncovered(extents))
    r.fail(r.input["regions"],
           fmt::format("no region covers the zone at ({:.4g}, {:.4g}, {:.4g})", (*c)[0], (*c)[1], (*c)[2]),
           "Let the first region have no box and no group: it then fills what the others leave.");
}

std::optional<Vec3> Geometry::uncovered(std::span<const Extent> extents) const {
  if (std::any_of(extents.begin(), extents.end(), [](const Extent& e) { return e.everywhere; })) return {};
  if (!is_grid()) {
    const std::vector<int> region = regions(mesh->zones, extents);
    const auto none = std::find(region.begin(), region.end(), -1);
    if (none == region.end()) return {};
    return centre_of(mesh->zones, none - region.begin());
  }
  // Between two borders of regions all zones are alike: one of each is looked at.
  std::array<std::vector<Index>, 3> samples{{{0}, {0}, {0}}};
  for (int d = 0; d < dim; ++d) {
    auto& list = samples[u(d)];
    for (const Extent& e : extents)
      for (const double border : {e.lower[u(d)], e.upper[u(d)]}) {
        const double line = line_of(d, border);
        if (line > 0 && line < static_cast<double>(counts[u(d)]))
          list.push_back(static_cast<Index>(line + (grading[u(d)] == 1 ? 1e-6 : 1e-3)));
      }
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  const auto centre = [&](int d, Index i) {
    const auto line = static_cast<double>(i);
    return d < dim ? 0.5 * (line_at(d, line) + line_at(d, line + 1)) : 0.0;
  };
  for (const Index k : samples[2])
    for (const Index j : samples[1])
      for (const Index i : samples[0]) {
        const Vec3 c = {centre(0, i), centre(1, j), centre(2, k)};
        if (std::none_of(extents.begin(), extents.end(), [&](const Extent& e) { return inside(e, c, dim); })) return c;
      }
  return {};
}

}  // namespace conoid::hydro_fem
