// SPDX-License-Identifier: BSD-3-Clause
// The choice and its words.
#include "engine/solvers/maxwell_fem/solving/factor_place.hpp"

#include "engine/core/units.hpp"
#include "engine/linalg/sparse_direct.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

namespace conoid::maxwell_fem {

namespace {

/// Of the factors: 16 bytes an entry, and half as much for fronts that wait; half of it in single precision. Not measured: the library
/// tells its own need after it has ordered the matrix, and factorise() goes back to processors where that is more than allowed.
constexpr double bytes_an_entry = 24;

/// Of cuDSS 0.7.1 on an H200 (layers of 72,972 and 223,452 unknowns, 32 threads of the host): 3.3 and 4.4 Tflop/s of the factors' flops
/// (0.05 and 0.07 of the card's complex products), 0.53 and 0.62 Tflop/s of 16 flops an entry and right-hand side (copies included), and
/// its order on the host, which falls with threads as our own does.
constexpr double share_of_factors = 0.06, share_of_solves = 0.009, start_seconds = 0.05;
double order_seconds(double unknowns, int threads) {
  return unknowns * (3.0e-6 + 14e-6 / std::max(1, threads));
}
/// Passes over factors in single precision and the residuals of each, 16 flops an entry of the matrix (20 an unknown), at 1 Gflop/s a thread.
constexpr double single_passes = 3, entries_a_row = 20, residual_rate = 1e9;

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
  out.memory = static_cast<Bytes>((options.single ? 0.5 : 1.0) * bytes_an_entry * work.entries);
  const auto by_processors = [&](std::string why) {
    out.reason = "processors: " + std::move(why);
    return out;
  };
  if (options.method == DirectMethod::automatic) {
    if (device.backend != "cuda") return by_processors("emulated devices factor only with direct_solver device");
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
  out.reason = fmt::format("{} on {}, {}about {} of its memory{}",
                           device.backend == "cuda" ? "cuDSS"
                           : has_mumps()            ? "MUMPS"
                                                    : "Eigen sparse LU",
                           device.name, options.single ? "in single precision refined in double, " : "",
                           format_bytes(std::min(out.memory, out.allowed)),
                           out.memory > out.allowed ? ", factors in the host's" : "");
  return out;
}

double device_factor_seconds(const FactorWork& work, const DirectOptions& options, double products, double columns) {
  if (!(products > 0)) return 0;
  const double rate = options.single ? 2 * products : products, passes = options.single ? single_passes : 1;
  double out = start_seconds + order_seconds(work.unknowns, options.threads) + work.flops / (share_of_factors * rate) +
               passes * 16 * work.entries * columns / (share_of_solves * rate);
  if (options.single)
    out += passes * 16 * entries_a_row * work.unknowns * columns / (residual_rate * std::max(1, options.threads));
  // Factors that stay with the host pass once when they are made and twice with each block of right-hand sides.
  constexpr double at_once = 128, link = 2e10;  // bytes/s, assumed
  out += work.in_host / link * (1 + 2 * passes * std::ceil(columns / at_once));
  return out;
}

}  // namespace conoid::maxwell_fem
