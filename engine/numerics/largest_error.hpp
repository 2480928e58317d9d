// SPDX-License-Identifier: BSD-3-Clause
// How far computed values are from known ones, at the worst of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "engine/core/types.hpp"

namespace conoid {

/// max |value_i − known(i)| / max |known(i)|; absolute where all known ones are zero. One that is no number counts.
template <class T, class Known>
[[nodiscard]] double largest_relative_error(std::span<const T> values, const Known& known) {
  double worst = 0, scale = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double wanted = known(static_cast<Index>(i)), off = std::abs(static_cast<double>(values[i]) - wanted);
    if (!(off <= worst)) worst = off;
    scale = std::max(scale, std::abs(wanted));
  }
  return scale > 0 ? worst / scale : worst;
}

}  // namespace conoid
