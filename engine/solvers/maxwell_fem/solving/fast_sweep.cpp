// SPDX-License-Identifier: BSD-3-Clause
// A sweep of which only some frequencies are computed: which, and what is made of them.
#include "engine/core/log.hpp"
#include "engine/solvers/maxwell_fem/maxwell_fem.hpp"
#include "engine/solvers/maxwell_fem/solving/rational.hpp"

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
  const std::size_t count = problem_.frequencies.size();
  if (!problem_.fast || count <= at_first) {
    problem_.fast.reset();
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
  if (!outcome_.changes.empty())
    for (std::size_t p = 0; p < static_cast<std::size_t>(problem_.polarisations()); ++p) {
      const bool h = problem_.is_horizontal(static_cast<Index>(p));
      sample.off.push_back(change_back(p, h) +
                           outcome_.facts.residual * std::abs(mixed(outcome_.far.back, 0, p).along(h)));
    }
  samples_.push_back(std::move(sample));
}

std::vector<SweepSample> MaxwellFem::scaled_samples(std::size_t most) const {
  std::vector<SweepSample> out;
  for (const Sample& s : samples_) {
    const std::size_t stride = std::max<std::size_t>(1, s.y.size() / most);
    // The echo back comes first and counts; of the others some.
    SweepSample& to = out.emplace_back(SweepSample{s.frequency / problem_.frequencies.back(), {}});
    for (std::size_t c = 0; c < s.y.size(); c += c < 4 ? 1 : stride) to.y.push_back(s.y[c]);
  }
  return out;
}

/// On every rank alike, when all of order_ is computed: the leading rank says what comes next.
void MaxwellFem::extend_order(Communicator& all) {
  if (!problem_.fast || next_ < order_.size()) return;
  const auto wanted = most_groups_;
  std::vector<double> more(wanted, -1);
  if (all.leads()) {
    std::vector<double> grid;
    for (double f : problem_.frequencies) grid.push_back(f / problem_.frequencies.back());
    const double tolerance = std::pow(10, problem_.fast->accuracy / 20) - 1;
    const SweepPlan plan = plan_sweep(grid, scaled_samples(looked_at), newest_, tolerance, wanted);
    sweep_error_ = plan.error;
    agreed_ = plan.error <= tolerance ? agreed_ + 1 : 0;
    const auto room = static_cast<std::size_t>(problem_.fast->most) -
                      std::min(samples_.size(), static_cast<std::size_t>(problem_.fast->most));
    log::info("maxwell-fem: {} frequencies computed; the newest changed the sweep by up to {:.2g} dB", samples_.size(),
              decibels(plan.error));
    if (agreed_ < agreements)
      for (std::size_t n = 0; n < std::min(room, plan.next.size()); ++n) more[n] = static_cast<double>(plan.next[n]);
    if (agreed_ < agreements && room == 0)
      log::warning("maxwell-fem: after {} frequencies the sweep still changes by {:.2g} dB, {:.2g} dB were asked for",
                   samples_.size(), decibels(plan.error), problem_.fast->accuracy);
  }
  all.broadcast(std::as_writable_bytes(std::span(more)), 0);
  newest_ = 0;
  for (const double f : more)
    if (f >= 0) {
      order_.push_back(static_cast<std::size_t>(f));
      ++newest_;
    }
}

/// A frequency of the sweep as if all its waves had been solved: `values` as amplitudes() has them.
void MaxwellFem::take_fitted(std::size_t frequency, std::span<const Complex> values) {
  frequency_ = frequency;
  waves_ = problem_.waves(problem_.frequencies[frequency]);
  const std::size_t count = waves_.size(), each = 1 + seen_from().size(),
                    pols = static_cast<std::size_t>(problem_.polarisations());
  outcome_ = {};
  outcome_.mix.assign(count * count, 0);
  for (std::size_t w = 0; w < count; ++w) {
    outcome_.solved.push_back(static_cast<Index>(w));
    outcome_.mix[w * count + w] = 1;
  }
  // [direction][wave]
  const auto of = [&](std::size_t first, std::size_t directions) {
    std::vector<FarAmplitude> out;
    for (std::size_t d = 0; d < directions; ++d)
      for (std::size_t w = 0; w < count; ++w) {
        const std::size_t at = 2 * (w * each + first + d);
        out.push_back({values[at], values[at + 1]});
      }
    return out;
  };
  outcome_.far.back.assign(count / pols * count, {});
  for (std::size_t w = 0; w < count; ++w)
    outcome_.far.back[w / pols * count + w] = {values[2 * w * each], values[2 * w * each + 1]};
  std::size_t first = 1;
  for (const Cut& cut : problem_.cuts) {
    outcome_.far.cuts.push_back(of(first, cut.angles.size()));
    first += cut.angles.size();
  }
  if (problem_.sphere_step > 0) outcome_.far.sphere = of(first, each - first);
}

/// Echoes, cuts and amplitudes of all frequencies, from those that were computed.
void MaxwellFem::write_sweep(RunContext& context) {
  Results& out = context.results;
  const double tolerance = std::pow(10, problem_.fast->accuracy / 20) - 1;
  const std::vector<SweepSample> all = scaled_samples(samples_[0].y.size());
  const RationalFit fit(all, 0.05 * tolerance);
  const auto pols = static_cast<std::size_t>(problem_.polarisations());
  const std::size_t waves = problem_.incidences().size() * pols, each = 2 * (1 + seen_from().size());
  echoes_.clear();
  // A run that was stopped goes on from what is under way.
  const Outcome under_way = outcome_;
  const std::vector<Incident> waves_under_way = waves_;
  const std::size_t frequency_under_way = frequency_;
  for (std::size_t f = 0; f < problem_.frequencies.size(); ++f) {
    const std::vector<Complex> y = fit.at(problem_.frequencies[f] / problem_.frequencies.back());
    echoes_.push_back({problem_.frequencies[f], {}, 0, 0});
    take_fitted(f, std::span(y).first(waves * each));
    write_cuts(context, outcome_.far);
    write_monostatic(context, outcome_.far);
    if (problem_.amplitudes) write_amplitudes(out, problem_.frequencies[f], std::span(y).first(waves * each));
  }
  outcome_ = under_way;
  waves_ = waves_under_way;
  frequency_ = frequency_under_way;
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
  write_sweep_errors(out, fit);
}

/// Of the echo of the first direction at each frequency: what the newest sample changed there, and the error bars of the computed ones.
/// Where a body rings what elements leave out acts as a shift of the frequency: between computed frequencies bars follow the size of F and
/// of f dF/df.
void MaxwellFem::write_sweep_errors(Results& out, const RationalFit& fit) {
  if (samples_.size() < 3) return;
  const auto pols = static_cast<std::size_t>(problem_.polarisations());
  const std::size_t each = 2 * (1 + seen_from().size());
  const double last = problem_.frequencies.back(), tolerance = std::pow(10, problem_.fast->accuracy / 20) - 1;
  const std::vector<SweepSample> all = scaled_samples(samples_[0].y.size());
  const std::span<const SweepSample> earlier(all.data(), all.size() - 1);
  const RationalFit before(earlier, 0.05 * tolerance);
  const auto seen = [&](std::size_t p) {  // of an echo: V, H
    return problem_.is_horizontal(static_cast<Index>(p)) ? std::size_t{1} : std::size_t{0};
  };
  const auto place = [&](std::size_t p) { return p * each + seen(p); };
  const auto size = [&](double f, std::size_t p) {
    constexpr double step = 1e-5;
    const Complex up = fit.at((1 + step) * f / last, place(p)), down = fit.at((1 - step) * f / last, place(p));
    return std::hypot(std::abs(fit.at(f / last, place(p))), std::abs(up - down) / (2 * step));
  };
  std::vector<std::vector<std::pair<double, double>>> known(pols);  // frequency, log of the bar over that size
  for (const Sample& s : samples_)
    for (std::size_t p = 0; p < s.off.size(); ++p)
      if (s.off[p] > 0) known[p].emplace_back(s.frequency, std::log(s.off[p] / size(s.frequency, p)));
  for (auto& list : known) std::sort(list.begin(), list.end());
  TableInfo t;
  t.id = "sweep_errors";
  t.title = "What the echo of the sweep may be off by";
  t.form = ChartForm::lines;
  t.columns = {{"f", "Hz", "frequency"}};
  t.definition =
      "20 lg(1 + |change|/|F|): what the newest of the computed frequencies changed, and, where error bars are asked "
      "for, "
      "what elements of the next order change.";
  std::vector<std::string> names;
  for (std::size_t p = 0; p < pols; ++p) {
    names.emplace_back(problem_.is_horizontal(static_cast<Index>(p)) ? "HH" : "VV");
    t.columns.push_back({names[p], "dB", names[p]});
  }
  Table& table = out.table(t);
  std::vector<double> largest(pols, 0), worst(pols, 0);
  for (const Echo& e : echoes_)
    for (std::size_t p = 0; p < pols; ++p) largest[p] = std::max(largest[p], std::abs(e.amplitude[2 * p + seen(p)]));
  for (const Echo& e : echoes_) {
    std::vector<double> row{e.frequency};
    for (std::size_t p = 0; p < pols; ++p) {
      const double level = std::abs(e.amplitude[2 * p + seen(p)]);
      double off = std::abs(fit.at(e.frequency / last, place(p)) - before.at(e.frequency / last, place(p)));
      if (const auto& list = known[p]; !list.empty()) {
        auto above = std::lower_bound(list.begin(), list.end(), std::pair{e.frequency, -HUGE_VAL});
        if (above == list.end()) --above;
        const auto below = above == list.begin() ? above : std::prev(above);
        const double w = above == below ? 0 : (e.frequency - below->first) / (above->first - below->first);
        off += size(e.frequency, p) * std::exp((1 - w) * below->second + w * above->second);
      }
      row.push_back(decibels(off / std::max(level, 1e-300)));
      if (level > std::pow(10, -25.0 / 20) * largest[p]) worst[p] = std::max(worst[p], row.back());
    }
    table.append(row);
  }
  for (std::size_t p = 0; p < pols; ++p) out.number("sweep_error_" + names[p], worst[p], "dB");
}

}  // namespace conoid::maxwell_fem
