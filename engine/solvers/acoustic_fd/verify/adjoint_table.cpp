// SPDX-License-Identifier: BSD-3-Clause
// The march from receivers to sources, backwards in time, is the adjoint of the march from sources to receivers: dot products of random signals.
#include "engine/solvers/acoustic_fd/discretization/walls.hpp"
#include "engine/solvers/acoustic_fd/verify/physics_table.hpp"
#include "engine/solvers/acoustic_fd/verify/recording.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

enum class Medium { layers, walls, solids };

Problem adjoint_problem(Medium medium) {
  Problem p;
  p.grid.points = {41, medium == Medium::solids ? 1 : 33, 37};
  p.grid.spacing = {1, medium == Medium::solids ? 1 : 1.2, 0.9};
  p.order = 8;
  p.double_precision = true;
  p.velocity = layered_velocity(2, -1, p.grid.upper(2), {{0, 1, 0.01}, {14, 1.6, 0}});
  p.speed = p.velocity->range(p.grid.origin, {p.grid.upper(0), p.grid.upper(1), p.grid.upper(2)});
  for (Face& face : p.faces) face = Face{FaceKind::sponge, 6, 20};
  p.faces[5] = Face{FaceKind::free_surface};
  p.faces[0] = Face{FaceKind::rigid};
  if (p.grid.flat()) p.faces[2] = p.faces[3] = Face{FaceKind::rigid};
  p.dt = 0.8 * largest_time_step(stencil_of_order(8), p.grid.stencil_spacing(), p.speed.highest);
  if (medium == Medium::walls) {
    p.faces[1] = Face{FaceKind::impedance};
    p.faces[1].zeta = 2;
    auto obstacles = std::make_shared<Obstacles>(p.grid);
    std::mt19937 random(3);
    for (Index x = 0; x < p.grid.points[0]; ++x)
      for (Index y = 0; y < p.grid.points[1]; ++y)
        for (Index z = 0; z < 14; ++z)
          if (z < 8 + (x / 4 + y / 5) % 3 || random() % 50 == 0)
            obstacles->set(x, y, z, random() % 4 == 0 ? Solid::soft : Solid::rigid);
    p.obstacles = obstacles;
  }
  if (medium == Medium::solids) p.relaxations = constant_quality(15, 0.004, 0.16, 3);
  return p;
}

/// |Σ (F s) r − Σ s (F* r)| over the root of the sums of squares of F s and r.
double mismatch(Medium medium, const RowWorkers& workers) {
  constexpr std::size_t steps = 150;
  std::mt19937 random(11);
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<double> s(steps), r(steps);
  for (auto* signal : {&s, &r})
    for (double& v : *signal) v = value(random);
  const double y = medium == Medium::solids ? 0 : 1;
  const Vec3 source{0, 14 * y, 21.3}, receiver{29.4, 22.7 * y, 26.1};  // one on the mirror, one between the nodes
  const auto march = [&](const Vec3& from, const Vec3& to, const std::vector<double>& signal) {
    Problem p = adjoint_problem(medium);
    p.sources.push_back({from, std::make_shared<Sampled>(signal, 0, p.dt, 1)});
    p.receivers = {{"R", to}};
    return recorded_levels(p, steps, workers)[0];
  };
  std::vector<double> backwards(r.rbegin(), r.rend());
  const std::vector<double> there = march(source, receiver, s), back = march(receiver, source, backwards);
  double first = 0, second = 0, size = 0, other = 0;
  for (std::size_t k = 0; k < steps; ++k) {
    first += there[k] * r[k];
    second += s[k] * back[steps - 1 - k];
    size += there[k] * there[k];
    other += r[k] * r[k];
  }
  return std::abs(first - second) / std::sqrt(size * other);
}

}  // namespace

void adjoint_table(const TestRun& run, const VerifySink& sink) {
  if (!run.may_want("adjoint")) return;
  for (const auto& [medium, name] : {std::pair{Medium::layers, "layers, sponges, a mirror and a free surface"},
                                     {Medium::walls, "obstacles and an impedance wall"},
                                     {Medium::solids, "constant Q, two dimensions"}}) {
    run.doing("adjoint");
    // Roundings of 150 steps in double precision.
    sink({fmt::format("adjoint, {}: mismatch of dot products", name), mismatch(medium, run.workers(1)), "1", 1e-12,
          false, "(F s, r) = (s, F* r)"});
  }
}

}  // namespace conoid::acoustic_fd
