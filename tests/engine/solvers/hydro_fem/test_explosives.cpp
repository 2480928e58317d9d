// SPDX-License-Identifier: BSD-3-Clause
// Products of explosives and programmed burn: pressures, speeds of sound and arrivals are what their formulas say.
// labels: unit
#include "engine/solvers/hydro_fem/discretization/gauges.hpp"
#include "engine/solvers/hydro_fem/output_view.hpp"
#include "engine/solvers/hydro_fem/verify/explosive.hpp"
#include "tests/engine/solvers/hydro_fem/support.hpp"

#include <QTest>

using namespace conoid;
using namespace conoid::hydro_fem;
using namespace conoid::hydro_fem::testing;

namespace {

struct At {
  double p = 0, c = 0;
};
At state_of(const EquationOfState& eos, double rho, double e) {
  At out;
  eos.evaluate({&rho, 1}, {&e, 1}, {&out.p, 1}, {&out.c, 1});
  return out;
}

}  // namespace

class TestExplosives : public QObject {
  Q_OBJECT

 private slots:
  void sound_follows_from_pressure() {
    const auto eos = jones_wilkins_lee(flows::tnt());
    for (const double rho : {2200.0, 1630.0, 900.0, 50.0})
      for (const double e : {1e6, 4.3e6}) {
        const At here = state_of(*eos, rho, e);
        const double d = 1e-5 * rho, de = 1e-5 * e;
        const double along = (state_of(*eos, rho + d, e).p - state_of(*eos, rho - d, e).p) / (2 * d);
        const double across = (state_of(*eos, rho, e + de).p - state_of(*eos, rho, e - de).p) / (2 * de);
        const double c2 = along + here.p / (rho * rho) * across;
        QVERIFY(c2 > 0);
        QVERIFY2(std::abs(here.c * here.c / c2 - 1) < 1e-7, qPrintable(QString::number(here.c * here.c / c2 - 1)));
        QVERIFY(std::abs(eos->energy(rho, here.p) / e - 1) < 1e-10);
        QVERIFY(eos->objection(rho, here.p).empty());
      }
  }

  void detonation_has_its_published_state() {
    const ChapmanJouguet tnt(flows::tnt(), flows::tnt_energy);
    QVERIFY(std::abs(tnt.pressure / 21e9 - 1) < 1e-3 && std::abs(tnt.velocity / 6930 - 1) < 1e-3);
    // There the products run at the speed of sound against the front.
    const JwlIsentrope wake(flows::tnt(), tnt.volume, tnt.energy);
    QVERIFY(std::abs(wake.pressure(tnt.volume) / tnt.pressure - 1) < 1e-9);
    QVERIFY(std::abs((wake.sound_speed(tnt.volume) + tnt.particle) / tnt.velocity - 1) < 1e-6);
  }

  void fronts_run_from_the_point_that_is_soonest() {
    Burn burn;
    burn.points = {{{0, 0, 0}, 0}, {{3, 4, 0}, -0.5}};
    burn.velocity = {2, 0};
    QVERIFY(std::abs(burn.arrival({0, 1, 0}, 0) - 0.5) < 1e-15);
    QVERIFY(std::abs(burn.arrival({3, 3, 0}, 0) - 0.0) < 1e-15);
    QVERIFY(!burn.burns(1) && burn.burnt({0, 0, 0}, 1, 2, 2, 1, -1e9) == 1);
    // Three zones of order 1 and side 0.2 take 0.3 s.
    QVERIFY(std::abs(burn.burnt({0, 1, 0}, 0.04, 2, 1, 0, 0.65) - 0.5) < 1e-12);
    QCOMPARE(burn.burnt({0, 1, 0}, 0.04, 2, 1, 0, 0.4), 0.0);
    QCOMPARE(burn.burnt({0, 1, 0}, 0.04, 2, 1, 0, 0.9), 1.0);
  }

  void a_gauge_adds_up_what_it_sees() {
    GaugeSums sums;
    const double p[] = {1, 1, 3, 2, 0, 0.5};
    for (int i = 0; i < 6; ++i) sums.add(i, p[i], 1);
    QCOMPARE(sums.start, 1.0);
    QCOMPARE(sums.peak, 2.0);
    QCOMPARE(sums.arrival, 1.5);
    // Triangles of 2, 1.5 and, until it crosses, 1/4.
    QCOMPARE(sums.impulse, 1 + 1.5 + 0.25);
    sums.add(5, 100, 1);  // a row of the same time again
    QCOMPARE(sums.peak, 2.0);
    GaugeSums quiet;
    for (int i = 0; i < 4; ++i) quiet.add(i, 1, 0);
    QVERIFY(quiet.arrival < 0 && quiet.impulse == 0);
  }

  void an_arrival_without_pressure_at_the_start_is_no_noise() {
    // Ahead of a front of 1 Pa noise that grows tenfold a sample; the front passes powers of two between 1/64 and 1/32 at straight lines.
    const double p[] = {0, 1e-9, 1e-8, 1e-7, 1e-7, 0.5, 1, 0.9};
    for (const double unit : {1.0, 3e9, 1e-7}) {
      GaugeSums sums;
      for (int i = 0; i < 8; ++i) sums.add(i, unit * p[i], 0);
      // Between samples 4 and 5, where it is a hundredth to a fiftieth of the peak.
      QVERIFY2(sums.arrival >= 4.0199 && sums.arrival <= 4.0401, qPrintable(QString::number(sums.arrival)));
      // As it was where a threshold is given or pressure at the start is more than noise.
      GaugeSums given;
      for (int i = 0; i < 8; ++i) given.add(i, unit * p[i], unit * 1e-8);
      QVERIFY(std::abs(given.arrival - 2) < 1e-9);
      GaugeSums some;
      for (int i = 0; i < 8; ++i) some.add(i, unit * (p[i] + 1e-3), 0);
      QVERIFY(std::abs(some.arrival - (4 + (1e-5 - 1e-7) / (0.5 - 1e-7))) < 1e-9);
    }
    // A slow rise: the hundredth was passed long before the peak.
    GaugeSums slow;
    for (int i = 0; i <= 2000; ++i) slow.add(i, 1e-9 * i, 0);
    QVERIFY2(slow.arrival >= 20 && slow.arrival <= 40, qPrintable(QString::number(slow.arrival)));
  }

  void a_fixed_gauge_and_one_that_moves_see_different_places() {
    flows::Flow flow(flows::simple_wave(2, 12, false),
                     flows::usual_march(1, flows::simple_wave(2, 1, false), Integrator::rk2_average));
    const View view(flow.op(), flow.setup());
    Gauges gauges({{"fixed", {0.02, 0, 0}, false, 0}, {"moving", {0.02, 0, 0}, true, 0}}, view, flow.state());
    gauges.sample(view, flow.state(), 0);
    flow.run();  // the piston stands at 0.04
    const auto p = gauges.sample(view, flow.state(), 1);
    QCOMPARE(p[0], 0.0);
    QVERIFY(p[1] > 0.8);
    Gauges other({{"fixed", {0.02, 0, 0}, false, 0}, {"moving", {0.02, 0, 0}, true, 0}}, view, flow.op().initial());
    QVERIFY(other.restore(gauges.kept()).empty());
    QVERIFY(other.kept() == gauges.kept());
    // A checkpoint that has no levels: the ten numbers of each that it has.
    const std::vector<double> kept = gauges.kept();
    std::vector<double> old(kept.begin(), kept.begin() + 10);
    const auto second = kept.begin() + static_cast<std::ptrdiff_t>(kept.size() / 2);
    old.insert(old.end(), second, second + 10);
    QVERIFY(other.restore(old, true).empty());
    GaugeSums resumed = other.sums()[1];
    QVERIFY(resumed.peak > 0 && resumed.peak == gauges.sums()[1].peak);
    QCOMPARE(resumed.arrival, gauges.sums()[1].arrival);
    resumed.add(2, 1e9, 0);  // what was an arrival is a millionth of what comes
    QVERIFY2(resumed.arrival > 1 && resumed.arrival < 1.03, qPrintable(QString::number(resumed.arrival)));
    // Others, in another order: each finds its own sums, or begins.
    Gauges changed({{"new", {0.03, 0, 0}, true, 0}, {"moving", {0.02, 0, 0}, true, 0}}, view, flow.op().initial());
    QVERIFY(changed.restore(gauges.kept()) == std::vector<std::string>{"new"});
    QCOMPARE(changed.sums()[1].last, gauges.sums()[1].last);
    QVERIFY(changed.sums()[0].time < 0 && changed.restore({}).size() == 2);
    QVERIFY_EXCEPTION_THROWN(Gauges({{"out", {7, 0, 0}, true, 0}}, view, flow.op().initial()), Failure);
  }

  /// Before the front comes there is no pressure, behind it is; energy is what was put in.
  void a_detonation_keeps_energy_and_waits_for_its_front() {
    flows::Flow flow(flows::detonation_tube(2, 40),
                     flows::usual_march(1e-5, flows::detonation_tube(2, 1), Integrator::rk2_average));
    flow.run();
    QVERIFY2(std::abs(flow.energy_change()) < 1e-10, qPrintable(QString::number(flow.energy_change())));
    View view(flow.op(), flow.setup());
    view.at_time(1e-5);
    QVERIFY(view.at(flow.state(), view.place(5, {0.5, 0, 0}), false).pressure > 5e9);
    QCOMPARE(view.at(flow.state(), view.place(30, {0.5, 0, 0}), false).pressure, 0.0);
    QVERIFY(std::abs(view.at(flow.state(), view.place(30, {0.5, 0, 0}), false).velocity[0]) < 1e-9);
  }
};

QTEST_APPLESS_MAIN(TestExplosives)
#include "test_explosives.moc"
