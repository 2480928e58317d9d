// SPDX-License-Identifier: BSD-3-Clause
// Plans of what is launched over a part's zones: zones a block, its memory, the kernels of an order.
#include "engine/solvers/hydro_fem/cuda/device_zones.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "engine/solvers/hydro_fem/discretization/index.hpp"

namespace conoid::hydro_fem {
namespace {

constexpr unsigned most_update_blocks = 8192;
constexpr Bytes static_shared = 1024;  // what kernels take beside their zones
constexpr Index passes_at_once = 4;    // groups of zones a block, up to which a solve is one kernel

}  // namespace

DeviceZones::BlockPlan DeviceZones::plan(Index zones, int zone_doubles, int work, unsigned most,
                                         const DeviceOptions& options) const {
  BlockPlan out;
  const Bytes tables = static_cast<Bytes>(table_layout(k_).end) * sizeof(double);
  const Bytes zone = static_cast<Bytes>(zone_doubles) * sizeof(double);
  const Bytes room = device_.info().shared_per_block - static_shared - tables;
  // Enough zones that every thread has a line or a point; fewer where several blocks would not fit beside each other.
  out.zones = std::clamp(static_cast<int>(device_zone_threads) / work, 1, most_zones_a_block);
  while (out.zones > 1 && static_cast<Bytes>(out.zones) * zone > room / 4) --out.zones;
  const Index groups = (zones + out.zones - 1) / out.zones;
  out.blocks = static_cast<unsigned>(std::clamp<Index>(groups, 1, most));
  out.shared = tables;
  if (options.memory_of_blocks && zone <= room) {
    out.shared += static_cast<Bytes>(out.zones) * zone;
    return out;
  }
  out.zones = 1;
  out.blocks = static_cast<unsigned>(std::clamp<Index>(
      zones, 1, std::min<Index>(most, std::max<Index>(1, static_cast<Index>(device_scratch / zone)))));
  out.scratch_block = zone_doubles;
  out.scratch = device_.allocate<double>(u(out.scratch_block) * out.blocks, "scratch of zones");
  return out;
}

/// Passes over nodes have a thread a component.
void DeviceZones::plan_nodes() {
  begin_solve_ = device_.kernel<NodeArguments>(fmt::format("hydro-fem/begin<{}>", dim_));
  advance_ = device_.kernel<NodeArguments>(fmt::format("hydro-fem/advance<{}>", dim_));
  turn_ = device_.kernel<NodeArguments>(fmt::format("hydro-fem/turn<{}>", dim_));
  node_blocks_ = device_blocks(nodes_ * dim_, device_node_threads);
  if (!part_.shared)
    node_blocks_ = in_one_wave(advance_, over_nodes());
  else if (part_.sides.empty())
    node_blocks_ = in_one_wave(solve_shared_, over_nodes());
  else
    node_blocks_ = in_one_wave(solve_peers_, over_nodes());
}

std::string DeviceZones::kernel_name(const char* pass, const char* kind) const {
  return fmt::format("hydro-fem/{}<{},{}{}>", pass, dim_, own_ ? k_ : 0, kind);
}

void DeviceZones::plan_kernels(const DeviceOptions& options) {
  const ZoneData& z = op_.data();
  update_ = device_.kernel<ZoneArguments>(kernel_name("update"));
  energy_ = device_.kernel<ZoneArguments>(kernel_name("energy"));
  const int work = options.stress_zones > 0 ? std::max(1, static_cast<int>(device_zone_threads) / options.stress_zones)
                                            : z.zone_points;
  update_plan_ = plan(zones_, update_layout(dim_, k_).zone, work, most_update_blocks, options);
  energy_plan_ = plan(zones_, energy_layout(dim_, k_).zone, z.zone_points, most_update_blocks, options);
  update_partial_ = device_.allocate<double>(update_plan_.blocks, "steps of blocks");
  plan_mass(options);
  plan_whole_solves(options);
  plan_nodes();
  zone_partial_ = room(std::max<Index>(zone_partials_, at_once_plan_.blocks), "sums over zones");
  inverse_partial_ = room(inverse_partials_, "sums over inverses");
  press_ = device_.kernel<PressureArguments>("hydro-fem/press");
  load_ = device_.kernel<PressureArguments>(part_.shared ? "hydro-fem/load-terms" : "hydro-fem/load");
  add_ = device_.kernel<SumArguments>("hydro-fem/add");
  dot_ = device_.kernel<DotArguments>("hydro-fem/dot");
  total_ = device_.kernel<TotalArguments>("hydro-fem/total");
}

/// Uniform zones and others have kernels of their own; of each those at the border of a rank's part come first, where a zone fits into
/// shared memory.
void DeviceZones::plan_mass(const DeviceOptions& options) {
  const ZoneData& z = op_.data();
  std::vector<char> border(u(zones_), 1);
  const Bytes largest = static_cast<Bytes>(mass_layout(dim_, k_, false).zone + table_layout(k_).end) * sizeof(double);
  if (part_.shared && part_.sides.empty() && largest + static_shared <= device_.info().shared_per_block) {
    std::fill(border.begin(), border.end(), char{0});
    for (const int place : part_.sent) border[u(place / z.zone_nodes)] = 1;
  }
  std::array<std::vector<int>, 4> lists;  // of a kind, at the border; inside; of the other kind
  for (const int kind : {0, 1})
    for (const int zone : lists_[u(kind)]) lists[u(2 * kind + (border[u(zone)] != 0 ? 0 : 1))].push_back(zone);
  plan_inverses(border, options);
  const auto used = std::count_if(lists.begin(), lists.end(), [](const auto& list) { return !list.empty(); });
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const int kind = static_cast<int>(i) / 2;
    if (lists[i].empty()) continue;
    MassPart part;
    part.border = i % 2 == 0;
    part.zones = static_cast<int>(lists[i].size());
    if (used > 1) part.list = integers(lists[i], "zones of a mass");
    part.kernel = device_.kernel<MassArguments>(kernel_name("mass", kind == 0 ? ",uniform" : ",any"));
    const int lines = dim_ * (kind == 0 ? z.zone_nodes / (k_ + 1) : z.zone_points / 2);
    part.plan =
        plan(part.zones, mass_layout(dim_, k_, kind == 0).zone, std::max(1, lines), most_device_blocks, options);
    part.plan.blocks = in_one_wave(part.kernel, shape(part.plan));
    zone_partials_ += static_cast<int>(part.plan.blocks);
    mass_.push_back(std::move(part));
    lists_kind_ = kind;
  }
  lists_ = {};
}

/// The preconditioner: of zones at the border, and of the others.
void DeviceZones::plan_inverses(const std::vector<char>& border, const DeviceOptions& options) {
  const bool both = std::find(border.begin(), border.end(), char{0}) != border.end();
  for (const bool at_border : {true, false}) {
    std::vector<int> list;
    for (std::size_t zone = 0; zone < border.size(); ++zone)
      if ((border[zone] != 0) == at_border) list.push_back(static_cast<int>(zone));
    if (list.empty()) continue;
    MassPart part;
    part.border = at_border;
    part.zones = static_cast<int>(list.size());
    if (both) part.list = integers(list, "zones of inverses");
    part.kernel = device_.kernel<MassArguments>(kernel_name("inverse"));
    part.plan = plan(part.zones, mass_layout(dim_, k_, true).zone, std::max(1, dim_ * op_.data().zone_nodes / (k_ + 1)),
                     most_device_blocks, options);
    part.plan.blocks = in_one_wave(part.kernel, shape(part.plan));
    inverse_partials_ += static_cast<int>(part.plan.blocks);
    inverse_.push_back(std::move(part));
  }
}

/// One kernel a solve where its blocks are all there at once and each has little to do in a pass.
void DeviceZones::plan_whole_solves(const DeviceOptions& options) {
  at_once_plan_.blocks = 0;
  if (options.solves == DeviceOptions::Solves::launches || mass_.size() != 1 || part_.shared) return;
  const bool uniform = lists_kind_ == 0;
  at_once_ = device_.kernel<SolveArguments>(kernel_name("at-once", uniform ? ",uniform" : ",any"));
  const BlockPlan& pass = mass_.front().plan;
  if (!pass.scratch.empty()) return;
  BlockPlan plan;
  plan.zones = pass.zones;
  plan.shared = pass.shared;
  const Index groups = (mass_.front().zones + plan.zones - 1) / plan.zones;
  const Index wanted = std::max(groups, (nodes_ + device_zone_threads - 1) / device_zone_threads);
  LaunchShape shape = DeviceZones::shape(plan);
  shape.cooperative = true;
  const Index there = device_.blocks_in_one_wave(at_once_, shape);
  const bool emulated = device_.info().backend != "cuda";
  const Index most = emulated ? std::min<Index>(64, std::max<Index>(1, there)) : there;
  if (most < 1) return;
  if (options.solves == DeviceOptions::Solves::fastest && groups > passes_at_once * most) return;
  plan.blocks = static_cast<unsigned>(std::min(wanted, most));
  at_once_plan_ = std::move(plan);
}

}  // namespace conoid::hydro_fem
