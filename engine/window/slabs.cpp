// SPDX-License-Identifier: BSD-3-Clause
// Which planes each window holds.
#include "engine/window/slabs.hpp"

#include <algorithm>

namespace conoid {
namespace {

Interval clipped(Interval range, Index planes) {
  return {std::clamp<Index>(range.begin, 0, planes), std::clamp<Index>(range.end, 0, planes)};
}

}  // namespace

Interval SlabLayout::planes_of(Index window) const {
  return {window * per_window, std::min((window + 1) * per_window, planes)};
}

std::vector<Bytes> SlabLayout::sizes() const {
  std::vector<Bytes> out;
  for (Index w = 0; w < windows(); ++w) out.push_back(static_cast<Bytes>(planes_of(w).size()) * plane_bytes);
  return out;
}

Interval SlabLayout::windows_of(Interval range) const {
  const Interval r = clipped(range, planes);
  if (r.empty()) return {0, 0};
  return {window_of(r.begin), window_of(r.end - 1) + 1};
}

}  // namespace conoid
