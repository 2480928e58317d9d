// SPDX-License-Identifier: BSD-3-Clause
// Matrices that live on the disk: the march is that of matrices in memory, bit for bit, whoever computes it.
// labels: unit
#include <QTest>
#include <cmath>

#include "engine/solvers/acoustic_bem/discretization/slice_store.hpp"
#include "engine/solvers/acoustic_bem/problem.hpp"
#include "engine/solvers/acoustic_bem/verify/filled_scenes.hpp"
#include "engine/solvers/acoustic_bem/verify/scenes.hpp"
#include "engine/team/team.hpp"

using namespace conoid;
using namespace conoid::acoustic_bem;

namespace {

template <class Real>
Matrices<Real> matrices(const Surface& surface, const Form& form, Team& team, Bytes window_memory) {
  Assembly assembly(surface, form, {});
  NoProgress quiet;
  assembly.find_extents(team, quiet, {}).or_throw();
  if (window_memory > 0)
    assembly.stream_values([=] { return window_memory; }, std::filesystem::temp_directory_path() / "slices");
  return std::move(*assembly.assemble<Real>(team, quiet, {}));
}

/// Unknowns at every step of a march under a right-hand side that is different everywhere.
template <class Real>
std::vector<double> march(Matrices<Real> m, int grouped, Index runs, Index groups, Team& team) {
  March<Real> march(std::move(m), {.steps = grouped, .runs = runs});
  std::vector<double> out;
  const auto l = [](Index n, Index run, std::span<double> v) {
    for (std::size_t i = 0; i < v.size(); ++i)
      v[i] = std::sin(0.37 * static_cast<double>(n) + 0.11 * static_cast<double>(i) + static_cast<double>(run)) *
             std::exp(-0.1 * static_cast<double>(n));
  };
  for (Index g = 0; g < groups; ++g)
    march.advance(team, l, [&](Index) {
      for (Index r = 0; r < runs; ++r) out.insert(out.end(), march.current(r).begin(), march.current(r).end());
    });
  return out;
}

template <class Real>
void compare(const Surface& surface, FormName name, int grouped, Index runs) {
  const Form form = form_for(surface, name);
  Team one({{"cpu", 2, 1}});
  const auto truth = march(matrices<Real>(surface, form, one, 0), grouped, runs, 5, one);
  for (const double v : truth) QVERIFY(std::isfinite(v));

  Matrices<Real> streamed = matrices<Real>(surface, form, one, Bytes{1} << 40);  // all fit: what they take
  SliceStore<Real>& all = streamed.slices.store();
  const Bytes total = all.windows().total(), least = least_window_memory(all.largest(), 1);
  QVERIFY(march(std::move(streamed), grouped, runs, 5, one) == truth);

  // A third of it, or what a thread needs at least: windows come and go all the time.
  Team single({{"cpu", 1, 1}});
  streamed = matrices<Real>(surface, form, single, std::max(total / 3, least));
  const auto keep = std::make_shared<Slices<Real>>(streamed.slices);  // shares the store
  QVERIFY(march(std::move(streamed), grouped, runs, 5, single) == truth);
  const WindowStatistics s = keep->store().windows().statistics();
  QVERIFY(s.peak <= std::max(total / 3, least));
  // Five times through: what does not fit comes anew each time but perhaps the first.
  QVERIFY(s.loaded >= 4 * (total - std::max(total / 3, least)));
  Index holding = 0;
  for (Index w = 0; w < keep->store().windows().count(); ++w) holding += keep->store().holds_values(w) ? 1 : 0;
  QCOMPARE(s.saves, static_cast<std::uint64_t>(holding));  // each written once
}

}  // namespace

class TestStreaming : public QObject {
  Q_OBJECT
 private slots:
  void streamed_equals_in_memory() {
    compare<float>(unit_sphere(8), FormName::NC, 8, 1);  // 642 unknowns: 3 × 3 windows
    compare<double>(unit_cube(8), FormName::N, 4, 2);
    compare<double>(filled_ball(6, {0.5, 2}), FormName::N, 4, 1);  // 724 unknowns of 362 vertices
  }

  void unlike_workers_share_the_windows() {
    // The borders of two workers move from pass to pass, so sums differ in the last bits from those of a single worker.
    const Surface surface = unit_sphere(6);
    const Form form = form_for(surface, FormName::NC);
    Team one({{"cpu", 1, 1}});
    Team two({{"cpu 0", 1, 1}, {"cpu 1", 1, 3}});
    const auto truth = march(matrices<double>(surface, form, one, 0), 8, 1, 6, one);
    const auto shared = march(matrices<double>(surface, form, two, 10 << 20), 8, 1, 6, two);
    QCOMPARE(shared.size(), truth.size());
    double worst = 0, most = 0;
    for (std::size_t k = 0; k < truth.size(); ++k) {
      worst = std::max(worst, std::abs(shared[k] - truth[k]));
      most = std::max(most, std::abs(truth[k]));
    }
    QVERIFY2(worst <= 1e-12 * most, QByteArray::number(worst / most));
  }

  void too_little_memory_for_windows_is_an_error() {
    const Surface surface = unit_sphere(6);
    const Form form = form_for(surface, FormName::NC);
    Team team({{"cpu", 2, 1}});
    Assembly assembly(surface, form, {});
    NoProgress quiet;
    QVERIFY(assembly.find_extents(team, quiet, {}).ok());
    assembly.stream_values([] { return Bytes{1} << 18; }, std::filesystem::temp_directory_path() / "slices");
    try {
      (void)assembly.assemble<float>(team, quiet, {});
      QFAIL("expected an error");
    } catch (const Failure& f) {
      QCOMPARE(f.error().code, ErrorCode::resources);
      QVERIFY(f.error().text.find("of 'slices'") != std::string::npos);
    }
    Assembly nowhere(surface, form, {});
    QVERIFY(nowhere.find_extents(team, quiet, {}).ok());
    nowhere.stream_values([] { return Bytes{64} << 20; }, "/nonexistent/folder/slices");
    const auto refused = nowhere.assemble<float>(team, quiet, {});
    QVERIFY(!refused.ok());
    QCOMPARE(refused.error().code, ErrorCode::file);
  }

  void the_plan_says_what_streams() {
    Settings s;
    s.single_precision = true;
    s.steps = 80;
    s.grouped = 8;
    // 24,000 unknowns as in the paper, within 8 GB.
    const MemoryPlan plan = plan_memory(s, 24000, 0.4, Bytes{8} << 30, 2, 0);
    QVERIFY(plan.streams() && plan.possible());
    QVERIFY(plan.values > (Bytes{15} << 30) && plan.values < (Bytes{25} << 30));
    QVERIFY(plan.fixed + plan.windows <= (Bytes{8} << 30));
    QCOMPARE(plan.read_each_time(), plan.values - plan.windows);
    QVERIFY(std::abs(streaming_seconds(s, plan) - 10 * static_cast<double>(plan.read_each_time()) / disk_rate) < 1e-6);
    const MemoryPlan rich = plan_memory(s, 24000, 0.4, Bytes{64} << 30, 2, 0);
    QVERIFY(!rich.streams() && rich.possible() && rich.read_each_time() == 0);
    const MemoryPlan poor = plan_memory(s, 24000, 0.4, Bytes{2} << 30, 2, 0);
    QVERIFY(poor.streams() && !poor.possible() && poor.least > (Bytes{2} << 30));
    // What the program held before counts: windows have that much less, and the least budget is that much more.
    const Bytes own = 123'456'789;
    const MemoryPlan beside = plan_memory(s, 24000, 0.4, Bytes{8} << 30, 2, own);
    QCOMPARE(beside.windows, plan.windows - own);
    QCOMPARE(beside.least, plan.least + own);
    // Where the scratch of all threads does not fit, fewer assemble: as many as there is room for, and one at least.
    const MemoryPlan many = plan_memory(s, 24000, 0.4, Bytes{8} << 30, 32, 0);
    QVERIFY(many.possible() && many.threads > 2 && many.threads < 32 && many.least <= many.budget);
    const Bytes one_more = plan_memory(s, 24000, 0.4, Bytes{64} << 30, many.threads + 1, 0).least;
    QVERIFY(one_more > many.budget && plan_memory(s, 24000, 0.4, one_more, 32, 0).threads == many.threads + 1);
    QCOMPARE(plan.threads, 2);
    QCOMPARE(poor.threads, 1);
    const MemoryPlan just = plan_memory(s, 24000, 0.4, poor.least, 32, 0);
    QVERIFY(just.possible() && just.threads == 1);
    QVERIFY(!plan_memory(s, 24000, 0.4, poor.least - 1, 32, 0).possible());
    QVERIFY(!plan_memory(s, 24000, 0.4, rich.in_memory, 2, 0).streams() &&
            plan_memory(s, 24000, 0.4, rich.in_memory, 2, 1).streams());
  }
};

QTEST_APPLESS_MAIN(TestStreaming)
#include "test_streaming.moc"
