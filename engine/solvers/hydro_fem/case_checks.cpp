// SPDX-License-Identifier: BSD-3-Clause
// What is wrong between the sections of a case: sides, places, blasts, burning, axes, Courant numbers.
#include "engine/solvers/hydro_fem/case_parts.hpp"

#include "engine/solvers/hydro_fem/discretization/index.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>

#include <fmt/core.h>
#include <fmt/format.h>

namespace conoid::hydro_fem {
namespace {

using Reader = ProblemReader;

/// Sides that v·n = 0 cannot hold on: curved ones; and plane ones that meet in such a blunt angle that a curved wall must
/// have been meant, whose shared nodes would stand still.
void check_walls(Reader& r, const Parts& p) {
  if (p.geometry.is_grid()) return;
  const ZoneMesh& m = p.geometry.mesh->zones;
  const Values sides = r.input["boundaries"];
  const auto at = [&](int boundary) {
    const std::string& name = p.boundary_names[u(boundary)];
    return sides.has(name) ? sides[name] : sides;
  };
  std::map<Index, std::vector<std::pair<Vec3, int>>> normals;  // at vertices
  for (const auto& face : m.faces) {
    const auto kind = p.boundaries[u(face.boundary)].kind;
    if (kind != BoundaryCondition::Kind::wall && kind != BoundaryCondition::Kind::piston) continue;
    const SidePlane plane = side_plane(m, face);
    const Vec3& c = plane.middle;
    const BoundaryCondition& bc = p.boundaries[u(face.boundary)];
    if (kind == BoundaryCondition::Kind::piston && bc.normal != Vec3{} && std::abs(share_across(bc, plane)) < 1e-6)
      return moves_along(r, at(face.boundary)["direction"]);
    if (plane.off > flat_side) {
      r.fail(at(face.boundary),
             fmt::format("'{}' is curved at ({:.5g}, {:.5g}, {:.5g}), and walls and pistons are planes",
                         p.boundary_names[u(face.boundary)], c[0], c[1], c[2]),
             "Let it be free or under pressure, or mesh it with straight sides. Sides without a condition "
             "are walls.");
      return;
    }
    for (int corner = 0; corner < (1 << m.dim); ++corner)
      if ((corner >> (face.side / 2) & 1) == face.side % 2)
        normals[m.zones[u(face.zone * (1 << m.dim) + corner)]].emplace_back(plane.normal, face.boundary);
  }
  for (const auto& [vertex, list] : normals)
    for (const auto& [n, boundary] : list) {
      const Vec3& a = list.front().first;
      const double cosine = std::clamp(a[0] * n[0] + a[1] * n[1] + a[2] * n[2], -1.0, 1.0);
      const double degrees = std::acos(cosine) * 180 / std::numbers::pi;
      if (degrees < 0.01 || degrees > 30) continue;
      const Vec3 x = m.vertex(vertex);
      r.out.push_back(r.input.warning_at(at(boundary),
                                         fmt::format("two walls meet at {:.3g} degrees at ({:.5g}, {:.5g}, "
                                                     "{:.5g}): what touches their edge stands still",
                                                     degrees, x[0], x[1], x[2]),
                                         "A curved wall made of plane pieces holds the material at every "
                                         "edge. Let it be free or under pressure, or "
                                         "use the planes of symmetry only."));
      return;
    }
}

/// Where entropy falls outwards a surface that is thrown outwards is unstable, and the pole of an axisymmetric one, where an error of the
/// force is twice that beside it and stays in its place, shows it first. README.md, "Limits".
void check_poles(Reader& r, const Parts& p) {
  const int order = static_cast<int>(r.input["parameters"]["order"].integer());
  if (p.geometry.is_grid() || p.geometry.turns == 0 || p.geometry.dim < 2 || order > 2) return;
  const ZoneMesh& m = p.geometry.mesh->zones;
  for (const auto& face : m.faces) {
    const auto kind = p.boundaries[u(face.boundary)].kind;
    if (kind != BoundaryCondition::Kind::free && kind != BoundaryCondition::Kind::pressure) continue;
    for (int corner = 0; corner < 4; ++corner) {
      if ((corner >> (face.side / 2) & 1) != face.side % 2) continue;
      const Vec3 x = m.vertex(m.zones[u(face.zone * 4 + corner)]);
      if (x[1] > 1e-9 * (p.geometry.upper[1] - p.geometry.lower[1])) continue;
      r.out.push_back(r.input.warning_at(
          r.input["parameters"]["order"],
          fmt::format(
              "'{}' meets the axis at x = {:.5g}: if the entropy of the gas falls outwards there, such a surface is "
              "unstable, and at order {} density at the pole may not get better with smaller zones (a tenth off)",
              p.boundary_names[u(face.boundary)], x[0], order),
          "Use order 3, which begins with a hundredth of the error, or zones that curve with the surface inside as "
          "well, "
          "which begin with a fifth; what lies deeper is right at any order."));
      return;
    }
  }
}

/// Nothing can move away from the centre of cylindrical or spherical flow, or from the axis.
void check_centre(Reader& r, const Parts& p) {
  const Geometry& g = p.geometry;
  const int radius = g.dim - 1;
  const double least = 1e-12 * g.upper[u(radius)];
  if (g.turns == 0 || g.lower[u(radius)] > least) return;
  const Values sides = r.input["boundaries"];
  const auto refuse = [&](int boundary) {
    if (p.boundaries[u(boundary)].kind != BoundaryCondition::Kind::wall)
      r.fail(sides[p.boundary_names[u(boundary)]],
             g.dim == 1 ? "the side at radius 0 is the centre, which stands still"
                        : "this side lies on the axis, from which nothing moves away",
             g.dim == 1 ? "Leave it out, or let the radius begin above 0." : "Leave it out, or let y begin above 0.");
  };
  if (g.is_grid()) return refuse(2 * radius);
  const ZoneMesh& m = g.mesh->zones;
  const int corners = 1 << g.dim;
  for (const auto& face : m.faces) {
    bool on_it = true;
    for (int corner = 0; corner < corners && on_it; ++corner)
      on_it = (corner >> (face.side / 2) & 1) != face.side % 2 ||
              m.vertex(m.zones[u(face.zone * corners + corner)])[u(radius)] <= least;
    if (!on_it) continue;
    refuse(face.boundary);
    if (!r.good()) return;
  }
}

/// Zones whose map folds over, at the points of the lowest order that holds it; those of higher orders are looked at when
/// a run is prepared.
void check_shapes(Reader& r, const ZoneMesh& mesh) {
  const Tables tables(mesh.quadratic.empty() ? 1 : 2);
  const reference::ZoneTables zone_tables(tables, mesh.dim);
  const Space space(mesh, tables.k);
  for (Index zone = 0; zone < space.zones; ++zone)
    for (int q = 0; q < zone_tables.points; ++q) {
      const reference::Spot spot = reference::spot_of(zone_tables, space, space.x0.data(), zone, q);
      const double det = reference::determinant(mesh.dim, spot.J);
      if (det > 0) continue;
      return r.fail(r.input["mesh"]["file"],
                    fmt::format("zone {} is tangled: its Jacobian is {:.3g} at ({:.5g}, {:.5g}, {:.5g})", zone, det,
                                spot.x[0], spot.x[1], spot.x[2]),
                    "Mesh it finer there, or move its corners and the nodes of its sides apart.");
    }
}

/// Whether a point lies beyond the box around all zones.
bool lies_outside(const Geometry& g, const Values& position) {
  const auto numbers = position.numbers();
  for (int d = 0; d < g.dim && u(d) < numbers.size(); ++d)
    if (numbers[u(d)] < g.lower[u(d)] - 1e-9 * g.step(d) || numbers[u(d)] > g.upper[u(d)] + 1e-9 * g.step(d))
      return true;
  return false;
}

/// What may be meant, and is more often a slip of units.
void warn_outside(Reader& r, const Geometry& g, const Values& position, const std::string& what) {
  if (lies_outside(g, position))
    r.warn(position, fmt::format("this point lies outside the {}: {}", g.is_grid() ? "grid" : "mesh", what),
           "Numbers without a unit are in metres; write for example \"20 mm\" otherwise.");
}

/// Points of detonation that nothing takes up, or that lack a coordinate.
void check_burn(Reader& r, const Parts& p) {
  const Values points = r.input["excitation"]["detonation"];
  for (std::size_t i = 0; i < points.size(); ++i)
    if (static_cast<int>(points.at(i)["position"].size()) < p.geometry.dim)
      return r.fail(points.at(i)["position"],
                    fmt::format("this point has {} coordinates, the {} {}", points.at(i)["position"].size(),
                                p.geometry.is_grid() ? "grid" : "mesh", p.geometry.dim),
                    "Give one coordinate for each axis.");
  for (std::size_t i = 0; i < points.size(); ++i)
    warn_outside(r, p.geometry, points.at(i)["position"], "its front runs from there, and burns nothing on its way");
  double soonest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < points.size(); ++i) soonest = std::min(soonest, points.at(i)["time"].number());
  if (points.size() > 0 && soonest >= r.input["parameters"]["end_time"].number())
    r.warn(points, "the run ends before any of these points is lit", "Give earlier times, or a later `end_time`.");
  if (points.size() == 0 || read_burn(r.input, p).any()) return;
  r.fail(points, "there are detonation points, and no region burns",
         "Give a region a material of kind jwl with a `detonation_velocity`, or take the points out.");
}

/// Tracers are points of the material at the start. Lines are looked along at the end, wherever it has gone by then.
void check_places(Reader& r, const Geometry& g) {
  for (const char* list : {"tracers", "gauges", "lines"}) r.tell_apart(r.input["output"][list], list);
  const Values tracers = r.input["output"]["tracers"], lines = r.input["output"]["lines"];
  const auto axes = [&](const Values& v) {
    if (static_cast<int>(v.size()) == g.dim) return true;
    r.fail(v, fmt::format("this point has {} coordinates, the {} {}", v.size(), g.is_grid() ? "grid" : "mesh", g.dim),
           "Give one coordinate for each axis.");
    return false;
  };
  for (std::size_t i = 0; i < tracers.size() && r.good(); ++i) {
    const Values v = tracers.at(i)["position"];
    if (!axes(v)) return;
    if (lies_outside(g, v))
      r.fail(v, fmt::format("the tracer is no point of the {}", g.is_grid() ? "grid" : "mesh"),
             "Put it inside the material at the start: it is carried along from there.");
  }
  const Values gauges = r.input["output"]["gauges"];
  for (std::size_t i = 0; i < gauges.size() && r.good(); ++i) {
    const Values v = gauges.at(i)["position"];
    if (!axes(v)) return;
    if (gauges.at(i)["moves"].boolean() && lies_outside(g, v))
      r.fail(v,
             fmt::format("the gauge moves with the material and is no point of the {}", g.is_grid() ? "grid" : "mesh"),
             "Put it inside the material at the start, or let it stay in space.");
    else
      warn_outside(r, g, v, "the gauge has pressure 0 until material comes there");
  }
  for (std::size_t i = 0; i < lines.size() && r.good(); ++i) {
    const Values v = lines.at(i);
    if (!axes(v["from"]) || !axes(v["to"])) return;
    if (v["from"].numbers() == v["to"].numbers()) r.fail(v["to"], "the line has no length", "Let it end elsewhere.");
  }
}

/// Of the exact blast: its centre lies on the axis, and planes through it are mirrors.
void check_exact_centre(Reader& r, const Parts& p) {
  const Geometry& g = p.geometry;
  const Values position = r.input["excitation"]["blast"]["position"], exact = r.input["output"]["exact"];
  const Vec3 at = padded(position.numbers());
  for (int d = 0; d < g.dim && r.good(); ++d) {
    const int end = folding_end(g, at, d);
    if (g.turns > 0 && d == g.dim - 1) {
      if (end != 0 || g.lower[u(d)] > 1e-12 * g.upper[u(d)])
        r.fail(position,
               "the exact solution is that of a blast at a point, and off the axis this one is a ring or a shell",
               g.dim == 1 ? "Put it at radius 0, or take out `exact`." : "Let its y be 0, or take out `exact`.");
    } else if (end >= 0 && g.is_grid() && p.boundaries[u(2 * d + end)].kind != BoundaryCondition::Kind::wall) {
      r.fail(exact,
             fmt::format("the exact solution is mirrored at sides through the centre of the blast, and '{}' is no wall",
                         p.boundary_names[u(2 * d + end)]),
             "Let that side be a plane of symmetry, or take out `exact`.");
    }
  }
}

void check_blast(Reader& r, const Parts& p) {
  const Case& input = r.input;
  const Geometry& g = p.geometry;
  const Values blast = input["excitation"];
  if (blast.has("blast")) {
    const Vec3 at = padded(blast["blast"]["position"].numbers());
    for (int d = 0; d < g.dim; ++d)
      if (at[u(d)] < g.lower[u(d)] || at[u(d)] > g.upper[u(d)]) {
        r.fail(blast["blast"]["position"],
               fmt::format("the blast lies outside the {} along {}", g.is_grid() ? "grid" : "mesh", "xyz"[d]),
               "Move it inside.");
        break;
      }
  }
  if (r.good() && input["output"]["exact"].text() == "sedov") {
    const Values exact = input["output"]["exact"];
    const bool ideal = input["materials"][p.names[p.regions[0].material]]["kind"].text() == "ideal-gas";
    if (!blast.has("blast") || !uniform(p) || !ideal)
      r.fail(exact, "the exact solution of the blast needs one ideal gas of one density and a blast",
             "Give one region with `density`, an ideal gas and `excitation.blast`, or take out `exact`.");
    else if (std::abs(input["materials"][p.names[p.regions[0].material]]["gamma"].number() - 2) < 1e-6)
      r.fail(exact, "the closed form of the blast is singular for gamma = 2",
             "Use another gamma, such as 1.4, or take out `exact`.");
    else
      check_exact_centre(r, p);
  }
}

/// A Courant number that viscosity does not bear.
void check_courant(Reader& r, const Parts& p) {
  const Case& input = r.input;
  const Values courant = input["parameters"]["courant"];
  if (courant.is_text() || !input["parameters"]["viscosity"].boolean()) return;
  const auto order = static_cast<int>(input["parameters"]["order"].integer());
  const double bearable = stable_courant(order, p.geometry.dim);
  const std::string stiff = stiff_material(input, p);
  if (!stiff.empty() && courant.number() > 1.1 * bearable)
    r.out.push_back(input.warning_at(
        courant,
        fmt::format("a Courant number of {:g} lets the viscosity ring in '{}', whose speed of sound hardly "
                    "depends on its state",
                    courant.number(), stiff),
        fmt::format("Use {:.2g} or auto: nothing but the step limits small oscillations there.", bearable)));
  else if (courant.number() > 1.1 * bearable)
    r.out.push_back(input.warning_at(
        courant,
        fmt::format("at order {} the viscosity bears a Courant number of {:.2g}, found {:g}", order, bearable,
                    courant.number()),
        order > 4
            ? "Use auto: longer steps ring at the shortest waves of a zone and end in more steps, or in a collapse."
            : "Use auto: with longer steps gas at rest rings at the shortest waves of a zone, with a ten-thousandth "
              "to a "
              "thousandth of its speed of sound."));
}

/// What is given along axes that the flow has not, and of which nothing would come.
void check_axes(Reader& r, const Geometry& g) {
  const Case& input = r.input;
  const auto beyond = [&](const Values& at, std::size_t axis, const std::string& found) {
    r.fail(at,
           fmt::format("{} is given along {}, and the {} has {}", found, "xyz"[axis], g.is_grid() ? "grid" : "mesh",
                       g.dim == 1 ? "one axis" : "two axes"),
           g.is_grid() ? "Take it out, or give `grid` a number for each axis." : "Take it out.");
  };
  const auto look = [&](const Values& at) {
    const auto numbers = at.numbers();
    for (std::size_t d = u(g.dim); d < numbers.size(); ++d)
      if (numbers[d] != 0) return beyond(at, d, fmt::format("{:g}", numbers[d]));
  };
  const auto look_if = [&](const Values& of, const char* key) {
    if (of.has(key)) look(of[key]);
  };
  const Values excitation = input["excitation"], regions = input["regions"], points = excitation["detonation"];
  look(excitation["gravity"]);
  if (excitation.has("blast")) look(excitation["blast"]["position"]);
  for (std::size_t i = 0; i < points.size(); ++i) look(points.at(i)["position"]);
  for (std::size_t i = 0; i < regions.size(); ++i) {
    for (const char* key : {"lower", "upper", "velocity"}) look_if(regions.at(i), key);
    if (!regions.at(i).has("velocity_formula")) continue;
    const Values formulas = regions.at(i)["velocity_formula"];
    for (std::size_t d = u(g.dim); d < formulas.size(); ++d)
      if (formulas.at(d).text() != "0") beyond(formulas.at(d), d, fmt::format("'{}'", formulas.at(d).text()));
  }
  const Values sides = input["boundaries"];
  for (const std::string& name : sides.keys()) look_if(sides[name], "direction");
  if (input.values().has("initial") && input["initial"].has("from")) look(input["initial"]["from"]["position"]);
  if (g.is_grid()) look(input["grid"]["lower"]);
  const auto radius = u(g.dim - 1);
  if (g.turns > 0 && r.good() && excitation["gravity"].size() > radius && excitation["gravity"].numbers()[radius] != 0)
    r.out.push_back(input.warning_at(
        excitation["gravity"],
        fmt::format("the body force along {} acts along the radius, on all sides of the {} alike", "xyz"[radius],
                    g.turns > 1 ? "centre" : "axis"),
        g.dim == 1 ? "Weight has one direction: give the flow its plane (axisymmetric, along x) or three dimensions."
                   : "Weight in axisymmetric flow acts along x; across the axis it takes three dimensions."));
}

}  // namespace

void moves_along(Reader& r, const Values& direction) {
  r.fail(direction, "the piston moves along its own side, and pushes nothing",
         "Give a direction that leads away from the side, such as the one that it stands on.");
}

void check_pressure(Reader& r, const Parts& p, int boundary, const Values& side, double least) {
  if (!(least < 0)) return;
  const ZoneMesh m = p.geometry.zones(p.extents);
  for (const auto& face : m.faces) {
    const int region = m.region[u(face.zone)];
    if (face.boundary != boundary || region < 0) continue;
    const std::size_t material = p.regions[u(region)].material;
    const double bears = p.materials[material]->least_pressure();
    if (least >= bears) continue;
    const char* key = side.has("pressure_formula") ? "pressure_formula"
                      : side.has("pressure_file")  ? "pressure_file"
                                                   : "pressure";
    return r.fail(side[key],
                  fmt::format("the pressure on '{}' is {:.5g} Pa{}, and '{}' beside it has none below {:.5g} Pa",
                              p.boundary_names[u(boundary)], least,
                              side.has("pressure") ? "" : " at some time of the run", p.names[material], bears),
                  "Pressure from outside is absolute: add that of the surroundings to an overpressure.");
  }
}

int folding_end(const Geometry& g, const Vec3& point, int d) {
  const double little = 1e-6 * (g.upper[u(d)] - g.lower[u(d)]), last = static_cast<double>(g.counts[u(d)] - 1);
  const double first_slack = g.is_grid() ? 0.5 * (g.line_at(d, 1) - g.lower[u(d)]) : little;
  const double last_slack = g.is_grid() ? 0.5 * (g.upper[u(d)] - g.line_at(d, last)) : little;
  if (point[u(d)] < g.lower[u(d)] + first_slack) return 0;
  return point[u(d)] > g.upper[u(d)] - last_slack ? 1 : -1;
}

void check_boundaries(Reader& r, const Parts& p) {
  check_walls(r, p);
  check_centre(r, p);
  if (r.good()) check_poles(r, p);
}

void check_parts(Reader& r, const Parts& p) {
  const Geometry& g = p.geometry;
  if (r.good()) check_axes(r, g);
  if (r.good()) check_blast(r, p);
  if (r.good() && !g.is_grid()) check_shapes(r, g.mesh->zones);
  if (r.good()) check_courant(r, p);
  if (r.good()) check_burn(r, p);
  check_places(r, g);
}

}  // namespace conoid::hydro_fem
