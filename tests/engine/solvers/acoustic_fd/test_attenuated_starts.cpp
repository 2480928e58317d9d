// SPDX-License-Identifier: BSD-3-Clause
// An attenuating fluid starts from what its pressure says: rest stays rest, a plane wave goes one way; damped nodes take what a source sends.
// labels: unit emulated
#include "engine/solvers/acoustic_fd/discretization/initial_field.hpp"
#include "engine/team/device.hpp"
#include "tests/engine/solvers/acoustic_fd/support.hpp"

#include <QTest>
#include <numbers>

using namespace conoid;
using namespace conoid::acoustic_fd;
using namespace conoid::acoustic_fd::testing;

class TestAttenuatedStarts : public QObject {
  Q_OBJECT

  /// A closed duct of Q `quality` between 1/320 and 1/8 Hz, whose speed of sound is 1 m/s at 1/20 Hz.
  static Problem duct(double quality, Index length) {
    Problem p;
    p.grid.points = {length, 9, 9};
    p.order = 8;
    p.double_precision = true;
    for (Face& face : p.faces) face.kind = FaceKind::rigid;
    p.relaxations = constant_quality(quality, 1.0 / 320, 1.0 / 8, 3);
    p.stiffening = stiffening(p.relaxations, 1.0 / 20);
    p.velocity = constant_velocity(p.stiffening);
    p.speed = {p.stiffening, p.stiffening};
    p.dt = 0.35;
    return p;
  }
  static std::vector<std::vector<double>> traces(const Problem& p, Index steps, const char* workers = "cpu:2") {
    const auto cluster = single_rank();
    Team team(parse_workers(workers, 2).value());
    const auto march = make_march(p, this_machine(), *cluster);
    march->start(team, *cluster);
    March::Recorder recorder;
    march->advance(team, *cluster, steps, &recorder);
    std::vector<std::vector<double>> out(p.receivers.size());
    std::vector<double> values(out.size());
    for (const auto& parts : recorder.samples) {
      march->join_traces(parts, values);
      for (std::size_t r = 0; r < out.size(); ++r) out[r].push_back(values[r]);
    }
    return out;
  }

 private slots:
  /// What a reference beyond the band is brought to it by. Within the band three solids follow that law within a tenth of its growth.
  void speeds_of_the_band_follow_the_law_of_constant_q() {
    for (const double quality : {10.0, 20.0, 100.0}) {
      const auto solids = constant_quality(quality, 1, 40, 3);
      const double law = constant_quality_speed(quality, 40), theirs = stiffening(solids, 1) / stiffening(solids, 40);
      QVERIFY2(std::abs(theirs - law) < 0.12 * (law - 1),
               qPrintable(QString("Q %1: %2 %3").arg(quality).arg(theirs).arg(law)));
    }
    QCOMPARE(constant_quality_speed(50, 1), 1.0);
  }

  void pressure_that_is_the_same_everywhere_stays() {
    configure_emulated({.devices = 2});
    for (const char* workers : {"cpu:2", "emulated:0", "emulated:0,emulated:1"})
      for (const Initial::Kind kind : {Initial::Kind::pulse, Initial::Kind::plane}) {
        Problem p = duct(10, 40);
        p.initial = {kind, 3.0, 1e12, {20, 4, 4}, 0, 0, {}};
        p.receivers = {{"A", {7, 2, 3}}, {"B", {30, 4, 8}}};
        for (const auto& trace : traces(p, 300, workers))
          for (const double value : trace) QVERIFY2(std::abs(value / 3 - 1) < 1e-9, qPrintable(QString::number(value)));
      }
    configure_emulated({});
  }

  /// What runs back is of the square of κ/κ_r − 1: of the solids of Q 20 in its band at most 0.11, an eighth of whose square is 1.5e-3. The amplitude
  /// on the way is that of the waves e^{ikx + st} that make up the Gaussian.
  void a_plane_wave_in_a_fluid_of_low_quality_goes_one_way() {
    for (const int direction : {1, -1})
      for (const double quality : {20.0, 100.0}) {
        Problem p = duct(quality, 401);
        p.initial = {Initial::Kind::plane, 1.0, 6.0, {200, 0, 0}, 0, direction, {}};
        p.receivers = {{"behind", {200.0 - 60 * direction, 4, 4}}, {"ahead", {200.0 + 60 * direction, 4, 4}}};
        const auto got = traces(p, static_cast<Index>(120 / p.dt));
        constexpr double step = 2e-3;
        std::vector<std::pair<double, std::complex<double>>> waves;
        for (double k = 0.5 * step; k < 1.2; k += step) {
          std::complex<double> s(0, -k);
          for (int n = 0; n < 40; ++n)
            s = std::complex<double>(0, -p.stiffening * k) / std::sqrt(relaxed(p.relaxations, s));
          waves.emplace_back(k, s);
        }
        double back = 0, there = 0, exact = 0;
        for (const double value : got[0]) back = std::max(back, std::abs(value));
        for (const double value : got[1]) there = std::max(there, value);
        for (double t = 52; t < 68; t += 0.1) {
          double sum = 0;
          for (const auto& [k, s] : waves)
            sum += std::exp(-18 * k * k) * std::exp(std::complex<double>(0, 60 * k) + s * t).real();
          exact = std::max(exact, sum * step * 6 * std::sqrt(2 / std::numbers::pi));
        }
        QVERIFY2(back < 3e-3, qPrintable(QString("Q %1: %2 runs back").arg(quality).arg(back)));
        QVERIFY2(exact < 0.97 && std::abs(there / exact - 1) < 5e-3,
                 qPrintable(QString("Q %1: %2 for %3").arg(quality).arg(there).arg(exact)));
      }
  }

  void what_a_solid_remembers_is_the_wave_that_has_gone_by() {
    Problem p = duct(20, 40);
    p.initial = {Initial::Kind::plane, 2.0, 5.0, {0, 0, 0}, 0, 1, {}};
    for (const double time : {0.02, 0.4, 3.0, 50.0, 4e4})
      for (const double x : {-200.0, -20.0, -3.0, 0.0, 4.0, 25.0}) {
        const Vec3 place{x, 0, 0};
        double sum = 0;
        const double most = std::min(40 * time, 300.0), step = most / 200000;
        for (double u = 0.5 * step; u < most; u += step)
          sum += step / time * std::exp(-u / time) * initial_pressure(p.initial, {x + u, 0, 0});
        const double got = initial_memory(p, {0.1, time}, place, p.stiffening);
        QVERIFY2(std::abs(got - sum) < 1e-6,
                 qPrintable(QString("%1 s at %2: %3, not %4").arg(time).arg(x).arg(got).arg(sum)));
      }
  }

  /// The pressure of a closed box after a source that has sent a volume: c² ∬ s dt dt/V less what the solids give way, whatever the step. Of a
  /// fluid that keeps all; of one that does not at 1 + Σ a.
  void a_source_sends_the_same_whatever_the_step() {
    for (const double quality : {0.0, 5.0}) {
      double first = 0;
      for (const double dt : {0.36, 0.18}) {
        Problem p = duct(5, 9);
        if (quality == 0) {
          p.relaxations.clear();
          p.stiffening = 1;
          p.velocity = constant_velocity(1);
          p.speed = {1, 1};
        }
        p.dt = dt;
        // ∫ s = 0, ∬ s = 1: a pulse up and one down, 10 s apart.
        std::vector<double> up(3201);
        for (std::size_t i = 0; i < up.size(); ++i) {
          const double t = 0.01 * static_cast<double>(i);
          up[i] = 0.1 / std::sqrt(2 * std::numbers::pi) / 1.5 *
                  (std::exp(-(t - 10) * (t - 10) / 4.5) - std::exp(-(t - 20) * (t - 20) / 4.5));
        }
        p.sources.push_back({{4, 4, 4}, std::make_shared<Sampled>(up, 0, 0.01, 1.0)});
        p.receivers = {{"A", {2, 3, 6}}};
        const auto got = traces(p, static_cast<Index>(4000 / dt))[0];
        double mean = 0;
        for (std::size_t k = got.size() / 2; k < got.size(); ++k) mean += got[k];
        mean /= static_cast<double>(got.size() - got.size() / 2);
        const double volume = 8 * 8 * 8, soft = relaxed(p.relaxations, 0).real();
        const double wanted = p.stiffening * p.stiffening / soft / volume;
        QVERIFY2(std::abs(mean / wanted - 1) < 2e-3,
                 qPrintable(QString("Q %1, steps of %2: %3, not %4").arg(quality).arg(dt).arg(mean).arg(wanted)));
        if (first > 0) QVERIFY(std::abs(mean / first - 1) < 2e-3);
        first = mean;
      }
    }
  }
};

QTEST_APPLESS_MAIN(TestAttenuatedStarts)
#include "test_attenuated_starts.moc"
