// SPDX-License-Identifier: BSD-3-Clause
// What the engine thread and its clients share: commands one way, state, events and frames the other.
#pragma once

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

#include "engine/session/event_queue.hpp"
#include "engine/session/frame_channel.hpp"
#include "engine/session/session.hpp"

namespace conoid {

/// The client's wishes that the engine has not yet served.
struct Wishes {
  bool stop = false;
  bool checkpoint = false;
  bool paused = false;
  int steps = 0;  ///< single steps to make while paused
};

/// All members may be called from any thread.
class Control final : public SessionPort {
 public:
  // ---- the client's side
  void send(Command command) override;
  [[nodiscard]] SessionState state() const override;
  [[nodiscard]] std::vector<SessionEvent> take_events() override { return events_.take(); }
  [[nodiscard]] std::shared_ptr<const Frame> take_frame() override { return frames_.take(); }
  void want_frames(FrameRequest request, double per_second) override;
  bool wait(std::chrono::milliseconds timeout) override;
  [[nodiscard]] std::filesystem::path folder() const override;

  // ---- the engine's side
  [[nodiscard]] Wishes wishes() const;
  void checkpoint_served();
  void step_served();
  /// Waits until a command or a new wish for frames arrives, or the time is over.
  void sleep_until_wish(std::chrono::milliseconds timeout);
  [[nodiscard]] std::stop_token stop_token() const { return stop_.get_token(); }
  void enter(SessionState state, std::optional<Error> error = {});
  void set_folder(std::filesystem::path folder);
  /// Nothing follows a final state: a solver that was given up may still speak.
  void emit(SessionEvent event);
  [[nodiscard]] FrameChannel& frames() { return frames_; }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  SessionState state_ = SessionState::idle;
  Wishes wishes_;
  bool poked_ = false;
  std::stop_source stop_;
  std::filesystem::path folder_;
  EventQueue events_;
  FrameChannel frames_;
};

}  // namespace conoid
