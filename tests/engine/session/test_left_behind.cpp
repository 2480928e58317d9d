// SPDX-License-Identifier: BSD-3-Clause
// A solver that does not look at a wish to stop is left behind: its session ends, its folder is free when it comes back, and
// the run goes on from its last checkpoint. What a killed run left on disk is gone when it goes on.
// labels: unit
#include <QTest>

#include "engine/session/run_lock.hpp"
#include "tests/engine/session/rod.hpp"

using namespace conoid;

class TestLeftBehind : public QObject {
  Q_OBJECT
 private slots:
  void a_stop_does_not_wait_for_the_solver();
  void scratch_of_a_killed_run_goes();
};

namespace {

bool has_row(const rod::fs::path& run) {
  const std::string rows = rod::rows_of(run / "charts/heat.csv");
  return std::count(rows.begin(), rows.end(), '\n') > 1;
}

}  // namespace

void TestLeftBehind::a_stop_does_not_wait_for_the_solver() {
  // A step of ten seconds that does not look at a wish: nearly three times what the session waits for it.
  const rod::Scratch scratch;
  {
    const auto session = start_session(rod::options(rod::json(3, 10), scratch / "run"));
    QVERIFY(rod::eventually([&] { return session->state() == SessionState::running; }));
    session->send(Command::stop);
    QVERIFY(session->wait(std::chrono::seconds(100)));
    QCOMPARE(session->state(), SessionState::stopped);
    QCOMPARE(rod::summary_text(scratch / "run", "state"), std::string("\"stopped\""));
    bool told = false;
    for (const SessionEvent& event : session->take_events())
      if (const auto* s = std::get_if<StateEvent>(&event)) told = told || s->state == SessionState::stopped;
    QVERIFY(told);
  }
  // The session is gone, the solver is not, and nothing may touch its folder.
  QVERIFY(!RunLock().acquire(scratch / "run").ok());
  QVERIFY(RunLock::is_held(scratch / "run"));
  // It comes back, says nothing more, and the run can go on.
  QVERIFY(rod::eventually([&] { return RunLock().acquire(scratch / "run").ok(); }));
  QVERIFY(!RunLock::is_held(scratch / "run") && !RunLock::is_held(scratch / "none"));
  QCOMPARE(rod::summary_text(scratch / "run", "state"), std::string("\"stopped\""));
  Json quick = read_json(rod::text_of(scratch / "run/case.json"));
  quick["parameters"]["pace"] = 0;
  rod::write_case(scratch / "run/case.json", quick);
  SessionOptions again;
  again.resume = scratch / "run";
  const auto session = start_session(std::move(again));
  QVERIFY(session->wait(std::chrono::seconds(100)));
  QCOMPARE(session->state(), SessionState::finished);
  QVERIFY(has_row(scratch / "run"));
}

void TestLeftBehind::scratch_of_a_killed_run_goes() {
  const rod::Scratch scratch;
  {
    const auto session = start_session(rod::options(rod::json(5), scratch / "run"));
    QVERIFY(session->wait(std::chrono::seconds(100)));
  }
  rod::fs::create_directories(scratch / "run/scratch/conoid-factors-1-1");
  std::ofstream(scratch / "run/scratch/conoid-factors-1-1/factors_a") << "what a solver kept on disk";
  // Halves of replacements that were killed; what only looks like one is someone's.
  const std::vector<std::string> halves = {"summary.json.123.part", "charts/heat.csv.7.part",
                                           "traces/shot-1.sgy.99.part"},
                                 others = {"notes.part", "charts/my.old.part", "traces/a.12b.part"};
  rod::fs::create_directories(scratch / "run/traces");
  for (const auto* some : {&halves, &others})
    for (const std::string& name : *some) std::ofstream(scratch / "run" / name) << "x";
  SessionOptions again;
  again.resume = scratch / "run";
  const auto session = start_session(std::move(again));
  QVERIFY(session->wait(std::chrono::seconds(100)));
  QCOMPARE(session->state(), SessionState::finished);
  QVERIFY(!rod::fs::exists(scratch / "run/scratch"));
  for (const std::string& name : halves) QVERIFY2(!rod::fs::exists(scratch / "run" / name), name.c_str());
  for (const std::string& name : others) QVERIFY2(rod::fs::exists(scratch / "run" / name), name.c_str());
}

QTEST_APPLESS_MAIN(TestLeftBehind)
#include "test_left_behind.moc"
