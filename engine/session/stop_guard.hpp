// SPDX-License-Identifier: BSD-3-Clause
// A stop that does not depend on the solver: a long call of a library (a factorisation, say) cannot look at the wish.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "engine/session/control.hpp"

namespace conoid {

/// Watches the calls of one engine into its solver. When a stop was asked for and a call has not come back in time, it calls
/// `abandon` on a thread of its own, which must end the process: nothing is lost that a checkpoint holds, as after a kill.
/// Without `abandon` it does nothing. Writing of results and checkpoints is never cut off.
class StopGuard {
 public:
  using Abandon = std::function<void(const std::string& phase)>;
  /// From the wish to the end of the process, so that a stop ends within five seconds on a machine under load.
  static constexpr std::chrono::milliseconds patience{3500};

  StopGuard(const Control& control, Abandon abandon);
  ~StopGuard();
  StopGuard(const StopGuard&) = delete;
  StopGuard& operator=(const StopGuard&) = delete;

  /// Runs one call into the solver. If the guard has given it up meanwhile, this never returns.
  template <class Work>
  auto watch(const char* phase, Work&& work) {
    const Call call(*this, phase);
    return work();
  }

  /// Held while clients are called from inside a solver's call, so that both do not speak at once.
  [[nodiscard]] std::unique_lock<std::mutex> hold() { return std::unique_lock(mutex_); }

 private:
  using Clock = std::chrono::steady_clock;
  class Call {
   public:
    Call(StopGuard& guard, const char* phase) : guard_(guard) { guard_.enter(phase); }
    ~Call() { guard_.enter(nullptr); }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    StopGuard& guard_;
  };
  void enter(const char* phase);
  void look();

  const Control& control_;
  Abandon abandon_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool closing_ = false;
  const char* inside_ = nullptr;
  Clock::time_point since_{};
  std::thread thread_;
};

}  // namespace conoid
