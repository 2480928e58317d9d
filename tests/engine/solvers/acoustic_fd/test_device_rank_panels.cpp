// SPDX-License-Identifier: BSD-3-Clause
// Two and four ranks with an emulated device each, in panels, give the bits of one processor.
// labels: unit emulated mpi4 timeout300
#include "tests/engine/solvers/acoustic_fd/support.hpp"
#include "tests/engine/solvers/acoustic_fd/walls.hpp"

#include <QTest>

using namespace conoid;
using namespace conoid::acoustic_fd;
using namespace conoid::acoustic_fd::testing;

class TestDeviceRankPanels : public QObject {
  Q_OBJECT
  std::unique_ptr<Communicator> world_;

  struct Outcome {
    Everything all;
    std::string how;
    std::vector<std::vector<double>> samples;
  };
  /// Whole bands and what they leave: of four ranks single steps beside panels too.
  static Outcome march(const Problem& p, const std::string& workers, Communicator& cluster, Index steps = 40) {
    Outcome out;
    Team team(parse_workers(workers, 1).value());
    const auto march = make_march(p, this_machine(), cluster);
    march->start(team, cluster);
    out.how = march->tiling();
    March::Recorder recorder;
    march->advance(team, cluster, steps, &recorder);
    for (auto& sample : recorder.samples) cluster.sum(std::span(sample));
    out.samples = std::move(recorder.samples);
    out.all = march_on(*march, p, 2, team, cluster);
    return out;
  }

 private slots:
  void initTestCase() {
    auto w = world();
    world_ = std::move(w.value());
    QCOMPARE(world_->size(), 4);
  }
  void cleanupTestCase() { world_.reset(); }

  void ranks_in_panels_have_the_bits_of_one_processor_data() {
    QTest::addColumn<int>("order");
    QTest::addColumn<bool>("matched");
    QTest::addColumn<bool>("equal");
    QTest::addColumn<bool>("density");
    QTest::newRow("order 2, sponges") << 2 << false << true << false;
    QTest::newRow("order 2, matched layers, unequal") << 2 << true << false << false;
    QTest::newRow("order 4, matched layers, density") << 4 << true << true << true;
    QTest::newRow("order 6, sponges, density, unequal") << 6 << false << false << true;
    QTest::newRow("order 8, matched layers") << 8 << true << true << false;
  }
  void ranks_in_panels_have_the_bits_of_one_processor() {
    QFETCH(int, order);
    QFETCH(bool, matched);
    QFETCH(bool, equal);
    QFETCH(bool, density);
    // Slabs of four ranks have room for one panel's levels a band, of two for twice as many.
    const Index planes = order == 2 ? 289 : order == 6 ? 241 : 323;
    Problem p = busy_problem(order, {planes, order == 8 ? 34 : 25, 40}, equal, true, false);
    if (matched) make_matched(p);
    if (density) p.density = std::make_shared<RoughDensity>(1000, 2.2, 7);
    const auto alone = single_rank(), pair = world_->split(world_->rank() / 2);
    const Outcome want = march(p, "cpu", *alone), two = march(p, "emulated", *pair),
                  four = march(p, "emulated", *world_);
    for (const Outcome* got : {&two, &four}) {
      QVERIFY2(got->how.find("of each rank, panels of") != std::string::npos, got->how.c_str());
      QCOMPARE(got->all.traces, want.all.traces);
      QVERIFY(got->samples == want.samples);
      QVERIFY(got->all.energy.kinetic == want.all.energy.kinetic &&
              got->all.energy.potential == want.all.energy.potential);
    }
    // Ahead of the fronts, where numbers are too small to be kept, a zero may have either sign.
    if (pair->leads()) QVERIFY(two.all.field == want.all.field);
    if (world_->leads()) QVERIFY(four.all.field == want.all.field);
  }
};

QTEST_APPLESS_MAIN(TestDeviceRankPanels)
#include "test_device_rank_panels.moc"
