// SPDX-License-Identifier: BSD-3-Clause
// What is wrong with a case beyond its schema: places, layers, waves against nodes, what tables keep.
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
