// SPDX-License-Identifier: BSD-3-Clause
// A level for each device over one of the host; leases that end where a stream has come to.
#include "engine/solvers/part_windows.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/core/resources.hpp"
#include "engine/core/taken.hpp"
#include "engine/solvers/device_memory.hpp"
#include "engine/solvers/in_flight.hpp"
#include "engine/team/device_worker.hpp"

namespace conoid {
namespace {

Bytes moved(const Windows& level) {
  const WindowStatistics counted = level.statistics();
  return counted.loaded + counted.saved;
}

constexpr std::size_t most_in_flight =
    2;  ///< leases of a worker whose windows its stream still uses; one more waits for the oldest

}  // namespace

/// What belongs to one worker. Leases end before the tour, the tour before its level.
struct PartWindows::Side {
  Interval windows;
  std::optional<Interval> wanted;  ///< in the section that begins
  std::optional<Stream> stream;    ///< of a device
  std::unique_ptr<Windows> level;  ///< over the host's
  Tour tour;
  InFlight<Lease> in_flight;
};

PartWindows::PartWindows(Options options, std::unique_ptr<DiskWindows> host)
    : options_(std::move(options)), host_(std::move(host)) {}

PartWindows::~PartWindows() {
  for (auto& [worker, side] : sides_) try {
      side->in_flight.finish();
    } catch (const Failure&) {
      // A device that failed has told so.
    }
}

std::unique_ptr<PartWindows> PartWindows::create(std::vector<Bytes> sizes, Options options) {
  DiskWindowsOptions disk;
  disk.name = options.name;
  disk.file = (options.folder.empty() ? temporary_folder() : options.folder) / options.name;
  disk.budget = options.host;
  disk.reserve = enough(sizes) > options.host;
  return std::unique_ptr<PartWindows>(
      new PartWindows(std::move(options), taken_or_thrown(DiskWindows::create(std::move(sizes), disk))));
}

PartWindows::Side& PartWindows::side_of(const Part& part) {
  const std::scoped_lock lock(mutex_);
  std::unique_ptr<Side>& side = sides_[part.worker()];
  if (!side) side = std::make_unique<Side>();
  return *side;
}

Stream* PartWindows::stream(const Part& part) {
  if (!part.device()) return nullptr;
  Side& side = side_of(part);
  if (!side.stream) side.stream = part.device()->device().stream();
  return &*side.stream;
}

Bytes PartWindows::enough(std::span<const Bytes> sizes) {
  const Bytes largest = sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
  return disk_bytes(sizes) + disk_bytes({{largest}});  // pages; and room for one that comes
}

void PartWindows::take(Part& part, Contents contents) {
  side_of(part).wanted = part.items();
  part.meet([this, contents] { settle(contents); });
}

void PartWindows::settle(Contents contents) {
  for (auto& [worker, side] : sides_) {
    const Interval wanted = side->wanted.value_or(Interval{});
    side->wanted.reset();
    if (wanted == side->windows) continue;
    side->windows = wanted;
    side->tour = {};
    if (!side->level) continue;
    if (contents == Contents::kept)
      if (const Status flushed = side->level->flush(); !flushed) throw Failure(flushed.error());
    gone_ += moved(*side->level);
    side->level.reset();
  }
}

void PartWindows::visit(Part& part, Access access, const std::function<void(const Lease&)>& body) {
  Side& side = side_of(part);
  DeviceWorker* const worker = part.device();
  if (!side.level && worker) {
    const Bytes most = worker->memory();
    side.level = device_windows(*host_, window_memory_of(worker->device()),
                                options_.device > 0 ? std::min(options_.device, most) : most);
  }
  std::vector<Visit> order;
  for (Index w = side.windows.begin; w < side.windows.end; ++w) order.push_back({w, access});
  // The order repeats: at its end what will be visited first in the next pass is brought in already.
  if (side.tour)
    side.tour.announce(std::move(order), Repeat::yes);
  else
    side.tour = (side.level ? *side.level : static_cast<Windows&>(*host_)).announce(std::move(order), Repeat::yes);
  for (Index w = side.windows.begin; w < side.windows.end; ++w) {
    Lease lease = taken_or_thrown(side.tour.next());
    body(lease);
    if (!worker) continue;
    InFlight<Lease>& leases = side.in_flight;
    while (!leases.empty() && (leases.size() >= most_in_flight || leases.reached())) leases.finish_oldest();
    leases.hold(worker->device(), *stream(part), std::move(lease));
  }
  side.in_flight.finish();
}

Bytes PartWindows::take_streamed() {
  Bytes all = gone_ + moved(*host_);
  for (const auto& [worker, side] : sides_)
    if (side->level) all += moved(*side->level);
  return all - std::exchange(told_, all);
}

Bytes WindowPlan::bytes(Interval windows) const {
  if (windows.empty()) return 0;
  return static_cast<Bytes>(cut.planes_of(windows.end - 1).end - cut.planes_of(windows.begin).begin) * cut.plane_bytes;
}

void WindowPlan::add_to(Estimate& estimate, std::string_view what, std::size_t devices) const {
  const Bytes all = bytes({0, cut.windows()});
  estimate.host_memory += std::min(all, host);
  estimate.device_memory += device;
  if (PartWindows::enough(cut.sizes()) > host) {
    estimate.disk += all;
    estimate.streams = std::string(what) + ", between disk and memory";
  } else if (device > 0 && all > device * devices) {
    estimate.streams = std::string(what) + ", between memory and device";
  }
}

WindowPlan plan_windows(Index items, Bytes item_bytes, Bytes budget, const ChosenTeam& team) {
  const auto workers = static_cast<Index>(team.workers.size());
  // Eight a worker; in the host's memory four a worker and four more, in a device's six: some are computed, some come, some go.
  const Bytes of_device = team.device_memory() / 2;
  Bytes most = budget / static_cast<Bytes>(4 + 4 * workers);
  if (of_device > 0) most = std::min(most, of_device / 6);
  const Index fitting = std::max<Index>(1, static_cast<Index>(most / item_bytes));
  WindowPlan out;
  out.cut = {items, item_bytes, std::clamp<Index>(items / (8 * workers), 1, fitting)};
  const Bytes enough = PartWindows::enough(out.cut.sizes());
  out.host = std::min(budget, enough);
  out.device = std::min(of_device, enough);
  return out;
}

}  // namespace conoid
