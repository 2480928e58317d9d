// SPDX-License-Identifier: BSD-3-Clause
// Surfaces of regions, and all of them as one.
#include "engine/solvers/elastic_bem/discretization/regions.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/core.h>

#include "engine/core/vec3.hpp"
#include "engine/mesh/topology.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

namespace {

/// Cells of open surfaces that bound a piece of ground from below: interfaces under its highest open surface.
std::vector<char> cells_below(const Mesh& mesh, const SurfaceOptions& options, std::span<const int> interface) {
  struct Piece {
    std::vector<Index> cells;
    double level = 0;
    bool shared = true;
  };
  std::map<Index, Piece> pieces;
  const std::vector<Index> components = surface_components(mesh);
  for (Index c = 0; c < mesh.cell_count(); ++c) {
    Piece& piece = pieces[components[static_cast<std::size_t>(c)]];
    piece.cells.push_back(c);
    piece.level -= dot(mesh.point(mesh.nodes(c)[0]), options.down);
    piece.shared = piece.shared && interface[static_cast<std::size_t>(c)] != 0;
  }
  double highest = -1e300;
  for (auto& [component, piece] : pieces) {
    static_cast<void>(component);
    piece.level /= static_cast<double>(piece.cells.size());
    if (check_surface(mesh, piece.cells, 1).open_edge_count == 0)
      piece.shared = false;  // inclusions have no level
    else
      highest = std::max(highest, piece.level);
  }
  std::vector<char> out(static_cast<std::size_t>(mesh.cell_count()), 0);
  for (const auto& [component, piece] : pieces) {
    static_cast<void>(component);
    if (piece.shared && piece.level < highest)
      for (const Index c : piece.cells) out[static_cast<std::size_t>(c)] = 1;
  }
  return out;
}

/// A layer's diagonal is known where its borders are flat: no cells close it.
Status check_layer(const Surface& s, const std::string& name) {
  if (std::count(s.closed.begin(), s.closed.end(), false) < 2) return {};
  for (std::size_t n = 0; n < s.nodes.size(); ++n) {
    const Element& e = s.elements[static_cast<std::size_t>(s.touches[n].front().element)];
    if (!s.planar[n] && !s.closed[static_cast<std::size_t>(e.component)])
      return make_error(ErrorCode::invalid_input,
                        fmt::format("the region '{}' lies between open surfaces of which one is curved at ({:.4g}, "
                                    "{:.4g}, {:.4g})",
                                    name, s.nodes[n][0], s.nodes[n][1], s.nodes[n][2]),
                        "Make the borders of layers of flat elements, or use parameters.elements \"constant\" or "
                        "\"discontinuous\" with flat cells.");
  }
  return {};
}

/// A region's surface behind those that are there.
void append(Surface& whole, const Region& region, Index first_cell) {
  const Surface& s = *region.surface;
  const auto components = static_cast<int>(whole.closed.size());
  for (Index k = 0; k < s.active; ++k) {
    Element e = s.elements[static_cast<std::size_t>(k)];
    e.cell += first_cell;
    e.component += components;
    for (std::size_t a = 0; a < static_cast<std::size_t>(e.nodes); ++a) {
      e.node[a] += region.first_node;
      e.traction[a] += region.first_traction;
    }
    whole.elements.push_back(e);
  }
  for (std::vector<Touch> list : s.touches) {
    for (Touch& t : list) t.element += region.first_element;
    whole.touches.push_back(std::move(list));
  }
  for (std::vector<Index> list : s.node_tractions) {
    for (Index& t : list) t += region.first_traction;
    whole.node_tractions.push_back(std::move(list));
  }
  for (const Index n : s.traction_node) whole.traction_node.push_back(n + region.first_node);
  const auto add_all = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  add_all(whole.nodes, s.nodes);
  add_all(whole.normals, s.normals);
  add_all(whole.traction_normal, s.traction_normal);
  add_all(whole.traction_condition, s.traction_condition);
  add_all(whole.closed, s.closed);
  add_all(whole.hollow, s.hollow);
  add_all(whole.window, s.window);
  add_all(whole.planar, s.planar);
  add_all(whole.rim, s.rim);
  const double before = static_cast<double>(whole.active), more = static_cast<double>(s.active);
  whole.element_size = (before * whole.element_size + more * s.element_size) / (before + more);
  whole.largest_element = std::max(whole.largest_element, s.largest_element);
  whole.active += s.active;
  whole.discontinuous += s.discontinuous;
  whole.enclosed = whole.enclosed || s.enclosed;
}

void measure_whole(Surface& whole) {
  Vec3 low = whole.nodes.front(), high = low;
  for (const Element& e : whole.elements)
    for (int c = 0; c < nodes_of(e.shape); ++c)
      for (std::size_t d = 0; d < 3; ++d) {
        low[d] = std::min(low[d], e.x[static_cast<std::size_t>(c)][d]);
        high[d] = std::max(high[d], e.x[static_cast<std::size_t>(c)][d]);
      }
  whole.centre = scale(0.5, add(low, high));
  whole.diameter = distance(low, high);
}

/// Nodes of the two sides of interfaces. `interface` of each cell of the joined mesh.
Status find_partners(Regions& regions, const std::vector<int>& interface) {
  const Surface& s = *regions.whole;
  double smallest = 1e300;
  for (const Element& e : s.elements) smallest = std::min({smallest, e.length[0], e.length[1]});
  const double tolerance = 1e-4 * smallest;
  using Key = std::tuple<int, std::int64_t, std::int64_t, std::int64_t>;
  std::map<Key, Index> waiting;
  regions.partner.assign(s.nodes.size(), -1);
  const auto number_of = [&](Index n) {
    const Element& e = s.elements[static_cast<std::size_t>(s.touches[static_cast<std::size_t>(n)].front().element)];
    return interface[static_cast<std::size_t>(e.cell)];
  };
  for (Index n = 0; n < s.node_count(); ++n) {
    const int number = number_of(n);
    if (number == 0) continue;
    const auto q = [&](std::size_t d) {
      return static_cast<std::int64_t>(std::llround(s.nodes[static_cast<std::size_t>(n)][d] / tolerance));
    };
    const std::int64_t a = q(0), b = q(1), c = q(2);
    bool found = false;
    for (std::int64_t i = -1; i <= 1 && !found; ++i)
      for (std::int64_t j = -1; j <= 1 && !found; ++j)
        for (std::int64_t k = -1; k <= 1 && !found; ++k)
          if (const auto it = waiting.find({number, a + i, b + j, c + k}); it != waiting.end()) {
            regions.partner[static_cast<std::size_t>(n)] = it->second;
            regions.partner[static_cast<std::size_t>(it->second)] = n;
            waiting.erase(it);
            found = true;
          }
    if (!found) waiting.emplace(Key{number, a, b, c}, n);
  }
  if (waiting.empty()) return {};
  const Vec3& x = s.nodes[static_cast<std::size_t>(waiting.begin()->second)];
  return make_error(ErrorCode::invalid_input,
                    fmt::format("{} nodes of interfaces have none on the other side, the first at ({:.4g}, {:.4g}, "
                                "{:.4g}): fields break there on one side only",
                                waiting.size(), x[0], x[1], x[2]),
                    "Use parameters.elements \"discontinuous\".");
}

}  // namespace

void append(Mesh& whole, const Mesh& part) {
  const Index first_point = whole.point_count(), first_cell = whole.cell_count();
  for (Index k = 0; k < part.point_count(); ++k) whole.add_point(part.point(k));
  std::vector<Index> nodes;
  for (Index c = 0; c < part.cell_count(); ++c) {
    nodes.assign(part.nodes(c).begin(), part.nodes(c).end());
    for (Index& n : nodes) n += first_point;
    whole.add_cell(part.shape(c), nodes);
  }
  for (const MeshGroup& g : part.groups()) {
    MeshGroup& to = whole.add_group(g.name, g.dimension, g.tag);
    for (const Index c : g.cells) to.cells.push_back(first_cell + c);
  }
}

Result<Regions> join_regions(const Mesh& mesh, std::vector<RegionSetting> settings, std::span<const int> condition,
                             std::span<const int> interface) {
  Regions out;
  out.whole = std::make_unique<Surface>();
  std::vector<int> numbers;  // the interface of each cell of the joined mesh
  for (RegionSetting& setting : settings) {
    Mesh part = mesh.extract(std::span<const Index>(setting.cells));
    // Cells of an interface face one of its regions as they should, so that they are turned in the other.
    if (check_surface(part, 1).inconsistent_edge_count > 0) orient_outward(part);
    std::vector<int> own_condition, own_interface;
    for (const Index c : setting.cells) {
      own_condition.push_back(condition[static_cast<std::size_t>(c)]);
      own_interface.push_back(interface[static_cast<std::size_t>(c)]);
    }
    SurfaceOptions options = setting.options;
    options.condition = [&](Index c) { return own_condition[static_cast<std::size_t>(c)]; };
    options.seam = [&](Index c) { return own_interface[static_cast<std::size_t>(c)]; };
    std::vector<char> below;
    if (options.domain == Domain::ground) {
      below = cells_below(part, options, own_interface);
      options.below = [&](Index c) { return below[static_cast<std::size_t>(c)] != 0; };
    }
    auto surface = make_surface(part, options);
    Status status = surface ? check_layer(*surface, setting.name) : Status(surface.error());
    if (!status) {
      Diagnostic d = status.error();
      d.text = fmt::format("region '{}': {}", setting.name, d.text);
      return d;
    }
    Region region{setting.name,
                  setting.medium,
                  setting.options,
                  std::make_unique<Surface>(std::move(*surface)),
                  out.whole->node_count(),
                  static_cast<Index>(out.whole->traction_node.size()),
                  out.whole->active};
    append(*out.whole, region, out.mesh.cell_count());
    append(out.mesh, part);
    numbers.insert(numbers.end(), own_interface.begin(), own_interface.end());
    out.list.push_back(std::move(region));
  }
  measure_whole(*out.whole);
  if (auto status = find_partners(out, numbers); !status) return status.error();
  return out;
}

}  // namespace conoid::elastic_bem
