// SPDX-License-Identifier: BSD-3-Clause
// Reads a case and checks it.
#include "engine/solvers/acoustic_bem/settings.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/io/csv.hpp"
#include "engine/solvers/acoustic_bem/facets.hpp"
#include "engine/solvers/acoustic_bem/places.hpp"
#include "engine/solvers/acoustic_bem/slice_store.hpp"

namespace conoid::acoustic_bem {

using namespace conoid::vec;

std::vector<Vec3> PlaneSetting::positions() const {
  std::vector<Vec3> out;
  for (Index k = 0; k < points[2]; ++k)
    for (Index j = 0; j < points[1]; ++j)
      for (Index i = 0; i < points[0]; ++i)
        out.push_back({origin[0] + spacing[0] * static_cast<double>(i), origin[1] + spacing[1] * static_cast<double>(j),
                       origin[2] + spacing[2] * static_cast<double>(k)});
  return out;
}

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

Pulse read_pulse(const Case& input, const Values& v, std::vector<Diagnostic>& out) {
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
      auto samples = read_samples(input.path(v["file"].text()));
      if (samples)
        p.samples = std::move(*samples);
      else
        out.push_back(samples.error());
    }
    if (p.samples.empty())
      out.push_back(input.error_at(v, "the sampled pulse has no values", "Give \"samples\" or a \"file\" of numbers."));
  }
  return p;
}

int axis_of(const std::string& name) {
  return name == "x" ? 0 : name == "y" ? 1 : 2;
}

PlaneSetting read_plane(const Case& input, const Values& v, std::size_t number, std::vector<Diagnostic>& out) {
  PlaneSetting p;
  p.name = v["name"].text();
  if (p.name.empty()) p.name = fmt::format("plane {}", number);
  const auto normal = static_cast<std::size_t>(axis_of(v["normal"].text()));
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

/// Conditions on groups, and the signals of those that move.
void read_walls(const Case& input, Settings& s, std::vector<Diagnostic>& out) {
  const Values boundaries = input["boundaries"], groups = boundaries["groups"];
  for (std::size_t k = 0; k < groups.size(); ++k) {
    const Values v = groups.at(k);
    const std::string kind = v["kind"].text();
    Wall wall{v["group"].text(), WallKind::rigid, 1, {}};
    if (kind == "soft") wall.kind = WallKind::soft;
    if (kind == "impedance") {
      wall.kind = WallKind::impedance;
      wall.impedance = v["impedance"].number();
    }
    if (kind == "velocity") {
      wall.kind = WallKind::velocity;
      wall.direction = unit(v["direction"].vec3());
      s.motions.push_back(
          {wall.group, s.conditions.walls.size(), read_pulse(input, v["pulse"], out), v["delay"].number()});
    }
    if (s.screen && (kind == "soft" || kind == "impedance"))
      out.push_back(
          input.error_at(v, fmt::format("the group \"{}\" of a screen is {}", wall.group, kind),
                         "Sheets without thickness are rigid or move; give what absorbs or yields as a body of "
                         "some thickness, with \"boundaries\": {\"surface\": \"rigid\"}."));
    s.conditions.walls.push_back(std::move(wall));
  }
  if (!groups.size()) return;
  if (!s.form.rigid())
    out.push_back(input.error_at(groups, "groups have conditions of their own on a soft surface",
                                 "Set \"surface\": \"rigid\" and give the soft faces as groups of kind \"soft\"."));
}

void read_ground(const Case& input, Settings& s, std::vector<Diagnostic>& out) {
  const Values boundaries = input["boundaries"];
  if (boundaries.has("ground")) {
    const Values v = boundaries["ground"];
    s.conditions.ground = Ground{axis_of(v["normal"].text()), v["height"].number(), v["surface"].text() == "rigid"};
  }
  s.conditions.inside = boundaries["fluid"].text() == "inside";
  if (!s.conditions.inside) return;
  if (s.screen || !s.form.rigid())
    out.push_back(input.error_at(boundaries["fluid"], "a room needs closed rigid walls",
                                 "Set \"surface\": \"rigid\"; give soft or absorbing walls as groups."));
  if (s.conditions.ground)
    out.push_back(
        input.error_at(boundaries["ground"], "a room has no ground beside its own floor", "Leave \"ground\" out."));
}

}  // namespace

Settings read_settings(const Case& input, std::vector<Diagnostic>& out) {
  Settings s;
  const Values parameters = input["parameters"], excitation = input["excitation"], output = input["output"];
  s.form.c = input["materials"]["speed"].number();
  const std::string surface = input["boundaries"]["surface"].text(), form = parameters["form"].text();
  s.screen = surface == "screen";
  s.density = input["materials"]["density"].number();
  // The other side of a room's walls is the open, where nothing resonates: N has no need of a combination there.
  s.form.name = surface == "soft"                                                        ? FormName::DC
                : surface == "screen" || input["boundaries"]["fluid"].text() == "inside" ? FormName::N
                                                                                         : FormName::NC;
  if (form != "auto") {
    const FormName wanted = form == "N"    ? FormName::N
                            : form == "NC" ? FormName::NC
                            : form == "D"  ? FormName::D
                                           : FormName::DC;
    const bool soft = wanted == FormName::D || wanted == FormName::DC;
    if (soft != (surface == "soft") || (surface == "screen" && wanted != FormName::N))
      out.push_back(input.error_at(parameters["form"],
                                   fmt::format("the form \"{}\" does not fit a {} surface", form, surface),
                                   "Rigid bodies take N or NC, soft bodies D or DC, screens N; or write \"auto\"."));
    s.form.name = wanted;
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
  if (parameters.has("duration")) s.duration = parameters["duration"].number();
  if (parameters.has("steps")) s.steps = parameters["steps"].integer();
  s.grouped = static_cast<int>(parameters["grouped_steps"].integer());
  const std::string ordering = parameters["ordering"].text();
  s.ordering = ordering == "given" ? Ordering::given : ordering == "morton" ? Ordering::morton : Ordering::hilbert;
  s.gradients = parameters["instant_solver"].text() == "gradients";
  s.assembly.far_points = static_cast<int>(parameters["far_points"].integer());
  s.assembly.near_points = static_cast<int>(parameters["near_points"].integer());
  s.assembly.near_splits = static_cast<int>(parameters["near_splits"].integer());
  s.assembly.thin_splits =
      parameters["thin_splits"].is_text() ? -1 : static_cast<int>(parameters["thin_splits"].integer());
  s.rim_layers = static_cast<int>(parameters["rim_layers"].integer());
  s.single_precision = input["compute"]["precision"].text() == "single";

  read_walls(input, s, out);
  read_ground(input, s, out);
  const Values waves = excitation["waves"];
  Pulse pulse;
  if (excitation.has("pulse"))
    pulse = read_pulse(input, excitation["pulse"], out);
  else if (waves.size() > 0)
    out.push_back(input.error_at(excitation, "the waves have no pulse", "Give \"excitation\": {\"pulse\": …}."));
  if (waves.size() == 0 && s.motions.empty())
    out.push_back(input.error_at(excitation, "nothing makes sound",
                                 "Give \"waves\" and their \"pulse\", or a group of kind \"velocity\" in boundaries."));
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
        out.push_back(
            input.error_at(v, "the direction of the plane wave is zero", "Give a vector along which it goes."));
    } else {
      w.kind = WaveKind::point;
      w.position = v["position"].vec3();
    }
    const std::string name = v["name"].text().empty() ? fmt::format("wave {}", k + 1) : v["name"].text();
    if (separate || s.runs.empty()) s.runs.push_back({name, {}});
    s.runs.back().waves.push_back(w);
  }
  if (s.runs.empty() || (separate && !s.motions.empty())) s.runs.push_back({"motion", {}});
  const Values receivers = output["receivers"];
  for (std::size_t k = 0; k < receivers.size(); ++k) {
    const std::string name = receivers.at(k)["name"].text();
    s.receiver_names.push_back(name.empty() ? fmt::format("R{}", k + 1) : name);
    s.receivers.push_back(receivers.at(k)["position"].vec3());
  }
  const Values planes = output["planes"];
  for (std::size_t k = 0; k < planes.size(); ++k) s.planes.push_back(read_plane(input, planes.at(k), k + 1, out));
  const auto row_of = [&](const char* key, std::vector<double>& frequencies) {
    if (!output.has(key)) return;
    const Values f = output[key];
    const double from = f["from"].number(), to = f["to"].number();
    const Index count = f["count"].integer();
    for (Index k = 0; k < count; ++k)
      frequencies.push_back(count == 1 ? from
                                       : from + (to - from) * static_cast<double>(k) / static_cast<double>(count - 1));
    if (to < from) out.push_back(input.error_at(f, "the frequencies run backwards", "Give from ≤ to."));
  };
  row_of("frequencies", s.frequencies);
  row_of("spectra", s.spectra);
  if (!s.spectra.empty() && s.receivers.empty())
    out.push_back(input.error_at(output["spectra"], "spectra are those of receivers, and there are none",
                                 "Give \"receivers\", or leave \"spectra\" out."));
  s.maps = output["maps"].numbers();
  const Values directions = output["directions"];
  for (std::size_t k = 0; k < directions.size(); ++k) {
    s.directions.push_back(unit(directions.at(k).vec3()));
    if (!(norm(s.directions.back()) > 0.5))
      out.push_back(input.error_at(directions.at(k), "a direction is zero", "Give a vector towards the observer."));
  }
  if (output.has("pattern")) {
    s.pattern_normal = axis_of(output["pattern"]["normal"].text());
    s.pattern_count = output["pattern"]["count"].integer();
  }
  s.exact_sphere = output["exact"].text() == "sphere";
  return s;
}

Result<Surface> surface_for(const Settings& s, const Mesh& mesh) {
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

void complete(Settings& s, const Surface& surface) {
  if (s.courant > 0) s.form.dt = s.courant * surface.mean_edge / s.form.c;
  if (s.assembly.thin_splits < 0) s.assembly.thin_splits = splits_for(thinness(surface));
  if (s.form.combined() && !s.gamma_given) s.form.gamma = 1 / surface.diameter;
  // At t = 0 the field is at rest wherever it is recorded.
  std::vector<Vec3> points = surface.vertices;
  points.insert(points.end(), s.receivers.begin(), s.receivers.end());
  for (const PlaneSetting& p : s.planes)
    for (int corner = 0; corner < 8; ++corner) {
      Vec3 x = p.origin;
      for (std::size_t d = 0; d < 3; ++d)
        if (corner >> d & 1) x[d] += p.spacing[d] * static_cast<double>(p.points[d] - 1);
      points.push_back(x);
    }
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
  double last = 0;
  for (Motion& m : s.motions) {
    m.t0 += m.pulse.onset();
    last = std::max(last, m.t0 + m.pulse.length() - m.pulse.onset());
  }
  for (Excitation& run : s.runs)
    for (Wave& w : run.waves) {
      const double delay = w.t0;
      Excitation one{"", {w}};
      set_onsets(one, points, s.form.c);
      w.t0 = one.waves[0].t0 + delay;
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
  if (s.duration <= 0) {
    double way = 0;  // from the surface to the farthest receiver
    for (const Vec3& x : s.receivers)
      for (const Vec3& v : surface.vertices) way = std::max(way, distance(x, v));
    s.duration = last + (way + 4 * surface.diameter) / s.form.c;
  }
  if (s.steps <= 0) s.steps = std::max<Index>(1, static_cast<Index>(std::ceil(s.duration / s.form.dt)));
}

double expected_length(const Settings& s, double courant) {
  return 2.24 / courant + 3.0 + s.image_gap;
}
/// Values stored for a row-vector, zeros that fill up groups of rows included.
double stored_length(const Settings& s, double courant) {
  return 1.04 * expected_length(s, courant);
}

Bytes expected_memory(const Settings& s, Index unknowns, double courant) {
  const auto n = static_cast<double>(unknowns);
  const double real = s.single_precision ? 4 : 8;
  double points = static_cast<double>(s.receivers.size());
  for (const PlaneSetting& p : s.planes) points += static_cast<double>(p.points[0] * p.points[1] * p.points[2]);
  const double transform = s.spectra.empty() ? 0 : 2 * real;  // frequency_solver.hpp
  const double point = (8 + s.image_gap) * real + 7 + 4;      // values, structure; extents while they are made
  return static_cast<Bytes>((n * n * (stored_length(s, courant) * real + 3 + transform) + points * n * point) /
                            s.ranks) +
         (Bytes{32} << 20);
}

Bytes march_memory(const Settings& s, Index unknowns, double courant, Index columns) {
  const auto n = static_cast<double>(unknowns), g = static_cast<double>(s.grouped);
  const double real = s.single_precision ? 4 : 8;
  // Past values: History keeps twice its reach and some. Near part: vertices (2 / √3 a squared edge) closer than n_g steps, each
  // with its row-vector.
  const double past = static_cast<double>(s.runs.size()) * (2 * (static_cast<double>(columns) + 2 * g) + 768) * real;
  const double near =
      std::min(std::numbers::pi * g * g * courant * courant * 1.155, n) * stored_length(s, courant) * (real + 4);
  return static_cast<Bytes>(n * (past + near));
}

namespace {

MemoryPlan plan_with(const Settings& s, Index unknowns, double courant, Bytes budget, int threads, Bytes own) {
  const auto n = static_cast<double>(unknowns);
  const double real = s.single_precision ? 4 : 8, length = stored_length(s, courant);
  MemoryPlan plan;
  plan.budget = budget;
  plan.own = own;
  plan.threads = threads;
  plan.ranks = s.ranks;
  // What comes and goes: extents and tiles while the matrices are assembled, then what the march needs (bodies up to as long as
  // three times a sphere of as many triangles).
  // Tiles are in double precision, and no more of them than there are.
  plan.tiles = std::min(static_cast<Bytes>(threads) * tile_memory(unknowns), static_cast<Bytes>(8 * n * n * length));
  const Bytes assembling = static_cast<Bytes>(4 * n * n) + plan.tiles;
  const Bytes marching = march_memory(s, unknowns, courant, static_cast<Index>(1.5 * std::sqrt(n) / courant));
  plan.in_memory = own + expected_memory(s, unknowns, courant) + std::max(assembling, marching);
  plan.values = static_cast<Bytes>(n * n * length * real / s.ranks);
  // Runs, groups and panels take 0.6 bytes a row-vector (1 in double).
  plan.fixed = plan.in_memory - std::min(plan.in_memory, plan.values) +
               static_cast<Bytes>((s.single_precision ? 0.6 : 1.0) * n * n / s.ranks);
  const auto group = static_cast<double>(std::min(window_group(unknowns), unknowns));
  const auto window =
      static_cast<Bytes>(2 * group * group * length * real);  // row-vectors beside the diagonal are longer
  plan.least = plan.fixed + least_window_memory(window, threads);
  plan.windows = budget > plan.fixed ? budget - plan.fixed : 0;
  return plan;
}

}  // namespace

MemoryPlan plan_memory(const Settings& s, Index unknowns, double courant, Bytes budget, int threads, Bytes own) {
  MemoryPlan plan = plan_with(s, unknowns, courant, budget, std::max(threads, 1), own);
  while (!plan.possible() && plan.threads > 1) plan = plan_with(s, unknowns, courant, budget, plan.threads - 1, own);
  return plan;
}

double streaming_seconds(const Settings& s, const MemoryPlan& plan) {
  return std::ceil(static_cast<double>(s.steps) / s.grouped) * static_cast<double>(plan.read_each_time()) / disk_rate;
}

ExpectedTime expected_time(const Settings& s, const Surface& surface, int cores) {
  const double courant = s.form.delta() / surface.mean_edge, length = expected_length(s, courant);
  const auto n = static_cast<double>(surface.unknowns), triangles = static_cast<double>(surface.triangles.size());
  double evaluations = triangles * triangles * s.assembly.far_points * 1.25 * (surface.images.empty() ? 1 : 2);
  if (surface.has_walls()) {  // a pair with a wall is computed twice
    double walls = 0;
    for (std::size_t t = 0; t < surface.triangles.size(); ++t) walls += surface.is_wall(t) ? 1 : 0;
    evaluations *= 1 + walls / triangles * (2 - walls / triangles);
  }
  for (const Motion& m : s.motions)
    evaluations +=
        evaluations * 2 *
        static_cast<double>(std::count(surface.wall.begin(), surface.wall.end(), static_cast<std::int16_t>(m.wall))) /
        triangles;
  const double real = s.single_precision ? 4 : 8, share = std::max(1, cores);
  // Fitted to measured times of an airplane (3247 unknowns, 1194 steps) in single precision on p cores: assembly 2 + 65/p s, march
  // 2.4 + 13.7/p s.
  // What does not divide is a share of the assembly and of the march so much an unknown and step.
  constexpr double undivided = 0.03;
  const auto steps = static_cast<double>(s.steps), runs = static_cast<double>(s.runs.size());
  auto points = static_cast<double>(s.receivers.size());
  for (const PlaneSetting& plane : s.planes)
    points += static_cast<double>(plane.points[0] * plane.points[1] * plane.points[2]);
  constexpr double rule = 7;  // points of quadrature that a triangle has for receivers
  const double row_vector = 2 / (s.form.delta() / surface.mean_edge) + 6;  // reach of a hat, and of the cubic in time
  // Row-vectors of points, spectra of the surface and of the points, each step.
  const double received = points * n * row_vector * real / 10e9 / s.grouped * runs,
               spectra = 2e-9 * runs *
                         (n * static_cast<double>(s.frequencies.size() + s.maps.size()) +
                          50 * points * (s.maps.empty() ? 1.0 / s.grouped : 1.0));
  const double directions =
      runs * ((s.pattern_normal >= 0 ? static_cast<double>(s.pattern_count * static_cast<Index>(s.maps.size())) : 0) +
              static_cast<double>(s.frequencies.size() * (1 + s.directions.size())));
  // Tiles in which slices of two ranks meet are computed by both.
  const double ranks = s.ranks, assembled = 1 - (1 - 1 / ranks) * (1 - 1 / ranks);
  ExpectedTime out;
  out.assembly = assembled * evaluations * 0.41e-6 * (length - s.image_gap) / 8.6 * (1 / share + undivided);
  out.points = 0.19e-6 / ranks * points * rule * triangles * (1 / share + undivided);
  out.march = steps * (((n * n * length * real / 4e9 / s.grouped * runs + received) / ranks + spectra) / share +
                       0.62e-6 * n * runs);
  // A transform goes through all values once, an iteration through a fifth of them; 40 iterations a frequency.
  const double solved = static_cast<double>(s.spectra.size()) * n * n * (2e-9 * length + runs * 40 * 1.5e-9);
  out.finish = 1.7e-6 * triangles * directions + solved / ranks / share;
  return out;
}

Error too_little_on_ranks(const MemoryPlan& plan, int ranks) {
  return make_error(
      ErrorCode::resources,
      fmt::format("of {} ranks each keeps its share of the matrices in memory and needs {}; the budget of a rank is {}",
                  ranks, format_bytes(plan.in_memory), format_bytes(plan.budget)),
      "Raise compute.memory.host, use more ranks, single precision or a coarser mesh; without mpirun the values are "
      "streamed from "
      "the disk.");
}

std::string text_of_fewer_threads(const MemoryPlan& plan, int threads, Index unknowns) {
  return fmt::format("{} of {} threads assemble the matrices: each takes {} meanwhile, and the budget is {}",
                     plan.threads, threads, format_bytes(tile_memory(unknowns)), format_bytes(plan.budget));
}

namespace {

std::string text_of(const Vec3& x) {
  return fmt::format("({:.6g}, {:.6g}, {:.6g}) m", x[0], x[1], x[2]);
}

bool solid(const Case& input) {
  return input["boundaries"]["surface"].text() != "screen";
}

/// Bodies, sources and receivers stand on one side of the ground.
void check_ground(const Case& input, const Settings& s, const Surface& surface, std::vector<Diagnostic>& out) {
  if (!s.conditions.ground) return;
  const Ground& ground = *s.conditions.ground;
  const double near = 1e-6 * surface.diameter;
  const auto below = [&](const Values& at, const std::string& what, const Vec3& x) {
    out.push_back(input.error_at(
        at, fmt::format("{} at {} lies {} below the ground", what, text_of(x), format_quantity(-ground.above(x), "m")),
        "The fluid is above the ground; move it up or lower boundaries.ground.height."));
  };
  const auto lowest = std::min_element(surface.vertices.begin(), surface.vertices.end(),
                                       [&](const Vec3& a, const Vec3& b) { return ground.above(a) < ground.above(b); });
  if (ground.above(*lowest) < -near) below(input["mesh"], "a vertex of the surface", *lowest);
  Index lying = 0;
  for (const Triangle& t : surface.triangles)
    lying +=
        std::all_of(t.corner.begin(), t.corner.end(), [&](const Vec3& x) { return std::abs(ground.above(x)) <= near; });
  if (lying > 0)
    out.push_back(input.error_at(input["mesh"], fmt::format("{} faces lie in the ground", lying),
                                 "Leave them out: a body that stands on the ground is open below, where its walls meet "
                                 "it, or lies a little above it."));
  const Values waves = input["excitation"]["waves"], receivers = input["output"]["receivers"];
  std::size_t number = 0;
  for (const Excitation& run : s.runs)
    for (const Wave& w : run.waves) {
      const Values at = waves.at(number++);
      if (w.kind == WaveKind::point && ground.above(w.position) < 0) below(at, "a point source", w.position);
      if (w.kind == WaveKind::plane && w.direction[static_cast<std::size_t>(ground.axis)] > 1e-9)
        out.push_back(input.error_at(at, "the plane wave comes from below the ground",
                                     "Give the direction in which it goes before the ground reflects it."));
    }
  for (std::size_t k = 0; k < s.receivers.size(); ++k)
    if (ground.above(s.receivers[k]) < -near) below(receivers.at(k), "a receiver", s.receivers[k]);
}

constexpr const char* way_into_rooms =
    "for a closed room, which rings on, set \"boundaries\": {\"fluid\": \"inside\"}; for one with an opening, give the "
    "walls as thin "
    "sheets and set \"boundaries\": {\"surface\": \"screen\"}";

void check_source(const Case& input, const Values& at, const std::string& name, const Place& p, const Vec3& x, double h,
                  bool room, std::vector<Diagnostic>& out) {
  if (room && (p.side == Side::inside || p.side == Side::on_body))
    out.push_back(
        input.error_at(at, fmt::format("the point source \"{}\" at {} does not lie in the room", name, text_of(x)),
                       fmt::format("Move it in, for instance to {}, or set \"fluid\": \"outside\".",
                                   text_of(axpy(h, p.normal, p.nearest)))));
  else if (p.side == Side::inside || p.side == Side::on_body)
    out.push_back(input.error_at(
        at,
        fmt::format("the point source \"{}\" at {} lies {} a closed body, through whose walls no sound passes", name,
                    text_of(x), p.side == Side::inside ? "inside" : "on"),
        fmt::format("Move it outside, for instance to {}; {}.", text_of(axpy(h, p.normal, p.nearest)),
                    way_into_rooms)));
  else if (p.distance < 0.5 * h)
    out.push_back(
        input.error_at(at,
                       fmt::format("the point source \"{}\" at {} lies {} from the surface, less than half an "
                                   "edge",
                                   name, text_of(x), format_quantity(p.distance, "m")),
                       "Move the source away or refine the mesh there."));
}

void check_receiver(const Case& input, const Values& at, const std::string& name, const Place& p, const Vec3& x,
                    double h, bool room, std::vector<Diagnostic>& out) {
  if (room && p.side == Side::inside) {
    out.push_back(input.error_at(at,
                                 fmt::format("the receiver \"{}\" at {} does not lie in the room", name, text_of(x)),
                                 fmt::format("Move it in, for instance to {}, or set \"fluid\": \"outside\".",
                                             text_of(axpy(h, p.normal, p.nearest)))));
  } else if (p.side == Side::inside) {
    out.push_back(input.error_at(
        at,
        fmt::format("the receiver \"{}\" at {} lies inside a closed body, {} deep, where there is no sound", name,
                    text_of(x), format_quantity(p.distance, "m")),
        fmt::format("Move it outside, for instance to {}; {}.", text_of(axpy(h, p.normal, p.nearest)),
                    way_into_rooms)));
  } else if (p.side == Side::on_screen) {
    out.push_back(input.error_at(
        at,
        fmt::format("the receiver \"{}\" at {} lies on a screen, where the pressures of its two sides differ", name,
                    text_of(x)),
        fmt::format("Move it to the side that is meant: {} or {}.", text_of(p.beside(0.01)),
                    text_of(p.beside(-0.01)))));
  } else if (p.side == Side::on_body && p.distance > 1e-6 * p.radius) {
    Diagnostic d = input.warning_at(at,
                                    fmt::format("the receiver \"{}\" at {} lies {} inside the flat faces", name,
                                                text_of(x), format_quantity(p.distance, "m")),
                                    fmt::format("It is taken as on the surface, at {}.", text_of(p.nearest)));
    d.severity = Severity::note;
    out.push_back(std::move(d));
  }
}

/// Sources and receivers: inside bodies, on surfaces, on screens.
void check_places(const Case& input, const Settings& s, const Surface& surface, std::vector<Diagnostic>& out) {
  const PlaceFinder places(surface, solid(input));
  const double h = surface.mean_edge;
  const bool room = s.conditions.inside;
  const Values waves = input["excitation"]["waves"], receivers = input["output"]["receivers"];
  std::size_t number = 0;
  for (const Excitation& run : s.runs)
    for (const Wave& w : run.waves) {
      const Values at = waves.at(number++);
      if (w.kind != WaveKind::point) {
        if (room)
          out.push_back(input.error_at(at, "a plane wave in a room", "Give a source of kind \"point\" in the room."));
        continue;
      }
      const std::string name = at["name"].text();
      check_source(input, at, name.empty() ? fmt::format("wave {}", number) : name, places.of(w.position), w.position,
                   h, room, out);
    }
  for (std::size_t k = 0; k < s.receivers.size(); ++k)
    check_receiver(input, receivers.at(k), s.receiver_names[k], places.of(s.receivers[k]), s.receivers[k], h, room,
                   out);
  for (std::size_t b = 0; b < surface.bodies.size() && solid(input) && surface.bodies.size() > 1 && !room; ++b) {
    const Triangle& t = surface.triangles[static_cast<std::size_t>(surface.bodies[b].front())];
    const Vec3 x = axpy(1e-5 * t.radius, t.normal, t.centroid);
    if (places.body_around(x) >= 0)
      out.push_back(input.warning_at(
          input["mesh"],
          fmt::format("a closed piece near {} lies inside another: no sound reaches it", text_of(t.centroid)),
          "Leave it out: it costs memory and time and changes nothing outside."));
  }
}

/// What so many edges give, from rows of `conoid verify acoustic-bem`: the sphere of 642 unknowns (surface 0.94 %, receivers 0.06 to
/// 0.15 %) and the half-plane of mean edge 0.057 (0.27 %; without layers 8.4 % at half as many edges).
std::string error_of_edges(bool screen, int rim_layers) {
  if (!screen)
    return "with 7.7 a sphere has its surface pressure within 1 % and its receivers within 0.2 %; at tips and strong "
           "curvature "
           "the edges must follow the shape, not the wave.";
  if (rim_layers >= usual_rim_layers) return "with 6.7 the signal in the deep shadow of a half-plane is within 0.3 %.";
  return fmt::format(
      "parameters.rim_layers of at least {} with 6.7 edges keeps the signal in the deep shadow of a half-plane within "
      "0.3 %, "
      "without layers it is 8 % off at 3.4 edges and improves with order 1.4 only.",
      usual_rim_layers);
}

/// What flat faces do to curved bodies, as notes.
void check_shape(const Case& input, const Surface& surface, std::vector<Diagnostic>& out) {
  const Facets facets = facets_of(surface);
  const auto note = [&](std::string text, std::string hint) {
    Diagnostic d = input.warning_at(input["mesh"], std::move(text), std::move(hint));
    d.severity = Severity::note;
    out.push_back(std::move(d));
  };
  if (facets.missing_angle > 0.6)  // a sphere of 20 vertices has that
    note(
        fmt::format("at {} the faces leave {:.0f} of 360 degrees: if the body is round there, they cut off its tip",
                    text_of(facets.tip), facets.missing_angle * 180 / std::numbers::pi),
        "Make edges at most a third of the least radius of curvature: the echo of a slender spheroid seen end-on comes "
        "from its tip, and a coarse one costs decibels however many edges a wave has.");
  if (std::abs(facets.lost_volume) > 0.01)
    note(fmt::format("flat faces with their corners on the curved surface {} {:.2g} % of the body's volume",
                     facets.lost_volume > 0 ? "lose" : "add", 100 * std::abs(facets.lost_volume)),
         "Refine where the surface is curved, or scale the mesh to the true volume: levels move by about as much.");
}

}  // namespace

std::vector<Diagnostic> check_settings(const Case& input, const Mesh& mesh, const Offer& offer) {
  std::vector<Diagnostic> out;
  Settings s = read_settings(input, out);
  const bool closed = !s.screen && (s.form.name != FormName::N || s.conditions.inside || !s.conditions.walls.empty());
  for (Diagnostic& d : check_surface(mesh, closed, name_of(s.form.name), s.conditions)) {
    d.place = input.document().place("/mesh");
    out.push_back(std::move(d));
  }
  if (has_errors(out)) return out;
  auto made = surface_for(s, mesh);
  if (!made) {
    out.push_back(made.error());
    return out;
  }
  const Surface& surface = *made;
  complete(s, surface);
  s.ranks = std::max(offer.place.ranks, 1);
  if (surface.dead_faces > 4 + surface.rim_faces / 50)
    out.push_back(input.warning_at(
        input["mesh"],
        fmt::format("{} of the {} triangles at rims have all corners on rims: the pressure jump is taken as zero there",
                    surface.dead_faces, surface.rim_faces),
        "Refine the mesh until every strip of a screen has vertices inside it, two rows at least."));
  const double h = surface.mean_edge, courant = s.form.delta() / h;
  const Values parameters = input["parameters"];
  const Values step = parameters.has("time_step") ? parameters["time_step"] : parameters["courant"];
  if (courant < 0.1 || courant > 1.5)
    out.push_back(input.error_at(
        step,
        fmt::format("cΔt = {:.3g} m is {:.3g} h (h = {:.3g} m, the mean edge); expected 0.1 h to 1.5 h", s.form.delta(),
                    courant, h),
        fmt::format("Use a Courant number of 0.4 (a time step of {}).", format_quantity(0.4 * h / s.form.c, "s"))));
  else if (courant < 0.3 || courant > 0.6)
    out.push_back(input.warning_at(
        step, fmt::format("cΔt = {:.3g} h lies outside 0.3 h to 0.6 h", courant),
        "0.4 balances the errors of space and time; smaller steps cost memory, larger ones accuracy."));
  bool sampled = true;
  for (const Excitation& run : s.runs)
    for (const Wave& w : run.waves) sampled = sampled && w.pulse.kind == PulseKind::sampled;
  for (const Motion& m : s.motions) sampled = sampled && m.pulse.kind == PulseKind::sampled;
  const double highest = highest_frequency(s), edges = s.form.c / (highest * h);
  const Values pulse_place =
      input["excitation"].has("pulse") ? input["excitation"]["pulse"] : input["boundaries"]["groups"];
  if (!sampled && edges < 6) {
    std::string text =
        fmt::format("the pulse reaches {} (1 % of its spectrum), where a wavelength is {:.2g} mean edges of {}",
                    format_quantity(highest, "Hz"), edges, format_quantity(h, "m"));
    std::string hint = fmt::format(
        "Refine the mesh to h = {} or lower the frequency by a factor of {:.2g}, to 8 edges a wavelength: {}",
        format_quantity(s.form.c / highest / 8, "m"), 8 / edges, error_of_edges(!solid(input), s.rim_layers));
    out.push_back(edges < 2.5 ? input.error_at(pulse_place, std::move(text), std::move(hint))
                              : input.warning_at(pulse_place, std::move(text), std::move(hint)));
  }
  for (const char* key : {"frequencies", "spectra"}) {
    const auto& asked = key == std::string_view("spectra") ? s.spectra : s.frequencies;
    if (asked.empty()) continue;
    if (const double f = asked.back(); s.form.c / f < 3 * h)
      out.push_back(input.warning_at(
          input["output"][key],
          fmt::format("at {} a wavelength is only {:.2g} mean edges", format_quantity(f, "Hz"), s.form.c / f / h),
          "Results there are not converged: refine the mesh or lower the highest frequency."));
  }
  if (surface.diameter / s.form.delta() > 60000)
    out.push_back(input.error_at(step,
                                 fmt::format("the body is {:.3g} time steps across; at most 60000 are possible",
                                             surface.diameter / s.form.delta()),
                                 "Use larger time steps or a smaller body."));
  const Bytes budget = offer.host.value;
  const int threads = offer.team_threads();
  const MemoryPlan plan = plan_memory(s, surface.unknowns, courant, budget, threads, resident_memory());
  if (plan.possible() && plan.threads < threads) {
    Diagnostic d = input.warning_at(input["mesh"], text_of_fewer_threads(plan, threads, surface.unknowns),
                                    std::string(hint_of_fewer_threads));
    d.severity = Severity::note;
    out.push_back(std::move(d));
  }
  if (plan.streams() && plan.possible()) {
    Diagnostic d = input.warning_at(
        input["mesh"],
        fmt::format(
            "the matrices need {}, the budget is {}: their values, {}, will lie on the disk and {} of them be read "
            "every {} steps; at {:.0f} GB/s that takes about {} for {} steps",
            format_bytes(plan.in_memory), format_bytes(budget), format_bytes(plan.values),
            format_bytes(plan.read_each_time()), s.grouped, 1e-9 * disk_rate,
            format_duration(streaming_seconds(s, plan)), s.steps),
        fmt::format("Raise compute.memory.host to {} to keep everything in memory{}.", format_bytes(plan.in_memory),
                    s.grouped < 32 ? "; more grouped steps read less often" : ""));
    d.severity = Severity::note;
    out.push_back(std::move(d));
  }
  if (!plan.possible() && s.ranks > 1) {
    Diagnostic d = too_little_on_ranks(plan, s.ranks);
    d.place = input.document().place("/mesh");
    out.push_back(std::move(d));
  } else if (const Bytes needed = plan.least; !plan.possible()) {
    const double factor = std::sqrt(static_cast<double>(needed) / static_cast<double>(budget));
    const ExpectedTime time = expected_time(s, surface, threads);
    const auto n = static_cast<double>(surface.unknowns);
    Diagnostic d = input.error_at(
        input["mesh"],
        fmt::format(
            "{} unknowns and row-vectors of about {:.3g} values ({:.2g} in all, K_max {}) need {} even with values on "
            "the disk and a single thread, the budget is {}; with enough memory {} threads would assemble for about {} "
            "and march {} steps for about {}",
            surface.unknowns, expected_length(s, courant), n * n * expected_length(s, courant),
            static_cast<Index>(surface.diameter / s.form.delta()) + 2, format_bytes(needed), format_bytes(budget),
            threads, format_duration(time.assembly), s.steps, format_duration(time.march)),
        fmt::format("Coarsen the mesh by a factor of {:.2g} in h{}, or raise compute.memory.host.", std::sqrt(factor),
                    s.single_precision ? "" : ", use single precision"));
    d.code = ErrorCode::resources;
    out.push_back(std::move(d));
  }
  check_ground(input, s, surface, out);
  check_places(input, s, surface, out);
  check_shape(input, surface, out);
  return out;
}

}  // namespace conoid::acoustic_bem
