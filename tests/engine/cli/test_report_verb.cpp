// SPDX-License-Identifier: BSD-3-Clause
// `conoid report`: one page that is well-formed, fetches nothing and runs nothing, says how a run ended, escapes what others wrote, and
// names a command that gives the same numbers again.
// labels: cli timeout300
#include <QTest>

#include <algorithm>
#include <csignal>
#include <fstream>

#include "tests/engine/cli/page.hpp"
#include "tests/engine/cli/solver_safety.hpp"

using conoid::Json;
namespace fs = std::filesystem;

class TestReportVerb : public QObject {
  Q_OBJECT
  rod::Scratch folder_;

  /// The second cell of the row that begins so, or another one.
  static std::string cell(const Json& shown, const std::string& heading, const std::string& row, std::size_t at = 1) {
    const auto cells = page::row_of(shown, heading, row);
    return at < cells.size() ? cells[at] : "(not there)";
  }
  /// What stands below "The same again".
  static std::string command_of(const Json& shown) {
    for (std::size_t i = 0; i + 1 < shown["texts"].size(); ++i)
      if (shown["texts"][i]["text"] == "The same again") return shown["texts"][i + 1]["text"].get<std::string>();
    return {};
  }
  /// Runs that line as a person would, in an empty folder; the run it made.
  fs::path repeat(const std::string& command, const char* program, const char* name) {
    const fs::path there = folder_ / name;
    fs::create_directories(there);
    QProcess shell;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(
        "PATH", QString::fromStdString(fs::path(program).parent_path().string()) + ":" + environment.value("PATH"));
    environment.insert("OMPI_ALLOW_RUN_AS_ROOT", "1");
    environment.insert("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    environment.insert("OMPI_MCA_rmaps_base_oversubscribe", "1");
    shell.setProcessEnvironment(environment);
    rod::prepare(shell, there).start("sh", {"-c", QString::fromStdString(command) + " --progress none"});
    const rod::Said said = rod::collect(shell);
    if (said.exit != 0) qWarning("%s: %s%s", command.c_str(), said.out.c_str(), said.err.c_str());
    for (const auto& entry : fs::directory_iterator(there / "runs"))
      if (entry.is_directory() && !entry.is_symlink()) return entry.path();
    return {};
  }
  static Json about(const fs::path& run) { return conoid::read_json(rod::text_of(run / "run.json")); }

 private slots:
  void initTestCase();
  void one_run();
  void what_was_written_by_others_is_escaped();
  void several_runs_begin_with_what_differs();
  void a_run_that_failed_or_stopped_says_so();
  void the_command_repeats_the_run();
  void relative_paths_count_from_where_the_run_was_started();
  void ranks_are_repeated();
  void a_run_folder_of_others_gives_no_other_command();
  void pictures_and_charts_are_inside();
  void what_cannot_be_done_has_its_exit_code();
};

void TestReportVerb::initTestCase() {
  Json json = rod::json(60);
  json["title"] = "A <b>rod</b> & its \"ends\", 'cold'";
  rod::write_case(folder_ / "case.json", json);
  rod::Said said = rod::conoid(folder_.path(), {"run", "case.json", "--out", "first run", "--progress", "none"});
  COMPARE_EXIT(said, 0);
  said = rod::conoid(folder_.path(), {"run", "case.json", "--out", "warm", "--progress", "none", "--set",
                                      "rod.temperature=200", "--set", "parameters.steps=80"});
  COMPARE_EXIT(said, 0);
}

void TestReportVerb::one_run() {
  const rod::Said said = rod::conoid(folder_.path(), {"report", "first run", "--json"});
  COMPARE_EXIT(said, 0);
  const Json told = said.json();
  QCOMPARE(told["report"].get<std::string>(), (folder_ / "first run-report.html").string());
  QCOMPARE(told["runs"][0]["state"].get<std::string>(), std::string("finished"));
  const Json shown = page::read(folder_ / "first run-report.html");
  EXPECT_SAFE(shown);
  const Json summary = rod::summary_of(folder_ / "first run");
  for (const auto& [name, number] : summary["numbers"].items()) {
    std::string words = name;
    std::replace(words.begin(), words.end(), '_', ' ');
    QVERIFY2(std::abs(std::atof(cell(shown, "Result numbers", words).c_str()) - number["value"].get<double>()) <=
                 1e-3 * std::abs(number["value"].get<double>()),
             words.c_str());
  }
  QCOMPARE(cell(shown, "Case", "rod.cells"), std::string("37"));
  QCOMPARE(cell(shown, "Resources", "steps"), std::string("60"));
  QVERIFY(page::has(page::texts(shown, "h2"), "Warnings of the log"));
  QVERIFY(page::has(page::texts(shown, "pre"), "\"heat-rod\""));  // case.json as it is
  QVERIFY(page::texts(shown, "p", "notice").empty());
  // The run itself is as it was, and a file name or a folder says where the page goes.
  QVERIFY(!fs::exists(folder_ / "first run/first run-report.html"));
  fs::create_directories(folder_ / "pages");
  COMPARE_EXIT(rod::conoid(folder_.path(), {"report", "first run", "-o", "pages"}), 0);
  QVERIFY(fs::exists(folder_ / "pages/first run-report.html"));
  COMPARE_EXIT(rod::conoid(folder_.path(), {"report", "first run", "-o", "pages/other.htm"}), 0);
  QVERIFY(fs::exists(folder_ / "pages/other.htm"));
}

void TestReportVerb::what_was_written_by_others_is_escaped() {
  const fs::path run = folder_ / "<img src=x onerror=alert(1)> & co";
  fs::copy(folder_ / "first run", run, fs::copy_options::recursive);
  std::ofstream(run / "log.jsonl", std::ios::app)
      << "{\"t\":1.5,\"level\":\"warning\",\"text\":\"</td></table><script>alert(2)</script>\\u0007\"}\n";
  Json summary = rod::summary_of(run);
  summary["texts"] = Json{{"remark", "<iframe src='http://example.org/'>"}};
  std::ofstream(run / "summary.json") << conoid::indented_json(summary);
  COMPARE_EXIT(rod::conoid(folder_.path(), {"report", QString::fromStdString(run.string()), "-o", "hostile.html"}), 0);
  const Json shown = page::read(folder_ / "hostile.html");
  EXPECT_SAFE(shown);
  QCOMPARE(page::texts(shown, "h1").at(0), std::string("A <b>rod</b> & its \"ends\", 'cold'"));
  QCOMPARE(page::texts(shown, "title").at(0), std::string("A <b>rod</b> & its \"ends\", 'cold'"));
  QVERIFY(page::has(page::texts(shown, "p"), run.filename().string()));
  QCOMPARE(cell(shown, "Checks and remarks", "remark"), std::string("<iframe src='http://example.org/'>"));
  QCOMPARE(cell(shown, "Warnings of the log", "1.5 s", 2),
           std::string("</td></table><script>alert(2)</script>\xef\xbf\xbd"));
  // A name that a shell would take apart is one word of the command.
  const fs::path again = repeat(command_of(shown), CONOID_WITH_HEAT_ROD, "hostile");
  QVERIFY2(!again.empty(), command_of(shown).c_str());
  QCOMPARE(rod::rows_of(again / "charts/heat.csv"), rod::rows_of(folder_ / "first run/charts/heat.csv"));
}

void TestReportVerb::several_runs_begin_with_what_differs() {
  const rod::Said said = rod::conoid(folder_.path(), {"report", "first run", "warm", "-o", "both.html", "--json"});
  COMPARE_EXIT(said, 0);
  QCOMPARE(said.json()["runs"].size(), std::size_t{2});
  const Json shown = page::read(folder_ / "both.html");
  EXPECT_SAFE(shown);
  const auto headings = page::texts(shown, "h1");
  QCOMPARE(headings.size(), std::size_t{3});  // what differs, and each of them
  QCOMPARE(headings[0], std::string("2 runs"));
  QCOMPARE(cell(shown, "first run and warm", "/rod/temperature", 2), std::string("200"));
  QCOMPARE(cell(shown, "first run and warm", "/parameters/steps", 1), std::string("60"));
  QCOMPARE(cell(shown, "first run and warm", "/parameters/steps", 2), std::string("80"));
  QCOMPARE(cell(shown, "first run and warm", "/rod/cells"), std::string("(not there)"));
  // One run with itself: nothing differs.
  COMPARE_EXIT(rod::conoid(folder_.path(), {"report", "first run", "first run", "-o", "same.html"}), 0);
  const Json same = page::read(folder_ / "same.html");
  EXPECT_SAFE(same);
  QVERIFY(page::has(page::texts(same, "p"), "The cases are the same."));
}

void TestReportVerb::a_run_that_failed_or_stopped_says_so() {
  COMPARE_EXIT(rod::conoid(folder_.path(), {"run", "case.json", "--out", "failed", "--progress", "none", "--set",
                                            "parameters.fault=divergence", "--set", "parameters.fault_step=9"}),
               5);
  COMPARE_EXIT(rod::conoid(folder_.path(), {"report", "failed", "-o", "failed.html"}), 0);
  Json shown = page::read(folder_ / "failed.html");
  EXPECT_SAFE(shown);
  auto notices = page::texts(shown, "p", "notice");
  QCOMPARE(notices.size(), std::size_t{1});
  const auto why = rod::summary_of(folder_ / "failed")["error"]["text"].get<std::string>();
  QVERIFY2(page::has(notices, "'failed'") && page::has(notices, why), notices[0].c_str());
  QCOMPARE(cell(shown, "Resources", "steps"), std::string("8"));  // what was kept is shown

  QProcess process;
  rod::prepare(process, folder_.path())
      .start(CONOID_WITH_HEAT_ROD, {"run", "case.json", "--out", "stopped", "--progress", "none", "--set",
                                    "parameters.pace=0.05", "--set", "parameters.steps=100000"});
  QVERIFY(rod::eventually([&] { return fs::exists(folder_ / "stopped/charts/heat.csv"); }));
  // It goes on: there is no summary yet.
  COMPARE_EXIT(rod::conoid(folder_.path(), {"report", "stopped", "-o", "going.html"}), 0);
  shown = page::read(folder_ / "going.html");
  EXPECT_SAFE(shown);
  QVERIFY(page::has(page::texts(shown, "p", "notice"), "has not ended"));
  ::kill(static_cast<pid_t>(process.processId()), SIGTERM);
  COMPARE_EXIT(rod::collect(process), 75);
  const rod::Said said = rod::conoid(folder_.path(), {"report", "stopped", "-o", "stopped.html", "--json"});
  COMPARE_EXIT(said, 0);
  QCOMPARE(said.json()["runs"][0]["state"].get<std::string>(), std::string("stopped"));
  shown = page::read(folder_ / "stopped.html");
  EXPECT_SAFE(shown);
  QVERIFY(page::has(page::texts(shown, "p", "notice"), "'stopped'"));
}

void TestReportVerb::the_command_repeats_the_run() {
  // Everything that was said beside the case is said again; what --set changed is in the case of the run.
  QProcess process;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert("OMP_NUM_THREADS", "1");
  process.setProcessEnvironment(environment);
  rod::prepare(process, folder_.path())
      .start(CONOID_WITH_HEAT_ROD, {"run", "case.json", "--out", "asked", "--progress", "none", "--set",
                                    "parameters.steps=45", "--set", "rod.temperature=321.5 K", "--workers",
                                    "cpu:1,cpu:1", "--memory", "host=333333333,device=222222222", "--deterministic"});
  COMPARE_EXIT(rod::collect(process), 0);
  COMPARE_EXIT(rod::conoid(folder_.path(), {"report", "asked", "-o", "asked.html"}), 0);
  const std::string command = command_of(page::read(folder_ / "asked.html"));
  for (const char* part : {"--workers cpu:1,cpu:1", "host=333333333B,device=222222222B", "--deterministic"})
    QVERIFY2(command.find(part) != std::string::npos, command.c_str());
  const fs::path again = repeat(command, CONOID_WITH_HEAT_ROD, "again");
  QVERIFY2(!again.empty(), command.c_str());
  QCOMPARE(rod::rows_of(again / "charts/heat.csv"), rod::rows_of(folder_ / "asked/charts/heat.csv"));
  QCOMPARE(rod::summary_text(again, "numbers"), rod::summary_text(folder_ / "asked", "numbers"));
  const Json first = about(folder_ / "asked"), second = about(again);
  QCOMPARE(conoid::compact_json(second["options"]), conoid::compact_json(first["options"]));
  QCOMPARE(second["hash"].get<std::string>(), first["hash"].get<std::string>());

  // The number of threads that the environment named; a run of whose resources nobody said anything has a bare command.
  QProcess threads;
  rod::prepare(threads, folder_.path());
  threads.setProcessEnvironment(environment);
  threads.start(CONOID_WITH_HEAT_ROD, {"run", "case.json", "--out", "threads", "--progress", "none"});
  COMPARE_EXIT(rod::collect(threads), 0);
  COMPARE_EXIT(rod::conoid(folder_.path(), {"report", "threads", "-o", "threads.html"}), 0);
  QCOMPARE(command_of(page::read(folder_ / "threads.html")),
           "conoid run " + (folder_ / "threads").string() + " --threads 1");
}

void TestReportVerb::relative_paths_count_from_where_the_run_was_started() {
  const fs::path here = folder_ / "ball";
  fs::create_directories(here);
  for (const char* file : {"acoustic-bem.json", "sphere.ply"})
    fs::copy_file(fs::path(CONOID_TEST_DATA "/safety") / file, here / file);
  COMPARE_EXIT(safety::conoid(here, {"run", "acoustic-bem.json", "--out", "run", "--progress", "none", "--set",
                                     "output.frequencies.count=1", "--set", "compute.deterministic=true"}),
               0);
  COMPARE_EXIT(safety::conoid(here, {"report", "run"}), 0);
  const Json shown = page::read(here / "run-report.html");
  EXPECT_SAFE(shown);
  const fs::path again = repeat(command_of(shown), safety::program.toStdString().c_str(), "elsewhere");
  QVERIFY2(!again.empty(), command_of(shown).c_str());
  int charts = 0;
  for (const auto& entry : fs::directory_iterator(here / "run/charts")) {
    QCOMPARE(safety::without_clocks(rod::rows_of(again / "charts" / entry.path().filename())),
             safety::without_clocks(rod::rows_of(entry.path())));
    ++charts;
  }
  QVERIFY(charts > 0);
  // And the repeated run can be repeated.
  COMPARE_EXIT(safety::conoid(folder_.path(), {"check", QString::fromStdString(again.string())}), 0);
  COMPARE_EXIT(safety::conoid(folder_.path(), {"check", QString::fromStdString((again / "case.json").string())}), 0);
}

void TestReportVerb::ranks_are_repeated() {
  QProcess process;
  rod::prepare(process, folder_.path())
      .start("mpirun", {"--allow-run-as-root", "--oversubscribe", "-n", "2", CONOID_WITH_HEAT_ROD, "run", "case.json",
                        "--progress", "none", "--out", "ranks"});
  if (!process.waitForStarted()) QSKIP("there is no mpirun here");
  const rod::Said said = rod::collect(process);
  if (!fs::exists(folder_ / "ranks/run.json") || about(folder_ / "ranks")["ranks"] != 2)
    QSKIP("this build has no ranks");
  COMPARE_EXIT(said, 0);
  COMPARE_EXIT(rod::conoid(folder_.path(), {"report", "ranks", "-o", "ranks.html"}), 0);
  const std::string command = command_of(page::read(folder_ / "ranks.html"));
  QVERIFY2(command.starts_with("mpirun -n 2 conoid run "), command.c_str());
  const fs::path again = repeat(command, CONOID_WITH_HEAT_ROD, "ranks again");
  QVERIFY2(!again.empty(), command.c_str());
  QCOMPARE(about(again)["ranks"].get<int>(), 2);
  QCOMPARE(rod::rows_of(again / "charts/heat.csv"), rod::rows_of(folder_ / "ranks/charts/heat.csv"));
}

void TestReportVerb::a_run_folder_of_others_gives_no_other_command() {
  const fs::path run = folder_ / "foreign";
  fs::copy(folder_ / "first run", run, fs::copy_options::recursive);
  Json record = about(run);
  record["flags"] = Json{{"workers", "--x; touch taken"},
                         {"threads", "4; touch taken"},
                         {"memory", "$(touch taken)"},
                         {"deterministic", "; touch taken"},
                         {"launcher", "sh -c 'touch taken'"}};
  record["ranks"] = "2; touch taken";
  std::ofstream(run / "run.json") << conoid::indented_json(record);
  COMPARE_EXIT(rod::conoid(folder_.path(), {"report", "foreign", "-o", "foreign.html"}), 0);
  const std::string command = command_of(page::read(folder_ / "foreign.html"));
  QVERIFY2(command.find("'--x; touch taken'") != std::string::npos, command.c_str());
  QVERIFY2(command.find("launcher") == std::string::npos, command.c_str());
  fs::create_directories(folder_ / "safe");
  QProcess shell;
  rod::prepare(shell, folder_ / "safe")
      .start("sh", {"-c", "conoid() { echo \"$@\"; }\n" + QString::fromStdString(command)});
  COMPARE_EXIT(rod::collect(shell), 0);
  QVERIFY(!fs::exists(folder_ / "safe/taken"));
}

void TestReportVerb::pictures_and_charts_are_inside() {
  if (!conoid::fields_can_be_kept()) QSKIP("this build keeps no fields");
  // Without the program that draws the page says so, and is a page all the same.
  COMPARE_EXIT(rod::conoid(folder_.path(), {"report", "first run", "-o", "bare.html"}), 0);
  Json shown = page::read(folder_ / "bare.html");
  EXPECT_SAFE(shown);
  QVERIFY(page::has(page::texts(shown, "p"), "conoid-render is not beside conoid"));
  QCOMPARE(shown["images"].size(), std::size_t{0});

  if (!fs::exists(CONOID_BIN_DIR "/conoid-render")) QSKIP("this build draws no pictures");
  COMPARE_EXIT(safety::conoid(folder_.path(), {"run", safety::case_of("hydro-fem"), "--out", "blast", "--progress",
                                               "none", "--set", "parameters.end_time=0.05"}),
               0);
  const rod::Said said = safety::conoid(folder_.path(), {"report", "blast", "-o", "blast.html", "--json"});
  COMPARE_EXIT(said, 0);
  const Json told = said.json()["runs"][0];
  shown = page::read(folder_ / "blast.html");
  EXPECT_SAFE(shown);
  std::map<std::string, std::size_t> images;
  for (const Json& image : shown["images"]) {
    ++images[image["media"].get<std::string>()];
    QVERIFY2(image["bytes"].get<std::size_t>() > 2000, conoid::indented_json(image).c_str());
  }
  QVERIFY2(told["pictures"].get<std::size_t>() > 0 && told["charts"].get<std::size_t>() > 0, said.out.c_str());
  QCOMPARE(images["image/png"], told["pictures"].get<std::size_t>());
  QCOMPARE(images["image/svg+xml"], told["charts"].get<std::size_t>());
  QVERIFY2(told["notes"].empty(), said.out.c_str());
  QCOMPARE(cell(shown, "Mesh and grids, as kept with the fields", "flow"), std::string("mesh"));
}

void TestReportVerb::what_cannot_be_done_has_its_exit_code() {
  fs::create_directories(folder_ / "empty");
  const auto report = [&](const QStringList& words) {
    return rod::conoid(folder_.path(), QStringList{"report"} + words);
  };
  COMPARE_EXIT(report({}), 2);
  rod::Said said = report({"nothing"});
  COMPARE_EXIT(said, 4);
  QVERIFY2(said.says("nothing"), said.err.c_str());
  COMPARE_EXIT(report({"empty"}), 4);
  COMPARE_EXIT(report({"case.json"}), 4);
  COMPARE_EXIT(report({"first run", "empty"}), 4);
  // On paper where the window is installed, else with a word on what to do; the program of these tests has none beside it.
  said = report({"first run", "-o", "page.pdf"});
  COMPARE_EXIT(said, 6);
  QVERIFY2(said.says("print that page"), said.err.c_str());
  if (fs::exists(CONOID_BIN_DIR "/conoid-gui")) {
    COMPARE_EXIT(safety::conoid(folder_.path(), {"report", "first run", "-o", "page.pdf"}), 0);
    QVERIFY(rod::text_of(folder_ / "page.pdf").starts_with("%PDF-"));
    COMPARE_EXIT(safety::conoid(folder_.path(), {"report", "first run", "-o", "/proc/nowhere/page.pdf"}), 4);
  }
  COMPARE_EXIT(report({"first run", "-o", "page.txt"}), 2);
  COMPARE_EXIT(report({"first run", "-o", "/proc/nowhere/page.html"}), 4);
  // A full disk: the page that was there stays whole.
  std::ofstream(folder_ / "full.html") << "as it was";
  said = rod::limited(folder_.path(), "ulimit -f 1", {"report", "first run", "-o", "full.html"});
  COMPARE_EXIT(said, 4);
  QCOMPARE(rod::text_of(folder_ / "full.html"), std::string("as it was"));
  // A run folder whose files are damaged: what is left is shown.
  fs::copy(folder_ / "first run", folder_ / "hurt", fs::copy_options::recursive);
  std::ofstream(folder_ / "hurt/summary.json") << "{";
  std::ofstream(folder_ / "hurt/case.json") << "[1, 2";
  std::ofstream(folder_ / "hurt/charts/heat.csv") << "no table\n\"";
  fs::remove(folder_ / "hurt/log.jsonl");
  said = report({"hurt", "-o", "hurt.html"});
  COMPARE_EXIT(said, 0);
  const Json shown = page::read(folder_ / "hurt.html");
  EXPECT_SAFE(shown);
  QVERIFY(page::has(page::texts(shown, "p"), "no log"));
}

QTEST_APPLESS_MAIN(TestReportVerb)
#include "test_report_verb.moc"
