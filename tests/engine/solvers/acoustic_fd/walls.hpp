// SPDX-License-Identifier: BSD-3-Clause
// A busy problem with walls of all kinds in it.
#pragma once

#include "engine/solvers/acoustic_fd/discretization/cut_walls.hpp"
#include "engine/solvers/acoustic_fd/discretization/walls.hpp"
#include "tests/engine/solvers/acoustic_fd/support.hpp"

namespace conoid::acoustic_fd::testing {

/// An impedance wall, rough ground, a thin plate and single voxels, a disc and a dipole, maps, attenuation; two-dimensional with one row.
inline Problem walled_problem(int order, const std::array<Index, 3>& points, bool varying, bool double_precision) {
  Problem p = busy_problem(order, {points[0], std::max<Index>(points[1], 9), points[2]}, order % 4 != 2, varying,
                           double_precision);
  p.grid.points = points;
  if (p.grid.flat()) {
    p.grid.spacing[1] = 1;
    p.faces[2].kind = p.faces[3].kind = FaceKind::rigid;
    p.dt = 0.9 * largest_time_step(stencil_of_order(order), p.grid.stencil_spacing(), p.speed.highest);
  }
  p.faces[0].kind = FaceKind::impedance;
  p.faces[0].zeta = 0.7;
  auto obstacles = std::make_shared<Obstacles>(p.grid);
  std::mt19937 random(5);
  for (Index x = 0; x < points[0]; ++x)
    for (Index y = 0; y < points[1]; ++y)
      for (Index z = 0; z < points[2]; ++z) {
        const bool ground = z < 8 + (x / 3 + y / 4) % 3, plate = x == points[0] / 3 && z > points[2] / 2;
        if (ground || plate || random() % 300 == 0)
          obstacles->set(x, y, z, plate || random() % 5 == 0 ? Solid::soft : Solid::rigid);
      }
  static_cast<void>(obstacles->extend_through_layers(p.faces, order / 2));
  p.obstacles = obstacles;
  p.sources[0].dipole = {0.6, 0, 0.8};
  p.sources[1].dipole = {};
  for (int i = 0; i < 2; ++i) p.sources[1].parts.push_back({p.sources[1].position, 0.5});
  p.sources[1].parts[0].position[0] += 1.3;
  p.receivers[1].slope = {1, 0, 0};
  p.peak_map = p.rms_map = true;
  p.relaxations = {{0.05, 60 * p.dt}, {0.08, 5 * p.dt}};
  return p;
}

/// Smooth walls in place of the voxels of walled_problem(): rigid waves of ground, a rigid oblique slab, two soft balls of which one touches the ground.
/// `rigid`: all of them.
inline void make_smooth(Problem& p, bool rigid = false) {
  const Grid g = p.grid;
  const auto classes = [g, rigid] {
    return [g, rigid](const Vec3& at) {
      Vec3 i{}, n{};
      for (std::size_t a = 0; a < 3; ++a) {
        i[a] = g.points[a] > 1 ? (at[a] - g.origin[a]) / g.spacing[a] : 0;
        n[a] = static_cast<double>(g.points[a] - 1);
      }
      const auto ball = [&](double x, double y, double z, double radius) {
        return std::hypot(i[0] - x * n[0], i[1] - y * n[1], i[2] - z * n[2]) < radius;
      };
      if (ball(0.62, 0.4, 0.7, 3.37) || ball(0.3, 0.6, 0.35, 2.81)) return rigid ? Solid::rigid : Solid::soft;
      if (i[2] < 6.3 + 1.7 * std::sin(0.31 * i[0]) + 1.1 * std::cos(0.43 * i[1])) return Solid::rigid;
      return std::abs(i[0] + 0.31 * i[2] - 0.2 * i[1] - 0.75 * n[0]) < 1.13 && i[2] > 0.5 * n[2] ? Solid::rigid
                                                                                                 : Solid::none;
    };
  };
  auto obstacles = std::make_shared<Obstacles>(g);
  const auto at = classes();
  for (Index x = 0; x < g.points[0]; ++x)
    for (Index y = 0; y < g.points[1]; ++y)
      for (Index z = 0; z < g.points[2]; ++z) obstacles->set(x, y, z, at({g.at(0, x), g.at(1, y), g.at(2, z)}));
  static_cast<void>(obstacles->extend_through_layers(p.faces, p.order / 2));
  auto cuts = std::make_shared<CutWalls>(p, classes, *obstacles);
  obstacles->set_cuts(std::move(cuts));
  p.obstacles = std::move(obstacles);
}

/// In bands of lengths 1, 3, 7, …; the field, and the maps behind it.
inline Everything in_bands(March& march, const Problem& p, Index steps, Team& team, Communicator& cluster) {
  March::Recorder recorder;
  for (Index length = 1; march.steps_done() < steps; length = 2 * length + 1)
    march.advance(team, cluster, std::min(length, steps - march.steps_done()), &recorder);
  Everything out;
  std::vector<double> traces(p.receivers.size());
  for (auto& parts : recorder.samples) {
    cluster.sum(std::span(parts));
    march.join_traces(parts, traces);
    out.traces.insert(out.traces.end(), traces.begin(), traces.end());
  }
  out.energy = march.energy(team, cluster);
  March::Cut all;
  all.count = p.grid.points;
  for (int which = -1; which < 2; ++which) {
    std::vector<float> some;
    if (which < 0)
      march.read(all, some);
    else if (which == 0 ? p.peak_map : p.rms_map)
      march.read_map(which, all, some);
    if (cluster.size() > 1) some = cluster.gather_values<float>(some);  // on the first rank
    out.field.insert(out.field.end(), some.begin(), some.end());
  }
  return out;
}

}  // namespace conoid::acoustic_fd::testing
