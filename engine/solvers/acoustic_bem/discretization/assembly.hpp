// SPDX-License-Identifier: BSD-3-Clause
// Assembly of the convolution matrices: M_0 as a sparse matrix, M_k (k ≥ 1) as slices.
//
// The matrices are cut into tiles (test vertices × source vertices). A task owns a tile and its mirror image, computes
// every pair of triangles that touches them (those on the borders again in the neighbouring tile) and writes without
// locks. A first pass finds which columns each row-vector covers, exactly, so that memory is known before it is taken.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "engine/cluster/communicator.hpp"
#include "engine/core/error.hpp"
#include "engine/core/progress.hpp"
#include "engine/solvers/acoustic_bem/discretization/far_blocks.hpp"
#include "engine/solvers/acoustic_bem/discretization/form.hpp"
#include "engine/solvers/acoustic_bem/discretization/slices.hpp"
#include "engine/solvers/acoustic_bem/discretization/surface.hpp"

namespace conoid {
class Team;
}

namespace conoid::acoustic_bem {

struct Block;      // tile.hpp
struct Skeletons;  // skeletons.hpp

struct AssemblyOptions {
  int far_points = 3;   ///< outer rule where the gap between the triangles exceeds their radii
  int near_points = 6;  ///< outer rule elsewhere …
  int near_splits = 1;  ///< … on the triangle split into 4^splits
  int thin_splits = 1;  ///< the same for near triangles on opposite sheets of a body, if more: see splits_for()
  bool lag2 = true;     ///< skew part of M_0 by second-order extrapolation into M_1 and M_2: M_0 is then symmetric
  int widest = 0;       ///< SIMD lanes at most; 0: what the processor has
};

/// Splits for opposite sheets so close that the outer integrand varies over their distance: until the parts' edges are at
/// most twice the distance, 1 to 4. `thinness`: distance over the triangles' radius.
[[nodiscard]] int splits_for(double thinness);

using SparseMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

template <class Real>
struct Matrices {
  Form form;
  SparseMatrix M0;
  Slices<Real> slices;            ///< of several ranks: this rank's own
  double skew = 0;                ///< Frobenius norm of M_0's skew part over that of M_0
  std::uint64_t evaluations = 0;  ///< of shell moments, all shells of an (outer point, source triangle)
  double seconds = 0;             ///< processor time of the tiles, summed over the threads
  // What walls remember whose admittance depends on frequency (memory_columns.hpp); empty: none does.
  Slices<Real> memory{};  ///< of several ranks: the columns of this rank's own unknowns; in memory always
  std::vector<MemoryColumn> memory_columns{};  ///< all of them
  std::vector<WallMemory> walls{};
  // Of compressed matrices (compressed_assembly.hpp): `slices` are those of near clusters alone. Null: they are whole.
  std::shared_ptr<const Skeletons> skeletons{};
  FarBlocks<Real>
      far{};  ///< between the points of far clusters; of several ranks: the columns of this rank's own points
  double far_error =
      0;  ///< of far blocks that were computed for comparison, over their norm, at the worst of some frequencies
};

/// Blocks of the matrices that are wanted: clusters of consecutive unknowns, and pairs of them, (b, a) with every (a, b).
struct BlockPattern {
  std::vector<Index> begin;  ///< clusters + 1 entries: first unknown of each
  std::vector<char> wanted;  ///< [cluster][cluster]
  [[nodiscard]] Index clusters() const { return static_cast<Index>(begin.size()) - 1; }
  [[nodiscard]] bool wants(Index a, Index b) const { return wanted[static_cast<std::size_t>(a * clusters() + b)] != 0; }
  [[nodiscard]] Interval of(Index cluster) const {
    return {begin[static_cast<std::size_t>(cluster)], begin[static_cast<std::size_t>(cluster) + 1]};
  }
  [[nodiscard]] Index cluster_of(Index unknown) const {
    return std::upper_bound(begin.begin(), begin.end(), unknown) - begin.begin() - 1;
  }
  /// Pairs of unknowns of all wanted blocks.
  [[nodiscard]] double pairs() const;
  /// Those of each slice.
  [[nodiscard]] std::vector<double> slice_pairs() const;
};

/// First and last column of each row-vector, k ≥ 0: of all pairs of unknowns, row i of slice j at j·N + i, or of those of a pattern alone,
/// block after block.
struct Extents {
  Index unknowns = 0;
  std::vector<std::uint16_t> first, last;
  BlockPattern pattern;               ///< no clusters: all pairs
  std::vector<std::int32_t> cluster;  ///< of each unknown; empty without a pattern
  std::vector<std::size_t> block;     ///< [column cluster][row cluster]: where a wanted block begins; empty likewise

  /// As yet empty ones.
  void lay_out(Index count, const BlockPattern* blocks);
  /// Where the entry of a wanted pair lies.
  [[nodiscard]] std::size_t entry(Index i, Index j) const {
    if (cluster.empty()) return static_cast<std::size_t>(j * unknowns + i);
    const auto a = static_cast<std::size_t>(cluster[static_cast<std::size_t>(i)]),
               b = static_cast<std::size_t>(cluster[static_cast<std::size_t>(j)]);
    return block[b * (pattern.begin.size() - 1) + a] +
           static_cast<std::size_t>((j - pattern.begin[b]) * (pattern.begin[a + 1] - pattern.begin[a]) + i -
                                    pattern.begin[a]);
  }
  /// Columns k ≥ 1 of slice j, row by row; first > last where there are none.
  void slice(Index j, std::vector<std::uint16_t>& first_of, std::vector<std::uint16_t>& last_of) const;
};

/// The slices of each rank: intervals whose values, as `weights` tells them slice by slice, are as even as whole slices allow.
[[nodiscard]] Interval share_of_slices(std::span<const double> weights, int rank, int ranks);

class Assembly {
 public:
  /// With several ranks each assembles slices of its own, an interval with about as many values as that of any other, and M_0
  /// becomes whole on all of them; all calls are then collective. A tile in which slices of several ranks meet is computed by one of them, which sends
  /// the others their columns (tile_exchange.hpp); by each where values stream.
  /// `pattern`: blocks that are wanted, by processors; null: all. The others are empty, also in M_0: blocks whose
  /// unknowns share a triangle must be among them.
  Assembly(const Surface& surface, Form form, AssemblyOptions options, Communicator* cluster = nullptr,
           const BlockPattern* pattern = nullptr);
  ~Assembly();
  Assembly(const Assembly&) = delete;
  Assembly& operator=(const Assembly&) = delete;

  /// First pass. Progress in tiles. ErrorCode::stopped after a stop request.
  [[nodiscard]] Status find_extents(Team& team, Progress& progress, const std::stop_token& stop);
  /// Memory of this rank's slices; after find_extents().
  [[nodiscard]] Bytes slice_bytes(std::size_t bytes_per_value, Team& team) const;
  /// Values are to live in windows of a scratch file (slice_store.hpp); before assemble(), which asks for the memory of the
  /// windows once extents and structure are there.
  void stream_values(std::function<Bytes()> window_memory, std::filesystem::path file);
  /// Second pass; frees the extents.
  template <class Real>
  [[nodiscard]] Result<Matrices<Real>> assemble(Team& team, Progress& progress, const std::stop_token& stop);

  [[nodiscard]] const Extents& extents() const { return extents_; }

 private:
  struct Tiles;
  /// What is told of a tile, of M_0's skew part.
  struct Squares {
    double skew = 0, all = 0, evaluations = 0;
  };
  void cut_tiles();
  void cut_pattern();
  /// Tiles that touch this rank's slices.
  [[nodiscard]] std::vector<Index> own_tiles() const;
  /// Those that it computes where tiles are exchanged.
  [[nodiscard]] std::vector<Index> computed_tiles() const;
  void join_extents();
  void share_slices(Index group);
  void cut_slices(std::span<const double> weights, Index group);
  void symmetrise(Block& block, Block& mirror, Squares& told) const;
  template <class Real>
  [[nodiscard]] Matrices<Real> empty_matrices() const;
  template <class Real>
  [[nodiscard]] Status lay_out(Matrices<Real>& out, Team& team, const std::stop_token& stop) const;
  template <class Real>
  void close_m0(Matrices<Real>& out, std::vector<Eigen::Triplet<double>>& m0, std::vector<Squares>& squares_of) const;
  const Surface& surface_;
  Form form_;
  AssemblyOptions options_;
  Communicator* cluster_;  ///< null: a single rank
  Extents extents_;
  BlockPattern pattern_;  ///< no clusters: all pairs
  Interval own_;
  std::vector<Index> cuts_;               ///< of several ranks: the first slice of each, and their number at the end
  std::function<Bytes()> window_memory_;  ///< none: values stay in memory
  std::filesystem::path window_file_;
  std::unique_ptr<Tiles> tiles_;
};

/// Both passes on a team; throws Failure where they fail. For verification and tests.
template <class Real>
[[nodiscard]] Matrices<Real> assemble_all(const Surface& surface, const Form& form, const AssemblyOptions& options,
                                          Team& team);

/// M_k, k ≥ 1, or M_0 as it is solved with, as dense rows: for tests on small meshes.
template <class Real>
[[nodiscard]] Eigen::MatrixXd dense_matrix(const Matrices<Real>& matrices, Index k);

}  // namespace conoid::acoustic_bem
