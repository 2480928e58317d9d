// SPDX-License-Identifier: BSD-3-Clause
// Rates, percentages and budgets as a person reads and types them.
// labels: unit
#include <QTest>

#include "engine/cli/output.hpp"
#include "engine/cli/progress_view.hpp"
#include "engine/cli/run_here.hpp"

using namespace conoid;
using namespace conoid::cli;

class TestProgressText : public QObject {
  Q_OBJECT
 private slots:
  void rates_have_one_prefix();
  void a_line_says_what_is_known();
  void budgets_are_parsed();
  void columns_are_aligned();
};

void TestProgressText::rates_have_one_prefix() {
  QCOMPARE(rate_text(1.32e9, "cells"), std::string("1.32 Gcells/s"));
  QCOMPARE(rate_text(1.32e9, "Gcells"), std::string("1.32 Gcells/s"));
  QCOMPARE(rate_text(1.32, "Gcells"), std::string("1.32 Gcells/s"));
  QCOMPARE(rate_text(1.32, "Gcells/s"), std::string("1.32 Gcells/s"));
  QCOMPARE(rate_text(4200, "columns"), std::string("4.2 kcolumns/s"));
  QCOMPARE(rate_text(12, ""), std::string("12 items/s"));
}

void TestProgressText::a_line_says_what_is_known() {
  ProgressEvent event;
  event.progress = {"march", 860, 2000, "steps", 0, 0, 2e6, "cells"};
  event.eta = 12;
  const std::string text = progress_text(event);
  for (const char* part : {"march", "43 %", "860/2000", "2 Mcells/s", "left"})
    QVERIFY2(text.find(part) != std::string::npos, text.c_str());
  event.progress.total = 0;
  event.eta.reset();
  const std::string open_end = progress_text(event);
  QVERIFY2(open_end.find('%') == std::string::npos && open_end.find("left") == std::string::npos, open_end.c_str());
  QVERIFY(progress_form("loud").ok() == false);
}

void TestProgressText::budgets_are_parsed() {
  const auto parse = [](const char* text) { return cli::request_of({.workers = {}, .threads = 0, .memory = text}); };
  const auto both = parse("host=8GiB,device=500MB");
  QVERIFY(both.ok());
  QCOMPARE(*both->host, Bytes{8} << 30);
  QCOMPARE(*both->device, Bytes{500000000});
  QVERIFY(!parse("")->host);
  QCOMPARE(*parse("1GiB")->host, Bytes{1} << 30);
  for (const char* wrong : {"host=", "disk=1GiB", "host=lots", "host=-1GiB", "host=0B", "host=1kB"})
    QVERIFY2(!parse(wrong).ok(), wrong);
}

void TestProgressText::columns_are_aligned() {
  QCOMPARE(aligned({{"a", "b"}, {"µµµ", "c"}}), std::string("a    b\nµµµ  c"));
}

QTEST_APPLESS_MAIN(TestProgressText)
#include "test_progress_text.moc"
