// SPDX-License-Identifier: BSD-3-Clause
// Clusters without values.
#include "engine/solvers/elastic_bem/plan_compressed.hpp"

#include <algorithm>
#include <cmath>

#include "engine/linalg/cluster_tree.hpp"
#include "engine/solvers/elastic_bem/solving/compressed_equations.hpp"

namespace conoid::elastic_bem {

CompressedPlan plan_compression(const Surface& surface, double wave_number, const SolveOptions& options, bool single,
                                std::span<const Index> twice, double weight, double heaviest) {
  std::vector<double> reach;
  for (const auto& touches : surface.touches) {
    double most = 0;
    for (const Touch& t : touches) most = std::max(most, surface.elements[static_cast<std::size_t>(t.element)].size);
    reach.push_back(most);
  }
  std::vector<Vec3> at = surface.nodes;
  for (const Index k : twice) {
    at.push_back(surface.nodes[static_cast<std::size_t>(k)]);
    reach.push_back(reach[static_cast<std::size_t>(k)]);
  }
  const ClusterTree rows(surface.nodes, {}, compressed_leaf), columns(at, reach, compressed_leaf);
  const ClusterPairs pairs = cluster_pairs(rows, columns, compressed_separation);
  CompressedPlan out;
  for (const ClusterPairs::Pair& p : pairs.near)
    out.near += 9.0 * static_cast<double>(rows[p.row].size()) * static_cast<double>(columns[p.column].size());
  double around = 0;  // elements about a node
  for (const auto& touches : surface.touches)
    around += static_cast<double>(touches.size()) / static_cast<double>(surface.node_count());
  const double tolerance = options.compression / weight, digits = -std::log10(tolerance);
  for (const ClusterPairs::Pair& p : pairs.far) {
    const ClusterTree::Cluster &r = rows[p.row], &c = columns[p.column];
    const double sides = 3.0 * static_cast<double>(r.size() + c.size()),
                 shorter = 3.0 * static_cast<double>(std::min(r.size(), c.size())),
                 rank = std::clamp(6.4 * digits - 8 + 2.4 * wave_number * std::min(r.radius, c.radius), 3.0, shorter);
    out.far += rank * sides;
    out.evaluations += rank * sides * (1 + 3 * around) / 18;
    out.operations += 48 * rank * rank * sides;
  }
  const Bytes value =
      kept_in_double(tolerance, compressed_residual(options, std::max(weight, heaviest))) && !single ? 16 : 8;
  out.bytes = static_cast<Bytes>((out.near + out.far) * static_cast<double>(value));
  return out;
}

CompressedPlan plan_compression(const BoundarySystem& system, double wave_number, const SolveOptions& options,
                                bool single) {
  CompressedPlan out;
  const double heaviest = system.heaviest();
  for (const RegionRows& r : system.regions()) {
    std::vector<Index> twice;
    for (Index k = 0; k < r.surface->node_count(); ++k)
      if (system.partner(r.first_node + k) >= 0) twice.push_back(k);
    const CompressedPlan one = plan_compression(*r.surface, wave_number, options, single, twice, r.weight, heaviest);
    out.near += one.near;
    out.far += one.far;
    out.evaluations += one.evaluations;
    out.operations += one.operations;
    out.bytes += one.bytes;
  }
  return out;
}

Bytes compressed_solution_bytes(const Surface& surface, Index cases, int sharing) {
  const double n = 3.0 * static_cast<double>(surface.node_count());
  // Factors of clusters of 80 to 160 nodes, the image of the coarse motions, some fifteen steps of all cases, vectors on the way.
  // Of ranks the leading one has the steps.
  return static_cast<Bytes>(n * ((8 * 360 + 16 * 300) / static_cast<double>(sharing) +
                                 (15 * 32 + 100) * static_cast<double>(std::max<Index>(1, cases))));
}

}  // namespace conoid::elastic_bem
