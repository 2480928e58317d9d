// SPDX-License-Identifier: BSD-3-Clause
// Slice matrices (Bramas et al. 2015, §3): slice j holds M_k(i, j) for all rows i and all k ≥ 1, one dense row-vector a
// row, as each pair of unknowns meets over a few consecutive steps only.
//
// Storage of a slice: rows are cut into panels of 256. Inside a panel the row-vectors are sorted by length, then by start
// column, and cut into groups of as many rows as a wide register holds numbers (16 or 8). The values of a group are stored
// column by column, so that a row is a lane of the register; lengths differ little inside a group, and shorter rows are
// filled up with zeros to the longest one. Real is float or double.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"
#include "engine/solvers/acoustic_bem/discretization/huge_pages.hpp"

namespace conoid::acoustic_bem {

constexpr Index panel_rows = 256;

/// Rows of a group.
template <class Real>
constexpr Index group_lanes = 64 / static_cast<Index>(sizeof(Real));

/// Row-vectors of one length.
struct RowRun {
  std::uint16_t length = 0;
  std::uint16_t count = 0;  ///< rows; at most panel_rows
};

/// Some row-vectors side by side.
struct RowGroup {
  std::uint16_t columns = 0;  ///< stored for each row: the length of the longest row-vector
  std::uint16_t low = 0;      ///< first stored column: the lowest of all rows
  std::uint16_t high = 0;     ///< the highest
};

/// Column at which the stored values of a row-vector begin, in a group of `columns` columns in a panel whose columns end at
/// `last`: zeros stand behind the values, and before them where they would pass the panel's last column.
[[nodiscard]] inline std::uint16_t stored_start(std::uint16_t start, std::uint16_t columns, std::uint16_t last) {
  return std::min(start, static_cast<std::uint16_t>(last - columns + 1));
}

struct Panel {
  std::uint32_t values = 0;  ///< offset of its first value in the slice
  std::uint32_t stored = 0;  ///< values, zeros that fill up groups included
  std::uint32_t runs = 0;    ///< offset of its first run
  std::uint32_t places = 0;  ///< offset of its first row-vector in start and row
  std::uint32_t groups = 0;  ///< of its first group
  std::uint16_t run_count = 0;
  std::uint16_t rows = 0;   ///< row-vectors; those that are empty are not stored
  std::uint16_t first = 0;  ///< columns its row-vectors cover
  std::uint16_t last = 0;
};

template <class Real>
struct Slice {
  std::vector<Panel> panels;
  std::vector<RowGroup> groups;
  std::vector<RowRun> runs;          ///< lengths in stored order
  std::vector<std::uint16_t> start;  ///< column of each row-vector, in stored order; readable for a whole last group
  std::vector<std::uint8_t> row;     ///< row in the panel of each row-vector, likewise
  std::vector<Real, HugePageAllocator<Real>> values;  ///< in the pool of its Slices

  [[nodiscard]] const RowGroup* panel_groups(Index panel) const {
    return groups.data() + panels[static_cast<std::size_t>(panel)].groups;
  }
};

template <class Real>
class SliceStore;  // slice_store.hpp

template <class Real>
class Slices {
 public:
  Slices() = default;
  /// `first`: the unknown of the first slice, where a rank holds a part of a matrix; slices are numbered from there.
  Slices(Index rows, Index count, Index first = 0)
      : rows_(rows), first_(first), slices_(static_cast<std::size_t>(count)) {}

  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index count() const { return static_cast<Index>(slices_.size()); }
  [[nodiscard]] Index first() const { return first_; }  ///< the unknown of slice 0
  [[nodiscard]] Index panels() const { return (rows_ + panel_rows - 1) / panel_rows; }
  /// Rows of a panel.
  [[nodiscard]] Interval panel(Index k) const { return {k * panel_rows, std::min((k + 1) * panel_rows, rows_)}; }
  /// The panel of a row.
  [[nodiscard]] Index panel_of(Index row) const { return row / panel_rows; }
  [[nodiscard]] const Slice<Real>& operator[](Index j) const { return slices_[static_cast<std::size_t>(j)]; }
  [[nodiscard]] Slice<Real>& operator[](Index j) { return slices_[static_cast<std::size_t>(j)]; }

  /// Lays out slice j: row i covers columns first[i] … last[i] (none where last < first; such rows take no memory). Values are not
  /// made yet.
  void lay_out(Index j, std::span<const std::uint16_t> first, std::span<const std::uint16_t> last);
  /// Makes the values of slice j, zero.
  void allocate(Index j);
  /// Fills the row-vectors of one panel of slice j: `source(i, column)` returns a pointer to M_column(i, j) …
  template <class F>
  void fill(Index j, Index panel, F&& source) {
    Slice<Real>& s = (*this)[j];
    fill(j, panel, s.values.data() + s.panels[static_cast<std::size_t>(panel)].values, std::forward<F>(source));
  }
  /// The same into memory elsewhere.
  template <class F>
  void fill(Index j, Index panel, Real* out, F&& source) const {
    std::fill_n(out, stored_values(j, panel), Real{0});
    put_rows(j, panel, {0, rows_}, out, std::forward<F>(source));
  }
  /// The same of some rows only, whose values are as they were made as yet.
  template <class F>
  void fill_rows(Index j, Index panel, Interval rows, F&& source) {
    Slice<Real>& s = (*this)[j];
    put_rows(j, panel, rows, s.values.data() + s.panels[static_cast<std::size_t>(panel)].values,
             std::forward<F>(source));
  }
  /// Calls f(i, start, values) for each row-vector of slice j, in stored order. The values are a copy for the call.
  template <class F>
  void for_each_row(Index j, F&& f) const {
    verify(!streams(), "the values of slices in memory are asked for");
    const Slice<Real>& s = (*this)[j];
    for (Index panel = 0; panel < panels(); ++panel)
      for_each_row(j, panel, s.values.data() + s.panels[static_cast<std::size_t>(panel)].values, f);
  }
  /// for_each_row() for one panel, whose values begin at `v`.
  template <class F>
  void for_each_row(Index j, Index panel, const Real* v, F&& f) const {
    std::vector<Real> row;
    for_each_place(j, panel, [&](Index i, std::uint16_t start, std::size_t length, std::size_t at) {
      row.resize(length);
      for (std::size_t d = 0; d < length; ++d) row[d] = v[at + d * lanes];
      f(i, static_cast<Index>(start), std::span<const Real>(row));
    });
  }
  /// Calls f(i, start, length) for each row-vector of slice j, in stored order; wherever the values are.
  template <class F>
  void for_each_shape(Index j, F&& f) const {
    for (Index panel = 0; panel < panels(); ++panel)
      for_each_place(j, panel, [&](Index i, std::uint16_t start, std::size_t length, std::size_t) {
        f(i, static_cast<Index>(start), length);
      });
  }

  /// Values live in windows on the disk instead of Slice::values.
  void stream_through(std::shared_ptr<SliceStore<Real>> store) { store_ = std::move(store); }
  [[nodiscard]] bool streams() const { return store_ != nullptr; }
  [[nodiscard]] SliceStore<Real>& store() const { return *store_; }

  /// Reals that slice j takes, zeros that fill up groups included; laid out, made or not.
  [[nodiscard]] Index stored_values(Index j) const;
  [[nodiscard]] Index stored_values(Index j, Index panel) const;
  [[nodiscard]] Index columns() const;   ///< K_max: the highest column
  [[nodiscard]] Index longest() const;   ///< d_max
  [[nodiscard]] Index nonzeros() const;  ///< values of all row-vectors
  /// Memory of an interval of slices, values and structure.
  [[nodiscard]] Bytes bytes(Interval slices) const;

 private:
  static constexpr std::size_t lanes = group_lanes<Real>;
  /// The row-vectors of some rows of a panel, whose values begin at `out`.
  template <class F>
  void put_rows(Index j, Index panel, Interval rows, Real* out, F&& source) const {
    for_each_place(j, panel, [&](Index i, std::uint16_t start, std::size_t length, std::size_t at) {
      if (i < rows.begin || i >= rows.end) return;
      const auto* v = source(i, static_cast<Index>(start));
      for (std::size_t d = 0; d < length; ++d) out[at + d * lanes] = static_cast<Real>(v[d]);
    });
  }
  /// Calls f(i, start, length, at): where a row-vector's first value lies from the first one of its panel; the next column
  /// lies `lanes` behind.
  template <class F>
  void for_each_place(Index j, Index panel, F&& f) const {
    const Slice<Real>& s = (*this)[j];
    const Panel& p = s.panels[static_cast<std::size_t>(panel)];
    const std::size_t first = p.places, groups = p.groups;
    const Index begin_row = this->panel(panel).begin;
    std::size_t at = 0, k = 0;
    for (std::uint32_t r = p.runs; r < p.runs + p.run_count; ++r)
      for (std::uint16_t of_run = 0; of_run < s.runs[r].count; ++of_run, ++k) {
        const std::uint16_t start = s.start[first + k];
        const RowGroup& g = s.groups[groups + k / lanes];
        const std::size_t begin =
            at + k % lanes + lanes * static_cast<std::size_t>(start - stored_start(start, g.columns, p.last));
        if (k % lanes == lanes - 1) at += lanes * g.columns;
        f(begin_row + s.row[first + k], start, static_cast<std::size_t>(s.runs[r].length), begin);
      }
  }

  Index rows_ = 0, first_ = 0;
  std::vector<Slice<Real>> slices_;
  std::shared_ptr<HugePages> pool_ = std::make_shared<HugePages>();
  std::shared_ptr<SliceStore<Real>> store_;
};

extern template class Slices<float>;
extern template class Slices<double>;

}  // namespace conoid::acoustic_bem
