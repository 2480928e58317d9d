// SPDX-License-Identifier: BSD-3-Clause
// Moving, absorbing and mirrored test bodies.
#include "engine/solvers/acoustic_bem/verify/wall_scenes.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <random>

#include "engine/core/vec3.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/solvers/acoustic_bem/discretization/exact_sphere.hpp"
#include "engine/solvers/acoustic_bem/discretization/porous.hpp"
#include "engine/solvers/acoustic_bem/problem.hpp"
#include "engine/solvers/acoustic_bem/stepping/frequency_solver.hpp"
#include "engine/solvers/acoustic_bem/stepping/receivers.hpp"

namespace conoid::acoustic_bem {

using namespace conoid::vec;
using std::numbers::pi;

namespace {

Mesh grouped(Mesh mesh, double half_angle) {
  std::vector<Index> cap, rest;
  for (Index c = 0; c < mesh.cell_count(); ++c) {
    Vec3 middle{};
    for (const Index n : mesh.nodes(c)) middle = add(middle, mesh.point(n));
    (middle[2] / norm(middle) > std::cos(half_angle) ? cap : rest).push_back(c);
  }
  mesh.add_group("cap", 2).cells = cap;
  mesh.add_group("rest", 2).cells = rest;
  return mesh;
}

double misfit(const std::vector<double>& got, const std::vector<double>& want) {
  double difference = 0, total = 0;
  for (std::size_t k = 0; k < want.size(); ++k) {
    difference += std::pow(got[k] - want[k], 2);
    total += want[k] * want[k];
  }
  return std::sqrt(difference / total);
}

Surface made_under(const Mesh& mesh, const Conditions& conditions) {
  auto made = make_surface(mesh, Ordering::hilbert, usual_rim_layers, conditions);
  return std::move(*made);
}

/// Errors of a run against the series.
WallErrors compared(const WallScene& scene, const WallSignals& run, const ExactSphere& exact, const Pulse& pulse,
                    bool soft) {
  WallErrors out{scene.surface.unknowns, scene.surface.mean_edge, 0, 0};
  std::vector<double> cosines, times = run.a_times;
  for (Index j = 0; j < out.unknowns; ++j) {
    const Vec3& x = scene.surface.vertices[static_cast<std::size_t>(j)];
    cosines.push_back(x[2] / norm(x));
  }
  if (soft)
    for (double& t : times) t -= 0.5 * scene.form.dt;
  const auto want = exact.time_signals(ExactSphere::Quantity::surface, 1, cosines, times, pulse, run.t0);
  double difference = 0, total = 0;
  for (std::size_t n = 0; n < times.size(); ++n)
    for (std::size_t j = 0; j < cosines.size(); ++j) {
      difference += std::pow(run.a[n][j] * (soft ? 1 / scene.form.delta() : 1) - want[j][n], 2);
      total += want[j][n] * want[j][n];
    }
  out.surface = std::sqrt(difference / total);
  for (std::size_t r = 0; r < scene.places.size(); ++r) {
    const double radius = norm(scene.places[r]);
    out.receiver = std::max(out.receiver, misfit(run.u[r], exact.time_signals(ExactSphere::Quantity::scattered, radius,
                                                                              {scene.places[r][2] / radius},
                                                                              run.u_times, pulse, run.t0)[0]));
  }
  return out;
}

}  // namespace

Mesh grouped_sphere(int divisions, double half_angle) {
  return grouped(*icosphere({.radius = 1, .divisions = divisions, .equal_volume = true}), half_angle);
}

Mesh ringed_sphere(int rings, double half_angle) {
  const int upper = std::max(1, static_cast<int>(std::lround(rings * half_angle / pi))), lower = rings - upper;
  std::vector<std::array<double, 2>> profile;
  for (int k = 0; k <= lower; ++k) {
    const double angle = half_angle + (pi - half_angle) * (lower - k) / lower;
    profile.push_back({k == 0 ? 0 : std::sin(angle), std::cos(angle)});
  }
  for (int k = 1; k <= upper; ++k) {
    const double angle = half_angle * (upper - k) / upper;
    profile.push_back({k == upper ? 0 : std::sin(angle), std::cos(angle)});
  }
  Mesh mesh = *revolution({.profile = profile, .around = 2 * rings});
  const double swell = std::cbrt(4 * pi / 3 / signed_volume(made_under(mesh, {})));
  for (double& x : mesh.mutable_points()) x *= swell;
  return grouped(std::move(mesh), half_angle);
}

WallSignals run_scene(WallScene scene, Team& team) {
  const Surface& s = scene.surface;
  const Form& form = scene.form;
  Settings settings;
  settings.form = form;
  settings.conditions = s.conditions;
  settings.runs.push_back({"scene", scene.waves});
  std::vector<Vec3> reached = s.vertices;
  if (const auto& ground = s.conditions.ground)
    for (const Vec3& x : s.vertices) reached.push_back(ground->mirrored(x));
  set_onsets(settings.runs[0], reached, form.c);
  for (Motion& m : scene.motions) m.t0 = m.pulse.onset();
  WallSignals out;
  out.t0 = scene.waves.empty() ? scene.motions[0].t0 : settings.runs[0].waves[0].t0;
  const double onset = scene.waves.empty() ? scene.motions[0].pulse.onset() : scene.waves[0].pulse.onset();
  add_image_waves(settings);
  out.waves = settings.runs[0].waves;
  RightHandSide l(s, form, settings.runs[0]);
  const Drive drive(s, form, {}, scene.motions, false, 1, team, nullptr, {});
  const Drive::Points driven = drive.points(s, scene.places, team);
  March<double> march(assemble_all<double>(s, form, {}, team),
                      {.steps = 8, .reach = receiver_columns(s, form, scene.places) + 8});
  Receivers<double> receivers(s, form, scene.places, 8, team);
  std::vector<double> received;
  out.u.resize(scene.places.size());
  while (static_cast<double>(march.step()) * form.dt < out.t0 + onset + scene.after) {
    march.advance(
        team,
        [&](Index n, Index, std::span<double> v) {
          l.triangles(n, {0, l.triangle_count()});
          l.gather({0, s.unknowns}, v.data());
          drive.add_to(n, v);
        },
        [&](Index n) {
          out.a.emplace_back(march.current(0).begin(), march.current(0).end());
          out.a_times.push_back(static_cast<double>(n) * form.dt);
          out.energy += form.dt * drive.power(n, march.current(0));
        });
    receivers.evaluate(team, march.histories(), received, march.memory_histories());
    for (Index g = 0; g < 8; ++g) {
      const Index n = march.step() - 7 + g - receiver_lag;
      const std::span<double> at(received.data() + static_cast<std::size_t>(g) * scene.places.size(),
                                 scene.places.size());
      drive.add_at(driven, n, at);
      out.u_times.push_back(static_cast<double>(n) * form.dt);
      for (std::size_t r = 0; r < at.size(); ++r) out.u[r].push_back(at[r]);
    }
  }
  return out;
}

WallErrors moving_sphere(int divisions, SphereMotion motion, Team& team) {
  const double half_angle = pi / 3;
  Conditions conditions;
  const bool cap = motion == SphereMotion::cap;
  const Vec3 along = motion == SphereMotion::oscillating ? Vec3{0, 0, 1} : Vec3{};
  conditions.walls.push_back({"cap", WallKind::velocity, 1, along});
  if (!cap) conditions.walls.push_back({"rest", WallKind::velocity, 1, along});
  WallScene scene;
  scene.surface =
      made_under(cap ? ringed_sphere(divisions, half_angle) : grouped_sphere(divisions, half_angle), conditions);
  scene.form = form_for(scene.surface, FormName::NC);
  for (std::size_t w = 0; w < conditions.walls.size(); ++w)
    scene.motions.push_back({conditions.walls[w].group, w, ricker_of(2), 0});
  scene.places = {{0, 0, 2}, {1.2, 0, 1.6}, {0, 0, -2}};
  if (!cap) scene.places.pop_back();
  ExactSphere exact;
  exact.motion = motion == SphereMotion::pulsating     ? std::vector<double>{1}
                 : motion == SphereMotion::oscillating ? std::vector<double>{0, 1}
                                                       : ExactSphere::cap(half_angle);
  return compared(scene, run_scene(scene, team), exact, ricker_of(2), false);
}

WallErrors absorbing_sphere(int divisions, double impedance, Team& team) {
  Conditions conditions;
  const bool soft = impedance == 0;
  for (const char* group : {"cap", "rest"})
    conditions.walls.push_back({group, soft ? WallKind::soft : WallKind::impedance, soft ? 1 : impedance, {}});
  WallScene scene;
  scene.surface = made_under(grouped_sphere(divisions, pi / 3), conditions);
  scene.form = form_for(scene.surface, FormName::NC);
  Wave wave;
  wave.pulse = ricker_of(2);
  scene.waves = {wave};
  scene.places = {{0, 0, -3}, {1.5, 0, -1.5}};
  ExactSphere exact;
  exact.rigid = !soft;
  exact.admittance = soft ? 0 : 1 / impedance;
  return compared(scene, run_scene(scene, team), exact, ricker_of(2), soft);
}

RationalAdmittance ringing_wall() {
  const std::complex<double> pole(-0.5, 3), residue = (pole + 0.3) / std::complex<double>(0, 6);
  return {0.1, {{-2, 0.6}, {pole, residue}}};
}

/// Σ u e^{iωt} Δt
std::complex<double> transformed(const std::vector<double>& u, const std::vector<double>& times, double omega) {
  std::complex<double> sum = 0;
  for (std::size_t n = 0; n < u.size(); ++n) sum += u[n] * std::polar(1.0, omega * times[n]);
  return sum * (times[1] - times[0]);
}
std::complex<double> transformed(const Pulse& pulse, double t0, double dt, double omega) {
  std::complex<double> sum = 0;
  for (double t = 0; t < t0 + pulse.length(); t += dt) sum += dt * pulse.value(t - t0) * std::polar(1.0, omega * t);
  return sum;
}

SpectralErrors remembering_sphere(int divisions, const RationalAdmittance& wall, Team& team) {
  Conditions conditions;
  for (const char* group : {"cap", "rest"}) conditions.walls.push_back({group, WallKind::impedance, 1, {}, wall});
  WallScene scene;
  scene.surface = made_under(grouped_sphere(divisions, pi / 3), conditions);
  scene.form = form_for(scene.surface, FormName::NC);
  set_wall_memory(scene.surface, scene.form.dt);
  Wave wave;
  wave.pulse = ricker_of(2);
  scene.waves = {wave};
  scene.places = {{0, 0, -3}, {1.5, 0, -1.5}};
  scene.after = 20;
  ExactSphere exact;
  exact.admittance_at = [&](double omega) { return std::conj(wall.at(omega)); };
  const WallSignals run = run_scene(scene, team);
  SpectralErrors out{compared(scene, run, exact, wave.pulse, false), {0.5, 1, 2, 3}, {}};
  for (const double k : out.wave_numbers) {
    const auto want = exact.scattered(k, 3, -1) * transformed(wave.pulse, run.t0, scene.form.dt, k);
    out.of.push_back(std::abs(transformed(run.u[0], run.u_times, k) - want) / std::abs(want));
  }
  return out;
}

SpectralErrors absorbing_duct(int divisions, const RationalAdmittance& wall, Team& team,
                              const std::function<std::complex<double>(double)>& exact) {
  const double length = 1.2, width = 0.4;
  const auto along = [&](double s) { return static_cast<int>(std::lround(s * divisions)); };
  Mesh mesh = *box_surface(
      {.low = {0, 0, 0}, .high = {length, width, width}, .divisions = {along(length), along(width), along(width)}});
  std::vector<Index> piston, end;
  for (Index c = 0; c < mesh.cell_count(); ++c) {
    double x = 0;
    for (const Index n : mesh.nodes(c)) x += mesh.point(n)[0] / static_cast<double>(mesh.nodes(c).size());
    if (x < 1e-9) piston.push_back(c);
    if (x > length - 1e-9) end.push_back(c);
  }
  mesh.add_group("piston", 2).cells = piston;
  mesh.add_group("end", 2).cells = end;
  Conditions conditions;
  conditions.inside = true;
  conditions.walls = {{"piston", WallKind::velocity, 1, {}}, {"end", WallKind::impedance, 1, {}, wall}};
  WallScene scene;
  scene.surface = made_under(mesh, conditions);
  scene.form = form_for(scene.surface, FormName::N);
  set_wall_memory(scene.surface, scene.form.dt);
  scene.motions = {{"piston", 0, ricker_of(3), 0}};
  scene.places = {{0.7, 0.21, 0.19}};
  scene.after = 30;
  const WallSignals run = run_scene(scene, team);
  SpectralErrors out{{scene.surface.unknowns, scene.surface.mean_edge, 0, 0}, {1.5, 2.5, 4, 5}, {}};
  for (const double k : out.wave_numbers) {
    const std::complex<double> beta = std::conj(exact ? exact(k) : wall.at(k)), reflected = (1.0 - beta) / (1.0 + beta);
    const auto want = transformed(ricker_of(3), run.t0, scene.form.dt, k) *
                      (std::polar(1.0, 0.7 * k) + reflected * std::polar(1.0, k * (2 * length - 0.7))) /
                      (1.0 - reflected * std::polar(1.0, 2 * k * length));
    out.of.push_back(std::abs(transformed(run.u[0], run.u_times, k) - want) / std::abs(want));
  }
  return out;
}

SpectralErrors porous_duct(int divisions, Team& team) {
  const double resistivity = 5, thickness = 0.2;
  return absorbing_duct(divisions, fit_porous(resistivity, thickness, 1, ricker_of(3).highest_frequency()).admittance,
                        team, [&](double omega) {
                          const double x = 1000 * omega / (2 * pi) / resistivity;
                          const std::complex<double> j(0, 1),
                              z = 1.0 + std::complex<double>(5.50, -8.43) * std::pow(x, -0.632),
                              gamma = j * omega * (1.0 + std::complex<double>(7.81, -11.41) * std::pow(x, -0.618));
                          return std::tanh(gamma * thickness) / z;
                        });
}

double HearingErrors::allowed(std::size_t f) const {
  const double of_mesh = wave_numbers[f] * h, of_step = wave_numbers[f] * dt;
  return of_mesh * of_mesh / std::sqrt(720.0) + of_step * of_step / 12;
}

HearingErrors hearing_sphere(int divisions, Team& team) {
  Conditions conditions;
  conditions.walls = {{"cap", WallKind::velocity, 1, {}}};
  const Surface s = made_under(grouped_sphere(divisions, 0.35), conditions);
  const Form form = form_for(s, FormName::NC);
  const Drive drive(s, form, {}, {{"cap", 0, ricker_of(2), 0}}, false, 1, team, nullptr, {});
  const Matrices<double> matrices = assemble_all<double>(s, form, {}, team);
  InstantSolver instant(matrices.M0, false);
  FrequencySolver<double> solver(matrices, instant, nullptr);
  HeadSetting head;
  head.radius = 3;
  head.directions = even_angles(30);
  HearingErrors out{{{s.unknowns, s.mean_edge, 0, 0}, {0.5, 1, 2, 3}, {}}, form.dt, {}, {}, {}, {}, {}};
  for (const double k : out.wave_numbers) {
    std::vector<std::complex<double>> a(static_cast<std::size_t>(s.unknowns));
    solver.set(team, k);
    if (solver.solve(team, drive.response_of(0, k), a) == 0) throw Failure(not_solved(k / (2 * pi)));
    const auto got = ear_responses(s, form, drive, 0, a, k / (2 * pi), head, team),
               want = exact_ear_responses(s, form, 0, 1, k / (2 * pi), head);
    double difference = 0, total = 0, level = 0, delay = 0, levels = 0, delays = 0, loudest = 0, softest = 1e300;
    for (std::size_t d = 0; d < got.size(); ++d) {
      const std::complex<double> over = got[d] / want[d];
      const double louder = 20 * std::log10(std::abs(over)), later = std::arg(over) / k;
      difference += std::norm(got[d] - want[d]);
      total += std::norm(want[d]);
      level = std::max(level, std::abs(louder));
      delay = std::max(delay, std::abs(later));
      levels += louder * louder;
      delays += later * later;
      loudest = std::max(loudest, std::abs(want[d]));
      softest = std::min(softest, std::abs(want[d]));
    }
    const auto count = static_cast<double>(got.size());
    out.of.push_back(std::sqrt(difference / total));
    out.levels.push_back(level);
    out.delays.push_back(delay);
    out.mean_levels.push_back(std::sqrt(levels / count));
    out.mean_delays.push_back(std::sqrt(delays / count));
    out.spread.push_back(loudest / softest);
  }
  return out;
}

double late_level_of_memory(int divisions, const RationalAdmittance& wall, Index steps, Team& team) {
  Conditions conditions;
  conditions.walls = {{"cap", WallKind::soft, 1, {}}, {"rest", WallKind::impedance, 1, {}, wall}};
  Surface s = made_under(grouped_sphere(divisions, pi / 3), conditions);
  const Form form = form_for(s, FormName::NC);
  set_wall_memory(s, form.dt);
  return late_levels(s, form, 20, {steps}, team).level[0];
}

double sphere_over_ground(int divisions, bool rigid, Team& team, const std::optional<Filling>& filling) {
  const Ground ground{2, 0.3, rigid};
  Mesh one = *icosphere({.radius = 1, .divisions = divisions});
  for (Index p = 0; p < one.point_count(); ++p) one.mutable_points()[static_cast<std::size_t>(3 * p + 2)] += 1.8;
  Mesh two = one;
  for (Index p = 0; p < one.point_count(); ++p) two.add_point(ground.mirrored(one.point(p)));
  for (Index c = 0; c < one.cell_count(); ++c) {
    const auto n = one.nodes(c);
    const Index shift = one.point_count();
    two.add_cell(CellShape::triangle3, {n[0] + shift, n[2] + shift, n[1] + shift});
  }
  Conditions conditions;
  conditions.filling = filling;
  WallScene over, pair;
  pair.surface = std::move(*make_surface(two, Ordering::given, 1, conditions));
  conditions.ground = ground;
  over.surface = std::move(*make_surface(one, Ordering::given, 1, conditions));
  over.form = filling ? form_for(over.surface, FormName::N, 0.4 / std::min(1.0, filling->c))
                      : form_for(over.surface, FormName::NC);
  pair.form = over.form;
  Wave plane, point;
  plane.direction = unit({0.6, 0, -0.8});
  plane.pulse = point.pulse = ricker_of(2);
  point.kind = WaveKind::point;
  point.position = {2.5, 0, 3};
  over.waves = {plane, point};
  over.places = pair.places = {{-2, 0.5, 0.9}};
  over.after = pair.after = 6;
  const WallSignals a = run_scene(over, team);
  // The pair gets what the run over the ground got, images and onsets included.
  const Form& form = pair.form;
  const Surface& s = pair.surface;
  RightHandSide l(s, form, {"pair", a.waves});
  March<double> march(assemble_all<double>(s, form, {}, team),
                      {.steps = 8, .reach = receiver_columns(s, form, pair.places) + 8});
  Receivers<double> receivers(s, form, pair.places, 8, team);
  std::vector<double> received;
  double worst = 0, peak = 0, heard = 0;
  const auto N = static_cast<std::size_t>(over.surface.unknowns);
  while (march.step() < static_cast<Index>(a.a.size())) {
    march.advance(
        team,
        [&](Index n, Index, std::span<double> v) {
          l.triangles(n, {0, l.triangle_count()});
          l.gather({0, s.unknowns}, v.data());
        },
        [&](Index n) {
          const auto& mine = a.a[static_cast<std::size_t>(n - 1)];
          for (std::size_t j = 0; j < N; ++j) {
            worst = std::max(worst, std::abs(mine[j] - march.current(0)[j]));
            peak = std::max(peak, std::abs(mine[j]));
          }
        });
    receivers.evaluate(team, march.histories(), received);
    for (std::size_t g = 0; g < 8; ++g) {
      const auto n = static_cast<std::size_t>(march.step()) - 8 + g;
      worst = std::max(worst, std::abs(received[g] - a.u[0][n]));
      heard = std::max(heard, std::abs(received[g]));
    }
  }
  return heard > 0.01 * peak ? worst / peak : HUGE_VAL;
}

WallErrors box_room(int divisions, Team& team) {
  Conditions conditions;
  conditions.inside = true;
  const Vec3 size{1, 0.8, 0.6};
  const auto along = [&](double s) { return static_cast<int>(std::lround(s * divisions)); };
  WallScene scene;
  scene.surface = made_under(
      *box_surface({.low = {0, 0, 0}, .high = size, .divisions = {along(size[0]), along(size[1]), along(size[2])}}),
      conditions);
  scene.form = form_for(scene.surface, FormName::N);
  Wave wave;
  wave.kind = WaveKind::point;
  wave.position = {0.4, 0.45, 0.25};
  wave.pulse = ricker_of(5);
  scene.waves = {wave};
  scene.places = {{0.7, 0.3, 0.35}};
  scene.after = 4;
  const WallSignals run = run_scene(scene, team);
  std::vector<double> exact(run.u_times.size(), 0);
  constexpr int most = 14;
  for (int i = -most; i <= most; ++i)
    for (int j = -most; j <= most; ++j)
      for (int k = -most; k <= most; ++k)
        for (int side = 0; side < 8; ++side) {
          if (i == 0 && j == 0 && k == 0 && side == 0) continue;  // the source itself
          const std::array<int, 3> n{i, j, k};
          Vec3 x{};
          for (std::size_t d = 0; d < 3; ++d)
            x[d] = 2 * n[d] * size[d] + ((side >> d & 1) != 0 ? -wave.position[d] : wave.position[d]);
          const double r = distance(x, scene.places[0]);
          if (r > run.u_times.back()) continue;
          for (std::size_t t = 0; t < exact.size(); ++t)
            exact[t] += wave.pulse.value(run.u_times[t] - run.t0 - r) / (4 * pi * r);
        }
  return {scene.surface.unknowns, scene.surface.mean_edge, 0, misfit(run.u[0], exact)};
}

double late_level_of_walls(int divisions, double impedance, Index steps, Team& team) {
  Conditions conditions;
  conditions.walls.push_back({"cap", WallKind::soft, 1, {}});
  if (impedance > 0) conditions.walls.push_back({"rest", WallKind::impedance, impedance, {}});
  const Surface s = made_under(grouped_sphere(divisions, pi / 3), conditions);
  return late_levels(s, form_for(s, FormName::NC), 20, {steps}, team).level[0];
}

}  // namespace conoid::acoustic_bem
