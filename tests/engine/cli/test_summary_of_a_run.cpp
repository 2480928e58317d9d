// SPDX-License-Identifier: BSD-3-Clause
// What a run says of itself when it ends: one march among its phases, what they were expected to take beside what they took, a rate
// that is what was computed over the time of the march, no frame before there is a field to show, nor the same one twice.
// labels: cli timeout300

#include <algorithm>
#include <cmath>

#include "tests/engine/cli/solver_safety.hpp"

class TestSummaryOfARun : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() {
    for (const QString& solver : safety::solvers())
      COMPARE_EXIT(safety::conoid(scratch_.path(), safety::run_line(solver, solver)), 0);
  }
  void phases_have_one_march_data() { rows(); }
  void phases_have_one_march() {
    QFETCH(QString, solver);
    std::vector<std::string> marches;
    double all = 0;
    const conoid::Json summary = rod::summary_of(scratch_ / solver.toStdString());
    for (const auto& [name, seconds] : summary["phases"].items()) {
      all += seconds.get<double>();
      if (name.find("march") != std::string::npos) marches.push_back(name);
    }
    QCOMPARE(marches, std::vector<std::string>{"march"});
    QVERIFY(all <= 1.01 * summary["seconds"]["total"].get<double>());
  }
  /// A phase that is priced is one that the run tells, and no second is counted twice.
  void phases_took_what_was_foreseen_or_not_data() { rows(); }
  void phases_took_what_was_foreseen_or_not() {
    QFETCH(QString, solver);
    const conoid::Json summary = rod::summary_of(scratch_ / solver.toStdString());
    QVERIFY(summary.contains("foreseen"));
    const conoid::Json& foreseen = summary["foreseen"];
    QVERIFY(foreseen["seconds"].get<double>() > 0 && !foreseen["phases"].empty());
    double taken = 0, expected = 0, all = 0;
    for (const auto& [name, seconds] : summary["phases"].items()) all += seconds.get<double>();
    for (const auto& [name, times] : foreseen["phases"].items()) {
      taken += times["taken"].get<double>();
      expected += times["foreseen"].get<double>();
      QVERIFY2(times["foreseen"].get<double>() >= 0, name.c_str());
      QVERIFY2(times["taken"].get<double>() > 0 || times["foreseen"].get<double>() == 0, name.c_str());
    }
    QVERIFY(taken <= 1.0001 * all);
    QVERIFY(expected <= 1.0001 * foreseen["seconds"].get<double>());
  }
  void the_rate_is_items_over_the_march_data() { rows(); }
  void the_rate_is_items_over_the_march() {
    QFETCH(QString, solver);
    const conoid::Json summary = rod::summary_of(scratch_ / solver.toStdString());
    const auto number = [&](const char* name) { return summary["numbers"][name]["value"].get<double>(); };
    double items = 0;
    if (solver == "hydro-fem") items = number("zones") * (number("steps_accepted") + number("steps_repeated"));
    if (solver == "acoustic-fd") {
      QFile file(safety::case_of(solver));
      QVERIFY(file.open(QIODevice::ReadOnly));
      const conoid::Json json = conoid::read_json(file.readAll().toStdString());
      items = summary["steps"].get<double>();
      for (const conoid::Json& n : json["grid"]["points"]) items *= n.get<double>();
    }
    if (items == 0) QSKIP("the solver tells no items");
    const double told = summary["rate"]["items_per_second"].get<double>() * summary["seconds"]["march"].get<double>();
    QVERIFY2(std::abs(told / items - 1) < 0.02, qPrintable(QString("%1 for %2").arg(told).arg(items)));
  }
  void no_frame_is_empty_or_twice_there_data() { rows(); }
  void no_frame_is_empty_or_twice_there() {
    QFETCH(QString, solver);
    const safety::Left left = safety::left_by(scratch_ / solver.toStdString());
    QVERIFY(!left.frames.empty());
    for (std::size_t f = 0; f < left.frames.size(); ++f) {
      const conoid::Frame& frame = left.frames[f];
      const QByteArray which = "frame " + QByteArray::number(static_cast<int>(f));
      if (f > 0 && frame.value == left.frames[f - 1].value)
        QVERIFY2(!safety::frame_difference(frame, left.frames[f - 1], 0).empty(), which.constData());
      float largest = 0;
      for (const auto& part : frame.parts)
        for (const auto& field : part.fields)
          for (const float value : *field.values) largest = std::max(largest, std::abs(value));
      // Solvers of one frequency after another have nothing to show before the first one.
      if (solver == "elastic-bem" || solver == "maxwell-fem") QVERIFY2(largest > 0, which.constData());
    }
  }

  /// Elements of order 1, too coarse: the optical theorem is missed although the iteration ends where it was asked to.
  void a_check_that_is_missed_names_its_cause() {
    rod::write_case(scratch_ / "coarse.json", conoid::Json::parse(R"j({
      "conoid": 1, "title": "Coarse", "solver": "maxwell-fem",
      "sphere": {"radius": "50 mm", "divisions": 3, "layers": 2},
      "excitation": {"frequency": "2 GHz", "theta": "40 deg", "phi": "20 deg", "polarisation": "V"},
      "parameters": {"order": 1}, "truncation": {"tolerance": 1e-6},
      "output": {"cuts": [{"name": "E plane", "count": 3}]}})j"));
    COMPARE_EXIT(safety::conoid(scratch_.path(), {"run", "coarse.json", "--out", "coarse", "--progress", "none"}), 0);
    const conoid::Json said = rod::summary_of(scratch_ / "coarse");
    QVERIFY(said["numbers"]["optical_theorem_mismatch"]["value"].get<double>() > 1e-2);
    const std::string text = said["texts"]["optical_theorem"];
    QVERIFY2(text.find("the iteration has converged, so elements are too coarse (parameters.order 2 takes fewer)") !=
                 std::string::npos,
             text.c_str());
  }

 private:
  static void rows() {
    QTest::addColumn<QString>("solver");
    for (const QString& solver : safety::solvers()) QTest::newRow(qPrintable(solver)) << solver;
  }
  rod::Scratch scratch_;
};

QTEST_APPLESS_MAIN(TestSummaryOfARun)
#include "test_summary_of_a_run.moc"
