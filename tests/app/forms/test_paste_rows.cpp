// SPDX-License-Identifier: BSD-3-Clause
// Rows of a spreadsheet become elements of a list, and numbers as people type them what they meant; what cannot be read is said with its line.
// labels: unit
#include <QFloat16>  // <QTest> only declares it, and JSON asks what it can become
#include <QTest>

#include "app/forms/paste_rows.hpp"
#include "app/forms/schema_text.hpp"
#include "app/look/translator.hpp"
#include "app/model/numbers.hpp"

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
  // In either language a number is what was meant, or it is none.
  void numbers_as_people_type_them() {
    QCOMPARE(typed_text(" 0,5 m "), QString("0.5 m"));
    QCOMPARE(typed_text("1.5"), QString("1.5"));
    QCOMPARE(typed_text("\u22121,25"), QString("-1.25"));
    QCOMPARE(typed_text("1,500"), QString("1,500"));  // a thousand and a half, or one and a half
    QVERIFY(!json_from_typed("1,500").is_number());
    QCOMPARE(typed_list("0.5, 1,2"), (QStringList{"0.5", "1", "2"}));
    QCOMPARE(typed_list("0,5; 1"), (QStringList{"0.5", "1"}));
    QCOMPARE(shown_text(read_json("[0.5, 1]")), QString("0.5, 1"));
    QCOMPARE(choice_words(Json("rigid")), QString("Rigid"));
    QCOMPARE(choice_words(Json("pec")), QString("Perfect conductor (PEC)"));
    for (const char* as_it_is : {"mm", "xy", "-z", "D"}) QCOMPARE(choice_words(Json(as_it_is)), QString(as_it_is));
    QCOMPARE(typed_sweep("0.5, 1"), QString("0.5, 1"));
    QCOMPARE(typed_sweep("1:0.5:3 GHz"), QString("1:0.5:3 GHz"));
    // From here on the program speaks French.
    Translator french;
    QVERIFY(french.load_language("fr"));
    QCOMPARE(typed_text("1,500"), QString("1.500"));
    QCOMPARE(typed_text("1.500"), QString("1.500"));
    QCOMPARE(typed_list("0,5; -1; 2,25"), (QStringList{"0.5", "-1", "2.25"}));
    QCOMPARE(typed_list("0,5, 1"), (QStringList{"0.5", "1"}));
    QCOMPARE(typed_list("0,5"), (QStringList{"0.5"}));
    QCOMPARE(typed_list("1,2,3"), (QStringList{"1", "2", "3"}));
    QCOMPARE(typed_sweep("0,5; 1"), QString("0.5, 1"));  // a half, and not nought and five
    QCOMPARE(typed_sweep("0,5"), QString("0.5"));
    QCOMPARE(typed_sweep("0,5:0,25:2 GHz"), QString("0.5:0.25:2 GHz"));
    QCOMPARE(typed_sweep("[[0.5, 1], [1, 2]]"), QString("[[0.5, 1], [1, 2]]"));
    for (const char* json : {"0.5", "-1e-5", "2.25e-12", "\"6.0155 m\"", "343"}) {
      const Json value = read_json(json);
      QVERIFY(!shown_text(value).contains('.'));
      QCOMPARE(json_from_typed(shown_text(value)), value);  // there and back
    }
    const Json row = read_json("[0.5, -1, 2.25]");
    QCOMPARE(shown_text(row), QString("0,5; -1; 2,25"));
    Json back = Json::array();
    for (const QString& part : typed_list(shown_text(row))) back.push_back(json_from_text(part));
    QCOMPARE(back, row);
    const auto pasted = rows_from_text("A\t0,5\t-1,25\t3\n", receivers_);
    QVERIFY(pasted.ok());
    QCOMPARE(*pasted, read_json(R"([{"name":"A","position":[0.5,-1.25,3]}])"));
  }
};

QTEST_APPLESS_MAIN(TestPasteRows)
#include "test_paste_rows.moc"
