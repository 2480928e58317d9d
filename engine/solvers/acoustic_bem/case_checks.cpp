// SPDX-License-Identifier: BSD-3-Clause
// What is wrong with a case on its surface: steps and pulses against edges, places, memory.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/core.h>

#include "engine/case/case_reader.hpp"
#include "engine/core/log.hpp"
#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/solvers/acoustic_bem/discretization/facets.hpp"
#include "engine/solvers/acoustic_bem/discretization/places.hpp"
#include "engine/solvers/acoustic_bem/plan_team.hpp"
#include "engine/solvers/acoustic_bem/problem.hpp"

namespace conoid::acoustic_bem {

using namespace conoid::vec;

namespace {

std::string text_of(const Vec3& x) {
  return fmt::format("({:.6g}, {:.6g}, {:.6g}) m", x[0], x[1], x[2]);
}

bool solid(const Case& input) {
  return input["boundaries"]["surface"].text() != "screen";
}

/// Bodies, sources and receivers stand on one side of the ground.
void check_ground(const CaseReader& reader, const Settings& s, const Surface& surface) {
  if (!s.conditions.ground) return;
  const Ground& ground = *s.conditions.ground;
  const double near = 1e-6 * surface.diameter;
  const auto below = [&](const Values& at, const std::string& what, const Vec3& x) {
    reader.fail(
        at, fmt::format("{} at {} lies {} below the ground", what, text_of(x), format_quantity(-ground.above(x), "m")),
        fmt::format(
            "The fluid lies along {}{} of the plane: move it there, or give another boundaries.ground.height or "
            "normal.",
            ground.into < 0 ? "-" : "", "xyz"[ground.axis]));
  };
  const auto lowest = std::min_element(surface.vertices.begin(), surface.vertices.end(),
                                       [&](const Vec3& a, const Vec3& b) { return ground.above(a) < ground.above(b); });
  if (surface.filled() && std::abs(ground.above(*lowest)) <= near)
    reader.fail(reader["mesh"], "a filled body touches the ground",
                "Its fluid would be mirrored, too: move it up, or compute it with its mirror image as one body.");
  if (ground.above(*lowest) < -near) below(reader["mesh"], "a vertex of the surface", *lowest);
  Index lying = 0;
  for (const Triangle& t : surface.triangles)
    lying +=
        std::all_of(t.corner.begin(), t.corner.end(), [&](const Vec3& x) { return std::abs(ground.above(x)) <= near; });
  if (lying > 0)
    reader.fail(reader["mesh"], fmt::format("{} faces lie in the ground", lying),
                "Leave them out: a body that stands on the ground is open below, where its walls meet "
                "it, or lies a little above it.");
  const Values waves = reader["excitation"]["waves"], receivers = reader["output"]["receivers"];
  std::size_t number = 0;
  for (const Excitation& run : s.runs)
    for (const Wave& w : run.waves) {
      const Values at = waves.at(number++);
      if (w.kind == WaveKind::point && ground.above(w.position) < 0) below(at, "a point source", w.position);
      if (w.kind == WaveKind::plane && ground.out_of(w.direction) > 1e-9)
        reader.fail(at, "the plane wave comes from below the ground",
                    "Give the direction in which it goes before the ground reflects it.");
    }
  for (std::size_t k = 0; k < s.receivers.size(); ++k)
    if (ground.above(s.receivers[k]) < -near) below(receivers.at(k), "a receiver", s.receivers[k]);
  for (std::size_t k = 0; k < s.directions.size(); ++k)
    if (ground.out_of(s.directions[k]) < -1e-9)
      reader.warn(reader["output"]["directions"].at(k),
                  "the direction points into the ground, where there is no sound: its mirror image is told",
                  "Give directions that point out of the ground.");
}

constexpr const char* way_into_rooms =
    "for a closed room, which rings on, set \"boundaries\": {\"fluid\": \"inside\"}; for one with an opening, give the "
    "walls as thin "
    "sheets and set \"boundaries\": {\"surface\": \"screen\"}";

void check_source(const CaseReader& reader, const Values& at, const std::string& name, const Place& p, const Vec3& x,
                  double h, bool room, bool filled) {
  if (room && (p.side == Side::inside || p.side == Side::on_body))
    reader.fail(at, fmt::format("the point source \"{}\" at {} does not lie in the room", name, text_of(x)),
                fmt::format("Move it in, for instance to {}, or set \"fluid\": \"outside\".",
                            text_of(axpy(h, p.normal, p.nearest))));
  else if (filled && (p.side == Side::inside || p.side == Side::on_body))
    reader.fail(at,
                fmt::format("the point source \"{}\" at {} lies {} a filled body", name, text_of(x),
                            p.side == Side::inside ? "inside" : "on"),
                fmt::format("Sources lie in the fluid around: move it, for instance to {}.",
                            text_of(axpy(h, p.normal, p.nearest))));
  else if (p.side == Side::inside || p.side == Side::on_body)
    reader.fail(
        at,
        fmt::format("the point source \"{}\" at {} lies {} a closed body, through whose walls no sound passes", name,
                    text_of(x), p.side == Side::inside ? "inside" : "on"),
        fmt::format("Move it outside, for instance to {}; {}.", text_of(axpy(h, p.normal, p.nearest)), way_into_rooms));
  else if (p.distance < 0.5 * h)
    reader.fail(at,
                fmt::format("the point source \"{}\" at {} lies {} from the surface, less than half an "
                            "edge",
                            name, text_of(x), format_quantity(p.distance, "m")),
                "Move the source away or refine the mesh there.");
}

void check_receiver(const CaseReader& reader, const Values& at, const std::string& name, const Place& p, const Vec3& x,
                    double h, bool room, bool filled) {
  if (room && p.side == Side::inside) {
    reader.fail(at, fmt::format("the receiver \"{}\" at {} does not lie in the room", name, text_of(x)),
                fmt::format("Move it in, for instance to {}, or set \"fluid\": \"outside\".",
                            text_of(axpy(h, p.normal, p.nearest))));
  } else if (p.side == Side::inside && filled) {
    reader.fail(at,
                fmt::format("the receiver \"{}\" at {} lies within a filled body, {} deep", name, text_of(x),
                            format_quantity(p.distance, "m")),
                fmt::format("Sound is recorded around filled bodies and on their surface: move it, for instance to {}.",
                            text_of(axpy(h, p.normal, p.nearest))));
  } else if (p.side == Side::inside) {
    reader.fail(
        at,
        fmt::format("the receiver \"{}\" at {} lies inside a closed body, {} deep, where there is no sound", name,
                    text_of(x), format_quantity(p.distance, "m")),
        fmt::format("Move it outside, for instance to {}; {}.", text_of(axpy(h, p.normal, p.nearest)), way_into_rooms));
  } else if (p.side == Side::on_screen) {
    reader.fail(
        at,
        fmt::format("the receiver \"{}\" at {} lies on a screen, where the pressures of its two sides differ", name,
                    text_of(x)),
        fmt::format("Move it to the side that is meant: {} or {}.", text_of(p.beside(0.01)), text_of(p.beside(-0.01))));
  } else if (p.side == Side::on_body && p.distance > 1e-6 * p.radius) {
    reader.note(at,
                fmt::format("the receiver \"{}\" at {} lies {} inside the flat faces", name, text_of(x),
                            format_quantity(p.distance, "m")),
                fmt::format("It is taken as on the surface, at {}.", text_of(p.nearest)));
  }
}

/// Closed pieces within one another, wholly or in part: by some faces of each.
void check_bodies(const CaseReader& reader, const Surface& surface, const PlaceFinder& places) {
  constexpr std::size_t most = 64;
  for (const std::vector<std::int32_t>& body : surface.bodies) {
    const std::size_t step = std::max<std::size_t>(1, body.size() / most);
    std::size_t looked = 0, within = 0;
    Vec3 at{};
    for (std::size_t k = 0; k < body.size(); k += step, ++looked) {
      const Triangle& t = surface.triangles[static_cast<std::size_t>(body[k])];
      if (places.body_around(axpy(1e-5 * t.radius, t.normal, t.centroid)) < 0) continue;
      ++within;
      at = t.centroid;
    }
    if (within == 0) continue;
    if (surface.filled()) {
      reader.fail(reader["mesh"],
                  fmt::format("a closed piece near {} lies inside another, which is filled", text_of(at)),
                  "Leave it out, or join what overlaps: all filled bodies hold one fluid, and no hollows.");
    } else if (within == looked) {
      reader.warn(reader["mesh"],
                  fmt::format("a closed piece near {} lies inside another: no sound reaches it", text_of(at)),
                  "Leave it out: it costs memory and time and changes nothing outside.");
    } else {
      reader.warn(
          reader["mesh"],
          fmt::format("two closed pieces cut one another near {}: {:.0f} % of the faces of one lie in the other, "
                      "where the pressure ends between the corners of the mesh",
                      text_of(at), 100 * static_cast<double>(within) / static_cast<double>(looked)),
          "Join them to one body before they are meshed: until then what they send is off by about what an edge "
          "is of a wavelength.");
    }
  }
}

/// Sources and receivers: inside bodies, on surfaces, on screens.
void check_places(const CaseReader& reader, const Settings& s, const Surface& surface) {
  const PlaceFinder places(surface, solid(reader.input));
  const double h = surface.mean_edge;
  const bool room = s.conditions.inside;
  const Values waves = reader["excitation"]["waves"], receivers = reader["output"]["receivers"];
  std::size_t number = 0;
  for (const Excitation& run : s.runs)
    for (const Wave& w : run.waves) {
      const Values at = waves.at(number++);
      if (w.kind != WaveKind::point) {
        if (room) reader.fail(at, "a plane wave in a room", "Give a source of kind \"point\" in the room.");
        continue;
      }
      const std::string name = at["name"].text();
      check_source(reader, at, name.empty() ? fmt::format("wave {}", number) : name, places.of(w.position), w.position,
                   h, room, surface.filled());
    }
  for (std::size_t k = 0; k < s.receivers.size(); ++k) {
    if (lies_in_source(s, surface, s.receivers[k]))
      reader.fail(
          receivers.at(k),
          fmt::format("the receiver \"{}\" at {} lies where a point source is, whose pressure has no bound there",
                      s.receiver_names[k], text_of(s.receivers[k])),
          fmt::format("Move it away, for instance to {}.", text_of(axpy(h, {1, 0, 0}, s.receivers[k]))));
    check_receiver(reader, receivers.at(k), s.receiver_names[k], places.of(s.receivers[k]), s.receivers[k], h, room,
                   surface.filled());
  }
  if (solid(reader.input) && surface.bodies.size() > 1 && !room) check_bodies(reader, surface, places);
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
void check_shape(const CaseReader& reader, const Surface& surface) {
  const Facets facets = facets_of(surface);
  const auto note = [&](std::string text, std::string hint) {
    reader.note(reader["mesh"], std::move(text), std::move(hint));
  };
  if (facets.missing_angle > 0.6)  // a sphere of 20 vertices has that
    note(
        fmt::format("at {} the faces leave {:.0f} of 360 degrees: if the body is round there, they cut off its tip",
                    text_of(facets.tip), facets.missing_angle * 180 / std::numbers::pi),
        "Make edges at most a third of the least radius of curvature: the echo of a slender spheroid seen end-on comes "
        "from its tip, and a coarse one costs decibels however many edges a wave has.");
  if (std::abs(facets.lost_volume) > 0.01 && surface.moved == 0)
    note(fmt::format("flat faces with their corners on the curved surface {} {:.2g} % of the body's volume",
                     facets.lost_volume > 0 ? "lose" : "add", 100 * std::abs(facets.lost_volume)),
         "Set boundaries.faces to \"curved\", which gives it back, or refine where the surface is curved: levels move "
         "by "
         "about as much.");
}

/// A fluid that hardly differs scatters less sound than a mesh errs.
void check_filling(const CaseReader& reader, const Settings& s) {
  if (!s.conditions.filling) return;
  const Filling& f = *s.conditions.filling;
  const double speed = f.c / s.form.c, impedance = speed * f.density;
  const double contrast = std::max(std::abs(impedance - 1) / (impedance + 1), std::abs(speed - 1) / (speed + 1));
  if (contrast > 0.05) return;
  reader.warn(
      reader["medium"]["filling"],
      fmt::format("the fluid within reflects {:.2g} % of the pressure only: what the body scatters is as weak as the "
                  "mesh's error in the "
                  "wave that goes through it",
                  100 * std::abs(impedance - 1) / (impedance + 1)),
      "Compute the case once more with the fluid around as filling and subtract its scattered pressures, which are "
      "that error "
      "alone: a weakly scattering sphere of 362 vertices has its echo within 0.25 dB so, and is 0.7 dB and more off "
      "without.");
}

/// Strips of screens, and the time step against their edges and the extent of the body.
void check_step(const CaseReader& reader, const Settings& s, const Surface& surface) {
  if (surface.dead_faces > 4 + surface.rim_faces / 50)
    reader.warn(
        reader["mesh"],
        fmt::format("{} of the {} triangles at rims have all corners on rims: the pressure jump is taken as zero there",
                    surface.dead_faces, surface.rim_faces),
        "Refine the mesh until every strip of a screen has vertices inside it, two rows at least.");
  const double h = surface.mean_edge, delta = s.shortest_delta(), courant = delta / h;  // of the slower fluid
  const Values parameters = reader["parameters"];
  const Values step = parameters.has("time_step") ? parameters["time_step"] : parameters["courant"];
  if (courant < 0.1 || courant > 1.5)
    reader.fail(
        step,
        fmt::format("cΔt = {:.3g} m is {:.3g} h (h = {:.3g} m, the mean edge); expected 0.1 h to 1.5 h", delta, courant,
                    h),
        fmt::format("Use a Courant number of 0.4 (a time step of {}).", format_quantity(0.4 * h / s.slowest(), "s")));
  else if (courant < 0.3 || courant > 0.6)
    reader.warn(step, fmt::format("cΔt = {:.3g} h lies outside 0.3 h to 0.6 h", courant),
                "0.4 balances the errors of space and time; smaller steps cost memory, larger ones accuracy.");
}

/// What is told over the spectrum of a pulse is round-off over round-off where that has next to nothing. `solved`: in double precision.
void check_level(const CaseReader& reader, const char* key, const Settings& s, const std::vector<double>& asked,
                 bool solved) {
  const double least = solved ? 1e-12 : s.single_precision ? 1e-4 : 1e-10;
  double worst = 1, at = 0;
  const auto look = [&](const Pulse& pulse) {
    for (const double f : asked)
      if (const double level = pulse.level(f); level < worst) {
        worst = level;
        at = f;
      }
  };
  for (const Excitation& run : s.runs)
    if (!run.waves.empty()) look(run.waves[0].pulse);  // what is told is over it
  if (s.runs.size() == 1 && s.runs[0].waves.empty() && !s.motions.empty()) look(s.motions[0].pulse);
  if (worst >= least) return;
  reader.warn(reader["output"][key],
              fmt::format("at {} the pulse has {:.1g} of the maximum of its spectrum: what is told there is round-off",
                          format_quantity(at, "Hz"), worst),
              "Ask for frequencies that the pulse holds, or give a shorter pulse, or double precision.");
}

/// Pulses and frequencies against the edges.
void check_waves(const CaseReader& reader, const Settings& s, const Surface& surface) {
  const double h = surface.mean_edge;
  bool sampled = true;
  for (const Excitation& run : s.runs)
    for (const Wave& w : run.waves) sampled = sampled && w.pulse.kind == PulseKind::sampled;
  for (const Motion& m : s.motions) sampled = sampled && m.pulse.kind == PulseKind::sampled;
  const double highest = highest_frequency(s), edges = s.slowest() / (highest * h);
  const Values pulse_place =
      reader["excitation"].has("pulse") ? reader["excitation"]["pulse"] : reader["boundaries"]["groups"];
  if (edges < 6) {
    std::string text =
        fmt::format("the pulse reaches {} (1 % of its spectrum), where a wavelength is {:.2g} mean edges of {}",
                    format_quantity(highest, "Hz"), edges, format_quantity(h, "m"));
    std::string hint = fmt::format(
        "Refine the mesh to h = {} or lower the frequency by a factor of {:.2g}, to 8 edges a wavelength: {}",
        format_quantity(s.slowest() / highest / 8, "m"), 8 / edges, error_of_edges(!solid(reader.input), s.rim_layers));
    // Of what was recorded noise may reach high, which does no harm at the frequencies that are of interest.
    if (sampled) hint += " Samples that begin or end away from zero hold high frequencies, too.";
    edges < 2.5 && !sampled ? reader.fail(pulse_place, std::move(text), std::move(hint))
                            : reader.warn(pulse_place, std::move(text), std::move(hint));
  }
  const std::pair<const char*, const std::vector<double>*> all[] = {{"frequencies", &s.frequencies},
                                                                    {"maps", &s.maps},
                                                                    {"spectra", &s.spectra},
                                                                    {"surface_spectra", &s.surface_spectra},
                                                                    {"head_related", &s.head.frequencies},
                                                                    {"monostatic", &s.monostatic.frequencies}};
  for (const auto& [key, list] : all) {
    const std::vector<double>& asked = *list;
    if (asked.empty()) continue;
    const bool solved = list == &s.spectra || list == &s.surface_spectra;
    if (solved || list == &s.frequencies || list == &s.maps) check_level(reader, key, s, asked, solved);
    if (const double f = *std::ranges::max_element(asked); s.slowest() / f < 3 * h)
      reader.warn(
          reader["output"][key],
          fmt::format("at {} a wavelength is only {:.2g} mean edges", format_quantity(f, "Hz"), s.slowest() / f / h),
          "Results there are not converged: refine the mesh or lower the highest frequency.");
  }
}

/// Parts of the surface whose edges are much longer than most: the mean says nothing of them.
void check_longest(const CaseReader& reader, const Settings& s, const Surface& surface) {
  constexpr double least = 4, some = 0.01;  // edges in the shortest wave, part of the surface
  const double wave = s.slowest() / highest_frequency(s);
  if (wave < 6 * surface.mean_edge) return;  // told already
  double area = 0, longest = 0;
  Vec3 at{};
  for (std::size_t k = 0; k < surface.faces(); ++k) {
    const Triangle& t = surface.triangles[k];
    const double edge = std::max({t.length[0], t.length[1], t.length[2]});
    if (edge * least < wave) continue;
    area += t.area;
    if (edge < longest) continue;
    longest = edge;
    at = t.centroid;
  }
  if (area <= some * surface.area) return;
  reader.warn(
      reader["mesh"],
      fmt::format("{:.2g} % of the surface have edges up to {}, {:.2g} in the shortest wave of the pulse, though the "
                  "mean of all edges has {:.2g}",
                  100 * area / surface.area, format_quantity(longest, "m"), wave / longest, wave / surface.mean_edge),
      fmt::format("Refine there, for instance at {}, or lower the frequency by a factor of {:.2g}.", text_of(at),
                  6 * longest / wave));
}

/// Sources of head-related responses surround the body, no nearer than the rule over its faces allows.
void check_head(const CaseReader& reader, const Settings& s, const Surface& surface) {
  if (s.head.frequencies.empty()) return;
  double farthest = 0;
  for (const Vec3& x : surface.vertices) farthest = std::max(farthest, distance(x, s.head.center));
  if (s.head.radius < farthest + 2 * surface.mean_edge)
    reader.fail(reader["output"]["head_related"]["radius"],
                fmt::format("the sources are {} from the centre, the body reaches {}",
                            format_quantity(s.head.radius, "m"), format_quantity(farthest, "m")),
                fmt::format("Set them off the body by two edges at least: {}.",
                            format_quantity(farthest + 2 * surface.mean_edge, "m")));
}

/// Of the vertices of a surface and of their images.
double farthest_from(const Vec3& x, const Surface& surface) {
  double out = 0;
  for (const Vec3& v : surface.vertices) {
    out = std::max(out, distance(x, v));
    if (surface.conditions.ground) out = std::max(out, distance(x, surface.conditions.ground->mirrored(v)));
  }
  return out;
}

/// Columns of row-vectors are counted by 16 bits.
void check_extent(const CaseReader& reader, const Settings& s, const Surface& surface) {
  constexpr double most = 60000;  // steps
  const Values parameters = reader["parameters"];
  const Values step = parameters.has("time_step") ? parameters["time_step"] : parameters["courant"];
  if (const double across = surface.diameter / s.shortest_delta(); across > most)
    reader.fail(step, fmt::format("the body is {:.3g} time steps across; at most 60000 are possible", across),
                "Use larger time steps or a smaller body.");
  const auto check = [&](const Values& at, const std::string& what, double way) {
    if (way > most * s.form.delta())
      reader.fail(
          at,
          fmt::format("{} lies {} from the surface, {:.3g} time steps; at most 60000 are possible", what,
                      format_quantity(way, "m"), way / s.form.delta()),
          "Move it to within that: so far away sound falls with the distance, as output.pattern, output.directions and "
          "output.directivity have it.");
  };
  const Values receivers = reader["output"]["receivers"], planes = reader["output"]["planes"];
  for (std::size_t k = 0; k < s.receivers.size(); ++k)
    check(receivers.at(k), fmt::format("the receiver \"{}\"", s.receiver_names[k]),
          farthest_from(s.receivers[k], surface));
  for (std::size_t k = 0; k < s.planes.size(); ++k) {
    double way = 0;
    for (const Vec3& x : corners_of(s.planes[k])) way = std::max(way, farthest_from(x, surface));
    check(planes.at(k), fmt::format("a point of the plane \"{}\"", s.planes[k].name), way);
  }
}

/// Where the series of a sphere is asked for there is one, about the origin or the middle of the head, and a wave that it is for.
void check_exact(const CaseReader& reader, const Settings& s, const Surface& surface) {
  if (!s.exact_sphere) return;
  const Values at = reader["output"]["exact"];
  const Vec3 centre = s.head.frequencies.empty() ? Vec3{} : s.head.center;
  double nearest = HUGE_VAL, farthest = 0;
  for (const Vec3& v : surface.vertices) {
    nearest = std::min(nearest, distance(v, centre));
    farthest = std::max(farthest, distance(v, centre));
  }
  if (farthest - nearest > 0.02 * farthest || surface.bodies.size() != 1 || s.screen || s.conditions.inside) {
    reader.fail(
        at,
        fmt::format("the exact answer is that of a sphere about {}; the surface lies between {} and {} from there{}",
                    text_of(centre), format_quantity(nearest, "m"), format_quantity(farthest, "m"),
                    surface.bodies.size() == 1 ? "" : fmt::format(" and has {} closed pieces", surface.bodies.size())),
        "Move the sphere there (mesh.translate), or leave \"exact\" out.");
    return;
  }
  if (exact_wave(s) || !s.head.frequencies.empty() || (s.conditions.walls.empty() && !s.monostatic.frequencies.empty()))
    return;
  reader.warn(at,
              "no exact answer will be given: the series is that of one plane wave along +z on a sphere of one kind",
              "Let a single plane wave go along [0, 0, 1], without groups and ground, or leave \"exact\" out.");
}

/// What compressed matrices go with.
void check_compression(const CaseReader& reader, const Settings& s, const Surface& surface) {
  if (!s.compressed()) return;
  const Values at = reader["parameters"]["matrices"];
  const auto refuse = [&](const Values& place, std::string text, std::string hint) {
    reader.fail(place, std::move(text), std::move(hint));
  };
  if (s.screen && !surface.bodies.empty())
    refuse(at, "a sheet is closed: what resonates inside it is not damped, and the error of compression could feed it",
           "Set boundaries.surface to \"rigid\" where the sheet is a body, or parameters.matrices to \"whole\".");
  else if (!s.form.combined() && !s.screen && !surface.filled() && (!s.conditions.inside || surface.bodies.size() > 1))
    refuse(at,
           fmt::format("form {} leaves resonances inside bodies undamped, which the error of compression could feed",
                       name_of(s.form.name)),
           fmt::format("Leave parameters.form out: {} damps them.", s.form.rigid() ? "NC" : "DC"));
  if (!reader.good() || s.counted.clusters == 0) return;
  const auto n = static_cast<double>(surface.unknowns);
  if (s.counted.near_pairs > 0.95 * n * n) {
    reader.note(at,
                fmt::format("of {} clusters hardly any are far from one another: compression saves next to nothing",
                            s.counted.clusters),
                "Bodies of some 2,000 unknowns and more gain by it.");
  }
}

/// The matrices in the memory of the offer, or on the disk.
void check_memory(const CaseReader& reader, const Settings& s, const Surface& surface, const Offer& offer) {
  const double courant = s.shortest_delta() / surface.mean_edge;
  const int threads = offer.team_threads();
  const MemoryPlan plan = plan_for(s, surface, offer);
  const Bytes budget = plan.budget;
  if (plan.possible() && plan.threads < threads) {
    reader.note(reader["mesh"], text_of_fewer_threads(plan, threads, surface.unknowns),
                std::string(hint_of_fewer_threads));
  }
  if (plan.streams() && plan.possible() && !s.compressed()) {
    reader.note(
        reader["mesh"],
        fmt::format(
            "the matrices need {}{}, the budget is {}: their values, {}, will lie on the disk and {} of them be read "
            "every {} steps; at {:.0f} GB/s that takes about {} for {} steps",
            format_bytes(plan.in_memory), s.ranks > 1 ? " on each rank" : "", format_bytes(budget),
            format_bytes(plan.values), format_bytes(plan.read_each_time()), s.grouped, 1e-9 * disk_rate,
            format_duration(streaming_seconds(s, plan)), s.steps),
        fmt::format("Raise compute.memory.host to {} to keep everything in memory{}.",
                    format_bytes(plan.in_memory + offer.host.value - budget),  // beside the devices' driver
                    s.grouped < 32 ? "; more grouped steps read less often" : ""));
  }
  if (plan.streams() && s.single_precision && s.conditions.inside)
    reader.warn(reader["compute"]["precision"],
                "the values of this room's matrices lie on the disk in single precision, whose rounding lets the mean "
                "pressure drift",
                "Use double precision, compressed matrices, or more memory: what rows add up to is then put right.");
  if (!plan.possible() && s.compressed()) {
    reader.fail(
        reader["mesh"],
        make_error(
            ErrorCode::resources,
            fmt::format(
                "the compressed matrices of {} unknowns, {:.3g} pairs of unknowns near and {:.3g} of skeletons, need "
                "{} in memory, the budget is {}",
                surface.unknowns, s.counted.near_pairs, s.counted.far_pairs, format_bytes(plan.in_memory),
                format_bytes(budget)),
            "Raise compute.memory.host or parameters.compression, use single precision, or coarsen the mesh."));
  } else if (!plan.possible() && s.ranks > 1) {
    reader.fail_at("mesh", too_little_on_ranks(plan));
  } else if (const Bytes needed = plan.least; !plan.possible()) {
    const double factor = std::sqrt(static_cast<double>(needed) / static_cast<double>(budget));
    const ExpectedTime time = expected_time(s, surface, threads);
    const auto n = static_cast<double>(surface.unknowns);
    reader.fail(
        reader["mesh"],
        make_error(ErrorCode::resources,
                   fmt::format("{} unknowns and row-vectors of about {:.3g} values ({:.2g} in all, K_max {}) need {} "
                               "even with values on "
                               "the disk and a single thread, the budget is {}; with enough memory {} threads would "
                               "assemble for about {} "
                               "and march {} steps for about {}",
                               surface.unknowns, expected_length(s, courant), n * n * expected_length(s, courant),
                               static_cast<Index>(surface.diameter / s.shortest_delta()) + 2, format_bytes(needed),
                               format_bytes(budget), threads, format_duration(time.assembly), s.steps,
                               format_duration(time.march)),
                   // Rounded up: a factor of 1 would be no advice.
                   fmt::format("Coarsen the mesh by a factor of {:.2f} in h{}, or raise compute.memory.host.",
                               0.01 * std::ceil(1 + 100 * std::sqrt(factor)),
                               s.single_precision ? "" : ", use single precision")));
  }
}

}  // namespace

namespace {

/// What a surface is made of beside the mesh. Walls are fitted to the pulses and to the time step.
std::string geometry_of(const Case& input, const Settings& s) {
  std::string out;
  const Json& all = input.values().json();
  for (const char* part : {"mesh", "boundaries", "medium"})
    if (all.contains(part)) out += compact_json(all[part]) + '\n';
  if (s.conditions.walls.empty() && s.motions.empty())
    return out + fmt::format("{} {}", static_cast<int>(s.ordering), s.rim_layers);
  for (const char* part : {"excitation", "parameters"})
    if (all.contains(part)) out += compact_json(all[part]) + '\n';
  return out;
}

}  // namespace

Reading<Problem> read_problem(const Case& input, const Mesh& mesh, Problem* before) {
  Reading<Problem> made;
  std::vector<Diagnostic>& out = made.said;
  Settings s = read_settings(input, out);
  const bool closed = !s.screen && (s.form.name != FormName::N || s.conditions.inside || s.conditions.filling ||
                                    !s.conditions.walls.empty());
  for (Diagnostic& d :
       check_surface(mesh, closed, s.conditions.filling ? "filled" : name_of(s.form.name), s.conditions)) {
    d.place = input.document().place("/mesh");
    out.push_back(std::move(d));
  }
  if (has_errors(out)) return made;
  std::string geometry = geometry_of(input, s);
  const bool kept = before != nullptr && before->geometry == geometry;
  auto surface = kept ? Result<Surface>(std::move(before->surface)) : surface_for(s, mesh);
  if (!surface) {
    out.push_back(surface.error());
    return made;
  }
  complete(s, *surface);
  set_wall_memory(*surface, s.form.dt);
  s.memory_columns = static_cast<Index>(surface->memory_columns.size());
  if (!kept) log::debug("acoustic-bem: a surface of {} triangles was made of the case", surface->triangles.size());
  made.problem = std::make_unique<Problem>(Problem{std::move(s), std::move(*surface), std::move(geometry)});
  return made;
}

std::vector<Diagnostic> check_problem(const Case& input, const Problem& problem, const Offer& offer) {
  std::vector<Diagnostic> out;
  const CaseReader reader(input, out);
  const Settings& s = problem.settings;
  const Surface& surface = problem.surface;
  check_filling(reader, s);
  check_step(reader, s, surface);
  check_waves(reader, s, surface);
  check_longest(reader, s, surface);
  check_extent(reader, s, surface);
  check_head(reader, s, surface);
  check_compression(reader, s, surface);
  check_memory(reader, s, surface, offer);
  check_ground(reader, s, surface);
  check_places(reader, s, surface);
  check_shape(reader, surface);
  check_exact(reader, s, surface);
  return out;
}

}  // namespace conoid::acoustic_bem
