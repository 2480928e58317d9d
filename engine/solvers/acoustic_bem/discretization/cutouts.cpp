// SPDX-License-Identifier: BSD-3-Clause
// Greedy cut-outs and conversions of slices.
#include "engine/solvers/acoustic_bem/discretization/cutouts.hpp"

#include <algorithm>

namespace conoid::acoustic_bem {

template <class Real>
RowSpans RowSpans::of(const Slices<Real>& slices) {
  RowSpans s{slices.rows(), slices.count(), {}, {}};
  s.first.assign(static_cast<std::size_t>(s.rows * s.slices), 1);
  s.last.assign(s.first.size(), 0);
  for (Index j = 0; j < s.slices; ++j)
    slices.for_each_row(j, [&](Index i, Index start, std::span<const Real> v) {
      const auto e = static_cast<std::size_t>(j * s.rows + i);
      if (v.empty()) return;
      s.first[e] = static_cast<std::uint16_t>(start);
      s.last[e] = static_cast<std::uint16_t>(start + static_cast<Index>(v.size()) - 1);
    });
  return s;
}
template RowSpans RowSpans::of(const Slices<float>&);
template RowSpans RowSpans::of(const Slices<double>&);

double ordering_score(const RowSpans& s) {
  double sum = 0;
  for (Index j = 0; j < s.slices; ++j)
    for (Index i = 0; i + 1 < s.rows; ++i) {
      const auto e = static_cast<std::size_t>(j * s.rows + i);
      const int shared = std::min<int>(s.last[e], s.last[e + 1]) - std::max<int>(s.first[e], s.first[e + 1]) + 1;
      if (shared > 0) sum += static_cast<double>(shared) * shared;
    }
  return sum / (static_cast<double>(s.slices) * static_cast<double>(std::max<Index>(s.rows - 1, 1)));
}

FullBlocking full_blocking(const RowSpans& s, int rows, int columns) {
  FullBlocking out{rows, columns, {}, 0};
  for (Index j = 0; j < s.slices; ++j) {
    Index top = -1;
    int low = 0, high = 0;  // columns the open block covers
    for (Index i = 0; i < s.rows; ++i) {
      const auto e = static_cast<std::size_t>(j * s.rows + i);
      if (s.last[e] < s.first[e]) continue;
      const int first = s.first[e], last = s.last[e];
      if (last - first + 1 > columns) return {rows, columns, {}, 0};
      out.nonzeros += last - first + 1;
      const int wider_low = std::min(low, first), wider_high = std::max(high, last);
      if (top < 0 || i - top >= rows || wider_high - wider_low + 1 > columns) {
        top = i;
        low = first;
        high = last;
        out.places.push_back({static_cast<std::int32_t>(j), static_cast<std::int32_t>(i), first});
      } else {
        low = wider_low;
        high = wider_high;
        out.places.back().column = low;
      }
    }
  }
  return out;
}

template <class Real>
AlignedVector<Real> full_block_values(const Slices<Real>& slices, const FullBlocking& blocks) {
  const auto size = static_cast<std::size_t>(blocks.rows) * static_cast<std::size_t>(blocks.columns);
  AlignedVector<Real> out(blocks.places.size() * size);
  std::size_t first = 0;
  for (Index j = 0; j < slices.count(); ++j) {
    std::size_t end = first;
    while (end < blocks.places.size() && blocks.places[end].slice == j) ++end;
    slices.for_each_row(j, [&](Index i, Index start, std::span<const Real> v) {
      if (v.empty()) return;
      const auto after = std::upper_bound(blocks.places.begin() + static_cast<std::ptrdiff_t>(first),
                                          blocks.places.begin() + static_cast<std::ptrdiff_t>(end), i,
                                          [](Index row, const BlockPlace& p) { return row < p.row; });
      const auto b = static_cast<std::size_t>(after - blocks.places.begin()) - 1;
      const BlockPlace& p = blocks.places[b];
      for (std::size_t d = 0; d < v.size(); ++d)
        out.data()[b * size + (static_cast<std::size_t>(start - p.column) + d) * static_cast<std::size_t>(blocks.rows) +
                   static_cast<std::size_t>(i - p.row)] = v[d];
    });
    first = end;
  }
  return out;
}
template AlignedVector<float> full_block_values(const Slices<float>&, const FullBlocking&);
template AlignedVector<double> full_block_values(const Slices<double>&, const FullBlocking&);

template <class Real>
void CsrMatrices<Real>::add(const std::vector<std::vector<Real>>& a, std::vector<Real>& s) const {
  for (std::size_t k = 0; k < M.size(); ++k) {
    const Matrix& m = M[k];
    const Real* const x = a[k].data();
    for (std::size_t i = 0; i < s.size(); ++i) {
      Real sum = 0;
      for (auto e = static_cast<std::size_t>(m.begin[i]); e < static_cast<std::size_t>(m.begin[i + 1]); ++e)
        sum += m.value[e] * x[m.column[e]];
      s[i] += sum;
    }
  }
}

template <class Real>
CsrMatrices<Real> csr_matrices(const Slices<Real>& slices) {
  CsrMatrices<Real> out;
  out.M.resize(static_cast<std::size_t>(slices.columns()));
  for (auto& m : out.M) m.begin.assign(static_cast<std::size_t>(slices.rows()) + 1, 0);
  const auto each = [&](auto&& f) {
    for (Index j = 0; j < slices.count(); ++j)
      slices.for_each_row(j, [&](Index i, Index start, std::span<const Real> v) {
        for (std::size_t d = 0; d < v.size(); ++d)
          f(static_cast<std::size_t>(start) + d - 1, static_cast<std::size_t>(i), j, v[d]);
      });
  };
  each([&](std::size_t k, std::size_t i, Index, Real) { ++out.M[k].begin[i + 1]; });
  std::vector<std::vector<std::int64_t>> next;
  for (auto& m : out.M) {
    for (std::size_t i = 0; i + 1 < m.begin.size(); ++i) m.begin[i + 1] += m.begin[i];
    m.column.resize(static_cast<std::size_t>(m.begin.back()));
    m.value.resize(m.column.size());
    next.push_back(m.begin);
  }
  each([&](std::size_t k, std::size_t i, Index j, Real v) {
    const auto e = static_cast<std::size_t>(next[k][i]++);
    out.M[k].column[e] = static_cast<std::int32_t>(j);
    out.M[k].value[e] = v;
  });
  return out;
}
template struct CsrMatrices<float>;
template struct CsrMatrices<double>;
template CsrMatrices<float> csr_matrices(const Slices<float>&);
template CsrMatrices<double> csr_matrices(const Slices<double>&);

}  // namespace conoid::acoustic_bem
