// SPDX-License-Identifier: BSD-3-Clause
// What the time step does to signals, undone: filters between the steps of the march and the times of sources and receivers.
//
// A wave of true frequency Ω goes through the scheme as one of ω, with (2/dt) sin(ω dt/2) = Ω; space does not come into that. So
// the march is exact in time when a source gives ω what its signal has at Ω, and what a receiver hears at ω is read as Ω
// (forward and inverse time-dispersion transform: Stork, EAGE 2013; Wang & Xu, Geophysics 80, 2015; Koene et al., Geophys. J. Int.
// 213, 2018). With Σ over samples and e^{iΩt} in place of e^{iωt} both are rows of weights on samples,
//
//     receiver  p(t)   = Σ_m u_m  (dt/2π) ∫ H e^{i(Ω(ω) t − ω m dt)} dω
//     source    s_k    = Σ_m s(m dt) (dt/2π) ∫ H e^{i(ω(Ω) k dt − Ω m dt)} dΩ
//
// whose Jacobians cancel, so that an initial field needs no filter of its own. H is a low pass with Gaussian edges: it keeps what
// the sources send, and where samples become fewer it takes away what would fold back. A row reaches from t cos(ω dt/2) to t (a
// source's from t on), and 5 standard deviations of the edge in time to either side. Without the correction Ω = ω, and H alone is left.
// Sponges and matched layers act at ω as well; waves there are meant to die anyway.
#pragma once

#include "engine/core/types.hpp"
#include "engine/io/checkpoint.hpp"
#include "engine/solvers/acoustic_fd/discretization/signal.hpp"

#include <complex>
#include <memory>
#include <span>
#include <vector>

namespace conoid::acoustic_fd {

/// rad/s of the true frequency. H is 1 up to `pass` and 0 from `stop` on, within 2.4e-4.
struct Band {
  double pass = 0, stop = 0;
};

struct TimeScheme {
  double dt = 1;
  bool corrected = true;  ///< by the dispersion above
  double highest = 0;     ///< Hz, that sources and initial field send; 0: unknown
};

/// The band of samples `interval` apart of a march: up to twice the highest frequency, at most to the Nyquist frequency of the
/// samples and, corrected, four fifths of the highest frequency the scheme can have, 2/dt.
[[nodiscard]] Band band_of(const TimeScheme& scheme, double interval);

/// Weights on samples dt apart.
class WeightRows {
 public:
  enum class Use { receiver, source };
  WeightRows(const TimeScheme& scheme, const Band& band, Use use);
  struct Row {
    Index first = 0;  ///< may lie before 0
    std::vector<double> weight;
  };
  [[nodiscard]] Row at(double t) const;
  /// The samples it takes.
  [[nodiscard]] Interval reach(double t) const;

 private:
  TimeScheme scheme_;
  Use use_;
  double centre_, edge_;  ///< of H, rad/s in the frequency of the samples
  double slowest_;        ///< group delay of the fastest wave that passes, in t
  Index tail_;
};

/// The signal as steps of the march should have it, at k dt, k = 0 … steps. Where the step's error over all of them is below what single precision keeps it
/// is the signal itself.
[[nodiscard]] std::shared_ptr<const Signal> stepped_signal(const Signal& signal, const TimeScheme& scheme, Index steps);

/// The same of many signals at once, whose weights are computed once; `scheme` is that of all.
[[nodiscard]] std::vector<std::shared_ptr<const Signal>> stepped_signals(const std::vector<const Signal*>& given,
                                                                         const TimeScheme& scheme, Index steps);

/// A signal that is known at the steps alone: values[k] at k dt, zero before and behind.
[[nodiscard]] std::shared_ptr<const Signal> signal_of_steps(std::vector<double> values, double dt, double highest);

/// Turns the levels of a march into traces at the times of one or several tables, row by row while the march goes on. Keeps the
/// levels that rows to come need. Where record and rows have the same times and nothing is corrected, values pass as they are.
/// Before the first level and beyond the last one the record goes on reflected in its end; pressure that starts at rest was before what it will be, p(−t) = p(t).
class TraceFilter {
 public:
  /// `intervals`: between the rows of each table; row j lies at j interval, up to steps dt. The first `even` traces start at rest.
  TraceFilter(const TimeScheme& scheme, std::size_t traces, const std::vector<double>& intervals, Index steps,
              std::size_t even = 0);
  /// The next level, 0 first.
  void take(std::span<const double> values);
  /// The rows that have become ready since, [row][trace]; `ends`: no further level will come.
  [[nodiscard]] std::vector<double> rows(std::size_t table, bool ends);
  /// Of the next row that rows() will return.
  [[nodiscard]] Index next_row(std::size_t table) const { return tables_[table].next; }
  [[nodiscard]] Band band(std::size_t table) const { return tables_[table].band; }
  /// The transpose of all rows of a table: of `rows`, [row][trace] from row 0 on, what each level 0 … `last` gets, [level][trace], so that
  /// Σ rows · (rows of a record) = Σ (what this gives) · record. `last` is the last level that will have been taken.
  [[nodiscard]] std::vector<double> transposed(std::size_t table, std::span<const double> rows, std::size_t traces,
                                               Index last) const;
  void save(CheckpointWriter& writer) const;
  void load(CheckpointReader& reader);

 private:
  struct Table {
    double interval;
    Band band;
    bool plain;  ///< rows are levels
    WeightRows weights;
    Index every, next, count;
  };
  [[nodiscard]] const double* level(Index m) const;
  void row(const Table& table, Index j, std::span<double> out) const;
  void forget();

  std::size_t traces_, even_;
  double dt_;
  std::vector<Table> tables_;
  Index first_ = 0, taken_ = 0;  ///< levels [first_, taken_) are kept
  std::vector<double> record_;   ///< [level − first_][trace]
};

}  // namespace conoid::acoustic_fd
