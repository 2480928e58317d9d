// SPDX-License-Identifier: BSD-3-Clause
// How values pass from unknowns up to the points of all clusters, and from points down to the unknowns.
#pragma once

#include <cstddef>
#include <span>

#include "engine/solvers/acoustic_bem/discretization/skeletons.hpp"

namespace conoid::acoustic_bem {

/// What the points of all clusters send (zero before), from what unknowns do. `each(level, f)` calls f(cluster) for all clusters of a level, from any
/// threads; levels follow one another. T: double or complex.
template <class T, class Each>
void send_up(const Skeletons& skeletons, std::span<const T> unknowns, std::span<T> points, Each&& each) {
  for (Index level = 0; level < skeletons.levels(); ++level)
    each(level, [&, level](Index c) {
      const Interval of = skeletons.far.of(c), parts = skeletons.parts(level, c);
      const double* w = skeletons.sending(c).data();
      for (Index i = parts.begin; i < parts.end; ++i) {
        const T from = level == 0 ? unknowns[static_cast<std::size_t>(i)] : points[static_cast<std::size_t>(i)];
        for (Index s = of.begin; s < of.end; ++s, ++w) points[static_cast<std::size_t>(s)] += *w * from;
      }
    });
}

/// Adds to the unknowns what the points of all clusters feel, which are changed on the way.
template <class T, class Each>
void feel_down(const Skeletons& skeletons, std::span<T> points, std::span<T> unknowns, Each&& each) {
  for (Index level = skeletons.levels() - 1; level >= 0; --level)
    each(level, [&, level](Index c) {
      const Interval of = skeletons.far.of(c), parts = skeletons.parts(level, c);
      const double* w = skeletons.weights[static_cast<std::size_t>(c)].data();
      for (Index i = parts.begin; i < parts.end; ++i) {
        T sum{};
        for (Index s = of.begin; s < of.end; ++s, ++w) sum += *w * points[static_cast<std::size_t>(s)];
        (level == 0 ? unknowns : points)[static_cast<std::size_t>(i)] += sum;
      }
    });
}

}  // namespace conoid::acoustic_bem
