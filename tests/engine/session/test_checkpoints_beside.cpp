// SPDX-License-Identifier: BSD-3-Clause
// A checkpoint of a large state is copied, and written while the march goes on: on a slow disk, one that is full, at a stop, at a
// kill, and where there is no memory for a copy. Whatever becomes of it, the run goes on to the same bits.
// labels: unit rows timeout300
#include <QTest>

#include <atomic>
#include <cerrno>
#include <optional>

#include "engine/io/system_write.hpp"
#include "engine/session/run_lock.hpp"
#include "tests/all_rows.hpp"
#include "tests/engine/cli/program.hpp"

using namespace conoid;

namespace {

constexpr int cells = 9000000;  // 72 MB: from 64 MiB on a copy is made
constexpr int steps = 24;
constexpr std::size_t block = std::size_t{4} << 20;  // what a checkpoint hands to the system at once

Json large(double every, int n = steps, double pace = 0.01) {
  Json out = rod::json(n, pace, cells);
  out["output"]["checkpoints"]["every_seconds"] = every;
  out["output"]["frames"]["count"] = 0;
  return out;
}

/// Blocks take so many seconds; from the `full_after`-th on there is no room for them.
class SlowDisk {
 public:
  explicit SlowDisk(double seconds, int full_after = -1) {
    set_write_fault([this, seconds, full_after](std::size_t bytes) {
      if (bytes != block) return 0;
      if (full_after >= 0 && blocks_ >= full_after) return ENOSPC;
      ++blocks_;
      std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
      return 0;
    });
  }
  ~SlowDisk() { set_write_fault({}); }
  SlowDisk(const SlowDisk&) = delete;
  SlowDisk& operator=(const SlowDisk&) = delete;
  [[nodiscard]] int blocks() const { return blocks_; }

 private:
  std::atomic<int> blocks_ = 0;
};

StateEvent ended(SessionPort& session) {
  StateEvent last;
  if (!session.wait(std::chrono::seconds(200))) return last;
  for (const SessionEvent& event : session.take_events())
    if (const auto* s = std::get_if<StateEvent>(&event)) last = *s;
  return last;
}

/// One whose solver was left behind holds its folder until that comes back.
bool is_free(const rod::fs::path& folder) {
  return rod::eventually([&] { return RunLock().acquire(folder).ok(); });
}

StateEvent run(SessionOptions options) {
  return ended(*start_session(std::move(options)));
}

int checkpoints_in(const rod::fs::path& folder) {
  int n = 0;
  for (const auto& entry : rod::fs::directory_iterator(folder / "checkpoints"))
    n += entry.path().extension() != ".part" ? 1 : 0;
  return n;
}

}  // namespace

class TestCheckpointsBeside : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase();
  void the_march_goes_on_over_a_slow_disk();
  void without_memory_for_a_copy_it_is_written_in_the_march();
  void the_first_that_nobody_asked_for_is_estimated();
  void a_full_disk_is_said_as_ever();
  void a_stop_leaves_the_one_before();
  void a_failed_run_keeps_it();
  void a_killed_run_goes_on_from_the_one_before();

 private:
  void expect_the_same(const std::string& name);
  rod::Scratch scratch_;
  std::string rows_, numbers_;
};

void TestCheckpointsBeside::initTestCase() {
#if defined(__SANITIZE_THREAD__)
  QSKIP(
      "minutes: each of nine million cells is instrumented; engine/io/test_checkpoint_store has the same copies in "
      "small");
#endif
  QCOMPARE(run(rod::options(large(0.0001), scratch_ / "whole")).state, SessionState::finished);
  rows_ = rod::rows_of(scratch_ / "whole/charts/heat.csv");
  numbers_ = rod::summary_text(scratch_ / "whole", "numbers");  // errors: of all values, to the last bit
}

/// Goes on with a run, without what was in its way, and compares.
void TestCheckpointsBeside::expect_the_same(const std::string& name) {
  QVERIFY(is_free(scratch_ / name));
  SessionOptions again;
  again.resume = scratch_ / name;
  again.flags.threads = 1;
  QCOMPARE(run(std::move(again)).state, SessionState::finished);
  QVERIFY(rod::rows_of(scratch_ / name / "charts/heat.csv") == rows_);
  QCOMPARE(rod::summary_text(scratch_ / name, "numbers"), numbers_);
  rod::fs::remove_all(scratch_ / name);
}

void TestCheckpointsBeside::the_march_goes_on_over_a_slow_disk() {
  {
    const SlowDisk disk(0.05);  // 0.9 s a checkpoint
    QCOMPARE(run(rod::options(large(0.3, steps, 0.05), scratch_ / "slow")).state, SessionState::finished);
  }
  const Json summary = rod::summary_of(scratch_ / "slow");
  const Json& told = summary["checkpoints"];
  QVERIFY2(told["beside_the_march"].get<int>() >= 1, indented_json(summary).c_str());
  QVERIFY(told["bytes"].get<double>() > 8.0 * cells);
  // All that were written beside took 0.9 s and more; of the march each took the time of a copy. The one at the end is in it.
  const int beside = told["beside_the_march"].get<int>();
  const int in_it = told["written"].get<int>() - beside;
  QVERIFY(summary["seconds"]["checkpoints_beside"].get<double>() > 0.85 * beside);
  QVERIFY2(told["copy_seconds"].get<double>() < 0.85, indented_json(summary).c_str());
  QVERIFY2(in_it <= 1, indented_json(summary).c_str());
  const std::string log = rod::text_of(scratch_ / "slow/log.jsonl");
  QVERIFY2(log.find("written beside the march in") != std::string::npos, log.c_str());
  QVERIFY(rod::rows_of(scratch_ / "slow/charts/heat.csv") == rows_);
  // Stopped in mid-run and resumed from a copy.
  {
    const auto session = start_session(rod::options(large(0.1, steps, 0.1), scratch_ / "half"));
    QVERIFY(rod::eventually(
        [&] { return rod::fs::exists(scratch_ / "half/checkpoints") && checkpoints_in(scratch_ / "half") > 0; }));
    session->send(Command::stop);
    QCOMPARE(ended(*session).state, SessionState::stopped);
  }
  expect_the_same("half");
}

void TestCheckpointsBeside::without_memory_for_a_copy_it_is_written_in_the_march() {
  if (!conoid::all_rows()) QSKIP("of all rows");
  SessionOptions options = rod::options(large(0.1), scratch_ / "short");
  options.flags.host = Bytes{150} << 20;  // the rod needs 144 MB
  QCOMPARE(run(std::move(options)).state, SessionState::finished);
  const Json told = rod::summary_of(scratch_ / "short")["checkpoints"];
  QVERIFY2(told["written"].get<int>() > 1 && told["beside_the_march"].get<int>() == 0, compact_json(told).c_str());
  QCOMPARE(rod::summary_text(scratch_ / "short", "numbers"), numbers_);
}

// Steps of more than half a second are kept as they end, where that takes little of the time. Of a checkpoint that was never written
// this is known by its bytes and the disk's rate; there is no memory for a copy here. Later ones go by the time that the first took,
// which is the machine's affair.
void TestCheckpointsBeside::the_first_that_nobody_asked_for_is_estimated() {
  const auto kept = [&](const char* name, int n) -> std::optional<bool> {
    Json json = large(1, 3, 0.7);
    json["rod"]["cells"] = n;
    json["output"].erase("checkpoints");
    SessionOptions options = rod::options(json, scratch_ / name);
    options.flags.host = Bytes{150} << 20;
    if (run(std::move(options)).state != SessionState::finished) return {};
    const std::string log = rod::text_of(scratch_ / name / "log.jsonl");
    // The one at the end may be kept, of which nobody waits for more than half a second.
    return log.find("checkpoint of step 1 in") != std::string::npos ||
           log.find("checkpoint of step 2 in") != std::string::npos;
  };
  QVERIFY(kept("cheap", 1000) == std::optional(true));
  QVERIFY(kept("dear", cells) == std::optional(false));
}

void TestCheckpointsBeside::a_full_disk_is_said_as_ever() {
  if (!conoid::all_rows()) QSKIP("of all rows");
  StateEvent last;
  {
    const SlowDisk disk(0.01, 25);  // in the midst of the second one
    last = run(rod::options(large(0.2, steps, 0.05), scratch_ / "full"));
  }
  QCOMPARE(last.state, SessionState::failed);
  QVERIFY(last.error && last.error->code == ErrorCode::file);
  QVERIFY2(last.error->render().find("No space left") != std::string::npos, last.error->render().c_str());
  QCOMPARE(checkpoints_in(scratch_ / "full"), 1);
  expect_the_same("full");
}

void TestCheckpointsBeside::a_stop_leaves_the_one_before() {
  {
    auto session = start_session(rod::options(large(0.2, steps, 0.1), scratch_ / "stop"));
    QVERIFY(rod::eventually(
        [&] { return rod::fs::exists(scratch_ / "stop/checkpoints") && checkpoints_in(scratch_ / "stop") > 0; }));
    session->send(Command::stop);
    QCOMPARE(ended(*session).state, SessionState::stopped);
  }
  QVERIFY(is_free(scratch_ / "stop"));
  const int before = checkpoints_in(scratch_ / "stop");
  {
    const SlowDisk disk(2);  // 36 s a checkpoint
    SessionOptions again;
    again.resume = scratch_ / "stop";
    again.flags.threads = 1;
    auto session = start_session(std::move(again));
    QVERIFY(rod::eventually([&] { return disk.blocks() > 0; }));
    const auto asked = std::chrono::steady_clock::now();
    session->send(Command::stop);
    QCOMPARE(ended(*session).state, SessionState::stopped);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - asked;
    // One step, 2.5 s of patience, one block that is on its way and one at the end.
    QVERIFY2(took.count() < 9, qPrintable(QString::number(took.count())));
  }
  QVERIFY(is_free(scratch_ / "stop"));
  QCOMPARE(checkpoints_in(scratch_ / "stop"), before);
  for (const auto& entry : rod::fs::directory_iterator(scratch_ / "stop/checkpoints"))
    QVERIFY2(entry.path().extension() != ".part", entry.path().c_str());
  expect_the_same("stop");
}

void TestCheckpointsBeside::a_failed_run_keeps_it() {
  if (!conoid::all_rows()) QSKIP("of all rows");
  Json json = large(0.0001, steps, 0);
  json["parameters"]["fault"] = "divergence";
  json["parameters"]["fault_step"] = 3;
  {
    const SlowDisk disk(0.05);
    QCOMPARE(run(rod::options(json, scratch_ / "fails")).state, SessionState::failed);
  }
  QCOMPARE(checkpoints_in(scratch_ / "fails"), 1);
  Json mended = read_json(rod::text_of(scratch_ / "fails/case.json"));
  mended["parameters"]["fault"] = "none";
  rod::write_case(scratch_ / "fails/case.json", mended);
  expect_the_same("fails");
}

void TestCheckpointsBeside::a_killed_run_goes_on_from_the_one_before() {
  rod::write_case(scratch_ / "case.json", large(0.2, steps, 0.05));
  // Inside the second one's writes and at its last step. By their order: a checkpoint is 18 blocks and an end.
  for (const auto& [name, at] : {std::pair{"write rank-#.bin", 25}, std::pair{"rename step-#.part/", 2}}) {
    if (at == 2 && !conoid::all_rows()) continue;
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("LD_PRELOAD", CONOID_WRITE_FAULTS);
    environment.insert("CONOID_FAULT_KIND", "die");
    environment.insert("CONOID_FAULT_NAME", name);
    environment.insert("CONOID_FAULT_AT", QString::number(at));
    process.setProcessEnvironment(environment);
    rod::prepare(process, scratch_.path())
        .start(CONOID_WITH_HEAT_ROD, {"run", "case.json", "--out", "killed", "--progress", "none", "--threads", "1"});
    COMPARE_EXIT(rod::collect(process), -2);
    QCOMPARE(checkpoints_in(scratch_ / "killed"), 1);
    bool part = false;
    for (const auto& entry : rod::fs::directory_iterator(scratch_ / "killed/checkpoints"))
      part = part || entry.path().extension() == ".part";
    QVERIFY(part);
    // The march had gone on beyond the step that was being written.
    expect_the_same("killed");
  }
}

QTEST_APPLESS_MAIN(TestCheckpointsBeside)
#include "test_checkpoints_beside.moc"
