// SPDX-License-Identifier: BSD-3-Clause
// The transports: a thread of this process, and the calling thread.
#include "engine/session/session.hpp"

#include <thread>

#include "engine/cluster/communicator.hpp"
#include "engine/session/control.hpp"
#include "engine/session/engine.hpp"

namespace conoid {
namespace {

class ThreadSession final : public SessionPort {
 public:
  explicit ThreadSession(SessionOptions options) {
    thread_ = std::thread([this, given = std::move(options)]() mutable {
      const auto alone = single_rank();
      Engine engine(std::move(given), control_, *alone);
      static_cast<void>(engine.run());
    });
  }
  ~ThreadSession() override {
    control_.send(Command::stop);
    thread_.join();
  }
  void send(Command command) override { control_.send(command); }
  [[nodiscard]] SessionState state() const override { return control_.state(); }
  [[nodiscard]] std::vector<SessionEvent> take_events() override { return control_.take_events(); }
  [[nodiscard]] std::shared_ptr<const Frame> take_frame() override { return control_.take_frame(); }
  void want_frames(FrameRequest request, double per_second) override {
    control_.want_frames(std::move(request), per_second);
  }
  bool wait(std::chrono::milliseconds timeout) override { return control_.wait(timeout); }
  [[nodiscard]] std::filesystem::path folder() const override { return control_.folder(); }

 private:
  Control control_;
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
