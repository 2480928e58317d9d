// SPDX-License-Identifier: BSD-3-Clause
// Clusters of nodes of all regions.
#include "engine/solvers/elastic_bem/solving/joined_preconditioner.hpp"

#include <cmath>

#include "engine/core/vec3.hpp"

namespace conoid::elastic_bem {

namespace {

/// Nodes for the tree: those of the two sides of an interface, which share unknowns, at one place, which is that of no others along any axis:
/// halving by medians then parts no more than one of these pairs.
std::vector<Vec3> places_of(const Surface& surface, std::span<const JoinedPreconditioner::Rows> rows) {
  std::vector<Index> leader(surface.nodes.size());
  for (std::size_t k = 0; k < leader.size(); ++k) leader[k] = static_cast<Index>(k);
  const Index m = surface.node_count();
  for (const auto& r : rows)
    for (std::size_t c = 0; c < r.columns.size(); ++c)
      if (const EquationColumn& column = r.columns[c]; !column.traction) {
        const auto own = static_cast<std::size_t>(r.first_node + column.node);
        leader[own] = std::min(leader[own], r.place[c] % m);
      }
  std::vector<Vec3> out;
  for (const Index k : leader) {
    Vec3 x = surface.nodes[static_cast<std::size_t>(k)];
    for (std::size_t d = 0; d < 3; ++d) {
      const double spread =
          std::fmod(0.6180339887498949 * static_cast<double>(k + 1) * static_cast<double>(d + 1), 1.0);
      x[d] += 1e-6 * surface.element_size * spread;
    }
    out.push_back(x);
  }
  return out;
}

}  // namespace

JoinedPreconditioner::JoinedPreconditioner(const Surface& surface, std::vector<Rows> rows)
    : surface_(surface), rows_(std::move(rows)), columns_(3 * surface.nodes.size()), moves_(columns_.size(), 0),
      region_(surface.nodes.size()), tree_(places_of(surface, rows_), {}, compressed_leaf) {
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const Rows& own = rows_[r];
    for (Index k = 0; k < own.nodes; ++k) region_[static_cast<std::size_t>(own.first_node + k)] = static_cast<Index>(r);
    for (std::size_t c = 0; c < own.columns.size(); ++c) {
      const auto unknown = static_cast<std::size_t>(own.place[c]);
      columns_[unknown].insert(columns_[unknown].end(), {static_cast<Index>(r), static_cast<Index>(c)});
      if (!own.columns[c].traction) moves_[unknown] = 1;
    }
  }
}

void JoinedPreconditioner::block(const ClusterTree::Cluster& cluster, std::complex<float>* out) const {
  const auto nodes = tree_.points(cluster);
  const Index n = 3 * cluster.size(), m = surface_.node_count();
  std::fill(out, out + n * n, std::complex<float>(0));
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::vector<Index> own, at;  // nodes of the region, their places in the cluster
    for (std::size_t k = 0; k < nodes.size(); ++k)
      if (region_[static_cast<std::size_t>(nodes[k])] == static_cast<Index>(r)) {
        own.push_back(nodes[k] - rows_[r].first_node);
        at.push_back(static_cast<Index>(k));
      }
    std::vector<Index> columns, to;  // of the region, of the block
    for (std::size_t k = 0; k < nodes.size() && !own.empty(); ++k)
      for (Index d = 0; d < 3; ++d) {
        const auto& list = columns_[static_cast<std::size_t>(d * m + nodes[k])];
        for (std::size_t q = 0; q < list.size(); q += 2)
          if (list[q] == static_cast<Index>(r)) {
            columns.push_back(list[q + 1]);
            to.push_back(3 * static_cast<Index>(k) + d);
          }
      }
    std::vector<Complex> values(3 * own.size() * columns.size());
    if (!values.empty()) rows_[r].matrix->values(own, columns, values.data());
    for (std::size_t c = 0; c < columns.size(); ++c)
      for (std::size_t k = 0; k < own.size(); ++k)
        for (std::size_t d = 0; d < 3; ++d)
          out[to[c] * n + 3 * at[k] + static_cast<Index>(d)] += std::complex<float>(
              rows_[r].factor[static_cast<std::size_t>(columns[c])] * values[3 * (c * own.size() + k) + d]);
  }
}

Result<std::unique_ptr<JoinedPreconditioner>> JoinedPreconditioner::make(
    const Surface& surface, std::vector<Rows> rows, const ClusterPreconditioner<std::complex<float>>::Operator& whole,
    int threads, int library_threads, Communicator* ranks) {
  using Clusters = ClusterPreconditioner<std::complex<float>>;
  std::unique_ptr<JoinedPreconditioner> out(new JoinedPreconditioner(surface, std::move(rows)));
  auto made = Clusters::make(
      out->tree_, 3,
      [&](const ClusterTree::Cluster& cluster, std::complex<float>* block) { out->block(cluster, block); },
      cluster_options<std::complex<float>>(surface.node_count(), threads, library_threads, ranks), 6,
      rigid_motions(surface, out->moves_), whole);
  if (!made) return made.error();
  out->inverse_ = std::move(*made);
  return out;
}

}  // namespace conoid::elastic_bem
