// SPDX-License-Identifier: BSD-3-Clause
// Traces and response spectra of the receivers under a signal over time.
#include <cmath>
#include <numbers>

#include <fmt/core.h>

#include "engine/core/log.hpp"
#include "engine/core/units.hpp"
#include "engine/solvers/elastic_bem/elastic_bem.hpp"

namespace conoid::elastic_bem {

namespace {

/// Displacement amplitude of a signal of the given kind: 1, 1/(iω), −1/ω²; nothing of what does not move at rest.
Complex integrated(SignalKind kind, double omega) {
  if (kind == SignalKind::factor || kind == SignalKind::displacement) return 1;
  if (!(omega > 0)) return 0;
  return kind == SignalKind::velocity ? Complex(0, -1 / omega) : Complex(-1 / (omega * omega));
}

}  // namespace

void ElasticBem::write_histories(RunContext& context) {
  const Problem& p = *problem_;
  if (!p.signal || p.receivers.empty() || step_ < p.frequencies.size()) return;
  const Signal& signal = *p.signal;
  const FrequencySteps& steps = signal.steps;
  std::vector<Complex> factors;  // of answers
  for (const double f : p.frequencies) {
    const double omega = 2 * std::numbers::pi * f;
    factors.push_back(spectrum(signal.table, omega) * integrated(signal.kind, omega));
  }
  const std::size_t width = shown() * p.receivers.size() * 3;
  const double time_step = steps.period() / static_cast<double>(steps.samples());
  std::vector<std::vector<double>> moved, accelerated, spectra;
  const std::vector<double> periods = oscillator_periods(steps);
  TableInfo t, a, r;
  t.columns = a.columns = {{"t", "s", "time"}};
  r.columns = {{"period", "s", "period of the oscillator"}};
  double left = 0;
  for (std::size_t k = 0; k < width; ++k) {
    std::vector<Complex> u, acceleration;
    for (std::size_t q = 0; q < p.frequencies.size(); ++q) {
      const double omega = 2 * std::numbers::pi * p.frequencies[q];
      const Complex answer = receiver_history_[q * width + k];
      u.push_back(factors[q] * answer);
      // An accelerogram that leaves a velocity has a mean, which displacements at the frequency 0 do not tell.
      acceleration.push_back(signal.kind == SignalKind::acceleration ? spectrum(signal.table, omega) * answer
                                                                     : -omega * omega * u.back());
    }
    // What the ground as a whole does is known from the lowest frequency.
    const double whole = receiver_history_[k].real(), sum = whole * spectrum(signal.table, 0).real();
    moved.push_back(signal.kind == SignalKind::acceleration
                        ? from_rest(steps, u, whole * moved_by(signal.table, steps.period()), steps.step * sum)
                    : signal.kind == SignalKind::velocity ? from_rest(steps, u, sum, 0)
                                                          : trace(steps, u));
    accelerated.push_back(trace(steps, acceleration));
    spectra.push_back(response_spectrum(accelerated.back(), time_step, periods, signal.damping));
    left = std::max(left, left_at_the_end(accelerated.back()));
    const std::size_t load = k / (3 * p.receivers.size()), receiver = k / 3 % p.receivers.size();
    const std::string name =
        fmt::format("{} {}{}", p.receiver_names[receiver], "xyz"[k % 3], shown() == 1 ? "" : " " + names_[load]);
    t.columns.push_back({name, "m", name});
    a.columns.push_back({name, "m/s^2", name});
    r.columns.push_back({name, "m/s^2", name});
  }
  t.id = "traces";
  t.title = "Displacement of the receivers over time";
  t.definition =
      "Of the signal, repeated after the inverse of the frequencies' step; without what lies outside of the "
      "frequencies.";
  a.definition = t.definition;
  if (signal.kind == SignalKind::acceleration || signal.kind == SignalKind::velocity)
    t.definition =
        "Of the signal, from rest at the time 0 on, repeated after the inverse of the frequencies' step; without what "
        "lies outside of the frequencies.";
  a.id = "accelerations";
  a.title = "Acceleration of the receivers over time";
  r.id = "response_spectra";
  r.title = "Response spectra of the receivers";
  r.x_scale = AxisScale::log;
  r.definition = fmt::format(
      "Pseudo-acceleration of oscillators with a damping ratio of {:g} that stand on the receivers, at rest at first.",
      signal.damping);
  const auto write = [&](TableInfo info, const std::vector<std::vector<double>>& columns, const auto& first) {
    if (info.columns.size() > 17) info.form = ChartForm::none;
    Table& table = context.results.table(info);
    for (std::size_t k = 0; k < columns.front().size(); ++k) {
      std::vector<double> row{first(k)};
      for (const auto& column : columns) row.push_back(column[k]);
      table.append(row);
    }
  };
  write(t, moved, [&](std::size_t k) { return time_step * static_cast<double>(k); });
  write(a, accelerated, [&](std::size_t k) { return time_step * static_cast<double>(k); });
  write(r, spectra, [&](std::size_t k) { return periods[k]; });
  const double outside = outside_band(signal.table, steps);
  context.results.number("signal_outside_band", outside, "1");
  context.results.number("motion_left_at_the_end", left, "1");
  const bool twice = signal.kind == SignalKind::acceleration;
  const double below =
      twice || signal.kind == SignalKind::velocity ? displacement_below(signal.table, steps, twice ? 2 : 1) : 0;
  if (below > 0.01)
    log::warning(
        "elastic-bem: {:.0f} % of the square of the displacements lie below {}, the lowest frequency, and are not in "
        "the "
        "traces; let the frequencies begin at their step, {}",
        100 * below, format_quantity(p.frequencies.front(), "Hz"), format_quantity(steps.step, "Hz"));
  if (left > 0.05)
    log::warning(
        "elastic-bem: after {} the acceleration of a receiver is still {:.0f} % of its largest: traces of a signal "
        "that is "
        "repeated then overlap; use a smaller step of the frequencies, or more damping",
        format_quantity(steps.period(), "s"), 100 * left);
  if (outside > 0.05)
    log::warning("elastic-bem: {:.0f} % of the signal's square lie outside of the frequencies from {} to {}",
                 100 * outside, format_quantity(p.frequencies.front(), "Hz"),
                 format_quantity(p.frequencies.back(), "Hz"));
}

}  // namespace conoid::elastic_bem
