// SPDX-License-Identifier: BSD-3-Clause
// The solver as a session drives it: tables, numbers, frames, compression of a sweep, checkpoints, a body's own layer, and
// messages for bad cases.
// labels: unit rows timeout300
#include <fmt/core.h>
#include <unistd.h>

#include <QProcess>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <numbers>
#include <set>

#include "engine/core/log.hpp"
#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/linalg/sparse_direct.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/mesh/gmsh.hpp"
#include "engine/mesh/topology.hpp"
#include "engine/mesh/writers/write_mesh.hpp"
#include "engine/session/offer.hpp"
#include "engine/solvers/maxwell_fem/discretization/impedance.hpp"
#include "engine/solvers/maxwell_fem/discretization/layout.hpp"
#include "engine/solvers/maxwell_fem/discretization/mie.hpp"
#include "engine/solvers/maxwell_fem/maxwell_fem.hpp"
#include "engine/solvers/maxwell_fem/mesh/offset.hpp"
#include "engine/solvers/maxwell_fem/solving/counted_factors.hpp"
#include "engine/solvers/maxwell_fem/verify/sweeps.hpp"
#include "engine/team/team.hpp"
#include "tests/all_rows.hpp"

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
  return read_json(R"({
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
  Offer offer = make_offer(input).value();
  std::shared_ptr<const Mesh> mesh;
  Team team{{{"cpu", 2, 1}}};
  std::unique_ptr<Communicator> cluster = single_rank();
  MemoryResults results;
  NoProgress progress;
  RunContext context{input, mesh, team, offer, *cluster, results, progress, {}};
  MaxwellFem solver;
  Status finished;

  /// `checked`: as a session goes, checked and estimated first; `before`: after the same of that case, of which this is an edit.
  explicit Run(const Json& json, std::shared_ptr<const Mesh> m = nullptr, bool checked = false, const Json& before = {})
      : input(resolved(json)), mesh(std::move(m)) {
    if (!before.is_null()) {
      const Case last = resolved(before);
      if (has_errors(solver.check(last, mesh.get(), offer))) qFatal("the case before has errors");
      if (!solver.estimate(last, mesh.get(), offer).ok()) qFatal("the case before has no estimate");
    }
    if (checked && has_errors(solver.check(input, mesh.get(), offer))) qFatal("the case has errors");
    if (checked && !solver.estimate(input, mesh.get(), offer).ok()) qFatal("the case has no estimate");
    const Status s = solver.prepare(context);
    if (!s) qFatal("%s", s.error().render().c_str());
  }
  Index steps = 0;
  /// True when it came to its end.
  bool go(Index calls = 1 << 30) {
    for (Index k = 1;; ++k) {
      const auto a = solver.advance(context);
      if (!a.ok()) qFatal("%s", a.error().render().c_str());
      steps = a->step;
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
  for (const Diagnostic& d : MaxwellFem().check(resolved(json), mesh, make_offer(resolved(json)).value()))
    if (d.severity == Severity::error) return QString::fromStdString(d.render());
  return {};
}

Json mesh_case(const char* boundaries = "{}") {
  Json out = read_json(
      R"({"solver": "maxwell-fem", "mesh": {"file": "body.msh", "unit": "m"}, "excitation": {"frequency": "1 GHz"}})");
  out["boundaries"] = read_json(boundaries);
  return out;
}

Mesh shells(bool hollow = true) {
  return *spherical_shells(
      {.radius = 0.05, .hollow = hollow, .divisions = 2, .shells = {{0.08, 2, "vacuum"}}, .curved = false});
}

/// A small case of this kind with its mesh; null where it takes gmsh and there is none.
std::pair<Json, std::shared_ptr<const Mesh>> case_of_kind(const QString& kind) {
  Json json = kind == "sphere" ? sphere_case() : mesh_case();
  json["excitation"]["frequency"] = "0.5 GHz";
  std::shared_ptr<const Mesh> mesh;
  if (kind == "volume") {
    mesh = std::make_shared<const Mesh>(shells());
    json["boundaries"] = read_json(R"({"outer": {"kind": "outer"}, "body": {"kind": "pec"}})");
  } else if (kind == "graded volume") {
    // Every edge of an icosahedron that is a conductor.
    mesh = std::make_shared<const Mesh>(*spherical_shells(
        {.radius = 0.05, .hollow = true, .divisions = 1, .shells = {{0.09, 3, "vacuum"}}, .curved = false}));
    json["boundaries"] = read_json(R"({"outer": {"kind": "outer"}, "body": {"kind": "pec"}})");
    json["parameters"] = read_json(R"({"edge_angle": 3.5, "edge_layers": 1})");
  } else if (kind != "sphere") {
    if (!find_gmsh().ok()) return {};
    const Mesh ball = shells(false);
    mesh = kind == "surface" ? std::make_shared<const Mesh>(*icosphere({.radius = 0.05, .divisions = 2}))
                             : std::make_shared<const Mesh>(ball.extract(ball.group("core")->cells));
  }
  return {json, mesh};
}

/// A checkpoint of one run, taken up by another.
void hand_over(Run& from, Run& to) {
  Store store;
  Writer writer(store);
  from.solver.save(writer);
  Reader reader(store);
  to.solver.load(reader);
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

  void error_bars_hold_the_exact_echo() {
    Json json = sphere_case();
    json["output"]["error_bar"] = true;
    json["truncation"]["tolerance"] = 1e-5;
    Run run(json);
    QVERIFY(run.go() && run.finished.ok());
    const double bar = run.number("error_bar_VV");
    QCOMPARE(run.number("error_bar_trusted"), 1.0);
    const double ka = 2 * std::numbers::pi * 1e9 / light_speed * 0.05;
    const double exact = conducting_sphere(ka).sigma_e(-1) * std::numbers::pi * 0.05 * 0.05;
    const double off = std::abs(10 * std::log10(run.number("echo_VV") / exact));
    // The level may be right by chance, the amplitude is off by some 0.01 dB with so few elements.
    QVERIFY2(off < 3 * bar && bar > 0.001 && bar < 0.1, qPrintable(QString("%1 %2").arg(off).arg(bar)));
    const auto* cut = run.results.find("rcs_phi_0");
    QVERIFY(cut != nullptr);
    const auto column = [&](const char* name) {
      for (std::size_t c = 0; c < cut->info.columns.size(); ++c)
        if (cut->info.columns[c].name == name) return c;
      qFatal("no column %s", name);
    };
    const std::size_t vv = column("VV"), low = column("VV lowest"), high = column("VV highest");
    for (const auto& row : cut->rows) QVERIFY(row[low] < row[vv] && row[vv] < row[high]);
    json["parameters"]["form"] = "scattered";
    QVERIFY(first_error(json).contains("error bars need the total field"));
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
      for (const char* loop : {"auto", "blocked", "omp_inner", "omp_S'"}) {
        Json json = sphere_case();
        json["truncation"] = {{"method", method}, {"loop", loop}, {"tolerance", 1e-7}, {"iterations", 60}};
        if (!conoid::all_rows()) json["parameters"]["order"] = 1;
        Run run(json);
        QVERIFY(run.go());
        QVERIFY(run.finished.ok());
        const double echo = run.number("echo_VV");
        if (reference == 0) reference = echo;
        QVERIFY(std::abs(echo / reference - 1) < 1e-6);
      }
  }

  /// Factors of half the size, the same answer: solutions to 1e-12 of the right-hand sides, times the condition of the matrix.
  void single_factors_give_the_answer_of_double() {
    if (!has_mumps()) QSKIP("fronts of our own need the order that MUMPS finds");
    Json json = sphere_case();
    json["truncation"] = {{"tolerance", 1e-9}};
    Run whole(json);
    QVERIFY(whole.go());
    QVERIFY(std::isnan(whole.number("solve_residual")));
    json["parameters"] = {{"single_factors", true}};
    Run half(json);
    QVERIFY(half.go());
    QVERIFY2(half.number("solve_residual") > 0 && half.number("solve_residual") < 1e-11,
             qPrintable(QString::number(half.number("solve_residual"))));
    QCOMPARE(half.number("factor_entries"), whole.number("factor_entries"));
    QVERIFY(half.number("factor_memory") < 0.51 * whole.number("factor_memory"));
    QVERIFY(std::abs(half.number("echo_VV") / whole.number("echo_VV") - 1) < 1e-8);
    QCOMPARE(half.number("operator_applications"), whole.number("operator_applications"));
    json["parameters"]["direct_solver"] = "mumps";
    QVERIFY(first_error(json).contains("the direct solver mumps knows double precision only"));
  }

  void compressed_sweep_equals_the_full_one() {
    Json json = sphere_case();
    json["output"] = Json::object();
    json["excitation"] = read_json(
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
    QVERIFY(with.number("compression_error") > 0 && with.number("compression_error") < 1e-4);
    // Eight waves that are independent: all of them are solved, and nothing is left out.
    json.erase("parameters");
    json["excitation"]["monostatic"] = read_json(R"({"from": 0, "to": "120 deg", "count": 4})");
    Run all(json);
    QVERIFY(all.go());
    QCOMPARE(all.number("directions_solved"), 8.0);
    QCOMPARE(all.number("compression_error"), 0.0);
  }

  void frequency_sweep_and_resumed_run_give_the_same_numbers() {
    Json json = sphere_case();
    json["excitation"] = read_json(
        R"({"frequencies": {"from": "0.8 GHz", "to": "1 GHz", "count": 2}, "theta": "180 deg", "polarisation": "V"})");
    json["truncation"] = {{"tolerance", 1e-6}};
    Run whole(json);
    QVERIFY(whole.go());
    QVERIFY(whole.results.find("frequency") != nullptr);
    QCOMPARE(whole.results.find("frequency")->rows.size(), std::size_t{2});
    for (Index stop : {1, 3, 7}) {
      Run first(json);
      if (first.go(stop)) QFAIL("ended early");
      Run second(json);
      hand_over(first, second);
      QVERIFY(second.go());
      const auto *a = whole.results.find("frequency"), *b = second.results.find("frequency");
      for (std::size_t r = 0; r < 2; ++r)
        QVERIFY2(std::abs(a->rows[r][1] - b->rows[r][1]) < 1e-9,
                 qPrintable(QString("%1 %2").arg(a->rows[r][1]).arg(b->rows[r][1])));
      // The iteration went on where it stood: no step more than the whole run.
      QCOMPARE(second.number("operator_applications"), whole.number("operator_applications"));
      QCOMPARE(second.number("iterations"), whole.number("iterations"));
    }
  }

  void a_stop_within_a_piece_loses_no_more_than_the_piece() {
    Json json = sphere_case();
    json["excitation"] = read_json(
        R"({"frequencies": {"from": "0.8 GHz", "to": "1 GHz", "count": 2}, "theta": "180 deg", "polarisation": "V"})");
    json["output"] = Json::object();
    json["truncation"] = {{"tolerance", 1e-6}};
    if (!conoid::all_rows()) json["parameters"]["order"] = 1;
    Run whole(json);
    QVERIFY(whole.go());
    const auto* a = whole.results.find("frequency");
    // Pieces: factors, near pairs and data of the waves, iterations, fields, tables; twice. Each in one of both frequencies, or in both.
    const Index half = whole.steps / 2;
    for (Index stop = 0; stop < whole.steps; ++stop) {
      if (!conoid::all_rows() && stop % half % 2 != stop / half % 2) continue;
      Run first(json);
      std::stop_source source;
      first.context.stop = source.get_token();
      if (stop > 0) QVERIFY(!first.go(stop));
      source.request_stop();
      const auto given_up = first.solver.advance(first.context);
      QVERIFY2(given_up.ok(), given_up.ok() ? "" : given_up.error().render().c_str());
      QCOMPARE(given_up->step, stop);
      Run second(json);
      hand_over(first, second);
      QVERIFY(second.go());
      const auto* b = second.results.find("frequency");
      QCOMPARE(b->rows.size(), a->rows.size());
      for (std::size_t r = 0; r < a->rows.size(); ++r)
        QVERIFY2(std::abs(a->rows[r][1] - b->rows[r][1]) < 1e-9, qPrintable(QString("piece %1").arg(stop)));
      QCOMPARE(second.number("operator_applications"), whole.number("operator_applications"));
    }
  }

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
    if (!has_mumps()) QSKIP("fronts of our own need the order that MUMPS finds");
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

  void nothing_that_was_asked_for_is_left_out() {
    // From 13 frequencies on one table holds all of them; two cuts of one name have a file each; no frame before there is a field.
    Json json = sphere_case();
    json["sphere"]["layers"] = 1;
    json["excitation"] = read_json(
        R"({"frequencies": {"from": "1 GHz", "to": "1.6 GHz", "count": 13}, "theta": "180 deg", "polarisation": "V"})");
    json["truncation"] = {{"tolerance", 0.01}};
    json["output"] = read_json(R"({"reciprocity": false, "sphere_step": "90 deg", "cuts": [
      {"name": "mine", "to": "170 deg", "count": 5}, {"name": "mine", "vary": "phi", "to": "90 deg", "count": 3}]})");
    Run run(json);
    FrameBuilder before({}, 0);
    run.solver.fill(before);
    QCOMPARE(before.finish()->parts.size(), std::size_t{0});
    QVERIFY(run.go());
    const auto *mine = run.results.find("rcs_mine"), *second = run.results.find("rcs_mine_2"),
               *far = run.results.find("far_field");
    QVERIFY(mine != nullptr && second != nullptr && far != nullptr);
    QCOMPARE(mine->rows.size(), std::size_t{13 * 5});
    QCOMPARE(second->rows.size(), std::size_t{13 * 3});
    QCOMPARE(far->rows.size(), std::size_t{13 * 3 * 4});
    QCOMPARE(mine->rows.back()[0], 1.6e9);
    QCOMPARE(mine->rows.back()[1], 170.0);
  }

  /// The groups of the built-in sphere have what `body` and `sphere` say: what stands beside them would count for nothing.
  void groups_of_the_built_in_sphere_are_refused() {
    for (const char* group : {"body", "hull"}) {
      Json json = sphere_case();
      json["boundaries"][group] = {{"kind", "pec"}};
      QVERIFY2(first_error(json).contains("no groups with conditions"), qPrintable(first_error(json)));
    }
    Json json = sphere_case();
    json["materials"]["foam"] = {{"permittivity", 1.1}};
    json["regions"]["vacuum"] = {{"material", "foam"}};
    QVERIFY2(first_error(json).contains("no groups with materials"), qPrintable(first_error(json)));
  }

  void coarse_spheres_are_refused_with_what_to_set() {
    Json json = sphere_case();
    json["sphere"] = read_json(R"({"radius": "50 mm", "divisions": 2, "layers": 1})");
    json["excitation"]["frequency"] = "7.63 GHz";
    QVERIFY(first_error(json).contains("set sphere.divisions to 6, sphere.layers to 2"));
    json["sphere"]["divisions"] = 6;
    json["sphere"]["layers"] = 2;
    QCOMPARE(first_error(json), QString());
    json["excitation"]["frequency"] = "1 kHz";  // so small that digits do not suffice
    QVERIFY(first_error(json).contains("fourth power"));
  }

  void far_field_file_and_cuts_agree() {
    Json json = sphere_case();
    json["output"] = {{"sphere_step", "30 deg"}};
    Run run(json);
    QVERIFY(run.go() && run.finished.ok());
    const auto *far = run.results.find("far_field"), *cut = run.results.find("all_units_phi_0");
    QVERIFY(far != nullptr && cut != nullptr);
    QCOMPARE(far->rows.size(), std::size_t{7 * 12});
    for (const auto& row : far->rows) {
      if (std::abs(row[1]) > 1e-9) continue;  // phi = 0
      const double sigma = 4 * std::numbers::pi * (row[2] * row[2] + row[3] * row[3]);
      QVERIFY(std::abs(sigma / cut->rows[static_cast<std::size_t>(std::lround(row[0]))][1] - 1) < 1e-9);
    }
    // A single wave is checked against one from elsewhere.
    QVERIFY2(run.number("reciprocity_mismatch") < 1e-3,
             qPrintable(QString::number(run.number("reciprocity_mismatch"))));
    QVERIFY(run.number("optical_theorem_mismatch") < 1e-3);
    json["output"]["reciprocity"] = false;
    Run without(json);
    QVERIFY(without.go() && without.finished.ok());
    QVERIFY(std::isnan(without.number("reciprocity_mismatch")));
    QVERIFY(std::abs(without.number("echo_VV") / run.number("echo_VV") - 1) < 3e-3);  // both to the tolerance
  }

  void a_far_field_sphere_is_whole_and_materials_count_where_they_are() {
    Json json = sphere_case();
    json["output"] = {{"sphere_step", "50 deg"}, {"reciprocity", false}};
    json["materials"] = read_json(R"({"unused": {"permittivity": 2, "permittivity_loss": 1}})");
    Run run(json);
    QVERIFY(run.go() && run.finished.ok());
    // Steps of 45 degrees, both poles.
    const auto* far = run.results.find("far_field");
    QVERIFY(far != nullptr);
    QCOMPARE(far->rows.size(), std::size_t{5 * 8});
    QCOMPARE(far->rows.back()[0], 180.0);
    QCOMPARE(far->rows.back()[1], 315.0);
    // No element holds the lossy material.
    QVERIFY(run.number("optical_theorem_mismatch") < 1e-3);
    QVERIFY(std::isnan(run.number("absorption")));
    json["output"]["sphere_step"] = 1e-5;
    QVERIFY(first_error(json).contains("far-field sphere in steps of"));
  }

  void one_table_holds_all_amplitudes() {
    Json json = sphere_case();
    json["excitation"] = read_json(
        R"({"frequencies": {"from": "0.9 GHz", "to": "1 GHz", "count": 2}, "theta": "90 deg", "polarisation": "both",
            "monostatic": {"vary": "phi", "from": 0, "to": "90 deg", "count": 3}})");
    json["output"] = read_json(R"({"cuts": [{"name": "E", "count": 5}], "sphere_step": "60 deg"})");
    Run run(json);
    QVERIFY(run.go() && run.finished.ok());
    const auto *all = run.results.find("amplitudes"), *back = run.results.find("monostatic_f2"),
               *cut = run.results.find("rcs_E_f1");
    QVERIFY(all != nullptr && back != nullptr && cut != nullptr);
    const std::size_t each = 1 + 5 + 4 * 6;
    QCOMPARE(all->rows.size(), 2 * 3 * 2 * each);
    const auto decibel = [&](std::size_t row, std::size_t column) {
      const auto& r = all->rows[row];
      return 10 * std::log10(4 * std::numbers::pi * (r[column] * r[column] + r[column + 1] * r[column + 1]));
    };
    for (std::size_t d = 0; d < 3; ++d) {
      const std::size_t v = (3 + d) * 2 * each, h = v + each;
      QCOMPARE(all->rows[v][0], 1e9);
      QCOMPARE(all->rows[h][3], 1.0);
      QVERIFY(std::abs(decibel(v, 6) - back->rows[d][1]) < 1e-9 && std::abs(decibel(h, 8) - back->rows[d][4]) < 1e-9);
    }
    // The third direction of the cut, H incident from the first direction, first frequency: V seen.
    QVERIFY(std::abs(decibel(each + 3, 6) - cut->rows[2][4]) < 1e-9);
  }

  void a_fast_sweep_agrees_with_a_whole_one() {
    Json json = sphere_case();
    json["sphere"] = read_json(R"({"radius": "50 mm", "divisions": 2, "layers": 1, "material": "ceramic"})");
    json["materials"] = read_json(R"({"ceramic": {"permittivity": 38}})");
    json["excitation"] = read_json(
        R"({"frequencies": {"from": "430 MHz", "to": "530 MHz", "count": 101, "fast": {"accuracy": 0.1}}, "theta": "180 deg",
            "polarisation": "V"})");
    json["output"] = read_json(R"({"cuts": [{"name": "E", "count": 5}], "reciprocity": false})");
    Run fast(json);
    fast.go(40);
    Run resumed(json);
    hand_over(fast, resumed);
    QVERIFY(resumed.go() && resumed.finished.ok());
    const auto* table = resumed.results.find("frequency");
    QVERIFY(table != nullptr);
    QCOMPARE(table->rows.size(), std::size_t{101});
    QCOMPARE(resumed.results.find("amplitudes")->rows.size(), std::size_t{101 * 6});
    // Cuts hold all of them, too: seen from where the wave comes (theta 180 degrees) they are the echo.
    const auto* cuts = resumed.results.find("rcs_E");
    QVERIFY(cuts != nullptr);
    QCOMPARE(cuts->rows.size(), std::size_t{101 * 5});
    for (std::size_t n = 0; n < 101; ++n) {
      QCOMPARE(cuts->rows[5 * n + 4][0], table->rows[n][0]);
      QVERIFY(std::abs(cuts->rows[5 * n + 4][2] - table->rows[n][1]) < 1e-6);
    }
    QVERIFY2(resumed.number("frequencies_computed") <= 12,
             qPrintable(QString::number(resumed.number("frequencies_computed"))));
    json["excitation"]["frequencies"].erase("fast");
    json["excitation"]["frequencies"]["count"] = 6;
    json["truncation"] = {{"tolerance", 1e-4}};
    Run whole(json);
    QVERIFY(whole.go() && whole.finished.ok());
    const auto* exact = whole.results.find("frequency");
    for (std::size_t n = 0; n < 6; ++n) {
      const auto &a = table->rows[20 * n], &b = exact->rows[n];
      QCOMPARE(a[0], b[0]);
      QVERIFY2(std::abs(a[1] - b[1]) < 0.1, qPrintable(QString("%1 Hz: %2 and %3").arg(a[0]).arg(a[1]).arg(b[1])));
    }
  }

  void a_fast_sweep_through_a_resonance_says_how_far_it_may_be_off() {
    // Elements are coarse, and the echo falls by 40 dB: it is off by decibels there, and by one beside the resonance.
    const int divisions = all_rows() ? 3 : 2;
    Run run(read_json(resonant_sweep_case(divisions, 2, true)));
    run.go(60);
    Run resumed(read_json(resonant_sweep_case(divisions, 2, true)));
    hand_over(run, resumed);
    QVERIFY(resumed.go() && resumed.finished.ok());
    const SweepOutcome o = judge_resonant_sweep(resumed.results);
    const QByteArray text =
        QString("%1 frequencies of %2, %3 dB off at most, %4 of the bar at most, bars %5 of the error")
            .arg(o.computed)
            .arg(o.rows)
            .arg(o.worst)
            .arg(o.over_bar)
            .arg(o.bar_over)
            .toUtf8();
    qInfo("%s", text.constData());
    QCOMPARE(o.rows, 1001.0);
    QVERIFY2(o.computed <= 15 && o.over_bar < 3 && o.bar_over < 3 && o.bar_over > 1.0 / 3, text.constData());
  }

  void memory_of_factors_is_told_from_the_mesh_that_is_computed_on() {
    // Conductors, a coated one, a ball, a mesh with S of its own; on one thread and sixteen.
    if (!own_fronts({})) QSKIP("built without fronts of our own");
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

  /// A body away from the origin comes back into images from their other side, beyond half of what they repeat after.
  void what_images_fold_in_is_told() {
    const auto said = [](const Json& json, const Mesh& mesh) {
      QString out;
      for (const Diagnostic& d : MaxwellFem().check(resolved(json), &mesh, make_offer(resolved(json)).value()))
        out += QString::fromStdString(d.render());
      return out;
    };
    const auto moved = [](const Vec3& by) {
      Mesh mesh = shells();
      std::vector<double>& x = mesh.mutable_points();
      for (std::size_t c = 0; c < x.size(); ++c) x[c] += by[c % 3];
      return mesh;
    };
    Json json = mesh_case(R"({"outer": {"kind": "outer"}, "body": {"kind": "pec"}})");
    // Steps of 100 MHz: 1.499 m in range, half of it on either side; 10 degrees at 1 GHz: 0.859 m across.
    json["excitation"] = read_json(
        R"({"frequencies": {"from": "0.2 GHz", "to": "1 GHz", "count": 9}, "theta": "90 deg", "polarisation": "V"})");
    json["output"] = {{"range_profile", true}};
    QVERIFY2(!said(json, moved({0.68, 0, 0})).contains("drawn elsewhere"), qPrintable(said(json, moved({0.68, 0, 0}))));
    QVERIFY2(said(json, moved({0.72, 0, 0})).contains("drawn elsewhere"), qPrintable(said(json, moved({0.72, 0, 0}))));
    QVERIFY(said(json, moved({-0.72, 0, 0})).contains("drawn elsewhere"));
    QVERIFY(!said(json, moved({0, 0.72, 0})).contains("drawn elsewhere"));
    json["excitation"]["monostatic"] = read_json(R"({"from": "-40 deg", "to": "40 deg", "count": 9})");
    json["output"] = {{"isar", {{"width", 0.5}}}};
    QVERIFY(!said(json, moved({0.68, 0.35, 0})).contains("drawn elsewhere"));
    QVERIFY(said(json, moved({0, 0.4, 0})).contains("drawn elsewhere"));
    QVERIFY(!said(json, moved({0, 0, 0.9})).contains("drawn elsewhere"));
    // Around the axis nothing turns.
    json["excitation"]["theta"] = "180 deg";
    QVERIFY(said(json, shells()).contains("do not differ"));
  }

  void range_profile_of_a_sweep_follows_the_series() {
    Json json = sphere_case();
    json["excitation"] = read_json(
        R"({"frequencies": {"from": "0.4 GHz", "to": "1.1 GHz", "count": 8}, "theta": "180 deg", "polarisation": "V"})");
    json["output"] = {{"range_profile", true}, {"reciprocity", false}};
    json["truncation"] = {{"tolerance", 1e-4}, {"distance", 0.05}};
    Run run(json);
    QVERIFY(run.go() && run.finished.ok());
    const auto* table = run.results.find("range_profile");
    QVERIFY(table != nullptr);
    std::vector<double> frequencies;
    std::vector<Complex> echo;
    for (int i = 0; i < 8; ++i) {
      frequencies.push_back(0.4e9 + 0.1e9 * i);
      const double k = 2 * std::numbers::pi * frequencies.back() / light_speed;
      echo.push_back(conducting_sphere(k * 0.05).s2(-1) / (Complex(0, 1) * k));
    }
    const RangeProfile exact = range_profile(frequencies, echo);
    const double most = *std::max_element(exact.level.begin(), exact.level.end());
    QCOMPARE(table->rows.size(), exact.level.size());
    for (std::size_t i = 0; i < exact.level.size(); ++i)
      if (exact.level[i] > most - 15)
        QVERIFY2(std::abs(table->rows[i][1] - exact.level[i]) < 0.3,
                 qPrintable(QString("%1: %2 %3").arg(table->rows[i][0]).arg(table->rows[i][1]).arg(exact.level[i])));
  }

  void materials_of_every_kind_follow_their_laws() {
    // Each kind as the case gives it: its permittivity by hand, and a ball of it against the exact series.
    const double f = 1e9;
    struct Kind {
      const char* name;
      const char* json;
      Complex epsilon;
    };
    const Complex j{0, 1};
    const double w = 2 * std::numbers::pi * f;
    for (
        const Kind& kind : {
            Kind{
                "debye",
                R"({"kind": "debye", "permittivity_infinity": 2, "terms": [{"strength": 3, "time": "100 ps"}], "conductivity": 0.01})",
                2.0 + 3.0 / (1.0 + j * w * 1e-10) - j * 0.01 / (w * 8.8541878128e-12)},
            Kind{
                "lorentz",
                R"({"kind": "lorentz", "permittivity_infinity": 1.5, "terms": [{"strength": 1, "frequency": "2 GHz", "damping": "0.5 GHz"}]})",
                1.5 + 4.0 / (4.0 - 1.0 + j * 0.5)},
            Kind{
                "table",
                R"({"kind": "table", "frequencies": ["0.5 GHz", "1.5 GHz"], "permittivity": [3, 5], "permittivity_loss": [0.2, 0.4]})",
                Complex(4, -0.3)},
            Kind{"constant", R"({"permittivity": 3, "permittivity_loss": 0.5})", Complex(3, -0.5)},
            Kind{"negative", R"({"permittivity": -4, "permittivity_loss": 0.8})", Complex(-4, -0.8)},
            Kind{"drude",
                 R"({"kind": "drude", "permittivity_infinity": 2, "plasma_frequency": "2 GHz", "damping": "0.5 GHz"})",
                 2.0 - 4.0 / (1.0 - j * 0.5)},
        }) {
      Json json = sphere_case();
      json["sphere"]["radius"] = "30 mm";
      json["sphere"]["layers"] = 2;
      json["sphere"]["material"] = "stuff";
      if (kind.epsilon.real() < 0) json["sphere"]["divisions"] = 3;  // fields cling to the surface
      json["materials"] = {{"stuff", read_json(kind.json)}};
      std::vector<Diagnostic> found;
      const Problem s = read_case(resolved(json), found);
      QVERIFY(!has_errors(found));
      QVERIFY2(std::abs(s.media(f)[1].epsilon[0] - kind.epsilon) < 1e-9, kind.name);
      QVERIFY2(s.media(f)[1].epsilon[0].imag() < 0, kind.name);
      Run run(json);
      QVERIFY(run.go() && run.finished.ok());
      // The verification finds 0.009 dB with four divisions; with two, 2^3.7 times as much.
      QVERIFY2(run.number("error_mean") < 0.13,
               qPrintable(QString("%1: %2 dB").arg(kind.name).arg(run.number("error_mean"))));
      QVERIFY(run.number("absorption") > 0);
    }
  }

  void an_absorbing_surface_follows_its_series() {
    Json json = sphere_case();
    json["body"] = read_json(R"({"kind": "impedance", "resistance": "200 ohm", "reactance": "50 ohm"})");
    Run run(json);
    QVERIFY(run.go() && run.finished.ok());
    QVERIFY2(run.number("error_mean") < 0.05, qPrintable(QString::number(run.number("error_mean"))));
    QVERIFY(run.number("absorption") > 0);
  }

  void metals_coats_and_tables_follow_the_frequency() {
    for (const char* body :
         {R"({"kind": "metal", "conductivity": 10})",
          R"({"kind": "metal", "coats": [{"material": "paint", "thickness": "2 mm"}]})",
          R"({"kind": "impedance", "frequencies": [8e8, 1.2e9], "resistances": [600, 200], "reactances": [0, 50]})"}) {
      Json json = sphere_case();
      json["materials"] = read_json(R"({"paint": {"permittivity": 10, "permittivity_loss": 4, "permeability": 3}})");
      json["body"] = read_json(body);
      json["excitation"] = read_json(
          R"({"frequencies": {"from": "0.8 GHz", "to": "1.2 GHz", "count": 2}, "theta": "180 deg", "polarisation": "V"})");
      Run run(json);
      QVERIFY(run.go() && run.finished.ok());
      for (const char* name : {"error_mean_f1", "error_mean_f2"})
        QVERIFY2(run.number(name) < 0.05, qPrintable(QString("%1 %2: %3").arg(body).arg(name).arg(run.number(name))));
      QVERIFY(run.number("absorption") > 0);
    }
    Json json = sphere_case();
    json["body"] = read_json(R"({"kind": "metal"})");
    QVERIFY(first_error(json).contains("without resistance and coats"));
    json["body"] = read_json(R"({"kind": "impedance", "frequencies": [1e9], "resistances": [1, 2]})");
    QVERIFY(first_error(json).contains("does not fit together"));
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

  void faces_of_a_surface_have_conditions_of_their_own() {
    if (!find_gmsh().ok()) QSKIP("gmsh is not installed");
    // One half of a cube of second order in a thick coat, the other in a thin one, by groups or by the rest of the body.
    Mesh cube =
        *box_surface({.low = {-0.04, -0.04, -0.04}, .high = {0.04, 0.04, 0.04}, .divisions = {2, 2, 2}, .order = 2});
    for (const char* name : {"xmin", "ymin", "zmin"})
      for (Index c : std::vector<Index>(cube.group(name)->cells)) cube.add_group("low", 2).cells.push_back(c);
    for (const char* name : {"xmax", "ymax", "zmax"})
      for (Index c : std::vector<Index>(cube.group(name)->cells)) cube.add_group("high", 2).cells.push_back(c);
    const auto body = std::make_shared<const Mesh>(cube);
    const auto coat = [](const char* thickness) {
      Json out = read_json(R"({"kind": "metal", "coats": [{"material": "paint"}]})");
      out["coats"][0]["thickness"] = thickness;
      return out;
    };
    const auto echo = [&](const Json& whole, const std::vector<std::pair<const char*, Json>>& groups) {
      Json json = mesh_case();
      json["materials"] = read_json(
          R"({"paint": {"permittivity": 10, "permittivity_loss": 4, "permeability": 3}, "plastic": {"permittivity": 2}})");
      json["excitation"]["polarisation"] = "V";
      json["excitation"]["frequency"] = "0.5 GHz";
      json["parameters"]["order"] = 1;
      json["output"]["reciprocity"] = false;
      json["body"] = whole;
      for (const auto& [name, condition] : groups) json["boundaries"][name] = condition;
      const QString error = first_error(json, body.get());
      if (!error.isEmpty()) qFatal("%s", qPrintable(error));
      Run run(json, body);
      if (!run.go() || !run.finished.ok()) qFatal("the run did not end");
      return run.number("echo_VV");
    };
    const Json thick = coat("3 mm"), thin = coat("0.5 mm"), metal = read_json(R"({"kind": "pec"})");
    const double whole = echo(thick, {}), mixed = echo(thick, {{"low", thin}});
    QVERIFY(std::abs(echo(metal, {{"low", thick}, {"high", thick}}) / whole - 1) < 1e-9);
    QVERIFY(std::abs(echo(thin, {{"high", thick}}) / mixed - 1) < 1e-9);
    QVERIFY2(std::abs(mixed / whole - 1) > 1e-3, qPrintable(QString("%1 %2").arg(mixed).arg(whole)));
    QVERIFY(std::abs(echo(thin, {}) / mixed - 1) > 1e-3);
    // Resistive sheets and metal lie on a filled body too.
    const Json filled = read_json(R"({"kind": "material", "material": "plastic"})");
    QVERIFY(std::abs(echo(filled, {{"zmax", metal}}) / echo(filled, {}) - 1) > 0.02);

    const auto message = [&](const char* groups, const Json& is = read_json(R"({"kind": "pec"})")) {
      Json json = mesh_case(groups);
      json["materials"] = read_json(R"({"plastic": {"permittivity": 2}})");
      json["body"] = is;
      return first_error(json, body.get());
    };
    QVERIFY(message(R"({"lid": {"kind": "pmc"}})").contains("no surface group 'lid'"));
    QVERIFY(message(R"({"low": {"kind": "pmc"}, "xmin": {"kind": "pec"}})").contains("in two groups"));
    QVERIFY(message(R"({"low": {"kind": "outer"}})").contains("puts S"));
    QVERIFY(message(R"({"low": {"kind": "pmc"}})", filled).contains("filled body"));
  }

  void files_of_surfaces_and_solids_are_scattering_problems() {
    if (!find_gmsh().ok()) QSKIP("gmsh is not installed");
    // The case of two clicks: a file and a frequency. The same ball as STL and as a STEP file made by the mesher.
    const auto folder = std::filesystem::temp_directory_path() / fmt::format("conoid-test-maxwell-{}", getpid());
    std::filesystem::create_directories(folder);
    const double ka = 2 * std::numbers::pi * 1e9 / light_speed * 0.05;
    const double exact = conducting_sphere(ka).sigma_e(-1) * std::numbers::pi * 0.05 * 0.05;
    QVERIFY(write_mesh(*icosphere({.radius = 0.05, .divisions = 4, .equal_volume = true}), folder / "ball.stl").ok());
    std::ofstream(folder / "ball.geo")
        << "SetFactory(\"OpenCASCADE\");\nSphere(1) = {0, 0, 0, 50};\nSave \"ball.step\";\n";
    QProcess make;
    make.setWorkingDirectory(QString::fromStdString(folder.string()));
    make.start(QString::fromStdString(find_gmsh()->string()), {"-0", "ball.geo"});
    QVERIFY(make.waitForFinished());
    for (const char* name : {"ball.stl", "ball.step"}) {
      GmshOptions gmsh;
      gmsh.size = 16;  // mm
      gmsh.use_cache = false;
      const bool stl = std::string(name) == "ball.stl";
      auto mesh = load_mesh(folder / name, {.scale = stl ? 1.0 : 1e-3}, gmsh);
      QVERIFY2(mesh.ok(), mesh.ok() ? "" : mesh.error().render().c_str());
      const auto body = std::make_shared<const Mesh>(std::move(*mesh));
      Json json = mesh_case();
      json["excitation"]["polarisation"] = "V";
      QCOMPARE(first_error(json, body.get()), QString());
      Run run(json, body);
      QVERIFY(run.go());
      QVERIFY2(run.finished.ok(), run.finished.ok() ? "" : run.finished.error().render().c_str());
      // Flat faces inside of the ball: a percent of the radius costs a third of a decibel at this size.
      QVERIFY2(std::abs(10 * std::log10(run.number("echo_VV") / exact)) < (stl ? 0.1 : 0.7),
               qPrintable(QString("%1: %2").arg(name).arg(10 * std::log10(run.number("echo_VV") / exact))));
      QVERIFY2(run.number("optical_theorem_mismatch") < 1e-3,
               qPrintable(QString::number(run.number("optical_theorem_mismatch"))));
    }
    std::filesystem::remove_all(folder);
  }

  void rows_around_a_body_close_up_to_the_outer_surface() {
    if (!find_gmsh().ok()) QSKIP("gmsh is not installed");
    const Mesh body = *box_surface({.high = {1, 0.5, 0.2}, .divisions = {8, 4, 2}});
    double volume[2] = {};
    for (int layers : {1, 3}) {
      auto mesh = surround(body, {.distance = 0.2, .edge = 0.25, .layers = layers});
      QVERIFY2(mesh.ok(), mesh.ok() ? "" : mesh.error().render().c_str());
      DomainOptions roles;
      roles.boundaries = {{"body", {BoundaryKind::pec, 0}}, {"outer", {BoundaryKind::outer, 0}}};
      if (layers > 1) roles.boundaries["currents"] = {BoundaryKind::currents, 0};
      const auto domain = make_domain(*mesh, roles);
      QVERIFY2(domain.ok(), domain.ok() ? "" : domain.error().render().c_str());
      if (layers > 1) {
        QVERIFY(!domain->currents_on_conductor);
        QVERIFY(domain->distance > 0.09);  // two of three rows lie between S' and S
      }
      for (Index c = 0; c < mesh->cell_count(); ++c) {
        if (mesh->shape(c) != CellShape::tet4) continue;
        const auto n = mesh->nodes(c);
        const Vec3 o = mesh->point(n[0]);
        const double six =
            vec::triple(vec::sub(mesh->point(n[1]), o), vec::sub(mesh->point(n[2]), o), vec::sub(mesh->point(n[3]), o));
        QVERIFY(six > 0);
        volume[layers > 1] += six / 6;
      }
    }
    QVERIFY2(std::abs(volume[1] / volume[0] - 1) < 1e-9, qPrintable(QString::number(volume[1] / volume[0] - 1)));
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

  /// Each of these was computed without a word, as one of the two that it may mean.
  void what_may_mean_two_things_is_refused() {
    Mesh mesh = shells();
    const auto said = [&mesh](const char* boundaries) {
      const Json json = mesh_case(boundaries);
      return first_error(json, &mesh);
    };
    // A face in two groups: the last name in the alphabet won.
    const std::vector<Index> body = mesh.group("body")->cells;
    mesh.add_group("nose", 2).cells = {body.front(), body.back()};
    QVERIFY(said(R"({"outer": {"kind": "outer"}, "body": {"kind": "pec"},
                     "nose": {"kind": "impedance", "resistance": 100}})")
                .contains("in two groups with conditions, 'body' and 'nose'"));
    QCOMPARE(said(R"({"outer": {"kind": "outer"}, "body": {"kind": "pec"}, "nose": {"kind": "pec"}})"), QString());
    // S' may be said to lie on a conductor, and on nothing else.
    QVERIFY(said(R"({"outer": {"kind": "outer"}, "body": {"kind": "impedance", "resistance": 100},
                     "nose": {"kind": "currents"}})")
                .contains("in two groups"));
    // Cells in two regions.
    mesh = shells(false);
    const std::vector<Index> core = mesh.group("core")->cells;
    mesh.add_group("kernel", 3).cells = {core.front()};
    Json json = mesh_case(R"({"outer": {"kind": "outer"}})");
    json["materials"] = read_json(R"({"one": {"permittivity": 2}, "two": {"permittivity": 3}})");
    json["regions"] = read_json(R"({"core": {"material": "one"}, "kernel": {"material": "two"}})");
    QVERIFY(first_error(json, &mesh).contains("is in another region of another material"));
    json["regions"]["kernel"]["material"] = "one";
    QCOMPARE(first_error(json, &mesh), QString());
    // A coated metal with fields on both sides was a resistive sheet.
    mesh = *spherical_shells({.radius = 0.05,
                              .hollow = false,
                              .surface = true,
                              .divisions = 2,
                              .shells = {{0.08, 2, "vacuum"}},
                              .curved = false});
    const char* metal = R"({"outer": {"kind": "outer"}, "body": {"kind": "metal", "conductivity": 1e4}})";
    QVERIFY(said(metal).contains("metal without thickness"));
    QCOMPARE(said(R"({"outer": {"kind": "outer"}, "body": {"kind": "impedance", "resistance": 100}})"), QString());
    mesh = shells();
    QCOMPARE(said(metal), QString());
    // The exact series of a ball that is another one along each axis was that of its permittivity along x.
    Json ball = sphere_case();
    ball["sphere"]["radius"] = "20 mm";
    ball["sphere"]["material"] = "crystal";
    ball["materials"] = read_json(R"({"crystal": {"kind": "diagonal", "permittivity": [2, 3, 4]}})");
    QVERIFY(first_error(ball).contains("isotropic"));
    ball["materials"]["crystal"]["permittivity"] = {2, 2, 2};
    QCOMPARE(first_error(ball), QString());
  }

  /// A body far from the origin of coordinates: the phase of its echo alone changes, and its size stays. (The scattered power was a sum over the
  /// directions that a ball around the origin asks for, 2 (k r)², here two million.)
  void a_body_far_from_the_origin_sends_the_same_echo() {
    const double far = 50;  // m, 167 wavelengths
    Mesh here = shells(), there = here;
    for (std::size_t p = 0; p < there.mutable_points().size(); p += 3) there.mutable_points()[p] += far;
    Json json = mesh_case(R"({"outer": {"kind": "outer"}, "body": {"kind": "pec"}})");
    json["excitation"]["theta"] = "90 deg";
    json["excitation"]["polarisation"] = "V";
    json["truncation"]["tolerance"] = 1e-8;
    json["output"] = read_json(R"({"reciprocity": false})");
    Run near(json, std::make_shared<const Mesh>(here)), away(json, std::make_shared<const Mesh>(there));
    QVERIFY(near.go() && near.finished.ok() && away.go() && away.finished.ok());
    // Places have 1e-16 of 50 m, which is 1e-13 of the radius; the mesh's facets differ by as much.
    for (const char* number : {"echo_VV", "extinction", "scattering"})
      QVERIFY2(std::abs(away.number(number) / near.number(number) - 1) < 1e-6, number);
    const auto &a = near.results.find("amplitudes")->rows, &b = away.results.find("amplitudes")->rows;
    // The row of the direction back: exp(2jk r̂·x) with the wave from +x.
    const double k = 2 * std::numbers::pi * 1e9 / light_speed;
    const auto& columns = near.results.find("amplitudes")->info.columns;
    std::size_t real = 0;
    while (columns[real].name.find("Re") == std::string::npos) ++real;
    const Complex one(a[0][real], a[0][real + 1]), other(b[0][real], b[0][real + 1]);
    QVERIFY2(std::abs(other - one * std::polar(1.0, 2 * k * far)) < 1e-6 * std::abs(one),
             qPrintable(QString("%1 %2").arg(std::abs(other / one)).arg(std::arg(other / one))));
    const auto* units = away.results.find("all_units_phi_0");
    QVERIFY(units != nullptr && units->info.definition.find("a = 0.0") != std::string::npos);
  }

  /// Of a ball small against the wave the bar holds the error as it does of others, and is no more than some times as large.
  void error_bars_of_small_balls_stay_small() {
    for (const double ka : {0.4, 0.002}) {
      Json json = sphere_case();
      json["excitation"]["frequency"] = ka * light_speed / (2 * std::numbers::pi * 0.05);
      json["materials"]["plastic"] = read_json(R"({"permittivity": 2.5})");
      json["sphere"]["material"] = "plastic";
      json["output"]["error_bar"] = true;
      json["output"].erase("planes");
      Run run(json);
      QVERIFY(run.go() && run.finished.ok());
      const double exact = homogeneous_sphere(ka, 2.5, 1.0).sigma_e(-1) * std::numbers::pi * 0.05 * 0.05,
                   off = std::abs(10 * std::log10(run.number("echo_VV") / exact)), bar = run.number("error_bar_VV");
      qInfo("ka = %g: off by %.4f dB, bar %.4f", ka, off, bar);
      QVERIFY2(bar > off / 3 && bar < 0.3 && run.number("error_bar_trusted") == 1,
               qPrintable(QString("%1 %2").arg(off).arg(bar)));
    }
  }
  void elements_of_order_1_in_small_bodies_are_told() {
    Json json = sphere_case();
    json["parameters"]["order"] = 1;
    json["excitation"]["frequency"] = "10 MHz";  // ka = 0.01
    const auto told = [&] {
      const auto said = MaxwellFem().check(resolved(json), nullptr, make_offer(resolved(json)).value());
      return std::ranges::any_of(said, [](const Diagnostic& d) { return d.text.find("elements of order 1") == 0; });
    };
    QVERIFY(!told());
    json["materials"]["plastic"] = read_json(R"({"permittivity": 2.5})");
    json["sphere"]["material"] = "plastic";
    QVERIFY(told());
    json["parameters"]["order"] = 2;
    QVERIFY(!told());
  }

  /// Slips of sign, of units, and what a thin coat cannot be.
  void materials_that_cannot_be_meant_are_told() {
    const auto said = [](const char* kind, const char* text, Json excitation = Json()) {
      Json json = mesh_case(R"({"outer": {"kind": "outer"}, "body": {"kind": "pec"}})");
      json["materials"]["paint"] = read_json(kind);
      if (text != nullptr) json["boundaries"]["body"] = read_json(text);
      if (!excitation.is_null()) json["excitation"] = std::move(excitation);
      const Mesh mesh = shells();
      QString out;
      for (const Diagnostic& d : MaxwellFem().check(resolved(json), &mesh, make_offer(resolved(json)).value()))
        if (d.text.find("flat facets") == std::string::npos && d.text.find("wavelengths") == std::string::npos)
          out += QString::fromStdString(d.render());
      return out;
    };
    const char* const table = R"({"kind": "table", "frequencies": ["0.5 GHz", "2 GHz"], "permittivity": [3, 3],
                               "permittivity_loss": [0.2, 0.1]})";
    QCOMPARE(said(table, nullptr), QString());
    // ε' + jε'', as programs with e^{-iωt} write it.
    QVERIFY(said(R"({"kind": "table", "frequencies": ["0.5 GHz", "2 GHz"], "permittivity": [3, 3],
                 "permittivity_loss": [-0.2, -0.1]})",
                 nullptr)
                .contains("gives energy to the waves"));
    QVERIFY(
        said(R"({"kind": "debye", "terms": [{"strength": -2, "time": "1 ns"}]})", nullptr).contains("gives energy"));
    QVERIFY(
        said(R"({"kind": "lorentz", "terms": [{"strength": -2, "frequency": "1 GHz", "damping": "1 MHz"}]})", nullptr)
            .contains("gives energy"));
    QVERIFY(said(R"({"kind": "drude", "plasma_frequency": "1 GHz"})", nullptr)
                .contains("permittivity or permeability of 0"));
    QCOMPARE(said(R"({"kind": "drude", "plasma_frequency": "2 GHz", "damping": "10 MHz"})", nullptr), QString());
    // Megahertz for gigahertz.
    const char* const far = R"({"kind": "table", "frequencies": ["0.5 MHz", "2 MHz"], "permittivity": [3, 2]})";
    QVERIFY(said(far, nullptr).contains("the table reaches from 500 kHz to 2 MHz"));
    QVERIFY(said(table, R"({"kind": "impedance", "frequencies": ["0.5 MHz", "2 MHz"], "resistances": [100, 200]})")
                .contains("the table reaches"));
    QCOMPARE(said(table, R"({"kind": "impedance", "frequencies": ["0.5 GHz", "1 GHz"], "resistances": [100, 200]})"),
             QString());
    const char* const coat = R"({"kind": "metal", "coats": [{"material": "paint", "thickness": "3 mm"}]})";
    QVERIFY(said(R"({"kind": "diagonal", "permittivity": [4, 4, 9], "permittivity_loss": [0, 0, 0],
                 "permeability": [1, 1, 1], "permeability_loss": [0, 0, 0]})",
                 coat)
                .contains("another material along each axis"));
    QVERIFY(said(R"({"permittivity": 2})", coat).contains("waves run aslant"));
    QCOMPARE(said(R"({"permittivity": 20, "permittivity_loss": 5})", coat), QString());
  }
  /// What is said of waves that run aslant in a coat against full series of coated spheres: within 2.5 (0.6 to 1.8 here).
  void what_a_thin_coat_leaves_out_is_told() {
    for (const double ka : {1.0, 3.0, 8.0})
      for (const double permittivity : {1.2, 2.0, 4.0, 10.0})
        for (const double depth : {0.02, 0.1}) {
          const Complex e{permittivity, -0.05};
          const std::vector<ThinCoat> coats{{[e](double) { return Medium{{e, e, e}, {1, 1, 1}}; }, depth}};
          const double frequency = light_speed / (2 * std::numbers::pi);  // k = 1/m
          const SphereSeries whole = coated_conductor(ka - depth, ka, e, 1.0),
                             thin = impedance_sphere(ka, coated_impedance(0, coats, frequency) / vacuum_impedance);
          double off = 0, largest = 0;
          for (int a = 0; a <= 36; ++a) {
            const double cosine = std::cos(a * std::numbers::pi / 36);
            off = std::max(
                {off, std::abs(whole.s1(cosine) - thin.s1(cosine)), std::abs(whole.s2(cosine) - thin.s2(cosine))});
            largest = std::max({largest, std::abs(whole.s1(cosine)), std::abs(whole.s2(cosine))});
          }
          const double share = off / largest / aslant_change(0, coats, frequency);
          QVERIFY2(share > 0.4 && share < 2.5,
                   qPrintable(QString("%1 %2 %3: %4").arg(ka).arg(permittivity).arg(depth).arg(share)));
        }
  }
  /// Waves along all pairs of axes: E along x with H along z is one.
  void the_index_of_anisotropic_materials_is_the_largest() {
    Json json = sphere_case();
    json["output"].erase("exact");
    json["materials"]["crystal"] =
        read_json(R"({"kind": "diagonal", "permittivity": [9, 1, 1], "permittivity_loss": [0, 0, 0],
                                              "permeability": [1, 1, 4], "permeability_loss": [0, 0, 0]})");
    json["sphere"]["material"] = "crystal";
    std::vector<Diagnostic> said;
    const Problem s = read_case(resolved(json), said);
    QVERIFY(said.empty());
    QCOMPARE(refractive_index(s, 1), 6.0);
  }

  void bad_cases_have_their_own_messages() {
    const auto says = [](const QString& message, const char* words) {
      if (!message.contains(words)) qWarning("%s", qPrintable(message));
      return message.contains(words);
    };
    const Mesh good = shells();
    const char* roles = R"({"body": {"kind": "pec"}, "outer": {"kind": "outer"}})";
    QCOMPARE(first_error(mesh_case(roles), &good), QString());
    // A mesh without S is a body; this one is the space around one.
    QVERIFY(says(first_error(mesh_case(R"({"body": {"kind": "pec"}})"), &good), "'body' is an inner surface"));
    QVERIFY(
        says(first_error(mesh_case(R"({"body": {"kind": "pec"}, "outer": {"kind": "pec"}})"), &good), "kind outer"));
    QVERIFY(says(first_error(mesh_case(R"({"outer": {"kind": "outer"}})"), &good), "have no boundary condition"));
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
    filled["materials"] = read_json(R"({"plastic": {"permittivity": 2}})");
    filled["regions"] = read_json(R"({"vacuum": {"material": "plastic"}})");
    QVERIFY(says(first_error(filled, &good), "S touches the body"));
    filled["regions"] = read_json(R"({"vacuum": {"material": "steel"}})");
    QVERIFY(says(first_error(filled, &good), "no material 'steel'"));
    Json fast = mesh_case(roles);
    fast["excitation"]["frequency"] = "20 GHz";
    QVERIFY(says(first_error(fast, &good), "too coarse"));
    // Coarse in a material, though not in vacuum: the message names the material.
    const Mesh solid = shells(false);
    Json dense = mesh_case(R"({"outer": {"kind": "outer"}})");
    dense["materials"] = read_json(R"({"ceramic": {"permittivity": 900}})");
    dense["regions"] = read_json(R"({"core": {"material": "ceramic"}})");
    QVERIFY(says(first_error(dense, &solid), "in 'ceramic' are"));
    QVERIFY(says(first_error(dense, &solid), "refine to"));
    dense["materials"]["ceramic"]["permittivity"] = 2;
    QCOMPARE(first_error(dense, &solid), QString());
    dense["regions"] = read_json(R"({"kernel": {"material": "ceramic"}})");
    QVERIFY(says(first_error(dense, &solid), "no volume group 'kernel'"));
    QVERIFY(says(first_error(dense, &solid), "core"));  // what it has instead
    // S and the body share points: a conductor that reaches the rim.
    Mesh touching = good;
    {
      auto& x = touching.mutable_points();
      const Index corner = touching.nodes(touching.group("outer")->cells.front())[0];
      Index nearest = -1;
      for (Index c : touching.group("body")->cells)
        for (Index n : touching.nodes(c))
          if (nearest < 0 || vec::distance(touching.point(n), touching.point(corner)) <
                                 vec::distance(touching.point(nearest), touching.point(corner)))
            nearest = n;
      std::vector<Index> nodes(touching.connectivity().begin(), touching.connectivity().end());
      for (Index& n : nodes)
        if (n == corner) n = nearest;
      // Cells that this collapses are left out.
      std::vector<CellShape> shapes;
      std::vector<Index> kept;
      std::map<Index, Index> number;
      Index at = 0;
      for (Index c = 0; c < touching.cell_count(); ++c) {
        const Index size = static_cast<Index>(touching.nodes(c).size());
        std::set<Index> different(nodes.begin() + at, nodes.begin() + at + size);
        if (static_cast<Index>(different.size()) == size) {
          number[c] = static_cast<Index>(shapes.size());
          shapes.push_back(touching.shape(c));
          kept.insert(kept.end(), nodes.begin() + at, nodes.begin() + at + size);
        }
        at += size;
      }
      std::vector<MeshGroup> groups;
      for (MeshGroup g : touching.groups()) {
        std::vector<Index> cells;
        for (Index c : g.cells)
          if (number.contains(c)) cells.push_back(number[c]);
        g.cells = cells;
        groups.push_back(g);
      }
      auto made = Mesh::from_arrays(x, shapes, kept, groups);
      QVERIFY(made.ok());
      touching = std::move(*made);
    }
    QVERIFY(says(first_error(mesh_case(roles), &touching), "S touches the body"));
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
