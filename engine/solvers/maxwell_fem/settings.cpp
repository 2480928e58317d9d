// SPDX-License-Identifier: BSD-3-Clause
// Reading a case.
#include "engine/solvers/maxwell_fem/settings.hpp"

#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/mesh/quality.hpp"
#include "engine/mesh/topology.hpp"
#include "engine/solvers/maxwell_fem/mesh/offset.hpp"
#include "engine/solvers/maxwell_fem/pi.hpp"
#include "engine/team/machine.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

namespace conoid::maxwell_fem {

using namespace conoid::vec;

namespace {

std::vector<double> spread(const Values& v) {
  const double from = v["from"].number(), to = v["to"].number();
  const Index n = v["count"].integer();
  std::vector<double> out;
  for (Index k = 0; k < n; ++k)
    out.push_back(n == 1 ? from : from + (to - from) * static_cast<double>(k) / static_cast<double>(n - 1));
  return out;
}

int material_number(const Case& input, const Settings& s, const Values& at, std::vector<Diagnostic>& out) {
  const std::string name = at.text();
  for (std::size_t m = 0; m < s.material_names.size(); ++m)
    if (s.material_names[m] == name) return static_cast<int>(m);
  std::string known;
  for (const std::string& n : s.material_names) known += (known.empty() ? "" : ", ") + n;
  out.push_back(input.error_at(at, fmt::format("there is no material '{}'", name),
                               "Define it under /materials; there are: " + known + "."));
  return 0;
}

FieldPlane read_plane(const Case& input, const Values& v, std::size_t number, std::vector<Diagnostic>& out) {
  FieldPlane p;
  p.name = v["name"].text();
  if (p.name.empty()) p.name = fmt::format("plane {}", number);
  const std::size_t normal = std::string_view("xyz").find(v["normal"].text());
  const Vec3 low = v["low"].vec3(), high = v["high"].vec3();
  p.origin = low;
  std::size_t k = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    if (d == normal) continue;
    p.points[d] = v["points"].at(k++).integer();
    p.spacing[d] = (high[d] - low[d]) / static_cast<double>(p.points[d] - 1);
    if (!(p.spacing[d] > 0))
      out.push_back(input.error_at(v, fmt::format("the plane has no extent along {}", "xyz"[d]),
                                   "Give low and high corners that differ along both axes in the plane."));
  }
  return p;
}

Boundary read_boundary(const Case& input, const Values& v, std::vector<Diagnostic>& out) {
  const std::string kind = v["kind"].text();
  Boundary b;
  b.kind = kind == "pmc"         ? BoundaryKind::pmc
           : kind == "impedance" ? BoundaryKind::impedance
           : kind == "outer"     ? BoundaryKind::outer
           : kind == "currents"  ? BoundaryKind::currents
                                 : BoundaryKind::pec;
  b.surface_impedance = {v["resistance"].number(), v["reactance"].number()};
  if (b.kind == BoundaryKind::impedance && std::abs(b.surface_impedance) < 1e-9)
    out.push_back(input.error_at(v, "an impedance of 0 ohm", "Give a resistance or a reactance, or use the kind pec."));
  return b;
}

}  // namespace

std::vector<Vec3> FieldPlane::positions() const {
  std::vector<Vec3> out;
  for (Index z = 0; z < points[2]; ++z)
    for (Index y = 0; y < points[1]; ++y)
      for (Index x = 0; x < points[0]; ++x)
        out.push_back({origin[0] + static_cast<double>(x) * spacing[0], origin[1] + static_cast<double>(y) * spacing[1],
                       origin[2] + static_cast<double>(z) * spacing[2]});
  return out;
}

std::vector<Medium> Settings::media(double frequency) const {
  std::vector<Medium> out;
  for (const MaterialLaw& law : laws) out.push_back(law(frequency));
  return out;
}

std::vector<Direction> Settings::incidences() const {
  if (!monostatic) return {incidence};
  std::vector<Direction> out;
  for (std::size_t a = 0; a < monostatic->angles.size(); ++a) out.push_back(monostatic->direction(a));
  return out;
}

std::vector<PlaneWave> Settings::waves(double frequency) const {
  const double k = 2 * pi * frequency / light_speed;
  std::vector<PlaneWave> out;
  for (const Direction& d : incidences()) {
    if (vertical) out.push_back(wave_from(d, false, k));
    if (horizontal) out.push_back(wave_from(d, true, k));
  }
  return out;
}

Settings read_settings(const Case& input, std::vector<Diagnostic>& out) {
  Settings s;
  const Values root = input.values(), excitation = root["excitation"], parameters = root["parameters"],
               truncation = root["truncation"], output = root["output"];
  s.laws.emplace_back([](double) { return Medium{}; });
  const Values materials = root["materials"];
  for (const std::string& name : materials.keys()) {
    std::string problem;
    s.laws.push_back(read_material(materials[name], problem));
    s.material_names.push_back(name);
    if (!problem.empty())
      out.push_back(input.error_at(materials[name], problem, "See the help of the fields of this material."));
  }
  if (excitation.has("sweep")) {
    s.frequencies = spread(excitation["sweep"]);
    if (s.frequencies.back() < s.frequencies.front())
      out.push_back(input.error_at(excitation["sweep"], "the frequencies run backwards", "Give from ≤ to."));
  } else if (excitation.has("frequency")) {
    s.frequencies = {excitation["frequency"].number()};
  } else {
    out.push_back(
        input.error_at(excitation, "there is no frequency", "Give excitation.frequency or excitation.sweep."));
    s.frequencies = {1e9};
  }
  s.incidence = {excitation["theta"].number(), excitation["phi"].number()};
  const std::string polarisation = excitation["polarisation"].text();
  s.vertical = polarisation != "H";
  s.horizontal = polarisation != "V";
  if (excitation.has("monostatic")) {
    const Values m = excitation["monostatic"];
    Cut c;
    c.name = "monostatic";
    c.phi_runs = m["vary"].text() == "phi";
    c.fixed = c.phi_runs ? s.incidence.theta : s.incidence.phi;
    c.angles = spread(m);
    s.monostatic = c;
  }
  const Values cuts = output["cuts"];
  for (std::size_t k = 0; k < cuts.size(); ++k) {
    Cut c;
    c.name = cuts.at(k)["name"].text();
    if (c.name.empty()) c.name = fmt::format("cut {}", k + 1);
    c.phi_runs = cuts.at(k)["vary"].text() == "phi";
    c.fixed = cuts.at(k)["fixed"].number();
    c.angles = spread(cuts.at(k));
    s.cuts.push_back(c);
  }
  if (s.cuts.empty() && !s.monostatic)
    for (const auto& [name, phi] : {std::pair{"phi 0", 0.0}, {"phi 90", pi / 2}}) {
      Cut c;
      c.name = name;
      c.fixed = phi;
      for (int d = 0; d <= 180; ++d) c.angles.push_back(d * pi / 180);
      s.cuts.push_back(c);
    }
  if (root.has("sphere")) {
    const Values v = root["sphere"];
    SphereSetting p;
    p.radius = v["radius"].number();
    if (!v["material"].text().empty()) p.core_material = material_number(input, s, v["material"], out);
    p.divisions = static_cast<int>(v["divisions"].integer());
    p.layers = static_cast<int>(v["layers"].integer());
    p.curved = v["curved"].boolean();
    if (v.has("coat")) {
      p.coat = v["coat"]["thickness"].number();
      p.coat_material = material_number(input, s, v["coat"]["material"], out);
      p.coat_layers = static_cast<int>(v["coat"]["layers"].integer());
    }
    s.sphere = p;
    if (root.has("mesh"))
      out.push_back(input.error_at(v, "the case has a mesh and a sphere", "Leave one of them out."));
  } else if (!root.has("mesh")) {
    out.push_back(make_error(ErrorCode::invalid_input, "the case has neither a mesh nor a sphere",
                             "Give \"mesh\": {\"file\": …} or \"sphere\": {\"radius\": …}.", {"", 0, "/mesh"}));
  }
  const Values body = root["body"];
  if (body["kind"].text() == "material") {
    if (s.sphere) out.push_back(input.error_at(body, "the sphere names its own material", "Use sphere.material."));
    s.body_material = material_number(input, s, body["material"], out);
  } else {
    s.body = read_boundary(input, body, out);
  }
  const Values boundaries = root["boundaries"];
  for (const std::string& name : boundaries.keys())
    s.domain.boundaries[name] = read_boundary(input, boundaries[name], out);
  const Values regions = root["regions"];
  for (const std::string& name : regions.keys())
    s.domain.regions[name] = material_number(input, s, regions[name]["material"], out);
  s.domain.order = static_cast<int>(parameters["order"].integer());
  s.domain.layers_off = static_cast<int>(parameters["layers_off"].integer());
  const std::string form = parameters["form"].text();
  s.form = form == "scattered" ? FieldForm::scattered : form == "mixed" ? FieldForm::mixed : FieldForm::total;
  s.compress = parameters["compress"].boolean();
  s.compress_tolerance = parameters["compress_tolerance"].number();
  const std::string direct = parameters["direct_solver"].text();
  s.direct.method = direct == "mumps"   ? DirectMethod::mumps
                    : direct == "eigen" ? DirectMethod::eigen
                                        : DirectMethod::automatic;
  s.direct.on_disk = parameters["factors_on_disk"].boolean();
  s.truncation.block = parameters["rhs_block"].integer();
  s.distance = truncation["distance"].number();
  s.layers = static_cast<int>(truncation["layers"].integer());
  s.truncation.method =
      truncation["method"].text() == "gmres" ? TruncationMethod::gmres : TruncationMethod::fixed_point;
  s.truncation.tolerance = truncation["tolerance"].number();
  s.truncation.longest = truncation["iterations"].integer();
  const std::string loop = truncation["loop"].text();
  s.truncation.loop = loop == "blocked"      ? RadiationLoop::blocked
                      : loop == "fused"      ? RadiationLoop::fused
                      : loop == "omp_inner"  ? RadiationLoop::omp_inner
                      : loop == "omp_outer"  ? RadiationLoop::omp_outer
                      : loop == "omp_rhs"    ? RadiationLoop::omp_rhs
                      : loop == "compressed" ? RadiationLoop::compressed
                                             : RadiationLoop::automatic;
  s.sphere_step = output["sphere_step"].number();
  const Values planes = output["planes"];
  for (std::size_t k = 0; k < planes.size(); ++k) s.planes.push_back(read_plane(input, planes.at(k), k + 1, out));
  s.range_profile = output["range_profile"].boolean();
  if (s.range_profile && s.frequencies.size() < 8)
    out.push_back(input.error_at(output["range_profile"],
                                 fmt::format("a range profile from {} frequencies", s.frequencies.size()),
                                 "Give a sweep of 8 frequencies or more."));
  s.volume = output["volume"].boolean();
  s.reciprocity = output["reciprocity"].boolean();
  s.exact = output["exact"].text() == "sphere";
  if (s.exact && !s.sphere)
    out.push_back(input.error_at(output["exact"], "the exact series needs the section sphere",
                                 "Add \"sphere\", or set exact to none."));
  if (s.exact && s.sphere && s.sphere->coat > 0 && s.sphere->core_material == 0 && s.body.kind != BoundaryKind::pec)
    out.push_back(input.error_at(output["exact"], "the exact series of a coated core needs a conductor or a material",
                                 "Set body.kind to pec, or exact to none."));
  if (input["compute"].has("memory") && input["compute"]["memory"].has("host"))
    s.memory = static_cast<Bytes>(input["compute"]["memory"]["host"].integer());
  return s;
}

namespace {

/// A solid without conditions is a body of which only the surface counts: what a STEP file becomes.
bool is_bare_solid(const Settings& s, const Mesh& mesh) {
  return mesh.dimension() == 3 && s.domain.boundaries.empty() && s.domain.regions.empty();
}

SurroundOptions layer_around(const Settings& s, const Mesh& body) {
  const double longest = light_speed / s.frequencies.front(), shortest = light_speed / s.frequencies.back();
  SurroundOptions o;
  o.distance = s.distance * longest;
  // S of a body that is small against the wavelength must still look round.
  const auto [low, high] = body.bounds();
  const double across = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]}) + 2 * o.distance;
  o.edge = std::min(0.25 * shortest, across / 4);
  o.filled = s.body_material > 0;
  o.layers =
      s.layers > 0 ? s.layers : std::clamp(static_cast<int>(std::ceil(o.distance / (0.1 * shortest) - 0.01)), 1, 20);
  return o;
}

/// Tetrahedra that surround() makes: faces of S from the area of the parallel surface of a ball, 1.64 tetrahedra a face in the
/// row at the body, three a face in the others. Within a fifth of what spheres and an aircraft took.
double tets_around(const Settings& s, const Mesh& body) {
  const SurroundOptions o = layer_around(s, body);
  double area = 0, cells = 0;
  for (Index c = 0; c < body.cell_count(); ++c) {
    if (dimension_of(body.shape(c)) != 2) continue;
    const auto n = body.nodes(c);
    for (int k = 2; k < corners_of(body.shape(c)); ++k, ++cells)
      area += 0.5 * norm(cross(sub(body.point(n[k - 1]), body.point(n[0])), sub(body.point(n[k]), body.point(n[0]))));
  }
  const double step = std::min(0.7 * o.edge, 0.9 * o.distance),
               outer = area + 4 * std::sqrt(pi * area) * o.distance + 4 * pi * o.distance * o.distance,
               faces = 2.9 * outer / (step * step);
  const double inside = o.filled ? 2 * cells * std::sqrt(cells / 20) : 0;
  return 1.64 * (cells + faces) + 3 * faces * (o.layers - 1) + inside;
}

}  // namespace

RadiationWork radiation_work(const Settings& s, double columns) {
  // Steps: three a thousandth of the residual for bodies of a few wavelengths (modal theory with GMRES), five at least. A few
  // columns are applied each in every step; of many those that are independent, 2.7 times in all (almond, 42 columns).
  RadiationWork w;
  const double steps = std::max(5.0, -1.7 * std::log10(s.truncation.tolerance));
  w.columns = columns < 8 ? columns : 2.7 / 5 * columns;
  w.applications = steps;
  w.tolerance = 0.1 * s.truncation.tolerance;
  return w;
}

Index expected_unknowns(const Settings& s, const Mesh* mesh) {
  double tets = 0;
  if (s.sphere) {
    const auto& p = *s.sphere;
    const double surface = p.core_material > 0 ? 12.0 * p.divisions * p.divisions : 20.0 * p.divisions * p.divisions;
    tets = 3 * surface * (p.layers + (p.coat > 0 ? p.coat_layers : 0));
    if (p.core_material > 0)
      tets += 6 * std::pow(p.divisions, 3) + 3 * surface * std::max(1.0, std::round(0.65 * p.divisions));
  } else if (mesh != nullptr) {
    if (is_bare_solid(s, *mesh))
      tets = tets_around(s, boundary_surface(*mesh));
    else if (mesh->dimension() < 3)
      tets = tets_around(s, *mesh);
    else
      for (CellShape c : mesh->shapes()) tets += dimension_of(c) == 3;
  }
  return static_cast<Index>(tets * (s.domain.order == 1 ? 1.3 : 6.6));
}

int thin_rows(const Settings& s, const Mesh* mesh) {
  if (s.sphere)
    return s.sphere->core_material == 0 ? s.sphere->layers + (s.sphere->coat > 0 ? s.sphere->coat_layers : 0) : 0;
  if (mesh == nullptr || s.body_material > 0) return 0;
  return mesh->dimension() < 3 || is_bare_solid(s, *mesh) ? layer_around(s, *mesh).layers : 0;
}

Bytes expected_memory(const Settings& s, Index unknowns, int rows, double columns, double points, double budget) {
  const auto n = static_cast<double>(unknowns), block = static_cast<double>(s.truncation.block);
  // Matrix and spaces; near pairs (22 faces a point, 392 bytes each); vectors on S, currents and the Krylov space of all columns;
  // fields and right-hand sides of a block.
  const double surfaces = points * (1.1e4 + 490 * columns);
  return expected_factor_bytes(unknowns, rows) +
         static_cast<Bytes>(6e7 + 600 * n + std::min(surfaces, 1.1e4 * points + budget / 2) +
                            32 * n * std::min(block, columns));
}

std::vector<Diagnostic> check_settings(const Case& input, const Mesh* mesh) {
  std::vector<Diagnostic> out;
  Settings s = read_settings(input, out);
  if (has_errors(out)) return out;
  Mesh skin;
  if (mesh != nullptr && !s.sphere && is_bare_solid(s, *mesh)) {
    skin = boundary_surface(*mesh);
    mesh = &skin;
  }
  const Values place = s.sphere ? input["sphere"] : input["mesh"];
  const double shortest = light_speed / s.frequencies.back();
  if (mesh != nullptr && !s.sphere) {
    if (mesh->dimension() == 3) {
      auto domain = make_domain(*mesh, s.domain);
      if (!domain) {
        Diagnostic d = domain.error();
        d.place = input.document().place(d.text.find("region") != std::string::npos ? "/regions" : "/boundaries");
        out.push_back(std::move(d));
        return out;
      }
      // Longest edge against the wavelength in each material.
      const auto media = s.media(s.frequencies.back());
      std::vector<double> longest(media.size(), 0);
      for (Index t = 0; t < static_cast<Index>(domain->space.tets().size()); ++t) {
        double& l = longest[domain->space.tets()[t].region];
        l = std::max(l, domain->space.longest_edge(t));
      }
      for (std::size_t m = 0; m < media.size(); ++m) {
        double index = 0;
        for (int d = 0; d < 3; ++d)
          index = std::max(index, std::abs(std::sqrt(media[m].epsilon[d] * media[m].mu[(d + 1) % 3])));
        const double in_waves = longest[m] * index / shortest, limit = s.domain.order == 1 ? 0.15 : 0.4;
        if (in_waves > 2.5 * limit)
          out.push_back(input.error_at(
              place,
              fmt::format("edges of {} in '{}' are {:.2f} wavelengths long at {}", format_quantity(longest[m], "m"),
                          s.material_names[m], in_waves, format_quantity(s.frequencies.back(), "Hz")),
              fmt::format("Elements are too coarse: refine to {} there, or lower the frequency.",
                          format_quantity(limit / 1.6 * shortest / index, "m"))));
        else if (in_waves > limit)
          out.push_back(input.warning_at(
              place,
              fmt::format("edges of {} in '{}' are {:.2f} wavelengths long at {}", format_quantity(longest[m], "m"),
                          s.material_names[m], in_waves, format_quantity(s.frequencies.back(), "Hz")),
              fmt::format("{} or shorter keeps errors below a tenth of a decibel.",
                          format_quantity(limit / 1.6 * shortest / index, "m"))));
      }
      // Coarse curved elements in a thin layer can fold over: the map must not change its sign.
      Index folded = 0, first_folded = -1;
      for (Index t = 0; t < static_cast<Index>(domain->space.tets().size()); ++t) {
        const double whole = domain->space.map(t, {0.25, 0.25, 0.25}).determinant;
        bool turns = false;
        for (const Vec3& corner : {Vec3{0, 0, 0}, Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}})
          turns = turns || !(domain->space.map(t, corner).determinant * whole > 0);
        if (turns && folded++ == 0) first_folded = t;
      }
      if (folded > 0) {
        const Vec3 x = mesh->point(domain->space.tets()[first_folded].points[0]);
        out.push_back(
            input.warning_at(place,
                             fmt::format("{} curved elements are folded, one of them at ({:.4g}, {:.4g}, {:.4g}) m",
                                         folded, x[0], x[1], x[2]),
                             "Results lose accuracy there: refine where surfaces bend, or let the mesher optimise "
                             "elements of second order."));
      }
      if (domain->distance < 0.05 * shortest)
        out.push_back(input.warning_at(
            input["boundaries"], fmt::format("S' and S are {:.3f} wavelengths apart", domain->distance / shortest),
            "0.1 to 0.2 wavelengths need fewer iterations."));
    } else {
      const auto report = check_surface(*mesh);
      if (!report.closed()) {
        out.push_back(input.error_at(place, "the surface is " + explain(report, *mesh),
                                     "Close it: the program can only put a layer around a closed body."));
      } else if (!report.manifold() || report.collapsed_cell_count > 0) {
        out.push_back(input.error_at(place, "the surface is not a body: " + explain(report, *mesh),
                                     "Repair it in the geometry's program."));
      } else if (const auto cuts = self_intersections(*mesh, 1); !cuts.empty()) {
        const Vec3 x = mesh->point(mesh->nodes(cuts[0][0])[0]);
        out.push_back(
            input.error_at(place,
                           fmt::format("the surface cuts itself: cells {} and {}, near ({:.4g}, {:.4g}, {:.4g}) m",
                                       cuts[0][0], cuts[0][1], x[0], x[1], x[2]),
                           "Unite the parts before meshing."));
      }
      if (!s.domain.boundaries.empty() || !s.domain.regions.empty())
        out.push_back(input.error_at(input["boundaries"],
                                     "the mesh is a surface only; its groups cannot have conditions of their own",
                                     "Say what the whole surface is in the section body."));
      const double edge = mesh_quality(*mesh).edge_max;
      if (edge > 0.6 * shortest)
        out.push_back(input.error_at(
            place,
            fmt::format("edges of the surface reach {}, {:.2f} wavelengths at {}", format_quantity(edge, "m"),
                        edge / shortest, format_quantity(s.frequencies.back(), "Hz")),
            fmt::format("Elements are too coarse: refine to {}.", format_quantity(0.25 * shortest, "m"))));
    }
  }
  if (has_errors(out)) return out;
  const Index unknowns = expected_unknowns(s, mesh);
  const Bytes budget = s.memory > 0 ? s.memory : this_machine().free_memory / 4 * 3,
              needed = expected_memory(s, unknowns, thin_rows(s, mesh), 1, static_cast<double>(unknowns) / 5.5,
                                       static_cast<double>(budget));
  if (needed > 2 * budget) {  // half of the factors may go to disk
    Diagnostic d = input.error_at(
        place,
        fmt::format("about {} unknowns need {}, the budget is {}", unknowns, format_bytes(needed),
                    format_bytes(budget)),
        fmt::format("About {} unknowns would fit: coarsen the mesh by a factor of {:.2f} in edge length, use order 1, "
                    "or raise compute.memory.host.",
                    static_cast<Index>(static_cast<double>(unknowns) *
                                       std::pow(static_cast<double>(budget) / static_cast<double>(needed), 0.75)),
                    std::pow(static_cast<double>(needed) / static_cast<double>(budget), 0.25)));
    d.code = ErrorCode::resources;
    out.push_back(std::move(d));
  }
  return out;
}

Result<std::shared_ptr<const Mesh>> mesh_to_solve(Settings& s, std::shared_ptr<const Mesh> given,
                                                  std::stop_token stop) {
  const double longest = light_speed / s.frequencies.front();
  if (s.sphere) {
    const SphereSetting& p = *s.sphere;
    ShellsOptions o;
    o.radius = p.radius;
    o.hollow = p.core_material == 0;
    o.divisions = p.divisions;
    o.curved = p.curved;
    double r = p.radius;
    if (p.coat > 0) o.shells.push_back({r += p.coat, p.coat_layers, "coat"});
    o.shells.push_back({r + s.distance * longest, p.layers, "vacuum"});
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
  if (!given) return make_error(ErrorCode::invalid_input, "the case has no mesh");
  if (is_bare_solid(s, *given))
    given = std::make_shared<const Mesh>(boundary_surface(*given));
  else if (given->dimension() == 3)
    return given;
  const SurroundOptions o = layer_around(s, *given);
  auto mesh = surround(*given, o, stop);
  if (!mesh) return mesh.error();
  s.domain.boundaries["outer"] = {BoundaryKind::outer, 0};
  if (o.layers > 1) s.domain.boundaries["currents"] = {BoundaryKind::currents, 0};
  if (o.filled)
    s.domain.regions["inside"] = s.body_material;
  else
    s.domain.boundaries["body"] = s.body;
  return std::make_shared<const Mesh>(std::move(*mesh));
}

}  // namespace conoid::maxwell_fem
