// SPDX-License-Identifier: BSD-3-Clause
// Steps that a device takes, emulated and checked, are those of the processors; what it cannot solve is left to them.
// labels: unit emulated
#include <QTest>
#include <cmath>

#include "conoid/config.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/solvers/acoustic_bem/stepping/march.hpp"
#include "engine/solvers/acoustic_bem/verify/scenes.hpp"
#include "engine/team/team.hpp"
#include "tests/engine/solvers/acoustic_bem/emulated_worker.hpp"

using namespace conoid;
using namespace conoid::acoustic_bem;

namespace {

/// Pulses that differ by run; the last run of several is silent at first, and long after the others.
void light(Index n, Index run, std::span<double> l) {
  const double late = 5.0 * static_cast<double>(run), t = static_cast<double>(n) - late;
  for (std::size_t i = 0; i < l.size(); ++i)
    l[i] = t < 1 ? 0 : std::sin(0.37 * t + 0.11 * static_cast<double>(i)) * std::exp(-0.1 * t);
}

template <class Real>
struct Marched {
  std::vector<double> values;  ///< [step][run][unknown]
  bool on_device = false;
};

template <class Real>
Marched<Real> marched(const Surface& surface, const Form& form, int steps, Index runs, int groups,
                      const std::vector<WorkerSpec>& workers) {
  Team one({{"cpu", 1, 1}}), team(workers);
  March<Real> march(assemble_all<Real>(surface, form, {}, one), {.steps = steps, .runs = runs});
  Marched<Real> out;
  Index told = 0;
  for (int group = 0; group < groups; ++group)
    march.advance(team, light, [&](Index n) {
      told += n == told + 1 ? 1 : 1000;
      for (Index r = 0; r < runs; ++r)
        out.values.insert(out.values.end(), march.current(r).begin(), march.current(r).end());
    });
  if (told != groups * steps) throw Failure(make_error(ErrorCode::internal, "each step is told once, in order"));
  out.on_device = march.times().on_device > 0;
  return out;
}

/// Largest difference over the largest value.
template <class Real>
double off(const Marched<Real>& a, const Marched<Real>& b) {
  double most = 0, peak = 0;
  for (std::size_t k = 0; k < a.values.size(); ++k) {
    peak = std::max(peak, std::abs(a.values[k]));
    most = std::max(most, std::isfinite(b.values[k]) ? std::abs(a.values[k] - b.values[k]) : HUGE_VAL);
  }
  return most / peak;
}

template <class Real>
double difference(const Surface& surface, FormName name, int steps, Index runs, int groups,
                  const std::vector<WorkerSpec>& workers) {
  const Form form = form_for(surface, name);
  const auto want = marched<Real>(surface, form, steps, runs, groups, {{"cpu", 2, 1}});
  const auto got = marched<Real>(surface, form, steps, runs, groups, workers);
  if (want.on_device || !got.on_device) return HUGE_VAL;
  return off(want, got);
}

Surface small_screen() {
  return std::move(*make_surface(*plate({.low = {-1, -1}, .high = {1, 1}, .divisions = {7, 5}}), Ordering::hilbert));
}

}  // namespace

class TestEmulatedSteps : public QObject {
  Q_OBJECT
 private slots:
  void cleanup() { configure_emulated({}); }

  void all_forms_data() { add_rows_of_forms(); }
  /// Gradients end at 1e-13 of the right-hand side, and the march adds up what its steps were off.
  void all_forms() {
    QFETCH(int, form);
    const double d =
        difference<double>(unit_sphere(3), static_cast<FormName>(form), 8, 2, 4, {emulated_worker("emulated:0")});
    QVERIFY2(d < 1e-11, qPrintable(QString::number(d)));
    QVERIFY(d > 0);  // gradients instead of factors
  }
  void single_precision_and_any_group() {
    for (int steps : {1, 4, 16}) {
      const double d = difference<float>(unit_sphere(3), FormName::NC, steps, 1, 3, {emulated_worker("emulated:0")});
      QVERIFY2(d < 1e-5, qPrintable(QString::number(d)));
    }
  }
  void a_screen_with_its_rim() {
    const double d = difference<double>(small_screen(), FormName::N, 8, 1, 4, {emulated_worker("emulated:0")});
    QVERIFY2(d < 1e-11, qPrintable(QString::number(d)));
  }
  /// More runs than blocks at a time, and runs that begin later than others: some are solved before an iteration, others not.
  void more_runs_than_blocks() {
    EmulatedOptions small;
    small.multiprocessors = 2;
    configure_emulated(small);
    const double d =
        difference<double>(unit_sphere(2), FormName::NC, 4, 5, 8, {emulated_worker("emulated:0"), {"cpu", 1, 1}});
    QVERIFY2(d < 1e-11, qPrintable(QString::number(d)));
  }
  void the_same_device_gives_the_same_bits() {
    const Surface s = unit_sphere(3);
    const Form form = form_for(s, FormName::NC);
    const auto a = marched<double>(s, form, 8, 2, 3, {emulated_worker("emulated:0")}),
               b = marched<double>(s, form, 8, 2, 3, {emulated_worker("emulated:0")});
    QVERIFY(a.on_device);
    QVERIFY(a.values == b.values);
  }
  void checked() {
    if (CONOID_HAVE_EMULATED_CHECKED == 0) QSKIP("sanitizers and the checked mode exclude each other");
    const double d = difference<double>(unit_sphere(2), FormName::NC, 4, 2, 3, {emulated_worker("emulated-checked:0")});
    QVERIFY2(d < 1e-11, qPrintable(QString::number(d)));
    const double f = difference<float>(unit_sphere(1), FormName::DC, 2, 1, 3, {emulated_worker("emulated-checked:0")});
    QVERIFY2(f < 1e-5, qPrintable(QString::number(f)));
  }
  /// A matrix that 500 iterations do not solve.
  void what_does_not_converge_is_told() {
    constexpr int n = 40;
    std::vector<Eigen::Triplet<double>> entries;
    // The squared third difference: condition about n⁶.
    Eigen::MatrixXd D = Eigen::MatrixXd::Identity(n, n);
    for (int times = 0; times < 5; ++times)
      for (int i = n - 1; i > 0; --i) D.row(i) -= D.row(i - 1);
    const Eigen::MatrixXd M = D.transpose() * D;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) entries.emplace_back(i, j, M(i, j));
    SparseMatrix M0(n, n);
    M0.setFromTriplets(entries.begin(), entries.end());
    auto emulated = Device::open("emulated");
    QVERIFY(emulated.ok());
    DeviceSteps<double> steps(*emulated, M0, {}, 1);
    for (int i = 0; i < n; ++i) steps.right()[static_cast<std::size_t>(i)] = i % 3 - 1;
    steps.start();
    QVERIFY(!steps.finish());
    SparseMatrix one(n, n);
    one.setIdentity();
    DeviceSteps<double> easy(*emulated, one, {}, 1);
    for (int i = 0; i < n; ++i) easy.right()[static_cast<std::size_t>(i)] = i;
    easy.start();
    QVERIFY(easy.finish());
    QCOMPARE(easy.iterations(), Index{1});
    QCOMPARE(easy.result()[7], 7.0);
  }
};

QTEST_GUILESS_MAIN(TestEmulatedSteps)
#include "test_emulated_steps.moc"
