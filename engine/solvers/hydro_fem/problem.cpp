// SPDX-License-Identifier: BSD-3-Clause
// Reading the sections of a case: grid, materials, regions, boundaries, excitation, parameters.
#include "engine/solvers/hydro_fem/problem.hpp"

#include "engine/case/expression.hpp"
#include "engine/core/units.hpp"
#include "engine/solvers/hydro_fem/eos_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>

#include <fmt/core.h>
#include <fmt/format.h>

namespace conoid::hydro_fem {
namespace {

std::size_t u(Index i) {
  return static_cast<std::size_t>(i);
}

/// Collects diagnostics at values of the case.
struct Reader {
  const Case& input;
  std::vector<Diagnostic> found;
  void wrong(const Values& at, std::string text, std::string hint) {
    found.push_back(input.error_at(at, std::move(text), std::move(hint)));
  }
  [[nodiscard]] bool good() const { return !has_errors(found); }
};

Vec3 padded(const std::vector<double>& v) {
  Vec3 p{};
  std::copy_n(v.begin(), std::min<std::size_t>(v.size(), 3), p.begin());
  return p;
}

struct Box {
  Vec3 lower{}, upper{};
  bool everywhere = true;
};

struct Region {
  std::string name;
  std::size_t material = 0;
  Box box;
  double density = 0;
  double pressure = 0;
  Vec3 velocity{};
  std::optional<Expression> density_formula, pressure_formula;
  std::vector<Expression> velocity_formula;

  [[nodiscard]] double density_at(const Vec3& p) const {
    if (!density_formula) return density;
    const std::array<double, 4> v = {p[0], p[1], p[2], std::hypot(p[0], p[1], p[2])};
    return (*density_formula)(v);
  }
  [[nodiscard]] double pressure_at(const Vec3& p) const {
    if (!pressure_formula) return pressure;
    const std::array<double, 5> v = {p[0], p[1], p[2], std::hypot(p[0], p[1], p[2]), density_at(p)};
    return (*pressure_formula)(v);
  }
  [[nodiscard]] Vec3 velocity_at(const Vec3& p) const {
    if (velocity_formula.empty()) return velocity;
    const std::array<double, 4> v = {p[0], p[1], p[2], std::hypot(p[0], p[1], p[2])};
    Vec3 out{};
    for (std::size_t d = 0; d < velocity_formula.size(); ++d) out[d] = velocity_formula[d](v);
    return out;
  }
};

struct Grid {
  int dim = 2;
  bool axisymmetric = false;
  Vec3 lower{}, upper{};
  std::array<Index, 3> zones{1, 1, 1};
  [[nodiscard]] Index count() const { return zones[0] * zones[1] * zones[2]; }
  [[nodiscard]] double step(int d) const {
    return (upper[u(d)] - lower[u(d)]) / static_cast<double>(zones[u(d)]);
  }
};

Grid read_grid(Reader& r) {
  const Values v = r.input["grid"];
  Grid g;
  const auto upper = v["upper"].numbers();
  const auto lower = v["lower"].numbers();
  g.dim = static_cast<int>(upper.size());
  g.upper = padded(upper);
  g.lower = padded(lower);
  for (std::size_t d = 0; d < v["zones"].size() && d < 3; ++d) g.zones[d] = v["zones"].at(d).integer();
  if (v["zones"].size() != upper.size())
    r.wrong(v["zones"], fmt::format("{} numbers of zones for {} dimensions", v["zones"].size(), g.dim),
            "Give one number for each axis of `upper`.");
  for (int d = 0; d < g.dim; ++d)
    if (!(g.upper[u(d)] > g.lower[u(d)]))
      r.wrong(v["upper"],
              fmt::format("the upper corner {} is not above the lower {} along {}", g.upper[u(d)],
                          g.lower[u(d)], "xyz"[d]),
              "Give the larger coordinate in `upper`.");
  g.axisymmetric = v["coordinates"].text() == "axisymmetric";
  if (g.axisymmetric && g.dim != 2)
    r.wrong(v["coordinates"], fmt::format("axisymmetric flow has two dimensions, found {}", g.dim),
            "Give `lower`, `upper` and `zones` two numbers: along the axis and along the radius.");
  if (g.axisymmetric && g.lower[1] < 0)
    r.wrong(v["lower"], fmt::format("the radius begins at {}", g.lower[1]),
            "Let y begin at 0 (on the axis) or above.");
  return g;
}

std::optional<Expression> read_formula(Reader& r, const Values& v, std::vector<std::string> variables) {
  auto parsed = Expression::parse(v.text(), std::move(variables));
  if (!parsed) {
    r.wrong(v, parsed.error().text, parsed.error().hint);
    return std::nullopt;
  }
  return *parsed;
}

std::vector<Region> read_regions(Reader& r, const Grid& g, const std::vector<std::string>& materials) {
  std::vector<Region> out;
  const Values list = r.input["regions"];
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Values v = list.at(i);
    Region region;
    region.name = v["name"].text();
    const std::string material = v["material"].text();
    const auto at = std::find(materials.begin(), materials.end(), material);
    if (at == materials.end())
      r.wrong(v["material"], fmt::format("there is no material '{}'", material),
              fmt::format("Choose one of: {}.", fmt::join(materials, ", ")));
    else
      region.material = static_cast<std::size_t>(at - materials.begin());
    region.box.everywhere = !v.has("lower") && !v.has("upper");
    region.box.lower = v.has("lower") ? padded(v["lower"].numbers()) : g.lower;
    region.box.upper = v.has("upper") ? padded(v["upper"].numbers()) : g.upper;
    for (const char* corner : {"lower", "upper"}) {
      if (!v.has(corner)) continue;
      const auto numbers = v[corner].numbers();
      if (static_cast<int>(numbers.size()) < g.dim) {
        r.wrong(v[corner], fmt::format("{} coordinates in {} dimensions", numbers.size(), g.dim),
                "Give one coordinate for each axis.");
        continue;
      }
      for (int d = 0; d < g.dim; ++d) {
        const double line = (numbers[u(d)] - g.lower[u(d)]) / g.step(d);
        const bool inside = line > 0 && line < static_cast<double>(g.zones[u(d)]);
        if (!inside || std::abs(line - std::round(line)) < 1e-6) continue;
        const double below = g.lower[u(d)] + std::floor(line) * g.step(d);
        r.wrong(
            v[corner],
            fmt::format(
                "the region ends at {} = {:.6g}, inside zones; the nearest zone edges are {:.6g} and {:.6g}",
                "xyz"[d], numbers[u(d)], below, below + g.step(d)),
            fmt::format("Move the border to a zone edge, or change `zones` along {} so that an edge falls "
                        "there: a jump inside a zone is not kept sharp.",
                        "xyz"[d]));
      }
    }
    if (v.has("density"))
      region.density = v["density"].number();
    else if (v.has("density_formula"))
      region.density_formula = read_formula(r, v["density_formula"], {"x", "y", "z", "r"});
    else
      r.wrong(v, "the region has no density", "Give `density` or `density_formula`.");
    if (v.has("pressure"))
      region.pressure = v["pressure"].number();
    else if (v.has("pressure_formula"))
      region.pressure_formula = read_formula(r, v["pressure_formula"], {"x", "y", "z", "r", "rho"});
    else
      r.wrong(v, "the region has no pressure", "Give `pressure` or `pressure_formula`.");
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

bool inside(const Box& b, const Vec3& p, int dim) {
  if (b.everywhere) return true;
  for (int d = 0; d < dim; ++d)
    if (p[u(d)] < b.lower[u(d)] || p[u(d)] > b.upper[u(d)]) return false;
  return true;
}

struct Parts {
  Grid grid;
  std::vector<std::string> names;
  std::vector<std::shared_ptr<const EquationOfState>> materials;
  std::vector<Region> regions;
  std::vector<BoundaryCondition> boundaries;
};

Parts read_parts(Reader& r) {
  Parts p;
  p.grid = read_grid(r);
  const Values materials = r.input["materials"];
  for (const std::string& name : materials.keys()) {
    p.names.push_back(name);
    const Values v = materials[name];
    const std::string model = v["model"].text();
    if (model == "ideal-gas") {
      p.materials.push_back(stiffened_gas(v["gamma"].number()));
    } else if (model == "stiffened-gas") {
      p.materials.push_back(stiffened_gas(v["gamma"].number(), v["p_infinity"].number()));
    } else {
      auto table = read_eos_table(r.input.path(v["file"].text()));
      if (!table) {
        r.wrong(v["file"], table.error().render(),
                "The table needs the columns density, energy, pressure and sound_speed.");
        p.materials.push_back(stiffened_gas(1.4));
      } else {
        p.materials.push_back(tabulated(std::move(table).value()));
      }
    }
  }
  p.regions = read_regions(r, p.grid, p.names);

  p.boundaries.assign(u(2 * p.grid.dim), {});
  const Values sides = r.input["boundaries"];
  for (const std::string& name : sides.keys()) {
    const Values v = sides[name];
    int index = -1;
    for (int d = 0; d < p.grid.dim; ++d)
      for (int end = 0; end < 2; ++end)
        if (name == fmt::format("{}_{}", "xyz"[d], end ? "max" : "min")) index = 2 * d + end;
    if (index < 0) {
      r.wrong(v, fmt::format("the grid has no side '{}'", name),
              fmt::format("Its sides are x_min, x_max{}{}.", p.grid.dim > 1 ? ", y_min, y_max" : "",
                          p.grid.dim > 2 ? ", z_min, z_max" : ""));
      continue;
    }
    BoundaryCondition bc;
    const std::string kind = v["kind"].text();
    if (kind == "free") bc.kind = BoundaryCondition::Kind::free;
    if (kind == "pressure") {
      bc.kind = BoundaryCondition::Kind::pressure;
      bc.value = v["pressure"].number();
    }
    if (kind == "piston") {
      bc.kind = BoundaryCondition::Kind::piston;
      bc.value = v["speed"].number();
      bc.normal[u(index / 2)] = 1;
    }
    p.boundaries[u(index)] = bc;
  }
  return p;
}

void check_cover(Reader& r, const Parts& p) {
  // The first zone that no region covers. Between two borders of regions all zones are alike: one of each is looked at.
  const Grid& g = p.grid;
  if (std::any_of(p.regions.begin(), p.regions.end(),
                  [](const Region& region) { return region.box.everywhere; }))
    return;
  std::array<std::vector<Index>, 3> samples{{{0}, {0}, {0}}};
  for (int d = 0; d < g.dim; ++d) {
    auto& list = samples[u(d)];
    for (const Region& region : p.regions)
      for (const double border : {region.box.lower[u(d)], region.box.upper[u(d)]}) {
        const double line = (border - g.lower[u(d)]) / g.step(d);
        if (line > 0 && line < static_cast<double>(g.zones[u(d)]))
          list.push_back(static_cast<Index>(line + 1e-6));
      }
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  const auto centre = [&](int d, Index i) {
    return d < g.dim ? g.lower[u(d)] + (static_cast<double>(i) + 0.5) * g.step(d) : 0.0;
  };
  for (const Index k : samples[2])
    for (const Index j : samples[1])
      for (const Index i : samples[0]) {
        const Vec3 c = {centre(0, i), centre(1, j), centre(2, k)};
        if (std::any_of(p.regions.begin(), p.regions.end(),
                        [&](const Region& region) { return inside(region.box, c, g.dim); }))
          continue;
        r.wrong(r.input["regions"],
                fmt::format("no region covers the zone at ({:.4g}, {:.4g}, {:.4g})", c[0], c[1], c[2]),
                "Let the first region have no box: it then fills what the others leave.");
        return;
      }
}

}  // namespace

Bytes problem_memory(const Case& input) {
  Reader r{input, {}};
  const Grid g = read_grid(r);
  const double k = static_cast<double>(input["parameters"]["order"].integer());
  const double dim = g.dim;
  const double points = std::pow(2 * k, dim);
  const double nodes = std::pow(k + 1, dim);
  const double energies = std::pow(k, dim);
  // Per zone: S and J0^-1 (dim² a point), mass; node terms and maps; inverse energy block; then some 14 nodal vectors.
  const double zone = 8 * (points * (2 * dim * dim + 1) + nodes * (dim + 3) + energies * (energies + 6) +
                           14 * dim * std::pow(k, dim));
  return static_cast<Bytes>(zone * static_cast<double>(g.count()));
}

std::vector<Diagnostic> check_problem(const Case& input) {
  Reader r{input, {}};
  const Parts p = read_parts(r);
  if (r.good()) check_cover(r, p);
  const Values blast = input["excitation"];
  if (r.good() && blast.has("blast")) {
    const Vec3 at = padded(blast["blast"]["position"].numbers());
    for (int d = 0; d < p.grid.dim; ++d)
      if (at[u(d)] < p.grid.lower[u(d)] || at[u(d)] > p.grid.upper[u(d)]) {
        r.wrong(blast["blast"]["position"], fmt::format("the blast lies outside the grid along {}", "xyz"[d]),
                "Move it inside.");
        break;
      }
  }
  if (r.good() && input["output"]["exact"].text() == "sedov") {
    const Values exact = input["output"]["exact"];
    const bool uniform =
        p.regions.size() == 1 && !p.regions[0].density_formula && !p.regions[0].pressure_formula;
    const bool ideal = input["materials"][p.names[p.regions[0].material]]["model"].text() == "ideal-gas";
    if (!blast.has("blast") || !uniform || !ideal)
      r.wrong(exact, "the exact solution of the blast needs one ideal gas of one density and a blast",
              "Give one region with `density`, an ideal gas and `excitation.blast`, or take out `exact`.");
    else if (std::abs(input["materials"][p.names[p.regions[0].material]]["gamma"].number() - 2) < 1e-6)
      r.wrong(exact, "the closed form of the blast is singular for gamma = 2",
              "Use another gamma, such as 1.4, or take out `exact`.");
  }
  const Values courant = input["parameters"]["courant"];
  if (courant.number() > 0.35 && input["parameters"]["viscosity"].boolean())
    for (const Region& region : p.regions) {
      const Values material = input["materials"][p.names[region.material]];
      if (material["model"].text() != "stiffened-gas" || !(material["p_infinity"].number() > 0)) continue;
      r.found.push_back(input.warning_at(
          courant,
          fmt::format("a Courant number of {:g} lets the viscosity ring in '{}', whose speed of sound hardly "
                      "depends on its state",
                      courant.number(), p.names[region.material]),
          "Use 0.3 with stiffened gases: nothing but the step limits small oscillations there."));
      break;
    }
  for (const char* list : {"tracers", "lines"}) {
    const Values v = input["output"][list];
    for (std::size_t i = 0; i < v.size() && r.good(); ++i)
      for (const char* key : {"position", "from", "to"}) {
        if (!v.at(i).has(key)) continue;
        const auto numbers = v.at(i)[key].numbers();
        bool inside = static_cast<int>(numbers.size()) == p.grid.dim;
        for (int d = 0; d < p.grid.dim && inside; ++d)
          inside = numbers[u(d)] >= p.grid.lower[u(d)] - 1e-9 * p.grid.step(d) &&
                   numbers[u(d)] <= p.grid.upper[u(d)] + 1e-9 * p.grid.step(d);
        if (inside) continue;
        r.wrong(v.at(i)[key],
                fmt::format("this is no point of the grid, which has {} coordinates", p.grid.dim),
                "Give one coordinate for each axis, inside the grid.");
        break;
      }
  }
  return std::move(r.found);
}

Problem make_problem(const Case& input) {
  Reader r{input, {}};
  auto parts = std::make_shared<Parts>(read_parts(r));
  if (r.good()) check_cover(r, *parts);
  for (const auto& d : r.found)
    if (d.severity == Severity::error) throw Failure(d);

  Problem out;
  const Grid& g = parts->grid;
  std::array<std::vector<double>, 3> lines;
  for (int d = 0; d < g.dim; ++d)
    for (Index i = 0; i <= g.zones[u(d)]; ++i)
      lines[u(d)].push_back(i == g.zones[u(d)] ? g.upper[u(d)]
                                               : g.lower[u(d)] + g.step(d) * static_cast<double>(i));
  Setup& s = out.setup;
  s.mesh = box_zones(g.dim, lines);
  const int corners = 1 << g.dim;
  for (Index z = 0; z < s.mesh.zone_count(); ++z) {
    Vec3 centre{};
    for (int c = 0; c < corners; ++c)
      for (int d = 0; d < g.dim; ++d)
        centre[u(d)] += s.mesh.vertices[u(s.mesh.zones[u(z * corners + c)] * g.dim + d)] / corners;
    for (std::size_t i = 0; i < parts->regions.size(); ++i)
      if (inside(parts->regions[i].box, centre, g.dim)) s.mesh.region[u(z)] = static_cast<int>(i);
  }
  for (const Region& region : parts->regions) s.materials.push_back(parts->materials[region.material]);
  s.boundaries = parts->boundaries;
  s.axisymmetric = g.axisymmetric;
  s.density = [parts](const Vec3& p, int region) { return parts->regions[u(region)].density_at(p); };
  s.energy = [parts](const Vec3& p, int region) {
    const Region& here = parts->regions[u(region)];
    return parts->materials[here.material]->energy(here.density_at(p), here.pressure_at(p));
  };
  s.velocity = [parts](const Vec3& p) {
    Vec3 v{};
    for (const Region& region : parts->regions)
      if (inside(region.box, p, parts->grid.dim)) v = region.velocity_at(p);
    return v;
  };
  const Values parameters = input["parameters"];
  s.k = static_cast<int>(parameters["order"].integer());
  s.viscosity = parameters["viscosity"].boolean();
  s.vorticity_switch = parameters["vorticity_switch"].boolean();
  s.mass_tolerance = parameters["mass_tolerance"].number();
  const Values excitation = input["excitation"];
  s.gravity = padded(excitation["gravity"].numbers());
  if (excitation.has("blast")) {
    s.point_energy = excitation["blast"]["energy"].number();
    s.point = padded(excitation["blast"]["position"].numbers());
  }
  out.march.integrator = parameters["integrator"].text() == "rk4" ? Integrator::rk4 : Integrator::rk2_average;
  out.march.courant = parameters["courant"].number();
  out.march.end_time = parameters["end_time"].number();
  out.material_names = parts->names;
  const Values tracers = input["output"]["tracers"];
  for (std::size_t i = 0; i < tracers.size(); ++i) {
    std::string name = tracers.at(i)["name"].text();
    if (name.empty()) name = fmt::format("tracer {}", i + 1);
    out.tracers.push_back({std::move(name), padded(tracers.at(i)["position"].numbers())});
  }
  const Values line_outs = input["output"]["lines"];
  for (std::size_t i = 0; i < line_outs.size(); ++i) {
    const Values v = line_outs.at(i);
    std::string name = v["name"].text();
    if (name.empty()) name = fmt::format("line {}", i + 1);
    out.lines.push_back({std::move(name), padded(v["from"].numbers()), padded(v["to"].numbers()),
                         static_cast<int>(v["points"].integer())});
  }
  out.exact_sedov = input["output"]["exact"].text() == "sedov";
  out.zones = g.zones;
  out.lower = g.lower;
  out.upper = g.upper;
  out.energy_unit = g.axisymmetric || g.dim == 3 ? "J" : g.dim == 2 ? "J/m" : "J/m^2";
  if (g.axisymmetric) out.energy_factor = 2 * std::numbers::pi;
  if (s.point_energy > 0) {
    s.point_energy /= out.energy_factor;
    out.blast_dimension = g.axisymmetric ? 3 : g.dim;
    out.blast_energy = excitation["blast"]["energy"].number();
    const Values material = input["materials"][parts->names[parts->regions[0].material]];
    if (material["model"].text() == "ideal-gas") out.gamma = material["gamma"].number();
    for (int d = 0; d < g.dim; ++d) {
      const double slack = 0.5 * g.step(d);
      const bool folded = s.point[u(d)] < g.lower[u(d)] + slack || s.point[u(d)] > g.upper[u(d)] - slack;
      if (folded && !(g.axisymmetric && d == 1)) out.blast_energy *= 2;
    }
  }
  return out;
}

}  // namespace conoid::hydro_fem
