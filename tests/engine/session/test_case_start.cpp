// SPDX-License-Identifier: BSD-3-Clause
// A case around a body gets elements of another size where those of its file do not suit the wave: too long for it, or many times too many.
// labels: unit
#include <cmath>

#include <QFloat16>  // <QTest> only declares it, and JSON asks what it can become
#include <QTest>

#include "engine/core/units.hpp"
#include "engine/session/case_start.hpp"

using namespace conoid;

class TestCaseStart : public QObject {
  Q_OBJECT
 private slots:
  void elements_are_those_that_the_wave_asks_for_data() {
    QTest::addColumn<double>("longest");  // of what the wave bears
    QTest::addColumn<double>("usual");
    QTest::addColumn<int>("elements");
    QTest::addColumn<bool>("anew");
    QTest::newRow("as they should be") << 0.9 << 0.6 << 8000 << false;
    QTest::newRow("a little too long") << 1.15 << 0.6 << 8000 << false;
    QTest::newRow("too long somewhere") << 4.0 << 0.1 << 300 << true;
    QTest::newRow("a scan") << 0.3 << 0.1 << 30000 << true;
    QTest::newRow("fine, but few") << 0.3 << 0.1 << 2000 << false;
    QTest::newRow("many, because the body is large") << 0.9 << 0.5 << 300000 << false;
  }
  void elements_are_those_that_the_wave_asks_for() {
    QFETCH(double, longest);
    QFETCH(double, usual);
    QFETCH(int, elements);
    QFETCH(bool, anew);
    CaseStart start;
    start.solver = "any";
    start.speed = 340;
    start.frequency = "2*c/size";
    start.edge = "wave/5";
    start.body = Json::object();
    MeshFacts facts;
    facts.box = {Vec3{0, 0, 0}, Vec3{1, 0.5, 0.2}};
    const double edge = 1.0 / 2 / 5;  // metres
    facts.longest_edge = longest * edge;
    facts.usual_edge = usual * edge;
    facts.elements = static_cast<std::size_t>(elements);
    const auto made = started_case(start, Json::object(), facts, 0, "body");
    QVERIFY(made);
    QCOMPARE((*made)["mesh"].contains("size"), anew);
    if (anew) QVERIFY(std::abs(parse_quantity((*made)["mesh"]["size"].get<std::string>(), "m")->value - edge) < 1e-6);
  }
};

QTEST_APPLESS_MAIN(TestCaseStart)
#include "test_case_start.moc"
