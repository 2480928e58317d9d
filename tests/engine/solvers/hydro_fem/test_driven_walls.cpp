// SPDX-License-Identifier: BSD-3-Clause
// Boundaries over time: pistons have the speed that is given at the end of every step, formulas and tables are what they say, a steady
// one given as a formula is the steady one.
// labels: unit
#include "engine/solvers/hydro_fem/discretization/time_curve.hpp"
#include "engine/solvers/hydro_fem/verify/driven.hpp"
#include "engine/team/team.hpp"
#include "tests/engine/solvers/hydro_fem/support.hpp"

#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <numeric>

using namespace conoid;
using namespace conoid::hydro_fem;
using namespace conoid::hydro_fem::testing;

namespace {

using Kind = BoundaryCondition::Kind;

/// Gas in a box that leans, whose walls meet: two driven pistons and planes.
Setup box_with_pistons(int dim, int k) {
  std::mt19937 random(20);
  Setup s = lively(dim, k, 0, random);
  s.mesh.curve = nullptr;
  for (auto& b : s.boundaries) b.kind = Kind::wall;
  s.boundaries[0] = {Kind::piston, {1, 0, 0}, 0, [](double t) { return 0.3 + std::sin(40 * t); }};
  if (dim > 1) s.boundaries[2] = {Kind::piston, {0, 1, 0}, 0, [](double t) { return t < 0.01 ? 0.0 : 0.5; }};
  return s;
}

/// Along a line, of the pressure 0.2.
Setup gas_at_rest() {
  std::mt19937 random(3);
  Setup s = lively(1, 2, 0, random);
  s.mesh = box_zones(1, {flows::line(0, 1, 8), {}, {}});
  s.materials = {stiffened_gas(1.4)};
  s.density = [](const Vec3&, int) { return 1.0; };
  s.energy = [](const Vec3&, int) { return 0.5; };
  s.velocity = nullptr;
  return s;
}

State marched(const Setup& s, Integrator integrator, int steps, double* time) {
  Team team({WorkerSpec{"cpu", 2, 1}});
  Operator op(s, best_kernels(), team);
  MarchOptions o;
  o.end_time = 1;
  o.integrator = integrator;
  March march(op, o);
  for (int i = 0; i < steps; ++i) march.step();
  *time = march.time();
  return march.state();
}

}  // namespace

class TestDrivenWalls : public QObject {
  Q_OBJECT

 private slots:
  void pistons_have_the_speed_given_at_the_end_of_steps() {
    for (int dim = 1; dim <= 3; ++dim)
      for (const auto integrator : {Integrator::rk2_average, Integrator::rk4}) {
        const Setup s = box_with_pistons(dim, 2);
        const Space space(s.mesh, s.k);
        double t = 0;
        const State end = marched(s, integrator, 15, &t);
        for (const int side : {0, 2}) {
          if (side >= 2 * dim) break;
          const int axis = side / 2;
          const double low =
              *std::min_element(space.x0.begin() + axis * space.nodes, space.x0.begin() + (axis + 1) * space.nodes);
          int nodes = 0;
          for (Index i = 0; i < space.nodes; ++i) {
            const auto at = static_cast<std::size_t>(axis * space.nodes + i);
            if (space.x0[at] > low + 1e-12) continue;
            ++nodes;
            const double want = s.boundaries[static_cast<std::size_t>(side)].at(t);
            QVERIFY2(std::abs(end.v[at] - want) < 1e-12, qPrintable(QString::number(end.v[at] - want)));
          }
          QVERIFY(nodes > 0);
        }
      }
  }

  /// What is pushed at 0.5 m/s along (3, 4) moves at 0.3 m/s across its side, and slides along it; of a driven piston alike.
  void a_piston_that_is_pushed_aslant_moves_across_its_side() {
    for (const bool driven : {false, true})
      for (int dim = 2; dim <= 3; ++dim) {
        Setup straight = box_with_pistons(dim, 2);
        straight.boundaries[2] = {Kind::wall};
        straight.boundaries[0] = {Kind::piston, {1, 0, 0}, 0.3};
        Setup aslant = straight;
        aslant.boundaries[0] = {Kind::piston, {3, 4, 0}, 0.5};
        if (driven) {
          straight.boundaries[0].over_time = [](double t) { return 0.3 + 0.6 * std::sin(40 * t); };
          aslant.boundaries[0].over_time = [](double t) { return 0.5 + std::sin(40 * t); };
        }
        double t = 0, other = 0;
        const State want = marched(straight, Integrator::rk2_average, 10, &t),
                    got = marched(aslant, Integrator::rk2_average, 10, &other);
        QVERIFY(std::abs(t - other) < 1e-12 * t);
        for (std::size_t i = 0; i < want.v.size(); ++i)
          QVERIFY2(std::abs(got.v[i] - want.v[i]) < 1e-10, qPrintable(QString::number(got.v[i] - want.v[i])));
      }
  }

  void a_steady_curve_is_the_steady_value() {
    Setup a = flows::saltzmann(2, 12, 2), b = a;
    b.boundaries[0].over_time = [](double) { return 1.0; };
    b.boundaries[0].value = 0;
    a.boundaries[1] = {Kind::pressure, {}, 0.2};
    b.boundaries[1] = {Kind::pressure, {}, 0, [](double) { return 0.2; }};
    double t = 0;
    const State want = marched(a, Integrator::rk2_average, 30, &t), got = marched(b, Integrator::rk2_average, 30, &t);
    for (std::size_t i = 0; i < want.v.size(); ++i) QVERIFY(std::abs(got.v[i] - want.v[i]) < 1e-9);
  }

  /// Momentum is the impulse of a table that jumps and pulses within steps; of all that is free no wall takes any.
  void a_pulse_shorter_than_a_step_gives_its_impulse() {
    // 1.5e-5 at most a twentieth of a step, and a jump back to what stands against it on the other side.
    const TimeTable pulse{{0.0301, 0.030105, 0.03011, 0.05, 0.050001}, {0.2, 900, 0.2, 0.2, 0.9}};
    for (const auto integrator : {Integrator::rk2_average, Integrator::rk4}) {
      Setup s = gas_at_rest();
      s.boundaries[0] = {Kind::pressure,
                         {},
                         0,
                         [&](double t) { return pulse.at(t); },
                         [&](double from, double to) { return bent_mean(pulse, from, to); }};
      s.boundaries[1] = {Kind::pressure, {}, 0.2};
      double t = 0;
      const State end = marched(s, integrator, 12, &t);
      QVERIFY2(t > 0.06 && t / 12 > 20 * 1e-5, qPrintable(QString::number(t)));
      Team team({WorkerSpec{"cpu", 1, 1}});
      Operator op(s, best_kernels(), team);
      PagedVector momentum;
      op.multiply_mass(end.v, 1, momentum);
      const double got = std::accumulate(momentum.begin(), momentum.end(), 0.0);
      const double want = (bent_mean(pulse, 0, t).value() - 0.2) * t;
      QVERIFY2(std::abs(got / want - 1) < 1e-9, qPrintable(QString("%1 for %2").arg(got).arg(want)));
    }
  }

  /// A wall that jumps, and one that is pushed for a hundredth of a step, get where the table leads, and have its speed at the end.
  void a_piston_gets_where_its_table_leads() {
    const TimeTable speed{{0.0301, 0.030105, 0.03011, 0.05, 0.050001}, {0, 3, 0, 0, 0.05}};
    for (const auto integrator : {Integrator::rk2_average, Integrator::rk4}) {
      Setup s = gas_at_rest();
      s.boundaries[0] = {Kind::piston, {1, 0, 0}, 0, [&](double t) { return speed.at(t); }};
      Team team({WorkerSpec{"cpu", 1, 1}});
      Operator op(s, best_kernels(), team);
      MarchOptions o;
      o.integrator = integrator;
      o.end_time = 0.1;
      o.step_end = [&](double from, double to) { return end_of_step(speed, from, to); };
      March march(op, o);
      const double first = march.last_step();
      QVERIFY2(first > 100 * 1e-5 && first < 0.03, qPrintable(QString::number(first)));
      while (!march.finished()) march.step();
      const double want = bent_mean(speed, 0, 0.1).value() * 0.1, got = march.state().x[0];
      QVERIFY2(std::abs(got - want) < 1e-12, qPrintable(QString("%1 for %2").arg(got).arg(want)));
      QVERIFY(std::abs(march.state().v[0] - 0.05) < 1e-9);
      QVERIFY2(march.accepted() < 1.3 * 0.1 / first + 20, qPrintable(QString::number(march.accepted())));
    }
  }

  /// The same of formulas: a pulse shorter than half a step, jumps, a corner.
  void formulas_that_jump_within_a_step_give_their_impulse() {
    const std::function<double(double)> pulse = [](double t) {
      return t < 0.0301 || (t > 0.0321 && t < 0.05) ? 0.2 : t < 0.0321 ? 6.0 : std::max(0.9 - 20 * (t - 0.05), 0.2);
    };
    for (const auto integrator : {Integrator::rk2_average, Integrator::rk4}) {
      Setup s = gas_at_rest();
      s.boundaries[0] = {
          Kind::pressure, {}, 0, pulse, [&](double from, double to) { return bent_mean(pulse, from, to); }};
      s.boundaries[1] = {Kind::pressure, {}, 0.2};
      double t = 0;
      const State end = marched(s, integrator, 16, &t);
      QVERIFY2(t > 0.09 && t / 16 > 2 * 2e-3, qPrintable(QString::number(t)));
      Team team({WorkerSpec{"cpu", 1, 1}});
      Operator op(s, best_kernels(), team);
      PagedVector momentum;
      op.multiply_mass(end.v, 1, momentum);
      const double got = std::accumulate(momentum.begin(), momentum.end(), 0.0);
      const double want = 2e-3 * 5.8 + 0.5 * 0.7 * 0.035;
      // The corner at the end of the slope is smooth to a hundredth of the range in a step.
      QVERIFY2(std::abs(got / want - 1) < 1e-4, qPrintable(QString("%1 for %2").arg(got).arg(want)));
    }
  }

  void a_piston_gets_where_its_formula_leads() {
    const std::function<double(double)> speed = [](double t) {
      return t > 0.0301 && t < 0.0321 ? 0.45 : t < 0.05 ? 0.0 : 0.05;
    };
    for (const auto integrator : {Integrator::rk2_average, Integrator::rk4}) {
      Setup s = gas_at_rest();
      s.boundaries[0] = {Kind::piston, {1, 0, 0}, 0, speed};
      Team team({WorkerSpec{"cpu", 1, 1}});
      Operator op(s, best_kernels(), team);
      MarchOptions o;
      o.integrator = integrator;
      o.end_time = 0.1;
      o.step_end = [&](double from, double to) { return end_of_step(speed, from, to); };
      March march(op, o);
      const double first = march.last_step();
      while (!march.finished()) march.step();
      const double want = 0.45 * 2e-3 + 0.05 * 0.05, got = march.state().x[0];
      // Each jump is crossed in a millionth of a step, and half of it may be missed.
      QVERIFY2(first > 2 * 2e-3 && std::abs(got - want) < 3e-6 * first,
               qPrintable(QString("%1 for %2").arg(got).arg(want)));
      QVERIFY(std::abs(march.state().v[0] - 0.05) < 1e-9);
      QVERIFY2(march.accepted() < 1.3 * 0.1 / first + 30, qPrintable(QString::number(march.accepted())));
    }
  }

  /// What is smooth within a step keeps its steps and its values at the times of stages, on which the order of the scheme hangs.
  void smooth_formulas_are_left_alone() {
    const std::vector<std::function<double(double)>> smooth{
        [](double) { return 1e5 / 3; },
        [](double t) { return t * t * t * t; },
        [](double t) { return -1000 * std::pow(t / 1e-5, 4); },
        [](double t) { return 1e5 + 1e6 * std::exp(-3 * t) * (1 - t); },
        [](double t) { return std::sin(2.5 * t); },
        [](double t) { return 1 / std::sqrt(1.2 - t); }};
    for (const auto& formula : smooth) {
      QCOMPARE(end_of_step(formula, 0, 1), 1.0);
      QVERIFY(!bent_mean(formula, 0, 1));
    }
    const std::function<double(double)> jump = [](double t) { return t < 0.7 ? 1.0 : 4.0; };
    QVERIFY(std::abs(bent_mean(jump, 0, 1).value() - (0.7 + 4 * 0.3)) < 1e-7);
    const double before = end_of_step(jump, 0, 1), after = end_of_step(jump, before, 1);
    QVERIFY2(before <= 0.7 && after >= 0.7 && after - before < 3e-6, qPrintable(QString::number(after - before)));
    QCOMPARE(end_of_step(jump, after, 1), 1.0);
  }

  /// Steps of no length would never end.
  void a_velocity_that_is_not_finite_is_told() {
    Setup s = gas_at_rest();
    s.velocity = [](const Vec3& x, int) { return Vec3{1 / (x[0] - 0.5), 0, 0}; };
    Team team({WorkerSpec{"cpu", 1, 1}});
    try {
      const Operator op(s, best_kernels(), team);
      QFAIL("it was taken");
    } catch (const Failure& failure) {
      QVERIFY2(failure.error().text.find("(inf, 0, 0) at (0.5, 0, 0)") != std::string::npos, failure.what());
    }
  }

  void kidders_shell_is_the_published_one() {
    const flows::Kidder sphere(3);
    QVERIFY(std::abs(sphere.inner_density / 6.31e-4 - 1) < 1e-3);
    QVERIFY(std::abs(sphere.focus / 6.72e-3 - 1) < 1e-2);
    QVERIFY(std::abs(sphere.density(0.9) / sphere.inner_density - 1) < 1e-12);
    // R'' = -(dp/dr)/rho at the start.
    const double r = 0.95, d = 1e-5, gamma = sphere.gamma;
    const auto p = [&](double at) { return sphere.entropy * std::pow(sphere.density(at), gamma); };
    const double push = -(p(r + d) - p(r - d)) / (2 * d) / sphere.density(r);
    QVERIFY(std::abs(push / (-r / (sphere.focus * sphere.focus)) - 1) < 1e-6);
  }

  void tables_over_time() {
    QTemporaryDir folder;
    const auto read = [&](const std::string& text) {
      const auto path = std::filesystem::path(folder.path().toStdString()) / "p.csv";
      std::ofstream(path, std::ios::binary) << text;
      return read_time_table(path, "pressure", "Pa");
    };
    const auto good = read("pressure[kPa],time[ms]\n1,1\n3,2\n-1,4\n");
    QVERIFY2(good.ok(), good.ok() ? "" : good.error().render().c_str());
    QCOMPARE(good->at(-1), 1000.0);
    QVERIFY(std::abs(good->at(1.5e-3) - 2000) < 1e-9 && std::abs(good->at(3e-3) - 1000) < 1e-9);
    QCOMPARE(good->at(9), -1000.0);
    QVERIFY(!bent_mean(*good, 2e-3, 4e-3) && !bent_mean(*good, 5e-3, 6e-3));
    // 1 kPa for 1 ms, 2 kPa on average for 1 ms, 1 kPa for 2 ms, -1 kPa for 1 ms
    QVERIFY(std::abs(bent_mean(*good, 0, 5e-3).value() - 4000.0 / 5) < 1e-9);
    QVERIFY(std::abs(bent_mean(*good, 1.5e-3, 3e-3).value() - (2500 * 0.5 + 2000 * 1) / 1.5) < 1e-9);
    const auto message = [&](const std::string& text) {
      const auto r = read(text);
      return QString::fromStdString(r ? std::string("fine") : r.error().render());
    };
    QVERIFY(message("time,speed\n0,1\n1,1\n").contains("no column 'pressure'"));
    QVERIFY(message("time,pressure\n0,1\n0,2\n").contains("row 2"));
    QVERIFY(message("time,pressure\n0,1\n").contains("1 rows"));
    QVERIFY(message("time,pressure\n0,1\n1,inf\n").contains("row 2"));
  }
};

QTEST_APPLESS_MAIN(TestDrivenWalls)
#include "test_driven_walls.moc"
