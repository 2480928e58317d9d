// SPDX-License-Identifier: BSD-3-Clause
// From the case to surface, conditions and loads, with a message for everything that cannot be.
#include "engine/solvers/elastic_bem/problem.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/core.h>

#include "engine/core/log.hpp"
#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/mesh/topology.hpp"
#include "engine/solvers/elastic_bem/case.hpp"
#include "engine/solvers/elastic_bem/solving/layered_system.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

std::vector<Vec3> LineSetting::positions() const {
  std::vector<Vec3> out;
  for (Index k = 0; k < count; ++k)
    out.push_back(axpy(static_cast<double>(k) / static_cast<double>(count - 1), sub(to, from), from));
  return out;
}

bool Problem::damped() const {
  if (!profile) {
    for (std::size_t r = 0; r <= regions.size(); ++r)
      if (medium_of(r).beta > 0) return true;
    return false;
  }
  return (profile->half_space && profile->half_space->beta > 0) ||
         std::ranges::any_of(profile->layers, [](const SoilLayer& layer) { return layer.medium.beta > 0; });
}

double Problem::highest_wave_number() const {
  const double f = *std::max_element(frequencies.begin(), frequencies.end());
  double highest = 0;
  for (std::size_t r = 0; r <= regions.size(); ++r)
    highest = std::max(highest, std::abs(Harmonic(medium_of(r), 2 * std::numbers::pi * f).kS));
  return highest;
}

double Problem::farthest_apart() const {
  Vec3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
  const auto hold = [&](const Vec3& x) {
    for (std::size_t d = 0; d < 2; ++d) {
      low[d] = std::min(low[d], x[d]);
      high[d] = std::max(high[d], x[d]);
    }
  };
  const Surface& s = *scene.surface;
  if (s.active == 0 && std::ranges::none_of(loads, [](const Load& l) { return l.kind == LoadKind::point; })) return 0;
  for (Index e = 0; e < s.active; ++e)
    for (int k = 0; k < nodes_of(s.elements[static_cast<std::size_t>(e)].shape); ++k)
      hold(s.elements[static_cast<std::size_t>(e)].x[static_cast<std::size_t>(k)]);
  for (const Vec3& x : observers()) hold(x);
  for (const Load& l : loads)
    if (l.kind == LoadKind::point) hold(l.at);
  if (low[0] > high[0]) return 0;
  // Sides of quadratic elements may bulge beyond their points.
  return 1.1 * std::hypot(high[0] - low[0], high[1] - low[1]);
}

double Problem::depth_on_profile(const Vec3& x) const {
  const Surface& s = *scene.surface;
  const double depth = level_of_profile + dot(x, surface_options.down);
  // Without elements round-off is all that may stand between a point and the surface, that of sums over the points of a plane, say.
  double far = 0;
  if (s.active == 0) {
    if (!receivers.empty()) far = std::abs(receivers.front()[2]);
    for (const LineSetting& l : lines) far = std::max({far, std::abs(l.from[2]), std::abs(l.to[2])});
    for (const PlaneSetting& q : planes)
      far = std::max(
          {far, std::abs(q.origin[2]), std::abs(q.origin[2] + q.spacing[2] * static_cast<double>(q.points[2] - 1))});
  }
  return std::abs(depth) > std::max(1e-6 * s.diameter, 1e-12 * std::max(far, std::abs(level_of_profile))) ? depth : 0;
}

std::map<double, std::vector<std::size_t>> Problem::by_depth_on_profile(std::span<const Vec3> points) const {
  std::map<double, std::vector<std::size_t>> out;
  for (std::size_t k = 0; k < points.size(); ++k) out[depth_on_profile(points[k])].push_back(k);
  return out;
}

std::vector<RegionView> Problem::regions_of(const Scene& s) const {
  if (s.regions.empty()) return {{s.surface.get(), &medium, &surface_options}};
  std::vector<RegionView> out;
  for (const Region& r : s.regions)
    out.push_back({r.surface.get(), &r.medium, &r.options, r.first_node, r.first_traction, r.first_element});
  return out;
}

std::vector<Whereabouts> Problem::whereabouts(const Scene& s, std::span<const Vec3> points) const {
  std::vector<Whereabouts> out(points.size());
  const std::vector<RegionView> all = regions_of(s);
  for (std::size_t r = 0; r < all.size(); ++r) {
    const std::vector<Place> places = places_of(*all[r].surface, *all[r].options, points);
    for (std::size_t k = 0; k < points.size(); ++k)
      if (out[k].place != Place::inside && places[k] != Place::outside &&
          (places[k] == Place::inside || out[k].place == Place::outside))
        out[k] = {places[k], r};
  }
  return out;
}

namespace {

/// Groups of further regions are theirs, those of interfaces those of two regions; everything else bounds the first one.
std::vector<std::vector<Index>> cells_of_regions(const Mesh& mesh, const Problem& p) {
  std::vector<std::vector<char>> has(p.regions.size() + 1,
                                     std::vector<char>(static_cast<std::size_t>(mesh.cell_count()), 0));
  std::vector<int> times(static_cast<std::size_t>(mesh.cell_count()), 0);
  for (std::size_t r = 0; r < p.regions.size(); ++r)
    for (const bool shared : {false, true})
      for (const std::string& name : shared ? p.regions[r].interfaces : p.regions[r].surfaces)
        for (const Index c : mesh.group(name)->cells) {
          has[r + 1][static_cast<std::size_t>(c)] = 1;
          times[static_cast<std::size_t>(c)] += shared ? 1 : 2;
        }
  std::vector<std::vector<Index>> out(has.size());
  for (Index c = 0; c < mesh.cell_count(); ++c) {
    if (dimension_of(mesh.shape(c)) != 2) continue;
    if (times[static_cast<std::size_t>(c)] < 2) out[0].push_back(c);
    for (std::size_t r = 1; r < has.size(); ++r)
      if (has[r][static_cast<std::size_t>(c)] != 0) out[r].push_back(c);
  }
  return out;
}

Status build_regions(Scene& scene, Problem& p, const std::vector<int>& condition_of_cell) {
  std::vector<int> interface(condition_of_cell.size(), 0);
  for (const RegionNames& r : p.regions)
    for (const std::string& name : r.interfaces)
      for (const Index c : scene.mesh->group(name)->cells)
        interface[static_cast<std::size_t>(c)] = condition_of_cell[static_cast<std::size_t>(c)];
  const auto cells = cells_of_regions(*scene.mesh, p);
  std::vector<RegionSetting> settings{{"medium", p.medium, p.surface_options, cells[0]}};
  for (std::size_t r = 0; r < p.regions.size(); ++r) {
    const RegionNames& names = p.regions[r];
    SurfaceOptions options = p.surface_options;
    const bool open = check_surface(*scene.mesh, cells[r + 1], 1).open_edge_count > 0;
    options.domain = names.domain == "inside" || (names.domain == "auto" && !open) ? Domain::inside
                     : names.domain == "outside"                                   ? Domain::outside
                                                                                   : Domain::ground;
    settings.push_back({names.name, names.medium, options, cells[r + 1]});
  }
  auto joined = join_regions(*scene.mesh, std::move(settings), condition_of_cell, interface);
  if (!joined) return joined.error();
  scene.mesh = std::make_shared<const Mesh>(std::move(joined->mesh));
  scene.surface = std::move(joined->whole);
  scene.regions = std::move(joined->list);
  auto system = BoundarySystem::make(*scene.surface, p.conditions);
  if (!system) return system.error();
  std::vector<RegionRows> rows;
  for (const Region& r : scene.regions)
    rows.push_back({r.surface.get(), r.first_node, r.first_traction, std::abs(Harmonic(r.medium, 0).mu)});
  system->set_regions(std::move(rows), std::move(joined->partner));
  scene.system = std::move(*system);
  return p.symmetry.empty() ? Status() : scene.system->set_symmetry(p.symmetry);
}

/// On layered ground without a mesh cells that carry nothing have no part in the equations.
void keep_loaded(Scene& scene, std::vector<int>& condition_of_cell) {
  std::vector<Index> kept;
  std::vector<int> of;
  for (Index c = 0; c < scene.mesh->cell_count(); ++c)
    if (const int condition = condition_of_cell[static_cast<std::size_t>(c)]; condition > 0) {
      kept.push_back(c);
      of.push_back(condition);
    }
  scene.mesh = std::make_shared<const Mesh>(scene.mesh->extract(kept));
  condition_of_cell = std::move(of);
}

/// Forces and waves alone: no elements; the level is that of the mesh, if there is one, else 0.
Status build_without_elements(Scene& scene, Problem& p) {
  const Mesh& mesh = *scene.mesh;
  double low = 1e300, high = -1e300, wide = 0;
  for (Index n = 0; n < mesh.point_count(); ++n) {
    const double level = -dot(mesh.point(n), p.surface_options.down);
    low = std::min(low, level);
    high = std::max(high, level);
    wide = std::max(wide, distance(mesh.point(n), mesh.point(0)));
  }
  if (high - low > 1e-6 * wide)
    return make_error(ErrorCode::invalid_input,
                      "forces and waves alone take the level of the surface from the mesh, and the mesh is not level",
                      "Leave out the mesh (the surface is z = 0 then), or give one that is level.");
  p.level_of_profile = mesh.point_count() > 0 ? low : 0;
  scene.mesh = std::make_shared<const Mesh>();
  scene.surface = std::make_unique<Surface>();
  auto system = BoundarySystem::make(*scene.surface, p.conditions);
  if (!system) return system.error();
  scene.system = std::move(*system);
  return {};
}

/// `bare`: the ground without its trenches, and so without what fills them.
Status build(Scene& scene, Problem& p, const std::map<std::string, int>& condition_of, bool bare = false) {
  std::vector<int> of(static_cast<std::size_t>(scene.mesh->cell_count()), 0);
  for (const auto& [name, c] : condition_of)
    if (const MeshGroup* g = scene.mesh->group(name))
      for (Index cell : g->cells) of[static_cast<std::size_t>(cell)] = c;
  if (!p.regions.empty() && !bare) return build_regions(scene, p, of);
  if (p.profile && std::ranges::count_if(of, [](int c) { return c > 0; }) == 0) return build_without_elements(scene, p);
  if (p.profile) keep_loaded(scene, of);
  SurfaceOptions options = p.surface_options;
  options.condition = [&of](Index cell) { return of[static_cast<std::size_t>(cell)]; };
  if (p.profile) {
    // Fields break between groups, whose tractions have nothing to do with each other; there is no ground to fade out.
    options.seam = options.condition;
    options.window = 0;
    options.close = false;
  }
  auto surface = make_surface(*scene.mesh, options);
  if (!surface) return surface.error();
  scene.surface = std::make_unique<Surface>(std::move(*surface));
  if (p.profile) p.level_of_profile = -dot(scene.surface->nodes.front(), p.surface_options.down);
  auto system = BoundarySystem::make(*scene.surface, p.conditions);
  if (!system) return system.error();
  scene.system = std::move(*system);
  return p.symmetry.empty() ? Status() : scene.system->set_symmetry(p.symmetry);
}

/// Halves, quarters and eighths are completed.
Status complete(Problem& p) {
  for (const int axis : p.symmetry) {
    auto whole = completed_by_mirror(*p.scene.mesh, axis);
    if (!whole) return whole.error();
    p.scene.mesh = std::make_shared<const Mesh>(std::move(*whole));
  }
  return {};
}

/// The mesh that a case names, or the ground that it describes: completed across planes of symmetry. Errors go to the reader; with
/// `bare` the ground without trenches.
bool take_mesh(ProblemReader& r, const Mesh* mesh, std::optional<Mesh>& bare) {
  Problem& p = r.p;
  const Case& input = r.input;
  const bool has_ground = input.values().has("ground");
  if (has_ground) {
    auto ground = make_ground(input["ground"], p, input["output"]);
    if (!ground) {
      r.fail_at_mesh(ground.error());
      return false;
    }
    p.scene.mesh = std::make_shared<const Mesh>(std::move(ground->first));
    bare = std::move(ground->second);
  } else if (mesh != nullptr) {
    p.scene.mesh = std::make_shared<const Mesh>(mesh->dimension() == 3 ? mesh->extract(2) : *mesh);
  } else if (p.profile) {
    p.scene.mesh = std::make_shared<const Mesh>();
  } else {
    r.out.push_back(make_error(ErrorCode::invalid_input, "the case has neither a mesh nor a ground",
                               "Give \"mesh\": {\"file\": …} or \"ground\": {…}; forces and waves alone need "
                               "\"profile\": {…} only.",
                               {"", 0, "/mesh"}));
    return false;
  }
  for (const char axis : input["parameters"]["symmetry"].text())
    if (axis >= 'x' && axis <= 'z') p.symmetry.push_back(axis - 'x');
  p.surface_options.symmetry = p.symmetry;
  if (auto status = complete(p); !status) {
    r.fail_at_mesh(status.error());
    return false;
  }
  return true;
}

/// Elements, rules and equations; false where they contradict each other.
bool take_parameters(ProblemReader& r) {
  Problem& p = r.p;
  const Values parameters = r["parameters"];
  const std::string domain = parameters["domain"].text();
  SurfaceOptions& o = p.surface_options;
  if (p.profile)
    o.domain = Domain::ground;
  else if (domain == "auto")
    o.domain = r.has("ground") ||
                       check_surface(*p.scene.mesh, cells_of_regions(*p.scene.mesh, p).front(), 1).open_edge_count > 0
                   ? Domain::ground
                   : Domain::outside;
  else
    o.domain = choice<Domain>(parameters["domain"],
                              {{"inside", Domain::inside}, {"outside", Domain::outside}, {"ground", Domain::ground}});
  o.down = parameters["down"].text() == "+z" ? Vec3{0, 0, 1} : Vec3{0, 0, -1};
  const std::string elements = parameters["elements"].text();
  o.constant = elements == "constant";
  o.discontinuous = elements == "discontinuous";
  o.crease = parameters["crease_angle"].number();
  o.window = parameters["fade"].number();
  p.solve.accuracy.target = parameters["accuracy"].number();
  p.solve.accuracy.fixed8 = parameters["rules"].text() == "classical";
  p.sum_everywhere = p.solve.accuracy.fixed8;
  if (p.solve.accuracy.fixed8) {
    o.window = 0;
    if (!o.constant) {
      r.fail(parameters["rules"], "the classical rules know constant elements only",
             "Set parameters.elements to \"constant\".");
      return false;
    }
  }
  p.automatic = parameters["solution"].text() == "auto";
  p.solve.method = choice<Method>(parameters["solution"], {{"auto", Method::mixed},
                                                           {"mixed", Method::mixed},
                                                           {"direct", Method::direct},
                                                           {"gmres", Method::gmres},
                                                           {"compressed", Method::compressed}});
  if (p.solve.method == Method::gmres && !p.symmetry.empty())
    r.warn(parameters["symmetry"], "iterations take all equations at once: symmetry saves nothing",
           "Use parameters.solution \"mixed\", \"direct\" or \"compressed\".");
  if (p.solve.method == Method::compressed && !p.symmetry.empty() && !p.regions.empty())
    r.warn(parameters["symmetry"],
           "compressed matrices of several regions are those of the whole: symmetry saves nothing",
           "Use parameters.solution \"mixed\" or \"direct\" where their memory is there.");
  p.solve.compression = parameters["compression"].number();
  p.solve.tolerance_asked = parameters.has("tolerance");
  if (p.solve.tolerance_asked) p.solve.tolerance = parameters["tolerance"].number();
  p.solve.chief =
      choice<Chief>(parameters["chief"], {{"auto", Chief::automatic}, {"on", Chief::on}, {"off", Chief::off}});
  p.solve.chief_points = static_cast<int>(parameters["chief_points"].integer());
  p.single = r["compute"]["precision"].text() == "single";
  return true;
}

/// Surfaces and systems of equations; false where there can be none.
bool make_scenes(ProblemReader& r, std::optional<Mesh> bare) {
  Problem& p = r.p;
  if (auto status = build(p.scene, p, r.condition_of); !status) {
    r.fail_at_mesh(status.error());
    return false;
  }
  // The classical diagonal is what rows lack to zero, which holds for closed surfaces: of an open plane it leaves a singular matrix.
  const Surface& s = *p.scene.surface;
  if (p.solve.accuracy.fixed8 && std::ranges::count(s.closed, false) > 0 &&
      static_cast<Index>(s.elements.size()) == s.active) {
    r.fail(r["parameters"]["rules"], "the classical rules need a closed surface, and this ground is open",
           "Give an enclosing group that closes it below (boundaries, kind \"enclosing\"), or use the adaptive rules.");
    return false;
  }
  if (!r["output"]["insertion_loss"].boolean()) return true;
  const bool others = std::ranges::any_of(p.regions, [](const RegionNames& n) {
    return std::ranges::any_of(n.interfaces, [](const std::string& name) { return name != "filled trench"; });
  });
  const bool points = std::ranges::any_of(p.loads, [](const Load& l) { return l.kind == LoadKind::point; });
  if (others || (points && !p.regions.empty())) {
    r.fail(r["output"], "insertion loss with regions knows fillings of trenches only, and loads on the surface",
           "Switch output.insertion_loss off, and compute the case without the trench as well.");
    return false;
  }
  if (!bare) {
    r.fail(r["output"], "insertion loss needs a ground with trenches made by the program",
           "Add ground.trenches, or switch output.insertion_loss off.");
    return false;
  }
  p.bare.emplace();
  p.bare->mesh = std::make_shared<const Mesh>(std::move(*bare));
  if (auto status = build(*p.bare, p, r.condition_of, true); !status) {
    r.fail_at_mesh(status.error());
    return false;
  }
  return true;
}

}  // namespace

Reading<Problem> read_problem(const Case& input, const Mesh* mesh) {
  Reading<Problem> made;
  std::vector<Diagnostic>& out = made.said;
  if (input.values().has("ground") && mesh != nullptr) {
    out.push_back(
        input.error_at(input["ground"], "the case has both a mesh and a ground to be meshed", "Keep one of them."));
    return made;
  }
  auto problem = std::make_unique<Problem>();
  Problem& p = *problem;
  ProblemReader r(input, out, p);
  std::optional<Mesh> bare;
  p.conditions.push_back({"free", {false, false, false}});
  p.medium = r.medium(input["medium"]);
  r.profile();
  r.frequencies();
  if (has_errors(out) || !take_mesh(r, mesh, bare)) return made;
  r.turn();
  r.regions();
  r.boundaries();
  r.foundations();
  r.loads();
  r.observers();
  r.signal();
  r.structure();
  if (has_errors(out) || !take_parameters(r) || !make_scenes(r, std::move(bare))) return made;
  log::debug("elastic-bem: a surface of {} elements was made of the case", p.scene.surface->active);
  r.resolution();
  if (p.profile) {
    r.on_profile();
    if (!has_errors(out)) made.problem = std::move(problem);
    return made;
  }
  r.places_of_observers();
  r.points_of_force();
  r.far_of_foundations();
  r.free_bodies();
  r.waves();
  if (!has_errors(out)) made.problem = std::move(problem);
  return made;
}

void plan_solution(Problem& p, const Case& input, const Offer& offer, std::vector<Diagnostic>& out) {
  p.solve.deterministic = offer.deterministic.value;
  if (p.automatic) {
    p.solve.method = Method::mixed;
    if (!p.profile && compression_pays(p, offer)) p.solve.method = Method::compressed;
  }
  const Bytes budget = offer.host.value;
  const auto taken = [&] {
    return p.profile ? layered_bytes(*p.scene.system)
                     : p.scene.system->bytes(p.planned_columns(p.scene), p.solve, p.single, p.highest_wave_number());
  };
  p.groups = p.shared() ? rank_groups(offer, static_cast<Index>(p.frequencies.size())) : offer.place.ranks;
  p.solve.sharing = offer.place.ranks / p.groups;
  Bytes needed = taken();
  while (p.shared() && offer.groups.value == 0 && needed > budget && p.groups > 1) {
    p.groups /= 2;
    p.solve.sharing = offer.place.ranks / p.groups;
    needed = taken();
  }
  if (needed <= budget) return;
  Diagnostic d =
      input.error_at(input.values().has("ground") ? input["ground"] : input["mesh"],
                     fmt::format("{} unknowns need {}, the budget is {}", 3 * p.scene.surface->node_count(),
                                 format_bytes(needed), format_bytes(budget)),
                     p.profile ? "Coarsen the foundations' meshes, or raise compute.memory.host."
                     : p.solve.method == Method::compressed
                         ? "Coarsen the mesh, use a larger parameters.compression, raise compute.memory.host, or start "
                           "more ranks in fewer compute.groups, on more machines."
                         : "Use parameters.solution \"compressed\", coarsen the mesh, or raise compute.memory.host.");
  d.code = ErrorCode::resources;
  out.push_back(std::move(d));
}

std::string ranks_text(const Problem& p, int ranks) {
  if (p.solve.sharing == 1) return fmt::format("{} ranks, one each at a time", ranks);
  return fmt::format("{} ranks in {} group{}, {}{} share the matrices of one", ranks, p.groups,
                     p.groups == 1 ? "" : "s", p.solve.sharing, ranks % p.groups == 0 ? "" : " or more");
}

Index Problem::planned_columns(const Scene& s) const {
  std::vector<char> touched(conditions.size(), 0);
  for (const Load& l : loads)
    if (l.condition >= 0) touched[static_cast<std::size_t>(l.condition)] = 1;
  for (const Foundation& f : foundations) touched[static_cast<std::size_t>(f.condition)] = 1;
  const std::size_t count = s.surface->traction_node.size();
  std::vector<char> given(count, 0);
  for (std::size_t t = 0; t < count; ++t)
    given[t] = touched[static_cast<std::size_t>(s.surface->traction_condition[t])];
  for (const Load& l : loads)
    if (is_incident(l)) mark_scattering(*this, s, l, given);
  return 3 * static_cast<Index>(std::ranges::count_if(given, [](char c) { return c != 0; }));
}

std::vector<Vec3> Problem::observers() const {
  std::vector<Vec3> out = receivers;
  for (const LineSetting& line : lines) {
    const auto more = line.positions();
    out.insert(out.end(), more.begin(), more.end());
  }
  for (const PlaneSetting& plane : planes) {
    const auto more = plane.positions();
    out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}

}  // namespace conoid::elastic_bem
