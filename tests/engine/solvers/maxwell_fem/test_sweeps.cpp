// SPDX-License-Identifier: BSD-3-Clause
// Sweeps of frequencies and angles: compressed, fast, stopped and resumed, and the range profile that comes of one.
// labels: unit rows timeout300
#include <QTest>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/core/units.hpp"
#include "engine/solvers/maxwell_fem/verify/sweeps.hpp"
#include "tests/all_rows.hpp"
#include "tests/engine/solvers/maxwell_fem/case_run.hpp"

using namespace conoid;
using namespace conoid::maxwell_fem;
using namespace conoid::maxwell_fem::test;

class TestSweeps : public QObject {
  Q_OBJECT

 private slots:
  void compressed_sweep_equals_the_full_one() {
    Json json = sphere_case();
    json["output"] = Json::object();
    json["excitation"] = read_json(
        R"({"frequency": "1 GHz", "theta": "90 deg", "polarisation": "both", "monostatic": {"from": 0, "to": "180 deg", "count": 37}})");
    json["truncation"] = {{"tolerance", 1e-5}};
    Run with(json);
    QVERIFY(with.go());
    json["parameters"] = {{"compress", false}};
    Run without(json);
    QVERIFY(without.go());
    QCOMPARE(without.number("directions_solved"), 74.0);
    QVERIFY2(with.number("directions_solved") < 40, qPrintable(QString::number(with.number("directions_solved"))));
    const auto *a = with.results.find("monostatic"), *b = without.results.find("monostatic");
    for (std::size_t r = 0; r < 37; ++r)
      for (std::size_t c : {1, 4}) QVERIFY(std::abs(a->rows[r][c] - b->rows[r][c]) < 0.02);
    QVERIFY(with.number("reciprocity_mismatch") < 1e-3);
    QVERIFY(with.number("compression_error") > 0 && with.number("compression_error") < 1e-4);
    // Eight waves that are independent: all of them are solved, and nothing is left out.
    json.erase("parameters");
    json["excitation"]["monostatic"] = read_json(R"({"from": 0, "to": "120 deg", "count": 4})");
    Run all(json);
    QVERIFY(all.go());
    QCOMPARE(all.number("directions_solved"), 8.0);
    QCOMPARE(all.number("compression_error"), 0.0);
  }

  void frequency_sweep_and_resumed_run_give_the_same_numbers() {
    Json json = sphere_case();
    json["excitation"] = read_json(
        R"({"frequencies": {"from": "0.8 GHz", "to": "1 GHz", "count": 2}, "theta": "180 deg", "polarisation": "V"})");
    json["truncation"] = {{"tolerance", 1e-6}};
    Run whole(json);
    QVERIFY(whole.go());
    QVERIFY(whole.results.find("frequency") != nullptr);
    QCOMPARE(whole.results.find("frequency")->rows.size(), std::size_t{2});
    for (Index stop : {1, 3, 7}) {
      Run first(json);
      if (first.go(stop)) QFAIL("ended early");
      Run second(json);
      hand_over(first, second);
      QVERIFY(second.go());
      const auto *a = whole.results.find("frequency"), *b = second.results.find("frequency");
      for (std::size_t r = 0; r < 2; ++r)
        QVERIFY2(std::abs(a->rows[r][1] - b->rows[r][1]) < 1e-9,
                 qPrintable(QString("%1 %2").arg(a->rows[r][1]).arg(b->rows[r][1])));
      // The iteration went on where it stood: no step more than the whole run.
      QCOMPARE(second.number("operator_applications"), whole.number("operator_applications"));
      QCOMPARE(second.number("iterations"), whole.number("iterations"));
    }
  }

  void a_stop_within_a_piece_loses_no_more_than_the_piece() {
    Json json = sphere_case();
    json["excitation"] = read_json(
        R"({"frequencies": {"from": "0.8 GHz", "to": "1 GHz", "count": 2}, "theta": "180 deg", "polarisation": "V"})");
    json["output"] = Json::object();
    json["truncation"] = {{"tolerance", 1e-6}};
    if (!conoid::all_rows()) json["parameters"]["order"] = 1;
    Run whole(json);
    QVERIFY(whole.go());
    const auto* a = whole.results.find("frequency");
    // Pieces: factors, near pairs and data of the waves, iterations, fields, tables; twice. Each in one of both frequencies, or in both.
    const Index half = whole.steps / 2;
    for (Index stop = 0; stop < whole.steps; ++stop) {
      if (!conoid::all_rows() && stop % half % 2 != stop / half % 2) continue;
      Run first(json);
      std::stop_source source;
      first.context.stop = source.get_token();
      if (stop > 0) QVERIFY(!first.go(stop));
      source.request_stop();
      const auto given_up = first.solver.advance(first.context);
      QVERIFY2(given_up.ok(), given_up.ok() ? "" : given_up.error().render().c_str());
      QCOMPARE(given_up->step, stop);
      Run second(json);
      hand_over(first, second);
      QVERIFY(second.go());
      const auto* b = second.results.find("frequency");
      QCOMPARE(b->rows.size(), a->rows.size());
      for (std::size_t r = 0; r < a->rows.size(); ++r)
        QVERIFY2(std::abs(a->rows[r][1] - b->rows[r][1]) < 1e-9, qPrintable(QString("piece %1").arg(stop)));
      QCOMPARE(second.number("operator_applications"), whole.number("operator_applications"));
    }
  }

  void a_fast_sweep_agrees_with_a_whole_one() {
    Json json = sphere_case();
    json["sphere"] = read_json(R"({"radius": "50 mm", "divisions": 2, "layers": 1, "material": "ceramic"})");
    json["materials"] = read_json(R"({"ceramic": {"permittivity": 38}})");
    json["excitation"] = read_json(
        R"({"frequencies": {"from": "430 MHz", "to": "530 MHz", "count": 101, "fast": {"accuracy": 0.1}}, "theta": "180 deg",
            "polarisation": "V"})");
    json["output"] = read_json(R"({"cuts": [{"name": "E", "count": 5}], "reciprocity": false})");
    Run fast(json);
    fast.go(40);
    Run resumed(json);
    hand_over(fast, resumed);
    QVERIFY(resumed.go() && resumed.finished.ok());
    const auto* table = resumed.results.find("frequency");
    QVERIFY(table != nullptr);
    QCOMPARE(table->rows.size(), std::size_t{101});
    QCOMPARE(resumed.results.find("amplitudes")->rows.size(), std::size_t{101 * 6});
    // Cuts hold all of them, too: seen from where the wave comes (theta 180 degrees) they are the echo.
    const auto* cuts = resumed.results.find("rcs_E");
    QVERIFY(cuts != nullptr);
    QCOMPARE(cuts->rows.size(), std::size_t{101 * 5});
    for (std::size_t n = 0; n < 101; ++n) {
      QCOMPARE(cuts->rows[5 * n + 4][0], table->rows[n][0]);
      QVERIFY(std::abs(cuts->rows[5 * n + 4][2] - table->rows[n][1]) < 1e-6);
    }
    QVERIFY2(resumed.number("frequencies_computed") <= 12,
             qPrintable(QString::number(resumed.number("frequencies_computed"))));
    json["excitation"]["frequencies"].erase("fast");
    json["excitation"]["frequencies"]["count"] = 6;
    json["truncation"] = {{"tolerance", 1e-4}};
    Run whole(json);
    QVERIFY(whole.go() && whole.finished.ok());
    const auto* exact = whole.results.find("frequency");
    for (std::size_t n = 0; n < 6; ++n) {
      const auto &a = table->rows[20 * n], &b = exact->rows[n];
      QCOMPARE(a[0], b[0]);
      QVERIFY2(std::abs(a[1] - b[1]) < 0.1, qPrintable(QString("%1 Hz: %2 and %3").arg(a[0]).arg(a[1]).arg(b[1])));
    }
  }

  void a_fast_sweep_through_a_resonance_says_how_far_it_may_be_off() {
    // Elements are coarse, and the echo falls by 40 dB: it is off by decibels there, and by one beside the resonance.
    const int divisions = all_rows() ? 3 : 2;
    Run run(read_json(resonant_sweep_case(divisions, 2, true)));
    run.go(60);
    Run resumed(read_json(resonant_sweep_case(divisions, 2, true)));
    hand_over(run, resumed);
    QVERIFY(resumed.go() && resumed.finished.ok());
    const SweepOutcome o = judge_resonant_sweep(resumed.results);
    const QByteArray text =
        QString("%1 frequencies of %2, %3 dB off at most, %4 of the bar at most, bars %5 of the error")
            .arg(o.computed)
            .arg(o.rows)
            .arg(o.worst)
            .arg(o.over_bar)
            .arg(o.bar_over)
            .toUtf8();
    qInfo("%s", text.constData());
    QCOMPARE(o.rows, 1001.0);
    QVERIFY2(o.computed <= 15 && o.over_bar < 3 && o.bar_over < 3 && o.bar_over > 1.0 / 3, text.constData());
  }

  void range_profile_of_a_sweep_follows_the_series() {
    Json json = sphere_case();
    json["excitation"] = read_json(
        R"({"frequencies": {"from": "0.4 GHz", "to": "1.1 GHz", "count": 8}, "theta": "180 deg", "polarisation": "V"})");
    json["output"] = {{"range_profile", true}, {"reciprocity", false}};
    json["truncation"] = {{"tolerance", 1e-4}, {"distance", 0.05}};
    Run run(json);
    QVERIFY(run.go() && run.finished.ok());
    const auto* table = run.results.find("range_profile");
    QVERIFY(table != nullptr);
    std::vector<double> frequencies;
    std::vector<Complex> echo;
    for (int i = 0; i < 8; ++i) {
      frequencies.push_back(0.4e9 + 0.1e9 * i);
      const double k = 2 * std::numbers::pi * frequencies.back() / light_speed;
      echo.push_back(conducting_sphere(k * 0.05).s2(-1) / (Complex(0, 1) * k));
    }
    const RangeProfile exact = range_profile(frequencies, echo);
    const double most = *std::max_element(exact.level.begin(), exact.level.end());
    QCOMPARE(table->rows.size(), exact.level.size());
    for (std::size_t i = 0; i < exact.level.size(); ++i)
      if (exact.level[i] > most - 15)
        QVERIFY2(std::abs(table->rows[i][1] - exact.level[i]) < 0.3,
                 qPrintable(QString("%1: %2 %3").arg(table->rows[i][0]).arg(table->rows[i][1]).arg(exact.level[i])));
  }
};

QTEST_APPLESS_MAIN(TestSweeps)
#include "test_sweeps.moc"
