// SPDX-License-Identifier: BSD-3-Clause
// Ricker wavelet and sampled signatures.
#include "engine/solvers/acoustic_fd/discretization/signal.hpp"

#include "engine/core/units.hpp"
#include "engine/io/csv.hpp"
#include "engine/numerics/windowed_sinc.hpp"

#include <algorithm>
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

constexpr double on_sample = 1e-9;

/// A sinc under the window of Kaiser, 80 dB (b = 0.1102 (80 − 8.7)), as a table with straight lines between: 5e-7 of its peak.
class Kernel {
 public:
  static constexpr Index radius = 24;  // samples to either side
  [[nodiscard]] static const Kernel& shared() {
    static const Kernel kernel;
    return kernel;
  }
  [[nodiscard]] double at(double distance) const {
    const double place = distance * fine;
    const auto i = static_cast<std::size_t>(place);
    if (i + 1 >= table_.size()) return 0;
    const double f = place - static_cast<double>(i);
    return table_[i] + f * (table_[i + 1] - table_[i]);
  }

 private:
  Kernel() : table_(radius * fine + 1) {
    for (std::size_t i = 0; i < table_.size(); ++i)
      table_[i] = windowed_sinc(static_cast<double>(i) / fine, radius, 0.1102 * (80 - 8.7));
  }
  static constexpr Index fine = 1024;
  std::vector<double> table_;
};

/// "t", "time", "Zeit"…: what people call the time.
bool names_time(const Column& column) {
  std::string name = column.name;
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return name == "t" || name.starts_with("time") || name == "temps" || name == "zeit" ||
         (!column.unit.empty() && parse_quantity("1 " + column.unit, "s").ok());
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
    : Sampled(std::move(values), start, dt, amplitude, 0) {
  highest_ = energy_edge(values_, dt);
}

Sampled::Sampled(std::vector<double> values, double start, double dt, double amplitude, double highest)
    : values_(std::move(values)), start_(start), dt_(dt), amplitude_(amplitude), highest_(highest) {
  verify(values_.size() >= 2 && dt > 0, "a sampled signal has two samples and a positive step");
}

double Sampled::value(Index j) const {
  const Index last = static_cast<Index>(values_.size()) - 1;
  const auto inside = [&](Index i) { return values_[static_cast<std::size_t>(std::clamp<Index>(i, 0, last))]; };
  if (j < 0) return 2 * values_.front() - inside(-j);
  if (j > last) return 2 * values_.back() - inside(2 * last - j);
  return inside(j);
}

double Sampled::at(double t) const {
  const double place = (t - start_) / dt_, nearest = std::round(place);
  const auto n = static_cast<double>(values_.size());
  if (!(place >= -on_sample) || place > n - 1 + on_sample) return 0;
  if (std::abs(place - nearest) < on_sample * std::max(1.0, nearest))
    return amplitude_ * value(static_cast<Index>(nearest));
  const auto i = static_cast<Index>(std::floor(place));
  const double f = place - static_cast<double>(i);
  double sum = 0, weights = 0;
  for (Index j = 1 - Kernel::radius; j <= Kernel::radius; ++j) {
    const double weight = Kernel::shared().at(std::abs(static_cast<double>(j) - f));
    sum += weight * value(i + j);
    weights += weight;
  }
  return amplitude_ * sum / weights;
}

bool Sampled::is_coarse() const {
  return highest_ > 0.9 * 0.5 / dt_;
}

double Sampled::end() const {
  return start_ + dt_ * static_cast<double>(values_.size() - 1);
}

Result<std::shared_ptr<const Signal>> read_signal(const std::filesystem::path& file, double amplitude) {
  auto table =
      read_csv(file, {.file = Bytes{64} << 20, .columns = 64, .values = 2 * most_samples + 2, .preamble = 100});
  if (!table) return table.error();
  const auto fail = [&](std::string what, std::string hint) {
    return make_error(ErrorCode::invalid_input, std::move(what), std::move(hint), {file.string(), 0, ""});
  };
  const auto& columns = table->columns;
  const bool named = !columns.empty() && columns[0].name != "column 1";
  if (table->rows() > most_samples)
    return fail(fmt::format("more than {} samples", most_samples), "Thin the signal to the band that matters.");
  if (!columns.empty() && columns.size() != 2) {
    std::string names;
    for (const Column& c : columns) names += (names.empty() ? "" : ", ") + c.name.substr(0, 40);
    return fail(fmt::format("expected two columns, time and value; found {}: {}", columns.size(), names),
                "Keep the columns of time and value alone, or give the file these two.");
  }
  if (table->rows() < 2)
    return fail(fmt::format("a signal needs two samples or more; found {}", table->rows()),
                "Write one sample a line: time in seconds, comma, value.");
  std::size_t time = 0;
  if (named && !names_time(columns[0])) {
    if (names_time(columns[1]))
      time = 1;
    else if (const std::string& n = columns[0].name;
             n == "i" || n == "n" || n == "index" || n == "sample" || n == "row" || n.empty())
      return fail(fmt::format("expected the time in the first column, found '{}'", n),
                  "Name the columns in the first line, for example t[s],p[Pa].");
  }
  const auto seconds = column_factor(columns[time], "s");
  if (!seconds) return fail(seconds.error().text, seconds.error().hint);
  // The value counts in SI where its heading names a unit of pressure, with or without a length (Pa m).
  double unit = 1;
  for (const char* expected : {"Pa", "Pa*m"})
    if (const auto factor = column_factor(columns[1 - time], expected)) unit = *factor;
  std::vector<double> times = table->column(time), values = table->column(1 - time);
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!std::isfinite(times[i]) || !std::isfinite(values[i]))
      return fail(fmt::format("sample {} is not a finite number", i + 1), "Remove infinities and NaN from the signal.");
    times[i] *= *seconds;
    values[i] *= unit;
  }
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
