// SPDX-License-Identifier: BSD-3-Clause
// Far pairs on emulated devices, checked and not, equal those of processors: all orders of elements, both precisions, odd sizes, given
// displacements; panels of any size, several workers, and what is said where memory is short.
// labels: unit emulated rows timeout300
#include <QTest>
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/core.h>

#include "conoid/config.hpp"
#include "engine/core/log.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/mesh/order.hpp"
#include "engine/solvers/elastic_bem/cuda/device_pairs.hpp"
#include "engine/solvers/elastic_bem/discretization/far_ground.hpp"
#include "engine/solvers/elastic_bem/solving/system.hpp"
#include "engine/solvers/elastic_bem/verify/scenes.hpp"
#include "engine/team/device_worker.hpp"
#include "engine/team/team.hpp"
#include "tests/all_rows.hpp"

using namespace conoid;
using namespace conoid::elastic_bem;

namespace {

/// What is assembled: a sphere or a box, columns as a solution with mixed conditions has them.
struct Scene {
  Surface surface;
  Medium medium;
  Accuracy accuracy{1e-5, false};
  double omega = 1;
};

Scene scene_of(const QString& elements, bool damped) {
  Scene s;
  s.medium.nu = 0.3;
  s.medium.beta = damped ? 0.05 : 0;
  SurfaceOptions o;
  o.constant = elements.startsWith("constant");
  o.discontinuous = elements.contains("discontinuous");
  const int order = elements.startsWith("quadratic") ? 2 : 1;
  Result<Mesh> mesh = [&] {
    if (elements.contains("box")) {
      BoxSurfaceOptions box;
      box.divisions = {5, 3, 4};
      box.quads = true;
      box.order = order;
      return box_surface(box);
    }
    if (elements.contains("triangles")) {
      IcosphereOptions ball;
      ball.divisions = order == 1 ? 3 : 2;
      ball.order = order;
      return icosphere(ball);
    }
    CubeSphereOptions ball;
    ball.divisions = 4;
    ball.order = elements.contains("of eight") ? 1 : order;
    return cube_sphere(ball);
  }();
  if (elements.contains("of eight")) mesh = to_order2(*mesh, true);
  if (elements.contains("box")) o.domain = Domain::inside;
  s.surface = make_surface(*mesh, o).value();
  return s;
}

/// Columns of displacements at even nodes go as unknowns, those of odd ones are exchanged against tractions; every third traction is known,
/// too, and its column goes to the second matrix. What nobody wants goes nowhere.
template <class Real>
struct Assembled {
  std::vector<std::complex<Real>> a, b;
  Targets<Real> targets;
  Assembled(const Surface& s, Index points, const Harmonic& h) {
    const Index rows = 3 * points, m = s.node_count();
    const auto t = static_cast<Index>(s.traction_node.size());
    const std::complex<Real> before = one_owner(s) ? std::complex<Real>(std::nan("")) : std::complex<Real>(0);
    a.assign(static_cast<std::size_t>(rows * 3 * m), 0);
    b.assign(static_cast<std::size_t>(rows * 3 * t), 0);
    targets.h.resize(static_cast<std::size_t>(m));
    targets.g.resize(static_cast<std::size_t>(t));
    const auto take = [&](std::vector<std::complex<Real>>& matrix, Index column, Target<Real>& to,
                          std::complex<Real> scale) {
      to = {matrix.data() + column * rows, scale};
      std::fill_n(to.column, rows, before);
    };
    std::set<Index> exchanged;
    for (Index k = 0; k < t; ++k) {
      const Index node = s.traction_node[static_cast<std::size_t>(k)];
      for (Index d = 0; d < 3; ++d) {
        auto& to = targets.g[static_cast<std::size_t>(k)][static_cast<std::size_t>(d)];
        if (node % 2 == 1 && d != 1 && exchanged.insert(3 * node + d).second)
          take(a, d * m + node, to, std::complex<Real>(-h.mu));
        else if (k % 3 == 0)
          take(b, 3 * k + d, to, 1);
      }
    }
    for (Index k = 0; k < m; ++k)
      for (Index d = 0; d < 3; ++d)
        if (!exchanged.contains(3 * k + d))
          take(a, d * m + k, targets.h[static_cast<std::size_t>(k)][static_cast<std::size_t>(d)], 1);
  }
};

/// The largest difference over the largest value of a column, of columns that are wanted.
template <class Real>
double apart(const std::vector<std::complex<Real>>& got, const std::vector<std::complex<Real>>& want) {
  double worst = 0, size = 0;
  for (std::size_t k = 0; k < want.size(); ++k) {
    if (!std::isfinite(got[k].real()) || !std::isfinite(got[k].imag())) return 1e300;
    worst = std::max(worst, static_cast<double>(std::abs(got[k] - want[k])));
    size = std::max(size, static_cast<double>(std::abs(want[k])));
  }
  return size > 0 ? worst / size : worst;
}

template <class Real>
Assembled<Real> assembled(const Scene& s, std::vector<WorkerSpec> workers, AssemblyWork& work,
                          std::span<const Vec3> points = {}, int times = 1) {
  const Harmonic h(s.medium, s.omega);
  const FarRules<Real> rules(s.surface, s.accuracy, std::abs(h.kS), false);
  const bool own = points.empty();
  const RowPoints rows{own ? std::span<const Vec3>(s.surface.nodes) : points, own};
  Team team(std::move(workers));
  PanelStore panels;
  for (int k = 1; k < times; ++k) {
    Assembled<Real> before(s.surface, static_cast<Index>(rows.points.size()), h);
    assemble_pairs<Real>(team, s.surface, rules, s.accuracy, h, rows, before.targets, {}, &panels);
  }
  Assembled<Real> out(s.surface, static_cast<Index>(rows.points.size()), h);
  work = assemble_pairs<Real>(team, s.surface, rules, s.accuracy, h, rows, out.targets, {}, &panels);
  return out;
}

/// Sums of up to 144 points a pair and those of the elements around a node, in another order and with fused operations.
template <class Real>
constexpr double round_off = sizeof(Real) == 8 ? 1e-12 : 2e-5;

template <class Real>
void device_equals_processors(const Scene& s, const std::vector<WorkerSpec>& workers, std::span<const Vec3> points = {},
                              int times = 1) {
  AssemblyWork want_work, got_work;
  const auto want = assembled<Real>(s, {{"cpu", 1, 1}}, want_work, points);
  const auto got = assembled<Real>(s, workers, got_work, points, times);
  QCOMPARE(got_work.far_points, want_work.far_points);  // the same rules for the same pairs
  QCOMPARE(got_work.near_points, want_work.near_points);
  const double a = apart(got.a, want.a), b = apart(got.b, want.b);
  QVERIFY2(a <= round_off<Real> && b <= round_off<Real>, qPrintable(QString("%1 %2").arg(a).arg(b)));
}

std::vector<WorkerSpec> device(const std::string& name, Bytes memory = 0) {
  return {{name, 1, 1, name, memory}};
}

}  // namespace

class TestDevicePairs : public QObject {
  Q_OBJECT
 private slots:
  void cleanup() { configure_emulated({}); }

  void all_elements_data() {
    QTest::addColumn<bool>("damped");
    int turn = 0;
    for (const char* elements :
         {"constant", "constant triangles", "linear", "linear triangles", "quadratic", "quadratic triangles",
          "quadratic of eight nodes", "linear discontinuous", "quadratic box", "constant box"})
      for (const bool damped : {false, true})
        if (conoid::all_rows() || damped == (turn++ % 4 < 2))  // one or the other by turns, of each order both
          QTest::addRow("%s%s", elements, damped ? ", damped" : "") << damped;
  }
  void all_elements() {
    QFETCH(bool, damped);
    Scene s = scene_of(QString(QTest::currentDataTag()).section(',', 0, 0), damped);
    QVERIFY(s.surface.node_count() >= least_device_rows);
    device_equals_processors<double>(s, device("emulated"));
    device_equals_processors<float>(s, device("emulated"));
    s.omega = damped ? 0.02 : 6;            // the series everywhere, or nowhere
    if (!damped) s.accuracy.target = 1e-8;  // with many classes
    device_equals_processors<double>(s, device("emulated"));
  }

  void checked_data() {
    QTest::addColumn<bool>("damped");
    for (const char* elements : {"linear", "quadratic", "quadratic of eight nodes"}) QTest::newRow(elements) << false;
  }
  void checked() {
    if (CONOID_HAVE_EMULATED_CHECKED == 0) QSKIP("sanitizers and the checked mode exclude each other");
    Scene s = scene_of(QTest::currentDataTag(), false);
    s.surface.active = s.surface.elements.front().nodes > 1 ? 10 : 40;  // instrumented code is slow
    std::vector<Vec3> points;
    for (int k = 0; k < 66; ++k) points.push_back({1.3 + 0.05 * k, 0.4 * std::sin(0.7 * k), 0.5 * std::cos(1.3 * k)});
    device_equals_processors<double>(s, device("emulated-checked"), points, 2);
    device_equals_processors<float>(s, device("emulated-checked"), points);
  }

  /// Points off the surface, as receivers have them: numbers of rows that fill no block.
  void rows_of_any_number() {
    const Scene s = scene_of("quadratic", true);
    for (const int count : {64, 65, 127, 129, 161}) {
      std::vector<Vec3> points;
      for (int k = 0; k < count; ++k)
        points.push_back({1.02 + 0.03 * k, 0.4 * std::sin(0.7 * k), 0.5 * std::cos(1.3 * k)});
      device_equals_processors<double>(s, device("emulated"), points);
    }
  }

  /// The same with nodes in the rows, and values that are set instead of added.
  void checked_on_the_surface() {
    if (CONOID_HAVE_EMULATED_CHECKED == 0) QSKIP("sanitizers and the checked mode exclude each other");
    device_equals_processors<double>(scene_of("constant triangles", false), device("emulated-checked"));
  }

  /// A budget for few elements at a time, down to one; twice, with the memory of the first time.
  void panels_shrink() {
    for (const char* elements : {"constant", "quadratic"}) {
      const Scene s = scene_of(elements, false);
      for (const Bytes memory : {Bytes{1} << 20, Bytes{3} << 20, Bytes{6} << 20}) {
        if (memory < (Bytes{3} << 20) && s.surface.elements.front().nodes > 1) continue;
        device_equals_processors<double>(s, device("emulated", memory), {}, 2);
      }
    }
  }

  /// Where not even one element fits, processors compute the device's share, and a warning says so.
  void too_little_memory_is_told() {
    const Scene s = scene_of("quadratic", false);
    std::vector<std::string> said;
    auto listening = log::subscribe([&](const LogEntry& e) {
      if (e.level == LogLevel::warning) said.push_back(e.text);
    });
    device_equals_processors<double>(s, device("emulated", 100 << 10), {}, 2);
    listening.reset();
    QCOMPARE(said.size(), std::size_t{1});
    QVERIFY2(said.front().find("takes no part in the assembly") != std::string::npos, said.front().c_str());
  }

  /// The device has less memory than the run was told that it may take: what is refused halves the panels.
  void refused_memory_halves_the_panels() {
    EmulatedOptions options;
    options.memory = 5 << 20;
    configure_emulated(options);
    auto opened = Device::open("emulated");
    QVERIFY(opened.ok());
    const Scene s = scene_of("constant", false);
    const Harmonic h(s.medium, s.omega);
    const FarRules<double> rules(s.surface, s.accuracy, std::abs(h.kS), false);
    const RowPoints rows{s.surface.nodes, true};
    Assembled<double> out(s.surface, s.surface.node_count(), h);
    ColumnSink<double> sink(s.surface, out.targets, h, s.surface.node_count(), false);
    PanelMemory memory;
    const auto medium = lane_medium<double>(h);
    const DevicePairFacts facts = device_pairs<double>(*opened, [] { return Bytes{1} << 30; }, memory, CpuWorker(1),
                                                       {s.surface, rules, medium, rows, sink}, {0, s.surface.active});
    QVERIFY(facts.fits);
    QVERIFY(facts.panels > 1);
    QVERIFY(2 * memory.size <= options.memory && memory.size < memory.wanted);
  }

  /// Slots that sums had before, whose columns stay on the device, have little of the host's memory: columns that come back get more.
  void columns_come_back_after_sums() {
    Scene s;
    s.medium.nu = 0.3;
    SurfaceOptions o;
    o.constant = true;
    CubeSphereOptions ball;
    ball.divisions = 8;
    s.surface = make_surface(*cube_sphere(ball), o).value();
    const Harmonic h(s.medium, s.omega);
    const FarRules<double> rules(s.surface, s.accuracy, std::abs(h.kS), false);
    const RowPoints rows{s.surface.nodes, true};
    const Index m = s.surface.node_count(), length = 3 * m;
    QVERIFY(2 * 48 * length * length / 3 > Index{36} << 20);  // columns of a slot, beyond what sums have
    const auto medium = lane_medium<double>(h);
    std::vector<Complex> a(static_cast<std::size_t>(2 * length * length)), x(static_cast<std::size_t>(2 * length), 1),
        y;
    Targets<double> targets;
    targets.h.resize(s.surface.nodes.size());
    targets.g.resize(s.surface.traction_node.size());
    for (Index k = 0; k < m; ++k)
      for (Index d = 0; d < 3; ++d) {
        const auto node = static_cast<std::size_t>(k), c = static_cast<std::size_t>(d);
        targets.h[node][c] = {a.data() + (3 * k + d) * length, 1};
        targets.g[node][c] = {a.data() + (length + 3 * k + d) * length, 1};
      }
    ColumnSink<double> sink(s.surface, targets, h, m, false);
    auto opened = Device::open("emulated");
    QVERIFY(opened.ok());
    PanelMemory memory;
    const auto room = [] { return Bytes{1} << 30; };
    const PanelSums<double> sums{a.data(), 2 * length, 1, x.data(), &y};
    PairWork<double> work{s.surface, rules, medium, rows, sink};
    work.sums = &sums;
    const Interval all{0, s.surface.active};
    QVERIFY(device_pairs<double>(*opened, room, memory, CpuWorker(1), work, all).fits);
    const Bytes before = memory.host_size;
    work.sums = nullptr;
    const DevicePairFacts facts = device_pairs<double>(*opened, room, memory, CpuWorker(1), work, all);
    QVERIFY(facts.fits && facts.panels == 1 && memory.host_size > before);
    double worst = 0, most = 0;
    for (Index r = 0; r < length; ++r) {
      Complex sum = 0;
      for (Index c = 0; c < 2 * length; ++c) sum += a[static_cast<std::size_t>(c * length + r)];
      worst = std::max(worst, std::abs(sum - y[static_cast<std::size_t>(r)]));
      most = std::max(most, std::abs(sum));
    }
    QVERIFY2(worst <= 1e-12 * most, qPrintable(QString("%1 of %2").arg(worst).arg(most)));
    // The larger slots serve sums, too: they are taken once.
    const Bytes size = memory.size;
    work.sums = &sums;
    QVERIFY(device_pairs<double>(*opened, room, memory, CpuWorker(1), work, all).fits);
    QVERIFY(memory.size == size && memory.host_size > before);
  }

  /// A block a pair, as the classical program has it, gives the same columns.
  void a_block_a_pair() {
    Scene s = scene_of("constant", false);
    s.accuracy.fixed8 = true;
    const Harmonic h(s.medium, s.omega);
    const FarRules<double> rules(s.surface, s.accuracy, std::abs(h.kS), false);
    const RowPoints rows{s.surface.nodes, true};
    const auto medium = lane_medium<double>(h);
    AssemblyWork ignored;
    const auto want = assembled<double>(s, {{"cpu", 1, 1}}, ignored);
    for (const char* name : {"emulated", "emulated-checked"}) {
      const Index elements = std::string_view(name) == "emulated" ? s.surface.active : 4;  // checking is slow
      if (CONOID_HAVE_EMULATED_CHECKED == 0 && std::string_view(name) != "emulated") continue;
      auto opened = Device::open(name);
      QVERIFY(opened.ok());
      Assembled<double> out(s.surface, s.surface.node_count(), h);
      ColumnSink<double> sink(s.surface, out.targets, h, s.surface.node_count(), false);
      PanelMemory memory;
      const DevicePairFacts facts = device_pairs<double>(*opened, [] { return Bytes{1} << 26; }, memory, CpuWorker(1),
                                                         {s.surface, rules, medium, rows, sink, true}, {0, elements});
      QVERIFY(facts.fits);
      const auto m = static_cast<double>(s.surface.node_count());
      QCOMPARE(facts.points, 64 * static_cast<double>(elements) * (m - 1));
      if (elements < s.surface.active) continue;
      QVERIFY(apart(out.a, want.a) <= round_off<double> && apart(out.b, want.b) <= round_off<double>);
    }
  }

  /// Processors and devices of one team; nodes that elements of several workers share; intervals of one element.
  void a_team_shares_elements() {
    EmulatedOptions options;
    options.devices = 2;
    configure_emulated(options);
    for (const char* elements : {"constant", "quadratic"}) {
      const Scene s = scene_of(elements, false);
      for (const char* names : {"emulated:0,emulated:1", "emulated:0,cpu:1", "emulated:0,emulated:1,cpu:2"}) {
        auto workers = parse_workers(names, 4);
        QVERIFY(workers.ok());
        device_equals_processors<double>(s, *workers, {}, 2);
        device_equals_processors<float>(s, *workers);
      }
    }
    // Elements of which each device gets one, or none.
    Scene few = scene_of("quadratic", false);
    few.surface.active = 3;
    std::vector<Vec3> points;
    for (int k = 0; k < 70; ++k) points.push_back({2 + 0.1 * k, 0.3, -0.2});
    auto workers = parse_workers("emulated:0,emulated:1,cpu:1", 3);
    QVERIFY(workers.ok());
    device_equals_processors<double>(few, *workers, points);
  }

  /// The rings of ground beyond a mesh: on devices alone and beside processors what processors alone give, also at a number of points
  /// that fills no tile; panels are kept from one frequency to the next; told of under names of their own.
  void the_ground_beyond_the_mesh() {
    EmulatedOptions options;
    options.devices = 2;
    configure_emulated(options);
    GroundDisc disc;
    disc.extent = 2;
    disc.around = 2;
    disc.inside = 1;
    const Mesh mesh = ground_disc(disc).value();
    SurfaceOptions o;
    o.domain = Domain::ground;
    o.window = 0.8;
    o.down = {0, 0, -1};
    const MeshGroup* plate = mesh.group("foundation");
    QVERIFY(plate != nullptr);
    const std::set<Index> cells(plate->cells.begin(), plate->cells.end());
    o.condition = [&](Index c) { return cells.contains(c) ? 1 : 0; };
    const Surface s = make_surface(mesh, o).value();
    const Medium medium;
    const Accuracy accuracy{1e-5, false};
    std::string why;
    const auto ground = FarGround::make(s, o, medium, 1, 0, 1, why);
    QVERIFY2(ground != nullptr, why.c_str());
    std::vector<Vec3> deep;
    for (int k = 0; k < 37; ++k) deep.push_back({0.2 * k - 3, 0.1, -0.5 - 0.05 * k});
    struct Field {
      std::vector<Complex> nodes, points;
    };
    // The checked device takes a hundred times as long: some points only.
    const auto field = [&](std::vector<WorkerSpec> workers, PanelStore* panels, std::set<std::string>& phases,
                           bool points_only) {
      Team team(std::move(workers)), processors({{"cpu", 2, 1}});
      Field out;
      for (double omega : {0.5, 1.0}) {
        const FarField far(*ground, s, accuracy, Harmonic(medium, omega), points_only ? processors : team, false, {},
                           points_only ? nullptr : panels);
        out.nodes = far.beyond();
        if (!points_only || omega == 1) out.points = far.beyond_rows(team, deep, false, {}, panels);
      }
      for (const BalanceSample& sample : team.take_samples())
        phases.insert(fmt::format("{} {}", sample.phase, sample.worker));
      return out;
    };
    const auto off = [](const std::vector<Complex>& a, const std::vector<Complex>& b) {
      double size = 0, most = a.size() == b.size() ? 0 : 1;
      for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
        size = std::max(size, std::abs(b[k]));
        most = std::max(most, std::abs(a[k] - b[k]));
      }
      return most / size;
    };
    std::set<std::string> phases;
    const Field want = field({{"cpu", 1, 1}}, nullptr, phases, false);
    QVERIFY(std::any_of(want.points.begin(), want.points.end(), [](Complex v) { return std::abs(v) > 1e-6; }));
    for (const char* phase : {"far ground 0", "far ground near pairs 0", "far ground sums 0", "far ground responses 0"})
      QVERIFY2(phases.contains(phase), phase);
    QVERIFY(!phases.contains("far pairs 0"));
    for (const char* names : {"emulated", "emulated-checked", "emulated:0,emulated:1,cpu:2"}) {
      // The kernel is that of the surface's pairs, which checked() looks at.
      if (!conoid::all_rows() && names == std::string("emulated-checked")) continue;
      auto workers = parse_workers(names, 4);
      QVERIFY(workers.ok());
      PanelStore panels;
      phases.clear();
      const Field got = field(*workers, &panels, phases, names == std::string("emulated-checked"));
      QVERIFY(phases.contains("far ground 0"));
      QVERIFY(panels.of(0).size > 0);  // kept
      const double a = off(got.nodes, want.nodes), b = off(got.points, want.points);
      QVERIFY2(a <= round_off<double> && b <= round_off<double>, qPrintable(QString("%1 %2").arg(a).arg(b)));
    }
  }

  /// The example of the classical program, on a device and on two with a processor, to the digits that it has on processors.
  void example_of_240_elements() {
    EmulatedOptions options;
    options.devices = 2;
    configure_emulated(options);
    for (const char* names : {"emulated", "emulated:0,emulated:1,cpu:1"}) {
      auto workers = parse_workers(names, 3);
      QVERIFY(workers.ok());
      Team team(*workers);
      const double error = example_240_error(team);
      QVERIFY2(error < 1e-9, qPrintable(QString::number(error)));
      // In single precision within what the source's own printed digits are off.
      const double single = example_240_error(team, true);
      qInfo("single precision: %.1e", single);
      QVERIFY2(single > 1e-9 && single < 3.9e-5, qPrintable(QString::number(single)));
      std::set<int> took;
      for (const BalanceSample& sample : team.take_samples())
        if (sample.phase == "far pairs" && sample.work.flops > 0) took.insert(sample.worker);
      QVERIFY(took.contains(0));
    }
  }
};

QTEST_GUILESS_MAIN(TestDevicePairs)
#include "test_device_pairs.moc"
