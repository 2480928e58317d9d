// SPDX-License-Identifier: BSD-3-Clause
// Which planes each window holds.
#include "engine/window/slabs.hpp"

#include <algorithm>

namespace conoid {

Interval SlabLayout::planes_of(Index window) const {
  return {window * per_window, std::min((window + 1) * per_window, planes)};
}

std::vector<Bytes> SlabLayout::sizes() const {
  std::vector<Bytes> out;
  for (Index w = 0; w < windows(); ++w) out.push_back(static_cast<Bytes>(planes_of(w).size()) * plane_bytes);
  return out;
}

}  // namespace conoid
