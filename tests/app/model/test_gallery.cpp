// SPDX-License-Identifier: BSD-3-Clause
// The gallery: cards from folders, damaged ones left out, what ships can be opened; recent runs are remembered.
// labels: unit
#include <QTemporaryDir>
#include <QTest>

#include "app/model/case_model.hpp"
#include "app/model/gallery.hpp"
#include "app/model/settings.hpp"
#include "engine/core/atomic_file.hpp"
#include "engine/core/resources.hpp"
#include "engine/solvers/registry.hpp"

using namespace conoid;
using namespace conoid::app;
namespace fs = std::filesystem;

class TestGallery : public QObject {
  Q_OBJECT

  static void write(const fs::path& file, std::string_view text) {
    fs::create_directories(file.parent_path());
    QVERIFY(write_file_atomically(file, text).ok());
  }

 private slots:
  void cards_tell_what_the_files_say() {
    QTemporaryDir folder;
    const fs::path root = folder.path().toStdString();
    write(root / "one" / "case.json", R"({"conoid":1,"title":"First","solver":"nobody"})");
    write(root / "one" / "card.json", R"({"summary":"A line","seconds":12})");
    write(root / "bare" / "case.json", R"({"conoid":1,"solver":"nobody"})");
    write(root / "damaged" / "case.json", R"({"conoid":1,)");
    write(root / "odd" / "case.json", R"({"title":7})");
    write(root / "odd" / "card.json", R"([])");
    write(root / "stray.txt", "nothing");
    const auto cards = load_gallery(root);
    QCOMPARE(cards.size(), std::size_t{3});
    const auto first = std::find_if(cards.begin(), cards.end(), [](const auto& c) { return c.name == "one"; });
    QCOMPARE(first->title, QString("First"));
    QCOMPARE(first->summary, QString("A line"));
    QCOMPARE(first->seconds, 12.0);
    QVERIFY(!first->available);
    QVERIFY(first->thumbnail.empty());
    QVERIFY(load_gallery(root / "nowhere").empty());
  }

  void what_ships_can_be_run() {
    int long_ones = 0, of_hours = 0;
    for (const SampleCard& card : load_gallery(fs::path(CONOID_SOURCE_DIR) / "resources" / "cases")) {
      if (!card.available) continue;
      CaseModel model;
      model.set_full_checks(false);
      QVERIFY2(model.open(card.case_file).ok(), qPrintable(card.name));
      QVERIFY2(model.is_valid(), qPrintable(card.name + ": " + model.obstacle()));
      QVERIFY2(!card.summary.isEmpty(), qPrintable(card.name + " has no line in card.json"));
      // A sample answers within a minute; two may show problems of industrial size, one of them for hours, and their cards say how long.
      QVERIFY2(card.seconds > 0, qPrintable(card.name));
      if (card.seconds > 60) ++long_ones;
      if (card.seconds > 300) {
        ++of_hours;
        QVERIFY2(card.summary.contains("hours"), qPrintable(card.name + " does not say that it takes hours"));
      }
    }
    QVERIFY(long_ones <= 2);
    QVERIFY(of_hours <= 1);
  }

  // One of each solver, the quickest: memory, disk and time with what it rests on, in the one form.
  void each_solver_says_what_a_run_will_take() {
    std::map<std::string, SampleCard> quickest;
    for (const SampleCard& card : load_gallery(fs::path(CONOID_SOURCE_DIR) / "resources" / "cases"))
      if (card.available &&
          !QString::fromStdString(*read_file(card.case_file)).contains(".geo")) {  // which need another program
        auto& best = quickest.try_emplace(card.group.toStdString(), card).first->second;
        if (card.seconds < best.seconds) best = card;
      }
    for (const auto& [solver, card] : quickest) {
      const auto document = CaseDocument::read(card.case_file);
      QVERIFY(document.ok());
      const CheckReport report = check_case(*document);
      QVERIFY2(report.estimated, solver.c_str());
      const Estimate& e = report.estimate;
      QVERIFY2(e.host_memory > (Bytes{1} << 20) && e.disk > 0 && report.plan.offer.host.value > e.host_memory,
               solver.c_str());
      QVERIFY2(e.seconds > 0 && e.basis.starts_with("from "), (solver + ": " + e.basis).c_str());
      QVERIFY2(e.streams.empty() == (e.streamed == 0) && e.slower >= 1, solver.c_str());
      if (report.plan.team.devices().empty()) QCOMPARE(e.device_memory, Bytes{0});
    }
  }

  void runs_and_cases_are_remembered() {
    QTemporaryDir folder;
    const QString file = folder.filePath("settings.ini");
    {
      Settings settings(file);
      QVERIFY(settings.recent_runs().empty());
      for (int i = 0; i < 20; ++i) {
        const QString run = folder.filePath("run" + QString::number(i));
        QVERIFY(QDir().mkpath(run));
        settings.put_run({run, "case.json", "Title", "running", 0, QDateTime::currentDateTime()});
        settings.add_recent_case(folder.filePath(QString::number(i)));
      }
      RecentRun last = settings.recent_runs().front();
      last.state = "finished";
      last.seconds = 3;
      settings.put_run(last);
    }
    Settings settings(file);
    auto runs = settings.recent_runs();
    QCOMPARE(runs.size(), std::size_t{12});
    QCOMPARE(runs.front().state, QString("finished"));
    QCOMPARE(settings.recent_cases().size(), 12);
    QVERIFY(QDir().rmdir(runs.front().folder));
    QCOMPARE(settings.recent_runs().size(), std::size_t{11});  // its folder is gone
    settings.set_theme(ThemeChoice::dark);
    QVERIFY(settings.theme() == ThemeChoice::dark);
  }
};

QTEST_GUILESS_MAIN(TestGallery)
#include "test_gallery.moc"
