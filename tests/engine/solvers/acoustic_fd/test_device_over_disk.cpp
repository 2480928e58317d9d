// SPDX-License-Identifier: BSD-3-Clause
// A grid too large for the host and for the device passes from the disk through both, and has the bits of one in memory.
// labels: unit emulated rows timeout900
#include "engine/solvers/acoustic_fd/cuda/device_steps.hpp"
#include "engine/solvers/acoustic_fd/plan.hpp"
#include "engine/solvers/acoustic_fd/stepping/streamed_march.hpp"
#include "engine/team/driver_memory.hpp"
#include "engine/team/team.hpp"
#include "tests/all_rows.hpp"
#include "tests/engine/solvers/acoustic_fd/support.hpp"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <string>
#include <vector>

using namespace conoid;
using namespace conoid::acoustic_fd;
using namespace conoid::acoustic_fd::testing;

namespace {

constexpr Index all_steps = 21;

struct Seen {
  Everything last;
  std::vector<float> peaks;
  double largest = 0;
  friend bool operator==(const Seen& a, const Seen& b) {
    return a.last == b.last && a.peaks == b.peaks && a.largest == b.largest;
  }
};

struct Run {
  const Problem& p;
  std::unique_ptr<Communicator> cluster = single_rank();
  Team team;
  std::unique_ptr<March> march;
  March::Recorder recorder;

  Run(const Problem& problem, const char* workers) : p(problem), team(parse_workers(workers, 2).value()) {
    march = make_march(p, this_machine(), *cluster);
    march->start(team, *cluster);
  }
  void advance(Index steps) { march->advance(team, *cluster, steps, &recorder); }
  Seen seen() {
    Seen out;
    std::vector<double> traces(p.receivers.size());
    for (const auto& parts : recorder.samples) {
      march->join_traces(parts, traces);
      out.last.traces.insert(out.last.traces.end(), traces.begin(), traces.end());
    }
    out.last.energy = march->energy(team, *cluster);
    March::Cut all;
    all.count = p.grid.points;
    march->read(all, out.last.field);
    if (p.peak_map) march->read_map(0, all, out.peaks);
    out.largest = march->peak(team);
    return out;
  }
};

/// Budgets that hold some planes of the grid: `host` and `device` tenths of what there is between the least and all.
void make_small(Problem& p, int host, int device) {
  p.memory = 1;
  const Bytes least = stream_plan(p).least, all = march_bytes(p, 1);
  p.memory = least + (all - least) / 10 * static_cast<Bytes>(host);
  const DevicePlan plan = device_plan(p, 1, 1);
  p.device_memory = plan.least + (plan.in_core - plan.least) / 10 * static_cast<Bytes>(device);
}

Problem problem_of(const char* name) {
  const std::string kind = name;
  if (kind == "sponges, order 2") return busy_problem(2, {121, 15, 19}, true, true, false);
  if (kind == "matched layers and density, order 4") {
    Problem p = busy_problem(4, {131, 23, 35}, false, true, false);
    make_matched(p);
    p.density = std::make_shared<RoughDensity>(1000, 2.2, 3);
    return p;
  }
  if (kind == "attenuation and maps, order 4") {
    Problem p = busy_problem(4, {97, 13, 19}, true, false, false);
    make_matched(p);
    const double f = 0.02 / p.dt;
    p.relaxations = constant_quality(15, f / 4, 4 * f, 3);
    p.peak_map = p.rms_map = true;
    return p;
  }
  if (kind == "panels of a density, order 8") {
    Problem p = busy_problem(8, {191, 33, 38}, true, true, false);
    p.density = std::make_shared<RoughDensity>(1000, 2.2, 3);
    std::swap(p.faces[0], p.faces[1]);
    return p;
  }
  Problem p = busy_problem(6, {113, 19, 24}, true, true, true);  // in double precision
  p.faces[0] = p.faces[1] = Face{FaceKind::free_surface};
  p.initial = {Initial::Kind::pulse, 2.0, 9.0, p.sources[0].position, 0, 0};
  return p;
}

}  // namespace

class TestDeviceOverDisk : public QObject {
  Q_OBJECT

 private slots:
  /// What the driver of a real device keeps of the host is not for planes, or a run that fills its budget would be refused.
  void the_driver_has_its_share() {
    Offer offer;
    offer.host = {Bytes{5} << 30, "flag"};
    QCOMPARE(field_budget(offer), Bytes{5} << 30);
    offer.devices.resize(1);
    offer.devices[0].backend = "emulated";
    QCOMPARE(field_budget(offer), Bytes{5} << 30);
    offer.devices[0].backend = "cuda";
    QCOMPARE(field_budget(offer) + host_memory_of_cuda, Bytes{5} << 30);
    offer.host.value = Bytes{100} << 20;
    QCOMPARE(field_budget(offer), Bytes{50} << 20);
  }

  void both_levels_of_windows_give_the_bits_of_memory_data() {
    QTest::addColumn<int>("host");
    QTest::addColumn<int>("device");
    QTest::newRow("sponges, order 2") << 3 << 6;
    QTest::newRow("attenuation and maps, order 4") << 0 << 4;
    if (!all_rows()) return;
    QTest::newRow("matched layers and density, order 4") << 2 << 5;
    QTest::newRow("panels of a density, order 8") << 5 << 7;
    QTest::newRow("double precision, order 6") << 3 << 12;  // the device alone could hold all
  }
  void both_levels_of_windows_give_the_bits_of_memory() {
    QFETCH(int, host);
    QFETCH(int, device);
    Problem p = problem_of(QTest::currentDataTag());
    for (Index x = 0; x < p.grid.points[0]; ++x)
      p.receivers.push_back({"P",
                             {p.grid.origin[0] + p.grid.spacing[0] * static_cast<double>(x), p.grid.origin[1] + 20,
                              p.grid.origin[2] + 20}});
    p.steps = all_steps;
    p.energy_every = 7;
    Run processors(p, "cpu:2"), in_memory(p, "emulated");
    for (Run* const run : {&processors, &in_memory}) run->advance(all_steps);
    const Seen truth = in_memory.seen();
    QVERIFY(nearly(truth.last, processors.seen().last));

    make_small(p, host, device);
    QTemporaryDir folder;
    p.scratch = folder.path().toStdString();
    Run streamed(p, "emulated");
    const std::string how = streamed.march->tiling();
    QVERIFY2(how.find("window") != std::string::npos && how.find("disk") != std::string::npos, how.c_str());
    // Bands of several lengths, and looks between them, which change nothing.
    for (Index k = 0, band = 1; k < all_steps; k += band, band = 2 * band + 1) {
      band = std::min(band, all_steps - k);
      streamed.advance(band);
      if (k % 2 == 1) (void)streamed.march->peak(streamed.team);
      if (band > 4) (void)streamed.march->energy(streamed.team, *streamed.cluster);
    }
    QVERIFY2(streamed.seen() == truth, how.c_str());
    const March::Streamed bytes = streamed.march->streamed();
    QVERIFY(bytes.read > 0 && bytes.written > 0 && bytes.to_device > 0 && bytes.from_device > 0);

    // One sweep after the other in one call, each plane once down and up; what a checkpoint keeps is all there is.
    Run begun(p, "emulated");
    begun.advance(9);
    MemoryCheckpoint checkpoint;
    begun.march->save(checkpoint);
    for (const char* const workers : {"emulated", "cpu:2"}) {
      Run other(p, workers);
      other.march->load(checkpoint, *other.cluster);
      other.recorder = begun.recorder;
      other.advance(all_steps - 9);
      const Seen got = other.seen();
      QVERIFY2(std::string(workers) == "emulated" ? got == truth : nearly(got.last, truth.last), workers);
    }
  }

  void a_sweep_passes_each_plane_once() {
    Problem p = busy_problem(2, {201, 17, 21}, true, true, false);
    make_small(p, 3, 6);
    QTemporaryDir folder;
    p.scratch = folder.path().toStdString();
    Run run(p, "emulated");
    const auto device = device_over_disk(p, run.team);
    QVERIFY(device && device->plan.streamed && device->plan.levels > 0);
    const StreamPlan plan = stream_plan(p, 1, PlanesMarch::device);
    QVERIFY(plan.level_memory + plan.plane_bytes * static_cast<Bytes>(plan.planes) < p.memory);
    const March::Streamed before = run.march->streamed();
    constexpr Index sweeps = 2;
    run.advance(sweeps * device->plan.steps);
    const March::Streamed after = run.march->streamed();
    // Up and down, with the planes behind the faces; what the host's level keeps from sweep to sweep does not come from the disk again.
    const auto passed = static_cast<Bytes>(sweeps) * plan.disk;
    QVERIFY(after.to_device - before.to_device >= passed && after.to_device - before.to_device < passed + passed / 20);
    QVERIFY(after.from_device - before.from_device >= passed &&
            after.from_device - before.from_device < passed + passed / 20);
    QVERIFY2(after.read - before.read <= passed + plan.level_memory &&
                 after.written - before.written <= passed + plan.level_memory,
             qPrintable(QString("%1 read, %2 written of %3")
                            .arg(after.read - before.read)
                            .arg(after.written - before.written)
                            .arg(passed)));
    QVERIFY(after.read - before.read < passed);
  }
};

QTEST_APPLESS_MAIN(TestDeviceOverDisk)
#include "test_device_over_disk.moc"
