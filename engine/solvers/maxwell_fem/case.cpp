// SPDX-License-Identifier: BSD-3-Clause
// Reading a case.
#include "engine/solvers/maxwell_fem/problem.hpp"

#include "engine/case/case_reader.hpp"
#include "engine/solvers/maxwell_fem/solving/amplitudes.hpp"
#include "engine/solvers/maxwell_fem/solving/counted_factors.hpp"

#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/mesh/gmsh.hpp"
#include "engine/solvers/frequency_setting.hpp"
#include "engine/solvers/maxwell_fem/discretization/layout.hpp"
#include "engine/solvers/maxwell_fem/discretization/pi.hpp"
#include "engine/solvers/mesh_section.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <set>
#include <span>

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

int material_number(const CaseReader& reader, const Problem& s, const Values& at) {
  const std::string name = at.text();
  for (std::size_t m = 0; m < s.material_names.size(); ++m)
    if (s.material_names[m] == name) return static_cast<int>(m);
  std::string known;
  for (const std::string& n : s.material_names) known += (known.empty() ? "" : ", ") + n;
  reader.fail(at, fmt::format("there is no material '{}'", name),
              "Define it under /materials; there are: " + known + ".");
  return 0;
}

/// Materials along each axis unlike have no single line of waves.
bool same_along_all_axes(const Medium& m) {
  return std::ranges::all_of(m.epsilon, [&](const Complex& e) { return e == m.epsilon[0]; }) &&
         std::ranges::all_of(m.mu, [&](const Complex& u) { return u == m.mu[0]; });
}

/// Waves that run aslant in coats, dB of the echo, beyond which that is said.
constexpr double told_of_coats = 0.1;

/// What coats as lines along the normal leave out.
void check_coats(const CaseReader& reader, const Problem& s, const Values& v, const std::vector<ThinCoat>& coats) {
  double worst = 0, where = 0;
  for (const double f : s.frequencies)
    if (const double change =
            aslant_change(metal_impedance(v["conductivity"].number(), v["permeability"].number(), f), coats, f);
        change > worst) {
      worst = change;
      where = f;
    }
  if (const double error = 20 * std::log10(1 + worst); error > told_of_coats)
    reader.warn(
        v["coats"],
        fmt::format("waves run aslant in coats that stand for lines along the normal: the echo may be off by some "
                    "{:.2g} dB of its largest at {}",
                    error, format_quantity(where, "Hz")),
        "That falls with the thickness and with the permittivity; else mesh the coat, as a region around the body.");
}

/// Frequencies of the case beyond a table's ends, where its values at the ends hold.
void check_reach(const CaseReader& reader, const Problem& s, const Values& at, std::span<const double> table) {
  constexpr double round_off = 1e-9;
  if (table.empty() || (s.frequencies.front() >= table.front() * (1 - round_off) &&
                        s.frequencies.back() <= table.back() * (1 + round_off)))
    return;
  reader.warn(
      at,
      fmt::format("the table reaches from {} to {}, the frequencies of the case from {} to {}: beyond its ends its "
                  "values there are taken",
                  format_quantity(table.front(), "Hz"), format_quantity(table.back(), "Hz"),
                  format_quantity(s.frequencies.front(), "Hz"), format_quantity(s.frequencies.back(), "Hz")),
      "Extend the table, or look at its units.");
}

/// Metal with its coats, or a table.
ImpedanceLaw read_impedance_law(const CaseReader& reader, const Problem& s, const Values& v) {
  if (v["kind"].text() == "metal") {
    const double conductivity = v["conductivity"].number(), permeability = v["permeability"].number();
    std::vector<ThinCoat> coats;
    const Values layers = v["coats"];
    for (std::size_t n = 0; n < layers.size(); ++n) {
      coats.push_back({s.laws[static_cast<std::size_t>(material_number(reader, s, layers.at(n)["material"]))],
                       layers.at(n)["thickness"].number()});
      if (!same_along_all_axes(coats.back().material(s.frequencies.front())))
        reader.fail(
            layers.at(n)["material"],
            fmt::format("the thin coat of '{}' is another material along each axis", layers.at(n)["material"].text()),
            "Coats without elements are isotropic: give a material of another kind, or mesh the coat.");
    }
    if (!(conductivity > 0) && coats.empty())
      reader.fail(v, "a metal without resistance and coats", "Give a conductivity or coats, or use the kind pec.");
    if (reader.good()) check_coats(reader, s, v, coats);
    return [=](double f) { return coated_impedance(metal_impedance(conductivity, permeability, f), coats, f); };
  }
  const auto at = v["frequencies"].numbers(), r = v["resistances"].numbers(), x = v["reactances"].numbers();
  if (at.empty()) return {};
  if (!std::is_sorted(at.begin(), at.end()) || r.size() != at.size() || (!x.empty() && x.size() != at.size()) ||
      std::any_of(r.begin(), r.end(), [](double value) { return value < 0; }))
    reader.fail(v, "the table of the surface impedance does not fit together",
                "Give ascending frequencies, as many resistances (not negative), and as many reactances "
                "or none.");
  else
    check_reach(reader, s, v["frequencies"], at);
  return [=](double f) { return Complex(interpolate(at, r, f, 0), interpolate(at, x, f, 0)); };
}

Boundary read_boundary(const CaseReader& reader, const Problem& s, const Values& v) {
  const std::string kind = v["kind"].text();
  Boundary b;
  b.kind = kind == "pmc"                            ? BoundaryKind::pmc
           : kind == "impedance" || kind == "metal" ? BoundaryKind::impedance
           : kind == "outer"                        ? BoundaryKind::outer
           : kind == "currents"                     ? BoundaryKind::currents
                                                    : BoundaryKind::pec;
  b.surface_impedance = {v["resistance"].number(), v["reactance"].number()};
  if (b.kind != BoundaryKind::impedance) return b;
  b.law = read_impedance_law(reader, s, v);
  for (double f : s.frequencies)
    if (kind != "metal" && std::abs(b.impedance(f)) < 1e-9) {
      reader.fail(v, "an impedance of 0 ohm", "Give a resistance or a reactance, or use the kind pec.");
      break;
    }
  return b;
}

}  // namespace

std::vector<Medium> Problem::media(double frequency) const {
  std::vector<Medium> out;
  for (const MaterialLaw& law : laws) out.push_back(law(frequency));
  return out;
}

std::vector<Direction> Problem::incidences() const {
  if (!monostatic) return {incidence};
  std::vector<Direction> out;
  for (std::size_t a = 0; a < monostatic->angles.size(); ++a) out.push_back(monostatic->direction(a));
  return out;
}

std::vector<Incident> Problem::waves(double frequency) const {
  const double k = 2 * pi * frequency / light_speed;
  if (radiates()) return {Incident(dipoles, k)};
  std::vector<Incident> out;
  for (const Direction& d : incidences()) {
    if (vertical) out.emplace_back(wave_from(d, false, k));
    if (horizontal) out.emplace_back(wave_from(d, true, k));
  }
  return out;
}

namespace {

void read_image(const CaseReader& reader, const Values& v, Problem& s) {
  s.isar = true;
  s.isar_width = v["width"].number();
  s.isar_points = static_cast<int>(v["points"].integer());
  constexpr std::size_t least = 8;
  if (!s.monostatic || s.monostatic->angles.size() < least || s.frequencies.size() < least) {
    reader.fail(v, "an image needs echoes over frequencies and directions",
                "Give excitation.frequencies and excitation.monostatic with at least 8 values each.");
    return;
  }
  if (!equally_spaced(s.frequencies)) {
    reader.fail(v, "an image needs frequencies in equal steps", "Give from, to and count.");
    return;
  }
  const Cut& m = *s.monostatic;
  if (m.angles.back() == m.angles.front() || (m.phi_runs && std::abs(std::sin(m.fixed)) < 1e-9) ||
      !(s.frequencies.back() > s.frequencies.front())) {
    reader.fail(v, "the directions or the frequencies of the image do not differ",
                "Let phi run at a theta other than 0, from one end to another one.");
    return;
  }
  const IsarFrame frame = isar_frame(s.frequencies, m);
  const double range = frame.range_width, across = frame.cross_width;
  if (s.isar_width > std::min(range, across))
    reader.warn(v,
                fmt::format("the image repeats itself after {} in range and {} across", format_quantity(range, "m"),
                            format_quantity(across, "m")),
                "Make it narrower, or take more frequencies or directions.");
}

/// Short currents and small loops in place of waves.
void read_dipoles(const CaseReader& reader, const Values& excitation, Problem& s) {
  const Values dipoles = excitation["dipoles"];
  for (std::size_t n = 0; n < dipoles.size(); ++n) {
    const Values v = dipoles.at(n);
    Dipole d;
    d.magnetic = v["kind"].text() == "magnetic";
    d.at = v["position"].vec3();
    const Vec3 direction = v["direction"].vec3();
    if (!(norm(direction) > 0)) {
      reader.fail(v["direction"], "a dipole without a direction", "Give a vector other than 0, of any length.");
      continue;
    }
    const double moment = v["moment"].number(), phase = v["phase"].number();
    for (int c = 0; c < 3; ++c) d.moment[c] = std::polar(moment, phase) * (direction[c] / norm(direction));
    s.dipoles.push_back(d);
  }
  if (s.dipoles.empty()) return;
  if (excitation.has("monostatic"))
    reader.fail(excitation["monostatic"], "the case has dipoles and a monostatic sweep of waves",
                "Leave one of them out: dipoles radiate, they are not seen by an echo.");
  if (s.fast)
    reader.fail(excitation["frequencies"]["fast"], "a fast sweep is of waves, and the case has dipoles",
                "Leave \"fast\" out: each frequency of dipoles is computed.");
  // One excitation: nothing of waves is looked at.
  s.vertical = true;
  s.horizontal = false;
}

/// Frequencies, and where waves come from.
void read_waves(const CaseReader& reader, const Values& excitation, Problem& s) {
  if (excitation.has("frequencies")) {
    const Values f = excitation["frequencies"];
    s.frequencies = read_frequencies(reader.input, f, StepRounding::product_first, reader.out);
    if (f.has("values") && std::ranges::adjacent_find(s.frequencies, std::greater_equal{}) != s.frequencies.end())
      reader.fail(f["values"], "the frequencies do not ascend", "Sort them; each once.");
    if (f.has("fast")) s.fast = FastSweep{f["fast"]["accuracy"].number(), f["fast"]["most"].integer()};
  } else if (excitation.has("frequency")) {
    s.frequencies = {excitation["frequency"].number()};
  } else {
    reader.fail(excitation, "there is no frequency", "Give excitation.frequency or excitation.frequencies.");
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
  read_dipoles(reader, excitation, s);
}

/// Where the far field is seen: the cuts of the case or two across each other, each with a file of its own.
void read_cuts(const Values& output, Problem& s) {
  const Values cuts = output["cuts"];
  for (std::size_t k = 0; k < cuts.size(); ++k) {
    Cut c;
    c.name = name_or_number(cuts.at(k), "cut ", k + 1);
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
  std::set<std::string> files;
  for (Cut& c : s.cuts) {
    c.file = c.name;
    for (char& letter : c.file)
      if (const auto byte = static_cast<unsigned char>(letter);
          byte < 0x80 && std::isalnum(byte) == 0 && letter != '-' && letter != '.')
        letter = '_';
    const std::string first = c.file;
    for (int n = 2; !files.insert(c.file).second; ++n) c.file = fmt::format("{}_{}", first, n);
  }
}

/// What materials are at the frequencies of the case, beyond what their sections say by themselves.
void check_materials(const CaseReader& reader, const Values& materials, const Problem& s) {
  for (std::size_t m = 1; m < s.laws.size(); ++m) {
    const Values at = materials[s.material_names[m]];
    if (at["kind"].text() == "table") check_reach(reader, s, at["frequencies"], at["frequencies"].numbers());
    for (const double f : s.frequencies) {
      const Medium medium = s.laws[m](f);
      bool gains = false, nothing = false;
      for (const Tensor* t : {&medium.epsilon, &medium.mu})
        for (const Complex& v : *t) {
          gains = gains || v.imag() > 1e-12 * std::abs(v);
          nothing = nothing || std::abs(v) < 1e-9;
        }
      if (!gains && !nothing) continue;
      reader.fail(
          at,
          gains ? fmt::format("'{}' gives energy to the waves at {}", s.material_names[m], format_quantity(f, "Hz"))
                : fmt::format("'{}' has a permittivity or permeability of 0 at {}", s.material_names[m],
                              format_quantity(f, "Hz")),
          gains ? "Losses are the eps'' and mu'' of eps' - j eps'' and mu' - j mu'' (e^{+j omega t}), and strengths "
                  "those of absorption: "
                  "give them without a sign."
                : "Give it some loss, or another frequency.");
      break;
    }
  }
}

/// Waves run along the surface of a body of negative permittivity, and ring: a ball of -2 and ka = 1 is 13 dB off at its worst angle with
/// 11,594 unknowns and 1.8 with 45,458, where one of -1 is 0.2 dB off.
void check_negative(const CaseReader& reader, const Values& materials, const Problem& s) {
  constexpr double deepest = -15;  // long bodies ring below, too
  const auto is_meshed = [&](int m) {
    return s.body_material == m ||
           (s.sphere && (s.sphere->core_material == m || (s.sphere->coat > 0 && s.sphere->coat_material == m))) ||
           std::ranges::any_of(s.domain.regions, [&](const auto& region) { return region.second == m; });
  };
  for (std::size_t m = 1; m < s.laws.size() && !s.error_bar; ++m)
    for (const double f : s.frequencies) {
      if (!is_meshed(static_cast<int>(m))) break;
      const Complex e = s.laws[m](f).epsilon[0];
      if (e.real() > 0 || e.real() < deepest || -e.imag() > 0.3 * -e.real()) continue;
      reader.warn(
          materials[s.material_names[m]],
          fmt::format(
              "'{}' has a permittivity of {:.3g} and little loss at {}: waves along its surface ring, and elements "
              "shift that by decibels",
              s.material_names[m], e.real(), format_quantity(f, "Hz")),
          "Ask for output.error_bar, which tells by how much, or refine until the echo stays.");
      break;
    }
}

/// What scatters: a sphere or a mesh, its surfaces and regions.
void read_body(const CaseReader& reader, const Values& root, Problem& s) {
  if (root.has("sphere")) {
    const Values v = root["sphere"];
    SphereSetting p;
    p.radius = v["radius"].number();
    if (!v["material"].text().empty()) p.core_material = material_number(reader, s, v["material"]);
    p.divisions = static_cast<int>(v["divisions"].integer());
    p.layers = static_cast<int>(v["layers"].integer());
    p.curved = v["curved"].boolean();
    if (v.has("coat")) {
      p.coat = v["coat"]["thickness"].number();
      p.coat_material = material_number(reader, s, v["coat"]["material"]);
      p.coat_layers = static_cast<int>(v["coat"]["layers"].integer());
    }
    s.sphere = p;
    if (root.has("mesh")) reader.fail(v, "the case has a mesh and a sphere", "Leave one of them out.");
  } else if (!root.has("mesh")) {
    reader.fail_at("mesh", make_error(ErrorCode::invalid_input, "the case has neither a mesh nor a sphere",
                                      "Give \"mesh\": {\"file\": …} or \"sphere\": {\"radius\": …}."));
  }
  const Values body = root["body"];
  if (body["kind"].text() == "material") {
    if (s.sphere) reader.fail(body, "the sphere names its own material", "Use sphere.material.");
    s.body_material = material_number(reader, s, body["material"]);
  } else {
    s.body = read_boundary(reader, s, body);
  }
  const Values boundaries = root["boundaries"];
  if (s.sphere && !boundaries.keys().empty())
    reader.fail(boundaries, "the built-in sphere has no groups with conditions of their own",
                "Give its surface's condition as \"body\", or compute on a mesh.");
  for (const std::string& name : boundaries.keys())
    s.domain.boundaries[name] = read_boundary(reader, s, boundaries[name]);
  const Values regions = root["regions"];
  if (s.sphere && !regions.keys().empty())
    reader.fail(regions, "the built-in sphere has no groups with materials of their own",
                "Give its material and coat in \"sphere\", or compute on a mesh.");
  for (const std::string& name : regions.keys())
    s.domain.regions[name] = material_number(reader, s, regions[name]["material"]);
}

/// How it is solved.
void read_solution(const CaseReader& reader, const Values& parameters, const Values& truncation, Problem& s) {
  s.domain.order = static_cast<int>(parameters["order"].integer());
  s.domain.layers_off = static_cast<int>(parameters["layers_off"].integer());
  s.edges.layers = static_cast<int>(parameters["edge_layers"].integer());
  s.edges.least_angle = parameters["edge_angle"].number();
  const std::string form = parameters["form"].text();
  s.form = form == "scattered" ? FieldForm::scattered : form == "mixed" ? FieldForm::mixed : FieldForm::total;
  if (s.radiates()) {
    if (s.form == FieldForm::mixed)
      reader.fail(parameters["form"], "the mixed form is of waves from outside, and the case has dipoles",
                  "Leave it out: with dipoles the scattered field is the unknown.");
    s.form = FieldForm::scattered;  // the whole field is infinite at a dipole
  }
  s.compress = parameters["compress"].boolean();
  s.compress_tolerance = parameters["compress_tolerance"].number();
  const std::string direct = parameters["direct_solver"].text();
  s.direct.method = direct == "mumps"    ? DirectMethod::mumps
                    : direct == "eigen"  ? DirectMethod::eigen
                    : direct == "tree"   ? DirectMethod::tree
                    : direct == "device" ? DirectMethod::device
                                         : DirectMethod::automatic;
  s.direct.on_disk = parameters["factors_on_disk"].boolean();
  s.direct.single = parameters["single_factors"].boolean();
  if (s.direct.single && (s.direct.on_disk || direct == "mumps" || direct == "eigen"))
    reader.fail(parameters["single_factors"],
                s.direct.on_disk ? std::string("factors in single precision are not kept on disk")
                                 : fmt::format("the direct solver {} knows double precision only", direct),
                "Leave out either of the two.");
  if (s.direct.on_disk && s.direct.method == DirectMethod::device)
    reader.fail(parameters["factors_on_disk"], "factors on a device are not kept on disk",
                "Leave it out, or choose the direct solver mumps.");
  s.truncation.block = parameters["rhs_block"].integer();
  s.distance = truncation["distance"].number();
  s.layers = static_cast<int>(truncation["layers"].integer());
  s.truncation.method =
      truncation["method"].text() == "gmres" ? TruncationMethod::gmres : TruncationMethod::fixed_point;
  s.truncation.tolerance = truncation["tolerance"].number();
  // What the iteration leaves would look like resonances.
  if (s.fast) s.truncation.tolerance = std::min(s.truncation.tolerance, 1e-3 * s.fast->accuracy);
  s.truncation.longest = truncation["iterations"].integer();
  const std::string loop = truncation["loop"].text();
  s.truncation.loop = loop_named(loop);
}

void read_far_sphere(const CaseReader& reader, const Values& at, Problem& s) {
  constexpr double finest = 0.1 * pi / 180;
  s.sphere_step = at.number();
  if (!(s.sphere_step > 0)) return;
  if (s.sphere_step < 0.99 * finest) {
    reader.fail(at, fmt::format("a far-field sphere in steps of {:.2g} degrees", s.sphere_step * 180 / pi),
                "Give 0.1 degrees or more: there are 6.5 million directions then.");
    s.sphere_step = 0;
  } else if (const int n = steps_to_the_pole(s.sphere_step); std::abs(pi / n / s.sphere_step - 1) > 1e-6) {
    reader.note(at,
                fmt::format("steps of {:.4g} degrees do not divide 180: the sphere gets steps of {:.4g}",
                            s.sphere_step * 180 / pi, 180.0 / n),
                "So it reaches both poles and closes around them.");
  }
}

void read_output(const CaseReader& reader, const Values& output, Problem& s) {
  read_far_sphere(reader, output["sphere_step"], s);
  for (const char* list : {"cuts", "planes"}) reader.tell_apart(output[list], list);
  const Values planes = output["planes"];
  for (std::size_t k = 0; k < planes.size(); ++k)
    s.planes.push_back(read_plane(reader.input, planes.at(k), k + 1, reader.out));
  s.range_profile = output["range_profile"].boolean();
  s.amplitudes = output["amplitudes"].boolean();
  s.ffe = output["ffe"].boolean();
  if (output.has("isar")) read_image(reader, output["isar"], s);
  if (s.range_profile && s.frequencies.size() < 8)
    reader.fail(output["range_profile"], fmt::format("a range profile from {} frequencies", s.frequencies.size()),
                "Give excitation.frequencies with 8 or more.");
  if (s.range_profile && !equally_spaced(s.frequencies))
    reader.fail(output["range_profile"], "a range profile needs frequencies in equal steps",
                "Give from, to and count.");
  s.volume = output["volume"].boolean();
  s.reciprocity = output["reciprocity"].boolean();
  s.error_bar = output["error_bar"].boolean();
  if (s.radiates() && (s.error_bar || s.range_profile || s.isar))
    reader.fail(output[s.error_bar       ? "error_bar"
                       : s.range_profile ? "range_profile"
                                         : "isar"],
                s.error_bar ? "error bars are of echoes, and the case has dipoles"
                            : "profiles and images are of echoes, and the case has dipoles",
                "Leave it out; what dipoles give and what is radiated are compared in any case.");
  else if (s.error_bar && s.form != FieldForm::total)
    reader.fail(output["error_bar"], "error bars need the total field as the unknown",
                "Set parameters.form to total, or error_bar to false.");
  s.exact = output["exact"].text() == "sphere";
  if (s.exact && !s.sphere)
    reader.fail(output["exact"], "the exact series needs the section sphere", "Add \"sphere\", or set exact to none.");
  if (constexpr std::size_t most = 100; s.exact && s.dipoles.size() > most)
    reader.fail(output["exact"], fmt::format("the exact series of {} dipoles", s.dipoles.size()),
                fmt::format("Give {} or fewer, or set exact to none.", most));
  if (s.exact && s.sphere)
    for (const int m : {s.sphere->core_material, s.sphere->coat > 0 ? s.sphere->coat_material : 0})
      for (const double f : s.frequencies)
        if (!same_along_all_axes(s.laws[static_cast<std::size_t>(m)](f))) {
          reader.fail(output["exact"],
                      fmt::format("the exact series is of isotropic materials, and '{}' is another one along each axis",
                                  s.material_names[static_cast<std::size_t>(m)]),
                      "Give a material of another kind, or set exact to none.");
          return;
        }
  if (s.exact && s.sphere && s.sphere->coat > 0 && s.sphere->core_material == 0 && s.body.kind != BoundaryKind::pec)
    reader.fail(output["exact"], "the exact series of a coated core needs a conductor or a material",
                "Set body.kind to pec, or exact to none.");
}

}  // namespace

Problem read_case(const Case& input, std::vector<Diagnostic>& out) {
  const CaseReader reader(input, out);
  Problem s;
  const Values root = input.values(), excitation = root["excitation"], parameters = root["parameters"],
               truncation = root["truncation"], output = root["output"];
  s.laws.emplace_back([](double) { return Medium{}; });
  const Values materials = root["materials"];
  for (const std::string& name : materials.keys()) {
    std::string problem;
    s.laws.push_back(read_material(materials[name], problem));
    s.material_names.push_back(name);
    if (!problem.empty()) reader.fail(materials[name], problem, "See the help of the fields of this material.");
  }
  read_waves(reader, excitation, s);
  if (reader.good()) check_materials(reader, materials, s);
  read_cuts(output, s);
  read_body(reader, root, s);
  read_solution(reader, parameters, truncation, s);
  read_output(reader, output, s);
  if (reader.good()) check_negative(reader, materials, s);
  if (root.has("mesh")) {
    if (const MeshRequest mesh = mesh_request(input.document()); is_geometry(mesh.file)) s.geometry = mesh;
  }
  return s;
}

int steps_to_the_pole(double step) {
  constexpr double round_off = 1e-9;
  return step > 0 ? static_cast<int>(std::ceil(pi / step * (1 - round_off))) : 0;
}

RadiationLoop loop_named(std::string_view name) {
  constexpr std::pair<std::string_view, RadiationLoop> names[] = {
      {"blocked", RadiationLoop::blocked},       {"fused", RadiationLoop::fused},
      {"compressed", RadiationLoop::compressed}, {"device", RadiationLoop::device},
      {"omp_S'", RadiationLoop::omp_inner},      {"omp_inner", RadiationLoop::omp_inner},
      {"omp_S", RadiationLoop::omp_outer},       {"omp_outer", RadiationLoop::omp_outer},
      {"omp_rhs", RadiationLoop::omp_rhs},       {"cuda_S", RadiationLoop::cuda_outer},
      {"cuda_rhs", RadiationLoop::cuda_rhs}};
  for (const auto& [known, loop] : names)
    if (known == name) return loop;
  return RadiationLoop::automatic;
}

RadiationWork radiation_work(const Problem& s, double columns) {
  // Steps: three a thousandth of the residual for bodies of a few wavelengths (modal theory with GMRES), five at least. A few
  // columns are applied each in every step; of many those that are independent, 2.7 times in all (almond, 42 columns).
  RadiationWork w;
  const double steps = std::max(5.0, -1.7 * std::log10(s.truncation.tolerance));
  w.columns = columns < 8 ? columns : 2.7 / 5 * columns;
  w.applications = steps;
  w.tolerance = 0.1 * s.truncation.tolerance;
  return w;
}

Index expected_unknowns(const Problem& s) {
  return static_cast<Index>(expected_tets(s) * (s.domain.order == 1 ? 1.3 : 6.6));
}

int thin_rows(const Problem& s) {
  if (s.sphere)
    return s.sphere->core_material == 0 ? s.sphere->layers + (s.sphere->coat > 0 ? s.sphere->coat_layers : 0) : 0;
  return s.mesh.bare && s.body_material == 0 ? layout_around(s, s.mesh.body).layer.layers : 0;
}

Bytes expected_memory(const Problem& s, Index unknowns, int rows, double columns, double points, double budget,
                      int ranks) {
  return memory_with(expected_factors(unknowns, rows, s.direct, ranks), s, unknowns, columns, points, budget);
}

}  // namespace conoid::maxwell_fem
