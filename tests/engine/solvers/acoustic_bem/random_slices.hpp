// SPDX-License-Identifier: BSD-3-Clause
// Slices of random row-vectors for tests of the summation on processors and devices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "engine/solvers/acoustic_bem/discretization/slices.hpp"

namespace conoid::acoustic_bem {

/// Some of the row-vectors are empty, some long; `there`(row, slice): all others are empty, too.
template <class Real>
Slices<Real> random_slices(Index rows, Index count, Index columns, int longest, std::mt19937& random,
                           const std::function<bool(Index, Index)>& there = {}) {
  Slices<Real> s(rows, count);
  std::uniform_int_distribution<Index> column(1, columns);
  std::uniform_int_distribution<int> length(0, longest);
  std::uniform_real_distribution<double> value(-1, 1);
  for (Index j = 0; j < count; ++j) {
    std::vector<std::uint16_t> first, last;
    for (Index i = 0; i < rows; ++i) {
      const Index drawn = length(random), n = there && !there(i, j) ? 0 : drawn,
                  at = std::min(column(random), std::max<Index>(columns - n + 1, 1));
      first.push_back(static_cast<std::uint16_t>(at));
      last.push_back(static_cast<std::uint16_t>(at + n - 1));
    }
    s.lay_out(j, first, last);
    s.allocate(j);
    std::vector<double> values(static_cast<std::size_t>(longest));
    for (Index panel = 0; panel < s.panels(); ++panel)
      s.fill(j, panel, [&](Index, Index) {
        for (double& v : values) v = value(random);
        return values.data();
      });
  }
  return s;
}

}  // namespace conoid::acoustic_bem
