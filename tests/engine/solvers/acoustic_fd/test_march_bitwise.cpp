// SPDX-License-Identifier: BSD-3-Clause
// Every way of computing a step gives the same bits: kernel bodies, threads, unlike workers, a split by save and load.
// labels: unit
#include "engine/solvers/acoustic_fd/kernels/patch.hpp"
#include "engine/solvers/acoustic_fd/stepping/streamed_march.hpp"
#include "engine/team/team.hpp"
#include "tests/engine/solvers/acoustic_fd/support.hpp"

#include <QTemporaryDir>
#include <QTest>

using namespace conoid;
using namespace conoid::acoustic_fd;
using namespace conoid::acoustic_fd::testing;

class TestMarchBitwise : public QObject {
  Q_OBJECT

  static Everything run(const Problem& p, const char* workers, Index steps) {
    const auto cluster = single_rank();
    Team team(parse_workers(workers, 4).value());
    const auto march = make_march(p, this_machine(), *cluster);
    march->start(team, *cluster);
    return march_on(*march, p, steps, team, *cluster);
  }

 private slots:
  /// A few receivers, and so many that the team shares what they recorded.
  void records_are_what_samples_are() {
    for (const int count : {3, 120}) {
      Problem p = busy_problem(4, {31, 27, 33}, true, true, false);
      p.receivers.clear();
      std::mt19937 random(7);
      std::uniform_real_distribution<double> along(0.05, 0.95);
      for (int n = 0; n < count; ++n) {
        Vec3 at{};
        for (std::size_t axis = 0; axis < 3; ++axis)
          at[axis] = p.grid.origin[axis] + along(random) * (p.grid.upper(axis) - p.grid.origin[axis]);
        p.receivers.push_back({"R", at});
      }
      constexpr Index steps = 13;
      const Everything want = run(p, "cpu:1", steps);
      const auto cluster = single_rank();
      Team team(parse_workers("cpu", 3).value());
      const auto march = make_march(p, this_machine(), *cluster);
      march->start(team, *cluster);
      March::Recorder recorder;
      march->advance(team, *cluster, 2, &recorder);
      march->advance(team, *cluster, steps - 2, &recorder);
      QCOMPARE(recorder.samples.size(), static_cast<std::size_t>(steps));
      std::vector<double> all, traces(p.receivers.size());
      for (const auto& parts : recorder.samples) {
        march->join_traces(parts, traces);
        all.insert(all.end(), traces.begin(), traces.end());
      }
      QVERIFY2(*std::max_element(all.begin(), all.end()) > 1e-6, "something arrives");
      QCOMPARE(all, want.traces);
    }
  }

  void all_kernels_agree_on_odd_sizes() {
    std::mt19937 random(20150018);
    for (const bool wide : {false, true})
      for (const int order : {2, 4, 6, 8, 10, 12})
        for (const bool equal : {true, false})
          for (const bool varying : {true, false}) {
            std::array<Index, 3> n{};
            for (auto& i : n) i = std::uniform_int_distribution<Index>(order + 9, 29)(random);
            n[2] += std::uniform_int_distribution<Index>(0, 40)(random);
            Problem p = busy_problem(order, n, equal, varying, wide);
            if (n[0] % 2 == 0) make_matched(p);
            if (n[1] % 2 == 0) p.density = std::make_shared<RoughDensity>(1000, 2.2, 3);
            p.kernel = "reference";
            const Everything truth = run(p, "cpu:1", 7);
            double largest = 0;
            for (const float v : truth.field) largest = std::max(largest, std::abs(static_cast<double>(v)));
            QVERIFY2(largest > 1e-6 && std::isfinite(largest), "the test field must move");
            for (const auto name : patch_kernel_names(this_machine())) {
              p.kernel = name;
              if (name == "reference") continue;  // the truth itself
              QVERIFY2(run(p, "cpu:1", 7) == truth,
                       qPrintable(QString("%1 order %2 equal %3 varying %4 double %5 (%6,%7,%8)")
                                      .arg(QString::fromStdString(p.kernel))
                                      .arg(order)
                                      .arg(equal)
                                      .arg(varying)
                                      .arg(wide)
                                      .arg(n[0])
                                      .arg(n[1])
                                      .arg(n[2])));
            }
          }
  }

  /// All at once in bands of random length, so that tiles are clipped in time in every way.
  static Everything run_bands(const Problem& p, const char* workers, Index steps, std::mt19937& random) {
    const auto cluster = single_rank();
    Team team(parse_workers(workers, 4).value());
    const auto march = make_march(p, this_machine(), *cluster);
    march->start(team, *cluster);
    March::Recorder recorder;
    while (march->steps_done() < steps)
      march->advance(team, *cluster,
                     std::min(steps - march->steps_done(), std::uniform_int_distribution<Index>(1, 2 * steps)(random)),
                     &recorder);
    Everything out;
    std::vector<double> traces(p.receivers.size());
    for (const auto& parts : recorder.samples) {
      march->join_traces(parts, traces);
      out.traces.insert(out.traces.end(), traces.begin(), traces.end());
    }
    out.energy = march->energy(team, *cluster);
    March::Cut all;
    all.count = p.grid.points;
    march->read(all, out.field);
    return out;
  }

  /// Layers at both ends of all axes and where they meet; widths of odd and even rows, and tiles that begin in them.
  void matched_layers_that_meet_give_the_bits_of_the_reference() {
    std::mt19937 random(912);
    const auto number = [&](Index a, Index b) { return std::uniform_int_distribution<Index>(a, b)(random); };
    for (int trial = 0; trial < 16; ++trial) {
      const int order = trial % 2 == 1 ? 2 : 2 + trial % 12;
      Problem p = busy_problem(order, {number(21, 40), number(21, 40), number(21, 70)}, trial % 5 != 2, trial % 3 != 1,
                               trial % 4 == 3);
      for (std::size_t f = 0; f < 6; ++f)
        if (f < 4 || trial % 4 != (f == 4 ? 0 : 1)) p.faces[f] = Face{FaceKind::matched, number(1, 10)};
      make_matched(p);
      p.kernel = "reference";
      p.tiling = "stepwise 8";
      const Everything truth = run(p, "cpu:1", 19);
      QVERIFY(*std::max_element(truth.field.begin(), truth.field.end()) > 1e-6F);
      for (const auto name : patch_kernel_names(this_machine()))
        for (const char* tiling : {"stepwise 5", "diamond 12x4", "tower 8x8"}) {
          p.kernel = name;
          p.tiling = tiling;
          QVERIFY2(run(p, "cpu:2", 19) == truth,
                   qPrintable(
                       QString("trial %1, %2, %3").arg(trial).arg(QString::fromStdString(p.kernel), QString(tiling))));
        }
    }
  }

  void every_tiling_gives_the_bits_of_the_stepwise_march() {
    std::mt19937 random(4329);
    const auto number = [&](Index a, Index b) { return std::uniform_int_distribution<Index>(a, b)(random); };
    for (int trial = 0; trial < 30; ++trial) {
      const int order = 2 * static_cast<int>(number(1, 6));
      const Index s = order / 2;
      const std::array<Index, 3> n{number(order + 9, 45), number(order + 9, 45), number(order + 9, 60)};
      Problem p = busy_problem(order, n, trial % 3 != 0, trial % 4 != 1, trial % 5 == 4);
      if (trial % 2 == 1) make_matched(p);
      if (trial % 7 >= 5) p.density = std::make_shared<RoughDensity>(1000, 2.2, 3);
      const Index steps = number(5, 24);
      p.kernel = "reference";
      p.tiling = "stepwise 8";
      std::mt19937 ones(1);
      const Everything truth = run(p, "cpu:1", steps);
      double largest = 0;
      for (const float v : truth.field) largest = std::max(largest, std::abs(static_cast<double>(v)));
      QVERIFY2(largest > 1e-6 && std::isfinite(largest), "the test field must move");
      p.kernel = "auto";
      for (int shape = 0; shape < 4; ++shape) {
        p.tiling = shape == 3 ? "diamond " + std::to_string(number(2 * s, 40)) + "x" + std::to_string(number(1, 20)) +
                                    "x" + std::to_string(16 * number(1, 4)) + "/" + std::to_string(number(1, 20))
                   : shape == 0 ? "diamond " + std::to_string(number(2 * s, 40)) + "x" + std::to_string(number(1, 20))
                   : shape == 1 ? "tower " + std::to_string(number(2 * s, 40)) + "x" + std::to_string(number(1, 20))
                                : "stepwise " + std::to_string(number(1, 40));
        const char* workers = (trial + shape) % 2 == 0 ? "cpu:3" : "cpu:2,cpu:1";
        QVERIFY2(run_bands(p, workers, steps, random) == truth,
                 qPrintable(QString("trial %1: %2 order %3 (%4,%5,%6) %7 steps on %8")
                                .arg(trial)
                                .arg(QString::fromStdString(p.tiling))
                                .arg(order)
                                .arg(n[0])
                                .arg(n[1])
                                .arg(n[2])
                                .arg(steps)
                                .arg(workers)));
      }
    }
  }

  void a_window_over_the_disk_gives_the_bits_of_memory() {
    std::mt19937 random(77);
    const auto number = [&](Index a, Index b) { return std::uniform_int_distribution<Index>(a, b)(random); };
    for (int trial = 0; trial < 12; ++trial) {
      const int order = 2 * static_cast<int>(number(1, trial % 2 == 0 ? 2 : 6));
      const std::array<Index, 3> n{number(140, 190), number(order + 9, 30), number(order + 9, 40)};
      Problem p = busy_problem(order, n, true, trial % 4 != 1, trial % 5 == 4);
      if (trial % 2 == 1) make_matched(p);
      if (trial % 3 == 2)
        p.density = layered_velocity(0, 1, p.grid.origin[0], {{0, 1000, 5}, {20, 2200, 0}, {31, 1800, 3}});
      if (trial % 4 == 3) p.initial = {Initial::Kind::pulse, 2.0, 9.0, p.sources[0].position, 0, 0};
      const Index steps = number(5, 30);
      const Everything truth = run(p, "cpu:1", steps);
      p.memory = 1;
      const Bytes least = stream_plan(p).least, all = march_bytes(p, 1);
      QVERIFY2(least < all, qPrintable(QString("least %1, all %2").arg(least).arg(all)));
      p.memory = least + (all - least) / static_cast<Bytes>(number(2, 8));
      const StreamPlan plan = stream_plan(p);
      QVERIFY(plan.needed && plan.possible);
      QTemporaryDir folder;
      p.scratch = folder.path().toStdString();
      {
        p.tiling = trial % 4 < 2 ? "diamond 16x4x32" : "tower 12x7";
        QVERIFY2(run_bands(p, "cpu:2", steps, random) == truth,
                 qPrintable(QString("trial %1 order %2 (%3,%4,%5), %6 steps: %7 planes, %8 steps at a time")
                                .arg(trial)
                                .arg(order)
                                .arg(n[0])
                                .arg(n[1])
                                .arg(n[2])
                                .arg(steps)
                                .arg(plan.planes)
                                .arg(plan.steps)));
      }
    }
  }

  void looking_at_a_window_over_the_disk_writes_nothing() {
    for (const bool matched : {false, true}) {
      Problem p = busy_problem(4, {150, 17, 21}, true, true, false);
      if (matched) make_matched(p);
      p.memory = 1;
      const Bytes least = stream_plan(p).least;
      p.memory = least + (march_bytes(p, 1) - least) / 4;
      QVERIFY(stream_plan(p).needed && stream_plan(p).possible);
      QTemporaryDir folder;
      p.scratch = folder.path().toStdString();
      const auto cluster = single_rank();
      Team team({WorkerSpec{"cpu", 2, 1}});
      const auto march = make_march(p, this_machine(), *cluster);
      march->start(team, *cluster);
      march->advance(team, *cluster, 7);
      const March::Streamed before = march->streamed();
      std::vector<float> first, second;
      March::Cut all;
      all.count = p.grid.points;
      std::vector<double> parts(march->parts());
      MemoryCheckpoint checkpoint;
      march->read(all, first);
      march->sample(parts);
      (void)march->energy(team, *cluster);
      (void)march->peak(team);
      march->save(checkpoint);
      march->read(all, second);
      QVERIFY(first == second);
      // Six sweeps, each of which reads the grid once, less what the store has in memory.
      QVERIFY(march->streamed().read > before.read + 2 * stream_plan(p).disk);
      QVERIFY(march->streamed().written <= before.written + stream_plan(p).level_memory);  // what had waited
      const Everything rest = march_on(*march, p, 9, team, *cluster);
      const auto other = make_march(p, this_machine(), *cluster);
      other->start(team, *cluster);
      other->advance(team, *cluster, 7);
      QVERIFY(march_on(*other, p, 9, team, *cluster) == rest);
    }
  }

  void threads_and_workers_do_not_matter() {
    const Problem p = busy_problem(8, {37, 23, 45}, true, true, false);
    const Everything one = run(p, "cpu:1", 25);
    QVERIFY(run(p, "cpu:4", 25) == one);
    QVERIFY(run(p, "cpu:3,cpu:1", 25) == one);
    QVERIFY(run(p, "cpu:1,cpu:1,cpu:2", 25) == one);
  }

  void a_different_step_gives_different_bits() {  // so that equality above means something
    const Problem p = busy_problem(4, {19, 17, 21}, true, true, false);
    QVERIFY(!(run(p, "cpu:1", 12).field == run(p, "cpu:1", 13).field));
    Problem q = p;
    q.dt *= 1.0001;
    QVERIFY(!(run(q, "cpu:1", 12) == run(p, "cpu:1", 12)));
  }

  void split_by_save_and_load_is_the_unsplit_run() {
    for (const bool wide : {false, true}) {
      Problem p = busy_problem(6, {21, 26, 33}, false, true, wide);
      if (wide) make_matched(p);
      const auto cluster = single_rank();
      Team team({WorkerSpec{"cpu", 2, 1}});
      const auto whole = make_march(p, this_machine(), *cluster);
      whole->start(team, *cluster);
      march_on(*whole, p, 13, team, *cluster);
      MemoryCheckpoint checkpoint;
      whole->save(checkpoint);
      const Everything rest = march_on(*whole, p, 12, team, *cluster);

      const auto second = make_march(p, this_machine(), *cluster);
      second->start(team, *cluster);
      second->load(checkpoint, *cluster);
      QCOMPARE(second->steps_done(), Index{13});
      QVERIFY(march_on(*second, p, 12, team, *cluster) == rest);
    }
  }

  void unknown_kernel_is_refused() {
    Problem p = busy_problem(2, {11, 12, 13}, true, false, false);
    p.kernel = "neon";
    const auto cluster = single_rank();
    try {
      (void)make_march(p, this_machine(), *cluster);
      QFAIL("an unknown kernel must be refused");
    } catch (const Failure& failure) {
      QCOMPARE(failure.error().code, ErrorCode::resources);
      QVERIFY(failure.error().hint.find("reference") != std::string::npos);
    }
  }
};

QTEST_APPLESS_MAIN(TestMarchBitwise)
#include "test_march_bitwise.moc"
