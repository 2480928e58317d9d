// SPDX-License-Identifier: BSD-3-Clause
// Elements that contain their collocation point, and the diagonal block. For the assembly only.
#pragma once

#include <memory>

#include "engine/solvers/elastic_bem/discretization/assembly.hpp"
#include "engine/solvers/elastic_bem/discretization/column_sink.hpp"
#include "engine/solvers/elastic_bem/discretization/near_points.hpp"

namespace conoid::elastic_bem {

/// `Sink` takes the values of one row as ColumnSink does: wants(), with_u(), one(), diagonal().
template <class Real, class Sink>
class OwnElements {
 public:
  OwnElements(const Surface& surface, const Accuracy& accuracy, const Harmonic& harmonic)
      : surface_(surface), accuracy_(accuracy), medium_(lane_medium<Real>(harmonic)), factors_(harmonic),
        wave_number_(std::abs(harmonic.kS)) {}

  /// Row `row` of the sink is node `n`; `fixed`: the static part of its diagonal. Kernel evaluations are the answer.
  double put(Index n, Index row, const std::array<double, 9>& fixed, Sink& sink) {
    const Vec3& at = surface_.nodes[static_cast<std::size_t>(n)];
    double done = 0;
    std::complex<Real> block[9];
    for (std::size_t q = 0; q < 9; ++q) block[q] = static_cast<Real>(fixed[q]);
    for (const Touch& touch : surface_.touches[static_cast<std::size_t>(n)]) {
      if (!sink.wants(touch.element)) continue;
      done += accuracy_.fixed8 ? by_collapsed_quads(touch, at, row, sink) : by_triangles(touch, at, row, sink);
      for (std::size_t q = 0; q < 9; ++q)
        block[q] += factors_.t * std::complex<Real>(out_->v[lane_t + 2 * q], out_->v[lane_t + 2 * q + 1]);
    }
    sink.diagonal(n, row, block);
    return done;
  }

 private:
  double by_collapsed_quads(const Touch& touch, const Vec3& at, Index row, Sink& sink) {
    const Element& e = surface_.elements[static_cast<std::size_t>(touch.element)];
    const auto p = e.node_at(touch.local);
    set_.clear();
    collapsed_rule(e, p[0], p[1], set_);
    kernels_.near(medium_, near_points_.fill(set_, at, kernels_.lanes), nullptr, Part::dynamic, true, out_->v);
    sink.one(touch.element, row, out_->v, false, sink.with_u(touch.element), -1);
    kernels_.near(medium_, near_points_.fill(set_, at, kernels_.lanes), nullptr, Part::difference, false, out_->v);
    return 0;
  }

  double by_triangles(const Touch& touch, const Vec3& at, Index row, Sink& sink) {
    const Element& e = surface_.elements[static_cast<std::size_t>(touch.element)];
    const auto p = e.node_at(touch.local);
    const bool u = sink.with_u(touch.element);
    set_.clear();
    if (e.affine && e.nodes == 1) {
      const LanePoints<Real>& points = near_points_.fill_affine(e, accuracy_.target, wave_number_, kernels_.lanes);
      kernels_.near(medium_, points, nullptr, u ? Part::split : Part::difference, u, out_->v);
      if (u) sink.one(touch.element, row, out_->v, false, true, 0);
      return near_points_.count();
    }
    singular_rule(e, p[0], p[1], accuracy_.target, wave_number_, set_);
    if (u || e.nodes > 1) {
      kernels_.near(medium_, near_points_.fill(set_, at, kernels_.lanes), nullptr, Part::dynamic, u, out_->v);
      sink.one(touch.element, row, out_->v, true, u, touch.local);
    }
    kernels_.near(medium_, near_points_.fill(set_, at, kernels_.lanes, touch.local), nullptr, Part::difference, false,
                  out_->v);
    return (u || e.nodes > 1 ? 2.0 : 1.0) * set_.count();
  }

  const Surface& surface_;
  const Accuracy& accuracy_;
  const LaneMedium<Real> medium_;
  const Factors<Real> factors_;
  const LaneKernels<Real>& kernels_ = lane_kernels<Real>();
  const double wave_number_;
  PointSet set_;
  NearPoints<Real> near_points_;
  std::unique_ptr<Block<Real>> out_ = std::make_unique<Block<Real>>();
};

}  // namespace conoid::elastic_bem
