// SPDX-License-Identifier: BSD-3-Clause
// Distances, edges, bands, and the mesh that follows from them.
#include "engine/solvers/maxwell_fem/discretization/layout.hpp"

#include "engine/core/log.hpp"
#include "engine/core/vec3.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/mesh/gmsh.hpp"
#include "engine/mesh/quality.hpp"
#include "engine/mesh/topology.hpp"
#include "engine/solvers/maxwell_fem/discretization/pi.hpp"
#include "engine/solvers/maxwell_fem/mesh/conditions.hpp"
#include "engine/solvers/maxwell_fem/mesh/grading.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace conoid::maxwell_fem {

using namespace conoid::vec;

namespace {

constexpr double widest_band = 1.5;      ///< highest over lowest frequency of one mesh
constexpr double share_of_size = 0.8;    ///< S at 1.8 radii of a small ball
constexpr double thickest_row = 0.35;    ///< of the body's size: the static field falls with the cube of the distance
constexpr double longest_on_body = 0.4;  ///< wavelengths outside, beyond which triangles of the surface are cut
constexpr double longest_inside = 0.3;   ///< wavelengths in a filled body
constexpr double edge_beside = 0.45;     ///< wavelengths in a filled body, on S around it
constexpr double size_inside = 0.5;      ///< of that edge, asked of the mesher, whose edges are up to 2.3 times as long
constexpr double resonant = 3.5;  ///< k times size inside, beyond which waves go to and fro: finer by its cube root

double longest_wave(const Problem& s) {
  return light_speed / s.frequencies.front();
}
double shortest_wave(const Problem& s) {
  return light_speed / s.frequencies.back();
}

/// A solid without S is a body of which only the surface counts: what a STEP file becomes.
bool is_bare_solid(const Problem& s, const Mesh& mesh) {
  return mesh.dimension() == 3 && s.domain.regions.empty() &&
         std::none_of(s.domain.boundaries.begin(), s.domain.boundaries.end(), [](const auto& named) {
           return named.second.kind == BoundaryKind::outer || named.second.kind == BoundaryKind::currents;
         });
}

/// As bare_surface(), of any mesh of the case.
std::shared_ptr<const Mesh> surface_of(const Problem& s, std::shared_ptr<const Mesh> given) {
  if (is_bare_solid(s, *given)) return std::make_shared<const Mesh>(boundary_surface(*given));
  return given->dimension() < 3 ? given : nullptr;
}

/// Longest edge that the triangles of a body of this size may have.
double edge_on_body(const Problem& s, double size) {
  double edge = longest_on_body * shortest_wave(s);
  if (s.body_material > 0)
    if (const double n = refractive_index(s, s.body_material); n > 0) {
      edge = std::min(edge, longest_inside * shortest_wave(s) / n * shorter_inside(s, s.body_material, size));
    }
  return edge;
}

}  // namespace

std::shared_ptr<const Mesh> bare_surface(const Problem& s, std::shared_ptr<const Mesh> given) {
  if (s.sphere || !given) return nullptr;
  if (s.mesh.known) return s.mesh.skin ? s.mesh.skin : s.mesh.bare ? given : nullptr;
  return surface_of(s, std::move(given));
}

namespace {

/// Edges of conductors of a body around which the program meshes.
EdgesFound edges_of_body(const Problem& s, const Mesh& surface) {
  std::vector<bool> conductor(static_cast<std::size_t>(surface.cell_count()),
                              s.body_material == 0 && s.body.kind == BoundaryKind::pec);
  for (const auto& [name, boundary] : s.domain.boundaries)
    if (const MeshGroup* group = surface.group(name))
      for (const Index c : group->cells) conductor[c] = boundary.kind == BoundaryKind::pec;
  return edges_of_surface(surface, conductor, s.body_material > 0, s.edges);
}

}  // namespace

Status look_at_mesh(Problem& s, const std::shared_ptr<const Mesh>& given) {
  MeshFacts facts;
  if (given && !s.sphere) {
    const auto [low, high] = given->bounds();
    facts.radius = 0.5 * norm(sub(high, low));
    s.mesh = {};
    if (const auto surface = bare_surface(s, given)) {
      facts.bare = true;
      if (surface != given) facts.skin = surface;
      facts.body = measure_body(*surface);
      facts.edges = edges_of_body(s, *surface);
      facts.counts = count_surface(*surface, facts.edges.of_surface);
    } else {
      for (CellShape c : given->shapes()) facts.tets += dimension_of(c) == 3;
      for (const auto& [name, boundary] : s.domain.boundaries)
        if (const MeshGroup* group = given->group(name); group != nullptr && boundary.kind == BoundaryKind::outer)
          facts.outer_faces += static_cast<double>(group->cells.size());
      auto domain = make_domain(*given, s.domain);
      if (!domain) return domain.error();
      log::debug("maxwell-fem: spaces were made of the mesh as it was given");
      facts.domain = std::make_shared<Domain>(std::move(*domain));
      if (const auto edges = find_edges(*given, s.domain, s.edges)) facts.edges = *edges;
    }
  }
  facts.known = true;
  s.mesh = std::move(facts);
  return {};
}

Problem in_band(const Problem& s, const Band& band) {
  Problem out = s;
  out.frequencies.assign(s.frequencies.begin() + static_cast<std::ptrdiff_t>(band.first),
                         s.frequencies.begin() + static_cast<std::ptrdiff_t>(band.last) + 1);
  return out;
}

std::vector<Band> bands_of(const Problem& s) {
  const std::size_t count = s.frequencies.size();
  // What is interpolated must have one mesh.
  if (count == 0 || s.fast || (!s.sphere && !s.mesh.bare)) return {{0, count == 0 ? 0 : count - 1}};
  const auto layout = [&](std::size_t first, std::size_t last) {
    const Problem part = in_band(s, {first, last});
    if (s.mesh.bare) return layout_around(part, s.mesh.body);
    Layout out;  // divisions and rows of a sphere are the case's
    out.layer.distance = sphere_distance(part);
    return out;
  };
  std::vector<Band> out{{0, 0}};
  for (std::size_t f = 1; f < count; ++f) {
    Band& band = out.back();
    if (s.frequencies[f] <= widest_band * s.frequencies[band.first] ||
        (layout(band.first, f) == layout(f, f) && layout(band.first, f) == layout(band.first, band.first)))
      band.last = f;
    else
      out.push_back({f, f});
  }
  return out;
}

double refractive_index(const Problem& s, int material) {
  double out = 0;
  // Dispersion laws are smooth between the frequencies that are computed.
  for (double f : s.frequencies) {
    const Medium m = s.laws[static_cast<std::size_t>(material)](f);
    for (int electric = 0; electric < 3; ++electric)
      for (int magnetic = 0; magnetic < 3; ++magnetic) {
        if (electric == magnetic) continue;
        const Complex n = std::sqrt(m.epsilon[electric] * m.mu[magnetic]);
        if (std::abs(n) > 50 && std::abs(n.imag()) > 0.3 * std::abs(n)) continue;
        out = std::max(out, std::abs(n));
      }
  }
  return out;
}

double shorter_inside(const Problem& s, int material, double size) {
  const double n = refractive_index(s, material);
  return n > 0 ? std::min(1.0, std::cbrt(resonant * shortest_wave(s) / (n * 2 * pi * size))) : 1;
}

Layout layout_around(const Problem& s, const BodyMeasure& body) {
  const double shortest = shortest_wave(s);
  Layout out;
  SurroundOptions& o = out.layer;
  o.distance = std::min(s.distance * longest_wave(s), share_of_size * body.size);
  // S of a body that is small against the wavelength must still look round.
  o.edge = std::min(0.25 * shortest, 0.4 * (body.size + o.distance));
  o.filled = s.body_material > 0;
  if (o.filled) {
    o.inside = size_inside * edge_on_body(s, body.size);
    // The fields beside a body that rings vary as those inside it do.
    if (const double n = refractive_index(s, s.body_material); n > 0)
      o.edge = std::min(o.edge, edge_beside * shortest / n);
  }
  const double row = std::min(0.1 * shortest, thickest_row * body.size);
  o.layers = s.layers > 0 ? s.layers : std::clamp(static_cast<int>(std::ceil(o.distance / row - 0.01)), 1, 20);
  out.parts = std::max(1, static_cast<int>(std::ceil(body.edge / edge_on_body(s, body.size) - 0.01)));
  return out;
}

double sphere_distance(const Problem& s) {
  return std::min(s.distance * longest_wave(s), share_of_size * (s.sphere->radius + s.sphere->coat));
}

SphereEdges sphere_edges(const Problem& s) {
  const SphereSetting& p = *s.sphere;
  const double coated = p.radius + p.coat, outer = coated + sphere_distance(s);
  const auto with_height = [](double across, double height) { return std::hypot(across, height); };
  SphereEdges out;
  // Longest chord on the unit sphere: an edge of an icosahedron (63.4 degrees) or of a cube's face (90 degrees) in equal parts;
  // the middle parts of projected triangles are longer by a sixth, diagonals of squares by √2.
  const double chord = p.core_material > 0 ? 2 * std::sin(pi / 4 / p.divisions) * std::sqrt(2.0)
                                           : std::min(1.0515, 2 * std::sin(0.5536 / p.divisions) * 1.16);
  out.vacuum = with_height(chord * outer, (outer - coated) / p.layers);
  if (p.coat > 0) out.coat = with_height(chord * coated, p.coat / p.coat_layers);
  if (p.core_material > 0)
    out.core = std::max(with_height(chord * p.radius, 0.6 * p.radius / std::max(1.0, std::round(0.65 * p.divisions))),
                        0.8 * p.radius / p.divisions * std::sqrt(3.0));
  return out;
}

namespace {

/// Tetrahedra that surround() makes, and graded() of them. Inside, a ball of N triangles would hold 0.227 N^1.5 regular tetrahedra of their edge,
/// and holds about as many of the mesher's; layers around sheets there are as many as outside.
double tets_around(const Problem& s, const BodyMeasure& body) {
  const Layout layout = layout_around(s, body);
  const SurroundOptions& o = layout.layer;
  const double parts = !s.geometry ? layout.parts : std::max(1.0, body.edge / edge_on_body(s, body.size)),
               cells = body.cells * parts * parts;
  const double inside = o.filled ? 0.25 * cells * std::sqrt(cells) : 0;
  return expected_around(s.mesh.counts, o, parts) + inside +
         (o.filled ? 2 : 1) * expected_in_layers(s.mesh.counts, o, parts, s.mesh.edges.layers);
}

}  // namespace

double expected_tets(const Problem& s) {
  if (s.mesh.bare) return tets_around(s, s.mesh.body);
  double tets = s.mesh.tets + s.mesh.edges.added_tets;
  if (s.sphere) {
    const auto& p = *s.sphere;
    const double surface = p.core_material > 0 ? 12.0 * p.divisions * p.divisions : 20.0 * p.divisions * p.divisions;
    tets = 3 * surface * (p.layers + (p.coat > 0 ? p.coat_layers : 0));
    if (p.core_material > 0)
      tets += 6 * std::pow(p.divisions, 3) + 3 * surface * std::max(1.0, std::round(0.65 * p.divisions));
  }
  return tets;
}

namespace {

Result<std::shared_ptr<const Mesh>> sphere_to_solve(Problem& s) {
  const SphereSetting& p = *s.sphere;
  ShellsOptions o;
  o.radius = p.radius;
  o.hollow = p.core_material == 0;
  o.divisions = p.divisions;
  o.curved = p.curved;
  double r = p.radius;
  if (p.coat > 0) o.shells.push_back({r += p.coat, p.coat_layers, "coat"});
  o.shells.push_back({r + sphere_distance(s), p.layers, "vacuum"});
  o.currents_level = (p.coat > 0 ? p.coat_layers : 0) +
                     (p.layers > 1 && s.domain.layers_off > 0 ? std::min(s.domain.layers_off, p.layers - 1) : 0);
  auto mesh = spherical_shells(o);
  if (!mesh) return mesh.error();
  s.domain.boundaries["outer"] = {BoundaryKind::outer, 0};
  if (o.hollow) s.domain.boundaries["body"] = s.body;
  if (mesh->group("currents") != nullptr) s.domain.boundaries["currents"] = {BoundaryKind::currents, 0};
  s.domain.layers_off = 0;
  if (p.core_material > 0) s.domain.regions["core"] = p.core_material;
  if (p.coat > 0) s.domain.regions["coat"] = p.coat_material;
  return std::make_shared<const Mesh>(std::move(*mesh));
}

bool is_quadratic(const Mesh& mesh) {
  return std::any_of(mesh.shapes().begin(), mesh.shapes().end(),
                     [](CellShape c) { return dimension_of(c) >= 2 && order_of(c) == 2; });
}

/// The geometry meshed again: with middles of edges on it, and finer by `factor`.
Result<std::shared_ptr<const Mesh>> from_geometry(const Problem& s, double factor, const std::stop_token& stop) {
  MeshRequest request = *s.geometry;
  request.gmsh.order = 2;
  if (factor < 1) request.gmsh.numbers["Mesh.MeshSizeFactor"] = factor;
  auto made = prepare_mesh(request, stop);
  if (!made) return made.error();
  return std::make_shared<const Mesh>(std::move(made->mesh));
}

/// The body's surface, curved where its geometry is known, with edges as short as the wave asks for.
Result<std::shared_ptr<const Mesh>> body_to_solve(const Problem& s, std::shared_ptr<const Mesh> surface,
                                                  const std::stop_token& stop) {
  BodyMeasure body = s.mesh.known ? s.mesh.body : measure_body(*surface);
  const double wanted = edge_on_body(s, body.size);
  if (s.geometry) {
    double factor = std::min(1.0, wanted / body.edge);
    for (int attempt = 0; attempt < 4; ++attempt) {
      auto finer = from_geometry(s, factor, stop);
      if (!finer) return finer.error();
      surface = surface_of(s, *finer);
      body = measure_body(*surface);
      if (body.edge <= 1.05 * wanted) break;
      factor *= 0.95 * wanted / body.edge;
    }
  }
  const int parts = layout_around(s, body).parts;
  if (parts < 2 || (s.geometry && body.edge < 1.3 * wanted)) return surface;
  auto finer = subdivided(*surface, parts);
  if (!finer) return finer.error();
  return std::make_shared<const Mesh>(std::move(*finer));
}

/// Groups of the body's surface with conditions of their own; the rest of it is what the body is.
Status condition_groups(Problem& s, Mesh& mesh, const Mesh& body) {
  std::vector<std::string> names;
  std::map<std::string, Boundary> conditions;
  for (const auto& [name, boundary] : s.domain.boundaries) {
    names.push_back(name);
    conditions[name_on_body(name)] = boundary;
  }
  if (Status carried = carry_groups(mesh, body, names); !carried) return carried;
  if (const MeshGroup* rest = mesh.group("body"); s.body_material == 0 && rest != nullptr && !rest->cells.empty())
    conditions["body"] = s.body;
  s.domain.boundaries = std::move(conditions);
  return {};
}

/// The given mesh, curved where its geometry is known, or the layer around the given surface.
Result<std::shared_ptr<const Mesh>> mesh_with_layer(Problem& s, std::shared_ptr<const Mesh> given,
                                                    const std::stop_token& stop) {
  if (!given) return make_error(ErrorCode::invalid_input, "the case has no mesh");
  const auto surface = bare_surface(s, given);
  if (!surface) {
    if (!s.geometry || is_quadratic(*given)) return given;
    auto curved = from_geometry(s, 1, stop);
    if (!curved) return curved.error();
    Mesh out = **curved;
    say_what_was_straightened(straighten_folded(out));
    return std::make_shared<const Mesh>(std::move(out));
  }
  const auto body = body_to_solve(s, surface, stop);
  if (!body) return body.error();
  const SurroundOptions o = layout_around(s, measure_body(**body)).layer;
  auto mesh = surround(**body, o, stop);
  if (!mesh) return mesh.error();
  if (Status named = condition_groups(s, *mesh, **body); !named) return named.error();
  s.domain.boundaries["outer"] = {BoundaryKind::outer, 0};
  if (o.layers > 1) s.domain.boundaries["currents"] = {BoundaryKind::currents, 0};
  if (o.filled) s.domain.regions["inside"] = s.body_material;
  return std::make_shared<const Mesh>(std::move(*mesh));
}

/// A group for S' where it lies in this mesh, so that it does not follow elements that become thinner; false: it is the body itself, on
/// which currents would become singular. `known`: the domain of this mesh, if it was made.
Result<bool> keep_currents(Problem& s, Mesh& mesh, const Domain* known, const Stopped& stopped) {
  std::vector<std::array<Index, 3>> faces;
  const auto take = [&faces](const Domain& domain) {
    for (Index f = 0; f < domain.currents.faces(); ++f) {
      const PatchFace& face = domain.currents.face(f);
      if (domain.space.sides(domain.space.face_of(face.tet, face.local)).tet[1] < 0) return false;
      faces.push_back(domain.currents.corners(domain.space, f));
    }
    return true;
  };
  if (known != nullptr) {
    if (!take(*known)) return false;
  } else {
    const auto domain = make_domain(mesh, s.domain, stopped);
    if (!domain) return domain.error();
    if (!take(*domain)) return false;
  }
  for (const auto& [name, boundary] : s.domain.boundaries)
    if (boundary.kind == BoundaryKind::currents) return true;
  std::string name = "currents";
  while (mesh.group(name) != nullptr) name += "'";
  std::vector<Index> cells;
  for (const auto& f : faces) cells.push_back(mesh.add_cell(CellShape::triangle3, f));
  mesh.add_group(name, 2).cells = std::move(cells);
  s.domain.boundaries[name] = {BoundaryKind::currents, 0};
  return true;
}

/// Elements at rims and sharp edges of conductors cut into layers. What is wrong with a mesh make_domain() says afterwards.
Result<std::shared_ptr<const Mesh>> with_edges_graded(Problem& s, std::shared_ptr<const Mesh> mesh, bool as_given,
                                                      const std::stop_token& stop) {
  const Stopped stopped = [&stop] { return stop.stop_requested(); };
  const Domain* const known = as_given ? s.mesh.domain.get() : nullptr;
  const auto edges =
      known != nullptr ? Result<EdgesFound>(s.mesh.edges) : find_edges(*mesh, s.domain, s.edges, stopped);
  if (stop.stop_requested()) return stop_error();
  if (!edges || edges->count == 0) return mesh;
  Problem with = s;
  Mesh before = *mesh;
  const auto kept = keep_currents(with, before, known, stopped);
  if (stop.stop_requested()) return stop_error();
  if (kept && !*kept)
    log::warning(
        "maxwell-fem: elements at {} sharp edges of conductors are left as they are, since S' lies on the body: two "
        "rows of "
        "elements up to S make room for it",
        edges->count);
  if (!kept || !*kept) return mesh;
  auto made = graded(before, with.domain, s.edges, stopped);
  if (!made) return made.error();
  log::info("maxwell-fem: elements at {} edges of conductors are cut into {} layers each: {} cells become {}",
            edges->count, edges->layers, before.cell_count(), made->cell_count());
  s = std::move(with);
  return std::make_shared<const Mesh>(std::move(*made));
}

}  // namespace

Result<std::shared_ptr<const Mesh>> mesh_to_solve(Problem& s, std::shared_ptr<const Mesh> given, std::stop_token stop) {
  if (s.sphere) return sphere_to_solve(s);
  auto made = mesh_with_layer(s, given, stop);
  if (!made) return made;
  const bool as_given = *made == given;
  return with_edges_graded(s, std::move(*made), as_given, stop);
}

Result<Meshed> mesh_with_spaces(Problem& s, const std::shared_ptr<const Mesh>& given, std::stop_token stop) {
  auto mesh = mesh_to_solve(s, given, stop);
  if (!mesh) return mesh.error();
  Meshed out;
  if (*mesh != given) out.mesh = *mesh;
  if (!out.mesh && s.mesh.domain) {
    out.domain = s.mesh.domain;
    out.domain->space.lies_in(*given);
    return out;
  }
  auto domain = make_domain(**mesh, s.domain, [&stop] { return stop.stop_requested(); });
  if (!domain) return domain.error();
  log::debug("maxwell-fem: spaces were made of the mesh that is computed on");
  out.domain = std::make_shared<Domain>(std::move(*domain));
  return out;
}

}  // namespace conoid::maxwell_fem
