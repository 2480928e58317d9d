// SPDX-License-Identifier: BSD-3-Clause
// The run model: keeps what a session says, loses nothing at the end, frames stay within their budget.
// labels: unit
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/model/frame_history.hpp"
#include "app/model/run_model.hpp"
#include "engine/core/atomic_file.hpp"
#include "engine/core/log.hpp"
#include "tests/app/fake_session.hpp"

using namespace conoid;
using namespace conoid::app;
using conoid::app::test::FakeState;

class TestRunModel : public QObject {
  Q_OBJECT

 private slots:
  void tables_are_merged_and_replaced() {
    auto shared = std::make_shared<FakeState>();
    RunModel run(test::fake_start(shared));
    run.start({});
    TableInfo info{.id = "energy", .title = "Energy", .columns = {{"t", "s", {}}, {"e", "J", {}}}};
    shared->put(TableEvent{info, 0, {{0, 1}, {1, 2}}});
    shared->put(TableEvent{info, 2, {{2, 3}}});
    run.poll();
    QCOMPARE(run.table("energy")->rows.size(), std::size_t{3});
    QCOMPARE(run.table("energy")->rows[2][1], 3.0);
    shared->put(TableEvent{info, 0, {{5, 6}}});  // a resumed run tells its rows anew
    run.poll();
    QCOMPARE(run.table("energy")->rows.size(), std::size_t{1});
    QVERIFY(run.table("nothing") == nullptr);
  }

  void nothing_is_lost_at_the_end() {
    auto shared = std::make_shared<FakeState>();
    RunModel run(test::fake_start(shared));
    QSignalSpy ended(&run, &RunModel::ended);
    run.start({});
    shared->set_state(SessionState::running);
    run.poll();
    QCOMPARE(run.state(), SessionState::running);
    shared->put(test::make_frame(7, 0.5, 3, 1));
    shared->set_state(SessionState::finished);
    shared->put(NumberEvent{"error", 0.25, "1"});  // told after the state
    run.poll();
    QCOMPARE(ended.count(), 1);
    QCOMPARE(run.state(), SessionState::finished);
    QVERIFY(!run.is_active());
    QCOMPARE(run.numbers().size(), std::size_t{1});
    QCOMPARE(run.frames().size(), std::size_t{1});
    QCOMPARE(run.exit_code(), 0);
    run.send(Command::pause);  // no port any more
    QVERIFY(shared->commands.empty());
  }

  void its_log_has_one_clock() {
    // What the program logs counts from its start, what the run says from the run's: both are of the run.
    QTest::qWait(1500);
    auto shared = std::make_shared<FakeState>();
    RunModel run(test::fake_start(shared));
    run.start({});
    shared->set_state(SessionState::running);
    run.poll();
    conoid::log::info("of the program");
    run.add_log({LogLevel::info, run.elapsed(), "of the run", {}, {}});
    shared->set_state(SessionState::failed, make_error(ErrorCode::not_converged, "diverged", "smaller steps"));
    run.poll();
    QVERIFY(run.log().size() >= 3);
    bool heard = false;
    for (const LogLine& line : run.log()) {
      heard = heard || line.text == "of the program";
      QVERIFY2(line.seconds >= 0 && line.seconds <= run.elapsed() + 0.01,
               (line.text + " at " + std::to_string(line.seconds)).c_str());
    }
    QVERIFY(heard);
  }

  void exit_codes_are_those_of_the_command_line() {
    auto shared = std::make_shared<FakeState>();
    RunModel run(test::fake_start(shared));
    run.start({});
    run.stop();
    QVERIFY(run.is_stopping());
    run.poll();
    QCOMPARE(run.exit_code(), 75);
    shared->state = SessionState::preparing;
    run.start({});
    shared->set_state(SessionState::failed, make_error(ErrorCode::not_converged, "diverged", "smaller steps"));
    run.poll();
    QCOMPARE(run.exit_code(), 5);
    QVERIFY(run.error().has_value());
    QVERIFY(!run.log().empty());
    QCOMPARE(run.log().back().text, std::string("diverged"));
    QCOMPARE(run.log().back().level, LogLevel::error);
  }

  void phases_follow_each_other() {
    auto shared = std::make_shared<FakeState>();
    RunModel run(test::fake_start(shared));
    run.start({});
    ProgressEvent progress;
    for (const char* phase : {"assemble", "assemble", "march"}) {
      progress.progress.phase = phase;
      shared->put(progress);
      run.poll();
    }
    QCOMPARE(run.phases().size(), std::size_t{2});
    QVERIFY(run.phases()[0].finished);
    QVERIFY(!run.phases()[1].finished);
    shared->set_state(SessionState::finished);
    run.poll();
    QVERIFY(run.phases()[1].finished);
  }

  void phases_of_a_finished_run_are_those_of_its_summary() {
    QTemporaryDir folder;
    auto shared = std::make_shared<FakeState>();
    shared->folder = folder.path().toStdString();
    RunModel run(test::fake_start(shared));
    run.start({});
    ProgressEvent progress;
    progress.progress.phase = "solve";  // "assemble" was over before anybody looked
    shared->put(progress);
    run.poll();
    QCOMPARE(run.phases().size(), std::size_t{1});
    QVERIFY(
        write_file_atomically(shared->folder / "summary.json", R"({"phases": {"assemble": 0.25, "solve": 1.5}})").ok());
    shared->set_state(SessionState::finished);
    run.poll();
    QCOMPARE(run.phases().size(), std::size_t{2});
    QCOMPARE(run.phases()[0].name, std::string("assemble"));
    QCOMPARE(run.phases()[1].seconds, 1.5);
    QVERIFY(run.phases()[0].finished && run.phases()[1].finished);
  }

  void big_frames_are_asked_for_one_field_at_a_time() {
    auto shared = std::make_shared<FakeState>();
    RunModel run(test::fake_start(shared));
    run.start({});
    QVERIFY(shared->request.fields.empty());
    QCOMPARE(shared->per_second, RunModel::pictures_per_second);
    run.view("plane", "pressure");
    QVERIFY(shared->request.fields.empty());       // small so far: all fields
    shared->put(test::make_frame(1, 0, 2100, 0));  // 17.6 MB
    run.poll();
    QCOMPARE(shared->request.parts.size(), std::size_t{1});
    QVERIFY(shared->request.fields.contains("pressure"));
    run.view("plane", "velocity");
    QVERIFY(shared->request.fields.contains("velocity"));
  }

  void diagnostics_keep_their_place() {
    auto shared = std::make_shared<FakeState>();
    RunModel run(test::fake_start(shared));
    run.start({});
    shared->put(DiagnosticEvent{make_warning("coarse", "refine", {"case.json", 3, "/grid/spacing"})});
    run.poll();
    QCOMPARE(run.log().back().pointer, std::string("/grid/spacing"));
    QCOMPARE(run.log().back().level, LogLevel::warning);
  }

  void the_history_covers_the_run_within_its_budget() {
    const Index n = 17;
    const Bytes one = static_cast<Bytes>(n * n) * sizeof(float);
    FrameHistory history(one * 11);
    for (int i = 0; i < 1000; ++i) {
      history.add(test::make_frame(static_cast<std::uint64_t>(i), i * 0.1, n, 0));
      QVERIFY(history.bytes() <= one * 11);
      QCOMPARE(history.latest()->number, static_cast<std::uint64_t>(i));
    }
    QCOMPARE(history.at(0)->number, std::uint64_t{0});
    QVERIFY(history.size() >= 4);
    // Even cover: no gap between kept frames exceeds what halving can leave (4 x the mean).
    const double mean = 99.9 / static_cast<double>(history.size() - 1);
    for (std::size_t i = 1; i < history.size(); ++i)
      QVERIFY2(history.at(i)->value - history.at(i - 1)->value < 4 * mean, qPrintable(QString::number(i)));
    history.clear();
    QVERIFY(history.empty());
    history.add(nullptr);
    QVERIFY(history.empty());
  }
};

QTEST_GUILESS_MAIN(TestRunModel)
#include "test_run_model.moc"
