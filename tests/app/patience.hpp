// SPDX-License-Identifier: BSD-3-Clause
// What a test of the window waits for comes within a minute or not at all: Qt's five seconds are short on a busy machine.
#pragma once

#include <tuple>
#include <utility>

#include <QElapsedTimer>
#include <QTest>

#include "app/model/run_model.hpp"

#undef QTRY_VERIFY
#undef QTRY_COMPARE
#define QTRY_VERIFY(condition) QTRY_VERIFY_WITH_TIMEOUT((condition), 60000)
#define QTRY_COMPARE(value, expected) QTRY_COMPARE_WITH_TIMEOUT((value), expected, 60000)

namespace conoid::app::test {

/// Whether a run comes to an end: it may take whatever a busy machine makes of it, as long as it tells of something new every two minutes.
inline bool comes_to_its_end(const RunModel& run) {
  QElapsedTimer still;
  still.start();
  const auto at = [&run] {
    const ProgressEvent& p = run.progress();
    return std::tuple(run.state(), p.progress.phase, p.progress.done, p.step);
  };
  for (auto before = at(); !is_final(run.state()) && still.elapsed() < 120000; QTest::qWait(50))
    if (auto now = at(); now != before) {
      before = std::move(now);
      still.restart();
    }
  return is_final(run.state());
}

}  // namespace conoid::app::test
