// SPDX-License-Identifier: BSD-3-Clause
// Two, three and four ranks find what one finds: shares of the slices are assembled and summed, the numbers are those of one rank to
// round-off and the same bits on all ranks; a checkpoint of four goes on on one.
// labels: unit mpi4 rows
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <map>
#include <numeric>
#include <string_view>

#include "engine/mesh/generators.hpp"
#include "engine/session/offer.hpp"
#include "engine/solvers/acoustic_bem/acoustic_bem.hpp"
#include "engine/solvers/acoustic_bem/discretization/compressed_assembly.hpp"
#include "engine/solvers/acoustic_bem/discretization/far_kernel.hpp"
#include "engine/solvers/acoustic_bem/discretization/slice_store.hpp"
#include "engine/solvers/acoustic_bem/verify/scenes.hpp"
#include "engine/solvers/acoustic_bem/verify/wall_scenes.hpp"
#include "engine/team/team.hpp"
#include "tests/all_rows.hpp"
#include "tests/engine/solvers/acoustic_bem/rank_runs.hpp"

using namespace conoid;
using namespace conoid::acoustic_bem;

class TestRanks : public QObject {
  Q_OBJECT
  std::unique_ptr<Communicator> world_;

 private slots:
  void initTestCase() {
    auto w = world();
    world_ = std::move(w.value());
    QCOMPARE(world_->size(), 4);
  }
  void cleanupTestCase() { world_.reset(); }

  void shares_are_even_and_whole() {
    for (const int ranks : {1, 2, 3, 7}) {
      std::vector<double> weights(23);
      std::iota(weights.begin(), weights.end(), 1.0);  // the last slice holds the most: 23 of 276
      Index next = 0;
      for (int r = 0; r < ranks; ++r) {
        const Interval own = share_of_slices(weights, r, ranks);
        QCOMPARE(own.begin, next);
        next = own.end;
        const double sum = std::accumulate(weights.begin() + own.begin, weights.begin() + own.end, 0.0);
        QVERIFY(std::abs(sum - 276.0 / ranks) <= 23);  // half a slice at either end
      }
      QCOMPARE(next, Index{23});
    }
    Index held = 0;  // more ranks than slices
    for (int r = 0; r < 5; ++r) held += share_of_slices(std::vector<double>{3, 3}, r, 5).size();
    QCOMPARE(held, Index{2});
  }

  void ranks_are_one_rank_data() {
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("precision");
    QTest::addColumn<bool>("gradients");
    for (const char* precision : {"double", "single"}) {
      const bool full = precision == std::string_view("double");
      if (full || conoid::all_rows()) QTest::addRow("sphere, %s", precision) << "sphere" << precision << false;
      if (!full || conoid::all_rows()) QTest::addRow("screen, %s", precision) << "screen" << precision << true;
    }
    QTest::newRow("walls over a ground") << "walls"
                                         << "double" << false;
    QTest::newRow("walls over frequency") << "walls"
                                          << "double" << true;
    QTest::newRow("filled sphere") << "filled"
                                   << "double" << false;
    QTest::newRow("ranks without slices") << "one unknown"
                                          << "double" << false;
  }
  void ranks_are_one_rank() {
    QFETCH(QString, body);
    QFETCH(QString, precision);
    QFETCH(bool, gradients);
    Json json = rank_json(body == "sphere" || body == "walls" ? "rigid"
                          : body == "filled"                  ? "filled"
                                                              : "screen",
                          precision.toUtf8().constData());
    if (body == "filled") json["medium"]["filling"] = read_json(R"({"speed": 260, "density": 0.8})");
    json["parameters"]["steps"] = 56;
    if (body == "walls") {
      json["boundaries"] = read_json(R"({"groups": [{"kind": "soft", "group": "first"},
        {"kind": "impedance", "group": "second", "impedance": 2},
        {"kind": "velocity", "group": "third", "pulse": {"kind": "ricker", "frequency": "60 Hz"}}], "ground": {"height": -3.1}})");
      if (gradients)
        json["boundaries"]["groups"][1] = read_json(R"({"kind": "poles", "group": "second", "rest": 0.2,
          "poles": [[-600, 0, 300, 0], [-200, 500, 100, 30]]})");
      json["output"]["spectra"] = read_json(R"({"from": 20, "to": 60, "count": 2})");
    }
    if (gradients) json["parameters"]["instant_solver"] = "gradients";
    if (body == "one unknown") {
      json["parameters"]["rim_layers"] = 1;
      json["parameters"]["steps"] = 16;  // one inner vertex
    }
    const auto mesh = rank_body(body);
    const auto alone = single_rank();
    RankRun one(json, mesh, *alone);
    one.go();
    QVERIFY(one.solver.finish(one.context).ok());
    // Sums of some hundred terms, added in another order, over some hundred steps of a march that does not grow: a hundred times the
    // precision (2.2e-16 and 1.2e-7).
    const double limit = precision == "double" ? 2.2e-14 : 1.2e-5;
    const auto same_as_one = [&](Communicator& cluster) {
      RankRun some(json, mesh, cluster);
      some.go();
      const std::vector<double> here = some.pressures();
      const double off = rank_difference(one.pressures(), here);
      QVERIFY2(off < limit, qPrintable(QString("%1 ranks: %2").arg(cluster.size()).arg(off)));
      std::vector<double> least = here, most = here;  // the same bits on all of them
      cluster.minimum(std::span(least));
      cluster.maximum(std::span(most));
      QVERIFY(least == most);
      QVERIFY(some.solver.finish(some.context).ok());
      if (body == "walls" && cluster.leads()) {
        std::vector<double> there, wanted;
        for (const auto& row : some.results.find("spectra")->rows) there.insert(there.end(), row.begin(), row.end());
        for (const auto& row : one.results.find("spectra")->rows) wanted.insert(wanted.end(), row.begin(), row.end());
        QVERIFY(rank_difference(wanted, there) < 1e-9);
      }
    };
    same_as_one(*world_);
    const auto pairs = world_->split(world_->rank() / 2);
    same_as_one(*pairs);
    const auto three = world_->split(world_->rank() < 3 ? 0 : 1);
    same_as_one(*three);
    if (body != "sphere" || precision != "double") return;

    // Four ranks leave a checkpoint that one reads.
    Json parts = json;
    parts["output"]["frames"]["count"] = 1000;  // one group an advance
    RankRun four(parts, mesh, *world_);
    four.go(4);
    const RankFiles store = left_by(four, *world_);
    four.go();
    if (!world_->leads()) return;
    RankRun rest(parts, mesh, *alone);
    rest.solver.load(*std::make_unique<RankReader>(store));
    rest.go();
    const std::vector<double> whole = four.pressures(), end = rest.pressures();
    QVERIFY(end.size() < whole.size());
    QVERIFY(rank_difference({whole.end() - static_cast<std::ptrdiff_t>(end.size()), whole.end()}, end) < limit);
  }

  /// Near and far slices are shared out; a rank's sums of far ones go through the weights before ranks add theirs.
  void ranks_with_compressed_matrices_are_one_rank_data() {
    QTest::addColumn<bool>("room");
    QTest::addColumn<bool>("remembers");
    QTest::newRow("sphere") << false << false;
    QTest::newRow("room, whose mean pressure stays") << true << false;
    QTest::newRow("room with a wall that rings") << true << true;
  }
  void ranks_with_compressed_matrices_are_one_rank() {
    QFETCH(bool, room);
    QFETCH(bool, remembers);
    Conditions conditions;
    conditions.inside = room;
    if (remembers) conditions.walls = {{"zmax", WallKind::impedance, 1, {}, ringing_wall()}};
    Surface surface =
        room ? std::move(*make_surface(*box_surface({.low = {0, 0, 0}, .high = {3, 0.8, 0.8}, .divisions = {15, 4, 4}}),
                                       Ordering::clusters, 1, conditions))
             : unit_sphere(8, true, Ordering::clusters);
    const Form form = form_for(surface, room ? FormName::N : FormName::NC);
    set_wall_memory(surface, form.dt);
    Team team({{"cpu", 1, 1}});
    NoProgress quiet;
    constexpr int grouped = 4;
    Index near = 0, far = 0;
    const auto marched = [&](Communicator* cluster) {
      auto matrices = std::move(*assemble_compressed<double>(
          surface, form, {},
          {.error = 1e-2, .highest = 4, .least_gap = FarKernel::least_gap(grouped) * form.delta(), .cluster = 24},
          [](Bytes) { return Status{}; }, cluster, team, quiet, {}));
      near = matrices.slices.nonzeros();
      far = matrices.far.nonzeros();
      std::vector<double> out{matrices.far_error};
      March<double> march(std::move(matrices), {.steps = grouped, .cluster = cluster});
      while (march.step() < 40)
        march.advance(team, [](Index n, Index, std::span<double> v) {
          for (std::size_t i = 0; i < v.size(); ++i)
            v[i] = std::exp(-0.02 * std::pow(static_cast<double>(n) - 12 - 0.02 * static_cast<double>(i), 2));
        });
      out.insert(out.end(), march.current(0).begin(), march.current(0).end());
      return out;
    };
    const std::vector<double> one = marched(nullptr);
    const Index all_near = near, all_far = far;
    const auto pairs = world_->split(world_->rank() / 2);
    for (Communicator* cluster : {world_.get(), pairs.get()}) {
      const std::vector<double> here = marched(cluster);
      QVERIFY2(rank_difference(one, here) < 2.2e-14, qPrintable(QString::number(rank_difference(one, here))));
      // Even but for two slices, whose values are at most twice the mean.
      const auto even = [&](Index own, Index all, Index slices) {
        return own > 0 && std::abs(own - all / cluster->size()) <= 4 * all / slices;
      };
      QVERIFY(even(near, all_near, surface.unknowns) && even(far, all_far, surface.unknowns / 4));
      QCOMPARE(static_cast<Index>(cluster->sum(static_cast<double>(near))), all_near);
      QCOMPARE(static_cast<Index>(cluster->sum(static_cast<double>(far))), all_far);
    }
  }

  /// Each rank writes and reads the windows of its own slices, whole groups of them; a fourth rank may have none.
  void ranks_stream_their_own_slices() {
    const Surface surface = unit_sphere(8);  // 642 unknowns: three groups of slices
    const Form form = form_for(surface, FormName::NC);
    Team team({{"cpu", 1, 1}});
    NoProgress quiet;
    const QTemporaryDir folder;
    Index own = 0, first = 0;
    Bytes total = 0;
    std::uint64_t loads = 0;
    const auto marched = [&](Communicator* cluster, bool streams) {
      Assembly assembly(surface, form, {}, cluster);
      assembly.find_extents(team, quiet, {}).or_throw();
      if (streams)
        assembly.stream_values([] { return Bytes{16} << 20; },
                               folder.filePath(QString::number(cluster->rank())).toStdString());
      auto matrices = std::move(*assembly.assemble<double>(team, quiet, {}));
      const auto kept = std::make_shared<Slices<double>>(matrices.slices);  // shares the store
      own = kept->count();
      first = kept->first();
      March<double> march(std::move(matrices), {.steps = 4, .cluster = cluster});
      while (march.step() < 40)
        march.advance(team, [](Index n, Index, std::span<double> v) {
          for (std::size_t i = 0; i < v.size(); ++i)
            v[i] = std::exp(-0.02 * std::pow(static_cast<double>(n) - 12 - 0.02 * static_cast<double>(i), 2));
        });
      total = kept->streams() ? kept->store().windows().total() : 0;
      loads = kept->streams() ? kept->store().windows().statistics().loads : 0;
      return std::vector<double>(march.current(0).begin(), march.current(0).end());
    };
    const std::vector<double> one = marched(nullptr, false);
    const auto pairs = world_->split(world_->rank() / 2);
    for (Communicator* cluster : {world_.get(), pairs.get()}) {
      const std::vector<double> here = marched(cluster, true);
      QVERIFY2(rank_difference(one, here) < 2.2e-14, qPrintable(QString::number(rank_difference(one, here))));
      QCOMPARE(static_cast<Index>(cluster->sum(static_cast<double>(own))), surface.unknowns);
      QCOMPARE(first % window_group(surface.unknowns), Index{0});
      QVERIFY(own == 0 || total > 0);
      QVERIFY(total <= (Bytes{16} << 20) || loads > 0);
    }
  }

  /// Of the matrices each of four ranks holds a quarter, of the slices' values one more slice at most.
  void memory_of_a_rank_falls() {
    const auto mesh = rank_body("sphere");
    auto surface = make_surface(*mesh, Ordering::hilbert, 0).value();
    Form form;
    form.c = 1;
    form.dt = 0.4 * surface.mean_edge;
    form.gamma = 1 / surface.diameter;
    Team team({{"cpu", 1, 1}});
    NoProgress quiet;
    const auto matrices_of = [&](Communicator* cluster) {
      Assembly assembly(surface, form, {}, cluster);
      assembly.find_extents(team, quiet, {}).or_throw();
      return std::move(*assembly.assemble<double>(team, quiet, {}));
    };
    const auto whole = matrices_of(nullptr), share = matrices_of(world_.get());
    const Index values = whole.slices.nonzeros(), longest = values / whole.slices.count() * 2;
    QVERIFY(share.slices.nonzeros() <= values / 4 + longest);
    QCOMPARE(static_cast<Index>(world_->sum(static_cast<double>(share.slices.nonzeros()))), values);
    QCOMPARE(share.evaluations, whole.evaluations);
    QCOMPARE(share.skew, whole.skew);
    QVERIFY(SparseMatrix(share.M0 - whole.M0).norm() == 0);
    // What check and estimate count follows.
    const Case input = rank_case(rank_json("rigid", "double"));
    Offer offer = make_offer(input).value();
    offer.host.value = Bytes{32} << 30;
    const AcousticBem solver;
    const auto fine = std::make_shared<const Mesh>(*icosphere({.divisions = 24, .equal_volume = true}));
    const auto bytes = [&](int ranks) {
      offer.place.ranks = ranks;
      return static_cast<double>(solver.estimate(input, fine.get(), offer)->host_memory);
    };
    const double one = bytes(1), four = bytes(4);
    QVERIFY2(four < 0.6 * one, qPrintable(QString("%1 and %2").arg(one).arg(four)));
  }
};

QTEST_APPLESS_MAIN(TestRanks)
#include "test_ranks.moc"
