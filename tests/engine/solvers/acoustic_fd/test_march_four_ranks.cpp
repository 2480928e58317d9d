// SPDX-License-Identifier: BSD-3-Clause
// Four ranks and two give the bits of one: in memory with all that a case may switch on, and over their disks.
// labels: unit mpi4
#include "engine/solvers/acoustic_fd/stepping/streamed_march.hpp"
#include "engine/team/team.hpp"
#include "tests/engine/solvers/acoustic_fd/support.hpp"
#include "tests/engine/solvers/acoustic_fd/walls.hpp"

#include <QTest>
#include <stdexcept>

using namespace conoid;
using namespace conoid::acoustic_fd;
using namespace conoid::acoustic_fd::testing;

class TestMarchFourRanks : public QObject {
  Q_OBJECT
  std::unique_ptr<Communicator> world_;

  static Everything march(const Problem& p, Communicator& cluster, bool streams) {
    Team team({WorkerSpec{"cpu", 1, 1}});
    const auto march = make_march(p, this_machine(), cluster);
    must_be(march->streams(), streams);
    march->start(team, cluster);
    return in_bands(*march, p, 21, team, cluster);
  }
  static void must_be(bool found, bool wanted) {
    if (found != wanted) throw std::logic_error(wanted ? "it does not stream" : "it streams");
  }
  void compare(const Problem& p, const Problem& small, bool streams) {
    const auto alone = single_rank(), pair = world_->split(world_->rank() / 2);
    const Everything one = march(p, *alone, false), two = march(p, *pair, false), four = march(small, *world_, streams);
    QVERIFY(*std::max_element(one.field.begin(), one.field.end()) > 1e-6F);
    for (const Everything* got : {&two, &four}) {
      QCOMPARE(got->traces, one.traces);
      QVERIFY(got->energy.kinetic == one.energy.kinetic && got->energy.potential == one.energy.potential);
    }
    if (pair->leads()) QVERIFY(two.field == one.field);
    if (world_->leads()) QVERIFY(four.field == one.field);
  }

 private slots:
  void initTestCase() {
    auto w = world();
    world_ = std::move(w.value());
    QCOMPARE(world_->size(), 4);
  }
  void cleanupTestCase() { world_.reset(); }

  void walls_attenuation_and_maps_are_those_of_one_rank() {
    for (const auto& points : {std::array<Index, 3>{61, 19, 27}, {61, 1, 27}}) {
      Problem p = walled_problem(6, points, true, false);
      make_matched(p);
      if (points[1] > 1) p.density = std::make_shared<RoughDensity>(1000, 2.2, 3);
      make_smooth(p);
      compare(p, p, false);
    }
  }

  void bands_of_several_steps_are_those_of_one_rank() {
    for (const int order : {2, 8})
      for (const char* tiling : {"diamond 16x4", "tower 12x5"}) {
        Problem p = busy_problem(order, {order == 2 ? 121 : 163, 21, 24}, order == 2, true, false);
        make_matched(p);
        p.tiling = tiling;
        compare(p, p, false);
      }
  }

  void windows_over_their_disks_are_the_memory_of_one() {
    Problem p = walled_problem(4, {333, 15, 25}, true, false);
    make_matched(p);
    make_smooth(p);
    Problem small = p;
    small.memory = 1;
    const Bytes least = stream_plan(small, 4).least, all = march_bytes(small, 4);
    QVERIFY(least < all);
    small.memory = least + (all - least) / 2;
    compare(p, small, true);
  }
};

QTEST_APPLESS_MAIN(TestMarchFourRanks)
#include "test_march_four_ranks.moc"
