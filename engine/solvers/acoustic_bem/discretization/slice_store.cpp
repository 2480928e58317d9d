// SPDX-License-Identifier: BSD-3-Clause
// Sizes, offsets and the file of streamed slices.
#include "engine/solvers/acoustic_bem/discretization/slice_store.hpp"

#include <algorithm>
#include <limits>

namespace conoid::acoustic_bem {

Index window_group(Index unknowns) {
  return unknowns < 2048 ? panel_rows : 2 * panel_rows;
}

Bytes least_window_memory(Bytes largest_window, int threads) {
  // One window in use a thread, and one more each to bring the next into.
  return largest_window * 2 * static_cast<Bytes>(std::max(threads, 1));
}

template <class Real>
Interval SliceStore<Real>::panels_of(Index row_group) const {
  return {row_group * panels_, std::min((row_group + 1) * panels_, (rows_ + panel_rows - 1) / panel_rows)};
}

template <class Real>
Interval SliceStore<Real>::slices_of(Index slice_group) const {
  return {slice_group * group_, std::min((slice_group + 1) * group_, count_)};
}

template <class Real>
Bytes SliceStore<Real>::largest() const {
  Bytes most = 0;
  for (Index w = 0; w < windows_->count(); ++w) most = std::max(most, windows_->size(w));
  return (most + 4095) / 4096 * 4096;
}

template <class Real>
Result<std::shared_ptr<SliceStore<Real>>> SliceStore<Real>::create(const Slices<Real>& slices, Index group,
                                                                   const std::filesystem::path& file, Bytes budget) {
  verify(group % panel_rows == 0, "a window holds whole panels");
  verify(slices.first() % group == 0, "a window's slices are those of one rank");
  std::shared_ptr<SliceStore> out(new SliceStore);
  out->rows_ = slices.rows();
  out->count_ = slices.count();
  out->group_ = group;
  out->panels_ = group / panel_rows;
  out->groups_ = (slices.rows() + group - 1) / group;
  out->slice_groups_ = (slices.count() + group - 1) / group;
  const auto groups = static_cast<std::size_t>(out->groups_),
             windows_in_all = groups * static_cast<std::size_t>(out->slice_groups_);
  out->offset_.resize(static_cast<std::size_t>(slices.count()) * groups);
  out->first_column_.assign(windows_in_all, std::numeric_limits<Index>::max());
  std::vector<std::uint64_t> filled(windows_in_all, 0);
  for (Index j = 0; j < slices.count(); ++j) {
    const auto& panels = slices[j].panels;
    const auto total = static_cast<std::uint32_t>(slices.stored_values(j));
    for (Index r = 0; r < out->groups_; ++r) {
      const Interval own = out->panels_of(r);
      const std::uint32_t begin = panels[static_cast<std::size_t>(own.begin)].values;
      const std::uint32_t end = own.end < slices.panels() ? panels[static_cast<std::size_t>(own.end)].values : total;
      const auto w = static_cast<std::size_t>(out->window(r, out->group_of(j)));
      verify(filled[w] <= std::numeric_limits<std::uint32_t>::max(), "a window has fewer than 2^32 values");
      out->offset_[static_cast<std::size_t>(j) * groups + static_cast<std::size_t>(r)] =
          static_cast<std::uint32_t>(filled[w]);
      filled[w] += end - begin;
      if (end > begin)
        for (Index p = own.begin; p < own.end; ++p)
          out->first_column_[w] = std::min<Index>(out->first_column_[w], panels[static_cast<std::size_t>(p)].first);
    }
  }
  std::vector<Bytes> sizes;
  for (const std::uint64_t n : filled) sizes.push_back(std::max<Bytes>(n * sizeof(Real), 1));
  DiskWindowsOptions options;
  options.name = "slices";
  options.file = file;
  options.budget = budget;
  auto windows = DiskWindows::create(std::move(sizes), std::move(options));
  if (!windows) return windows.error();
  out->windows_ = std::move(*windows);
  return out;
}

template <class Real>
SlicesAtHand<Real>::SlicesAtHand(const Slices<Real>& slices, Interval wanted) : slices_(slices) {
  if (!slices.streams() || wanted.empty()) return;
  SliceStore<Real>& store = slices.store();
  first_group_ = store.group_of(wanted.begin);
  std::vector<Visit> order;
  for (Index c = first_group_; c <= store.group_of(wanted.end - 1); ++c)
    for (Index r = 0; r < store.groups(); ++r)
      if (store.holds_values(store.window(r, c))) order.push_back({store.window(r, c), Access::read});
  Tour tour = store.windows().announce(std::move(order));
  for (Index c = first_group_; c <= store.group_of(wanted.end - 1); ++c)
    for (Index r = 0; r < store.groups(); ++r) {
      leases_.emplace_back();
      if (!store.holds_values(store.window(r, c))) continue;
      auto lease = tour.next();
      if (!lease) throw Failure(lease.error());
      leases_.back() = std::move(*lease);
    }
}

template class SliceStore<float>;
template class SliceStore<double>;
template class SlicesAtHand<float>;
template class SlicesAtHand<double>;

}  // namespace conoid::acoustic_bem
