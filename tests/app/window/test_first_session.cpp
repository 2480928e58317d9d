// SPDX-License-Identifier: BSD-3-Clause
// A first session as a person has it, from the start page to a saved picture; the tour; runs at other places; one window a case.
// labels: gui serial timeout300
#include <fstream>

#include <QAction>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QElapsedTimer>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QThreadPool>
#include <QToolButton>

#include <unistd.h>

#include "app/model/case_lock.hpp"
#include "app/model/compute_place.hpp"
#include "app/model/gallery.hpp"
#include "app/model/heap.hpp"
#include "app/model/news.hpp"
#include "app/panels/capture_dialog.hpp"
#include "app/panels/viewport_panel.hpp"
#include "app/start/card_grid.hpp"
#include "app/start/tour.hpp"
#include "app/window/connect_dialog.hpp"
#include "app/window/main_window.hpp"
#include "app/window/settings_dialog.hpp"
#include "app/window/workbench.hpp"
#include "engine/core/atomic_file.hpp"
#include "engine/solvers/registry.hpp"
#include "tests/app/patience.hpp"
#include "tests/app/shown_window.hpp"

using namespace conoid;
using namespace conoid::app;

namespace {

const QString bin = QStringLiteral(CONOID_BIN_DIR);

}  // namespace

class TestFirstSession : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::unique_ptr<Look> look_;
  std::unique_ptr<Settings> settings_;

  std::unique_ptr<MainWindow> window() { return test::shown_window(*look_, *settings_); }
  bool run_at(const QString& place) {
    settings_->set_place(place);
    auto w = window();
    if (!w->open_case(test::quickest_sample().case_file).ok()) return false;
    QSignalSpy ended(&w->run(), &RunModel::ended);
    w->start_run();
    if (ended.isEmpty()) ended.wait(100000);
    if (w->run().error()) qWarning("%s", w->run().error()->render().c_str());
    const bool good = w->run().state() == SessionState::finished && !w->run().frames().empty();
    settings_->set_place({});
    return good;
  }
  QString write_script(const QString& name, const QByteArray& text) {
    QFile file(folder_.filePath(name));
    if (!file.open(QIODevice::WriteOnly)) qFatal("script");
    file.write(text);
    file.close();
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    return file.fileName();
  }

 private slots:
  void initTestCase() {
    test::keep_below(folder_);
    look_ = std::make_unique<Look>(*qApp, ThemeChoice::light);
    settings_ = std::make_unique<Settings>(folder_.filePath("settings.ini"));
    settings_->set_runs_folder(folder_.filePath("runs"));
    if (test::quickest_sample().case_file.empty()) QSKIP("no sample case in this build");
  }
  void cleanupTestCase() { settings_.reset(); }

  void from_the_start_page_to_a_saved_picture() {
    QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    const QString kept = bin + "/../pictures";
    QDir().mkpath(kept);
    QElapsedTimer clock;
    clock.start();
    auto w = window();
    QVERIFY(QTest::qWaitForWindowExposed(w.get(), 60000));
    int clicks = 0;
    QVERIFY(w->grab().save(kept + "/session-1-start.png"));
    SampleCardWidget* card = nullptr;
    for (auto* one : w->findChildren<SampleCardWidget*>())
      if (one->card().case_file == test::quickest_sample().case_file) card = one;
    QVERIFY(card);
    QTest::mouseClick(card, Qt::LeftButton, {}, card->rect().center());
    ++clicks;
    QTRY_VERIFY(w->workbench() && w->workbench()->isVisible());
    auto* run = w->workbench()->findChild<QPushButton*>("runButton");
    QTRY_VERIFY(run && run->isEnabled());
    QVERIFY(w->grab().save(kept + "/session-2-case.png"));
    QTest::mouseClick(run, Qt::LeftButton);
    ++clicks;
    ViewportPanel& view = w->workbench()->viewport_panel();
    QTRY_VERIFY_WITH_TIMEOUT(!w->run().frames().empty() && view.pane().has_picture() && view.is_up_to_date(), 60000);
    const qint64 first_picture = clock.elapsed();
    QTRY_VERIFY_WITH_TIMEOUT(!w->run().is_active(), 60000);
    QCOMPARE(w->run().state(), SessionState::finished);
    QVERIFY(w->grab().save(kept + "/session-3-finished.png"));
    // The third click; what follows are the two dialogs of every program that saves.
    const QString file = folder_.filePath("first.png");
    QTimer hands;
    int dialogs = 0;
    connect(&hands, &QTimer::timeout, this, [&] {
      QWidget* dialog = QApplication::activeModalWidget();
      if (auto* capture = qobject_cast<CaptureDialog*>(dialog); capture && dialogs == 0) {
        ++dialogs;
        capture->grab().save(kept + "/session-4-save.png");
        capture->accept();
      } else if (auto* choose = qobject_cast<QFileDialog*>(dialog); choose && dialogs == 1) {
        ++dialogs;
        choose->findChild<QLineEdit*>("fileNameEdit")->setText(file);
        QMetaObject::invokeMethod(choose, "accept");
      }
    });
    hands.start(50);
    QToolButton* save = nullptr;
    for (auto* button : view.findChildren<QToolButton*>())
      if (button->accessibleName() == "Save the picture") save = button;
    QVERIFY(save);
    QTest::mouseClick(save, Qt::LeftButton);
    ++clicks;
    hands.stop();
    QCOMPARE(dialogs, 2);
    const QImage picture(file);
    QVERIFY(picture.width() > 200);
    QSet<QRgb> colours;
    for (int y = 0; y < picture.height(); y += 3)
      for (int x = 0; x < picture.width(); x += 3) colours.insert(picture.pixel(x, y));
    QVERIFY(colours.size() > 30);
    qInfo("%d clicks; first picture after %lld ms", clicks, first_picture);
    QVERIFY(clicks <= 3);
    QVERIFY(first_picture < 60000);
  }

  void the_tour_has_five_steps_and_can_be_left() {
    auto w = window();
    w->actions().at("help.tour")->trigger();
    auto* tour = w->findChild<Tour*>();
    QVERIFY(tour);
    QVERIFY(settings_->tour_seen());
    QCOMPARE(tour->count(), 5);
    QSet<QString> texts;
    for (int i = 0; i < 5; ++i) {
      QCOMPARE(tour->step(), i);
      QTest::qWait(120);
      QVERIFY2(!tour->spot().isEmpty(), qPrintable(QString::number(i)));
      // The card stands beside what it speaks of, and wholly inside the window.
      QVERIFY(tour->rect().contains(tour->card()->geometry()));
      if (tour->spot().width() < w->width() / 2) QVERIFY(!tour->card()->geometry().contains(tour->spot().center()));
      texts.insert(tour->card()->accessibleName());
      QTest::keyClick(tour, Qt::Key_Right);
    }
    QCOMPARE(texts.size(), 5);
    QTRY_VERIFY(!w->findChild<Tour*>());
    w->actions().at("help.tour")->trigger();
    QTest::keyClick(w->findChild<Tour*>(), Qt::Key_Escape);
    QTRY_VERIFY(!w->findChild<Tour*>());
    QVERIFY(!load_news().empty() && load_news().front().items.size() >= 3);
  }

  void runs_go_to_a_process_or_through_ssh() {
    if (!QFile::exists(bin + "/conoid-worker") || !QFile::exists(bin + "/conoid")) QSKIP("conoid-worker is not built");
    QVERIFY(run_at(bin + "/conoid-worker"));
    // A stand-in for ssh: leaves out the host and does here what it was to do there.
    const QString ssh =
        write_script("ssh", "#!/bin/sh\nshift\nPATH=\"" + bin.toUtf8() + ":$PATH\"\nexport PATH\nexec \"$@\"\n");
    QVERIFY(is_far(ssh + " box"));
    QCOMPARE(words_of_place(ssh + " box"), QString("On box by ssh"));
    QVERIFY(run_at(ssh + " box"));
    FarEndQuery query;
    QSignalSpy answered(&query, &FarEndQuery::answered);
    query.ask(ssh + " box");
    QVERIFY(answered.count() == 1 || answered.wait(30000));
    const auto answer = answered.front().front().value<FarEnd>();
    QCOMPARE(answer.trouble, QString());
    QVERIFY(!answer.devices.empty());
    QCOMPARE(answer.devices.front().id, QString("cpu"));
  }

  void what_goes_wrong_at_the_far_end_is_said() {
    QVERIFY(!run_at(folder_.filePath("nothing") + " there"));
    QVERIFY(!run_at("ssh \"unfinished"));
    FarEndQuery query;
    QSignalSpy answered(&query, &FarEndQuery::answered);
    const auto ask = [&](const QString& place, int seconds = 20) {
      answered.clear();
      query.ask(place, seconds);
      if (answered.isEmpty()) answered.wait(30000);
      return answered.isEmpty() ? QString() : answered.front().front().value<FarEnd>().trouble;
    };
    QVERIFY(ask(folder_.filePath("none/ssh") + " box").contains("could not be started"));
    const QString refuses = write_script("ssh", "#!/bin/sh\necho 'Permission denied (publickey).' >&2\nexit 255\n");
    QCOMPARE(ask(refuses + " box"), QString("Permission denied (publickey)."));
    write_script("ssh", "#!/bin/sh\nexec sleep 30\n");
    QVERIFY(ask(refuses + " box", 1).contains("No answer within 1 s"));
    write_script("ssh", "#!/bin/sh\necho welcome\n");
    QVERIFY(ask(refuses + " box").contains("cannot be read"));
  }

  void the_place_is_chosen_in_a_dialog_and_shown_beside_the_command() {
    auto w = window();
    QVERIFY(w->open_case(test::quickest_sample().case_file).ok());
    ConnectDialog dialog(*settings_, *look_, w.get());
    dialog.show();
    QCOMPARE(dialog.place(), QString());
    auto* line = dialog.findChild<QLineEdit*>();
    QTest::keyClicks(line, "ssh box");
    QCOMPARE(dialog.place(), QString("ssh box"));
    dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok)->click();
    QCOMPARE(settings_->place(), QString("ssh box"));
    QCOMPARE(settings_->launchers(), QStringList{"ssh box"});
    w->workbench()->apply_settings(*settings_);
    bool shown = false;
    for (const auto* label : w->workbench()->findChildren<QLabel*>())
      shown = shown || label->accessibleName().contains("--launcher 'ssh box'");
    QVERIFY(shown);
    settings_->set_place({});
  }

  void devices_of_this_machine_can_be_chosen() {
    SettingsDialog dialog(*settings_, *look_);
    FarEnd found;
    found.devices = {{"cpu", "A processor"}, {"cuda:0", "A card, 80 GiB"}};
    dialog.show_devices(found, {});
    QComboBox& workers = dialog.workers();
    const int both = workers.findData("cuda:0,cpu");
    QVERIFY(both > 0 && workers.findData("cuda:0") > 0);
    QVERIFY(workers.itemText(both).contains("A card, 80 GiB"));
    // It is told what they are good for.
    QString told;
    for (const QLabel* label : dialog.findChildren<QLabel*>())
      if (label->text().startsWith("Devices compute")) told = label->text();
    for (const SolverInfo* solver : registered_solvers())
      QCOMPARE(told.contains(QString::fromStdString(std::string(solver->id))), solver->runs_on_devices());
    workers.setCurrentIndex(both);
    emit workers.activated(both);
    QCOMPARE(settings_->workers(), QString("cuda:0,cpu"));
    // What is chosen reaches the session: a card that is not here is an error of the run, not of the window.
    settings_->set_workers("cuda:77");
    auto w = window();
    QVERIFY(w->open_case(test::quickest_sample().case_file).ok());
    QSignalSpy ended(&w->run(), &RunModel::ended);
    w->start_run();
    QVERIFY(ended.count() == 1 || ended.wait(60000));
    QCOMPARE(w->run().state(), SessionState::failed);
    settings_->set_workers({});
  }

  void a_case_is_open_in_one_window() {
    const QString state = folder_.filePath("locks");
    QDir().mkpath(state);
    CaseLock first(state), second(state);
    const auto file = test::quickest_sample().case_file;
    QVERIFY(first.take(file));
    QVERIFY(first.take(file));
    QVERIFY(!second.take(file));
    // The same file by another path is the same case.
    QVERIFY(!second.take(file.parent_path() / ".." / file.parent_path().filename() / file.filename()));
    QCOMPARE(second.holder(file), qint64{getpid()});
    QSignalSpy wanted(&first, &CaseLock::show_wanted);
    second.ask_to_show(file);
    QVERIFY(wanted.count() == 1 || wanted.wait(5000));
    first.release();
    QVERIFY(second.take(file));
    CaseLock nowhere{QString()};
    QVERIFY(nowhere.take(file));
  }

  void memory_comes_back_after_every_run() {
    const int cycles = qEnvironmentVariableIsSet("CONOID_LONG") ? 50 : 5;
    auto w = window();
    // A grid and a mesh that moves in turn, small, so that fifty of each are a matter of a minute.
    struct Small {
      const char* sample;
      const char* change;
    };
    std::vector<std::filesystem::path> cases;
    for (const Small& one :
         {Small{"point-source",
                R"({"grid": {"points": [91, 91, 68], "spacing": "18 m"}, "parameters": {"end_time": "60 ms"}})"},
          Small{"sedov-blast", R"({"grid": {"zones": [8, 8]}, "parameters": {"end_time": 0.1}})"}}) {
      const auto text = read_file(test::samples() / one.sample / "case.json");
      QVERIFY(text.ok());
      Json json = read_json(*text);
      json.merge_patch(read_json(one.change));
      cases.push_back(folder_.filePath(QString(one.sample) + ".json").toStdString());
      QVERIFY(write_file_atomically(cases.back(), compact_json(json)).ok());
    }
    std::size_t turn = 0;
    const auto cycle = [&] {
      if (!w->open_case(cases[turn++ % cases.size()]).ok()) qFatal("open");
      QSignalSpy ended(&w->run(), &RunModel::ended);
      w->start_run();
      if (ended.isEmpty() && !ended.wait(60000)) qFatal("run");
      if (w->run().state() != SessionState::finished) qFatal("finish");
      QTest::qWait(30);
      w->run().reset();
      w->actions().at("file.start")->trigger();
      QTest::qWait(20);
    };
    const auto resident = [] {
      QThreadPool::globalInstance()->waitForDone();  // the program gives memory back by itself
      long pages = 0, all = 0;
      std::ifstream("/proc/self/statm") >> all >> pages;
      return pages * sysconf(_SC_PAGESIZE) / 1024 / 1024;
    };
    for (int i = 0; i < 4; ++i) cycle();
    const long before = resident();
    for (int i = 0; i < cycles / 2; ++i) cycle();
    const long half = resident();
    for (int i = cycles / 2; i < cycles; ++i) cycle();
    const long after = resident();
    qInfo("%ld MiB after 4 cycles of open, run and close, %ld MiB after %d more, %ld MiB after %d", before, half,
          cycles / 2, after, cycles);
    QVERIFY2(after - before < 40, qPrintable(QString("%1 → %2 MiB").arg(before).arg(after)));
  }
};

/// As the program does it.
int main(int argc, char** argv) {
  set_up_heap();
  QApplication application(argc, argv);
  TestFirstSession test;
  return QTest::qExec(&test, argc, argv);
}
#include "test_first_session.moc"
