// SPDX-License-Identifier: BSD-3-Clause
// Sweeps: axes as typed, with units and ends that are met, and the documents they make.
// labels: unit
#include "engine/case/case.hpp"
#include "tests/fuzz/case_sample.hpp"

#include <QFloat16>  // <QTest> only declares it, and JSON asks what it can become
#include <QTest>
#include <cmath>

using namespace conoid;

class TestSweep : public QObject {
  Q_OBJECT

 private slots:
  void axes_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("values");
    const auto row = [](const char* text, const char* pointer, const char* values) {
      QTest::addRow("%s", text) << text << pointer << values;
    };
    row("a.b=1:1:4", "/a/b", "[1, 2, 3, 4]");
    row("a=1:2:4", "/a", "[1, 3]");
    row("a=4:-1:1", "/a", "[4, 3, 2, 1]");
    row("a=5:1:5", "/a", "[5]");
    row("a=0:0.1:0.5", "/a", "[0.0, 0.1, 0.2, 0.3, 0.4, 0.5]");
    row("a=-0.3:0.1:0.3", "/a", "[-0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3]");
    row("a=1.0:1:3", "/a", "[1.0, 2.0, 3.0]");
    row("a=1e3:1e3:3e3", "/a", "[1000.0, 2000.0, 3000.0]");
    row("f=1:0.5:2 GHz", "/f", R"(["1 GHz", "1.5 GHz", "2 GHz"])");
    row("f=1 GHz:0.5 GHz:2 GHz", "/f", R"(["1 GHz", "1.5 GHz", "2 GHz"])");
    row("f=500 MHz : 0.25 GHz : 1 GHz", "/f", R"(["500 MHz", "750 MHz", "1000 MHz"])");
    row("f=10:10:30 deg", "/f", R"(["10 deg", "20 deg", "30 deg"])");
    row("a=3", "/a", "[3]");
    row("a=3,1,2.5", "/a", "[3, 1, 2.5]");
    row("a=1,2,3 mm", "/a", R"(["1 mm", "2 mm", "3 mm"])");
    row("a=1 mm,2 cm", "/a", R"(["1 mm", "2 cm"])");
    row("k=rigid,sponge", "/k", R"(["rigid", "sponge"])");
    row("k=true,false", "/k", "[true, false]");
    row("s=[1, 2],[3, 4]", "/s", "[[1, 2], [3, 4]]");
    row("s=\"a,b\",c", "/s", R"(["a,b", "c"])");
    row("w=cpu:3", "/w", R"(["cpu:3"])");
    row("w=cuda:0,cpu", "/w", R"(["cuda:0", "cpu"])");
    row("/x~1y/z=1", "/x~1y/z", "[1]");
    row(" a.b = 1 , 2 ", "/a/b", "[1, 2]");
  }
  void axes() {
    QFETCH(QString, text);
    QFETCH(QString, pointer);
    QFETCH(QString, values);
    const auto axis = parse_sweep_axis(text.toStdString());
    QVERIFY2(axis.ok(), axis.ok() ? "" : axis.error().render().c_str());
    QCOMPARE(axis->pointer, pointer.toStdString());
    QCOMPARE(QString::fromStdString(json_text(Json(axis->values))), values);
  }

  void the_end_is_met_whatever_the_rounding() {
    for (const int n : {3, 7, 10, 49, 100, 999, 12345}) {
      const auto axis = parse_sweep_axis("a=0:" + QString::number(1.0 / n, 'g', 17).toStdString() + ":1");
      QVERIFY(axis.ok());
      QCOMPARE(axis->values.size(), static_cast<std::size_t>(n) + 1);
      QCOMPARE(axis->values.back().get<double>(), 1.0);
    }
  }

  void refuses_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* text, const char* message) { QTest::addRow("%s", text) << text << message; };
    row("", "found no '='");
    row("a.b", "found no '='");
    row("=1", "found nothing");
    row("a..b=1", "empty step");
    row("a=", "has no values");
    row("a=1,,2", "an empty value");
    row("a=1:2", "expected first:step:last, found 2 parts");
    row("a=1:2:3:4", "found 4 parts");
    row("a=1:x:3", "expected a number, found 'x'");
    row("a=1:0:3", "the step of the sweep over /a is 0");
    row("a=1:-1:3", "check the sign of the step");
    row("a=3:1:1", "check the sign of the step");
    row("a=0:1e-9:1", "more than 100000 values");
    row("a=0:1e-300:1e300", "more than 100000 values");
    row("f=1 GHz:1:3", "has no unit");
    row("f=1 GHz:1 m:3 GHz", "expected a number in GHz");
    row("f=1:1:3 xyz", "unknown unit 'xyz'");
  }
  void refuses() {
    QFETCH(QString, text);
    QFETCH(QString, message);
    const auto axis = parse_sweep_axis(text.toStdString());
    QVERIFY(!axis.ok());
    QVERIFY2(axis.error().text.find(message.toStdString()) != std::string::npos, axis.error().render().c_str());
    QVERIFY(axis.error().code == ErrorCode::command_line);
    QVERIFY(!axis.error().hint.empty());
  }

  void expands_with_the_last_axis_fastest() {
    const auto base = *CaseDocument::parse(sample::good_case, "case.json");
    const auto points = expand_sweep(
        base, {*parse_sweep_axis("excitation.frequency=100:100:300 kHz"), *parse_sweep_axis("parameters.order=2,8")});
    QVERIFY2(points.ok(), points.ok() ? "" : points.error().render().c_str());
    QCOMPARE(points->size(), std::size_t{6});
    const Schema schema = *Schema::for_solver(sample::solver, sample::parameters);
    std::vector<std::string> hashes;
    for (std::size_t i = 0; i < 6; ++i) {
      const SweepPoint& p = (*points)[i];
      const auto c = Case::resolve(p.document, schema);
      QVERIFY2(c.ok(), c.ok() ? "" : c.error().render().c_str());
      QCOMPARE((*c)["excitation"]["frequency"].number(), 1e5 * static_cast<double>(1 + i / 2));
      QCOMPARE((*c)["parameters"]["order"].integer(), Index{i % 2 == 0 ? 2 : 8});
      QCOMPARE(p.set.size(), std::size_t{2});
      QCOMPARE(p.set[0].first, std::string("/excitation/frequency"));
      QCOMPARE(p.set[1].second, Json(i % 2 == 0 ? 2 : 8));
      hashes.push_back(c->hash());
    }
    std::sort(hashes.begin(), hashes.end());
    QVERIFY(std::unique(hashes.begin(), hashes.end()) == hashes.end());
  }

  void no_axis_is_the_case_itself() {
    const auto base = *CaseDocument::parse(R"({"a": 1})", "c");
    const auto points = expand_sweep(base, {});
    QCOMPARE(points->size(), std::size_t{1});
    QCOMPARE(points->front().document.json(), base.json());
  }

  void refuses_what_cannot_be_set_or_held() {
    const auto base = *CaseDocument::parse(R"({"a": 1})", "c");
    QVERIFY(!expand_sweep(base, {*parse_sweep_axis("a.b=1,2")}).ok());  // /a is a number
    QVERIFY(!expand_sweep(base, {*parse_sweep_axis("a=1,2"), *parse_sweep_axis("/a=3")}).ok());
    QVERIFY(!expand_sweep(base, {SweepAxis{"/a", {}}}).ok());
    const auto axis = *parse_sweep_axis("a=1:1:1000");
    const auto other = *parse_sweep_axis("b=1:1:1000");
    const auto many = expand_sweep(base, {axis, other});
    QVERIFY(!many.ok());
    QVERIFY(many.error().text.find("1000000 points") != std::string::npos);
    // One by one they are there all the same.
    QCOMPARE(*sweep_size({axis, other}), std::size_t{1'000'000});
    const auto last = sweep_point(base, {axis, other}, 999'998);
    QVERIFY(last.ok());
    QCOMPARE(json_text(last->document.json()), std::string(R"({"a": 1000, "b": 999})"));
    const auto third = *parse_sweep_axis("c=1:1:1000");
    QVERIFY(sweep_size({axis, other, third}).ok());
    const auto fourth = *parse_sweep_axis("d=1:1:2");
    QVERIFY(!sweep_size({axis, other, third, fourth}).ok());
  }
};

QTEST_APPLESS_MAIN(TestSweep)
#include "test_sweep.moc"
