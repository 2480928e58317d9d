// SPDX-License-Identifier: BSD-3-Clause
// What the work given to a stream of a device still uses: leases of windows, places of planes. Each thing is held until the stream has
// come to where it stood when the thing was given; the host waits for that, or another stream does and the host goes on.
#pragma once

#include <deque>
#include <utility>
#include <vector>

#include "engine/team/device.hpp"

namespace conoid {

/// Used by one thread. What is held must not be needed by the destructor of an event.
template <class Thing>
class InFlight {
 public:
  /// Held until the stream has come here.
  void hold(const Device& device, Stream& stream, Thing thing) {
    Event event;
    if (spare_.empty()) {
      event = device.event();
    } else {
      event = std::move(spare_.back());
      spare_.pop_back();
    }
    stream.record(event);
    held_.push_back({std::move(event), std::move(thing)});
  }
  [[nodiscard]] bool empty() const { return held_.empty(); }
  [[nodiscard]] std::size_t size() const { return held_.size(); }
  [[nodiscard]] const Thing& oldest() const { return held_.front().thing; }
  /// Whether the stream has come to where the oldest was given; without waiting.
  [[nodiscard]] bool reached() const { return held_.front().event.reached(); }
  /// What `stream` is given from now on begins after that.
  void let_wait(Stream& stream) const { stream.wait(held_.front().event); }
  /// The oldest is let go without a wait: its stream is past it, or whoever needs its place waits for a later one.
  void drop() {
    spare_.push_back(std::move(held_.front().event));
    held_.pop_front();
  }
  /// Waits for the oldest and lets it go.
  void finish_oldest() {
    held_.front().event.synchronize();
    drop();
  }
  void finish() {
    for (const Held& held : held_) held.event.synchronize();
    while (!held_.empty()) drop();
  }

 private:
  struct Held {
    Event event;
    Thing thing;
  };
  std::deque<Held> held_;
  std::vector<Event> spare_;  ///< marked anew by the next ones
};

}  // namespace conoid
