// SPDX-License-Identifier: BSD-3-Clause
// From a stranger's body to a finished chart on one page: clicks are counted, the clock runs. What cannot run yet opens at what is missing.
// labels: gui serial long timeout3600
#include <fstream>

#include <sys/resource.h>

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QProcess>
#include <QPushButton>
#include <QRadioButton>
#include <QTemporaryDir>
#include <QTest>

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
#include "tests/all_rows.hpp"
#include "tests/app/dialogs.hpp"
#include "tests/app/fake_session.hpp"
#include "tests/app/patience.hpp"
#include "tests/app/shown_window.hpp"

using namespace conoid;
using namespace conoid::app;

namespace {

/// Of this program and of those that it has started and seen end, gmsh among them.
double processor_seconds() {
  double sum = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    getrusage(who, &used);
    for (const timeval& part : {used.ru_utime, used.ru_stime})
      sum += static_cast<double>(part.tv_sec) + 1e-6 * static_cast<double>(part.tv_usec);
  }
  return sum;
}

}  // namespace

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
  /// The same ball as a solid, which says that it is in millimetres.
  QString solid_ball() {
    const QString script = folder_.filePath("ball.geo"), solid = folder_.filePath("ball.step");
    QFile out(script);
    if (!out.open(QIODevice::WriteOnly) || out.write("SetFactory(\"OpenCASCADE\");\nSphere(1) = {0, 0, 0, 50};\n") < 0)
      qFatal("no script");
    out.close();
    const QString gmsh = QString::fromStdString(find_gmsh()->string());
    if (QProcess::execute(gmsh, {script, "-0", "-o", solid, "-format", "step", "-v", "0"}) != 0 ||
        !QFile::exists(solid))
      qFatal("no solid");
    return solid;
  }
  void click(QWidget* button) {
    ++clicks_;
    QTest::mouseClick(button, Qt::LeftButton);
  }
  /// Does something on the page once it is there.
  template <class Act>
  void on_page(Act act) {
    test::on_dialog<NewCaseDialog>(this, std::move(act));
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

  void from_a_file_of_a_stranger_to_a_chart_in_few_clicks_data() {
    QTest::addColumn<QString>("kind");
    QTest::newRow("triangles without a unit") << "stl";
    QTest::newRow("solid with its unit") << "step";
  }
  void from_a_file_of_a_stranger_to_a_chart_in_few_clicks() {
    QFETCH(QString, kind);
    const auto& starts = case_starts();
    const auto start =
        std::find_if(starts.begin(), starts.end(), [](const CaseStart& s) { return s.id == "radar-cross-section"; });
    if (start == starts.end()) QSKIP("no radar in this build");
    if (kind == "step" && !find_gmsh()) QSKIP("no gmsh here");
    const std::string radar = start->solver;
    const QString file = kind == "step" ? solid_ball() : ball();
    auto w = window();
    QElapsedTimer clock;
    clock.start();
    const double before_all = processor_seconds();
    QStringList spent;
    auto until = [&, before = qint64{0}](const char* what) mutable {
      spent << QString("%1 %2 ms").arg(what).arg(clock.elapsed() - before);
      before = clock.elapsed();
    };
    bool asked = false;
    on_page([&](NewCaseDialog& page) {
      if (kind == "stl") {
        QTRY_VERIFY(button(page, "mm")->isVisible());
        asked = true;
        QVERIFY2(!page.obstacle().isEmpty(), "a unit is guessed");
        QTRY_VERIFY(radio(page, "Radar cross section from all around"));
        test::keep_picture(page, "new-case-unit.png");
        click(button(page, "mm"));
      }
      QTRY_VERIFY(page.obstacle().isEmpty());
      QTRY_VERIFY(radio(page, "Radar cross section from all around"));
      until("page and body");
      click(radio(page, "Radar cross section from all around"));
      QTRY_VERIFY(page.model().solver() == radar && page.model().is_valid() && page.model().report());
      QTRY_VERIFY(button(page, "Make and run")->isEnabled());
      until("elements, check, estimate");
      QTRY_VERIFY(page.body());
      test::keep_picture(page, qPrintable("new-case-" + kind + ".png"));
      click(button(page, "Make and run"));
    });
    clicks_ += 3;  // "New from a mesh", the file, "Open"
    QVERIFY(w->open_file(file).ok());
    QCOMPARE(asked, kind == "stl");
    QVERIFY2(w->workbench()->mesh().mesh() && !w->workbench()->mesh().is_reading(), "the body is read a second time");
    QTRY_VERIFY(w->run().is_active() || is_final(w->run().state()));
    until("to the start of the run");
    QVERIFY2(clicks_ <= (kind == "stl" ? 6 : 5), qPrintable(QString::number(clicks_)));
    // The body has the size that its file or the person says: what is computed of it, either file's run shows.
    const MeshSummary& body = w->workbench()->mesh().mesh()->summary;
    for (std::size_t axis = 0; axis < 3; ++axis)
      QVERIFY(std::abs(body.high[axis] - 0.05) < 0.005 && std::abs(body.low[axis] + 0.05) < 0.005);
    if (kind == "step" && !all_rows()) {
      w->actions().at("run.stop")->trigger();
      QVERIFY(test::comes_to_its_end(w->run()));
      return;
    }
    QVERIFY(test::comes_to_its_end(w->run()));
    until("run");
    QCOMPARE(w->run().state(), SessionState::finished);
    // Half a minute of two processors at most, whatever else the machine does.
    const double taken = processor_seconds() - before_all;
    QVERIFY2(taken < 60, qPrintable(QString("%1 s of processors").arg(taken)));
    const RunTable* echo = nullptr;
    for (const RunTable& table : w->run().tables())
      if (QString::fromStdString(table.info.id).contains("monostatic") && table.rows.size() == 181) echo = &table;
    QVERIFY2(echo, "no cross sections");
    // A ball answers alike from all around.
    double low = 1e300, high = -1e300;
    for (const auto& row : echo->rows) low = std::min(low, row[1]), high = std::max(high, row[1]);
    QVERIFY2(high - low < 2, qPrintable(QString("%1 to %2 dB").arg(low).arg(high)));
    qInfo("%s: %d clicks; %.1f s of processors; %s", qPrintable(kind), clicks_, taken, qPrintable(spent.join(", ")));
    test::keep_picture(*w, qPrintable("new-case-run-" + kind + ".png"));
    // A unit that the file does not state is a word of the person's.
    if (kind == "stl") QCOMPARE(w->model().value("/mesh/unit")->get<std::string>(), std::string("mm"));
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
      test::keep_picture(page, "new-case-sizes.png");
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
