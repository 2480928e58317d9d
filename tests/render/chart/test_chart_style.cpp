// SPDX-License-Identifier: BSD-3-Clause
// What is typed about a chart is what is drawn: limits, floor, names, columns of files; numbers go out as they are seen.
// labels: unit
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <fstream>

#include "render/chart/chart_frame.hpp"
#include "render/chart/chart_rows.hpp"
#include "render/chart/chart_scene.hpp"
#include "render/chart/chart_style.hpp"
#include "render/chart/measured_curves.hpp"
#include "render/chart/sweep_chart.hpp"

using namespace conoid;

namespace {

/// y = factor · x over 0 … 10.
Series ramp(const char* label, double factor) {
  Series s;
  s.label = label;
  for (int i = 0; i <= 10; ++i) s.x.push_back(i), s.y.push_back(factor * i);
  return s;
}

ChartSpec chart(std::vector<Series> series, const char* y_unit) {
  ChartSpec spec;
  spec.title = "Test";
  spec.x_label = "t";
  spec.x_unit = "s";
  spec.y_label = "p";
  spec.y_unit = y_unit;
  spec.series = std::move(series);
  return spec;
}

ChartScene::View view_of(const ChartSpec& spec) {
  ChartScene scene;
  scene.set_chart(spec);
  return scene.view();
}

}  // namespace

class TestChartStyle : public QObject {
  Q_OBJECT

 private slots:
  void decibels_are_seen_fifty_below_the_peak_unless_another_floor_is_typed() {
    Series co = ramp("HH", 1), cross = ramp("HV", 0);
    for (std::size_t i = 0; i < cross.y.size(); ++i) cross.y[i] = -240 + 3.0 * static_cast<double>(i % 2);
    const ChartScene::View seen = view_of(chart({co, cross}, "dBsm"));
    QVERIFY2(seen.y_low >= 10 - 55 && seen.y_high < 15, qPrintable(QString::number(seen.y_low)));
    ChartSpec deep = chart({co, cross}, "dBsm");
    deep.limits.decibels = 300;
    QVERIFY(view_of(deep).y_low < -230);
  }

  void what_rounding_leaves_of_zero_sets_no_scale() {
    const ChartScene::View linear = view_of(chart({ramp("p", 1e-34)}, "Pa"));
    QVERIFY(linear.y_high > 0.5 && linear.y_low < 0.5);
    ChartSpec log = chart({ramp("p", 1), ramp("noise", 1e-34)}, "Pa");
    log.y_scale = AxisScale::log;
    QVERIFY(view_of(log).y_low >= 1e-13);
    // Small quantities that are something keep their scale.
    QVERIFY(view_of(chart({ramp("u", 1e-20)}, "m")).y_high < 2e-19);
  }

  void typed_limits_hold_and_the_other_axis_follows_what_is_seen() {
    ChartStyle style;
    style.limits.x_low = 2;
    style.limits.x_high = 4;
    const ChartScene::View seen = view_of(styled(chart({ramp("p", 3)}, "Pa"), style));
    QCOMPARE(seen.x_low, 2.0);
    QCOMPARE(seen.x_high, 4.0);
    QVERIFY(seen.y_high >= 12 && seen.y_high < 13);
    style.limits.y_high = 7;
    QCOMPARE(view_of(styled(chart({ramp("p", 3)}, "Pa"), style)).y_high, 7.0);
    const auto ends = parse_limits("1 ms:", "s", "--x-range");
    QVERIFY(ends.ok() && std::abs(*ends->first - 1e-3) < 1e-15 && !ends->second);
    for (const char* wrong : {"3", "4:2", "1 kg:2", "a:b"}) QVERIFY(!parse_limits(wrong, "s", "--x-range").ok());
  }

  void names_and_colours_go_to_the_curve_and_what_belongs_to_it() {
    Series exact = ramp("north, exact", 2);
    exact.overlay = true;
    const ChartSpec plain = chart({ramp("north", 1), exact, ramp("south", 3)}, "Pa");
    ChartStyle style;
    const auto curve = parse_curve_style("north=North wall,#ff0000");
    QVERIFY(curve.ok());
    style.curves.insert(*curve);
    ChartSpec seen = styled(plain, style);
    QCOMPARE(seen.series[0].label, std::string("North wall"));
    QCOMPARE(seen.series[1].label, std::string("North wall, exact"));
    const auto colours = series_colors(seen, light_theme());
    QCOMPARE(colours[0], (Rgb{1, 0, 0}));
    QCOMPARE(colours[1], (Rgb{1, 0, 0}));
    // A curve that is left out takes no other's colour.
    QCOMPARE(colours[2], series_colors(plain, light_theme())[2]);
    style.curves = {{"north", {{}, {}, true}}};
    seen = styled(plain, style);
    QCOMPARE(seen.series.size(), std::size_t{1});
    QCOMPARE(series_colors(seen, light_theme())[0], series_colors(plain, light_theme())[2]);
    QVERIFY(!parse_curve_style("north").ok() && !parse_curve_style("north=#12").ok());
  }

  void numbers_are_those_that_are_seen() {
    const ChartSpec spec = chart({ramp("a", 1), ramp("b, c", 2)}, "Pa");
    QCOMPARE(text_of(rows_of_chart(spec, {}, std::pair{9.0, 10.0}), ','),
             std::string("t [s],a [Pa],\"b, c [Pa]\"\n9,9,18\n10,10,20\n"));
    QCOMPARE(rows_of_chart(spec, {"a"}).heads.size(), std::size_t{2});
  }

  void columns_of_a_file_are_chosen_with_their_units() {
    const auto table = parse_csv("n,time,u,v\n1,0,5,7\n2,100,6,8\n", "lab.csv");
    QVERIFY(table.ok());
    const ChartSpec spec = chart({ramp("p", 1)}, "Pa");
    const auto choice = parse_measured_choice("time [ms],4 [kPa]", *table);
    QVERIFY(choice.ok());
    const auto curves = measured_curves(*table, *choice, spec, "lab.csv");
    QVERIFY(curves.ok());
    QCOMPARE(curves->size(), std::size_t{1});
    QVERIFY(std::abs(curves->front().x[1] - 0.1) < 1e-15 && std::abs(curves->front().y[1] - 8000) < 1e-9);
    QCOMPARE(curves->front().label, std::string("v"));
    for (const char* wrong : {"time,w", "5,1"}) QVERIFY(!parse_measured_choice(wrong, *table).ok());
    const auto unfit = parse_measured_choice("time [kg],4", *table);
    QVERIFY(unfit.ok() && !measured_curves(*table, *unfit, spec, "lab.csv").ok());
  }

  void a_sweep_of_two_values_is_a_curve_for_each_of_the_second() {
    const QTemporaryDir folder;
    std::ofstream(folder.filePath("sweep.csv").toStdString())
        << "point,/source/frequency[Hz],/mesh/order,peak[Pa],seconds[s],exit,run\n"
           "1,2000,1,4,1,0,point-0001\n2,1000,1,2,1,0,point-0002\n3,1000,2,3,1,0,point-0003\n4,2000,2,6,1,0,point-"
           "0004\n";
    const auto table = read_sweep(folder.path().toStdString());
    QVERIFY(table.ok());
    const auto spec = sweep_chart(*table, "frequency", "peak");
    QVERIFY(spec.ok());
    QCOMPARE(spec->series.size(), std::size_t{2});
    QCOMPARE(spec->series[0].label, std::string("order 1"));
    QCOMPARE(spec->series[0].x, (std::vector<double>{1000, 2000}));
    QCOMPARE(spec->series[1].y, (std::vector<double>{3, 6}));
    QCOMPARE(spec->x_unit + spec->y_unit, std::string("HzPa"));
    QVERIFY(!sweep_chart(*table, "colour", "").ok());
  }

  void a_difference_is_taken_at_the_first_curves_places() {
    Series fine = ramp("p", 2);
    fine.x = {0, 2.5, 5, 10};
    fine.y = {0, 5, 10, 20};
    const ChartSpec apart = difference_chart(chart({ramp("p", 1), ramp("alone", 1)}, "Pa"), chart({fine}, "Pa"));
    QCOMPARE(apart.series.size(), std::size_t{1});
    for (std::size_t i = 0; i <= 10; ++i) QVERIFY(std::abs(apart.series[0].y[i] - static_cast<double>(i)) < 1e-12);
  }
};

QTEST_APPLESS_MAIN(TestChartStyle)
#include "test_chart_style.moc"
