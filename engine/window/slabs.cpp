// SPDX-License-Identifier: BSD-3-Clause
// A sliding range of planes over windows.
#include "engine/window/slabs.hpp"

#include <algorithm>

namespace conoid {
namespace {

Interval clipped(Interval range, Index planes) {
  return {std::clamp<Index>(range.begin, 0, planes), std::clamp<Index>(range.end, 0, planes)};
}

/// Window `w` and the access it needs while `range` is worked on.
Access access_of(const SlabLayout& layout, Index w, Interval range, Access access) {
  const Interval planes = layout.planes_of(w);
  return planes.begin < range.end && range.begin < planes.end ? access : Access::read;
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

SlabView::SlabView(Windows& windows, SlabLayout layout, Access access)
    : windows_(windows), layout_(layout), access_(access), tour_(windows.announce(std::vector<Visit>{})) {
  verify(access != Access::write, "a range of planes is read or updated");
  verify(layout.windows() == windows.count(), "the windows hold the layout's slabs");
}

void SlabView::announce(Interval first, Index step, Index moves, Index halo, Repeat repeat) {
  std::vector<Visit> order;
  std::vector<Visit> held;
  for (Index m = 0; m < moves; ++m) {
    const Interval range = clipped({first.begin + m * step, first.end + m * step}, layout_.planes);
    const Interval wanted = layout_.windows_of({range.begin - halo, range.end + halo});
    std::vector<Visit> now;
    for (Index w = wanted.begin; w < wanted.end; ++w) {
      const Visit v{w, access_of(layout_, w, range, access_)};
      now.push_back(v);
      if (std::none_of(held.begin(), held.end(),
                       [&](const Visit& h) { return h.window == v.window && h.access == v.access; }))
        order.push_back(v);
    }
    held = std::move(now);
  }
  tour_.announce(std::move(order), repeat);
}

Status SlabView::move_to(Interval range, Index halo) {
  range = clipped(range, layout_.planes);
  const Interval wanted = layout_.windows_of({range.begin - halo, range.end + halo});
  // What is kept is what has the right access already; the rest goes first, so that no window waits for itself.
  std::deque<Lease> kept;
  for (Lease& lease : leases_) {
    const Index w = lease.window();
    if (w >= wanted.begin && w < wanted.end && lease.access() == access_of(layout_, w, range, access_))
      kept.push_back(std::move(lease));
  }
  leases_.clear();
  std::deque<Lease> now;
  for (Index w = wanted.begin; w < wanted.end; ++w) {
    const auto mine = std::find_if(kept.begin(), kept.end(), [&](const Lease& l) { return l && l.window() == w; });
    if (mine != kept.end()) {
      now.push_back(std::move(*mine));
      continue;
    }
    auto lease = tour_.acquire(w, access_of(layout_, w, range, access_));
    if (!lease) {
      leave();
      return lease.error();
    }
    now.push_back(std::move(*lease));
  }
  leases_ = std::move(now);
  first_window_ = wanted.begin;
  range_ = range;
  halo_ = halo;
  return {};
}

void SlabView::leave() {
  leases_.clear();
  range_ = {};
  halo_ = 0;
}

std::span<std::byte> SlabView::plane(Index p) const {
  verify(p >= range_.begin && p < range_.end, "a plane of the range");
  const Index w = layout_.window_of(p);
  return leases_[static_cast<std::size_t>(w - first_window_)].writable().subspan(
      static_cast<std::size_t>(p - w * layout_.per_window) * layout_.plane_bytes, layout_.plane_bytes);
}

std::span<const std::byte> SlabView::halo_plane(Index p) const {
  verify(p >= std::max<Index>(range_.begin - halo_, 0) && p < std::min(range_.end + halo_, layout_.planes),
         "a plane of the range or its halo");
  const Index w = layout_.window_of(p);
  return leases_[static_cast<std::size_t>(w - first_window_)].bytes().subspan(
      static_cast<std::size_t>(p - w * layout_.per_window) * layout_.plane_bytes, layout_.plane_bytes);
}

Bytes SlabView::least_budget(const SlabLayout& layout, Index range, Index halo) {
  // The range may begin anywhere in a window.
  const Index windows = (range + 2 * halo + layout.per_window - 2) / layout.per_window + 1;
  const Bytes window = (static_cast<Bytes>(layout.per_window) * layout.plane_bytes + 4095) / 4096 * 4096;
  return (static_cast<Bytes>(std::min(windows, layout.windows())) + 1) * window;
}

}  // namespace conoid
