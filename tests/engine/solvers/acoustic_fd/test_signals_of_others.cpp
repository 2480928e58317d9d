// SPDX-License-Identifier: BSD-3-Clause
// Signals that other programs wrote: units, commas, columns.
// labels: unit
#include "engine/solvers/acoustic_fd/discretization/signal.hpp"
#include "tests/support/written_files.hpp"

#include <QTest>

#include <cmath>

using namespace conoid;
using namespace conoid::acoustic_fd;

namespace {

const std::string inputs = CONOID_TEST_DATA "/inputs/";

}  // namespace

class TestSignalsOfOthers : public QObject {
  Q_OBJECT

  const test::WrittenFiles written;

 private slots:
  void headings_of_signals_have_units() {
    const auto ms = read_signal(inputs + "signal-time-in-ms.csv", 1);
    QVERIFY2(ms.ok(), ms ? "" : ms.error().render().c_str());
    QVERIFY(std::abs((*ms)->end() - 0.199) < 1e-12);
    const auto kpa = read_signal(written("k.csv", "t (us),p[kPa]\n0,0\n1,2\n2,0\n"), 3);
    QVERIFY2(kpa.ok(), kpa ? "" : kpa.error().render().c_str());
    QVERIFY(std::abs((*kpa)->at(1e-6) - 6000) < 1e-9);
    const auto turned = read_signal(written("t.csv", "p[Pa],t[ms]\n0,0\n2,1\n0,2\n"), 1);
    QVERIFY(turned.ok() && std::abs((*turned)->at(1e-3) - 2) < 1e-12);
    const auto plain = read_signal(written("p.csv", "# a comment\n0 0\n0.5 1\n1.0 0\n"), 1);
    QVERIFY(plain.ok() && (*plain)->end() == 1);
    const auto wrong = read_signal(written("w.csv", "t[Hz],p\n0,0\n1,1\n"), 1);
    QVERIFY(!wrong.ok());
    QVERIFY2(wrong.error().text.find("found 'Hz'") != std::string::npos, wrong.error().text.c_str());
  }
  void other_tables_are_refused_by_name() {
    const auto index = read_signal(inputs + "signal-with-index-column.csv", 1);
    QVERIFY(!index.ok());
    QVERIFY2(index.error().text.find("expected two columns, time and value; found 3: i, t, p") != std::string::npos,
             index.error().text.c_str());
    const auto comma = read_signal(inputs + "signal-decimal-comma.csv", 1);
    QVERIFY(!comma.ok());
    QVERIFY2(comma.error().text.find("decimal comma") != std::string::npos, comma.error().text.c_str());
    QCOMPARE(comma.error().place.line, 1L);
    for (const char* text :
         {"t[s];p[Pa]\n0,0;0\n0,1;2\n", "0\t0\n0,001\t1,5\n", "0,0 0,0\n0,1 1,5\n", "t\tp\n0,1\t0\n"}) {
      const auto other = read_signal(written("o.csv", text), 1);
      QVERIFY2(!other.ok() && other.error().text.find("decimal comma") != std::string::npos, text);
    }
    QVERIFY(!read_signal(written("i.csv", "i,p\n0,0\n1,1\n"), 1).ok());
    QVERIFY(read_signal(written("s.csv", "t;p\n0;0\n0.1;1\n"), 1).ok());  // semicolons alone are separators
  }
};

QTEST_APPLESS_MAIN(TestSignalsOfOthers)
#include "test_signals_of_others.moc"
