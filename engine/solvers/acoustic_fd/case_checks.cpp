// SPDX-License-Identifier: BSD-3-Clause
// What is wrong with a case beyond its schema: places, layers, waves against nodes, what tables keep. What it sends: case_excitation.cpp.
#include "engine/io/segy.hpp"
#include "engine/solvers/acoustic_fd/case_parts.hpp"
#include "engine/solvers/acoustic_fd/discretization/points.hpp"
#include "engine/solvers/acoustic_fd/discretization/stencil.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

#include <fmt/core.h>

namespace conoid::acoustic_fd {

std::string outside(const Grid& g, const Vec3& x) {
  for (std::size_t a = 0; a < 3; ++a) {
    const double slack = 1e-9 * (std::abs(g.origin[a]) + std::abs(g.upper(a)));
    if (x[a] < g.origin[a] - slack || x[a] > g.upper(a) + slack)
      return fmt::format("{} {} lies outside the grid, which reaches from {} to {}", "xyz"[a], length(x[a]),
                         length(g.origin[a]), length(g.upper(a)));
  }
  return std::string();
}

double from_face(const Grid& g, std::size_t face, const Vec3& x) {
  const std::size_t a = face / 2;
  return (face % 2 == 0 ? x[a] - g.origin[a] : g.upper(a) - x[a]) / g.spacing[a];
}

std::string within_layer(const Problem& p, const Vec3& x) {
  for (std::size_t f = 0; f < 6; ++f) {
    const double distance = from_face(p.grid, f, x);
    if (p.faces[f].absorbs() && distance < static_cast<double>(p.faces[f].width) - 1e-6)
      return fmt::format("face {}, {:.1f} nodes from the face (the layer has {})", face_names[f], distance,
                         p.faces[f].width);
  }
  return {};
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

/// Planes of frames go through a place of the grid.
void check_planes(const Setup& setup, const CaseReader& reader) {
  const Values output = reader["output"];
  if (!output.has("plane_at") || !setup.keeps_frames()) return;
  Vec3 at = setup.plane_at;
  if (setup.problem.grid.flat()) at[1] = setup.problem.grid.origin[1];
  if (const std::string text = outside(setup.problem.grid, at); !text.empty())
    reader.warn(output["plane_at"],
                fmt::format("the planes of frames: {}; planes on its faces are shown instead", text),
                "Move the point into the grid; lengths without a unit are metres.");
}

/// Impedances that were meant in Pa s/m make a wall rigid.
void check_impedances(const Problem& p, const CaseReader& reader) {
  constexpr double nearly_rigid = 100;
  for (std::size_t f = 0; f < 6; ++f)
    if (const double zeta = p.faces[f].zeta; p.faces[f].kind == FaceKind::impedance && zeta >= nearly_rigid)
      reader.note(reader["boundaries"][face_names[f]]["impedance"],
                  fmt::format("{:g} times the impedance of the fluid is nearly rigid: {:.2g} % of a wave's energy go "
                              "into the wall",
                              zeta, 400 * zeta / ((zeta + 1) * (zeta + 1))),
                  "Impedances are counted in those of the fluid, density times speed of sound: divide Pa s/m by that.");
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
  check_planes(setup, reader);
  check_impedances(p, reader);
  check_image(reader, setup.image, p, setup.shots, std::span(p.receivers).first(setup.pressure_receivers),
              setup.highest_sent);
  if (p.sources.empty() && p.initial.kind == Initial::Kind::none)
    reader.warn(reader["excitation"], "no source and no initial field: nothing will move",
                "Add a source, or an initial pulse.");

  check_initial(setup, reader);
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
