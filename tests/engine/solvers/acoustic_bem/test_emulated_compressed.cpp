// SPDX-License-Identifier: BSD-3-Clause
// Near clusters of compressed matrices are assembled and summed, and their steps solved, on the emulated device, as processors do it.
// labels: unit emulated timeout300
#include <QTest>
#include <cmath>
#include <set>

#include "engine/solvers/acoustic_bem/discretization/compressed_assembly.hpp"
#include "engine/solvers/acoustic_bem/discretization/far_kernel.hpp"
#include "engine/solvers/acoustic_bem/stepping/march.hpp"
#include "engine/solvers/acoustic_bem/verify/scenes.hpp"
#include "engine/team/team.hpp"
#include "tests/engine/solvers/acoustic_bem/emulated_worker.hpp"

using namespace conoid;
using namespace conoid::acoustic_bem;

namespace {

constexpr int compressed_group = 4;

/// A march of compressed matrices on a team, and who took part in what.
struct CompressedMarch {
  std::vector<double> values;         ///< [step][unknown]
  std::vector<Eigen::MatrixXd> near;  ///< some of the M_k
  double far_error = 0;
  Index far = 0;
  std::set<std::string> by_devices;
};

CompressedMarch compressed_march(const Surface& surface, const Form& form, const std::vector<WorkerSpec>& workers) {
  Team team(workers);
  NoProgress quiet;
  auto matrices = std::move(*assemble_compressed<double>(
      surface, form, {},
      {.error = 1e-2, .highest = 4, .least_gap = FarKernel::least_gap(compressed_group) * form.delta(), .cluster = 24},
      [](Bytes) { return Status{}; }, nullptr, team, quiet, {}));
  CompressedMarch out;
  out.far_error = matrices.far_error;
  out.far = matrices.far.nonzeros();
  for (Index k = 0; k <= matrices.slices.columns(); k += k < 3 ? 1 : 3) out.near.push_back(dense_matrix(matrices, k));
  March<double> march(std::move(matrices), {.steps = compressed_group});
  while (march.step() < 40)
    march.advance(
        team,
        [](Index n, Index, std::span<double> v) {
          for (std::size_t i = 0; i < v.size(); ++i)
            v[i] = std::exp(-0.02 * std::pow(static_cast<double>(n) - 12 - 0.02 * static_cast<double>(i), 2));
        },
        [&](Index) { out.values.insert(out.values.end(), march.current(0).begin(), march.current(0).end()); });
  for (const BalanceSample& s : team.take_samples())
    if (s.held > 0 || s.phase == "steps") out.by_devices.insert(s.phase);
  return out;
}

}  // namespace

class TestEmulatedCompressed : public QObject {
  Q_OBJECT
 private slots:
  void cleanup() { configure_emulated({}); }

  void a_device_marches_as_processors_do_data() {
    QTest::addColumn<bool>("shared");
    QTest::newRow("alone") << false;
    QTest::newRow("beside a processor") << true;
  }
  void a_device_marches_as_processors_do() {
    QFETCH(bool, shared);
    const Surface surface = unit_sphere(7, true, Ordering::clusters);  // 492 unknowns
    const Form form = form_for(surface, FormName::NC);
    std::vector<WorkerSpec> workers{emulated_worker("emulated:0")};
    if (shared) workers.push_back({"cpu", 1, 1});
    static const CompressedMarch want = compressed_march(surface, form, {{"cpu", 2, 1}});
    const CompressedMarch got = compressed_march(surface, form, workers);
    QVERIFY(want.by_devices.empty() && want.far > 0 && got.far == want.far);
    double most = 0, off = 0;
    for (std::size_t k = 0; k < want.near.size(); ++k) {
      most = std::max(most, want.near[k].cwiseAbs().maxCoeff());
      off = std::max(off, (want.near[k] - got.near[k]).cwiseAbs().maxCoeff());
    }
    // Closed forms lose some thousand times round-off where a shell just touches an edge.
    QVERIFY2(off > 0 && off < 5e-12 * most, qPrintable(QString::number(off / most)));
    double differs = 0, peak = 0;
    QCOMPARE(got.values.size(), want.values.size());
    for (std::size_t k = 0; k < want.values.size(); ++k) {
      peak = std::max(peak, std::abs(want.values[k]));
      differs = std::max(differs, std::abs(want.values[k] - got.values[k]));
    }
    // Gradients end at 1e-13 of the right-hand side, a step; the march adds up what its steps were off.
    QVERIFY2(differs > 0 && differs < 1e-11 * peak, qPrintable(QString::number(differs / peak)));
    for (const char* phase : {"assembly", "summation", "steps"}) QVERIFY2(got.by_devices.contains(phase), phase);
    QVERIFY(std::abs(got.far_error - want.far_error) < 1e-10 * want.far_error);
  }
};

QTEST_APPLESS_MAIN(TestEmulatedCompressed)
#include "test_emulated_compressed.moc"
