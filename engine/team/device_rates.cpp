// SPDX-License-Identifier: BSD-3-Clause
// Copies within a device and multiply-adds on it, by its own clock.
#include <algorithm>
#include <map>
#include <mutex>
#include <string>

#include <fmt/core.h>

#include "engine/team/cuda/rates_arguments.hpp"
#include "engine/team/device.hpp"
#include "engine/team/machine_rates.hpp"

namespace conoid {
namespace {

constexpr int repeats = 3;  // the first warms up

double copy_rate(const Device& device) {
  const bool real = device.info().backend == "cuda";
  const Bytes size =
      std::min<Bytes>(real ? Bytes{256} << 20 : Bytes{4} << 20, device.free_memory() / 4) / sizeof(double);
  const auto from = device.allocate<double>(size, "rates"), to = device.allocate<double>(size, "rates");
  Stream stream = device.stream();
  stream.zero(from);
  double best = 0;
  for (int k = 0; k < repeats; ++k) {
    const Event begin = device.event(), end = device.event();
    stream.record(begin);
    stream.on_device(to, 0, from, 0, size);
    stream.record(end);
    stream.synchronize();
    if (const double seconds = end.seconds_since(begin); seconds > 0)
      best = std::max(best, 2.0 * static_cast<double>(size * sizeof(double)) / seconds);
  }
  return best;
}

template <class Real>
double multiply_add_rate(const Device& device, std::string_view name) {
  const bool real = device.info().backend == "cuda";
  const unsigned block = real ? 256 : 64,
                 blocks = static_cast<unsigned>(std::max(1, device.info().multiprocessors)) * (real ? 8 : 1);
  const RateArguments arguments{nullptr, real ? 16384 : 256};
  const auto kernel = device.kernel<RateArguments>(name);
  const auto out = device.allocate<Real>(std::size_t{block} * blocks, "rates");
  Stream stream = device.stream();
  double best = 0;
  for (int k = 0; k < repeats; ++k) {
    const Event begin = device.event(), end = device.event();
    stream.record(begin);
    stream.launch(kernel, {.grid = {blocks, 1, 1}, .block = {block, 1, 1}},
                  RateArguments{out.data(), arguments.rounds});
    stream.record(end);
    stream.synchronize();
    if (const double seconds = end.seconds_since(begin); seconds > 0)
      best = std::max(best, 2.0 * rate_chains * arguments.rounds * static_cast<double>(block) * blocks / seconds);
  }
  return best;
}

}  // namespace

MachineRates device_rates(std::string_view name) {
  static std::mutex mutex;
  static std::map<std::string, MachineRates, std::less<>> known;
  const std::scoped_lock lock(mutex);
  try {
    const auto device = Device::open(name);
    if (!device) return {};
    const DeviceInfo& info = device->info();
    const std::string key = fmt::format("{}:{} {}", info.backend, info.index, info.uuid);
    if (const auto it = known.find(key); it != known.end()) return it->second;
    const MachineRates out{copy_rate(*device), multiply_add_rate<double>(*device, "team/multiply-adds<double>"),
                           multiply_add_rate<float>(*device, "team/multiply-adds<float>"), 0};
    if (out.known()) known[key] = out;
    return out;
  } catch (const Failure&) {
    return {};
  }
}

}  // namespace conoid
