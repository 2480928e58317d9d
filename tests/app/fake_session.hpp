// SPDX-License-Identifier: BSD-3-Clause
// A session without an engine: a test puts events and frames in and sees what commands and wishes come out.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/session/session.hpp"

namespace conoid::app::test {

struct FakeState {
  std::mutex mutex;
  SessionState state = SessionState::preparing;
  std::vector<SessionEvent> events;
  std::deque<std::shared_ptr<const Frame>> frames;
  std::vector<Command> commands;
  FrameRequest request;
  double per_second = -1;
  std::filesystem::path folder = "run-folder";

  void set_state(SessionState s, std::optional<Error> error = {}) {
    const std::scoped_lock lock(mutex);
    state = s;
    events.emplace_back(StateEvent{s, std::move(error)});
  }
  void put(SessionEvent event) {
    const std::scoped_lock lock(mutex);
    events.push_back(std::move(event));
  }
  void put(std::shared_ptr<const Frame> frame) {
    const std::scoped_lock lock(mutex);
    frames.push_back(std::move(frame));
  }
};

class FakeSession final : public SessionPort {
 public:
  explicit FakeSession(std::shared_ptr<FakeState> shared) : shared_(std::move(shared)) {}
  void send(Command command) override {
    const std::scoped_lock lock(shared_->mutex);
    shared_->commands.push_back(command);
    if (command == Command::stop) {
      shared_->state = SessionState::stopped;
      shared_->events.emplace_back(StateEvent{SessionState::stopped, {}});
    }
  }
  [[nodiscard]] SessionState state() const override { return shared_->state; }
  [[nodiscard]] std::vector<SessionEvent> take_events() override {
    const std::scoped_lock lock(shared_->mutex);
    return std::exchange(shared_->events, {});
  }
  [[nodiscard]] std::shared_ptr<const Frame> take_frame() override {
    const std::scoped_lock lock(shared_->mutex);
    if (shared_->frames.empty()) return nullptr;
    auto frame = shared_->frames.front();
    shared_->frames.pop_front();
    return frame;
  }
  void want_frames(FrameRequest request, double per_second) override {
    shared_->request = std::move(request);
    shared_->per_second = per_second;
  }
  bool wait(std::chrono::milliseconds) override { return is_final(shared_->state); }
  [[nodiscard]] std::filesystem::path folder() const override { return shared_->folder; }

 private:
  std::shared_ptr<FakeState> shared_;
};

inline std::function<std::unique_ptr<SessionPort>(SessionOptions)> fake_start(std::shared_ptr<FakeState> shared) {
  return [shared](SessionOptions) { return std::make_unique<FakeSession>(shared); };
}

/// A plane of n × n points whose values are all `value`.
inline std::shared_ptr<const Frame> make_frame(std::uint64_t number, double time, Index n, float value) {
  Frame frame;
  frame.number = number;
  frame.step = static_cast<Index>(number);
  frame.value = time;
  FieldInfo info{"pressure", "Pa", FieldKind::signed_value, Association::point, 1, false, "Pressure"};
  FramePart part{"plane", ImageGeometry{{n, n, 1}, {}, {1, 1, 1}}, {}};
  part.fields.push_back(make_field(info, std::vector<float>(static_cast<std::size_t>(n * n), value)));
  frame.parts.push_back(std::move(part));
  return std::make_shared<const Frame>(std::move(frame));
}

}  // namespace conoid::app::test
