// SPDX-License-Identifier: BSD-3-Clause
// Marching: published energies to the last digit, conservation, bits that do not depend on threads, workers or a pause.
// labels: unit
#include "engine/solvers/hydro_fem/verify/smooth_flow.hpp"
#include "tests/engine/solvers/hydro_fem/support.hpp"

#include <QTest>
#include <map>
#include <numbers>

using namespace conoid;
using namespace conoid::hydro_fem;
using namespace conoid::hydro_fem::testing;
using flows::Flow;

namespace {

MarchOptions until(double t, Integrator integrator = Integrator::rk2_average) {
  MarchOptions o;
  o.end_time = t;
  o.integrator = integrator;
  return o;
}

Setup strict(Setup s) {
  s.mass_tolerance = 1e-14;
  return s;
}

State after(const Setup& setup, const char* workers, int steps) {
  Team team(parse_workers(workers, 4).value());
  Operator op(setup, best_kernels(), team);
  March march(op, until(1));
  for (int i = 0; i < steps; ++i) march.step();
  return march.state();
}

}  // namespace

class TestMarch : public QObject {
  Q_OBJECT

 private slots:
  /// A solve that ends before its tolerance is no solve.
  void a_velocity_solve_that_does_not_end_is_told() {
    std::mt19937 random(3);
    Setup s = lively(2, 3, 0, random);
    s.mass_iterations = 2;
    Team team({WorkerSpec{"cpu", 2, 1}});
    Operator op(s, best_kernels(), team);
    (void)op.update(op.initial());
    PagedVector a;
    try {
      op.acceleration(op.initial(), a);
      QFAIL("two iterations do not reach 1e-14");
    } catch (const Failure& failure) {
      QCOMPARE(failure.error().code, ErrorCode::not_converged);
      QVERIFY(failure.error().text.find("after 2 iterations") != std::string::npos);
    }
  }

  /// It is a section: each worker has zones of it, what it took, and its share of the operations.
  void telemetry_has_the_velocity_solve_of_each_worker() {
    const Setup s = flows::triple_point(3, 14, 6);
    for (const char* workers : {"cpu:2", "cpu:2,cpu:1"}) {
      Team team(parse_workers(workers, 3).value());
      Operator op(s, best_kernels(), team);
      March march(op, until(1));
      for (int i = 0; i < 3; ++i) march.step();
      std::map<std::uint64_t, Index> items;
      std::map<std::uint64_t, double> flops;
      std::size_t samples = 0;
      for (const BalanceSample& one : team.take_samples()) {
        if (one.phase != "velocity solve") continue;
        ++samples;
        items[one.pass] += one.items.size();
        flops[one.pass] += one.work.flops;
        QVERIFY(one.busy >= 0 && one.waiting >= 0);
      }
      QCOMPARE(items.size(), static_cast<std::size_t>(op.times().solves));
      QCOMPARE(samples, items.size() * team.workers().size());
      for (const auto& [pass, count] : items) {
        QCOMPARE(count, items.begin()->second);
        QVERIFY(count > 0 && flops[pass] > 0);
      }
    }
  }

  /// Between the places where it is given the polynomial of a density that jumps by a million inside zones is negative.
  void density_that_jumps_inside_zones_is_refused_where_it_turns_negative() {
    std::mt19937 random(3);
    Setup s = lively(1, 8, 0, random);
    s.mesh.curve = nullptr;
    s.density = [](const Vec3& x, int) { return x[0] < 0.33 ? 1e-3 : 1e3; };
    Team team({WorkerSpec{"cpu", 1, 1}});
    try {
      const Operator op(s, best_kernels(), team);
      QFAIL("it has a mass below zero at some point");
    } catch (const Failure& failure) {
      QCOMPARE(failure.error().code, ErrorCode::invalid_input);
      QVERIFY2(failure.error().text.find("varies so much") != std::string::npos, failure.error().text.c_str());
    }
  }

  void the_triple_point_has_its_published_energy() {
    // Laghos, RK2Avg, Q3-Q2, 14×6 zones, t = 0.6, mass solves to 1e-14: 85 accepted and 12 repeated steps.
    Flow flow(strict(flows::triple_point(3, 14, 6)), until(0.6));
    flow.run();
    const Energies e = flow.op().energies(flow.state());
    QVERIFY2(std::abs(e.kinetic / 4.357298538094e-01 - 1) < 1e-9, qPrintable(QString::number(e.kinetic, 'g', 13)));
    QVERIFY(std::abs(e.internal / 9.614270146191e+00 - 1) < 1e-10);
    // The same energy in the Bernstein basis: its norm is published too. Coefficients along an axis from values at the energy's nodes.
    Matrix B{3, 3, {}};
    for (const double x : gauss_legendre(3).points)
      for (const double value : {(1 - x) * (1 - x), 2 * x * (1 - x), x * x}) B.a.push_back(value);
    const Matrix T = inverse(B);
    double norm2 = 0;
    for (std::size_t z = 0; z < 84; ++z)
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) {
          double c = 0;
          for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
              c += T(a, i) * T(b, j) * flow.state().e[9 * z + static_cast<std::size_t>(3 * j + i)];
          norm2 += c * c;
        }
    QVERIFY2(std::abs(std::sqrt(norm2) / 3.6980828466e+01 - 1) < 1e-9,
             qPrintable(QString::number(std::sqrt(norm2), 'g', 12)));
    QCOMPARE(flow.march().accepted(), Index{85});
    QCOMPARE(flow.march().repeated(), Index{12});
  }

  void energy_is_kept_in_every_closed_flow_data() {
    QTest::addColumn<int>("which");
    const char* names[] = {"triple point", "Sedov 2D", "Sedov 3D", "axisymmetric blast",
                           "Sod",          "Noh 2D",   "order 7",  "gravity"};
    for (int i = 0; i < 8; ++i) QTest::newRow(names[i]) << i;
  }
  void energy_is_kept_in_every_closed_flow() {
    QFETCH(int, which);
    Setup s;
    if (which == 0) s = flows::triple_point(2, 14, 6);
    if (which == 1) s = flows::sedov(2, 3, 5, 1, 0.25);
    if (which == 2) s = flows::sedov(3, 2, 3, 1, 0.25);
    if (which == 3) s = flows::sedov_axisymmetric(2, 5, 1, 1);
    if (which == 4) s = flows::sod(4, 20);
    if (which == 5) s = flows::noh(2, 2, 7);
    if (which == 6) s = flows::triple_point(7, 7, 2);
    if (which == 7) {
      s = flows::gresho(2, 6);
      s.gravity = {0.3, -2, 0};
      s.viscosity = true;
    }
    Flow flow(strict(s), until(1));
    for (int i = 0; i < 40; ++i) flow.march().step();
    QVERIFY(flow.op().energies(flow.state()).kinetic > 1e-6);
    QVERIFY2(std::abs(flow.energy_change()) < 1e-12, qPrintable(QString::number(flow.energy_change())));
  }

  void rk4_is_of_fourth_order_in_smooth_flow() {
    // The same mesh with steps halved by the Courant number: differences fall by 16.
    const auto end = [](double courant) {
      MarchOptions o = until(0.05, Integrator::rk4);
      o.courant = courant;
      Setup s = strict(flows::taylor_green(2, 4));
      Flow flow(s, o);
      flow.run();
      return flow.op().energies(flow.state()).kinetic;
    };
    const double a = end(0.4), b = end(0.2), c = end(0.1);
    const double ratio = (a - b) / (b - c);
    QVERIFY2(ratio > 9, qPrintable(QString::number(ratio)));
  }

  void a_column_at_rest_stays_at_rest() {
    // Hydrostatic: p = 6 - y under gravity; the discrete balance is not exact, but motion stays of truncation size.
    Setup s;
    s.k = 3;
    s.mesh = box_zones(2, {flows::line(0, 0.5, 2), flows::line(-1, 1, 4), {}});
    s.materials = {stiffened_gas(5.0 / 3)};
    s.density = [](const Vec3&, int) { return 1.0; };
    s.energy = [](const Vec3& x, int) { return 1.5 * (6 - x[1]); };
    s.gravity = {0, -1, 0};
    s.boundaries.resize(4);
    Flow flow(strict(s), until(0.2));
    flow.run();
    double fastest = 0;
    for (const double v : flow.state().v) fastest = std::max(fastest, std::abs(v));
    QVERIFY2(fastest < 1e-9, qPrintable(QString::number(fastest)));  // p and e are linear: held exactly by Q2
  }

  void stiff_matter_at_rest_stays_quiet_below_the_limit_of_its_viscosity() {
    // See stable_courant(): 0.4 for Q2, 0.25 for Q4, 0.137 for Q7. A whisper must not grow below it, and grows above it.
    QVERIFY(std::abs(stable_courant(2, 2) - 0.4) < 1e-6 && std::abs(stable_courant(8, 2) - 0.115) < 1e-3);
    const auto loudest = [](int k, double courant) {
      Setup s;
      s.k = k;
      const Index n = k == 2 ? 6 : 3;
      s.mesh = box_zones(2, {flows::line(0, 1, n), flows::line(0, 1, n), {}});
      s.materials = {stiffened_gas(3.5, 20e9)};
      s.density = [](const Vec3&, int) { return 2700.0; };
      s.energy = [m = s.materials[0]](const Vec3&, int) { return m->energy(2700, 1e5); };
      s.velocity = [](const Vec3& x, int) {
        return Vec3{1e-3 * std::sin(20 * x[0] + 9 * x[1]), 1e-3 * std::cos(17 * x[0] * x[1]), 0};
      };
      s.boundaries.resize(4);
      s.boundaries[1].kind = BoundaryCondition::Kind::free;
      MarchOptions o = until(1);
      o.courant = courant;
      Flow flow(strict(s), o);
      for (int i = 0; i < 600; ++i) flow.march().step();
      double v = 0;
      for (const double x : flow.state().v) v = std::max(v, std::abs(x));
      return v;
    };
    for (const int k : {2, 4, 7}) {
      const double bearable = stable_courant(k, 2);
      const double quiet = loudest(k, 0.75 * bearable), loud = loudest(k, 1.6 * bearable);
      // The free side runs off with 2 p/(ρc) = 0.015 m/s.
      QVERIFY2(quiet < 2e-2 && loud > 0.1, qPrintable(QString("order %1: %2, %3").arg(k).arg(quiet).arg(loud)));
    }
  }

  void gas_at_rest_stays_at_rest_data() {
    QTest::addColumn<int>("dim");
    QTest::addColumn<int>("k");
    QTest::addColumn<bool>("viscosity");
    QTest::addColumn<int>("turned");
    for (int dim = 1; dim <= 3; ++dim)
      for (int k = 1; k <= (dim == 3 ? 4 : 8); ++k)
        for (const bool viscosity : {true, false})
          for (const int turned : turns_in(dim))
            QTest::newRow(qPrintable(QString("%1D, order %2%3, turns %4")
                                         .arg(dim)
                                         .arg(k)
                                         .arg(viscosity ? "" : ", no viscosity")
                                         .arg(turned)))
                << dim << k << viscosity << turned;
  }
  void gas_at_rest_stays_at_rest() {
    // 500 steps are enough for any growth beyond 8 % a step to reach 1e-24 from the square of rounding.
    QFETCH(int, dim);
    QFETCH(int, k);
    QFETCH(bool, viscosity);
    QFETCH(int, turned);
    std::array<std::vector<double>, 3> lines;
    for (int d = 0; d < dim; ++d) lines[static_cast<std::size_t>(d)] = flows::line(0, 1, dim == 3 || k > 4 ? 2 : 4);
    Setup s;
    s.k = k;
    s.turns = turned;
    s.viscosity = viscosity;
    s.mesh = box_zones(dim, lines);
    s.materials = {stiffened_gas(1.4)};
    s.density = [](const Vec3&, int) { return 1.0; };
    s.energy = [](const Vec3&, int) { return 5.0; };
    s.boundaries.resize(static_cast<std::size_t>(2 * dim));
    s.mass_tolerance = 1e-10;
    MarchOptions o = until(1e3);
    o.courant = usual_courant({k, dim, viscosity});
    Flow flow(s, o);
    for (int i = 0; i < (dim == 3 ? 200 : 500); ++i) flow.march().step();
    const Energies e = flow.op().energies(flow.state());
    QVERIFY2(e.kinetic <= 1e-24 * e.internal, qPrintable(QString::number(e.kinetic / e.internal)));
  }

  void other_units_give_the_same_numbers_data() {
    QTest::addColumn<double>("length");
    QTest::addColumn<double>("speed");
    QTest::addColumn<double>("density");
    QTest::newRow("intergalactic") << 3e22 << 1e6 << 1e-24;
    QTest::newRow("microscopic") << 3e-9 << 7e2 << 1.1e4;
  }
  void other_units_give_the_same_numbers() {
    QFETCH(double, length);
    QFETCH(double, speed);
    QFETCH(double, density);
    const auto march = [](const Setup& s, double end) {
      Flow flow(s, until(end));
      flow.run();
      return flow.state();
    };
    const Setup unit = flows::sod(2, 50);
    Setup scaled = unit;
    for (double& x : scaled.mesh.vertices) x *= length;
    scaled.density = [&](const Vec3& x, int region) { return density * unit.density(x, region); };
    scaled.energy = [&](const Vec3& x, int region) { return speed * speed * unit.energy(x, region); };
    const State a = march(unit, 0.2), b = march(scaled, 0.2 * length / speed);
    double off = 0;
    for (std::size_t i = 0; i < a.x.size(); ++i)
      off = std::max({off, std::abs(b.x[i] / length - a.x[i]), std::abs(b.v[i] / speed - a.v[i])});
    for (std::size_t i = 0; i < a.e.size(); ++i) off = std::max(off, std::abs(b.e[i] / speed / speed - a.e[i]));
    QVERIFY2(off < 1e-10, qPrintable(QString::number(off)));
  }

  void the_shock_is_as_wide_as_the_zones_along_it() {
    // Sod's tube as a plane of zones that are wide or narrow across the flow, however the plane is turned: with the length
    // along the shock it is the tube of square zones; steps follow the narrow side as sound does, not its square.
    const auto tube = [](double height, double angle) {
      Setup s = flows::sod(2, 50);
      ZoneMesh plane = box_zones(2, {flows::line(0, 1, 50), flows::line(0, height, 1), {}});
      plane.region = s.mesh.region;
      for (std::size_t v = 0; v < plane.vertices.size(); v += 2) {
        const double x = plane.vertices[v], y = plane.vertices[v + 1];
        plane.vertices[v] = std::cos(angle) * x - std::sin(angle) * y;
        plane.vertices[v + 1] = std::sin(angle) * x + std::cos(angle) * y;
      }
      s.mesh = plane;
      s.boundaries.assign(4, {});
      return s;
    };
    const auto march = [](Setup s) {
      Flow flow(std::move(s), until(0.1));
      flow.run();
      return std::pair{flow.op().energies(flow.state()).kinetic, static_cast<double>(flow.march().accepted())};
    };
    const auto [square, steps] = march(tube(0.02, 0));
    for (const auto& [height, angle] : {std::pair{1.0, 0.0}, {0.002, 0.0}, {0.4, 0.7}}) {
      const auto [kinetic, taken] = march(tube(height, angle));
      const double thin = std::max(1.0, 0.02 / height);
      QVERIFY2(std::abs(kinetic / height / (square / 0.02) - 1) < 2e-3 && taken < 1.5 * thin * steps,
               qPrintable(QString("height %1: kinetic energy %2 for %3, %4 steps for %5")
                              .arg(height)
                              .arg(kinetic / height)
                              .arg(square / 0.02)
                              .arg(taken)
                              .arg(steps)));
    }
  }

  void outside_pressure_balances_inside_pressure() {
    for (int dim = 1; dim <= 3; ++dim) {
      std::mt19937 random(static_cast<unsigned>(dim));
      Setup s = lively(dim, 2, 0, random);
      std::fill(s.mesh.region.begin(), s.mesh.region.end(), 0);
      s.velocity = nullptr;
      s.density = [](const Vec3&, int) { return 1.3; };
      s.energy = [](const Vec3&, int) { return 2.0; };
      const double p = 0.4 * 1.3 * 2.0;
      for (auto& b : s.boundaries) b = {BoundaryCondition::Kind::pressure, {}, p};
      Team team({WorkerSpec{"cpu", 1, 1}});
      Operator op(s, best_kernels(), team);
      op.update(op.initial());
      PagedVector a;
      op.acceleration(op.initial(), a);
      double largest = 0;
      for (const double x : a) largest = std::max(largest, std::abs(x));
      QVERIFY2(largest < 1e-10 * 50, qPrintable(QString("%1D: %2").arg(dim).arg(largest)));
    }
  }

  void threads_and_workers_do_not_matter() {
    std::mt19937 random(11);
    Setup s = lively(2, 3, 0, random);
    s.mesh.curve = nullptr;  // walls are plane
    s.boundaries.assign(4, {});
    const Setup t = flows::triple_point(3, 14, 6);
    for (const Setup& setup : {s, t}) {
      const State one = after(setup, "cpu:1", 12);
      QVERIFY(same_bits(after(setup, "cpu:2", 12), one));
      QVERIFY(same_bits(after(setup, "cpu:1,cpu:2", 12), one));
      QVERIFY(!same_bits(after(setup, "cpu:1", 13), one));
    }
  }

  void instruction_sets_agree_over_many_steps() {
    Flow wide(strict(flows::sedov(2, 2, 7, 1, 0.25)), until(0.2));
    Flow narrow(strict(flows::sedov(2, 2, 7, 1, 0.25)), until(0.2), 1, zone_kernels_base());
    wide.run();
    narrow.run();
    const double a = wide.op().energies(wide.state()).kinetic, b = narrow.op().energies(narrow.state()).kinetic;
    QVERIFY2(std::abs(a / b - 1) < 1e-6, qPrintable(QString::number(a / b - 1)));
    QVERIFY(asymmetry(wide.op(), wide.state(), {7, 7, 1}, 1) < 1e-10);
  }

  void a_collapse_names_zone_and_place() {
    // Two streams through each other without viscosity: zones are squeezed flat.
    Setup s = flows::sedov(2, 2, 4, 1, 0);
    s.viscosity = false;
    s.point_energy = 0;
    s.velocity = [](const Vec3& x, int) { return Vec3{x[0] > 0.5 ? -1.0 : 1.0, 0, 0}; };
    Flow flow(strict(s), until(5));
    try {
      flow.run();
      QFAIL("the march must collapse");
    } catch (const Failure& failure) {
      QCOMPARE(failure.error().code, ErrorCode::not_converged);
      const QString text = QString::fromStdString(failure.error().render());
      QVERIFY2(text.contains("time step collapsed") && text.contains("zone") && text.contains("at (") &&
                   text.contains("it is tangled: its Jacobian is"),
               qPrintable(text));
    }
    QVERIFY(flow.march().time() > 0 && flow.march().time() < 5);
  }

  void a_collapse_names_the_very_zone_among_its_lanes() {
    // Zone 6 of 16 alone is crushed: its right half runs to the left.
    Setup s = flows::sedov(2, 2, 4, 1, 0);
    s.viscosity = false;
    s.point_energy = 0;
    s.velocity = [](const Vec3& x, int) {
      return std::abs(x[0] - 0.75) < 1e-9 && std::abs(x[1] - 0.375) < 1e-9 ? Vec3{-1, 0, 0} : Vec3{};
    };
    Flow flow(strict(s), until(5));
    try {
      flow.run();
      QFAIL("the march must collapse");
    } catch (const Failure& failure) {
      const QString text = QString::fromStdString(failure.error().render());
      QVERIFY2(text.contains("in zone 6 at ("), qPrintable(text));
    }
  }

  void tangled_zones_are_refused_by_name() {
    Setup s = flows::sedov(2, 2, 3, 1, 0.25);
    std::swap(s.mesh.zones[4 * 4 + 0], s.mesh.zones[4 * 4 + 1]);
    Team team({WorkerSpec{"cpu", 1, 1}});
    try {
      const Operator op(s, best_kernels(), team);
      QFAIL("a tangled zone must be refused");
    } catch (const Failure& failure) {
      const QString text = QString::fromStdString(failure.error().render());
      QVERIFY2(text.contains("zone 4 is tangled"), qPrintable(text));
    }
  }

  // Sound that zones resolve keeps its amplitude, a shock is as sharp as ever, and where there is no order to tell by all stays as it was.
  void viscosity_vanishes_in_smooth_flow_alone() {
    static constexpr double amplitude = 1e-6;
    const auto lost = [&](int k, bool vanishes) {
      Setup s = flows::standing_wave(k, 6, amplitude);
      s.viscosity_vanishes = vanishes;
      const MarchOptions options = flows::usual_march(2, s, Integrator::rk4);
      Flow flow(std::move(s), options);
      flow.run();
      return flow.velocity_error([](const Vec3& x) {
        return Vec3{amplitude * std::sin(std::numbers::pi * x[0]), 0, 0};
      }) * std::sqrt(2.0) /
             amplitude;
    };
    QVERIFY2(lost(3, true) < 5e-5, qPrintable(QString::number(lost(3, true))));
    QVERIFY(lost(3, false) > 0.1);
    QCOMPARE(lost(1, true), lost(1, false));
    const auto off = [](bool vanishes) {
      Setup s = flows::sod(2, 50);
      s.viscosity_vanishes = vanishes;
      const MarchOptions options = flows::usual_march(0.2, s, Integrator::rk2_average);
      Flow flow(std::move(s), options);
      flow.run();
      return tube_error(flow, 0.2);
    };
    const double sharp = off(true), smeared = off(false);
    QVERIFY2(sharp < 0.7 * smeared, qPrintable(QString("%1 and %2").arg(sharp).arg(smeared)));
  }
};

QTEST_APPLESS_MAIN(TestMarch)
#include "test_march.moc"
