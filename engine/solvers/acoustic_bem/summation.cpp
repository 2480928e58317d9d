// SPDX-License-Identifier: BSD-3-Clause
// Feeds panels to the kernels and collects the workers' sums.
#include "engine/solvers/acoustic_bem/summation.hpp"

#include <algorithm>

#include "engine/solvers/acoustic_bem/kernels/processor.hpp"

namespace conoid::acoustic_bem {

template <class Real>
Summation<Real>::Summation(std::string_view name, const Slices<Real>& slices, int steps, KernelLevel level)
    : name_(name), slices_(slices), kernel_(summation_kernel<Real>(steps, level)) {
  Index widest = 0;
  for (Index j = 0; j < slices.count(); ++j)
    for (const Panel& p : slices[j].panels) widest = std::max<Index>(widest, p.last - p.first + 1);
  scratch_ = kernel_.scratch_reals(widest);
}

template <class Real>
void Summation<Real>::run(CpuWorker& worker, Interval items) {
  const Index rows = slices_.rows();
  const auto runs = runs_.size();
  const auto steps = static_cast<std::size_t>(kernel_.steps);
  Partial mine{items.begin, std::vector<double>(runs * steps * static_cast<std::size_t>(rows), 0)};
  if (!items.empty() && slices_.streams()) {
    run_streamed(worker, items, mine.sums);
  } else if (!items.empty()) {
    // The panels of a slice lie one behind the other: a chunk takes as many as its sums leave room for in a second-level cache,
    // so that memory is read in long pieces, as long as every thread gets its share.
    const Index panels = slices_.panels();
    constexpr Index room = 256 * 1024;
    const Index most = std::max<Index>(1, room / (panel_rows * kernel_.steps * static_cast<Index>(sizeof(Real))));
    const Index group = std::clamp<Index>((panels + worker.threads() - 1) / worker.threads(), 1, most);
    worker.for_each({0, panels}, group, [&](Interval chunk, int) {
      const FlushDenormals flush;
      constexpr Index batch = 16;  // slices whose values stay in the cache for the next run
      const std::size_t panel_sums = static_cast<std::size_t>(panel_rows * kernel_.steps);
      const std::size_t run_sums = static_cast<std::size_t>(chunk.size()) * panel_sums;
      AlignedVector<Real> sums(runs * run_sums), scratch(scratch_);
      std::vector<PanelView<Real>> views;
      for (Index j0 = items.begin; j0 < items.end; j0 += batch)
        for (std::size_t r = 0; r < runs; ++r) {
          views.clear();
          for (Index j = j0; j < std::min(j0 + batch, items.end); ++j) {
            const Slice<Real>& s = slices_[j];
            const Real* const past = runs_[r].past(j) - shift_;
            for (Index panel = chunk.begin; panel < chunk.end; ++panel) {
              const Panel& p = s.panels[static_cast<std::size_t>(panel)];
              const auto at = static_cast<std::size_t>(panel * panel_rows);
              views.push_back({s.panel_groups(panel), s.start.data() + at, s.row.data() + at,
                               s.values.data() + p.values, past, p.rows, p.first, p.last,
                               static_cast<std::size_t>(panel - chunk.begin) * panel_sums});
            }
          }
          kernel_.add(views.data(), views.size(), sums.data() + r * run_sums, scratch.data());
        }
      for (Index panel = chunk.begin; panel < chunk.end; ++panel)
        for (std::size_t r = 0; r < runs; ++r)
          hand_over(panel, sums.data() + r * run_sums + static_cast<std::size_t>(panel - chunk.begin) * panel_sums,
                    mine.sums.data() + r * steps * static_cast<std::size_t>(rows));
    });
  }
  const std::scoped_lock lock(mutex_);
  partial_.push_back(std::move(mine));
}

template <class Real>
Work Summation<Real>::work(Interval slices) const {
  if (before_.empty()) {
    before_.emplace_back();
    for (Index j = 0; j < slices_.count(); ++j)
      before_.push_back({before_.back().flops + 2.0 * static_cast<double>(slices_.stored_values(j)),
                         before_.back().bytes + static_cast<double>(slices_.bytes({j, j + 1}))});
  }
  const Work &begin = before_[static_cast<std::size_t>(slices.begin)], &end = before_[static_cast<std::size_t>(slices.end)];
  return {kernel_.steps * static_cast<double>(runs_.size()) * (end.flops - begin.flops), end.bytes - begin.bytes};
}

template <class Real>
void Summation<Real>::hand_over(Index panel, const Real* sums, double* out) const {
  const Index first = panel * panel_rows, in_panel = std::min(panel_rows, slices_.rows() - first);
  const auto steps = static_cast<std::size_t>(kernel_.steps), rows = static_cast<std::size_t>(slices_.rows());
  for (std::size_t g = 0; g < steps; ++g)
    for (Index i = 0; i < in_panel; ++i)
      out[g * rows + static_cast<std::size_t>(first + i)] = static_cast<double>(sums[static_cast<std::size_t>(i) * steps + g]);
}

template <class Real>
void Summation<Real>::run_on_device(DeviceWorker& worker, Interval items) {
  DeviceSummation<Real>* device = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    auto& mine = devices_[worker.index()];
    if (!mine) mine = std::make_unique<DeviceSummation<Real>>(worker.device(), slices_, kernel_.steps, worker.memory());
    device = mine.get();
  }
  Partial mine{items.begin,
               std::vector<double>(runs_.size() * static_cast<std::size_t>(kernel_.steps) * static_cast<std::size_t>(slices_.rows()), 0)};
  device->run(worker.host(), items, runs_, shift_, mine.sums);
  worker.add_copying(device->copying());
  const std::scoped_lock lock(mutex_);
  partial_.push_back(std::move(mine));
}

template <class Real>
void Summation<Real>::add_up(Team& team, std::span<const History<Real>> runs, Index shift, std::vector<double>& out) {
  runs_ = runs;
  shift_ = shift;
  partial_.clear();
  ++pass_;
  team.run(*this);
  std::sort(partial_.begin(), partial_.end(), [](const Partial& a, const Partial& b) { return a.begin < b.begin; });
  out = std::move(partial_.front().sums);
  for (std::size_t w = 1; w < partial_.size(); ++w)
    for (std::size_t k = 0; k < out.size(); ++k) out[k] += partial_[w].sums[k];
  partial_.clear();
}

template class Summation<float>;
template class Summation<double>;

}  // namespace conoid::acoustic_bem
