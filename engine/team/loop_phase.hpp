// SPDX-License-Identifier: BSD-3-Clause
// A phase around a function, for loops whose body is a few lines.
#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include "engine/core/types.hpp"
#include "engine/team/phase.hpp"

namespace conoid {

/// Runs body(chunk) for chunks of at most `grain` of its items, on the threads of each worker; processors only. `name` outlives it.
class LoopPhase final : public Phase {
 public:
  LoopPhase(std::string_view name, Index items, Index grain, std::function<void(Interval)> body)
      : name_(name), items_(items), grain_(grain), body_(std::move(body)) {}
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] Index items() const override { return items_; }
  void run(CpuWorker& worker, Interval items) override {
    worker.for_each(items, grain_, [this](Interval chunk, int) { body_(chunk); });
  }

 private:
  std::string_view name_;
  Index items_, grain_;
  std::function<void(Interval)> body_;
};

}  // namespace conoid
