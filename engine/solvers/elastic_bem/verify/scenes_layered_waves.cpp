// SPDX-License-Identifier: BSD-3-Clause
// Waves in layered ground without a mesh: against the half-space, columns, Love's layer, the conservation of energy.
#include <algorithm>
#include <cmath>

#include "engine/core/vec3.hpp"
#include "engine/solvers/elastic_bem/discretization/layered_waves.hpp"
#include "engine/solvers/elastic_bem/verify/scenes.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

namespace {

constexpr Complex i1{0, 1};
constexpr WaveKind body_waves[] = {WaveKind::p, WaveKind::sv, WaveKind::sh};

/// By the angle from the upright, in some vertical plane.
WaveSetting wave_at(WaveKind kind, double angle, double level) {
  WaveSetting w;
  w.kind = kind;
  w.half_space = true;
  w.direction = {0.8 * std::sin(angle), 0.6 * std::sin(angle), std::cos(angle)};
  w.amplitude = 0.7;
  w.level = level;
  return w;
}

double size_of(const std::array<Complex, 3>& v) {
  return std::sqrt(std::norm(v[0]) + std::norm(v[1]) + std::norm(v[2]));
}

std::array<Complex, 3> less(const std::array<Complex, 3>& a, const std::array<Complex, 3>& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

}  // namespace

SoilProfile unlike_layers(double beta, bool rock) {
  const auto medium = [&](double mu, double nu, double rho) {
    Medium m;
    m.mu = mu;
    m.nu = nu;
    m.rho = rho;
    m.beta = beta;
    return m;
  };
  SoilProfile out;
  out.layers = {{medium(1, 0.3, 1), 0.5}, {medium(0.3, 0.48, 1.1), 1.2}, {medium(20, 0.2, 1.3), 0.4}};
  if (!rock) out.half_space = medium(5, 0.3, 1.25);
  return out;
}

double layered_wave_half_space_error(double beta) {
  Medium m;
  m.nu = 0.3;
  m.beta = beta;
  const SoilProfile profile = half_space_in_layers(m);
  const double omega = 3, level = 0.3, depth = 1.9;
  const Harmonic h(m, omega);
  double worst = 0;
  for (const WaveKind kind : body_waves)
    for (const double angle : {0.0, 0.2, 0.5639426413606289, 0.7, 1.2, 1.5}) {
      const WaveSetting w = wave_at(kind, angle, level);
      const auto one = IncidentField::make(w, h).value();
      const auto layers = LayeredWave::make(profile, w, omega).value();
      // From the surface down to where the layers' amplitude is told.
      const Complex by = std::exp(-i1 * (kind == WaveKind::p ? h.kP : h.kS) * std::cos(angle) * depth);
      double size = 0, size_t = 0, apart = 0, apart_t = 0;
      for (const Vec3& x : {Vec3{0, 0, level},
                            {1, -0.5, level - 0.4},
                            {-2, 0.3, level - 1.3},
                            {0.4, 3, level - 1.9},
                            {-1, -1, level - 4}}) {
        auto u = one.displacement(x);
        for (Complex& v : u) v *= by;
        size = std::max(size, size_of(u));
        apart = std::max(apart, size_of(less(layers.displacement(x), u)));
        for (const Vec3& n : {Vec3{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}) {
          auto t = one.traction(x, n);
          for (Complex& v : t) v *= by;
          size_t = std::max(size_t, size_of(t));
          apart_t = std::max(apart_t, size_of(less(layers.traction(x, n), t)));
        }
      }
      worst = std::max({worst, apart / size, apart_t / size_t});
    }
  return worst;
}

double layered_wave_column_error() {
  Medium top, below;
  top.nu = 0.3;
  below.mu = 6;
  below.rho = 1.4;
  below.nu = 0.25;
  double worst = 0;
  for (const double beta : {0.0, 0.04})
    for (const double omega : {0.3, 1.1, 2.6, 9.0})
      for (const WaveKind kind : body_waves)
        for (const double angle : {0.0, 0.3, 0.9, 1.4}) {
          if (kind != WaveKind::sh && angle > 0) continue;
          top.beta = beta;
          below.beta = 0.5 * beta;
          SoilProfile profile;
          profile.layers = {{top, 0.5}, {top, 1.2}};
          profile.half_space = below;
          const double thickness = 1.7;
          const Harmonic a(top, omega), b(below, omega);
          const bool p = kind == WaveKind::p;
          const Complex k1 = p ? a.kP : a.kS, k2 = p ? b.kP : b.kS, kh = k2 * std::sin(angle);
          const Complex q1 = std::sqrt(k1 * k1 - kh * kh), q2 = k2 * std::cos(angle);
          const Complex m1 = p ? a.lambda + 2.0 * a.mu : a.mu, m2 = p ? b.lambda + 2.0 * b.mu : b.mu;
          const Complex alpha = m1 * q1 / (m2 * q2);
          const WaveSetting w = wave_at(kind, angle, 0);
          const auto got = LayeredWave::make(profile, w, omega).value();
          const auto over = [&](double amplitude) {  // the motion of an outcrop over cos q_1 H + i alpha sin q_1 H
            return 2 * amplitude / (std::cos(q1 * thickness) + i1 * alpha * std::sin(q1 * thickness));
          };
          const Vec3 d = WaveAxes(w).polarisation(kind);
          for (const double z : {0.0, 0.5, 1.1, 1.7}) {
            const Complex want = over(w.amplitude) * std::cos(q1 * z);
            const auto u = got.displacement({0, 0, -z});
            const std::array<Complex, 3> wanted{want * d[0], want * d[1], want * d[2]};
            worst = std::max(worst, size_of(less(u, wanted)) / std::abs(over(w.amplitude)));
          }
          if (angle > 0) continue;
          profile.half_space.reset();  // rock: 1/cos of its own motion
          const auto rock = LayeredWave::make(profile, w, omega).value();
          const Complex want = w.amplitude / std::cos(q1 * thickness);
          const auto u = rock.displacement({0.3, -2, 0});
          worst = std::max(
              worst, size_of(less(u, {want * d[0], want * d[1], want * d[2]})) / std::max(std::abs(want), w.amplitude));
        }
  return worst;
}

std::array<double, 3> layered_wave_balance() {
  std::array<double, 3> out{};
  const double level = -0.4;
  for (const double beta : {0.0, 0.05})
    for (const double omega : {0.5, 2.0, 7.0, 40.0})
      for (const WaveKind kind : body_waves)
        for (const double angle :
             {0.0, 0.3, std::asin(2 / std::sqrt(20 / 1.3)), 1.1, 1.5}) {  // one along the stiff layer
          const SoilProfile profile = unlike_layers(beta, false);
          const auto wave = LayeredWave::make(profile, wave_at(kind, angle, level), omega).value();
          const auto at = [&](double depth) { return Vec3{0.2, -0.1, level - depth}; };
          const double motion = size_of(wave.displacement(at(0)));
          // Tractions over those of the incident wave.
          const Harmonic h(*profile.half_space, omega);
          const double load = 0.7 * std::abs((h.lambda + 2.0 * h.mu) * h.kP);
          out[0] = std::max(out[0], size_of(wave.traction(at(0), {0, 0, 1})) / load);
          double depth = 0;
          for (const SoilLayer& l : profile.layers) {
            depth += l.thickness;
            // So far below that it is the next layer's.
            const Vec3 above = at(depth), below = at(depth * (1 + 1.5e-12)), n{0, 0, 1};
            const auto u = wave.displacement(above), t = wave.traction(above, n);
            out[1] = std::max({out[1], size_of(less(u, wave.displacement(below))) / std::max(motion, size_of(u)),
                               size_of(less(t, wave.traction(below, n))) / std::max(load, size_of(t))});
          }
          if (beta > 0) continue;
          // What goes up through a level comes back: the power through it, over that of the incident wave, ωk M |A|²/2.
          for (const double z : {0.2, 0.9, 1.8, 3.0}) {
            const auto u = wave.displacement(at(z)), t = wave.traction(at(z), {0, 0, 1});
            Complex power = 0;
            for (std::size_t c = 0; c < 3; ++c) power += t[c] * std::conj(u[c]);
            out[2] = std::max(out[2], std::abs(power.imag()) / (0.7 * load));
          }
        }
  return out;
}

double layered_wave_rock_error() {
  // Rock that gives way by a millionth: twice the incident amplitude.
  double worst = 0;
  for (const WaveKind kind : body_waves) {
    SoilProfile profile = unlike_layers(0.03, true);
    WaveSetting w = wave_at(kind, 0, 0);
    const auto rigid = LayeredWave::make(profile, w, 2).value();
    profile.half_space.emplace();
    profile.half_space->mu = 1e10;
    profile.half_space->rho = 1e4;
    w.amplitude *= 0.5;
    const auto stiff = LayeredWave::make(profile, w, 2).value();
    for (const double z : {0.0, 0.8, 2.0}) {
      const auto u = rigid.displacement({1, 2, -z});
      worst = std::max(worst, size_of(less(u, stiff.displacement({1, 2, -z}))) / size_of(u));
    }
  }
  return worst;
}

}  // namespace conoid::elastic_bem
