// SPDX-License-Identifier: BSD-3-Clause
// Rayleigh and Love waves of layers: against the half-space, another program, Love's equation, and the speed of energy.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "engine/core/vec3.hpp"
#include "engine/solvers/elastic_bem/discretization/layered_modes.hpp"
#include "engine/solvers/elastic_bem/discretization/layered_waves.hpp"
#include "engine/solvers/elastic_bem/discretization/quadrature.hpp"
#include "engine/solvers/elastic_bem/verify/scenes.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

namespace {

using Vector = std::array<Complex, 3>;

Medium of_speeds(double pressure, double shear, double density, double beta = 0) {
  Medium m;
  const double ratio = std::pow(shear / pressure, 2);
  m.mu = density * shear * shear;
  m.nu = (1 - 2 * ratio) / (2 - 2 * ratio);
  m.rho = density;
  m.beta = beta;
  return m;
}

double length_of(const Vector& v) {
  return std::sqrt(std::norm(v[0]) + std::norm(v[1]) + std::norm(v[2]));
}

/// Of a - b.
double apart(const Vector& a, const Vector& b) {
  return length_of({a[0] - b[0], a[1] - b[1], a[2] - b[2]});
}

WaveSetting along_ground(WaveKind kind, int mode = 0) {
  WaveSetting w;
  w.kind = kind;
  w.mode = mode;
  w.half_space = true;
  w.direction = {0.8, 0.6, 0};
  w.amplitude = 0.7;
  w.level = 0.3;
  return w;
}

/// Soft ground of which the damping is told.
SoilProfile soft_ground(double beta) {
  SoilProfile out;
  out.layers = {{of_speeds(400, 120, 1700, beta), 4}, {of_speeds(1500, 220, 1900, beta), 9}};
  out.half_space = of_speeds(1700, 500, 2100, beta);
  return out;
}

Complex number_of(const SoilProfile& p, WaveKind kind, int mode, double omega) {
  return surface_wave_number(p, kind, mode, omega).value();
}

}  // namespace

double surface_wave_half_space_error(double beta) {
  Medium m;
  m.nu = 0.3;
  m.beta = beta;
  const SoilProfile profile = half_space_in_layers(m);
  double worst = 0;
  for (const double omega : {1e-3, 0.3, 3.0, 30.0}) {
    const WaveSetting w = along_ground(WaveKind::rayleigh);
    const auto one = IncidentField::make(w, Harmonic(m, omega)).value();
    const auto layers = LayeredWave::make(profile, w, omega).value();
    double size = 0, size_t = 0, off = 0, off_t = 0;
    for (const Vec3& x : {Vec3{0, 0, 0.3}, {1, -0.5, -0.1}, {-0.5, 0.3, -1.0}, {0.4, 1, -1.6}, {-0.1, -1, -3.7}}) {
      const Vector u = one.displacement(x);
      size = std::max(size, length_of(u));
      off = std::max(off, apart(layers.displacement(x), u));
      for (const Vec3& n : {Vec3{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}) {
        const Vector t = one.traction(x, n);
        size_t = std::max(size_t, length_of(t));
        off_t = std::max(off_t, apart(layers.traction(x, n), t));
      }
    }
    worst = std::max({worst, off / size, off_t / size_t});
  }
  return worst;
}

double surface_wave_speed_error() {
  SoilProfile crust;
  crust.layers = {{of_speeds(5000, 3000, 2500), 5000}, {of_speeds(7000, 4000, 3000), 10000}};
  crust.half_space = of_speeds(8100, 4600, 3300);
  // Speeds (km/s) by the program surf96 of R. B. Herrmann (Seismol. Res. Lett. 84 (2013) 1081), Dunkin's matrices, halved to 2e-6.
  struct Row {
    WaveKind kind;
    int mode;
    double period, speed;
  };
  constexpr WaveKind rayleigh = WaveKind::rayleigh, love = WaveKind::love;
  constexpr Row rows[] = {{rayleigh, 0, 0.5, 2.7425808}, {rayleigh, 0, 1, 2.7428249},   {rayleigh, 0, 2, 2.7687683},
                          {rayleigh, 0, 3, 2.8846022},   {rayleigh, 0, 5, 3.2643542},   {rayleigh, 0, 8, 3.6057546},
                          {rayleigh, 0, 10, 3.7542956},  {rayleigh, 0, 20, 4.0195495},  {rayleigh, 0, 40, 4.1150612},
                          {rayleigh, 1, 0.5, 3.0483338}, {rayleigh, 1, 1, 3.2827147},   {rayleigh, 1, 2, 3.8577947},
                          {rayleigh, 1, 3, 4.1149940},   {rayleigh, 2, 0.5, 3.2001259}, {rayleigh, 2, 1, 3.8313427},
                          {rayleigh, 2, 2, 4.4162958},   {love, 0, 0.5, 3.0079245},     {love, 0, 1, 3.0299772},
                          {love, 0, 3, 3.2211413},       {love, 0, 8, 3.8224226},       {love, 0, 20, 4.4017116},
                          {love, 0, 40, 4.5485437},      {love, 1, 0.5, 3.0734276},     {love, 1, 2, 3.9855780},
                          {love, 2, 0.5, 3.2167431},     {love, 2, 2, 4.3795009}};
  double worst = 0;
  for (const Row& r : rows) {
    const double omega = 2 * std::numbers::pi / r.period;
    worst = std::max(worst, std::abs(omega / number_of(crust, r.kind, r.mode, omega).real() / (1000 * r.speed) - 1));
  }
  return worst;
}

double love_wave_error(double beta) {
  SoilProfile p;
  p.layers = {{of_speeds(500, 150, 1800, beta), 3}, {of_speeds(500, 150, 1800, beta), 7}};
  p.half_space = of_speeds(1500, 400, 2000, 0.4 * beta);
  const double thickness = 10;
  double worst = 0;
  for (const double omega : {0.5, 20.0, 90.0, 400.0})
    for (const int mode : {0, 1, 3}) {
      // Mode m begins at q_1 H = m pi, k = k_S2.
      if (omega * thickness * std::sqrt(1 / (150.0 * 150) - 1 / (400.0 * 400)) < mode * std::numbers::pi) continue;
      const Harmonic top(p.layers[0].medium, omega), below(*p.half_space, omega);
      const auto f = [&](Complex k) {
        const Complex q = std::sqrt(top.kS * top.kS - k * k);
        return top.mu * q * std::sin(q * thickness) -
               below.mu * std::sqrt(k * k - below.kS * below.kS) * std::cos(q * thickness);
      };
      const Complex k = number_of(p, WaveKind::love, mode, omega), h = 1e-6 * k,
                    step = f(k) * 2.0 * h / (f(k + h) - f(k - h));
      worst = std::max(worst, std::abs(step / k));
    }
  return worst;
}

double damped_surface_wave_error() {
  constexpr double beta = 0.04;
  constexpr int points = 24;
  const SoilProfile undamped = soft_ground(0), damped = soft_ground(beta);
  double worst = 0;
  for (const WaveKind kind : {WaveKind::rayleigh, WaveKind::love})
    for (const double hertz : {3.0, 12.0, 30.0}) {
      // Lagrange's polynomial on Chebyshev's points of 0.85 to 1.15 omega.
      const double omega = 2 * std::numbers::pi * hertz;
      const Complex at = omega / std::sqrt(Complex(1, 2 * beta));
      std::array<double, points> x{}, value{};
      for (int n = 0; n < points; ++n) {
        const auto c = static_cast<std::size_t>(n);
        x[c] = omega * (1 + 0.15 * std::cos(std::numbers::pi * (n + 0.5) / points));
        value[c] = number_of(undamped, kind, 0, x[c]).real();
      }
      Complex want = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        Complex weight = 1;
        for (std::size_t j = 0; j < x.size(); ++j)
          if (j != i) weight *= (at - x[j]) / (x[i] - x[j]);
        want += weight * value[i];
      }
      worst = std::max(worst, std::abs(number_of(damped, kind, 0, omega) / want - 1.0));
    }
  return worst;
}

namespace {

/// Power through an upright plane across the wave over the energy of a length of it.
double speed_of_energy(const SoilProfile& p, const LayeredWave& wave, const WaveSetting& w, double omega, double k) {
  double power = 0, energy = 0, top = 0;
  const Vec3 n = unit(w.direction);
  for (std::size_t l = 0; l <= p.layers.size(); ++l) {
    const bool last = l == p.layers.size();
    const Medium& m = last ? *p.half_space : p.layers[l].medium;
    const double kS = omega / m.shear_speed(),
                 bottom = last ? top + 20 / std::sqrt(k * k - kS * kS) : top + p.layers[l].thickness;
    constexpr int panels = 40;
    for (int q = 0; q < panels; ++q)
      for (const GaussPoint& g : gauss_points(12)) {
        const double depth = top + (bottom - top) * (q + g.x) / panels, by = (bottom - top) / panels * g.w;
        const Vec3 x{0, 0, w.level - depth};
        const Vector u = wave.displacement(x), t = wave.traction(x, n);
        for (std::size_t c = 0; c < 3; ++c) {
          power -= 0.5 * by * (t[c] * std::conj(Complex(0, omega) * u[c])).real();
          energy += 0.5 * by * m.rho * omega * omega * std::norm(u[c]);
        }
      }
    top = bottom;
  }
  return power / energy;
}

}  // namespace

std::array<double, 3> surface_wave_balance() {
  std::array<double, 3> out{};
  for (const double beta : {0.0, 0.05})
    for (const WaveKind kind : {WaveKind::rayleigh, WaveKind::love})
      for (const std::pair<double, int>& of : {std::pair{0.5, 0}, {4.0, 0}, {15.0, 0}, {15.0, 1}, {30.0, 2}}) {
        const double hertz = of.first;
        const int mode = of.second;
        const SoilProfile p = soft_ground(beta);
        const double omega = 2 * std::numbers::pi * hertz;
        const WaveSetting w = along_ground(kind, mode);
        const auto wave = LayeredWave::make(p, w, omega).value();
        const auto at = [&](double depth) { return Vec3{0.2, -0.1, w.level - depth}; };
        double load = 0, motion = 0, depth = 0;
        for (int n = 0; n <= 60; ++n) {
          motion = std::max(motion, length_of(wave.displacement(at(0.25 * n))));
          load = std::max(load, length_of(wave.traction(at(0.25 * n), unit(w.direction))));
        }
        out[0] = std::max(out[0], length_of(wave.traction(at(0), {0, 0, 1})) / load);
        for (const SoilLayer& l : p.layers) {
          depth += l.thickness;
          const Vec3 above = at(depth), below = at(depth * (1 + 1.5e-12)), up{0, 0, 1};
          out[1] = std::max({out[1], apart(wave.displacement(above), wave.displacement(below)) / motion,
                             apart(wave.traction(above, up), wave.traction(below, up)) / load});
        }
        if (beta > 0) continue;
        const double h = 1e-3 * omega;
        const auto k = [&](double n) { return number_of(p, kind, mode, omega + n * h).real(); };
        const double group = 12 * h / (k(-2) - 8 * k(-1) + 8 * k(1) - k(2));
        out[2] = std::max(out[2], std::abs(speed_of_energy(p, wave, w, omega, k(0)) / group - 1));
      }
  return out;
}

}  // namespace conoid::elastic_bem
