// SPDX-License-Identifier: BSD-3-Clause
// Marks along a run.
#include "engine/solvers/frame_marks.hpp"

#include <algorithm>
#include <cmath>

namespace conoid {
namespace {

/// Number of marks up to a point; a point that misses its mark by rounding has reached it.
double marks(double position) {
  return std::floor(position * (1 + 1e-12) + 1e-9);
}

/// Marks at 1, 2, 3 … and then a seventh apart: the count of marks up to `step`.
double widening_marks(Index step) {
  const auto s = static_cast<double>(step);
  return s < 8 ? s : 7 + std::floor(std::log(s / 7) / std::log(8.0 / 7.0) + 1e-9);
}

}  // namespace

Cadence::Moment Cadence::moment(const Advanced& at) {
  return {at.step, at.value,
          at.steps > 0 ? static_cast<double>(at.step) / static_cast<double>(at.steps) : std::min(1.0, at.share)};
}

bool Cadence::due(const Moment& before, const Moment& now) const {
  if (now.step <= before.step) return false;
  if (every > 0) return now.step / every > before.step / every;
  if (interval > 0) return marks(now.value / interval) > marks(before.value / interval);
  if (count <= 0) return false;
  if (now.share < 0) return widening_marks(now.step) > widening_marks(before.step);
  const auto n = static_cast<double>(count);
  return marks(now.share * n) > marks((before.share < 0 ? 0 : before.share) * n);
}

Index FrameMarks::first_due(Index from, Index last, const std::function<Advanced(Index)>& at) const {
  if (last <= from || !due(at(last))) return last;
  // Marks that are crossed stay crossed.
  while (last - from > 1) {
    const Index middle = from + (last - from) / 2;
    (due(at(middle)) ? last : from) = middle;
  }
  return last;
}

}  // namespace conoid
