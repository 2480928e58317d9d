// SPDX-License-Identifier: BSD-3-Clause
// From a stranger's body to a finished chart on one page: clicks are counted, the clock runs. What cannot run yet opens at what is missing.
// labels: gui serial timeout240
#include <fstream>

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include "app/forms/object_form.hpp"
#include "app/model/mesh_model.hpp"
#include "app/panels/case_panel.hpp"
#include "app/start/new_case_dialog.hpp"
#include "app/window/main_window.hpp"
#include "app/window/workbench.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/mesh/gmsh.hpp"
#include "engine/mesh/writers/write_mesh.hpp"
#include "engine/session/case_start.hpp"
#include "tests/app/fake_session.hpp"
#include "tests/app/patience.hpp"
#include "tests/app/shown_window.hpp"

using namespace conoid;
using namespace conoid::app;

class TestNewCase : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::unique_ptr<Look> look_;
  std::unique_ptr<Settings> settings_;
  int clicks_ = 0;

  std::unique_ptr<MainWindow> window(StartSession start = start_session) {
    WindowOptions options = test::quiet_options();
    options.asks = true;
    options.start = std::move(start);
    return test::shown_window(*look_, *settings_, std::move(options));
  }
  /// A ball of 50 mm as a file that states no unit.
  QString ball() {
    const std::string file = folder_.filePath("ball.stl").toStdString();
    IcosphereOptions options;
    options.radius = 50;
    options.divisions = 6;
    std::filesystem::remove(file);
    if (!write_mesh(*icosphere(options), file).ok()) qFatal("no file");
    return QString::fromStdString(file);
  }
  void click(QWidget* button) {
    ++clicks_;
    QTest::mouseClick(button, Qt::LeftButton);
  }
  static void keep_picture(QWidget& dialog, const char* name) {
    const QString kept = QStringLiteral(CONOID_BIN_DIR "/../pictures");
    if (QDir().mkpath(kept) && !dialog.grab().save(kept + '/' + name)) qFatal("no picture");
  }
  /// Does something on the page once it is there.
  template <class Act>
  void on_page(Act act) {
    auto* timer = new QTimer(this);
    timer->setInterval(20);
    connect(timer, &QTimer::timeout, timer, [timer, act] {
      auto* dialog = qobject_cast<NewCaseDialog*>(QApplication::activeModalWidget());
      if (!dialog) return;
      timer->stop();
      timer->deleteLater();
      act(*dialog);
      if (QTest::currentTestFailed()) dialog->reject();
    });
    timer->start();
  }
  static QRadioButton* radio(QWidget& dialog, const QString& words) {
    for (auto* one : dialog.findChildren<QRadioButton*>())
      if (one->text() == words && one->isVisible()) return one;
    return nullptr;
  }
  static QPushButton* button(QWidget& dialog, const QString& words) {
    for (auto* one : dialog.findChildren<QPushButton*>())
      if (one->text() == words) return one;
    qFatal("no button %s", qPrintable(words));
  }

 private slots:
  void initTestCase() {
    test::keep_below(folder_);
    look_ = std::make_unique<Look>(*qApp, ThemeChoice::light);
    settings_ = std::make_unique<Settings>(folder_.filePath("settings.ini"));
    settings_->set_runs_folder(folder_.filePath("runs"));
    settings_->set_tour_seen();
  }
  void init() { clicks_ = 0; }
  void cleanupTestCase() { settings_.reset(); }

  void from_a_mesh_of_a_stranger_to_a_chart_in_few_clicks() {
    const auto& starts = case_starts();
    if (std::none_of(starts.begin(), starts.end(), [](const CaseStart& s) { return s.id == "radar-cross-section"; }))
      QSKIP("no radar in this build");
    const std::string radar = std::find_if(starts.begin(), starts.end(), [](const CaseStart& s) {
                                return s.id == "radar-cross-section";
                              })->solver;
    auto w = window();
    QElapsedTimer clock;
    clock.start();
    bool asked = false;
    on_page([&](NewCaseDialog& page) {
      QTRY_VERIFY(button(page, "mm")->isVisible());
      asked = true;
      QVERIFY2(!page.obstacle().isEmpty(), "a unit is guessed");
      QTRY_VERIFY(radio(page, "Radar cross section from all around"));
      QTest::qWait(50);
      keep_picture(page, "new-case-unit.png");
      click(button(page, "mm"));
      QTRY_VERIFY(page.obstacle().isEmpty());
      click(radio(page, "Radar cross section from all around"));
      QTRY_VERIFY(page.model().solver() == radar && page.model().is_valid() && page.model().report());
      QTRY_VERIFY(button(page, "Make and run")->isEnabled());
      keep_picture(page, "new-case.png");
      click(button(page, "Make and run"));
    });
    clicks_ += 3;  // "New from a mesh", the file, "Open"
    QVERIFY(w->open_file(ball()).ok());
    QVERIFY(asked);
    QTRY_VERIFY_WITH_TIMEOUT(is_final(w->run().state()), 120000);
    QCOMPARE(w->run().state(), SessionState::finished);
    const double seconds = static_cast<double>(clock.elapsed()) / 1000;
    bool echo = false;
    for (const RunTable& table : w->run().tables())
      echo = echo || (QString::fromStdString(table.info.id).contains("monostatic") && table.rows.size() == 181);
    QVERIFY2(echo, "no cross sections");
    QVERIFY2(clicks_ <= 7, qPrintable(QString::number(clicks_)));
    qInfo("%d clicks, %.1f s", clicks_, seconds);
    keep_picture(*w, "new-case-run.png");
    // A unit that the file does not state is a word of the person's.
    QCOMPARE(w->model().value("/mesh/unit")->get<std::string>(), std::string("mm"));
  }

  void bodies_are_made_of_sizes_and_elements_follow_the_wave() {
    if (!find_gmsh()) QSKIP("no gmsh here");
    auto w = window(test::fake_start(std::make_shared<test::FakeState>()));
    on_page([&](NewCaseDialog& page) {
      QTRY_VERIFY(page.obstacle().isEmpty() && page.model().value("/mesh/size"));
      const auto size = [&] { return QString::fromStdString(page.model().value("/mesh/size")->get<std::string>()); };
      const QString before = size();
      const std::string frequency = [&] {
        for (const std::string& pointer : case_starts().front().asks)
          if (pointer.ends_with("frequency")) return pointer;
        return std::string();
      }();
      const Json typed = *page.model().value(frequency);
      page.model().set(frequency, "1 kHz", "a higher wave");
      QTRY_VERIFY(size() != before);
      QCOMPARE(page.model().value(frequency)->get<std::string>(), std::string("1 kHz"));
      page.model().set("/mesh/bodies/0/radius", "1 m", "a larger ball");
      QTRY_VERIFY(page.obstacle().isEmpty() &&
                  page.model().value("/mesh/bodies/0/radius")->get<std::string>() == "1 m");
      QCOMPARE(page.model().value(frequency)->get<std::string>(), std::string("1 kHz"));
      QTest::qWait(300);
      keep_picture(page, "new-case-sizes.png");
      click(button(page, "Make the case"));
    });
    QTest::qWait(0);
    w->actions().at("file.body")->trigger();
    QVERIFY(w->model().value("/mesh/bodies"));
    QVERIFY(w->workbench());
    QTRY_VERIFY(w->workbench()->mesh().mesh());
  }

  void a_form_opens_at_what_is_missing() {
    auto w = window(test::fake_start(std::make_shared<test::FakeState>()));
    on_page([&](NewCaseDialog& page) {
      QTRY_VERIFY(button(page, "mm")->isVisible());
      click(button(page, "mm"));
      QTRY_VERIFY(page.obstacle().isEmpty());
      // The last on the page: a solver without a start.
      const auto lowest = [&page] {
        QRadioButton* last = nullptr;
        for (auto* one : page.findChildren<QRadioButton*>())
          if (one->isVisible() && (!last || one->mapTo(&page, QPoint()).y() > last->mapTo(&page, QPoint()).y()))
            last = one;
        return last;
      };
      QTRY_VERIFY(lowest() && lowest()->mapTo(&page, QPoint()).y() > 200);
      QRadioButton* last = lowest();
      click(last);
      QVERIFY(last->isChecked());
      QTRY_VERIFY(button(page, "Make the case")->isEnabled());
      QVERIFY(!button(page, "Make and run")->isEnabled());
      click(button(page, "Make the case"));
    });
    QVERIFY(w->open_file(ball()).ok());
    if (w->model().obstacle().isEmpty()) QSKIP("nothing is missing in this solver's case");
    // The window's own focus: nobody makes it the active one here.
    QTRY_VERIFY(w->focusWidget() && w->workbench()->case_panel().isAncestorOf(w->focusWidget()));
  }
};

QTEST_MAIN(TestNewCase)
#include "test_new_case.moc"
