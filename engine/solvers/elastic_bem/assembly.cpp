// SPDX-License-Identifier: BSD-3-Clause
// Stage "ghmatecd": dynamic pairs.
#include "engine/solvers/elastic_bem/assembly.hpp"

#include <algorithm>

#include "engine/solvers/elastic_bem/column_sink.hpp"
#include "engine/solvers/elastic_bem/pair_phase.hpp"

namespace conoid::elastic_bem {

bool one_owner(const Surface& surface) {
  std::vector<int> nodes(surface.nodes.size(), 0), tractions(surface.traction_node.size(), 0);
  for (Index k = 0; k < surface.active; ++k) {
    const Element& e = surface.elements[static_cast<std::size_t>(k)];
    for (std::size_t a = 0; a < static_cast<std::size_t>(e.nodes); ++a) {
      ++nodes[static_cast<std::size_t>(e.node[a])];
      ++tractions[static_cast<std::size_t>(e.traction[a])];
    }
  }
  const auto once = [](int n) { return n == 1; };
  return std::all_of(nodes.begin(), nodes.end(), once) && std::all_of(tractions.begin(), tractions.end(), once);
}

template <class Real>
AssemblyWork assemble_pairs(Team& team, const Surface& surface, const FarRules<Real>& rules, const Accuracy& accuracy,
                            const Harmonic& harmonic, const RowPoints& rows, const Targets<Real>& targets,
                            std::stop_token stop) {
  ColumnSink<Real> sink(surface, targets, harmonic, static_cast<Index>(rows.points.size()), team.workers().size() > 1);
  const LaneMedium<Real> medium = lane_medium<Real>(harmonic);
  PairPhase<Real, ColumnSink<Real>> far("ghmatecd", surface, rules, medium, rows, surface.active, sink, stop);
  team.run(far, stop);
  const NearPairs pairs = near_pairs(surface, rules, rows, surface.active, CpuWorker(team.threads()));
  sink.shared = false;  // a row belongs to one worker
  NearPhase<Real, ColumnSink<Real>> near("near pairs", surface, rules, accuracy, medium, rows, pairs, sink, stop);
  team.run(near, stop);
  return {far.points(), near.points()};
}
template AssemblyWork assemble_pairs<double>(Team&, const Surface&, const FarRules<double>&, const Accuracy&,
                                             const Harmonic&, const RowPoints&, const Targets<double>&,
                                             std::stop_token);
template AssemblyWork assemble_pairs<float>(Team&, const Surface&, const FarRules<float>&, const Accuracy&,
                                            const Harmonic&, const RowPoints&, const Targets<float>&, std::stop_token);

}  // namespace conoid::elastic_bem
