// SPDX-License-Identifier: BSD-3-Clause
// The summation over slices whose values come through windows from the disk.
//
// Each thread has a share of the groups of rows and visits their windows in the order of the slices, as it announced; the order
// in which a row's terms are added is that of the slices in memory, so the sums are the same to the last bit.
#include <algorithm>

#include "engine/simd/subnormals.hpp"
#include "engine/solvers/acoustic_bem/stepping/summation.hpp"
#include "engine/team/phase.hpp"

namespace conoid::acoustic_bem {

template <class Real>
void Summation<Real>::run_streamed(CpuWorker& worker, Interval items, std::vector<double>& out) {
  SliceStore<Real>& store = slices_.store();
  const Index groups = store.groups();
  const Interval slice_groups{store.group_of(items.begin), store.group_of(items.end - 1) + 1};
  const Index threads = std::min<Index>(worker.threads(), groups);
  std::vector<Tour>& tours = tours_of(items, threads);
  worker.for_each({0, threads}, 1, [&](Interval shares, int) {
    const FlushSubnormals flush;
    for (Index share = shares.begin; share < shares.end; ++share)
      for (Index r = share * groups / threads; r < (share + 1) * groups / threads; ++r) {
        const Interval panels = store.panels_of(r);
        const AlignedVector<Real> sums = made_sums(panels.size());
        for (Index c = slice_groups.begin; c < slice_groups.end; ++c) {
          const Index w = store.window(r, c);
          if (!store.holds_values(w)) continue;
          auto lease = tours[static_cast<std::size_t>(share)].acquire(w, Access::read);
          if (!lease) throw Failure(lease.error());
          const Real* const values = lease->template read<Real>().data();
          const Interval group = store.slices_of(c);
          const Interval slices{std::max(group.begin, items.begin), std::min(group.end, items.end)};
          add_part(
              panels, slices, [&](Index j, Index panel) { return values + store.offset(slices_, j, panel); },
              sums.data());
        }
        hand_over(panels, sums.data(), out);
      }
  });
}

/// The orders of a worker's threads, announced anew when its interval has moved.
template <class Real>
std::vector<Tour>& Summation<Real>::tours_of(Interval items, Index threads) {
  SliceStore<Real>& store = slices_.store();
  const std::scoped_lock lock(mutex_);
  auto& mine = tours_[{items.begin, items.end, threads}];
  if (mine.empty()) {
    // Intervals of other workers in this pass stay; those of passes gone by are forgotten.
    for (auto it = tours_.begin(); it != tours_.end();)
      it = !it->second.empty() && pass_ - used_[it->first] > 1 ? tours_.erase(it) : std::next(it);
    const Index groups = store.groups();
    for (Index share = 0; share < threads; ++share) {
      std::vector<Visit> order;
      for (Index r = share * groups / threads; r < (share + 1) * groups / threads; ++r)
        for (Index c = store.group_of(items.begin); c <= store.group_of(items.end - 1); ++c)
          if (store.holds_values(store.window(r, c))) order.push_back({store.window(r, c), Access::read});
      mine.push_back(store.windows().announce(std::move(order), Repeat::yes));
    }
  }
  used_[{items.begin, items.end, threads}] = pass_;
  return mine;
}

template void Summation<float>::run_streamed(CpuWorker&, Interval, std::vector<double>&);
template void Summation<double>::run_streamed(CpuWorker&, Interval, std::vector<double>&);
template std::vector<Tour>& Summation<float>::tours_of(Interval, Index);
template std::vector<Tour>& Summation<double>::tours_of(Interval, Index);

}  // namespace conoid::acoustic_bem
