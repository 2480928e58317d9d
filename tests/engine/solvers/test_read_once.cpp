// SPDX-License-Identifier: BSD-3-Clause
// A case is read once: from its check over its estimate to its run the surface of a boundary-element case is made a single time, and made
// again where case or mesh are others.
// labels: unit
#include <QTest>

#include "engine/core/log.hpp"
#include "engine/session/case_checker.hpp"
#include "engine/session/setup.hpp"
#include "engine/team/team.hpp"

using namespace conoid;

namespace {

/// How often a solver has said that it made a surface.
class Made {
 public:
  [[nodiscard]] int count() const { return count_; }

 private:
  int count_ = 0;
  std::unique_ptr<log::Subscription> listening_ = log::subscribe([this](const LogEntry& entry) {
    if (entry.level == LogLevel::debug && entry.text.find("was made of the case") != std::string::npos) ++count_;
  });
};

}  // namespace

class TestReadOnce : public QObject {
  Q_OBJECT
 private slots:
  void check_estimate_and_run_share_a_surface_data() { rows(); }
  void check_estimate_and_run_share_a_surface();
  void another_mesh_is_read_anew_data() { rows(); }
  void another_mesh_is_read_anew();
  void another_offer_is_another_answer();
  void an_edit_that_leaves_the_geometry_keeps_the_surface();

 private:
  static void rows() {
    QTest::addColumn<QString>("file");
    for (const char* solver : {"acoustic-bem", "elastic-bem"})
      QTest::newRow(solver) << QString(CONOID_TEST_DATA "/safety/%1.json").arg(solver);
  }
};

void TestReadOnce::check_estimate_and_run_share_a_surface() {
  QFETCH(QString, file);
  const auto document = CaseDocument::read(file.toStdString());
  QVERIFY(document.ok());
  NoProgress quiet;
  const Made made;
  Setup setup = set_up(*document, quiet);  // checks and estimates
  QVERIFY(setup.ok());
  QCOMPARE(made.count(), 1);
  Team team({{"cpu", 1, 1}});
  const auto cluster = single_rank();
  MemoryResults results;
  RunContext context{setup.input, setup.mesh, team, setup.offer, *cluster, results, quiet, {}};
  QVERIFY(setup.solver->prepare(context).ok());
  QVERIFY(setup.solver->advance(context).ok());
  QCOMPARE(made.count(), 1);
}

void TestReadOnce::another_mesh_is_read_anew() {
  QFETCH(QString, file);
  const auto document = CaseDocument::read(file.toStdString());
  QVERIFY(document.ok());
  NoProgress quiet;
  Setup setup = set_up(*document, quiet);
  QVERIFY(setup.ok() && setup.mesh);
  const Made made;
  Mesh mesh = *setup.mesh;  // as much, elsewhere
  QVERIFY(setup.solver->estimate(setup.input, &mesh, setup.offer).ok());
  QCOMPARE(made.count(), 0);
  mesh.mutable_points()[0] *= 1.01;
  QVERIFY(setup.solver->estimate(setup.input, &mesh, setup.offer).ok());
  QCOMPARE(made.count(), 1);
  const Setup same = set_up(*document, quiet);  // a document that is resolved again is another case
  QCOMPARE(made.count(), 2);
  QVERIFY(setup.solver->estimate(same.input, setup.mesh.get(), setup.offer).ok());
  QCOMPARE(made.count(), 3);
}

/// What hangs on the memory is no part of what is kept.
void TestReadOnce::another_offer_is_another_answer() {
  const auto document = CaseDocument::read(CONOID_TEST_DATA "/safety/elastic-bem.json");
  QVERIFY(document.ok());
  NoProgress quiet;
  Setup setup = set_up(*document, quiet);
  QVERIFY(setup.ok());
  const Made made;
  Offer little = setup.offer;
  little.host.value = 1000;
  QVERIFY(has_errors(setup.solver->check(setup.input, setup.mesh.get(), little)));
  QVERIFY(!has_errors(setup.solver->check(setup.input, setup.mesh.get(), setup.offer)));
  QCOMPARE(made.count(), 0);
}

/// As the window checks a case after every edit. What the answer says is what a check without memory says.
void TestReadOnce::an_edit_that_leaves_the_geometry_keeps_the_surface() {
  auto document = CaseDocument::read(CONOID_TEST_DATA "/safety/acoustic-bem.json").value();
  CaseChecker checker;
  const auto surfaces = [&](const std::vector<std::pair<std::string, std::string>>& edits) {
    for (const auto& [path, value] : edits) document.set(path, value).or_throw();
    int made_now = 0;
    CheckReport kept;
    {
      const Made made;
      kept = checker.check(document);
      made_now = made.count();
    }
    const CheckReport fresh = check_case(document);
    const auto same = [&] {
      QCOMPARE(kept.diagnostics.size(), fresh.diagnostics.size());
      for (std::size_t k = 0; k < fresh.diagnostics.size(); ++k)
        QCOMPARE(kept.diagnostics[k].render(), fresh.diagnostics[k].render());
      QCOMPARE(kept.estimated, fresh.estimated);
      QCOMPARE(kept.estimate.steps, fresh.estimate.steps);
      QCOMPARE(kept.estimate.disk, fresh.estimate.disk);
      QCOMPARE(kept.estimate.details.size(), fresh.estimate.details.size());
    };
    same();
    return made_now;
  };
  QCOMPARE(surfaces({}), 1);
  QCOMPARE(surfaces({{"title", "Another title"}}), 0);
  QCOMPARE(surfaces({{"output.receivers.0.position", "[0, 0, 9]"}}), 0);
  QCOMPARE(surfaces({{"parameters.courant", "0.3"}}), 0);
  QCOMPARE(surfaces({{"excitation.waves.0.kind", "nonsense"}}), 0);  // an error, at which nothing is looked at
  document.set("excitation.waves.0.kind", "plane").or_throw();
  QCOMPARE(surfaces({}), 0);
  QCOMPARE(surfaces({{"parameters.ordering", "given"}}), 1);
  QCOMPARE(surfaces({{"boundaries.surface", "soft"}}), 1);
  QCOMPARE(surfaces({{"mesh.unit", "cm"}}), 1);
  QCOMPARE(surfaces({{"parameters.courant", "0.35"}}), 0);
}

QTEST_APPLESS_MAIN(TestReadOnce)
#include "test_read_once.moc"
