// SPDX-License-Identifier: BSD-3-Clause
// Resolved cases: everything in SI with defaults, getters that catch schema bugs, and the hash that
// identifies a run.
// labels: unit
#include "engine/case/case.hpp"
#include "tests/engine/case/sample.hpp"

#include <QFloat16>  // <QTest> only declares it, and JSON asks what it can become
#include <QTest>
#include <functional>
#include <random>

using namespace conoid;

namespace {

CaseDocument layer_case() {
  return good_document("/cases/layer/case.json");
}

Case resolved(const CaseDocument& d) {
  auto c = Case::resolve(d, good_schema());
  if (!c) qFatal("%s", c.error().render().c_str());
  return *c;
}

std::string hash_with(const char* path, const char* value) {
  CaseDocument d = layer_case();
  if (!d.set(path, value).ok()) qFatal("cannot set %s", path);
  return resolved(d).hash();
}

}  // namespace

class TestCaseValues : public QObject {
  Q_OBJECT

 private slots:
  void quantities_are_in_si() {
    const Case c = resolved(layer_case());
    QCOMPARE(c["grid"]["spacing"].number(), 0.005);
    QCOMPARE(c["grid"]["origin"].vec3(), (Vec3{-0.0254, 0, 0.5}));
    QCOMPARE(c["grid"]["size"].index3(), (std::array<Index, 3>{10, 20, 30}));
    QCOMPARE(c["materials"]["water"]["density"].number(), 1000.0);
    QCOMPARE(c["excitation"]["frequency"].number(), 250e3);
    QCOMPARE(c["parameters"]["time_step"].number(), 2e-7);
    QCOMPARE(c["compute"]["memory"]["host"].integer(), Index{3} << 29);
    QCOMPARE(c.solver(), std::string("sample-waves"));
    QCOMPARE(c.title(), std::string("Point source over a layer"));
    QCOMPARE(c["materials"].keys(), (std::vector<std::string>{"water", "steel"}));
    QCOMPARE(c["output"]["frames"]["fields"].texts(), std::vector<std::string>{"p"});
    QCOMPARE(c["output"]["receivers"].at(0)["position"].numbers(), (std::vector<double>{0, 0, 0.01}));
  }

  void defaults_are_filled_in() {
    const Case c = resolved(layer_case());
    QCOMPARE(c["materials"]["water"]["speed"].number(), 1500.0);
    QCOMPARE(c["boundaries"].at(0)["kind"].text(), std::string("rigid"));
    QCOMPARE(c["boundaries"].at(1)["loss"].number(), -60.0);
    QCOMPARE(c["parameters"]["cfl"].number(), 0.5);
    QCOMPARE(c["mesh"]["order"].integer(), Index{1});
    QCOMPARE(c["compute"]["precision"].text(), std::string("single"));
    QCOMPARE(c["output"]["checkpoints"]["keep"].integer(), Index{2});

    const auto small = CaseDocument::parse(R"({"conoid": 1, "solver": "sample-waves", "grid": {"spacing": 1},
      "excitation": {"kind": "sampled", "file": "p.csv"}})",
                                           "c");
    const Case s = resolved(*small);
    QCOMPARE(s["grid"]["size"].index3(), (std::array<Index, 3>{64, 64, 64}));
    QCOMPARE(s["parameters"]["order"].integer(), Index{4});  // the whole section is absent
    QVERIFY(s["parameters"]["time_step"].is_text());
    QCOMPARE(s["parameters"]["time_step"].text(), std::string("auto"));
    QCOMPARE(s["output"]["frames"]["count"].integer(), Index{7});
    QCOMPARE(s["output"]["receivers"].size(), std::size_t{0});
  }

  void what_has_no_default_stays_absent() {
    const Case c = resolved(layer_case());
    QVERIFY(!c["parameters"].has("damping"));  // optional, although all inside has defaults
    QVERIFY(!c["compute"]["memory"].has("device"));
    QVERIFY(!c["output"]["frames"].has("count"));  // excluded by "every"
    QCOMPARE(c["output"]["frames"]["every"].integer(), Index{10});
    QCOMPARE(c["compute"]["memory"]["host"].integer(), Index{3} << 29);
    QCOMPARE(c["parameters"].text_or("name", "none"), std::string("layer_1"));
    QCOMPARE(c["parameters"].number_or("nothing", 2.5), 2.5);
    CaseDocument d = layer_case();
    QVERIFY(d.set("parameters.damping", "{}").ok());
    QCOMPARE(resolved(d)["parameters"]["damping"]["width"].integer(), Index{20});
    QVERIFY(d.set("mesh", "null").ok());
    QVERIFY(!resolved(d).values().has("mesh"));  // its default order alone makes no mesh
  }

  void a_wrong_getter_is_a_bug_that_names_the_place() {
    const Case c = resolved(layer_case());
    const auto bug = [&](const std::function<void()>& get, const char* pointer) {
      try {
        get();
      } catch (const Failure& f) {
        QVERIFY(f.error().code == ErrorCode::internal);
        QVERIFY2(f.error().text.find(pointer) != std::string::npos, f.what());
        return;
      }
      QVERIFY2(false, pointer);
    };
    bug([&] { (void)c["grid"]["nothing"]; }, "/grid/nothing");
    bug([&] { (void)c["grid"]["spacing"].text(); }, "/grid/spacing");
    bug([&] { (void)c["grid"]["spacing"].integer(); }, "/grid/spacing");
    bug([&] { (void)c["grid"]["size"].at(3); }, "/grid/size/3");
    bug([&] { (void)c["grid"]["size"].boolean(); }, "/grid/size");
    bug([&] { (void)c["boundaries"].vec3(); }, "/boundaries");
    bug([&] { (void)c["boundaries"].numbers(); }, "/boundaries");
    bug([&] { (void)c["grid"]["spacing"].size(); }, "/grid/spacing");
    bug([&] { (void)c["grid"]["spacing"].keys(); }, "/grid/spacing");
    bug([&] { (void)Values().number(); }, "empty view");
  }

  void diagnostics_of_a_solver_carry_the_line() {
    const Case c = resolved(layer_case());
    const auto e = c.error_at(c["grid"]["origin"].at(1), "too far", "Come nearer.");
    QCOMPARE(e.render(), std::string("/cases/layer/case.json:10: /grid/origin/1: too far\n  Come nearer."));
    QVERIFY(c.warning_at(c["grid"], "x", "").severity == Severity::warning);
    // A default has no line of its own; its section has.
    QCOMPARE(c.error_at(c["parameters"]["cfl"], "x", "").place.line, 23L);
  }

  void paths_are_relative_to_the_case() {
    const Case c = resolved(layer_case());
    QCOMPARE(c.path("a/b.msh"), std::filesystem::path("/cases/layer/a/b.msh"));
    QCOMPARE(c.path("/a/b.msh"), std::filesystem::path("/a/b.msh"));
  }

  void an_empty_case_is_harmless() {
    const Case c;
    QCOMPARE(c.title(), std::string());
    QVERIFY(!c.values().has("solver"));
    QVERIFY(!c.hash().empty());
  }

  void hash_ignores_how_a_thing_is_written() {
    const std::string base = resolved(layer_case()).hash();
    QCOMPARE(base.size(), std::size_t{64});
    QCOMPARE(hash_with("excitation.frequency", "250000"), base);
    QCOMPARE(hash_with("excitation.frequency", "0.25 MHz"), base);
    QCOMPARE(hash_with("excitation.frequency", "2.5e5 Hz"), base);
    QCOMPARE(hash_with("grid.spacing", "0.5 cm"), base);
    QCOMPARE(hash_with("grid.spacing", "5000 um"), base);
    QCOMPARE(hash_with("grid.spacing", "0.005"), base);
    QCOMPARE(hash_with("grid.size.0", "10.0"), base);
    QCOMPARE(hash_with("grid.origin.1", "-0.0"), base);
    QCOMPARE(hash_with("materials.steel.density", "7.85 g/cm^3"), base);
    QCOMPARE(hash_with("excitation.angle", "1.5707963267948966"), base);
    // a default written out
    QCOMPARE(hash_with("parameters.cfl", "0.5"), base);
    QCOMPARE(hash_with("materials.water.speed", "1.5 km/s"), base);
    QCOMPARE(hash_with("boundaries.0.kind", "rigid"), base);
    QCOMPARE(hash_with("mesh.order", "1"), base);
    // title and the machine part
    QCOMPARE(hash_with("title", "Another title"), base);
    QCOMPARE(hash_with("compute.threads", "7"), base);
    QCOMPARE(hash_with("compute.workers", "cpu:3,cpu:1"), base);
    QCOMPARE(hash_with("compute.balancer", "fixed"), base);
    QCOMPARE(hash_with("compute.memory", "null"), base);
    QCOMPARE(hash_with("compute", "null"), base);
    QCOMPARE(hash_with("output.checkpoints", "{\"keep\": 5}"), base);
  }

  void hash_ignores_the_order_of_keys() {
    const std::string base = resolved(layer_case()).hash();
    std::mt19937 random(1);
    const std::function<Json(const Json&)> shuffled = [&](const Json& value) -> Json {
      if (value.is_array()) {
        Json out = Json::array();
        for (const Json& e : value) out.push_back(shuffled(e));
        return out;
      }
      if (!value.is_object()) return value;
      std::vector<std::string> keys;
      for (const auto& [key, member] : value.items()) keys.push_back(key);
      std::shuffle(keys.begin(), keys.end(), random);
      Json out = Json::object();
      for (const auto& key : keys) out[key] = shuffled(value[key]);
      return out;
    };
    for (int i = 0; i < 20; ++i)
      QCOMPARE(resolved(CaseDocument::from_json(shuffled(layer_case().json()), "elsewhere.json")).hash(), base);
  }

  void hash_sees_every_change_that_counts() {
    std::vector<std::string> hashes = {resolved(layer_case()).hash()};
    const auto changed = [&](const char* path, const char* value) { hashes.push_back(hash_with(path, value)); };
    changed("excitation.frequency", "250001");
    changed("excitation.frequency", "250000.00000000003");  // the next double
    changed("excitation.angle", "91 deg");
    changed("grid.size", "[20, 10, 30]");
    changed("grid.spacing", "5.1 mm");
    changed("materials.steel", "null");
    changed("materials.iron", "{\"density\": 7850}");
    changed("boundaries.0.kind", "impedance");
    changed("boundaries.0.group", "inner");
    changed("parameters.cfl", "0.4");
    changed("parameters.time_step", "auto");
    changed("parameters.damping", "{}");
    changed("output.frames.every", "11");
    changed("output.receivers", "[]");
    changed("compute.precision", "double");
    changed("compute.deterministic", "true");
    changed("mesh.unit", "m");
    changed("mesh", "null");
    for (std::size_t i = 0; i < hashes.size(); ++i)
      for (std::size_t k = 0; k < i; ++k)
        QVERIFY2(hashes[i] != hashes[k], qPrintable(QString("%1 = %2").arg(i).arg(k)));
  }

  void canonical_text_is_stable() {
    // A stored hash: a change here makes every finished run look like another case, so it must be meant.
    const auto d = CaseDocument::parse(R"({"conoid": 1, "solver": "sample-waves", "grid": {"spacing": "5 mm"},
      "excitation": {"kind": "ricker", "frequency": "2 MHz"}})",
                                       "c");
    QCOMPARE(
        resolved(*d).canonical_text(),
        std::string(R"({"compute":{"deterministic":false,"precision":"single"},"conoid":1,)"
                    R"("excitation":{"angle":0.7853981633974483,"frequency":2e+06,"kind":"ricker"},)"
                    R"("grid":{"origin":[0.0,0.0,0.0],"size":[64,64,64],"spacing":0.005},)"
                    R"("output":{"frames":{"count":7},"receivers":[]},)"
                    R"("parameters":{"cfl":0.5,"free_surface":false,"order":4,"scheme":"leapfrog","time_step":"auto"},)"
                    R"("solver":"sample-waves"})"));
  }

  void resolving_what_is_resolved_changes_nothing() {
    const Case c = resolved(layer_case());
    const auto again = Case::resolve(CaseDocument::from_json(c.values().json(), "c"), good_schema());
    QVERIFY2(again.ok(), again.ok() ? "" : again.error().render().c_str());
    QCOMPARE(again->hash(), c.hash());
    QCOMPARE(again->values().json(), c.values().json());
  }
};

QTEST_APPLESS_MAIN(TestCaseValues)
#include "test_case_values.moc"
