// SPDX-License-Identifier: BSD-3-Clause
// Long curves to what a picture can show: first, lowest, highest and last point of each pixel column.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace conoid {

struct ThinPoint {
  double x = 0;
  double y = 0;
};

/// The curve within [low, high], with one point beyond each end so that it runs to the edge. x ascending (equal values
/// allowed): at most 4 points a column, extremes always kept, gaps (not-a-number) kept as one point each. If x does not
/// ascend the points are returned as they are. `columns` ≥ 1, low < high.
[[nodiscard]] std::vector<ThinPoint> thin_columns(std::span<const double> x, std::span<const double> y, double low,
                                                  double high, int columns);

}  // namespace conoid
