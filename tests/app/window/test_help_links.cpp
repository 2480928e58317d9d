// SPDX-License-Identifier: BSD-3-Clause
// From an error to what helps: each kind of failure has its place in the documentation, each key its place in manual and reference, and
// the two lead to each other. Tutorials point at controls that are there.
// labels: gui serial timeout240
#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QListView>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>

#include "app/model/help_topic.hpp"
#include "app/model/tutorials.hpp"
#include "app/panels/case_panel.hpp"
#include "app/panels/log_panel.hpp"
#include "app/panels/results_panel.hpp"
#include "app/start/guide.hpp"
#include "app/window/documentation_window.hpp"
#include "app/window/main_window.hpp"
#include "app/window/manual_window.hpp"
#include "app/window/workbench.hpp"
#include "engine/case/schema.hpp"
#include "engine/solvers/registry.hpp"
#include "tests/app/dialogs.hpp"
#include "tests/app/fake_session.hpp"
#include "tests/app/patience.hpp"
#include "tests/app/shown_window.hpp"

using namespace conoid;
using namespace conoid::app;

class TestHelpLinks : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::unique_ptr<Look> look_;
  std::unique_ptr<Settings> settings_;

  void write(const QString& name, const QString& article) {
    QFile out(folder_.filePath("pages/" + name));
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write(
        ("<html><body><div itemprop=\"articleBody\">" + article + "</div><footer>f</footer></body></html>").toUtf8());
  }
  static QString solver_of_quickest() {
    const auto document = CaseDocument::read(test::quickest_sample().case_file);
    return QString::fromStdString(document->json()["solver"].get<std::string>());
  }

 private slots:
  void initTestCase() {
    test::keep_below(folder_);
    look_ = std::make_unique<Look>(*qApp, ThemeChoice::light);
    settings_ = std::make_unique<Settings>(folder_.filePath("settings.ini"));
    settings_->set_runs_folder(folder_.filePath("runs"));
    if (test::quickest_sample().case_file.empty()) QSKIP("no sample case in this build");
    QVERIFY(QDir(folder_.path()).mkpath("pages/reference"));
    const QString solver = solver_of_quickest();
    write("index.html", "<h1>Start</h1>");
    write("troubleshooting.html",
          "<h1>Troubleshooting</h1><span id=\"code-3\"></span><h2>3: case or mesh invalid</h2>");
    write("reference/keys-" + solver + ".html",
          "<h1>Keys</h1><table><tr><td><span id=\"/output/frames/count\"></span><code>/output/frames/count</code>"
          "</td></tr></table>");
    qputenv("CONOID_DOCUMENTATION", folder_.filePath("pages").toUtf8());
  }
  void cleanupTestCase() { settings_.reset(); }

  void every_kind_of_failure_has_its_place() {
    QFile page(QStringLiteral(CONOID_SOURCE_DIR "/docs/troubleshooting.md"));
    QVERIFY(page.open(QIODevice::ReadOnly));
    const QString text = QString::fromUtf8(page.readAll());
    for (const ErrorCode code :
         {ErrorCode::internal, ErrorCode::command_line, ErrorCode::invalid_input, ErrorCode::file,
          ErrorCode::not_converged, ErrorCode::resources, ErrorCode::remote, ErrorCode::stopped}) {
      const QString anchor = page_of_code(code).section('#', 1);
      const QString number = QString::number(static_cast<int>(code));
      QVERIFY2(text.contains("(" + anchor + ")=\n## " + number + ": "), qPrintable(anchor));
    }
  }

  void a_line_of_the_log_leads_to_what_helps() {
    auto w = test::shown_window(*look_, *settings_);
    QVERIFY(w->open_case(test::quickest_sample().case_file).ok());
    w->run().add_log({LogLevel::error, 1, "the disk is full", "Make room.", {}, ErrorCode::invalid_input});
    w->run().add_log({LogLevel::warning, 2, "few frames", {}, "/output/frames/count"});
    w->run().add_log({LogLevel::info, 3, "all is well", {}, {}});
    w->workbench()->results_panel().show_log();
    LogPanel& log = w->workbench()->results_panel().log();
    QListView& list = log.list();
    QTRY_VERIFY(list.isVisible() && list.model()->rowCount() >= 3);
    const auto row_of = [&](const QString& words) {
      for (int i = 0; i < list.model()->rowCount(); ++i)
        if (list.model()->index(i, 0).data().toString().contains(words)) return list.model()->index(i, 0);
      return QModelIndex();
    };
    const auto mark_of = [&](const QModelIndex& line) {
      const QRect area = list.visualRect(line);
      return QPoint(area.right() - 40, area.top() + 11);
    };
    QSignalSpy wanted(&log, &LogPanel::help_wanted);
    list.scrollTo(row_of("disk is full"));
    QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, mark_of(row_of("disk is full")));
    QCOMPARE(wanted.size(), 1);
    auto* pages = w->findChild<DocumentationWindow*>();
    QVERIFY(pages && pages->isVisible());
    QVERIFY(pages->page().source().toString().endsWith("troubleshooting.html#code-3"));
    // A place says more than a code: the manual at the key.
    list.scrollTo(row_of("few frames"));
    QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, mark_of(row_of("few frames")));
    auto* manual = w->findChild<ManualWindow*>();
    QVERIFY(manual && manual->isVisible());
    QCOMPARE(manual->shown_field(), std::string("/output/frames/count"));
    // What tells no trouble has no mark: a click there is a click on the line.
    list.scrollTo(row_of("all is well"));
    QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, mark_of(row_of("all is well")));
    QCOMPARE(wanted.size(), 2);
    // By key.
    list.setCurrentIndex(row_of("disk is full"));
    QVERIFY(log.topic().code == ErrorCode::invalid_input);
    test::keep_picture(*w, "help-log.png");
  }

  void manual_and_reference_lead_to_each_other() {
    auto w = test::shown_window(*look_, *settings_);
    QVERIFY(w->open_case(test::quickest_sample().case_file).ok());
    emit w->workbench()->case_panel().help_wanted({"/output/frames/count", {}});
    auto* manual = w->findChild<ManualWindow*>();
    QVERIFY(manual && manual->isVisible());
    const QString solver = solver_of_quickest();
    const QString page = page_of_key(solver.toStdString(), "/output/frames/count");
    QVERIFY2(manual->page().toHtml().contains(page), qPrintable(page));
    emit manual->page().anchorClicked(QUrl(page));
    auto* pages = w->findChild<DocumentationWindow*>();
    QVERIFY(pages && pages->isVisible());
    QVERIFY2(pages->page().source().toString().endsWith(page), qPrintable(pages->page().source().toString()));
    // Its keys are links back.
    const QString back = "key:" + solver + "#/output/frames/count";
    QVERIFY2(pages->page().toHtml().contains(back), qPrintable(pages->page().toHtml()));
    manual->open_at(solver.toStdString(), "/solver");
    emit pages->page().anchorClicked(QUrl(back));
    QCOMPARE(manual->shown_field(), std::string("/output/frames/count"));
    test::keep_picture(*manual, "help-manual.png");
  }

  void tutorials_point_at_what_is_there() {
    const auto tutorials = load_tutorials();
    QDir samples(QString::fromStdString(test::samples().string()));
    std::set<std::string> solvers;
    for (const Tutorial& one : tutorials) {
      const auto document = CaseDocument::read(test::samples() / one.sample.toStdString() / "case.json");
      QVERIFY2(document.ok(), qPrintable(one.sample));
      const SolverInfo* info = find_solver(document->json()["solver"].get<std::string>());
      if (!info) continue;
      solvers.insert(std::string(info->id));
      const auto schema = Schema::for_solver(info->id, info->schema);
      const auto fields = schema->fields();
      for (const TutorialStep& step : one.steps) {
        QVERIFY2(QStringList({"", "edited", "running", "finished"}).contains(step.until), qPrintable(step.until));
        if (!step.at.startsWith("case:")) continue;
        const std::string pointer = step.at.mid(5).toStdString(), field = field_of(fields, pointer);
        const auto depth = std::count(pointer.begin(), pointer.end(), '/');
        QVERIFY2(std::count(field.begin(), field.end(), '/') >= depth, pointer.c_str());
      }
    }
    for (const SolverInfo* info : registered_solvers())
      if (info->id != "heat-rod") QVERIFY2(solvers.contains(std::string(info->id)), std::string(info->id).c_str());
    QVERIFY(!tutorial_from("{}").ok());
    QVERIFY(!tutorial_from(R"({"title": "a", "case": "b", "steps": [{"title": "c", "text": "d"}]})").ok());
  }

  void a_tutorial_is_gone_through() {
    if (!load_tutorials().size()) QSKIP("no tutorials");
    WindowOptions options = test::quiet_options();
    const auto state = std::make_shared<test::FakeState>();
    options.start = test::fake_start(state);
    auto w = test::shown_window(*look_, *settings_, std::move(options));
    for (const Tutorial& tutorial : load_tutorials()) {
      w->start_tutorial(tutorial);
      auto* guide = w->findChild<Guide*>();
      QVERIFY2(guide && guide->isVisible(), qPrintable(tutorial.title));
      QCOMPARE(guide->step(), 0);
      for (int i = 0; i < static_cast<int>(tutorial.steps.size()); ++i) {
        guide->go(i);
        QTRY_VERIFY2(!guide->spot().isEmpty(), qPrintable(tutorial.title + ": " + tutorial.steps[std::size_t(i)].at));
        // Beside what it is about, and within the window. A control as large as the window leaves no place beside it.
        const QRect card = guide->geometry();
        QVERIFY(w->rect().contains(card));
        if (guide->spot().width() < w->width() / 3) QVERIFY(!card.intersects(guide->spot()));
        QTest::qWait(20);
        test::keep_picture(*w, QString("tutorial-%1-%2.png").arg(tutorial.sample).arg(i + 1));
      }
      guide->end();
    }
  }

  void a_step_waits_for_what_is_done() {
    auto w = test::shown_window(*look_, *settings_);
    Tutorial tutorial;
    tutorial.title = "A field";
    tutorial.sample = QString::fromStdString(test::quickest_sample().case_file.parent_path().filename().string());
    tutorial.steps = {{"Edit", "Change it.", "case:/output/frames/count", "edited"},
                      {"Done", "That was it.", "picture", ""}};
    w->start_tutorial(tutorial);
    auto* guide = w->findChild<Guide*>();
    QVERIFY(guide && guide->step() == 0);
    w->model().set("/output/frames/count", 3, "fewer frames");
    QTRY_COMPARE(guide->step(), 1);
    QTest::keyClick(guide, Qt::Key_Escape);
    QTRY_VERIFY(!w->findChild<Guide*>());
  }
};

QTEST_MAIN(TestHelpLinks)
#include "test_help_links.moc"
