// SPDX-License-Identifier: BSD-3-Clause
// What the parts of Engine share: clocks, the way out of a stage, and what a run folder says of the case it was begun with.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/core/json.hpp"

namespace conoid {

/// A stop that has waited this long for its checkpoint goes without, if there is an older one.
inline constexpr double checkpoint_patience = 2.5;

/// Thrown through the stages when a stop was asked for before there was anything to keep.
struct StoppedEarly {};

[[nodiscard]] inline double since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Adds the time of a block to a counter, also when the block is left by an exception.
class Stopwatch {
 public:
  explicit Stopwatch(double& total) : total_(total) {}
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() { total_ += since(start_); }

 private:
  double& total_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// What a run said of itself when it began, or was last changed.
[[nodiscard]] Json run_record(const std::filesystem::path& run);
/// Hashes of the cases that a run has gone by: its first, and those that it was changed to.
[[nodiscard]] std::vector<std::string> hashes_of(const Json& record);

}  // namespace conoid
