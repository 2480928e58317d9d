// SPDX-License-Identifier: BSD-3-Clause
// Windows one after the other through the FFT.
#include "render/chart/spectrogram.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "engine/numerics/fft.hpp"
#include "render/chart/curve_fit.hpp"
#include "render/chart/spectrum.hpp"
#include "render/scene/ticks.hpp"

namespace conoid {
namespace {

constexpr std::size_t least_window = 8, most_levels = std::size_t{1} << 24;

/// Samples of a window and between the beginnings of two.
struct WindowSteps {
  std::size_t window = 0, hop = 1, count = 0;
};

Result<WindowSteps> window_steps(const SpectrogramWish& wish, std::size_t samples, double step) {
  constexpr std::size_t parts = 12, shortest = 16, longest = 2048, usual_columns = 500;
  WindowSteps out;
  out.window = wish.window > 0 ? static_cast<std::size_t>(std::llround(std::min(wish.window / step, 1e15)))
                               : std::clamp(samples / parts, std::min(shortest, samples), std::min(longest, samples));
  if (out.window < least_window || out.window > samples)
    return make_error(ErrorCode::command_line,
                      fmt::format("the window of the spectrogram has {} samples; it takes {} to the {} of the curve",
                                  out.window, least_window, samples),
                      fmt::format("Between {} and {}.", readable(static_cast<double>(least_window) * step, "s"),
                                  readable(static_cast<double>(samples) * step, "s")));
  if (wish.overlap >= 1 || std::isnan(wish.overlap))
    return make_error(ErrorCode::command_line,
                      fmt::format("windows of a spectrogram overlap by less than their length, found {}", wish.overlap),
                      "For example 0.5, or 75 %.");
  const auto length = static_cast<double>(out.window);
  out.hop = wish.overlap >= 0 ? static_cast<std::size_t>(std::llround(length * (1 - wish.overlap)))
                              : std::min((samples - out.window) / usual_columns, out.window);
  out.hop = std::max<std::size_t>(out.hop, 1);
  out.count = (samples - out.window) / out.hop + 1;
  return out;
}

Spectrogram transformed(const std::vector<double>& samples, const WindowSteps& steps, double begin, double step,
                        double decibels_a_decade, std::size_t padded) {
  Spectrogram out;
  std::vector<double> weights(steps.window);
  double sum = 0;
  for (std::size_t n = 0; n < steps.window; ++n) {
    weights[n] =
        0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(n) / static_cast<double>(steps.window));
    sum += weights[n];
  }
  const std::size_t bins = padded / 2 + 1;
  out.frequencies.resize(bins);
  for (std::size_t k = 0; k < bins; ++k)
    out.frequencies[k] = static_cast<double>(k) / (static_cast<double>(padded) * step);
  constexpr float silent = -std::numeric_limits<float>::infinity();
  out.highest.assign(bins, silent);
  out.levels.reserve(steps.count * bins);
  std::vector<std::complex<double>> values;
  for (std::size_t c = 0; c < steps.count; ++c) {
    const std::size_t from = c * steps.hop;
    out.times.push_back(begin + step * (static_cast<double>(from) + static_cast<double>(steps.window) / 2));
    values.assign(padded, 0);
    for (std::size_t n = 0; n < steps.window; ++n) values[n] = weights[n] * samples[from + n];
    fft(values);
    for (std::size_t k = 0; k < bins; ++k) {
      const double amplitude = (k == 0 || k + 1 == bins ? 1 : 2) * std::abs(values[k]) / sum;
      const float level =
          amplitude > chart_nothing ? static_cast<float>(decibels_a_decade * std::log10(amplitude)) : silent;
      out.levels.push_back(level);
      out.highest[k] = std::max(out.highest[k], level);
    }
  }
  out.top = static_cast<double>(*std::max_element(out.highest.begin(), out.highest.end()));
  out.window = static_cast<double>(steps.window) * step;
  out.step = static_cast<double>(steps.hop) * step;
  return out;
}

}  // namespace

std::optional<double> parse_share(std::string_view text) {
  const std::size_t sign = text.find_last_not_of(' ');
  const bool hundredths = sign != std::string_view::npos && text[sign] == '%';
  std::string number(text.substr(0, hundredths ? sign : text.size()));
  const auto read = parse_quantity(number, "1");
  if (!read) return std::nullopt;
  constexpr double per_cent = 100;
  return hundredths ? read->value / per_cent : read->value;
}

bool can_be_spectrogram(const ChartSpec& chart) {
  return chart.kind == ChartKind::lines && chart.x_unit == "s" && chart.x_scale == AxisScale::linear &&
         !chart.y_unit.starts_with("dB") && std::any_of(chart.series.begin(), chart.series.end(), [](const Series& s) {
           return !s.marks && std::min(s.x.size(), s.y.size()) >= least_window;
         });
}

Result<ChartSpec> spectrogram_chart(const ChartSpec& chart, const SpectrogramWish& wish,
                                    const SpectrogramWords& words) {
  if (!can_be_spectrogram(chart))
    return make_error(
        ErrorCode::command_line,
        fmt::format("the chart \"{}\" has no spectrogram: it takes {} values or more over time, not in dB", chart.title,
                    least_window));
  const auto found = std::find_if(chart.series.begin(), chart.series.end(), [&](const Series& s) {
    return wish.curve.empty() ? std::min(s.x.size(), s.y.size()) >= least_window : s.label == wish.curve;
  });
  std::string names;
  for (const Series& s : chart.series) names += (names.empty() ? "" : ", ") + s.label;
  if (found == chart.series.end())
    return make_error(ErrorCode::command_line, fmt::format("the chart has no curve \"{}\"", wish.curve),
                      "Curves: " + names + ".");
  double step = 0;
  const std::vector<double> samples = even_samples(*found, step);
  if (samples.size() < least_window || !(step > 0))
    return make_error(ErrorCode::command_line,
                      fmt::format("the curve \"{}\" has no spectrogram: it takes {} values or more at ascending times",
                                  found->label, least_window));
  const auto steps = window_steps(wish, samples.size(), step);
  if (!steps) return steps.error();
  std::size_t padded = 512;
  while (padded < 2 * steps->window) padded <<= 1;
  if (steps->count > most_levels / (padded / 2 + 1))
    return make_error(ErrorCode::command_line,
                      fmt::format("the spectrogram has {} windows of {} frequencies, at most {} values are computed",
                                  steps->count, padded / 2 + 1, most_levels),
                      "Let the windows overlap less, or take longer ones.");
  const bool power = is_power_unit(chart.y_unit);
  constexpr double of_powers = 10, of_amplitudes = 20;
  ChartSpec out;
  out.kind = ChartKind::spectrogram;
  out.title = chart.title + " – " + words.spectrogram + (chart.series.size() > 1 ? ", " + found->label : std::string());
  out.x_label = chart.x_label;
  out.x_unit = chart.x_unit;
  out.y_label = words.frequency;
  out.y_unit = "Hz";
  out.z_label = power ? words.level : words.amplitude;
  out.z_unit = chart.y_unit.empty() || chart.y_unit == "1" ? "dB" : "dB re 1 " + readable_unit(chart.y_unit);
  out.words = chart.words;
  auto picture = std::make_shared<Spectrogram>(
      transformed(samples, *steps, found->x.front(), step, power ? of_powers : of_amplitudes, padded));
  // The curve's ends are those of the axes.
  Series ends;
  ends.label = found->label;
  ends.x = {found->x.front(), found->x.front() + step * static_cast<double>(samples.size() - 1)};
  ends.y = {picture->frequencies.front(), picture->frequencies.back()};
  out.series.push_back(std::move(ends));
  out.spectrogram = std::move(picture);
  return out;
}

}  // namespace conoid
