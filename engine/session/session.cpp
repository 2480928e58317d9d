// SPDX-License-Identifier: BSD-3-Clause
// The transports: a thread of this process, and the calling thread.
#include "engine/session/session.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "engine/cluster/communicator.hpp"
#include "engine/core/left_behind.hpp"
#include "engine/core/log.hpp"
#include "engine/session/control.hpp"
#include "engine/session/engine.hpp"

namespace conoid {
namespace {

class ThreadSession final : public SessionPort {
 public:
  explicit ThreadSession(SessionOptions options) {
    thread_ = std::thread([shared = shared_, given = std::move(options)]() mutable {
      if (!given.abandoned) given.abandoned = [&shared](const StateEvent&) { shared->leave_behind(); };
      {
        const auto alone = single_rank();
        Engine engine(std::move(given), shared->control, *alone);
        static_cast<void>(engine.run());
      }
      shared->end();
    });
  }
  ~ThreadSession() override {
    shared_->control.send(Command::stop);
    if (shared_->wait_is_left_behind())
      thread_.detach();
    else
      thread_.join();
  }
  void send(Command command) override { shared_->control.send(command); }
  [[nodiscard]] SessionState state() const override { return shared_->control.state(); }
  [[nodiscard]] std::vector<SessionEvent> take_events() override { return shared_->control.take_events(); }
  [[nodiscard]] std::shared_ptr<const Frame> take_frame() override { return shared_->control.take_frame(); }
  void want_frames(FrameRequest request, double per_second) override {
    shared_->control.want_frames(std::move(request), per_second);
  }
  bool wait(std::chrono::milliseconds timeout) override { return shared_->control.wait(timeout); }
  [[nodiscard]] std::filesystem::path folder() const override { return shared_->control.folder(); }

 private:
  /// What outlives the session when its solver does not come back.
  struct Shared {
    Control control;
    std::mutex mutex;
    std::condition_variable changed;
    bool ended = false;
    std::unique_ptr<LeftBehind> left_behind;

    void leave_behind() {
      log::warning(
          "it still computes on a thread that nobody waits for; memory and run folder are free when it comes back");
      const std::lock_guard lock(mutex);
      left_behind = std::make_unique<LeftBehind>();
      changed.notify_all();
    }
    void end() {
      std::unique_ptr<LeftBehind> over;
      const std::lock_guard lock(mutex);
      ended = true;
      over = std::move(left_behind);
      changed.notify_all();
    }
    bool wait_is_left_behind() {
      std::unique_lock lock(mutex);
      changed.wait(lock, [this] { return ended || left_behind; });
      return left_behind != nullptr;
    }
  };

  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  std::thread thread_;
};

}  // namespace

std::unique_ptr<SessionPort> start_session(SessionOptions options) {
  return std::make_unique<ThreadSession>(std::move(options));
}

StateEvent run_session_here(SessionOptions options, const std::function<void(SessionPort&)>& drive) {
  Control control;
  const auto cluster = world();
  if (!cluster) return {SessionState::failed, cluster.error()};
  const bool leads = (*cluster)->leads();
  auto tick = [&] {
    if (leads && drive) drive(control);
  };
  Engine engine(std::move(options), control, **cluster, tick);
  StateEvent last = engine.run();
  tick();  // for the last events
  return last;
}

}  // namespace conoid
