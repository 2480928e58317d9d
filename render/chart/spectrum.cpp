// SPDX-License-Identifier: BSD-3-Clause
// Curves on even steps, and charts of their spectra.
#include "render/chart/spectrum.hpp"

#include "engine/numerics/fft.hpp"

#include <algorithm>
#include <cmath>

namespace conoid {
namespace {

constexpr std::size_t longest = std::size_t{1} << 22;

}  // namespace

std::vector<double> even_samples(const Series& curve, double& step) {
  const std::size_t n = std::min(curve.x.size(), curve.y.size());
  if (n < 4) return {};
  for (std::size_t i = 1; i < n; ++i)
    if (!(curve.x[i] > curve.x[i - 1])) return {};
  step = (curve.x[n - 1] - curve.x[0]) / static_cast<double>(n - 1);
  std::vector<double> out(n);
  std::size_t at = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double t = curve.x[0] + step * static_cast<double>(i);
    while (at + 2 < n && curve.x[at + 1] < t) ++at;
    const double f = std::clamp((t - curve.x[at]) / (curve.x[at + 1] - curve.x[at]), 0.0, 1.0);
    const double value = curve.y[at] + f * (curve.y[at + 1] - curve.y[at]);
    out[i] = std::isfinite(value) ? value : 0;
  }
  return out;
}

Series spectrum_of(const Series& curve) {
  Series out;
  out.label = curve.label;
  out.overlay = curve.overlay;
  out.color = curve.color;
  double step = 0;
  std::vector<double> samples = even_samples(curve, step);
  if (samples.empty() || !(step > 0)) return out;
  samples.front() *= 0.5;
  samples.back() *= 0.5;
  std::size_t n = 1;
  while (n < 2 * samples.size() && n < longest) n <<= 1;
  samples.resize(std::min(samples.size(), n));
  std::vector<std::complex<double>> values(n);
  std::copy(samples.begin(), samples.end(), values.begin());
  fft(values);
  out.x.resize(n / 2 + 1);
  out.y.resize(n / 2 + 1);
  for (std::size_t k = 0; k <= n / 2; ++k) {
    out.x[k] = static_cast<double>(k) / (static_cast<double>(n) * step);
    out.y[k] = step * std::abs(values[k]);
  }
  return out;
}

ChartSpec spectrum_chart(const ChartSpec& chart) {
  ChartSpec out;
  out.title = chart.title + " – spectrum";
  out.x_label = "Frequency";
  out.x_unit = "Hz";
  out.y_label = chart.y_label;
  if (!chart.y_unit.empty()) out.y_unit = chart.y_unit == "1" ? "s" : chart.y_unit + "*s";
  out.y_scale = AxisScale::log;
  double largest = 0;
  for (const Series& curve : chart.series) {
    out.series.push_back(spectrum_of(curve));
    for (const double y : out.series.back().y) largest = std::max(largest, y);
  }
  double end = 0;
  for (const Series& s : out.series)
    for (std::size_t i = 0; i < s.y.size(); ++i)
      if (s.y[i] > 1e-6 * largest) end = std::max(end, s.x[i]);
  for (Series& s : out.series) {
    const auto keep = static_cast<std::size_t>(std::upper_bound(s.x.begin(), s.x.end(), 1.05 * end) - s.x.begin());
    s.x.resize(keep);
    s.y.resize(keep);
    for (double& y : s.y)
      if (y < 1e-9 * largest) y = 1e-9 * largest;  // below is rounding
  }
  return out;
}

}  // namespace conoid
