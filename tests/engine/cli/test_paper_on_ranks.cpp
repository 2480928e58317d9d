// SPDX-License-Identifier: BSD-3-Clause
// `mpirun -n N conoid bench hydro-fem --paper`: rows of ranks, on processors and on a device each, come once, from the leading rank, and all
// ranks end well.
// labels: cli mpi emulated rows timeout300
#include <QProcess>
#include <QTest>

#include <string>

#include "conoid/config.hpp"
#include "tests/all_rows.hpp"
#include "tests/engine/cli/solver_safety.hpp"

using conoid::Json;

class TestPaperOnRanks : public QObject {
  Q_OBJECT
  rod::Scratch scratch_;

  rod::Said on_ranks(int ranks, const QStringList& words) {
    QStringList all =
        QString("--allow-run-as-root --oversubscribe --mca mpi_yield_when_idle 1 -n %1").arg(ranks).split(' ');
    all += QStringList{CONOID_BIN_DIR "/conoid", "bench", "hydro-fem", "--paper", "--quick"} + words;
    QProcess process;
    process.setWorkingDirectory(QString::fromStdString(scratch_.path().string()));
    process.start("mpirun", all);
    return rod::collect(process, 240000);
  }

 private slots:
  void weak_scaling_over_ranks_stands_beside_the_paper_data() {
    QTest::addColumn<int>("ranks");
    QTest::newRow("two") << 2;
    if (conoid::all_rows()) QTest::newRow("four") << 4;
  }
  void weak_scaling_over_ranks_stands_beside_the_paper() {
    QFETCH(int, ranks);
    const rod::Said said = on_ranks(ranks, {"--json", "--only", "Table 10", "--workers", "cpu:1"});
    COMPARE_EXIT(said, 0);
    const Json rows = Json::parse(said.out)["rows"];
    // As many zones a rank as a thread has alone.
    const std::string name =
        "Table 10, weak scaling: " + std::to_string(ranks) + " ranks, 40×" + (ranks == 2 ? "20" : "40") + " zones";
    double one = 0, all = 0;
    int rows_of_ranks = 0;
    for (const Json& r : rows) {
      if (r["name"] == "Table 10, weak scaling: 1 thread, 20×20 zones") one = r["value"].get<double>();
      if (r["name"] == name) all = r["value"].get<double>();
      if (r["name"].get<std::string>().find(" ranks") != std::string::npos) ++rows_of_ranks;
    }
    QVERIFY2(one > 0 && all > 0, said.out.c_str());
    QCOMPARE(rows_of_ranks, 1);
  }

  void ranks_stand_beside_the_papers_twelve() {
#if !CONOID_HAVE_EMULATED
    QSKIP("built without the emulated device");
#endif
    const rod::Said said = on_ranks(
        2, {"--json", "--only", "Table 9, triple point Q3-Q2: corner force, 2 ranks", "--workers", "emulated"});
    COMPARE_EXIT(said, 0);
    const Json rows = Json::parse(said.out)["rows"];
    QCOMPARE(rows.size(), std::size_t(2));
    for (const Json& r : rows) {
      QVERIFY2(r["value"].get<double>() > 0, said.out.c_str());
      const bool devices = r["name"].get<std::string>().find("a device each") != std::string::npos;
      QCOMPARE(r["published"].get<double>(), devices ? 2.8 : 6.9);
    }
  }

  void what_no_rank_has_is_told_once() {
    const rod::Said said = on_ranks(2, {"--only", "Table 6"});
    COMPARE_EXIT(said, 2);
    const auto first = said.err.find("Table 6");
    QVERIFY2(first != std::string::npos && said.err.find("Table 6", first + 1) == std::string::npos, said.err.c_str());
  }
};

QTEST_APPLESS_MAIN(TestPaperOnRanks)
#include "test_paper_on_ranks.moc"
