// SPDX-License-Identifier: BSD-3-Clause
// A run folder comes back as it was: tables, numbers, log, and frames that are read when they are wanted.
// labels: unit
#include <fstream>

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/model/run_list.hpp"
#include "app/model/run_model.hpp"
#include "app/model/stored_run.hpp"
#include "tests/app/fake_session.hpp"
#include "tests/app/patience.hpp"

using namespace conoid;
using namespace conoid::app;

namespace {

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

std::filesystem::path make_run(const QTemporaryDir& folder, const char* name, const char* speed, int frames) {
  const std::filesystem::path run = std::filesystem::path(folder.path().toStdString()) / name;
  std::filesystem::create_directories(run / "charts");
  write(run / "case.json",
        std::string(R"({"conoid":1,"title":"A case","solver":"sample","materials":{"speed":)") + speed + "}}");
  write(run / "run.json",
        R"({"solver":"sample","title":"A case","started":"2026-01-02T03:04:05Z","case":"/nowhere/case.json"})");
  write(
      run / "summary.json",
      R"({"numbers":{"energy":{"value":2.5,"unit":"J"}},"state":"finished","steps":7,"seconds":{"total":1.5},"phases":{"prepare":0.5,"march":1.0}})");
  write(run / "log.jsonl",
        "{\"t\":0.1,\"level\":\"info\",\"text\":\"begun\"}\n{\"t\":0.2,\"level\":\"warning\",\"text\":\"careful\"}\n{"
        "\"t\":");
  write(run / "telemetry.csv",
        "pass,worker,begin,end,busy[s],waiting[s],copying[s]\n0,0,0,8,0.1,0,0\n0,1,8,16,0.2,0,0\n");
  TableInfo info{.id = "energy", .title = "Energy", .columns = {{"t", "s", {}}, {"e", "J", {}}}};
  std::string csv = csv_head(info, name);
  append_csv_row(csv, std::array{0.0, 1.0});
  append_csv_row(csv, std::array{1.0, 0.5});
  write(run / "charts" / "energy.csv", csv);
  auto writer = VtkhdfWriter::create(run, name);
  if (!writer) qFatal("%s", writer.error().render().c_str());
  for (int i = 0; i < frames; ++i)
    if (!(*writer)->write(*test::make_frame(static_cast<std::uint64_t>(i), 0.1 * i, 17, static_cast<float>(i))))
      qFatal("write");
  if (!(*writer)->close()) qFatal("close");
  return run;
}

}  // namespace

class TestStoredRun : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

 private slots:
  void a_folder_of_a_later_format_is_refused() {
    const auto folder = make_run(folder_, "later", "2", 1);
    write(folder / "run.json", R"({"conoid":"7.5.0","format":99,"solver":"sample","title":"A case"})");
    const auto run = read_stored_run(folder);
    QVERIFY(!run.ok());
    QVERIFY2(run.error().text.find("format 99") != std::string::npos, run.error().text.c_str());
  }
  void everything_comes_back() {
    const auto run = read_stored_run(make_run(folder_, "one", "2", 5));
    QVERIFY(run.ok());
    QCOMPARE(run->title, std::string("A case"));
    QCOMPARE(run->state, SessionState::finished);
    QCOMPARE(run->tables.size(), std::size_t{1});
    QCOMPARE(run->tables[0].info.title, std::string("Energy"));
    QCOMPARE(run->tables[0].rows, (std::vector<std::vector<double>>{{0, 1}, {1, 0.5}}));
    QCOMPARE(run->numbers.at(0).value, 2.5);
    QCOMPARE(run->phases.size(), std::size_t{2});
    QCOMPARE(run->balance.size(), std::size_t{2});
    QCOMPARE(run->workers.size(), std::size_t{2});
    QCOMPARE(run->frames.size(), std::size_t{5});
    QCOMPARE(run->catalog.at(0).second.name, std::string("pressure"));
    QCOMPARE(run->log.size(), std::size_t{2});  // the torn last line is left out
    QCOMPARE(run->log[1].level, LogLevel::warning);
  }

  void a_folder_without_a_case_is_no_run() {
    const auto run = read_stored_run(folder_.path().toStdString());
    QVERIFY(!run.ok());
    QVERIFY(run.error().text.find("no run") != std::string::npos);
  }

  void a_killed_run_is_shown_as_stopped_and_damage_is_said() {
    const auto folder = make_run(folder_, "killed", "2", 2);
    std::filesystem::remove(folder / "summary.json");
    write(folder / "charts" / "bad.csv", "t[s],p[Pa]\n0,one\n");
    const auto run = read_stored_run(folder);
    QVERIFY(run.ok());
    QCOMPARE(run->state, SessionState::stopped);
    QCOMPARE(run->tables.size(), std::size_t{1});
    QVERIFY(std::any_of(run->log.begin(), run->log.end(),
                        [](const LogLine& l) { return l.text.find("one") != std::string::npos; }));
  }

  void frames_are_read_when_they_are_wanted() {
    RunModel model(test::fake_start(std::make_shared<test::FakeState>()));
    QSignalSpy opened(&model, &RunModel::opened), loaded(&model, &RunModel::frame_loaded);
    model.open(make_run(folder_, "frames", "2", 6));
    QVERIFY(opened.wait(5000));
    QVERIFY(model.is_stored());
    QCOMPARE(model.frames().size(), std::size_t{6});
    QCOMPARE(model.frames().moment(3).value, 0.1 * 3);
    QVERIFY(model.frames().at(3) == nullptr);
    model.fetch(1);
    model.fetch(2);
    model.fetch(3);  // only the newest wish counts besides the one under way
    QTRY_VERIFY(model.frames().at(3) != nullptr);
    QVERIFY(loaded.count() <= 2);
    QCOMPARE(model.frames().at(3)->parts[0].fields[0].values->front(), 3.0F);
    QCOMPARE(model.state(), SessionState::finished);
    QCOMPARE(model.elapsed(), 1.5);
    model.reset();
    QVERIFY(!model.has_run());
    QVERIFY(model.frames().empty());
  }

  void only_the_frames_read_last_are_kept() {
    FrameHistory history(Bytes{3} * 17 * 17 * sizeof(float));
    history.set_stored({{0, 0, {}}, {1, 1, {}}, {2, 2, {}}, {3, 3, {}}, {4, 4, {}}});
    for (std::size_t i = 0; i < 5; ++i) history.put(i, test::make_frame(i, static_cast<double>(i), 17, 0));
    QVERIFY(history.at(0) == nullptr && history.at(1) == nullptr);
    QVERIFY(history.at(2) && history.at(3) && history.at(4));
    QCOMPARE(history.nearest(3.4), std::size_t{3});
  }

  void runs_of_one_name_are_told_apart() {
    const auto names = [](const char* a, const char* b) {
      const auto [first, second] = names_of_two(a, b);
      return first + " | " + second;
    };
    QCOMPARE(names("/runs/coarse", "/runs/fine"), QString("coarse | fine"));
    QCOMPARE(names("/jobs/coarse/run", "/jobs/fine/run/"), QString("coarse/run | fine/run"));
    QCOMPARE(names("/a/x/run", "/b/x/run"), QString("a/x/run | b/x/run"));
    QCOMPARE(names("/runs/one", "/runs/one"), QString("one | one"));
    QCOMPARE(names("/run", "/deep/run"), QString("run | deep/run"));
  }

  void a_list_of_runs_says_what_differs() {
    QTemporaryDir own;
    make_run(own, "a", "2", 1);
    make_run(own, "b", "\"3 km/s\"", 1);
    const auto runs = list_runs(own.path().toStdString());
    QCOMPARE(runs.size(), std::size_t{2});
    QCOMPARE(runs[0].changes, QString("speed = 3 km/s"));  // newest name first
    QCOMPARE(differences(runs[1], runs[0]), QStringList{QString("/materials/speed: 2 → 3 km/s")});
    // In lists, however long they are: the third source, far behind what a line shows.
    for (const char* frequency : {"10", "20"}) {
      const auto run = std::filesystem::path(own.path().toStdString()) / (std::string("list-") + frequency);
      std::filesystem::create_directories(run);
      Json sources = Json::array();
      for (int i = 0; i < 3; ++i)
        sources.push_back(
            {{"position", {100.0 * i, 200.0, 300.0}}, {"signal", {{"kind", "ricker"}, {"frequency", "10 Hz"}}}});
      sources[2]["signal"]["frequency"] = std::string(frequency) + " Hz";
      std::ofstream(run / "case.json") << compact_json({{"title", "lists"}, {"solver", "none"}, {"sources", sources}});
    }
    std::map<std::string, QString> changes;
    for (const ListedRun& run : list_runs(own.path().toStdString()))
      changes[run.card.folder.filename().string()] = run.changes;
    QCOMPARE(changes["list-20"], QString("frequency = 20 Hz"));
    RunList list;
    list.take(runs);
    QCOMPARE(list.columnCount(), static_cast<int>(RunList::first_number) + 1);
    QCOMPARE(list.data(list.index(0, RunList::first_number), Qt::DisplayRole).toString(), QString("2.5 J"));
  }
};

QTEST_GUILESS_MAIN(TestStoredRun)
#include "test_stored_run.moc"
