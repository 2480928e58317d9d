// SPDX-License-Identifier: BSD-3-Clause
// The slab of one of several ranks on its device. Used by one thread. Part of device_steps.cpp.
#pragma once

#include "engine/cluster/shared_block.hpp"
#include "engine/core/log.hpp"
#include "engine/core/seconds_now.hpp"
#include "engine/simd/subnormals.hpp"
#include "engine/solvers/acoustic_fd/cuda/device_plan.hpp"
#include "engine/solvers/acoustic_fd/cuda/device_slice.hpp"
#include "engine/solvers/acoustic_fd/cuda/device_steps.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fmt/core.h>

namespace conoid::acoustic_fd {

/// A rank's planes of x and those that a band of T steps computes along, s T on a side where there is a neighbour. Before a band as many come from
/// there: both levels, memories of the attenuation and of the layers, plane by plane as Field::pack() has them, so that a neighbour may be a processor.
/// They travel by locked memory: that both ranks share (SharedBlock) where they run on one host, so that a message of a byte says that they are there;
/// otherwise one message each way. The device takes the steps of what they do not reach meanwhile: the first band of panels between planes s (L + 1) from either end, or of single steps update j from plane s (j + 1) on, as the march of processors does.
///
/// Panels write levels k + L and k + L − 1 at once, out of place; the stages of a band (stages_of) cover ever fewer planes beside the slab. Each covers s
/// more on either side than the next one reads of level k + L, since neighbours of level k + L − 1 are looked at: by the cells beside matched layers,
/// which panels leave, and in the end by an energy. So s planes beyond those of the band are held, of zeros.
template <class T>
class RankSteps final : public DeviceSteps {
 public:
  /// `spare`: bytes that may be taken beside the levels and the medium, for the other pair of panels.
  RankSteps(const Problem& problem, Field<T>& host, Device device, Bytes spare)
      : s_(problem.order / 2), last_(problem.steps), stepwise_(problem.tiling.starts_with("stepwise")),
        host_(host), own_{host.at().first, host.at().first + host.at().nx}, lower_(own_.begin > 0),
        upper_(own_.end < problem.grid.points[0]),
        held_{lower_ ? std::max<Index>(0, own_.begin - host.at().halo_x - s_) : 0,
              upper_ ? std::min(problem.grid.points[0], own_.end + host.at().halo_x + s_) : own_.end},
        slice_(std::make_unique<DeviceSlice<T>>(problem, host, std::move(device), Interval{0, problem.grid.points[1]},
                                                0, 0, held_.size())),
        copies_(slice_->device().stream()), arrived_(slice_->device().event()) {
    slice_->begin_at(held_.begin);
    for (std::size_t n = 0; n < slice_->arrays(); ++n) slice_->stream().zero(slice_->array(n));
    if (!stepwise_) slice_->allow_panels(spare, own_.size());
    for (std::size_t kind = 0; kind < slice_->kinds_of_panels(); ++kind)
      panel_levels_.push_back(slice_->panel_levels(kind));
  }
  /// Neighbours on one host share the memory that their planes travel by.
  void connect(Communicator& cluster) override {
    const auto exchange = [&cluster]<class V>(const std::array<V, 2>& mine, std::array<V, 2>& theirs,
                                              const bool(&there)[2]) {
      const auto out = [&](std::size_t side) {
        return there[side] ? std::as_bytes(std::span(&mine[side], 1)) : std::span<const std::byte>{};
      };
      const auto in = [&](std::size_t side) {
        return there[side] ? std::as_writable_bytes(std::span(&theirs[side], 1)) : std::span<std::byte>{};
      };
      cluster.start_exchange(out(0), out(1), in(0), in(1));
      cluster.finish_exchange();
    };
    const bool there[] = {lower_, upper_};
    std::array<SharedBlock::Ticket, 2> mine, theirs;
    std::array<std::byte, 2> well{}, also{};
    for (std::size_t side = 0; side < 2; ++side) {
      if (!there[side]) continue;
      side_[side].mine = SharedBlock::make(2 * state_values(0, sent(host_.at().halo_x, side)) * sizeof(T));
      mine[side] = side_[side].mine.ticket();
    }
    exchange(mine, theirs, there);
    for (std::size_t side = 0; side < 2; ++side)
      if (there[side]) well[side] = std::byte{side_[side].join(theirs[side], slice_->device())};
    exchange(well, also, there);
    for (std::size_t side = 0; side < 2; ++side)
      if (there[side] && (well[side] == std::byte{0} || also[side] == std::byte{0})) side_[side].part();
  }
  void take(Index, bool silent) override {
    slice_->send({own_.begin - (lower_ ? host_.at().halo_x : s_), own_.end + (upper_ ? host_.at().halo_x : s_)},
                 {-host_.at().halo_y, host_.at().ny + host_.at().halo_y}, silent);
    slice_->send_layers();
    slice_->stream().synchronize();
  }
  void advance(Index k, Index count, Communicator& cluster) override {
    const FlushSubnormals flush;  // emulated devices do as this thread
    const bool panels = goes_in_panels(count), trial = on_trial(count), timed = trial && trial_ % 2 == 1;
    const std::vector<Stage> stages = stages_of(count, s_, panels ? panel_levels_ : std::vector<Index>{});
    double lap = seconds_now();
    const auto add_to = [&lap](double& seconds) {
      const double now = seconds_now();
      seconds += now - lap;
      lap = now;
    };
    slice_->begin_band(k, count);
    if (panels) slice_->begin_panels(k, count);
    const Index reach = panels ? s_ * (stages.front().levels + 1) : s_ * count;
    const bool beside = !timed && own_.size() >= 2 * reach;  // steps and exchange
    bring_edges(k, count);
    add_to(begun_seconds_);
    if (!panels || !beside) copies_.synchronize();  // single steps overwrite what they read
    if (beside) {
      if (panels)
        slice_->panel(static_cast<std::size_t>(stages.front().kind), k, inner(reach));
      else
        for (Index i = 0; i < count; ++i) slice_->update(k + i, inner(s_ * (i + 1)), slice_->rows());
    }
    copies_.synchronize();
    add_to(brought_seconds_);
    cluster.start_exchange(side_[0].out(), side_[1].out(), side_[0].in(), side_[1].in());
    cluster.finish_exchange();
    add_to(message_seconds_);
    take_edges(k, count);
    slice_->stream().wait(arrived_);
    if (timed) slice_->stream().synchronize();
    const double start = seconds_now();
    if (panels)
      in_panels(k, count, stages, beside);
    else
      step_by_step(k, count, beside);
    slice_->end_band();
    slice_->stream().synchronize();
    if (trial) learn((seconds_now() - start) / static_cast<double>(count));
    add_to(step_seconds_);
    turn_ = 1 - turn_;
    if (k + count == last_ && cluster.leads()) tell_times();
  }
  void bring_back(Index) override {
    // An energy looks at neighbours of level k − 1, which the last step but one left beside the slab.
    slice_->fetch({own_.begin - s_, own_.end + s_}, {0, host_.at().ny});
    slice_->fetch_layers(own_);
    slice_->stream().synchronize();
    host_.refresh_images();
  }
  bool plane_energies(Index k, std::vector<double>& sums) override {
    const FlushSubnormals flush;
    sum_energies<T>({&slice_, 1}, k, own_, sums);
    return true;
  }
  [[nodiscard]] Index band() const override {
    const Index most = host_.at().halo_x / s_;
    return panel_levels_.empty() || most < panel_levels_.front() ? most
                                                                 : most / panel_levels_.front() * panel_levels_.front();
  }
  [[nodiscard]] Index levels() const override { return panels_ && !panel_levels_.empty() ? panel_levels_.front() : 1; }
  [[nodiscard]] Bytes bytes() const override { return slice_->bytes(); }
  [[nodiscard]] std::string text() const override {
    const std::string name = fmt::format("{} of each rank", slice_->device().info().name);
    return goes_in_panels(band()) ? fmt::format("{}, {}", name, slice_->way()) : name;
  }

 private:
  /// What goes to and comes from the neighbour below or above.
  struct Side {
    PinnedBuffer<T> to_room, from_room;
    SharedBlock mine, theirs;  ///< of two messages each: one is written while the other may still be read
    detail::Held locked[2];    ///< ends before the memory
    std::span<T> to, from;     ///< of this band
    std::byte token{1}, other_token{};

    [[nodiscard]] bool shared() const { return !theirs.empty(); }
    /// Takes the neighbour's memory; false: it is not at hand.
    bool join(const SharedBlock::Ticket& ticket, const Device& device) {
      theirs = SharedBlock::open(ticket);
      if (mine.empty() || theirs.empty()) return false;
      locked[0] = device.lock_host(mine.bytes().data(), mine.bytes().size());
      locked[1] = device.lock_host(theirs.bytes().data(), theirs.bytes().size());
      return locked[0].get() && locked[1].get();
    }
    void part() {
      for (auto& lock : locked) lock = {};
      mine = {};
      theirs = {};
    }
    /// Room for so many values each way. Messages are of several lengths, and to lock memory takes longer than to send it.
    void make_room(const Device& device, std::size_t sent, std::size_t wanted, std::size_t turn) {
      const auto half = [turn](const SharedBlock& block, std::size_t values) {
        const std::span<std::byte> own = block.bytes().subspan(turn * block.bytes().size() / 2, values * sizeof(T));
        return std::span<T>(reinterpret_cast<T*>(own.data()), values);
      };
      if (shared()) {
        to = half(mine, sent);
        from = half(theirs, wanted);
        return;
      }
      if (to_room.size() < sent) to_room = device.pinned<T>(sent);
      if (from_room.size() < wanted) from_room = device.pinned<T>(wanted);
      to = {to_room.data(), sent};
      from = {from_room.data(), wanted};
    }
    [[nodiscard]] std::span<const std::byte> out() const {
      return shared() ? std::span<const std::byte>(&token, 1) : std::as_bytes(to);
    }
    [[nodiscard]] std::span<std::byte> in() {
      return shared() ? std::span<std::byte>(&other_token, 1) : std::as_writable_bytes(from);
    }
  };
  void tell_times() const {
    const bool shared = side_[0].shared() || side_[1].shared();
    log::info(
        "acoustic-fd: {:.3g} s of rank 0's march until copies to neighbours were asked for, {:.3g} s until they had "
        "come, {:.3g} s for those of neighbours ({}), {:.3g} s for the rest of the steps",
        begun_seconds_, brought_seconds_, message_seconds_, shared ? "memory shared" : "messages", step_seconds_);
  }
  /// The first stage of a band of so many steps is one of panels.
  [[nodiscard]] bool goes_in_panels(Index count) const {
    return panels_ && !panel_levels_.empty() && count >= panel_levels_.back();
  }
  /// As grids in core do: of the first bands two go in panels and two step by step, of each the second is timed, without what ranks exchange. A rank
  /// decides for itself: messages are the same.
  [[nodiscard]] bool on_trial(Index count) const {
    return trial_ < 4 && !panel_levels_.empty() && count >= panel_levels_.front();
  }
  void learn(double seconds) {
    if (trial_ == 1) panel_seconds_ = seconds;
    ++trial_;
    panels_ = trial_ < 2 || (trial_ == 4 && panel_seconds_ < seconds);
    if (trial_ == 4)
      log::info("acoustic-fd: {:.3g} ms for a step in {}, {:.3g} ms step by step", 1e3 * panel_seconds_, slice_->way(),
                1e3 * seconds);
  }
  /// The slab without so many planes beside neighbours; with so many of theirs.
  [[nodiscard]] Interval inner(Index planes) const {
    return {own_.begin + (lower_ ? planes : 0), own_.end - (upper_ ? planes : 0)};
  }
  [[nodiscard]] Interval outer(Index planes) const { return inner(-planes); }

  /// `begun`: the first stage has been taken by what no neighbour's plane reaches.
  void in_panels(Index k, Index count, const std::vector<Stage>& stages, bool begun) {
    Index from = k;
    for (const Stage& stage : stages) {
      const Index after = k + count - from - stage.levels;
      if (stage.kind < 0) {
        slice_->update(from, outer(s_ * after), slice_->rows());
      } else {
        const Interval all = outer(s_ * (after + 1));
        const auto kind = static_cast<std::size_t>(stage.kind);
        if (begun && from == k) {
          const Interval done = inner(s_ * (stage.levels + 1));
          slice_->panel(kind, from, {all.begin, done.begin});
          slice_->panel(kind, from, {done.end, all.end});
        } else {
          slice_->panel(kind, from, all);
        }
        slice_->finish_shell(from, stage.levels, outer(s_ * after));
        slice_->turn(1 - slice_->pair());
        slice_->mirror(from + stage.levels, all);
      }
      from += stage.levels;
    }
  }
  /// What is left of `begun` steps: the wedges beside neighbours.
  void step_by_step(Index k, Index count, bool begun) {
    for (Index i = 0; i < count; ++i) {
      const Interval all = outer(s_ * (count - 1 - i)), done = inner(s_ * (i + 1));
      if (!begun) {
        slice_->update(k + i, all, slice_->rows());
      } else {
        slice_->update(k + i, {all.begin, done.begin}, slice_->rows());
        slice_->update(k + i, {done.end, all.end}, slice_->rows());
      }
    }
  }

  /// call(array, position, values) for what a neighbour needs of planes (global), in the order of Field::pack().
  template <class Call>
  void for_state(Index k, Interval planes, const Call& call) const {
    for (Index x = planes.begin; x < planes.end; ++x) {
      const auto cells = [&](std::size_t array) {
        call(slice_->array(array), slice_->plane_at(x), slice_->plane_values());
      };
      cells(static_cast<std::size_t>(k & 1));
      cells(static_cast<std::size_t>((k + 1) & 1));
      for (std::size_t l = 0; l < host_.relaxations(); ++l) cells(2 + l);
      slice_->for_layers({x, x + 1}, [&](const DeviceBuffer<T>& memory, T*, std::size_t at, std::size_t values) {
        call(memory, at, values);
      });
    }
  }
  [[nodiscard]] std::size_t state_values(Index k, Interval planes) const {
    std::size_t out = 0;
    for_state(k, planes, [&out](const DeviceBuffer<T>&, std::size_t, std::size_t n) { out += n; });
    return out;
  }
  /// So many planes that go to the lower (0) or the upper neighbour; that come from there.
  [[nodiscard]] Interval sent(Index planes, std::size_t side) const {
    return side == 0 ? Interval{own_.begin, own_.begin + (lower_ ? planes : 0)}
                     : Interval{own_.end - (upper_ ? planes : 0), own_.end};
  }
  [[nodiscard]] Interval wanted(Index planes, std::size_t side) const {
    return side == 0 ? Interval{own_.begin - (lower_ ? planes : 0), own_.begin}
                     : Interval{own_.end, own_.end + (upper_ ? planes : 0)};
  }
  /// What neighbours need for so many steps from level k on comes to locked memory; there is room for what they send.
  void bring_edges(Index k, Index count) {
    for (std::size_t side = 0; side < 2; ++side) {
      const Interval out = sent(s_ * count, side), in = wanted(s_ * count, side);
      side_[side].make_room(slice_->device(), state_values(k, out), state_values(k, in), turn_);
      std::size_t at = 0;
      for_state(k, out, [&](const DeviceBuffer<T>& from, std::size_t place, std::size_t n) {
        copies_.to_host(side_[side].to.subspan(at, n), from, place);
        at += n;
      });
    }
  }
  void take_edges(Index k, Index count) {
    for (std::size_t side = 0; side < 2; ++side) {
      std::size_t at = 0;
      for_state(k, wanted(s_ * count, side), [&](const DeviceBuffer<T>& to, std::size_t place, std::size_t n) {
        copies_.to_device(to, std::span<const T>(side_[side].from.subspan(at, n)), place);
        at += n;
      });
    }
    copies_.record(arrived_);
  }

  Index s_, last_;
  bool stepwise_;
  Field<T>& host_;
  Interval own_;  ///< global planes
  bool lower_, upper_;
  Interval held_;
  std::unique_ptr<DeviceSlice<T>> slice_;
  Stream copies_;
  Event arrived_;
  Side side_[2];          ///< the lower and the upper neighbour
  std::size_t turn_ = 0;  ///< of two messages
  double begun_seconds_ = 0, brought_seconds_ = 0, message_seconds_ = 0, step_seconds_ = 0;
  std::vector<Index> panel_levels_;
  bool panels_ = true;  ///< where there are any
  int trial_ = 0;
  double panel_seconds_ = 0;
};

}  // namespace conoid::acoustic_fd
