// SPDX-License-Identifier: BSD-3-Clause
// Orders of traversal of space and time in which every update follows those it depends on.
//
// Update k (level k → k+1) of a cell needs updates k−1 of the cells within the stencil's reach s along x, y, z and, because
// two levels share their place, overwrites what those read. A tiling cuts (x, y, k) into tiles, each a sequence of patches, and
// says which tiles must come before which; dataflow.hpp runs them.
//
//   stepwise  one tile a block of rows and step: the memory's speed is the limit
//   diamond   diamonds in (x, k) of width W, each marched along y as a wavefront that lags by s rows a level (Malas et al.,
//             SIAM J. Sci. Comput. 37, 2015): 40 s/W bytes from memory a cell update (varying c, single precision). In (y, k), marched
//             along x, where the planes of a span move or are too few. Where a row of diamonds has too few for all threads their march is
//             cut, too, at y + s k = c C: all that an update reads and overwrites lies at lower or equal y + s k, so piece c of a diamond
//             needs piece c of the diamonds before it and nothing behind, and rows of diamonds follow each other at a distance of C rows.
//             So a diamond may be wider than a row of them has for each thread, and no thread waits for the end of a row
//   tower     DiamondTorre: with p = x + y, q = x − y, tiles P = p − s k ∈ [aD, aD + D), Q = q − s k ∈ [bD, bD + D) for
//             n N_t ≤ k < (n+1) N_t, D = 2 s DTS. All dependencies point to larger or equal P and Q, so tower (a, b, n) needs
//             (a+1, b, n), (a, b+1, n) and (a, b, n−1) only (Perepelkina & Levchenko, preprint 2015-18, section 3)
#pragma once

#include "engine/core/types.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace conoid::acoustic_fd {

/// A box of cells.
struct Box {
  Interval x{}, y{}, z{};
  [[nodiscard]] bool empty() const { return x.empty() || y.empty() || z.empty(); }
};

struct Ahead;  // kernels/patch.hpp

/// Takes the cells of a box at update k.
class PatchSink {
 public:
  virtual ~PatchSink() = default;
  virtual void patch(Index k, const Box& box) = 0;
  /// The same, while what the tile asked for is brought near.
  virtual void patch_asking(Index k, const Box& box, Ahead& /*ahead*/) { patch(k, box); }
  /// Boxes, which may reach beyond the grid, that update k will read for the first time in a while: of level k, and of the medium and
  /// perhaps of level k − 1. Asked for in the order in which they will be needed.
  virtual void ask(Index /*k*/, const Box& /*level*/, const Box& /*cells*/, bool /*older*/, Ahead& /*ahead*/) {}
};

/// Tilings count updates from zero; this adds what has been done before.
class Later final : public PatchSink {
 public:
  Later(PatchSink& sink, Index steps) : sink_(sink), steps_(steps) {}
  void patch(Index k, const Box& box) override { sink_.patch(k + steps_, box); }
  void patch_asking(Index k, const Box& box, Ahead& ahead) override { sink_.patch_asking(k + steps_, box, ahead); }
  void ask(Index k, const Box& level, const Box& cells, bool older, Ahead& ahead) override {
    sink_.ask(k + steps_, level, cells, older, ahead);
  }

 private:
  PatchSink& sink_;
  Index steps_;
};

/// The part of space and time to be covered: updates k0 ≤ k < k1; at update k planes
/// [−grow_low (k1−1−k), nx + grow_high (k1−1−k)) so that the last update covers [0, nx) and earlier ones what it needs of a
/// neighbour's planes. Rows 0 ≤ y < ny, cells 0 ≤ z < nz.
struct Span {
  Index nx = 0, ny = 0, nz = 0, k0 = 0, k1 = 0;
  Index grow_low = 0, grow_high = 0;
  /// A moving window instead: at update k planes [begin − lag (k − k0), end − lag (k − k0)) cut to `grid`.
  Index lag = 0;
  Interval window{}, grid{};
  /// Or edges that move: with j = k − k0 planes [edge.begin + slope.begin j, edge.end + slope.end j).
  bool moving_edges = false;
  Interval edge{}, slope{};
  /// Every update covers the same planes, 0 ≤ x < nx.
  [[nodiscard]] bool planes_stay() const { return !moving_edges && lag == 0 && grow_low == 0 && grow_high == 0; }
  [[nodiscard]] Interval planes(Index k) const {
    if (moving_edges) {
      const Index begin = edge.begin + slope.begin * (k - k0), end = edge.end + slope.end * (k - k0);
      return {begin, end > begin ? end : begin};
    }
    if (lag == 0) return {-grow_low * (k1 - 1 - k), nx + grow_high * (k1 - 1 - k)};
    const Index shift = lag * (k - k0);
    const Index begin = window.begin - shift > grid.begin ? window.begin - shift : grid.begin;
    const Index end = window.end - shift < grid.end ? window.end - shift : grid.end;
    return {begin, end > begin ? end : begin};
  }
};

struct TileShape {
  enum class Kind { stepwise, diamond, tower };
  Kind kind = Kind::stepwise;
  Index width = 32;   ///< diamond: W (a multiple of 2s); tower: D; stepwise: rows of a block
  Index planes = 8;   ///< diamond: rows (where diamonds march along x, planes) that a step of the wavefront takes
  Index height = 16;  ///< tower: N_t
  /// Diamond: cells along z that are marched together, a multiple of 16, 0 = all. The cut moves by 16 cells to lower z with
  /// each level, so that rows stay aligned and dependencies point one way.
  Index depth = 0;
  /// Diamond: C above, of the axis that it marches along; 0 = as the threads want it: 32, or all where there are enough diamonds in a row.
  Index follow = 0;
  friend bool operator==(const TileShape&, const TileShape&) = default;
};
/// "diamond 32x8x128", "diamond 32x8", "diamond 32x8/64" (C = 64), "tower 16x12", "stepwise 40".
[[nodiscard]] std::string to_string(const TileShape& shape);
/// The inverse; false when `text` is no shape or has no positive sizes.
[[nodiscard]] bool parse_shape(std::string_view text, TileShape& shape);

/// Immutable once made.
class Tiling {
 public:
  virtual ~Tiling() = default;
  [[nodiscard]] virtual Index tiles() const = 0;
  /// Free tiles are best begun by their numbers; else those first that were freed last.
  [[nodiscard]] virtual bool by_number() const { return false; }
  /// Tiles that must be finished before `tile` may begin.
  [[nodiscard]] virtual int predecessors(Index tile) const = 0;
  /// Tiles that wait for it, appended to `out`, the one that shares most with it last.
  virtual void successors(Index tile, std::vector<Index>& out) const = 0;
  /// All patches of a tile in a valid order.
  virtual void run(Index tile, PatchSink& sink) const = 0;
};

/// `radius` is s. Widths are raised to the least that dependencies allow (2s).
[[nodiscard]] std::unique_ptr<Tiling> make_tiling(const TileShape& shape, const Span& span, int radius, int threads);

}  // namespace conoid::acoustic_fd
