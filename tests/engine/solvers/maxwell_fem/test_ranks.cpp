// SPDX-License-Identifier: BSD-3-Clause
// Two ranks find what one finds: right-hand sides and elements of S are shared, the numbers are the same to round-off.
// labels: unit mpi2
#include <QTest>

#include "engine/solvers/maxwell_fem/solving/far_field.hpp"
#include "engine/solvers/maxwell_fem/verify/spheres.hpp"
#include "engine/team/team.hpp"

using namespace conoid;
using namespace conoid::maxwell_fem;

class TestRanks : public QObject {
  Q_OBJECT
  std::unique_ptr<Communicator> world_;

 private slots:
  void initTestCase() {
    auto w = world();
    world_ = std::move(w.value());
    QCOMPARE(world_->size(), 2);
  }
  void cleanupTestCase() { world_.reset(); }

  void two_ranks_are_one_rank() {
    SphereScene scene;
    scene.divisions = 2;
    const Mesh mesh = *sphere_mesh(scene);
    const auto domain = make_domain(mesh, sphere_roles(scene));
    QVERIFY(domain.ok());
    System system(*domain, {Medium{}, Medium{}, Medium{}}, 1, FieldForm::total, 1);
    QVERIFY(system.factor({}).ok());
    const Radiation radiation(*domain, 1, 1);
    Team team({{"cpu", 1, 1}});
    for (Index waves : {1, 2, 7})  // fewer than ranks, as many, odd
      for (TruncationMethod method : {TruncationMethod::gmres, TruncationMethod::fixed_point}) {
        const auto psi_of = [&](Communicator* cluster) {
          TruncationOptions options;
          options.method = method;
          options.tolerance = 1e-8;
          options.longest = 60;
          options.block = 2;
          Truncation t(system, radiation, options, cluster);
          std::vector<Incident> all;
          for (Index w = 0; w < waves; ++w)
            all.push_back(wave_from({0.4 * static_cast<double>(w), 0.3}, w % 2 == 1, 1));
          if (!t.start(team, all)) qFatal("start");
          while (!t.finished())
            if (!t.step(team)) qFatal("step");
          if (!t.converged()) qFatal("not converged");
          return std::pair(t.psi(), t.applications());
        };
        const auto [one, applied_one] = psi_of(nullptr);
        const auto [two, applied_two] = psi_of(world_.get());
        double difference = 0, size = 0;
        for (std::size_t i = 0; i < one.size(); ++i) {
          difference += std::norm(one[i] - two[i]);
          size += std::norm(one[i]);
        }
        // The sums differ in their order alone. The block method picks the directions that a step keeps by thresholds, so that last
        // bits may decide between two solutions to within the tolerance, of which there are several columns.
        const double limit =
            applied_one == applied_two && (waves == 1 || method == TruncationMethod::fixed_point) ? 1e-12 : 2e-8;
        QVERIFY2(std::sqrt(difference / size) < limit,
                 qPrintable(QString("%1 waves, method %2, %3 and %4 columns applied: %5")
                                .arg(waves)
                                .arg(static_cast<int>(method))
                                .arg(applied_one)
                                .arg(applied_two)
                                .arg(std::sqrt(difference / size))));
        // Both ranks hold the same bits.
        std::vector<double> here(reinterpret_cast<const double*>(two.data()),
                                 reinterpret_cast<const double*>(two.data()) + 2 * two.size()),
            least = here, most = here;
        world_->minimum(std::span(least));
        world_->maximum(std::span(most));
        QVERIFY(least == most);
      }
  }

  /// The same with factors of which each rank holds a part, in both forms that have sources within.
  void factors_are_shared() {
    if (!own_fronts({})) QSKIP("this processor has no kernels of our own fronts");
    SphereScene scene;
    scene.divisions = 3;
    const Mesh mesh = *sphere_mesh(scene);
    const auto domain = make_domain(mesh, sphere_roles(scene));
    QVERIFY(domain.ok());
    const Radiation radiation(*domain, 1, 1);
    Team team({{"cpu", 1, 1}});
    for (const FieldForm form : {FieldForm::total, FieldForm::scattered}) {
      const auto fields_of = [&](Communicator* ranks, Bytes& bytes) {
        System system(*domain, {Medium{}, Medium{}, Medium{}}, 1, form, 1);
        DirectOptions direct;
        direct.ranks = ranks;
        if (!system.factor(direct)) qFatal("factor");
        if (system.shares_factors() != (ranks != nullptr)) qFatal("shared");
        bytes = system.facts().bytes;
        TruncationOptions options;
        options.method = TruncationMethod::fixed_point;
        options.tolerance = 1e-8;
        options.longest = 60;
        options.block = 2;
        Truncation t(system, radiation, options, ranks);
        std::vector<Incident> waves;
        for (Index w = 0; w < 5; ++w) waves.push_back(wave_from({0.4 * static_cast<double>(w), 0.3}, w % 2 == 1, 1));
        if (!t.start(team, waves)) qFatal("start");
        while (!t.finished())
          if (!t.step(team)) qFatal("step");
        std::vector<Complex> u, f;
        if (!t.fields(t.psi(), 0, 5, u, f)) qFatal("fields");
        return u;
      };
      Bytes whole = 0, part = 0;
      const auto one = fields_of(nullptr, whole), two = fields_of(world_.get(), part);
      double difference = 0, size = 0;
      for (std::size_t i = 0; i < one.size(); ++i) {
        difference += std::norm(one[i] - two[i]);
        size += std::norm(one[i]);
      }
      QVERIFY2(std::sqrt(difference / size) < 1e-12, qPrintable(QString::number(std::sqrt(difference / size))));
      // Half of the factors, and what is left of the subtrees of both at once.
      QVERIFY2(world_->maximum(static_cast<double>(part)) < 0.75 * static_cast<double>(whole),
               qPrintable(QString("%1 of %2 bytes").arg(part).arg(whole)));
    }
  }
};

QTEST_APPLESS_MAIN(TestRanks)
#include "test_ranks.moc"
