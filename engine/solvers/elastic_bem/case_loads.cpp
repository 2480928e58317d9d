// SPDX-License-Identifier: BSD-3-Clause
// Loads at one frequency: given values at the nodes of a surface.
#include <algorithm>
#include <cmath>

#include "engine/core/vec3.hpp"
#include "engine/solvers/elastic_bem/problem.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

std::optional<double> flat_ground_over(const Problem& p, const Load& load) {
  const std::vector<RegionView> all = p.regions_of(p.scene);
  const RegionView& of = all[load.region];
  const auto layered = [](const RegionView& r) { return std::ranges::count(r.surface->closed, false) > 1; };
  const auto ground = [](const RegionView& r) { return r.options->domain == Domain::ground; };
  if (!ground(of) || std::ranges::count_if(all, ground) > 1 || std::ranges::any_of(all, layered)) return std::nullopt;
  const Surface& s = *of.surface;
  const Vec3 up = scale(-1, unit(of.options->down));
  double low = 1e300, high = -1e300, highest = -1e300;
  const auto hold = [&](const Vec3& x) {
    low = std::min(low, dot(x, up));
    high = std::max(high, dot(x, up));
  };
  for (const auto& side : s.rim)
    for (const Vec3& x : side) hold(x);
  for (const Vec3& x : s.nodes) {
    if (s.rim.empty()) hold(x);
    highest = std::max(highest, dot(x, up));
  }
  const double level = 0.5 * (low + high), depth = level - dot(load.at, up);
  if (high - low > 1e-6 * s.diameter || !(depth > 0) || highest - level > 0.5 * depth) return std::nullopt;
  return level;
}

namespace {

/// up · x of the flat part of the ground: where most of the normals point up.
double level_for_waves(const Problem& p) {
  const Vec3 up = scale(-1, p.surface_options.down);
  double sum = 0, count = 0;
  const Surface& s = *p.regions_of(p.scene).front().surface;
  for (std::size_t n = 0; n < s.nodes.size(); ++n)
    if (dot(s.normals[n], up) > 1 - 1e-9) {
      const double z = dot(s.nodes[n], up);
      if (count == 0 || z > sum / count - 1e-9) {
        if (count > 0 && z > sum / count + 1e-9) sum = count = 0;
        sum += z;
        count += 1;
      }
    }
  return count > 0 ? sum / count : 0;
}

}  // namespace

Result<IncidentField> incident_field(const Problem& p, const Load& load, const Harmonic& h) {
  if (load.kind == LoadKind::point) {
    const auto level = flat_ground_over(p, load);
    return level ? IncidentField::buried_force(load.at, load.value, scale(-1, p.surface_options.down), *level, h)
                 : IncidentField::point_force(load.at, load.value, h);
  }
  WaveSetting w = load.wave;
  w.half_space = p.surface_options.domain == Domain::ground;
  w.up = scale(-1, p.surface_options.down);
  if (w.half_space) w.level = level_for_waves(p);
  return IncidentField::make(w, h);
}

WaveSetting wave_on_profile(const Problem& p, const Load& load) {
  WaveSetting w = load.wave;
  w.half_space = true;
  w.up = scale(-1, p.surface_options.down);
  w.level = p.level_of_profile;
  return w;
}

void mark_scattering(const Problem& p, const Scene& scene, const Load& load, std::vector<char>& given) {
  const bool point = load.kind == LoadKind::point;
  const std::optional<double> over = point ? flat_ground_over(p, load) : std::nullopt;
  const bool half_space = point ? over.has_value() : p.surface_options.domain == Domain::ground;
  const double level = point ? over.value_or(0) : level_for_waves(p);
  const RegionView region = p.regions_of(scene)[load.region];
  const Surface& s = *scene.surface;
  const Vec3 up = scale(-1, unit(p.surface_options.down));
  const auto first = static_cast<std::size_t>(region.first_traction);
  for (std::size_t t = first; t < first + region.surface->traction_node.size(); ++t) {
    const Index n = s.traction_node[t];
    if (scene.system->partner(n) >= 0) continue;
    const auto& held = p.conditions[static_cast<std::size_t>(s.traction_condition[t])].displacement;
    const bool free = half_space &&
                      std::abs(dot(s.nodes[static_cast<std::size_t>(n)], up) - level) < 1e-9 * s.diameter &&
                      dot(s.traction_normal[t], up) > 1 - 1e-9;
    if (!free || std::ranges::count(held, false) < 3) given[t] = 1;
  }
}

std::vector<Complex3> moving_traction(const Surface& s, int condition, const Vec3& force, const Vec3& velocity,
                                      double omega) {
  const double v = norm(velocity), area = area_of(s, condition);
  const Vec3 along = scale(1 / v, velocity);
  double low = 1e300, high = -1e300;
  for (Index k = 0; k < s.active; ++k) {
    const Element& e = s.elements[static_cast<std::size_t>(k)];
    if (e.condition != condition) continue;
    for (int c = 0; c < nodes_of(e.shape); ++c) {
      const double x = dot(e.x[static_cast<std::size_t>(c)], along);
      low = std::min(low, x);
      high = std::max(high, x);
    }
  }
  const double width = area / (high - low);
  std::vector<Complex3> out(s.traction_node.size());
  for (std::size_t t = 0; t < out.size(); ++t) {
    if (s.traction_condition[t] != condition) continue;
    const double x = dot(s.nodes[static_cast<std::size_t>(s.traction_node[t])], along);
    const Complex phase = std::polar(1 / (v * width), -omega * x / v);
    out[t] = {force[0] * phase, force[1] * phase, force[2] * phase};
  }
  return out;
}

LoadValues load_values(const Problem& p, const Scene& scene, const Load& load, const Harmonic& h) {
  const Surface& s = *scene.surface;
  LoadValues out;
  const auto each = [&](auto&& value) {  // traction at the load's traction nodes
    out.traction.resize(s.traction_node.size());
    for (std::size_t t = 0; t < s.traction_node.size(); ++t)
      if (s.traction_condition[t] == load.condition) out.traction[t] = value(t);
  };
  const auto constant = [](const Vec3& v) { return Complex3{v[0], v[1], v[2]}; };
  switch (load.kind) {
    case LoadKind::traction: each([&](std::size_t) { return constant(load.value); }); break;
    case LoadKind::pressure:
      each([&](std::size_t t) { return constant(scale(-load.pressure, s.traction_normal[t])); });
      break;
    case LoadKind::force: {
      const double area = area_of(s, load.condition);
      each([&](std::size_t) { return constant(scale(1 / area, load.value)); });
      break;
    }
    case LoadKind::moving:
      out.traction = moving_traction(s, load.condition, load.value, load.velocity, h.omega - load.own_omega);
      break;
    case LoadKind::displacement:
      out.displacement.resize(s.nodes.size());
      for (std::size_t t = 0; t < s.traction_node.size(); ++t)
        if (s.traction_condition[t] == load.condition)
          for (std::size_t d = 0; d < 3; ++d)
            if (p.conditions[static_cast<std::size_t>(load.condition)].displacement[d])
              out.displacement[static_cast<std::size_t>(s.traction_node[t])][d] = load.value[d];
      break;
    case LoadKind::machine: break;  // moves foundations: by superposition of unit motions
    case LoadKind::wave:
    case LoadKind::point: {
      const Harmonic own(p.medium_of(load.region), h.omega);
      const IncidentField field = *incident_field(p, load, own);
      const std::vector<RegionView> all = p.regions_of(scene);
      const RegionView& region = all[load.region];
      out.traction.resize(s.traction_node.size());
      out.displacement.resize(s.nodes.size());
      if (all.size() > 1) {
        out.incident_region = load.region;
        out.incident_traction.resize(s.traction_node.size());
        out.incident_displacement.resize(s.nodes.size());
      }
      double largest = 0;
      const auto first = static_cast<std::size_t>(region.first_traction);
      for (std::size_t t = first; t < first + region.surface->traction_node.size(); ++t) {
        const auto n = static_cast<std::size_t>(s.traction_node[t]);
        const auto u = field.displacement(s.nodes[n]);
        const auto stress = field.traction(s.nodes[n], s.traction_normal[t]);
        for (std::size_t d = 0; d < 3; ++d) {
          largest = std::max(largest, std::abs(own.mu * own.kS * u[d]));
          if (scene.system->partner(static_cast<Index>(n)) >= 0) {
            out.incident_displacement[n][d] = u[d];
            out.incident_traction[t][d] = stress[d];
          } else if (p.conditions[static_cast<std::size_t>(s.traction_condition[t])].displacement[d])
            out.displacement[n][d] = -u[d];
          else
            out.traction[t][d] = -stress[d];
        }
      }
      for (Complex3& t : out.traction)
        for (Complex& v : t)
          if (std::abs(v) < 1e-12 * largest) v = 0;  // free of traction up to round-off: no column is needed
      break;
    }
  }
  return out;
}

}  // namespace conoid::elastic_bem
