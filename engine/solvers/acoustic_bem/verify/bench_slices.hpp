// SPDX-License-Identifier: BSD-3-Clause
// Made-up slices and past values of the shape that real ones have, for benchmarks.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "engine/solvers/acoustic_bem/discretization/slices.hpp"
#include "engine/solvers/acoustic_bem/stepping/history.hpp"

namespace conoid::acoustic_bem {

/// Slices whose rows drift through the columns as neighbours on a surface do; lengths shortest … longest.
template <class Real>
Slices<Real> made_slices(Index rows, Index count, Index columns, int shortest, int longest) {
  Slices<Real> s(rows, count);
  std::mt19937 random(17);
  std::uniform_int_distribution<int> length(shortest, longest), step(-1, 1);
  std::vector<std::uint16_t> first(static_cast<std::size_t>(rows)), last(first);
  for (Index j = 0; j < count; ++j) {
    Index at = 1 + j * 7 % std::max<Index>(columns - longest, 1);
    for (std::size_t i = 0; i < first.size(); ++i) {
      const int n = length(random);
      at = std::clamp<Index>(at + step(random), 1, columns - longest + 1);
      first[i] = static_cast<std::uint16_t>(at);
      last[i] = static_cast<std::uint16_t>(at + n - 1);
    }
    s.lay_out(j, first, last);
    s.allocate(j);
    std::vector<double> values(static_cast<std::size_t>(longest));
    for (std::size_t d = 0; d < values.size(); ++d)
      values[d] = 0.001 * static_cast<double>(j % 31) + 1e-5 * static_cast<double>(d);
    for (Index panel = 0; panel < s.panels(); ++panel) s.fill(j, panel, [&](Index, Index) { return values.data(); });
  }
  return s;
}

/// Rows of `width` columns that begin alike in blocks of `height` rows: every value of such a block is a non-zero, as in Table 2 of
/// Bramas et al. Values are zero.
template <class Real>
Slices<Real> aligned_slices(Index rows, Index count, int width, int height) {
  Slices<Real> s(rows, count);
  std::vector<std::uint16_t> first(static_cast<std::size_t>(rows)), last(first);
  for (Index j = 0; j < count; ++j) {
    for (std::size_t i = 0; i < first.size(); ++i) {
      first[i] = static_cast<std::uint16_t>(1 + (j + static_cast<Index>(i) / height) % (341 - width));
      last[i] = static_cast<std::uint16_t>(first[i] + width - 1);
    }
    s.lay_out(j, first, last);
    s.allocate(j);
  }
  return s;
}

template <class Real>
History<Real> made_history(const Slices<Real>& slices, int steps) {
  History<Real> h(slices.count(), slices.columns(), steps);
  for (Index n = 0; n < slices.columns() + steps; n += steps) {
    for (Index j = 0; j < slices.count(); ++j)
      for (Index g = 1; g <= steps; ++g) h.set(j, g, static_cast<Real>(std::sin(0.1 * static_cast<double>(n + g + j))));
    h.advance(steps);
  }
  return h;
}

}  // namespace conoid::acoustic_bem
