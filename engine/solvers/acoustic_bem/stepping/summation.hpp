// SPDX-License-Identifier: BSD-3-Clause
// The summation stage over all slices, as a phase of the team: items are slices, an interval belongs to a worker.
//
// Inside a worker, threads share the panels of rows, not the slices: no thread adds to another's sums, and the sums do not
// depend on the number of threads. Workers' partial sums are added in the order of their intervals.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "engine/solvers/acoustic_bem/cuda/device_summation.hpp"
#include "engine/solvers/acoustic_bem/discretization/slice_store.hpp"
#include "engine/solvers/acoustic_bem/discretization/slices.hpp"
#include "engine/solvers/acoustic_bem/kernels/summation.hpp"
#include "engine/solvers/acoustic_bem/stepping/history.hpp"
#include "engine/team/phase.hpp"

namespace conoid {
class Team;
}

namespace conoid::acoustic_bem {

/// out[run][g][i] (step-major, double) = Σ_j Σ_k M_k(i, j) a_j^{n+g−k}, n + `shift` = history's step + 1.
template <class Real>
class Summation final : public Phase {
 public:
  Summation(std::string_view name, const Slices<Real>& slices, int steps, KernelLevel level = KernelLevel::avx512);
  /// `shift`: how many steps the sums begin before the history's step + 1 (receivers); row-vectors then start ≥ 0.
  void add_up(Team& team, std::span<const History<Real>> runs, Index shift, std::vector<double>& out);

  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] Index items() const override { return slices_.count(); }
  [[nodiscard]] Bytes bytes(Interval slices) const override { return slices_.bytes(slices); }
  void run(CpuWorker& worker, Interval slices) override;
  /// Two a value, step and run; memory: the slices once, as runs share what is in the cache.
  [[nodiscard]] Work work(Interval slices) const override;
  [[nodiscard]] bool runs_on_devices() const override {
    if (!fits_) fits_ = fits_devices(slices_);  // goes through all slices
    return may_run_on_devices_ && *fits_;
  }
  void keep_on_processors() { may_run_on_devices_ = false; }
  void run_on_device(DeviceWorker& worker, Interval slices) override;
  /// Others hold so much of each device: what slices get is beside that. Before the first add_up().
  void reserve_on_devices(Bytes held) { held_on_devices_ = held; }
  /// Bytes of slices that did not stay on their devices and were brought there, in all passes.
  [[nodiscard]] Bytes streamed_to_devices() const { return to_devices_; }

 private:
  struct Partial {
    Index begin = 0;
    std::vector<double> sums;
  };
  /// Zeros for the sums [run][panel][row][g] of some panels.
  [[nodiscard]] AlignedVector<Real> made_sums(Index panels) const;
  /// Adds some slices to the sums of some panels; `values(j, panel)` says where they are.
  template <class F>
  void add_part(Interval panels, Interval slices, const F& values, Real* sums) const;
  /// Sums of some panels to out[run][g][row of the matrix].
  void hand_over(Interval panels, const Real* sums, std::vector<double>& out) const;
  void run_in_memory(CpuWorker& worker, Interval slices, std::vector<double>& out);
  void run_streamed(CpuWorker& worker, Interval slices, std::vector<double>& out);
  [[nodiscard]] std::vector<Tour>& tours_of(Interval slices, Index threads);

  std::string_view name_;
  const Slices<Real>& slices_;
  const SummationKernel<Real>& kernel_;
  std::span<const History<Real>> runs_;
  Index shift_ = 0;
  std::mutex mutex_;
  std::vector<Partial> partial_;
  Bytes held_on_devices_ = 0;
  bool may_run_on_devices_ = true;
  mutable std::optional<bool> fits_;              ///< the slices, devices; made when first asked for
  Bytes to_devices_ = 0;                          ///< guarded by mutex_ while a pass is under way
  std::map<int, Bytes> to_device_;                ///< the same of this pass, by the worker's number
  using Share = std::tuple<Index, Index, Index>;  ///< interval and threads of a worker
  std::map<Share, std::vector<Tour>> tours_;      ///< of streamed slices
  std::map<Share, std::uint64_t> used_;           ///< in which pass
  std::uint64_t pass_ = 0;
  mutable std::vector<Work> before_;  ///< a step and run of the slices before each; made when first asked for
  std::map<int, std::unique_ptr<DeviceSummation<Real>>> devices_;  ///< by the worker's number; guarded by mutex_
};

template <class Real>
template <class F>
void Summation<Real>::add_part(Interval panels, Interval slices, const F& values, Real* sums) const {
  const auto panel_sums = static_cast<std::size_t>(panel_rows * kernel_.steps);
  // Slices whose values stay in a cache for the next run; not so few that the kernel has nothing to ask memory for ahead.
  const Index batch = std::max<Index>(16, 256 / panels.size());
  std::vector<PanelView<Real>> views;
  views.reserve(static_cast<std::size_t>(batch * panels.size()));
  for (Index begin = slices.begin; begin < slices.end; begin += batch) {
    const Index end = std::min(begin + batch, slices.end);
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      views.clear();
      for (Index j = begin; j < end; ++j) {
        const Slice<Real>& s = slices_[j];
        const Real* const past = runs_[run].past(slices_.first() + j) - shift_;
        std::size_t at = run * static_cast<std::size_t>(panels.size()) * panel_sums;
        for (Index panel = panels.begin; panel < panels.end; ++panel, at += panel_sums) {
          const Panel& p = s.panels[static_cast<std::size_t>(panel)];
          if (p.rows == 0) continue;
          views.push_back({s.panel_groups(panel), s.start.data() + p.places, s.row.data() + p.places, values(j, panel),
                           p.stored, past, p.rows, p.first, p.last, at});
        }
      }
      kernel_.add(views.data(), views.size(), sums);
    }
  }
}

extern template class Summation<float>;
extern template class Summation<double>;

}  // namespace conoid::acoustic_bem
