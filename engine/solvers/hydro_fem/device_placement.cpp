// SPDX-License-Identifier: BSD-3-Clause
// Whether a march goes to a device, and to which.
#include "engine/cluster/communicator.hpp"
#include "engine/core/units.hpp"
#include "engine/solvers/hydro_fem/device_backend.hpp"
#include "engine/solvers/hydro_fem/device_part.hpp"
#include "engine/team/team.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/core.h>

namespace conoid::hydro_fem {

std::string device_objection(const Setup& setup) {
  if (setup.corner_matrices) return device_refuses_matrices;
  if (setup.energy_source) return device_refuses_power;
  for (const auto& material : setup.materials)
    if (!material->flat()) return "a material's equation of state has no form for devices";
  return {};
}

Placed place_march(const Setup& setup, Operator& op, bool rk4) {
  Placed out;
  const auto& workers = op.team().workers();
  const auto first =
      std::find_if(workers.begin(), workers.end(), [](const WorkerSpec& w) { return !w.device.empty(); });
  const auto on_processors = [&](std::string why, bool warning) {
    out.backend = host_backend(op);
    out.told = std::move(why);
    out.warning = warning;
    return std::move(out);
  };
  // Ranks compute in one way: what speaks against the device of one speaks against all.
  const auto share = op.share();
  const auto all = [&](bool here) { return share ? share->cluster->minimum(here ? 1.0 : 0.0) > 0 : here; };
  constexpr const char* another =
      "hydro-fem leaves the devices alone, the processors compute instead: another rank has none that "
      "can compute its part";
  if (!all(first != workers.end())) return on_processors(first == workers.end() ? "" : another, first != workers.end());
  if (const std::string why = device_objection(setup); !why.empty())
    return on_processors(fmt::format("hydro-fem leaves {} alone, the processors compute instead: {}", first->name, why),
                         true);
  const DevicePart part(op);
  const auto zones = static_cast<Index>(part.zones.size());
  auto device = Device::open(first->device);
  if (!all(device.ok())) {
    if (!device) throw Failure(device.error());
    return on_processors(another, true);
  }
  Bytes budget = std::min(device->free_memory() / 10 * 9, device->info().memory / 10 * 9);
  if (first->device_memory > 0) budget = std::min(budget, first->device_memory);
  DeviceNeeds needs;
  needs.zones = static_cast<double>(zones);
  needs.nodes = static_cast<double>(part.nodes.size());
  needs.shared = share.has_value();
  needs.dim = op.space().dim;
  needs.k = op.tables().k;
  needs.turns = setup.turns;
  needs.viscosity = setup.viscosity;
  needs.rk4 = rk4;
  needs.cubes = op.data().widths == nullptr;
  needs.burns = op.data().burn != nullptr;
  needs.driven_walls = static_cast<int>(op.driven_walls().size());
  const Bytes needed = device_bytes(needs);
  if (!all(needed <= budget))
    return on_processors(
        needed <= budget ? another
                         : fmt::format("order {} on {} zones needs {} of {}'s memory, {} are to be had; the processors "
                                       "compute instead",
                                       needs.k, zones, format_bytes(needed), first->name, format_bytes(budget)),
        true);
  const std::string what = device->info().name;
  std::string refused;
  try {
    out.backend = device_backend(op, std::move(*device), {.worker = static_cast<int>(first - workers.begin())});
  } catch (const Failure& failure) {
    if (failure.error().code != ErrorCode::resources) throw;
    refused =
        fmt::format("hydro-fem leaves {} alone, the processors compute instead: {}", first->name, failure.error().text);
  }
  if (!all(out.backend != nullptr)) return on_processors(refused.empty() ? another : refused, true);
  out.told = fmt::format("steps are computed on {} ({}), with {} of its memory{}", first->name, what,
                         format_bytes(needed), share ? ", each rank's on its own" : "");
  const auto devices =
      std::count_if(workers.begin(), workers.end(), [](const WorkerSpec& w) { return !w.device.empty(); });
  if (devices > 1) out.told += fmt::format("; hydro-fem uses one device, the other {} stay idle", devices - 1);
  return out;
}

}  // namespace conoid::hydro_fem
