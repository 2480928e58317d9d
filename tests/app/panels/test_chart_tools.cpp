// SPDX-License-Identifier: BSD-3-Clause
// Charts in the window: limits typed, names changed, numbers, charts beside each other and in windows of their own, a common moment.
// labels: gui
#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSlider>
#include <QTabBar>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

#include "app/model/settings.hpp"
#include "app/panels/chart_dialog.hpp"
#include "app/panels/chart_table.hpp"
#include "app/panels/display_panel.hpp"
#include "app/panels/fit_dialog.hpp"
#include "app/panels/measured_dialog.hpp"
#include "app/panels/recipe_editor.hpp"
#include "app/panels/results_panel.hpp"
#include "app/panels/scene_pane.hpp"
#include "app/panels/spectrogram_dialog.hpp"
#include "app/panels/viewport_panel.hpp"
#include "app/runs/runs_chart.hpp"
#include "app/window/workbench.hpp"
#include "tests/app/shown_window.hpp"

using namespace conoid;
using namespace conoid::app;

class TestChartTools : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  const QString kept_ = QStringLiteral(CONOID_BIN_DIR "/../pictures");

  std::unique_ptr<MainWindow> opened(Look& look, Settings& settings, QSize size) {
    auto w = test::shown_window(look, settings);
    w->resize(size);
    const Status opened = w->open_run(std::filesystem::path(CONOID_SOURCE_DIR) / "tests/data/runs/acoustic-bem-0.1.0");
    if (!opened.ok()) qWarning("%s", opened.error().text.c_str());
    return w;
  }
  /// -1: there is none yet.
  static int tab_of_receivers(ResultsPanel& results) {
    int tab = results.tabs().count() - 1;
    while (tab >= 0 && results.tabs().tabData(tab).toString() != "receivers") --tab;
    return tab;
  }

 private slots:
  void initTestCase() {
    test::keep_below(folder_);
    QDir().mkpath(kept_);
  }

  void a_chart_keeps_what_was_typed_about_it() {
    Look look(*qApp, ThemeChoice::light);
    Settings settings(folder_.filePath("settings.ini"));
    const auto w = opened(look, settings, {1600, 1000});
    ResultsPanel& results = w->workbench()->results_panel();
    QTRY_VERIFY(results.tabs().count() > 2 && !results.chart().chart().series.empty());
    const ChartSpec before = results.chart().chart();
    const std::string first = before.series.front().label;
    ChartDialog dialog(before, {}, look, {ChartPlace::Part::y_axis, {}});
    QVERIFY(dialog.limit(2).hasFocus() || !dialog.isVisible());
    dialog.limit(0).setText("nonsense");
    QVERIFY(!dialog.style());
    dialog.limit(0).setText("10 ms");
    dialog.limit(1).setText("40 ms");
    dialog.title_edit().setText("In the lab");
    dialog.curves().item(0, 1)->setText("Front");
    QVERIFY(dialog.grab().save(kept_ + "/chart-dialog.png"));
    const auto style = dialog.style();
    QVERIFY(style.has_value());
    results.set_style(*style);
    QCOMPARE(results.chart().chart().title, std::string("In the lab"));
    QCOMPARE(results.chart().chart().series.front().label, std::string("Front"));
    QCOMPARE(results.chart().view().x_low, 0.01);
    // Numbers go out as they are seen.
    QVERIFY(results.chart_as_text(',').count('\n') > 20);
    for (const QString& line : results.chart_as_text(',').split('\n').mid(1)) {
      if (line.isEmpty()) continue;
      const double x = line.section(',', 0, 0).toDouble();
      QVERIFY2(x >= 0.01 - 1e-12 && x <= 0.04 + 1e-12, qPrintable(line));
    }
    // Another chart is another thing, and the first one is as it was left.
    const int at = results.tabs().currentIndex();
    results.tabs().setCurrentIndex(at == 0 ? 1 : 0);
    QVERIFY(results.chart().chart().title != "In the lab");
    results.tabs().setCurrentIndex(at);
    QCOMPARE(results.chart().chart().title, std::string("In the lab"));
    results.set_style({});
    QCOMPARE(results.chart().chart().series.front().label, first);
  }

  void a_spectrogram_is_chosen_and_made() {
    ChartSpec chart;
    chart.x_unit = "s";
    chart.y_unit = "Pa";
    Series tone;
    tone.label = "tone";
    for (int i = 0; i < 4000; ++i) {
      tone.x.push_back(1e-3 * i);
      tone.y.push_back(std::sin(0.5 * i));
    }
    chart.series = {tone, tone};
    chart.series[1].label = "other";
    SpectrogramDialog dialog(chart, {}, 50);
    QVERIFY(dialog.wish().has_value());
    dialog.window().setText("0.1");  // s
    dialog.overlap().setText("75 %");
    QVERIFY(dialog.wish() && dialog.wish()->window == 0.1 && dialog.wish()->overlap == 0.75);
    QVERIFY2(dialog.result().text().contains("157 windows of 100 ms, one every 25 ms"),
             qPrintable(dialog.result().text()));
    QVERIFY(dialog.grab().save(kept_ + "/spectrogram-dialog.png"));
    for (const char* wrong : {"0.1 Hz", "nonsense", "5 s", "1 ms"}) {
      dialog.window().setText(wrong);
      QVERIFY2(!dialog.wish().has_value(), wrong);
    }
    dialog.window().clear();
    dialog.overlap().setText("100 %");
    QVERIFY(!dialog.wish().has_value());

    for (const auto theme : {ThemeChoice::light, ThemeChoice::dark}) {
      Look look(*qApp, theme);
      Settings settings(folder_.filePath("settings.ini"));
      const auto w = opened(look, settings, {1440, 900});
      ResultsPanel& results = w->workbench()->results_panel();
      QTRY_VERIFY(tab_of_receivers(results) >= 0);
      results.tabs().setCurrentIndex(tab_of_receivers(results));
      QTRY_VERIFY(results.chart().chart().x_unit == "s" && results.chart().chart().series.size() > 1);
      const std::string second = results.chart().chart().series[1].label;
      results.set_spectrum(true);
      results.set_spectrogram(true);
      QCOMPARE(results.chart().chart().kind, ChartKind::spectrogram);
      QVERIFY(results.spectrogram_curve().isVisibleTo(&results) && results.spectrogram_curve().count() > 1);
      SpectrogramWish wish;
      wish.curve = second;
      results.set_spectrogram_wish(wish);
      QVERIFY(results.chart().chart().title.ends_with(second));
      QCOMPARE(results.spectrogram_curve().currentText().toStdString(), second);
      QVERIFY(results.chart_as_text(',').startsWith("Time [s],Frequency [Hz],Amplitude [dB re 1 Pa]"));
      for (const char* ending : {"png", "svg", "csv"}) {
        const QString file = folder_.filePath(QString("spectrogram.") + ending);
        QVERIFY(results.write_chart(file).ok());
        QVERIFY(QFileInfo(file).size() > 1000);
      }
      QTest::qWait(200);
      QVERIFY(w->grab().save(kept_ + (theme == ThemeChoice::light ? "/spectrogram.png" : "/spectrogram-dark.png")));
      // Back to the curves, and the spectrum is off as well: one of the two.
      results.set_spectrogram(false);
      QCOMPARE(results.chart().chart().kind, ChartKind::lines);
      QCOMPARE(results.chart().chart().x_unit, std::string("s"));
    }
  }

  void a_fit_is_chosen_and_stays_beside_its_curve() {
    ChartSpec chart;
    chart.x_unit = "s";
    chart.y_unit = "Pa";
    Series fall, later;
    fall.label = "fall";
    later.label = "later";
    for (int i = 0; i < 2000; ++i) {
      fall.x.push_back(1e-3 * i);
      later.x.push_back(1e-3 * i);
      fall.y.push_back(std::exp(-8e-3 * i));
      later.y.push_back(i < 100 ? 0 : 3 * std::exp(-8e-3 * (i - 100)));
    }
    chart.series = {fall, later};
    FitDialog dialog(chart, {});
    QVERIFY(dialog.wish().has_value());
    QVERIFY2(dialog.result().text().contains("8 1/s"), qPrintable(dialog.result().text()));
    dialog.to().setText("100 ms");  // 7 dB
    QVERIFY(!dialog.wish().has_value());
    dialog.to().setText("nonsense");
    QVERIFY(!dialog.wish().has_value());
    dialog.to().clear();
    dialog.kind().setCurrentIndex(1);
    QVERIFY(dialog.wish() && dialog.wish()->kind == FitKind::delay);
    QVERIFY2(dialog.result().text().contains("100 ms"), qPrintable(dialog.result().text()));
    QVERIFY(dialog.grab().save(kept_ + "/fit-dialog.png"));

    for (const auto theme : {ThemeChoice::light, ThemeChoice::dark}) {
      Look look(*qApp, theme);
      Settings settings(folder_.filePath("settings.ini"));
      const auto w = opened(look, settings, {1440, 900});
      ResultsPanel& results = w->workbench()->results_panel();
      QTRY_VERIFY(tab_of_receivers(results) >= 0);
      results.tabs().setCurrentIndex(tab_of_receivers(results));
      QTRY_VERIFY(results.chart().chart().x_unit == "s" && !results.chart().chart().series.empty());
      const std::size_t before = results.chart().chart().series.size();
      const std::string label = results.chart().chart().series.front().label;
      // A curve against itself is not late.
      results.add_fit({FitKind::delay, label, label, {}});
      QCOMPARE(results.chart().chart().series.size(), before + 1);
      QVERIFY(results.chart().chart().series.back().label.starts_with(label + ", delay 0 s, correlation 1"));
      QTest::qWait(200);
      QVERIFY(w->grab().save(kept_ + (theme == ThemeChoice::light ? "/chart-fit.png" : "/chart-fit-dark.png")));
    }
  }

  void charts_stand_beside_each_other_and_share_moment_and_numbers() {
    for (const auto& [size, name] : {std::pair{QSize(1600, 1000), "large"}, {QSize(1024, 600), "small"}}) {
      Look look(*qApp, name == std::string("small") ? ThemeChoice::dark : ThemeChoice::light);
      Settings settings(folder_.filePath("settings.ini"));
      const auto w = opened(look, settings, size);
      ResultsPanel& results = w->workbench()->results_panel();
      QTRY_VERIFY(results.tabs().count() > 2 && !results.chart().chart().series.empty());
      QVERIFY(tab_of_receivers(results) >= 0);
      results.add_beside("receivers");
      QCOMPARE(results.tiles().size(), std::size_t{1});
      QCOMPARE(results.tiles().front()->chart().chart().x_unit, std::string("s"));
      QTRY_VERIFY(w->workbench()->viewport_panel().pane().has_picture());
      w->workbench()->viewport_panel().show_frame(0);
      QTest::qWait(200);
      QVERIFY(w->grab().save(kept_ + "/charts-beside-" + name + ".png"));
      results.show_numbers(true);
      QVERIFY(results.numbers().model()->rowCount() > 3);
      QVERIFY(results.numbers().chosen_as_text().count('\n') == results.numbers().model()->rowCount() + 1);
      w->workbench()->show_results_alone(true);
      QTest::qWait(300);
      QVERIFY(w->grab().save(kept_ + "/charts-alone-" + name + ".png"));
      w->workbench()->show_results_alone(false);
      ChartTile* own = results.detach();
      QVERIFY(own && own->isWindow() && own->isVisible());
      QCOMPARE(own->chart().chart().series.size(), results.chart().chart().series.size());
      QTest::qWait(100);
      QVERIFY(own->grab().save(kept_ + "/chart-window-" + name + ".png"));
      own->close();
      QCOMPARE(results.tiles().size(), std::size_t{1});
    }
  }

  void runs_are_a_table_and_a_chart() {
    namespace fs = std::filesystem;
    const fs::path from = fs::path(CONOID_SOURCE_DIR) / "tests/data/runs/acoustic-bem-0.1.0";
    const fs::path runs = folder_.filePath("runs").toStdString();
    for (const char* speed : {"343", "350", "360"}) {
      const fs::path to = runs / (std::string("run-") + speed);
      fs::create_directories(runs);
      fs::copy(from, to, fs::copy_options::recursive);
      QFile file(QString::fromStdString((to / "case.json").string()));
      QVERIFY(file.open(QIODevice::ReadWrite));
      QByteArray text = file.readAll();
      text.replace("343", speed);
      file.resize(0);
      file.write(text);
    }
    const std::vector<ListedRun> listed = list_runs(runs);
    QCOMPARE(listed.size(), std::size_t{3});
    const SweepTable table = table_of_runs(listed);
    QVERIFY(table.swept >= 1);
    QCOMPARE(table.columns.front().unit, std::string("m/s"));
    const QStringList lines = runs_as_text(listed, ',').split('\n');
    QCOMPARE(lines.size(), 5);
    QVERIFY2(lines[0].contains("[m/s]") && lines[1].contains("360"), qPrintable(lines[0] + lines[1]));
    // No column of the table is left out, whatever the list shows.
    QCOMPARE(lines[1].count(','), lines[0].count(','));
    Look look(*qApp, ThemeChoice::light);
    RunsChart chart(listed, look, ViewportKind::raster);
    chart.show();
    QCOMPARE(chart.tile().chart().chart().series.front().x, (std::vector<double>{343, 350, 360}));
    chart.upwards().setCurrentIndex(chart.upwards().count() - 1);
    QCOMPARE(chart.tile().chart().chart().y_unit, std::string("s"));
    QTest::qWait(200);
    QVERIFY(chart.grab().save(kept_ + "/runs-chart.png"));
  }

  void fields_are_made_while_they_are_looked_at() {
    Look look(*qApp, ThemeChoice::light);
    Settings settings(folder_.filePath("settings.ini"));
    const auto w = opened(look, settings, {1600, 1000});
    ScenePane& pane = w->workbench()->viewport_panel().pane();
    QTRY_VERIFY(pane.has_picture());
    pane.show_display_panel(true);
    RecipeEditor& editor = pane.display_panel().recipe();
    const std::string field = pane.scene().view().field;
    editor.formulas().setPlainText(QString("twice[Pa] = 2*%1\nwrong").arg(QString::fromStdString(field)));
    QTRY_COMPARE(pane.scene().view().recipe.formulas.size(), std::size_t{1});
    QVERIFY(!editor.trouble().isEmpty());
    const auto choices = pane.scene().choices();
    QVERIFY(std::any_of(choices.begin(), choices.end(), [](const FieldChoice& c) { return c.info.name == "twice"; }));
    const double before = pane.scene().range().second;
    pane.choose("twice");
    QCOMPARE(pane.scene().view().field, std::string("twice"));
    QVERIFY(pane.scene().range().second >= before);
    QTest::qWait(300);
    QVERIFY(w->grab().save(kept_ + "/made-fields.png"));
    // What cannot be made is told, and what was seen stays.
    editor.formulas().setPlainText("other = nothing*2");
    QTRY_VERIFY(editor.trouble().contains("nothing"));
    QVERIFY(pane.has_picture() && editor.formulas().toPlainText().startsWith("other"));
    QCOMPARE(pane.scene().view().recipe.formulas.size(), std::size_t{1});
    editor.formulas().setPlainText({});
    QTRY_VERIFY(pane.scene().view().recipe.empty());
    // A limit may be typed with a decimal comma.
    for (auto* edit : editor.findChildren<QLineEdit*>())
      if (edit->accessibleName() == "Only values from") {
        QTest::keyClicks(edit, "-0,25");
        QTest::keyClick(edit, Qt::Key_Return);
      }
    QTRY_VERIFY(pane.scene().view().recipe.within.has_value());
    QCOMPARE(pane.scene().view().recipe.within->first, -0.25);
    QVERIFY(editor.trouble().isEmpty());
  }

  void what_the_display_choices_cannot_show_stays() {
    Look look(*qApp, ThemeChoice::light);
    Settings settings(folder_.filePath("settings.ini"));
    const auto w = opened(look, settings, {1600, 1000});
    ScenePane& pane = w->workbench()->viewport_panel().pane();
    QTRY_VERIFY(pane.has_picture());
    FieldView kept = pane.scene().view();
    kept.cuts[0].position = 1.0 / 3;  // sliders have 200 steps
    kept.iso = {0.3, -0.3, 0.1};
    kept.clip = ClipPlane{{0, 0.6, -0.8}, 0.777};
    kept.opacity = 0.333;
    kept.warp_scale = 12.5;
    kept.arrows = 77;
    kept.map_steps = 7;
    QVERIFY(pane.scene().set_view(kept).ok());
    pane.show_display_panel(true);
    const auto box = [&](const char* text) {
      for (auto* one : pane.display_panel().findChildren<QCheckBox*>())
        if (one->text() == text) return one;
      qFatal("no box %s", text);
    };
    box("Axes")->click();
    FieldView now = pane.scene().view();
    QVERIFY(now.triad != kept.triad);
    QVERIFY(now.cuts[0].position == kept.cuts[0].position && now.iso == kept.iso && now.opacity == kept.opacity);
    QVERIFY(now.clip && now.clip->normal == kept.clip->normal && now.clip->position == kept.clip->position);
    QVERIFY(now.warp_scale == 12.5 && now.arrows == 77 && now.map_steps == 7);
    // What is touched is taken.
    for (auto* slider : pane.display_panel().findChildren<QSlider*>())
      if (slider->accessibleName() == "Opacity") slider->setValue(100);
    QCOMPARE(pane.scene().view().opacity, 0.5);
    QCOMPARE(pane.scene().view().cuts[0].position, 1.0 / 3);
    box("Clip")->click();
    QVERIFY(!pane.scene().view().clip);
    box("Clip")->click();
    now = pane.scene().view();
    QVERIFY(now.clip && std::abs(now.clip->position - 0.775) < 1e-12 && now.clip->normal[2] == -1);
  }

  void two_runs_have_a_difference() {
    namespace fs = std::filesystem;
    Look look(*qApp, ThemeChoice::dark);
    Settings settings(folder_.filePath("settings.ini"));
    const auto w = opened(look, settings, {1024, 600});
    ViewportPanel& viewport = w->workbench()->viewport_panel();
    QTRY_VERIFY(viewport.pane().has_picture());
    const fs::path again = folder_.filePath("again").toStdString();
    fs::copy(fs::path(CONOID_SOURCE_DIR) / "tests/data/runs/acoustic-bem-0.1.0", again, fs::copy_options::recursive);
    QVERIFY(w->compare_runs(w->run().folder(), again).ok());
    QTRY_VERIFY(viewport.second_pane() != nullptr && viewport.second_pane()->has_picture());
    QTRY_VERIFY(w->workbench()->results_panel().chart().chart().series.size() > 2);
    viewport.set_difference(true);
    // The same frames: the difference is zero everywhere, in the field and in the curves.
    QTRY_VERIFY(viewport.second_pane()->has_picture());
    const auto frame = viewport.second_pane()->scene().frame();
    QVERIFY(frame && !frame->parts.empty());
    for (const float v : *frame->parts.front().fields.front().values) QCOMPARE(v, 0.0F);
    const ChartSpec& apart = w->workbench()->results_panel().chart().chart();
    QVERIFY(!apart.series.empty());
    for (const Series& s : apart.series)
      for (const double y : s.y) QCOMPARE(y, 0.0);
    QTest::qWait(300);
    QVERIFY(w->grab().save(kept_ + "/difference.png"));
    viewport.set_difference(false);
    QTRY_VERIFY(viewport.second_pane()->has_picture());
  }

  void a_file_offers_its_columns() {
    const auto table = parse_csv("n,time[ms],u,v\n1,0,5,7\n2,100,6,8\n", "lab.csv");
    QVERIFY(table.ok());
    ChartSpec spec;
    spec.x_unit = "s";
    spec.y_unit = "Pa";
    MeasuredDialog dialog(*table, spec, "lab.csv");
    dialog.abscissa().setCurrentIndex(1);
    dialog.columns().item(0, 0)->setCheckState(Qt::Unchecked);
    dialog.columns().item(2, 0)->setCheckState(Qt::Unchecked);
    dialog.columns().item(3, 1)->setText("kPa");
    dialog.columns().item(3, 2)->setText("Microphone");
    QVERIFY(dialog.grab().save(kept_ + "/measured-dialog.png"));
    const auto curves = measured_curves(*table, dialog.choice(), spec, "lab.csv");
    QVERIFY(curves.ok());
    QCOMPARE(curves->size(), std::size_t{1});
    QCOMPARE(curves->front().label, std::string("Microphone"));
    QCOMPARE(curves->front().y[1], 8000.0);
    QVERIFY(std::abs(curves->front().x[1] - 0.1) < 1e-12);
  }
};

QTEST_MAIN(TestChartTools)
#include "test_chart_tools.moc"
