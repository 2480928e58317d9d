// SPDX-License-Identifier: BSD-3-Clause
// A case is read once: from its check over its estimate to its run the surface of a boundary-element case and the zones of a flow are made
// a single time, and made again where case or mesh are others; the files of a grid are read by its check alone.
// labels: unit
#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "engine/core/log.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/mesh/readers/read_mesh.hpp"
#include "engine/mesh/writers/write_mesh.hpp"
#include "engine/session/case_checker.hpp"
#include "engine/session/setup.hpp"
#include "engine/solvers/registry.hpp"
#include "engine/team/team.hpp"
#include "tests/engine/solvers/memory_checkpoint.hpp"

using namespace conoid;

namespace {

/// How often a solver has said that it made a surface.
class Made {
 public:
  explicit Made(std::string what = "was made of the case") : what_(std::move(what)) {}
  [[nodiscard]] int count() const { return count_; }

 private:
  std::string what_;
  int count_ = 0;
  std::unique_ptr<log::Subscription> listening_ = log::subscribe([this](const LogEntry& entry) {
    if (entry.level == LogLevel::debug && entry.text.find(what_) != std::string::npos) ++count_;
  });
};

/// A bent box of 3 × 2 × 2 hexahedra for hydro-fem, whose sides x = 0 are the group "left", and its case.
CaseDocument flow_on_a_mesh(const QTemporaryDir& folder) {
  BoxOptions sizes;
  sizes.divisions = {3, 2, 2};
  Mesh mesh = box(sizes).value();
  for (std::size_t i = 0; i < mesh.mutable_points().size(); i += 3)
    mesh.mutable_points()[i] *= 1 + 0.1 * mesh.mutable_points()[i + 1];
  const std::string file = folder.filePath("zones.msh").toStdString();
  write_mesh(mesh, file).or_throw();
  const std::string text = fmt::format(R"({{
    "conoid": 1, "solver": "hydro-fem", "title": "test", "mesh": {{"file": "{}", "unit": "m"}}, "materials": {{"air": {{"gamma": 1.4}}}},
    "regions": [{{"material": "air", "density_formula": "1 + 0.2 * x", "pressure": 1, "velocity_formula": ["0.3 * x", "0", "0"]}}],
    "parameters": {{"order": 2, "end_time": 0.02}}, "output": {{"tracers": [{{"position": [0.5, 0.5, 0.5]}}]}}}})",
                                       file);
  return CaseDocument::parse(text, "flow.json").value();
}

/// Prepares a checked case and takes its first step.
bool begins(Setup& setup) {
  NoProgress quiet;
  Team team({{"cpu", 1, 1}});
  const auto cluster = single_rank();
  MemoryResults results;
  RunContext context{setup.input, setup.mesh, team, setup.offer, *cluster, results, quiet, {}};
  return setup.solver->prepare(context).ok() && setup.solver->advance(context).ok();
}

}  // namespace

class TestReadOnce : public QObject {
  Q_OBJECT
 private slots:
  void check_estimate_and_run_share_a_surface_data() {
    rows();
    QTest::newRow("acoustic-fd") << QString(CONOID_TEST_DATA "/safety/acoustic-fd.json");
    QTest::newRow("maxwell-fem") << QString(CONOID_TEST_DATA "/safety/maxwell-fem.json");
  }
  void check_estimate_and_run_share_a_surface();
  void a_later_check_reads_a_grid_anew();
  void files_of_a_grid_are_read_by_the_check_alone_data();
  void files_of_a_grid_are_read_by_the_check_alone();
  void check_estimate_and_run_share_zones();
  void a_problem_that_was_kept_computes_what_a_new_one_does();
  void an_edit_that_leaves_the_mesh_keeps_the_zones();
  void another_mesh_is_read_anew_data() { rows(); }
  void another_mesh_is_read_anew();
  void another_offer_is_another_answer();
  void an_edit_that_leaves_the_geometry_keeps_the_surface();
  void an_edit_of_pulse_or_step_fits_walls_anew();
  void a_check_with_memory_says_what_one_without_says_data();
  void a_check_with_memory_says_what_one_without_says();

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
  QVERIFY(begins(setup));
  QCOMPARE(made.count(), 1);
}

/// Models of a grid lie in files, which a later check must see as they are then.
void TestReadOnce::a_later_check_reads_a_grid_anew() {
  const auto document = CaseDocument::read(CONOID_TEST_DATA "/safety/acoustic-fd.json");
  QVERIFY(document.ok());
  NoProgress quiet;
  const Made made;
  Setup setup = set_up(*document, quiet);  // checks and estimates
  QVERIFY(setup.ok());
  QCOMPARE(made.count(), 1);
  QVERIFY(!has_errors(setup.solver->check(setup.input, nullptr, setup.offer)));
  QVERIFY(setup.solver->estimate(setup.input, nullptr, setup.offer).ok());
  QCOMPARE(made.count(), 2);
}

namespace {

/// What the receiver of the case in `folder` hears; `between` comes after the check.
std::vector<std::vector<double>> heard(const QTemporaryDir& folder, const std::function<void()>& between) {
  const auto document = CaseDocument::read(folder.filePath("case.json").toStdString());
  if (!document) return {};
  NoProgress quiet;
  Setup setup = set_up(*document, quiet);
  for (const Diagnostic& d : setup.diagnostics)
    if (d.severity == Severity::error) qWarning("%s", d.render().c_str());
  if (!setup.ok()) return {};
  between();
  Team team({{"cpu", 1, 1}});
  const auto cluster = single_rank();
  MemoryResults results;
  RunContext context{setup.input, setup.mesh, team, setup.offer, *cluster, results, quiet, {}};
  if (const Status s = setup.solver->prepare(context); !s) {
    qWarning("%s", s.error().text.c_str());
    return {};
  }
  for (bool done = false; !done;) {
    const auto advanced = setup.solver->advance(context);
    if (!advanced) return {};
    done = advanced->finished;
  }
  if (!setup.solver->finish(context).ok()) return {};
  const auto* const table = results.find("receivers");
  return table ? table->rows : std::vector<std::vector<double>>{};
}

/// A raw model of 13 x 13 x 13 samples 10 m apart, which vary around `middle`.
void write_model(const QTemporaryDir& folder, const char* name, const char* unit, float middle) {
  std::ofstream(folder.filePath(QString("%1.json").arg(name)).toStdString()) << fmt::format(
      R"({{"file": "{}.f32", "axes": "xyz", "shape": [13, 13, 13], "spacing": [10, 10, 10], "unit": "{}"}})", name,
      unit);
  std::vector<float> values(13 * 13 * 13);
  for (std::size_t n = 0; n < values.size(); ++n)
    values[n] = middle * (1 + 0.2F * std::sin(0.37F * static_cast<float>(n)));
  std::ofstream(folder.filePath(QString("%1.f32").arg(name)).toStdString(), std::ios::binary)
      .write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(float)));
}

}  // namespace

void TestReadOnce::files_of_a_grid_are_read_by_the_check_alone_data() {
  QTest::addColumn<QString>("medium");
  QTest::addColumn<QString>("sides");
  QTest::newRow("density, an array") << R"("density": {"kind": "file", "header": "density.json"})"
                                     << "";
  QTest::newRow("attenuation, an impedance wall")
      << R"("attenuation": {"kind": "constant_q", "quality": 30})"
      << R"("boundaries": {"x_max": {"kind": "impedance", "impedance": 2}},)";
  QTest::newRow("smooth obstacles")
      << R"("obstacle_walls": "smooth", "obstacles": [{"kind": "mesh", "file": "body.stl", "unit": "m"},
            {"kind": "file", "header": "solid.json", "above": 1.15}])"
      << "";
}

/// Files are gone when the run begins: it computes what it computes with them, to the last bit.
void TestReadOnce::files_of_a_grid_are_read_by_the_check_alone() {
  QFETCH(QString, medium);
  QFETCH(QString, sides);
  QTemporaryDir folder;
  write_model(folder, "speed", "m/s", 1500);
  write_model(folder, "density", "kg/m^3", 1200);
  write_model(folder, "solid", "m/s", 1);
  write_model(folder, "start", "Pa", 3);
  Mesh body = read_mesh(CONOID_TEST_DATA "/safety/sphere.ply").value();  // of radius 1 around the origin
  for (std::size_t i = 0; i < body.points().size(); ++i) body.mutable_points()[i] = 60 + 17 * body.points()[i];
  write_mesh(body, folder.filePath("body.stl").toStdString()).or_throw();
  std::ofstream(folder.filePath("sent.csv").toStdString()) << "0,0\n0.01,1\n0.02,-1\n0.03,0\n0.04,0\n";
  std::ofstream(folder.filePath("case.json").toStdString()) << fmt::format(
      R"({{"conoid": 1, "solver": "acoustic-fd", "grid": {{"points": [33, 29, 31], "spacing": 4}},
        "medium": {{"velocity": {{"kind": "file", "header": "speed.json"}}, {}}}, {}
        "excitation": {{"initial": {{"kind": "file", "header": "start.json"}}, "sources": [
          {{"position": [61, 53, 79], "signal": {{"kind": "sampled", "file": "sent.csv", "amplitude": 50}}}},
          {{"position": [57, 60, 44], "shape": {{"kind": "array", "elements": 3, "pitch": 5, "steering": {{"kind": "angle", "angle": 0.4}}}},
            "signal": {{"kind": "ricker", "frequency": 30, "amplitude": 70}}}}]}},
        "parameters": {{"steps": 60, "order": 4}}, "output": {{"receivers": [{{"position": [80, 50, 62], "velocity": true}}]}}}})",
      medium.toStdString(), sides.toStdString());
  const auto with = heard(folder, [] {});
  QVERIFY(with.size() > 20);
  const auto gone = [&] {
    QDir dir(folder.path());
    for (const QString& name : dir.entryList(QDir::Files))
      if (name != "case.json") QVERIFY(dir.remove(name));
  };
  const auto without = heard(folder, gone);
  QCOMPARE(without.size(), with.size());
  QVERIFY(without == with);
}

/// Trials of an estimate march what was read.
void TestReadOnce::check_estimate_and_run_share_zones() {
  const QTemporaryDir folder;
  NoProgress quiet;
  const Made made("hydro-fem: a problem was made"), zones("hydro-fem: zones were made");
  Setup setup = set_up(flow_on_a_mesh(folder), quiet);  // checks and estimates
  QVERIFY(setup.ok());
  QCOMPARE(made.count(), 1);
  QVERIFY(begins(setup));
  QCOMPARE(made.count(), 1);
  QCOMPARE(zones.count(), 1);
}

/// All that a checkpoint holds, bit for bit.
void TestReadOnce::a_problem_that_was_kept_computes_what_a_new_one_does() {
  const QTemporaryDir folder;
  NoProgress quiet;
  Setup setup = set_up(flow_on_a_mesh(folder), quiet);
  QVERIFY(setup.ok());
  Team team({{"cpu", 1, 1}});
  const auto cluster = single_rank();
  const auto end_of = [&](Solver& solver) {
    MemoryResults results;
    RunContext context{setup.input, setup.mesh, team, setup.offer, *cluster, results, quiet, {}};
    solver.prepare(context).or_throw();
    while (!solver.advance(context)->finished) {
    }
    test::MemoryCheckpoint all;
    solver.save(all);
    std::vector<double> out;
    for (const char* name : {"position", "velocity", "energy"})
      for (const double value : static_cast<const CheckpointReader&>(all).all<double>(name)) out.push_back(value);
    return out;
  };
  const auto fresh = find_solver("hydro-fem")->make();
  const std::vector<double> kept = end_of(*setup.solver), anew = end_of(*fresh);
  QVERIFY(kept.size() > 100 && kept == anew);
}

void TestReadOnce::an_edit_that_leaves_the_mesh_keeps_the_zones() {
  const QTemporaryDir folder;
  CaseDocument document = flow_on_a_mesh(folder);
  CaseChecker checker;
  const auto zones = [&](const char* path, const char* value) {
    if (path != nullptr) document.set(path, value).or_throw();
    const Made made("hydro-fem: zones were made");
    (void)checker.check(document);
    return made.count();
  };
  QCOMPARE(zones(nullptr, nullptr), 1);
  QCOMPARE(zones("parameters.order", "1"), 0);
  QCOMPARE(zones("materials.air.gamma", "1.3"), 0);
  QCOMPARE(zones("regions.0.pressure", "-1"), 0);  // an error
  QCOMPARE(zones("regions.0.pressure", "2"), 0);
  QCOMPARE(zones("mesh.unit", "cm"), 1);
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

namespace {

/// What a check says, as far as it is the same each time: all but what is measured, seconds and the memory that this program has by now.
std::vector<std::string> said(const CheckReport& report) {
  std::vector<std::string> out;
  for (const Diagnostic& d : report.diagnostics) out.push_back(d.render());
  const Estimate& e = report.estimate;
  out.push_back(fmt::format("estimated {}: {} steps, {} B of a device, {} B of disk, basis '{}'", report.estimated,
                            e.steps, e.device_memory, e.disk, e.basis));
  for (const auto& [name, text] : e.details) out.push_back(name + ": " + text);
  return out;
}

/// A key, two values that go with each other's keys, and one that is an error (or null: there is none).
struct Edit {
  const char* path;
  const char* values[2];
  const char* wrong = nullptr;
};

const std::map<std::string, std::vector<Edit>>& edits_of() {
  static const std::map<std::string, std::vector<Edit>> all = {
      {"acoustic-bem",
       {{"title", {"one", "another"}},
        {"mesh.unit", {"m", "cm"}, "furlong"},
        {"medium.speed", {"343 m/s", "340 m/s"}, "-1"},
        {"boundaries.surface", {"rigid", "rigid"}, "wet"},
        {"boundaries.ground",
         {R"({"normal": "z", "height": -4})", R"({"normal": "z", "height": -5})"},
         R"({"normal": "z", "height": 0.5})"},
        {"boundaries.groups", {"[]", "[]"}, R"([{"group": "nowhere", "kind": "soft"}])"},
        {"excitation.pulse.frequency", {"40 Hz", "60 Hz"}, "4 kg"},
        {"excitation.waves.0.direction", {"[0, 0, -1]", "[1, 0, -1]"}, "[0, 0, 0]"},
        {"parameters.courant", {"0.3", "0.5"}, "-1"},
        {"parameters.end_time", {"0.1", "0.2"}, "4 m"},
        {"parameters.ordering", {"given", "hilbert"}, "none"},
        {"parameters.rim_layers", {"1", "2"}, "-3"},
        {"output.receivers.0.position", {"[0, 0, 3]", "[0, 0, 1.2]"}, "[0, 0, 0.1]"},
        {"output.frequencies.to", {"60 Hz", "50 Hz"}, "5 Hz"}}},
      {"elastic-bem",
       {{"title", {"one", "another"}},
        {"mesh.unit", {"m", "cm"}, "furlong"},
        {"medium.shear_speed", {"100 m/s", "200 m/s"}, "-1"},
        {"parameters.domain", {"outside", "auto"}, "nowhere"},
        {"parameters.elements", {"constant", "continuous"}, "smooth"},
        {"parameters.symmetry", {"none", "none"}, "q"},
        {"parameters.solution", {"auto", "direct"}, "magic"},
        {"parameters.frequencies.to", {"20 Hz", "10 Hz"}, "4 kg"},
        {"excitation.loads.0.wave", {"p", "sv"}, "nonsense"},
        {"output.receivers.0.position", {"[0, 0, -2]", "[0, 0, -3]"}, "[0, 0, 0.1]"}}}};
  return all;
}

/// How many surfaces were made in this check.
int made_by(CaseChecker& checker, const CaseDocument& document) {
  const Made made;
  (void)checker.check(document);
  return made.count();
}

}  // namespace

/// As the window checks a case after every edit.
void TestReadOnce::an_edit_that_leaves_the_geometry_keeps_the_surface() {
  auto document = CaseDocument::read(CONOID_TEST_DATA "/safety/acoustic-bem.json").value();
  CaseChecker checker;
  const auto surfaces = [&](const char* path, const char* value) {
    document.set(path, value).or_throw();
    return made_by(checker, document);
  };
  QCOMPARE(made_by(checker, document), 1);
  QCOMPARE(surfaces("title", "Another title"), 0);
  QCOMPARE(surfaces("output.receivers.0.position", "[0, 0, 9]"), 0);
  QCOMPARE(surfaces("parameters.courant", "0.3"), 0);
  QCOMPARE(surfaces("excitation.waves.0.kind", "nonsense"), 0);  // an error, at which nothing is looked at
  QCOMPARE(surfaces("excitation.waves.0.kind", "plane"), 0);
  QCOMPARE(surfaces("parameters.form", "D"), 0);  // an error of the solver's own: soft, while the surface is rigid
  QCOMPARE(surfaces("parameters.form", "auto"), 0);
  QCOMPARE(surfaces("parameters.ordering", "given"), 1);
  QCOMPARE(surfaces("boundaries.surface", "soft"), 1);
  QCOMPARE(surfaces("mesh.unit", "cm"), 1);
  QCOMPARE(surfaces("parameters.courant", "0.35"), 0);
}

/// Absorbing walls are fitted to the pulses, and their memory to the step.
void TestReadOnce::an_edit_of_pulse_or_step_fits_walls_anew() {
  QTemporaryDir folder;
  const auto sphere = read_mesh(CONOID_TEST_DATA "/safety/sphere.ply");
  QVERIFY(sphere.ok());
  Mesh mesh = *sphere;
  MeshGroup& skin = mesh.add_group("skin", 2, 1);
  for (Index c = 0; c < mesh.cell_count(); ++c) skin.cells.push_back(c);
  const std::string file = folder.filePath("skin.msh").toStdString();
  write_mesh(mesh, file).or_throw();
  auto document = CaseDocument::read(CONOID_TEST_DATA "/safety/acoustic-bem.json").value();
  document.set("mesh.file", file).or_throw();
  document
      .set("boundaries.groups", R"([{"group": "skin", "kind": "porous", "flow_resistivity": 10000, "thickness": 0.1}])")
      .or_throw();
  CaseChecker checker;
  const auto surfaces = [&](const char* path, const char* value) {
    document.set(path, value).or_throw();
    return made_by(checker, document);
  };
  QCOMPARE(made_by(checker, document), 1);
  QCOMPARE(surfaces("output.receivers.0.position", "[0, 0, 8]"), 0);
  QCOMPARE(surfaces("parameters.courant", "0.3"), 1);
  QCOMPARE(surfaces("excitation.pulse.frequency", "50 Hz"), 1);
  QCOMPARE(surfaces("medium.speed", "340 m/s"), 1);
  QCOMPARE(surfaces("output.receivers.0.position", "[0, 0, 9]"), 0);
}

void TestReadOnce::a_check_with_memory_says_what_one_without_says_data() {
  QTest::addColumn<QString>("solver");
  for (const auto& [solver, edits] : edits_of()) QTest::newRow(solver.c_str()) << QString::fromStdString(solver);
}

void TestReadOnce::a_check_with_memory_says_what_one_without_says() {
  QFETCH(QString, solver);
  const std::vector<Edit>& edits = edits_of().at(solver.toStdString());
  auto document = CaseDocument::read((QString(CONOID_TEST_DATA "/safety/%1.json").arg(solver)).toStdString()).value();
  if (solver == "acoustic-bem")  // from above, where it meets the ground
    document.set("excitation.waves.0.direction", "[0, 0, -1]").or_throw();
  CaseChecker checker;
  std::mt19937 random(7);
  int kept = 0, made_anew = 0, errors = 0;
  for (int k = 0; k < 120; ++k) {
    const Edit& edit = edits[random() % edits.size()];
    const CaseDocument before = document;
    const bool wrong = edit.wrong != nullptr && random() % 4 == 0;
    document.set(edit.path, wrong ? edit.wrong : edit.values[random() % 2]).or_throw();
    Made made;
    const CheckReport with = checker.check(document);
    const int made_with = made.count();
    const CheckReport without = check_case(document);
    const int made_without = made.count() - made_with;
    QCOMPARE(said(with), said(without));
    if (has_errors(without.diagnostics)) ++errors;
    if (made_with < made_without) ++kept;
    if (made_with > 0) ++made_anew;
    if (wrong) document = before;  // somebody takes it back
  }
  const std::string counts = fmt::format("{} kept, {} made anew, {} errors", kept, made_anew, errors);
  QVERIFY2(errors > 10 && made_anew > 10, counts.c_str());
  QVERIFY2(kept > 40 || solver != "acoustic-bem", counts.c_str());
}

QTEST_APPLESS_MAIN(TestReadOnce)
#include "test_read_once.moc"
