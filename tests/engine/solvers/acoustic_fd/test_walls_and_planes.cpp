// SPDX-License-Identifier: BSD-3-Clause
// Obstacles, impedance walls, grids of one row, wide sources and maps: the same bits in every order of work, on devices and in windows; energy
// stays; a case reads them.
// labels: unit emulated
#include "engine/mesh/generators.hpp"
#include "engine/mesh/topology.hpp"
#include "engine/mesh/writers/write_mesh.hpp"
#include "engine/solvers/acoustic_fd/acoustic_fd.hpp"
#include "engine/solvers/acoustic_fd/case.hpp"
#include "engine/solvers/acoustic_fd/cuda/device_plan.hpp"
#include "engine/solvers/acoustic_fd/discretization/medium.hpp"
#include "engine/solvers/acoustic_fd/discretization/mesh_solid.hpp"
#include "engine/solvers/acoustic_fd/discretization/points.hpp"
#include "engine/solvers/acoustic_fd/discretization/walls.hpp"
#include "engine/solvers/acoustic_fd/stepping/streamed_march.hpp"
#include "engine/team/device.hpp"
#include "engine/team/team.hpp"
#include "tests/engine/solvers/acoustic_fd/support.hpp"
#include "tests/engine/solvers/acoustic_fd/walls.hpp"

#include <QTemporaryDir>
#include <QTest>
#include <numbers>
#include <numeric>

#include <fmt/core.h>

using namespace conoid;
using namespace conoid::acoustic_fd;
using namespace conoid::acoustic_fd::testing;

class TestWallsAndPlanes : public QObject {
  Q_OBJECT

  static Everything run(const Problem& p, const char* workers, Index steps, std::string* how = nullptr) {
    const auto cluster = single_rank();
    Team team(parse_workers(workers, 4).value());
    const auto march = make_march(p, this_machine(), *cluster);
    march->start(team, *cluster);
    Everything out = in_bands(*march, p, steps, team, *cluster);
    if (how) *how = march->tiling();
    return out;
  }

 private slots:
  void every_tiling_gives_the_bits_of_the_stepwise_march() {
    std::mt19937 random(33);
    const auto number = [&](Index a, Index b) { return std::uniform_int_distribution<Index>(a, b)(random); };
    for (int trial = 0; trial < 16; ++trial) {
      const int order = 2 * static_cast<int>(number(1, 6));
      const Index s = order / 2, rows = trial % 3 == 0 ? 1 : number(order + 9, 30);
      Problem p =
          walled_problem(order, {number(order + 12, 45), rows, number(order + 12, 60)}, trial % 4 != 1, trial % 5 == 4);
      if (trial % 2 == 1) make_matched(p);
      if (trial % 3 == 1 || trial % 4 == 0) p.density = std::make_shared<RoughDensity>(1000, 2.2, 3);
      if (trial % 3 != 1) make_smooth(p);
      const Index steps = number(8, 24);
      p.kernel = "reference";
      p.tiling = "stepwise 8";
      const Everything truth = run(p, "cpu:1", steps);
      QVERIFY2(*std::max_element(truth.field.begin(), truth.field.end()) > 1e-6F && std::isfinite(truth.energy.total()),
               "the test field must move");
      p.kernel = "auto";
      for (const std::string& tiling :
           {"diamond " + std::to_string(number(2 * s, 40)) + "x" + std::to_string(number(1, 20)),
            "diamond " + std::to_string(number(2 * s, 40)) + "x" + std::to_string(number(1, 20)) + "x16",
            "tower " + std::to_string(number(2 * s, 40)) + "x" + std::to_string(number(1, 20)),
            std::string("stepwise 3")}) {
        p.tiling = tiling;
        QVERIFY2(run(p, trial % 2 == 0 ? "cpu:3" : "cpu:2,cpu:1", steps) == truth,
                 qPrintable(QString("trial %1: %2, order %3").arg(trial).arg(tiling.c_str()).arg(order)));
      }
    }
  }

  void a_window_over_the_disk_gives_the_bits_of_memory() {
    for (const bool flat : {false, true}) {
      Problem p = walled_problem(4, {150, flat ? 1 : 19, 27}, true, false);
      make_matched(p);
      if (!flat) p.density = std::make_shared<RoughDensity>(1000, 2.2, 3);
      make_smooth(p);
      const Everything truth = run(p, "cpu:2", 17);
      p.memory = 1;
      const Bytes least = stream_plan(p).least, all = march_bytes(p, 1);
      QVERIFY(least < all);
      p.memory = std::max(least, all / 10 * 8);
      QVERIFY(stream_plan(p).needed && stream_plan(p).possible);
      QVERIFY(run(p, "cpu:2", 17) == truth);
    }
  }

  /// In core, on two devices, in windows over the host's memory: with walls alone, and with what is kept of every node beside the levels (memories of the
  /// attenuation, maps), which lie behind the field.
  void devices_give_the_processors_field_step_by_step() {
    configure_emulated({.devices = 2});
    for (const int order : {2, 8})
      for (const bool flat : {false, true})
        for (const bool kept : {false, true}) {
          Problem p = walled_problem(order, {97, flat ? 1 : 2 * order + 9, flat ? 32 : 33}, true, order == 2);
          if (!kept) {
            p.peak_map = p.rms_map = false;
            p.relaxations.clear();
          }
          if (kept == flat) p.density = std::make_shared<RoughDensity>(1000, 2.2, 3);
          const QString where = QString("order %1, flat %2, kept %3").arg(order).arg(flat).arg(kept);
          std::string how;
          const Everything want = run(p, "cpu", 9);
          QCOMPARE(want.field.size(), static_cast<std::size_t>(p.grid.cells() * (kept ? 3 : 1)));
          const Everything one = run(p, "emulated:0", 9, &how);
          QVERIFY2(how.find("emulated") != std::string::npos && how.find("panels") == std::string::npos &&
                       how.find("towers") == std::string::npos,
                   how.c_str());
          QVERIFY2(nearly(one, want), qPrintable(where));
          QVERIFY2(run(p, "emulated:0,emulated:1", 9, &how) == one, qPrintable(where + how.c_str()));
          make_matched(p);
          const Everything layered = run(p, "cpu", 9);
          QVERIFY2(nearly(run(p, "emulated:0", 9), layered), qPrintable(where));
          const DevicePlan plan = device_plan(p, 1, 1);
          p.device_memory = std::max(plan.least, plan.in_core / 10 * 8);
          QVERIFY2(nearly(run(p, "emulated:0", 9, &how), layered), qPrintable(where + how.c_str()));
          QVERIFY2(how.find("window") != std::string::npos, how.c_str());
        }
    configure_emulated({});
  }

  /// What walls have of the energy is added by the device, row by row, with the bits of the host, which has the same levels after a checkpoint: of voxels and
  /// smooth walls, one density and many, in both precisions, on one device, on two and in a window.
  void energies_beside_walls_are_those_of_the_host() {
    configure_emulated({.devices = 2});
    for (int trial = 0; trial < 4; ++trial) {
      const int order = trial % 2 == 0 ? 2 : 8;
      Problem p = walled_problem(order, {6 * order + 49, trial == 2 ? 1 : 2 * order + 9, 33}, true, trial == 1);
      if (trial % 2 == 1) make_smooth(p);
      if (trial > 1) p.density = std::make_shared<RoughDensity>(1000, 2.2, 3);
      p.energy_every = 9;
      const DevicePlan plan = device_plan(p, 1, 1);
      for (const char* workers : {"emulated:0", "emulated:0,emulated:1", "window"}) {
        const bool window = std::string(workers) == "window";
        p.device_memory = window ? std::max(plan.least, plan.in_core / 10 * 8) : 0;
        const auto cluster = single_rank();
        Team team(parse_workers(window ? "emulated:0" : workers, 2).value());
        const auto first = make_march(p, this_machine(), *cluster), second = make_march(p, this_machine(), *cluster);
        first->start(team, *cluster);
        QVERIFY2((first->tiling().find("window") != std::string::npos) == window, first->tiling().c_str());
        first->advance(team, *cluster, 9);
        const Energy by_device = first->energy(team, *cluster);
        MemoryCheckpoint checkpoint;
        first->save(checkpoint);
        second->start(team, *cluster);
        second->load(checkpoint, *cluster);
        const Energy by_host = second->energy(team, *cluster);
        QVERIFY2(by_device.kinetic == by_host.kinetic && by_device.potential == by_host.potential &&
                     by_host.kinetic > 0 && by_host.potential != 0,
                 qPrintable(QString("trial %1, %2: %3, %4")
                                .arg(trial)
                                .arg(workers)
                                .arg(by_device.potential)
                                .arg(by_host.potential)));
      }
    }
    configure_emulated({});
  }

  /// Attenuation and maps, together and alone, without walls, at odd sizes, of one to six solids, with sources beside each other in a row and on a border of devices:
  /// one device and several, windows of several sweeps, and a split by save and load give the bits of the processors.
  void attenuation_and_maps_on_devices_are_those_of_the_processors() {
    configure_emulated({.devices = 3});
    std::mt19937 random(77);
    const auto number = [&](Index a, Index b) { return std::uniform_int_distribution<Index>(a, b)(random); };
    for (int trial = 0; trial < 6; ++trial) {
      const int order = trial % 3 == 0 ? 2 : trial % 3 == 1 ? 4 : 8;
      Problem p =
          busy_problem(order, {5 * order + number(45, 55), 3 * order + number(0, 5), order + number(9, trial + 19)},
                       trial % 2 == 0, trial % 4 != 0, trial == 4);
      if (trial % 2 == 1) make_matched(p);
      if (trial == 2 || trial == 5) p.density = std::make_shared<RoughDensity>(1000, 2.2, 3);
      p.peak_map = trial % 3 != 1;
      p.rms_map = trial % 3 != 2;
      for (int l = 0; l < (trial == 0 ? 0 : trial == 5 ? 6 : number(1, 3)); ++l)
        p.relaxations.push_back({0.03 + 0.02 * l, (5 + 40 * l) * p.dt});
      if (trial % 3 != 0) p.initial = {Initial::Kind::pulse, 2.0, 5.0, {20, 15, 20}, 0, 0, {}};
      if (trial == 5) p.initial = {Initial::Kind::plane, 2.0, 5.0, {20, 15, 20}, 2, -1, {}};
      const Vec3 border{p.grid.at(0, 40), p.grid.at(1, p.grid.points[1] / 3), p.grid.at(2, 7)};
      for (const double beside : {0.0, 1.0, 2.3}) {
        Vec3 place = border;
        place[2] += beside * p.grid.spacing[2];
        p.sources.push_back({place, p.sources.front().signal});
      }
      const Index steps = number(9, 11);
      const QString where = QString("trial %1").arg(trial);
      std::string how;
      if (trial == 1) make_smooth(p);
      const Everything want = run(p, "cpu", steps), one = run(p, "emulated:0", steps, &how);
      QVERIFY2(how.find("emulated") != std::string::npos, how.c_str());
      QVERIFY2(nearly(one, want), qPrintable(where));
      QVERIFY2(run(p, "emulated:0,emulated:1,emulated:2", steps, &how) == one && how.find("3 ×") == 0,
               qPrintable(where + how.c_str()));
      if (trial == 3 && Device::open("emulated-checked"))
        QVERIFY2(run(p, "emulated-checked", steps) == one, qPrintable(where + ", checked"));
      const DevicePlan plan = device_plan(p, 1, 1);
      p.device_memory = std::max(plan.least, plan.in_core / 10 * 8);
      QVERIFY2(run(p, "emulated:0", steps, &how) == one && how.find("window") != std::string::npos,
               qPrintable(where + how.c_str()));
      if (trial % 2 == 1) p.device_memory = 0;
      const auto cluster = single_rank();
      Team team(parse_workers("emulated:0", 2).value());
      const auto first = make_march(p, this_machine(), *cluster), second = make_march(p, this_machine(), *cluster);
      first->start(team, *cluster);
      first->advance(team, *cluster, 5);
      MemoryCheckpoint kept;
      first->save(kept);
      const Everything rest = in_bands(*first, p, steps, team, *cluster);
      second->start(team, *cluster);
      second->load(kept, *cluster);
      QVERIFY2(in_bands(*second, p, steps, team, *cluster) == rest, qPrintable(where + ", split"));
      QVERIFY2(rest.field == one.field, qPrintable(where + ", split"));
    }
    configure_emulated({});
  }

  /// Of a varying density: rigid bodies and lined walls leave a constant pressure at rest, and a rigid body ends the fluid as a rigid face does at its wall.
  void a_varying_density_ends_at_walls_as_at_faces() {
    for (const int order : {2, 8}) {
      Problem p = walled_problem(order, {31, 27, 29}, true, true);
      for (std::size_t f = 1; f < 6; ++f) p.faces[f] = Face{FaceKind::rigid};
      auto bodies = std::make_shared<Obstacles>(p.grid);
      for (Index x = 0; x < 31; ++x)
        for (Index y = 0; y < 27; ++y)
          for (Index z = 0; z < 29; ++z)
            if (p.obstacles->at(x, y, z) != Solid::none) bodies->set(x, y, z, Solid::rigid);
      p.obstacles = bodies;
      p.density = std::make_shared<RoughDensity>(1000, 3, 4);
      p.relaxations.clear();
      p.peak_map = p.rms_map = false;
      p.sources.clear();
      p.receivers = {{"A", {p.grid.at(0, 17), p.grid.at(1, 13), p.grid.at(2, 20)}}};
      p.dt *= 0.7;
      p.initial = {Initial::Kind::pulse, 2.0, 1e12, {0, 0, 0}, 0, 0, {}};
      for (const double value : run(p, "cpu:2", 200).traces)
        QVERIFY2(std::abs(value / 2 - 1) < 1e-9, qPrintable(QString("order %1: %2").arg(order).arg(value)));

      // Likewise between smooth walls, with soft bodies taken for rigid ones.
      make_smooth(p, true);
      for (const double value : run(p, "cpu:2", 800).traces)
        QVERIFY2(std::abs(value / 2 - 1) < 1e-9,
                 qPrintable(QString("smooth, order %1: %2").arg(order).arg(value / 2 - 1)));

      // A duct whose fluid grows denser towards its end, by voxels (node 0, nodes 60 and on) and by faces half a node before them.
      const auto heard = [&](bool voxels) {
        Problem duct;
        duct.grid.points = {voxels ? 70 : 60, 1, 13};
        duct.grid.origin = {voxels ? 0 : 0.5, 0, 0};
        duct.order = order;
        duct.double_precision = true;
        duct.velocity = constant_velocity(1);
        duct.speed = {1, 1};
        duct.density = layered_velocity(0, 1, 0, {{0, 400, 30}});
        duct.reference_density = 1000;
        for (Face& face : duct.faces) face.kind = FaceKind::rigid;
        duct.dt = 0.3;
        if (voxels) {
          auto end = std::make_shared<Obstacles>(duct.grid);
          for (Index x = 0; x < 70; ++x)
            for (Index z = 0; z < 13 && (x == 0 || x >= 60); ++z) end->set(x, 0, z, Solid::rigid);
          duct.obstacles = end;
        }
        for (Index z = 0; z < 13; ++z)
          duct.sources.push_back(
              {{30.5, 0, static_cast<double>(z)}, std::make_shared<Ricker>(0.025, 60, z == 0 || z == 12 ? 0.5 : 1.0)});
        tell_density(*duct.density, duct);
        duct.receivers = {{"A", {50, 0, 6}}};
        return run(duct, "cpu:1", 420).traces;
      };
      const std::vector<double> body = heard(true), face = heard(false);
      double most = 0, worst = 0;
      for (std::size_t k = 0; k < face.size(); ++k) {
        most = std::max(most, std::abs(face[k]));
        worst = std::max(worst, std::abs(body[k] - face[k]));
      }
      QVERIFY2(most > 0 && worst < 6e-3 * most, qPrintable(QString("order %1: %2").arg(order).arg(worst / most)));
    }
  }

  /// A closed room with bodies in it keeps its energy, and nothing grows at nearly the largest step: the corrections beside walls are symmetric, masses of cut
  /// cells enough.
  void energy_stays_among_rigid_and_soft_bodies() {
    for (const auto& [order, smooth, dense] : {std::tuple{2, false, false},
                                               {8, false, false},
                                               {4, true, false},
                                               {12, true, false},
                                               {2, false, true},
                                               {6, false, true},
                                               {2, true, true},
                                               {8, true, true}}) {
      Problem p = walled_problem(order, {31, 27, 29}, false, true);
      for (std::size_t f = 0; f < 6; ++f) p.faces[f] = Face{f == 5 ? FaceKind::free_surface : FaceKind::rigid};
      p.sources.clear();
      p.receivers.clear();
      p.peak_map = p.rms_map = false;
      p.relaxations.clear();
      p.dt = 0.95 * largest_time_step(stencil_of_order(order), p.grid.spacing, p.speed.highest);
      if (dense) {
        p.density = std::make_shared<RoughDensity>(1000, 3, 4);
        const double potential = potential_bound(stencil_of_order(order), p.grid.spacing, 1000, 3000),
                     free = 4 / std::pow(p.speed.highest * p.dt / p.grid.spacing[0] / 0.95, 2);
        p.dt *= std::sqrt(free / (free + potential));
      }
      if (smooth) make_smooth(p);
      p.initial = {Initial::Kind::pulse, 2.0, 6.0, {20, 35, 38}, 0, 0, {}};
      const auto cluster = single_rank();
      Team team(parse_workers("cpu", 2).value());
      const auto march = make_march(p, this_machine(), *cluster);
      march->start(team, *cluster);
      march->step(team, *cluster);
      const double first = march->energy(team, *cluster).total();
      double worst = 0;
      for (int i = 0; i < 20; ++i) {
        march->advance(team, *cluster, 100);
        worst = std::max(worst, std::abs(march->energy(team, *cluster).total() / first - 1));
      }
      // Rounding of 2000 steps in double precision.
      QVERIFY2(first > 0 && worst < 1e-10, qPrintable(QString("order %1: %2").arg(order).arg(worst)));
    }
  }

  void walls_of_any_impedance_are_stable() {
    for (const double zeta : {1e-6, 0.01, 0.3, 1.0, 1e6}) {
      Problem p = walled_problem(12, {31, 27, 29}, false, false);
      for (Face& face : p.faces) {
        face = Face{FaceKind::impedance};
        face.zeta = zeta;
      }
      p.dt = 0.99 * largest_time_step(stencil_of_order(12), p.grid.spacing, p.speed.highest);
      const auto cluster = single_rank();
      Team team(parse_workers("cpu", 2).value());
      const auto march = make_march(p, this_machine(), *cluster);
      march->start(team, *cluster);
      march->advance(team, *cluster, 200);
      const double before = march->energy(team, *cluster).total();
      march->advance(team, *cluster, 1000);
      const double after = march->energy(team, *cluster).total();
      QVERIFY2(std::isfinite(after) && after < 1.0001 * before, qPrintable(QString("zeta %1").arg(zeta)));
    }
  }

  void peak_and_rms_are_those_of_the_levels() {
    Problem p = walled_problem(4, {25, 21, 27}, true, false);
    const auto cluster = single_rank();
    Team team(parse_workers("cpu", 2).value());
    const auto march = make_march(p, this_machine(), *cluster);
    march->start(team, *cluster);
    March::Cut all;
    all.count = p.grid.points;
    std::vector<float> peak(static_cast<std::size_t>(p.grid.cells()), 0), squares = peak, now, map;
    for (int k = 0; k < 25; ++k) {
      march->step(team, *cluster);
      now.clear();
      march->read(all, now);
      for (std::size_t i = 0; i < now.size(); ++i) {
        peak[i] = std::max(peak[i], std::abs(now[i]));
        squares[i] += now[i] * now[i];
      }
    }
    march->read_map(0, all, map);
    QVERIFY(map == peak && *std::max_element(peak.begin(), peak.end()) > 1e-6F);
    map.clear();
    march->read_map(1, all, map);
    for (std::size_t i = 0; i < map.size(); ++i) QVERIFY(std::abs(map[i] - squares[i]) <= 1e-5F * squares[i]);
    MemoryCheckpoint kept;
    march->save(kept);
    const auto second = make_march(p, this_machine(), *cluster);
    second->start(team, *cluster);
    second->load(kept, *cluster);
    std::vector<float> again;
    second->read_map(1, all, again);
    QVERIFY(again == map);
  }

  void shares_of_discs_and_bowls_add_up_to_one() {
    for (const bool flat : {false, true})
      for (const auto& parts :
           {disc_parts({1, 2, 3}, {0, 0.6, 0.8}, 7.3, 1, flat), bowl_parts({1, 2, 3}, {0.8, 0, 0.6}, 20, 9, 1, flat)}) {
        double sum = 0;
        for (const SourcePart& part : parts) sum += part.share;
        QVERIFY(std::abs(sum - 1) < 1e-12);
      }
  }

  /// Points inside bodies by crossings are those by the angles of the triangles: bodies that touch no plane of nodes evenly and ones whose corners and edges
  /// lie on its rows, with a hollow, overlapping, inside out.
  void the_inside_of_a_mesh_is_where_its_surface_winds() {
    const auto joined = [](Mesh a, const Mesh& b, bool inverted) {
      const Index first = a.point_count();
      for (Index i = 0; i < b.point_count(); ++i) a.add_point(b.point(i));
      for (Index c = 0; c < b.cell_count(); ++c) {
        const auto n = b.nodes(c);
        a.add_cell(b.shape(c), {n[0] + first, n[inverted ? 2 : 1] + first, n[inverted ? 1 : 2] + first});
      }
      return a;
    };
    const auto sphere = [](double radius, int divisions, const Vec3& centre) {
      return icosphere({.radius = radius, .divisions = divisions, .centre = centre}).value();
    };
    const Mesh plain = sphere(6, 4, {8, 8, 8}), odd = sphere(5.3, 3, {7.31, 8.17, 7.77});
    for (const Mesh& mesh : {plain, odd, joined(plain, sphere(3, 3, {8, 8, 8}), true),
                             joined(plain, sphere(5, 3, {11, 8, 8}), false), joined(Mesh(), odd, true)}) {
      const auto solid = MeshSolid::of(mesh);
      QVERIFY2(solid.ok(), solid ? "" : solid.error().text.c_str());
      std::vector<Index> cells(static_cast<std::size_t>(mesh.cell_count()));
      std::iota(cells.begin(), cells.end(), Index{0});
      std::vector<unsigned char> inside(41);
      Index within = 0;
      for (int x = 0; x < 34; ++x)
        for (int y = 0; y < 34; ++y) {
          (*solid)->row(0.5 * x, 0.5 * y, -1.03, 0.47, inside);
          for (std::size_t k = 0; k < inside.size(); ++k) {
            const double turns = winding_number(mesh, cells, {0.5 * x, 0.5 * y, -1.03 + 0.47 * static_cast<double>(k)});
            QCOMPARE(inside[k] != 0, std::abs(turns) > 0.5);
            within += inside[k];
          }
        }
      QVERIFY(within > 1000);
    }
    // 82,000 triangles, no node near enough to tell them from the ball.
    const auto ball = MeshSolid::of(sphere(10.3, 64, {12, 12, 12}));
    std::vector<unsigned char> inside(25);
    for (int x = 0; x < 25; ++x)
      for (int y = 0; y < 25; ++y) {
        (*ball)->row(x, y, 0, 1, inside);
        for (int z = 0; z < 25; ++z)
          QCOMPARE(inside[static_cast<std::size_t>(z)] != 0, std::hypot(x - 12, y - 12, z - 12) <= 10.3);
      }
    std::vector<Index> cells(static_cast<std::size_t>(plain.cell_count() - 1));
    std::iota(cells.begin(), cells.end(), Index{0});
    const auto open = MeshSolid::of(plain.extract(cells));
    QVERIFY(!open && open.error().text.find("not closed") != std::string::npos);
  }

  /// A file in millimetres, read for the run and for the check alone; what it lacks is told at the case's line.
  void a_case_reads_an_obstacle_from_a_mesh() {
    const QTemporaryDir folder;
    const auto file = [&](const char* name) { return folder.filePath(name).toStdString(); };
    const Mesh ball = icosphere({.radius = 8300, .divisions = 16, .centre = {15000, 14000, 13000}}).value();
    QVERIFY(write_mesh(ball, file("ball.stl")).ok());
    std::vector<Index> cells(static_cast<std::size_t>(ball.cell_count() - 3));
    std::iota(cells.begin(), cells.end(), Index{0});
    QVERIFY(write_mesh(ball.extract(cells), file("open.stl")).ok());
    const auto schema = Schema::for_solver("acoustic-fd", solver_info().schema);
    std::vector<Diagnostic> diagnostics;
    const auto read = [&](const char* name, const char* unit, bool nodes) {
      const std::string text = fmt::format(
          R"json({{"conoid": 1, "solver": "acoustic-fd", "grid": {{"points": [31, 29, 27], "spacing": "1 m"}},
            "medium": {{"obstacles": [{{"kind": "mesh", "file": "{}", "surface": "soft"{}}}]}}, "boundaries": {{
            "x_min": {{"width": 3}}, "x_max": {{"width": 3}}, "y_min": {{"width": 3}}, "y_max": {{"width": 3}},
            "z_min": {{"width": 3}}, "z_max": {{"width": 3}}}}, "parameters": {{"steps": 10, "order": 2}}}})json",
          file(name), unit);
      diagnostics.clear();
      const Case input = Case::resolve(CaseDocument::parse(text, "case.json").value(), schema.value()).value();
      return (nodes ? with_nodes(input, diagnostics) : read_setup(input, diagnostics)).problem;
    };
    const Problem p = read("ball.stl", R"(, "unit": "mm")", true);
    QVERIFY2(diagnostics.empty(), diagnostics.empty() ? "" : diagnostics[0].text.c_str());
    Index differ = 0;
    for (Index x = 0; x < 31; ++x)
      for (Index y = 0; y < 29; ++y)
        for (Index z = 0; z < 27; ++z)
          differ += (p.obstacles->at(x, y, z) == Solid::soft) != (std::hypot(x - 15, y - 14, z - 13) <= 8.25);
    QCOMPARE(differ, Index{0});
    static_cast<void>(read("open.stl", R"(, "unit": "mm")", false));
    QVERIFY(has_errors(diagnostics) && diagnostics[0].text.find("not closed") != std::string::npos);
    static_cast<void>(read("ball.stl", "", false));
    QVERIFY(has_errors(diagnostics) && diagnostics[0].text.find("unit") != std::string::npos);
  }

  /// The fluid has the volume that a ball leaves of it, whose walls lie where they are; half a ball on a mirror, too. The time step takes nothing from it.
  void a_case_with_smooth_walls_has_the_volume_of_its_fluid() {
    const auto schema = Schema::for_solver("acoustic-fd", solver_info().schema);
    std::vector<Diagnostic> diagnostics;
    const auto read = [&](double z, const char* walls) {
      const std::string text = fmt::format(
          R"json({{"conoid": 1, "solver": "acoustic-fd", "grid": {{"points": [31, 29, 27], "spacing": "2 m"}},
            "medium": {{"obstacle_walls": "{}", "obstacles": [{{"kind": "sphere", "centre": [30.7, 28.1, {}], "radius": "16.6 m"}}]}},
            "boundaries": {{"x_min": {{"width": 3}}, "x_max": {{"width": 3}}, "y_min": {{"width": 3}}, "y_max": {{"width": 3}},
            "z_min": {{"kind": "rigid"}}, "z_max": {{"width": 3}}}}, "parameters": {{"steps": 10, "order": 2}}}})json",
          walls, z);
      diagnostics.clear();
      return with_nodes(Case::resolve(CaseDocument::parse(text, "case.json").value(), schema.value()).value(),
                        diagnostics)
          .problem;
    };
    const double ball = 4.0 / 3 * std::numbers::pi * std::pow(8.3, 3);
    QVERIFY(!read(26.3, "voxels").obstacles->cuts());
    for (const auto& [z, gone] : {std::pair{26.3, ball}, {0.0, 0.5 * ball}}) {
      const Problem p = read(z, "smooth");
      QVERIFY2(diagnostics.empty(), diagnostics.empty() ? "" : diagnostics[0].text.c_str());
      const CutWalls* const cuts = p.obstacles->cuts();
      QVERIFY(cuts && !cuts->nodes().empty());
      double fluid = 0, whole = 0;
      for (Index x = 0; x < 31; ++x)
        for (Index y = 0; y < 29; ++y)
          for (Index k = 0; k < 27; ++k) {
            const double share = k == 0 ? 0.5 : 1;  // a mirror halves the cells on it
            const CutNode* const cut = cuts->at(x, y, k);
            whole += share;
            if (p.obstacles->at(x, y, k) == Solid::none) fluid += share * (cut ? cut->mass : 1);
          }
      // Four lines across a cell each way: a tenth of a per cent of the ball.
      QVERIFY2(std::abs(whole - fluid - gone) < 2e-3 * gone,
               qPrintable(QString("%1 cells, not %2").arg(whole - fluid).arg(gone)));
      QVERIFY2(cuts->added() < 1e-3 * gone, qPrintable(QString("%1 added").arg(cuts->added())));
    }
  }

  /// Elements, shares and delays by their formulas; what cannot be an array is told.
  void a_case_reads_arrays() {
    const auto schema = Schema::for_solver("acoustic-fd", solver_info().schema);
    std::vector<Diagnostic> diagnostics;
    const auto read = [&](const std::string& shape, const char* points = "[61, 51, 41]", int y = 25) {
      const std::string text = fmt::format(
          R"json({{"conoid": 1, "solver": "acoustic-fd", "grid": {{"points": {0}, "spacing": "1 m"}}, "excitation": {{"sources": [
            {{"position": [9, {1}, 9], "signal": {{"kind": "ricker", "frequency": "50 Hz"}}}},
            {{"position": [30, {1}, 20], "shot": 3, "signal": {{"kind": "ricker", "frequency": "50 Hz", "amplitude": 2}},
              "shape": {2}}}]}}, "parameters": {{"steps": 10}}, "boundaries": {3}}})json",
          points, y, shape, y == 0 ? R"({"y_min": {"kind": "rigid"}, "y_max": {"kind": "rigid"}})" : "{}");
      const auto resolved = Case::resolve(CaseDocument::parse(text, "case.json").value(), schema.value());
      if (!resolved) {
        diagnostics = {resolved.error()};
        return Problem{};
      }
      diagnostics.clear();
      const Setup setup = with_nodes(resolved.value(), diagnostics);
      if (!has_errors(diagnostics)) check_setup(setup, resolved.value(), diagnostics);
      return setup.problem;
    };
    const auto told = [&](const std::string& shape, const char* what) {
      static_cast<void>(read(shape));
      return std::any_of(diagnostics.begin(), diagnostics.end(), [&](const Diagnostic& d) {
        return d.severity == Severity::error && d.text.find(what) != std::string::npos;
      });
    };
    const Problem line =
        read(R"({"kind": "array", "elements": 3, "pitch": 4, "direction": [0, 2, 0], "apodisation": "hann",
      "speed": 2000, "steering": {"kind": "angle", "angle": "30 deg"}})");
    QVERIFY2(!has_errors(diagnostics), diagnostics.empty() ? "" : diagnostics[0].text.c_str());
    QCOMPARE(line.sources.size(), std::size_t{4});
    const double shares[] = {0.25 / 1.5, 1 / 1.5, 0.25 / 1.5};
    const Ricker sent(50, 0.03, 2);
    for (std::size_t n = 0; n < 3; ++n) {
      const Source& source = line.sources[n + 1];
      QVERIFY(source.shot == 3 && source.listed == 1 && source.centre == (Vec3{30, 25, 20}));
      QCOMPARE(source.position, (Vec3{30, 21 + 4 * static_cast<double>(n), 20}));
      const double delay = 4 * static_cast<double>(n) * 0.5 / 2000;
      for (const double t : {0.02, 0.03, 0.0337})
        QVERIFY(std::abs(source.signal->at(t) - shares[n] * sent.at(t - delay)) < 1e-12);
    }
    // By the medium's own speed, in rows: all arrive at the focus together, wherever it is.
    const Problem rows =
        read(R"({"kind": "array", "elements": 4, "rows": 3, "pitch": 2, "row_pitch": 3, "across": [1, 0, 1],
      "steering": {"kind": "focus", "at": [33, 40, 12]}})");
    QCOMPARE(rows.sources.size(), std::size_t{13});
    std::vector<double> arrivals;
    for (std::size_t n = 1; n < 13; ++n) {
      const Vec3& x = rows.sources[n].position;
      arrivals.push_back(rows.sources[n].signal->end() + std::hypot(x[0] - 33, x[1] - 40, x[2] - 12) / 1500);
    }
    const auto [first, last] = std::minmax_element(arrivals.begin(), arrivals.end());
    QVERIFY(*last - *first < 1e-12);
    QCOMPARE(rows.sources[1].position, (Vec3{27, 25, 17}));
    // In two dimensions y does not count.
    const Problem flat =
        read(R"({"kind": "array", "elements": 2, "pitch": 6, "steering": {"kind": "focus", "at": [30, 0, 40]}})",
             "[61, 1, 51]", 0);
    QVERIFY2(!has_errors(diagnostics), diagnostics.empty() ? "" : diagnostics[0].text.c_str());
    QVERIFY(flat.sources[1].signal->end() == flat.sources[2].signal->end());
    QVERIFY(told(R"({"kind": "array", "elements": 2, "pitch": 1, "steering": {"kind": "delays", "delays": [0]}})",
                 "1 delays for 2"));
    QVERIFY(told(R"({"kind": "array", "elements": 200, "rows": 200, "pitch": 0.1})", "at most 10000"));
    QVERIFY(told(R"({"kind": "array", "elements": 2, "rows": 2, "pitch": 1, "across": [1, 0, 0]})", "parallel"));
    QVERIFY(told(R"({"kind": "array", "elements": 2, "rows": 2, "pitch": 1,
      "steering": {"kind": "angle", "angle": "60 deg", "angle_across": "60 deg"}})",
                 "squares of their sines"));
    QVERIFY(told(R"({"kind": "array", "elements": 40, "pitch": 3})", "source 2: an element's x"));
    QVERIFY(std::count_if(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& d) {
              return d.severity == Severity::error && d.text.find("source 2") != std::string::npos;
            }) == 1);  // one element is enough
  }

  void a_case_reads_walls_shapes_and_velocities() {
    const char* const text = R"json({"conoid": 1, "solver": "acoustic-fd",
      "grid": {"points": [61, 1, 51], "spacing": "1 m"},
      "medium": {"attenuation": {"kind": "constant_q", "quality": 40}, "obstacles": [
        {"kind": "formula", "formula": "x > 40 && z < 10 + 2*sin(x)"},
        {"kind": "sphere", "centre": [20, 0, 30], "radius": 4, "surface": "soft"},
        {"kind": "box", "lower": [19, -1, 29], "upper": [21, 1, 31], "surface": "none"}]},
      "boundaries": {"z_min": {"kind": "rigid"}, "z_max": {"kind": "impedance", "impedance": 3}},
      "excitation": {"sources": [{"position": [30, 0, 25], "signal": {"kind": "ricker", "frequency": "50 Hz"},
        "shape": {"kind": "dipole", "direction": [0, 0, 2]}}]},
      "parameters": {"steps": 10},
      "output": {"receivers": [{"position": [30, 0, 40], "velocity": true}], "peak_pressure": true}})json";
    const auto document = CaseDocument::parse(text, "case.json");
    QVERIFY(document.ok());
    const auto schema = Schema::for_solver("acoustic-fd", solver_info().schema);
    const auto resolved = Case::resolve(document.value(), schema.value());
    QVERIFY2(resolved.ok(), resolved ? "" : resolved.error().text.c_str());
    const Case& input = resolved.value();
    std::vector<Diagnostic> diagnostics;
    const Setup setup = with_nodes(input, diagnostics);
    check_setup(setup, input, diagnostics);
    for (const auto& d : diagnostics) QVERIFY2(d.severity != Severity::error, d.text.c_str());
    const Problem& p = setup.problem;
    QVERIFY(p.relaxations.size() == 3 && p.stiffening > 1 && p.speed.highest == p.stiffening * 1500);
    QVERIFY(std::abs(loss(p.relaxations, 50) * 40 - 1) < 0.05);
    QVERIFY(p.grid.flat() && p.grid.spacing[1] == 1 && p.faces[5].zeta == 3 && p.peak_map && !p.rms_map);
    QCOMPARE(p.sources[0].dipole, (Vec3{0, 0, 1}));
    QCOMPARE(p.receivers.size(), std::size_t{3});  // and the slopes along x and z
    QCOMPARE(setup.pressure_receivers, std::size_t{1});
    QVERIFY(p.obstacles->at(45, 0, 3) == Solid::rigid && p.obstacles->at(20, 0, 33) == Solid::soft);
    QVERIFY(p.obstacles->at(20, 0, 30) == Solid::none && p.obstacles->at(30, 0, 3) == Solid::none);
    // In the layer at x_max the ground goes on as it is before it.
    const Index begins = 61 - p.faces[1].width - p.order / 2 - 1;
    for (Index x = begins; x < 61; ++x)
      for (Index z = 0; z < 50; ++z) QVERIFY(p.obstacles->at(x, 0, z) == p.obstacles->at(begins, 0, z));
    // Ground within the layer below is told of.
    std::string below = text;
    below.replace(below.find("rigid"), 5, "matched");
    const auto other = Case::resolve(CaseDocument::parse(below, "case.json").value(), schema.value());
    diagnostics.clear();
    static_cast<void>(with_nodes(other.value(), diagnostics));
    QVERIFY(std::any_of(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& d) {
      return d.severity == Severity::warning && d.text.find("z_min") != std::string::npos;
    }));
  }
};

QTEST_GUILESS_MAIN(TestWallsAndPlanes)
#include "test_walls_and_planes.moc"
