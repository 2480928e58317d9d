// SPDX-License-Identifier: BSD-3-Clause
// One frequency on layered ground without a mesh: the table of the surface's displacements, fields of forces, the contact equations, observers.
#include <algorithm>
#include <cmath>

#include "engine/core/stop.hpp"
#include "engine/core/vec3.hpp"
#include "engine/solvers/elastic_bem/discretization/field.hpp"
#include "engine/solvers/elastic_bem/discretization/layered_stresses.hpp"
#include "engine/solvers/elastic_bem/discretization/layered_waves.hpp"
#include "engine/solvers/elastic_bem/elastic_bem.hpp"
#include "engine/solvers/elastic_bem/solving/layered_system.hpp"
#include "engine/team/parallel_for.hpp"
#include "engine/team/team.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

namespace {

/// The field of a force on or in the ground at points of it. At the force itself, a point of a plane perhaps, the motion is infinite, and is left
/// out.
std::vector<Complex3> of_force(const Problem& p, const LayeredSurface& ground, const Load& load, double omega,
                               std::span<const Vec3> points, int threads, const std::stop_token& stop) {
  const Vec3& down = p.surface_options.down;
  const double own = p.depth_on_profile(load.at);
  const auto offset = [&](const Vec3& x) {
    const Vec3 way = sub(x, load.at);
    return axpy(-dot(way, down), down, way);
  };
  std::vector<Complex3> out(points.size());
  for (const auto& [depth, some] : p.by_depth_on_profile(points)) {
    if (stop.stop_requested()) break;
    if (depth == 0 && own == 0) {
      for (const std::size_t k : some) {
        if (!(distance(points[k], load.at) > 0)) continue;
        const Matrix3 g = ground.displacement(offset(points[k]), down);
        for (std::size_t i = 0; i < 3; ++i)
          for (std::size_t j = 0; j < 3; ++j) out[k][i] += g[i][j] * load.value[j];
      }
      continue;
    }
    double nearest = 1e300, farthest = 0;
    for (const std::size_t k : some) {
      const double r = norm(offset(points[k]));
      if (depth == own && !(r > 0)) continue;
      nearest = std::min(nearest, r);
      farthest = std::max(farthest, r);
    }
    if (nearest > farthest) continue;
    const LayeredDepths table(*p.profile, omega, ground.height(), depth, own, nearest, farthest, threads);
    for (const std::size_t k : some)
      if (const Vec3 way = offset(points[k]); depth != own || norm(way) > 0)
        out[k] = table.displacement(way, down, load.value);
  }
  return out;
}

/// The field of a load that comes from the ground, a force or a wave.
Result<std::vector<Complex3>> of_load(const Problem& p, const LayeredSurface& ground, const Load& load, double omega,
                                      std::span<const Vec3> points, int threads, const std::stop_token& stop) {
  if (load.kind == LoadKind::point) return of_force(p, ground, load, omega, points, threads, stop);
  const auto wave = LayeredWave::make(*p.profile, wave_on_profile(p, load), omega);
  if (!wave) return wave.error();
  std::vector<Complex3> out;
  for (const Vec3& x : points) out.push_back(wave->displacement(x));
  return out;
}

/// Stresses of the same at points that lie on no element.
Result<std::vector<Stress>> stress_of_load(const Problem& p, double height, const Load& load, double omega,
                                           std::span<const Vec3> points, int threads) {
  std::vector<Stress> out(points.size());
  const Vec3& down = p.surface_options.down;
  if (load.kind == LoadKind::wave) {
    const auto wave = LayeredWave::make(*p.profile, wave_on_profile(p, load), omega);
    if (!wave) return wave.error();
    for (std::size_t k = 0; k < points.size(); ++k) {
      const auto x = wave->traction(points[k], {1, 0, 0}), y = wave->traction(points[k], {0, 1, 0}),
                 z = wave->traction(points[k], {0, 0, 1});
      out[k] = {x[0], y[1], z[2], x[1], y[2], z[0]};
    }
    return out;
  }
  parallel_for(threads, {0, static_cast<Index>(points.size())}, 1, [&](Index n) {
    const auto k = static_cast<std::size_t>(n);
    const BuriedCompliance f(*p.profile, omega, p.depth_on_profile(points[k]), p.depth_on_profile(load.at));
    const Vec3 way{points[k][0] - load.at[0], points[k][1] - load.at[1], 0};
    out[k] =
        stress_of(stress_response(f, height, norm(way)), f, way, down, {load.value[0], load.value[1], load.value[2]});
  });
  return out;
}

/// What is given of a load: of a force or a wave what holds foundations against its field at the nodes.
LoadValues values_on_layers(const Problem& p, const Load& load, const std::vector<Complex3>& field, const Harmonic& h) {
  if (!is_incident(load)) return load_values(p, p.scene, load, h);
  const Surface& s = *p.scene.surface;
  LoadValues out;
  out.displacement.resize(s.nodes.size());
  for (std::size_t t = 0; t < s.traction_node.size(); ++t) {
    const auto n = static_cast<std::size_t>(s.traction_node[t]);
    for (std::size_t c = 0; c < 3; ++c)
      if (p.scene.system->traction_unknown(static_cast<Index>(t), c)) out.displacement[n][c] = -field[n][c];
  }
  return out;
}

}  // namespace

Result<Answer> ElasticBem::answer_on_layers(const Harmonic& h, RunContext& context, SolveFacts& facts) {
  const Problem& p = *problem_;
  const Vec3& down = p.surface_options.down;
  const int threads = crew(context).threads();
  context.progress.begin("layers", 0, "");
  const LayeredSurface ground(*p.profile, h.omega, p.farthest_apart(), threads);
  std::vector<std::vector<Complex3>> fields(p.loads.size());
  for (std::size_t q = 0; q < fields.size(); ++q)
    if (is_incident(p.loads[q])) {
      auto field = of_load(p, ground, p.loads[q], h.omega, p.scene.surface->nodes, threads, context.stop);
      if (!field) return field.error();
      fields[q] = std::move(*field);
    }
  context.progress.end();
  if (context.stop.stop_requested()) return stop_error();
  std::vector<LoadValues> cases;
  for (const Foundation& f : p.foundations)
    for (LoadValues& v : unit_motions(*p.scene.system, f)) cases.push_back(std::move(v));
  for (std::size_t q = 0; q < p.loads.size(); ++q) cases.push_back(values_on_layers(p, p.loads[q], fields[q], h));
  auto solved = p.scene.surface->active == 0
                    ? Result<std::vector<BoundaryValues>>(std::vector<BoundaryValues>(cases.size()))
                    : solve_layered(*p.scene.system, ground, down, cases, p.solve, threads, facts, context.progress,
                                    context.stop);
  if (!solved) return solved.error();
  if (p.scene.surface->active == 0) facts.rcond = 1;

  Answer out;
  const Status superposed = superpose(
      *p.scene.surface, *solved, h,
      [&](std::size_t q, BoundaryValues& v) {
        if (p.loads.empty() || !is_incident(p.loads[q])) return;
        for (std::size_t n = 0; n < v.displacement.size(); ++n)
          for (std::size_t c = 0; c < 3; ++c) v.displacement[n][c] += fields[q][n][c];
      },
      out);
  if (!superposed) return superposed.error();
  if (!points_.empty())
    if (auto status = observe_on_layers(ground, h.omega, context, out); !status) return status.error();
  if (p.stresses && !p.receivers.empty())
    if (auto status = observe_stresses_on_layers(ground, h, context, out); !status) return status.error();
  if (context.stop.stop_requested()) return stop_error();
  return out;
}

Status ElasticBem::observe_on_layers(const LayeredSurface& ground, double omega, RunContext& context, Answer& out) {
  const Problem& p = *problem_;
  const Surface& s = *p.scene.surface;
  const Vec3& down = p.surface_options.down;
  const int threads = crew(context).threads();
  out.at_points.assign(shown(), std::vector<Complex3>(points_.size()));
  std::vector<Vec3> beside;
  std::vector<std::size_t> where;
  for (std::size_t k = 0; k < points_.size(); ++k) {
    const Site& site = main_.sites[k];
    if (site.element >= 0) {
      observe_on_element(s, site, k, out);
    } else {
      beside.push_back(points_[k]);
      where.push_back(k);
    }
  }
  context.progress.begin("receivers", 0, "");
  for (const auto& [depth, some] : p.by_depth_on_profile(beside)) {
    if (context.stop.stop_requested() || s.active == 0) break;
    std::vector<Vec3> here;
    for (const std::size_t k : some) here.push_back(beside[k]);
    const auto u = [&] {
      if (depth == 0)
        return layered_displacements(s, ground, down, here, out.total, p.solve.accuracy, threads, context.stop);
      const auto [nearest, farthest] = distances_to_footprints(s, here);
      const LayeredDepths table(*p.profile, omega, ground.height(), depth, 0, nearest, farthest, threads);
      return layered_displacements(s, table, ground.wave_number(), down, here, out.total, p.solve.accuracy, threads,
                                   context.stop);
    }();
    for (std::size_t q = 0; q < shown(); ++q)
      for (std::size_t k = 0; k < some.size(); ++k) out.at_points[q][where[some[k]]] = u[q][k];
  }
  for (std::size_t q = 0; q < shown(); ++q) {
    if (p.loads.empty() || !is_incident(p.loads[q])) continue;
    const auto in = of_load(p, ground, p.loads[q], omega, beside, threads, context.stop);
    if (!in) return in.error();
    for (std::size_t k = 0; k < beside.size(); ++k)
      for (std::size_t c = 0; c < 3; ++c) out.at_points[q][where[k]][c] += (*in)[k][c];
  }
  context.progress.end();
  return {};
}

Status ElasticBem::observe_stresses_on_layers(const LayeredSurface& ground, const Harmonic& h, RunContext& context,
                                              Answer& out) {
  const Problem& p = *problem_;
  const Surface& s = *p.scene.surface;
  const Vec3& down = p.surface_options.down;
  const int threads = crew(context).threads();
  context.progress.begin("stresses", 0, "");
  out.stresses.assign(shown(), std::vector<Stress>(p.receivers.size()));
  std::vector<Vec3> beside;
  std::vector<std::size_t> where;
  for (std::size_t k = 0; k < p.receivers.size(); ++k) {
    const Site& site = main_.sites[k];
    if (site.element < 0) {
      beside.push_back(p.receivers[k]);
      where.push_back(k);
      continue;
    }
    for (std::size_t q = 0; q < shown(); ++q)
      out.stresses[q][k] =
          stress_on(s.elements[static_cast<std::size_t>(site.element)], site.r, site.s, h, out.total[q]);
  }
  for (const auto& [depth, some] : p.by_depth_on_profile(beside)) {
    if (context.stop.stop_requested() || s.active == 0) break;
    std::vector<Vec3> here;
    for (const std::size_t k : some) here.push_back(beside[k]);
    auto [nearest, farthest] = distances_to_footprints(s, here);
    if (depth == 0) {  // on the surface beside all elements
      nearest = 1e300;
      for (const Vec3& x : here)
        for (Index e = 0; e < s.active; ++e)
          nearest = std::min(nearest, distance_to(s.elements[static_cast<std::size_t>(e)], x));
    }
    const LayeredStresses table(*p.profile, h.omega, ground.height(), depth, 0, nearest, farthest, threads);
    const auto stress = layered_stresses(s, table, ground.wave_number(), down, here, out.total, p.solve.accuracy,
                                         threads, context.stop);
    for (std::size_t q = 0; q < shown(); ++q)
      for (std::size_t k = 0; k < some.size(); ++k) out.stresses[q][where[some[k]]] = stress[q][k];
  }
  for (std::size_t q = 0; q < p.loads.size(); ++q) {
    if (!is_incident(p.loads[q])) continue;
    const auto in = stress_of_load(p, ground.height(), p.loads[q], h.omega, beside, threads);
    if (!in) return in.error();
    for (std::size_t k = 0; k < beside.size(); ++k)
      for (std::size_t c = 0; c < 6; ++c) out.stresses[q][where[k]][c] += (*in)[k][c];
  }
  context.progress.end();
  return {};
}

}  // namespace conoid::elastic_bem
