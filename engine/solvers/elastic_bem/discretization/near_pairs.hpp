// SPDX-License-Identifier: BSD-3-Clause
// Pairs of rows and elements too close for a far rule: their list, and the phase that integrates them. For the assembly only.
#pragma once

#include <atomic>
#include <memory>

#include "engine/solvers/elastic_bem/discretization/assembly.hpp"
#include "engine/solvers/elastic_bem/discretization/near_points.hpp"
#include "engine/team/phase.hpp"

namespace conoid::elastic_bem {

/// Near pairs by row: those of row i are element[first[i]] … element[first[i + 1] − 1], ascending.
struct NearPairs {
  std::vector<Index> first, element;
};

/// Where the centre of an element lies for the far rules, whose rows have coordinates of type Real about the same origin.
template <class Real>
[[nodiscard]] Vec3 rule_centre(const FarRules<Real>& rules, const Element& e) {
  return vec::sub(e.centre, rules.origin());
}

/// All pairs of a row and one of the first `elements` elements that lie closer than the finest far rule holds; without those whose
/// element contains the row's node. What the walk over far pairs leaves out, by the same arithmetic.
template <class Real>
[[nodiscard]] NearPairs near_pairs(const Surface& surface, const FarRules<Real>& rules, const RowPoints& rows,
                                   Index elements, const CpuWorker& threads);

/// Integrates near pairs, each by a rule of its own; items are rows, so that no two threads or workers meet in a value.
template <class Real, class Sink>
class NearPhase final : public Phase {
 public:
  /// `medium`, `rules`, `rows` as the walk over far pairs has them, which must be done: where it sets values, these are added.
  NearPhase(const char* name, const Surface& surface, const FarRules<Real>& rules, const Accuracy& accuracy,
            LaneMedium<Real> medium, const RowPoints& rows, const NearPairs& pairs, Sink& sink, std::stop_token stop)
      : name_(name), surface_(surface), rules_(rules), accuracy_(accuracy), medium_(medium), rows_(rows), pairs_(pairs),
        sink_(sink), stop_(std::move(stop)), kernels_(lane_kernels<Real>()) {}
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] Index items() const override { return static_cast<Index>(rows_.points.size()); }

  void run(CpuWorker& worker, Interval interval) override {
    worker.for_each(interval, 16, [&](Interval chunk, int) {
      const auto out = std::make_unique<Block<Real>>();
      PointSet set;
      NearPoints<Real> near_points;
      double done = 0;
      for (Index row = chunk.begin; row < chunk.end; ++row) {
        if (stop_.stop_requested()) return;
        const auto i = static_cast<std::size_t>(row);
        for (Index p = pairs_.first[i]; p < pairs_.first[i + 1]; ++p) {
          const Index k = pairs_.element[static_cast<std::size_t>(p)];
          if (!sink_.wants(k)) continue;
          const Vec3& at = rows_.points[i];
          set.clear();
          near_rule(surface_.elements[static_cast<std::size_t>(k)], at, accuracy_.target, rules_.wave_number(), set);
          done += set.count();
          const LanePoints<Real>& points =
              Sink::scalar ? scalar_points(near_points, set, at) : near_points.fill(set, at, kernels_.lanes);
          kernels_.near(medium_, points, nullptr, Sink::part, sink_.with_u(k), out->v);
          sink_.single(k, row, out->v);
        }
      }
      done_.fetch_add(done);
    });
  }
  [[nodiscard]] double points() const { return done_.load(); }
  /// Operations by the kernel as written, in equal shares of the rows; what they add to is told of by the far pairs.
  [[nodiscard]] Work work(Interval items) const override {
    const double share = static_cast<double>(items.size()) / std::max(1.0, static_cast<double>(rows_.points.size()));
    return {share * points() * flops_a_point, 0};
  }

 private:
  const LanePoints<Real>& scalar_points(NearPoints<Real>& near_points, PointSet& set, const Vec3& at) {
    for (auto& s : set.shape) s[0] = 1;
    return near_points.fill(set, at, kernels_.lanes, 0);
  }

  const char* name_;
  const Surface& surface_;
  const FarRules<Real>& rules_;
  const Accuracy& accuracy_;
  LaneMedium<Real> medium_;
  const RowPoints& rows_;
  const NearPairs& pairs_;
  Sink& sink_;
  std::stop_token stop_;
  const LaneKernels<Real>& kernels_;
  std::atomic<double> done_{0};
};

}  // namespace conoid::elastic_bem
