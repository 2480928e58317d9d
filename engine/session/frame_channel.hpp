// SPDX-License-Identifier: BSD-3-Clause
// Latest-wins channel of frames from the engine to a viewer: neither ever waits for the other.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>

#include "engine/io/frame.hpp"

namespace conoid {

/// One producer, one consumer; all members thread-safe.
class FrameChannel {
 public:
  using Clock = std::chrono::steady_clock;

  /// Viewer: what it wants to see, and at most how often (0 = nothing). Saying the same again changes nothing.
  void want(FrameRequest request, double per_second);
  /// Viewer: the newest frame not yet taken, or null.
  [[nodiscard]] std::shared_ptr<const Frame> take();

  /// Producer: a request if a frame is due now. Due means: the viewer wants frames, its interval has passed, the last
  /// frame was taken, and the time spent on frames, this one included (it should cost what the last one did), stays below
  /// `share` of the time since the channel was opened. When the request has changed the viewer's wish is enough: a person
  /// waits for that picture.
  [[nodiscard]] std::optional<FrameRequest> wanted(double share = 0.015);
  /// Producer: like wanted(), but only the viewer's wish counts (a paused run may spend time freely).
  [[nodiscard]] std::optional<FrameRequest> wanted_when_idle();
  /// Producer: the viewer's wish however often it wants frames, for the last moment of a run: the picture that stays must
  /// be the last one, taken or not.
  [[nodiscard]] std::optional<FrameRequest> wish();
  /// Producer: the viewer asks for something other than what the last frame shows.
  [[nodiscard]] bool wish_is_new();
  /// Producer: hands over a frame and says how long it took to build; `idle`: the time does not count.
  void put(std::shared_ptr<const Frame> frame, double seconds, bool idle = false);

 private:
  [[nodiscard]] bool due(Clock::time_point now) const;

  std::mutex mutex_;
  FrameRequest request_;
  double per_second_ = 0;
  bool changed_ = false;  ///< the request is newer than the last frame
  std::shared_ptr<const Frame> latest_;
  Clock::time_point last_put_{};
  Clock::time_point opened_ = Clock::now();
  double spent_ = 0;
  double last_cost_ = 0;
};

}  // namespace conoid
