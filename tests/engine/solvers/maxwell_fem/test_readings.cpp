// SPDX-License-Identifier: BSD-3-Clause
// What a case is read into: once for check, estimate and run, and kept by edits; memory and time that are foreseen of it.
// labels: unit timeout300
#include <QTest>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/core/log.hpp"
#include "engine/core/units.hpp"
#include "engine/linalg/sparse_direct.hpp"
#include "engine/mesh/gmsh.hpp"
#include "engine/session/offer.hpp"
#include "engine/solvers/maxwell_fem/discretization/impedance.hpp"
#include "engine/solvers/maxwell_fem/solving/counted_factors.hpp"
#include "tests/engine/solvers/maxwell_fem/case_run.hpp"

using namespace conoid;
using namespace conoid::maxwell_fem;
using namespace conoid::maxwell_fem::test;

class TestReadings : public QObject {
  Q_OBJECT

 private slots:
  void the_operator_is_compressed_where_that_pays() {
    // The forecast, both ways: few points; many; many with little memory; ranks make rows of their own.
    const double budget = 128e9;
    RadiationWork work{8000, 8000, 20, 5, 1e-4, 1};
    const RadiationRates core{};
    const auto plan = [&](const RadiationWork& w, double memory) { return plan_radiation(w, core, memory); };
    QVERIFY(!plan(work, budget).compressed());
    work.outer_points = work.current_points = 100000;
    const RadiationPlan large = plan(work, budget);
    QVERIFY(large.compressed());
    QVERIFY(large.compressed_bytes < 0.05 * large.dense_bytes);
    QVERIFY(!plan(work, 2 * large.compressed_bytes).compressed());
    QVERIFY(plan(work, 2 * large.compressed_bytes).reason.find("quarter of the budget") != std::string::npos);
    work.ranks = 64;
    QVERIFY(plan(work, budget).compressed());
    QCOMPARE(plan(work, budget).compressed_bytes, large.compressed_bytes / 64);
    // A single application does not pay for the making.
    QVERIFY(!plan({60000, 60000, 1, 1, 1e-4, 1}, budget).compressed());
    // What the check shows of a case.
    const auto shown = [&](const Json& json) {
      const auto e = MaxwellFem().estimate(resolved(json), nullptr, make_offer(resolved(json)).value());
      if (!e.ok()) qFatal("%s", e.error().render().c_str());
      for (const auto& [name, value] : e->details)
        if (name == "radiation") return QString::fromStdString(value);
      return QString();
    };
    Json json = sphere_case();
    json["compute"] = {{"memory", {{"host", "256 GiB"}}}};
    QVERIFY(shown(json).startsWith("computed anew"));
    json["sphere"]["divisions"] = 32;
    json["excitation"] = read_json(
        R"({"frequency": "1 GHz", "theta": "90 deg", "polarisation": "both", "monostatic": {"from": 0, "to": "180 deg", "count": 37}})");
    json["output"] = Json::object();
    QVERIFY2(shown(json).startsWith("compressed"), qPrintable(shown(json)));
    json["compute"] = {{"memory", {{"host", "1 GiB"}}}};
    QVERIFY2(shown(json).contains("quarter of the budget"), qPrintable(shown(json)));
    json["truncation"] = {{"loop", "blocked"}};
    QVERIFY2(shown(json).startsWith("blocked"), qPrintable(shown(json)));
    // Loops of devices need one.
    json = sphere_case();
    json["truncation"] = {{"loop", "cuda_S"}};
    json["compute"]["workers"] = "cpu";
    QVERIFY(first_error(json).contains("the loop cuda_S runs on devices, and none is among the workers"));
    json["compute"]["workers"] = "emulated";
    QVERIFY2(!first_error(json).contains("cuda_S"), qPrintable(first_error(json)));
    QVERIFY2(shown(json).startsWith("plain loops on the devices"), qPrintable(shown(json)));
  }

  /// What the check tells of ranks: those that share a frequency hold parts of its factors.
  void memory_of_a_rank_falls_with_ranks() {
    if (!own_fronts({})) QSKIP("this processor has no kernels of our own fronts");
    Json json = sphere_case();
    json["sphere"] = read_json(R"({"radius": "50 mm", "divisions": 10, "layers": 3})");
    double before = 0;
    for (const int ranks : {1, 2, 4}) {
      Offer offer = make_offer(resolved(json)).value();
      offer.place.ranks = ranks;
      const auto e = MaxwellFem().estimate(resolved(json), nullptr, offer);
      QVERIFY(e.ok());
      const auto memory = static_cast<double>(e->host_memory);
      if (ranks > 1) {
        QVERIFY2(memory < 0.9 * before,
                 qPrintable(QString("%1 ranks: %2 after %3").arg(ranks).arg(memory).arg(before)));
        const auto said =
            std::ranges::find(e->details, std::string("ranks"), &std::pair<std::string, std::string>::first);
        QVERIFY(said != e->details.end());
        QVERIFY2(said->second.find("a part of the factors") != std::string::npos, said->second.c_str());
      }
      before = memory;
    }
  }

  /// The forecast of a card against what one was measured to take (README, "Speed"; 33.1 Tflop/s of multiply-adds, 62.2 of complex
  /// products), and what it is compared with.
  void the_fastest_way_is_chosen() {
    RadiationRates rates;
    rates.threads = 16;
    rates.beside = 15;
    rates.multiply_adds = 16 * 5.8e10;
    rates.copy = 2e11;
    rates.devices = {{"cuda:0", 33.1e12, 2.95e12, 62.2e12, Bytes{70} << 30}};
    const auto whole = [&](double points, double columns) {
      RadiationRates alone = rates;
      alone.beside = 0;
      const RadiationPlan plan = plan_radiation({points, points, columns, 1, 1e-4, 1}, alone, 1e12);
      if (plan.way != RadiationWay::devices) qFatal("%s", plan.reason.c_str());
      return plan.device_seconds;
    };
    // 32,000 faces: 192,000 points.
    for (const auto& [columns, seconds] : {std::pair{1.0, 0.46}, {16.0, 1.85}, {64.0, 2.4}, {256.0, 7.3}})
      QVERIFY2(std::abs(whole(192000, columns) / seconds - 1) < 0.25,
               qPrintable(QString("%1: %2 s").arg(columns).arg(whole(192000, columns))));
    for (const auto& [columns, seconds] : {std::pair{1.0, 0.027}, {8.0, 0.062}, {256.0, 0.5}})
      QVERIFY2(std::abs(whole(48000, columns) / seconds - 1) < 0.25,
               qPrintable(QString("%1: %2 s").arg(columns).arg(whole(48000, columns))));
    // A card without doubles: its processors, with compressed blocks; obeyed where it was named, and said.
    const RadiationWork work{100000, 100000, 40, 6, 1e-4, 1};
    rates.devices[0].multiply_adds = rates.devices[0].products = 2e11;
    RadiationPlan plan = plan_radiation(work, rates, 512e9);
    QVERIFY2(plan.compressed() && plan.reason.find("with cuda:0") != std::string::npos, plan.reason.c_str());
    QVERIFY(plan.seconds() < plan.plain_seconds && plan.seconds() < plan.device_seconds);
    plan = plan_radiation(work, rates, 512e9, true);
    QVERIFY2(plan.way == RadiationWay::devices && plan.reason.find("would be faster") != std::string::npos,
             plan.reason.c_str());
    // The least of what is possible, whatever the sizes.
    for (const double points : {2000.0, 2e4, 2e5})
      for (const double columns : {1.0, 5.0, 30.0, 300.0})
        for (const double strength : {1e11, 3e13}) {
          rates.devices[0].multiply_adds = strength;
          rates.devices[0].products = 2 * strength;
          const RadiationPlan p = plan_radiation({points, points, columns, 6, 1e-4, 1}, rates, 1e15);
          QVERIFY(p.seconds() <= std::min(p.plain_seconds, p.device_seconds));
          QVERIFY(p.compressed() == (p.compressed_seconds <= 0.7 * std::min(p.plain_seconds, p.device_seconds)));
        }
    // Little memory: groups, and how much slower; less than one right-hand side needs.
    rates.devices = {{"cuda:0", 33.1e12, 2.95e12, 62.2e12, Bytes{1200} << 20}};
    plan = plan_radiation({40000, 40000, 500, 6, 1e-4, 1}, rates, 64e9);
    QVERIFY2(plan.way == RadiationWay::devices && plan.groups > 1 && plan.slower > 1.05 && plan.slower < 1.5,
             plan.reason.c_str());
    QVERIFY2(plan.reason.find("groups") != std::string::npos, plan.reason.c_str());
    rates.devices[0].memory = Bytes{100} << 20;
    plan = plan_radiation({40000, 40000, 500, 6, 1e-4, 1}, rates, 64e9);
    QVERIFY2(plan.way != RadiationWay::devices && plan.reason.find("no room") != std::string::npos,
             plan.reason.c_str());
  }

  void memory_of_factors_is_told_from_the_mesh_that_is_computed_on() {
    // Conductors, a coated one, a ball, a mesh with S of its own; on one thread and sixteen.
    if (!own_fronts({})) QSKIP("this processor has no kernels of our own fronts");
    const Mesh mesh = shells(false);
    for (const char* sphere :
         {R"({"radius": "50 mm", "divisions": 2})", R"({"radius": "50 mm", "divisions": 2, "layers": 4})",
          R"({"radius": "50 mm", "divisions": 2, "layers": 1, "material": "ceramic"})",
          R"({"radius": "50 mm", "divisions": 2, "coat": {"material": "ceramic", "thickness": "5 mm"}})", ""}) {
      Json json = std::string_view(sphere).empty() ? mesh_case(R"({"outer": {"kind": "outer"}})") : sphere_case();
      json["materials"] = read_json(R"({"ceramic": {"permittivity": 2}})");
      if (!std::string_view(sphere).empty())
        json["sphere"] = read_json(sphere);
      else
        json["regions"] = read_json(R"({"core": {"material": "ceramic"}})");
      json["excitation"]["frequency"] = "0.5 GHz";
      json["output"] = {{"reciprocity", false}};
      const auto given = json.contains("sphere") ? nullptr : std::make_shared<const Mesh>(mesh);
      for (const int threads : {1, 16}) {
        const Case input = resolved(json);
        Offer offer = make_offer(input).value();
        offer.threads.value = threads;
        const auto told = MaxwellFem().estimate(input, given.get(), offer);
        QVERIFY2(told.ok(), told.ok() ? "" : told.error().render().c_str());
        Problem s = *read_problem(input, given.get()).problem;
        s.direct.threads = threads;
        const auto counted = counted_factors(s, given, 1);
        QVERIFY(counted.has_value());
        const auto text = std::find_if(told->details.begin(), told->details.end(),
                                       [](const auto& d) { return d.first == "factors"; });
        QVERIFY2(text->second.find("counted") != std::string::npos &&
                     text->second.find(format_bytes(counted->fronts.bytes)) == 0,
                 text->second.c_str());
        const auto made = mesh_to_solve(s, given, {});
        QVERIFY(made.ok());
        const Domain domain = *make_domain(**made, s.domain);
        System system(domain, s.media(0.5e9), 2 * std::numbers::pi * 0.5e9 / light_speed, FieldForm::total, threads);
        QVERIFY(system.factor(s.direct).ok());
        const DirectFacts& facts = system.facts();
        QCOMPARE(counted->unknowns, domain.free_unknowns);
        QCOMPARE(counted->fronts.entries, static_cast<double>(facts.entries));
        QCOMPARE(counted->fronts.flops, facts.flops);
        QCOMPARE(counted->fronts.bytes + counted->fronts.waiting, facts.bytes);
      }
    }
  }

  void a_case_is_read_once_data() {
    QTest::addColumn<QString>("kind");
    for (const char* kind : {"sphere", "volume", "graded volume", "surface", "solid"})
      QTest::newRow(kind) << QString(kind);
  }

  /// What an edit leaves as it was is not made again; what it changes is, and the answers are those of the case alone, bit for bit.
  void an_edit_keeps_what_follows_from_the_mesh_data() { a_case_is_read_once_data(); }

  void an_edit_keeps_what_follows_from_the_mesh() {
    QFETCH(QString, kind);
    const auto of_kind = case_of_kind(kind);
    const Json& first = of_kind.first;
    const std::shared_ptr<const Mesh>& mesh = of_kind.second;
    if (first.is_null()) QSKIP("gmsh is not installed");
    int read = 0, made = 0, counted = 0;
    const auto listening = log::subscribe([&](const LogEntry& entry) {
      read += entry.text.find("was made of the case") != std::string::npos;
      made += entry.text.find("spaces were made") != std::string::npos;
      counted += entry.text.find("factors were counted") != std::string::npos;
    });
    MaxwellFem solver;
    const auto look = [&](const Json& json) {
      read = made = counted = 0;
      const Case input = resolved(json);
      const Offer offer = make_offer(input).value();
      if (has_errors(solver.check(input, mesh.get(), offer))) return std::string("the case has errors");
      const auto estimate = solver.estimate(input, mesh.get(), offer);
      return estimate.ok() ? estimate->details.front().second : estimate.error().text;
    };
    const auto unknowns = look(first);
    const bool solid = kind == "surface" || kind == "solid";
    QCOMPARE(read, 1);
    QCOMPARE(counted, solid ? 0 : 1);
    // Waves, outputs, tolerances: nothing of the mesh.
    Json other = first;
    other["excitation"]["theta"] = "70 deg";
    other["excitation"]["polarisation"] = "H";
    other["truncation"]["tolerance"] = 1e-4;
    other["output"]["cuts"] = read_json(R"([{"vary": "theta", "count": 5}])");
    QCOMPARE(look(other), unknowns);
    QVERIFY2(read == 0 && made == 0 && counted == 0, qPrintable(QString("%1 %2 %3").arg(read).arg(made).arg(counted)));
    // An error between two edits loses nothing.
    Json wrong = other;
    wrong["output"]["range_profile"] = true;
    QCOMPARE(look(wrong), std::string("the case has errors"));
    QCOMPARE(look(other), unknowns);
    QVERIFY(read == 0 && made == 0 && counted == 0);
    // The run goes on with what was kept.
    if (kind == "volume" || kind == "graded volume") {
      Run kept(other, mesh, true, first), alone(other, mesh);
      QVERIFY(kept.go() && kept.finished.ok() && alone.go() && alone.finished.ok());
      QCOMPARE(kept.number("echo_HH"), alone.number("echo_HH"));
      QCOMPARE(kept.number("unknowns"), alone.number("unknowns"));
    }
    // The order of the elements is another mesh for all of it.
    Json linear = other;
    linear["parameters"]["order"] = 1;
    QVERIFY(look(linear) != unknowns);
    QVERIFY(read == 1 && (solid || (made >= 1 && counted == 1)));
    QCOMPARE(look(linear), MaxwellFem()
                               .estimate(resolved(linear), mesh.get(), make_offer(resolved(linear)).value())
                               ->details.front()
                               .second);
    // So is the wave, around a body that the program meshes.
    Json slow = linear;
    slow["excitation"]["frequency"] = "0.4 GHz";
    look(slow);
    QCOMPARE(counted, kind == "sphere" ? 1 : 0);
    const Case input = resolved(slow);
    const auto afresh = MaxwellFem().estimate(input, mesh.get(), make_offer(input).value());
    QCOMPARE(look(slow), afresh->details.front().second);
  }

  /// A resistance that is edited is the one that the run has.
  void an_edit_of_a_resistance_is_heard() {
    Json json = mesh_case(R"({"outer": {"kind": "outer"}, "body": {"kind": "impedance", "resistance": 100}})");
    json["excitation"]["frequency"] = "0.5 GHz";
    const auto mesh = std::make_shared<const Mesh>(shells());
    const auto absorption = [&](const Json& now, const Json& before) {
      Run run(now, mesh, true, before);
      if (!run.go()) qFatal("the run did not end");
      return run.number("absorption");
    };
    Json more = json;
    more["boundaries"]["body"]["resistance"] = 300;
    QCOMPARE(absorption(more, json), absorption(more, nullptr));
    QVERIFY(absorption(json, nullptr) != absorption(more, nullptr));
    // Of metal under a coat the material is all of it.
    Json coat = json;
    coat["materials"] = read_json(R"({"paint": {"permittivity": 3, "permittivity_loss": 1}})");
    coat["boundaries"]["body"] =
        read_json(R"({"kind": "metal", "coats": [{"material": "paint", "thickness": "5 mm"}]})");
    Json lossy = coat;
    lossy["materials"]["paint"]["permittivity_loss"] = 2;
    QCOMPARE(absorption(lossy, coat), absorption(lossy, nullptr));
    QVERIFY(absorption(coat, nullptr) != absorption(lossy, nullptr));
  }

  /// From check over estimate to the run one reading, and spaces once; the answers are those of a run by itself, bit for bit.
  void a_case_is_read_once() {
    QFETCH(QString, kind);
    const auto [json, mesh] = case_of_kind(kind);
    if (json.is_null()) QSKIP("gmsh is not installed");
    int read = 0, made = 0;
    const auto listening = log::subscribe([&](const LogEntry& entry) {
      read += entry.text.find("was made of the case") != std::string::npos;
      made += entry.text.find("spaces were made") != std::string::npos;
    });
    Run once(json, mesh, true);
    // Layers are cut into a mesh by the spaces that it had.
    const int spaces = kind == "graded volume" ? 2 : 1;
    QCOMPARE(read, 1);
    QCOMPARE(made, spaces);
    QVERIFY(once.go() && once.finished.ok());
    Run alone(json, mesh);
    QCOMPARE(read, 2);
    QCOMPARE(made, 2 * spaces);
    QVERIFY(alone.go() && alone.finished.ok());
    QCOMPARE(once.results.numbers.size(), alone.results.numbers.size());
    for (std::size_t n = 0; n < once.results.numbers.size(); ++n)
      if (once.results.numbers[n].unit != "s") {
        QCOMPARE(once.results.numbers[n].name, alone.results.numbers[n].name);
        QCOMPARE(once.results.numbers[n].value, alone.results.numbers[n].value);
      }
    const auto *here = once.results.find("rcs_phi_0"), *there = alone.results.find("rcs_phi_0");
    QVERIFY(here != nullptr && there != nullptr && here->rows == there->rows);
  }
};

QTEST_APPLESS_MAIN(TestReadings)
#include "test_readings.moc"
