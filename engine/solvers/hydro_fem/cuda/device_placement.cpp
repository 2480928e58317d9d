// SPDX-License-Identifier: BSD-3-Clause
// Whether a march goes to a device, and to which.
#include "engine/cluster/communicator.hpp"
#include "engine/core/units.hpp"
#include "engine/solvers/hydro_fem/cuda/device_backend.hpp"
#include "engine/solvers/hydro_fem/cuda/device_part.hpp"
#include "engine/solvers/hydro_fem/discretization/index.hpp"
#include "engine/team/team.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <fmt/core.h>

namespace conoid::hydro_fem {

int devices_that_pay(double points, int most) {
  const auto micros = [points](int devices) {
    const double computed = 20e-6 * points / devices + (devices > 1 ? 70.0 * devices : 10.0);
    const double ordered = devices > 1 ? 2.5 * devices * (5 + 2.0 * (devices - 1)) : 0;
    return std::max(computed, ordered);
  };
  int count = 1;
  while (count < most && micros(count + 1) < 0.9 * micros(count)) ++count;
  return count;
}

double seconds_on_devices(double points, int dim, double steps, int devices, int multiprocessors) {
  constexpr double start = 0.7, further_start = 0.4, point = 1.35e-9 * 132;
  const double launches = dim == 3 ? 1.1e-3 : 0.6e-3, share = devices > 1 ? 0.85 * devices : 1;
  return start + further_start * (devices - 1) +
         steps * (launches + point * points / std::max(1, multiprocessors) / share);
}

std::string device_objection(const Setup& setup) {
  if (setup.corner_matrices) return device_refuses_matrices;
  if (setup.energy_source) return device_refuses_power;
  for (const auto& material : setup.materials)
    if (!material->flat()) return "a material's equation of state has no form for devices";
  return {};
}

int regions_burning_on(const Setup& setup) {
  return static_cast<int>(std::count_if(setup.afterburn.begin(), setup.afterburn.end(),
                                        [](const Afterburn& region) { return region.energy > 0; }));
}

namespace {

/// Names of devices of one kind begin alike.
std::string kind_of(const WorkerSpec& worker) {
  return worker.device.substr(0, worker.device.find(':'));
}

/// The workers that can be of use: devices of the first one's kind, one of them on each of several ranks.
std::vector<int> devices_of(const Team& team, const Operator& op) {
  const auto& workers = team.workers();
  std::vector<int> out;
  const int most = op.share() ? 1 : static_cast<int>(std::min<Index>(most_devices, op.space().zones));
  for (std::size_t i = 0; i < workers.size() && static_cast<int>(out.size()) < most; ++i)
    if (!workers[i].device.empty() && (out.empty() || kind_of(workers[i]) == kind_of(workers[u(out.front())])))
      out.push_back(static_cast<int>(i));
  return out;
}

DeviceNeeds needs_of(const Setup& setup, const Operator& op, const DevicePart& part, bool rk4) {
  DeviceNeeds needs;
  needs.zones = static_cast<double>(part.zones.size());
  needs.nodes = static_cast<double>(part.nodes.size());
  needs.shared = part.shared;
  needs.dim = op.space().dim;
  needs.k = op.tables().k;
  needs.turns = setup.turns;
  needs.viscosity = setup.viscosity;
  needs.rk4 = rk4;
  needs.cubes = op.data().widths == nullptr;
  needs.burns = op.data().burn != nullptr;
  needs.burning_on = regions_burning_on(setup);
  needs.driven_walls = static_cast<int>(op.driven_walls().size());
  return needs;
}

/// Of a device, for what it is to compute.
Bytes budget_of(const Device& device, const WorkerSpec& worker) {
  const Bytes budget = std::min(device.free_memory() / 10 * 9, device.info().memory / 10 * 9);
  return worker.device_memory > 0 ? std::min(budget, worker.device_memory) : budget;
}

/// "cuda:0 (NVIDIA H100)", or "cuda:0, cuda:1 (…)".
std::string names_of(const Team& team, const std::vector<int>& chosen, const std::string& what) {
  std::string out;
  for (const int i : chosen) out += (out.empty() ? "" : ", ") + team.workers()[u(i)].name;
  return fmt::format("{} ({})", out, what);
}

}  // namespace

Placed place_march(const Setup& setup, Operator& op, bool rk4) {
  Placed out;
  const auto& workers = op.team().workers();
  const std::vector<int> chosen = devices_of(op.team(), op);
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
  if (!all(!chosen.empty())) return on_processors(chosen.empty() ? "" : another, !chosen.empty());
  const WorkerSpec& first = workers[u(chosen.front())];
  const auto leave_alone = [&](const std::string& why) {
    return fmt::format("hydro-fem leaves {} alone, the processors compute instead: {}", first.name, why);
  };
  if (const std::string why = device_objection(setup); !why.empty()) return on_processors(leave_alone(why), true);
  std::vector<Device> devices;
  std::optional<Error> closed;
  for (const int i : chosen) {
    auto device = Device::open(workers[u(i)].device);
    if (device)
      devices.push_back(std::move(*device));
    else if (!closed)
      closed = device.error();
  }
  if (!all(!closed)) {
    if (closed) throw Failure(*closed);
    return on_processors(another, true);
  }
  Bytes needed = 0;
  std::string refused;
  const std::vector<DevicePart> parts = DevicePart::among(op, static_cast<int>(chosen.size()));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const WorkerSpec& worker = workers[u(chosen[i])];
    const DeviceNeeds needs = needs_of(setup, op, parts[i], rk4);
    const Bytes here = device_bytes(needs), budget = budget_of(devices[i], worker);
    needed = std::max(needed, here);
    if (here > budget && refused.empty())
      refused = fmt::format(
          "order {} on {} zones needs {} of {}'s memory, {} are to be had; the processors "
          "compute instead",
          needs.k, parts[i].zones.size(), format_bytes(here), worker.name, format_bytes(budget));
  }
  if (!all(refused.empty())) return on_processors(refused.empty() ? another : refused, true);
  const std::string what = devices.front().info().name;
  try {
    out.backend = device_backend(op, std::move(devices), {.workers = chosen});
  } catch (const Failure& failure) {
    if (failure.error().code != ErrorCode::resources) throw;
    refused = leave_alone(failure.error().text);
  }
  if (!all(out.backend != nullptr)) return on_processors(refused.empty() ? another : refused, true);
  out.told = fmt::format("steps are computed on {}, with {} of {} memory{}", names_of(op.team(), chosen, what),
                         format_bytes(needed), chosen.size() > 1 ? "each one's" : "its",
                         share ? ", each rank's on its own" : "");
  const auto named =
      std::count_if(workers.begin(), workers.end(), [](const WorkerSpec& w) { return !w.device.empty(); });
  if (const auto idle = named - static_cast<std::ptrdiff_t>(chosen.size()); idle > 0)
    out.told +=
        fmt::format("; {} of the devices stay idle: {}", idle,
                    share ? "a rank computes on one" : "zones are shared by devices of one kind, each with some");
  if (std::any_of(workers.begin(), workers.end(), [](const WorkerSpec& w) { return w.device.empty(); }))
    out.told += fmt::format("; the processors stay idle: {}", why_processors_are_idle);
  return out;
}

}  // namespace conoid::hydro_fem
