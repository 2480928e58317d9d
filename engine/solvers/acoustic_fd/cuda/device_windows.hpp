// SPDX-License-Identifier: BSD-3-Clause
// A grid that streams through a device, from the host and back. Used by one thread. Part of device_steps.cpp.
#pragma once

#include "engine/core/log.hpp"
#include "engine/core/seconds_now.hpp"
#include "engine/simd/subnormals.hpp"
#include "engine/solvers/acoustic_fd/cuda/device_plan.hpp"
#include "engine/solvers/acoustic_fd/cuda/device_slice.hpp"
#include "engine/solvers/acoustic_fd/cuda/device_steps.hpp"
#include "engine/solvers/acoustic_fd/cuda/host_planes.hpp"
#include "engine/solvers/plane_ring.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

namespace conoid::acoustic_fd {

/// A window of planes over the host's levels; it moves by B planes, and in each position every stage of the T steps takes B planes, each
/// further back than the one before (stages_of). Per sweep a plane enters and leaves once, directly between the host's arrays, which
/// are locked, and its place in rings (DeviceDriver::allocate_ring) with room for the planes of the next positions. Sweeps follow each
/// other without a gap: planes are numbered on from sweep to sweep, those of the next one come when those of the last have left. The
/// host gives out the work of a whole chain of sweeps and waits once.
///
/// Four streams: planes that come, planes that leave, and two of stages, which take turns with the positions. Stage m of position
/// j + 1 waits for stage m − 1 of position j only, or for stage m where it goes on from there, so that launches fill what is left of the device
/// by those at their end.
///
/// Panels work between two pairs of levels, of which the host has one: what comes goes to the first pair, what leaves is in that to
/// which the last stage of its sweep wrote. They go on where those of the position before ended, with what these had in registers: there is
/// memory for that of each stage of a sweep. The next sweep may use it: a stage has gone through all planes before it begins again.
template <class T>
class Windowed final : public DeviceSteps {
 public:
  /// `rest`: where planes rest; null: in the host's field, which then holds all of them.
  Windowed(const Problem& problem, Field<T>& host, Device device, const DevicePlan& plan, HostPlanes<T>* rest = nullptr)
      : problem_(problem), host_(host), plan_(plan), s_(problem.order / 2), period_(problem.grid.points[0] + 2 * s_),
        slice_(problem, host, std::move(device), {0, problem.grid.points[1]}, 0, 0, plan.room - 2 * s_, true),
        ring_(slice_.device()), rest_(rest ? rest : &arrays_) {
    if (plan.levels > 0) slice_.allow_panels(~Bytes{0}, plan.planes, plan.kept, plan.steps / plan.levels);
    for (std::size_t kind = 0; kind < slice_.kinds_of_panels(); ++kind)
      panel_levels_.push_back(slice_.panel_levels(kind));
    place_planes();
  }

  void take(Index, bool) override {
    if (in_arrays() && !std::exchange(locked_, true)) lock_arrays();
    slice_.send_layers();
    slice_.stream().synchronize();
    energies_of_ = -1;
  }
  void bring_back(Index) override {  // the host's levels are those of the last sweep, panels leave no images
    slice_.fetch_layers();
    slice_.stream().synchronize();
    if (in_arrays() && !panel_levels_.empty()) host_.refresh_images();
  }
  void advance(Index k, Index count, Communicator&) override {
    const FlushSubnormals flush;  // emulated devices do as this thread
    const Index unit = panel_levels_.empty() ? 1 : panel_levels_.front();
    for (Index done = 0; done < count;) {
      std::vector<Sweep> chain;
      Index steps = 0;
      for (Index left = count - done; left > 0 && static_cast<Index>(chain.size()) < plan_.sweeps;) {
        const Index sweeps = (left + plan_.steps - 1) / plan_.steps,
                    even = ((left + sweeps - 1) / sweeps + unit - 1) / unit * unit;
        Sweep sweep{steps, static_cast<Index>(chain.size()) * period_,
                    stages_of(std::min(even, left), s_, panel_levels_), 0};
        for (const Stage& stage : sweep.stages) sweep.last_pair ^= stage.kind >= 0 ? 1 : 0;
        chain.push_back(std::move(sweep));
        steps += std::min(even, left);
        left = count - done - steps;
      }
      const double start = seconds_now();
      run(k + done, steps, chain);
      done += steps;
      // The plan knows an H200; a slower device answers as soon.
      const double seconds = seconds_now() - start;
      if (const double most = longest_chain * static_cast<double>(chain.size()) / seconds; seconds > 2 * longest_chain)
        plan_.sweeps = std::clamp<Index>(static_cast<Index>(most), 1, plan_.sweeps);
    }
  }
  bool plane_energies(Index k, std::vector<double>& sums) override {
    if (energies_of_ != k) return false;
    sums.assign(energies_.data(), energies_.data() + 2 * problem_.grid.points[0]);
    return true;
  }
  [[nodiscard]] Index band() const override { return plan_.sweeps * plan_.steps; }
  [[nodiscard]] Index levels() const override { return panel_levels_.empty() ? 1 : panel_levels_.front(); }
  [[nodiscard]] std::pair<Bytes, Bytes> streamed() const override {
    return {ring_.statistics().loaded, ring_.statistics().saved};
  }
  [[nodiscard]] bool streams() const override { return true; }
  [[nodiscard]] Bytes bytes() const override { return slice_.bytes(); }
  [[nodiscard]] std::string text() const override {
    const std::vector<Stage> stages = stages_of(plan_.steps, s_, panel_levels_);
    return fmt::format("{}, window of {} planes over the {}, {} steps at a time{}", slice_.device().info().name,
                       plan_.planes + planes_behind(stages, s_) + planes_ahead(stages, s_),
                       in_arrays() ? "host" : "disk and the host's memory", plan_.steps,
                       panel_levels_.empty() ? "" : fmt::format(", {}", slice_.way()));
  }

 private:
  /// Once they have been written: all threads are faster to touch them than the system, which would do so for one that locks them.
  void lock_arrays() {
    bool locked = true;
    const auto lock_array = [&](const T* values, Index count) {
      locked = ring_.lock(const_cast<T*>(values), static_cast<std::size_t>(count) * sizeof(T)) && locked;
    };
    for (std::size_t n = 0; n < slice_.arrays(); ++n) lock_array(slice_.host_array(n), host_.at().count);
    for (const auto& m : slice_.plane_memory()) lock_array(m.host, problem_.grid.points[0] * m.values);
    if (!locked)
      log::warning(
          "acoustic-fd: the memory of the field cannot be locked; copies to and from the device will be slower");
  }
  using Piece = typename HostPlanes<T>::Piece;
  struct Sweep {
    Index first;  ///< step, counted from the beginning of the chain
    Index low;    ///< its plane 0, counted on from the first sweep's
    std::vector<Stage> stages;
    int last_pair;
  };

  [[nodiscard]] bool in_arrays() const { return rest_ == &arrays_; }
  void place_planes() {
    using Place = typename HostPlanes<T>::Place;
    std::vector<Place> arrays, layers;
    const Index first = slice_.host_plane(host_.at().first).first;
    for (std::size_t n = 0; n < slice_.arrays(); ++n)
      arrays.push_back({const_cast<T*>(slice_.host_array(n)) + first, static_cast<Index>(slice_.plane_values())});
    for (const auto& m : slice_.plane_memory()) layers.push_back({m.host, m.values});
    rest_->place(std::move(arrays), std::move(layers));
  }

  /// Steps k … k+steps−1 of all planes.
  void run(Index k, Index steps, const std::vector<Sweep>& chain) {
    const Index B = plan_.planes, N = problem_.grid.points[0],
                end = chain.back().low + N + s_;  // −s … N + s − 1 of each sweep travel
    Index behind = 0, ahead = 0;
    for (const Sweep& sweep : chain) {
      behind = std::max(behind, planes_behind(sweep.stages, s_));
      ahead = std::max(ahead, planes_ahead(sweep.stages, s_));
    }
    const auto wanted = [&](Index j) {
      return Interval{std::clamp(j * B - behind, -s_, end), std::clamp((j + 1) * B + ahead, -s_, end)};
    };
    // Energies between the last two levels are summed where both levels of a plane and s planes around it are made.
    const bool energies =
        problem_.energy_every > 0 && ((k + steps) % problem_.energy_every == 0 || k + steps == problem_.steps);
    const Index energy_lag = chain.back().stages.back().lag + s_;
    energies_of_ = energies ? k + steps : -1;
    if (const auto count = static_cast<std::size_t>(2 * N); energies && energies_.size() < count)
      energies_ = slice_.device().template pinned<double>(count);
    const Index positions = (chain.back().low + N + energy_lag - (energies ? 0 : s_) + B - 1) / B;
    slice_.work_on(0);
    slice_.begin_band(k, steps);
    if (!panel_levels_.empty()) slice_.begin_panels(k, steps);
    slice_.stream().synchronize();
    ring_.begin();
    std::size_t stages = 0;
    for (const Sweep& sweep : chain) stages += sweep.stages.size();
    for (auto& marks : made_) {
      if (marks.size() < stages) marks.resize(stages);
      for (Mark& mark : marks) mark.set = false;
    }
    // The planes of a stage in position j, behind which nothing is read that is lower than where the slice begins. None of those that
    // go on ends within `levels` · s planes of the last: what is needed up to there has been made.
    const auto part = [&](Index j, const Sweep& sweep, Index lag, Index levels = 0) {
      const auto whole = [&](Index last) { return last > N - s_ * levels ? N : std::max<Index>(last, 0); };
      const Index last = (j + 1) * B - lag - sweep.low;
      return Interval{whole(last - B), whole(last)};
    };
    const auto begin_at = [&](Index j, const Sweep& sweep) {
      const Index lowest = std::max(j * B - behind - sweep.low, -s_);
      slice_.begin_at(lowest, lowest + sweep.low);
    };
    Interval held{-s_, -s_};  // planes that were asked for and have not been sent away
    fetch(chain, held, wanted(0).end);
    for (Index j = 0; j < positions; ++j) {
      const Index next = j + 1 < positions ? wanted(j + 1).end : held.end;
      const int mine = static_cast<int>(j & 1);
      slice_.work_on(mine);
      send_away(chain, held, wanted(j).begin);
      ring_.follow(slice_.stream());
      fetch(chain, held, next);
      std::size_t number = 0;  // of the stage, through all sweeps
      for (const Sweep& sweep : chain) {
        begin_at(j, sweep);
        int pair = 0;
        for (std::size_t m = 0; m < sweep.stages.size(); ++m) {
          const Stage& stage = sweep.stages[m];
          const auto band = static_cast<Index>(m);  // those of the longest panels come first
          const bool goes_on = stage.kind >= 0 && slice_.keeps(static_cast<std::size_t>(stage.kind), band);
          const Interval planes = part(j, sweep, stage.lag, goes_on ? stage.levels : 0);
          slice_.turn(pair);
          if (!planes.empty() && !(goes_on && wait_for(number, 1 - mine)) && number > 0) wait_for(number - 1, 1 - mine);
          if (stage.kind < 0) {
            slice_.update(k + sweep.first + stage.first, planes, slice_.rows());
          } else {
            slice_.panel(static_cast<std::size_t>(stage.kind), k + sweep.first + stage.first, planes, band);
            pair = 1 - pair;
            if (m + 1 == sweep.stages.size() || sweep.stages[m + 1].kind < 0) {
              slice_.turn(pair);
              const Index now = k + sweep.first + stage.first + stage.levels;
              slice_.mirror(now, planes);
              if (energies && now == k + steps) slice_.mirror(now - 1, planes);
            }
          }
          made(number++, mine, !planes.empty());
        }
      }
      if (energies) {
        const Interval planes = part(j, chain.back(), energy_lag);
        begin_at(j, chain.back());
        slice_.turn(chain.back().last_pair);
        wait_for(number - 1, 1 - mine);
        slice_.queue_row_energies(k + steps, planes);
        slice_.queue_plane_energies(planes, nullptr, energies_.data() + 2 * planes.begin);
      }
    }
    send_away(chain, held, held.end);
    for (const int stream : {1, 0}) {
      slice_.work_on(stream);
      slice_.stream().synchronize();
    }
    slice_.end_band();
    ring_.finish();
    rest_->finish();
  }
  /// What follows waits for a stage of the last position of that stream, if it had anything to do.
  bool wait_for(std::size_t number, int stream) {
    const Mark& mark = made_[stream][number];
    if (mark.set) slice_.stream().wait(mark.event);
    return mark.set;
  }
  void made(std::size_t number, int stream, bool anything) {
    Mark& mark = made_[stream][number];
    mark.set = anything;
    if (!anything) return;
    if (!mark.created) mark.event = slice_.device().event();
    mark.created = true;
    slice_.stream().record(mark.event);
  }
  [[nodiscard]] std::size_t values(Index planes) const {
    return static_cast<std::size_t>(planes) * slice_.plane_values();
  }
  [[nodiscard]] Interval inside(Interval planes) const {
    return {std::max<Index>(0, planes.begin), std::min(problem_.grid.points[0], planes.end)};
  }
  /// call(sweep, planes of the grid) for what each sweep has of some planes.
  template <class Call>
  void for_sweeps(const std::vector<Sweep>& chain, Interval planes, Call&& call) {
    for (const Sweep& sweep : chain) {
      const Interval own{std::max(planes.begin - sweep.low, -s_), std::min(planes.end - sweep.low, period_ - s_)};
      if (own.empty()) continue;
      slice_.begin_at(own.begin, own.begin + sweep.low);
      call(sweep, own);
    }
  }
  /// Planes up to `end` come to their places.
  void fetch(const std::vector<Sweep>& chain, Interval& held, Index end) {
    if (end <= held.end) return;
    // When the planes have left that lie there, and the sweep before has brought these back.
    if (const Index there = end - std::min(slice_.room(), period_); there > -s_) ring_.wait_until_left(there);
    const auto layers = slice_.plane_memory();
    for_sweeps(chain, {held.end, end}, [&](const Sweep&, Interval planes) {
      if (!panel_levels_.empty()) {  // panels write no planes beyond the faces
        slice_.turn(1);
        slice_.clear_margins(ring_.coming(), planes);
      }
      rest_->for_pieces(planes, Access::read, ring_.coming(), [&](const Piece& piece) {
        const auto bring = [&](std::size_t n, Interval some) {
          if (some.empty()) return;
          ring_.bring(
              slice_.array(n),
              std::span<const T>(piece.arrays[n] + values(some.begin - piece.planes.begin), values(some.size())),
              slice_.plane_at(some.begin));
        };
        slice_.turn(0);
        for (std::size_t n = 0; n < slice_.arrays(); ++n) bring(n, piece.planes);
        if (!panel_levels_.empty()) {
          slice_.turn(1);
          for (std::size_t n = 0; n < 2; ++n)
            for (const Interval beyond :
                 {Interval{piece.planes.begin, std::min<Index>(piece.planes.end, 0)},
                  Interval{std::max(piece.planes.begin, problem_.grid.points[0]), piece.planes.end}})
              bring(n, beyond);
        }
        for (std::size_t i = 0; i < layers.size(); ++i)
          if (const Interval own = inside(piece.planes); !own.empty())
            ring_.bring(*layers[i].buffer,
                        std::span<const T>(piece.layers[i], static_cast<std::size_t>(own.size() * layers[i].values)),
                        slice_.layer_at(layers[i].axis, own.begin));
      });
    });
    ring_.all_came();
    held.end = end;
  }
  /// Planes below `begin` leave after the steps given out so far.
  void send_away(const std::vector<Sweep>& chain, Interval& held, Index begin) {
    begin = std::min(begin, held.end);
    if (begin <= held.begin) return;
    const int mine = slice_.working_on();
    for (const int stream : {1 - mine, mine}) {
      slice_.work_on(stream);
      ring_.leave_after(slice_.stream());
    }
    const auto layers = slice_.plane_memory();
    for_sweeps(chain, {held.begin, begin}, [&](const Sweep& sweep, Interval planes) {
      rest_->for_pieces(planes, Access::write, ring_.leaving(), [&](const Piece& piece) {
        slice_.turn(sweep.last_pair);
        for (std::size_t n = 0; n < (in_arrays() ? slice_.changing() : slice_.arrays()); ++n)
          ring_.take_away(std::span<T>(piece.arrays[n], values(piece.planes.size())), slice_.array(n),
                          slice_.plane_at(piece.planes.begin));
        for (std::size_t i = 0; i < layers.size(); ++i)
          if (const Interval own = inside(piece.planes); (layers[i].changes || !in_arrays()) && !own.empty())
            ring_.take_away(std::span<T>(piece.layers[i], static_cast<std::size_t>(own.size() * layers[i].values)),
                            *layers[i].buffer, slice_.layer_at(layers[i].axis, own.begin));
      });
    });
    held.begin = begin;
    ring_.left(begin);
  }

  const Problem& problem_;
  Field<T>& host_;
  DevicePlan plan_;
  Index s_;
  Index period_;  ///< planes from sweep to sweep
  DeviceSlice<T> slice_;
  std::vector<Index> panel_levels_;  ///< falling; none: single steps
  PlaneRing ring_;                   ///< what comes and leaves
  PlanesInArrays<T> arrays_;
  HostPlanes<T>* rest_;
  struct Mark {
    Event event;
    bool created = false, set = false;
  };
  std::vector<Mark> made_[2];      ///< stages of the last position of each stream
  PinnedBuffer<double> energies_;  ///< of planes
  Index energies_of_ = -1;         ///< step
  bool locked_ = false;            ///< the host's arrays are
};

}  // namespace conoid::acoustic_fd
