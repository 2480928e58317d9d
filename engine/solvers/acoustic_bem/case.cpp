// SPDX-License-Identifier: BSD-3-Clause
// Reads a case.
#include "engine/case/case_reader.hpp"
#include "engine/solvers/acoustic_bem/discretization/curved_faces.hpp"
#include "engine/solvers/acoustic_bem/discretization/far_kernel.hpp"
#include "engine/solvers/acoustic_bem/problem.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include <fmt/format.h>

#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/io/csv.hpp"
#include "engine/solvers/acoustic_bem/discretization/porous.hpp"
#include "engine/solvers/acoustic_bem/discretization/tile.hpp"
#include "engine/solvers/frequency_setting.hpp"

namespace conoid::acoustic_bem {

using namespace conoid::vec;

namespace {

/// Numbers separated by white space or commas, row after row; at most 100 000.
Result<std::vector<double>> read_samples(const std::filesystem::path& path) {
  auto table = read_csv(path, {.file = Bytes{4} << 20, .columns = 4096, .values = 100000, .preamble = 100});
  if (!table) return table.error();
  if (table->columns.size() > 1 && table->columns[0].name != "column 1")
    return make_error(ErrorCode::invalid_input,
                      fmt::format("expected the values of the pulse alone; found {} columns, the first '{}'",
                                  table->columns.size(), table->columns[0].name),
                      "Leave out the column of time: the key step holds the time between two values.",
                      {path.string(), 0, ""});
  if (const auto& v = table->values; !std::all_of(v.begin(), v.end(), [](double x) { return std::isfinite(x); }))
    return make_error(ErrorCode::invalid_input,
                      fmt::format("'{}' holds a value that is missing or not finite", path.string()),
                      "Give the pulse as a plain list of numbers.", {path.string(), 0, ""});
  return std::move(table->values);
}

Pulse read_pulse(const CaseReader& reader, const Values& v) {
  Pulse p;
  const std::string kind = v["kind"].text();
  p.amplitude = v["amplitude"].number();
  if (kind == "ricker") {
    p.kind = PulseKind::ricker;
    p.frequency = v["frequency"].number();
  } else if (kind == "modulated-gaussian") {
    p.kind = PulseKind::modulated_gaussian;
    p.frequency = v["frequency"].number();
    p.width = v["width"].number();
  } else if (kind == "gaussian") {
    p.kind = PulseKind::gaussian;
    p.width = v["width"].number();
  } else {
    p.kind = PulseKind::sampled;
    p.step = v["step"].number();
    if (v.has("samples")) p.samples = v["samples"].numbers();
    if (v.has("file")) {
      auto samples = read_samples(reader.input.path(v["file"].text()));
      if (samples)
        p.samples = std::move(*samples);
      else
        reader.fail_in_file(v["file"], samples.error());
    }
    if (p.samples.empty())
      reader.fail(v, "the sampled pulse has no values", "Give \"samples\" or a \"file\" of numbers.");
    refine_samples(p);
  }
  return p;
}

int axis_of(const std::string& name) {
  return name == "x" ? 0 : name == "y" ? 1 : 2;
}

/// All frequencies at which something is told.
std::vector<double> asked_frequencies(const Settings& s) {
  std::vector<double> out;
  for (const auto* some :
       {&s.frequencies, &s.maps, &s.spectra, &s.surface_spectra, &s.head.frequencies, &s.monostatic.frequencies})
    out.insert(out.end(), some->begin(), some->end());
  return out;
}

/// β of a table of impedances over frequency; empty, and an error, where it is none.
std::vector<std::complex<double>> read_table(const CaseReader& reader, const Values& v,
                                             std::vector<double>& frequencies) {
  frequencies = v["frequencies"].numbers();
  const std::vector<double> resistances = v["resistances"].numbers(), reactances = v["reactances"].numbers();
  const auto wrong = [&](const char* key, std::string text, const char* hint) {
    reader.fail(v[key], std::move(text), hint);
    return std::vector<std::complex<double>>{};
  };
  for (std::size_t k = 1; k < frequencies.size(); ++k)
    if (!(frequencies[k] > frequencies[k - 1]))
      return wrong("frequencies", fmt::format("frequency {} of the table is not above the one before it", k + 1),
                   "Give frequencies in ascending order, each once.");
  for (const char* key : {"resistances", "reactances"})
    if (const std::size_t count = (key[2] == 's' ? resistances : reactances).size(); count != frequencies.size())
      return wrong(key, fmt::format("the table has {} frequencies and {} {}", frequencies.size(), count, key),
                   "Give one of each a frequency.");
  std::vector<std::complex<double>> values;
  for (std::size_t k = 0; k < frequencies.size(); ++k) {
    if (std::hypot(resistances[k], reactances[k]) < 1e-3)
      return wrong("resistances", fmt::format("the impedance at {} Hz is zero", frequencies[k]),
                   "Give soft faces as a group of kind \"soft\".");
    values.push_back(1.0 / std::complex<double>(resistances[k], reactances[k]));
  }
  return values;
}

/// Frequencies that are asked for and lie beyond the ends of a table.
void check_table_ends(const CaseReader& reader, const Values& v, const Settings& s,
                      const std::vector<double>& frequencies) {
  for (const double f : asked_frequencies(s))
    if (f < frequencies.front() / 1.2 || f > frequencies.back() * 1.2) {
      reader.warn(v["frequencies"],
                  fmt::format("{} is asked for; the table reaches from {} to {}", format_quantity(f, "Hz"),
                              format_quantity(frequencies.front(), "Hz"), format_quantity(frequencies.back(), "Hz")),
                  "Beyond its ends the fit goes on by itself: give more of the table, or ask for less.");
      return;
    }
}

/// Fits tables and porous layers, and looks whether poles that were given are those of a wall; once the pulses are known.
void fit_walls(const CaseReader& reader, Settings& s) {
  const Values groups = reader["boundaries"]["groups"];
  const double highest = highest_frequency(s);
  for (std::size_t k = 0; k < groups.size(); ++k) {
    const Values v = groups.at(k);
    const std::string kind = v["kind"].text();
    Wall& wall = s.conditions.walls[k];
    if (kind == "poles") {
      RationalAdmittance beta{v["rest"].number(), {}};
      const Values poles = v["poles"];
      for (std::size_t p = 0; p < poles.size(); ++p) {
        const std::vector<double> x = poles.at(p).numbers();
        beta.poles.push_back({{x[0], x[1]}, {x[2], x[3]}});
      }
      if (const Status passive = check_passive(beta); !passive)
        reader.fail(v["poles"], passive.error().text, passive.error().hint);
      else
        wall.admittance = std::move(beta);
      continue;
    }
    std::vector<double> frequencies;
    AdmittanceFit fit;
    if (kind == "impedance-table") {
      const std::vector<std::complex<double>> values = read_table(reader, v, frequencies);
      if (values.empty()) continue;
      if (highest > 1.2 * frequencies.back())
        reader.warn(v["frequencies"],
                    fmt::format("the table ends at {}, the pulses have sound up to {}",
                                format_quantity(frequencies.back(), "Hz"), format_quantity(highest, "Hz")),
                    "Beyond its ends the fit goes on by itself: give more of the table, or a slower pulse.");
      check_table_ends(reader, v, s, frequencies);
      fit = fit_admittance(frequencies, values);
    } else if (kind == "porous" && highest > 0) {
      fit = fit_porous(v["flow_resistivity"].number(), v["thickness"].number(), s.form.c, highest);
    } else {
      continue;
    }
    reader.warn(
        v,
        fmt::format("the impedance of \"{}\" is fitted by {} poles: the reflection of sound that comes straight on is "
                    "within {:.2g}, the admittance within {:.2g} %{}",
                    wall.group, fit.admittance.poles.size(), fit.reflection, 100 * fit.worst,
                    fit.between > 0
                        ? fmt::format("; between the frequencies of the table the reflection is within {:.2g} of "
                                      "smooth curves of the impedance",
                                      fit.between)
                        : ""),
        fit.between < 0.05 ? "A wall that takes energy at all frequencies can be fitted closely; one that would give "
                             "some cannot."
                           : "A wall that takes energy at all frequencies can be fitted closely, if the table follows "
                             "it: give more frequencies where the impedance changes.");
    if (std::max(fit.reflection, fit.between) < 0.05) reader.out.back().severity = Severity::note;
    wall.admittance = std::move(fit.admittance);
  }
}

/// Conditions on groups, and the signals of those that move.
void read_walls(const CaseReader& reader, Settings& s) {
  const Values boundaries = reader["boundaries"], groups = boundaries["groups"];
  for (std::size_t k = 0; k < groups.size(); ++k) {
    const Values v = groups.at(k);
    const std::string kind = v["kind"].text();
    Wall wall{v["group"].text(), WallKind::rigid, 1, {}};
    if (kind == "soft") wall.kind = WallKind::soft;
    if (kind == "impedance") {
      wall.kind = WallKind::impedance;
      wall.impedance = v["impedance"].number();
    }
    if (kind == "poles" || kind == "impedance-table" || kind == "porous") wall.kind = WallKind::impedance;
    if (kind == "velocity") {
      wall.kind = WallKind::velocity;
      wall.direction = unit(v["direction"].vec3());
      s.motions.push_back({wall.group, s.conditions.walls.size(), read_pulse(reader, v["pulse"]), v["delay"].number()});
    }
    if (s.screen && (kind == "soft" || wall.kind == WallKind::impedance))
      reader.fail(v, fmt::format("the group \"{}\" of a screen is {}", wall.group, kind),
                  "Sheets without thickness are rigid or move; give what absorbs or yields as a body of "
                  "some thickness, with \"boundaries\": {\"surface\": \"rigid\"}.");
    s.conditions.walls.push_back(std::move(wall));
  }
  if (!groups.size()) return;
  if (!s.form.rigid())
    reader.fail(groups, "groups have conditions of their own on a soft surface",
                "Set \"surface\": \"rigid\" and give the soft faces as groups of kind \"soft\".");
}

void read_ground(const CaseReader& reader, Settings& s) {
  const Values boundaries = reader["boundaries"];
  if (boundaries.has("ground")) {
    const Values v = boundaries["ground"];
    const std::string normal = v["normal"].text();
    s.conditions.ground = Ground{axis_of(normal.substr(normal.size() - 1)), v["height"].number(),
                                 v["surface"].text() == "rigid", normal.front() == '-' ? -1.0 : 1.0};
  }
  s.conditions.inside = boundaries["fluid"].text() == "inside" && !s.conditions.filling;
  if (!s.conditions.inside) return;
  if (s.screen || !s.form.rigid())
    reader.fail(boundaries["fluid"], "a room needs closed rigid walls",
                "Set \"surface\": \"rigid\"; give soft or absorbing walls as groups.");
  if (s.conditions.ground)
    reader.fail(boundaries["ground"], "a room has no ground beside its own floor", "Leave \"ground\" out.");
}

/// The fluid within closed bodies, and what does not go with it.
void read_filling(const CaseReader& reader, Settings& s) {
  const Values boundaries = reader["boundaries"];
  if (!reader["medium"].has("filling")) {
    reader.fail(reader["medium"], "the bodies are filled with another fluid, which is not given",
                "Give \"medium\": {\"filling\": {\"speed\": …, \"density\": …}}.");
    s.conditions.filling = Filling{};
    return;
  }
  const Values v = reader["medium"]["filling"];
  s.conditions.filling = Filling{v["speed"].number(), v["density"].number() / s.density};
  const double ratio = std::max(v["speed"].number(), s.form.c) / s.slowest();
  if (ratio > 10)
    reader.fail(
        v["speed"], fmt::format("one fluid is {:.3g} times as fast as the other; at most 10 times is possible", ratio),
        "The time step goes by the slower fluid, and sound of the faster one would cross many edges within a step. "
        "Compute a body that is much faster and denser as rigid, and one that is much slower and lighter as soft.");
  if (boundaries["groups"].size() > 0)
    reader.fail(boundaries["groups"], "groups have conditions of their own on a filled body",
                "Leave \"groups\" out: through the surface of a filled body sound passes everywhere.");
  if (boundaries["fluid"].text() == "inside")
    reader.fail(boundaries["fluid"], "a filled body has fluid on both sides, and sources outside",
                "Leave \"fluid\" out.");
}

/// The form of the equation, the step, and how the matrices are made.
void read_parameters(const CaseReader& reader, Settings& s) {
  const Values parameters = reader["parameters"];
  s.form.c = reader["medium"]["speed"].number();
  const std::string surface = reader["boundaries"]["surface"].text(), form = parameters["form"].text();
  s.screen = surface == "screen";
  s.curved_faces = reader["boundaries"]["faces"].text() == "curved";
  s.density = reader["medium"]["density"].number();
  if (surface == "filled")
    read_filling(reader, s);
  else if (reader["medium"].has("filling"))
    reader.fail(reader["medium"]["filling"], fmt::format("the bodies are {} and not filled", surface),
                "Set \"boundaries\": {\"surface\": \"filled\"}, or leave \"filling\" out.");
  // The other side of a room's walls is the open, where nothing resonates: N has no need of a combination there. Bodies in it have: complete().
  s.form.name = surface == "soft" ? FormName::DC
                : surface == "screen" || surface == "filled" || reader["boundaries"]["fluid"].text() == "inside"
                    ? FormName::N
                    : FormName::NC;
  if (form != "auto" && surface == "filled") {
    reader.fail(parameters["form"], "a filled body has equations of its own and no other form",
                "Leave \"form\" out, or write \"auto\".");
  } else if (form != "auto") {
    const FormName wanted = form == "N"    ? FormName::N
                            : form == "NC" ? FormName::NC
                            : form == "D"  ? FormName::D
                                           : FormName::DC;
    const bool soft = wanted == FormName::D || wanted == FormName::DC;
    if (soft != (surface == "soft") || (surface == "screen" && wanted != FormName::N))
      reader.fail(parameters["form"], fmt::format("the form \"{}\" does not fit a {} surface", form, surface),
                  "Rigid bodies take N or NC, soft bodies D or DC, screens N; or write \"auto\".");
    s.form.name = wanted;
    s.form_given = true;
  }
  s.form.alpha = parameters["alpha"].number();
  if (parameters.has("gamma")) {
    s.form.gamma = parameters["gamma"].number();
    s.gamma_given = true;
  }
  if (parameters.has("time_step")) {
    s.form.dt = parameters["time_step"].number();
    s.courant = 0;
  } else {
    s.courant = parameters["courant"].number();
  }
  if (parameters.has("end_time")) s.end_time = parameters["end_time"].number();
  if (parameters.has("steps")) s.steps = parameters["steps"].integer();
  s.grouped = static_cast<int>(parameters["grouped_steps"].integer());
  const std::string ordering = parameters["ordering"].text();
  s.ordering = ordering == "given" ? Ordering::given : ordering == "morton" ? Ordering::morton : Ordering::hilbert;
  if (parameters["matrices"].text() == "compressed") {
    s.compression = parameters["compression"].number();
    s.ordering = Ordering::clusters;
  }
  s.gradients = parameters["instant_solver"].text() == "gradients";
  s.assembly.far_points = static_cast<int>(parameters["far_points"].integer());
  s.assembly.near_points = static_cast<int>(parameters["near_points"].integer());
  s.assembly.near_splits = static_cast<int>(parameters["near_splits"].integer());
  s.assembly.thin_splits =
      parameters["thin_splits"].is_text() ? -1 : static_cast<int>(parameters["thin_splits"].integer());
  s.rim_layers = static_cast<int>(parameters["rim_layers"].integer());
  s.single_precision = reader["compute"]["precision"].text() == "single";
}

void read_waves(const CaseReader& reader, Settings& s) {
  const Values excitation = reader["excitation"];
  const Values waves = excitation["waves"];
  reader.tell_apart(waves, "waves");
  Pulse pulse;
  if (excitation.has("pulse"))
    pulse = read_pulse(reader, excitation["pulse"]);
  else if (waves.size() > 0)
    reader.fail(excitation, "the waves have no pulse", "Give \"excitation\": {\"pulse\": …}.");
  if (waves.size() == 0 && s.motions.empty())
    reader.fail(excitation, "nothing makes sound",
                "Give \"waves\" and their \"pulse\", or a group of kind \"velocity\" in boundaries.");
  const bool separate = excitation["separate"].boolean();
  for (std::size_t k = 0; k < waves.size(); ++k) {
    const Values v = waves.at(k);
    Wave w;
    w.pulse = pulse;
    w.pulse.amplitude *= v["amplitude"].number();
    w.t0 = v["delay"].number();
    if (v["kind"].text() == "plane") {
      w.kind = WaveKind::plane;
      w.direction = unit(v["direction"].vec3());
      if (!(norm(w.direction) > 0.5))
        reader.fail(v, "the direction of the plane wave is zero", "Give a vector along which it goes.");
    } else {
      w.kind = WaveKind::point;
      w.position = v["position"].vec3();
    }
    const std::string name = name_or_number(v, "wave ", k + 1);
    if (separate || s.runs.empty()) s.runs.push_back({name, {}});
    s.runs.back().waves.push_back(w);
  }
  if (s.runs.empty() || (separate && !s.motions.empty())) s.runs.push_back({"motion", {}});
}

/// Directions and frequencies of head-related responses.
void read_head(const CaseReader& reader, Settings& s) {
  if (!reader["output"].has("head_related")) return;
  const Values v = reader["output"]["head_related"], grid = v["grid"], ears = v["ears"];
  HeadSetting& h = s.head;
  for (std::size_t k = 0; k < ears.size(); ++k) {
    h.ears.push_back(ears.at(k).text());
    const auto motion =
        std::find_if(s.motions.begin(), s.motions.end(), [&](const Motion& m) { return m.name == h.ears.back(); });
    if (motion == s.motions.end() || norm(s.conditions.walls[motion->wall].direction) > 0)
      reader.fail(
          ears.at(k), fmt::format("the ear \"{}\" is no group that moves along its normals", h.ears.back()),
          "Give it in boundaries.groups, {\"kind\": \"velocity\", \"group\": …, \"pulse\": …} without a direction: by "
          "reciprocity it sends, and the directions listen.");
  }
  if (s.screen || s.conditions.inside || s.conditions.ground)
    reader.fail(v, "head-related responses are those of a closed body in the free field",
                "Set \"surface\": \"rigid\" and leave \"ground\" and \"fluid\" out.");
  h.center = v["center"].vec3();
  h.view = unit(v["view"].vec3());
  const Vec3 above = unit(v["up"].vec3());
  h.up = unit(axpy(-dot(above, h.view), h.view, above));
  if (!(norm(h.view) > 0.5) || !(norm(above) > 0.5) || std::abs(dot(above, h.view)) > 0.999)
    reader.fail(v, "\"view\" and \"up\" give no axes", "Give two directions that are not parallel.");
  h.radius = v["radius"].number();
  h.even_angles = grid["kind"].text() == "even-angles";
  h.directions = h.even_angles ? even_angles(grid["step"].number()) : spiral(static_cast<int>(grid["count"].integer()));
  const double step = v["frequency_step"].number(), highest = v["highest"].number();
  if (highest / step > 4000.5 || highest < step)
    reader.fail(v["frequency_step"], fmt::format("expected 1 to 4000 frequencies, found {:.4g}", highest / step),
                "Give a step below \"highest\", and not below a 4000th of it.");
  else
    for (int k = 1; k <= static_cast<int>(highest / step * (1 + 1e-9)); ++k) h.frequencies.push_back(k * step);
  if (!v.has("sampling_rate")) return;
  h.rate = v["sampling_rate"].number();
  const double samples = h.rate / step;
  if (std::abs(samples - std::round(samples)) > 1e-6 * samples || samples > 100000 || h.rate < 2 * highest)
    reader.fail(v["sampling_rate"],
                fmt::format("signals would have {:.6g} samples (the rate over the frequency step) and hold up to {}",
                            samples, format_quantity(h.rate / 2, "Hz")),
                "The rate must be a whole number of frequency steps, 100000 at most, and at least twice \"highest\".");
}

/// Target strength over incidence, and the far field in all directions.
void read_far_pages(const CaseReader& reader, Settings& s) {
  const Values output = reader["output"];
  for (const char* key : {"monostatic", "directivity"})
    if (output.has(key) && (s.conditions.inside || (s.conditions.ground && key == std::string_view("monostatic"))))
      reader.fail(output[key], fmt::format("\"{}\" is told of bodies in the free field", key),
                  s.conditions.inside ? "Leave it or \"fluid\" out." : "Leave it or \"ground\" out.");
  if (output.has("monostatic")) {
    const Values v = output["monostatic"];
    s.monostatic = {axis_of(v["normal"].text()), v["count"].integer(),
                    read_frequencies(reader.input, v["frequencies"], StepRounding::product_first, reader.out)};
    if (std::ranges::any_of(s.monostatic.frequencies, [](double f) { return !(f > 0); }))
      reader.fail(v["frequencies"], "a frequency is not above zero", "Give frequencies in Hz.");
  }
  if (output.has("directivity")) {
    s.directivity_step = output["directivity"]["step"].number();
    const double rows = 180 / s.directivity_step;
    if (std::abs(rows - std::round(rows)) > 1e-6)
      reader.fail(output["directivity"]["step"],
                  fmt::format("180 degrees are {:.4g} steps of {:g}", rows, s.directivity_step),
                  "Give a step that divides 180.");
    if (s.maps.empty())
      reader.fail(output["directivity"], "the far field is told at the frequencies of the maps, and there are none",
                  "Give \"maps\": frequencies in Hz.");
  }
}

void read_output(const CaseReader& reader, Settings& s) {
  const Values output = reader["output"];
  const Values receivers = output["receivers"];
  reader.tell_apart(receivers, "receivers");
  for (std::size_t k = 0; k < receivers.size(); ++k) {
    s.receiver_names.push_back(name_or_number(receivers.at(k), "R", k + 1));
    s.receivers.push_back(receivers.at(k)["position"].vec3());
  }
  const Values planes = output["planes"];
  reader.tell_apart(planes, "planes");
  for (std::size_t k = 0; k < planes.size(); ++k)
    s.planes.push_back(read_plane(reader.input, planes.at(k), k + 1, reader.out));
  const auto row_of = [&](const char* key, std::vector<double>& frequencies) {
    if (output.has(key))
      frequencies = read_frequencies(reader.input, output[key], StepRounding::product_first, reader.out);
  };
  row_of("frequencies", s.frequencies);
  row_of("spectra", s.spectra);
  if (!s.spectra.empty() && s.receivers.empty())
    reader.fail(output["spectra"], "spectra are those of receivers, and there are none",
                "Give \"receivers\", or leave \"spectra\" out.");
  s.surface_spectra = output["surface_spectra"].numbers();
  s.maps = output["maps"].numbers();
  const Values directions = output["directions"];
  for (std::size_t k = 0; k < directions.size(); ++k) {
    s.directions.push_back(unit(directions.at(k).vec3()));
    if (!(norm(s.directions.back()) > 0.5))
      reader.fail(directions.at(k), "a direction is zero", "Give a vector towards the observer.");
  }
  if (output.has("pattern")) {
    s.pattern_normal = axis_of(output["pattern"]["normal"].text());
    s.pattern_count = output["pattern"]["count"].integer();
  }
  s.exact_sphere = output["exact"].text() == "sphere";
  read_far_pages(reader, s);
  read_head(reader, s);
}

}  // namespace

AdmittanceFit fit_porous(double resistivity, double thickness, double c, double highest) {
  std::vector<double> frequencies;
  std::vector<std::complex<double>> values;
  for (int f = 0; f <= 120; ++f) {
    frequencies.push_back(highest * std::pow(50.0, f / 120.0 - 1));
    values.push_back(porous_admittance(resistivity, thickness, c, frequencies.back()));
  }
  return fit_admittance(frequencies, values);
}

Settings read_settings(const Case& input, std::vector<Diagnostic>& out) {
  const CaseReader reader(input, out);
  Settings s;
  read_parameters(reader, s);
  read_walls(reader, s);
  read_ground(reader, s);
  read_waves(reader, s);
  read_output(reader, s);
  fit_walls(reader, s);
  return s;
}

Result<Surface> surface_for(const Settings& s, const Mesh& mesh) {
  if (s.curved_faces) {
    auto curved = with_curved_faces(mesh, s.conditions.ground);
    if (!curved) return curved.error();
    auto surface = make_surface(curved->mesh, s.ordering, s.rim_layers, s.conditions);
    if (surface) surface->moved = curved->farthest;
    return surface;
  }
  return make_surface(mesh, s.ordering, s.rim_layers, s.conditions);
}

void add_image_waves(Settings& s) {
  if (!s.conditions.ground) return;
  const Ground& ground = *s.conditions.ground;
  for (Excitation& run : s.runs) {
    const std::vector<Wave> waves = run.waves;
    for (Wave w : waves) {
      w.pulse.amplitude *= ground.sign();
      if (w.kind == WaveKind::plane) {  // d·(mirrored x) = d'·x + 2 d_n height
        w.t0 += 2 * ground.height * w.direction[static_cast<std::size_t>(ground.axis)] / s.form.c;
        w.direction = ground.turned(w.direction);
      } else {
        w.position = ground.mirrored(w.position);
      }
      run.waves.push_back(w);
    }
  }
}

double highest_frequency(const Settings& s) {
  double out = 0;
  for (const Excitation& run : s.runs)
    for (const Wave& w : run.waves) out = std::max(out, w.pulse.highest_frequency());
  for (const Motion& m : s.motions) out = std::max(out, m.pulse.highest_frequency());
  return out;
}

namespace {
/// Of two vertices, over some of them.
double mean_distance(const Surface& surface) {
  const std::size_t count = surface.vertices.size(), step = std::max<std::size_t>(2, count / 200);
  double sum = 0, pairs = 0;
  for (std::size_t a = 0; a < count; a += step)
    for (std::size_t b = 0; b < count; b += step, ++pairs) sum += distance(surface.vertices[a], surface.vertices[b]);
  return sum / pairs;
}
}  // namespace

SkeletonOptions skeleton_options(const Settings& s, const Surface& surface) {
  // Beyond the highest frequency of the pulses a hundredth of their spectrum is left. A mesh carries no waves shorter than five edges well.
  constexpr double beyond = 1.25, least_edges = 5;
  const double c = s.slowest();
  const double turn = 2 * std::numbers::pi, pulses = turn * highest_frequency(s) * beyond / c,
               most = turn / (least_edges * surface.mean_edge);
  // Spectra are over those of the pulses: what is asked for beyond their band counts as much as what lies in it.
  double asked = 0;
  for (const double f : asked_frequencies(s)) asked = std::max(asked, turn * f / c);
  // The mean over a step of a density begins half a step before.
  const double fastest = s.conditions.filling ? std::max(s.form.c, s.conditions.filling->c) : s.form.c;
  const int later = s.grouped + (s.conditions.filling ? 1 : 0);
  return {.error = s.compression,
          .highest = std::max(std::min(pulses, most), asked),
          .least_gap = FarKernel::least_gap(later) * fastest * s.form.dt,
          .cluster = s.conditions.filling ? 128 : 64};
}

bool lies_in_source(const Settings& s, const Surface& surface, const Vec3& x) {
  for (const Excitation& run : s.runs)
    for (const Wave& w : run.waves)
      if (w.kind == WaveKind::point && distance(w.position, x) <= 1e-6 * surface.mean_edge) return true;
  return false;
}

std::vector<Vec3> corners_of(const PlaneSetting& plane) {
  std::vector<Vec3> out;
  for (int corner = 0; corner < 8; ++corner) {
    Vec3 x = plane.origin;
    for (std::size_t d = 0; d < 3; ++d)
      if (corner >> d & 1) x[d] += plane.spacing[d] * static_cast<double>(plane.points[d] - 1);
    out.push_back(x);
  }
  return out;
}

namespace {

/// When all that sends begins, but for its delay: point sources and motions at once, plane waves as if they passed the origin then; as early as
/// no point has any of it before t = 0. Two sources of opposite sign are so a dipole, and waves computed separately add up to those together.
double common_start(const Settings& s, const std::vector<Vec3>& points) {
  double first = s.motions.empty() ? HUGE_VAL : 0;
  for (const Excitation& run : s.runs)
    for (const Wave& w : run.waves)
      for (const Vec3& x : points) first = std::min(first, w.travel(x, s.form.c));
  return first < HUGE_VAL ? -first : 0;
}

}  // namespace

void complete(Settings& s, const Surface& surface) {
  if (s.courant > 0) s.form.dt = s.courant * surface.mean_edge / s.slowest();
  if (s.assembly.thin_splits < 0) s.assembly.thin_splits = splits_for(thinness(surface));
  // In a room the combination acts on bodies alone (Surface::plain), inside of which N leaves resonances as they are.
  if (!s.form_given && surface.conditions.inside && surface.bodies.size() > 1) s.form.name = FormName::NC;
  if (s.form.combined() && !s.gamma_given) s.form.gamma = 1 / surface.diameter;
  // At t = 0 the field is at rest wherever it is recorded.
  std::vector<Vec3> points = surface.vertices;
  points.insert(points.end(), s.receivers.begin(), s.receivers.end());
  for (const PlaneSetting& p : s.planes)
    for (const Vec3& x : corners_of(p)) points.push_back(x);
  std::vector<Vec3> lit = surface.vertices;
  if (const auto& ground = surface.conditions.ground) {  // what an image does here, the wave does to the image
    for (std::size_t k = 0, count = points.size(); k < count; ++k) points.push_back(ground->mirrored(points[k]));
    for (const Vec3& x : surface.vertices) lit.push_back(ground->mirrored(x));
  }
  if (const auto& ground = surface.conditions.ground) {  // over some pairs of vertices
    const std::size_t count = surface.vertices.size(), step = std::max<std::size_t>(1, count / 200);
    double sum = 0, pairs = 0;
    for (std::size_t a = 0; a < count; a += step)
      for (std::size_t b = 0; b < count; b += step, ++pairs)
        sum += distance(surface.vertices[a], ground->mirrored(surface.vertices[b])) -
               distance(surface.vertices[a], surface.vertices[b]);
    s.image_gap = sum / pairs / s.form.delta();
  }
  if (surface.filled()) {
    // A row-vector reaches from what the faster fluid brings to what the slower one does: R apart in the mean over pairs.
    const double fast = 1 / longest_delta(surface, s.form), slow = 1 / shortest_delta(surface, s.form);
    s.image_gap += mean_distance(surface) * (slow - fast);
  }
  const double start = common_start(s, points);
  double last = 0;
  for (Motion& m : s.motions) {
    m.t0 += start + m.pulse.onset();
    last = std::max(last, m.t0 + m.pulse.length() - m.pulse.onset());
  }
  for (Excitation& run : s.runs)
    for (Wave& w : run.waves) {
      w.t0 += start + w.pulse.onset();
      for (const Vec3& x : lit)
        last = std::max(last, w.t0 + w.travel(x, s.form.c) + w.pulse.length() - w.pulse.onset());
    }
  s.lit = last;
  for (const Excitation& run : s.runs)
    for (const Wave& w : run.waves)
      for (Vec3 x : s.receivers)
        for (int image = 0; image < (surface.conditions.ground ? 2 : 1); ++image) {
          if (image > 0) x = surface.conditions.ground->mirrored(x);
          s.lit = std::max(s.lit, w.t0 + w.travel(x, s.form.c) + w.pulse.length() - w.pulse.onset());
        }
  if (s.end_time <= 0) {
    double way = 0;  // from the surface to the farthest receiver
    for (const Vec3& x : s.receivers)
      for (const Vec3& v : surface.vertices) way = std::max(way, distance(x, v));
    s.end_time = last + way / s.form.c + 4 * surface.diameter / s.slowest();
  }
  if (s.steps <= 0) s.steps = std::max<Index>(1, static_cast<Index>(std::ceil(s.end_time / s.form.dt)));
  if (s.compressed()) s.counted = count_compressed(surface, skeleton_options(s, surface));
}

}  // namespace conoid::acoustic_bem
