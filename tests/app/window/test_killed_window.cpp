// SPDX-License-Identifier: BSD-3-Clause
// A window that is killed with unsaved edits, and the next one, which offers them.
// labels: gui
#include <filesystem>

#include <QApplication>
#include <QDir>
#include <QProcess>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

#include "app/model/recovery.hpp"
#include "app/start/start_page.hpp"
#include "app/window/main_window.hpp"

using namespace conoid;
using namespace conoid::app;

namespace {

const std::filesystem::path cases = std::filesystem::path(CONOID_SOURCE_DIR) / "resources" / "cases";

/// The window as a person has it: it asks, and it keeps unsaved edits.
struct Program {
  explicit Program(const QString& folder) : settings(folder + "/settings.ini") {
    settings.set_autosave_seconds(1);
    WindowOptions options;
    options.samples = cases;
    options.viewport = ViewportKind::raster;
    window = std::make_unique<MainWindow>(look, settings, std::move(options));
  }
  Look look{*qApp, ThemeChoice::light};
  Settings settings;
  std::unique_ptr<MainWindow> window;
};

/// The program that will be killed: opens a case, changes its title and does nothing more.
int edit_and_wait(const QString& folder) {
  Program program(folder);
  const Status opened = program.window->open_case(cases / "point-source" / "case.json");
  if (!opened) return 1;
  program.window->model().set("/title", "Not saved", "change");
  return QApplication::exec();
}

}  // namespace

class TestKilledWindow : public QObject {
  Q_OBJECT
 private slots:
  void unsaved_edits_are_offered_again() {
    const QTemporaryDir folder;
    qputenv("XDG_STATE_HOME", folder.filePath("state").toUtf8());
    QProcess first;
    first.setProcessChannelMode(QProcess::ForwardedChannels);
    first.start(QCoreApplication::applicationFilePath(), {"--window", folder.path()});
    QVERIFY(first.waitForStarted());
    const QString state = Settings(folder.filePath("settings.ini")).state_folder();
    QTRY_VERIFY_WITH_TIMEOUT(!QDir(state).entryList({"unsaved-*.json"}).isEmpty(), 60000);
    QVERIFY2(Recovery::left_behind(state).empty(), "edits of a window that is open belong to it");
    first.kill();
    QVERIFY(first.waitForFinished());
    QCOMPARE(first.exitStatus(), QProcess::CrashExit);

    const Program second(folder.path());
    auto* const start = second.window->findChild<StartPage*>();
    QVERIFY(start != nullptr);
    QPushButton* restore = nullptr;
    for (QPushButton* button : start->findChildren<QPushButton*>())
      if (button->text() == StartPage::tr("Restore")) restore = button;
    QVERIFY2(restore != nullptr, "the start page offers the edits");
    restore->click();
    QVERIFY(second.window->model().is_open());
    QCOMPARE(second.window->model().json()["title"].get<std::string>(), std::string("Not saved"));
    QVERIFY(second.window->model().is_dirty());
  }
};

int main(int argc, char** argv) {
  QApplication application(argc, argv);
  if (argc > 2 && QByteArray(argv[1]) == "--window") return edit_and_wait(QString::fromLocal8Bit(argv[2]));
  TestKilledWindow test;
  return QTest::qExec(&test, argc, argv);
}

#include "test_killed_window.moc"
