// SPDX-License-Identifier: BSD-3-Clause
// Signals to a running computation, handled on a thread of their own.
#pragma once

#include <atomic>
#include <functional>
#include <stop_token>
#include <thread>

namespace conoid::cli {

/// While it lives: the first SIGINT and every SIGTERM, SIGHUP (unless ignored, as by nohup) and SIGPIPE ask for a stop, SIGUSR1 for a checkpoint, a second SIGINT ends the
/// process at once. One object at a time in a process. A failed write beyond a file-size limit is an error, not a death.
class SignalWatch {
 public:
  /// `on_stop` is called once, at the first wish to stop, on a thread of its own.
  explicit SignalWatch(std::function<void()> on_stop = {});
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  [[nodiscard]] std::stop_token stop() const { return stop_.get_token(); }
  /// A checkpoint was asked for since the last call.
  [[nodiscard]] bool take_checkpoint_wish() { return checkpoint_.exchange(false); }

 private:
  void listen();

  std::function<void()> on_stop_;
  std::stop_source stop_;
  std::atomic<bool> checkpoint_ = false;
  int pipe_[2] = {-1, -1};
  std::thread thread_;
};

}  // namespace conoid::cli
