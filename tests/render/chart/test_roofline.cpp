// SPDX-License-Identifier: BSD-3-Clause
// Phases stand under the roof of their machine where their counts say; quantities of different units do not share an axis.
// labels: unit
#include <QTest>

#include <cmath>

#include "render/chart/chart_scene.hpp"
#include "render/chart/chart_units.hpp"

using namespace conoid;

class TestRoofline : public QObject {
  Q_OBJECT

  static std::vector<BalanceRow> rows() {
    // march: 12 flop over 4 B in 3 s; sum: 2 flop over 8 B in 1 s; one phase does not count.
    return {{0, 0, {0, 4}, 1, 0, 0, "march", 4e9, 2e9, 0},
            {1, 0, {0, 4}, 2, 0, 0, "march", 8e9, 2e9, 0},
            {1, 0, {0, 4}, 1, 0, 0, "sum", 2e9, 8e9, 0},
            {2, 0, {0, 4}, 1, 0, 0, "touch", 0, 0, 0}};
  }

 private slots:
  void phases_are_points_and_the_machine_is_the_roof() {
    const MachineRates rates{10e9, 20e9, 40e9, 2};
    const auto spec = roofline_chart(rows(), {}, rates);
    QCOMPARE(spec.series.size(), std::size_t{4});
    QVERIFY(spec.x_scale == AxisScale::log && spec.y_scale == AxisScale::log);
    QCOMPARE(spec.series[0].label, std::string("march"));
    QVERIFY(spec.series[0].marks && !spec.series[0].overlay);
    QCOMPARE(spec.series[0].x, std::vector<double>{3.0});
    QCOMPARE(spec.series[0].y, std::vector<double>{4.0});
    QCOMPARE(spec.series[1].x, std::vector<double>{0.25});
    QCOMPARE(spec.series[1].y, std::vector<double>{2.0});
    for (std::size_t i : {2U, 3U}) {
      const Series& roof = spec.series[i];
      const double peak = i == 2 ? 20 : 40;
      QVERIFY(roof.overlay);
      bool ridge = false;
      for (std::size_t k = 0; k < roof.x.size(); ++k) {
        QVERIFY(std::abs(roof.y[k] - std::min(peak, 10 * roof.x[k])) < 1e-9 * peak);
        ridge = ridge || std::abs(roof.x[k] - peak / 10) < 1e-9;
      }
      QVERIFY(ridge);
      QVERIFY(roof.x.front() < 0.25 && roof.x.back() > 4);
    }
    // Without measured rates no roof, without counts nothing.
    QCOMPARE(roofline_chart(rows(), {}, {}).series.size(), std::size_t{2});
    const auto all = rows();
    QVERIFY(roofline_chart(std::span(all).last(1), {}, rates).series.empty());
  }

  void unlike_workers_have_points_of_their_own() {
    auto two = rows();
    two[1].worker = 1;
    const std::vector<std::string> names = {"cpu", "cuda:0"};
    const auto spec = roofline_chart(two, names, {});
    QCOMPARE(spec.series.size(), std::size_t{3});
    QCOMPARE(spec.series[0].label, std::string("march, cpu"));
    QCOMPARE(spec.series[1].label, std::string("march, cuda:0"));
    QCOMPARE(spec.series[1].y, std::vector<double>{4.0});
  }

  void devices_have_roofs_of_their_own() {
    auto two = rows();
    two[1].worker = 1;
    const std::vector<std::string> names = {"cpu", "cuda:0"};
    const std::vector<MachineRates> devices = {{}, {100e9, 1000e9, 2000e9, 0}};
    const auto spec = roofline_chart(two, names, {10e9, 20e9, 40e9, 2}, {}, devices);
    QCOMPARE(spec.series.size(), std::size_t{7});
    QCOMPARE(spec.series[3].label, std::string("multiply-adds, double"));
    QCOMPARE(spec.series[5].label, std::string("multiply-adds, double, cuda:0"));
    QCOMPARE(spec.series[5].y.back(), 1000.0);
    QCOMPARE(spec.series[6].y.back(), 2000.0);
    // All over the same width, which holds every ridge.
    for (std::size_t i = 3; i < 7; ++i)
      QVERIFY(spec.series[i].x.front() == spec.series[3].x.front() && spec.series[i].x.back() > 80);
    // A run of the device alone: the machine's roof is not that of anything.
    auto alone = rows();
    for (auto& row : alone) row.worker = 1;
    QCOMPARE(roofline_chart(alone, names, {10e9, 20e9, 40e9, 2}, {}, devices).series.size(), std::size_t{4});
  }

  void the_crosshair_tells_the_nearest_point() {
    ChartScene scene;
    scene.set_chart(roofline_chart(rows(), {}, {10e9, 20e9, 40e9, 2}));
    scene.layout(800, 600, 1);
    const auto view = scene.view();
    // Far to the right of both points "march" is the nearer one, at the very left "sum".
    const auto at = [&](double share) { return scene.read(80 + share * 690, 300); };
    QVERIFY(view.x_low < 0.25 && view.x_high > 3);
    for (const auto& [share, x, text] : {std::tuple{0.95, 3.0, "march"}, std::tuple{0.02, 0.25, "sum"}}) {
      const auto reading = at(share);
      QVERIFY(reading.has_value());
      QCOMPARE(reading->x, x);
      QVERIFY2(reading->text.find(text) != std::string::npos, reading->text.c_str());
      QVERIFY(reading->text.find("no value") == std::string::npos);
    }
  }

  void quantities_of_different_units_are_seen_one_at_a_time() {
    TableInfo info;
    info.columns = {
        {"distance", "m", ""}, {"density", "kg/m^3", ""}, {"pressure", "Pa", ""}, {"density_exact", "kg/m^3", ""}};
    info.exact = {"density_exact"};
    const std::vector<std::vector<double>> values = {{0, 1, 1e5, 1.1}, {1, 2, 2e5, 2.2}};
    const ChartTable table{&info, &values};
    const auto units = units_of(table, {});
    QCOMPARE(units, (std::vector<std::string>{"kg/m^3", "Pa"}));
    QCOMPARE(quantity_of(info, "Pa"), std::string("pressure"));
    const auto first = chart_in_unit(table, {}, "");
    QCOMPARE(first.y_unit, std::string("kg/m^3"));
    QCOMPARE(first.series.size(), std::size_t{2});
    QCOMPARE(first.series[1].label, std::string("density exact"));
    QVERIFY(first.series[1].overlay);
    const auto second = chart_in_unit(table, {}, "Pa");
    QCOMPARE(second.series.size(), std::size_t{1});
    QCOMPARE(second.y_label, std::string("Pressure"));
    QCOMPARE(second.series[0].y, (std::vector<double>{1e5, 2e5}));
  }
};

QTEST_APPLESS_MAIN(TestRoofline)
#include "test_roofline.moc"
