// SPDX-License-Identifier: BSD-3-Clause
// Rows of a spreadsheet become elements of a list; what cannot be read is said with its line.
// labels: unit
#include <QFloat16>  // <QTest> only declares it, and JSON asks what it can become
#include <QTest>

#include "app/forms/paste_rows.hpp"

using namespace conoid;
using namespace conoid::app;

class TestPasteRows : public QObject {
  Q_OBJECT
  Json receivers_ = read_json(R"({"type":"object","properties":{"name":{"type":"string"},
    "position":{"type":"array","items":{"type":"number","unit":"m"},"minItems":3,"maxItems":3},"gain":{"type":"number"}}})");

 private slots:
  void columns_in_the_order_of_the_schema() {
    const auto rows = rows_from_text("A\t1\t2\t3\nB\t4\t5 mm\t6\t0.5\n", receivers_);
    QVERIFY(rows.ok());
    QCOMPARE(*rows, read_json(R"([{"name":"A","position":[1,2,3]},{"name":"B","position":[4,"5 mm",6],"gain":0.5}])"));
  }
  void a_line_of_names_chooses_columns() {
    const auto rows = rows_from_text("gain;x;y;z\n2;1;2;3\n", receivers_);
    QVERIFY(rows.ok());
    QCOMPARE(*rows, read_json(R"([{"gain":2,"position":[1,2,3]}])"));
  }
  void plain_vectors() {
    const Json node = read_json(R"({"type":"array","items":{"type":"number"},"minItems":3,"maxItems":3})");
    const auto rows = rows_from_text("0, 0, 1\r\n1, 0, 0\r\n", node);
    QVERIFY(rows.ok());
    QCOMPARE(*rows, read_json("[[0,0,1],[1,0,0]]"));
  }
  void each_trouble_has_its_sentence() {
    const auto text = [&](const char* pasted) {
      const auto rows = rows_from_text(pasted, receivers_);
      return rows ? QString() : QString::fromStdString(rows.error().text);
    };
    QVERIFY(text("").contains("no text"));
    QVERIFY(text("name\tcolour\nA\tred").contains("colour"));
    QVERIFY(text("A\t1\t2\t3\t4\t5").contains("6 cells"));
    QVERIFY(text("A\t1\t\t3").contains("position y is empty"));
    QVERIFY(text("name\tx\ty\tz").contains("no row"));
  }
};

QTEST_APPLESS_MAIN(TestPasteRows)
#include "test_paste_rows.moc"
