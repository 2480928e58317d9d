// SPDX-License-Identifier: BSD-3-Clause
// However many curves a chart has, their legend takes at most a third of it, and what found no room is counted.
// labels: unit
#include <QTest>

#include <cmath>
#include <string>

#include "render/chart/chart_frame.hpp"
#include "render/scene/theme.hpp"

using namespace conoid;

class TestLegend : public QObject {
  Q_OBJECT

 private slots:
  void it_leaves_two_thirds_to_the_curves() {
    for (const double ratio : {1.0, 2.0})
      for (const int width : {260, 420, 760, 1600})
        for (const int height : {150, 240, 600, 1200})
          for (const std::size_t curves : {2U, 7U, 23U, 300U})
            for (const char* name : {"p", "receiver on the sea floor "}) {
              ChartFrame frame;
              frame.ratio = ratio;
              frame.width = static_cast<int>(ratio * width);
              frame.height = static_cast<int>(ratio * height);
              frame.title = "Receivers";
              for (std::size_t i = 0; i < curves; ++i) frame.legend.push_back({.label = name + std::to_string(i)});
              ChartFrame bare = frame;
              bare.legend.clear();
              lay_out(frame);
              lay_out(bare);
              const std::string where =
                  std::to_string(width) + " x " + std::to_string(height) + ", " + std::to_string(curves) + " " + name;
              const bool beside = frame.inside.height > 0.99 * bare.inside.height;
              if (beside)
                QVERIFY2(frame.inside.width > frame.width / 2.0, where.c_str());
              else
                QVERIFY2(bare.inside.height - frame.inside.height <= frame.height / 3.0 + 12 * ratio, where.c_str());
              // Every entry lies in the picture, and all are named or counted.
              std::size_t named = 0, counted = 0;
              for (const LegendEntry& entry : frame.legend) {
                if (entry.text_only)
                  counted = std::stoul(entry.label.substr(1));
                else
                  ++named;
                QVERIFY2(entry.y >= 0 && entry.y <= frame.height && entry.x >= 0 && entry.x < frame.width,
                         where.c_str());
              }
              QCOMPARE(named + counted, curves);
            }
  }

  void an_exact_curve_belongs_to_the_curve_it_is_named_after() {
    QCOMPARE(what_overlay_is("north, exact", "north"), std::string("exact"));
    QCOMPARE(what_overlay_is("density exact", "density"), std::string("exact"));
    QCOMPARE(what_overlay_is("density exact", "den"), std::string());
    QCOMPARE(what_overlay_is("density east", "density"), std::string());
    QCOMPARE(what_overlay_is("density", "density"), std::string());
    ChartSpec spec;
    for (const auto& [label, overlay] : std::initializer_list<std::pair<const char*, bool>>{
             {"density", false}, {"density exact", true}, {"measured", true}}) {
      Series one;
      one.label = label;
      one.overlay = overlay;
      spec.series.push_back(one);
    }
    QCOMPARE(curve_of_overlay(spec, 1), std::optional<std::size_t>(0));
    QCOMPARE(curve_of_overlay(spec, 2), std::optional<std::size_t>());
    const auto colors = series_colors(spec, light_theme());
    QVERIFY(colors[1] == colors[0] && colors[2] != colors[0]);
  }

  void exported_charts_have_the_curves_of_the_themes() {
    // Those are tried for the colour-blind where they are written.
    for (const Theme& plain : {light_theme(), dark_theme()}) {
      const auto full = find_theme(plain.name);
      QVERIFY(full.ok() && full->series.size() == plain.series.size());
      for (std::size_t i = 0; i < plain.series.size(); ++i)
        QVERIFY2(plain.series[i] == full->series[i], plain.name.c_str());
    }
  }
};

QTEST_APPLESS_MAIN(TestLegend)
#include "test_legend.moc"
