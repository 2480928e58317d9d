// SPDX-License-Identifier: BSD-3-Clause
// Ricker wavelet and sampled signatures.
#include "engine/solvers/acoustic_fd/signal.hpp"

#include "engine/core/atomic_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

constexpr std::size_t most_samples = 1'000'000;

/// The frequency below which 99.9 % of the energy lies, from a plain transform on at most 4096 samples (longer signals
/// are cut into blocks) at 1024 frequencies up to Nyquist.
double energy_edge(const std::vector<double>& values, double dt) {
  constexpr std::size_t bins = 1024, block = 4096;
  std::vector<double> power(bins + 1, 0.0);
  const std::size_t blocks = std::min<std::size_t>(8, (values.size() + block - 1) / block);
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t first = b * block, last = std::min(values.size(), first + block);
    for (std::size_t j = 0; j <= bins; ++j) {
      const std::complex<double> turn =
          std::polar(1.0, -std::numbers::pi * static_cast<double>(j) / static_cast<double>(bins));
      std::complex<double> sum = 0;
      for (std::size_t i = last; i > first; --i) sum = sum * turn + values[i - 1];
      power[j] += std::norm(sum);
    }
  }
  double total = 0;
  for (const double p : power) total += p;
  double sum = 0;
  for (std::size_t j = 0; j <= bins; ++j) {
    sum += power[j];
    if (sum >= 0.999 * total) return 0.5 / dt * static_cast<double>(std::max<std::size_t>(j, 1)) / bins;
  }
  return 0.5 / dt;
}

bool parse_number(std::string_view& text, double& value) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t' || text.front() == ',' || text.front() == ';'))
    text.remove_prefix(1);
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

}  // namespace

Ricker::Ricker(double frequency, double delay, double amplitude)
    : frequency_(frequency), delay_(delay), amplitude_(amplitude) {}

double Ricker::at(double t) const {
  if (t < 0) return 0;
  const double b = std::numbers::pi * frequency_ * (t - delay_);
  return amplitude_ * (1 - 2 * b * b) * std::exp(-b * b);
}

double Ricker::end() const {
  return delay_ + 1.6 / frequency_;
}

Sampled::Sampled(std::vector<double> values, double start, double dt, double amplitude)
    : values_(std::move(values)), start_(start), dt_(dt), amplitude_(amplitude), highest_(energy_edge(values_, dt)) {
  verify(values_.size() >= 2 && dt > 0, "a sampled signal has two samples and a positive step");
}

double Sampled::at(double t) const {
  const double place = (t - start_) / dt_;
  const auto n = static_cast<double>(values_.size());
  if (!(place >= 0) || place > n - 1) return 0;
  const auto i = static_cast<Index>(std::min(std::floor(place), n - 2));
  const double f = place - static_cast<double>(i);
  const auto value = [&](Index j) {
    return j < 0 || j >= static_cast<Index>(values_.size()) ? 0.0 : values_[static_cast<std::size_t>(j)];
  };
  const double a = value(i - 1), b = value(i), c = value(i + 1), d = value(i + 2);
  return amplitude_ * (b + 0.5 * f * (c - a + f * (2 * a - 5 * b + 4 * c - d + f * (3 * (b - c) + d - a))));
}

double Sampled::end() const {
  return start_ + dt_ * static_cast<double>(values_.size() - 1);
}

Result<std::shared_ptr<const Signal>> read_signal(const std::filesystem::path& file, double amplitude) {
  auto text = read_file(file, Bytes{64} << 20);
  if (!text) return text.error();
  std::vector<double> times, values;
  std::string_view rest = *text;
  long line = 0;
  bool header_seen = false;
  const auto fail = [&](std::string what, std::string hint) {
    return make_error(ErrorCode::invalid_input, std::move(what), std::move(hint), {file.string(), line, ""});
  };
  while (!rest.empty()) {
    ++line;
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view row = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    while (!row.empty() && (row.back() == '\r' || row.back() == ' ')) row.remove_suffix(1);
    while (!row.empty() && row.front() == ' ') row.remove_prefix(1);
    if (row.empty() || row.front() == '#') continue;
    std::string_view cursor = row;
    double t = 0, v = 0;
    if (!parse_number(cursor, t) || !parse_number(cursor, v)) {
      if (times.empty() && !header_seen) {  // a header such as "t[s],s[Pa m]"
        header_seen = true;
        continue;
      }
      return fail(fmt::format("expected two numbers, time and value; found '{}'", row.substr(0, 60)),
                  "Write one sample a line, for example 0.001,0.35.");
    }
    if (!std::isfinite(t) || !std::isfinite(v))
      return fail("a sample is not a finite number", "Remove infinities and NaN from the signal.");
    if (times.size() == most_samples)
      return fail(fmt::format("more than {} samples", most_samples), "Thin the signal to the band that matters.");
    times.push_back(t);
    values.push_back(v);
  }
  line = 0;
  if (times.size() < 2)
    return fail(fmt::format("a signal needs two samples or more; found {}", times.size()),
                "Write one sample a line: time in seconds, comma, value.");
  const double dt = (times.back() - times.front()) / static_cast<double>(times.size() - 1);
  if (!(dt > 0)) return fail("times do not grow", "Sort the samples by time.");
  for (std::size_t i = 0; i < times.size(); ++i)
    if (std::abs(times[i] - times.front() - static_cast<double>(i) * dt) > 1e-6 * dt + 1e-12 * std::abs(times[i]))
      return fail(fmt::format("samples are not evenly spaced: sample {} at {} s, expected {} s", i + 1, times[i],
                              times.front() + static_cast<double>(i) * dt),
                  "Resample the signal to a constant step.");
  const double start = times.front();
  return std::shared_ptr<const Signal>(std::make_shared<Sampled>(std::move(values), start, dt, amplitude));
}

}  // namespace conoid::acoustic_fd
