// SPDX-License-Identifier: BSD-3-Clause
// Two ranks give the bits of one, and a checkpoint of one continues on two and back.
// labels: unit mpi2
#include "engine/solvers/acoustic_fd/acoustic_fd.hpp"
#include "engine/solvers/acoustic_fd/stepping/streamed_march.hpp"
#include "engine/team/team.hpp"
#include "tests/engine/solvers/acoustic_fd/support.hpp"
#include "tests/engine/solvers/acoustic_fd/walls.hpp"

#include <QTest>

using namespace conoid;
using namespace conoid::acoustic_fd;
using namespace conoid::acoustic_fd::testing;

class TestMarchRanks : public QObject {
  Q_OBJECT
  std::unique_ptr<Communicator> world_;

  struct Run {
    Everything first, second;
    MemoryCheckpoint checkpoint;
  };
  static void go(const Problem& p, Communicator& cluster, Run& out, CheckpointReader* from = nullptr) {
    Team team({WorkerSpec{"cpu", 1, 1}});
    const auto march = make_march(p, this_machine(), cluster);
    march->start(team, cluster);
    if (from) march->load(*from, cluster);
    if (!from) out.first = march_on(*march, p, 11, team, cluster);
    march->save(out.checkpoint);
    out.second = march_on(*march, p, 14, team, cluster);
  }

 private slots:
  void initTestCase() {
    auto w = world();
    world_ = std::move(w.value());
    QCOMPARE(world_->size(), 2);
  }
  void cleanupTestCase() { world_.reset(); }

  void walls_planes_and_maps_are_those_of_one_rank() {
    // 32 nodes fill their row to the last value: the images behind them stand where the next row would begin.
    for (const auto& points : {std::array<Index, 3>{41, 19, 27}, {41, 1, 27}, {41, 1, 32}}) {
      Problem p = walled_problem(6, points, true, false);
      make_matched(p);
      if (points[1] == 19) p.density = std::make_shared<RoughDensity>(1000, 2.2, 3);
      if (points[2] == 27) make_smooth(p);
      Team team({WorkerSpec{"cpu", 1, 1}});
      const auto alone = single_rank();
      const auto one = make_march(p, this_machine(), *alone), two = make_march(p, this_machine(), *world_);
      one->start(team, *alone);
      two->start(team, *world_);
      const Everything want = in_bands(*one, p, 14, team, *alone), got = in_bands(*two, p, 14, team, *world_);
      QCOMPARE(got.traces, want.traces);
      QCOMPARE(got.energy.total(), want.energy.total());
      if (world_->leads()) QVERIFY(got == want);
    }
  }

  /// Each rank's planes slide over its own disk, with those of the neighbour that a band marches along.
  void windows_over_the_disk_of_two_ranks_are_the_memory_of_one() {
    for (const int trial : {0, 1, 2}) {
      Problem p = trial == 0 ? walled_problem(4, {173, 15, 25}, true, false)
                             : busy_problem(trial == 1 ? 2 : 6, {211, 21, 24}, true, true, trial == 1);
      make_matched(p);
      if (trial == 0) make_smooth(p);
      if (trial == 2) p.density = std::make_shared<RoughDensity>(1000, 2.2, 3);
      if (trial == 1) p.initial = {Initial::Kind::pulse, 2.0, 9.0, p.sources[0].position, 0, 0, {}};
      constexpr Index steps = 23;
      Team team({WorkerSpec{"cpu", 1, 1}});
      const auto alone = single_rank();
      const auto one = make_march(p, this_machine(), *alone);
      one->start(team, *alone);
      const Everything want = in_bands(*one, p, steps, team, *alone);
      QVERIFY(*std::max_element(want.field.begin(), want.field.end()) > 1e-6F);
      Problem small = p;
      small.memory = 1;
      const Bytes least = stream_plan(small, 2).least, all = march_bytes(small, 2);
      QVERIFY2(least < all, qPrintable(QString("least %1, all %2").arg(least).arg(all)));
      small.memory = least + (all - least) / 2;
      const StreamPlan plan = stream_plan(small, 2);
      QVERIFY(plan.needed && plan.possible && plan.beside > 0);
      const auto two = make_march(small, this_machine(), *world_);
      QVERIFY(two->streams());
      two->start(team, *world_);
      const Everything got = in_bands(*two, small, steps, team, *world_);
      QCOMPARE(got.traces, want.traces);
      QCOMPARE(got.energy.total(), want.energy.total());
      if (world_->leads()) QVERIFY2(got == want, qPrintable(QString("trial %1").arg(trial)));
    }
  }

  void two_ranks_are_one_rank() {
    for (const int order : {2, 8})
      for (const bool varying : {true, false}) {
        const Problem p = busy_problem(order, {23, 18, 27}, order == 8, varying, order == 2);
        const auto alone = single_rank();
        Run one, two;
        go(p, *alone, one);
        go(p, *world_, two);
        // The field is gathered on the first rank; traces and energies are on both.
        if (world_->leads())
          QVERIFY(one.second == two.second);
        else
          QCOMPARE(one.second.traces, two.second.traces);
        QCOMPARE(one.second.energy.total(), two.second.energy.total());

        Run continued;  // a checkpoint of one rank goes on with two
        go(p, *world_, continued, &one.checkpoint);
        if (world_->leads()) QVERIFY(continued.second == one.second);
      }
  }

  /// Bands of several steps: the interior while the neighbours' planes travel, then the wedges.
  void bands_of_two_ranks_are_those_of_one() {
    for (const int order : {2, 4})
      for (const char* tiling : {"diamond 16x4", "tower 12x5", "stepwise 7"}) {
        Problem p = busy_problem(order, {order == 2 ? 71 : 93, 21, 24}, true, true, false);
        if (tiling[0] == 't') make_matched(p);
        p.tiling = tiling;
        Everything all[2];
        const auto alone = single_rank();
        for (std::size_t i = 0; i < 2; ++i) {
          Communicator& cluster = i == 0 ? *alone : *world_;
          Team team({WorkerSpec{"cpu", 1, 1}});
          const auto march = make_march(p, this_machine(), cluster);
          if (i == 1) QVERIFY(march->band() > 1);
          march->start(team, cluster);
          march->advance(team, cluster, 17);
          all[i] = march_on(*march, p, 2, team, cluster);
        }
        if (world_->leads()) QVERIFY2(all[0] == all[1], tiling);
        QCOMPARE(all[0].traces, all[1].traces);
      }
  }

  void a_checkpoint_of_two_continues_on_one() {
    const Problem p = busy_problem(4, {19, 14, 22}, true, true, false);
    const auto alone = single_rank();
    Run one, two;
    go(p, *alone, one);
    go(p, *world_, two);
    // Join the ranks' pieces: each rank holds its own planes, zeros elsewhere; sums over ranks are exact then.
    MemoryCheckpoint joined;
    const Index cells = p.grid.cells(), plane = p.grid.points[1] * p.grid.points[2];
    const Interval mine = slab(p.grid.points[0], world_->rank(), world_->size());
    for (const char* name : {"pressure", "pressure_before"}) {
      std::vector<double> all(static_cast<std::size_t>(cells), 0.0);
      std::vector<float> part(static_cast<std::size_t>(mine.size() * plane));
      two.checkpoint.range<float>(name, mine.begin * plane, part);
      std::copy(part.begin(), part.end(), all.begin() + mine.begin * plane);
      world_->sum(std::span(all));
      joined.piece<float>(name, cells, 0, std::vector<float>(all.begin(), all.end()));
    }
    joined.value("step", two.checkpoint.value<Index>("step"));
    Run back;
    go(p, *alone, back, &joined);
    QVERIFY(back.second == one.second);
  }

  void the_solver_shows_the_same_on_two_ranks() {
    const char* text = R"({
      "solver": "acoustic-fd", "grid": {"points": [31, 28, 33], "spacing": 2},
      "medium": {"velocity": {"kind": "layers", "layers": [{"speed": 1500}, {"top": 30, "speed": 1900}]}},
      "boundaries": {"x_min": {"width": 6}, "x_max": {"width": 6}, "y_min": {"width": 6}, "y_max": {"width": 6},
                     "z_min": {"width": 6}, "z_max": {"kind": "free"}},
      "excitation": {"sources": [{"position": [30.3, 27.1, 40], "signal": {"frequency": 60}}]},
      "parameters": {"steps": 60}, "output": {"receivers": [{"position": [29.5, 31, 33]}], "energy_every": 20}
    })";
    const auto schema = Schema::for_solver("acoustic-fd", solver_info().schema);
    const Case input = Case::resolve(CaseDocument::parse(text, "case.json").value(), schema.value()).value();
    const auto alone = single_rank();
    std::vector<std::vector<double>> traces[2], energies[2];
    std::shared_ptr<const Frame> frames[2];
    for (std::size_t i = 0; i < 2; ++i) {
      Communicator& cluster = i == 0 ? *alone : *world_;
      Team team({WorkerSpec{"cpu", 1, 1}});
      const Offer offer = make_offer(input, {.place = place_of(cluster)}).value();
      MemoryResults results;
      NoProgress progress;
      RunContext context{input, nullptr, team, offer, cluster, results, progress, {}};
      const auto solver = solver_info().make();
      QVERIFY(solver->prepare(context).ok());
      for (;;)
        if (solver->advance(context)->finished) break;
      FrameBuilder builder({}, 0);
      solver->fill(builder);
      frames[i] = builder.finish();
      QVERIFY(solver->finish(context).ok());
      for (const auto& table : results.tables) (table->info.id == "energy" ? energies : traces)[i] = table->rows;
    }
    QVERIFY(traces[0] == traces[1] && traces[0].size() == 61);
    QVERIFY(energies[0] == energies[1] && energies[0].size() == 3);
    QCOMPARE(frames[0]->parts.size(), std::size_t{4});
    QCOMPARE(frames[1]->parts.size(), world_->leads() ? std::size_t{4} : std::size_t{0});
    for (std::size_t p = 0; p < frames[1]->parts.size(); ++p) {
      QCOMPARE(frames[1]->parts[p].fields.size(), std::size_t{2});
      for (std::size_t f = 0; f < 2; ++f)
        QVERIFY(*frames[0]->parts[p].fields[f].values == *frames[1]->parts[p].fields[f].values);
    }
  }

  void too_many_ranks_are_refused() {
    Problem p = busy_problem(8, {9, 24, 24}, true, true, false);
    try {
      (void)make_march(p, this_machine(), *world_);
      QFAIL("nine planes cannot feed two ranks at order 8");
    } catch (const Failure& failure) {
      QVERIFY(failure.error().text.find("at least 5") != std::string::npos);
    }
  }
};

QTEST_APPLESS_MAIN(TestMarchRanks)
#include "test_march_ranks.moc"
