// SPDX-License-Identifier: BSD-3-Clause
// Which of the workers that are offered make the team.
#include "engine/team/offer.hpp"

#include "engine/team/team.hpp"

#include <algorithm>

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace conoid {
namespace {

bool is_device(const WorkerSpec& worker) {
  return !worker.device.empty();
}

}  // namespace

std::vector<int> GroupUse::fitting(int ranks) const {
  std::vector<int> out;
  for (int groups = least; groups <= std::min(most, ranks); ++groups)
    if (!alike || ranks % groups == 0) out.push_back(groups);
  return out;
}

std::vector<std::string> ChosenTeam::devices() const {
  std::vector<std::string> out;
  for (const WorkerSpec& worker : workers)
    if (is_device(worker)) out.push_back(worker.name);
  return out;
}

Bytes ChosenTeam::device_memory() const {
  Bytes least = 0;
  for (const WorkerSpec& worker : workers)
    if (is_device(worker)) least = least == 0 ? worker.device_memory : std::min(least, worker.device_memory);
  return least;
}

ChosenTeam choose_team(const Offer& offer, const DeviceUse& use, double seconds) {
  ChosenTeam out{offer.workers, {}, {}};
  const std::vector<std::string> all = out.devices();
  const std::size_t most = use.most < 0 ? all.size() : static_cast<std::size_t>(use.most);
  const auto beyond = [&](std::size_t first) {
    return fmt::format("{}", fmt::join(all.begin() + static_cast<std::ptrdiff_t>(first), all.end(), ", "));
  };
  if (!offer.automatic) {
    if (most < all.size()) out.idle = fmt::format("{}: {}", beyond(most), use.why);
    return out;
  }
  if (most < all.size()) {
    out.workers = with_fewer_devices(std::move(out.workers), most, offer.threads.value);
    out.left_out = fmt::format("{}: {}", beyond(most), use.why);
  }
  const std::size_t before = out.devices().size();
  if (!use.priced) out.workers = worth_their_start(std::move(out.workers), offer.threads.value, seconds);
  if (out.devices().size() < before)
    out.left_out = fmt::format("{}: the processors are done before a device has started", beyond(0));
  if (!use.alone.empty() && !out.devices().empty()) {
    const int devices = static_cast<int>(out.devices().size());
    std::erase_if(out.workers, [](const WorkerSpec& worker) { return !is_device(worker); });
    // The threads of the processors do what devices cannot.
    int given = 0;
    for (int k = 0; k < devices; ++k) {
      WorkerSpec& worker = out.workers[static_cast<std::size_t>(k)];
      worker.threads = std::max(1, (offer.threads.value - given) / (devices - k));
      given += worker.threads;
    }
    out.left_out += (out.left_out.empty() ? "" : "; ") + use.alone;
  }
  return out;
}

std::string text_of(const std::vector<WorkerSpec>& workers) {
  std::string out;
  for (const WorkerSpec& w : workers) out += fmt::format("{}{}:{}", out.empty() ? "" : ",", w.name, w.threads);
  return out;
}

Bytes share_of_free_memory(const Machine& machine, const RankPlace& place) {
  const Bytes free = machine.free_memory > 0 ? machine.free_memory : machine.memory;
  return free / 4 * 3 / static_cast<Bytes>(std::max(1, place.local_ranks));
}

}  // namespace conoid
