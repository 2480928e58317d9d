// SPDX-License-Identifier: BSD-3-Clause
// A run that is paused, stepped, stopped and resumed leaves the same bits as one that was left alone.
// labels: unit
#include <QTest>

#include <algorithm>

#include "tests/engine/session/rod.hpp"

using namespace conoid;

class TestSplitEqualsUnsplit : public QObject {
  Q_OBJECT
 private slots:
  void pause_step_stop_resume();
  void stopped_before_the_first_step();
  void damaged_checkpoints_are_skipped();
};

namespace {

bool run_to_end(SessionOptions options, SessionState wanted) {
  const auto session = start_session(std::move(options));
  return session->wait(std::chrono::seconds(60)) && session->state() == wanted;
}

Index step_of(SessionPort& port, Index& step) {
  for (const SessionEvent& event : port.take_events())
    if (const auto* p = std::get_if<ProgressEvent>(&event)) step = p->step;
  return step;
}

}  // namespace

void TestSplitEqualsUnsplit::pause_step_stop_resume() {
  const rod::Scratch scratch;
  constexpr int steps = 1000;  // 2 s at the pace below: it is asked to stop long before the end
  const Json whole = rod::json(steps);
  QVERIFY(run_to_end(rod::options(whole, scratch / "whole"), SessionState::finished));

  SessionOptions split = rod::options(rod::json(steps, 0.002), scratch / "split");
  split.start_paused = true;
  {
    const auto session = start_session(std::move(split));
    QVERIFY(rod::eventually([&] { return session->state() == SessionState::paused; }));
    for (int i = 0; i < 7; ++i) session->send(Command::step);
    Index step = 0;
    QVERIFY(rod::eventually([&] { return step_of(*session, step) == 7; }));
    QVERIFY(rod::eventually([&] { return session->state() == SessionState::paused; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    QCOMPARE(step_of(*session, step), Index(7));
    session->send(Command::resume);
    QVERIFY(rod::eventually([&] { return step_of(*session, step) > 60; }));
    session->send(Command::stop);
    QVERIFY(session->wait(std::chrono::seconds(100)));
    QCOMPARE(session->state(), SessionState::stopped);
  }
  const Json half = rod::summary_of(scratch / "split");
  QVERIFY(half["steps"] < steps);
  SessionOptions again;
  again.resume = scratch / "split";
  again.flags.threads = 1;
  QVERIFY(run_to_end(std::move(again), SessionState::finished));

  QCOMPARE(rod::rows_of(scratch / "split/charts/heat.csv"), rod::rows_of(scratch / "whole/charts/heat.csv"));
  const Json a = rod::summary_of(scratch / "whole");
  const Json b = rod::summary_of(scratch / "split");
  QCOMPARE(compact_json(b["numbers"]), compact_json(a["numbers"]));
  QCOMPARE(compact_json(b["frames"]), compact_json(a["frames"]));
  QCOMPARE(b["steps"].get<int>(), steps);
  QCOMPARE(b["resumed"].get<int>(), 1);
  QVERIFY(a["numbers"]["rounding"]["value"].get<double>() < 1e-12);
}

void TestSplitEqualsUnsplit::stopped_before_the_first_step() {
  const rod::Scratch scratch;
  SessionOptions options = rod::options(rod::json(20), scratch / "run");
  options.start_paused = true;
  {
    const auto session = start_session(std::move(options));
    QVERIFY(rod::eventually([&] { return session->state() == SessionState::paused; }));
    session->send(Command::stop);
    QVERIFY(session->wait(std::chrono::seconds(5)));
    QCOMPARE(session->state(), SessionState::stopped);
  }
  SessionOptions again;
  again.resume = scratch / "run";
  QVERIFY(run_to_end(std::move(again), SessionState::finished));
  QVERIFY(run_to_end(rod::options(rod::json(20), scratch / "whole"), SessionState::finished));
  QCOMPARE(rod::rows_of(scratch / "run/charts/heat.csv"), rod::rows_of(scratch / "whole/charts/heat.csv"));
}

void TestSplitEqualsUnsplit::damaged_checkpoints_are_skipped() {
  const rod::Scratch scratch;
  Json json = rod::json(400, 0.002);
  {
    const auto session = start_session(rod::options(json, scratch / "run"));
    Index step = 0;
    QVERIFY(rod::eventually([&] { return step_of(*session, step) > 40; }));
    session->send(Command::checkpoint);
    QVERIFY(rod::eventually([&] { return step_of(*session, step) > 120; }));
    session->send(Command::stop);
    QVERIFY(session->wait(std::chrono::seconds(5)));
  }
  std::vector<rod::fs::path> checkpoints;
  for (const auto& entry : rod::fs::directory_iterator(scratch / "run/checkpoints"))
    checkpoints.push_back(entry.path());
  std::sort(checkpoints.begin(), checkpoints.end());
  QCOMPARE(checkpoints.size(), std::size_t(2));
  {
    std::fstream file(checkpoints.back() / "rank-0.bin", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(100);
    file.put('\x55');
  }
  SessionOptions again;
  again.resume = scratch / "run";
  const auto session = start_session(std::move(again));
  QVERIFY(session->wait(std::chrono::seconds(30)));
  QCOMPARE(session->state(), SessionState::finished);
  bool named = false;
  for (const SessionEvent& event : session->take_events())
    if (const auto* d = std::get_if<DiagnosticEvent>(&event))
      named = named || d->diagnostic.render().find(checkpoints.back().filename().string()) != std::string::npos;
  QVERIFY2(named, "the damaged checkpoint is named in a warning");
  QVERIFY(run_to_end(rod::options(rod::json(400), scratch / "whole"), SessionState::finished));
  QCOMPARE(rod::rows_of(scratch / "run/charts/heat.csv"), rod::rows_of(scratch / "whole/charts/heat.csv"));
}

QTEST_APPLESS_MAIN(TestSplitEqualsUnsplit)
#include "test_split_equals_unsplit.moc"
