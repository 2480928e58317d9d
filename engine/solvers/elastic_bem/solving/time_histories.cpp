// SPDX-License-Identifier: BSD-3-Clause
// Sums over frequencies and recurrences over time.
#include "engine/solvers/elastic_bem/solving/time_histories.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/core.h>

namespace conoid::elastic_bem {

using std::numbers::pi;

Result<FrequencySteps> frequency_steps(std::span<const double> f) {
  const auto wrong = [](std::string text) {
    return make_error(
        ErrorCode::invalid_input, std::move(text),
        "Give parameters.frequencies from, to and count with linear steps, from a multiple of the step, for "
        "example 0.5 Hz to 40 Hz, 80 of them.");
  };
  if (f.size() < 2) return wrong("a signal over time needs two frequencies or more");
  FrequencySteps out;
  out.step = (f.back() - f.front()) / static_cast<double>(f.size() - 1);
  out.count = static_cast<Index>(f.size());
  if (!(out.step > 0)) return wrong("the frequencies of a signal over time must ascend");
  out.first = static_cast<Index>(std::llround(f.front() / out.step));
  for (std::size_t k = 0; k < f.size(); ++k) {
    const double want = out.step * static_cast<double>(out.first + static_cast<Index>(k));
    if (std::abs(f[k] - want) > 1e-6 * out.step)
      return wrong(
          fmt::format("a signal over time needs frequencies that are multiples of one step: {:g} Hz stands where "
                      "steps of {:g} Hz have {:g} Hz",
                      f[k], out.step, want));
  }
  return out;
}

Complex spectrum(const TimeTable& s, double omega) {
  Complex sum = 0;
  for (std::size_t k = 0; k + 1 < s.times.size(); ++k) {
    const double h = s.times[k + 1] - s.times[k], a = s.values[k], b = s.values[k + 1], turn = omega * h;
    if (std::abs(turn) < 1e-3) {  // two terms: the next is below 1e-7 of the sum
      const double middle = omega * 0.5 * (s.times[k] + s.times[k + 1]);
      sum += h * std::polar(1.0, -middle) * Complex(0.5 * (a + b) * (1 - turn * turn / 24), -turn * (b - a) / 12);
      continue;
    }
    const Complex begin = std::polar(1.0, -omega * s.times[k]), end = std::polar(1.0, -omega * s.times[k + 1]),
                  over(0, -1 / omega);  // 1/(iω)
    sum += (a * begin - b * end) * over + (b - a) / h * (begin - end) * over * over;
  }
  return sum;
}

double outside_band(const TimeTable& s, const FrequencySteps& steps) {
  double whole = 0, within = 0;
  for (std::size_t k = 0; k + 1 < s.times.size(); ++k) {
    const double a = s.values[k], b = s.values[k + 1];
    whole += (s.times[k + 1] - s.times[k]) * (a * a + a * b + b * b) / 3;
  }
  for (Index k = steps.first; k < steps.first + steps.count; ++k)
    within += (k == 0 ? 1 : 2) * steps.step * std::norm(spectrum(s, 2 * pi * steps.step * static_cast<double>(k)));
  return whole > 0 ? std::clamp(1 - within / whole, 0.0, 1.0) : 0;
}

double displacement_below(const TimeTable& s, const FrequencySteps& steps, int integrations) {
  double below = 0, all = 0;
  for (Index k = 1; k < steps.first + steps.count; ++k) {
    const double omega = 2 * pi * steps.step * static_cast<double>(k),
                 square = std::norm(spectrum(s, omega)) * std::pow(omega, -2 * integrations);
    all += square;
    if (k < steps.first) below += square;
  }
  return all > 0 ? below / all : 0;
}

std::vector<double> trace(const FrequencySteps& steps, std::span<const Complex> values) {
  const Index n = steps.samples();
  std::vector<Complex> turn;
  turn.reserve(static_cast<std::size_t>(n));
  for (Index k = 0; k < n; ++k)
    turn.push_back(std::polar(1.0, 2 * pi * static_cast<double>(k) / static_cast<double>(n)));
  std::vector<double> out(static_cast<std::size_t>(n));
  for (Index t = 0; t < n; ++t) {
    double sum = 0;
    for (Index q = 0; q < steps.count; ++q) {
      const Index k = steps.first + q;
      const Complex v = values[static_cast<std::size_t>(q)], e = turn[static_cast<std::size_t>(k * t % n)];
      sum += (k == 0 ? 1 : 2) * (v.real() * e.real() - v.imag() * e.imag());
    }
    out[static_cast<std::size_t>(t)] = steps.step * sum;
  }
  return out;
}

double moved_by(const TimeTable& s, double period) {
  double sum = 0;
  for (std::size_t k = 0; k + 1 < s.times.size(); ++k) {
    const double h = s.times[k + 1] - s.times[k], a = s.values[k], b = s.values[k + 1],
                 middle = 0.5 * (s.times[k] + s.times[k + 1]);
    sum += 0.5 * h * (period - middle) * (a + b) - h * h * (b - a) / 12;
  }
  return sum;
}

std::vector<double> from_rest(const FrequencySteps& steps, std::span<const Complex> values, double rise,
                              double mean_acceleration) {
  std::vector<double> out = trace(steps, values);
  const double begin = out.front(), period = steps.period(), time_step = period / static_cast<double>(out.size());
  for (std::size_t k = 0; k < out.size(); ++k) {
    const double t = time_step * static_cast<double>(k);
    out[k] += rise * t / period + 0.5 * mean_acceleration * t * (t - period) - begin;
  }
  return out;
}

double left_at_the_end(std::span<const double> trace) {
  double all = 0, end = 0;
  for (std::size_t k = 0; k < trace.size(); ++k) {
    all = std::max(all, std::abs(trace[k]));
    if (20 * k >= 19 * trace.size()) end = std::max(end, std::abs(trace[k]));
  }
  return all > 0 ? end / all : 0;
}

std::vector<double> oscillator_periods(const FrequencySteps& steps) {
  constexpr int count = 60;
  const double shortest = 2 / (steps.step * static_cast<double>(steps.first + steps.count - 1)),
               longest = std::max(2 * shortest, 0.25 * steps.period());
  std::vector<double> out;
  out.reserve(count);
  for (int k = 0; k < count; ++k) out.push_back(shortest * std::pow(longest / shortest, k / (count - 1.0)));
  return out;
}

std::vector<double> response_spectrum(std::span<const double> acceleration, double time_step,
                                      std::span<const double> periods, double damping) {
  std::vector<double> out;
  for (const double period : periods) {
    // d'' + 2ζω d' + ω² d = −a with a = a0 + s t over a step: a particular solution p + q t, and what decays.
    const double w = 2 * pi / period, wd = w * std::sqrt(1 - damping * damping),
                 decay = std::exp(-damping * w * time_step), c = std::cos(wd * time_step),
                 sine = std::sin(wd * time_step);
    double d = 0, v = 0, most = 0;
    for (std::size_t k = 0; k + 1 < acceleration.size(); ++k) {
      const double a0 = acceleration[k], slope = (acceleration[k + 1] - a0) / time_step, q = -slope / (w * w),
                   p = (-a0 - 2 * damping * w * q) / (w * w), free = d - p, pace = (v - q + damping * w * free) / wd;
      d = decay * (free * c + pace * sine) + p + q * time_step;
      v = decay * ((pace * wd - damping * w * free) * c - (free * wd + damping * w * pace) * sine) + q;
      most = std::max(most, std::abs(d));
    }
    out.push_back(w * w * most);
  }
  return out;
}

}  // namespace conoid::elastic_bem
