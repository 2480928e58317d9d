// SPDX-License-Identifier: BSD-3-Clause
// Work of the team on planes, or levels, that do not depend on each other.
#pragma once

#include "engine/solvers/acoustic_fd/stepping/field.hpp"
#include "engine/solvers/acoustic_fd/stepping/march.hpp"
#include "engine/team/team.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace conoid::acoustic_fd {

/// A loop over x-planes, or levels, as a phase of the team.
class PlanesPhase final : public Phase {
 public:
  using Body = std::function<void(Index n)>;
  PlanesPhase(std::string_view name, Interval planes, Bytes bytes_a_plane, Body body)
      : name_(name), planes_(planes), bytes_(bytes_a_plane), body_(std::move(body)) {}
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] Index items() const override { return planes_.size(); }
  [[nodiscard]] Bytes bytes(Interval items) const override { return static_cast<Bytes>(items.size()) * bytes_; }
  void run(CpuWorker& worker, Interval items) override {
    worker.for_each({planes_.begin + items.begin, planes_.begin + items.end}, 1, [&](Interval some, int) {
      for (Index n = some.begin; n < some.end; ++n) body_(n);
    });
  }

 private:
  std::string_view name_;
  Interval planes_;
  Bytes bytes_;
  Body body_;
};

/// Plane x of a field, counted from its first, as visitors see it.
template <class T>
March::PlaneView plane_view(Field<T>& field, Index k, Index x) {
  const Index at = field.at().at(x, 0);
  March::PlaneView out{field.level(k) + at, field.level(k - 1) + at, field.at().stride_y, {}};
  for (std::size_t l = 0; l < field.relaxations(); ++l) out.memory[l] = field.memory_of(l) + at;
  return out;
}

/// What was recorded in the band that has ended, level by level; by the team where it is much.
template <class T>
void add_records(const Field<T>& field, Team& team, std::vector<std::vector<double>>& samples) {
  constexpr Index worth_sharing = Index{1} << 20;  // bytes, in a third of a millisecond
  const Index levels = field.recorded_levels(), first = static_cast<Index>(samples.size());
  samples.resize(samples.size() + static_cast<std::size_t>(levels));
  const auto add = [&](Index n) { samples[static_cast<std::size_t>(first + n)] = field.recorded(n); };
  if (levels * field.record_bytes() < worth_sharing) {
    for (Index n = 0; n < levels; ++n) add(n);
    return;
  }
  PlanesPhase phase("record", {0, levels}, static_cast<Bytes>(field.record_bytes()), add);
  team.run(phase);
}

}  // namespace conoid::acoustic_fd
