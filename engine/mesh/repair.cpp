// SPDX-License-Identifier: BSD-3-Clause
// Merging by a grid of boxes, orientation by topology.hpp, holes by their rims.
#include "engine/mesh/repair.hpp"

#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/mesh/polygon.hpp"
#include "engine/mesh/shape_tables.hpp"
#include "engine/mesh/topology.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

#include <fmt/core.h>

namespace conoid {
namespace {

using Orient = RepairOptions::Orient;
using Merge = RepairOptions::Merge;

std::string counted(Index n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

/// Cells of a surface that no mesh generator would keep: a corner twice.
bool collapsed(std::span<const Index> corners) {
  for (std::size_t i = 0; i < corners.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (corners[i] == corners[j]) return true;
  return false;
}

// ---- placing ----

Vec3 turned(const Vec3& p, const Vec3& angles) {
  Vec3 x = p;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double c = std::cos(angles[axis]), s = std::sin(angles[axis]);
    const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
    x = [&] {
      Vec3 out = x;
      out[u] = c * x[u] - s * x[v];
      out[v] = s * x[u] + c * x[v];
      return out;
    }();
  }
  return x;
}

Status place(Mesh& mesh, const RepairOptions& o, RepairReport& report) {
  if (!(o.scale > 0) || !std::isfinite(o.scale))
    return make_error(ErrorCode::invalid_input, fmt::format("a mesh is scaled by a positive number; found {}", o.scale),
                      "To mirror a surface, do so in the program that made it.");
  for (const Vec3* v : {&o.rotate, &o.translate})
    for (const double x : *v)
      if (!std::isfinite(x))
        return make_error(ErrorCode::invalid_input, "a mesh is turned and moved by finite numbers",
                          "Give three numbers, for example 0, 0, 1.5.");
  const bool rotates = o.rotate != Vec3{}, moves = o.translate != Vec3{};
  if (o.scale == 1 && !rotates && !moves) return {};
  auto& p = mesh.mutable_points();
  for (std::size_t k = 0; k + 2 < p.size(); k += 3) {
    Vec3 x = vec::scale(o.scale, {p[k], p[k + 1], p[k + 2]});
    if (rotates) x = turned(x, o.rotate);
    x = vec::add(x, o.translate);
    std::copy(x.begin(), x.end(), p.begin() + static_cast<std::ptrdiff_t>(k));
  }
  std::string text = "placed:";
  if (o.scale != 1) text += fmt::format(" scaled by {:.6g},", o.scale);
  constexpr double degree = 3.14159265358979323846 / 180;
  if (rotates)
    text += fmt::format(" turned by {:.6g}°, {:.6g}°, {:.6g}° about x, y, z,", o.rotate[0] / degree,
                        o.rotate[1] / degree, o.rotate[2] / degree);
  if (moves)
    text += fmt::format(" moved by ({:.6g}, {:.6g}, {:.6g}) m,", o.translate[0], o.translate[1], o.translate[2]);
  text.pop_back();
  report.said.push_back(text);
  return {};
}

// ---- merging ----

/// For each point the one that it becomes: the first of those within the tolerance, chains joined.
std::vector<Index> merged_into(const Mesh& mesh, const std::vector<char>& taken, double tolerance) {
  const auto n = static_cast<std::size_t>(mesh.point_count());
  std::vector<Index> parent(n);
  std::iota(parent.begin(), parent.end(), Index{0});
  const auto root = [&](Index i) {
    while (parent[static_cast<std::size_t>(i)] != i)
      i = parent[static_cast<std::size_t>(i)] = parent[static_cast<std::size_t>(parent[static_cast<std::size_t>(i)])];
    return i;
  };
  // Sorted along the longest axis of the box: neighbours within the tolerance lie near each other in the row.
  const auto [low, high] = mesh.bounds();
  std::size_t axis = 0;
  for (std::size_t a = 1; a < 3; ++a)
    if (high[a] - low[a] > high[axis] - low[axis]) axis = a;
  const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
  // Boxes of the tolerance's size (a little more), found by their number; each point looks into the 27 around its own.
  const double cell = std::max(tolerance * 1.0000001, std::numeric_limits<double>::min());
  const auto number = [&lowest = low, cell](double x, std::size_t a) {
    // Far away in units of the tolerance numbers are clamped: then boxes hold more, and only speed is lost.
    return static_cast<std::int64_t>(std::clamp(std::floor((x - lowest[a]) / cell), 0.0, 4e18));
  };
  struct Key {
    std::int64_t x, y, z;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& k) const {
      std::uint64_t h = 0;
      for (const std::int64_t i : {k.x, k.y, k.z}) {
        h = (h ^ static_cast<std::uint64_t>(i)) * 0x9fb21c651e98df25ull;
        h ^= h >> 29;
      }
      return static_cast<std::size_t>(h);
    }
  };
  std::unordered_map<Key, std::vector<Index>, Hash> boxes;
  for (std::size_t i = 0; i < n; ++i) {
    if (taken[i] == 0) continue;
    const Vec3 p = mesh.point(static_cast<Index>(i));
    const Key own{number(p[axis], axis), number(p[u], u), number(p[v], v)};
    for (std::int64_t dx = -1; dx <= 1; ++dx)
      for (std::int64_t dy = -1; dy <= 1; ++dy)
        for (std::int64_t dz = -1; dz <= 1; ++dz) {
          const auto box = boxes.find({own.x + dx, own.y + dy, own.z + dz});
          if (box == boxes.end()) continue;
          for (const Index j : box->second)
            if (vec::distance(mesh.point(j), p) <= tolerance) {
              const Index a = root(j), b = root(static_cast<Index>(i));
              if (a != b) parent[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
            }
        }
    // One representative a place is enough: many points in one place stay quick.
    auto& here = boxes[own];
    bool known = false;
    for (const Index j : here) known = known || vec::distance(mesh.point(j), p) == 0;
    if (!known) here.push_back(static_cast<Index>(i));
  }
  for (std::size_t i = 0; i < n; ++i) parent[i] = root(static_cast<Index>(i));
  return parent;
}

/// The mesh with its points renumbered by `into`, collapsed cells and copies of surface cells dropped, unused points too.
Mesh joined(const Mesh& mesh, const std::vector<Index>& into, Index& dropped) {
  Mesh all = mesh;
  for (Index& n : all.mutable_connectivity()) n = into[static_cast<std::size_t>(n)];
  std::vector<Index> kept;
  std::set<std::vector<Index>> seen;
  for (Index c = 0; c < all.cell_count(); ++c) {
    const CellShape shape = all.shape(c);
    const auto corners = all.nodes(c).first(static_cast<std::size_t>(corners_of(shape)));
    if (dimension_of(shape) > 0 && collapsed(corners)) continue;
    if (dimension_of(shape) == 2) {
      // Only a cell that merging made a copy of another: two sheets that were apart by less than the tolerance.
      const auto before = mesh.nodes(c).first(corners.size());
      if (!std::equal(before.begin(), before.end(), corners.begin())) {
        std::vector<Index> key(corners.begin(), corners.end());
        std::sort(key.begin(), key.end());
        if (!seen.insert(std::move(key)).second) continue;
      }
    }
    kept.push_back(c);
  }
  dropped = all.cell_count() - static_cast<Index>(kept.size());
  return all.extract(kept);
}

/// Nodes of cells' sides that belong to one surface cell only, mid-side nodes too.
std::vector<char> rim_points(const Mesh& mesh) {
  std::vector<std::array<Index, 3>> sides;  // lower corner, higher corner, node between or -1
  for (Index c = 0; c < mesh.cell_count(); ++c) {
    if (dimension_of(mesh.shape(c)) != 2) continue;
    const auto n = mesh.nodes(c);
    for (const EdgeNodes& e : edges_of(mesh.shape(c))) {
      const Index a = n[static_cast<std::size_t>(e.a)], b = n[static_cast<std::size_t>(e.b)];
      const Index middle = e.middle < 0 ? Index{-1} : n[static_cast<std::size_t>(e.middle)];
      if (a != b) sides.push_back({std::min(a, b), std::max(a, b), middle});
    }
  }
  std::sort(sides.begin(), sides.end());
  std::vector<char> out(static_cast<std::size_t>(mesh.point_count()), 0);
  const auto same_side = [&](std::size_t i, std::size_t j) {
    return sides[i][0] == sides[j][0] && sides[i][1] == sides[j][1];
  };
  for (std::size_t i = 0; i < sides.size(); ++i) {
    if ((i > 0 && same_side(i, i - 1)) || (i + 1 < sides.size() && same_side(i, i + 1))) continue;
    for (const Index p : sides[i])
      if (p >= 0) out[static_cast<std::size_t>(p)] = 1;
  }
  return out;
}

Status merge(Mesh& mesh, const RepairOptions& o, RepairReport& report) {
  if (o.merge == Merge::none) return {};
  if (o.tolerance < 0 || !std::isfinite(o.tolerance))
    return make_error(ErrorCode::invalid_input,
                      fmt::format("points are merged within a distance; found {}", o.tolerance),
                      "Give a length from 0, for example 1 um.");
  const bool automatic = o.merge == Merge::automatic;
  if (automatic && mesh.dimension() != 2) return {};
  SurfaceReport before;
  if (automatic) {
    before = check_surface(mesh, 0);
    if (before.open_edge_count == 0) return {};
  }
  const double tolerance = o.tolerance > 0 ? o.tolerance : merge_tolerance(mesh);
  const std::vector<char> taken =
      automatic ? rim_points(mesh) : std::vector<char>(static_cast<std::size_t>(mesh.point_count()), 1);
  const auto into = merged_into(mesh, taken, tolerance);
  Index moved = 0;
  double farthest = 0;
  for (std::size_t i = 0; i < into.size(); ++i)
    if (into[i] != static_cast<Index>(i)) {
      ++moved;
      farthest = std::max(farthest, vec::distance(mesh.point(static_cast<Index>(i)), mesh.point(into[i])));
    }
  if (moved == 0) {
    if (!automatic)
      report.said.push_back(fmt::format("no points lie within {} of each other", format_quantity(tolerance, "m")));
    return {};
  }
  Index dropped = 0;
  Mesh out = joined(mesh, into, dropped);
  if (out.cell_count() == 0)
    return make_error(ErrorCode::invalid_input,
                      fmt::format("merging points within {} leaves no cell", format_quantity(tolerance, "m")),
                      "Give a tolerance well below the length of the edges.");
  if (automatic) {
    const SurfaceReport after = check_surface(out, 0);
    const bool worse = dropped > 0 || after.non_manifold_edge_count > before.non_manifold_edge_count ||
                       after.non_manifold_point_count > before.non_manifold_point_count ||
                       after.open_edge_count >= before.open_edge_count;
    if (worse) return {};
  }
  report.merged_points = moved;
  report.tolerance = tolerance;
  report.dropped_cells = dropped;
  report.said.push_back(
      fmt::format("{} merged with others within {} (the farthest moved by {:.2g} m){}",
                  counted(moved, "point") + (moved == 1 ? " was" : " were"), format_quantity(tolerance, "m"), farthest,
                  dropped > 0 ? "; " + counted(dropped, "cell") + " that collapsed or became a copy went" : ""));
  mesh = std::move(out);
  return {};
}

// ---- cells that are none ----

/// Surface cells without area, which have two corners or one, and copies of others that have all of their groups (a cell that stands there once
/// for each of its groups is no copy): no solver can use them, and nothing is lost with them.
void leave_out(Mesh& mesh, RepairReport& report) {
  if (mesh.dimension() != 2) return;
  std::vector<std::array<Index, 5>> all;  // corners in ascending order, -1 before three of them; the cell
  std::vector<char> out(static_cast<std::size_t>(mesh.cell_count()), 0);
  Index collapses = 0, copies = 0;
  for (Index c = 0; c < mesh.cell_count(); ++c) {
    const CellShape shape = mesh.shape(c);
    if (dimension_of(shape) != 2) continue;
    std::array<Index, 5> one{-1, -1, -1, -1, c};
    const auto corners = mesh.nodes(c).first(static_cast<std::size_t>(corners_of(shape)));
    std::copy(corners.begin(), corners.end(), one.begin());
    std::sort(one.begin(), one.begin() + 4);
    Index distinct = 0;
    for (std::size_t k = 0; k < 4; ++k) distinct += one[k] >= 0 && (k == 0 || one[k] != one[k - 1]) ? 1 : 0;
    if (distinct < 3) {
      ++collapses;
      out[static_cast<std::size_t>(c)] = 1;
    } else if (order_of(shape) == 1) {
      all.push_back(one);
    }
  }
  std::sort(all.begin(), all.end());
  std::vector<std::vector<std::size_t>> groups;  // of each cell; most surfaces have no copies and need none
  for (std::size_t k = 1, first = 0; k < all.size(); ++k) {
    if (!std::equal(all[k].begin(), all[k].begin() + 4, all[first].begin())) {
      first = k;
      continue;
    }
    if (groups.empty()) {
      groups.resize(static_cast<std::size_t>(mesh.cell_count()));
      for (std::size_t g = 0; g < mesh.groups().size(); ++g)
        for (const Index c : mesh.groups()[g].cells) groups[static_cast<std::size_t>(c)].push_back(g);
    }
    const auto& kept = groups[static_cast<std::size_t>(all[first][4])];
    const auto& own = groups[static_cast<std::size_t>(all[k][4])];
    if (!std::includes(kept.begin(), kept.end(), own.begin(), own.end())) continue;
    ++copies;
    out[static_cast<std::size_t>(all[k][4])] = 1;
  }
  if (collapses + copies == 0 || collapses + copies == mesh.cell_count()) return;
  std::vector<Index> kept;
  for (Index c = 0; c < mesh.cell_count(); ++c)
    if (out[static_cast<std::size_t>(c)] == 0) kept.push_back(c);
  report.dropped_cells += collapses + copies;
  std::string what;
  if (collapses > 0) what = counted(collapses, "cell") + " without area";
  if (copies > 0)
    what += (collapses > 0 ? " and " : "") +
            (copies == 1 ? std::string("a copy of another") : fmt::format("{} copies of others", copies));
  report.said.push_back(what + (collapses + copies == 1 ? " was left out" : " were left out"));
  mesh = mesh.extract(kept);
}

// ---- holes ----

/// Rims as rows of points, each run as the cells beside it run. A rim that touches itself in a point is cut there.
std::vector<std::vector<Index>> rims_of(const Mesh& mesh) {
  std::map<std::pair<Index, Index>, int> uses;
  std::vector<std::pair<Index, Index>> sides;
  for (Index c = 0; c < mesh.cell_count(); ++c) {
    if (dimension_of(mesh.shape(c)) != 2) continue;
    const auto n = mesh.nodes(c);
    for (const EdgeNodes& e : edges_of(mesh.shape(c))) {
      const Index a = n[static_cast<std::size_t>(e.a)], b = n[static_cast<std::size_t>(e.b)];
      if (a == b) continue;
      ++uses[{std::min(a, b), std::max(a, b)}];
      sides.emplace_back(a, b);
    }
  }
  std::multimap<Index, Index> next;
  for (const auto& [a, b] : sides)
    if (uses[{std::min(a, b), std::max(a, b)}] == 1) next.emplace(a, b);
  std::vector<std::vector<Index>> out;
  while (!next.empty()) {
    std::vector<Index> row{next.begin()->first};
    std::unordered_map<Index, std::size_t> place{{row.front(), 0}};
    for (;;) {
      const auto step = next.find(row.back());
      if (step == next.end()) break;  // sides that disagree: no way round
      const Index to = step->second;
      next.erase(step);
      if (const auto met = place.find(to); met != place.end()) {
        out.emplace_back(row.begin() + static_cast<std::ptrdiff_t>(met->second), row.end());
        for (std::size_t k = met->second + 1; k < row.size(); ++k) place.erase(row[k]);
        row.resize(met->second + 1);
        if (next.find(row.back()) == next.end()) break;
        continue;
      }
      place[to] = row.size();
      row.push_back(to);
    }
  }
  return out;
}

Status fill(Mesh& mesh, RepairReport& report) {
  if (mesh.dimension() != 2)
    return make_error(ErrorCode::invalid_input, "holes are filled in surfaces; this mesh has none",
                      "Give a surface mesh.");
  for (const CellShape s : mesh.shapes())
    if (dimension_of(s) == 2 && order_of(s) == 2)
      return make_error(ErrorCode::invalid_input, "holes are filled in meshes of order 1; this one has curved cells",
                        "Convert it first: --convert FILE.stl writes its triangles.");
  const auto rims = rims_of(mesh);
  std::vector<Index> made;
  for (const auto& rim : rims) {
    if (rim.size() < 3) continue;
    // Against the rim: neighbours run along their common edge in opposite directions.
    std::vector<Index> loop(rim.rbegin(), rim.rend());
    std::vector<Vec3> corners;
    for (const Index i : loop) corners.push_back(mesh.point(i));
    ++report.filled_holes;
    for (const auto& t : triangulate(corners))
      made.push_back(mesh.add_cell(CellShape::triangle3,
                                   {loop[static_cast<std::size_t>(t[0])], loop[static_cast<std::size_t>(t[1])],
                                    loop[static_cast<std::size_t>(t[2])]}));
  }
  report.filling_cells = static_cast<Index>(made.size());
  if (report.filled_holes == 0) {
    report.said.push_back("no holes were found");
    return {};
  }
  const bool grouped = !mesh.groups().empty();
  if (grouped) mesh.add_group("filled", 2).cells = std::move(made);
  report.said.push_back(fmt::format(
      "{} filled with {}{}", counted(report.filled_holes, "hole") + (report.filled_holes == 1 ? " was" : " were"),
      counted(report.filling_cells, "triangle"), grouped ? ", the group 'filled'" : ""));
  return {};
}

// ---- normals ----

void turn_all(Mesh& mesh) {
  auto& connectivity = mesh.mutable_connectivity();
  for (Index c = 0; c < mesh.cell_count(); ++c) {
    if (dimension_of(mesh.shape(c)) != 2) continue;
    const auto order = turned_order(mesh.shape(c));
    const auto first = static_cast<std::size_t>(mesh.offsets()[static_cast<std::size_t>(c)]);
    const auto count = static_cast<std::size_t>(nodes_of(mesh.shape(c)));
    const std::vector<Index> nodes(connectivity.begin() + static_cast<std::ptrdiff_t>(first),
                                   connectivity.begin() + static_cast<std::ptrdiff_t>(first + count));
    for (std::size_t i = 0; i < count; ++i) connectivity[first + i] = nodes[static_cast<std::size_t>(order[i])];
  }
}

Index differing_cells(const Mesh& a, const Mesh& b) {
  Index count = 0;
  for (Index c = 0; c < a.cell_count(); ++c)
    count += std::equal(a.nodes(c).begin(), a.nodes(c).end(), b.nodes(c).begin()) ? 0 : 1;
  return count;
}

Status orient(Mesh& mesh, const RepairOptions& o, RepairReport& report) {
  if (o.orient == Orient::keep) return {};
  const bool automatic = o.orient == Orient::automatic;
  if (mesh.dimension() != 2) {
    if (automatic) return {};
    return make_error(ErrorCode::invalid_input, "normals are turned on surfaces; this mesh is none",
                      "Give a surface mesh.");
  }
  Mesh out = mesh;
  const OrientationChange change = orient_outward(out);
  if (!change.orientable) {
    if (automatic) return {};  // the solver says what is wrong
    return make_error(ErrorCode::invalid_input,
                      "the normals cannot be made consistent: the surface has one side only, or edges of three cells",
                      "`conoid mesh FILE` lists such edges; remove inner walls in the program that made the surface.");
  }
  if (o.orient == Orient::inward) turn_all(out);
  report.turned_cells = differing_cells(mesh, out);
  if (report.turned_cells == 0) {
    if (!automatic) report.said.push_back("no normals had to be turned");
    return {};
  }
  const Index all =
      std::count_if(mesh.shapes().begin(), mesh.shapes().end(), [](CellShape s) { return dimension_of(s) == 2; });
  const bool open_only = change.open_components == change.components;
  report.said.push_back(
      fmt::format("the normals of {} of {} cells were turned {}{}", report.turned_cells, all,
                  open_only                    ? "to the side of the others"
                  : o.orient == Orient::inward ? "inwards"
                  : change.cavities > 0        ? "out of the bodies, in cavities into the hollow"
                                               : "outwards",
                  !open_only && change.open_components > 0
                      ? fmt::format(" (those of {} to one side)", counted(change.open_components, "open piece"))
                      : ""));
  mesh = std::move(out);
  return {};
}

}  // namespace

std::optional<Orient> orientation_named(std::string_view name) {
  if (name == "auto") return Orient::automatic;
  if (name == "keep") return Orient::keep;
  if (name == "outward") return Orient::outward;
  if (name == "inward") return Orient::inward;
  return std::nullopt;
}

double merge_tolerance(const Mesh& mesh) {
  const auto [low, high] = mesh.bounds();
  const double diagonal = vec::distance(low, high);
  double shortest = std::numeric_limits<double>::infinity();
  for (Index c = 0; c < mesh.cell_count(); ++c) {
    const auto n = mesh.nodes(c);
    for (const EdgeNodes& e : edges_of(mesh.shape(c))) {
      const double length =
          vec::distance(mesh.point(n[static_cast<std::size_t>(e.a)]), mesh.point(n[static_cast<std::size_t>(e.b)]));
      if (length > 1e-9 * diagonal) shortest = std::min(shortest, length);
    }
  }
  return std::min(1e-6 * diagonal, 0.01 * shortest);
}

Result<Mesh> repaired(const Mesh& mesh, const RepairOptions& options, RepairReport* report) {
  RepairReport own;
  RepairReport& r = report != nullptr ? *report : own;
  r = {};
  Mesh out = mesh;
  if (const Status s = place(out, options, r); !s) return s.error();
  if (const Status s = merge(out, options, r); !s) return s.error();
  if (options.merge != Merge::none) leave_out(out, r);
  if (options.fill_holes)
    if (const Status s = fill(out, r); !s) return s.error();
  if (const Status s = orient(out, options, r); !s) return s.error();
  if (options.flip) {
    turn_all(out);
    r.said.push_back("every surface cell was turned round");
  }
  return out;
}

}  // namespace conoid
