// SPDX-License-Identifier: BSD-3-Clause
// Two ranks with an emulated device each find what one finds on its processor; their checkpoint goes on on one without.
// labels: unit emulated mpi2 timeout300
#include <QTest>
#include <cstring>
#include <set>

#include "tests/engine/solvers/acoustic_bem/emulated_worker.hpp"
#include "tests/engine/solvers/acoustic_bem/rank_runs.hpp"

using namespace conoid;
using namespace conoid::acoustic_bem;

class TestDeviceRanks : public QObject {
  Q_OBJECT
  std::unique_ptr<Communicator> world_;

 private slots:
  void initTestCase() {
    auto w = world();
    world_ = std::move(w.value());
    QCOMPARE(world_->size(), 2);
  }
  void cleanupTestCase() { world_.reset(); }

  /// Each rank assembles, sums, solves and receives on a device of its own. The numbers are those of one rank on its processor and on its
  /// device; the bits are the same on all ranks, and those of another run where sums are cut alike; a checkpoint of two ranks with
  /// devices goes on on one without.
  void ranks_with_devices_are_one_rank_data() {
    QTest::addColumn<QString>("surface");
    QTest::addColumn<bool>("unlike");
    QTest::addColumn<bool>("compressed");
    QTest::newRow("sphere") << "rigid" << false << false;
    QTest::newRow("devices beside processors") << "rigid" << true << false;
    QTest::newRow("screen") << "screen" << false << false;
    QTest::newRow("compressed matrices") << "rigid" << false << true;
  }
  void ranks_with_devices_are_one_rank() {
    QFETCH(QString, surface);
    QFETCH(bool, unlike);
    QFETCH(bool, compressed);
    Json json = rank_json(surface.toUtf8().constData(), "double");
    json["parameters"]["steps"] = 56;
    json["output"]["frames"]["count"] = 1000;  // one group an advance
    const auto mesh = rank_body(compressed ? "bar" : surface == "rigid" ? "sphere" : "screen");
    if (compressed) json["parameters"]["matrices"] = "compressed";
    const std::vector<WorkerSpec> device{emulated_worker("emulated:0")}, processor{{"cpu", 1, 1}},
        both{emulated_worker("emulated:0"), {"cpu", 1, 1}};
    const auto alone = single_rank();
    // Of the other rank's team the work goes to processors alone, which then take the steps everywhere.
    const std::vector<WorkerSpec>& mine = unlike && world_->leads() ? both : unlike ? processor : device;
    RankRun one(json, mesh, *alone), one_on_device(json, mesh, *alone, device);
    one.go();
    one_on_device.go();
    RankRun some(json, mesh, *world_, mine);
    some.go(4);
    const RankFiles store = left_by(some, *world_);
    some.go();
    const std::vector<double> here = some.pressures();
    // Gradients end at 1e-13 of the right-hand side, a step; the march of 56 steps adds up what they were off.
    const double off = rank_difference(one.pressures(), here),
                 off_device = rank_difference(one_on_device.pressures(), here);
    QVERIFY2(off < 1e-11 && off_device < 1e-11, qPrintable(QString("%1 and %2").arg(off).arg(off_device)));
    // The same bits on both, also of what each has of the surface for itself: its spectrum holds all steps and unknowns.
    RankFiles own;
    RankWriter writer(own, true);
    some.solver.save(writer);
    const std::vector<std::byte>& spectrum = own.arrays.at("surface spectrum 0");
    std::vector<double> least(spectrum.size() / sizeof(double));
    std::memcpy(least.data(), spectrum.data(), spectrum.size());
    QVERIFY(least.size() >= 60);
    least.insert(least.end(), here.begin(), here.end());
    std::vector<double> most = least;
    world_->minimum(std::span(least));
    world_->maximum(std::span(most));
    QVERIFY(least == most);
    if (!unlike) {
      QVERIFY(off > 0);  // the device has taken the steps
      std::set<std::string> seen;
      for (const BalanceSample& s : some.team.take_samples())
        if (s.held > 0 || s.phase == "steps") seen.insert(s.phase);
      for (const char* phase : {"summation", "steps", "receivers"}) QVERIFY2(seen.contains(phase), phase);
      // Of few tiles one rank may have all.
      QVERIFY(world_->sum(seen.contains("assembly") ? 1.0 : 0.0) >= 1);
    }
    if (surface == "rigid" && !unlike && !compressed) {  // one worker a rank: nothing moves between workers
      RankRun again(json, mesh, *world_, mine);
      again.go();
      QVERIFY(again.pressures() == here);
    }
    if (!world_->leads()) return;
    RankRun rest(json, mesh, *alone, processor);
    rest.solver.load(*std::make_unique<RankReader>(store));
    rest.go();
    const std::vector<double> end = rest.pressures();
    QVERIFY(!end.empty() && end.size() < here.size());
    const double off_end = rank_difference({here.end() - static_cast<std::ptrdiff_t>(end.size()), here.end()}, end);
    QVERIFY2(off_end < 1e-11, qPrintable(QString::number(off_end)));
  }
};

QTEST_APPLESS_MAIN(TestDeviceRanks)
#include "test_device_ranks.moc"
