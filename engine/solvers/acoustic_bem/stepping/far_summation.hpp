// SPDX-License-Identifier: BSD-3-Clause
// Sums of what far clusters send to the points of others, as a phase of the team: items are bands, whose rows nobody else adds to. The sums do
// not depend on threads or workers.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "engine/solvers/acoustic_bem/discretization/far_blocks.hpp"
#include "engine/solvers/acoustic_bem/kernels/summation.hpp"
#include "engine/solvers/acoustic_bem/stepping/history.hpp"
#include "engine/team/phase.hpp"

namespace conoid::acoustic_bem {

template <class Real>
class FarSummation final : public Phase {
 public:
  FarSummation(const FarBlocks<Real>& blocks, int steps, KernelLevel level = KernelLevel::avx512)
      : blocks_(blocks), kernel_(summation_kernel<Real>(steps, level)) {}
  /// out[run][point][g] = Σ_j Σ_k M_k(point, j) a_j^{n+g−k}, n = history's step + 1; `runs` are those of the points.
  void add_up(Team& team, std::span<const History<Real>> runs, std::vector<double>& out);

  [[nodiscard]] std::string_view name() const override { return "far clusters"; }
  [[nodiscard]] Index items() const override { return blocks_.bands(); }
  [[nodiscard]] Bytes bytes(Interval bands) const override { return blocks_.bytes(bands); }
  void run(CpuWorker& worker, Interval bands) override;
  [[nodiscard]] Work work(Interval bands) const override;

 private:
  void add_band(Index band);

  const FarBlocks<Real>& blocks_;
  const SummationKernel<Real>& kernel_;
  std::span<const History<Real>> runs_;
  double* out_ = nullptr;
};

extern template class FarSummation<float>;
extern template class FarSummation<double>;

}  // namespace conoid::acoustic_bem
