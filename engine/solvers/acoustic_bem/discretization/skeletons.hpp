// SPDX-License-Identifier: BSD-3-Clause
// Clusters of unknowns and their skeletons: what far clusters send to one another, by a few points of each.
//
// Signals are limited in band: beyond `highest` the pulses have nothing left. What the unknowns j of a cluster send to any place far
// from it is then, at all these frequencies alike, a combination of what a few points s of its faces send, its skeleton, with real
// weights that do not depend on time: u_j ≈ Σ_s T(j, s) u_s (an interpolative decomposition: H. Cheng, Z. Gimbutas, P. G. Martinsson,
// V. Rokhlin, SIAM J. Sci. Comput. 26 (2005) 1389; skeletons of boundary elements: P. G. Martinsson, V. Rokhlin, J. Comput. Phys. 205
// (2005) 1). The same holds for what tests of a cluster feel of far sources. So M_k(A, B) ≈ T_A M_k(points of A, points of B) T_Bᵀ for
// clusters that lie apart, where points send and feel as a monopole and as a dipole along the face's normal (far_kernel.hpp).
//
// Clusters form a binary tree, whose leaves have unknowns. Skeletons are nested: that of a cluster is chosen among those of its two
// halves. A pair of clusters is far at the coarsest level at which the two lie apart.
//
// The fields of a cluster are sampled on a sphere around it that lies before all far clusters, at frequencies from none to the
// highest: as what simple and double layers with the unknown's functions send there, which are what all forms send and, by
// reciprocity, feel. On the sphere a field decides the field beyond it, so places further away need no samples.
//
// Where faces differ (rigid, soft, with an impedance) an unknown sends differently from each kind, and its fields from each are samples of
// their own: points of a kind then stand for what comes from faces of that kind. Points send what their own face does to a pressure.
// A wall whose admittance depends on frequency remembers: σ = (now φⁿ + before φⁿ⁻¹ + νⁿ⁻¹)/cΔt (admittance.hpp), which is now (φⁿ − φⁿ⁻¹) + μⁿ⁻¹ with
// μ = (now + before) φ + ν. A point there sends the first as an impedance does, and has a second series for μ, which is zero where a pressure has
// stayed as it is for ever.
// Above a ground a point has its image, as a face has. Of filled bodies pressures and densities are unknowns with points of their own, and
// points of a body send in both fluids.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"
#include "engine/solvers/acoustic_bem/discretization/assembly.hpp"
#include "engine/solvers/acoustic_bem/discretization/surface.hpp"

namespace conoid {
class Team;
}

namespace conoid::acoustic_bem {

/// The order of points in clusters: halved again and again across the longest side of what they span, so that the halves of halves are
/// clusters of any size. Old number of each new one. O(n log² n); equal points keep their order.
[[nodiscard]] std::vector<Index> cluster_order(std::span<const Vec3> points);
/// The first of each cluster of `count` unknowns so ordered, and the end; clusters of `most` at most, 2^d of them. A place has `each` unknowns.
[[nodiscard]] std::vector<Index> cluster_begins(Index count, Index most, Index each = 1);

struct SkeletonOptions {
  double error = 1e-3;      ///< root mean square of what unknowns send to far clusters, relative, over all frequencies
  double highest = 0;       ///< wave number of the band's end, 1/m
  double separation = 0.5;  ///< far clusters: the gap between their spheres is wider than so many radii of the larger …
  double least_gap = 0;     ///< … and than so much, m: what steps of a group send each other stays near
  Index cluster = 128;      ///< unknowns of a leaf at most
};

/// What a skeleton is made of: a point of a face, the face's normal, and what the face does (density_of()).
struct SkeletonPoint {
  Vec3 at{}, normal{};
  Density sends{};
  std::uint16_t kind =
      0;  ///< of the face, which decides what it sends and feels: its wall and the form there; of filled bodies, body by body, pressures and densities
  std::int32_t body = -1;    ///< filled
  bool density = false;      ///< of a filled body: it has ∂_n p, not the pressure
  std::int16_t memory = -1;  ///< the wall that remembers, −1: none does
  bool plain = false;        ///< what is tested there has form N beside a combined one (Surface::plain)
};

/// Clusters, who is far from whom, and skeletons, whose points are numbered cluster by cluster.
///
/// Clusters are numbered level by level: leaves first, at last the root; the halves of the i-th of a level are the (2i)-th and (2i + 1)-th
/// of the level before.
struct Skeletons {
  SkeletonOptions options;
  BlockPattern near;               ///< leaves, of unknowns; wanted: those that are near
  std::vector<Index> level_begin;  ///< the first cluster of each level, and the end
  std::vector<Vec3> centre;
  std::vector<double> radius;                      ///< of a cluster with all triangles of its unknowns
  BlockPattern far;                                ///< all clusters, of points; wanted: far pairs
  std::vector<std::pair<Index, Index>> far_pairs;  ///< of clusters, a < b
  std::vector<SkeletonPoint> points;
  std::vector<std::vector<double>>
      weights;  ///< T of each cluster: of a leaf [unknown][point], else [point of its halves][point]
  std::vector<std::vector<double>>
      sends;  ///< the same where a leaf has unknowns on soft faces, which send from there alone; else empty
  std::vector<std::int32_t> remembering;  ///< points of walls that remember, ascending; each has a second series
  std::vector<std::int32_t>
      series_of;  ///< of each point its second series, from size() on; −1: none. Empty: no wall remembers
  std::optional<Ground> ground;    ///< points have images there
  std::optional<Filling> filling;  ///< points send in both fluids

  [[nodiscard]] Index leaves() const { return near.clusters(); }
  [[nodiscard]] Index clusters() const { return level_begin.back(); }
  [[nodiscard]] Index levels() const { return static_cast<Index>(level_begin.size()) - 1; }
  [[nodiscard]] Interval level(Index k) const {
    return {level_begin[static_cast<std::size_t>(k)], level_begin[static_cast<std::size_t>(k) + 1]};
  }
  [[nodiscard]] Index level_of(Index cluster) const {
    return std::upper_bound(level_begin.begin(), level_begin.end(), cluster) - level_begin.begin() - 1;
  }
  [[nodiscard]] Index unknowns() const { return near.begin.back(); }
  [[nodiscard]] Index size() const { return static_cast<Index>(points.size()); }
  /// Series of values: of each point, and behind them of what the walls of some remember.
  [[nodiscard]] Index series() const { return size() + static_cast<Index>(remembering.size()); }
  /// Whose a series is.
  [[nodiscard]] const SkeletonPoint& point_of_series(Index series) const {
    return points[static_cast<std::size_t>(
        series < size() ? series : Index{remembering[static_cast<std::size_t>(series - size())]})];
  }
  /// Row-vectors of two points: straight, by way of the fluid inside, and last by way of the ground.
  [[nodiscard]] Index ways() const { return 1 + (filling ? 1 : 0) + (ground ? 1 : 0); }
  /// The weights with which unknowns of a leaf, or points of halves, send; `weights` are those with which they feel.
  [[nodiscard]] const std::vector<double>& sending(Index cluster) const {
    const auto c = static_cast<std::size_t>(cluster);
    return sends[c].empty() ? weights[c] : sends[c];
  }
  [[nodiscard]] bool any_far() const { return !far_pairs.empty(); }
  /// The first half of a cluster of level k ≥ 1; the second one is the next.
  [[nodiscard]] Index first_half(Index k, Index cluster) const {
    return level(k - 1).begin + 2 * (cluster - level(k).begin);
  }
  [[nodiscard]] Index whole_of(Index k, Index cluster) const { return level(k).end + (cluster - level(k).begin) / 2; }
  /// What the weights of a cluster of level k are for: unknowns of a leaf, points of both halves.
  [[nodiscard]] Interval parts(Index k, Index cluster) const {
    if (k == 0) return near.of(cluster);
    const Index half = first_half(k, cluster);
    return {far.of(half).begin, far.of(half + 1).end};
  }
};

/// Clusters and who is far from whom, without skeletons. The surface is ordered by clusters. O(clusters²).
[[nodiscard]] Skeletons clusters_of(const Surface& surface, const SkeletonOptions& options);

/// The skeleton of a cluster by itself.
struct Skeleton {
  std::vector<SkeletonPoint> points;
  std::vector<double>
      strength;                 ///< of each point: root of the sum of the squares of its weights, those of the unknowns
  std::vector<double> weights;  ///< [part][point]
  std::vector<double> sends;    ///< likewise; empty: as `weights`
};
/// Of a leaf: its parts are its unknowns. From any thread.
[[nodiscard]] Skeleton leaf_skeleton(const Surface& surface, const Skeletons& clusters, Index leaf);
/// Of any other cluster: its parts are the points of both halves. From any thread.
[[nodiscard]] Skeleton joined_skeleton(const Skeletons& clusters, Index cluster, const Skeleton& first,
                                       const Skeleton& second);
/// All that far pairs need, by the team. Error: stopped.
[[nodiscard]] Result<Skeletons> find_skeletons(const Surface& surface, const SkeletonOptions& options, Team& team,
                                               const std::stop_token& stop);

/// Pairs of an unknown and a column of what a wall remembers of another that is near it.
[[nodiscard]] double near_memory_pairs(const Surface& surface, const BlockPattern& near);

/// What a compressed matrix will hold, from the skeletons of some clusters.
struct CompressedCount {
  double near_pairs = 0;   ///< of unknowns, whose row-vectors are kept
  double near_memory = 0;  ///< of unknowns and what walls remember of others, likewise
  double far_pairs = 0;    ///< of points, likewise, and of the second series of those whose walls remember
  double skeleton = 0;     ///< points of all skeletons
  double of_leaf = 0;      ///< of the skeleton of a leaf
  Index clusters = 0;      ///< leaves
};
[[nodiscard]] CompressedCount count_compressed(const Surface& surface, const SkeletonOptions& options);

}  // namespace conoid::acoustic_bem
