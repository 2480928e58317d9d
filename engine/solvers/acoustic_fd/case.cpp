// SPDX-License-Identifier: BSD-3-Clause
// Reads a case and checks it.
#include "engine/solvers/acoustic_fd/case.hpp"

#include "engine/case/case_reader.hpp"
#include "engine/core/units.hpp"
#include "engine/io/segy.hpp"
#include "engine/models/grids.hpp"
#include "engine/models/model.hpp"
#include "engine/solvers/acoustic_fd/discretization/attenuation.hpp"
#include "engine/solvers/acoustic_fd/discretization/layers.hpp"
#include "engine/solvers/acoustic_fd/discretization/medium.hpp"
#include "engine/solvers/acoustic_fd/discretization/points.hpp"
#include "engine/solvers/acoustic_fd/discretization/walls.hpp"
#include "engine/solvers/acoustic_fd/stepping/tiling.hpp"
#include "engine/solvers/frame_rule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <span>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

std::string length(double metres) {
  return format_quantity(metres, "m");
}

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

/// A quantity of the medium: `value` is the key of a constant and of a layer, "speed" or "density". `known` is false when
/// something was wrong.
struct Quantity {
  std::shared_ptr<const Velocity> field;
  SpeedRange range;
  bool known = false;
};

/// Depths that were meant as coordinates leave a grid with one layer, or none of those that were meant.
void warn_of_layers_outside(const CaseReader& reader, const Values& at, const std::vector<Layer>& layers, double depth,
                            const std::string& face) {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const bool above = i + 1 < layers.size() && layers[i + 1].top <= 0, below = i > 0 && layers[i].top >= depth;
    if (!above && !below) continue;
    reader.warn(at.at(i)["top"],
                above ? fmt::format("nothing of layer {} lies in the grid: it ends at a depth of {}", i + 1,
                                    length(layers[i + 1].top))
                      : fmt::format("nothing of layer {} lies in the grid, which is {} deep: it begins at {}", i + 1,
                                    length(depth), length(layers[i].top)),
                fmt::format("Depths are counted from face {} of the grid into it; they are no coordinates.", face));
    return;
  }
}

Quantity read_quantity(const CaseReader& reader, const Values& v, const char* value, ModelQuantity what,
                       const Grid& g) {
  Quantity out;
  const Vec3 upper{g.upper(0), g.upper(1), g.upper(2)};
  const std::string kind = v["kind"].text();
  if (kind == "constant") {
    out.field = constant_velocity(v[value].number());
  } else if (kind == "layers") {
    const std::string axis = v["depth_axis"].text();
    const int sign = axis.front() == '-' ? -1 : 1;
    const int a = axis.back() - 'x';
    const double surface = sign > 0 ? g.origin[static_cast<std::size_t>(a)] : upper[static_cast<std::size_t>(a)];
    std::vector<Layer> layers;
    for (std::size_t i = 0; i < v["layers"].size(); ++i) {
      const Values l = v["layers"].at(i);
      layers.push_back({l["top"].number(), l[value].number(), l["gradient"].number()});
      if (i > 0 && !(layers[i].top > layers[i - 1].top)) {
        reader.fail(l["top"],
                    fmt::format("layer {} begins at a depth of {}, not below layer {} at {}", i + 1,
                                length(layers[i].top), i, length(layers[i - 1].top)),
                    "Order the layers from the shallowest to the deepest.");
        return out;
      }
    }
    warn_of_layers_outside(reader, v["layers"], layers,
                           upper[static_cast<std::size_t>(a)] - g.origin[static_cast<std::size_t>(a)],
                           fmt::format("{}_{}", "xyz"[a], sign > 0 ? "min" : "max"));
    out.field = layered_velocity(a, sign, surface, std::move(layers));
  } else {
    SegyBytes bytes;
    if (v.has("segy")) {
      const Values b = v["segy"];
      const auto byte = [&](const char* key) { return static_cast<int>(b[key].integer()); };
      bytes = {byte("inline"), byte("crossline"), byte("x"), byte("y")};
    }
    std::filesystem::path path = reader.input.path(v["header"].text());
    if (v.has("array") && !v["array"].text().empty()) {
      if (!names_hdf5(path)) {
        reader.fail(v["array"], "\"array\" names an array of an HDF5 file; the model is another kind of file",
                    "Leave \"array\" out, or name an .h5 or .hdf5 file in \"header\".");
        return out;
      }
      path += ":" + v["array"].text();
    }
    const auto model = open_model(path, what, bytes);
    if (!model) {
      reader.fail_in_file(v["header"], model.error());
      return out;
    }
    const ModelBox box = (*model)->box();
    for (std::string& text : (*model)->notes()) {
      reader.note(v["header"], std::move(text), "");
    }
    for (std::size_t a = 0; a < 3; ++a) {
      const double last = box.origin[a] + static_cast<double>(box.shape[a] - 1) * box.spacing[a];
      if (g.origin[a] < box.origin[a] - 0.5 * box.spacing[a] || upper[a] > last + 0.5 * box.spacing[a])
        reader.warn(v["header"],
                    fmt::format("the model covers {} to {} along {}, the grid {} to {}", length(box.origin[a]),
                                length(last), "xyz"[a], length(g.origin[a]), length(upper[a])),
                    "Outside the model its nearest value is used; check origin, spacing and the order of the axes.");
    }
    auto samples = (*model)->load();
    if (!samples) {
      reader.fail_in_file(v["header"], samples.error());
      return out;
    }
    out.field = *samples;
  }
  out.range = out.field->range(g.origin, upper);
  out.known = out.range.highest > 0;
  if (!(out.range.lowest > 0)) {
    const bool speed = what == ModelQuantity::speed;
    reader.fail(v,
                fmt::format("the {} falls to {} {} inside the grid; a positive {} was expected",
                            speed ? "speed of sound" : "density", out.range.lowest, speed ? "m/s" : "kg/m^3", value),
                speed ? "Correct the speeds or the gradients of the layers."
                      : "Correct the densities or the gradients of the layers.");
    out.known = false;
  }
  return out;
}

void read_medium(const CaseReader& reader, Setup& setup) {
  Problem& p = setup.problem;
  const Values medium = reader["medium"];
  const Quantity speed = read_quantity(reader, medium["velocity"], "speed", ModelQuantity::speed, p.grid);
  p.velocity = speed.field;
  p.speed = speed.range;
  setup.velocity_known = speed.known;
  setup.model_file = medium["velocity"]["kind"].text() == "file";
  const Values v = medium["density"];
  if (v["kind"].text() == "constant") return;  // a constant density drops out of the equation
  const Quantity density = read_quantity(reader, v, "density", ModelQuantity::density, p.grid);
  if (!density.known) return;
  setup.density = density.range;
  p.density = density.field;
  p.reference_density = std::sqrt(density.range.lowest * density.range.highest);
  constexpr double contrast = 20;
  if (density.range.highest > contrast * density.range.lowest)
    reader.fail(
        v,
        fmt::format("the density reaches from {:.4g} to {:.4g} kg/m^3, a contrast of {:.3g}; up to {} is possible",
                    density.range.lowest, density.range.highest, density.range.highest / density.range.lowest,
                    contrast),
        "Replace the light side by a free surface, or the heavy side by a rigid wall.");
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

/// Constant Q over the band of what is sent, unless the case says another; the speed becomes that of high frequency.
void read_attenuation(const CaseReader& reader, Setup& setup) {
  const Values v = reader["medium"]["attenuation"];
  if (v["kind"].text() != "constant_q") return;
  Problem& p = setup.problem;
  constexpr double decades = 40, peak = 2.5;  // of the band; a Ricker wavelet reaches to so many times its peak
  constexpr std::size_t solids = 3;
  double highest = v.has("highest") ? v["highest"].number() : setup.highest_sent;
  if (!(highest > 0)) {
    reader.fail(v, "the band of the attenuation is not known: nothing is sent whose frequencies are",
                "Add \"highest\", the highest frequency that matters.");
    return;
  }
  const double lowest = v.has("lowest") ? v["lowest"].number() : highest / decades;
  if (!(lowest < highest)) {
    reader.fail(v["lowest"],
                fmt::format("the band of constant Q reaches from {} to {}", format_quantity(lowest, "Hz"),
                            format_quantity(highest, "Hz")),
                "\"lowest\" must be below \"highest\".");
    return;
  }
  setup.quality = v["quality"].number();
  setup.quality_band = {lowest, highest};
  const double typical = (setup.highest_sent > 0 ? setup.highest_sent : highest) / peak;
  setup.quality_frequency = v.has("reference") ? v["reference"].number() : typical;
  p.relaxations = constant_quality(setup.quality, lowest, highest, solids);
  const auto stiffening_at = [&](double frequency) {
    const double within = std::clamp(frequency, lowest, highest);
    return stiffening(p.relaxations, within) * constant_quality_speed(setup.quality, within / frequency);
  };
  p.stiffening = stiffening_at(setup.quality_frequency);
  p.initial.stiffening = stiffening_at(typical);
  if (p.velocity) p.velocity = scaled_velocity(p.velocity, p.stiffening);
  p.speed = {p.stiffening * p.speed.lowest, p.stiffening * p.speed.highest};
  if (const double away = setup.quality_frequency / std::clamp(setup.quality_frequency, lowest, highest); away != 1)
    reader.note(
        v,
        fmt::format("the speed holds at {}, outside the band of constant Q from {} to {}: at its end it is taken "
                    "{:.3g} times as high, by the law of a constant Q at all frequencies",
                    format_quantity(setup.quality_frequency, "Hz"), format_quantity(lowest, "Hz"),
                    format_quantity(highest, "Hz"), constant_quality_speed(setup.quality, 1 / away)),
        "Give the speed at a frequency within the band, where it is known, with \"reference\".");
  if (setup.highest_sent > 1.001 * highest)
    reader.warn(v["highest"],
                fmt::format("what is sent reaches {}; from {} on waves lose ever less than Q {:g} takes from them",
                            format_quantity(setup.highest_sent, "Hz"), format_quantity(highest, "Hz"), setup.quality),
                "Raise \"highest\" to what is sent, or leave it away.");
  if (const double off = ripple(p.relaxations, setup.quality, lowest, highest); off > 0.1)
    reader.warn(v,
                fmt::format("between {} and {} Q differs by up to {:.0f} % from {:g}", format_quantity(lowest, "Hz"),
                            format_quantity(highest, "Hz"), 100 * off, setup.quality),
                "A narrower band, with \"lowest\" and \"highest\", comes closer.");
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

namespace {

/// What tables and SEG-Y can carry of the waves.
void check_traces(const Setup& setup, const CaseReader& reader) {
  const Problem& p = setup.problem;
  if (p.receivers.empty()) return;
  const Values output = reader["output"];
  const double pass =
      band_of(setup.time_scheme(), static_cast<double>(p.trace_every) * p.dt).pass / (2 * std::numbers::pi);
  if (setup.highest_frequency > 0 && pass < setup.highest_frequency) {
    const double every = 1 / (4 * setup.highest_frequency * p.dt);
    reader.warn(
        output["trace_every"],
        fmt::format("a row of the receivers' table every {} carries waves up to {}, the source reaches {}: what lies "
                    "above is filtered away",
                    format_quantity(static_cast<double>(p.trace_every) * p.dt, "s"), format_quantity(pass, "Hz"),
                    format_quantity(setup.highest_frequency, "Hz")),
        every >= 1 ? fmt::format("\"trace_every\": {} keeps all.", static_cast<Index>(every))
                   : "Shorten the time step, for example with a lower \"courant\".");
  }
  if (setup.segy != "none" && setup.segy_interval < 1e-6 * (1 - 1e-6))
    reader.warn(
        output["segy"],
        fmt::format(
            "samples {} apart: SEG-Y counts whole microseconds. Only revision 2 keeps such an interval, in bytes "
            "3273-3280; readers that take bytes 3217 and 117 (ObsPy, segyio, Seismic Unix) find 0",
            format_quantity(setup.segy_interval, "s")),
        "Take the receivers' table charts/receivers.csv instead, or compute a model scaled up in length and time.");
}

/// Whether SEG-Y keeps the positions, which lie on tenths of a millimetre there at best.
void check_positions(const Setup& setup, const CaseReader& reader) {
  const Problem& p = setup.problem;
  if (setup.segy == "none") return;
  double worst = 0, unit = 0;
  const auto look_at = [&](const Vec3& place) {
    const double units =
        segy_units_a_metre(std::max({1.0, std::abs(place[0]), std::abs(place[1]), std::abs(place[2])}));
    for (std::size_t a = 0; a < 3; ++a) {
      const double moved = std::abs(std::round(place[a] * units) / units - place[a]) / p.grid.spacing[a];
      if (moved > worst) unit = 1 / units;
      worst = std::max(worst, moved);
    }
  };
  for (const Receiver& receiver : p.receivers) look_at(receiver.position);
  for (const Source& source : p.sources) look_at(source.centre);
  constexpr double matters = 0.05;  // of a spacing; images find the traces of their receivers within it
  if (worst <= matters) return;
  reader.warn(
      reader["output"]["segy"],
      fmt::format("positions in SEG-Y are rounded to {}, which moves receivers or sources by up to {:.2g} of a spacing",
                  format_quantity(unit, "m"), worst),
      fmt::format("Put them on multiples of {}, or compute a model scaled up in length and time: time reversal takes "
                  "positions from the file.",
                  format_quantity(unit, "m")));
}

/// Media in which modes of the scheme grow whatever the time step (README.md, Limits).
void check_growth(const Setup& setup, const CaseReader& reader) {
  const Problem& p = setup.problem;
  // Weights of alternating signs leave the operator negative eigenvalues, which no time step mends: rows of random densities have
  // the first at 14 to 20 times at order 8, 12 to 15 at order 10, 10 to 12 at order 12, none at orders 2 to 6. One jump has none.
  const Values density = reader["medium"]["density"];
  const double contrast = setup.density.highest / std::max(setup.density.lowest, 1e-300),
               bearable = p.order == 8 ? 14 : 10;
  const bool again =
      density["kind"].text() == "file" || (density["kind"].text() == "layers" && density["layers"].size() > 2);
  if (p.order >= 8 && again && contrast > bearable)
    reader.warn(density,
                fmt::format("the density varies {:.3g}:1; where it jumps more than {:.0f} "
                            "times from node to node again and again, order {} has "
                            "modes that grow at any time step",
                            contrast, bearable, p.order),
                "Orders 2 to 6 bear it: use \"order\": 6.");
  // Growth a step of waves that cannot leave beside a matched layer, by its width: evanescent ones see its end with a turned phase.
  if (!(p.speed.lowest < 0.99 * p.speed.highest)) return;
  for (std::size_t a = 0; a < 3; ++a) {
    Index width = 0;
    bool sides_reflect = true;
    for (std::size_t f = 0; f < 6; ++f) {
      const Face& face = p.faces[f];
      if (f / 2 != a)
        sides_reflect &= !face.absorbs();
      else if (face.kind == FaceKind::matched)
        width = width == 0 ? face.width : std::min(width, face.width);
    }
    const double growth = width <= 9   ? 3e-4
                          : width < 20 ? 3e-4 * std::pow(30.0, -static_cast<double>(width - 9) / 11)
                                       : 1e-5;
    if (width == 0 || !sides_reflect || growth * static_cast<double>(p.steps) < 1) continue;
    reader.warn(
        reader["boundaries"],
        fmt::format("only the faces of {} absorb, by a matched layer of {} nodes, and the speed varies: waves that the "
                    "other faces keep in a "
                    "slow part beside it may grow by up to {:.1g} a step, {:.2g} times in {} steps",
                    "xyz"[a], width, growth, std::exp(std::min(700.0, growth * static_cast<double>(p.steps))), p.steps),
        "Make the layer a sponge, let another face absorb, or widen the layer (20 nodes: 1e-5 a step).");
  }
}

/// Whether a position is outside the grid, in words; empty: it is not.
std::string outside(const Grid& g, const Vec3& x) {
  for (std::size_t a = 0; a < 3; ++a) {
    const double slack = 1e-9 * (std::abs(g.origin[a]) + std::abs(g.upper(a)));
    if (x[a] < g.origin[a] - slack || x[a] > g.upper(a) + slack)
      return fmt::format("{} {} lies outside the grid, which reaches from {} to {}", "xyz"[a], length(x[a]),
                         length(g.origin[a]), length(g.upper(a)));
  }
  return std::string();
}

/// In nodes.
double from_face(const Grid& g, std::size_t face, const Vec3& x) {
  const std::size_t a = face / 2;
  return (face % 2 == 0 ? x[a] - g.origin[a] : g.upper(a) - x[a]) / g.spacing[a];
}

/// In whose absorbing layer a position lies, and how deep, in words; empty: in none.
std::string within_layer(const Problem& p, const Vec3& x) {
  for (std::size_t f = 0; f < 6; ++f) {
    const double distance = from_face(p.grid, f, x);
    if (p.faces[f].absorbs() && distance < static_cast<double>(p.faces[f].width) - 1e-6)
      return fmt::format("face {}, {:.1f} nodes from the face (the layer has {})", face_names[f], distance,
                         p.faces[f].width);
  }
  return {};
}

/// The grid holds the stencil and leaves something between its layers.
void check_sizes(const Setup& setup, const CaseReader& reader) {
  const Problem& p = setup.problem;
  const Grid& g = p.grid;
  for (std::size_t a = 0; a < 3; ++a) {
    if (g.points[a] == 1) continue;
    if (g.points[a] < p.order + 1)
      reader.fail(
          reader["grid"],
          fmt::format("{} nodes along {}; order {} needs at least {}", g.points[a], "xyz"[a], p.order, p.order + 1),
          "Refine the grid or lower the order.");
    Index layers = 0;
    for (std::size_t side = 0; side < 2; ++side)
      if (p.faces[2 * a + side].absorbs()) layers += p.faces[2 * a + side].width;
    if (layers >= g.points[a])
      reader.fail(reader["boundaries"],
                  fmt::format("the absorbing layers along {} are {} nodes wide together, the "
                              "grid has {}: nothing is left between them",
                              "xyz"[a], layers, g.points[a]),
                  "Widen the grid or narrow the layers.");
  }
}

/// Of one source, or of an element of an array, which the case has at `from`. Whether something was told.
bool check_source(const Setup& setup, const CaseReader& reader, const Values& from, const Source& source) {
  const Problem& p = setup.problem;
  const Grid& g = p.grid;
  const std::size_t before = reader.out.size(), number = source.listed + 1;
  if (const auto& signal = source.signal; signal->begin() < -1e-9 * (signal->end() - signal->begin()))
    reader.warn(from["signal"],
                fmt::format("the signal begins at {}; the run begins at 0: what lies before is never sent",
                            format_quantity(signal->begin(), "s")),
                "Shift the times of the file so that they begin at 0 or later.");
  const Values where = from["position"];
  const char* const whose = source.centre == source.position ? "" : "an element's ";
  for (const SourcePart& part : source.parts)
    if (const std::string text = outside(g, part.position); !text.empty()) {
      reader.fail(where, fmt::format("source {}: {}", number, text),
                  "Move the source, make it smaller, or enlarge the grid.");
      break;
    }
  if (const std::string text = outside(g, source.position); !text.empty()) {
    reader.fail(where, fmt::format("source {}: {}{}", number, whose, text), "Move the source or enlarge the grid.");
    return true;
  }
  if (const std::string text = within_layer(p, source.position); !text.empty()) {
    reader.warn(where, fmt::format("source {} lies in the absorbing layer of {}", number, text),
                "Its amplitude will be too small there; move it inwards or enlarge the grid.");
    return true;
  }
  for (std::size_t f = 0; f < 6; ++f)
    if (p.faces[f].kind == FaceKind::free_surface && from_face(g, f, source.position) < 1e-9) {
      reader.warn(where,
                  fmt::format("source {} lies on the free surface {}, where it is silent", number, face_names[f]),
                  "Move it below the surface.");
      break;
    }
  return reader.out.size() > before;
}

void check_sources(const Setup& setup, const CaseReader& reader) {
  const Problem& p = setup.problem;
  const Values sources = reader["excitation"]["sources"];
  std::size_t told = Source::not_listed;  // of an array one element is enough
  for (const Source& source : p.sources) {
    const std::size_t i = source.listed;
    if (i == Source::not_listed || i == told) continue;
    if (check_source(setup, reader, sources.at(i), source)) told = i;
  }
}

/// Largest |value| of a signal between two times, looked at eight times in its shortest period; infinite where that is too often.
double largest_between(const Signal& signal, double from, double to) {
  if (!(from <= to)) return 0;
  const double looks = std::max(2000.0, 8 * signal.highest_frequency() * (to - from));
  if (!(looks < 300000)) return std::numeric_limits<double>::infinity();
  double out = 0;
  for (double i = 0; i <= looks; ++i) out = std::max(out, std::abs(signal.at(from + (to - from) * i / looks)));
  return out;
}

/// Sources that send nothing, and receivers that nothing reaches, before the run ends: tables of zeros.
void check_silence(const Setup& setup, const CaseReader& reader) {
  const Problem& p = setup.problem;
  const double end = static_cast<double>(p.steps) * p.dt;
  if (!(end > 0) || p.initial.kind != Initial::Kind::none || p.sources.empty()) return;
  std::size_t last = Source::not_listed;  // of an array one element is enough
  for (const Source& source : p.sources) {
    if (source.listed == Source::not_listed || source.listed == last) continue;
    last = source.listed;
    const double begins = std::max(0.0, source.signal->begin()), ends = source.signal->end();
    const double sent = largest_between(*source.signal, begins, std::min(end, ends)),
                 later = largest_between(*source.signal, std::max(end, begins), ends);
    if (!std::isfinite(sent) || !std::isfinite(later)) continue;
    const Values at = reader["excitation"]["sources"].at(source.listed)["signal"];
    if (sent == 0 && later == 0)
      reader.warn(at, fmt::format("source {} sends nothing: its signal is zero", source.listed + 1),
                  "Give it an amplitude.");
    else if (sent < 1e-3 * later)
      reader.warn(at,
                  fmt::format("source {} has sent nothing yet when the run ends at {}: its signal ends at {}",
                              source.listed + 1, format_quantity(end, "s"), format_quantity(source.signal->end(), "s")),
                  "Let the run take longer, or the signal begin sooner.");
  }
  const double spread = 8 * *std::max_element(p.grid.spacing.begin(), p.grid.spacing.end());
  std::size_t unreached = 0, first = 0;
  double way = 0;
  for (std::size_t n = 0; n < setup.single_receivers; ++n) {
    double nearest = std::numeric_limits<double>::max();
    for (const Source& source : p.sources) {
      const Vec3 &x = p.receivers[n].position, &y = source.position;
      nearest = std::min(nearest, std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]));
    }
    if (nearest - spread <= p.speed.highest * end || unreached++ > 0) continue;
    first = n;
    way = nearest;
  }
  if (unreached > 0)
    reader.warn(
        reader["output"]["receivers"].at(first)["position"],
        fmt::format(
            "nothing reaches receiver {}{} before the run ends at {}: {} from the nearest source take {} or more",
            p.receivers[first].name, unreached > 1 ? fmt::format(" and {} others", unreached - 1) : std::string(),
            format_quantity(end, "s"), length(way), format_quantity(way / p.speed.highest, "s")),
        "Let the run take longer, or move the receiver.");
}

void check_receivers(const Setup& setup, const CaseReader& reader) {
  const Problem& p = setup.problem;
  constexpr std::size_t most = 20;  // that are told
  std::size_t lines_outside = 0, absorbed = 0;
  const Values output = reader["output"];
  const auto absorbs = [&](const Values& where, const std::string& what, const Vec3& place) {
    const std::string text = within_layer(p, place);
    if (text.empty() || ++absorbed > most) return;
    reader.warn(
        where, fmt::format("{} lies in the absorbing layer of {}", what, text),
        "What it records is weaker there than the wave, and turned in phase; move it inwards or enlarge the grid.");
  };
  for (const char* list : {"receivers", "receiver_lines"}) reader.tell_apart(output[list], list);
  const Values receivers = output["receivers"];
  for (std::size_t i = 0; i < receivers.size(); ++i) {
    const Values where = receivers.at(i)["position"];
    const Vec3 place = where.vec3();
    const std::string what = fmt::format("receiver {}", p.receivers[i].name), text = outside(p.grid, place);
    if (text.empty())
      absorbs(where, what, place);
    else if (++lines_outside <= most)
      reader.fail(where, fmt::format("{}: {}", what, text), "Move the receiver or enlarge the grid.");
  }
  const Values lines = output["receiver_lines"];
  for (std::size_t i = 0; i < lines.size(); ++i) {
    bool inside = true;
    for (const char* end : {"from", "to"})
      if (const std::string text = outside(p.grid, lines.at(i)[end].vec3()); !text.empty()) {
        inside = false;
        if (++lines_outside <= most)
          reader.fail(lines.at(i)[end], fmt::format("receiver line {}: {}", i + 1, text),
                      "Move the line or enlarge the grid.");
      }
    for (const char* end : {"from", "to"})
      if (inside) absorbs(lines.at(i)[end], fmt::format("the end of receiver line {}", i + 1), lines.at(i)[end].vec3());
  }
  if (p.receivers.size() > 100000)
    reader.fail(output, fmt::format("{} receivers; at most 100000 are possible", p.receivers.size()),
                "Use fewer receivers, or planes in the frames.");
}

/// Particle velocities beside a jump of the density are what the scheme carries, of second order there (add_flux() in points.cpp).
void check_velocities(const Setup& setup, const CaseReader& reader) {
  const Problem& p = setup.problem;
  if (setup.highest_frequency <= 0) return;
  std::string last;  // a receiver has several components
  std::size_t told = 0;
  constexpr std::size_t most = 20;
  for (std::size_t n = setup.pressure_receivers; n < p.receivers.size(); ++n) {
    const std::string& of = p.receivers[setup.heard_with[n - setup.pressure_receivers]].name;
    double wrong = 0, jump = 1;
    for (std::size_t a = 0; a < 3; ++a) {
      // Plane waves along the normal, orders 2 and 8, jumps of 1:0.3, 1:2.2 and 1:7.8 on and between nodes, at worst a node away: up to 0.56 % (r - 1) of the intensity at 10 nodes a
      // wave, a quarter at 20. Most of what a source sends is below half of its highest frequency.
      const double here = jump_along(p.receivers[n].along, a),
                   nodes = 2 * p.speed.lowest / (setup.highest_frequency * p.grid.spacing[a]);
      if (const double percent = 0.56 * (here - 1) * (10 / nodes) * (10 / nodes); percent > wrong) {
        wrong = percent;
        jump = here;
      }
    }
    if (wrong < 1 || of == last || ++told > most) continue;
    last = of;
    reader.warn(reader["output"],
                fmt::format("the density jumps {:.3g}:1 within six nodes of receiver {}: its velocity and intensity "
                            "along the jump's normal may be wrong by up to {:.2g} %",
                            jump, of, wrong),
                "Take more nodes a wave, of which this falls with the square, or move it so that four nodes lie "
                "between it and the jump.");
  }
}

/// Nodes that the shortest wave of something has, and how wrong its speed is.
void judge_waves(const Setup& setup, const CaseReader& reader, const Values& where, double frequency,
                 const std::string& what) {
  const Problem& p = setup.problem;
  const double h = p.grid.coarsest();
  const Stencil stencil = stencil_of_order(p.order);
  const double points = p.speed.lowest / (frequency * h);
  const auto coarser = [&](double n) { return format_quantity(h * points / n, "m"); };
  if (points <= 2) {
    reader.fail(
        where,
        fmt::format("{} reaches {}: the shortest wave, {}, has only {:.2f} nodes at h = {}; "
                    "more than 2 are needed to carry it at all",
                    what, format_quantity(frequency, "Hz"), length(p.speed.lowest / frequency), points, length(h)),
        fmt::format("Lower the frequency, or use a spacing of {} or less.", coarser(p.order == 2 ? 16 : 5)));
    return;
  }
  const double courant = traced_courant(setup, h), error = worst_phase_speed_error(stencil, points, courant);
  if (std::abs(error) > 0.02) {
    double enough = points;
    while (enough < 1000 && std::abs(worst_phase_speed_error(stencil, enough, courant)) > 0.02) enough *= 1.05;
    reader.warn(where,
                fmt::format("{} reaches {}: the shortest wave, {}, has {:.1f} nodes; at order {} "
                            "its speed is wrong by {:.1f} %",
                            what, format_quantity(frequency, "Hz"), length(p.speed.lowest / frequency), points, p.order,
                            100 * error),
                fmt::format("For 2 % use a spacing of {} or less{}.", coarser(enough),
                            p.order < 12 ? ", or a higher order" : ""));
  }
}

/// Pressure at the start lies in the grid, and none of it in an absorbing layer.
void check_initial_place(const Setup& setup, const CaseReader& reader) {
  const Problem& p = setup.problem;
  const Grid& g = p.grid;
  const Values initial = reader["excitation"]["initial"];
  if (p.initial.kind == Initial::Kind::pulse || p.initial.kind == Initial::Kind::plane) {
    Vec3 centre = p.initial.centre;
    for (std::size_t a = 0; a < 3; ++a)  // a plane wave has a place along its way alone
      if (p.initial.kind == Initial::Kind::plane && a != static_cast<std::size_t>(p.initial.axis))
        centre[a] = g.origin[a];
    if (g.flat()) centre[1] = g.origin[1];
    if (const std::string text = outside(g, centre); !text.empty())
      reader.warn(initial["centre"],
                  fmt::format("the middle of the initial {}: {}",
                              p.initial.kind == Initial::Kind::pulse ? "pulse" : "plane wave", text),
                  "Move it into the grid, or enlarge the grid; lengths without a unit are metres.");
    return;
  }
  Vec3 low, high;
  if (p.initial.kind != Initial::Kind::file || !p.initial.samples || !p.initial.samples->bounds(low, high)) return;
  bool apart = false;
  std::string beyond;
  for (std::size_t a = 0; a < 3; ++a) {
    if (g.points[a] == 1 && !(low[a] > g.origin[a] || high[a] < g.origin[a])) continue;
    const double slack = 1e-6 * g.spacing[a];
    apart |= low[a] > g.upper(a) + slack || high[a] < g.origin[a] - slack;
    if (low[a] < g.origin[a] - slack || high[a] > g.upper(a) + slack)
      beyond += fmt::format("{}{} to {} along {}, where the grid reaches from {} to {}", beyond.empty() ? "" : "; ",
                            length(low[a]), length(high[a]), "xyz"[a], length(g.origin[a]), length(g.upper(a)));
  }
  const char* const hint = "Check origin, spacing and their units in the header, and the order of the axes.";
  if (apart)
    reader.fail(initial["header"],
                fmt::format("no sample of the initial pressure lies in the grid: they reach from {}", beyond), hint);
  else if (!beyond.empty())
    reader.warn(initial["header"],
                fmt::format("the initial pressure reaches beyond the grid, what lies there is left out: {}", beyond),
                hint);
}

/// A plane wave goes on as one beside rigid faces alone.
void check_plane(const Setup& setup, const CaseReader& reader) {
  const Problem& p = setup.problem;
  if (p.initial.kind != Initial::Kind::plane) return;
  for (std::size_t f = 0; f < 6; ++f) {
    if (f / 2 == static_cast<std::size_t>(p.initial.axis) || p.faces[f].kind == FaceKind::rigid) continue;
    reader.warn(
        reader["excitation"]["initial"],
        fmt::format("the plane wave along {} goes past the face {}, which is not rigid: from there inwards it is "
                    "weakened and bent on its way",
                    "xyz"[p.initial.axis], face_names[f]),
        "Make the faces beside a plane wave rigid, or enlarge the grid across its way.");
    break;  // of several one is enough
  }
  if (p.initial.direction == 0) return;
  // What moves at a wall that lets nothing move flows through it at the start: ∫ p_tt = 0 keeps ∫ p_t = c (p(low) − p(high)) in a closed box.
  const auto a = static_cast<std::size_t>(p.initial.axis);
  const auto at_face = [&](std::size_t side) {
    const double d = (side == 0 ? p.grid.origin[a] : p.grid.upper(a)) - p.initial.centre[a];
    return p.faces[2 * a + side].absorbs() ? 0 : std::exp(-0.5 * d * d / (p.initial.width * p.initial.width));
  };
  const double low = at_face(0), high = at_face(1);
  if (std::max(low, high) < 0.01) return;
  reader.warn(reader["excitation"]["initial"],
              fmt::format("the plane wave along {} stands at {:.2g} and {:.2g} of its amplitude on the faces {} and {} "
                          "at the start, which are no part of its way: what flows there then makes a wave of its own, "
                          "or a mean pressure that rises or falls all the time in a closed box",
                          "xyz"[a], low, high, face_names[2 * a], face_names[2 * a + 1]),
              "Let it begin three widths from faces that reflect, make it narrower, or use \"direction\": 0, which "
              "starts at rest.");
}

}  // namespace

void check_setup(const Setup& setup, const Case& input, std::vector<Diagnostic>& diagnostics) {
  const CaseReader reader(input, diagnostics);
  const Problem& p = setup.problem;
  check_sizes(setup, reader);
  check_sources(setup, reader);
  check_receivers(setup, reader);
  check_silence(setup, reader);
  check_positions(setup, reader);
  check_image(reader, setup.image, p, setup.shots, std::span(p.receivers).first(setup.pressure_receivers));
  if (p.sources.empty() && p.initial.kind == Initial::Kind::none)
    reader.warn(reader["excitation"], "no source and no initial field: nothing will move",
                "Add a source, or an initial pulse.");

  check_initial_place(setup, reader);
  if (Problem copy = p; reader.good()) take_initial_means(reader, copy);
  check_plane(setup, reader);
  if (reader.good())  // all positions lie in the grid
    check_beside_obstacles(setup.obstacles, reader, p, setup.pressure_receivers);
  if (!setup.velocity_known || p.dt <= 0) return;
  if (setup.highest_frequency > 0)
    judge_waves(setup, reader, reader["excitation"]["sources"], setup.highest_frequency, "the source");
  // A Gaussian of standard deviation w has less than 1 % of its amplitude above k = 3/w.
  if (p.initial.kind == Initial::Kind::pulse || p.initial.kind == Initial::Kind::plane)
    judge_waves(setup, reader, reader["excitation"]["initial"],
                3 * p.speed.lowest / (2 * 3.14159265358979 * p.initial.width), "the initial pulse");
  check_growth(setup, reader);
  check_velocities(setup, reader);
  check_traces(setup, reader);
}

}  // namespace conoid::acoustic_fd
