// SPDX-License-Identifier: BSD-3-Clause
// A phase around a function.
#include "engine/solvers/acoustic_bem/ranges.hpp"

#include "engine/solvers/acoustic_bem/kernels/processor.hpp"
#include "engine/team/team.hpp"

namespace conoid::acoustic_bem {
namespace {

class RangePhase final : public Phase {
 public:
  RangePhase(std::string_view name, Index items, Index grain, const std::function<void(Interval)>& body)
      : name_(name), items_(items), grain_(grain), body_(body) {}
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] Index items() const override { return items_; }
  void run(CpuWorker& worker, Interval items) override {
    worker.for_each(items, grain_, [&](Interval chunk, int) {
      const FlushDenormals flush;
      body_(chunk);
    });
  }

 private:
  std::string_view name_;
  Index items_, grain_;
  const std::function<void(Interval)>& body_;
};

}  // namespace

void for_range(Team& team, std::string_view name, Index items, Index grain, double seconds,
               const std::function<void(Interval)>& body) {
  if (seconds < 5e-4 || team.threads() == 1) {
    const FlushDenormals flush;
    body({0, items});
    return;
  }
  RangePhase phase(name, items, grain, body);
  team.run(phase);
}

}  // namespace conoid::acoustic_bem
