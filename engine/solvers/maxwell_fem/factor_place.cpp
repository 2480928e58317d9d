// SPDX-License-Identifier: BSD-3-Clause
// The choice and its words.
#include "engine/solvers/maxwell_fem/factor_place.hpp"

#include "engine/core/units.hpp"
#include "engine/linalg/sparse_direct.hpp"

#include <algorithm>

#include <fmt/core.h>

namespace conoid::maxwell_fem {

namespace {

/// Of the factors: 16 bytes an entry, and half as much for fronts that wait. Not measured: the library tells its own need after
/// it has ordered the matrix, and factorise() goes back to processors where that is more than allowed.
constexpr double bytes_an_entry = 24;

/// Below it the library's start, its order on the host and the copies are as long as the factorisation by processors (some tenths
/// of a second on 16 cores).
constexpr double least_unknowns = 40000;

}  // namespace

FactorPlace place_factors(const DirectOptions& options, const FactorWork& work, const std::vector<WorkerSpec>& workers,
                          std::span<const DeviceInfo> devices) {
  FactorPlace out;
  if (options.method != DirectMethod::automatic && options.method != DirectMethod::device) return out;
  const auto worker = std::ranges::find_if(workers, [](const WorkerSpec& w) { return !w.device.empty(); });
  if (worker == workers.end() || devices.empty()) return out;
  const DeviceInfo& device = devices.front();
  const Bytes most = worker->device_memory > 0 ? worker->device_memory : device.memory / 10 * 9;
  out.allowed = most / 2;
  out.memory = static_cast<Bytes>(bytes_an_entry * work.entries);
  const auto by_processors = [&](std::string why) {
    out.reason = "processors: " + std::move(why);
    return out;
  };
  if (options.method == DirectMethod::automatic) {
    if (device.backend != "cuda") return by_processors("emulated devices factor only with direct_solver device");
    if (options.single) return by_processors("factors in single precision are fronts of our own");
    if (options.on_disk) return by_processors("factors are kept on disk");
    if (work.deterministic) return by_processors("a deterministic run is computed in one order of sums");
    if (work.ranks > 1) return by_processors(fmt::format("{} ranks share the factors", work.ranks));
    if (work.unknowns < least_unknowns)
      return by_processors(fmt::format("a device pays from {:.0f} unknowns on", least_unknowns));
    if (out.memory > out.allowed)
      return by_processors(fmt::format("factors of about {} do not fit into {} of {}", format_bytes(out.memory),
                                       format_bytes(out.allowed), device.name));
    if (const std::string missing = missing_device_direct(); !missing.empty()) return by_processors(missing);
  }
  out.device = 0;
  out.reason = fmt::format("{} on {}, about {} of its memory",
                           device.backend == "cuda" ? "cuDSS"
                           : has_mumps()            ? "MUMPS"
                                                    : "Eigen sparse LU",
                           device.name, format_bytes(out.memory));
  return out;
}

}  // namespace conoid::maxwell_fem
