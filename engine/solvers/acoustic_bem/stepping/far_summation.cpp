// SPDX-License-Identifier: BSD-3-Clause
// Feeds the columns of bands to the kernels.
#include "engine/solvers/acoustic_bem/stepping/far_summation.hpp"

#include <algorithm>

#include "engine/simd/subnormals.hpp"
#include "engine/team/team.hpp"

namespace conoid::acoustic_bem {

template <class Real>
void FarSummation<Real>::add_band(Index band) {
  const auto& b = blocks_[band];
  const auto steps = static_cast<std::size_t>(kernel_.steps), rows = static_cast<std::size_t>(b.rows.size()),
             padded = static_cast<std::size_t>(b.padded()), stored = static_cast<std::size_t>(b.stored_each());
  // Columns whose values stay in a second-level cache for the next run.
  const Index at_once = std::max<Index>(16, (Index{256} << 10) / static_cast<Index>(stored * sizeof(Real)));
  const AlignedVector<Real> sums(runs_.size() * rows * steps);
  std::vector<PanelView<Real>> views;
  views.reserve(static_cast<std::size_t>(std::min(at_once, b.columns())));
  for (Index begin = 0; begin < b.columns(); begin += at_once)
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      views.clear();
      for (Index c = begin; c < std::min(begin + at_once, b.columns()); ++c) {
        const auto k = static_cast<std::size_t>(c);
        views.push_back({b.groups.data() + c * b.groups_each(), b.start.data() + k * padded, b.row.data() + k * padded,
                         b.values.data() + k * stored, stored, runs_[run].past(b.column[k]),
                         static_cast<std::uint16_t>(rows), b.first(c), b.last(c), run * rows * steps});
      }
      kernel_.add(views.data(), views.size(), sums.data());
    }
  const auto points = static_cast<std::size_t>(blocks_.rows()), first = static_cast<std::size_t>(b.rows.begin);
  for (std::size_t run = 0; run < runs_.size(); ++run)
    std::transform(sums.data() + run * rows * steps, sums.data() + (run + 1) * rows * steps,
                   out_ + (run * points + first) * steps, [](Real v) { return static_cast<double>(v); });
}

template <class Real>
void FarSummation<Real>::run(CpuWorker& worker, Interval bands) {
  worker.for_each(bands, 1, [&](Interval some, int) {
    const FlushSubnormals flush;
    for (Index band = some.begin; band < some.end; ++band) add_band(band);
  });
}

template <class Real>
Work FarSummation<Real>::work(Interval bands) const {
  Work out;
  for (Index k = bands.begin; k < bands.end; ++k)
    out.flops += 2.0 * static_cast<double>(kernel_.steps) * static_cast<double>(runs_.size()) *
                 static_cast<double>(blocks_[k].stored_each() * blocks_[k].columns());
  out.bytes = static_cast<double>(blocks_.bytes(bands));
  return out;
}

template <class Real>
void FarSummation<Real>::add_up(Team& team, std::span<const History<Real>> runs, std::vector<double>& out) {
  out.assign(runs.size() * static_cast<std::size_t>(blocks_.rows() * kernel_.steps), 0);
  if (items() == 0) return;  // a rank without columns
  runs_ = runs;
  out_ = out.data();
  team.run(*this);
}

template class FarSummation<float>;
template class FarSummation<double>;

}  // namespace conoid::acoustic_bem
