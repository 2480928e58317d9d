// SPDX-License-Identifier: BSD-3-Clause
// Formulas of a case: values, names, and what is said about those that cannot be read.
// labels: unit
#include "engine/case/expression.hpp"

#include <QTest>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/core.h>

using conoid::Expression;

class TestExpression : public QObject {
  Q_OBJECT

 private slots:
  void values_are_those_of_the_formula() {
    const auto f = Expression::parse("0.02*exp(-2*_pi*y^2)*cos(2*_pi*x)", {"x", "y"});
    QVERIFY(f.ok());
    for (const auto& [x, y] : {std::pair{0.0, 0.0}, {0.3, -0.7}, {-2.0, 0.1}}) {
      const std::array<double, 2> v{x, y};
      constexpr double pi = std::numbers::pi;
      QVERIFY(std::abs((*f)(v)-0.02 * std::exp(-2 * pi * y * y) * std::cos(2 * pi * x)) < 1e-15);
    }
  }

  void conditions_choose() {
    const auto f = Expression::parse("y >= 0 ? 2 : 1", {"x", "y"});
    QVERIFY(f.ok());
    QCOMPARE((*f)(std::array<double, 2>{0.0, 0.5}), 2.0);
    QCOMPARE((*f)(std::array<double, 2>{0.0, -0.5}), 1.0);
  }

  void copies_and_short_lists_are_safe() {
    const auto f = Expression::parse("a + 10*b", {"a", "b"});
    const Expression copy = *f;
    QCOMPARE(copy(std::array<double, 3>{1.0, 2.0, 99.0}), 21.0);
    QCOMPARE((*f)(std::array<double, 2>{3.0, 4.0}), 43.0);
  }

  void what_cannot_be_read_is_quoted_data() {
    QTest::addColumn<QString>("text");
    for (const char* text : {"1 + q", "sin(", "", "x y", "1 +* 2", "foo(x)", "x = ", "\"a\""})
      QTest::newRow(text) << text;
  }
  void what_cannot_be_read_is_quoted() {
    QFETCH(QString, text);
    const auto f = Expression::parse(text.toStdString(), {"x", "y"});
    QVERIFY(!f.ok());
    QVERIFY(QString::fromStdString(f.error().text).contains(text));
    QVERIFY(QString::fromStdString(f.error().hint).contains("x, y"));
  }

  void very_long_formulas_are_refused() {
    QVERIFY(!Expression::parse(std::string(20000, '1'), {}).ok());
    // Deep nesting within the limit must not crash.
    const auto deep = Expression::parse(fmt::format("{:(>4000}1{:)>4000}", "", ""), {});
    if (deep) QCOMPARE((*deep)({}), 1.0);
  }
};

QTEST_APPLESS_MAIN(TestExpression)
#include "test_expression.moc"
