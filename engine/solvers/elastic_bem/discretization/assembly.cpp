// SPDX-License-Identifier: BSD-3-Clause
// Stage "far pairs": dynamic pairs.
#include "engine/solvers/elastic_bem/discretization/assembly.hpp"

#include <algorithm>

#include "engine/core/log.hpp"
#include "engine/solvers/elastic_bem/cuda/device_pairs.hpp"
#include "engine/solvers/elastic_bem/discretization/column_sink.hpp"
#include "engine/solvers/elastic_bem/discretization/pair_phase.hpp"
#include "engine/team/team.hpp"

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

namespace {

/// Far pairs by processors and devices.
template <class Real>
class FarPairs final : public PairPhase<Real, ColumnSink<Real>> {
 public:
  using Base = PairPhase<Real, ColumnSink<Real>>;
  FarPairs(const Surface& surface, const FarRules<Real>& rules, const LaneMedium<Real>& medium, const RowPoints& rows,
           ColumnSink<Real>& sink, std::stop_token stop, PanelStore& panels, const char* stage)
      : Base(stage, surface, rules, medium, rows, surface.active, sink, std::move(stop)), panels_(panels) {}
  [[nodiscard]] bool runs_on_devices() const override {
    return static_cast<Index>(this->rows_.points.size()) >= least_device_rows;
  }
  void run_on_device(DeviceWorker& worker, Interval items) override {
    const PairWork<Real> work{this->surface_, this->rules_, this->medium_, this->rows_, this->sink_};
    const DevicePairFacts facts = device_pairs<Real>(
        worker.device(), [&] { return worker.memory_beside(panels_.held(worker.index())); }, panels_.of(worker.index()),
        worker.host(), work, items, this->stop_);
    if (facts.fits) {
      this->add_points(facts.points);
      worker.add_copying(std::max(0.0, facts.seconds - facts.kernel_seconds));
      return;
    }
    if (panels_.first_warning(worker.index())) log::warning("{}", too_small(worker, facts));
    CpuWorker host = worker.host();
    this->run(host, items);
  }

 private:
  PanelStore& panels_;
};

}  // namespace

template <class Real>
AssemblyWork assemble_pairs(Team& team, const Surface& surface, const FarRules<Real>& rules, const Accuracy& accuracy,
                            const Harmonic& harmonic, const RowPoints& rows, const Targets<Real>& targets,
                            std::stop_token stop, PanelStore* panels, const PairStages& stages) {
  ColumnSink<Real> sink(surface, targets, harmonic, static_cast<Index>(rows.points.size()), team.workers().size() > 1);
  const LaneMedium<Real> medium = lane_medium<Real>(harmonic);
  PanelStore own_panels;
  FarPairs<Real> far(surface, rules, medium, rows, sink, stop, panels != nullptr ? *panels : own_panels, stages.far);
  team.run(far, stop);
  const NearPairs pairs = near_pairs(surface, rules, rows, surface.active, CpuWorker(team.threads()));
  sink.shared = false;  // a row belongs to one worker
  NearPhase<Real, ColumnSink<Real>> near(stages.near, surface, rules, accuracy, medium, rows, pairs, sink, stop);
  team.run(near, stop);
  return {far.points(), near.points()};
}
template AssemblyWork assemble_pairs<double>(Team&, const Surface&, const FarRules<double>&, const Accuracy&,
                                             const Harmonic&, const RowPoints&, const Targets<double>&, std::stop_token,
                                             PanelStore*, const PairStages&);
template AssemblyWork assemble_pairs<float>(Team&, const Surface&, const FarRules<float>&, const Accuracy&,
                                            const Harmonic&, const RowPoints&, const Targets<float>&, std::stop_token,
                                            PanelStore*, const PairStages&);

}  // namespace conoid::elastic_bem
