// SPDX-License-Identifier: BSD-3-Clause
// Amplitudes of the waves in layers.
#include "engine/solvers/elastic_bem/discretization/layered_waves.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/core.h>

namespace conoid::elastic_bem {

using namespace conoid::vec;

namespace {

constexpr Complex i1{0, 1};

/// Rows and columns of three, each row with the eight columns beside its diagonal at most.
class BandedSystem {
 public:
  explicit BandedSystem(std::size_t n) : n_(n), a_(n * n), b_(n) {}
  Complex& at(std::size_t row, std::size_t column) { return a_[row * n_ + column]; }
  Complex& right(std::size_t row) { return b_[row]; }

  /// Gauss's elimination with exchanges of rows; empty where it is singular.
  [[nodiscard]] std::vector<Complex> solve() {
    for (std::size_t k = 0; k < n_; ++k) {
      const std::size_t below = std::min(n_, k + beside + 1), right = std::min(n_, k + 2 * beside + 1);
      std::size_t p = k;
      for (std::size_t i = k + 1; i < below; ++i)
        if (std::norm(at(i, k)) > std::norm(at(p, k))) p = i;
      if (!(std::abs(at(p, k)) > 1e-14)) return {};
      for (std::size_t j = k; j < right && p != k; ++j) std::swap(at(k, j), at(p, j));
      std::swap(b_[k], b_[p]);
      for (std::size_t i = k + 1; i < below; ++i) {
        const Complex f = at(i, k) / at(k, k);
        if (f == Complex(0)) continue;
        for (std::size_t j = k; j < right; ++j) at(i, j) -= f * at(k, j);
        b_[i] -= f * b_[k];
      }
    }
    for (std::size_t k = n_; k-- > 0;) {
      for (std::size_t j = k + 1; j < std::min(n_, k + 2 * beside + 1); ++j) b_[k] -= at(k, j) * b_[j];
      b_[k] /= at(k, k);
    }
    return b_;
  }

 private:
  static constexpr std::size_t beside = 8;
  std::size_t n_;
  std::vector<Complex> a_, b_;
};

/// Where a wave runs along a layer the one that goes down and the one that goes up are the same. The motion is an even function of q: |q|
/// of 1e-6 k instead of 0 is off by 1e-12 (kh)², and round-off grows by 1e6.
Complex apart_from_zero(Complex q, Complex k) {
  constexpr double least = 1e-6;
  return std::abs(q) > least * std::abs(k) ? q : least * k;
}

}  // namespace

Result<LayeredWave> LayeredWave::make(const SoilProfile& profile, const WaveSetting& s, double omega) {
  LayeredWave out(s);
  if (profile.layers.empty()) {
    auto field = IncidentField::make(s, Harmonic(*profile.half_space, omega));
    if (!field) return field.error();
    out.half_space_ = std::move(*field);
    return out;
  }
  const bool rock = !profile.half_space;
  if (s.kind == WaveKind::rayleigh)
    return make_error(ErrorCode::invalid_input,
                      "a Rayleigh wave of layers has its own speed and form at each frequency, which are not computed",
                      "Use p, sv or sh, or a half-space: a profile without layers and thickness.");
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

Status LayeredWave::solve(const WaveSetting& s, bool rock) {
  std::size_t unknowns = 0;
  for (const Layer& l : layers_) unknowns += l.bottom < std::numeric_limits<double>::infinity() ? 6 : 3;
  BandedSystem system(unknowns);
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
    if (n + 1 == layers_.size()) {
      const Vec3 d = axes_.polarisation(s.kind);
      for (std::size_t i = 0; i < 3; ++i) system.right(row + i) = s.amplitude * d[i];
      continue;
    }
    put(row, n + 1, depth, -1, false, 1);
    put(row + 3, n, depth, 1, true, load_size(n));
    put(row + 3, n + 1, depth, -1, true, load_size(n));
  }
  const std::vector<Complex> amplitude = system.solve();
  const auto known = [](Complex v) { return std::isfinite(v.real()) && std::isfinite(v.imag()); };
  if (amplitude.empty() || !std::ranges::all_of(amplitude, known))
    return make_error(ErrorCode::not_converged,
                      rock ? "the layers on rock move without end: the frequency is one of their own"
                           : "the layers have a mode of their own with the speed of this wave",
                      "Give the layers damping, or change the frequency.");
  for (std::size_t n = 0; n < unknowns; ++n)
    for (Complex& d : layers_[n / 6].parts[n % 6].wave.d) d *= amplitude[n];
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
