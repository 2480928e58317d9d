// SPDX-License-Identifier: BSD-3-Clause
// Spheres of another fluid.
#include "engine/solvers/acoustic_bem/verify/filled_scenes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/core/vec3.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/solvers/acoustic_bem/discretization/exact_sphere.hpp"
#include "engine/solvers/acoustic_bem/stepping/frequency_solver.hpp"

namespace conoid::acoustic_bem {

using namespace conoid::vec;

Surface filled_ball(int divisions, const Filling& filling) {
  Conditions conditions;
  conditions.filling = filling;
  return std::move(*make_surface(*icosphere({.radius = 1, .divisions = divisions, .equal_volume = true}),
                                 Ordering::hilbert, usual_rim_layers, conditions));
}

Form form_of_filled(const Surface& surface, double ratio) {
  return form_for(surface, FormName::N, ratio / std::min(1.0, surface.conditions.filling->c));
}

WallErrors filled_sphere(int divisions, const Filling& filling, double wave_number, Team& team) {
  WallScene scene;
  scene.surface = filled_ball(divisions, filling);
  scene.form = form_of_filled(scene.surface);
  Wave wave;
  wave.pulse = ricker_of(wave_number * std::min(1.0, filling.c));
  scene.waves = {wave};
  scene.places = {{0, 0, -3}, {0, 0, 3}, {3, 0, 0}};
  scene.after = 6 + 8 / std::min(1.0, filling.c);
  ExactSphere exact;
  exact.filling = filling;
  const WallSignals run = run_scene(scene, team);
  const Surface& s = scene.surface;
  std::vector<double> cosines;
  for (Index j = 0; j < s.unknowns; j += 2) {
    const Vec3& x = s.vertices[static_cast<std::size_t>(j)];
    cosines.push_back(x[2] / norm(x));
  }
  const auto want = exact.time_signals(ExactSphere::Quantity::surface, 1, cosines, run.a_times, wave.pulse, run.t0);
  double difference = 0, total = 0;
  for (std::size_t n = 0; n < run.a_times.size(); ++n)
    for (std::size_t j = 0; j < cosines.size(); ++j) {
      difference += std::pow(run.a[n][2 * j] - want[j][n], 2);
      total += std::pow(want[j][n], 2);
    }
  WallErrors out{s.unknowns, s.mean_edge, std::sqrt(difference / total), 0};
  for (std::size_t r = 0; r < scene.places.size(); ++r) {
    const double radius = norm(scene.places[r]);
    const auto u = exact.time_signals(ExactSphere::Quantity::scattered, radius, {scene.places[r][2] / radius},
                                      run.u_times, wave.pulse, run.t0)[0];
    difference = total = 0;
    for (std::size_t n = 0; n < u.size(); ++n) {
      difference += std::pow(run.u[r][n] - u[n], 2);
      total += u[n] * u[n];
    }
    out.receiver = std::max(out.receiver, std::sqrt(difference / total));
  }
  return out;
}

namespace {

/// Far field of the echo at each wave number.
std::vector<std::complex<double>> backward(const Surface& s, const Form& form, const std::vector<double>& wave_numbers,
                                           Team& team, Index& iterations) {
  const Matrices<double> matrices = assemble_all<double>(s, form, {}, team);
  InstantSolver instant(matrices.M0, false);
  FrequencySolver<double> solver(matrices, instant, nullptr);
  std::vector<std::complex<double>> out, a(static_cast<std::size_t>(s.unknowns));
  for (const double k : wave_numbers) {
    solver.set(team, k);
    const double f = k / (2 * std::numbers::pi);
    const Index taken = solver.solve(team, lit_by_plane_wave(s, form, {0, 0, 1}, k), a);
    if (taken == 0) throw Failure(not_solved(f));
    iterations = std::max(iterations, taken);
    out.push_back(far_field(s, form, a, f, {0, 0, -1}));
  }
  return out;
}

}  // namespace

FilledEchoes echoes_of_filled(int divisions, const Filling& filling, const std::vector<double>& wave_numbers,
                              Team& team, bool less_plain) {
  const Surface s = filled_ball(divisions, filling);
  const Form form = form_of_filled(s);
  FilledEchoes out{s.unknowns, s.mean_edge, {}, {}, 0};
  auto amplitudes = backward(s, form, wave_numbers, team, out.iterations);
  if (less_plain) {
    const auto plain = backward(filled_ball(divisions, {1, 1}), form, wave_numbers, team, out.iterations);
    for (std::size_t k = 0; k < plain.size(); ++k) amplitudes[k] -= plain[k];
  }
  ExactSphere exact;
  exact.filling = filling;
  for (std::size_t k = 0; k < wave_numbers.size(); ++k) {
    out.got.push_back(target_strength(amplitudes[k], 1));
    out.exact.push_back(target_strength(exact.far_field(wave_numbers[k], -1), 1));
  }
  return out;
}

double late_level_of_filled(int divisions, const Filling& filling, double ratio, Index steps, Team& team) {
  const Surface s = filled_ball(divisions, filling);
  return late_levels(s, form_of_filled(s, ratio), 20, {steps}, team).level[0];
}

}  // namespace conoid::acoustic_bem
