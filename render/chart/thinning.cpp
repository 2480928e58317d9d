// SPDX-License-Identifier: BSD-3-Clause
// One pass over the points.
#include "render/chart/thinning.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace conoid {

std::vector<ThinPoint> thin_columns(std::span<const double> x, std::span<const double> y, double low, double high,
                                    int columns) {
  const std::size_t n = std::min(x.size(), y.size());
  std::vector<ThinPoint> out;
  bool ascends = true;
  for (std::size_t i = 1; i < n && ascends; ++i) ascends = x[i] >= x[i - 1];
  if (!ascends) {
    for (std::size_t i = 0; i < n; ++i) out.push_back({x[i], y[i]});
    return out;
  }
  const auto begin = static_cast<std::size_t>(
      std::lower_bound(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n), low) - x.begin());
  const auto end = static_cast<std::size_t>(
      std::upper_bound(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n), high) - x.begin());
  const std::size_t from = begin > 0 ? begin - 1 : 0;
  const std::size_t to = std::min(end + 1, n);
  const double per_column = (high - low) / std::max(columns, 1);
  const auto column_of = [&](double at) { return std::floor((at - low) / per_column); };
  for (std::size_t i = from; i < to;) {
    if (!std::isfinite(y[i])) {
      out.push_back({x[i], y[i]});
      while (i < to && !std::isfinite(y[i])) ++i;
      continue;
    }
    const double column = column_of(x[i]);
    std::size_t j = i;
    std::size_t lowest = i;
    std::size_t highest = i;
    while (j < to && std::isfinite(y[j]) && column_of(x[j]) == column) {
      if (y[j] < y[lowest]) lowest = j;
      if (y[j] > y[highest]) highest = j;
      ++j;
    }
    std::array<std::size_t, 4> kept = {i, std::min(lowest, highest), std::max(lowest, highest), j - 1};
    for (std::size_t k = 0; k < kept.size(); ++k)
      if (k == 0 || kept[k] != kept[k - 1]) out.push_back({x[kept[k]], y[kept[k]]});
    i = j;
  }
  return out;
}

}  // namespace conoid
