// SPDX-License-Identifier: BSD-3-Clause
// Where a wish to stop is heard: whatever a solver is doing when it comes, it begins no other phase of its work. Counted by what
// it tells of its progress, never by a clock.
// labels: unit
#include <QTest>

#include <filesystem>
#include <map>

#include "engine/session/setup.hpp"
#include "engine/solvers/solver.hpp"
#include "engine/team/team.hpp"

using namespace conoid;

class TestStopInPhases : public QObject {
  Q_OBJECT
 private slots:
  void no_other_phase_begins_data();
  void no_other_phase_begins();
};

namespace {

/// Asks for a stop at the n-th thing it is told, and notes what comes after.
class Listener final : public Progress {
 public:
  explicit Listener(Index at = 0) : at_(at) {}
  void begin(std::string_view phase, Index, std::string_view) override {
    if (wished_)
      later.emplace_back(phase);
    else
      phases.emplace_back(phase);
    told();
  }
  void at(Index) override {
    if (wished_) ++reports_later;
    told();
  }
  void computed(double, std::string_view) override {}
  void residual(double, double) override { told(); }
  void end() override { told(); }
  void told() {
    if (++count == at_) {
      wished_ = true;
      source.request_stop();
    }
  }

  std::stop_source source;
  Index count = 0;
  Index reports_later = 0;
  std::vector<std::string> phases, later;

 private:
  Index at_;
  bool wished_ = false;
};

struct End {
  Status status;
  Index advances = 0;
};

/// Prepares and goes on for three advances, as a session does: between two of them it looks at the wish itself.
End go(const CaseDocument& document, Listener& listener) {
  NoProgress quiet;
  Setup setup = set_up(document, quiet);
  if (!setup.ok())
    return {make_error(ErrorCode::invalid_input, setup.diagnostics.empty() ? "" : setup.diagnostics.back().text)};
  Team team({{"cpu", 1, 1}});
  const auto cluster = single_rank();
  MemoryResults results;
  RunContext context{setup.input, setup.mesh, team,     setup.offer,
                     *cluster,    results,    listener, listener.source.get_token()};
  End end;
  end.status = setup.solver->prepare(context);
  while (end.status && end.advances < 3 && !listener.source.stop_requested()) {
    const auto advanced = setup.solver->advance(context);
    if (!advanced) end.status = advanced.error();
    ++end.advances;
    if (advanced && advanced->finished) break;
  }
  return end;
}

}  // namespace

void TestStopInPhases::no_other_phase_begins_data() {
  QTest::addColumn<QString>("file");
  for (const auto& entry : std::filesystem::directory_iterator(CONOID_TEST_DATA "/safety"))
    if (entry.path().extension() == ".json")
      QTest::newRow(entry.path().stem().c_str()) << QString::fromStdString(entry.path().string());
}

void TestStopInPhases::no_other_phase_begins() {
  QFETCH(QString, file);
  const auto document = CaseDocument::read(file.toStdString());
  QVERIFY2(document.ok(), document.ok() ? "" : document.error().render().c_str());
  Listener whole;
  const End end = go(*document, whole);
  QVERIFY2(end.status.ok(), end.status.ok() ? "" : end.status.error().render().c_str());
  QVERIFY(whole.phases.size() >= 1 && whole.count >= 2);
  std::map<std::string, int> phases;
  for (const std::string& phase : whole.phases) ++phases[phase];
  QStringList names;
  for (const auto& [name, times] : phases) names << QString("%1 × %2").arg(QString::fromStdString(name)).arg(times);
  qInfo("%s", qPrintable(names.join(", ")));
  for (Index at = 1; at <= whole.count; ++at) {
    Listener listener(at);
    const End stopped = go(*document, listener);
    const std::string what = "asked at report " + std::to_string(at) + " of " + std::to_string(whole.count) + " in " +
                             (listener.phases.empty() ? "" : listener.phases.back());
    QVERIFY2(stopped.status.ok() || stopped.status.error().code == ErrorCode::stopped, what.c_str());
    QVERIFY2(listener.later.empty(),
             (what + ": " + (listener.later.empty() ? "" : listener.later.front()) + " begins").c_str());
    QVERIFY2(listener.reports_later <= 1, (what + ": " + std::to_string(listener.reports_later) + " more").c_str());
  }
}

QTEST_APPLESS_MAIN(TestStopInPhases)
#include "test_stop_in_phases.moc"
