// SPDX-License-Identifier: BSD-3-Clause
// A breath is a timer: what is posted is done in one go with what posted it, even by a timer of 0 ms.
#include "render/window/turn.hpp"

#include <QCoreApplication>
#include <QTimer>
#include <memory>
#include <utility>

namespace conoid {
namespace {

constexpr double share = 6;   // ms of a turn, for what comes after it in the same
constexpr int next_turn = 1;  // ms
constexpr int patience = 10;  // turns

struct Turn {
  double spent = 0;  ///< ms
  int depth = 0;     ///< pieces within pieces count once
  int waiting = 0;
  bool breath_is_due = false;
};
thread_local Turn turn;

void when_free(QObject* object, std::function<void()> what, int turns) {
  QTimer::singleShot(next_turn, Qt::PreciseTimer, object, [object, turns, what = std::move(what)]() mutable {
    if (turn_is_taken() && turns > 0) return when_free(object, std::move(what), turns - 1);
    const TurnWork work;
    what();
  });
}

}  // namespace

TurnWork::TurnWork() : begin_(std::chrono::steady_clock::now()) {
  ++turn.depth;
}

TurnWork::~TurnWork() {
  if (--turn.depth > 0) return;
  turn.spent += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin_).count();
  if (std::exchange(turn.breath_is_due, true)) return;
  QTimer::singleShot(next_turn, Qt::PreciseTimer, QCoreApplication::instance(), [] {
    turn.spent = 0;
    turn.breath_is_due = false;
  });
}

bool turn_is_taken() {
  return turn.spent > share;
}

void in_turn_if_free(const std::function<void()>& what) {
  if (turn_is_taken()) return;
  const TurnWork work;
  what();
}

void in_free_turn(QObject* object, std::function<void()> what) {
  // Counted as long as it is kept: it may go with its object.
  ++turn.waiting;
  const std::shared_ptr<void> kept(nullptr, [](void*) { --turn.waiting; });
  when_free(
      object, [kept, what = std::move(what)] { what(); }, patience);
}

int waiting_for_turns() {
  return turn.waiting;
}

}  // namespace conoid
