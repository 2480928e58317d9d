// SPDX-License-Identifier: BSD-3-Clause
// Amplitudes of the waves in layers.
#include "engine/solvers/elastic_bem/discretization/layered_waves.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/core.h>

#include "engine/solvers/elastic_bem/discretization/layered_modes.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

namespace {

constexpr Complex i1{0, 1};

/// Where a wave runs along a layer the one that goes down and the one that goes up are the same. The motion is an even function of q: |q|
/// of 1e-6 k instead of 0 is off by 1e-12 (kh)², and round-off grows by 1e6.
Complex apart_from_zero(Complex q, Complex k) {
  constexpr double least = 1e-6;
  return std::abs(q) > least * std::abs(k) ? q : least * k;
}

}  // namespace

Result<LayeredWave> LayeredWave::make(const SoilProfile& profile, const WaveSetting& s, double omega) {
  if (is_surface_wave(s.kind) && !profile.layers.empty()) return make_mode(profile, s, omega);
  LayeredWave out(s);
  if (profile.layers.empty()) {
    auto field = IncidentField::make(s, Harmonic(*profile.half_space, omega));
    if (!field) return field.error();
    out.half_space_ = std::move(*field);
    return out;
  }
  const bool rock = !profile.half_space;
  const double rise = dot(out.axes_.way, out.axes_.up);
  if (rise <= 1e-6)
    return make_error(ErrorCode::invalid_input,
                      "the incident wave does not come from below: its direction does not rise to the surface",
                      "Give a direction with a part towards the surface.");
  if (rock && rise < 1 - 1e-12)
    return make_error(ErrorCode::invalid_input,
                      "rigid rock moves as a whole, and an oblique wave has no speed along it",
                      "Give an upright direction, or leave out profile.rock and give the rock as the lowest medium.");
  const Medium& from = rock ? profile.layers.back().medium : *profile.half_space;
  double depth = 0;
  for (const SoilLayer& l : profile.layers) depth += l.thickness;
  // At rest: phases that are nothing.
  const double moving = omega > 0 ? omega : 1e-13 * from.shear_speed() / depth;
  const Harmonic h(from, moving);
  const Complex k = s.kind == WaveKind::p ? h.kP : h.kS,
                kh = rock ? Complex(0) : k * dot(out.axes_.way, out.axes_.along);
  out.add_layers(profile, moving, kh);
  if (!rock) {
    PlaneWave in;
    const Vec3 d = out.axes_.polarisation(s.kind);
    for (std::size_t c = 0; c < 3; ++c) {
      in.k[c] = k * out.axes_.way[c];
      in.d[c] = s.amplitude * d[c];
    }
    out.layers_.back().parts.push_back({in, depth});
  }
  if (auto status = out.solve(s, rock); !status) return status.error();
  return out;
}

void LayeredWave::add_layers(const SoilProfile& profile, double omega, Complex kh) {
  double top = 0;
  const auto add = [&](const Medium& medium, double bottom, bool both) {
    Layer l{Harmonic(medium, omega), bottom, {}};
    const Harmonic& h = l.harmonic;
    Complex qp = downward_root(h.kP * h.kP - kh * kh), qs = downward_root(h.kS * h.kS - kh * kh);
    if (both) {
      qp = apart_from_zero(qp, h.kP);
      qs = apart_from_zero(qs, h.kS);
    }
    for (const PlaneWave& w : axes_.waves(h, kh, qp, qs)) l.parts.push_back({w, top});
    if (both)
      for (const PlaneWave& w : axes_.waves(h, kh, -qp, -qs)) l.parts.push_back({w, bottom});
    layers_.push_back(std::move(l));
    top = bottom;
  };
  for (const SoilLayer& l : profile.layers) add(l.medium, top + l.thickness, true);
  if (profile.half_space) add(*profile.half_space, std::numeric_limits<double>::infinity(), false);
}

Complex LayeredWave::phase(const Part& part, const Vec3& x) const {
  const auto along = [&](const Vec3& e) {
    return part.wave.k[0] * e[0] + part.wave.k[1] * e[1] + part.wave.k[2] * e[2];
  };
  return std::exp(-i1 * (along(axes_.along) * dot(x, axes_.along) + along(axes_.down) * (depth_of(x) - part.from)));
}

Result<LayeredWave> LayeredWave::make_mode(const SoilProfile& profile, const WaveSetting& s, double omega) {
  if (auto status = WaveAxes::along_surface(s); !status) return status.error();
  LayeredWave out(s);
  if (!(omega > 0) && profile.half_space && s.mode == 0) {
    // Ever longer waves do not see the layers: a Rayleigh wave is the half-space's, a Love wave one motion across.
    WaveSetting still = s;
    if (s.kind == WaveKind::love) {
      still.kind = WaveKind::sh;
      still.half_space = false;
      still.direction = out.axes_.along;
    }
    auto field = IncidentField::make(still, Harmonic(*profile.half_space, 0));
    if (!field) return field.error();
    out.half_space_ = std::move(*field);
    return out;
  }
  if (!(omega > 0))
    return make_error(ErrorCode::invalid_input,
                      profile.half_space ? "at rest there is no mode but 0" : "at rest layers on rock carry no wave",
                      "Leave out the frequency 0.");
  const auto kh = surface_wave_number(profile, s.kind, s.mode, omega);
  if (!kh) return kh.error();
  out.add_layers(profile, omega, *kh);
  if (auto status = out.solve_mode(s); !status) return status.error();
  return out;
}

BandedSystem LayeredWave::equations() const {
  std::size_t unknowns = 0;
  for (const Layer& l : layers_) unknowns += l.bottom < std::numeric_limits<double>::infinity() ? 6 : 3;
  BandedSystem system(unknowns, 8);
  // Displacements or tractions of a layer at a depth, in three rows from `row` on; tractions over those of the upper layer's S waves. What is
  // not unknown, the incident wave, goes to the right.
  const auto put = [&](std::size_t row, std::size_t layer, double depth, double sign, bool load, Complex size) {
    const Layer& l = layers_[layer];
    const Vec3 at = scale(level_ - depth, axes_.up);
    for (std::size_t c = 0; c < l.parts.size(); ++c) {
      const PlaneWave& w = l.parts[c].wave;
      const Vector v = load ? w.traction(l.harmonic.lambda, l.harmonic.mu, axes_.down) : w.d;
      const Complex by = sign * phase(l.parts[c], at) / size;
      const std::size_t column = 6 * layer + c;
      for (std::size_t i = 0; i < 3; ++i) {
        if (column < unknowns)
          system.at(row + i, column) += by * v[i];
        else
          system.right(row + i) -= by * v[i];
      }
    }
  };
  const auto load_size = [&](std::size_t layer) { return layers_[layer].harmonic.mu * layers_[layer].harmonic.kS; };
  put(0, 0, 0, 1, true, load_size(0));
  for (std::size_t n = 0; 6 * n + 3 < unknowns; ++n) {
    const std::size_t row = 6 * n + 3;
    const double depth = layers_[n].bottom;
    put(row, n, depth, 1, false, 1);
    if (n + 1 == layers_.size()) continue;
    put(row, n + 1, depth, -1, false, 1);
    put(row + 3, n, depth, 1, true, load_size(n));
    put(row + 3, n + 1, depth, -1, true, load_size(n));
  }
  return system;
}

void LayeredWave::take(const std::vector<Complex>& amplitude) {
  for (std::size_t n = 0; n < amplitude.size(); ++n)
    for (Complex& d : layers_[n / 6].parts[n % 6].wave.d) d *= amplitude[n];
}

Status LayeredWave::solve(const WaveSetting& s, bool rock) {
  BandedSystem system = equations();
  const Vec3 d = axes_.polarisation(s.kind);
  for (std::size_t i = 0; rock && i < 3; ++i) system.right(system.size() - 3 + i) = s.amplitude * d[i];
  const std::vector<Complex> amplitude = system.solve(1e-14);
  const auto known = [](Complex v) { return std::isfinite(v.real()) && std::isfinite(v.imag()); };
  if (amplitude.empty() || !std::ranges::all_of(amplitude, known))
    return make_error(ErrorCode::not_converged,
                      rock ? "the layers on rock move without end: the frequency is one of their own"
                           : "the layers have a mode of their own with the speed of this wave",
                      "Give the layers damping, or change the frequency.");
  take(amplitude);
  return {};
}

Status LayeredWave::solve_mode(const WaveSetting& s) {
  // The equations are singular but for round-off: whatever stands on the right, the answer is the mode.
  BandedSystem system = equations();
  const bool love = s.kind == WaveKind::love;
  for (std::size_t row = 0; row < system.size(); row += 3) {
    const double turn = 1.3 * static_cast<double>(row);
    for (std::size_t i = 0; i < 3; ++i)
      system.right(row + i) = love ? (1 + 0.3 * std::cos(turn)) * axes_.across[i]
                                   : std::cos(turn) * axes_.along[i] + std::sin(1 + turn) * axes_.down[i];
  }
  take(system.solve(1e-15, true));
  const Vec3 way = love ? axes_.across : axes_.up;
  const auto along = [&](double depth) {
    const auto u = displacement(scale(level_ - depth, axes_.up));
    return std::pair{u[0] * way[0] + u[1] * way[1] + u[2] * way[2],
                     std::norm(u[0]) + std::norm(u[1]) + std::norm(u[2])};
  };
  const Complex top = along(0).first;
  double most = 0, depth = 0;  // of the motion, looked for at twenty depths a layer
  for (const Layer& l : layers_) {
    for (int n = 0; n <= 20 && l.bottom < std::numeric_limits<double>::infinity(); ++n)
      most = std::max(most, std::sqrt(along(depth + n / 20.0 * (l.bottom - depth)).second));
    depth = l.bottom;
  }
  if (!(std::abs(top) > 1e-4 * most))
    return make_error(ErrorCode::invalid_input,
                      fmt::format("the {} wave of mode {} runs within the ground and does not move the surface",
                                  love ? "Love" : "Rayleigh", s.mode),
                      "Use a higher mode, which does, or lower frequencies.");
  for (Layer& l : layers_)
    for (Part& part : l.parts)
      for (Complex& d : part.wave.d) d *= s.amplitude / top;
  return {};
}

const LayeredWave::Layer& LayeredWave::layer_at(double depth) const {
  const auto it = std::ranges::find_if(layers_, [&](const Layer& l) { return depth <= l.bottom * (1 + 1e-12); });
  return it == layers_.end() ? layers_.back() : *it;
}

std::array<Complex, 3> LayeredWave::displacement(const Vec3& x) const {
  if (half_space_) return half_space_->displacement(x);
  Vector u{};
  for (const Part& part : layer_at(depth_of(x)).parts) {
    const Complex by = phase(part, x);
    for (std::size_t i = 0; i < 3; ++i) u[i] += part.wave.d[i] * by;
  }
  return u;
}

std::array<Complex, 3> LayeredWave::traction(const Vec3& x, const Vec3& n) const {
  if (half_space_) return half_space_->traction(x, n);
  const Layer& l = layer_at(depth_of(x));
  Vector out{};
  for (const Part& part : l.parts) {
    const Complex by = phase(part, x);
    const Vector t = part.wave.traction(l.harmonic.lambda, l.harmonic.mu, n);
    for (std::size_t i = 0; i < 3; ++i) out[i] += t[i] * by;
  }
  return out;
}

}  // namespace conoid::elastic_bem
