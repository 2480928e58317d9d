// SPDX-License-Identifier: BSD-3-Clause
// maxwell-fem on two and four ranks whose groups the case names: the tables of one rank, less memory where fewer groups share it, bad
// numbers told with what fits; a run on processors goes on on a device, and one whose device is lost on processors.
// labels: cli mpi emulated timeout300
#include <QTest>

#include "conoid/config.hpp"
#include "tests/engine/cli/solver_safety.hpp"

using conoid::Json;

namespace {

/// Four frequencies of one band, so that one, two and four groups have rounds of as many.
Json case_of_four() {
  return Json::parse(R"j({
    "conoid": 1, "title": "In groups", "solver": "maxwell-fem",
    "sphere": {"radius": "50 mm", "divisions": 3, "layers": 1},
    "excitation": {"frequencies": {"from": "0.9 GHz", "to": "1.1 GHz", "count": 4}, "theta": "180 deg", "polarisation": "V"},
    "truncation": {"tolerance": 1e-6},
    "output": {"cuts": [{"name": "E plane", "count": 7}]}})j");
}

QStringList on_so_many(int ranks) {
  return {"--launcher",
          QString("mpirun --allow-run-as-root --oversubscribe --mca mpi_yield_when_idle 1 -n %1").arg(ranks)};
}

/// A whole solution at a tolerance of 1e-6: ranks, and devices, pick the directions of a block by thresholds.
const safety::Limits within_tolerance{{"convergence.csv", "iterations", "operator_applications"}, 2e-5};

}  // namespace

class TestMaxwellRanks : public QObject {
  Q_OBJECT
  rod::Scratch scratch_;
  rod::Said conoid(const QStringList& words, const safety::Variables& more = {}) {
    return safety::conoid(scratch_.path(), words + QStringList{"--progress", "none", "--threads", "1"}, more);
  }
  [[nodiscard]] safety::Left left(const char* out) const { return safety::left_by(scratch_ / out); }
  [[nodiscard]] double number(const char* out, const char* name) const {
    return rod::summary_of(scratch_ / out)["numbers"][name]["value"].get<double>();
  }

 private slots:
  void initTestCase() {
    rod::write_case(scratch_ / "case.json", case_of_four());
    COMPARE_EXIT(conoid({"run", "case.json", "--out", "one"}), 0);
  }

  void groups_of_ranks_leave_what_one_rank_leaves() {
    COMPARE_EXIT(conoid(QStringList{"run", "case.json", "--out", "apart"} + on_so_many(2)), 0);
    COMPARE_EXIT(
        conoid(QStringList{"run", "case.json", "--out", "shared", "--set", "compute.groups=1"} + on_so_many(2)), 0);
    COMPARE_EXIT(conoid(QStringList{"run", "case.json", "--out", "pairs", "--set", "compute.groups=2"} + on_so_many(4)),
                 0);
    for (const char* out : {"apart", "shared", "pairs"}) {
      const std::string wrong = safety::difference(left("one"), left(out), within_tolerance);
      QVERIFY2(wrong.empty(), (out + (": " + wrong)).c_str());
    }
    // Two ranks with a frequency each hold whole factors, those that share one hold parts.
    QCOMPARE(number("apart", "factor_memory"), number("one", "factor_memory"));
    for (const char* out : {"shared", "pairs"})
      QVERIFY2(number(out, "factor_memory") < 0.85 * number("one", "factor_memory"), out);
  }

  void more_ranks_than_elements_are_told_and_change_nothing() {
    Json tiny = case_of_four();
    tiny["sphere"] = {{"radius", "50 mm"}, {"divisions", 1}, {"layers", 1}};  // an icosahedron
    tiny["parameters"]["order"] = 1;
    tiny["excitation"] = {{"frequency", "200 MHz"}, {"theta", "30 deg"}, {"polarisation", "V"}};
    rod::write_case(scratch_ / "tiny.json", tiny);
    COMPARE_EXIT(conoid({"run", "tiny.json", "--out", "few"}), 0);
    const rod::Said said = conoid(QStringList{"run", "tiny.json", "--out", "many"} + on_so_many(21));
    COMPARE_EXIT(said, 0);
    QVERIFY(said.says("21 ranks share the 20 elements of S: 1 of them radiate nothing"));
    const std::string wrong = safety::difference(left("few"), left("many"), within_tolerance);
    QVERIFY2(wrong.empty(), wrong.c_str());
    const rod::Said checked = safety::conoid(scratch_.path(), {"check", "tiny.json", "--ranks", "21"});
    COMPARE_EXIT(checked, 0);
    QVERIFY(checked.says("21 ranks share the 20 elements of S"));
  }

  /// One rank of two has a device: they cut S alike, so it takes no part, which is told; where the case asks for devices, the rank without one ends the run.
  void a_rank_without_a_device_is_told() {
#if !CONOID_HAVE_EMULATED
    QSKIP("built without the emulated device");
#endif
    Json one = case_of_four();
    one["excitation"] = {{"frequency", "1 GHz"}, {"theta", "180 deg"}, {"polarisation", "V"}};
    rod::write_case(scratch_ / "single.json", one);
    const auto run = [&](const char* out, const char* loop) {
      QStringList words{"--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1"};
      for (const char* workers : {"emulated", "cpu"}) {
        if (workers == std::string_view("cpu")) words << ":";
        words += QStringList{"-n", "1", safety::program, "run", "single.json", "--out", out, "--progress", "none"};
        words += QStringList{"--threads", "1", "--workers", workers, "--set", QString("truncation.loop=%1").arg(loop)};
      }
      QProcess process;
      rod::prepare(process, scratch_.path()).start("mpirun", words);
      return rod::collect(process);
    };
    const rod::Said told = run("mixed", "auto");
    COMPARE_EXIT(told, 0);
    QVERIFY2(told.says("no device takes part in the radiation, since 1 of the 2 ranks that share a frequency has none"),
             told.err.c_str());
    COMPARE_EXIT(conoid({"run", "single.json", "--out", "alone-cpu"}), 0);
    const std::string wrong = safety::difference(left("alone-cpu"), left("mixed"), within_tolerance);
    QVERIFY2(wrong.empty(), wrong.c_str());
    const rod::Said refused = run("asked", "device");
    QVERIFY2(refused.says("the loop device runs on devices, and none is among the workers"), refused.err.c_str());
  }

  /// Two ranks that share a frequency, each with a device: at a tolerance of 1e-12 the answer of one rank on its processor.
  void ranks_with_a_device_each_leave_what_a_processor_leaves() {
#if !CONOID_HAVE_EMULATED
    QSKIP("built without the emulated device");
#endif
    Json one = case_of_four();
    one["sphere"]["divisions"] = 2;
    one["excitation"] = {{"frequency", "1 GHz"}, {"theta", "180 deg"}, {"polarisation", "V"}};
    one["truncation"]["tolerance"] = 1e-12;
    rod::write_case(scratch_ / "exact.json", one);
    COMPARE_EXIT(conoid({"run", "exact.json", "--out", "exact-one"}), 0);
    const QStringList words{"run",       "exact.json", "--out", "exact-two",
                            "--workers", "emulated",   "--set", "truncation.loop=device"};
    COMPARE_EXIT(conoid(words + on_so_many(2), {{"CONOID_EMULATED", "devices=2"}}), 0);
    for (const char* name : {"echo_VV", "extinction", "scattering"}) {
      const double off = number("exact-two", name) / number("exact-one", name) - 1;
      QVERIFY2(std::abs(off) < 1e-10, qPrintable(QString("%1: %2").arg(name).arg(off)));
    }
    const std::string log = rod::text_of(scratch_ / "exact-two/log.jsonl");
    QVERIFY(log.find("by the devices, as the case asks") != std::string::npos);
  }

  void a_device_that_is_too_small_is_told_before_and_while_it_runs() {
    const QStringList small{
        "--workers", "emulated", "--set", "compute.memory.device=1MiB", "--set", "truncation.loop=device"};
    const rod::Said checked = safety::conoid(scratch_.path(), QStringList{"check", "case.json"} + small);
    COMPARE_EXIT(checked, 0);
    QVERIFY(checked.says("by the processors alone, though the case asks for devices; emulated:0 has no room for one"));
    const rod::Said said = conoid(QStringList{"run", "case.json", "--out", "small"} + small);
    COMPARE_EXIT(said, 0);
    QVERIFY(said.says("takes no part in the radiation: one right-hand side needs"));
    const std::string wrong = safety::difference(left("one"), left("small"), within_tolerance);
    QVERIFY2(wrong.empty(), wrong.c_str());
  }

  void groups_that_do_not_fit_are_told_with_those_that_do() {
    const auto refused = [&](int ranks, const char* groups, const char* why, const char* fits) {
      const rod::Said said =
          conoid(QStringList{"run", "case.json", "--out", "never", "--set", QString("compute.groups=%1").arg(groups)} +
                 on_so_many(ranks));
      return said.exit == 3 && said.says(why) && said.says(fits) && !rod::fs::exists(scratch_ / "never/charts");
    };
    QVERIFY(refused(2, "3", "2 ranks cannot form 3 groups: a group has a rank at least",
                    "0 (as many as the case can use), 1, 2."));
    QVERIFY(refused(4, "9", "4 ranks cannot form 9 groups", "1, 2, 3, 4."));
    QVERIFY(refused(2, "-1", "groups", "0"));
    // A single rank computes all, whatever the case was written for.
    const rod::Said alone = conoid({"run", "case.json", "--out", "alone", "--set", "compute.groups=4"});
    COMPARE_EXIT(alone, 0);
    QVERIFY2(alone.says("4 groups of ranks, and a single rank"), alone.err.c_str());
  }

  void a_run_goes_on_on_a_device_and_after_one_is_lost() {
#if !CONOID_HAVE_EMULATED
    QSKIP("built without the emulated device");
#endif
    const QStringList device{"--set", "truncation.loop=device"};
    COMPARE_EXIT(
        conoid(QStringList{"run", "case.json", "--out", "moved"} + safety::often, safety::stops_in_checkpoint()), 75);
    COMPARE_EXIT(conoid({"resume", "moved", "--workers", "emulated"}), 0);
    std::string wrong = safety::difference(left("one"), left("moved"), within_tolerance);
    QVERIFY2(wrong.empty(), wrong.c_str());
    const QStringList words = QStringList{"run", "case.json", "--out", "lost", "--workers", "emulated"} + device;
    const rod::Said lost = conoid(words + safety::often, {{"CONOID_EMULATED", "fails_after=60"}});
    COMPARE_EXIT(lost, 6);
    QVERIFY2(lost.says("the device is lost"), lost.err.c_str());
    COMPARE_EXIT(conoid({"resume", "lost", "--workers", "emulated"}), 0);
    QCOMPARE(rod::summary_of(scratch_ / "lost")["resumed"].get<int>(), 1);
    wrong = safety::difference(left("one"), left("lost"), within_tolerance);
    QVERIFY2(wrong.empty(), wrong.c_str());
  }
};

QTEST_APPLESS_MAIN(TestMaxwellRanks)
#include "test_maxwell_ranks.moc"
