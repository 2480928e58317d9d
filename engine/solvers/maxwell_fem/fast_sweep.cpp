// SPDX-License-Identifier: BSD-3-Clause
// A sweep of which only some frequencies are computed: which, and what is made of them.
#include "engine/core/log.hpp"
#include "engine/solvers/maxwell_fem/maxwell_fem.hpp"
#include "engine/solvers/maxwell_fem/rational.hpp"

#include <algorithm>
#include <cmath>

namespace conoid::maxwell_fem {
namespace {

constexpr std::size_t at_first = 5;     ///< frequencies, equally spaced
constexpr int agreements = 2;           ///< in a row, until nothing is computed any more
constexpr std::size_t looked_at = 400;  ///< components, by which the next frequencies are chosen

double decibels(double relative) {
  return 20 * std::log10(1 + relative);
}

}  // namespace

void MaxwellFem::begin_order() {
  const std::size_t count = settings_.frequencies.size();
  if (!settings_.fast || count <= at_first) {
    settings_.fast.reset();
    for (std::size_t f = 0; f < count; ++f) order_.push_back(f);
    return;
  }
  for (std::size_t n = 0; n < at_first; ++n) order_.push_back(n * (count - 1) / (at_first - 1));
  newest_ = 1;
}

void MaxwellFem::remember() {
  Sample sample;
  sample.frequency = frequency();
  sample.y = amplitudes();
  for (const FarAmplitude& f : outcome_.far.forward) sample.y.insert(sample.y.end(), {f.theta, f.phi});
  samples_.push_back(std::move(sample));
}

std::vector<SweepSample> MaxwellFem::scaled_samples(std::size_t most) const {
  std::vector<SweepSample> out;
  for (const Sample& s : samples_) {
    const std::size_t stride = std::max<std::size_t>(1, s.y.size() / most);
    // The echo back comes first and counts; of the others some.
    SweepSample& to = out.emplace_back(SweepSample{s.frequency / settings_.frequencies.back(), {}});
    for (std::size_t c = 0; c < s.y.size(); c += c < 4 ? 1 : stride) to.y.push_back(s.y[c]);
  }
  return out;
}

/// On every rank alike, when all of order_ is computed: the leading rank says what comes next.
void MaxwellFem::extend_order(Communicator& all) {
  if (!settings_.fast || next_ < order_.size()) return;
  const auto wanted = static_cast<std::size_t>(all.size());
  std::vector<double> more(wanted, -1);
  if (all.leads()) {
    std::vector<double> grid;
    for (double f : settings_.frequencies) grid.push_back(f / settings_.frequencies.back());
    const double tolerance = std::pow(10, settings_.fast->accuracy / 20) - 1;
    const SweepPlan plan = plan_sweep(grid, scaled_samples(looked_at), newest_, tolerance, wanted);
    sweep_error_ = plan.error;
    agreed_ = plan.error <= tolerance ? agreed_ + 1 : 0;
    const auto room = static_cast<std::size_t>(settings_.fast->most) -
                      std::min(samples_.size(), static_cast<std::size_t>(settings_.fast->most));
    log::info("maxwell-fem: {} frequencies computed; the newest changed the sweep by up to {:.2g} dB", samples_.size(),
              decibels(plan.error));
    if (agreed_ < agreements)
      for (std::size_t n = 0; n < std::min(room, plan.next.size()); ++n) more[n] = static_cast<double>(plan.next[n]);
    if (agreed_ < agreements && room == 0)
      log::warning("maxwell-fem: after {} frequencies the sweep still changes by {:.2g} dB, {:.2g} dB were asked for",
                   samples_.size(), decibels(plan.error), settings_.fast->accuracy);
  }
  all.broadcast(std::as_writable_bytes(std::span(more)), 0);
  newest_ = 0;
  for (const double f : more)
    if (f >= 0) {
      order_.push_back(static_cast<std::size_t>(f));
      ++newest_;
    }
}

/// Echoes and amplitudes of all frequencies, from those that were computed.
void MaxwellFem::write_sweep(Results& out) {
  const double tolerance = std::pow(10, settings_.fast->accuracy / 20) - 1;
  const std::vector<SweepSample> all = scaled_samples(samples_[0].y.size());
  const RationalFit fit(all, 0.05 * tolerance);
  const auto pols = static_cast<std::size_t>(settings_.polarisations());
  const std::size_t waves = settings_.incidences().size() * pols, each = 2 * (1 + seen_from().size());
  echoes_.clear();
  for (const double f : settings_.frequencies) {
    const std::vector<Complex> y = fit.at(f / settings_.frequencies.back());
    Echo echo{f, {}, 0, 0};
    for (std::size_t w = 0; w < waves; ++w) echo.amplitude.insert(echo.amplitude.end(), {y[w * each], y[w * each + 1]});
    if (settings_.amplitudes) write_amplitudes(out, f, std::span(y).first(waves * each));
    echoes_.push_back(std::move(echo));
  }
  out.number("frequencies_computed", static_cast<double>(samples_.size()), "1");
  out.number("sweep_error", decibels(sweep_error_), "dB");
  TableInfo t;
  t.id = "computed_frequencies";
  t.title = "Frequencies that were computed";
  t.form = ChartForm::none;
  t.columns = {{"f", "Hz", "frequency"}};
  t.definition =
      "In the order in which they were chosen; all others are rational functions with common poles through these.";
  Table& table = out.table(t);
  for (const Sample& s : samples_) table.append({s.frequency});
}

}  // namespace conoid::maxwell_fem
