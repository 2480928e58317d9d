// SPDX-License-Identifier: BSD-3-Clause
// Numbers are written with a comma for readers who want one, names and versions stay as they are.
// labels: unit
#include <QTest>

#include "engine/core/decimal_comma.hpp"

using conoid::with_decimal_comma;

class TestDecimalComma : public QObject {
  Q_OBJECT
 private slots:
  void numbers_take_a_comma_and_names_do_not() {
    const std::pair<const char*, const char*> all[] = {
        {"12.4 ms", "12,4 ms"},
        {"\u2212"
         "0.5 \u2026 1.25 Pa",
         "\u2212"
         "0,5 \u2026 1,25 Pa"},
        {"-1.5e-3", "-1,5e-3"},
        {"at (0.5, \u2212"
         "1, 2.25) m",
         "at (0,5; \u2212"
         "1; 2,25) m"},
        {"0.5, 1.5", "0,5; 1,5"},
        {"step 3, 12 left", "step 3; 12 left"},
        {"Conoid 0.1.0", "Conoid 0.1.0"},
        {"run-1.2", "run-1.2"},
        {"mesh2.5.stl, v1.5", "mesh2.5.stl, v1.5"},
        {"It ends with 5.", "It ends with 5."},
        {"5. Then", "5. Then"},
        {"the one in the middle has 10.7.", "the one in the middle has 10,7."},
        {"", ""}};
    for (const auto& [point, comma] : all)
      QCOMPARE(QString::fromStdString(with_decimal_comma(point)), QString::fromUtf8(comma));
  }
};

QTEST_APPLESS_MAIN(TestDecimalComma)
#include "test_decimal_comma.moc"
