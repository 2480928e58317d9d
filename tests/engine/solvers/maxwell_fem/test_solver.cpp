// SPDX-License-Identifier: BSD-3-Clause
// The solver as a session drives it: tables, numbers, frames, compression of a sweep, checkpoints, a body's own layer, and
// messages for bad cases.
// labels: unit timeout300
#include <QTest>
#include <cmath>
#include <map>
#include <numbers>

#include "engine/mesh/generators.hpp"
#include "engine/mesh/gmsh.hpp"
#include "engine/mesh/topology.hpp"
#include "engine/mesh/vec3.hpp"
#include "engine/solvers/maxwell_fem/maxwell_fem.hpp"
#include "engine/solvers/maxwell_fem/mesh/offset.hpp"

using namespace conoid;
using namespace conoid::maxwell_fem;

namespace {

struct Store {
  std::map<std::string, std::pair<std::vector<std::byte>, std::size_t>> arrays;  ///< bytes, size of an entry
};
class Writer final : public CheckpointWriter {
 public:
  explicit Writer(Store& store) : store_(store) {}

 protected:
  [[nodiscard]] bool leads() const override { return true; }
  void bytes(std::string_view name, std::size_t entry, Index, Index, std::span<const std::byte> data) override {
    store_.arrays[std::string(name)] = {{data.begin(), data.end()}, entry};
  }

 private:
  Store& store_;
};
class Reader final : public CheckpointReader {
 public:
  explicit Reader(const Store& store) : store_(store) {}
  [[nodiscard]] Index length(std::string_view name) const override {
    const auto a = store_.arrays.find(std::string(name));
    return a == store_.arrays.end() ? -1 : static_cast<Index>(a->second.first.size() / a->second.second);
  }

 protected:
  void bytes(std::string_view name, std::size_t entry, Index begin, std::span<std::byte> out) const override {
    const auto& a = store_.arrays.at(std::string(name)).first;
    std::copy_n(a.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(begin) * entry), out.size(),
                out.begin());
  }

 private:
  const Store& store_;
};

Json sphere_case() {
  return Json::parse(R"({
    "solver": "maxwell-fem",
    "sphere": {"radius": "50 mm", "divisions": 2},
    "excitation": {"frequency": "1 GHz", "theta": "180 deg", "polarisation": "V"},
    "output": {"exact": "sphere", "planes": [{"low": [-0.12, 0, -0.12], "high": [0.12, 0, 0.12], "points": [9, 9]}]}
  })");
}

Case resolved(const Json& json) {
  const auto schema = Schema::for_solver("maxwell-fem", solver_info().schema);
  if (!schema.ok()) qFatal("%s", schema.error().render().c_str());
  auto c = Case::resolve(CaseDocument::from_json(json, "case.json"), *schema);
  if (!c.ok()) qFatal("%s", c.error().render().c_str());
  return *c;
}

struct Run {
  Case input;
  std::shared_ptr<const Mesh> mesh;
  Team team{{{"cpu", 2, 1}}};
  std::unique_ptr<Communicator> cluster = single_rank();
  MemoryResults results;
  NoProgress progress;
  RunContext context{input, mesh, team, *cluster, results, progress, {}};
  MaxwellFem solver;
  Status finished;

  explicit Run(const Json& json, std::shared_ptr<const Mesh> m = nullptr) : input(resolved(json)), mesh(std::move(m)) {
    const Status s = solver.prepare(context);
    if (!s) qFatal("%s", s.error().render().c_str());
  }
  /// True when it came to its end.
  bool go(Index calls = 1 << 30) {
    for (Index k = 1;; ++k) {
      const auto a = solver.advance(context);
      if (!a.ok()) qFatal("%s", a.error().render().c_str());
      if (a->finished) return finished = solver.finish(context), true;
      if (k == calls) return false;
    }
  }
  [[nodiscard]] double number(const char* name) const {
    for (const auto& n : results.numbers)
      if (n.name == name) return n.value;
    return std::nan("");
  }
};

QString first_error(const Json& json, const Mesh* mesh = nullptr) {
  for (const Diagnostic& d : MaxwellFem().check(resolved(json), mesh))
    if (d.severity == Severity::error) return QString::fromStdString(d.render());
  return {};
}

Json mesh_case(const char* boundaries = "{}") {
  Json out = Json::parse(
      R"({"solver": "maxwell-fem", "mesh": {"file": "body.msh", "unit": "m"}, "excitation": {"frequency": "1 GHz"}})");
  out["boundaries"] = Json::parse(boundaries);
  return out;
}

Mesh shells(bool hollow = true) {
  return *spherical_shells(
      {.radius = 0.05, .hollow = hollow, .divisions = 2, .shells = {{0.08, 2, "vacuum"}}, .curved = false});
}

}  // namespace

class TestSolver : public QObject {
  Q_OBJECT

 private slots:
  void sphere_matches_the_series() {
    Run run(sphere_case());
    QVERIFY(run.go());
    QVERIFY(run.finished.ok());
    QVERIFY2(run.number("error_mean") < 0.03, qPrintable(QString::number(run.number("error_mean"))));
    QVERIFY(run.number("optical_theorem_mismatch") < 1e-3);
    const auto* cut = run.results.find("rcs_phi_0");
    QVERIFY(cut != nullptr);
    QCOMPARE(cut->rows.size(), std::size_t{181});
    // Columns: angle, VV, HV, then exact ones; backscatter at theta = 180 deg.
    QVERIFY(std::abs(cut->rows.back()[1] - cut->rows.back()[3]) < 0.3);
    QVERIFY(cut->rows.back()[2] < cut->rows.back()[1] - 30);  // no cross polarisation
    const auto* units = run.results.find("all_units_phi_0");
    QVERIFY(units != nullptr);
    const auto& row = units->rows.back();
    QVERIFY(std::abs(10 * std::log10(row[1]) - row[2]) < 1e-9);
    const double wave = light_speed / 1e9;
    QVERIFY(std::abs(row[3] - 10 * std::log10(row[1] / (wave * wave))) < 1e-9);
    QVERIFY(std::abs(row[4] - 10 * std::log10(row[1] / (std::numbers::pi * 0.05 * 0.05))) < 1e-9);
    const auto* convergence = run.results.find("convergence");
    QVERIFY(convergence != nullptr && convergence->rows.back()[1] <= 1e-3);
  }

  void frames_are_complex_and_continuous_across_the_outer_surface() {
    Json json = sphere_case();
    json["output"]["volume"] = true;
    Run run(json);
    QVERIFY(run.go());
    FrameBuilder builder({}, 1);
    run.solver.fill(builder);
    const auto frame = builder.finish();
    QCOMPARE(frame->parts.size(), std::size_t{3});
    QCOMPARE(run.solver.catalog().size(), std::size_t{3});
    for (const FramePart& part : frame->parts) {
      QCOMPARE(part.fields.size(), std::size_t{1});
      QVERIFY(part.fields[0].info.is_complex);
    }
    // The plane's corner lies outside of S: the field there is the incident one within the echo's size.
    const auto& e = *frame->parts[1].fields[0].values;
    QCOMPARE(e.size(), std::size_t{81 * 6});
    double inside = 0;
    for (int c = 0; c < 6; ++c) inside += std::abs(e[static_cast<std::size_t>(40 * 6 + c)]);
    QCOMPARE(inside, 0.0);  // the centre is metal
    double corner = 0;
    for (int c = 0; c < 6; ++c)
      corner +=
          static_cast<double>(e[static_cast<std::size_t>(c)]) * static_cast<double>(e[static_cast<std::size_t>(c)]);
    QVERIFY(std::abs(std::sqrt(corner) - 1) < 0.4);
  }

  void all_loops_and_methods_agree() {
    double reference = 0;
    for (const char* method : {"gmres", "fixed_point"})
      for (const char* loop : {"auto", "blocked", "omp_inner"}) {
        Json json = sphere_case();
        json["truncation"] = {{"method", method}, {"loop", loop}, {"tolerance", 1e-7}, {"iterations", 60}};
        Run run(json);
        QVERIFY(run.go());
        QVERIFY(run.finished.ok());
        const double echo = run.number("echo_VV");
        if (reference == 0) reference = echo;
        QVERIFY(std::abs(echo / reference - 1) < 1e-6);
      }
  }

  void compressed_sweep_equals_the_full_one() {
    Json json = sphere_case();
    json["output"] = Json::object();
    json["excitation"] = Json::parse(
        R"({"frequency": "1 GHz", "theta": "90 deg", "polarisation": "both", "monostatic": {"from": 0, "to": "180 deg", "count": 37}})");
    json["truncation"] = {{"tolerance", 1e-5}};
    Run with(json);
    QVERIFY(with.go());
    json["parameters"] = {{"compress", false}};
    Run without(json);
    QVERIFY(without.go());
    QCOMPARE(without.number("directions_solved"), 74.0);
    QVERIFY2(with.number("directions_solved") < 40, qPrintable(QString::number(with.number("directions_solved"))));
    const auto *a = with.results.find("monostatic"), *b = without.results.find("monostatic");
    for (std::size_t r = 0; r < 37; ++r)
      for (std::size_t c : {1, 4}) QVERIFY(std::abs(a->rows[r][c] - b->rows[r][c]) < 0.02);
    QVERIFY(with.number("reciprocity_mismatch") < 1e-3);
  }

  void frequency_sweep_and_resumed_run_give_the_same_numbers() {
    Json json = sphere_case();
    json["excitation"] = Json::parse(
        R"({"sweep": {"from": "0.8 GHz", "to": "1 GHz", "count": 2}, "theta": "180 deg", "polarisation": "V"})");
    json["truncation"] = {{"tolerance", 1e-6}};
    Run whole(json);
    QVERIFY(whole.go());
    QVERIFY(whole.results.find("frequency") != nullptr);
    QCOMPARE(whole.results.find("frequency")->rows.size(), std::size_t{2});
    for (Index stop : {1, 3, 7}) {
      Run first(json);
      if (first.go(stop)) QFAIL("ended early");
      Store store;
      Writer writer(store);
      first.solver.save(writer);
      Run second(json);
      Reader reader(store);
      second.solver.load(reader);
      QVERIFY(second.go());
      const auto *a = whole.results.find("frequency"), *b = second.results.find("frequency");
      for (std::size_t r = 0; r < 2; ++r)
        QVERIFY2(std::abs(a->rows[r][1] - b->rows[r][1]) < 1e-4,
                 qPrintable(QString("%1 %2").arg(a->rows[r][1]).arg(b->rows[r][1])));
    }
  }

  void offset_surface_is_closed_at_its_distance() {
    // A body with edges and a concave corner: a box's surface.
    const Mesh body = *box_surface({.high = {1, 0.5, 0.2}, .divisions = {5, 3, 2}});
    auto outer = offset_surface(body, 0.15, 0.2);
    QVERIFY(outer.ok());
    const SurfaceReport report = check_surface(*outer);
    QVERIFY2(report.is_body(), explain(report, *outer).c_str());
    for (Index p = 0; p < outer->point_count(); ++p) {
      Vec3 away{};
      const Vec3 x = outer->point(p), high{1, 0.5, 0.2};
      for (int d = 0; d < 3; ++d) away[d] = x[d] - std::clamp(x[d], 0.0, high[d]);
      QVERIFY(std::abs(vec::norm(away) - 0.15) < 1e-9);
    }
  }

  void a_closed_surface_alone_is_a_scattering_problem() {
    if (!find_gmsh().ok()) QSKIP("gmsh is not installed");
    const auto body = std::make_shared<const Mesh>(*icosphere({.radius = 0.05, .divisions = 3, .equal_volume = true}));
    Json json = mesh_case();
    json["excitation"]["polarisation"] = "V";
    QCOMPARE(first_error(json, body.get()), QString());
    Run run(json, body);
    QVERIFY(run.go());
    QVERIFY(run.finished.ok());
    const double ka = 2 * std::numbers::pi * 1e9 / light_speed * 0.05;
    const double exact = conducting_sphere(ka).sigma_e(-1) * std::numbers::pi * 0.05 * 0.05;
    QVERIFY2(std::abs(10 * std::log10(run.number("echo_VV") / exact)) < 0.5,
             qPrintable(QString::number(run.number("echo_VV") / exact)));
  }

  void a_run_that_does_not_converge_says_so() {
    Json json = sphere_case();
    json["truncation"] = {{"iterations", 1}, {"tolerance", 1e-9}};
    Run run(json);
    QVERIFY(run.go());
    QVERIFY(!run.finished.ok());
    QVERIFY(run.finished.error().code == ErrorCode::not_converged);
    QVERIFY(run.results.find("rcs_phi_0") != nullptr);  // results are kept
  }

  void bad_cases_have_their_own_messages() {
    const auto says = [](const QString& message, const char* words) {
      if (!message.contains(words)) qWarning("%s", qPrintable(message));
      return message.contains(words);
    };
    const Mesh good = shells();
    const char* roles = R"({"body": {"kind": "pec"}, "outer": {"kind": "outer"}})";
    QCOMPARE(first_error(mesh_case(roles), &good), QString());
    QVERIFY(says(first_error(mesh_case(R"({"body": {"kind": "pec"}})"), &good), "have no boundary condition"));
    QVERIFY(says(first_error(mesh_case(R"({"body": {"kind": "pec"}, "outer": {"kind": "pec"}})"), &good),
                 "no surface is S"));
    QVERIFY(
        says(first_error(mesh_case(R"({"body": {"kind": "pec"}, "outer": {"kind": "outer"}, "lid": {"kind": "pec"}})"),
                         &good),
             "no surface group 'lid'"));
    // S open: a part of it is a conductor.
    Mesh split = good;
    const auto faces = split.group("outer")->cells;
    split.add_group("lid", 2).cells = {faces.back()};
    Mesh open;
    {
      std::vector<MeshGroup> groups;
      for (MeshGroup g : split.groups()) {
        if (g.name == "outer") g.cells.pop_back();
        groups.push_back(g);
      }
      open = *Mesh::from_arrays(split.points(), split.shapes(), split.connectivity(), groups);
    }
    QVERIFY(
        says(first_error(mesh_case(R"({"body": {"kind": "pec"}, "outer": {"kind": "outer"}, "lid": {"kind": "pec"}})"),
                         &open),
             "S is open"));
    // S touches the body: material everywhere.
    Json filled = mesh_case(roles);
    filled["materials"] = Json::parse(R"({"plastic": {"permittivity": 2}})");
    filled["regions"] = Json::parse(R"({"vacuum": {"material": "plastic"}})");
    QVERIFY(says(first_error(filled, &good), "S touches the body"));
    filled["regions"] = Json::parse(R"({"vacuum": {"material": "steel"}})");
    QVERIFY(says(first_error(filled, &good), "no material 'steel'"));
    Json fast = mesh_case(roles);
    fast["excitation"]["frequency"] = "20 GHz";
    QVERIFY(says(first_error(fast, &good), "too coarse"));
    Json none = mesh_case(roles);
    none["excitation"].erase("frequency");
    QVERIFY(says(first_error(none, &good), "no frequency"));
    // Surfaces alone.
    Mesh rim = *icosphere({.radius = 0.05, .divisions = 3});
    std::vector<Index> most;
    for (Index c = 1; c < rim.cell_count(); ++c) most.push_back(c);
    const Mesh holed = rim.extract(most);
    QVERIFY(says(first_error(mesh_case(), &holed), "the surface is open"));
    Mesh crossing = rim;
    {
      const Index shift = crossing.point_count();
      const Mesh copy = rim;
      for (Index p = 0; p < shift; ++p) crossing.add_point(vec::add(copy.point(p), {0.051, 0.003, 0.002}));
      for (Index c = 0; c < copy.cell_count(); ++c) {
        const auto n = copy.nodes(c);
        crossing.add_cell(CellShape::triangle3, {n[0] + shift, n[1] + shift, n[2] + shift});
      }
    }
    QVERIFY(says(first_error(mesh_case(), &crossing), "cuts itself"));
    // Memory beyond the budget, with what would fit.
    Json large = sphere_case();
    large["sphere"]["divisions"] = 60;
    large["compute"] = {{"memory", {{"host", "200 MB"}}}};
    QVERIFY(says(first_error(large), "would fit"));
    Json nothing = sphere_case();
    nothing.erase("sphere");
    nothing["output"] = Json::object();
    QVERIFY(says(first_error(nothing), "neither a mesh nor a sphere"));
    Json profile = sphere_case();
    profile["output"]["range_profile"] = true;
    QVERIFY(says(first_error(profile), "range profile"));
  }
};

QTEST_APPLESS_MAIN(TestSolver)
#include "test_solver.moc"
