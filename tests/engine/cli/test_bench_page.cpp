// SPDX-License-Identifier: BSD-3-Clause
// `conoid bench --report`: every row with its floor and what it is measured against, whole runs and their scaling, and values of earlier
// reports of the same machine beside those of today, told apart from those of another.
// labels: cli long timeout300
#include <QTest>

#include <fstream>

#include "engine/cli/bench_page.hpp"
#include "engine/core/units.hpp"
#include "engine/solvers/registry.hpp"
#include "tests/engine/cli/page.hpp"
#include "tests/engine/cli/solver_safety.hpp"

using conoid::Json;
namespace fs = std::filesystem;

class TestBenchPage : public QObject {
  Q_OBJECT
  rod::Scratch folder_;

  static Json row(const char* solver, const char* name, double value, double limit, const char* against) {
    return {{"solver", solver},
            {"name", name},
            {"value", value},
            {"unit", "GB/s"},
            {"limit", limit > 0 ? Json(limit) : Json(nullptr)},
            {"ratio", value / 100},
            {"passed", limit <= 0 || value >= limit},
            {"source", against},
            {"limited_by", "bandwidth"}};
  }
  static Json bench(const std::string& when, double factor, const std::string& processor = "A <fast> one") {
    Json limit = row("", "copy bandwidth", 100 * factor, 0, "");
    limit.erase("solver");
    Json out = {
        {"solver", "all"},
        {"when", when},
        {"conoid", "0.1.0"},
        {"machine", {{"host", "h"}, {"processor", processor}, {"cores", 4}, {"threads", 4}, {"limits", {limit}}}},
        {"quick", false},
        {"rows",
         {row("heat-rod", "order 8 & more", 60 * factor, 50, "copy bandwidth"),
          row("balance", "greedy", 99, 0, "optimum"),
          row("heat-rod", "run sea, 4 threads", 40 * factor, 0, "4 x 1 thread")}}};
    return out;
  }
  static Json run_of(int threads, double rate) {
    return {{"solver", "heat-rod"}, {"sample", "sea"},
            {"title", "Sea"},       {"item", "cell"},
            {"threads", threads},   {"items_per_second", rate},
            {"memory", 1 << 20},    {"seconds", {{"total", 2.5}, {"prepare", 0.25}, {"march", 2}, {"frames", 0.125}}}};
  }
  Json page_of(const Json& today, const std::vector<Json>& earlier) {
    std::ofstream(folder_ / "page.html") << conoid::cli::bench_page(today, earlier);
    return page::read(folder_ / "page.html");
  }
  static bool has_notice(const Json& shown, const std::string& part) {
    return page::has(page::texts(shown, "p", "notice"), part);
  }
  using Cells = std::vector<std::string>;

 private slots:
  void rows_stand_beside_floor_and_peer();
  void earlier_reports_of_the_same_machine_stand_beside();
  void whole_runs_and_scaling();
  void the_command_writes_page_and_history();
  void what_cannot_be_done_is_said_first();
};

void TestBenchPage::rows_stand_beside_floor_and_peer() {
  Json shown = page_of(bench("2026-03-01T00:00:00Z", 1), {});
  EXPECT_SAFE(shown);
  const std::string fd = "heat-rod: " + std::string(conoid::find_solver("heat-rod")->title);
  QCOMPARE(page::row_of(shown, fd, "order 8 & more"),
           (Cells{"order 8 & more", "60", "GB/s", "0.6", "copy bandwidth", "50", "reached", "bandwidth"}));
  // A whole run stands with the kernels of its solver, though another table came between.
  QCOMPARE(page::row_of(shown, fd, "run sea, 4 threads").at(4), std::string("4 x 1 thread"));
  QVERIFY(!page::table_below(shown, "Limits of this machine, measured").is_null());
  QVERIFY(!page::table_below(shown, "Machine").is_null());
  QVERIFY(!has_notice(shown, "below the floor"));
  shown = page_of(bench("2026-03-01T00:00:00Z", 0.5), {});
  QCOMPARE(page::row_of(shown, fd, "order 8 & more").at(6), std::string("MISSED"));
  QVERIFY(has_notice(shown, "1 of 3 rows is below the floor:\nheat-rod: order 8 & more"));
  // What failed on the way is said, and a page is there all the same; so with members that are no such thing.
  Json broken = bench("2026-03-01T00:00:00Z", 1);
  broken["error"] = {{"text", "the disk <is> full"}};
  broken["machine"]["limits"] = 7;
  broken["rows"][1]["value"] = "much";
  shown = page_of(broken, {});
  EXPECT_SAFE(shown);
  QVERIFY(has_notice(shown, "the disk <is> full"));
}

void TestBenchPage::earlier_reports_of_the_same_machine_stand_beside() {
  fs::create_directories(folder_ / "history");
  const auto keep = [&](const char* name, const Json& json) {
    std::ofstream(folder_ / "history" / name) << conoid::indented_json(json);
  };
  // Names do not say the order.
  keep("z.json", bench("2026-01-05T00:00:00Z", 1));
  keep("a.json", bench("2026-02-05T00:00:00Z", 0.8));
  keep("other.json", bench("2026-02-20T00:00:00Z", 9, "Another one"));
  Json quick = bench("2026-02-21T00:00:00Z", 7);
  quick["quick"] = true;
  keep("quick.json", quick);
  keep("notes.json", Json{{"no", "bench"}});
  std::ofstream(folder_ / "history" / "cut.json") << "{\"rows\": [";
  std::ofstream(folder_ / "history" / "text.txt") << "not looked at";
  std::vector<std::string> left_out;
  const auto earlier = conoid::cli::read_earlier_benches(folder_ / "history", left_out);
  QVERIFY(earlier.ok());
  QCOMPARE(earlier->size(), std::size_t{4});
  QCOMPARE(left_out, (Cells{"cut.json", "notes.json"}));
  const Json shown = page_of(bench("2026-03-01T00:00:00Z", 1), *earlier);
  EXPECT_SAFE(shown);
  const std::string fd = "heat-rod: " + std::string(conoid::find_solver("heat-rod")->title);
  const Cells heading = page::table_below(shown, fd)[0].get<Cells>();
  QCOMPARE(Cells(heading.begin() + 8, heading.end()), (Cells{"2026-01-05", "2026-02-05", "change %"}));
  const Cells order = page::row_of(shown, fd, "order 8 & more");
  QCOMPARE(Cells(order.begin() + 8, order.end()), (Cells{"60", "48", "+25.0"}));
  const Cells limit = page::row_of(shown, "Limits of this machine, measured", "copy bandwidth");
  QCOMPARE(Cells(limit.begin() + 3, limit.end()), (Cells{"100", "80", "+25.0"}));
  // All four are listed, the newest first.
  const Json list = page::table_below(shown, "Earlier reports");
  QCOMPARE(list.size(), std::size_t{5});
  QCOMPARE(list[1][0].get<std::string>(), std::string("2026-02-21T00:00:00Z"));
  QCOMPARE(list[3][7].get<std::string>(), std::string("1"));  // at 0.8 a row was below its floor
  // One without a time has that of its file.
  Json old = bench("", 1);
  old.erase("when");
  keep("z.json", old);
  left_out.clear();
  QVERIFY(conoid::cli::read_earlier_benches(folder_ / "history", left_out)->back()["when"].get<std::string>() >
          "2026-02-21");
  QVERIFY(!conoid::cli::read_earlier_benches(folder_ / "nowhere", left_out).ok());
}

void TestBenchPage::whole_runs_and_scaling() {
  Json today = bench("2026-03-01T00:00:00Z", 1);
  today["runs"] = {run_of(1, 10), run_of(2, 18), run_of(4, 30)};
  Json shown = page_of(today, {});
  EXPECT_SAFE(shown);
  const Json runs = page::table_below(shown, "Whole runs");
  QCOMPARE(runs.size(), std::size_t{4});
  QCOMPARE(runs[3].get<Cells>(), (Cells{"sea", "heat-rod", "4", "30", "cell/s", "2.5", "0.25", "2", "0.125", "", "",
                                        conoid::format_bytes(conoid::Bytes{1} << 20)}));
  const Json scaling = page::table_below(shown, "Scaling over threads");
  QCOMPARE(scaling[2].get<Cells>(), (Cells{"sea", "2", "1.80", "90"}));
  QCOMPARE(scaling[3].get<Cells>(), (Cells{"sea", "4", "3.00", "75"}));
  QCOMPARE(shown["images"].size(), std::size_t{1});
  // One thread alone scales nowhere.
  today["runs"] = {run_of(1, 10)};
  shown = page_of(today, {});
  QVERIFY(page::table_below(shown, "Scaling over threads").is_null());
  QCOMPARE(shown["images"].size(), std::size_t{0});
}

void TestBenchPage::the_command_writes_page_and_history() {
  fs::create_directories(folder_ / "kept");
  const auto bench_line = [&](const char* shown) {
    return safety::conoid(folder_.path(), {"bench", "elastic-bem", "--all", "--quick", "--only", "run cavity-wave, 1",
                                           "--report", shown, "--history", "kept", "--json"});
  };
  rod::Said said = bench_line("first.html");
  COMPARE_EXIT(said, 0);
  const Json told = said.json();
  QCOMPARE(told["rows"].size(), std::size_t{1});
  QCOMPARE(told["rows"][0]["name"].get<std::string>(), std::string("run cavity-wave, 1 thread"));
  QVERIFY(told["rows"][0]["value"].get<double>() > 0);
  QVERIFY(told["runs"][0]["seconds"]["total"].get<double>() >= told["runs"][0]["seconds"]["march"].get<double>());
  QCOMPARE(std::distance(fs::directory_iterator(folder_ / "kept"), fs::directory_iterator()), std::ptrdiff_t{1});
  for (const auto& entry : fs::directory_iterator(folder_ / "kept"))
    QVERIFY(conoid::read_json(rod::text_of(entry.path())) == told);
  Json shown = page::read(folder_ / "first.html");
  EXPECT_SAFE(shown);
  QVERIFY(page::table_below(shown, "Earlier reports").is_null());
  // The next one has it beside its own.
  said = bench_line("second.html");
  COMPARE_EXIT(said, 0);
  shown = page::read(folder_ / "second.html");
  EXPECT_SAFE(shown);
  QCOMPARE(page::table_below(shown, "Earlier reports")[1][0].get<std::string>(), told["when"].get<std::string>());
  for (const std::string& heading : page::texts(shown, "h2"))
    if (heading.starts_with("elastic-bem: "))
      QCOMPARE(page::row_of(shown, heading, "run cavity-wave, 1 thread").size(), std::size_t{10});
  QVERIFY(page::has(page::texts(shown, "h2"), "elastic-bem: "));
}

void TestBenchPage::what_cannot_be_done_is_said_first() {
  const auto bench_line = [&](const QStringList& words) {
    return safety::conoid(folder_.path(), QStringList{"bench", "balance", "--quick"} + words);
  };
  rod::Said said = bench_line({"--report", "page.pdf"});
  COMPARE_EXIT(said, 2);
  QVERIFY2(said.says(".html") && said.out.empty(), said.out.c_str());
  COMPARE_EXIT(bench_line({"--report", "nowhere/page.html"}), 4);
  said = bench_line({"--history", "nowhere"});
  COMPARE_EXIT(said, 4);
  QVERIFY2(said.says("Make it"), said.err.c_str());
}

QTEST_APPLESS_MAIN(TestBenchPage)
#include "test_bench_page.moc"
