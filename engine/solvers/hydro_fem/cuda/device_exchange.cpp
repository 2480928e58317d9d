// SPDX-License-Identifier: BSD-3-Clause
#include "engine/solvers/hydro_fem/cuda/device_exchange.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "engine/cluster/halo.hpp"
#include "engine/solvers/hydro_fem/discretization/index.hpp"

namespace conoid::hydro_fem {
namespace {

constexpr int further_iterations = 3;  // launched at once where a solve takes more than the one before

class WithRanks final : public DeviceExchange {
 public:
  WithRanks(Operator& op, const Operator::Share& share, DeviceZones& zones)
      : op_(op), share_(share), zones_(zones), dim_(op.space().dim),
        packed_(zones.device().pinned<double>(u(std::max<Index>(1, dim_ * zones.sent())))),
        received_(zones.device().pinned<double>(u(std::max<Index>(1, dim_ * zones.part().received)))),
        copies_(zones.device().stream()), ready_(zones.device().event()) {}

  int solve(const StageTime& when) override {
    zones_.pack(0, false);
    zones_.stream().record(ready_);
    bring_packed();
    start();
    finish();
    zones_.begin_shared();
    double before = 0, target = 0, alpha = 0;
    int iteration = 0;
    for (const int most = op_.mass_iterations(); iteration < most; ++iteration) {
      exchange([&](DeviceZones::Zones which) { zones_.inverses(which); });
      start();
      finish();
      zones_.meet_inverses();
      exchange([&](DeviceZones::Zones which) { zones_.image(which); },
               [&] {
                 zones_.solve_sums();
                 zones_.fetch_numbers();
               });
      start();
      zones_.wait();
      std::array<double, 2> sums = {zones_.numbers().sum[0], zones_.numbers().sum[1]};
      share_.cluster->start_sum(sums);
      finish();
      share_.cluster->finish_sum();
      const double gamma = sums[0];
      if (iteration == 0) target = op_.mass_tolerance() * op_.mass_tolerance() * gamma;
      if (!(gamma > target)) {
        zones_.end_shared();
        break;
      }
      const double beta = iteration > 0 ? gamma / before : 0;
      alpha = gamma / (iteration > 0 ? sums[1] - beta * gamma / alpha : sums[1]);
      before = gamma;
      zones_.advance(alpha, beta);
    }
    zones_.push_walls(when);
    zones_.end(DeviceZones::solve_stage);
    zones_.fetch_numbers();
    zones_.wait();
    return iteration;
  }

 private:
  /// Terms of zones, and then what else is queued: what others need comes to the host while the device has the rest.
  void exchange(
      const std::function<void(DeviceZones::Zones)>& terms, const std::function<void()>& queue = [] {}) {
    terms(DeviceZones::Zones::border);
    zones_.pack(0, false);
    zones_.stream().record(ready_);
    terms(DeviceZones::Zones::inner);
    queue();
    bring_packed();
  }
  /// Terms for other ranks, packed before `ready_`, on the host.
  void bring_packed() {
    if (zones_.sent() == 0) return;
    copies_.wait(ready_);
    copies_.to_host(packed_.span().first(u(dim_ * zones_.sent())), zones_.packed());
    copies_.synchronize();
  }
  void start() {
    const double* packed = packed_.data();
    share_.halo->start_values(dim_, [&](Index, int) { return *packed++; });
  }
  /// Terms of other ranks come behind those of this part's zones.
  void finish() {
    double* received = received_.data();
    share_.halo->finish_values(dim_, [&](Index, int, double value) { *received++ = value; });
    const Index count = dim_ * zones_.part().received;
    if (count > 0)
      zones_.stream().to_device(zones_.terms(), std::span<const double>(received_.span().first(u(count))),
                                zones_.received_at());
  }

  Operator& op_;
  Operator::Share share_;
  DeviceZones& zones_;
  int dim_;
  PinnedBuffer<double> packed_, received_;
  Stream copies_;
  Event ready_;
};

/// A part packs into one half of its buffer while others may still read the other: what it packs after that waits for their next terms,
/// which they pack after they have read. Devices that reach each other's memory call each other when they have packed and fetch what is for
/// them; others copy, after events (two H200: an event of another device and a copy begin some 100 µs late, a call a few).
class AmongPeers final : public DeviceExchange {
 public:
  AmongPeers(Operator& op, std::span<const std::unique_ptr<DeviceZones>> parts, bool calls)
      : op_(op), parts_(parts), dim_(op.space().dim), direct_(calls) {
    for (const auto& part : parts_) packed_.push_back(part->device().event());
    for (const auto& part : parts_)
      for (const auto& other : parts_) direct_ = direct_ && part->device().reaches(other->info());
  }

  int solve(const StageTime& when) override {
    exchange(false);
    for (const auto& part : parts_) part->begin_shared();
    // As many as the last solve took and one to see that it has ended; those beyond its end change nothing.
    int launched = 0, more = std::max(1, expected_) + 1;
    const int most = op_.mass_iterations();
    for (bool ended = most == 0; !ended;) {
      for (; more > 0 && launched < most; --more, ++launched) iterate(launched);
      for (const auto& part : parts_) part->fetch_numbers();
      for (const auto& part : parts_) part->wait();
      ended = launched == most || parts_.front()->numbers().zone_done != 0;
      more = further_iterations;
    }
    for (const auto& part : parts_) {
      part->push_walls(when);
      part->end(DeviceZones::solve_stage);
    }
    return expected_ = parts_.front()->numbers().iterations;
  }

 private:
  void iterate(int iteration) {
    for (const auto& part : parts_) part->inverses(DeviceZones::Zones::all);
    exchange(false);
    for (const auto& part : parts_) {
      part->meet_inverses();
      part->image(DeviceZones::Zones::all);
    }
    exchange(true);
    for (const auto& part : parts_) part->advance_among_peers(iteration, static_cast<int>(parts_.size()));
  }
  void exchange(bool sums) {
    ++exchanges_;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      parts_[i]->pack(turn_, sums, direct_ ? call_of(i) : PeerCall{});
      if (!direct_) parts_[i]->stream().record(packed_[i]);
    }
    for (std::size_t i = 0; i < parts_.size(); ++i)
      if (direct_)
        take(i);
      else
        copy(i);
    turn_ = 1 - turn_;
  }
  [[nodiscard]] PeerCall call_of(std::size_t from) const {
    PeerCall call{0, exchanges_, parts_[from]->blocks_done(), {}};
    for (const DevicePart::Side& side : parts_[from]->part().sides)
      call.number[call.peers++] = parts_[u(side.part)]->called_by(static_cast<int>(from));
    return call;
  }
  /// Where in its packed() what a side's part has packed for part `to` begins.
  [[nodiscard]] std::size_t packed_for(std::size_t to, const DevicePart::Side& side) const {
    const DeviceZones& other = *parts_[u(side.part)];
    const auto& theirs = other.part().sides;
    const auto there = std::find_if(theirs.begin(), theirs.end(),
                                    [&](const DevicePart::Side& s) { return s.part == static_cast<int>(to); });
    return u(turn_) * other.packed_half() + u(dim_ * there->to.begin);
  }
  /// What the others have packed for a part.
  void take(std::size_t to) {
    DeviceZones& part = *parts_[to];
    TakeArguments a{0, exchanges_, {}};
    for (const DevicePart::Side& side : part.part().sides)
      a.side[a.sides++] = {part.called_by(side.part), parts_[u(side.part)]->packed().data() + packed_for(to, side),
                           part.terms().data() + part.received_at() + u(dim_ * side.from.begin),
                           static_cast<long long>(dim_ * side.from.size())};
    part.take(a);
  }
  void copy(std::size_t to) {
    DeviceZones& part = *parts_[to];
    for (const DevicePart::Side& side : part.part().sides) {
      const DeviceZones& other = *parts_[u(side.part)];
      const std::size_t count = u(dim_ * side.from.size());
      part.stream().wait(packed_[u(side.part)]);
      part.stream().from_peer(part.terms(), part.received_at() + u(dim_ * side.from.begin), count, other.packed(),
                              packed_for(to, side), count, other.info().index, count, 1);
    }
  }

  Operator& op_;
  std::span<const std::unique_ptr<DeviceZones>> parts_;
  int dim_;
  bool direct_;
  std::vector<Event> packed_;
  unsigned long long exchanges_ = 0;
  int turn_ = 0, expected_ = 12;
};

}  // namespace

std::unique_ptr<DeviceExchange> exchange_with_ranks(Operator& op, const Operator::Share& share, DeviceZones& zones) {
  return std::make_unique<WithRanks>(op, share, zones);
}

std::unique_ptr<DeviceExchange> exchange_among_peers(Operator& op, std::span<const std::unique_ptr<DeviceZones>> parts,
                                                     bool calls) {
  return std::make_unique<AmongPeers>(op, parts, calls);
}

}  // namespace conoid::hydro_fem
