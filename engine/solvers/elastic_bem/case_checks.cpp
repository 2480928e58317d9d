// SPDX-License-Identifier: BSD-3-Clause
// What cannot be computed on the surface that a case asks for: forces and receivers where there is no medium, waves that the mesh does
// not carry, bodies that nothing holds.
#include "engine/solvers/elastic_bem/case.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/core.h>

#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/solvers/elastic_bem/discretization/far_ground.hpp"
#include "engine/solvers/elastic_bem/discretization/field.hpp"
#include "engine/solvers/elastic_bem/discretization/layered_waves.hpp"
#include "engine/solvers/elastic_bem/discretization/sites.hpp"
#include "engine/solvers/elastic_bem/discretization/weak_modes.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

void ProblemReader::points_of_force() {
  for (std::size_t k = 0; k < p.loads.size(); ++k) {
    Load& l = p.loads[k];
    if (l.kind != LoadKind::point) continue;
    const Values v = input["excitation"]["loads"].at(k);
    const Whereabouts found = p.whereabouts(p.scene, {&l.at, 1}).front();
    l.region = found.region;
    if (found.place != Place::inside) {
      fail(v, fmt::format("the force at ({:g}, {:g}, {:g}) m is not in the medium", l.at[0], l.at[1], l.at[2]),
           "Give a point below the ground or inside the body; on a surface use a load of kind \"force\".");
      continue;
    }
    room_for_force(v, l.at, "or use smaller elements there");
    if (!flat_ground_over(p, l)) far_of_force(v, l.at);
  }
}

void ProblemReader::room_for_force(const Values& at, const Vec3& force, const char* instead) {
  const Surface& s = *p.scene.surface;
  for (Index e = 0; e < s.active; ++e) {
    const Element& element = s.elements[static_cast<std::size_t>(e)];
    const double away = distance_to(element, force);
    if (away > 0.75 * element.size) continue;
    fail(at,
         fmt::format("the force at ({:g}, {:g}, {:g}) m is {} from an element of {}", force[0], force[1], force[2],
                     format_quantity(away, "m"), format_quantity(element.size, "m")),
         fmt::format("Move it away by three quarters of an element or more, {}.", instead));
    break;
  }
  for (std::size_t q = 0; q < p.receivers.size(); ++q)
    if (distance(p.receivers[q], force) <= 1e-6 * s.element_size)
      fail(
          at,
          fmt::format("receiver '{}' lies where the force acts, and the motion there is infinite", p.receiver_names[q]),
          "Move one of them.");
}

void ProblemReader::far_of_force(const Values& at, const Vec3& force) {
  const Surface& s = *p.scene.surface;
  if (p.surface_options.domain != Domain::ground || s.rim.empty() || s.enclosed || p.frequencies.empty()) return;
  double reach = 1e300;  // of the ground around the force
  for (const auto& side : s.rim) {
    const Vec3 d = sub(side[1], force);
    reach = std::min(reach, norm(axpy(-dot(d, unit(p.surface_options.down)), unit(p.surface_options.down), d)));
  }
  double way = p.receivers.empty() ? 0.5 * reach : 0;
  for (const Vec3& x : p.receivers) way = std::max(way, distance(x, force));
  // The reflection of ground beyond the rim is missing where it is not that of a half-space. Measured with squares of 24 to 60 m around
  // forces 3 m deep, 1 to 12 Hz: this share of the motion at a distance `way`, within a factor of two.
  const double lowest = *std::min_element(p.frequencies.begin(), p.frequencies.end());
  const double wave = p.medium.rayleigh_speed() / lowest,
               share = std::min(0.5, 0.27 * way / reach * std::exp(-reach / wave));
  if (share < 0.03) return;
  warn(at,
       fmt::format(
           "the ground ends {} from the force at ({:g}, {:g}, {:g}) m, and what lies beyond reflects nothing of a "
           "force within the ground: motion {} away may be off by some {:.0f} per cent at {}",
           format_quantity(reach, "m"), force[0], force[1], force[2], format_quantity(way, "m"), 100 * share,
           format_quantity(lowest, "Hz")),
       "Let the ground reach farther (ground.low and ground.high, or the mesh): twice as far halves that, and each "
       "Rayleigh wave more takes two thirds of it away.");
}

void ProblemReader::far_of_foundations() {
  const Surface& s = *p.scene.surface;
  if (p.surface_options.domain != Domain::ground || s.rim.empty() || s.enclosed || p.frequencies.empty()) return;
  const Vec3 down = unit(p.surface_options.down);
  const double lowest = *std::min_element(p.frequencies.begin(), p.frequencies.end());
  for (std::size_t k = 0; k < p.foundations.size(); ++k) {
    double level = 1e300, depth = -1e300, reach = 1e300;
    for (const auto& side : s.rim) level = std::min(level, dot(side[1], down));
    for (std::size_t t = 0; t < s.traction_node.size(); ++t) {
      if (s.traction_condition[t] != p.foundations[k].condition) continue;
      const Vec3& x = s.nodes[static_cast<std::size_t>(s.traction_node[t])];
      depth = std::max(depth, dot(x, down) - level);
      for (const auto& side : s.rim) {
        const Vec3 d = sub(side[1], x);
        reach = std::min(reach, norm(axpy(-dot(d, down), down, d)));
      }
    }
    if (!(depth > 1e-6 * s.diameter)) continue;
    // What stands for the ground beyond the rim is forces on its surface. Measured with a rigid square pile of five widths at rest: 13 per cent
    // where the ground reaches 0.7 depths around it, 1.4 at 1.5 depths, 0.1 at 3.
    const double share =
        std::min(0.5, 0.13 * std::pow(0.7 * depth / reach, 3) * std::exp(-reach * lowest / p.medium.rayleigh_speed()));
    if (share < 0.03) continue;
    warn(input["foundations"].at(k),
         fmt::format("the foundation '{}' goes {} down, and the ground around it ends {} away: stiffnesses at rest may "
                     "be off by some {:.0f} per cent",
                     p.foundations[k].name, format_quantity(depth, "m"), format_quantity(reach, "m"), 100 * share),
         "Let the ground reach one and a half depths and more around it (ground.low and ground.high, or the mesh).");
  }
}

void ProblemReader::resolution() {
  if (p.scene.surface->active == 0) return;
  const double f = *std::max_element(p.frequencies.begin(), p.frequencies.end());
  if (!(f > 0)) return;
  double speed = 0, h = 0, ratio = 1e300;  // of the region whose wave has fewest elements
  for (const RegionView& r : p.regions_of(p.scene))
    if (const double own = r.medium->shear_speed() / f / r.surface->largest_element; own < ratio) {
      ratio = own;
      speed = r.medium->shear_speed();
      h = r.surface->largest_element;
    }
  const double wave = speed / f;
  const bool constant = p.surface_options.constant;
  const bool second =
      std::any_of(p.scene.surface->elements.begin(), p.scene.surface->elements.begin() + p.scene.surface->active,
                  [](const Element& e) { return order_of(e.shape) == 2; });
  const double wanted = constant ? 8 : second ? 3 : 6;
  if (ratio >= wanted) return;
  std::string text = fmt::format(
      "{} is too high for the mesh: the shear wave of {} has {:.2g} of the largest elements ({}), {} wanted",
      format_quantity(f, "Hz"), format_quantity(wave, "m"), ratio, format_quantity(h, "m"), wanted);
  std::string hint = fmt::format("Refine to elements of {} or stay below {}.", format_quantity(wave / wanted, "m"),
                                 format_quantity(speed / (wanted * h), "Hz"));
  const Values at = input["parameters"]["frequencies"];
  out.push_back(ratio < 0.4 * wanted ? input.error_at(at, std::move(text), std::move(hint))
                                     : input.warning_at(at, std::move(text), std::move(hint)));
}

void ProblemReader::places_of_observers() {
  const Surface& s = *p.scene.surface;
  const SurfaceOptions& o = p.surface_options;
  std::string why;
  const auto far = p.solve.accuracy.fixed8
                       ? nullptr
                       : FarGround::make(*p.regions_of(p.scene).front().surface, o, p.medium, 0, 0, 1, why, true);
  if (p.solve.accuracy.fixed8) why = "the classical rules know the mesh only";
  const bool scatters =
      std::any_of(s.traction_condition.begin(), s.traction_condition.end(), [](int c) { return c == 0; }) &&
      has_free_walls(s, o);
  // The field of a half-space needs no mesh where nothing scatters it.
  const bool exact =
      !scatters && p.foundations.empty() && !p.loads.empty() && std::ranges::all_of(p.loads, [this](const Load& l) {
        return l.kind == LoadKind::point && flat_ground_over(p, l).has_value();
      });
  const auto sites = find_sites(s, p.receivers);
  const Values list = input["output"]["receivers"];
  for (std::size_t k = 0; k < p.receivers.size(); ++k) {
    const Vec3& x = p.receivers[k];
    const std::string& name = p.receiver_names[k];
    if (sites[k].element >= 0) {
      const Element& e = s.elements[static_cast<std::size_t>(sites[k].element)];
      double least = 1;
      for (int a = 0; a < e.nodes; ++a)
        least = std::min(least, s.window[static_cast<std::size_t>(e.node[static_cast<std::size_t>(a)])]);
      if (least < 0.7 && far == nullptr && !exact)
        warn(list.at(k),
             fmt::format("receiver '{}' lies {} from the middle of the ground, where the "
                         "mesh fades out: its motion may be off by "
                         "several per cent ({})",
                         name, format_quantity(distance(x, s.centre), "m"), why),
             "Let the ground reach about twice as far as the receivers.");
      if (p.stresses) slopes_for_stress(list.at(k), name, e);
      continue;
    }
    const Place where = p.regions.empty() ? place_of(s, o, x) : p.whereabouts(p.scene, {&x, 1}).front().place;
    if (where == Place::outside) {
      fail(list.at(k),
           fmt::format("receiver '{}' at ({:g}, {:g}, {:g}) lies {}", name, x[0], x[1], x[2],
                       o.domain == Domain::ground   ? "above the ground or in a hollow, where there is nothing to move"
                       : o.domain == Domain::inside ? "outside the body"
                                                    : "in the cavity, where there is nothing to move"),
           o.domain == Domain::ground ? "Put it on or below the surface."
                                      : "Put it into the medium, or choose parameters.domain.");
    } else if (where == Place::beside && (far == nullptr || scatters)) {
      fail(list.at(k),
           fmt::format("receiver '{}' lies on the surface beside the meshed ground, where its motion is not known: {}",
                       name, far == nullptr ? why : "what trenches or slopes scatter is carried by the mesh only"),
           "Let the ground reach beyond the receiver: leave out ground.low and ground.high, or enlarge the mesh.");
    } else if (p.stresses && where == Place::beside) {
      fail(list.at(k),
           fmt::format("receiver '{}' lies on the surface beside the meshed ground, where its motion is known but not "
                       "its stress",
                       name),
           "Let the ground reach beyond the receiver, or switch output.stresses off.");
    } else if (p.stresses) {
      room_for_stress(list.at(k), name, x);
    }
  }
  for (std::size_t k = 0; k < p.lines.size(); ++k)
    many_places(input["output"]["lines"].at(k), fmt::format("line '{}'", p.lines[k].name), p.lines[k].positions(),
                far == nullptr ? why
                : scatters     ? "what trenches or slopes scatter is carried by the mesh only"
                               : "");
  for (std::size_t k = 0; k < p.planes.size(); ++k)
    many_places(input["output"]["planes"].at(k), fmt::format("plane '{}'", p.planes[k].name), p.planes[k].positions(),
                far == nullptr ? why
                : scatters     ? "what trenches or slopes scatter is carried by the mesh only"
                               : "");
}

void ProblemReader::slopes_for_stress(const Values& at, const std::string& name, const Element& e) {
  if (e.nodes > 1) return;
  fail(at,
       fmt::format("receiver '{}' lies on an element whose displacement is constant: stresses along the surface, which "
                   "are its slopes, are not known there",
                   name),
       fmt::format("Set parameters.elements to \"continuous\", put the receiver at least {} into the medium, or "
                   "switch output.stresses off.",
                   format_quantity(stress_distance(e), "m")));
}

void ProblemReader::room_for_stress(const Values& at, const std::string& name, const Vec3& x) {
  const Surface& s = *p.scene.surface;
  double nearest = 1e300;
  const Element* beside = nullptr;
  for (Index e = 0; e < s.active; ++e) {
    const Element& element = s.elements[static_cast<std::size_t>(e)];
    const double least = stress_distance(element);
    if (distance(x, element.centre) > 1.2 * element.size + least) continue;
    const double found = distance_to(element, x);
    if (found >= std::min(least, nearest)) continue;
    nearest = found;
    beside = &element;
  }
  if (beside == nullptr) return;
  fail(at,
       fmt::format("receiver '{}' lies {} from an element of {}: its stress is not known within {} of such an element",
                   name, format_quantity(nearest, "m"), format_quantity(beside->size, "m"),
                   format_quantity(stress_distance(*beside), "m")),
       beside->nodes == 1
           ? "Move it into the medium, refine the surface, or set parameters.elements to \"continuous\"."
           : "Put it onto the surface, where tractions and slopes give the stress, move it into the medium, or refine "
             "the surface.");
}

void ProblemReader::many_places(const Values& at, const std::string& name, const std::vector<Vec3>& points,
                                const std::string& unknown) {
  const Surface& s = *p.scene.surface;
  const SurfaceOptions& o = p.surface_options;
  const std::vector<Whereabouts> places = p.whereabouts(p.scene, points);
  std::size_t outside = 0, above = 0, beside = 0;
  const Vec3 *highest = nullptr, *first_beside = nullptr;
  double height = 1e-6 * s.diameter;
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (places[k].place == Place::beside && beside++ == 0) first_beside = &points[k];
    if (places[k].place != Place::outside) continue;
    ++outside;
    const double over = height_over_rim(s, o, points[k]);
    if (o.domain != Domain::ground || over <= 1e-6 * s.diameter) continue;
    ++above;
    if (over <= height) continue;
    height = over;
    highest = &points[k];
  }
  if (outside == points.size()) {
    fail(at,
         fmt::format("all {} points of the {} lie {}", points.size(), name,
                     o.domain == Domain::ground   ? "above the ground or in a hollow, where there is nothing to move"
                     : o.domain == Domain::inside ? "outside the body"
                                                  : "in the cavity, where there is nothing to move"),
         o.domain == Domain::ground ? "Put it on or below the surface."
                                    : "Put it into the medium, or choose parameters.domain.");
    return;
  }
  if (above > 0)
    warn(at,
         fmt::format("{} of {} points of the {} lie above the ground, up to ({:g}, {:g}, {:g}): zeros are given there",
                     above, points.size(), name, (*highest)[0], (*highest)[1], (*highest)[2]),
         "Let it end at the surface.");
  if (beside > 0 && !unknown.empty())
    fail(at,
         fmt::format("{} of {} points of the {} lie on the surface beside the meshed ground, the first at ({:g}, {:g}, "
                     "{:g}), where the motion is not known: {}",
                     beside, points.size(), name, (*first_beside)[0], (*first_beside)[1], (*first_beside)[2], unknown),
         "Let the ground reach beyond it: leave out ground.low and ground.high, or enlarge the mesh.");
}

/// Without friction the ground does not resist motion along the surface, by friction alone none across it: then there is only inertia.
void ProblemReader::machine_is_resisted(const Values& v, const Load& load) {
  const Foundation& f = p.foundations[load.foundation];
  if (f.contact == Contact::welded || input.values().has("structure")) return;
  const bool smooth = f.contact == Contact::smooth,
             moves = load.rotating || *std::min_element(p.frequencies.begin(), p.frequencies.end()) > 0;
  for (std::size_t d = 0; d < 6; ++d) {
    const bool by_ground = (d >= 2 && d <= 4) == smooth;
    if (by_ground || load.wrench[d] == 0) continue;
    const std::size_t axis = d % 3;
    const double arm = std::hypot(f.centre_of_mass[(axis + 1) % 3], f.centre_of_mass[(axis + 2) % 3]);
    const bool heavy = d < 3 ? f.mass > 0 : f.inertia[axis] > 0 || f.mass * arm > 0;
    if (heavy && moves) continue;
    fail(v,
         fmt::format("nothing resists the {} {} on the foundation '{}', whose contact is {}{}",
                     d < 3 ? "force along" : "moment about", "xyz"[axis], f.name, smooth ? "smooth" : "tangential",
                     heavy ? ", at 0 Hz" : ""),
         heavy ? "Leave it out, use the contact \"welded\", or frequencies above 0 Hz."
               : "Leave it out, use the contact \"welded\", or give the foundation its mass and inertia.");
  }
}

void ProblemReader::free_bodies() {
  if (!p.regions.empty()) return;  // interfaces hold them, or the equations are told to be singular
  const Surface& s = *p.scene.surface;
  const double lowest = *std::min_element(p.frequencies.begin(), p.frequencies.end());
  const Harmonic h(p.medium, 2 * std::numbers::pi * lowest);
  std::vector<char> held(s.closed.size(), 0);
  for (Index k = 0; k < s.active; ++k) {
    const Element& e = s.elements[static_cast<std::size_t>(k)];
    const auto& given = p.conditions[static_cast<std::size_t>(e.condition)].displacement;
    if (given[0] || given[1] || given[2]) held[static_cast<std::size_t>(e.component)] = 1;
  }
  int bodies = 0, loose = 0;
  for (std::size_t c = 0; c < s.closed.size(); ++c)
    if (s.closed[c] && !s.hollow[c]) {
      ++bodies;
      loose += held[c] == 0 ? 1 : 0;
    }
  if (bodies > 1 && loose > 0 && std::abs(h.kS) * 0.5 * s.diameter < free_below)
    fail(input["parameters"]["frequencies"],
         fmt::format("nothing holds {} of {} bodies, which cannot be computed together at {}", loose, bodies,
                     format_quantity(lowest, "Hz")),
         "Compute one at a time: they do not touch each other.");
  if (lowest > 0) return;
  const FreeMotions free = free_motions(s, p.conditions);
  if (free.motions.empty()) return;
  for (std::size_t k = 0; k < p.loads.size(); ++k) {
    if (p.loads[k].kind == LoadKind::wave || p.loads[k].kind == LoadKind::machine) continue;
    double whole = 0, most = 0;
    for (const Complex& f : free.forces(s, load_values(p, p.scene, p.loads[k], h).traction, whole))
      most = std::max(most, std::abs(f));
    if (most > balanced_share * whole)
      fail(input["excitation"]["loads"].at(k), unbalanced_text(most / whole), std::string(unbalanced_hint));
  }
}

void ProblemReader::waves() {
  const Domain domain = p.surface_options.domain;
  const Harmonic highest(
      p.medium, 2 * std::numbers::pi * std::max(1e-3, *std::max_element(p.frequencies.begin(), p.frequencies.end())));
  for (std::size_t k = 0; k < p.loads.size(); ++k) {
    if (p.loads[k].kind != LoadKind::wave) continue;
    const Values at = input["excitation"]["loads"].at(k);
    if (is_surface_wave(p.loads[k].wave.kind) && domain != Domain::ground)
      fail(at, "a Rayleigh or Love wave needs a ground surface",
           "Set parameters.domain to \"ground\", or use p, sv or sh.");
    else if (domain == Domain::inside)
      fail(at, "a wave cannot come from outside into a finite body", "Load the body's surface instead.");
    else if (has("ground") && input["ground"].has("rock"))
      fail(at, "no wave comes through a rigid rock: incident waves are those of a half-space",
           "Leave out ground.rock, or load the ground or a foundation.");
    else if (std::ranges::any_of(p.scene.regions,
                                 [](const Region& r) { return std::ranges::count(r.surface->closed, false) > 1; }) ||
             std::ranges::count_if(p.scene.regions,
                                   [](const Region& r) { return r.options.domain == Domain::ground; }) > 1)
      fail(at, "no wave comes through layers: incident waves are those of a half-space or of a full space",
           "Use regions that are bodies in one medium, or load the ground or a foundation.");
    else if (auto field = incident_field(p, p.loads[k], highest); !field)
      fail(at, field.error());
  }
}

void ProblemReader::wave_in_layers(const Values& at, const Load& load) {
  // Modes come and go with the frequency; others may meet a frequency of layers on rock. Some hundred of many tell it while somebody edits.
  const std::size_t every = 1 + p.frequencies.size() / 200;
  std::vector<double> some{*std::ranges::min_element(p.frequencies), *std::ranges::max_element(p.frequencies)};
  for (std::size_t k = 0; k < p.frequencies.size(); k += every) some.push_back(p.frequencies[k]);
  for (const double f : some)
    if (auto wave = LayeredWave::make(*p.profile, wave_on_profile(p, load), 2 * std::numbers::pi * f); !wave)
      return fail(at, wave.error());
}

void ProblemReader::on_profile() {
  const Surface& s = *p.scene.surface;
  double low = 1e300, high = -1e300;
  for (Index k = 0; k < s.active; ++k) {
    const Element& e = s.elements[static_cast<std::size_t>(k)];
    for (int a = 0; a < nodes_of(e.shape); ++a) {
      low = std::min(low, e.x[static_cast<std::size_t>(a)][2]);
      high = std::max(high, e.x[static_cast<std::size_t>(a)][2]);
    }
  }
  if (s.active == 0) low = high = -p.level_of_profile * p.surface_options.down[2];
  const double level = 0.5 * (low + high), flat = 1e-6 * s.diameter;
  if (high - low > flat) {
    fail_at_mesh(make_error(ErrorCode::invalid_input,
                            fmt::format("foundations and loads on layered ground lie between z = {:g} and {:g} m, and "
                                        "have to lie at one level",
                                        low, high),
                            "Put them onto the surface; embedded foundations need meshed ground without a profile."));
    return;
  }
  double bottom = 1e300;  // the rock
  if (!p.profile->half_space) {
    bottom = 0;
    for (const SoilLayer& l : p.profile->layers) bottom += l.thickness;
  }
  const auto place = [&](const Values& at, const std::string& name, const std::vector<Vec3>& points) {
    const auto out_of = [&](const Vec3& x) {
      const double depth = p.depth_on_profile(x);
      return depth < 0 || depth > (1 - 1e-9) * bottom;
    };
    const auto it = std::ranges::find_if(points, out_of);
    if (it == points.end()) return;
    const double depth = p.depth_on_profile(*it);
    fail(at,
         depth < 0 ? fmt::format("{} lies at z = {:g} m, above the ground's surface at {:g} m", name, (*it)[2], level)
                   : fmt::format("{} lies {:g} m below the ground's surface, and the rock {:g} m", name, depth, bottom),
         depth < 0 ? "Put it onto the surface or below it." : "Put it between the surface and the rock.");
  };
  const Values o = input["output"];
  const std::vector<Site> sites = find_sites(s, p.receivers);
  for (std::size_t k = 0; k < p.receivers.size(); ++k) {
    const Values at = o["receivers"].at(k);
    place(at, fmt::format("receiver '{}'", p.receiver_names[k]), {p.receivers[k]});
    if (!p.stresses) continue;
    if (sites[k].element >= 0)
      slopes_for_stress(at, p.receiver_names[k], s.elements[static_cast<std::size_t>(sites[k].element)]);
    else
      room_for_stress(at, p.receiver_names[k], p.receivers[k]);
  }
  for (std::size_t k = 0; k < p.lines.size(); ++k)
    place(o["lines"].at(k), fmt::format("line '{}'", p.lines[k].name), p.lines[k].positions());
  for (std::size_t k = 0; k < p.planes.size(); ++k)
    place(o["planes"].at(k), fmt::format("plane '{}'", p.planes[k].name), p.planes[k].positions());
  for (std::size_t k = 0; k < p.loads.size(); ++k) {
    const Load& l = p.loads[k];
    const Values at = input["excitation"]["loads"].at(k);
    if (l.kind == LoadKind::wave) wave_in_layers(at, l);
    if (l.kind != LoadKind::point) continue;
    place(at, "the force", {l.at});
    room_for_force(at, l.at, "or spread it over a group by a load of kind \"force\"");
  }
}

}  // namespace conoid::elastic_bem
