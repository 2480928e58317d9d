// SPDX-License-Identifier: BSD-3-Clause
// Concentric spheres, and a ball in a box.
#include "engine/solvers/acoustic_bem/verify/room_scenes.hpp"

#include <cmath>
#include <numbers>
#include <numeric>

#include "engine/core/vec3.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/solvers/acoustic_bem/discretization/mean_pressure.hpp"
#include "engine/solvers/acoustic_bem/stepping/march.hpp"

namespace conoid::acoustic_bem {

using Complex = std::complex<double>;

Mesh with_body(Mesh mesh, const Mesh& body, const Vec3& moved) {
  const Index shift = mesh.point_count();
  for (Index p = 0; p < body.point_count(); ++p) mesh.add_point(vec::add(body.point(p), moved));
  for (Index c = 0; c < body.cell_count(); ++c) {
    const auto n = body.nodes(c);
    mesh.add_cell(CellShape::triangle3, {n[0] + shift, n[1] + shift, n[2] + shift});
  }
  return mesh;
}

namespace {

/// Adds a ball, whose cells are a group.
void add_ball(Mesh& mesh, double radius, int divisions, const Vec3& middle) {
  const Index first = mesh.cell_count();
  mesh =
      with_body(std::move(mesh), *icosphere({.radius = radius, .divisions = divisions, .equal_volume = true}), middle);
  std::vector<Index> cells(static_cast<std::size_t>(mesh.cell_count() - first));
  std::iota(cells.begin(), cells.end(), first);
  mesh.add_group("ball", 2).cells = cells;
}

}  // namespace

SpectralErrors ball_in_a_room(int divisions, Team& team) {
  constexpr double ball = 0.5, room = 1, midway = 0.75;
  Mesh mesh = *icosphere({.radius = room, .divisions = divisions, .equal_volume = true});
  std::vector<Index> wall(static_cast<std::size_t>(mesh.cell_count()));
  std::iota(wall.begin(), wall.end(), Index{0});
  mesh.add_group("wall", 2).cells = wall;
  add_ball(mesh, ball, divisions / 2, {0, 0, 0});
  Conditions conditions;
  conditions.inside = true;
  conditions.walls = {{"ball", WallKind::velocity, 1, {}}, {"wall", WallKind::impedance, 1, {}}};
  WallScene scene;
  scene.surface = std::move(*make_surface(mesh, Ordering::hilbert, usual_rim_layers, conditions));
  scene.form = form_for(scene.surface, FormName::NC);
  const Pulse pulse = ricker_of(3);
  scene.motions = {{"ball", 0, pulse, 0}};
  scene.places = {vec::scale(midway, vec::unit({0.3, 0.5, 0.8}))};
  scene.after = 12;
  const WallSignals run = run_scene(scene, team);
  SpectralErrors out{{scene.surface.unknowns, scene.surface.mean_edge, 0, 0}, {1.5, 2.5, 4, 5}, {}};
  for (const double k : out.wave_numbers) {
    // ∂_r of e^{±ikr}/r, and p = e^{±ikr}/r itself.
    const auto p = [&](double sign, double r) { return std::polar(1 / r, sign * k * r); };
    const auto slope = [&](double sign, double r) { return p(sign, r) * Complex(-1 / r, sign * k); };
    const Complex i(0, 1), out_b = slope(1, room) - i * k * p(1, room), in_b = slope(-1, room) - i * k * p(-1, room),
                           back = -out_b / in_b;  // B/A
    const Complex A = i * k / (slope(1, ball) + back * slope(-1, ball)),
                  want = transformed(pulse, run.t0, scene.form.dt, k) * A * (p(1, midway) + back * p(-1, midway));
    out.of.push_back(std::abs(transformed(run.u[0], run.u_times, k) - want) / std::abs(want));
  }
  return out;
}

double mean_beside_a_ball(Index steps, Team& team) {
  Mesh mesh = *box_surface({.low = {0, 0, 0}, .high = {1.2, 0.8, 0.8}, .divisions = {9, 6, 6}});
  add_ball(mesh, 0.2, 3, {0.4, 0.35, 0.4});
  Conditions conditions;
  conditions.inside = true;
  const Surface s = std::move(*make_surface(mesh, Ordering::hilbert, usual_rim_layers, conditions));
  const Form form = form_for(s, FormName::NC);
  Matrices<float> matrices = assemble_all<float>(s, form, {}, team);
  keep_mean_pressure(matrices, nullptr, team);
  March<float> march(std::move(matrices), {.steps = 8});
  Excitation excitation{"monopole", {}};
  Wave wave;
  wave.kind = WaveKind::point;
  wave.position = {0.9, 0.5, 0.3};
  wave.pulse.kind = PulseKind::gaussian;
  wave.pulse.width = 0.3;
  excitation.waves.push_back(wave);
  set_onsets(excitation, s.vertices, form.c);
  RightHandSide l(s, form, excitation);
  // The mean over all faces: what a hat has of them.
  std::vector<double> areas(static_cast<std::size_t>(s.unknowns), 0);
  for (const Triangle& t : s.triangles)
    for (const std::int32_t v : t.vertex)
      for (const Share& part : s.shares(v)) areas[static_cast<std::size_t>(part.unknown)] += part.weight * t.area / 3;
  std::vector<double> means;
  while (march.step() < steps)
    march.advance(
        team,
        [&](Index n, Index, std::span<double> v) {
          l.triangles(n, {0, l.triangle_count()});
          l.gather({0, s.unknowns}, v.data());
        },
        [&](Index) {
          double mean = 0;
          for (std::size_t i = 0; i < areas.size(); ++i) mean += areas[i] * march.current(0)[i];
          means.push_back(mean / s.area);
        });
  // Modes ring on around the line: its slope by least squares over the later half.
  const std::size_t from = means.size() / 2, count = means.size() - from;
  double both = 0, squares = 0;
  for (std::size_t n = 0; n < count; ++n) {
    const double t = (static_cast<double>(n) - 0.5 * static_cast<double>(count - 1)) * form.dt;
    both += t * means[from + n];
    squares += t * t;
  }
  const double volume = -signed_volume(s);  // the room's normals point into it, the ball's out of it
  return std::abs(both / squares * volume / (wave.pulse.width * std::sqrt(2 * std::numbers::pi)) - 1);
}

}  // namespace conoid::acoustic_bem
