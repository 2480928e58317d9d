// SPDX-License-Identifier: BSD-3-Clause
// Feeds panels to the kernels and collects the workers' sums.
#include "engine/solvers/acoustic_bem/stepping/summation.hpp"

#include <algorithm>
#include <atomic>

#include "engine/simd/subnormals.hpp"
#include "engine/team/team.hpp"

namespace conoid::acoustic_bem {

template <class Real>
Summation<Real>::Summation(std::string_view name, const Slices<Real>& slices, int steps, KernelLevel level)
    : name_(name), slices_(slices), kernel_(summation_kernel<Real>(steps, level)) {}

template <class Real>
void Summation<Real>::run(CpuWorker& worker, Interval items) {
  const Index rows = slices_.rows();
  const auto runs = runs_.size();
  const auto steps = static_cast<std::size_t>(kernel_.steps);
  Partial mine{items.begin, std::vector<double>(runs * steps * static_cast<std::size_t>(rows), 0)};
  if (!items.empty() && slices_.streams()) {
    run_streamed(worker, items, mine.sums);
  } else if (!items.empty()) {
    run_in_memory(worker, items, mine.sums);
  }
  const std::scoped_lock lock(mutex_);
  partial_.push_back(std::move(mine));
}

/// Threads get pieces of one length of the row of all panels, each with all its slices. A cut falls inside a panel: the piece
/// before it begins with that panel's first slices and hands the sums over to the piece behind it, which ends with the others.
template <class Real>
void Summation<Real>::run_in_memory(CpuWorker& worker, Interval items, std::vector<double>& out) {
  const Index panels = slices_.panels(), threads = worker.threads();
  const auto values = [&](Index j, Index panel) {
    const Slice<Real>& s = slices_[j];
    return s.values.data() + s.panels[static_cast<std::size_t>(panel)].values;
  };
  // The panels of a slice lie one behind the other: a piece takes as many as their sums leave room for in a second-level
  // cache, so that memory is read in long stretches.
  constexpr Index room = 256 * 1024;
  const Index most = std::max<Index>(1, room / (panel_rows * kernel_.steps * static_cast<Index>(sizeof(Real))));
  const Index pieces = std::min(panels, threads * ((panels + threads * most - 1) / (threads * most)));
  struct HandedOver {
    AlignedVector<Real> sums;
    std::atomic<bool> ready = false;
  };
  std::vector<HandedOver> handed(static_cast<std::size_t>(pieces + 1));  // by the piece that goes on
  // Pieces are begun in order, and what others wait for is done first.
  worker.for_each({0, pieces}, 1, [&](Interval piece, int) {
    const FlushSubnormals flush;
    const Index begin = piece.begin * panels * items.size() / pieces, end = piece.end * panels * items.size() / pieces;
    const Index after_begin = begin % items.size(), after_end = end % items.size();
    const Interval whole{(begin + items.size() - 1) / items.size(), end / items.size()};
    if (after_end > 0) {
      HandedOver& next = handed[static_cast<std::size_t>(piece.end)];
      struct Ready {  // also if memory fails: the other thread must not wait for ever
        std::atomic<bool>& of;
        ~Ready() {
          of = true;
          of.notify_all();
        }
      } ready{next.ready};
      next.sums = made_sums(1);
      add_part({whole.end, whole.end + 1}, {items.begin, items.begin + after_end}, values, next.sums.data());
    }
    if (!whole.empty()) {
      const AlignedVector<Real> sums = made_sums(whole.size());
      add_part(whole, items, values, sums.data());
      hand_over(whole, sums.data(), out);
    }
    if (after_begin > 0) {
      HandedOver& mine = handed[static_cast<std::size_t>(piece.begin)];
      mine.ready.wait(false);
      if (mine.sums.size() == 0) return;  // its memory failed
      add_part({whole.begin - 1, whole.begin}, {items.begin + after_begin, items.end}, values, mine.sums.data());
      hand_over({whole.begin - 1, whole.begin}, mine.sums.data(), out);
    }
  });
}

template <class Real>
Work Summation<Real>::work(Interval slices) const {
  if (before_.empty()) {
    before_.emplace_back();
    for (Index j = 0; j < slices_.count(); ++j)
      before_.push_back({before_.back().flops + 2.0 * static_cast<double>(slices_.stored_values(j)),
                         before_.back().bytes + static_cast<double>(slices_.bytes({j, j + 1}))});
  }
  const Work &begin = before_[static_cast<std::size_t>(slices.begin)],
             &end = before_[static_cast<std::size_t>(slices.end)];
  return {kernel_.steps * static_cast<double>(runs_.size()) * (end.flops - begin.flops), end.bytes - begin.bytes};
}

template <class Real>
AlignedVector<Real> Summation<Real>::made_sums(Index panels) const {
  return AlignedVector<Real>(runs_.size() * static_cast<std::size_t>(panels * panel_rows * kernel_.steps));
}

template <class Real>
void Summation<Real>::hand_over(Interval panels, const Real* sums, std::vector<double>& out) const {
  const auto steps = static_cast<std::size_t>(kernel_.steps), rows = static_cast<std::size_t>(slices_.rows());
  const std::size_t panel_sums = static_cast<std::size_t>(panel_rows) * steps;
  for (std::size_t run = 0; run < runs_.size(); ++run)
    for (Index panel = panels.begin; panel < panels.end; ++panel, sums += panel_sums) {
      const Interval own = slices_.panel(panel);
      const auto first = static_cast<std::size_t>(own.begin), some = static_cast<std::size_t>(own.size());
      for (std::size_t g = 0; g < steps; ++g)
        for (std::size_t i = 0; i < some; ++i)
          out[(run * steps + g) * rows + first + i] = static_cast<double>(sums[i * steps + g]);
    }
}

template <class Real>
void Summation<Real>::run_on_device(DeviceWorker& worker, Interval items) {
  DeviceSummation<Real>* device = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    auto& mine = devices_[worker.index()];
    if (!mine)
      mine = std::make_unique<DeviceSummation<Real>>(worker.device(), slices_, kernel_.steps,
                                                     worker.memory_beside(held_on_devices_), worker.host());
    device = mine.get();
  }
  Partial mine{items.begin, std::vector<double>(runs_.size() * static_cast<std::size_t>(kernel_.steps) *
                                                    static_cast<std::size_t>(slices_.rows()),
                                                0)};
  device->run(worker.host(), items, runs_, shift_, mine.sums);
  worker.add_copying(device->copying());
  const std::scoped_lock lock(mutex_);
  to_devices_ += device->streamed();
  to_device_[worker.index()] += device->streamed();
  partial_.push_back(std::move(mine));
}

template <class Real>
void Summation<Real>::add_up(Team& team, std::span<const History<Real>> runs, Index shift, std::vector<double>& out) {
  runs_ = runs;
  shift_ = shift;
  partial_.clear();
  ++pass_;
  to_device_.clear();
  const auto moved = [&] {
    if (!slices_.streams()) return Bytes{0};
    const WindowStatistics s = slices_.store().windows().statistics();
    return s.loaded + s.saved;
  };
  const Bytes before = moved();
  if (items() == 0) {  // a rank without slices
    out.assign(runs_.size() * static_cast<std::size_t>(kernel_.steps * slices_.rows()), 0);
    return;
  }
  team.run(*this);
  team.add_streamed(moved() - before);
  for (const auto& [worker, bytes] : to_device_) team.add_streamed(bytes, worker);
  std::sort(partial_.begin(), partial_.end(), [](const Partial& a, const Partial& b) { return a.begin < b.begin; });
  out = std::move(partial_.front().sums);
  for (std::size_t w = 1; w < partial_.size(); ++w)
    for (std::size_t k = 0; k < out.size(); ++k) out[k] += partial_[w].sums[k];
  partial_.clear();
}

template class Summation<float>;
template class Summation<double>;

}  // namespace conoid::acoustic_bem
