// SPDX-License-Identifier: BSD-3-Clause
// Layout of slices: sorting the rows of a panel, offsets, counts.
#include "engine/solvers/acoustic_bem/slices.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/core/error.hpp"

namespace conoid::acoustic_bem {

template <class Real>
void Slices<Real>::lay_out(Index j, std::span<const std::uint16_t> first, std::span<const std::uint16_t> last) {
  Slice<Real>& s = (*this)[j];
  s = {};
  s.start.reserve(static_cast<std::size_t>(rows_));
  s.row.reserve(static_cast<std::size_t>(rows_));
  std::uint64_t total = 0;
  for (Index panel = 0; panel < panels(); ++panel) {
    const Index begin = panel * panel_rows, end = std::min(begin + panel_rows, rows_);
    const auto length = [&](Index i) {
      const auto k = static_cast<std::size_t>(i);
      return last[k] < first[k] ? 0 : static_cast<Index>(last[k]) - first[k] + 1;
    };
    std::vector<Index> order(static_cast<std::size_t>(end - begin));
    std::iota(order.begin(), order.end(), begin);
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
      const Index la = length(a), lb = length(b);
      return la != lb ? la < lb : first[static_cast<std::size_t>(a)] < first[static_cast<std::size_t>(b)];
    });
    Panel p;
    p.values = static_cast<std::uint32_t>(total);
    p.runs = static_cast<std::uint32_t>(s.runs.size());
    p.first = std::numeric_limits<std::uint16_t>::max();
    for (Index i : order) {
      const Index n = length(i);
      if (s.runs.size() == p.runs || s.runs.back().length != n)
        s.runs.push_back({static_cast<std::uint16_t>(n), 0});
      ++s.runs.back().count;
      const std::uint16_t at = n > 0 ? first[static_cast<std::size_t>(i)] : std::uint16_t{0};
      s.start.push_back(at);
      s.row.push_back(static_cast<std::uint8_t>(i - begin));
      total += static_cast<std::uint64_t>(n);
      if (n > 0) {
        p.first = std::min(p.first, at);
        p.last = std::max(p.last, last[static_cast<std::size_t>(i)]);
      }
    }
    if (p.last < p.first) p.first = p.last = 0;
    p.run_count = static_cast<std::uint16_t>(s.runs.size() - p.runs);
    s.panels.push_back(p);
  }
  verify(total <= std::numeric_limits<std::uint32_t>::max(), "a slice has fewer than 2^32 values");
  s.runs.shrink_to_fit();
}

template <class Real>
Index Slices<Real>::values_in(Index j) const {
  Index n = 0;
  for (const RowRun& r : (*this)[j].runs) n += static_cast<Index>(r.length) * r.count;
  return n;
}

template <class Real>
void Slices<Real>::allocate(Index j) {
  Slice<Real>& s = (*this)[j];
  s.values = std::vector<Real, HugePageAllocator<Real>>(HugePageAllocator<Real>(pool_));
  s.values.assign(static_cast<std::size_t>(values_in(j)), Real{0});
}

template <class Real>
Index Slices<Real>::columns() const {
  Index k = 0;
  for (const auto& s : slices_)
    for (const Panel& p : s.panels) k = std::max<Index>(k, p.last);
  return k;
}

template <class Real>
Index Slices<Real>::longest() const {
  Index n = 0;
  for (const auto& s : slices_)
    for (const RowRun& r : s.runs) n = std::max<Index>(n, r.length);
  return n;
}

template <class Real>
Index Slices<Real>::nonzeros() const {
  Index n = 0;
  for (Index j = 0; j < count(); ++j) n += values_in(j);
  return n;
}

template <class Real>
Bytes Slices<Real>::bytes(Interval range) const {
  Bytes b = 0;
  for (Index j = range.begin; j < range.end; ++j) {
    const Slice<Real>& s = (*this)[j];
    b += static_cast<Bytes>(values_in(j)) * sizeof(Real) + s.start.size() * 3 + s.runs.size() * sizeof(RowRun) +
         s.panels.size() * sizeof(Panel) + sizeof(Slice<Real>);
  }
  return b;
}

template class Slices<float>;
template class Slices<double>;

}  // namespace conoid::acoustic_bem
