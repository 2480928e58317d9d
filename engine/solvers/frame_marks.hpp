// SPDX-License-Identifier: BSD-3-Clause
// When a moment of a run is kept as a results frame: the rule of the case, which the session reads, and what a solver may ask of it.
#pragma once

#include <functional>

#include "engine/core/types.hpp"

namespace conoid {

/// Where a run stands after advance().
struct Advanced {
  bool finished = false;
  Index step = 0;    ///< advance() calls so far in the whole run, resumed part included
  Index steps = 0;   ///< planned; 0 = open end
  double value = 0;  ///< time, frequency or iteration
  double share =
      -1;  ///< of the whole run that is done, 0…1, where `steps` is 0 and it is known all the same; negative: it is not
};

/// One rule is in force: `every` steps, else each `interval` of the run's value (time, frequency), else `count` frames
/// over the whole run. The first and the last moment are always kept, by the session. Depends on nothing but where the
/// run stands, so that a resumed run keeps the same moments.
struct Cadence {
  Index every = 0;
  double interval = 0;
  Index count = 20;

  [[nodiscard]] bool keeps_any() const { return every > 0 || interval > 0 || count > 0; }

  struct Moment {
    Index step = 0;
    double value = 0;
    double share = -1;  ///< of the whole run that is done, 0…1; negative: unknown
  };
  [[nodiscard]] static Moment moment(const Advanced& at);

  /// Whether the step from `before` to `now` crossed a mark. With `count` and an unknown length the marks lie ever
  /// wider apart (each a seventh behind the last), which keeps a short run whole and a long one small.
  [[nodiscard]] bool due(const Moment& before, const Moment& now) const;
};

/// The results frames that are still to come, for a solver that takes several steps in one advance(): it ends where one is due, so
/// that frames show the same moments on every machine. Solvers know no rule of their own. One that is made without a rule keeps none.
class FrameMarks {
 public:
  FrameMarks() = default;
  /// `kept`: the moment of the last frame.
  FrameMarks(const Cadence& cadence, const Cadence::Moment& kept) : cadence_(cadence), kept_(kept) {}

  [[nodiscard]] bool due(const Advanced& now) const { return cadence_.due(kept_, Cadence::moment(now)); }
  /// The first step of (from, last] at which one is due, else `last`; `at` says where the run stands after a step.
  [[nodiscard]] Index first_due(Index from, Index last, const std::function<Advanced(Index)>& at) const;

 private:
  Cadence cadence_{0, 0, 0};
  Cadence::Moment kept_;
};

}  // namespace conoid
