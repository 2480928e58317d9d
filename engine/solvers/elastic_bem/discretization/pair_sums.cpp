// SPDX-License-Identifier: BSD-3-Clause
// Sums over elements by processors and devices, each worker's by itself; near pairs by rows.
#include "engine/solvers/elastic_bem/discretization/pair_sums.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "engine/core/log.hpp"
#include "engine/core/units.hpp"
#include "engine/linalg/big_array.hpp"
#include "engine/linalg/dense.hpp"
#include "engine/solvers/elastic_bem/cuda/device_pairs.hpp"
#include "engine/solvers/elastic_bem/discretization/column_sink.hpp"
#include "engine/solvers/elastic_bem/discretization/near_pairs.hpp"
#include "engine/solvers/elastic_bem/discretization/pair_phase.hpp"
#include "engine/team/team.hpp"

namespace conoid::elastic_bem {
namespace {

constexpr Index block_bytes =
    Index{256} << 20;  ///< of the matrix that processors make at a time, but for 128 points at least

/// Addresses of columns that are nowhere, counted from here: they tell columns apart and are never read.
Complex* nowhere() {
  static Complex first;
  return &first;
}

/// Targets of all columns, `length` values each from `base`; `place` says which column is the how-manieth, −1: left out.
Targets<double> targets_of(const PairVectors& v, Complex* base, Index length, const std::vector<Index>& place) {
  Targets<double> out;
  out.h.resize(v.node.size());
  out.g.resize(v.traction.size());
  const auto put = [&](const std::vector<std::array<Index, 3>>& columns, auto& to, Complex scale) {
    for (std::size_t k = 0; k < columns.size(); ++k)
      for (std::size_t d = 0; d < 3; ++d) {
        const Index c = columns[k][d], at = c < 0 ? -1 : place.empty() ? c : place[static_cast<std::size_t>(c)];
        if (at >= 0) to[k][d] = {base + at * length, scale};
      }
  };
  put(v.node, out.h, Complex(-1));
  put(v.traction, out.g, Complex(1));
  return out;
}

/// Far pairs: each worker multiplies what it has computed.
class FarSums final : public PairPhase<double, ColumnSink<double>> {
 public:
  using Base = PairPhase<double, ColumnSink<double>>;
  FarSums(const Surface& surface, const FarRules<double>& rules, const Harmonic& h, const RowPoints& rows,
          const PairVectors& vectors, ColumnSink<double>& sink, std::stop_token stop, bool deterministic,
          PanelStore& panels, const char* stage)
      : Base(stage, surface, rules, lane_medium<double>(h), rows, surface.active, sink, std::move(stop)), harmonic_(h),
        vectors_(vectors), deterministic_(deterministic), panels_(panels) {}
  [[nodiscard]] bool runs_on_devices() const override { return true; }

  void run(CpuWorker& worker, Interval items) override {
    const auto all = static_cast<Index>(rows_.points.size());
    std::vector<Complex> y(static_cast<std::size_t>(3 * all * vectors_.cases));
    std::vector<Index> columns;  // of these elements
    std::vector<Index> place(static_cast<std::size_t>(vectors_.width), -1);
    for (Index k = items.begin; k < items.end; ++k) {
      const Element& e = surface_.elements[static_cast<std::size_t>(k)];
      for (std::size_t a = 0; a < static_cast<std::size_t>(e.nodes); ++a)
        for (const auto* list : {&vectors_.node[static_cast<std::size_t>(e.node[a])],
                                 &vectors_.traction[static_cast<std::size_t>(e.traction[a])]})
          for (const Index c : *list)
            if (c >= 0 && place[static_cast<std::size_t>(c)] < 0) {
              place[static_cast<std::size_t>(c)] = static_cast<Index>(columns.size());
              columns.push_back(c);
            }
    }
    const auto width = static_cast<Index>(columns.size());
    if (width == 0) return;
    // As many points at a time as the matrix of a batch may have, whole registers.
    const Index some = std::min((all + 127) / 128 * 128, std::max<Index>(128, block_bytes / (48 * width) / 128 * 128)),
                length = 3 * some;
    std::vector<Complex> x(static_cast<std::size_t>(width * vectors_.cases)),
        part(static_cast<std::size_t>(length * vectors_.cases));
    for (Index c = 0; c < vectors_.cases; ++c)
      for (Index k = 0; k < width; ++k)
        x[static_cast<std::size_t>(c * width + k)] =
            vectors_.x[static_cast<std::size_t>(c * vectors_.width + columns[static_cast<std::size_t>(k)])];
    BigArray<Complex> a(static_cast<std::size_t>(length * width));
    const Targets<double> targets = targets_of(vectors_, a.data(), length, place);
    ColumnSink<double> sink(surface_, targets, harmonic_, some, false);
    for (Index begin = 0; begin < all && !stop_.stop_requested(); begin += some) {
      const Index count = std::min(some, all - begin);
      worker.for_each({0, length * width}, Index{1} << 17,
                      [&](Interval of, int) { std::fill(a.data() + of.begin, a.data() + of.end, Complex(0)); });
      const RowPoints rows{rows_.points.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count)),
                           false};
      Base pairs(name().data(), surface_, rules_, medium_, rows, elements_, sink, stop_);
      pairs.run(worker, items);
      add_points(pairs.points());
      dense::multiply<Complex>(a.data(), length, width, x.data(), vectors_.cases, Complex(0), part.data(),
                               deterministic_ ? 1 : worker.threads());
      for (Index c = 0; c < 3 * vectors_.cases; ++c)
        std::copy_n(part.data() + c * some, count, y.data() + c * all + begin);
    }
    keep(items, std::move(y));
  }

  void run_on_device(DeviceWorker& worker, Interval items) override {
    std::vector<Complex> y;
    PairWork<double> work{surface_, rules_, medium_, rows_, sink_};
    const PanelSums<double> sums{nowhere(), vectors_.width, vectors_.cases, vectors_.x.data(), &y};
    work.sums = &sums;
    const DevicePairFacts facts = device_pairs<double>(
        worker.device(), [&] { return worker.memory_beside(panels_.held(worker.index())); }, panels_.of(worker.index()),
        worker.host(), work, items, stop_);
    if (facts.fits) {
      add_points(facts.points);
      worker.add_copying(std::max(0.0, facts.seconds - facts.kernel_seconds));
      keep(items, std::move(y));
      return;
    }
    if (panels_.first_warning(worker.index())) log::warning("{}", too_small(worker, facts));
    CpuWorker host = worker.host();
    run(host, items);
  }

  /// The sums of all workers, in the order of their elements.
  void add_to(std::vector<Complex>& y) const {
    for (const auto& [begin, part] : parts_)
      for (std::size_t i = 0; i < part.size(); ++i) y[i] += part[i];
  }

 private:
  void keep(Interval items, std::vector<Complex> y) {
    const std::scoped_lock lock(mutex_);
    parts_[items.begin] = std::move(y);
  }

  Harmonic harmonic_;
  const PairVectors& vectors_;
  bool deterministic_;
  PanelStore& panels_;
  std::mutex mutex_;
  std::map<Index, std::vector<Complex>> parts_;  ///< by the first element
};

}  // namespace

std::vector<Complex> pair_sums(Team& team, const Surface& surface, const FarRules<double>& rules,
                               const Accuracy& accuracy, const Harmonic& harmonic, std::span<const Vec3> points,
                               const PairVectors& vectors, const std::stop_token& stop, bool deterministic,
                               PanelStore& panels, const PairStages& stages) {
  const auto count = static_cast<Index>(points.size()), length = 3 * count;
  std::vector<Complex> y(static_cast<std::size_t>(length * vectors.cases));
  const RowPoints rows{points, false};
  const Targets<double> targets = targets_of(vectors, nowhere(), length, {});
  ColumnSink<double> sink(surface, targets, harmonic, count, false);
  FarSums far(surface, rules, harmonic, rows, vectors, sink, stop, deterministic, panels, stages.far);
  team.run(far, stop);
  far.add_to(y);

  const CpuWorker threads(team.threads());
  const NearPairs pairs = near_pairs(surface, rules, rows, surface.active, threads);
  Patches<double> values;
  values.rows.resize(points.size());
  sink.patches = &values;
  NearPhase<double, ColumnSink<double>> near(stages.near, surface, rules, accuracy, lane_medium<double>(harmonic), rows,
                                             pairs, sink, stop);
  team.run(near, stop);
  threads.for_each({0, count}, 16, [&](Interval some, int) {
    for (Index k = some.begin; k < some.end; ++k)
      for (const auto& one : values.rows[static_cast<std::size_t>(k)]) {
        const Index at = one.to - nowhere(), column = at / length, row = at % length;
        for (Index c = 0; c < vectors.cases; ++c)
          y[static_cast<std::size_t>(c * length + row)] +=
              one.value * vectors.x[static_cast<std::size_t>(c * vectors.width + column)];
      }
  });
  return y;
}

}  // namespace conoid::elastic_bem
