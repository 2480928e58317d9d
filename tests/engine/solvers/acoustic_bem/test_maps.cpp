// SPDX-License-Identifier: BSD-3-Clause
// Insertion losses on planes, found from the surface's spectra at the end of a run: those that receivers there add up step by step, and no work
// of the steps.
// labels: unit emulated
#include <QTest>
#include <array>
#include <cmath>
#include <numeric>

#include "engine/io/frame.hpp"
#include "tests/engine/solvers/acoustic_bem/case_run.hpp"
#include "tests/engine/solvers/acoustic_bem/emulated_worker.hpp"

using namespace conoid;
using namespace conoid::acoustic_bem;
using namespace conoid::acoustic_bem::test;

namespace {

/// A sphere of three groups: two caps and the rest.
std::shared_ptr<const Mesh> parted_sphere() {
  Mesh mesh = *icosphere({.divisions = 3, .equal_volume = true});
  std::array<std::vector<Index>, 3> parts;
  for (Index c = 0; c < mesh.cell_count(); ++c) {
    double z = 0;
    for (const Index n : mesh.nodes(c)) z += mesh.point(n)[2] / 3;
    parts[z > 0.5 ? 0 : z < -0.5 ? 1 : 2].push_back(c);
  }
  const char* names[] = {"top", "bottom", "middle"};
  for (std::size_t k = 0; k < 3; ++k) mesh.add_group(names[k], 2).cells = parts[k];
  return std::make_shared<const Mesh>(std::move(mesh));
}

/// The maps of the last frame, one after the other.
std::vector<float> maps_of(const Run& run) {
  FrameBuilder builder({}, 1);
  run.solver.fill(builder);
  const auto frame = builder.finish();
  std::vector<float> out;
  for (const FramePart& part : frame->parts)
    for (const Field& field : part.fields)
      if (field.info.name.starts_with("insertion_loss"))
        out.insert(out.end(), field.values->begin(), field.values->end());
  return out;
}

}  // namespace

class TestMaps : public QObject {
  Q_OBJECT
 private slots:
  void losses_are_those_of_receivers_data() {
    QTest::addColumn<QString>("boundaries");
    QTest::addRow("rigid") << R"({"surface": "rigid"})";
    QTest::addRow("soft") << R"({"surface": "soft"})";
    QTest::addRow("filled") << R"({"surface": "filled"})";
    QTest::addRow("walls that move, yield and remember over a ground") << R"({"groups": [
      {"kind": "velocity", "group": "top", "pulse": {"kind": "ricker", "frequency": "90 Hz", "amplitude": "1 mm/s"}},
      {"kind": "soft", "group": "bottom"},
      {"kind": "poles", "group": "middle", "rest": 0.2, "poles": [[-600, 0, 300, 0], [-200, 500, 100, 30]]}],
      "ground": {"height": "-3 m", "surface": "soft"}})";
  }
  /// The difference is what was still on its way when the run ended, `late_level` of what had passed: 8.7 dB times that over what is
  /// left of the wave at the place, a tenth at least.
  void losses_are_those_of_receivers() {
    QFETCH(QString, boundaries);
    Json json = sphere_case();
    set_boundaries(json, boundaries);
    json["excitation"]["waves"][0]["direction"] = {0.3, 0, -1};
    json["output"].erase("exact");
    json["output"]["maps"] = {60, 120};
    json["output"]["receivers"] =
        read_json(R"([{"position": [-2, 0, 0.5]}, {"position": [2, 0, -1.5]}, {"position": [0, 0, 2.5]}])");
    std::vector<std::vector<float>> all;
    for (const std::vector<WorkerSpec>& workers :
         {std::vector<WorkerSpec>{{"cpu", 2, 1}}, std::vector<WorkerSpec>{emulated_worker("emulated:0")}}) {
      Run run(json, parted_sphere(), workers);
      run.go(1);
      for (const float v : maps_of(run)) QVERIFY(v == 0 || std::isnan(v));  // none yet
      run.go();
      QVERIFY(run.solver.finish(run.context).ok());
      all.push_back(maps_of(run));
      const auto& rows = run.results.find("insertion_loss")->rows;
      const double late = run.number("late_level");
      QVERIFY(late < 1e-3 && all.back().size() == 2 * 169);
      for (std::size_t m = 0; m < 2; ++m)
        for (std::size_t r = 0; r < 3; ++r) {
          const std::size_t ix[] = {2, 10, 6}, iz[] = {7, 3, 11};
          const double got = static_cast<double>(all.back()[169 * m + 13 * iz[r] + ix[r]]), want = rows[m][1 + r];
          QVERIFY2(std::abs(got - want) < 1e-4 + 87 * late, qPrintable(QString("%1 %2").arg(got).arg(want)));
          QVERIFY(std::abs(want) > 0.05);
        }
    }
    // Gradients of the steps end at 1e-13; floats hold 1e-7 of up to 60 dB.
    for (std::size_t k = 0; k < all[0].size(); ++k)
      QVERIFY((std::isnan(all[0][k]) && std::isnan(all[1][k])) || std::abs(all[0][k] - all[1][k]) < 2e-5F);
  }

  /// Planes are summed where a frame may show them: of 17 groups, eight a call, three times. With maps it was each group.
  void maps_are_no_work_of_the_steps() {
    Json json = sphere_case();
    json["output"].erase("exact");
    json["output"].erase("receivers");
    json["parameters"]["steps"] = 17 * 8;
    Run run(json, parted_sphere(), {emulated_worker("emulated:0")});
    (void)run.team.take_samples();
    run.go();
    int passes = 0;
    for (const BalanceSample& s : run.team.take_samples()) passes += s.phase == "receivers" ? 1 : 0;
    QCOMPARE(passes, 3);
  }
};

QTEST_APPLESS_MAIN(TestMaps)
#include "test_maps.moc"
