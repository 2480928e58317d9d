// SPDX-License-Identifier: BSD-3-Clause
// Test bodies and short runs on them.
#include "engine/solvers/acoustic_bem/verify/scenes.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <numbers>
#include <random>

#include "engine/core/vec3.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/solvers/acoustic_bem/discretization/compressed_assembly.hpp"
#include "engine/solvers/acoustic_bem/discretization/curved_faces.hpp"
#include "engine/solvers/acoustic_bem/discretization/exact_sphere.hpp"
#include "engine/solvers/acoustic_bem/discretization/far_kernel.hpp"
#include "engine/solvers/acoustic_bem/discretization/tile.hpp"
#include "engine/solvers/acoustic_bem/problem.hpp"
#include "engine/solvers/acoustic_bem/stepping/frequency_solver.hpp"
#include "engine/solvers/acoustic_bem/stepping/head_related.hpp"
#include "engine/solvers/acoustic_bem/stepping/receivers.hpp"
#include "engine/solvers/acoustic_bem/stepping/spectrum.hpp"

namespace conoid::acoustic_bem {

using namespace conoid::vec;
using Clock = std::chrono::steady_clock;
using Complex = std::complex<double>;

namespace {

Surface built(Result<Mesh> mesh, Ordering ordering = Ordering::hilbert) {
  return std::move(*make_surface(*mesh, ordering));
}

constexpr int ring_places = 16;

double seconds_since(Clock::time_point t) {
  return std::chrono::duration<double>(Clock::now() - t).count();
}

}  // namespace

Surface unit_sphere(int divisions, bool equal_volume, Ordering ordering) {
  return built(icosphere({.radius = 1, .divisions = divisions, .equal_volume = equal_volume}), ordering);
}
Surface unit_cube(int n) {
  return built(box_surface({.low = {-0.5, -0.5, -0.5}, .high = {0.5, 0.5, 0.5}, .divisions = {n, n, n}}));
}
Surface bar(int n) {
  return built(box_surface({.low = {-0.5, -0.5, -5}, .high = {0.5, 0.5, 5}, .divisions = {n, n, 10 * n}}));
}
Surface cup() {
  // Profile of a round cup: outer bottom, outer wall, rim, inner wall, inner bottom.
  std::vector<std::array<double, 2>> p;
  const double h = 0.2;
  for (double r = 0; r < 0.55; r += h) p.push_back({r, -0.5});
  for (double z = -0.5; z < 0.45; z += h) p.push_back({0.6, z});
  p.push_back({0.6, 0.5});
  p.push_back({0.4, 0.5});
  for (double z = 0.3; z > -0.25; z -= h) p.push_back({0.4, z});
  p.push_back({0.2, -0.3});
  p.push_back({0, -0.3});
  return built(revolution({.profile = p, .around = 6}));
}

Form form_for(const Surface& surface, FormName name, double ratio) {
  Form f;
  f.name = name;
  f.c = 1;
  f.dt = ratio * surface.mean_edge;
  f.alpha = 1;
  f.gamma = 1 / surface.diameter;
  return f;
}

Pulse ricker_of(double k) {
  return {PulseKind::ricker, 1, k / (2 * std::numbers::pi), 1, {}, 0};
}

/// Before and behind the sphere, and two rings around its axis.
static std::vector<Vec3> places_of_sphere() {
  std::vector<Vec3> places{{0, 0, -3}, {0, 0, 3}};
  for (const Vec3& p : {Vec3{3, 0, 0}, Vec3{1.5, 0, -1.5}})
    for (int k = 0; k < ring_places; ++k) {
      const double angle = 2 * std::numbers::pi * k / ring_places;
      places.push_back({p[0] * std::cos(angle), p[0] * std::sin(angle), p[2]});
    }
  return places;
}

/// Along z, or from a point before the sphere.
static Excitation wave_on_sphere(double point_source) {
  Excitation excitation{"wave", {}};
  Wave wave;
  wave.pulse = ricker_of(2);
  if (point_source > 0) {
    wave.kind = WaveKind::point;
    wave.position = {0, 0, -point_source};
  }
  excitation.waves.push_back(wave);
  return excitation;
}

/// What is scattered to the places, u[place][n], against the exact solution; of a ring the mean of squares.
static void add_receiver_errors(const ExactSphere& exact, const std::vector<Vec3>& places,
                                const std::vector<std::vector<double>>& u, const std::vector<double>& times,
                                const Pulse& pulse, double t0, SphereErrors& out) {
  for (std::size_t r = 0; r < places.size(); ++r) {
    const double radius = norm(places[r]);
    const auto want =
        exact.time_signals(ExactSphere::Quantity::scattered, radius, {places[r][2] / radius}, times, pulse, t0)[0];
    double difference = 0, total = 0;
    for (std::size_t n = 0; n < want.size(); ++n) {
      difference += std::pow(u[r][n] - want[n], 2);
      total += want[n] * want[n];
    }
    const std::size_t kind = r < 2 ? r : 2 + (r - 2) / ring_places;
    out.receivers[kind] += difference / total / (r < 2 ? 1 : ring_places);
  }
  for (double& e : out.receivers) e = std::sqrt(e);
}

SphereErrors sphere_errors(const SphereSetting& setting, Team& team) {
  const bool compressed = setting.compression > 0;
  const Surface surface =
      unit_sphere(setting.divisions, setting.equal_volume, compressed ? Ordering::clusters : Ordering::hilbert);
  const Form form = form_for(surface, setting.form, setting.ratio);
  const std::vector<Vec3> places = places_of_sphere();
  Excitation excitation = wave_on_sphere(setting.point_source);
  std::vector<Vec3> reached = surface.vertices;
  if (setting.point_source <= 0) reached.insert(reached.end(), places.begin(), places.end());
  set_onsets(excitation, reached, 1);
  const double t0 = excitation.waves[0].t0, span = t0 + excitation.waves[0].pulse.onset() + 12;

  SphereErrors out;
  auto begin = Clock::now();
  Matrices<double> matrices =
      compressed ? compressed_all<double>(surface, form, setting.compression, 2, setting.cluster, setting.grouped, team)
                 : assemble_all<double>(surface, form, {}, team);
  if (compressed) {
    out.far_error = matrices.far_error;
    out.row_vectors = (matrices.skeletons->near.pairs() + matrices.skeletons->far.pairs()) /
                      std::pow(static_cast<double>(surface.unknowns), 2);
  }
  out.seconds_assembly = seconds_since(begin);
  out.unknowns = surface.unknowns;
  out.h = surface.mean_edge;
  out.longest = matrices.slices.longest();
  out.columns = matrices.slices.columns();
  out.average = static_cast<double>(matrices.slices.nonzeros()) / std::pow(static_cast<double>(out.unknowns), 2);
  out.skew = matrices.skew;
  out.evaluations = matrices.evaluations;
  const Index reach = receiver_columns(surface, form, places) + setting.grouped;
  March<double> march(std::move(matrices), {.steps = setting.grouped, .reach = reach});
  Receivers<double> receivers(surface, form, places, setting.grouped, team);
  RightHandSide l(surface, form, excitation);

  std::vector<double> kas{0.5, 1, 2, 3, 4, 4.49}, frequencies;
  for (double ka : kas) frequencies.push_back(ka / (2 * std::numbers::pi));
  RunningSpectrum spectrum(setting.target_strength ? frequencies : std::vector<double>{}, surface.unknowns);

  begin = Clock::now();
  std::vector<std::vector<double>> a, u(places.size());
  std::vector<double> received, u_times, a_times;
  while (static_cast<double>(march.step()) * form.dt < span) {
    march.advance(
        team,
        [&](Index n, Index, std::span<double> out_l) {
          l.triangles(n, {0, l.triangle_count()});
          l.gather({0, surface.unknowns}, out_l.data());
        },
        [&](Index n) {
          a.emplace_back(march.current(0).begin(), march.current(0).end());
          a_times.push_back(form.time_of(n));
          spectrum.add(team, march.current(0), form.time_of(n), form.dt);
        });
    receivers.evaluate(team, march.histories(), received);
    for (int g = 0; g < setting.grouped; ++g) {
      u_times.push_back(static_cast<double>(march.step() - setting.grouped + 1 + g - receiver_lag) * form.dt);
      for (std::size_t r = 0; r < places.size(); ++r)
        u[r].push_back(received[static_cast<std::size_t>(g) * places.size() + r]);
    }
  }
  out.seconds_march = seconds_since(begin);

  const ExactSphere exact{form.rigid(), 1, 1, setting.point_source};
  std::vector<double> cosines;
  for (Index j = 0; j < surface.unknowns; ++j) {
    const Vec3& x = surface.vertices[static_cast<std::size_t>(j)];
    cosines.push_back(x[2] / norm(x));
  }
  const Pulse& pulse = excitation.waves[0].pulse;
  const auto p = exact.time_signals(ExactSphere::Quantity::surface, 1, cosines, a_times, pulse, t0);
  double difference = 0, total = 0;
  for (std::size_t n = 0; n < a.size(); ++n)
    for (std::size_t j = 0; j < cosines.size(); ++j) {
      difference += std::pow(a[n][j] - p[j][n], 2);
      total += std::pow(p[j][n], 2);
    }
  out.surface = std::sqrt(difference / total);
  add_receiver_errors(exact, places, u, u_times, pulse, t0, out);
  if (setting.target_strength)
    for (std::size_t k = 0; k < kas.size(); ++k) {
      const double omega = kas[k];
      std::complex<double> f = 0;  // the pulse's own discrete transform
      for (double t : a_times) f += form.dt * pulse.value(t - t0) * std::polar(1.0, omega * t);
      for (const Vec3& d : {Vec3{0, 0, -1}, Vec3{1, 0, 0}, Vec3{0, 0, 1}}) {
        const auto amplitude = far_field(surface, form, spectrum.at(k), frequencies[k], d);
        out.ts_error_db = std::max(out.ts_error_db, std::abs(target_strength(amplitude, f) -
                                                             target_strength(exact.far_field(omega, d[2]), 1)));
      }
    }
  return out;
}

template <class Real>
Matrices<Real> compressed_all(const Surface& surface, const Form& form, double error, double k, Index cluster,
                              int grouped, Team& team) {
  const double slowest = surface.filled() ? std::min(1.0, surface.conditions.filling->c) : 1;
  const double highest = 2 * std::numbers::pi * ricker_of(k).highest_frequency() / slowest;
  NoProgress quiet;
  return std::move(*assemble_compressed<Real>(
      surface, form, {},
      {.error = error,
       .highest = highest,
       .least_gap = FarKernel::least_gap(grouped + (surface.filled() ? 1 : 0)) * longest_delta(surface, form),
       .cluster = cluster},
      [](Bytes) { return Status{}; }, nullptr, team, quiet, {}));
}
template Matrices<float> compressed_all(const Surface&, const Form&, double, double, Index, int, Team&);
template Matrices<double> compressed_all(const Surface&, const Form&, double, double, Index, int, Team&);

LateLevels late_levels(const Surface& surface, const Form& form, int noise, std::vector<Index> steps, Team& team) {
  return late_levels(assemble_all<double>(surface, form, {}, team), surface, form, noise, std::move(steps), team);
}

LateLevels late_levels(Matrices<double> matrices, const Surface& surface, const Form& form, int noise,
                       std::vector<Index> steps, Team& team) {
  March<double> march(std::move(matrices), {.steps = 8});
  Excitation excitation{"wave", {}};
  Wave wave;
  wave.direction = unit({0.3, 0.5, 0.8});
  wave.pulse = ricker_of(3);
  excitation.waves.push_back(wave);
  set_onsets(excitation, surface.vertices, 1);
  RightHandSide l(surface, form, excitation);
  const auto lit = static_cast<Index>((excitation.waves[0].t0 + wave.pulse.onset() + surface.diameter) / form.dt) + 8;
  std::mt19937 random(4711);
  std::uniform_real_distribution<double> uniform(-1, 1);
  LateLevels out;
  out.unknowns = surface.unknowns;
  double peak = 0;
  std::size_t next = 0;
  while (next < steps.size()) {
    march.advance(
        team,
        [&](Index n, Index, std::span<double> v) {
          if (noise > 0) {
            for (double& e : v) e = n <= noise ? uniform(random) * surface.area / static_cast<double>(v.size()) : 0;
          } else if (n <= lit) {
            l.triangles(n, {0, l.triangle_count()});
            l.gather({0, surface.unknowns}, v.data());
          } else {
            std::fill(v.begin(), v.end(), 0.0);
          }
        },
        [&](Index n) {
          double most = 0;
          for (double e : march.current(0)) most = std::max(most, std::isfinite(e) ? std::abs(e) : 1e300);
          peak = std::max(peak, most);
          if (next < steps.size() && n == steps[next]) {
            out.level.push_back(most / peak);
            ++next;
          }
        });
  }
  return out;
}

std::vector<double> body_receivers(const Surface& surface, const Form& form, double k, const std::vector<Vec3>& places,
                                   double span, Team& team) {
  Excitation excitation{"wave", {}};
  Wave wave;
  wave.direction = unit({0.3, 0.5, 0.8});
  wave.pulse = ricker_of(k);
  excitation.waves.push_back(wave);
  set_onsets(excitation, surface.vertices, 1);
  RightHandSide l(surface, form, excitation);
  March<double> march(assemble_all<double>(surface, form, {}, team),
                      {.steps = 8, .reach = receiver_columns(surface, form, places) + 8});
  Receivers<double> receivers(surface, form, places, 8, team);
  std::vector<double> received, out;
  while (static_cast<double>(march.step()) * form.dt < span) {
    march.advance(team, [&](Index n, Index, std::span<double> v) {
      l.triangles(n, {0, l.triangle_count()});
      l.gather({0, surface.unknowns}, v.data());
    });
    receivers.evaluate(team, march.histories(), received);
    out.insert(out.end(), received.begin(), received.end());
  }
  return out;
}

double interior_source_error(const Surface& surface, Team& team) {
  const Form form = form_for(surface, FormName::N);
  Excitation excitation{"source", {}};
  Wave wave;
  wave.kind = WaveKind::point;
  wave.position = {0.1, 0.05, -0.08};
  wave.pulse = ricker_of(3);
  excitation.waves.push_back(wave);
  set_onsets(excitation, surface.vertices, 1);
  const std::vector<Vec3> places{{0, 0, -2}, {0, 0, 2}, {2, 0, 0}, {1.2, 0, -1.2}};
  RightHandSide l(surface, form, excitation);
  March<double> march(assemble_all<double>(surface, form, {}, team),
                      {.steps = 8, .reach = receiver_columns(surface, form, places) + 8});
  Receivers<double> receivers(surface, form, places, 8, team);
  std::vector<double> received;
  std::array<double, 4> difference{}, total{};
  const double span = excitation.waves[0].t0 + wave.pulse.onset() + 6;
  while (static_cast<double>(march.step()) * form.dt < span) {
    march.advance(team, [&](Index n, Index, std::span<double> v) {
      l.triangles(n, {0, l.triangle_count()});
      l.gather({0, surface.unknowns}, v.data());
    });
    receivers.evaluate(team, march.histories(), received);
    for (Index g = 0; g < 8; ++g)
      for (std::size_t r = 0; r < places.size(); ++r) {
        const double t = static_cast<double>(march.step() - 7 + g - receiver_lag) * form.dt;
        const double want = -excitation.value(places[r], t, 1);
        difference[r] += std::pow(received[static_cast<std::size_t>(g) * places.size() + r] - want, 2);
        total[r] += want * want;
      }
  }
  double worst = 0;
  for (std::size_t r = 0; r < places.size(); ++r) worst = std::max(worst, std::sqrt(difference[r] / total[r]));
  return worst;
}

EchoErrors echoing_sphere(int divisions, FormName name, Team& team) {
  const Surface s = unit_sphere(divisions);
  const Form form = form_for(s, name);
  const Matrices<double> matrices = assemble_all<double>(s, form, {}, team);
  InstantSolver instant(matrices.M0, false);
  FrequencySolver<double> solver(matrices, instant, nullptr);
  const ExactSphere exact{form.rigid(), 1, 1, 0};
  EchoErrors out{s.unknowns, s.mean_edge, 0, 0, 0, 0, 0};
  double difference = 0, total = 0;
  for (const double k : {0.5, 1.5, 3.0}) {
    solver.set(team, k);
    const double f = k / (2 * std::numbers::pi);
    const double allowed = std::pow(k * s.mean_edge, 2) / std::sqrt(720.0) + std::pow(k * form.dt, 2) / 12;
    double of_all = 0;
    std::vector<Complex> a(static_cast<std::size_t>(s.unknowns));
    for (const int normal : {0, 2}) {
      const MonostaticSetting around{normal, 6, {f}};
      for (Index d = 0; d < around.count; ++d) {
        const Vec3 toward = around.toward(d);
        if (solver.solve(team, lit_by_plane_wave(s, form, vec::scale(-1, toward), k), a) == 0)
          throw Failure(not_solved(f));
        out.monostatic_db = std::max(out.monostatic_db, std::abs(target_strength(far_field(s, form, a, f, toward), 1) -
                                                                 target_strength(exact.far_field(k, -1), 1)));
      }
      // The last wave, in all directions.
      HeadSetting all;
      all.directions = even_angles(30);
      const Vec3 along = vec::scale(-1, around.toward(around.count - 1));
      for (std::size_t d = 0; d < all.directions.size(); ++d) {
        const Vec3 toward = all.toward(d);
        // Values of soft surfaces lie half a step earlier.
        const Complex got = far_field(s, form, a, f, toward) * std::polar(1.0, form.rigid() ? 0.0 : -0.5 * k * form.dt),
                      want = exact.far_field(k, vec::dot(toward, along));
        difference += std::norm(got - want);
        total += std::norm(want);
        of_all += std::norm(want) / (2 * static_cast<double>(all.directions.size()));
      }
    }
    const double loud = std::sqrt(of_all);
    out.allowed = std::max(out.allowed, allowed);
    out.allowed_db = std::max(out.allowed_db, -20 * std::log10(1 - allowed * loud / std::abs(exact.far_field(k, -1))));
  }
  out.directivity = std::sqrt(difference / total);

  // The closed transform of a right-hand side, against that of a pulse's steps.
  Wave wave;
  wave.kind = WaveKind::plane;
  wave.direction = {0.6, 0, 0.8};
  wave.pulse = ricker_of(2);
  wave.t0 = wave.pulse.onset() + 1.1;
  RightHandSide rhs(s, form, {"", {wave}});
  std::vector<double> l(static_cast<std::size_t>(s.unknowns));
  std::vector<Complex> sum(l.size()), closed(l.size());
  Complex pulse = 0;
  constexpr double omega = 1.5;
  const auto steps = static_cast<Index>((2 * wave.t0 + 4) / form.dt);
  for (Index n = 1; n <= steps; ++n) {
    const Complex turn = std::polar(1.0, omega * static_cast<double>(n) * form.dt);
    rhs.triangles(n, {0, rhs.triangle_count()});
    rhs.gather({0, s.unknowns}, l.data());
    for (std::size_t j = 0; j < l.size(); ++j) sum[j] += turn * l[j];
  }
  for (Index n = -steps; n <= steps; ++n) {
    const double t = static_cast<double>(n) * form.dt;
    pulse += wave.pulse.value(t) * std::polar(1.0, omega * t);
  }
  rhs.transformed(omega, closed);
  double off = 0, all = 0;
  for (std::size_t j = 0; j < l.size(); ++j) {
    // The waves' t_0 is in both; a pulse about t = 0 has the spectrum that is asked for.
    off += std::norm(closed[j] * pulse - sum[j]);
    all += std::norm(sum[j]);
  }
  out.transformed = std::sqrt(off / all);
  return out;
}

SpheroidEcho spheroid_echo(int divisions, Team& team) {
  Mesh mesh = *icosphere({.radius = 1, .divisions = divisions});
  for (std::size_t k = 2; k < mesh.mutable_points().size(); k += 3) mesh.mutable_points()[k] *= 7;
  const Surface s = *make_surface(with_curved_faces(mesh)->mesh, Ordering::hilbert);
  const Form form = form_for(s, FormName::NC);
  const Matrices<double> matrices = assemble_all<double>(s, form, {}, team);
  InstantSolver instant(matrices.M0, false);
  FrequencySolver<double> solver(matrices, instant, nullptr);
  solver.set(team, spheroid_wave_number);
  std::vector<std::complex<double>> a(static_cast<std::size_t>(s.unknowns));
  const double frequency = spheroid_wave_number / (2 * std::numbers::pi);
  if (solver.solve(team, lit_by_plane_wave(s, form, {0, 0, 1}, spheroid_wave_number), a) == 0)
    throw Failure(not_solved(frequency));
  return {s.unknowns, target_strength(far_field(s, form, a, frequency, {0, 0, -1}), 1)};
}

}  // namespace conoid::acoustic_bem
