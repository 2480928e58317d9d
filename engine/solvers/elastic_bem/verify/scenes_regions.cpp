// SPDX-License-Identifier: BSD-3-Clause
// Test problems of several media.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/core/vec3.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/mesh/repair.hpp"
#include "engine/solvers/elastic_bem/discretization/regions.hpp"
#include "engine/solvers/elastic_bem/verify/scenes.hpp"
#include "engine/team/team.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

namespace {

/// Regions with their equations. Each is bounded by the cells of its groups; a group of two regions is an interface.
struct RegionBody {
  struct Piece {
    Medium medium;
    Domain domain;
    std::vector<std::string> groups;
  };
  Regions regions;
  std::optional<BoundarySystem> system;
  std::vector<StaticDiagonal> diagonals;
  std::vector<std::string> groups;  ///< condition k is that of group k
  Accuracy accuracy{1e-6, false};
  Team& team;

  RegionBody(const Mesh& mesh, const std::vector<Piece>& pieces,
             const std::vector<std::pair<std::string, std::array<bool, 3>>>& given, SurfaceOptions options, Team& t)
      : team(t) {
    std::vector<int> condition(static_cast<std::size_t>(mesh.cell_count()), 0), interface = condition;
    std::vector<Condition> conditions{{"free", {false, false, false}}};  // the ground may fade out
    groups = {"ground"};
    for (const MeshGroup& g : mesh.groups()) {
      if (g.name == groups.front()) continue;
      const auto it = std::find_if(given.begin(), given.end(), [&](const auto& p) { return p.first == g.name; });
      const auto many = std::count_if(pieces.begin(), pieces.end(), [&](const Piece& p) {
        return std::find(p.groups.begin(), p.groups.end(), g.name) != p.groups.end();
      });
      for (const Index c : g.cells) {
        condition[static_cast<std::size_t>(c)] = static_cast<int>(conditions.size());
        if (many > 1) interface[static_cast<std::size_t>(c)] = static_cast<int>(conditions.size()) + 1;
      }
      groups.push_back(g.name);
      conditions.push_back({g.name, it == given.end() ? std::array{false, false, false} : it->second});
    }
    std::vector<RegionSetting> settings;
    for (const Piece& p : pieces) {
      RegionSetting& s = settings.emplace_back();
      s.name = "region";
      s.medium = p.medium;
      s.options = options;
      s.options.domain = p.domain;
      for (const std::string& name : p.groups) {
        const MeshGroup* g = mesh.group(name);
        verify(g != nullptr, "test body: a group is missing");
        s.cells.insert(s.cells.end(), g->cells.begin(), g->cells.end());
      }
    }
    regions = join_regions(mesh, std::move(settings), condition, interface).value();
    system = BoundarySystem::make(*regions.whole, std::move(conditions)).value();
    std::vector<RegionRows> rows;
    for (const Region& r : regions.list) {
      rows.push_back({r.surface.get(), r.first_node, r.first_traction, std::abs(Harmonic(r.medium, 0).mu)});
      diagonals.push_back(static_diagonal(team, *r.surface, accuracy, r.medium.nu));
    }
    system->set_regions(std::move(rows), regions.partner);
  }
  [[nodiscard]] int condition_of(const std::string& group) const {
    return static_cast<int>(std::find(groups.begin(), groups.end(), group) - groups.begin());
  }
  [[nodiscard]] std::vector<BoundaryValues> solve(double omega, const std::vector<LoadValues>& cases,
                                                  SolveOptions options = {}) {
    options.accuracy = accuracy;
    std::vector<std::unique_ptr<FarRules<double>>> rules;
    std::vector<RegionMedium<double>> media;
    for (std::size_t r = 0; r < regions.list.size(); ++r) {
      const Harmonic h(regions.list[r].medium, omega);
      rules.push_back(std::make_unique<FarRules<double>>(*regions.list[r].surface, accuracy, std::abs(h.kS), false,
                                                         team.threads()));
      media.push_back({h, rules.back().get(), diagonals[r].blocks});
    }
    SolveFacts facts;
    NoProgress quiet;
    return system->solve<double>(team, std::span<const RegionMedium<double>>(media), cases, options, facts, quiet)
        .value();
  }
  [[nodiscard]] std::vector<Complex3> inside(std::size_t region, double omega, const std::vector<Vec3>& points,
                                             const BoundaryValues& values) {
    const Region& r = regions.list[region];
    const Harmonic h(r.medium, omega);
    const FarRules<double> rules(*r.surface, accuracy, std::abs(h.kS), false, team.threads());
    const auto nodes = values.displacement.begin() + r.first_node;
    const auto tractions = values.traction.begin() + r.first_traction;
    const BoundaryValues own{{nodes, nodes + r.surface->node_count()},
                             {tractions, tractions + static_cast<Index>(r.surface->traction_node.size())}};
    return displacements_at(team, *r.surface, rules, accuracy, h, points, std::span(&own, 1), {}, false,
                            r.surface->window)
        .front();
  }
};

}  // namespace

std::array<double, 2> inclusion_wave_error(const InclusionSetting& setting, Team& team) {
  CubeSphereOptions o;
  o.divisions = setting.divisions;
  o.order = std::max(1, setting.order);
  SurfaceOptions s;
  s.constant = setting.order == 0;
  Medium outside, within;
  within.mu = setting.stiffness;
  within.rho = setting.density;
  within.nu = 0.3;
  RegionBody body(cube_sphere(o).value(),
                  {{outside, Domain::outside, {"surface"}}, {within, Domain::inside, {"surface"}}}, {}, s, team);
  const double omega = setting.kp * outside.pressure_speed();
  const Harmonic h(outside, omega);
  const IncidentField field = IncidentField::make({}, h).value();
  const Surface& whole = *body.regions.whole;
  LoadValues load;
  load.incident_displacement.resize(whole.nodes.size());
  load.incident_traction.resize(whole.traction_node.size());
  const Surface& first = *body.regions.list[0].surface;
  for (std::size_t t = 0; t < first.traction_node.size(); ++t) {
    const auto n = static_cast<std::size_t>(first.traction_node[t]);
    load.incident_displacement[n] = field.displacement(first.nodes[n]);
    load.incident_traction[t] = field.traction(first.nodes[n], first.traction_normal[t]);
  }
  SolveOptions options;
  options.chief = setting.chief;
  options.method = setting.method;
  const auto v = body.solve(omega, {load}, options);
  const InclusionPWave exact(h, Harmonic(within, omega), 1);
  const auto wanted = [&](const Vec3& x) {
    const Vec3 e = unit(x);
    const double rho = std::hypot(e[0], e[1]);
    const Vec3 et = rho > 1e-12 ? Vec3{e[2] * e[0] / rho, e[2] * e[1] / rho, -rho} : Vec3{1, 0, 0};
    const auto u = exact.displacement(norm(x), std::acos(std::clamp(e[2], -1.0, 1.0)));
    return Complex3{u[0] * e[0] + u[1] * et[0], u[0] * e[1] + u[1] * et[1], u[0] * e[2] + u[1] * et[2]};
  };
  std::array<double, 2> defect{}, size{};
  const auto compare = [&](std::size_t which, const Vec3& x, const Complex3& got) {
    const Complex3 want = wanted(x);
    for (std::size_t d = 0; d < 3; ++d) {
      defect[which] += std::norm(got[d] - want[d]);
      size[which] += std::norm(want[d]);
    }
  };
  const auto second = static_cast<std::size_t>(body.regions.list[1].first_node);
  for (std::size_t n = second; n < whole.nodes.size(); ++n) compare(0, whole.nodes[n], v[0].displacement[n]);
  const std::vector<Vec3> inner{{0.1, 0.2, 0.3}, {-0.3, 0.1, -0.4}, {0, 0, 0.6}},
      outer{{1.6, 0.2, 0.4}, {-0.5, 1.3, -1.4}, {0.1, 0, 2.5}};
  const auto in = body.inside(1, omega, inner, v[0]), out = body.inside(0, omega, outer, v[0]);
  for (std::size_t k = 0; k < inner.size(); ++k) {
    compare(1, inner[k], in[k]);
    Complex3 total = field.displacement(outer[k]);
    for (std::size_t d = 0; d < 3; ++d) total[d] += out[k][d];
    compare(1, outer[k], total);
  }
  return {std::sqrt(defect[0] / size[0]), std::sqrt(defect[1] / size[1])};
}

double layered_sphere_error(int divisions, int order, double omega, Team& team) {
  CubeSphereOptions o;
  o.divisions = divisions;
  o.order = std::max(1, order);
  Mesh mesh = cube_sphere(o).value();
  o.radius = 0.5;
  o.group = "core";
  append(mesh, cube_sphere(o).value());
  SurfaceOptions s;
  s.constant = order == 0;
  Medium shell, core;
  core.mu = 0.2;
  core.nu = 0.4;
  core.rho = 0.8;
  RegionBody body(mesh, {{shell, Domain::inside, {"surface", "core"}}, {core, Domain::inside, {"core"}}}, {}, s, team);
  const Surface& whole = *body.regions.whole;
  LoadValues load;
  load.traction.resize(whole.traction_node.size());
  const int loaded = body.condition_of("surface");
  for (std::size_t t = 0; t < load.traction.size(); ++t)
    if (whole.traction_condition[t] == loaded)
      for (std::size_t d = 0; d < 3; ++d) load.traction[t][d] = -whole.traction_normal[t][d];
  const auto v = body.solve(omega, {load});
  const LayeredSphere exact(Harmonic(core, omega), Harmonic(shell, omega), 0.5, 1, 1);
  double worst = 0;
  for (std::size_t n = 0; n < whole.nodes.size(); ++n) {
    const Vec3 e = unit(whole.nodes[n]);
    Complex ur = 0;
    for (std::size_t d = 0; d < 3; ++d) ur += v[0].displacement[n][d] * e[d];
    worst = std::max(worst, std::abs(ur - exact.displacement(norm(whole.nodes[n]) < 0.75 ? 0.5 : 1.0)));
  }
  return worst / std::abs(exact.displacement(1));
}

double layered_column_error(double apart, double omega, int divisions, int order, Team& team) {
  BoxSurfaceOptions o;
  o.divisions = {divisions, divisions, divisions};
  o.quads = true;
  o.order = std::max(1, order);
  const Mesh lower = box_surface(o).value();
  o.low[2] = 1;
  o.high[2] = 2;
  const Mesh upper = box_surface(o).value();
  // The upper cube without its foot, which is the lower one's top.
  Mesh mesh;
  const auto take = [&](const Mesh& from, const char* without, const std::string& which) {
    std::vector<Index> cells;
    for (const MeshGroup& g : from.groups())
      if (g.name != without) cells.insert(cells.end(), g.cells.begin(), g.cells.end());
    const Mesh part = from.extract(std::span<const Index>(cells));
    Mesh named;
    for (Index k = 0; k < part.point_count(); ++k) named.add_point(part.point(k));
    for (Index c = 0; c < part.cell_count(); ++c) named.add_cell(part.shape(c), part.nodes(c));
    for (const MeshGroup& g : part.groups())
      if (!g.cells.empty()) named.add_group(which + g.name, 2).cells = g.cells;
    append(mesh, named);
  };
  take(lower, "", "lower ");
  take(upper, "zmin", "upper ");
  RepairOptions repair;
  repair.merge = RepairOptions::Merge::all;
  repair.orient = RepairOptions::Orient::keep;
  mesh = repaired(mesh, repair).value();
  SurfaceOptions s;
  s.constant = order == 0;
  Medium below, above;
  below.nu = 0.3;
  above.nu = 0.2;
  above.mu = apart;
  above.rho = 0.7;
  std::vector<std::pair<std::string, std::array<bool, 3>>> given{{"lower zmin", {false, false, true}}};
  std::vector<std::string> groups[2];
  for (const std::string which : {"lower ", "upper "})
    for (const char* side : {"xmin", "xmax", "ymin", "ymax"}) {
      given.push_back({which + side, {side[0] == 'x', side[0] == 'y', false}});
      groups[which == "upper "].push_back(which + side);
    }
  groups[0].insert(groups[0].end(), {"lower zmin", "lower zmax"});
  groups[1].insert(groups[1].end(), {"lower zmax", "upper zmax"});
  RegionBody body(mesh, {{below, Domain::inside, groups[0]}, {above, Domain::inside, groups[1]}}, given, s, team);
  const Surface& whole = *body.regions.whole;
  LoadValues load;
  load.traction.resize(whole.traction_node.size());
  const int loaded = body.condition_of("upper zmax");
  for (std::size_t t = 0; t < load.traction.size(); ++t)
    if (whole.traction_condition[t] == loaded) load.traction[t] = {0, 0, 1};
  const auto v = body.solve(omega, {load});
  const auto modulus = [](const Medium& m) { return Complex(m.mu * 2 * (1 - m.nu) / (1 - 2 * m.nu)); };
  const Complex exact = layered_column_end({modulus(below), modulus(above)}, {below.rho, above.rho}, {1, 1}, omega);
  double worst = 0;
  for (std::size_t t = 0; t < load.traction.size(); ++t)
    if (whole.traction_condition[t] == loaded)
      worst = std::max(worst, std::abs(v[0].displacement[static_cast<std::size_t>(whole.traction_node[t])][2] - exact) /
                                  std::abs(exact));
  return worst;
}

std::vector<Complex> disc_over_half_space(double half_space, double a0, double beta, double extent, Contact contact,
                                          Team& team) {
  GroundDisc d;
  d.extent = extent;
  d.around = 3;
  d.inside = 4;
  d.inside_growth = 0.4;
  d.outside_growth = 1.5;
  d.rock = 2;
  SurfaceOptions s;
  s.window = 0.8;
  Medium layer, below;
  layer.nu = below.nu = 1.0 / 3;
  layer.beta = below.beta = beta;
  below.mu = half_space;
  std::array<bool, 3> given{true, true, true};
  if (contact == Contact::smooth) given = {false, false, true};
  if (contact == Contact::tangential) given = {true, true, false};
  RegionBody body(ground_disc(d).value(),
                  {{layer, Domain::ground, {"foundation", "ground", "rock"}}, {below, Domain::ground, {"rock"}}},
                  {{"foundation", given}}, s, team);
  Foundation f;
  f.condition = body.condition_of("foundation");
  f.contact = contact;
  return impedance(*body.regions.whole, {f}, body.solve(a0, unit_motions(*body.system, f)));
}

namespace {

/// A disc of radius 1 pushed down to a hemisphere, what lies around it in the plane; `name`, `around_it`: their groups.
Mesh bowl(double radius, double extent, double first_ring, const char* name, const char* around_it) {
  GroundDisc d;
  d.extent = extent / radius;
  d.around = d.inside = 3;
  d.inside_growth = 1;
  d.outside_growth = first_ring > 0 ? 1.6 : 1;
  d.first_outside = (first_ring > 0 ? first_ring : 1.0 / 3) / radius;
  const Mesh flat = ground_disc(d).value();
  Mesh out;
  for (Index k = 0; k < flat.point_count(); ++k) {
    Vec3 x = flat.point(k);
    const double r = std::hypot(x[0], x[1]);
    if (r < 1 + 1e-9) {
      const double angle = 0.5 * std::numbers::pi * std::min(1.0, r), wider = r > 1e-12 ? std::sin(angle) / r : 0;
      x = {x[0] * wider, x[1] * wider, r > 1 - 1e-9 ? 0 : -std::cos(angle)};
    }
    out.add_point(scale(radius, x));
  }
  for (Index c = 0; c < flat.cell_count(); ++c) out.add_cell(flat.shape(c), flat.nodes(c));
  for (const MeshGroup& g : flat.groups()) out.add_group(g.name == "foundation" ? name : around_it, 2).cells = g.cells;
  return out;
}

}  // namespace

std::vector<Complex> hemisphere_in_filling(const Medium& soil, const Medium& filling, double omega, Team& team) {
  Mesh mesh = bowl(1, 2, 0, "foundation", "cover");
  append(mesh, bowl(2, 10, 0.7, "interface", "ground"));
  RepairOptions repair;
  repair.merge = RepairOptions::Merge::all;
  repair.orient = RepairOptions::Orient::keep;
  mesh = repaired(mesh, repair).value();
  SurfaceOptions s;
  s.window = 0.8;
  RegionBody body(mesh,
                  {{soil, Domain::ground, {"ground", "interface"}},
                   {filling, Domain::inside, {"interface", "cover", "foundation"}}},
                  {{"foundation", {true, true, true}}}, s, team);
  Foundation f;
  f.condition = body.condition_of("foundation");
  return impedance(*body.regions.whole, {f}, body.solve(omega, unit_motions(*body.system, f)));
}

std::vector<Complex> hemisphere_in_soil(const Medium& soil, double omega, Team& team) {
  SurfaceOptions s;
  s.domain = Domain::ground;
  s.window = 0.8;
  TestBody body(bowl(1, 10, 0.4, "foundation", "ground"), s, {{"foundation", {true, true, true}}}, soil, {1e-5, false},
                team);
  return foundation_impedance(body, Contact::welded, omega);
}

Complex torsion_in_filling(const Medium& soil, const Medium& filling, double omega) {
  const Harmonic outer(soil, omega), inner(filling, omega);
  // r times e^{±ikr} (1/kr ± i/(kr)²): waves of degree 1, and their traction μ(f' − f/r).
  struct Wave {
    Complex f, t;
  };
  const auto wave = [](const Harmonic& h, double sign, double r) {
    const Complex i(0, sign), x = h.kS * r, e = std::exp(i * x);
    const Complex f = e * (1.0 / x + i / (x * x)), slope = h.kS * e * (i / x - 2.0 / (x * x) - 2.0 * i / (x * x * x));
    return Wave{f, h.mu * (slope - f / r)};
  };
  const Wave out = wave(outer, -1, 2), here = wave(inner, -1, 2), back = wave(inner, 1, 2), first = wave(inner, -1, 1),
             second = wave(inner, 1, 1);
  // A here + B back = C out at 2, displacement and traction; A first + B second = 1 at 1.
  const Complex a = back.f * out.t - back.t * out.f, b = -(here.f * out.t - here.t * out.f),
                scale_of = a * first.f + b * second.f;
  return -4 * std::numbers::pi / 3 * (a * first.t + b * second.t) / scale_of;
}

}  // namespace conoid::elastic_bem
