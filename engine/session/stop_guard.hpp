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
#include <type_traits>

#include "engine/session/control.hpp"

namespace conoid {

/// Watches the calls of one engine into its solver. When a stop was asked for and a call has not come back in time, it calls
/// `abandon` on a thread of its own, which says that the run has ended: nothing is lost that a checkpoint holds, as after a
/// kill. Either it ends the process, or it returns; then the call, should it ever come back, throws GivenUp.
/// Without `abandon` it does nothing. Writing of results and checkpoints is never cut off.
class StopGuard {
 public:
  using Abandon = std::function<void(const std::string& phase)>;
  /// Thrown out of a call that comes back after it was given up. Somebody may have been told that the run has ended.
  struct GivenUp {};
  /// From the wish to `abandon`, so that a stop ends within five seconds on a machine under load. Several ranks get less: their
  /// launcher takes a second to end them.
  static constexpr std::chrono::milliseconds patience_of(int ranks) {
    return std::chrono::milliseconds(ranks > 1 ? 2500 : 3500);
  }

  StopGuard(const Control& control, Abandon abandon, std::chrono::milliseconds patience = patience_of(1));
  ~StopGuard();
  StopGuard(const StopGuard&) = delete;
  StopGuard& operator=(const StopGuard&) = delete;

  /// Runs one call into the solver. If the guard has given it up meanwhile, this never returns, or throws GivenUp.
  template <class Work>
  std::invoke_result_t<Work> watch(const char* phase, Work&& work) {
    enter(phase);
    try {
      if constexpr (std::is_void_v<std::invoke_result_t<Work>>) {
        work();
        leave();
      } else {
        auto result = work();
        leave();
        return result;
      }
    } catch (const GivenUp&) {
      throw;
    } catch (...) {
      leave();
      throw;
    }
  }

  /// Held while clients are called from inside a solver's call, so that both do not speak at once. Owns nothing once the
  /// call was given up: nobody may be spoken to any more.
  [[nodiscard]] std::unique_lock<std::mutex> hold() {
    std::unique_lock lock(mutex_);
    if (given_up_) lock.unlock();
    return lock;
  }

 private:
  using Clock = std::chrono::steady_clock;
  void enter(const char* phase);
  void leave();
  void look();

  const Control& control_;
  Abandon abandon_;
  const std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool closing_ = false;
  bool given_up_ = false;
  const char* inside_ = nullptr;
  Clock::time_point since_{};
  std::thread thread_;
};

}  // namespace conoid
