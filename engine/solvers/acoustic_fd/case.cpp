// SPDX-License-Identifier: BSD-3-Clause
// Reads a case. Its medium: case_medium.cpp; what is wrong with it as a whole: case_checks.cpp.
#include "engine/solvers/acoustic_fd/case.hpp"

#include "engine/solvers/acoustic_fd/case_parts.hpp"
#include "engine/solvers/acoustic_fd/discretization/layers.hpp"
#include "engine/solvers/acoustic_fd/discretization/medium.hpp"
#include "engine/solvers/acoustic_fd/discretization/points.hpp"
#include "engine/solvers/acoustic_fd/discretization/stencil.hpp"
#include "engine/solvers/acoustic_fd/discretization/walls.hpp"
#include "engine/solvers/acoustic_fd/stepping/tiling.hpp"
#include "engine/solvers/frame_rule.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <span>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

void read_grid(const CaseReader& reader, Setup& setup) {
  const Values grid = reader["grid"];
  Grid& g = setup.problem.grid;
  if (grid.has("origin")) g.origin = grid["origin"].vec3();
  if (grid.has("spacing")) {
    g.spacing = {grid["spacing"].number(), grid["spacing"].number(), grid["spacing"].number()};
  } else if (grid.has("spacings")) {
    g.spacing = grid["spacings"].vec3();
  } else if (grid.has("points") && grid.has("size")) {
    const auto n = grid["points"].index3();
    const Vec3 size = grid["size"].vec3();
    for (std::size_t a = 0; a < 3; ++a) g.spacing[a] = n[a] > 1 ? size[a] / static_cast<double>(n[a] - 1) : 1;
  } else {
    reader.fail(grid, "the grid has no spacing",
                "Give \"spacing\" and \"points\" or \"size\"; or \"points\" and \"size\".");
    return;
  }
  for (const double h : g.spacing)
    if (!(h > 0)) {
      reader.fail(grid, fmt::format("expected positive spacings, found {}", length(h)),
                  "Correct \"spacings\" or \"size\".");
      return;
    }
  if (grid.has("points")) {
    g.points = grid["points"].index3();
    if (grid.has("size") && (grid.has("spacing") || grid.has("spacings"))) {
      const Vec3 size = grid["size"].vec3();
      for (std::size_t a = 0; a < 3; ++a)
        if (std::abs(size[a] - static_cast<double>(g.points[a] - 1) * g.spacing[a]) > 1e-6 * std::abs(size[a]))
          reader.fail(
              grid["size"],
              fmt::format("{} points at {} make {} along {}, found a size of {}", g.points[a], length(g.spacing[a]),
                          length(static_cast<double>(g.points[a] - 1) * g.spacing[a]), "xyz"[a], length(size[a])),
              "Give two of points, size and spacing; the third follows.");
    }
  } else if (grid.has("size")) {
    const Vec3 size = grid["size"].vec3();
    for (std::size_t a = 0; a < 3; ++a) {
      const double cells = std::ceil(size[a] / g.spacing[a] - 1e-6);
      if (a == 1 && size[a] == 0) {
        g.points[a] = 1;
        continue;
      }
      if (!(cells >= 2 && cells < 100000)) {
        reader.fail(grid["size"],
                    fmt::format("a size of {} at a spacing of {} makes {:.3g} nodes along {}; 3 to 100000 are possible",
                                length(size[a]), length(g.spacing[a]), cells + 1, "xyz"[a]),
                    "Correct the size or the spacing.");
        return;
      }
      g.points[a] = static_cast<Index>(cells) + 1;
    }
  } else {
    reader.fail(grid, "the grid has neither points nor size",
                "Add \"points\": [nx, ny, nz] or \"size\": [lx, ly, lz].");
  }
  if (g.flat()) g.spacing[1] = 1;
  for (std::size_t a = 0; a < 3; ++a)
    if (g.points[a] < 3 && !(a == 1 && g.flat()))
      reader.fail(grid, fmt::format("{} nodes along {}; at least 3 were expected", g.points[a], "xyz"[a]),
                  "One node along y alone makes the grid two-dimensional, in the plane of x and z.");
}

/// Signals that several sources share are read once; they differ by their amplitude at most.
using SharedSignals = std::map<std::string, std::shared_ptr<const Signal>>;

std::shared_ptr<const Signal> read_one_signal(const CaseReader& reader, const Values& v, SharedSignals& shared) {
  const bool ricker = v["kind"].text() == "ricker";
  double f = 0, delay = 0;
  std::string key;
  if (ricker) {
    f = v["frequency"].number();
    delay = v.has("delay") ? v["delay"].number() : 1.5 / f;
    key = fmt::format("{} {}", f, delay);
  } else {
    key = reader.input.path(v["file"].text()).string();
  }
  const auto [kept, unknown] = shared.try_emplace((ricker ? "ricker " : "file ") + key);
  if (unknown && ricker) kept->second = std::make_shared<Ricker>(f, delay, 1);
  if (unknown && !ricker) {
    auto signal = read_signal(key, 1);
    if (signal) {
      kept->second = *signal;
      if ((*signal)->is_coarse())
        reader.warn(v["file"],
                    fmt::format("the signal reaches to {}, nearly all that its samples can carry: they are too far "
                                "apart for it, or it begins, ends or goes on with a jump",
                                format_quantity((*signal)->highest_frequency(), "Hz")),
                    "Give it three samples or more in its shortest period, and let it begin and end at zero.");
    } else {
      reader.fail_in_file(v["file"], signal.error());
    }
  }
  if (!kept->second) return nullptr;
  return std::make_shared<Scaled>(kept->second, v["amplitude"].number());
}

void read_faces(const Case& input, Problem& p) {
  const Values boundaries = input["boundaries"];
  for (std::size_t f = 0; f < 6; ++f) {
    const Values v = boundaries[face_names[f]];
    const std::string kind = v["kind"].text();
    p.faces[f].kind = kind == "free"        ? FaceKind::free_surface
                      : kind == "rigid"     ? FaceKind::rigid
                      : kind == "impedance" ? FaceKind::impedance
                      : kind == "matched"   ? FaceKind::matched
                                            : FaceKind::sponge;
    if (p.faces[f].kind == FaceKind::impedance) p.faces[f].zeta = v["impedance"].number();
    if (f / 2 == 1 && p.grid.flat()) p.faces[f].kind = FaceKind::rigid;  // nothing comes there
    if (!p.faces[f].absorbs()) continue;
    p.faces[f].width = v["width"].integer();
    if (p.faces[f].kind == FaceKind::sponge) {
      p.faces[f].attenuation = v["attenuation"].number();
      continue;
    }
    if (p.faces[f].width == 0) p.faces[f].width = safe_matched_width(p.order);
    p.faces[f].echo = v["echo"].number();
    p.faces[f].shift = v["shift"].number();
  }
}

/// The speed at faces of an impedance, in their middle.
void read_wall_speeds(const CaseReader& reader, Problem& p) {
  for (std::size_t f = 0; f < 6; ++f) {
    Face& face = p.faces[f];
    if (face.kind != FaceKind::impedance) continue;
    if (p.velocity) {
      Vec3 at{};
      for (std::size_t a = 0; a < 3; ++a) at[a] = 0.5 * (p.grid.origin[a] + p.grid.upper(a));
      at[f / 2] = f % 2 == 0 ? p.grid.origin[f / 2] : p.grid.upper(f / 2);
      p.velocity->row(at[0], at[1], at[2], 0, std::span(&face.speed, 1));
    }
    bool along = false;
    for (std::size_t a = 0; p.velocity && a < 3; ++a) along |= a != f / 2 && p.velocity->along(a).varies;
    if (along || (p.density && !p.density->constant()))
      reader.warn(
          reader["boundaries"][face_names[f]],
          "the medium varies along this wall; its impedance belongs to the fluid in the middle of the wall, elsewhere "
          "zeta is as much larger as the fluid is faster",
          "Use a wall beside one fluid where this matters.");
  }
}

void read_initial(const CaseReader& reader, const Values& v, Problem& p) {
  const std::string kind = v["kind"].text();
  if (kind == "none") return;
  if (kind == "file") {
    read_initial_file(reader, v, p);
    return;
  }
  p.initial.kind = kind == "plane" ? Initial::Kind::plane : Initial::Kind::pulse;
  p.initial.centre = v["centre"].vec3();
  p.initial.width = v["width"].number();
  p.initial.amplitude = v["amplitude"].number();
  if (p.initial.kind == Initial::Kind::plane) {
    p.initial.axis = v["axis"].text().front() - 'x';
    p.initial.direction = static_cast<int>(v["direction"].integer());
  }
}

/// Slopes along the axes for receivers that want the particle velocity, behind all others.
void read_velocities(const Values& output, double density, Setup& setup) {
  Problem& p = setup.problem;
  setup.pressure_receivers = p.receivers.size();
  const Values single = output["receivers"];
  for (std::size_t i = 0; i < single.size(); ++i) {
    if (!single.at(i)["velocity"].boolean()) continue;
    for (std::size_t a = 0; a < 3; ++a) {
      if (p.grid.points[a] == 1) continue;
      Receiver slope{fmt::format("{}_v{}", p.receivers[i].name, "xyz"[a]), p.receivers[i].position, {}, density};
      slope.slope[a] = 1;
      p.receivers.push_back(std::move(slope));
      setup.heard_with.push_back(i);
    }
  }
}

void read_receivers(const Values& output, Setup& setup) {
  Problem& p = setup.problem;
  const Values single = output["receivers"];
  for (std::size_t i = 0; i < single.size(); ++i) {
    p.receivers.push_back({name_or_number(single.at(i), "R", i + 1), single.at(i)["position"].vec3(), {}, 0});
  }
  setup.single_receivers = p.receivers.size();
  const Values lines = output["receiver_lines"];
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Values line = lines.at(i);
    const std::string name = name_or_number(line, "L", i + 1);
    setup.receiver_lines.push_back({name, static_cast<std::size_t>(line["count"].integer())});
    const Vec3 from = line["from"].vec3(), to = line["to"].vec3();
    const Index count = line["count"].integer();
    for (Index n = 0; n < count; ++n) {
      const double f = static_cast<double>(n) / static_cast<double>(count - 1);
      p.receivers.push_back(
          {fmt::format("{}_{}", name, n + 1),
           {from[0] + f * (to[0] - from[0]), from[1] + f * (to[1] - from[1]), from[2] + f * (to[2] - from[2])},
           {},
           0});
    }
  }
}

void read_steps(const CaseReader& reader, Setup& setup) {
  Problem& p = setup.problem;
  const Values v = reader["parameters"];
  const Stencil stencil = stencil_of_order(p.order);
  const double h = p.grid.finest();
  const Vec3 spacings = p.grid.stencil_spacing();
  double limit = largest_time_step(stencil, spacings, p.speed.highest);
  if (setup.density.highest > 0)
    limit *= density_step_share(stencil, spacings, setup.density.lowest, setup.density.highest);
  p.dt = v.has("time_step") ? v["time_step"].number()
         : v.has("courant") ? v["courant"].number() * h / p.speed.highest
                            : safe_step * limit;
  // Nodes beside an interface may be a little faster than the medium; the step taken without a word is safe for that.
  if (!p.velocity || !p.velocity->constant()) limit /= overshoot;
  if (p.dt > limit * (1 + 1e-12)) {
    constexpr double half_digit = 5e-4;  // of the four that are written: what is advised is not above the limit
    const Values where = v.has("time_step") ? v["time_step"] : v["courant"];
    reader.fail(where,
                fmt::format("c dt/h = {:.4g} is above the stability limit {:.4g} of order {} on this grid (c_max "
                            "{:.5g} m/s, h {}, dt {})",
                            p.speed.highest * p.dt / h, p.speed.highest * limit / h, p.order, p.speed.highest,
                            length(h), format_quantity(p.dt, "s")),
                fmt::format("Use a time step of at most {} or leave it out: {} of the limit is then taken.",
                            format_quantity(limit * (1 - half_digit), "s"), safe_step));
  }
  if (v.has("steps")) {
    p.steps = v["steps"].integer();
  } else if (v.has("end_time")) {
    const double wanted = std::ceil(v["end_time"].number() / p.dt - 1e-9);
    if (!(wanted < 1e12)) {
      reader.fail(v["end_time"],
                  fmt::format("an end at {} takes {:.3g} steps of {}", format_quantity(v["end_time"].number(), "s"),
                              wanted, format_quantity(p.dt, "s")),
                  "Let it be sooner; at most 10^12 steps are possible.");
      return;
    }
    // The step does not hang on the end: a run that is prolonged takes the steps of a longer one. So the end is up to one later.
    p.steps = std::max<Index>(1, static_cast<Index>(wanted));
  } else {
    reader.fail(v, "neither end_time nor steps is given",
                "Say how long to compute, for example \"end_time\": \"0.5 s\".");
    return;
  }
  const Values output = reader["output"];
  p.time_correction = v["time_correction"].boolean();
  if (v.has("shots_at_once")) setup.shots_at_once = v["shots_at_once"].integer();
  p.trace_every = output["trace_every"].integer();
  if (p.trace_every == 0) {
    p.trace_every = (p.steps + 1999) / 2000;
    // More rows where the band needs them, up to 10000.
    const double wanted = 1 / (4 * setup.highest_traced * p.dt);
    if (setup.highest_traced > 0 && wanted < static_cast<double>(p.trace_every))
      p.trace_every = std::max<Index>({1, static_cast<Index>(wanted), (p.steps + 9999) / 10000});
  }
  // SEG-Y counts microseconds, in 16 bits with a sign.
  setup.segy_interval = static_cast<double>(p.trace_every) * p.dt;
  if (setup.segy_interval >= 1e-6 * (1 - 1e-9))
    setup.segy_interval = 1e-6 * std::min(32767.0, std::floor(setup.segy_interval * 1e6 * (1 + 1e-9)));
  p.energy_every = output["energy_every"].integer();
  // Whole bands of tiles lie between two rows.
  p.energy_asked = p.energy_every > 0;
  if (!p.energy_asked) p.energy_every = (std::max<Index>(32, (p.steps + 199) / 200) + 31) / 32 * 32;
}

}  // namespace

Setup read_setup(const Case& input, std::vector<Diagnostic>& diagnostics) {
  Setup setup;
  Problem& p = setup.problem;
  const CaseReader reader(input, diagnostics);
  read_grid(reader, setup);
  if (!reader.good()) return setup;
  p.order = static_cast<int>(input["parameters"]["order"].integer());
  read_faces(input, p);
  read_medium(reader, setup);
  setup.several_speeds = !p.velocity || !p.velocity->constant();
  const std::shared_ptr<const Velocity> given_density = p.density;
  if (reader.good()) setup.means = means_of_medium(p);
  read_wall_speeds(reader, p);
  if (reader.good()) setup.obstacles = read_obstacles(reader, p);
  const Values parameters = input["parameters"];
  p.spread = parameters["interpolation"].text() == "sinc" ? Spread::sinc : Spread::trilinear;
  p.kernel = parameters["kernel"].text();
  p.tiling = parameters["tiling"].text();
  if (TileShape shape; p.tiling != "auto" && !parse_shape(p.tiling, shape))
    reader.fail(parameters["tiling"], fmt::format("\"{}\" is no tiling", p.tiling),
                "Use auto, or for example \"diamond 32x8\", \"tower 16x32\", \"stepwise 16\".");
  p.double_precision = input["compute"]["precision"].text() == "double";
  const Values excitation = input["excitation"];
  const Values sources = excitation["sources"];
  SharedSignals shared;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    Source source{sources.at(i)["position"].vec3(),
                  read_one_signal(reader, sources.at(i)["signal"], shared),
                  sources.at(i)["shot"].integer(),
                  {},
                  {}};
    read_shape(reader, sources.at(i)["shape"], p.grid, source);
    if (std::find(setup.shots.begin(), setup.shots.end(), source.shot) == setup.shots.end())
      setup.shots.push_back(source.shot);
    if (!source.signal) continue;
    setup.highest_frequency = std::max(setup.highest_frequency, source.signal->highest_frequency());
    source.listed = i;
    source.centre = source.position;
    if (sources.at(i)["shape"]["kind"].text() == "array")
      read_array(reader, sources.at(i)["shape"], source, p);
    else
      p.sources.push_back(std::move(source));
  }
  const std::size_t listed = p.sources.size();
  read_traces(reader, p);
  for (std::size_t i = listed; i < p.sources.size(); ++i) {
    setup.highest_frequency = std::max(setup.highest_frequency, p.sources[i].signal->highest_frequency());
    if (std::find(setup.shots.begin(), setup.shots.end(), p.sources[i].shot) == setup.shots.end())
      setup.shots.push_back(p.sources[i].shot);
  }
  if (setup.shots.empty()) setup.shots.push_back(1);
  std::sort(setup.shots.begin(), setup.shots.end());
  read_initial(reader, excitation["initial"], p);
  const Values output = input["output"];
  read_receivers(output, setup);
  setup.cadence = frame_cadence(input);
  setup.frames = frame_request(input);
  const Values density = input["medium"]["density"];
  read_velocities(output, density["kind"].text() == "constant" ? density["density"].number() : 0, setup);
  if (given_density) tell_density(*given_density, p);
  p.peak_map = output["peak_pressure"].boolean();
  p.rms_map = output["rms_pressure"].boolean();
  p.exact = output["exact"].boolean();
  setup.segy = output["segy"].text();
  setup.volume_points = output["volume_points"].integer();
  if (output.has("plane_at")) {
    setup.plane_at = output["plane_at"].vec3();
  } else if (!p.sources.empty()) {
    setup.plane_at = p.sources.front().centre;
  } else {
    for (std::size_t a = 0; a < 3; ++a) setup.plane_at[a] = 0.5 * (p.grid.origin[a] + p.grid.upper(a));
  }
  setup.highest_sent = setup.highest_frequency;
  setup.highest_traced = setup.highest_sent;
  // A Gaussian of standard deviation w has 0.6 % of its spectrum's top at k = 3.2/w. A trace in the middle of a ball has k² times that, of which
  // 2 % lie above, and 2e-4 above 4.5/w.
  if (p.initial.kind == Initial::Kind::pulse || p.initial.kind == Initial::Kind::plane) {
    const double one = p.speed.highest / (2 * std::numbers::pi * p.initial.width);
    setup.highest_sent = std::max(setup.highest_sent, 3.2 * one);
    setup.highest_traced = std::max(setup.highest_traced, 4.5 * one);
  }
  // Of samples nothing is known but what they can carry: four nodes a wave.
  if (p.initial.kind == Initial::Kind::file)
    setup.highest_traced = std::max(setup.highest_traced, p.speed.highest / (4 * p.grid.finest()));
  read_attenuation(reader, setup);
  if (setup.velocity_known) read_steps(reader, setup);
  setup.image = read_image(input, p, setup.highest_sent);
  setup.image.adds = setup.shots.size() > 1;
  const Values medium = input["medium"];
  if (setup.image.any() && p.obstacles && medium.has("obstacle_walls") && medium["obstacle_walls"].text() == "smooth")
    reader.warn(medium["obstacle_walls"], "images take cells that smooth walls cut for whole ones",
                "The image is off at nodes beside walls, and there alone; with \"voxels\" it is that of the march.");
  return setup;
}

void make_nodes(Setup& setup, const Case& input, std::vector<Diagnostic>& diagnostics) {
  if (setup.means) setup.means->make();
  std::vector<Diagnostic> told;  // by the check
  take_initial_means(CaseReader(input, told), setup.problem);
  fill_obstacles(setup.obstacles, CaseReader(input, diagnostics), setup.problem);
  setup.obstacles = {};  // shapes hold meshes and models
}

double traced_courant(const Setup& setup, double spacing) {
  const Problem& p = setup.problem;
  return p.time_correction ? 1e-6 : p.speed.lowest * p.dt / spacing;
}

std::string time_error_text(const Setup& setup) {
  const double half = std::min(1.0, std::numbers::pi * setup.highest_frequency * setup.problem.dt);
  std::string out = "filtered out of the traces (time_correction); frames and energies keep it";
  if (half > 0) out += fmt::format(": waves run up to {:.2g} % fast there", 100 * (std::asin(half) / half - 1));
  return out;
}

}  // namespace conoid::acoustic_fd
