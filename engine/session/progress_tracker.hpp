// SPDX-License-Identifier: BSD-3-Clause
// Turns a solver's progress calls into one state to show, and into wall seconds a phase.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/progress.hpp"

namespace conoid {

/// Used from the engine thread only. `on_change` is called after every change; the receiver thins.
class ProgressTracker final : public Progress {
 public:
  using Clock = std::chrono::steady_clock;

  explicit ProgressTracker(std::function<void()> on_change = [] {}) : on_change_(std::move(on_change)) {}

  void begin(std::string_view phase, Index total, std::string_view unit) override;
  void at(Index done) override;
  void computed(double items, std::string_view item_name) override;
  void residual(double criterion, double target) override;
  void end() override;

  [[nodiscard]] const ProgressState& state() const { return state_; }
  /// Wall seconds of every phase so far, in order of first appearance, the open one included.
  [[nodiscard]] std::vector<std::pair<std::string, double>> phases() const;
  /// Adds time that was measured elsewhere (checkpoints, frames, an earlier part of a resumed run).
  void add(std::string_view phase, double seconds);
  /// Seconds left in the open phase, by its own count; absent where that would be a guess.
  [[nodiscard]] std::optional<double> seconds_left() const;
  /// All that were computed in this session, in every phase.
  [[nodiscard]] double items() const { return items_; }
  [[nodiscard]] const std::string& item_name() const { return item_; }

 private:
  [[nodiscard]] double since_begin() const { return std::chrono::duration<double>(Clock::now() - begun_).count(); }

  std::function<void()> on_change_;
  ProgressState state_;
  bool open_ = false;
  Clock::time_point begun_{};
  Index first_ = -1;  ///< count at the first report of the open phase: a resumed march does not start at 0
  double items_ = 0;
  std::string item_;
  double items_told_ = 0;  ///< of them when the rate of the state was last told
  Clock::time_point told_at_{};
  std::vector<std::pair<std::string, double>> seconds_;
};

}  // namespace conoid
