// SPDX-License-Identifier: BSD-3-Clause
// Work on the thread of the widgets, one piece in a turn of the event loop.
#pragma once

#include <chrono>
#include <functional>

class QObject;

namespace conoid {

/// A piece of work on the thread of the widgets, from here to the end of its scope. Pieces of 20 ms each are no absence of 100 ms where the event
/// loop looks at keys and mouse in between: what can wait asks turn_is_taken() first, or is given to in_free_turn().
class TurnWork {
 public:
  TurnWork();
  TurnWork(const TurnWork&) = delete;
  TurnWork& operator=(const TurnWork&) = delete;
  ~TurnWork();

 private:
  std::chrono::steady_clock::time_point begin_;
};

/// Whether pieces of work have taken more than a few milliseconds since the event loop last took a breath.
[[nodiscard]] bool turn_is_taken();

/// Does `what` as a piece of work now, unless the turn is taken: for timers, which come again.
void in_turn_if_free(const std::function<void()>& what);

/// Does `what` as a piece of work in one of the next turns of the event loop, one that nothing else has taken; those that wait keep their order.
/// Not if `object` has gone. Where the turns are taken again and again it is done all the same, after a tenth of a second or two.
void in_free_turn(QObject* object, std::function<void()> what);

/// How many pieces of work wait for their turn on this thread.
[[nodiscard]] int waiting_for_turns();

}  // namespace conoid
