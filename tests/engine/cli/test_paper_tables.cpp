// SPDX-License-Identifier: BSD-3-Clause
// `conoid bench SOLVER --paper`: the source's numbers stand beside this machine's, row by row.
// labels: cli
#include <QTest>

#include "tests/engine/cli/solver_safety.hpp"

using conoid::Json;

class TestPaperTables : public QObject {
  Q_OBJECT

  rod::Scratch scratch_;

  Json rows(const QStringList& words) {
    const rod::Said said =
        safety::conoid(scratch_.path(), QStringList{"bench"} + words + QStringList{"--paper", "--quick", "--json"});
    if (said.exit != 0) qFatal("%s", said.err.c_str());
    return Json::parse(said.out)["rows"];
  }
  static Json row(const Json& rows, const std::string& name) {
    for (const Json& r : rows)
      if (r["name"] == name) return r;
    return {};
  }

 private slots:
  void operations_of_the_radiation_are_counted_as_published() {
    const Json found = rows({"maxwell-fem", "--only", "Table 2"});
    QCOMPARE(found.size(), std::size_t(15));
    const Json most = row(found, "Table 2: innermost loop (1), numS 32576, RHS 1000");
    QCOMPARE(most["published"].get<double>(), 23161.54);
    // 36 pairs of points a pair of elements, 32 flops each; the source counts 1.79 times less.
    QVERIFY(std::abs(most["value"].get<double>() - 1272.0 * 32576 * 36 * 32 * 1000 / 1e9) < 1);
  }

  void loops_are_timed_beside_published_times() {
    const Json found = rows({"maxwell-fem", "--only", "Table 1: loops, one core, numS 1572, RHS 1"});
    const Json one = row(found, "Table 1: loops, one core, numS 1572, RHS 1");
    QCOMPARE(one["published"].get<double>(), 7.28);
    QVERIFY(one["value"].get<double>() > 0.05 && one["value"].get<double>() < 100);
    QVERIFY(std::abs(one["ratio"].get<double>() * one["value"].get<double>() - 7.28) < 1e-3);
    // Linear in numS, as the source's: its times of 3432 and 1572 have the ratio 2.168, the sizes 2.183.
    QVERIFY(one["limited_by"].get<std::string>().find("elements of S") != std::string::npos);
  }

  void samples_of_the_soil_are_those_published() {
    const Json found = rows({"elastic-bem", "--only", "Table 3.1"});
    QCOMPARE(found.size(), std::size_t(5));
    for (const Json& r : found) QCOMPARE(r["value"].get<double>(), r["published"].get<double>());
  }

  /// What single precision leaves of H and G, on processors and on a device: of the norm some units of the last digit; a device in double
  /// is off by that of double.
  void errors_of_the_soil_are_those_of_the_precision() {
    const Json found = rows({"elastic-bem", "--only", "Fig. 3.2", "--workers", "emulated,cpu:1"});
    QCOMPARE(found.size(), std::size_t(12));  // three samples, H and G, processors and the device
    for (const Json& r : found) {
      const double of_norm = std::stod(r["source"].get<std::string>());
      QVERIFY2(of_norm > 1e-8 && of_norm < 5e-6, r.dump().c_str());
    }
    const Json there = rows({"elastic-bem", "--only", "Fig. 3.4", "--workers", "emulated,cpu:1"});
    QCOMPARE(there.size(), std::size_t(6));
    for (const Json& r : there) QVERIFY2(std::stod(r["source"].get<std::string>()) < 1e-14, r.dump().c_str());
  }

  void rates_of_towers_stand_beside_what_the_source_says_of_its_figures() {
    const Json found = rows({"acoustic-fd", "--only", "Fig. 1"});
    // By the beginning of its name: on however many threads.
    const auto last = [&](const std::string& beginning) {
      Json out;
      for (const Json& r : found)
        if (r["name"].get<std::string>().rfind(beginning, 0) == 0) out = r;
      return out;
    };
    const Json largest = last("Fig. 11: DTS 6, ");
    QCOMPARE(largest["published"].get<double>(), 50.0);
    QCOMPARE(largest["limited_by"].get<std::string>(), std::string("tower 12x96"));  // D = 2 s DTS
    for (const int order : {4, 6, 8}) {
      const Json same = last("Fig. 12: N_O/DTS " + std::to_string(order) + "/1 over 2/1");
      QCOMPARE(same["published"].get<double>(), 1.0);
      QVERIFY(same["value"].get<double>() > 0.02 && same["value"].get<double>() < 10);
    }
    // The source's (5): DTS 1 moves more than a stepwise march, whose locality is 1/3, and the largest tile least.
    const auto roof = [&](const std::string& beginning) { return last(beginning)["source"].get<std::string>(); };
    QVERIFY2(roof("Fig. 10: stepwise, ").find("0.333") != std::string::npos, roof("Fig. 10: stepwise, ").c_str());
    QVERIFY2(roof("Fig. 10: DTS 1, ").find("0.331") != std::string::npos, roof("Fig. 10: DTS 1, ").c_str());
    QVERIFY2(roof("Fig. 10: DTS 6, ").find("1.486") != std::string::npos, roof("Fig. 10: DTS 6, ").c_str());
  }

  void balance_and_stages_of_a_march_stand_beside_the_blocking_papers() {
    const Json table = rows({"acoustic-bem", "--only", "Table 1"});
    QCOMPARE(table.size(), std::size_t(5));
    // The source's largest extra cost is 0.2 %; an item is 0.06 % of a worker's part and up to ten times that.
    for (const Json& r : table) QVERIFY(r["value"].get<double>() < 0.7 && r["published"].get<double>() <= 0.2);
    const Json figures = rows({"acoustic-bem", "--only", "Fig. 1", "--workers", "cpu:2"});
    double parts = 0;
    int iterations = 0;
    for (const Json& r : figures) {
      const std::string name = r["name"];
      if (name.rfind("Fig. 14: 2 threads", 0) == 0) parts += r["value"].get<double>();
      if (name.rfind("Fig. 15: iteration", 0) == 0) ++iterations;
    }
    QVERIFY2(parts > 20 && parts <= 101, qPrintable(QString::number(parts)));
    QCOMPARE(iterations, 12);  // two workers, six iterations
  }

  void what_cannot_be_measured_here_stands_beside_its_number() {
    const Json found = rows({"hydro-fem", "--only", "Table 10", "--workers", "cpu:1"});
    const Json here = row(found, "Table 10, weak scaling: 1 thread, 20×20 zones");
    QVERIFY(here["value"].get<double>() > 0);
    const Json cluster = row(found, "Table 10, weak scaling: 64 devices, 1280×1280 zones");
    QVERIFY(cluster["value"].is_null());
    QCOMPARE(cluster["published"].get<double>(), 11.71);
    QCOMPARE(cluster["limited_by"].get<std::string>(), std::string("needs a cluster"));
    const Json split = rows({"hydro-fem", "--only", "Table 4", "--workers", "cpu:1"});
    QCOMPARE(split.size(), std::size_t(6));
    for (const Json& r : split) QVERIFY(r["value"].is_null() && r["published"].get<double>() > 0);
  }

  void zones_of_blocks_are_timed_on_a_device() {
    const Json found = rows({"hydro-fem", "--only", "Table 5", "--workers", "emulated,cpu:1"});
    QCOMPARE(found.size(), std::size_t(3));
    for (const Json& r : found) QVERIFY(r["value"].get<double>() > 0 && r["published"].get<double>() >= 0.48);
  }

  void kernels_of_the_source_are_timed_on_a_device() {
    // 81·64·8 multiply-adds a zone, of 64 zones on emulated devices.
    const Json found = rows({"hydro-fem", "--only", "Fig. 4, 3D Q2-Q1, 64", "--workers", "emulated,cpu:1"});
    QCOMPARE(found.size(), std::size_t(5));
    for (const Json& r : found) {
      const std::string note = r["source"];
      QVERIFY2(r["value"].get<double>() > 0 && note.find(" ms; A_z and F_z by ") != std::string::npos, note.c_str());
      QVERIFY(std::abs(r["value"].get<double>() * std::stod(note) / (2e-6 * 81 * 64 * 8 * 64) - 1) < 1e-3);
    }
    const Json kernels = rows({"hydro-fem", "--only", "Kernels, 2D", "--workers", "emulated,cpu:1"});
    QCOMPARE(kernels.size(), std::size_t(9));
    for (const Json& r : kernels) QVERIFY2(r["value"].get<double>() > 0, r.dump().c_str());
    const Json fastest = row(kernels, "Kernels, 2D Q4-Q3, 84 zones: 2 (F_z = A_z B^T, 2.3)");
    QVERIFY(!fastest.is_null());
  }

  void a_device_and_processors_share_the_corner_force() {
    const Json found = rows(
        {"hydro-fem", "--only", "Table 9, Sedov 3D Q2-Q1: corner force, a device and", "--workers", "emulated,cpu:1"});
    int shared = 0;
    for (const Json& r : found)
      if (r["name"].get<std::string>().find("a device and ") != std::string::npos) {
        ++shared;
        QVERIFY2(r["published"].get<double>() == 45.8 && r["value"].get<double>() > 0, r.dump().c_str());
      }
    QCOMPARE(shared, 1);
  }

  void a_solver_without_such_tables_is_told() {
    const rod::Said said = rod::conoid(scratch_.path(), {"bench", "heat-rod", "--paper"});
    COMPARE_EXIT(said, 2);
    QVERIFY2(said.says("heat-rod has no tables of its paper"), said.err.c_str());
  }
};

QTEST_APPLESS_MAIN(TestPaperTables)
#include "test_paper_tables.moc"
