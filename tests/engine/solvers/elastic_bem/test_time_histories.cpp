// SPDX-License-Identifier: BSD-3-Clause
// Signals over time: spectra, traces, response spectra, and a wave below flat ground, which moves twice as much as the wave.
// labels: unit
#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <numbers>

#include "engine/solvers/elastic_bem/solving/time_histories.hpp"
#include "engine/solvers/elastic_bem/verify/scenes.hpp"
#include "tests/engine/solvers/elastic_bem/case_run.hpp"

using namespace conoid;
using namespace conoid::elastic_bem;
using namespace conoid::elastic_bem::test;

namespace {

/// Ricker's pulse about t = 25 s, largest at 0.06 Hz, without a mean.
double pulse(double t) {
  const double a = std::pow(std::numbers::pi * 0.06 * (t - 25), 2);
  return (1 - 2 * a) * std::exp(-a);
}

TimeTable pulse_table() {
  TimeTable out;
  for (int k = 0; k <= 500; ++k) {
    out.times.push_back(0.1 * k);
    out.values.push_back(pulse(0.1 * k));
  }
  return out;
}

}  // namespace

class TestTimeHistories : public QObject {
  Q_OBJECT
 private slots:
  void spectra_of_straight_lines_are_exact() {
    const TimeTable triangle{{1, 2, 4}, {0, 3, 0}};
    for (const double omega : {0.0, 1e-5, 1e-3, 0.3, 4.0, 50.0}) {
      // Against the sum over many points.
      Complex sum = 0;
      const int n = 300000;
      for (int k = 0; k < n; ++k) {
        const double t = 1 + 3 * (k + 0.5) / n;
        sum += triangle.at(t) * std::polar(3.0 / n, -omega * t);
      }
      QVERIFY2(std::abs(spectrum(triangle, omega) - sum) < 1e-7, qPrintable(QString::number(omega)));
    }
  }
  void a_trace_gives_back_the_signal_within_the_band() {
    const TimeTable signal = pulse_table();
    std::vector<double> f;
    for (int k = 1; k <= 15; ++k) f.push_back(0.02 * k);
    const FrequencySteps steps = frequency_steps(f).value();
    QCOMPARE(steps.first, Index{1});
    std::vector<Complex> values;
    for (const double v : f) values.push_back(spectrum(signal, 2 * std::numbers::pi * v));
    const std::vector<double> got = trace(steps, values);
    QCOMPARE(static_cast<Index>(got.size()), steps.samples());
    double worst = 0;
    for (std::size_t k = 0; k < got.size(); ++k)
      worst =
          std::max(worst, std::abs(got[k] - pulse(50.0 * static_cast<double>(k) / static_cast<double>(got.size()))));
    QVERIFY2(worst < 1e-3, qPrintable(QString::number(worst)));  // lines between samples: h²/8 s'' is 2.7e-4
    QVERIFY(outside_band(signal, steps) < 1e-3);
    f.resize(3);
    QVERIFY(outside_band(signal, frequency_steps(f).value()) > 0.2);
    QVERIFY(left_at_the_end(got) < 0.01);
  }
  /// A velocity 1 - cos, or its slope as an acceleration, that moves to 1 and stays there: without the lowest multiple the displacement lacks what
  /// the acceleration hardly has.
  void displacements_lack_what_little_of_accelerations_lies_below() {
    TimeTable velocity, acceleration;
    for (int k = 0; k <= 400; ++k) {
      const double t = 0.001 * k, turn = 2 * std::numbers::pi * t / 0.4;
      velocity.times.push_back(t);
      velocity.values.push_back((1 - std::cos(turn)) / 0.4);
      acceleration.times.push_back(t);
      acceleration.values.push_back(2 * std::numbers::pi * std::sin(turn) / 0.16);
    }
    const auto from = [](int first) {
      std::vector<double> f;
      for (int k = first; k <= 200; ++k) f.push_back(0.05 * k);
      return frequency_steps(f).value();
    };
    QCOMPARE(displacement_below(velocity, from(0), 1), 0.0);
    QCOMPARE(displacement_below(acceleration, from(1), 2), 0.0);
    // S = 1 for what is slow beside 0.4 s: squares are 1/k^2, of which the first is 6/pi^2, the first three 49/36 of that.
    const double one = 6 / std::pow(std::numbers::pi, 2);
    for (const auto& [signal, times] : {std::pair(&velocity, 1), std::pair(&acceleration, 2)}) {
      QVERIFY(std::abs(displacement_below(*signal, from(2), times) - one) < 0.02);
      QVERIFY(std::abs(displacement_below(*signal, from(4), times) - 49.0 / 36 * one) < 0.03);
    }
    QVERIFY(outside_band(acceleration, from(4)) < 2e-3);  // 0.1 (0.1 pi)^2 (1 + 4 + 9) of 308 below, 1.1e-3 above 10 Hz
  }
  void frequencies_that_are_no_multiples_are_refused() {
    QVERIFY(frequency_steps(std::vector<double>{0, 1, 2}));
    QVERIFY(!frequency_steps(std::vector<double>{1}));
    QVERIFY(!frequency_steps(std::vector<double>{3, 2, 1}));
    QVERIFY(!frequency_steps(std::vector<double>{0.5, 1.5, 2.5}));
    QVERIFY(!frequency_steps(std::vector<double>{1, 2, 4, 5, 6}));
  }
  void oscillators_on_a_base_that_starts_overshoot() {
    // A constant acceleration from t = 0 on: 1 + e^{−πζ/√(1 − ζ²)} times the rest.
    const std::vector<double> constant(4000, 2.0);
    for (const double damping : {0.0, 0.05, 0.5}) {
      const auto got = response_spectrum(constant, 0.01, std::vector<double>{1, 3.7}, damping);
      const double want = 2 * (1 + std::exp(-std::numbers::pi * damping / std::sqrt(1 - damping * damping)));
      for (const double v : got) QVERIFY2(std::abs(v - want) < 1e-3 * want, qPrintable(QString::number(v)));
    }
  }
  void flat_ground_moves_twice_as_much_as_the_wave() {
    const QTemporaryDir folder;
    const QString path = folder.filePath("quake.csv");
    {
      std::ofstream out(path.toStdString());
      out << "time[s],acceleration[cm/s^2]\n";
      const TimeTable table = pulse_table();
      for (std::size_t k = 0; k < table.times.size(); ++k)
        out << table.times[k] << ',' << 100 * table.values[k] << '\n';
    }
    Json json = Json::parse(R"j({
      "solver": "elastic-bem",
      "ground": {"kind": "rectangle", "low": [-3, -3], "high": [3, 3], "element": 1.5},
      "medium": {"shear_modulus": 1, "poisson": 0.3, "density": 1},
      "excitation": {"loads": [{"kind": "wave", "wave": "p", "direction": [0, 0, 1]}],
                     "signal": {"quantity": "acceleration"}},
      "parameters": {"frequencies": {"from": 0.02, "to": 0.22, "count": 11}},
      "output": {"receivers": [{"name": "A", "position": [0.1, 0.2, 0]}]}})j");
    json["excitation"]["signal"]["file"] = path.toStdString();
    Run run(json);
    run.go();
    QVERIFY(run.solver.finish(run.context));
    double worst = 0, largest = 0;
    for (const auto& row : run.rows("accelerations")) {
      worst = std::max(worst, std::abs(row[3] - 2 * pulse(row[0])));
      largest = std::max(largest, std::abs(row[3]));
    }
    QVERIFY2(worst < 0.01, qPrintable(QString("%1 of %2").arg(worst).arg(largest)));
    QVERIFY(largest > 1.9);
    const auto spectra = run.rows("response_spectra");
    QCOMPARE(spectra.size(), std::size_t{60});
    // The same oscillators under twice the pulse itself.
    std::vector<double> exact;
    for (int k = 0; k <= 5000; ++k) exact.push_back(2 * pulse(0.01 * k));
    for (const auto& row : spectra) {
      const double want = response_spectrum(exact, 0.01, std::vector<double>{row[0]}, 0.05).front();
      QVERIFY2(std::abs(row[3] - want) < 0.02 * want,
               qPrintable(QString("%1: %2, %3").arg(row[0]).arg(row[3]).arg(want)));
    }
    // What does not fit is refused by name.
    const auto said_of = [](const Json& of) {
      const Case input = resolved(of).value();
      QString all;
      for (const Diagnostic& d : ElasticBem().check(input, nullptr, make_offer(input).value()))
        all += QString::fromStdString(d.render()) + "\n";
      return all;
    };
    Json coarse = json, wrong = json, empty = json;
    coarse["parameters"]["frequencies"] = Json::parse(R"({"from": 0.1, "to": 0.2, "count": 2})");
    QVERIFY2(said_of(coarse).contains("the signal lasts"), qPrintable(said_of(coarse)));
    // Repeated every 50 s, a pulse of 50 s that begins late or early would be seen at other times than its own.
    for (const int shift : {30, -1}) {
      const QString moved = folder.filePath("moved.csv");
      {
        std::ofstream out(moved.toStdString());
        out << "time[s],acceleration\n";
        for (int k = 0; k <= 40; ++k) out << k + shift << ',' << pulse(k + 5) << '\n';
      }
      Json late = json;
      late["excitation"]["signal"]["file"] = moved.toStdString();
      const QString said = QString("the signal goes from %1 s to %2 s").arg(shift).arg(40 + shift);
      QVERIFY2(said_of(late).contains(said), qPrintable(said_of(late)));
    }
    Json passing = json;
    passing["excitation"]["loads"] =
        Json::parse(R"j([{"kind": "moving", "group": "ground", "value": [0, 0, 1], "velocity": [1, 0, 0]}])j");
    passing["excitation"]["signal"].erase("quantity");
    QVERIFY2(said_of(passing).contains("spectra of its passage"), qPrintable(said_of(passing)));
    Json spins = passing;
    spins["foundations"] = Json::parse(R"j([{"group": "ground"}])j");
    spins["excitation"]["loads"] =
        Json::parse(R"j([{"kind": "machine", "foundation": "ground", "force": [0, 0, 1], "rotating": true}])j");
    QVERIFY2(said_of(spins).contains("another force at each speed"), qPrintable(said_of(spins)));
    wrong["excitation"]["signal"]["quantity"] = "velocity";
    QVERIFY2(said_of(wrong).contains("velocity"), qPrintable(said_of(wrong)));
    empty["output"] = Json::parse("{}");
    QVERIFY2(said_of(empty).contains("without receivers"), qPrintable(said_of(empty)));
  }
  /// From the record's file to the table of traces, in units of soil: kilonewtons, 200 m/s, 25 m away.
  void a_force_on_the_ground_moves_it_as_pekeris_says() {
    const QTemporaryDir folder;
    const QString path = folder.filePath("hammer.csv");
    constexpr int parts = 500;
    constexpr double length = 0.25, c = 200, r = 25, mu = 1800 * c * c;
    const auto force = [&](int k) { return std::pow(std::sin(std::numbers::pi * k / parts), 4); };
    {
      std::ofstream out(path.toStdString());
      out.precision(15);
      out << "time[ms],factor\n";
      for (int k = 0; k <= parts; ++k) out << 1000 * length * k / parts << ',' << 50 * force(k) << '\n';
    }
    Json json = Json::parse(R"j({
      "solver": "elastic-bem", "profile": {},
      "medium": {"shear_speed": 200, "poisson": 0.25, "density": 1800},
      "excitation": {"loads": [{"kind": "point", "position": [0, 0, 0], "force": [0, 0, -1000]}], "signal": {}},
      "parameters": {"frequencies": {"from": 0, "to": 63, "count": 64}},
      "output": {"receivers": [{"name": "A", "position": [15, -20, 0]}]}})j");
    json["excitation"]["signal"]["file"] = path.toStdString();
    Run run(json);
    run.go();
    QVERIFY(run.solver.finish(run.context));
    double worst = 0, largest = 0, level = 0;
    for (const auto& row : run.rows("traces")) {
      double want = 0;
      for (int k = 0; k < parts; ++k) {
        const double after = (row[0] - length * k / parts) * c / r, step = length / parts * c / r;
        want -= (force(k + 1) - force(k)) / step * (pekeris_integral(after) - pekeris_integral(after - step));
      }
      want *= 50e3 / (32 * std::numbers::pi * mu * r);
      worst = std::max(worst, std::abs(row[3] - want));
      largest = std::max(largest, std::abs(want));
      level = std::max(level, std::abs(20 * row[1] + 15 * row[2]));
    }
    // Above 63 Hz, all in phase, corners of the straight lines among it: 2e-4.
    QVERIFY2(worst < 5e-4 * largest, qPrintable(QString("%1 of %2").arg(worst).arg(largest)));
    QVERIFY(largest > 1e-6);
    QVERIFY(level < 1e-9 * largest);  // away from the force, not across
  }
  /// Half a sine leaves a velocity: its mean comes through at the frequency 0, where displacements tell nothing of accelerations.
  void accelerations_keep_the_mean_of_an_accelerogram() {
    const QTemporaryDir folder;
    const QString path = folder.filePath("push.csv");
    {
      std::ofstream out(path.toStdString());
      out << "time[s],acceleration[m/s^2]\n";
      for (int k = 0; k <= 100; ++k) out << 0.1 * k << ',' << std::sin(std::numbers::pi * k / 100) << '\n';
    }
    Json json = Json::parse(R"j({
      "solver": "elastic-bem", "profile": {},
      "medium": {"shear_modulus": 1, "poisson": 0.3, "density": 1},
      "excitation": {"loads": [{"kind": "wave", "wave": "p"}], "signal": {"quantity": "acceleration"}},
      "parameters": {"frequencies": {"from": 0, "to": 2, "count": 81}},
      "output": {"receivers": [{"name": "A", "position": [0, 0, 0]}]}})j");
    json["excitation"]["signal"]["file"] = path.toStdString();
    Run run(json);
    run.go();
    QVERIFY(run.solver.finish(run.context));
    double sum = 0, worst = 0;
    const auto rows = run.rows("accelerations");
    for (const auto& row : rows) {
      const double want = row[0] < 10 ? 2 * std::sin(std::numbers::pi * row[0] / 10) : 0;
      worst = std::max(worst, std::abs(row[3] - want));
      sum += row[3] * 40 / static_cast<double>(rows.size());
    }
    QVERIFY2(std::abs(sum - 2 * 20 / std::numbers::pi) < 2e-3,
             qPrintable(QString::number(sum)));                  // 2 x int sin, straight lines
    QVERIFY2(worst < 0.03, qPrintable(QString::number(worst)));  // corners of the pulse, beyond 2 Hz
  }
  /// Displacements under records that are no displacements begin at rest and may stay away from there: they were shifted to have no mean over the
  /// period, which moved the ground before the record began.
  void displacements_begin_at_rest_data() {
    QTest::addColumn<QString>("quantity");
    QTest::addColumn<int>("first");
    QTest::newRow("acceleration, which leaves an offset") << "acceleration" << 0;
    QTest::newRow("the same, without the frequency 0") << "acceleration" << 1;
    QTest::newRow("velocity, which leaves an offset") << "velocity" << 0;
    QTest::newRow("the same, without the frequency 0 ") << "velocity" << 1;
    QTest::newRow("acceleration, which leaves a velocity") << "push" << 0;
  }
  void displacements_begin_at_rest() {
    QFETCH(QString, quantity);
    QFETCH(int, first);
    const bool accelerated = quantity == "acceleration", push = quantity == "push";
    const QTemporaryDir folder;
    const QString path = folder.filePath("record.csv");
    // A full sine of accelerations, half of one, or a velocity 1 - cos.
    const double w = 0.2 * std::numbers::pi;
    {
      std::ofstream out(path.toStdString());
      out << "time[s]," << (accelerated || push ? "acceleration[m/s^2]" : "velocity[m/s]") << '\n';
      for (int k = 0; k <= 200; ++k) {
        const double turn = w * 0.05 * k;
        out << 0.05 * k << ','
            << (push          ? std::sin(0.5 * turn)
                : accelerated ? std::sin(turn)
                              : 1 - std::cos(turn))
            << '\n';
      }
    }
    Json json = Json::parse(R"j({
      "solver": "elastic-bem", "profile": {},
      "medium": {"shear_modulus": 1, "poisson": 0.3, "density": 1},
      "excitation": {"loads": [{"kind": "wave", "wave": "p"}], "signal": {}},
      "parameters": {"frequencies": {"to": 2}},
      "output": {"receivers": [{"name": "A", "position": [0, 0, 0]}]}})j");
    json["excitation"]["signal"]["file"] = path.toStdString();
    json["excitation"]["signal"]["quantity"] = push ? "acceleration" : quantity.toStdString();
    json["parameters"]["frequencies"]["from"] = 0.025 * first;
    json["parameters"]["frequencies"]["count"] = 81 - first;
    Run run(json);
    run.go();
    QVERIFY(run.solver.finish(run.context));
    const auto place = [&](double t) {
      if (push)  // at its end by 2/w, and 2/w faster each second
        return 2 / w * (t < 10 ? t - 2 / w * std::sin(0.5 * w * t) : 10 + 2 * (t - 10));
      t = std::min(t, 10.0);
      return accelerated ? (t - std::sin(w * t) / w) / w : t - std::sin(w * t) / w;
    };
    double worst = 0;
    for (const auto& row : run.rows("traces")) worst = std::max(worst, std::abs(row[3] - 2 * place(row[0])));
    QVERIFY2(worst < 2e-3 * place(10), qPrintable(QString::number(worst)));
  }
};

QTEST_APPLESS_MAIN(TestTimeHistories)
#include "test_time_histories.moc"
