// SPDX-License-Identifier: BSD-3-Clause
// Clusters of unknowns and their skeletons: what far clusters send to one another, by a few unknowns of each.
//
// Signals are limited in band: beyond `highest` the pulses have nothing left. What the unknowns j of a cluster send to any place far
// from it is then, at all these frequencies alike, a combination of what a few of them send, its skeleton s, with real weights that
// do not depend on time: u_j ≈ Σ_s T(j, s) u_s (an interpolative decomposition: H. Cheng, Z. Gimbutas, P. G. Martinsson, V. Rokhlin,
// SIAM J. Sci. Comput. 26 (2005) 1389; skeletons of boundary elements: P. G. Martinsson, V. Rokhlin, J. Comput. Phys. 205 (2005) 1).
// The same holds for what tests of a cluster feel of far sources. So M_k(A, B) ≈ T_A M_k(skeleton of A, skeleton of B) T_Bᵀ for
// clusters that lie apart, with values M_k of the usual assembly.
//
// The fields of a cluster are sampled on a sphere around it that lies before all far clusters, at frequencies from none to the
// highest: as what simple and double layers with the unknown's functions send there, which are what all forms send and, by
// reciprocity, feel. On the sphere a field decides the field beyond it, so places further away need no samples.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
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
/// The first of each cluster of `count` points so ordered, and the end; clusters of `most` at most.
[[nodiscard]] std::vector<Index> cluster_begins(Index count, Index most);

struct SkeletonOptions {
  double error = 1e-3;      ///< root mean square of what unknowns send to far clusters, relative, at each frequency
  double highest = 0;       ///< wave number of the band's end, 1/m
  double separation = 0.5;  ///< far clusters: the gap between their spheres is wider than so many radii of the larger …
  double least_gap = 0;     ///< … and than so much, m: what steps of a group send each other stays near
  Index cluster = 256;      ///< unknowns of a cluster at most; panel_rows at most
};

/// Clusters, who is far from whom, and skeletons, whose unknowns are numbered cluster by cluster.
struct Skeletons {
  SkeletonOptions options;
  BlockPattern near;  ///< clusters of unknowns; wanted: those that are near
  std::vector<Vec3> centre;
  std::vector<double> radius;                ///< of a cluster with all triangles of its unknowns
  BlockPattern far;                          ///< clusters of skeleton unknowns; wanted: those that are far
  std::vector<std::int32_t> unknown;         ///< of each skeleton unknown
  std::vector<std::vector<double>> weights;  ///< T of each cluster, [unknown of it][its skeleton]

  [[nodiscard]] Index clusters() const { return near.clusters(); }
  [[nodiscard]] Index unknowns() const { return near.begin.back(); }
  [[nodiscard]] Index size() const { return static_cast<Index>(unknown.size()); }
  [[nodiscard]] bool any_far() const;
};

/// Clusters and who is far from whom, without skeletons. The surface is ordered by clusters. O(clusters²).
[[nodiscard]] Skeletons clusters_of(const Surface& surface, const SkeletonOptions& options);
/// The skeleton of one cluster: its unknowns, and their weights in the order of the cluster's unknowns. From any thread.
void find_skeleton(const Surface& surface, const Skeletons& clusters, Index cluster, std::vector<std::int32_t>& unknown,
                   std::vector<double>& weights);
/// All of them, by the team. Error: stopped.
[[nodiscard]] Result<Skeletons> find_skeletons(const Surface& surface, const SkeletonOptions& options, Team& team,
                                               const std::stop_token& stop);

/// What a compressed matrix will hold, from the skeletons of some clusters.
struct CompressedCount {
  double near_pairs = 0;  ///< of unknowns, whose row-vectors are kept
  double far_pairs = 0;   ///< of skeleton unknowns, likewise
  double skeleton = 0;    ///< unknowns of all skeletons
  Index clusters = 0;
};
[[nodiscard]] CompressedCount count_compressed(const Surface& surface, const SkeletonOptions& options);

}  // namespace conoid::acoustic_bem
