// SPDX-License-Identifier: BSD-3-Clause
// The way through the plane of wave numbers on which integrals of layered ground within are taken (layered_depths.hpp), and sums along it.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "engine/solvers/elastic_bem/discretization/bessel.hpp"
#include "engine/solvers/elastic_bem/discretization/layered_compliance.hpp"
#include "engine/team/parallel_for.hpp"

namespace conoid::elastic_bem {

/// k r from which on the way may turn off the axis whatever lies between the layers: poles further on, of motions that do not travel, lie off the
/// axis by half of their real part and more (|e^{−2kt}| |2kt|² about 1 for a thickness t), so that e^{−25} is left of them.
inline constexpr double settled = 50;
inline constexpr int turned_panels = 12;  ///< each 4 over the way long, along the two ways off the axis

/// Wave numbers and weights for the distances of a group, no more than twice the nearest one where the path turns.
struct DepthPath {
  using Points = std::vector<std::pair<Complex, Complex>>;
  /// `height`: path_height().
  DepthPath(const BuriedCompliance& compliance, double height, double nearest, double farthest);
  Points axis;                   ///< from 0 on, for Bessel's functions
  std::array<Points, 2> turned;  ///< the way on, one for each of Hankel's functions
  [[nodiscard]] double count() const { return static_cast<double>(axis.size() + turned[0].size() + turned[1].size()); }

 private:
  void straight(Complex from, Complex to, double panel);
};

/// N functions of the wave number on such a way.
template <std::size_t N>
class DepthIntegrals {
 public:
  using Values = std::array<Complex, N>;
  /// `at(k)`: the functions.
  template <class Functions>
  DepthIntegrals(DepthPath path, int threads, Functions&& at) : path_(std::move(path)) {
    const auto evaluate = [&](const DepthPath::Points& points, std::vector<Values>& values) {
      values.resize(points.size());
      parallel_for(threads, {0, static_cast<Index>(points.size())}, 32, [&](Index n) {
        const auto& [k, weight] = points[static_cast<std::size_t>(n)];
        Values f = at(k);
        for (Complex& v : f) v *= weight;
        values[static_cast<std::size_t>(n)] = f;
      });
    };
    evaluate(path_.axis, axis_);
    for (std::size_t s = 0; s < 2; ++s) evaluate(path_.turned[s], turned_[s]);
  }

  /// add(values, J_0 to J_2 of w, w, factor) for all points, w = k r; on the ways off the axis Hankel's functions are in the place of Bessel's.
  template <class Add>
  void sum(double r, Add&& add) const {
    for (std::size_t n = 0; n < axis_.size(); ++n) {
      const Complex w = path_.axis[n].first * r;
      add(axis_[n], bessel_values(w), w, Complex(1));
    }
    for (std::size_t s = 0; s < 2; ++s) {
      const double sign = s == 0 ? 1 : -1;
      for (std::size_t n = 0; n < turned_[s].size(); ++n) {
        const Complex w = path_.turned[s][n].first * r;
        add(turned_[s][n], hankel_values(w, sign), w, 0.5 * std::exp(sign * Complex(0, 1) * w));
      }
    }
  }

 private:
  DepthPath path_;
  std::vector<Values> axis_;
  std::array<std::vector<Values>, 2> turned_;
};

/// Panels of a table over the distance: growing with the way between force and point, and no longer than waves allow.
[[nodiscard]] std::vector<double> depth_panel_ends(const BuriedCompliance& compliance, double nearest, double farthest);
/// Panels [first, last) that share a quadrature: within a factor of two, the first one alone.
[[nodiscard]] std::size_t depth_group_end(const std::vector<double>& ends, std::size_t first);

/// Fits a table (ChebyshevPanels, two numbers a function) of complex functions of the distance r: integrals_on(nearest, farthest) is made once
/// for panels that share a quadrature, sums_at(integrals, r) are the functions, way(r) what they are multiplied by, so that they are smooth.
template <class Panels, class IntegralsOn, class SumsAt, class Way>
void fit_depth_panels(Panels& panels, int threads, const IntegralsOn& integrals_on, const SumsAt& sums_at,
                      const Way& way) {
  const auto& ends = panels.ends();
  constexpr std::size_t degree = Panels::degree;
  for (std::size_t first = 0; first < panels.count();) {
    const std::size_t last = depth_group_end(ends, first);
    const auto integrals = integrals_on(ends[first], ends[last]);
    parallel_for(threads, {0, static_cast<Index>((last - first) * degree)}, 1, [&](Index n) {
      const auto panel = first + static_cast<std::size_t>(n) / degree, q = static_cast<std::size_t>(n) % degree;
      const double r = panels.place(panel, q), by = way(r);
      const auto v = sums_at(integrals, r);
      auto& out = panels.value(panel, q);
      for (std::size_t c = 0; c < v.size(); ++c) {
        out[2 * c] = by * v[c].real();
        out[2 * c + 1] = by * v[c].imag();
      }
    });
    first = last;
  }
  panels.fit();
}

}  // namespace conoid::elastic_bem
