// SPDX-License-Identifier: BSD-3-Clause
// Two ranks with an emulated device each give the bits of one.
// labels: unit emulated mpi2
#include "tests/engine/solvers/acoustic_fd/shots.hpp"
#include "tests/engine/solvers/acoustic_fd/support.hpp"
#include "tests/engine/solvers/acoustic_fd/walls.hpp"

#include <QTest>

using namespace conoid;
using namespace conoid::acoustic_fd;
using namespace conoid::acoustic_fd::testing;

class TestDeviceRanks : public QObject {
  Q_OBJECT
  std::unique_ptr<Communicator> world_;

  /// 17 steps in bands and two single ones.
  static Everything nineteen_steps(const Problem& p, const char* workers, Communicator& cluster, std::string& how) {
    Team team(parse_workers(workers, 1).value());
    const auto march = make_march(p, this_machine(), cluster);
    march->start(team, cluster);
    how = march->tiling();
    march->advance(team, cluster, 17);
    return march_on(*march, p, 2, team, cluster);
  }

 private slots:
  void initTestCase() {
    auto w = world();
    world_ = std::move(w.value());
    QCOMPARE(world_->size(), 2);
  }
  void cleanupTestCase() { world_.reset(); }

  /// With layers of every axis at order 4, in double precision there.
  void two_ranks_with_devices_are_one() {
    for (const int order : {2, 4, 6}) {
      Problem p = busy_problem(order, {order == 2 ? 61 : 83, 19, 22}, order != 4, order != 6, order == 4);
      if (order == 4) make_matched(p);
      const auto alone = single_rank();
      std::string how;
      const Everything one = nineteen_steps(p, "emulated", *alone, how);
      const Everything two = nineteen_steps(p, "emulated", *world_, how);
      QVERIFY2(how.find("of each rank") != std::string::npos, how.c_str());
      if (world_->leads()) QVERIFY2(one == two, qPrintable(QString("order %1").arg(order)));
      QCOMPARE(one.traces, two.traces);
    }
  }

  /// Groups of one rank; a checkpoint of theirs goes on with one rank, and back.
  void shots_of_two_groups_are_those_of_one_rank() {
    const auto alone = single_rank();
    for (const char* workers : {"cpu", "emulated"}) {
      Survey one(survey(), *alone, workers), two(survey(), *world_, workers),
          shared(survey(R"(, "shots_at_once": 1)"), *world_, workers);
      one.go();
      two.go();
      shared.go();
      const auto same = [&](const Survey& other, bool rest) {
        if (!world_->leads()) return std::string();
        return difference(other.results, one.results, rest) +
               (rest ? std::string() : difference(one.results, other.results));
      };
      QVERIFY2(same(two, false).empty(), same(two, false).c_str());
      QVERIFY2(same(shared, false).empty(), same(shared, false).c_str());
      if (world_->leads()) QVERIFY(two.number("shots_at_once") == 2 && two.number("time_steps") == 750);
      if (!world_->leads()) QVERIFY(two.results.tables.empty());

      Survey begun(survey(), *world_, workers), rest(survey(), *world_, workers);
      begun.go(160);
      MemoryCheckpoint kept;
      begun.solver->save(kept);
      const MemoryCheckpoint all = kept.joined(*world_);
      MemoryCheckpoint of_all = all;
      rest.solver->load(of_all);
      rest.go();
      QVERIFY2(same(rest, true).empty(), same(rest, true).c_str());
      Survey single(survey(), *alone, workers);
      single.solver->load(of_all);
      single.go();
      QVERIFY2(difference(single.results, one.results, true).empty(),
               difference(single.results, one.results, true).c_str());
    }
  }

  /// Those of the other group come to the leading rank when their turn is.
  void frames_of_two_groups_are_those_of_one_rank() {
    const auto alone = single_rank();
    const char* const text = R"(, "frames": {"every": 40})";
    const Cadence cadence{40, 0, 0};
    Survey one(survey("", text), *alone, "cpu"), two(survey("", text), *world_, "cpu");
    const auto truth = frames_of(one, cadence), got = frames_of(two, cadence);
    if (world_->leads()) {
      QCOMPARE(two.number("shots_at_once"), 2.0);
      QVERIFY2(difference_of(got, truth).empty(), difference_of(got, truth).c_str());
    }
    Survey begun(survey("", text), *world_, "cpu"), rest(survey("", text), *world_, "cpu");
    auto both = frames_of(begun, cadence, 190);  // a frame of the second group's first shot
    Cadence::Moment at{both.back()->step, both.back()->value, 0};
    at = world_->from_root(at);
    MemoryCheckpoint kept;
    begun.solver->save(kept);
    MemoryCheckpoint all = kept.joined(*world_);
    rest.solver->load(all);
    const auto after = frames_of(rest, cadence, 1'000'000, &at);
    both.insert(both.end(), after.begin(), after.end());
    if (world_->leads()) QVERIFY2(difference_of(both, truth).empty(), difference_of(both, truth).c_str());
  }

  void images_of_two_groups_are_those_of_one_rank() {
    const auto alone = single_rank();
    const std::string image = imaged("gradient");
    Survey one(survey(image), *alone, "cpu"), two(survey(image), *world_, "emulated"),
        shared(survey(image + R"(, "shots_at_once": 1)"), *world_, "cpu");
    for (Survey* s : {&one, &two, &shared}) s->go();
    const std::vector<float> picture = one.field("gradient"), light = one.field("illumination");
    QVERIFY(*std::max_element(picture.begin(), picture.end()) > 0);
    for (Survey* s : {&two, &shared}) {
      const auto their_picture = s->field("gradient"), their_light = s->field("illumination");
      if (!world_->leads()) continue;
      QCOMPARE(s->number("shots_at_once"), s == &two ? 2.0 : -1.0);
      QVERIFY(their_picture == picture && their_light == light);
      const std::string differs = difference(s->results, one.results) + difference(one.results, s->results);
      QVERIFY2(differs.empty(), differs.c_str());
    }
    Survey begun(survey(image), *world_, "cpu"), rest(survey(image), *alone, "cpu");
    begun.go(450 + 320);  // backwards, in the second round
    MemoryCheckpoint kept;
    begun.solver->save(kept);
    MemoryCheckpoint all = kept.joined(*world_);
    rest.solver->load(all);
    rest.go();
    QVERIFY(rest.field("gradient") == picture && rest.field("illumination") == light);
  }

  /// Obstacles, an impedance wall, attenuation and maps.
  void what_is_kept_beside_the_levels_goes_to_the_neighbour() {
    const Problem p = walled_problem(4, {83, 19, 22}, true, false);
    const auto alone = single_rank();
    const auto run = [&](Communicator& cluster) {
      Team team(parse_workers("emulated", 1).value());
      const auto march = make_march(p, this_machine(), cluster);
      march->start(team, cluster);
      return in_bands(*march, p, 19, team, cluster);
    };
    const Everything one = run(*alone), two = run(*world_);
    if (world_->leads()) QVERIFY(one == two);
    QCOMPARE(one.traces, two.traces);
  }

  /// Slabs that do not fit go to the processors, each rank for itself; what comes out is that of processors.
  void a_slab_that_does_not_fit_goes_to_the_processor() {
    Problem p = busy_problem(4, {61, 19, 22}, true, true, false);
    std::string how, host;
    p.device_memory = Bytes{1} << 20;
    const Everything got = nineteen_steps(p, "emulated", *world_, how), want = nineteen_steps(p, "cpu", *world_, host);
    QCOMPARE(how, host);
    if (world_->leads()) QVERIFY(got == want);
    QCOMPARE(got.traces, want.traces);
  }
};

QTEST_APPLESS_MAIN(TestDeviceRanks)
#include "test_device_ranks.moc"
