// SPDX-License-Identifier: BSD-3-Clause
// Rows "device, …" of `conoid verify acoustic-fd`: panels of this machine's NVIDIA devices give the bits of their single steps, fields and traces.
#include "engine/solvers/acoustic_fd/verify/device_table.hpp"

#include "engine/solvers/acoustic_fd/discretization/layers.hpp"
#include "engine/solvers/acoustic_fd/stepping/march.hpp"
#include "engine/solvers/row_team.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

constexpr Index device_steps = 40;  ///< whole bands of panels, and what they leave

struct Turn {
  int order;
  bool matched, unequal, density;
};

Problem box(const Turn& turn) {
  Problem p;
  p.grid.points = {151, 203, 309};  // ends within a tile, and within a four
  if (turn.unequal) p.grid.spacing = {1, 1.2, 0.85};
  p.order = turn.order;
  p.velocity = layered_velocity(0, 1, 0, {{0, 1400, 0.5}, {90, 1900, 0}, {170, 2200, -0.3}});
  p.speed = p.velocity->range(p.grid.origin, {p.grid.upper(0), p.grid.upper(1), p.grid.upper(2)});
  if (turn.density) p.density = layered_velocity(0, 1, 0, {{0, 1000, 0.4}, {110, 2300, -0.5}});
  for (Face& face : p.faces) {
    face.kind = turn.matched ? FaceKind::matched : FaceKind::sponge;
    face.width = turn.matched ? safe_matched_width(turn.order) : 12;
  }
  p.faces[0].kind = FaceKind::rigid;
  p.faces[5].kind = FaceKind::free_surface;
  p.dt = safe_step * largest_time_step(stencil_of_order(turn.order), p.grid.spacing, p.speed.highest);
  p.steps = device_steps;
  const auto at = [&](double x, double y, double z) -> Vec3 {
    return {x * p.grid.upper(0), y * p.grid.upper(1), z * p.grid.upper(2)};
  };
  for (const double y : {0.1, 0.5, 0.9})  // 0.5: at the border of two devices
    p.sources.push_back({at(0.3 * y + 0.3, y, 0.4), std::make_shared<Ricker>(0.04 / p.dt, 8 * p.dt, 100)});
  for (int i = 0; i <= 100; ++i) p.receivers.push_back({"R", at(0.45, 0.01 * i, 0.4 + 0.001 * i)});
  return p;
}

struct Ended {
  std::vector<double> values;  ///< field, then traces
  std::string how;
};
Ended end_of(Problem p, RowWorkers row, const std::vector<WorkerSpec>& workers, const char* tiling) {
  p.tiling = tiling;
  const auto cluster = single_rank();
  row.workers = workers;
  RowTeam team(row);
  const auto march = make_march(p, this_machine(), *cluster);
  march->start(team, *cluster);
  March::Recorder recorder;
  march->advance(team, *cluster, device_steps, &recorder);
  Ended out;
  out.how = march->tiling();
  March::Cut all;
  all.count = p.grid.points;
  std::vector<float> field;
  march->read(all, field);
  out.values.assign(field.begin(), field.end());
  for (const auto& parts : recorder.samples) out.values.insert(out.values.end(), parts.begin(), parts.end());
  return out;
}

/// The largest difference; not a number where there is nothing to compare.
double difference(const Ended& a, const Ended& b) {
  double worst = 0, most = 0;
  if (a.values.size() != b.values.size()) return std::nan("");
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    if (!std::isfinite(a.values[i])) return std::nan("");
    worst = std::max(worst, std::abs(a.values[i] - b.values[i]));
    most = std::max(most, std::abs(b.values[i]));
  }
  return most > 0 ? worst : std::nan("");
}

}  // namespace

void device_table(const TestRun& run, const VerifySink& sink, const std::string& backend) {
  if (!run.may_want("device, ")) return;
  std::vector<WorkerSpec> workers;
  const auto found = devices_of(run);
  for (const auto& [name, info] : found)
    if (name.starts_with(backend + ":"))
      workers.push_back({name, std::max(1, run.threads / static_cast<int>(found.size())), 1, name, 0});
  if (workers.empty()) return;  // no device, no rows
  for (const int order : {2, 4, 6, 8})
    for (const bool matched : {false, true})
      for (const auto& [unequal, density] : {std::pair{false, false}, {true, false}, {false, true}, {true, true}}) {
        const std::string row = fmt::format("device, order {}, {}{}{}", order, matched ? "matched layers" : "sponges",
                                            unequal ? ", unequal spacings" : "", density ? ", density" : "");
        if (!run.may_want(row)) continue;
        run.doing(row);
        const Problem p = box({order, matched, unequal, density});
        const Ended single = end_of(p, run.workers(), {workers.front()}, "stepwise 8"),
                    one = end_of(p, run.workers(), {workers.front()}, "auto");
        sink({fmt::format("{}: {} against single steps, largest difference", row, one.how), difference(one, single),
              "Pa", 0, false, "bitwise rule"});
        if (workers.size() < 2 || matched) continue;
        const Ended two = end_of(p, run.workers(), {workers[0], workers[1]}, "auto");
        sink({fmt::format("{}: {} against single steps of one, largest difference", row, two.how),
              difference(two, single), "Pa", 0, false, "bitwise rule"});
      }
}

}  // namespace conoid::acoustic_fd
