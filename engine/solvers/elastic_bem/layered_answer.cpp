// SPDX-License-Identifier: BSD-3-Clause
// One frequency on layered ground without a mesh: the table of the surface's displacements, the contact equations, observers.
#include <cmath>

#include "engine/core/stop.hpp"
#include "engine/core/vec3.hpp"
#include "engine/solvers/elastic_bem/elastic_bem.hpp"
#include "engine/solvers/elastic_bem/layered_system.hpp"
#include "engine/team/team.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

namespace {

/// The field of a force on the surface of the ground, at another point of it.
Complex3 of_force(const LayeredSurface& ground, const Vec3& down, const Load& load, const Vec3& x) {
  const Vec3 way = sub(x, load.at);
  const Matrix3 g = ground.displacement(axpy(-dot(way, down), down, way), down);
  Complex3 u{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) u[i] += g[i][j] * load.value[j];
  return u;
}

/// What is given of a load: of a force on the surface what holds foundations against its field.
LoadValues values_on_layers(const Problem& p, const LayeredSurface& ground, const Load& load, const Harmonic& h) {
  if (load.kind != LoadKind::point) return load_values(p, p.scene, load, h);
  const Surface& s = *p.scene.surface;
  LoadValues out;
  out.displacement.resize(s.nodes.size());
  for (std::size_t t = 0; t < s.traction_node.size(); ++t) {
    const auto n = static_cast<std::size_t>(s.traction_node[t]);
    const Complex3 u = of_force(ground, p.surface_options.down, load, s.nodes[n]);
    for (std::size_t c = 0; c < 3; ++c)
      if (p.scene.system->traction_unknown(static_cast<Index>(t), c)) out.displacement[n][c] = -u[c];
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
  context.progress.end();
  std::vector<LoadValues> cases;
  for (const Foundation& f : p.foundations)
    for (LoadValues& v : unit_motions(*p.scene.system, f)) cases.push_back(std::move(v));
  for (const Load& l : p.loads) cases.push_back(values_on_layers(p, ground, l, h));
  auto solved =
      solve_layered(*p.scene.system, ground, down, cases, p.solve, threads, facts, context.progress, context.stop);
  if (!solved) return solved.error();

  Answer out;
  superpose(
      *p.scene.surface, *solved, h,
      [&](std::size_t q, BoundaryValues& v) {
        if (p.loads.empty() || p.loads[q].kind != LoadKind::point) return;
        for (std::size_t n = 0; n < v.displacement.size(); ++n) {
          const Complex3 u = of_force(ground, down, p.loads[q], p.scene.surface->nodes[n]);
          for (std::size_t c = 0; c < 3; ++c) v.displacement[n][c] += u[c];
        }
      },
      out);
  if (!points_.empty()) observe_on_layers(ground, context, out);
  if (context.stop.stop_requested()) return stop_error();
  return out;
}

void ElasticBem::observe_on_layers(const LayeredSurface& ground, RunContext& context, Answer& out) {
  const Problem& p = *problem_;
  const Surface& s = *p.scene.surface;
  const Vec3& down = p.surface_options.down;
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
  const auto u = layered_displacements(s, ground, down, beside, out.total, p.solve.accuracy, crew(context).threads(),
                                       context.stop);
  for (std::size_t q = 0; q < shown(); ++q)
    for (std::size_t k = 0; k < beside.size(); ++k) {
      Complex3 v = u[q][k];
      // At the force itself, a point of a plane perhaps, the motion is infinite: that of the foundations is left.
      if (!p.loads.empty() && p.loads[q].kind == LoadKind::point && distance(beside[k], p.loads[q].at) > 0) {
        const Complex3 in = of_force(ground, down, p.loads[q], beside[k]);
        for (std::size_t c = 0; c < 3; ++c) v[c] += in[c];
      }
      out.at_points[q][where[k]] = v;
    }
  context.progress.end();
}

}  // namespace conoid::elastic_bem
