// SPDX-License-Identifier: BSD-3-Clause
// Layout of slices: sorting the rows of a panel, offsets, counts.
#include "engine/solvers/acoustic_bem/discretization/slices.hpp"

#include <algorithm>
#include <limits>

#include "engine/core/error.hpp"

namespace conoid::acoustic_bem {

template <class Real>
void Slices<Real>::lay_out(Index j, std::span<const std::uint16_t> first, std::span<const std::uint16_t> last) {
  Slice<Real>& s = (*this)[j];
  s = {};
  std::uint64_t total = 0;
  std::vector<Index> order;
  s.panels.reserve(static_cast<std::size_t>(panels()));
  for (Index panel = 0; panel < panels(); ++panel) {
    const Interval own = this->panel(panel);
    const auto start = [&](Index i) { return first[static_cast<std::size_t>(i)]; };
    const auto length = [&](Index i) {
      const auto k = static_cast<std::size_t>(i);
      return last[k] < first[k] ? 0 : static_cast<Index>(last[k]) - first[k] + 1;
    };
    order.clear();
    for (Index i = own.begin; i < own.end; ++i)
      if (length(i) > 0) order.push_back(i);
    // Starts rise with one length and fall with the next, so that groups of two lengths have starts close together.
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
      const Index la = length(a), lb = length(b);
      if (la != lb) return la < lb;
      return la % 2 == 0 ? start(a) < start(b) : start(a) > start(b);
    });
    Panel p;
    p.values = static_cast<std::uint32_t>(total);
    p.runs = static_cast<std::uint32_t>(s.runs.size());
    p.places = static_cast<std::uint32_t>(s.start.size());
    p.groups = static_cast<std::uint32_t>(s.groups.size());
    p.rows = static_cast<std::uint16_t>(order.size());
    p.first = order.empty() ? 0 : std::numeric_limits<std::uint16_t>::max();
    for (const Index i : order) {
      const Index n = length(i);
      s.start.push_back(start(i));
      if (s.runs.size() == p.runs || s.runs.back().length != n) s.runs.push_back({static_cast<std::uint16_t>(n), 0});
      ++s.runs.back().count;
      s.row.push_back(static_cast<std::uint8_t>(i - own.begin));
      p.first = std::min(p.first, start(i));
      p.last = std::max(p.last, last[static_cast<std::size_t>(i)]);
    }
    for (std::size_t k = 0; k < p.rows; k += lanes) {
      RowGroup g;
      const std::size_t n = std::min<std::size_t>(lanes, p.rows - k);
      g.columns = static_cast<std::uint16_t>(length(order[k + n - 1]));
      g.low = std::numeric_limits<std::uint16_t>::max();
      for (std::size_t e = p.places + k; e < p.places + k + n; ++e) {
        const std::uint16_t stored = stored_start(s.start[e], g.columns, p.last);
        g.low = std::min(g.low, stored);
        g.high = std::max(g.high, stored);
      }
      s.groups.push_back(g);
      total += lanes * g.columns;
    }
    p.stored = static_cast<std::uint32_t>(total - p.values);
    p.run_count = static_cast<std::uint16_t>(s.runs.size() - p.runs);
    s.panels.push_back(p);
  }
  s.start.resize(s.start.size() + lanes, 0);
  s.row.resize(s.row.size() + lanes, 0);
  s.runs.shrink_to_fit();
  s.groups.shrink_to_fit();
  s.start.shrink_to_fit();
  s.row.shrink_to_fit();
  verify(total <= std::numeric_limits<std::uint32_t>::max(), "a slice has fewer than 2^32 values");
}

template <class Real>
Index Slices<Real>::stored_values(Index j, Index panel) const {
  return (*this)[j].panels[static_cast<std::size_t>(panel)].stored;
}

template <class Real>
Index Slices<Real>::stored_values(Index j) const {
  Index n = 0;
  for (const Panel& p : (*this)[j].panels) n += p.stored;
  return n;
}

template <class Real>
void Slices<Real>::allocate(Index j) {
  Slice<Real>& s = (*this)[j];
  s.values = std::vector<Real, HugePageAllocator<Real>>(HugePageAllocator<Real>(pool_));
  s.values.assign(static_cast<std::size_t>(stored_values(j)), Real{0});
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
    for (const RowGroup& g : s.groups) n = std::max<Index>(n, g.columns);
  return n;
}

template <class Real>
Index Slices<Real>::nonzeros() const {
  Index n = 0;
  for (const auto& s : slices_)
    for (const RowRun& r : s.runs) n += static_cast<Index>(r.length) * r.count;
  return n;
}

template <class Real>
Bytes Slices<Real>::bytes(Interval range) const {
  Bytes b = 0;
  for (Index j = range.begin; j < range.end; ++j) {
    const Slice<Real>& s = (*this)[j];
    b += static_cast<Bytes>(stored_values(j)) * sizeof(Real) + s.start.size() * 3 + s.runs.size() * sizeof(RowRun) +
         s.groups.size() * sizeof(RowGroup) + s.panels.size() * sizeof(Panel) + sizeof(Slice<Real>);
  }
  return b;
}

template class Slices<float>;
template class Slices<double>;

}  // namespace conoid::acoustic_bem
