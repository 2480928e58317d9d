// SPDX-License-Identifier: BSD-3-Clause
// Rows of weights by one transform each, and the record they work on.
#include "engine/solvers/acoustic_fd/discretization/trace_filter.hpp"

#include "engine/team/parallel_for.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace conoid::acoustic_fd {
namespace {

constexpr double edge_widths = 7;  // standard deviations between pass and stop
constexpr double tail_widths = 5;  // exp(−25/2) = 4e-6

/// Σ_b in[b] e^{−2πi b m/n} for all m, in place; n is a power of two.
void transform(std::vector<std::complex<double>>& v) {
  const std::size_t n = v.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(v[i], v[j]);
  }
  std::vector<std::complex<double>> turn(n / 2);
  for (std::size_t i = 0; i < n / 2; ++i)
    turn[i] = std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n));
  for (std::size_t half = 1; half < n; half *= 2)
    for (std::size_t begin = 0; begin < n; begin += 2 * half)
      for (std::size_t i = 0; i < half; ++i) {
        const auto a = v[begin + i], w = turn[i * (n / (2 * half))], b = v[begin + half + i];
        const std::complex<double> c{b.real() * w.real() - b.imag() * w.imag(),
                                     b.real() * w.imag() + b.imag() * w.real()};
        v[begin + i] = a + c;
        v[begin + half + i] = a - c;
      }
}

/// ω of Ω.
double in_steps(double frequency, double dt) {
  return 2 / dt * std::asin(std::min(1.0, 0.5 * frequency * dt));
}

/// A signal that is known at the steps alone.
class Stepped final : public Signal {
 public:
  Stepped(std::vector<double> values, double dt, double highest, double end)
      : values_(std::move(values)), dt_(dt), highest_(highest), end_(end) {}
  [[nodiscard]] double at(double t) const override {
    const double k = std::round(t / dt_);
    return k >= 0 && k < static_cast<double>(values_.size()) ? values_[static_cast<std::size_t>(k)] : 0;
  }
  [[nodiscard]] double highest_frequency() const override { return highest_; }
  [[nodiscard]] double end() const override { return end_; }

 private:
  std::vector<double> values_;
  double dt_, highest_, end_;
};

/// Over the whole run the step turns no phase by more than single precision keeps: ΩT (Ω dt)²/24, the first term of asin. A row of weights takes half a
/// millisecond however little there is to undo, more than a small grid's step.
bool needs_no_filter(const TimeScheme& scheme, Index steps) {
  constexpr double kept = 1e-7;
  const double turn = 2 * std::numbers::pi * scheme.highest * scheme.dt;
  return turn > 0 && static_cast<double>(steps) * turn * turn * turn / 24 < kept;
}

bool is_step(double interval, double dt) {
  return std::abs(interval - dt) <= 1e-12 * dt;
}

}  // namespace

Band band_of(const TimeScheme& scheme, double interval) {
  double stop = std::numbers::pi / std::max(interval, scheme.dt);
  if (scheme.corrected) stop = std::min(stop, 1.6 / scheme.dt);
  // An edge so narrow that a row would take more samples than these keeps nothing away that matters: what is sent is slower than 290 steps a period.
  constexpr double longest_tail = 4096, slowest = tail_widths * edge_widths / (0.2 * longest_tail);
  if (scheme.highest > 0)
    stop = std::min(stop, std::max(slowest / scheme.dt, 2 * 2 * std::numbers::pi * scheme.highest));
  return {0.8 * stop, stop};
}

WeightRows::WeightRows(const TimeScheme& scheme, const Band& band, Use use) : scheme_(scheme), use_(use) {
  const bool by_steps = scheme.corrected && use == Use::receiver;  // samples have ω
  const double pass = by_steps ? in_steps(band.pass, scheme.dt) : band.pass,
               stop = by_steps ? in_steps(band.stop, scheme.dt) : band.stop;
  centre_ = 0.5 * (pass + stop);
  edge_ = (stop - pass) / edge_widths;
  const double cosine = scheme.corrected ? std::cos(0.5 * scheme.dt * in_steps(band.stop, scheme.dt)) : 1;
  slowest_ = use == Use::receiver ? cosine : 1 / cosine;
  tail_ = static_cast<Index>(std::ceil(tail_widths / (edge_ * scheme.dt)));
}

Interval WeightRows::reach(double t) const {
  const double a = t / scheme_.dt, b = slowest_ * a;
  return {static_cast<Index>(std::floor(std::min(a, b))) - tail_,
          static_cast<Index>(std::ceil(std::max(a, b))) + tail_ + 1};
}

WeightRows::Row WeightRows::at(double t) const {
  const Interval reach = this->reach(t);
  const auto width = static_cast<std::size_t>(reach.size());
  const std::size_t n = std::bit_ceil(width);
  const double dt = scheme_.dt, most = centre_ + 6 * edge_;
  std::vector<std::complex<double>> sum(n);
  for (std::size_t b = 0; b <= n / 2; ++b) {
    const double f = 2 * std::numbers::pi * static_cast<double>(b) / (static_cast<double>(n) * dt);
    if (f > most || (scheme_.corrected && use_ == Use::source && 0.5 * f * dt >= 1)) break;
    const double to = !scheme_.corrected      ? f
                      : use_ == Use::receiver ? 2 / dt * std::sin(0.5 * f * dt)
                                              : in_steps(f, dt);
    const double low_pass = 0.5 * std::erfc((f - centre_) / (std::numbers::sqrt2 * edge_));
    sum[b] = std::polar((b == 0 || 2 * b == n ? 1.0 : 2.0) * low_pass / static_cast<double>(n),
                        to * t - f * dt * static_cast<double>(reach.begin));
  }
  transform(sum);
  Row row;
  row.first = reach.begin;
  row.weight.resize(width);
  for (std::size_t m = 0; m < width; ++m) row.weight[m] = sum[m].real();
  return row;
}

std::shared_ptr<const Signal> stepped_signal(const Signal& signal, const TimeScheme& scheme, Index steps) {
  return stepped_signals({&signal}, scheme, steps).front();
}

std::vector<std::shared_ptr<const Signal>> stepped_signals(const std::vector<const Signal*>& signals,
                                                           const TimeScheme& scheme, Index steps) {
  const double dt = scheme.dt;
  if (needs_no_filter(scheme, steps)) {
    std::vector<std::shared_ptr<const Signal>> out;
    for (const Signal* signal : signals) {
      const double last = std::min(std::ceil(signal->end() / dt), static_cast<double>(steps));
      std::vector<double> values;
      for (Index k = 0; k <= static_cast<Index>(last); ++k) values.push_back(signal->at(static_cast<double>(k) * dt));
      out.push_back(std::make_shared<Stepped>(std::move(values), dt, signal->highest_frequency(), signal->end()));
    }
    return out;
  }
  const WeightRows rows(scheme, band_of(scheme, dt), WeightRows::Use::source);
  struct Work {
    Index known = 0;
    std::vector<double> samples, values;
  };
  std::vector<Work> all(signals.size());
  Index most = 0;
  for (std::size_t i = 0; i < signals.size(); ++i) {
    // It is over when the samples that a row takes lie behind the signal's end.
    const auto last = static_cast<Index>(std::min(std::ceil(signals[i]->end() / dt), 1e12));
    Index count = 0;
    for (Index low = 0, high = steps + 1; low < high;) {
      const Index middle = low + (high - low) / 2;
      if (rows.reach(static_cast<double>(middle) * dt).begin <= last)
        count = low = middle + 1;
      else
        high = middle;
    }
    Work& work = all[i];
    work.known = std::min(last + 1, rows.reach(static_cast<double>(count) * dt).end);
    for (Index m = 0; m < work.known; ++m) work.samples.push_back(signals[i]->at(static_cast<double>(m) * dt));
    work.values.resize(static_cast<std::size_t>(count));
    most = std::max(most, count);
  }
  parallel_for(0, {0, most}, 16, [&](Index k) {
    const auto row = rows.at(static_cast<double>(k) * dt);
    for (Work& work : all) {
      if (k >= static_cast<Index>(work.values.size())) continue;
      double sum = 0;
      for (std::size_t n = 0; n < row.weight.size(); ++n) {
        const Index m = row.first + static_cast<Index>(n);
        if (m >= 0 && m < work.known) sum += row.weight[n] * work.samples[static_cast<std::size_t>(m)];
      }
      work.values[static_cast<std::size_t>(k)] = sum;
    }
  });
  std::vector<std::shared_ptr<const Signal>> out;
  for (std::size_t i = 0; i < signals.size(); ++i)
    out.push_back(
        std::make_shared<Stepped>(std::move(all[i].values), dt, signals[i]->highest_frequency(), signals[i]->end()));
  return out;
}

std::shared_ptr<const Signal> signal_of_steps(std::vector<double> values, double dt, double highest) {
  const double end = static_cast<double>(values.size()) * dt;
  return std::make_shared<Stepped>(std::move(values), dt, highest, end);
}

TraceFilter::TraceFilter(const TimeScheme& scheme, std::size_t traces, const std::vector<double>& intervals,
                         Index steps, std::size_t even)
    : traces_(traces), even_(even), dt_(scheme.dt) {
  for (const double interval : intervals) {
    const Band band = band_of(scheme, interval);
    const double end = static_cast<double>(steps) * dt_;
    tables_.push_back({interval, band, !scheme.corrected && is_step(interval, dt_),
                       WeightRows(scheme, band, WeightRows::Use::receiver), 1, 0,
                       static_cast<Index>(std::floor(end / interval * (1 + 1e-12) + 1e-9)) + 1});
  }
}

void TraceFilter::take(std::span<const double> values) {
  record_.insert(record_.end(), values.begin(), values.end());
  ++taken_;
}

const double* TraceFilter::level(Index m) const {
  return record_.data() + static_cast<std::size_t>(std::clamp(m, first_, taken_ - 1) - first_) * traces_;
}

void TraceFilter::row(const Table& table, Index j, std::span<double> out) const {
  if (table.plain) {
    std::copy_n(level(j), traces_, out.begin());
    return;
  }
  const auto weights = table.weights.at(static_cast<double>(j) * table.interval);
  std::fill(out.begin(), out.end(), 0.0);
  const Index last = taken_ - 1;
  for (std::size_t n = 0; n < weights.weight.size(); ++n) {
    const Index m = weights.first + static_cast<Index>(n);
    const double w = weights.weight[n];
    if (m >= 0 && m <= last) {
      const double* const u = level(m);
      for (std::size_t i = 0; i < traces_; ++i) out[i] += w * u[i];
    } else {  // reflected in the end, or at it
      const std::size_t even = m < 0 ? even_ : 0;
      const double *const end = level(m < 0 ? 0 : last), *const mirrored = level(m < 0 ? -m : 2 * last - m);
      for (std::size_t i = 0; i < even; ++i) out[i] += w * mirrored[i];
      for (std::size_t i = even; i < traces_; ++i) out[i] += w * (2 * end[i] - mirrored[i]);
    }
  }
}

std::vector<double> TraceFilter::rows(std::size_t number, bool ends) {
  Table& table = tables_[number];
  Index ready = table.next;
  while (ready < table.count && taken_ > 0) {
    const double t = static_cast<double>(ready) * table.interval;
    const Index last = table.plain ? ready : table.weights.reach(t).end - 1;
    if (ends ? t > static_cast<double>(taken_ - 1) * dt_ * (1 + 1e-12) : last >= taken_) break;
    ++ready;
  }
  const Index begin = table.next;
  std::vector<double> out(static_cast<std::size_t>(ready - begin) * traces_);
  parallel_for(0, {begin, ready}, 4, [&](Index j) {
    row(table, j, std::span(out).subspan(static_cast<std::size_t>(j - begin) * traces_, traces_));
  });
  table.next = ready;
  forget();
  return out;
}

std::vector<double> TraceFilter::transposed(std::size_t number, std::span<const double> rows, std::size_t traces,
                                            Index last) const {
  const Table& table = tables_[number];
  const auto count = static_cast<Index>(traces > 0 ? rows.size() / traces : 0);
  std::vector<double> out(static_cast<std::size_t>(last + 1) * traces);
  const auto add = [&](Index level, double weight, const double* row, std::size_t begin, std::size_t end) {
    double* const to = out.data() + static_cast<std::size_t>(level) * traces;
    for (std::size_t i = begin; i < end; ++i) to[i] += weight * row[i];
  };
  constexpr Index block = 256;       // of rows, whose weights are held
  constexpr std::size_t share = 64;  // of traces, whose sums no other thread touches
  for (Index first = 0; first < count; first += block) {
    const Index end = std::min(count, first + block);
    std::vector<WeightRows::Row> weights(static_cast<std::size_t>(end - first));
    parallel_for(0, {first, end}, 4, [&](Index j) {
      auto& own = weights[static_cast<std::size_t>(j - first)];
      if (table.plain)
        own = {j, {1.0}};
      else
        own = table.weights.at(static_cast<double>(j) * table.interval);
    });
    const auto shares = static_cast<Index>((traces + share - 1) / share);
    parallel_for(0, {0, shares}, 1, [&](Index part) {
      const std::size_t begin = static_cast<std::size_t>(part) * share, stop = std::min(traces, begin + share);
      for (Index j = first; j < end; ++j) {
        const WeightRows::Row& own = weights[static_cast<std::size_t>(j - first)];
        const double* const row = rows.data() + static_cast<std::size_t>(j) * traces;
        for (std::size_t n = 0; n < own.weight.size(); ++n) {
          const Index m = own.first + static_cast<Index>(n);
          if (m >= 0 && m <= last) {
            add(m, own.weight[n], row, begin, stop);
          } else {  // reflected in the end, as row() has it
            add(m < 0 ? 0 : last, 2 * own.weight[n], row, begin, stop);
            add(std::clamp<Index>(m < 0 ? -m : 2 * last - m, 0, last), -own.weight[n], row, begin, stop);
          }
        }
      }
    });
  }
  return out;
}

void TraceFilter::forget() {
  Index needed = taken_;
  for (const Table& t : tables_)
    if (t.next < t.count)
      needed = std::min(needed, t.plain ? t.next : t.weights.reach(static_cast<double>(t.next) * t.interval).begin);
  needed = std::max(needed, first_);
  // A quarter at a time, so that what stays is not moved for every level.
  if (needed <= first_ || 4 * (needed - first_) < taken_ - first_) return;
  record_.erase(record_.begin(),
                record_.begin() + static_cast<std::ptrdiff_t>((needed - first_) * static_cast<Index>(traces_)));
  first_ = needed;
}

void TraceFilter::save(CheckpointWriter& writer) const {
  std::vector<Index> counts{first_, taken_};
  for (const Table& t : tables_) counts.push_back(t.next);
  writer.shared<Index>("trace_counts", counts);
  writer.shared<double>("trace_record", record_);
}

void TraceFilter::load(CheckpointReader& reader) {
  std::vector<Index> counts(2 + tables_.size());
  reader.range<Index>("trace_counts", 0, counts);
  first_ = counts[0];
  taken_ = counts[1];
  for (std::size_t n = 0; n < tables_.size(); ++n) tables_[n].next = counts[n + 2];
  record_ = reader.all<double>("trace_record");
  if (first_ < 0 || record_.size() != static_cast<std::size_t>(taken_ - first_) * traces_)
    throw Failure(make_error(ErrorCode::file, "the record of the traces does not fit the checkpoint's counts",
                             "It belongs to another case; start the run anew."));
}

}  // namespace conoid::acoustic_fd
