// SPDX-License-Identifier: BSD-3-Clause
// Pulses, waves, and their integrals against the test functions.
#include "engine/solvers/acoustic_bem/discretization/excitation.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <numbers>

#include "engine/core/vec3.hpp"
#include "engine/numerics/fft.hpp"
#include "engine/numerics/windowed_sinc.hpp"

namespace conoid::acoustic_bem {

using namespace conoid::vec;
using std::numbers::pi;

namespace {

/// Magnitudes of the spectrum of samples over its maximum, up to half the sampling rate, at even distances; of zeros alone ones.
std::vector<double> levels_of(const std::vector<double>& samples) {
  std::vector<std::complex<double>> x(std::bit_ceil(2 * samples.size()));
  std::copy(samples.begin(), samples.end(), x.begin());
  fft(x);
  std::vector<double> out(x.size() / 2 + 1, 1);
  double largest = 0;
  for (std::size_t k = 0; k < out.size(); ++k) largest = std::max(largest, std::abs(x[k]));
  for (std::size_t k = 0; k < out.size() && largest > 0; ++k) out[k] = std::abs(x[k]) / largest;
  return out;
}

}  // namespace

double Pulse::value(double t) const {
  switch (kind) {
    case PulseKind::ricker: {
      const double u = std::pow(pi * frequency * t, 2);
      return u > 45 ? 0 : amplitude * (1 - 2 * u) * std::exp(-u);
    }
    case PulseKind::modulated_gaussian:
    case PulseKind::gaussian: {
      const double u = 0.5 * std::pow(t / width, 2);
      if (u > 45) return 0;
      return amplitude * std::exp(-u) * (kind == PulseKind::gaussian ? 1 : std::cos(2 * pi * frequency * t));
    }
    case PulseKind::sampled: {
      const double at = (t - first) / step;
      const double m = std::floor(at), f = at - m;
      const auto sample = [&](double k) {
        return k < 0 || k >= static_cast<double>(samples.size()) ? 0.0 : samples[static_cast<std::size_t>(k)];
      };
      if (at <= -2 || at >= static_cast<double>(samples.size()) + 1) return 0;
      return amplitude * (-f * (f - 1) * (f - 2) / 6 * sample(m - 1) + (f + 1) * (f - 1) * (f - 2) / 2 * sample(m) -
                          (f + 1) * f * (f - 2) / 2 * sample(m + 1) + (f + 1) * f * (f - 1) / 6 * sample(m + 2));
    }
  }
  return 0;
}

double Pulse::integral(double t) const {
  if (kind == PulseKind::ricker) {
    const double u = std::pow(pi * frequency * t, 2);
    return u > 45 ? 0 : amplitude * t * std::exp(-u);  // as value() has it
  }
  return amplitude * width * std::sqrt(pi / 2) * (1 + std::erf(t / (width * std::numbers::sqrt2)));
}

double Pulse::onset() const {
  switch (kind) {
    case PulseKind::ricker: return 6.2 / (pi * frequency);
    case PulseKind::sampled: return 2 * step - first;
    default: return 8.7 * width;
  }
}

double Pulse::length() const {
  return kind == PulseKind::sampled ? step * (static_cast<double>(samples.size()) + 4) : 2 * onset();
}

double Pulse::highest_frequency() const {
  switch (kind) {
    case PulseKind::ricker:  // (ω/ω_p)² exp(1 − (ω/ω_p)²) = 0.01
      return 2.76 * frequency;
    case PulseKind::modulated_gaussian:  // exp(−(ω − ω_0)² s²/2) = 0.01
      return frequency + 3.03 / (2 * pi * width);
    case PulseKind::gaussian: return 3.03 / (2 * pi * width);
    case PulseKind::sampled: {
      const std::vector<double> levels = levels_of(samples);
      std::size_t last = levels.size() - 1;
      while (last > 1 && levels[last] < 0.01) --last;
      return 0.5 / step * static_cast<double>(last) / static_cast<double>(levels.size() - 1);
    }
  }
  return 0;
}

double Pulse::level(double f) const {
  switch (kind) {
    case PulseKind::ricker: {
      const double u = std::pow(f / frequency, 2);
      return u * std::exp(1 - u);
    }
    case PulseKind::modulated_gaussian: {
      const auto bell = [&](double from) { return std::exp(-0.5 * std::pow(2 * pi * (f - from) * width, 2)); };
      return (bell(frequency) + bell(-frequency)) / (1 + std::exp(-2 * std::pow(2 * pi * frequency * width, 2)));
    }
    case PulseKind::gaussian: return std::exp(-0.5 * std::pow(2 * pi * f * width, 2));
    case PulseKind::sampled: {
      const std::vector<double> levels = levels_of(samples);
      const double at = f * step * 2 * static_cast<double>(levels.size() - 1);
      return at >= static_cast<double>(levels.size() - 1) ? 0 : levels[static_cast<std::size_t>(std::lround(at))];
    }
  }
  return 0;
}

void refine_samples(Pulse& p) {
  if (p.kind != PulseKind::sampled || p.samples.size() < 2 || !(p.step > 0)) return;
  // Cubics between n samples a period are off by 3/128 (2π/n)⁴: 1e-4 with 24.
  constexpr double least = 2.5, wanted = 24, radius = 12;
  const double each = 1 / (p.step * p.highest_frequency());
  const auto parts = static_cast<Index>(std::ceil(wanted / each));
  if (each < least || parts < 2) return;
  const double b = 0.1102 * (80 - 8.7);  // level up to 2.5 samples a period, 80 dB
  const auto count = static_cast<Index>(p.samples.size()), reach = static_cast<Index>(radius);
  std::vector<double> fine;
  for (Index k = -reach * parts; k <= (count - 1 + reach) * parts; ++k) {
    const double at = static_cast<double>(k) / static_cast<double>(parts);
    const auto base = static_cast<Index>(std::floor(at));
    double sum = 0;
    for (Index i = std::max<Index>(base - reach, 0); i <= std::min(base + reach + 1, count - 1); ++i)
      sum += p.samples[static_cast<std::size_t>(i)] * windowed_sinc(at - static_cast<double>(i), radius, b);
    fine.push_back(sum);
  }
  p.samples = std::move(fine);
  p.first -= radius * p.step;
  p.step /= static_cast<double>(parts);
}

double Wave::travel(const Vec3& x, double c) const {
  return (kind == WaveKind::plane ? dot(direction, x) : distance(x, position)) / c;
}

double Wave::value(const Vec3& x, double t, double c) const {
  const double f = pulse.value(t - t0 - travel(x, c));
  return kind == WaveKind::plane ? f : f / (4 * pi * distance(x, position));
}

double Excitation::value(const Vec3& x, double t, double c) const {
  double sum = 0;
  for (const Wave& w : waves) sum += w.value(x, t, c);
  return sum;
}

void set_onsets(Excitation& excitation, const std::vector<Vec3>& points, double c) {
  for (Wave& w : excitation.waves) {
    double first = 1e300;
    for (const Vec3& x : points) first = std::min(first, w.travel(x, c));
    w.t0 = points.empty() ? w.pulse.onset() : w.pulse.onset() - first;
  }
}

RightHandSide::RightHandSide(const Surface& surface, const Form& form, const Excitation& excitation)
    : surface_(surface), form_(form), rule_(triangle_rule(12)), waves_(excitation.waves) {
  local_.assign(3 * surface.triangles.size(), 0);
  const double c = form.c, ap = form.alpha_plus(), am = form.alpha_minus();
  for (const Wave& wave : waves_)
    for (std::size_t t = 0; t < surface.triangles.size(); ++t)
      for (const RulePoint& q : rule_) {
        const Triangle& T = surface.triangles[t];
        Vec3 x{};
        for (std::size_t k = 0; k < 3; ++k) x = axpy(q.lambda[k], T.corner[k], x);
        const double w = q.weight * T.area;
        Point p;
        p.travel = wave.t0 + wave.travel(x, c);
        const double r = wave.kind == WaveKind::point ? distance(x, wave.position) : 0;
        const double spread = wave.kind == WaveKind::point ? 1 / (4 * pi * r) : 1;
        if (form.name == FormName::D || (surface.filled() && surface.soft[t] != 0)) {
          p.now = w * spread;
        } else {
          // c∫∂_n u dt = −(n·d)(f_n − f_{n−1})/(4πr) − (n·d) c/(4πr²) ∫f dt, d = (x − x_s)/r; plane: first term, no 4πr.
          const Vec3 d = wave.kind == WaveKind::plane ? wave.direction : scale(1 / r, sub(x, wave.position));
          const double nd = dot(T.normal, d);
          p.now = -w * nd * spread;
          p.before = w * nd * spread;
          if (wave.kind == WaveKind::point) p.average = -w * nd * spread * c / r;
          if (form.combined() && !surface.is_plain(t)) {
            p.now += w * ap * spread;
            p.before += w * am * spread;
          }
        }
        points_.push_back(p);
      }
}

void RightHandSide::reserve(Index steps) {
  local_.assign(3 * surface_.triangles.size() * static_cast<std::size_t>(steps), 0);
}

namespace {

/// Before the first and after the second of these times a pulse is zero to the last bit, and its integral does not change.
std::array<double, 2> active(const Pulse& pulse, double dt) {
  switch (pulse.kind) {
    case PulseKind::ricker: {
      const double half = std::sqrt(45.0) / (pi * pulse.frequency) * (1 + 1e-12);
      return {-half, half};
    }
    case PulseKind::sampled:
      return {-2 * pulse.step - dt, pulse.step * (static_cast<double>(pulse.samples.size()) + 1) + dt};
    default: {  // the integral of one without a closed form takes values within a step before
      const double half = std::sqrt(90.0) * pulse.width * (1 + 1e-12) + dt;
      return {-half, half};
    }
  }
}

}  // namespace

void RightHandSide::triangles(Index n, Interval range, Index steps) {
  const std::size_t q_count = rule_.size(), t_count = surface_.triangles.size();
  const double dt = form_.dt;
  for (Index g = 0; g < steps; ++g)
    std::fill_n(local_.data() + 3 * (static_cast<std::size_t>(g) * t_count + static_cast<std::size_t>(range.begin)),
                3 * range.size(), 0.0);
  for (Index k = range.begin; k < range.end; ++k)
    for (std::size_t w = 0; w < waves_.size(); ++w) {
      const Pulse& pulse = waves_[w].pulse;
      Point* p = points_.data() + (w * t_count + static_cast<std::size_t>(k)) * q_count;
      double* const local = local_.data() + 3 * static_cast<std::size_t>(k);
      const std::array<double, 2> heard = active(pulse, dt);
      for (std::size_t q = 0; q < q_count; ++q, ++p) {
        const double from = static_cast<double>(n - 1) * dt - p->travel, to = from + static_cast<double>(steps) * dt;
        if (p->f == 0 && (to < heard[0] || from > heard[1])) continue;
        for (Index g = 0; g < steps; ++g) {
          const double s = static_cast<double>(n + g) * dt - p->travel;
          const double f = pulse.value(s);
          double v = p->now * f + p->before * p->f;
          if (p->average != 0) {
            if (pulse.has_integral()) {  // telescopes
              const double F = pulse.integral(s);
              if (n + g == 1) p->F = pulse.integral(s - dt);
              v += p->average * (F - p->F);
              p->F = F;
            } else {
              const double h = 0.5 * dt, d = std::sqrt(0.6) * h;
              v += p->average * h / 9 *
                   (5 * pulse.value(s - h - d) + 8 * pulse.value(s - h) + 5 * pulse.value(s - h + d));
            }
          }
          p->f = f;
          if (v == 0) continue;
          double* const l = local + 3 * static_cast<std::size_t>(g) * t_count;
          for (std::size_t a = 0; a < 3; ++a) l[a] += rule_[q].lambda[a] * v;
        }
      }
    }
}

void RightHandSide::gather(Interval range, double* l, Index step) const {
  const double* const local = local_.data() + 3 * static_cast<std::size_t>(step) * surface_.triangles.size();
  for (Index v = range.begin; v < range.end; ++v) {
    double sum = 0;
    for (std::int32_t k = surface_.touch_begin[static_cast<std::size_t>(v)];
         k < surface_.touch_begin[static_cast<std::size_t>(v) + 1]; ++k) {
      const auto t = static_cast<std::size_t>(surface_.touch[static_cast<std::size_t>(k)]);
      for (std::size_t a = 0; a < 3; ++a)
        for (const Share& part : surface_.shares(surface_.triangles[t].vertex[a]))
          if (part.unknown == v) sum += part.weight * local[3 * t + a];
    }
    l[v] = sum;
  }
}

void RightHandSide::transformed(double omega, std::span<std::complex<double>> out) const {
  using Complex = std::complex<double>;
  const std::size_t q_count = rule_.size(), t_count = surface_.triangles.size();
  const Complex step = std::polar(1.0, omega * form_.dt);
  // ∫f over the step before t has the transform f̂ (e^{iωΔt} − 1) / iω.
  const Complex over_step = (step - 1.0) / Complex(0, omega);
  std::fill(out.begin(), out.end(), Complex{});
  for (std::size_t t = 0; t < t_count; ++t) {
    Complex local[3] = {};
    for (std::size_t w = 0; w < waves_.size(); ++w)
      for (std::size_t q = 0; q < q_count; ++q) {
        const Point& p = points_[(w * t_count + t) * q_count + q];
        const Complex v = (p.now + p.before * step + p.average * over_step) * std::polar(1.0, omega * p.travel);
        for (std::size_t a = 0; a < 3; ++a) local[a] += rule_[q].lambda[a] * v;
      }
    for (std::size_t a = 0; a < 3; ++a)
      for (const Share& part : surface_.shares(surface_.triangles[t].vertex[a]))
        out[static_cast<std::size_t>(part.unknown)] += part.weight * local[a];
  }
}

}  // namespace conoid::acoustic_bem
