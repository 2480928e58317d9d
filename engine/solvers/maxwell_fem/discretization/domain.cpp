// SPDX-License-Identifier: BSD-3-Clause
// From groups of a mesh to S, S' and conductors.
#include "engine/solvers/maxwell_fem/discretization/domain.hpp"

#include "engine/core/vec3.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/core.h>

namespace conoid::maxwell_fem {

using namespace conoid::vec;

namespace {

constexpr int no_role = -1;

struct Builder {
  const Mesh& mesh;
  const DomainOptions& options;
  Domain domain;
  std::vector<Boundary> kinds;  ///< in the order of the options
  std::vector<std::string> names;
  std::vector<int> role;      ///< of each face: index in kinds, or no_role
  std::vector<bool> outside;  ///< of each tetrahedron: between S' and S

  [[nodiscard]] bool is(Index face, BoundaryKind kind) const {
    return role[face] != no_role && kinds[role[face]].kind == kind;
  }
  /// A conductor or a resistive sheet without thickness: elements on both sides.
  [[nodiscard]] bool is_sheet(Index face) const {
    return !one_sided(face) && (is(face, BoundaryKind::pec) || is(face, BoundaryKind::impedance));
  }
  [[nodiscard]] bool one_sided(Index face) const { return domain.space.sides(face).tet[1] < 0; }

  Status sort_tets() {
    Space& space = domain.space;
    std::vector<int> region_of_cell(static_cast<std::size_t>(mesh.cell_count()), 0);
    std::vector<bool> named(region_of_cell.size(), false);
    for (const auto& [name, material] : options.regions) {
      const MeshGroup* group = nullptr;
      for (const MeshGroup& g : mesh.groups())
        if (g.name == name && g.dimension == 3) group = &g;
      if (group == nullptr)
        return make_error(ErrorCode::invalid_input, fmt::format("the mesh has no volume group '{}'", name),
                          "It has " + list_groups(mesh) + ".");
      for (Index c : group->cells) {
        if (named[c] && region_of_cell[c] != material)
          return make_error(
              ErrorCode::invalid_input,
              fmt::format("cell {} of the region '{}' is in another region of another material, too", c, name),
              "Let each volume be in one of the groups under /regions.");
        named[c] = true;
        region_of_cell[c] = material;
      }
    }
    for (Tet& t : space.tets()) t.region = region_of_cell[t.cell];
    return {};
  }

  Status sort_faces() {
    Space& space = domain.space;
    role.assign(static_cast<std::size_t>(space.face_count()), no_role);
    for (const auto& [name, boundary] : options.boundaries) {
      const MeshGroup* group = nullptr;
      for (const MeshGroup& g : mesh.groups())
        if (g.name == name && g.dimension == 2) group = &g;
      if (group == nullptr || group->cells.empty())
        return make_error(ErrorCode::invalid_input, fmt::format("the mesh has no surface group '{}' with faces", name),
                          "It has " + list_groups(mesh) + ".");
      kinds.push_back(boundary);
      names.push_back(name);
      for (Index c : group->cells) {
        const auto n = mesh.nodes(c);
        const Index face = n.size() == 3 || n.size() == 6 ? space.find_face({n[0], n[1], n[2]}) : -1;
        if (face < 0)
          return make_error(ErrorCode::invalid_input,
                            fmt::format("cell {} of the group '{}' is not a face of any tetrahedron", c, name),
                            "Make the surface a part of the volume's boundary before meshing.");
        // S' may be said to lie on a conductor.
        const BoundaryKind kind = boundary.kind;
        const auto goes_with = [this, face, kind](BoundaryKind a, BoundaryKind b) { return is(face, a) && kind == b; };
        if (role[face] != no_role && names[role[face]] != name && !goes_with(BoundaryKind::pec, BoundaryKind::pec) &&
            !goes_with(BoundaryKind::pec, BoundaryKind::currents) &&
            !goes_with(BoundaryKind::currents, BoundaryKind::pec)) {
          const Vec3 x = mesh.point(n[0]);
          return make_error(
              ErrorCode::invalid_input,
              fmt::format("a face near ({:.4g}, {:.4g}, {:.4g}) m is in two groups with conditions, '{}' and '{}'",
                          x[0], x[1], x[2], names[role[face]], name),
              "Let each face be in one of the groups under /boundaries.");
        }
        role[face] = static_cast<int>(kinds.size()) - 1;
      }
    }
    for (Index f = 0; f < space.face_count(); ++f) {
      if (!one_sided(f)) {
        if (is(f, BoundaryKind::outer))
          return make_error(ErrorCode::invalid_input,
                            fmt::format("S, the group '{}', lies inside the mesh: tetrahedra on both sides of a face",
                                        names[role[f]]),
                            "S must be the outermost surface.");
        if (is(f, BoundaryKind::pmc))
          return make_error(
              ErrorCode::invalid_input,
              fmt::format("the group '{}' is a magnetic wall without thickness: elements on both sides of a face",
                          names[role[f]]),
              "Only conductors (pec) and resistive sheets (impedance) may be thin; cut the volume out of the mesh "
              "behind a magnetic wall.");
        continue;
      }
      if (role[f] == no_role || is(f, BoundaryKind::currents)) {
        if (role[f] == no_role && !options.ungrouped_is_pec) {
          const auto& t = space.tets()[space.sides(f).tet[0]];
          const Vec3 x = mesh.point(t.points[local_faces[space.sides(f).local[0]][0]]);
          return make_error(
              ErrorCode::invalid_input,
              fmt::format(
                  "faces at the rim of the mesh have no boundary condition, one of them at ({:.4g}, {:.4g}, {:.4g}) m",
                  x[0], x[1], x[2]),
              "Name every outer and inner surface under /boundaries: pec, pmc, impedance or outer.");
        }
        if (role[f] == no_role) {
          if (names.empty() || names.back() != "") {
            kinds.push_back({BoundaryKind::pec, 0});
            names.emplace_back();
          }
          role[f] = static_cast<int>(kinds.size()) - 1;
        }
      }
    }
    return {};
  }

  std::vector<PatchFace> collect(int wanted) const {
    std::vector<PatchFace> out;
    for (Index f = 0; f < domain.space.face_count(); ++f)
      if (role[f] == wanted) {
        const auto& s = domain.space.sides(f);
        out.push_back({s.tet[0], s.local[0], false});
        if (is_sheet(f) && kinds[wanted].kind == BoundaryKind::pec) out.push_back({s.tet[1], s.local[1], false});
      }
    return out;
  }
  std::vector<PatchFace> collect(BoundaryKind kind) const {
    std::vector<PatchFace> out;
    for (std::size_t r = 0; r < kinds.size(); ++r)
      if (kinds[r].kind == kind) {
        const auto more = collect(static_cast<int>(r));
        out.insert(out.end(), more.begin(), more.end());
      }
    return out;
  }

  /// Every edge of a closed surface belongs to an even number of its faces.
  Status closed(const Patch& patch, std::string_view what) const {
    std::vector<std::array<Index, 2>> edges;
    for (Index f = 0; f < patch.faces(); ++f) {
      auto c = patch.corners(domain.space, f);
      for (int k = 0; k < 3; ++k) edges.push_back({std::min(c[k], c[(k + 1) % 3]), std::max(c[k], c[(k + 1) % 3])});
    }
    std::sort(edges.begin(), edges.end());
    for (std::size_t k = 0; k < edges.size();) {
      std::size_t end = k;
      while (end < edges.size() && edges[end] == edges[k]) ++end;
      if ((end - k) % 2 != 0) {
        const Vec3 x = mesh.point(edges[k][0]);
        return make_error(ErrorCode::invalid_input,
                          fmt::format("{} is open: it has a rim at ({:.4g}, {:.4g}, {:.4g}) m", what, x[0], x[1], x[2]),
                          "Close the surface; all its faces must be in the group.");
      }
      k = end;
    }
    return {};
  }

  /// Tetrahedra that can be reached from S without passing a face of `wall`.
  void flood(const std::vector<bool>& wall) {
    const Space& space = domain.space;
    outside.assign(space.tets().size(), false);
    std::vector<Index> stack;
    for (Index f = 0; f < domain.outer.faces(); ++f) stack.push_back(domain.outer.face(f).tet);
    while (!stack.empty()) {
      const Index t = stack.back();
      stack.pop_back();
      if (outside[t]) continue;
      outside[t] = true;
      for (int k = 0; k < 4; ++k) {
        const Index face = space.face_of(t, k);
        if (wall[face]) continue;
        for (Index n : space.sides(face).tet)
          if (n >= 0 && !outside[n]) stack.push_back(n);
      }
    }
  }

  /// S' around `inner` tetrahedra: faces between them and the rest, and conductors at tetrahedra of the rest.
  std::vector<bool> wall_around(const std::vector<bool>& inner) const {
    const Space& space = domain.space;
    std::vector<bool> wall(static_cast<std::size_t>(space.face_count()), false);
    for (Index f = 0; f < space.face_count(); ++f) {
      const auto& s = space.sides(f);
      if (s.tet[1] < 0)
        wall[f] = !is(f, BoundaryKind::outer) && !inner[s.tet[0]];
      else
        wall[f] = inner[s.tet[0]] != inner[s.tet[1]];
    }
    return wall;
  }

  [[nodiscard]] bool touches_outer(const std::vector<bool>& wall) const {
    std::vector<bool> at_outer(static_cast<std::size_t>(mesh.point_count()), false);
    for (Index f = 0; f < domain.outer.faces(); ++f)
      for (Index p : domain.outer.corners(domain.space, f)) at_outer[p] = true;
    for (Index f = 0; f < domain.space.face_count(); ++f) {
      if (!wall[f]) continue;
      const auto& s = domain.space.sides(f);
      for (int k : local_faces[s.local[0]])
        if (at_outer[domain.space.tets()[s.tet[0]].points[k]]) return true;
    }
    return false;
  }

  /// Sheets lie inside of S': the elements that touch them belong to the body. Whether there are any.
  bool add_tets_at_sheets(std::vector<bool>& inner) const {
    const Space& space = domain.space;
    std::vector<bool> on_sheet(static_cast<std::size_t>(mesh.point_count()), false);
    bool any = false;
    for (Index f = 0; f < space.face_count(); ++f) {
      if (!is_sheet(f)) continue;
      any = true;
      const auto& s = space.sides(f);
      for (int k : local_faces[s.local[0]]) on_sheet[space.tets()[s.tet[0]].points[k]] = true;
    }
    for (std::size_t t = 0; any && t < inner.size(); ++t)
      for (int k = 0; k < 4; ++k)
        if (on_sheet[space.tets()[t].points[k]]) inner[t] = true;
    return any;
  }

  Status find_currents() {
    const Space& space = domain.space;
    const auto touches = [] {
      return make_error(
          ErrorCode::invalid_input, "S touches the body",
          "Leave a layer of vacuum between the body and S: 0.1 to 0.2 wavelengths, half of the body's size if that "
          "is less, and two rows of elements.");
    };
    for (Index f = 0; f < domain.outer.faces(); ++f)
      if (space.tets()[domain.outer.face(f).tet].region != 0) return touches();
    std::vector<bool> wall(static_cast<std::size_t>(space.face_count()), false);
    bool named = false;
    for (Index f = 0; f < space.face_count(); ++f)
      if (is(f, BoundaryKind::currents)) wall[f] = named = true;
    if (!named) {
      std::vector<bool> inner(space.tets().size(), false);
      for (std::size_t t = 0; t < inner.size(); ++t) inner[t] = space.tets()[t].region != 0;
      const bool sheets = add_tets_at_sheets(inner);
      wall = wall_around(inner);
      if (std::none_of(wall.begin(), wall.end(), [](bool b) { return b; }))
        return make_error(ErrorCode::invalid_input,
                          "there is no body: the domain is vacuum up to S without a conductor",
                          "Give a region a material or a surface a boundary condition.");
      if (touches_outer(wall)) return touches();
      for (int layer = sheets ? 1 : 0; layer < options.layers_off; ++layer) {
        std::vector<bool> near(static_cast<std::size_t>(mesh.point_count()), false);
        for (Index f = 0; f < space.face_count(); ++f)
          if (wall[f])
            for (int k : local_faces[space.sides(f).local[0]])
              near[space.tets()[space.sides(f).tet[0]].points[k]] = true;
        std::vector<bool> more = inner;
        for (std::size_t t = 0; t < inner.size(); ++t)
          for (int k = 0; k < 4; ++k)
            if (near[space.tets()[t].points[k]]) more[t] = true;
        const auto next = wall_around(more);
        // Too thin a layer: S' would meet S, or every tetrahedron already touches the body.
        if (touches_outer(next) || std::none_of(next.begin(), next.end(), [](bool b) { return b; })) break;
        inner = std::move(more);
        wall = next;
      }
    }
    flood(wall);
    std::vector<PatchFace> faces;
    domain.currents_on_conductor = true;
    for (Index f = 0; f < space.face_count(); ++f) {
      if (!wall[f]) continue;
      const auto& s = space.sides(f);
      int side = -1;
      for (int k = 0; k < 2; ++k)
        if (s.tet[k] >= 0 && outside[s.tet[k]]) side = side < 0 ? k : 2;
      if (side == 2)
        return make_error(ErrorCode::invalid_input,
                          "S' does not enclose the body: both sides of it can be reached from S",
                          "The group of S' must be closed and lie between the body and S.");
      if (side < 0) continue;  // a cavity inside the body
      faces.push_back({s.tet[side], s.local[side], true});
      if (!is(f, BoundaryKind::pec) && !(one_sided(f) && is(f, BoundaryKind::currents)))
        domain.currents_on_conductor = false;
    }
    if (faces.empty()) return make_error(ErrorCode::invalid_input, "S' has no face that can be reached from S");
    for (Index f = 0; f < space.face_count(); ++f)
      if (is_sheet(f) && outside[space.sides(f).tet[0]])
        return make_error(
            ErrorCode::invalid_input, fmt::format("the sheet '{}' lies between S' and S", names[role[f]]),
            "S' must enclose all sheets with a row of elements between; leave the group of S' out to have it placed.");
    for (std::size_t t = 0; t < outside.size(); ++t)
      if (outside[t] && space.tets()[t].region != 0)
        return make_error(
            ErrorCode::invalid_input,
            fmt::format("cell {} between S' and S holds a material; there must be vacuum", space.tets()[t].cell),
            "Put S' around all materials, or remove the material from the layer.");
    for (Index f = 0; f < space.face_count(); ++f)
      if (!wall[f] && one_sided(f) && !is(f, BoundaryKind::outer) && outside[space.sides(f).tet[0]])
        return make_error(ErrorCode::invalid_input, "a conductor lies between S' and S",
                          "S' must enclose the whole body.");
    domain.currents = Patch(space, std::move(faces));
    if (touches_outer(wall))
      return make_error(ErrorCode::invalid_input, "S touches S'", "Leave a layer of vacuum between the two surfaces.");
    return {};
  }

  void number_unknowns() {
    const Space& space = domain.space;
    domain.free_number.assign(static_cast<std::size_t>(space.unknowns()), 0);
    for (Index f = 0; f < space.face_count(); ++f) {
      // S' on the rim of the mesh stands for the metal itself.
      if (!is(f, BoundaryKind::pec) && !(one_sided(f) && is(f, BoundaryKind::currents))) continue;
      const auto& s = space.sides(f);
      const auto all = space.unknowns_of_tet(s.tet[0]);
      const FaceUnknowns on = face_unknowns(space.order(), s.local[0]);
      for (int k = 0; k < on.count; ++k) domain.free_number[all[on.local[k]]] = -1;
    }
    domain.free_unknowns = 0;
    for (Index& n : domain.free_number)
      if (n == 0) n = domain.free_unknowns++;
  }
};

}  // namespace

Result<Domain> make_domain(const Mesh& mesh, const DomainOptions& options, const Stopped& stopped) {
  Builder b{mesh, options, {}, {}, {}, {}, {}};
  auto space = Space::make(mesh, options.order, stopped);
  if (!space) return space.error();
  b.domain.space = std::move(*space);
  if (Status s = b.sort_tets(); !s) return s.error();
  if (Status s = b.sort_faces(); !s) return s.error();
  if (stopped_at(stopped, 0)) return stop_error();
  Domain& d = b.domain;
  d.outer = Patch(d.space, b.collect(BoundaryKind::outer));
  if (d.outer.faces() == 0)
    return make_error(ErrorCode::invalid_input, "no surface is S: no boundary has the kind \"outer\"",
                      "Name the group of the outermost surface under /boundaries with kind \"outer\"; the mesh has " +
                          list_groups(mesh) + ".");
  if (Status s = b.closed(d.outer, "S"); !s) return s.error();
  if (stopped_at(stopped, 0)) return stop_error();
  if (Status s = b.find_currents(); !s) return s.error();
  if (stopped_at(stopped, 0)) return stop_error();
  if (Status s = b.closed(d.currents, "S'"); !s) return s.error();
  auto metal = b.collect(BoundaryKind::pec);
  for (Index f = 0; f < d.space.face_count(); ++f)
    if (b.is(f, BoundaryKind::currents) && b.one_sided(f))
      metal.push_back({d.space.sides(f).tet[0], d.space.sides(f).local[0], false});
  d.conductor = Patch(d.space, std::move(metal));
  d.magnetic = Patch(d.space, b.collect(BoundaryKind::pmc));
  for (std::size_t r = 0; r < b.kinds.size(); ++r)
    if (b.kinds[r].kind == BoundaryKind::impedance)
      d.impedances.push_back(
          {Patch(d.space, b.collect(static_cast<int>(r))), b.kinds[r].surface_impedance, b.kinds[r].law});
  b.number_unknowns();
  d.outside = std::move(b.outside);
  d.distance = std::numeric_limits<double>::max();
  // Faces of S between two looks: a hundred thousand pairs of faces or so.
  const Index some = face_points * std::max<Index>(1, 100000 / std::max<Index>(1, d.currents.faces()));
  for (Index p = 0; p < d.outer.size(); p += face_points) {
    if (stopped_at(stopped, p, some)) return stop_error();
    for (Index q = 0; q < d.currents.size(); q += face_points)
      d.distance = std::min(d.distance, distance(d.outer.point(p).x, d.currents.point(q).x));
  }
  for (Index t = 0; t < static_cast<Index>(d.space.tets().size()); ++t) {
    if (stopped_at(stopped, t)) return stop_error();
    d.volume_edge = std::max(d.volume_edge, d.space.longest_edge(t));
  }
  return std::move(b.domain);
}

}  // namespace conoid::maxwell_fem
