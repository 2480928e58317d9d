// SPDX-License-Identifier: BSD-3-Clause
// Values over all frames of a run, asked for in the window at a place and over a part: charts of fields whose values are known, and what goes
// wrong is said; fields come out in files of other programs.
// labels: gui timeout240
#include <cmath>
#include <fstream>
#include <numbers>

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDesktopServices>
#include <QFileDialog>
#include <QInputDialog>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QRadioButton>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QUrl>

#include "app/panels/results_panel.hpp"
#include "app/panels/scene_pane.hpp"
#include "app/panels/viewport_panel.hpp"
#include "app/window/main_window.hpp"
#include "app/window/values_dialog.hpp"
#include "app/window/workbench.hpp"
#include "tests/app/patience.hpp"
#include "tests/app/window/known_run.hpp"
#include "tests/app/window/window_test.hpp"

using namespace conoid;
using namespace conoid::app;

class TestRunValues : public test::WindowOfRunTest {
  Q_OBJECT

  static ScenePane& pane(MainWindow& w) { return w.workbench()->viewport_panel().pane(); }
  static void wait_for_picture(MainWindow& w) {
    QTRY_VERIFY(w.run().is_stored());
    QTRY_VERIFY(pane(w).has_picture());
    pane(w).choose("pressure");
    QTRY_VERIFY(w.actions().at("view.values")->isEnabled());
  }
  static const Series* curve(const ChartSpec& chart, const char* label) {
    for (const Series& series : chart.series)
      if (series.label == label) return &series;
    return nullptr;
  }
  /// Answers the dialog of `view.values` once.
  void answer(const std::function<void(ValuesDialog&)>& say) {
    auto* hands = new QTimer(this);
    connect(hands, &QTimer::timeout, this, [hands, say] {
      auto* dialog = qobject_cast<ValuesDialog*>(QApplication::activeModalWidget());
      if (!dialog) return;
      hands->deleteLater();
      hands->stop();
      say(*dialog);
    });
    hands->start(20);
  }

 public slots:
  void open_url(const QUrl& url) { opened_ << url; }

 private slots:
  void initTestCase() {
    begin_with_links();
    const SampleCard quickest = test::quickest_sample();
    if (quickest.case_file.empty()) QSKIP("no sample case in this build");
    if (!std::filesystem::exists(command_)) QSKIP("the command is not built");
    run_ = begin_run("known", quickest.case_file, "Known", "{}");
    test::write_known_frames(run_);
  }
  void cleanupTestCase() { end_with_links(); }

  void a_place_has_a_curve_over_all_frames() {
    auto w = window(command_);
    wait_for_picture(*w);
    ResultsPanel& results = w->workbench()->results_panel();
    emit pane(*w).values_wanted(Vec3{0.3, 0.7, -0.1});
    QTRY_COMPARE_WITH_TIMEOUT(results.chart().chart().title, std::string("At (0.3, 0.7, −0.1) m"), 60000);
    const ChartSpec chart = results.chart().chart();
    QCOMPARE(chart.x_unit, std::string("s"));
    QCOMPARE(chart.y_unit, std::string("Pa"));
    QCOMPARE(chart.series.size(), std::size_t{1});
    QCOMPARE(chart.series[0].y.size(), std::size_t{test::frames});
    for (std::size_t i = 0; i < test::frames; ++i) {
      QCOMPARE(chart.series[0].x[i], static_cast<double>(i));
      QVERIFY(std::abs(chart.series[0].y[i] - test::known(static_cast<double>(i), 0.3, 0.7, -0.1)) < 1e-5);
    }
    // What is looked at of a vector is what is asked for.
    pane(*w).choose("velocity");
    FieldView view = pane(*w).scene().view();
    const auto length = pane(*w).question();
    QVERIFY(length && length->component == "magnitude" && length->show.empty());
    emit pane(*w).values_wanted(Vec3{1.5, 0, -0.8});
    QTRY_COMPARE_WITH_TIMEOUT(results.chart().chart().y_unit, std::string("m/s"), 60000);
    for (const double v : results.chart().chart().series.at(0).y) QVERIFY(std::abs(v - 1.7) < 1e-6);
  }

  void a_part_has_mean_ends_and_integral() {
    auto w = window(command_);
    wait_for_picture(*w);
    ResultsPanel& results = w->workbench()->results_panel();
    QString line;
    answer([&](ValuesDialog& dialog) {
      QVERIFY(dialog.grab().save(CONOID_BIN_DIR "/../pictures/values-dialog.png"));
      for (QLabel* label : dialog.findChildren<QLabel*>())
        if (label->text().startsWith("conoid probe")) line = label->text();
      QCOMPARE(dialog.findChild<QComboBox*>()->currentText(), QString("volume"));
      dialog.accept();
    });
    w->actions().at("view.values")->trigger();
    QVERIFY2(line.contains("--over=volume") && line.contains("--field pressure"), qPrintable(line));
    QTRY_COMPARE_WITH_TIMEOUT(results.chart().chart().title, std::string("Over volume"), 60000);
    const ChartSpec chart = results.chart().chart();
    const Series *mean = curve(chart, "mean"), *least = curve(chart, "least"), *largest = curve(chart, "largest");
    QVERIFY(mean && least && largest && chart.series.size() == 3);
    for (std::size_t i = 0; i < test::frames; ++i) {
      const double t = static_cast<double>(i);
      QVERIFY(std::abs(mean->y[i] - test::known(t, 1, 0.75, -0.5)) < 1e-5);
      QVERIFY(std::abs(least->y[i] - test::known(t, 0, 1.5, -1)) < 1e-5);
      QVERIFY(std::abs(largest->y[i] - test::known(t, 2, 0, 0)) < 1e-5);
    }
    // Its integral has another unit: a tab of its own.
    int integral = -1;
    for (int i = 0; i < results.tabs().count(); ++i)
      if (results.tabs().tabText(i) == "Integral: Over volume") integral = i;
    QVERIFY(integral >= 0);
    results.tabs().setCurrentIndex(integral);
    QTRY_COMPARE(results.chart().chart().title, std::string("Integral: Over volume"));
    QCOMPARE(results.chart().chart().y_unit, std::string("Pa*m^3"));
    for (std::size_t i = 0; i < test::frames; ++i)
      QVERIFY(std::abs(results.chart().chart().series.at(0).y[i] -
                       3 * test::known(static_cast<double>(i), 1, 0.75, -0.5)) < 3e-5);
    QVERIFY(w->grab().save(CONOID_BIN_DIR "/../pictures/values-over.png"));
  }

  void a_typed_place_is_read_with_units() {
    auto w = window(command_);
    wait_for_picture(*w);
    answer([](ValuesDialog& dialog) {
      const auto radios = dialog.findChildren<QRadioButton*>();
      auto* ok = dialog.findChildren<QPushButton*>().at(0);
      for (QPushButton* button : dialog.findChildren<QPushButton*>())
        if (button->text() == "Show") ok = button;
      QVERIFY(ok->isEnabled());
      radios.at(1)->setChecked(true);
      QVERIFY(!ok->isEnabled());
      auto* place = dialog.findChild<QLineEdit*>();
      place->setText("30 cm; x");
      QVERIFY(!ok->isEnabled());
      place->setText("30 cm, 700 mm, -0.1");
      QVERIFY(ok->isEnabled());
      ok->click();
    });
    w->actions().at("view.values")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(w->workbench()->results_panel().chart().chart().title,
                              std::string("At (0.3, 0.7, −0.1) m"), 60000);
  }

  void what_cannot_be_read_is_said() {
    auto w = window(command_);
    wait_for_picture(*w);
    QString said;
    QTimer hands;
    connect(&hands, &QTimer::timeout, this, [&] {
      if (auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget())) {
        said = box->text() + box->informativeText();
        box->accept();
      }
    });
    hands.start(50);
    auto question = pane(*w).question();
    QVERIFY(question.has_value());
    question->over = "nowhere";
    const auto wrong = ask_values(*question, command_);
    QVERIFY(!wrong.ok());
    QVERIFY2(wrong.error().text.find("nowhere") != std::string::npos &&
                 wrong.error().text.find("conoid: error") == std::string::npos,
             wrong.error().text.c_str());
    w = window("/nowhere/conoid");
    wait_for_picture(*w);
    emit pane(*w).values_wanted(Vec3{0.3, 0.7, -0.1});
    QTRY_VERIFY_WITH_TIMEOUT(!said.isEmpty(), 60000);
    QVERIFY2(said.contains("The values cannot be read") && said.contains("/nowhere/conoid"), qPrintable(said));
  }

  void fields_are_exported_by_the_command() {
    auto w = window(command_);
    wait_for_picture(*w);
    QTimer hands;
    connect(&hands, &QTimer::timeout, this, [&] {
      if (auto* kinds = qobject_cast<QInputDialog*>(QApplication::activeModalWidget())) {
        kinds->setTextValue("CSV: tables");
        kinds->accept();
      } else if (auto* choose = qobject_cast<QFileDialog*>(QApplication::activeModalWidget())) {
        choose->setDirectory(folder_.path());
        choose->findChild<QLineEdit*>("fileNameEdit")->setText(folder_.path());
        QMetaObject::invokeMethod(choose, "accept");
      }
    });
    hands.start(50);
    opened_.clear();
    w->actions().at("file.export")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(opened_, QList<QUrl>{QUrl::fromLocalFile(folder_.filePath("export-csv"))}, 60000);
    QCOMPARE(QDir(folder_.filePath("export-csv")).entryList({"*.csv"}).size(), qsizetype{test::frames});
  }
};

QTEST_MAIN(TestRunValues)
#include "test_run_values.moc"
