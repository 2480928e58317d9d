// SPDX-License-Identifier: BSD-3-Clause
// Marches for the table of exact numbers.
#include "engine/solvers/acoustic_fd/verify/recording.hpp"

#include "engine/solvers/acoustic_fd/discretization/cell_means.hpp"
#include "engine/solvers/acoustic_fd/discretization/points.hpp"
#include "engine/solvers/acoustic_fd/discretization/trace_filter.hpp"
#include "engine/solvers/acoustic_fd/stepping/march.hpp"
#include "engine/solvers/row_team.hpp"

#include <cmath>
#include <functional>

namespace conoid::acoustic_fd {
namespace {

/// Gives every level from `first`, 0 or 1, on.
void levels_of(const Problem& p, Index steps, const RowWorkers& workers, Index first,
               const std::function<void(std::span<const double>)>& to) {
  const auto cluster = single_rank();
  RowTeam team(workers);
  const auto march = make_march(p, this_machine(), *cluster);
  march->start(team, *cluster);
  March::Recorder recorder;
  if (first == 0) {
    recorder.samples.emplace_back(march->parts());
    march->sample(recorder.samples.back());
  }
  march->advance(team, *cluster, steps, &recorder);
  std::vector<double> values(p.receivers.size());
  for (const auto& parts : recorder.samples) {
    march->join_traces(parts, values);
    to(values);
  }
}

}  // namespace

Problem open_space(const std::array<Index, 3>& points) {
  Problem p;
  p.grid.points = points;
  p.order = 8;
  p.velocity = constant_velocity(1);
  p.speed = {1, 1};
  for (Face& face : p.faces) {
    face.kind = FaceKind::matched;
    face.width = 12;
  }
  return p;
}

Traces recorded_levels(const Problem& p, Index steps, const RowWorkers& workers) {
  Traces out(p.receivers.size());
  levels_of(p, steps, workers, 1, [&](std::span<const double> values) {
    for (std::size_t r = 0; r < values.size(); ++r) out[r].push_back(values[r]);
  });
  return out;
}

Traces traces_of_run(Problem p, Index steps, double highest, const RowWorkers& workers) {
  if (p.density) tell_density(*p.density, p);
  average_medium(p);
  const TimeScheme scheme{p.dt, true, highest};
  for (Source& source : p.sources) source.signal = stepped_signal(*source.signal, scheme, steps);
  const std::size_t receivers = p.receivers.size();
  TraceFilter filter(scheme, receivers, {p.dt}, steps);
  levels_of(p, steps, workers, 0, [&](std::span<const double> values) { filter.take(values); });
  const std::vector<double> rows = filter.rows(0, true);
  Traces out(receivers);
  for (std::size_t n = 0; n < rows.size(); ++n) out[n % receivers].push_back(rows[n]);
  return out;
}

double relative_error(const std::vector<double>& got, const std::vector<double>& exact) {
  double error = 0, size = 0;
  for (std::size_t k = 0; k < got.size(); ++k) {
    error += (got[k] - exact[k]) * (got[k] - exact[k]);
    size += exact[k] * exact[k];
  }
  return std::sqrt(error / size);
}

}  // namespace conoid::acoustic_fd
