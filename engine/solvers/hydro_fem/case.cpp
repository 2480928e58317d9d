// SPDX-License-Identifier: BSD-3-Clause
// Reading the sections of a case: grid, materials, regions, boundaries, excitation, parameters.
#include "engine/case/document.hpp"
#include "engine/solvers/hydro_fem/case_parts.hpp"

#include "engine/case/expression.hpp"
#include "engine/core/log.hpp"
#include "engine/core/units.hpp"
#include "engine/solvers/hydro_fem/discretization/eos_file.hpp"
#include "engine/solvers/hydro_fem/discretization/geometry.hpp"
#include "engine/solvers/hydro_fem/discretization/index.hpp"
#include "engine/solvers/hydro_fem/discretization/time_curve.hpp"
#include "engine/solvers/hydro_fem/kernels/reference.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <set>

#include <fmt/core.h>
#include <fmt/format.h>

namespace conoid::hydro_fem {
namespace {

using Reader = ProblemReader;

std::optional<Expression> read_formula(Reader& r, const Values& v, std::vector<std::string> variables) {
  auto parsed = Expression::parse(v.text(), std::move(variables));
  if (!parsed) {
    r.fail(v, parsed.error().text, parsed.error().hint);
    return std::nullopt;
  }
  return *parsed;
}

bool explosive(const Case& input, const std::string& material) {
  return input["materials"][material]["kind"].text() == "jwl";
}
/// Programmed burn: there are points, and the material says how fast the front runs.
bool burns(const Case& input, const std::string& material) {
  return explosive(input, material) && input["excitation"]["detonation"].size() > 0 &&
         input["materials"][material].has("detonation_velocity");
}

constexpr const char* state_hint = "Change the region's pressure or density, or its material.";

std::vector<Region> read_regions(Reader& r, const Geometry& g, const std::vector<std::string>& materials,
                                 const std::vector<std::shared_ptr<const EquationOfState>>& states) {
  std::vector<Region> out;
  const Values list = r.input["regions"];
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Values v = list.at(i);
    Region region;
    region.name = v["name"].text();
    const std::string material = v["material"].text();
    const auto at = std::find(materials.begin(), materials.end(), material);
    if (at == materials.end())
      r.fail(v["material"], fmt::format("there is no material '{}'", material),
             fmt::format("Choose one of: {}.", fmt::join(materials, ", ")));
    else
      region.material = static_cast<std::size_t>(at - materials.begin());
    region.extent = read_extent(r, g, v);
    if (v.has("density"))
      region.density = v["density"].number();
    else if (v.has("density_formula"))
      region.density_formula = read_formula(r, v["density_formula"], {"x", "y", "z", "r"});
    else
      r.fail(v, "the region has no density", "Give `density` or `density_formula`.");
    if (v.has("pressure"))
      region.pressure = v["pressure"].number();
    else if (v.has("pressure_formula"))
      region.pressure_formula = read_formula(r, v["pressure_formula"], {"x", "y", "z", "r", "rho"});
    else if (at != materials.end() && explosive(r.input, material))
      region.energy =
          r.input["materials"][material]["energy"].number() / r.input["materials"][material]["density"].number();
    else
      r.fail(v, "the region has no pressure", "Give `pressure` or `pressure_formula`.");
    if (!region.energy && at != materials.end() && burns(r.input, material))
      r.fail(v, fmt::format("'{}' burns from the detonation points on, and here has a pressure before", material),
             "Take the pressure out: the explosive has its `energy`, and none of its pressure before the front comes.");
    if (at != materials.end() && v.has("density") && v.has("pressure"))
      if (const std::string no = states[region.material]->objection(region.density, region.pressure); !no.empty())
        r.fail(v["pressure"], fmt::format("'{}' cannot be in this state: {}", material, no), state_hint);
    if (v.has("velocity_formula")) {
      for (std::size_t d = 0; d < v["velocity_formula"].size(); ++d)
        if (auto e = read_formula(r, v["velocity_formula"].at(d), {"x", "y", "z", "r"}))
          region.velocity_formula.push_back(*e);
    } else if (v.has("velocity")) {
      region.velocity = padded(v["velocity"].numbers());
    }
    out.push_back(std::move(region));
  }
  return out;
}

const std::vector<std::string> source_variables{"x", "y", "z", "r", "t"};

void read_materials(Reader& r, Parts& p) {
  const Values materials = r.input["materials"];
  for (const std::string& name : materials.keys()) {
    p.names.push_back(name);
    const Values v = materials[name];
    const std::string kind = v["kind"].text();
    if (kind == "ideal-gas") {
      p.materials.push_back(stiffened_gas(v["gamma"].number()));
    } else if (kind == "stiffened-gas") {
      p.materials.push_back(stiffened_gas(v["gamma"].number(), v["p_infinity"].number()));
    } else if (kind == "jwl") {
      p.materials.push_back(jones_wilkins_lee({v["density"].number(), v["A"].number(), v["B"].number(),
                                               v["R1"].number(), v["R2"].number(), v["omega"].number()}));
      if (v.has("afterburn") && v["afterburn"]["end"].number() <= v["afterburn"]["begin"].number())
        r.fail(v["afterburn"]["end"],
               fmt::format("the products burn on from {:g} s to {:g} s, which is no time",
                           v["afterburn"]["begin"].number(), v["afterburn"]["end"].number()),
               "Let it end later than it begins.");
    } else {
      auto table = read_eos_table(r.input.path(v["file"].text()));
      if (!table) {
        r.fail(v["file"], table.error().render(),
               "The table needs the columns density, energy, pressure and sound_speed.");
        p.materials.push_back(stiffened_gas(1.4));
      } else {
        p.materials.push_back(tabulated(std::move(table).value()));
      }
    }
  }
}

void read_boundaries(Reader& r, Parts& p) {
  const Geometry& g = p.geometry;
  p.boundary_names = g.boundary_names();
  p.boundaries.assign(p.boundary_names.size(), {});
  const Values sides = r.input["boundaries"];
  for (const std::string& name : sides.keys()) {
    const Values v = sides[name];
    const auto found = std::find(p.boundary_names.begin(), p.boundary_names.end(), name);
    if (found == p.boundary_names.end() || name == MeshZones::rest) {
      std::vector<std::string> known = p.boundary_names;
      std::erase(known, MeshZones::rest);
      if (g.is_grid())
        r.fail(v, fmt::format("the grid has no side '{}'", name),
               fmt::format("Its sides are {}.", fmt::join(known, ", ")));
      else
        r.fail(v, fmt::format("the mesh has no outer sides in a group '{}'", name),
               known.empty() ? std::string("None of its groups covers outer sides: make physical groups of them.")
                             : fmt::format("Its groups of outer sides are {}.", fmt::join(known, ", ")));
      continue;
    }
    BoundaryCondition bc;
    const auto index = found - p.boundary_names.begin();
    const std::string kind = v["kind"].text();
    if (kind == "free") bc.kind = BoundaryCondition::Kind::free;
    if (kind == "pressure") {
      bc.kind = BoundaryCondition::Kind::pressure;
      TimeCurve curve = read_time_curve(r, v, "pressure", "Pa");
      bc.over_time = std::move(curve.at);
      bc.bent = std::move(curve.bent);
      if (!bc.over_time) bc.value = v.number_or("pressure", 0);
      if (r.good()) check_pressure(r, p, static_cast<int>(index), v, bc.over_time ? curve.least : bc.value);
    }
    if (kind == "piston") {
      bc.kind = BoundaryCondition::Kind::piston;
      TimeCurve curve = read_time_curve(r, v, "speed", "m/s");
      bc.over_time = std::move(curve.at);
      if (curve.step_end) p.step_ends.push_back(std::move(curve.step_end));
      if (!bc.over_time) bc.value = v.number_or("speed", 0);
      if (v.has("direction")) {
        bc.normal = padded(v["direction"].numbers());
        if (bc.normal == Vec3{})
          r.fail(v["direction"], "the direction of the piston has no length", "Give a vector such as [1, 0].");
        else if (g.is_grid() && bc.normal[u(index / 2)] == 0)
          moves_along(r, v["direction"]);
      } else if (g.is_grid()) {
        bc.normal[u(index / 2)] = 1;
      }
    }
    p.boundaries[u(index)] = bc;
  }
  check_boundaries(r, p);
}

/// A power is taken at the times of stages: where it jumps within a step, or pulses, at some of the places that it heats, the step ends there.
void end_steps_of_source(Parts& p, const Source& source, double end) {
  const auto parsed = Expression::parse(source.formula, source_variables);
  if (!parsed) return;
  const Geometry& g = p.geometry;
  Vec3 lower = g.lower, upper = g.upper;
  if (source.region >= 0)
    if (const Extent& e = p.extents[u(source.region)]; !e.everywhere && e.group.empty()) {
      lower = e.lower;
      upper = e.upper;
    }
  for (int place = 0; place <= 1 << g.dim; ++place) {  // between corners and middle, and the middle
    Vec3 x{};
    for (int d = 0; d < g.dim; ++d) {
      const double share = place == 1 << g.dim ? 0.5 : (place >> d & 1) != 0 ? 0.79 : 0.21;
      x[u(d)] = lower[u(d)] + share * (upper[u(d)] - lower[u(d)]);
    }
    const std::function<double(double)> power = [formula = *parsed, x](double t) {
      const double now = formula(std::array{x[0], x[1], x[2], std::hypot(x[0], x[1], x[2]), t});
      return std::isfinite(now) ? now : 0;
    };
    constexpr int moments = 1000;
    bool steady = true;
    for (int i = 1; i <= moments && steady; ++i) steady = power(end * i / moments) == power(0);
    if (!steady) p.step_ends.push_back([power](double from, double to) { return end_of_step(power, from, to); });
  }
}

void read_sources(Reader& r, Parts& p) {
  const Values list = r.input["excitation"]["sources"];
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Values v = list.at(i);
    Source s;
    if (v.has("power")) {
      s.power = v["power"].number();
    } else if (v.has("power_formula")) {
      s.formula = v["power_formula"].text();
      (void)read_formula(r, v["power_formula"], source_variables);
    } else {
      r.fail(v, "the source has no power", "Give `power` or `power_formula`.");
    }
    if (v.has("region")) {
      const std::string name = v["region"].text();
      for (std::size_t k = 0; k < p.regions.size(); ++k)
        if (p.regions[k].name == name) s.region = static_cast<int>(k);
      if (s.region < 0)
        r.fail(v["region"], fmt::format("there is no region '{}'", name),
               "Give the region that is heated this `name`, or leave `region` out to heat everything.");
    }
    if (!s.formula.empty()) end_steps_of_source(p, s, r.input["parameters"]["end_time"].number());
    p.sources.push_back(std::move(s));
  }
}

/// Whether materials of a run have an afterburn.
bool burnt_on(const std::filesystem::path& run) {
  const auto document = CaseDocument::read(run / "case.json");
  if (!document || !document->json().contains("materials")) return false;
  const Json& materials = document->json()["materials"];
  return std::any_of(materials.begin(), materials.end(),
                     [](const Json& m) { return m.is_object() && m.contains("afterburn"); });
}

/// The start that another run gives.
void read_initial(Reader& r, Parts& p) {
  if (!r.input.values().has("initial") || !r.input["initial"].has("from")) return;
  const Values from = r.input["initial"]["from"];
  const Geometry& g = p.geometry;
  const Vec3 centre = padded(from["position"].numbers());
  if (g.turns > 0 && centre[u(g.dim - 1)] != 0)
    return r.fail(from["position"], "the middle of the run lies off the axis",
                  g.dim == 1 ? "Leave it out: it is the centre." : "Let its y be 0.");
  auto run = InitialRun::read(r.input.path(from["run"].text()), from["frame"].text(), g.dim, g.turns, centre);
  if (!run) return r.fail(from["run"], run.error().text, run.error().hint);
  p.initial = std::move(run).value();
  if (!burnt_on(r.input.path(from["run"].text()))) return;
  // Nothing says how much of it that run had by then but its case and its time.
  std::set<std::string> told;
  for (const Region& region : p.regions) {
    const std::string& name = p.names[region.material];
    const Values material = r.input["materials"][name];
    if (explosive(r.input, name) && material.has("afterburn") && told.insert(name).second)
      r.warn(
          material["afterburn"],
          fmt::format("the run that this one begins with has burnt on as well, until {:.4g} s; time begins at 0 again, "
                      "and all of this heat is given on top",
                      p.initial->time()),
          "Give the energy that was left then, and begin and end less by that time.");
  }
}

Parts read_parts(Reader& r, const Geometry* before) {
  Parts p;
  p.geometry = read_geometry(r, before);
  if (!r.good()) return p;
  read_materials(r, p);
  p.regions = read_regions(r, p.geometry, p.names, p.materials);
  for (const Region& region : p.regions) p.extents.push_back(region.extent);
  read_boundaries(r, p);
  read_sources(r, p);
  if (r.good()) read_initial(r, p);
  if (r.good()) check_cover(r, p.geometry, p.extents);
  return p;
}

/// One evaluator of all sources; made once a thread, as formulas keep scratch.
EnergySource make_source(const std::vector<Source>& sources) {
  struct Part {
    int region;
    double power;
    std::optional<Expression> formula;
  };
  auto parts = std::make_shared<std::vector<Part>>();
  for (const Source& s : sources) {
    std::optional<Expression> formula;
    if (!s.formula.empty()) formula = Expression::parse(s.formula, source_variables).value();
    parts->push_back({s.region, s.power, formula});
  }
  return [parts](const Vec3& x, double t, int region) {
    double sum = 0;
    const std::array<double, 5> v = {x[0], x[1], x[2], std::hypot(x[0], x[1], x[2]), t};
    for (const Part& part : *parts)
      if (part.region < 0 || part.region == region) sum += part.formula ? (*part.formula)(v) : part.power;
    return sum;
  };
}

/// Of each region; empty where nothing burns on.
std::vector<Afterburn> read_afterburn(const Case& input, const Parts& parts) {
  std::vector<Afterburn> out;
  bool any = false;
  for (const Region& region : parts.regions) {
    out.emplace_back();
    const Values material = input["materials"][parts.names[region.material]];
    if (!explosive(input, parts.names[region.material]) || !material.has("afterburn")) continue;
    const Values v = material["afterburn"];
    out.back() = {v["energy"].number(), v["begin"].number(), v["end"].number()};
    any = true;
  }
  return any ? out : std::vector<Afterburn>{};
}

Burn read_burn(const Case& input, const Parts& parts) {
  Burn out;
  const Values points = input["excitation"]["detonation"];
  for (std::size_t i = 0; i < points.size(); ++i)
    out.points.push_back({padded(points.at(i)["position"].numbers()), points.at(i)["time"].number()});
  out.front = input["parameters"]["burn_zones"].number();
  for (const Region& region : parts.regions) {
    const std::string& material = parts.names[region.material];
    out.velocity.push_back(burns(input, material) ? input["materials"][material]["detonation_velocity"].number() : 0);
  }
  return out;
}

/// Density, energy and velocity at the start: of regions, or of another run where that has material.
void set_start(Setup& s, const std::shared_ptr<Parts>& parts) {
  s.at_points = parts->initial != nullptr;
  const auto of_run = [parts](const Vec3& p) { return parts->initial ? parts->initial->at(p) : std::nullopt; };
  s.density = [parts, of_run](const Vec3& p, int region) {
    if (const auto there = of_run(p)) return there->density;
    return parts->regions[u(region)].density_at(p);
  };
  s.energy = [parts, of_run](const Vec3& p, int region) {
    if (const auto there = of_run(p)) return there->energy;
    const Region& here = parts->regions[u(region)];
    if (here.energy) return *here.energy;
    const double density = here.density_at(p), pressure = here.pressure_at(p);
    const EquationOfState& material = *parts->materials[here.material];
    if (const std::string no = material.objection(density, pressure); !no.empty())
      throw Failure(make_error(ErrorCode::invalid_input,
                               fmt::format("at ({:.6g}, {:.6g}, {:.6g}) '{}' cannot be in the state given: {}", p[0],
                                           p[1], p[2], parts->names[here.material], no),
                               state_hint));
    return material.energy(density, pressure);
  };
  s.velocity = [parts, of_run](const Vec3& p, int region) {
    if (const auto there = of_run(p)) return there->velocity;
    return parts->regions[u(region)].velocity_at(p);
  };
}

/// What follows from the zones and their order.
void set_resolution(Problem& out) {
  const Setup& s = out.setup;
  if (!out.own_courant)
    out.march.courant =
        usual_courant({s.k, out.geometry.dim, s.viscosity, out.stiff, out.march.integrator, s.viscosity_vanishes});
}

void set_parameters(Problem& out, const Case& input, const Parts& parts) {
  Setup& s = out.setup;
  const Values parameters = input["parameters"];
  s.k = static_cast<int>(parameters["order"].integer());
  s.viscosity = parameters["viscosity"].boolean();
  s.viscosity_vanishes = parameters["smooth_flow"].text() == "inviscid";
  s.vorticity_switch = parameters["vorticity_switch"].boolean();
  s.corner_matrices = parameters["corner_force"].text() == "matrices";
  s.mass_tolerance = parameters["mass_tolerance"].number();
  out.march.integrator = parameters["integrator"].text() == "rk4" ? Integrator::rk4 : Integrator::rk2_average;
  out.stiff = s.viscosity && !stiff_material(input, parts).empty();
  out.own_courant = !parameters["courant"].is_text();
  if (out.own_courant) out.march.courant = parameters["courant"].number();
  set_resolution(out);
  out.march.end_time = parameters["end_time"].number();
  if (!parts.step_ends.empty())
    out.march.step_end = [ends = parts.step_ends](double from, double to) {
      for (const auto& end : ends) to = end(from, to);
      return to;
    };
  out.stop_outside_table = parameters["outside_table"].text() == "stop";
}

void read_output(Problem& out, const Case& input) {
  const Values tracers = input["output"]["tracers"], gauges = input["output"]["gauges"],
               lines = input["output"]["lines"];
  for (std::size_t i = 0; i < tracers.size(); ++i) {
    const Values v = tracers.at(i);
    out.tracers.push_back({name_or_number(v, "tracer ", i + 1), padded(v["position"].numbers())});
  }
  for (std::size_t i = 0; i < gauges.size(); ++i) {
    const Values v = gauges.at(i);
    out.gauges.push_back({name_or_number(v, "gauge ", i + 1), padded(v["position"].numbers()), v["moves"].boolean(),
                          v.number_or("threshold", 0)});
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Values v = lines.at(i);
    out.lines.push_back({name_or_number(v, "line ", i + 1), padded(v["from"].numbers()), padded(v["to"].numbers()),
                         static_cast<int>(v["points"].integer())});
  }
  out.exact_sedov = input["output"]["exact"].text() == "sedov";
  if (input["output"].has("rows")) {
    const Values rows = input["output"]["rows"];
    if (rows.has("every")) out.rows.every = rows["every"].integer();
    if (rows.has("interval")) out.rows.interval = rows["interval"].number();
  }
}

/// A point energy, of what the case has of the whole blast; `energy_factor` must be known.
void set_blast(Problem& out, const Case& input, const Parts& parts) {
  const Values excitation = input["excitation"];
  if (!excitation.has("blast")) return;
  Setup& s = out.setup;
  const Geometry& g = parts.geometry;
  s.point_energy = excitation["blast"]["energy"].number();
  s.point = padded(excitation["blast"]["position"].numbers());
  if (!(s.point_energy > 0)) return;
  s.point_energy /= out.energy_factor;
  out.blast_dimension = g.dim + g.turns;
  out.blast_energy = excitation["blast"]["energy"].number();
  const Values material = input["materials"][parts.names[parts.regions[0].material]];
  if (material["kind"].text() == "ideal-gas") out.gamma = material["gamma"].number();
  for (int d = 0; d < g.dim; ++d) {
    if (folding_end(g, s.point, d) >= 0 && !(g.turns > 0 && d == g.dim - 1)) out.blast_energy *= 2;
  }
}

void fill_problem(Problem& out, const Case& input, const std::shared_ptr<Parts>& parts) {
  Setup& s = out.setup;
  out.geometry = parts->geometry;
  out.extents = parts->extents;
  for (const Region& region : parts->regions) s.materials.push_back(parts->materials[region.material]);
  s.boundaries = parts->boundaries;
  s.turns = out.geometry.turns;
  out.initial = parts->initial;
  set_start(s, parts);
  if (!parts->sources.empty()) s.energy_source = [parts] { return make_source(parts->sources); };
  s.burn = read_burn(input, *parts);
  s.afterburn = read_afterburn(input, *parts);
  s.gravity = padded(input["excitation"]["gravity"].numbers());
  set_parameters(out, input, *parts);
  out.material_names = parts->names;
  read_output(out, input);
  out.uniform = uniform(*parts);
  // Of the whole turn, or sphere; cylindrical flow is of a length of its axis.
  const int dimensions = out.geometry.dim + s.turns;
  out.energy_unit = dimensions == 3 ? "J" : dimensions == 2 ? "J/m" : "J/m^2";
  if (s.turns > 0) out.energy_factor = 2 * s.turns * std::numbers::pi;
  set_blast(out, input, *parts);
}

}  // namespace

bool uniform(const Parts& p) {
  return p.regions.size() == 1 && !p.initial && !p.regions[0].energy && !p.regions[0].density_formula &&
         !p.regions[0].pressure_formula;
}

std::string stiff_material(const Case& input, const Parts& p) {
  for (const Region& region : p.regions) {
    const Values material = input["materials"][p.names[region.material]];
    if (material["kind"].text() == "stiffened-gas" && material["p_infinity"].number() > 0)
      return p.names[region.material];
  }
  return {};
}

bool names_files(const Case& input) {
  if (input.values().has("initial") && input["initial"].has("from")) return true;
  for (const std::string& name : input["materials"].keys())
    if (input["materials"][name]["kind"].text() == "table") return true;
  const Values sides = input["boundaries"];
  for (const std::string& name : sides.keys())
    if (sides[name].has("pressure_file") || sides[name].has("speed_file")) return true;
  return false;
}

Reading<Problem> read_problem(const Case& input, const Mesh* mesh, Problem* before) {
  log::debug("hydro-fem: a problem was made of the case");
  Reading<Problem> out;
  Reader r(input, mesh, out.said);
  const auto parts = std::make_shared<Parts>(read_parts(r, before != nullptr ? &before->geometry : nullptr));
  check_parts(r, *parts);
  if (r.good()) {
    out.problem = std::make_unique<Problem>();
    fill_problem(*out.problem, input, parts);
  }
  return out;
}

std::optional<Problem> at_resolution(const Problem& problem, const std::vector<Index>& zones, int order) {
  Problem out = problem;
  Geometry& g = out.geometry;
  std::copy(zones.begin(), zones.end(), g.counts.begin());
  for (const Extent& e : out.extents)
    for (int d = 0; d < g.dim && g.is_grid() && !e.everywhere; ++d)
      if (g.inside_zones(d, e.lower[u(d)]) || g.inside_zones(d, e.upper[u(d)])) return {};
  if (g.uncovered(out.extents)) return {};
  out.setup.mesh = {};
  out.setup.k = order;
  set_resolution(out);
  return out;
}

}  // namespace conoid::hydro_fem
