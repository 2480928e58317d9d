// SPDX-License-Identifier: BSD-3-Clause
// Row-vectors between the points of far clusters, as the summation passes through them.
//
// A band is the points of one cluster, as rows (256 at most), with the points of all clusters that are far from it, as columns, and once more those
// whose walls remember. All row-vectors
// have far_columns numbers and no pair is missing, so that a column is some full groups of rows (slices.hpp), and the columns of a band
// lie one behind the other at even distances: what is read is one stream, and no list of panels is looked up. In slices, whose panels of
// rows know nothing of clusters, a column met a panel of which it needed a third, and had to ask memory for each.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"
#include "engine/solvers/acoustic_bem/discretization/form.hpp"
#include "engine/solvers/acoustic_bem/discretization/slices.hpp"

namespace conoid {
class Team;
class Communicator;
}  // namespace conoid

namespace conoid::acoustic_bem {

struct Skeletons;
class FarKernel;

constexpr Index far_columns = 8;  ///< of a row-vector between two points

template <class Real>
class FarBlocks {
 public:
  static constexpr Index lanes = group_lanes<Real>;

  struct Band {
    explicit Band(const std::shared_ptr<HugePages>& pool) : values(HugePageAllocator<Real>(pool)) {}
    Interval rows;                     ///< points
    std::vector<std::int32_t> column;  ///< the series of each (Skeletons::series()), once for each of Skeletons::ways()
    std::vector<RowGroup> groups;      ///< [column][group]
    std::vector<std::uint16_t>
        start;  ///< [column][padded row]: first column of a row-vector, ascending; of padding that before it
    std::vector<std::uint8_t> row;                      ///< [column][padded row]: which of `rows`
    std::vector<Real, HugePageAllocator<Real>> values;  ///< [column][group][far_columns][lane]

    [[nodiscard]] Index groups_each() const { return (rows.size() + lanes - 1) / lanes; }
    [[nodiscard]] Index padded() const { return groups_each() * lanes; }
    [[nodiscard]] Index columns() const { return static_cast<Index>(column.size()); }
    [[nodiscard]] Index stored_each() const { return padded() * far_columns; }
    /// The last row of a column has the latest row-vector.
    [[nodiscard]] std::uint16_t first(Index c) const { return start[static_cast<std::size_t>(c * padded())]; }
    [[nodiscard]] std::uint16_t last(Index c) const {
      return static_cast<std::uint16_t>(start[static_cast<std::size_t>(c * padded() + rows.size() - 1)] + far_columns -
                                        1);
    }
  };

  [[nodiscard]] Index rows() const { return rows_; }  ///< points
  [[nodiscard]] Index bands() const { return static_cast<Index>(bands_.size()); }
  [[nodiscard]] const Band& operator[](Index band) const { return bands_[static_cast<std::size_t>(band)]; }
  [[nodiscard]] Index nonzeros() const;  ///< values of all row-vectors
  [[nodiscard]] Index lowest() const;    ///< first column of any row-vector
  [[nodiscard]] Index columns() const;   ///< the highest column
  [[nodiscard]] Index longest() const { return nonzeros() > 0 ? far_columns : 0; }
  [[nodiscard]] Bytes bytes(Interval bands) const;
  [[nodiscard]] Bytes bytes() const { return bytes({0, bands()}); }
  /// Calls f(i, j, start, values) for each row-vector of a band, j a series. The values are a copy for the call.
  template <class F>
  void for_each_row(Index band, F&& f) const {
    const Band& b = (*this)[band];
    std::vector<Real> row(static_cast<std::size_t>(far_columns));
    for (Index c = 0; c < b.columns(); ++c)
      for (Index r = 0; r < b.rows.size(); ++r) {
        const auto place = static_cast<std::size_t>(c * b.padded() + r);
        const auto at = static_cast<std::size_t>(c * b.stored_each() + r / lanes * lanes * far_columns + r % lanes);
        for (std::size_t d = 0; d < row.size(); ++d) row[d] = b.values[at + d * static_cast<std::size_t>(lanes)];
        f(b.rows.begin + b.row[place], static_cast<Index>(b.column[static_cast<std::size_t>(c)]),
          static_cast<Index>(b.start[place]), std::span<const Real>(row));
      }
  }

  /// Those of all far pairs whose columns are points of `own`, by the team. Error: stopped.
  [[nodiscard]] static Result<FarBlocks> make(const Skeletons& skeletons, const Form& form, Interval own, Team& team,
                                              const std::stop_token& stop);
  /// What they will take.
  [[nodiscard]] static Bytes expected(const Skeletons& skeletons, Interval own);

 private:
  void fill(Band& band, const Skeletons& skeletons, const FarKernel& kernel) const;

  Index rows_ = 0;
  std::vector<Band> bands_;
  std::shared_ptr<HugePages> pool_ = std::make_shared<HugePages>();
};

extern template class FarBlocks<float>;
extern template class FarBlocks<double>;

}  // namespace conoid::acoustic_bem
