// SPDX-License-Identifier: BSD-3-Clause
// Tiles in which slices of several ranks meet: one rank computes each of them, and the others are sent the columns that are theirs.
//
// A tile and its mirror image come from the same pairs of triangles, so that a tile between the slices of two ranks would otherwise be
// computed twice: on P ranks 1 − (1 − 1/P)² of the work of one rank on each, instead of 1/P.
#pragma once

#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include "engine/cluster/communicator.hpp"
#include "engine/solvers/acoustic_bem/discretization/tile.hpp"

namespace conoid {
class Team;
}

namespace conoid::acoustic_bem {

/// Rows and columns: equal, or disjoint with rows before columns.
struct TilePair {
  Interval rows, cols;
};

/// The rank that computes each tile, the same on all ranks: the one that holds its slices and those of its mirror image, else that of the ranks
/// concerned which has least to do as yet, tile by tile. `cuts`: the first slice of each rank, and their number at the end.
[[nodiscard]] std::vector<int> ranks_of_tiles(std::span<const TilePair> tiles, std::span<const Index> cuts);

/// Messages of finished tiles. The extents of all tiles that touch a rank's slices are known to it.
template <class Real>
class TileExchange {
 public:
  TileExchange(const Extents& extents, std::vector<Index> cuts, Communicator& cluster);
  ~TileExchange();
  TileExchange(const TileExchange&) = delete;
  TileExchange& operator=(const TileExchange&) = delete;

  /// Columns k ≥ 1 of a finished block that lie in the slices of others are kept until pass(). From any thread.
  void put(Block& block);

  /// A part of a slice that has come: rows of column `j`; at(i, k) is where M_k(i, j) lies, k ≥ 1 and not before the row's first.
  struct Column {
    Index j;
    Interval rows;
    std::span<const std::size_t> offset;  ///< of each row
    const Real* values;
    const Extents* extents;
    [[nodiscard]] const Real* at(Index i, Index k) const;
  };
  using Take = std::function<void(const Column&)>;
  /// Collective: takes in what was sent before, on the threads of the team, and sends what was put since.
  void pass(Team& team, const Take& take);
  /// Takes in what the last pass() sent. Collective.
  void take_in(Team& team, const Take& take);

 private:
  struct Mail;

  const Extents& extents_;
  std::vector<Index> cuts_;
  Communicator& cluster_;
  std::vector<Mail> mail_;  ///< to and from each rank
  bool under_way_ = false;
};

extern template class TileExchange<float>;
extern template class TileExchange<double>;

}  // namespace conoid::acoustic_bem
