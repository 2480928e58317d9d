// SPDX-License-Identifier: BSD-3-Clause
// Slice matrices (Bramas et al. 2015, §3): slice j holds M_k(i, j) for all rows i and all k ≥ 1, one dense row-vector a
// row, as each pair of unknowns meets over a few consecutive steps only.
//
// Storage of a slice: rows are cut into panels of 256. Inside a panel the row-vectors are sorted by length, then by start
// column, and stored one behind the other; runs say how many follow of each length. Equal lengths in a row keep the
// kernel's inner loop free of mispredicted branches, and one byte tells the row. Real is float or double.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"
#include "engine/solvers/acoustic_bem/huge_pages.hpp"

namespace conoid::acoustic_bem {

constexpr Index panel_rows = 256;

struct RowRun {
  std::uint16_t length = 0;
  std::uint16_t count = 0;  ///< rows; at most panel_rows
};

struct Panel {
  std::uint32_t values = 0;         ///< offset of its first value in the slice
  std::uint32_t runs = 0;           ///< offset of its first run
  std::uint16_t run_count = 0;
  std::uint16_t first = 0;          ///< columns its row-vectors cover
  std::uint16_t last = 0;
};

template <class Real>
struct Slice {
  std::vector<Panel> panels;
  std::vector<RowRun> runs;
  std::vector<std::uint16_t> start;  ///< column of each row-vector, in stored order
  std::vector<std::uint8_t> row;     ///< row in the panel of each row-vector, in stored order
  std::vector<Real, HugePageAllocator<Real>> values;  ///< in the pool of its Slices
};

template <class Real>
class SliceStore;  // slice_store.hpp

template <class Real>
class Slices {
 public:
  Slices() = default;
  Slices(Index rows, Index count) : rows_(rows), slices_(static_cast<std::size_t>(count)) {}

  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index count() const { return static_cast<Index>(slices_.size()); }
  [[nodiscard]] Index panels() const { return (rows_ + panel_rows - 1) / panel_rows; }
  [[nodiscard]] const Slice<Real>& operator[](Index j) const { return slices_[static_cast<std::size_t>(j)]; }
  [[nodiscard]] Slice<Real>& operator[](Index j) { return slices_[static_cast<std::size_t>(j)]; }

  /// Lays out slice j: row i covers columns first[i] … last[i] (none where last < first). Values are not made yet.
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
    const Slice<Real>& s = (*this)[j];
    const Panel& p = s.panels[static_cast<std::size_t>(panel)];
    std::size_t at = static_cast<std::size_t>(panel * panel_rows);
    for (std::uint32_t r = p.runs; r < p.runs + p.run_count; ++r)
      for (std::uint16_t k = 0; k < s.runs[r].count; ++k, ++at) {
        const std::size_t length = s.runs[r].length;
        const double* v = source(panel * panel_rows + s.row[at], static_cast<Index>(s.start[at]));
        for (std::size_t d = 0; d < length; ++d) out[d] = static_cast<Real>(v[d]);
        out += length;
      }
  }
  /// Calls f(i, start, values) for each row-vector of slice j, in stored order.
  template <class F>
  void for_each_row(Index j, F&& f) const {
    verify(!streams(), "the values of slices in memory are asked for");
    const Slice<Real>& s = (*this)[j];
    for (Index panel = 0; panel < panels(); ++panel)
      for_each_row(j, panel, s.values.data() + s.panels[static_cast<std::size_t>(panel)].values, f);
  }
  /// Calls f(i, start, length) for each row-vector of slice j, in stored order; wherever the values are.
  template <class F>
  void for_each_shape(Index j, F&& f) const {
    const Slice<Real>& s = (*this)[j];
    for (Index panel = 0; panel < panels(); ++panel) {
      const Panel& p = s.panels[static_cast<std::size_t>(panel)];
      std::size_t at = static_cast<std::size_t>(panel * panel_rows);
      for (std::uint32_t r = p.runs; r < p.runs + p.run_count; ++r)
        for (std::uint16_t k = 0; k < s.runs[r].count; ++k, ++at)
          f(panel * panel_rows + s.row[at], static_cast<Index>(s.start[at]), static_cast<std::size_t>(s.runs[r].length));
    }
  }
  /// for_each_row() for one panel, whose values begin at `v`.
  template <class F>
  void for_each_row(Index j, Index panel, const Real* v, F&& f) const {
    const Slice<Real>& s = (*this)[j];
    const Panel& p = s.panels[static_cast<std::size_t>(panel)];
    std::size_t at = static_cast<std::size_t>(panel * panel_rows);
    for (std::uint32_t r = p.runs; r < p.runs + p.run_count; ++r)
      for (std::uint16_t k = 0; k < s.runs[r].count; ++k, ++at) {
        const std::size_t length = s.runs[r].length;
        f(panel * panel_rows + s.row[at], static_cast<Index>(s.start[at]), std::span<const Real>(v, length));
        v += length;
      }
  }

  /// Values live in windows on the disk instead of Slice::values.
  void stream_through(std::shared_ptr<SliceStore<Real>> store) { store_ = std::move(store); }
  [[nodiscard]] bool streams() const { return store_ != nullptr; }
  [[nodiscard]] SliceStore<Real>& store() const { return *store_; }

  [[nodiscard]] Index values_in(Index j) const;  ///< laid out, made or not
  [[nodiscard]] Index columns() const;           ///< K_max: the highest column
  [[nodiscard]] Index longest() const;           ///< d_max
  [[nodiscard]] Index nonzeros() const;          ///< values of all slices
  /// Memory of an interval of slices, values and structure.
  [[nodiscard]] Bytes bytes(Interval slices) const;

 private:
  Index rows_ = 0;
  std::vector<Slice<Real>> slices_;
  std::shared_ptr<HugePages> pool_ = std::make_shared<HugePages>();
  std::shared_ptr<SliceStore<Real>> store_;
};

extern template class Slices<float>;
extern template class Slices<double>;

}  // namespace conoid::acoustic_bem
