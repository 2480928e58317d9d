// SPDX-License-Identifier: BSD-3-Clause
// Steps on emulated devices, checked and not, equal those of the processors: rates of lively states, marches, runs that change places, and
// what is said where a device cannot compute.
// labels: unit emulated rows timeout300
#include "engine/core/log.hpp"
#include "engine/session/offer.hpp"
#include "engine/solvers/hydro_fem/cuda/device_backend.hpp"
#include "engine/solvers/hydro_fem/cuda/device_exchange.hpp"
#include "engine/solvers/hydro_fem/verify/driven.hpp"
#include "engine/solvers/hydro_fem/verify/explosive.hpp"
#include "engine/team/device_worker.hpp"
#include "engine/team/team.hpp"
#include "tests/all_rows.hpp"
#include "tests/engine/solvers/hydro_fem/support.hpp"

#include <QTest>
#include <set>

using namespace conoid;
using namespace conoid::hydro_fem;
using namespace conoid::hydro_fem::testing;

namespace {

using Row = Backend::Row;
using Part = Backend::Part;

Device opened(const char* name = "emulated") {
  auto device = Device::open(name);
  if (!device) throw Failure(device.error());
  return std::move(*device);
}

/// So many devices of their own, emulated or checked.
std::vector<Device> several(int count, const char* kind = "emulated") {
  configure_emulated({.devices = count});
  std::vector<Device> out;
  for (int i = 0; i < count; ++i) out.push_back(opened((kind + (":" + std::to_string(i))).c_str()));
  configure_emulated({});
  return out;
}

/// Rates of the initial state: v and e of the answer are dv/dt and de/dt.
struct Rates {
  double step = 0;
  State rate;
  Energies energies;
};
Rates rates_of(Backend& b) {
  Rates out;
  out.energies = b.energies();
  out.step = b.update(Row::state, 0);
  b.acceleration(Row::state, {});
  b.energy_rate(Row::state, {Row::state, Part::v}, 0);
  b.copy({Row::state, Part::v}, {Row::rate, Part::v});
  b.copy({Row::state, Part::e}, {Row::rate, Part::e});
  out.rate = b.state();
  return out;
}

double apart(std::span<const double> got, std::span<const double> want) {
  double off = 0, size = 0;
  if (got.size() != want.size()) return 1e300;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!std::isfinite(got[i])) return 1e300;
    off = std::max(off, std::abs(got[i] - want[i]));
    size = std::max(size, std::abs(want[i]));
  }
  return size > 0 ? off / size : off;
}

Rates rates_on(const Setup& setup, std::vector<Device> devices) {
  Team team({WorkerSpec{"cpu", 1, 1}});
  Operator op(setup, best_kernels(), team);
  return rates_of(*device_backend(op, std::move(devices)));
}

/// Eigenvectors of nearly double eigenvalues are determined to the square root of round-off; in fewer than three dimensions, and with
/// closed forms alike on both sides, no more than round-off grown by the mass matrix's condition is left.
void rates_are_equal(const Setup& setup, const char* device, DeviceOptions options, const QString& what) {
  Team team({WorkerSpec{"cpu", 1, 1}});
  Operator op(setup, best_kernels(), team);
  const auto host = host_backend(op);
  const auto there = device_backend(op, opened(device), options);
  const Rates want = rates_of(*host), got = rates_of(*there);
  const double v = apart(got.rate.v, want.rate.v), e = apart(got.rate.e, want.rate.e);
  const double tolerance = setup.mesh.dim == 3 ? 2e-8 : 1e-10;
  QVERIFY2(std::abs(got.step / want.step - 1) < tolerance,
           qPrintable(what + QString(": step %1 for %2").arg(got.step).arg(want.step)));
  QVERIFY2(v < tolerance && e < tolerance, qPrintable(what + QString(": %1 %2").arg(v).arg(e)));
  const double size = std::abs(want.energies.internal) + want.energies.kinetic + std::abs(want.energies.potential);
  QVERIFY2(std::abs(got.energies.internal - want.energies.internal) < 1e-13 * size &&
               std::abs(got.energies.kinetic - want.energies.kinetic) < 1e-13 * size &&
               std::abs(got.energies.potential - want.energies.potential) < 1e-13 * size,
           qPrintable(what));
  QVERIFY(want.energies.kinetic > 0);
}

QString name_of(const char* device, int dim, int k, int turned) {
  return QString("%1, %2D, turns %3, order %4").arg(device).arg(dim).arg(turned).arg(k);
}

/// A gas and a table of another one, as wide as the flow.
std::shared_ptr<const EquationOfState> gas_table(double gamma) {
  EosTable t;
  for (int i = 0; i <= 40; ++i) t.density.push_back(0.1 * i);
  for (int j = 0; j <= 30; ++j) t.energy.push_back(0.2 * j * (1 + 0.1 * j));
  for (const double rho : t.density)
    for (const double e : t.energy) {
      t.pressure.push_back((gamma - 1) * rho * e);
      t.sound_speed.push_back(std::sqrt(gamma * (gamma - 1) * e));
    }
  return tabulated(std::move(t));
}

/// A piston and a pressure over time, pressure and weight.
Setup driven_walls() {
  Setup s = flows::saltzmann(2, 8, 2);
  s.boundaries[0].over_time = [](double t) { return 1 - t; };
  s.boundaries[1] = {BoundaryCondition::Kind::pressure, {}, 0, [](double t) { return 0.1 + t; }};
  s.boundaries[3] = {BoundaryCondition::Kind::pressure, {}, 0.3};
  s.gravity = {0, -1, 0};
  return s;
}

struct Ended {
  Energies energies;
  State state;
  Index accepted = 0, repeated = 0;
};
Ended marched(const Setup& setup, std::vector<Device> devices, int steps, Integrator integrator) {
  Team team({WorkerSpec{"cpu", 1, 1}});
  Operator op(setup, best_kernels(), team);
  MarchOptions o;
  o.end_time = 10;
  o.integrator = integrator;
  March march(devices.empty() ? host_backend(op) : device_backend(op, std::move(devices)), o);
  for (int i = 0; i < steps; ++i) march.step();
  return {march.energies(), march.state(), march.accepted(), march.repeated()};
}
Ended marched(const Setup& setup, const char* device, int steps, Integrator integrator) {
  std::vector<Device> devices;
  if (*device) devices.push_back(opened(device));
  return marched(setup, std::move(devices), steps, integrator);
}

/// Energy is the invariant: to 1e-12. Kinetic energy to 1e-9, over some 25 steps with mass solves to 1e-14.
void ends_are_alike(const Ended& got, const Ended& want) {
  QCOMPARE(got.accepted, want.accepted);
  QCOMPARE(got.repeated, want.repeated);
  const double size = std::abs(want.energies.internal) + want.energies.kinetic;
  const double total = std::abs(got.energies.total() - want.energies.total()) / size;
  const double kinetic = std::abs(got.energies.kinetic / want.energies.kinetic - 1);
  QVERIFY2(want.energies.kinetic > 1e-9 * size, "something moves");
  QVERIFY2(total < 1e-12, qPrintable(QString::number(total)));
  QVERIFY2(kinetic < 1e-9, qPrintable(QString::number(kinetic)));
}

constexpr const char* blast_case = R"({
  "solver": "hydro-fem", "title": "test",
  "grid": {"lower": [0, 0], "upper": [1.2, 1.2], "zones": [5, 4]},
  "materials": {"air": {"gamma": 1.4}},
  "regions": [{"material": "air", "density": 1, "pressure": 0}],
  "excitation": {"blast": {"energy": 0.25}},
  "parameters": {"order": 2, "end_time": 0.1, "mass_tolerance": 1e-14},
  "output": {"frames": {"count": 4}, "tracers": [{"name": "a", "position": [0.3, 0.41]}]}
})";

struct Run {
  Case input;
  Offer offer = make_offer(input).value();
  std::unique_ptr<Communicator> cluster = single_rank();
  Team team;
  MemoryResults results;
  NoProgress progress;
  RunContext context{input, nullptr, team, offer, *cluster, results, progress, {}};
  std::unique_ptr<Solver> solver = solver_info().make();
  explicit Run(const char* workers, const std::vector<std::pair<std::string, std::string>>& changes = {},
               Bytes device_memory = 0)
      : input(resolved(blast_case, changes).value()), team(specs(workers, device_memory)) {}
  static std::vector<WorkerSpec> specs(const char* workers, Bytes device_memory) {
    auto out = parse_workers(workers, 2).value();
    for (WorkerSpec& w : out) w.device_memory = device_memory;
    return out;
  }
  [[nodiscard]] double number(std::string_view name) const {
    for (const auto& n : results.numbers)
      if (n.name == name) return n.value;
    return std::nan("");
  }
  void march(int advances = 1 << 30) {
    context.marks = advances < 1 << 30 ? FrameMarks({}, {}) : FrameMarks();  // not the whole march in one bundle
    for (int i = 0; i < advances; ++i) {
      const auto at = solver->advance(context);
      if (!at.ok()) throw Failure(at.error());
      if (at->finished) return;
    }
  }
  [[nodiscard]] bool used_a_device() {
    for (const BalanceSample& s : team.take_samples())
      if (s.held > 0 || !team.workers()[static_cast<std::size_t>(s.worker)].device.empty()) return true;
    return false;
  }
};

/// Accelerations of parts, each on a device of its own.
std::vector<State> rates_of(Operator& op, const std::vector<DevicePart>& layout, bool calls) {
  std::vector<Device> devices = several(static_cast<int>(layout.size()));
  std::vector<std::unique_ptr<DeviceZones>> parts;
  for (std::size_t i = 0; i < layout.size(); ++i)
    parts.push_back(std::make_unique<DeviceZones>(op, layout[i], std::move(devices[i]), DeviceOptions{}, -1));
  const auto exchange = exchange_among_peers(op, parts, calls);
  for (const auto& part : parts) part->update(Row::state, 0);
  for (const auto& part : parts) part->load(Row::state, {});
  verify(exchange->solve({}) > 3, "a solve takes some iterations");
  std::vector<State> rates(layout.size(), op.initial());
  for (std::size_t i = 0; i < layout.size(); ++i) parts[i]->bring(Row::rate, rates[i]);
  return rates;
}

}  // namespace

class TestDeviceSteps : public QObject {
  Q_OBJECT

 private slots:
  /// Orders with kernels of their own, the general kernels at the same and at higher ones, on curved zones of two materials.
  void rates_equal_those_of_the_processors() {
    std::mt19937 random(20120606);
    for (int dim = 1; dim <= 3; ++dim)
      for (int k = 1; k <= (dim == 3 ? 5 : 8); ++k)
        for (const int turned : turns_in(dim)) {
          Setup s = lively(dim, k, turned, random);
          s.vorticity_switch = k % 2 == 0;
          s.viscosity_vanishes = (k + dim) % 2 == 0;
          if (k % 3 == 0) s.gravity = {0.3, -0.7, 0.2};
          s.boundaries[1] = {BoundaryCondition::Kind::pressure, {}, 0.8};
          if (dim > 1) s.boundaries[2] = {BoundaryCondition::Kind::pressure, {}, 1.1};
          if (dim > 1) s.boundaries[3] = {BoundaryCondition::Kind::pressure, {}, -0.4};
          if (dim > 2) s.boundaries[4] = {BoundaryCondition::Kind::pressure, {}, 0.9};
          const QString what = name_of("emulated", dim, k, turned);
          rates_are_equal(s, "emulated", {}, what);
          // Of space order 5 has the general kernels anyway, at half of order 4's cost again.
          if (k <= (dim == 3 && !conoid::all_rows() ? 3 : 4))
            rates_are_equal(s, "emulated", {.own_orders = false}, what + ", general");
          if (k % 3 == 2)
            rates_are_equal(s, "emulated", {.solves = DeviceOptions::Solves::launches}, what + ", launches");
          if (k % 2 == 1)
            rates_are_equal(s, "emulated", {.memory_of_blocks = false}, what + ", scratch in device memory");
          if (QTest::currentTestFailed()) return;
        }
  }

  /// Straight zones: some of even density, whose mass is a product, some not; walls, a piston, and no viscosity once.
  void rates_of_straight_zones_and_walls() {
    std::mt19937 random(7);
    for (int dim = 1; dim <= 3; ++dim)
      for (int k = 1; k <= (dim == 3 ? 4 : 5); ++k) {
        Setup s = lively(dim, k, 0, random);
        s.mesh.curve = nullptr;
        if (k > 1) s.density = [](const Vec3& x, int r) { return r != 0 ? 2.0 : 0.8 * (1 + 0.2 * std::sin(x[0])); };
        if (k == 1) s.density = [](const Vec3&, int r) { return r != 0 ? 2.0 : 0.8; };
        for (auto& b : s.boundaries) b.kind = BoundaryCondition::Kind::wall;
        s.boundaries[0] = {BoundaryCondition::Kind::piston, {1, 0, 0}, 0.3};
        s.viscosity = k != 3;
        const QString what = name_of("emulated", dim, k, false);
        rates_are_equal(s, "emulated", {}, what);
        rates_are_equal(s, "emulated", {.own_orders = false}, what + ", general");
        if (QTest::currentTestFailed()) return;
      }
  }

  /// As in cold gas far ahead of a signal: squares of velocity gradients that are lost must not be divided by.
  void velocities_that_die_out_are_rest_on_a_device() {
    std::mt19937 random(170);
    for (int dim = 1; dim <= 3; ++dim)
      for (const int power : {-78, -110, -160, -300}) {
        Setup s = lively(dim, 2, 0, random);
        s.velocity = [power](const Vec3& x, int) {
          return Vec3{std::pow(10, power + 3 * x[0]), std::pow(10, power - 5 * x[1]), std::pow(10, power + 7 * x[2])};
        };
        Team team({WorkerSpec{"cpu", 1, 1}});
        Operator op(s, best_kernels(), team);
        const Rates want = rates_of(*host_backend(op)), got = rates_of(*device_backend(op, opened()));
        QVERIFY2(want.step > 0 && got.step > 0.5 * want.step && got.step < 2 * want.step &&
                     apart(got.rate.v, want.rate.v) < 1e-10,
                 qPrintable(name_of("emulated", dim, 2, 0) + QString(", 1e%1: %2").arg(power).arg(got.step)));
      }
  }

  void tables_of_states_are_read_on_the_device() {
    std::mt19937 random(3);
    for (int dim = 1; dim <= 3; ++dim) {
      Setup s = lively(dim, 2, 0, random);
      s.materials = {gas_table(1.4), stiffened_gas(1.7)};
      rates_are_equal(s, "emulated", {}, name_of("emulated", dim, 2, false));
      if (QTest::currentTestFailed()) return;
      // A table that ends below some of the energies: as many points outside.
      EosTable small{{0.5, 1, 3}, {0.1, 1.2}, {}, {}};
      for (int i = 0; i < 6; ++i) {
        small.pressure.push_back(0.3 + 0.1 * i);
        small.sound_speed.push_back(1);
      }
      s.materials[0] = tabulated(small);
      Team team({WorkerSpec{"cpu", 1, 1}});
      Operator op(s, best_kernels(), team);
      const auto there = device_backend(op, opened());
      (void)op.update(op.initial());
      (void)there->update(Row::state, 0);
      QVERIFY(op.outside() > 0);
      QCOMPARE(there->outside(), op.outside());
      QCOMPARE(there->first_outside(Row::state).reason, op.first_outside(op.initial()).reason);
    }
  }

  /// One access outside, one race or one unwritten value and the checked device ends it.
  void the_checked_device_finds_nothing() {
    std::mt19937 random(11);
    for (int dim = 1; dim <= 3; ++dim)
      for (int k = 1; k <= (dim < 3 ? 5 : conoid::all_rows() ? 4 : 3); ++k)
        for (const int turned : turns_in(dim)) {
          Setup s = lively(dim, k, turned, random);
          s.mesh =
              box_zones(dim, {flows::line(0, 1, 2), flows::line(0, 1, dim > 2 && k > 2 ? 1 : 2), flows::line(0, 1, 1)});
          s.mesh.region.back() = 1;
          if (k % 2 == 0) s.density = [](const Vec3&, int r) { return r != 0 ? 2.0 : 0.8; };
          s.boundaries[1] = {BoundaryCondition::Kind::pressure, {}, 0.8};
          s.boundaries[0].kind = BoundaryCondition::Kind::wall;
          if (k == 2) s.materials[0] = gas_table(1.4);
          const QString what = name_of("emulated-checked", dim, k, turned);
          rates_are_equal(s, "emulated-checked", {}, what);
          if (k == 2) rates_are_equal(s, "emulated-checked", {.own_orders = false}, what + ", general");
          if (k == 1) rates_are_equal(s, "emulated-checked", {.memory_of_blocks = false}, what + ", scratch");
          if (k == 3)
            rates_are_equal(s, "emulated-checked", {.solves = DeviceOptions::Solves::launches}, what + ", launches");
          if (QTest::currentTestFailed()) return;
        }
  }

  void marches_end_alike_data() {
    QTest::addColumn<int>("which");
    const char* names[] = {
        "triple point Q3", "Sedov 2D Q3",   "Sedov 3D Q2",      "axisymmetric blast",   "Sod Q4",
        "Noh 2D",          "piston Q2",     "order 7",          "Gresho, RK4",          "ball, curved",
        "Sedov 3D Q5",     "free, pressed", "piston over time", "walls over time, RK4", "Kidder",
        "detonation"};
    const std::set<int> like_others{1, 5, 8, 14};  // in zones, orders, walls and integrator together
    for (int i = 0; i < 16; ++i)
      if (conoid::all_rows() || !like_others.contains(i)) QTest::newRow(names[i]) << i;
  }
  /// Energy is the invariant: to 1e-12. Kinetic energy to 1e-9 over 25 steps with mass solves to 1e-14.
  void marches_end_alike() {
    QFETCH(int, which);
    Setup s;
    Integrator integrator = Integrator::rk2_average;
    if (which == 0) s = flows::triple_point(3, 14, 6);
    if (which == 1) s = flows::sedov(2, 3, 5, 1, 0.25);
    if (which == 2) s = flows::sedov(3, 2, 3, 1, 0.25);
    if (which == 3) s = flows::sedov_axisymmetric(2, 5, 1, 1);
    if (which == 4) s = flows::sod(4, 20);
    if (which == 5) s = flows::noh(2, 2, 7);
    if (which == 6) s = flows::saltzmann(2, 12, 2);
    if (which == 7) s = flows::triple_point(7, 7, 2);
    if (which == 8) {
      s = flows::gresho(3, 4);
      integrator = Integrator::rk4;
    }
    if (which == 9) s = flows::ball(2, 2, 3);
    if (which == 10) s = flows::sedov(3, 5, 2, 1, 0.25);
    if (which == 11) {
      s = flows::noh(2, 3, 4);
      for (auto& b : s.boundaries)
        if (b.kind == BoundaryCondition::Kind::free) b = {BoundaryCondition::Kind::pressure, {}, 0.2};
      s.gravity = {0, -1, 0};
    }
    if (which == 12) s = flows::simple_wave(3, 12, false);
    if (which == 13) {
      s = driven_walls();
      integrator = Integrator::rk4;
    }
    if (which == 14) s = flows::Kidder(3).setup(2, 3);
    if (which == 15) s = flows::detonation_tube(2, 20);
    s.mass_tolerance = 1e-14;
    const int steps = which == 7 || which == 10           ? 4
                      : which == 12 || conoid::all_rows() ? 25
                                                          : 10;  // 12: at rest at first
    ends_are_alike(marched(s, "emulated", steps, integrator), marched(s, "", steps, integrator));
  }

  /// Zones by intervals on two and three devices, in each dimension, curved, turned, under pressure: to round-off of the solve's sums.
  void rates_on_several_devices_equal_those_on_one() {
    std::mt19937 random(40);
    for (int dim = 1; dim <= 3; ++dim)
      for (int k = 1; k <= (dim == 3 ? 3 : 5); ++k)
        for (const int turned : turns_in(dim)) {
          Setup s = lively(dim, k, turned, random);
          s.mesh = box_zones(dim, {flows::line(0, 1, dim == 1 ? 7 : 3), flows::line(0, 1, 3), flows::line(0, 1, 2)});
          s.mesh.region[1] = s.mesh.region.back() = 1;
          if (k == 2) s.gravity = {0.3, -0.7, 0.2};
          if (k % 2 == 1) s.density = [](const Vec3&, int r) { return r != 0 ? 2.0 : 0.8; };
          s.boundaries[1] = {BoundaryCondition::Kind::pressure, {}, 0.8};
          s.boundaries[0].kind = BoundaryCondition::Kind::wall;
          if (dim > 1) s.boundaries[2] = {BoundaryCondition::Kind::pressure, {}, 1.1};
          const Rates want = rates_on(s, several(1));
          QVERIFY(want.energies.kinetic > 0);
          for (const int devices : {2, 3}) {
            if (!conoid::all_rows() && devices % 2 != (dim + k + turned) % 2) continue;  // one or the other by turns
            const Rates got = rates_on(s, several(devices, k == 2 ? "emulated-checked" : "emulated"));
            const QString what = name_of("devices", dim, k, turned) + QString(", %1").arg(devices);
            QVERIFY2(got.step == want.step, qPrintable(what));
            const double v = apart(got.rate.v, want.rate.v), e = apart(got.rate.e, want.rate.e);
            QVERIFY2(v < 1e-12 && e == 0, qPrintable(what + QString(": %1 %2").arg(v).arg(e)));
            const double size = std::abs(want.energies.internal) + want.energies.kinetic;
            QVERIFY2(std::abs(got.energies.internal - want.energies.internal) < 1e-14 * size, qPrintable(what));
            QVERIFY2(std::abs(got.energies.kinetic - want.energies.kinetic) < 1e-14 * size, qPrintable(what));
            QVERIFY2(std::abs(got.energies.potential - want.energies.potential) < 1e-14 * size, qPrintable(what));
          }
        }
  }

  void several_devices_march_as_one_data() {
    QTest::addColumn<int>("devices");
    QTest::addColumn<int>("which");
    for (const int devices : {2, 3})
      for (int which = 0; which < 5; ++which)
        if (conoid::all_rows() || which % 2 == devices % 2)
          QTest::addRow("%d devices, flow %d", devices, which) << devices << which;
  }
  void several_devices_march_as_one() {
    QFETCH(int, devices);
    QFETCH(int, which);
    Setup s;
    Integrator integrator = Integrator::rk2_average;
    if (which == 0) s = flows::triple_point(2, 7, 3);
    if (which == 1) s = flows::sedov(3, 2, 2, 1, 0.25);
    if (which == 2) s = flows::sedov_axisymmetric(2, 4, 1, 1);
    if (which == 3) s = flows::detonation_tube(2, 12);
    if (which == 4) {
      s = driven_walls();
      integrator = Integrator::rk4;
    }
    s.mass_tolerance = 1e-14;
    const int steps = which == 1 ? 6 : 15;
    const Ended want = marched(s, several(1), steps, integrator), got = marched(s, several(devices), steps, integrator);
    ends_are_alike(got, want);
    if (which == 2)  // whatever the devices' threads do
      QVERIFY(same_bits(got.state, marched(s, several(devices), steps, integrator).state));
  }

  /// Copies of a node on several devices get the same rate, bit for bit, and all nodes and zones lie somewhere, once in the sums; whether the
  /// devices call each other or copy.
  void copies_of_a_node_move_alike() {
    std::mt19937 random(5);
    Setup s = lively(3, 2, 0, random);
    s.mesh = box_zones(3, {flows::line(0, 1, 3), flows::line(0, 1, 3), flows::line(0, 1, 3)});
    s.mass_tolerance = 1e-10;
    Team team({WorkerSpec{"cpu", 1, 1}});
    Operator op(s, best_kernels(), team);
    const std::vector<DevicePart> layout = DevicePart::among(op, 3);
    const std::vector<State> called = rates_of(op, layout, true), copied = rates_of(op, layout, false);
    for (std::size_t i = 0; i < 3; ++i) QVERIFY(called[i].v == copied[i].v);
    const auto nodes = static_cast<std::size_t>(op.space().nodes);
    std::vector<int> counted(nodes, 0);
    int shared = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      for (Index n = 0; n < layout[i].own; ++n)
        ++counted[static_cast<std::size_t>(layout[i].nodes[static_cast<std::size_t>(n)])];
      for (std::size_t j = 0; j < i; ++j)
        for (std::size_t n = 0; n < nodes; ++n) {
          const auto node = static_cast<Index>(n);
          if (layout[i].node_here(node) < 0 || layout[j].node_here(node) < 0) continue;
          ++shared;
          for (std::size_t c = 0; c < 3; ++c) QCOMPARE(called[i].v[c * nodes + n], called[j].v[c * nodes + n]);
        }
    }
    QVERIFY(shared >= 49);
    for (const int times : counted) QCOMPARE(times, 1);
  }

  void the_checked_device_finds_nothing_at_driven_walls() {
    Setup s = flows::saltzmann(2, 3, 1);
    s.mass_tolerance = 1e-14;
    s.boundaries[0].over_time = [](double t) { return 1 - t; };
    s.boundaries[1] = {BoundaryCondition::Kind::pressure, {}, 0, [](double t) { return 0.1 + t; }};
    const Ended want = marched(s, "", 2, Integrator::rk2_average),
                got = marched(s, "emulated-checked", 2, Integrator::rk2_average);
    QVERIFY(std::abs(got.energies.kinetic / want.energies.kinetic - 1) < 1e-9);
  }

  void the_checked_device_finds_nothing_at_a_detonation() {
    Setup s = flows::detonation_tube(2, 3);
    s.mesh = box_zones(2, {flows::line(0, 0.02, 3), flows::line(0, 0.01, 2), {}});
    s.mesh.region.back() = 1;
    s.materials.push_back(stiffened_gas(1.4));
    s.energy = [](const Vec3&, int region) { return region == 0 ? flows::tnt_energy / 1630 : 1e3; };
    s.boundaries.resize(4);
    s.mass_tolerance = 1e-14;
    const Ended want = marched(s, "", 3, Integrator::rk2_average),
                got = marched(s, "emulated-checked", 3, Integrator::rk2_average);
    QVERIFY(want.energies.kinetic > 0);
    QVERIFY(std::abs(got.energies.kinetic / want.energies.kinetic - 1) < 1e-9);
  }

  void the_same_march_gives_the_same_bits() {
    const Setup s = flows::triple_point(2, 7, 3);
    const Ended a = marched(s, "emulated", 12, Integrator::rk2_average),
                b = marched(s, "emulated", 12, Integrator::rk2_average);
    QVERIFY(same_bits(a.state, b.state));
  }

  /// A checkpoint of one is what the other goes on from: there and back again.
  void a_run_changes_between_device_and_processors() {
    const auto energy = [](const std::vector<const char*>& workers) {
      MemoryCheckpoint kept;
      for (std::size_t part = 0;; ++part) {
        Run run(workers[part]);
        run.solver->prepare(run.context).or_throw();
        if (part > 0) run.solver->load(kept);
        if (part + 1 == workers.size()) {
          run.march();
          run.solver->finish(run.context).or_throw();
          return run.number("kinetic_energy");
        }
        run.march(1);
        run.solver->save(kept);
      }
    };
    const double want = energy({"cpu:2"});
    QVERIFY(want > 1e-3);
    for (const auto& workers : std::vector<std::vector<const char*>>{
             {"emulated"}, {"cpu:2", "emulated", "cpu:1"}, {"emulated", "cpu:1", "emulated"}}) {
      const double got = energy(workers);
      QVERIFY2(std::abs(got / want - 1) < 1e-9, qPrintable(QString::number(got / want - 1)));
    }
  }

  void several_devices_take_part_and_hand_over() {
    configure_emulated({.devices = 3});
    const auto whole = [](const char* workers) {
      Run run(workers);
      run.solver->prepare(run.context).or_throw();
      run.march();
      run.solver->finish(run.context).or_throw();
      return run.number("kinetic_energy");
    };
    const double want = whole("emulated:0");
    std::set<int> used;
    MemoryCheckpoint kept;
    {
      Run run("emulated:0,emulated:1,emulated:2");
      run.solver->prepare(run.context).or_throw();
      run.march(1);
      for (const BalanceSample& sample : run.team.take_samples()) used.insert(sample.worker);
      run.solver->save(kept);
    }
    QCOMPARE(used.size(), std::size_t{3});
    for (const char* workers : {"emulated:0,emulated:1", "cpu:2", "emulated:1"}) {
      Run run(workers);
      run.solver->prepare(run.context).or_throw();
      run.solver->load(kept);
      run.march();
      run.solver->finish(run.context).or_throw();
      QVERIFY2(std::abs(run.number("kinetic_energy") / want - 1) < 1e-9, workers);
    }
    configure_emulated({});
  }

  /// What one has no room for, two may have.
  void several_devices_hold_what_one_cannot() {
    configure_emulated({.devices = 2});
    const std::vector<std::pair<std::string, std::string>> order{{"parameters.order", "3"}};
    const Bytes memory = (Bytes{1} << 20) + 90000;  // 115 kB are needed beside the first MiB, of two 63 each
    Run one("emulated:0", order, memory), two("emulated:0,emulated:1", order, memory);
    for (Run* run : {&one, &two}) {
      run->solver->prepare(run->context).or_throw();
      run->march(1);
    }
    QVERIFY(!one.used_a_device());
    QVERIFY(two.used_a_device());
    const Offer offer = make_offer(two.input, {.flags = {.workers = "emulated:0,emulated:1"}}).value();
    const Estimate foreseen = two.solver->estimate(two.input, nullptr, offer).value();
    QCOMPARE(foreseen.use.most, 2);
    const auto told = std::find_if(foreseen.details.begin(), foreseen.details.end(),
                                   [](const auto& detail) { return detail.first == "device"; });
    QVERIFY(told != foreseen.details.end());
    QCOMPARE(told->second, std::string("emulated:0, emulated:1 compute whole steps, an interval of zones each"));
    configure_emulated({});
  }

  void further_devices_are_taken_where_they_pay() {
    QCOMPARE(devices_that_pay(1e6, 8), 1);
    QCOMPARE(devices_that_pay(8e6, 8), 1);
    QCOMPARE(devices_that_pay(64.0 * 64 * 64 * 64, 8), 2);
    QVERIFY(devices_that_pay(64.0 * 64 * 64 * 64, 16) < 8);  // whose orders take the host longer than they compute
    QVERIFY(devices_that_pay(1e12, 16) >= 8);
    QCOMPARE(devices_that_pay(1e12, 1), 1);
  }

  /// Steps as an H200 took them, in milliseconds.
  void a_run_on_devices_is_foreseen() {
    const auto step = [](double points, int dim, int devices, int multiprocessors) {
      return 1e3 * (seconds_on_devices(points, dim, 2, devices, multiprocessors) -
                    seconds_on_devices(points, dim, 1, devices, multiprocessors));
    };
    const auto near = [](double got, double want) { return std::abs(got - want) < 0.2 * want; };
    QVERIFY(near(step(28 * 12 * 36, 2, 1, 132), 0.59));
    QVERIFY(near(step(224 * 96 * 36, 2, 1, 132), 1.53));
    QVERIFY(near(step(1000 * 64, 3, 1, 132), 1.2));
    QVERIFY(near(step(4096 * 512, 3, 1, 132), 3.4));
    QVERIFY(near(step(32768 * 216, 3, 1, 132), 10.3));
    QVERIFY(near(step(262144 * 64, 3, 1, 132), 23.3));
    QVERIFY(near(step(262144 * 64, 3, 2, 132), 23.3 / 1.7));
    QVERIFY(step(262144 * 64, 3, 1, 66) > 1.8 * step(262144 * 64, 3, 1, 132));
    QVERIFY(seconds_on_devices(1e5, 3, 0, 2, 132) > seconds_on_devices(1e5, 3, 0, 1, 132));  // further ones start, too
  }

  void a_device_lost_among_several_ends_the_run() {
    configure_emulated({.devices = 2, .fails_after = 800});
    Run run("emulated:0,emulated:1");
    run.solver->prepare(run.context).or_throw();
    Result<Advanced> at = run.solver->advance(run.context);
    for (int i = 0; i < 10000 && at.ok() && !at->finished; ++i) at = run.solver->advance(run.context);
    QVERIFY(!at.ok());
    QVERIFY(at.error().code == ErrorCode::resources);
    configure_emulated({});
  }

  void a_device_takes_part_in_a_run_that_names_it() {
    for (const char* workers : {"emulated", "emulated,cpu:1"}) {
      Run run(workers);
      run.solver->prepare(run.context).or_throw();
      run.march(1);
      QVERIFY(run.used_a_device());
    }
  }

  void what_a_device_cannot_do_goes_to_the_processors_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("value");
    QTest::addColumn<qint64>("memory");
    QTest::addColumn<QString>("why");
    QTest::newRow("power") << "excitation.sources"
                           << R"([{"power": 1}])" << qint64(0) << "power fed in per volume";
    QTest::newRow("matrices") << "parameters.corner_force"
                              << "matrices" << qint64(0) << "matrices of the corner force";
    QTest::newRow("memory") << "parameters.order"
                            << "3" << qint64(100000) << "97.7 KiB are to be had";
  }
  void what_a_device_cannot_do_goes_to_the_processors() {
    QFETCH(QString, path);
    QFETCH(QString, value);
    QFETCH(qint64, memory);
    QFETCH(QString, why);
    Run run("emulated", {{path.toStdString(), value.toStdString()}}, static_cast<Bytes>(memory));
    std::string told;
    {
      const auto listening = log::subscribe([&](const LogEntry& e) { told += e.text + "\n"; });
      run.solver->prepare(run.context).or_throw();
    }
    QVERIFY2(QString::fromStdString(told).contains(why), told.c_str());
    run.march(1);
    QVERIFY(!run.used_a_device());
  }
};

QTEST_APPLESS_MAIN(TestDeviceSteps)
#include "test_device_steps.moc"
