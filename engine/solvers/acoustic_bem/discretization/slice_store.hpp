// SPDX-License-Identifier: BSD-3-Clause
// Slices whose values outgrow the memory: their structure stays, their values live in calculation windows on the disk.
//
// A window holds the values of `group` rows (whole panels) of `group` consecutive slices, slice after slice, panel after
// panel: what one tile of the assembly makes, so that assembly writes every window exactly once, and what one step of the
// summation of a group of rows reads. Windows of a group of rows are numbered one behind the other. Of several ranks each has
// those of its own slices, whole groups of them, numbered from its first one.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "engine/solvers/acoustic_bem/discretization/slices.hpp"
#include "engine/window/disk_windows.hpp"

namespace conoid::acoustic_bem {

template <class Real>
class SliceStore {
 public:
  /// For slices that are laid out. `group`: rows and slices a window, a multiple of panel_rows. `file`: in a folder with
  /// room; it has no name there. `budget`: memory for windows. Errors: no room on the disk.
  [[nodiscard]] static Result<std::shared_ptr<SliceStore>> create(const Slices<Real>& slices, Index group,
                                                                  const std::filesystem::path& file, Bytes budget);

  [[nodiscard]] Index groups() const { return groups_; }  ///< of rows
  [[nodiscard]] Index slice_groups() const { return slice_groups_; }
  [[nodiscard]] Index window(Index row_group, Index slice_group) const {
    return row_group * slice_groups_ + slice_group;
  }
  [[nodiscard]] Interval panels_of(Index row_group) const;
  [[nodiscard]] Interval slices_of(Index slice_group) const;
  [[nodiscard]] Index group_of(Index row_or_slice) const { return row_or_slice / group_; }
  [[nodiscard]] DiskWindows& windows() { return *windows_; }
  [[nodiscard]] Bytes largest() const;  ///< window

  /// Where the values of a panel of slice j begin in the window of its group: in Reals.
  [[nodiscard]] std::size_t offset(const Slices<Real>& slices, Index j, Index panel) const {
    const Index row_group = panel / panels_;
    const auto& own = slices[j].panels;
    return offset_[static_cast<std::size_t>(j * groups_ + row_group)] + own[static_cast<std::size_t>(panel)].values -
           own[static_cast<std::size_t>(row_group * panels_)].values;
  }
  /// The smallest column of any row-vector of a window; larger than any column if it is empty.
  [[nodiscard]] Index first_column(Index window) const { return first_column_[static_cast<std::size_t>(window)]; }
  /// False for a window without values (it has one byte).
  [[nodiscard]] bool holds_values(Index window) const { return windows_->size(window) > 1; }

 private:
  SliceStore() = default;
  Index rows_ = 0, count_ = 0, group_ = 0, panels_ = 0, groups_ = 0, slice_groups_ = 0;
  std::vector<std::uint32_t> offset_;  ///< [slice][row group]
  std::vector<Index> first_column_;
  std::unique_ptr<DiskWindows> windows_;
};

/// Some slices with all their values at hand, wherever they live: windows are leased as long as this object lives.
template <class Real>
class SlicesAtHand {
 public:
  /// Throws Failure if the disk fails, or if the windows of these slices do not fit their memory together.
  SlicesAtHand(const Slices<Real>& slices, Interval wanted);
  /// As Slices::for_each_row(). From any thread.
  template <class F>
  void for_each_row(Index j, F&& f) const {
    if (!slices_.streams()) return slices_.for_each_row(j, f);
    SliceStore<Real>& store = slices_.store();
    for (Index panel = 0; panel < slices_.panels(); ++panel) {
      const Lease& lease = leases_[static_cast<std::size_t>((store.group_of(j) - first_group_) * store.groups() +
                                                            store.group_of(panel * panel_rows))];
      if (lease) slices_.for_each_row(j, panel, lease.read<Real>().data() + store.offset(slices_, j, panel), f);
    }
  }

 private:
  const Slices<Real>& slices_;
  Index first_group_ = 0;
  std::vector<Lease> leases_;  ///< [slice group][row group]; empty where there are no values
};

/// Rows and slices a window for slices of this size: as the assembly's tiles.
[[nodiscard]] Index window_group(Index unknowns);
/// Memory for windows below which nothing can be streamed by this many threads.
[[nodiscard]] Bytes least_window_memory(Bytes largest_window, int threads);

extern template class SliceStore<float>;
extern template class SliceStore<double>;
extern template class SlicesAtHand<float>;
extern template class SlicesAtHand<double>;

/// f(i, j, start, values) for the row-vectors of some slices, in memory or (of all slices) on the disk, that may begin below `columns`; the
/// entries of a row i come with ascending j.
template <class Real, class F>
void for_each_row_below(const Slices<Real>& slices, Interval some, Index columns, F&& f) {
  if (!slices.streams()) {
    for (Index j = some.begin; j < some.end; ++j)
      for (Index panel = 0; panel < slices.panels(); ++panel)
        if (const Panel& p = slices[j].panels[static_cast<std::size_t>(panel)]; p.rows > 0 && p.first < columns)
          slices.for_each_row(
              j, panel, slices[j].values.data() + p.values,
              [&](Index i, Index start, std::span<const Real> v) { f(i, slices.first() + j, start, v); });
    return;
  }
  SliceStore<Real>& store = slices.store();
  std::vector<Visit> order;
  for (Index c = 0; c < store.slice_groups(); ++c)
    for (Index r = 0; r < store.groups(); ++r)
      if (store.first_column(store.window(r, c)) < columns) order.push_back({store.window(r, c), Access::read});
  const std::size_t count = order.size();
  Tour tour = store.windows().announce(std::move(order));
  for (std::size_t k = 0; k < count; ++k) {
    auto lease = tour.next();
    if (!lease) throw Failure(lease.error());
    const Real* const values = lease->template read<Real>().data();
    const Interval own = store.slices_of(lease->window() % store.slice_groups());
    const Interval panels = store.panels_of(lease->window() / store.slice_groups());
    for (Index j = own.begin; j < own.end; ++j)
      for (Index panel = panels.begin; panel < panels.end; ++panel)
        if (slices[j].panels[static_cast<std::size_t>(panel)].first < columns)
          slices.for_each_row(
              j, panel, values + store.offset(slices, j, panel),
              [&](Index i, Index start, std::span<const Real> v) { f(i, slices.first() + j, start, v); });
  }
}

}  // namespace conoid::acoustic_bem
