// SPDX-License-Identifier: BSD-3-Clause
// Windows of planes with halos: a grid cut along one axis into slabs, of which a sliding range is worked on.
#pragma once

#include "engine/window/windows.hpp"

#include <cstddef>
#include <deque>
#include <span>
#include <vector>

namespace conoid {

/// `planes` planes of `plane_bytes` each; a window holds `per_window` of them (the last may hold fewer).
struct SlabLayout {
  Index planes = 0;
  Bytes plane_bytes = 0;
  Index per_window = 1;
  [[nodiscard]] Index windows() const { return (planes + per_window - 1) / per_window; }
  [[nodiscard]] Index window_of(Index plane) const { return plane / per_window; }
  [[nodiscard]] Interval planes_of(Index window) const;
  [[nodiscard]] std::vector<Bytes> sizes() const;
  /// Windows that hold a range of planes.
  [[nodiscard]] Interval windows_of(Interval range) const;
};

/// The planes one thread works on: a range that is changed (or only read) and a halo of planes on either side that is only
/// read. Planes are addressed by number, whatever window holds them.
class SlabView {
 public:
  /// `access`: of the range itself, read or update (windows hold more planes than the range, so never write).
  SlabView(Windows& windows, SlabLayout layout, Access access = Access::update);

  /// Says through which ranges move_to() will go, so that what comes next is brought in: from `first` in steps of `step`
  /// planes (negative: downwards), `moves` times, then again from `first` if `repeat`.
  void announce(Interval first, Index step, Index moves, Index halo, Repeat repeat = Repeat::no);
  /// Leases the windows of `range` and of `halo` planes on either side (clipped to the grid) and lets the others go.
  [[nodiscard]] Status move_to(Interval range, Index halo = 0);
  /// Lets everything go.
  void leave();

  [[nodiscard]] Interval range() const { return range_; }
  /// A plane of the range.
  [[nodiscard]] std::span<std::byte> plane(Index p) const;
  /// A plane of the range or the halo.
  [[nodiscard]] std::span<const std::byte> halo_plane(Index p) const;

  /// Least memory that move_to(range, halo) needs with one window more to prefetch into.
  [[nodiscard]] static Bytes least_budget(const SlabLayout& layout, Index range, Index halo);

 private:
  Windows& windows_;
  SlabLayout layout_;
  Access access_;
  Tour tour_;
  std::deque<Lease> leases_;  ///< of consecutive windows, ascending
  Index first_window_ = 0;
  Interval range_{};
  Index halo_ = 0;
};

}  // namespace conoid
