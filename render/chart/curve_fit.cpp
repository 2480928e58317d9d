// SPDX-License-Identifier: BSD-3-Clause
// Schroeder's integral and cross-correlation.
#include "render/chart/curve_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include <fmt/format.h>

#include "engine/numerics/fft.hpp"
#include "render/scene/ticks.hpp"

namespace conoid {
namespace {

constexpr std::size_t least_values = 8, most_values = std::size_t{1} << 21;
constexpr double pi = std::numbers::pi;

enum class Measure { amplitude, power, level };

Measure measure_of(const std::string& unit) {
  if (unit.starts_with("dB")) return Measure::level;
  return is_power_unit(unit) ? Measure::power : Measure::amplitude;
}

struct Samples {
  std::vector<double> x, y;
};

/// The finite values within a window; error where the abscissa does not ascend.
Result<Samples> samples_of(const Series& curve, const FitWindow& window) {
  Samples out;
  for (std::size_t i = 0; i < std::min(curve.x.size(), curve.y.size()); ++i) {
    const double x = curve.x[i];
    if (!std::isfinite(x) || !std::isfinite(curve.y[i]) || (window.low && x < *window.low) ||
        (window.high && x > *window.high))
      continue;
    if (!out.x.empty() && !(x > out.x.back()))
      return make_error(ErrorCode::command_line, fmt::format("the times of \"{}\" do not ascend", curve.label),
                        "Fits need a curve over time.");
    out.x.push_back(x);
    out.y.push_back(curve.y[i]);
  }
  if (out.x.size() < least_values)
    return make_error(ErrorCode::command_line,
                      fmt::format("\"{}\" has {} values within the window of the fit, {} are needed", curve.label,
                                  out.x.size(), least_values),
                      "Widen the window.");
  return out;
}

/// Level = offset + slope t.
struct Line {
  double offset = 0, slope = 0, deviation = 0;
  double beyond = 0;  ///< what the line leaves after the last value
  bool reached = false;
};

class Decay {
 public:
  Decay(std::vector<double> times, const std::vector<double>& power) : times_(std::move(times)), left_(times_.size()) {
    for (std::size_t i = times_.size() - 1; i-- > 0;)
      left_[i] = left_[i + 1] + 0.5 * (power[i] + power[i + 1]) * (times_[i + 1] - times_[i]);
  }
  [[nodiscard]] double total() const { return left_.front(); }
  /// The line through the levels between `from` and `to`, and what it leaves beyond the end put back in.
  [[nodiscard]] Line line(double from, double to) const {
    constexpr int most_rounds = 500;
    constexpr double settled = 1e-13;
    Line out;
    double beyond = 0;
    for (int round = 0; round < most_rounds; ++round) {
      out = through(from, to, beyond);
      if (!out.reached) return out;
      const double next =
          (total() + beyond) * std::pow(10.0, (out.offset + out.slope * (times_.back() - times_.front())) / 10);
      const bool done = std::abs(next - beyond) <= settled * next;
      beyond = next;
      if (!(beyond < total())) break;
      if (done) break;
    }
    out.beyond = beyond;
    // The curve itself has to fall so far, not what was added to it.
    out.reached = out.slope < 0 && 10 * std::log10(beyond / (total() + beyond)) <= to;
    return out;
  }

 private:
  [[nodiscard]] Line through(double from, double to, double beyond) const {
    double n = 0, sum_t = 0, sum_l = 0, sum_tt = 0, sum_tl = 0, sum_ll = 0;
    for (std::size_t i = 0; i < times_.size(); ++i) {
      const double level = 10 * std::log10((left_[i] + beyond) / (total() + beyond));
      if (!(level <= from && level >= to)) continue;
      const double t = times_[i] - times_.front();
      n += 1, sum_t += t, sum_l += level, sum_tt += t * t, sum_tl += t * level, sum_ll += level * level;
    }
    Line out;
    const double spread = sum_tt - sum_t * sum_t / std::max(n, 1.0);
    if (n < 3 || !(spread > 0)) return out;
    out.slope = (sum_tl - sum_t * sum_l / n) / spread;
    out.offset = (sum_l - out.slope * sum_t) / n;
    const double rest = sum_ll - sum_l * sum_l / n - out.slope * out.slope * spread;
    out.deviation = std::sqrt(std::max(rest, 0.0) / n);
    out.reached = true;
    return out;
  }

  std::vector<double> times_, left_;
};

/// Of values that swing through zero in even times.
std::optional<double> frequency_of(const Samples& s, double until) {
  constexpr std::size_t fewest = 4;
  constexpr double most_uneven = 0.2;
  std::vector<double> zeros;
  for (std::size_t i = 1; i < s.x.size() && s.x[i] <= until; ++i)
    if ((s.y[i - 1] < 0) != (s.y[i] < 0))
      zeros.push_back(s.x[i - 1] + (s.x[i] - s.x[i - 1]) * s.y[i - 1] / (s.y[i - 1] - s.y[i]));
  if (zeros.size() < fewest) return std::nullopt;
  const double mean = (zeros.back() - zeros.front()) / static_cast<double>(zeros.size() - 1);
  for (std::size_t i = 1; i < zeros.size(); ++i)
    if (std::abs(zeros[i] - zeros[i - 1] - mean) > most_uneven * mean) return std::nullopt;
  return 0.5 / mean;
}

}  // namespace

bool is_power_unit(const std::string& unit) {
  return unit.starts_with("J") || unit.starts_with("Pa^2") || (unit.starts_with("W") && !unit.starts_with("Wb"));
}

Result<DecayFit> fit_decay(const Series& curve, const std::string& unit, const FitWindow& window) {
  const Measure measure = measure_of(unit);
  FitWindow from_peak = window;
  if (!from_peak.low) {
    const auto all = samples_of(curve, window);
    if (!all) return all.error();
    const auto size = [&](double y) { return measure == Measure::level ? y : std::abs(y); };
    const auto peak =
        std::max_element(all->y.begin(), all->y.end(), [&](double a, double b) { return size(a) < size(b); });
    from_peak.low = all->x[static_cast<std::size_t>(peak - all->y.begin())];
  }
  const auto s = samples_of(curve, from_peak);
  if (!s) return s.error();
  std::vector<double> power(s->y.size());
  for (std::size_t i = 0; i < power.size(); ++i)
    power[i] = measure == Measure::amplitude ? s->y[i] * s->y[i]
               : measure == Measure::power   ? std::abs(s->y[i])
                                             : std::pow(10.0, s->y[i] / 10);
  const Decay decay(s->x, power);
  DecayFit out;
  out.begin = s->x.front();
  out.end = s->x.back();
  struct Range {
    double from, to;
    std::optional<double> DecayFit::*time;
  };
  Line best;
  for (const Range& range : {Range{0, -10, &DecayFit::early}, Range{-5, -25, &DecayFit::t20},
                             Range{-5, -35, &DecayFit::t30}, Range{-5, -65, &DecayFit::t60}}) {
    if (!(decay.total() > 0)) break;
    const Line line = decay.line(range.from, range.to);
    if (!line.reached) continue;
    out.*range.time = -60 / line.slope;
    out.from = range.from;
    out.to = range.to;
    best = line;
  }
  if (!best.reached)
    return make_error(ErrorCode::command_line,
                      fmt::format("\"{}\" dies away by less than 10 dB between {} and {}", curve.label,
                                  readable(out.begin, "s"), readable(out.end, "s")),
                      "Choose a window that begins where the curve begins to die away, and ends before it is noise.");
  out.rate = -best.slope * std::numbers::ln10 / 20;
  out.deviation = best.deviation;
  const double line_begin = (decay.total() + best.beyond) * std::pow(10.0, best.offset / 10) * 2 * out.rate;
  if (measure == Measure::amplitude) out.frequency = frequency_of(*s, out.begin + (out.to - best.offset) / best.slope);
  if (out.frequency) out.quality = std::hypot(2 * pi * *out.frequency, out.rate) / (2 * out.rate);
  out.amplitude = measure == Measure::power   ? line_begin
                  : measure == Measure::level ? 10 * std::log10(line_begin)
                                              : std::sqrt((out.frequency ? 2 : 1) * line_begin);
  return out;
}

namespace {

/// Linear between the samples, zero beside them.
std::vector<std::complex<double>> on_steps(const Samples& s, double begin, double step, std::size_t count,
                                           std::size_t padded) {
  std::vector<std::complex<double>> out(padded);
  std::size_t at = 0;
  const double slack = 1e-9 * step;
  for (std::size_t i = 0; i < count; ++i) {
    const double t = begin + step * static_cast<double>(i);
    if (t < s.x.front() - slack || t > s.x.back() + slack) continue;
    while (at + 2 < s.x.size() && s.x[at + 1] < t) ++at;
    const double f = std::clamp((t - s.x[at]) / (s.x[at + 1] - s.x[at]), 0.0, 1.0);
    out[i] = s.y[at] + f * (s.y[at + 1] - s.y[at]);
  }
  return out;
}

/// Value, slope and curvature of the cross-correlation at a shift in samples.
std::array<double, 3> correlation_at(const std::vector<std::complex<double>>& cross, double shift) {
  const std::size_t n = cross.size(), half = n / 2;
  std::array<double, 3> out{cross[0].real(), 0, 0};
  for (std::size_t k = 1; k <= half; ++k) {
    const double omega = 2 * pi * static_cast<double>(k) / static_cast<double>(n);
    const std::complex<double> term = (k == half ? 1.0 : 2.0) * cross[k] * std::polar(1.0, omega * shift);
    out[0] += term.real();
    out[1] -= omega * term.imag();
    out[2] -= omega * omega * term.real();
  }
  for (double& v : out) v /= static_cast<double>(n);
  return out;
}

}  // namespace

Result<DelayFit> fit_delay(const Series& first, const Series& second, const FitWindow& window) {
  const auto a = samples_of(first, window), b = samples_of(second, window);
  if (!a) return a.error();
  if (!b) return b.error();
  const auto step_of = [](const Samples& s) {
    return (s.x.back() - s.x.front()) / static_cast<double>(s.x.size() - 1);
  };
  const double begin = std::min(a->x.front(), b->x.front()), end = std::max(a->x.back(), b->x.back());
  const double step =
      std::max(std::min(step_of(*a), step_of(*b)), (end - begin) / static_cast<double>(most_values - 1));
  const auto count = static_cast<std::size_t>(std::llround((end - begin) / step)) + 1;
  std::size_t n = 1;
  while (n < 2 * count) n <<= 1;
  auto cross = on_steps(*b, begin, step, count, n), other = on_steps(*a, begin, step, count, n);
  double of_first = 0, of_second = 0;
  for (std::size_t i = 0; i < count; ++i) of_first += std::norm(other[i]), of_second += std::norm(cross[i]);
  if (!(of_first > 0) || !(of_second > 0))
    return make_error(
        ErrorCode::command_line,
        fmt::format("\"{}\" is zero within the window of the fit", of_first > 0 ? second.label : first.label),
        "Choose another curve, or widen the window.");
  fft(cross);
  fft(other);
  for (std::size_t k = 0; k < n; ++k) cross[k] *= std::conj(other[k]);
  // Back by the conjugate; real curves have a real correlation.
  std::vector<std::complex<double>> back(n);
  for (std::size_t k = 0; k < n; ++k) back[k] = std::conj(cross[k]);
  fft(back);
  std::size_t peak = 0;
  for (std::size_t k = 1; k < n; ++k)
    if (std::abs(back[k].real()) > std::abs(back[peak].real())) peak = k;
  const double coarse = peak < n / 2 ? static_cast<double>(peak) : static_cast<double>(peak) - static_cast<double>(n);
  double shift = coarse;
  constexpr int most_rounds = 20;
  for (int round = 0; round < most_rounds; ++round) {
    const auto [value, slope, curvature] = correlation_at(cross, shift);
    if (!(value * curvature < 0)) break;
    const double next = std::clamp(shift - slope / curvature, coarse - 1, coarse + 1);
    const bool done = std::abs(next - shift) < 1e-13 * static_cast<double>(count);
    shift = next;
    if (done) break;
  }
  const double value = correlation_at(cross, shift)[0];
  return DelayFit{shift * step, value / of_first, std::abs(value) / std::sqrt(of_first * of_second)};
}

namespace {

Result<const Series*> curve_named(const ChartSpec& chart, const std::string& label) {
  std::string names;
  for (const Series& s : chart.series) {
    if (s.label == label) return &s;
    names += (names.empty() ? "" : ", ") + s.label;
  }
  return make_error(ErrorCode::command_line, fmt::format("the chart has no curve \"{}\" to fit", label),
                    "Curves: " + names + ".");
}

Fitted shown_decay(const Series& curve, const DecayFit& fit, const std::string& unit, const FitWords& words,
                   int digits) {
  Fitted out;
  out.text = fmt::format("{} {}", words.decay, readable(fit.rate, "1/s", digits));
  const auto time = [&](const char* name, const std::optional<double>& value) {
    if (value) out.text += fmt::format(", {} {}", name, readable(*value, "s", digits));
  };
  if (!fit.t20) time("EDT", fit.early);
  time("T20", fit.t20);
  time("T30", fit.t30);
  time("T60", fit.t60);
  if (fit.quality)
    out.text += fmt::format(", f {}, Q {}", readable(*fit.frequency, "Hz", digits), readable(*fit.quality, "", digits));
  constexpr int points = 200;
  const Measure measure = measure_of(unit);
  for (int i = 0; i <= points; ++i) {
    const double t = fit.begin + (fit.end - fit.begin) * i / points, nepers = fit.rate * (t - fit.begin);
    out.curve.x.push_back(t);
    out.curve.y.push_back(measure == Measure::level   ? fit.amplitude - 20 / std::numbers::ln10 * nepers
                          : measure == Measure::power ? fit.amplitude * std::exp(-2 * nepers)
                                                      : fit.amplitude * std::exp(-nepers));
  }
  out.curve.label = curve.label + ", " + out.text;
  return out;
}

Fitted shown_delay(const Series& first, const Series& second, const DelayFit& fit, const FitWords& words, int digits) {
  Fitted out;
  out.text = fmt::format("{} {}, {} {}", words.delay, readable(fit.delay, "s", digits), words.correlation,
                         readable(fit.coefficient, "", digits));
  if (fit.gain < 0) out.text += ", " + words.inverted;
  for (std::size_t i = 0; i < std::min(first.x.size(), first.y.size()); ++i) {
    out.curve.x.push_back(first.x[i] + fit.delay);
    out.curve.y.push_back(fit.gain * first.y[i]);
  }
  out.curve.label = second.label + ", " + out.text;
  return out;
}

}  // namespace

Result<Fitted> fitted(const ChartSpec& chart, const FitWish& wish, const FitWords& words, int digits) {
  if (chart.kind != ChartKind::lines || chart.x_unit != "s")
    return make_error(ErrorCode::command_line, "fits are made of curves over time, the chart is not over time");
  const auto curve = curve_named(chart, wish.curve);
  if (!curve) return curve.error();
  Fitted out;
  if (wish.kind == FitKind::decay) {
    const auto fit = fit_decay(**curve, chart.y_unit, wish.window);
    if (!fit) return fit.error();
    out = shown_decay(**curve, *fit, chart.y_unit, words, digits);
  } else {
    const auto second = curve_named(chart, wish.second);
    if (!second) return second.error();
    const auto fit = fit_delay(**curve, **second, wish.window);
    if (!fit) return fit.error();
    out = shown_delay(**curve, **second, *fit, words, digits);
  }
  out.curve.overlay = true;
  return out;
}

}  // namespace conoid
