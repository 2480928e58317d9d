// SPDX-License-Identifier: BSD-3-Clause
// Rows of a paper's figures become curves over what varies in them, with what the source published beside them.
// labels: cli
#include <QTest>

#include "engine/cli/bench_page.hpp"
#include "engine/cli/paper_figures.hpp"
#include "engine/cli/svg_curves.hpp"
#include "tests/engine/cli/page.hpp"

using conoid::Json;
using namespace conoid::cli;

namespace {

Json row(const std::string& name, double value, double published = 0, const char* unit = "1") {
  Json out = {{"name", name}, {"value", value}, {"unit", unit}};
  if (published > 0) out["published"] = published;
  return out;
}

int count(const std::string& text, const std::string& what) {
  int n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

}  // namespace

class TestPaperFigures : public QObject {
  Q_OBJECT
 private slots:
  void rows_become_curves_over_what_varies_most() {
    Json rows = Json::array({row("Table 1: loops, numS 1572", 3), row("Fig. 5b", 1)});
    for (const char* loop : {"omp_S'", "omp_S"})
      for (const int rhs : {1, 10})
        for (const int outer : {1572, 3432, 8012})
          rows.push_back(row("Fig. 2b: " + std::string(loop) + ", acceleration by 16 threads, numS " +
                                 std::to_string(outer) + ", RHS " + std::to_string(rhs),
                             0.001 * outer));
    const auto figures = paper_figures(rows);
    QCOMPARE(figures.size(), std::size_t{1});
    QCOMPARE(figures[0].name, std::string("Fig. 2b"));
    QVERIFY(!figures[0].published);
    const std::string& svg = figures[0].svg;
    QCOMPARE(count(svg, "<circle"), 12);
    QCOMPARE(count(svg, "stroke-width=\"2\""), 4);
    QCOMPARE(count(svg, "stroke-dasharray"), 0);
    QVERIFY2(svg.find(">omp_S&#39;, acceleration by 16 threads, RHS 10<") != std::string::npos, svg.c_str());
    QVERIFY(svg.find(">numS<") != std::string::npos);
  }

  void published_values_are_dashed_and_units_have_figures_of_their_own() {
    Json rows = Json::array();
    for (const int n : {1, 2, 4, 32}) {
      rows.push_back(row("Fig. 4, Q2-Q1: " + std::to_string(n) + (n == 1 ? " thread" : " threads"), 5.0 * n, 4.0 * n));
      rows.push_back(row("Fig. 4, seconds, " + std::to_string(n) + " threads", 1.0 / n, 0, "s"));
      rows.push_back(row("Fig. 9: greedy", n));  // nothing varies
    }
    rows.push_back({{"name", 7}, {"value", 1}});
    rows.push_back({{"name", "Fig. 4, much, 3 threads"}, {"value", "much"}});
    const auto figures = paper_figures(rows);
    QCOMPARE(figures.size(), std::size_t{2});
    QVERIFY(figures[0].published && !figures[1].published);
    QCOMPARE(count(figures[0].svg, "stroke-dasharray"), 1);
    QCOMPARE(count(figures[0].svg, "<circle"), 4);
    // In decades: 32 is more than ten times 1, and ticks are 1, 2, 5.
    QVERIFY(figures[0].svg.find(">20<") != std::string::npos && figures[0].svg.find(">0<") == std::string::npos);
  }

  void curves_lie_where_their_numbers_are() {
    // From 0 to 10 over 556 and 350 units, upwards.
    const std::string svg = svg_of_curves({{"a <b>", {{0, 0}, {5, 10}, {10, 2.5}, {NAN, 1}}, false}}, {"x", "y"});
    for (const char* place : {"cx=\"64.0\" cy=\"370.0\"", "cx=\"342.0\" cy=\"20.0\"", "cx=\"620.0\" cy=\"282.5\""})
      QVERIFY2(svg.find(place) != std::string::npos, (place + svg).c_str());
    QCOMPARE(count(svg, "<circle"), 3);
    QVERIFY(svg.find("a &lt;b&gt;") != std::string::npos);
    QVERIFY(svg_of_curves({}, {}).ends_with("</svg>\n"));
  }

  void a_report_shows_them() {
    Json rows = Json::array();
    for (const int outer : {1572, 3432})
      rows.push_back({{"solver", "maxwell-fem"},
                      {"name", "Fig. 2b: omp_S, numS " + std::to_string(outer)},
                      {"value", 3},
                      {"unit", "1"}});
    const rod::Scratch folder;
    std::ofstream(folder / "page.html") << bench_page(
        {{"machine", {{"host", "h"}, {"processor", "p"}, {"threads", 1}}}, {"rows", rows}}, {});
    const Json shown = page::read(folder / "page.html");
    EXPECT_SAFE(shown);
    QCOMPARE(shown["images"].size(), std::size_t{1});
  }
};

QTEST_APPLESS_MAIN(TestPaperFigures)
#include "test_paper_figures.moc"
