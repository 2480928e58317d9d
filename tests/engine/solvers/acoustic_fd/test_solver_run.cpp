// SPDX-License-Identifier: BSD-3-Clause
// A case through the solver's own face: check, estimate, prepare, advance, fill, save, load, finish.
// labels: unit
#include "engine/session/offer.hpp"
#include "engine/solvers/acoustic_fd/acoustic_fd.hpp"
#include "engine/team/team.hpp"
#include "tests/engine/solvers/acoustic_fd/support.hpp"

#include <QTest>
#include <cmath>
#include <map>
#include <numbers>
#include <tuple>

#include <fmt/core.h>

using namespace conoid;
using namespace conoid::acoustic_fd;

namespace {

constexpr const char* small_case = R"({
  "conoid": 1, "title": "test", "solver": "acoustic-fd",
  "grid": {"points": [41, 38, 45], "spacing": "2 m", "origin": [0, 0, "-88 m"]},
  "medium": {"velocity": {"kind": "constant", "speed": "1.5 km/s"}},
  "boundaries": {"x_min": {"kind": "sponge", "width": 8}, "x_max": {"kind": "sponge", "width": 8},
                 "y_min": {"kind": "sponge", "width": 8}, "y_max": {"kind": "sponge", "width": 8},
                 "z_min": {"kind": "sponge", "width": 8}, "z_max": {"kind": "free"}},
  "excitation": {"sources": [{"position": [40.3, 37.1, -30], "signal": {"kind": "ricker", "frequency": "70 Hz"}}]},
  "parameters": {"order": 8, "courant": 0.25, "end_time": "60 ms"},
  "output": {"receivers": [{"name": "near", "position": [52, 37, -40]}, {"position": [33.3, 44.4, -20]}],
             "receiver_lines": [{"name": "line", "from": [20, 37, -10], "to": [60, 37, -10], "count": 5}]}
})";

Case resolved(std::string_view text) {
  const auto document = CaseDocument::parse(text, "case.json");
  const auto schema = Schema::for_solver("acoustic-fd", solver_info().schema);
  return Case::resolve(document.value(), schema.value()).value();
}

struct Bench {
  Case input;
  Offer offer = make_offer(input).value();
  std::unique_ptr<Communicator> cluster = single_rank();
  Team team{{WorkerSpec{"cpu", 1, 1}}};
  MemoryResults results;
  NoProgress progress;
  RunContext context{input, nullptr, team, offer, *cluster, results, progress, {}};
  explicit Bench(std::string_view text) : input(resolved(text)) {}
};

/// Results that keep texts, too.
struct Told final : Results {
  explicit Told(MemoryResults& others) : of(others) {}
  Table& table(const TableInfo& info) override { return of.table(info); }
  void number(std::string_view name, double value, std::string_view unit) override { of.number(name, value, unit); }
  void text(std::string_view name, std::string_view value) override { texts[std::string(name)] = value; }
  [[nodiscard]] std::filesystem::path folder() const override { return {}; }
  MemoryResults& of;
  std::map<std::string, std::string> texts;
};

const MemoryResults::Stored& stored(const MemoryResults& results, std::string_view id) {
  const auto* table = results.find(id);
  if (!table) throw Failure(make_error(ErrorCode::internal, "no table " + std::string(id)));
  return *table;
}

std::shared_ptr<const Frame> frame_of(const Solver& solver, FrameRequest request) {
  FrameBuilder builder(std::move(request), 0);
  solver.fill(builder);
  return builder.finish();
}

}  // namespace

class TestSolverRun : public QObject {
  Q_OBJECT

 private slots:
  void the_schema_is_sound() {
    const auto schema = Schema::for_solver("acoustic-fd", solver_info().schema);
    QVERIFY2(schema.ok(), schema.ok() ? "" : schema.error().render().c_str());
  }

  void sample_cases_are_sound() {
    for (const char* name : {"point-source", "layered-earth", "room", "underwater-duct", "salt-dome"}) {
      const std::filesystem::path folder = std::filesystem::path(CONOID_SOURCE_DIR) / "resources/cases" / name;
      const auto document = CaseDocument::read(folder / "case.json");
      const auto schema = Schema::for_solver("acoustic-fd", solver_info().schema);
      const auto input = Case::resolve(document.value(), schema.value());
      QVERIFY2(input.ok(), input.ok() ? "" : input.error().render().c_str());
      const auto solver = solver_info().make();
      for (const auto& d : solver->check(*input, nullptr, make_offer(*input).value())) QFAIL(d.render().c_str());
      QVERIFY(std::filesystem::exists(folder / "card.json"));
    }
  }

  void a_grid_of_512_cubed_at_order_8_fits_in_three_and_a_half_gigabytes() {
    const Case input = resolved(R"({"solver": "acoustic-fd", "grid": {"points": [512, 512, 512], "spacing": 10},
      "medium": {"velocity": {"kind": "layers", "layers": [{"speed": 1500}, {"top": 1000, "speed": 2500}]}},
      "parameters": {"order": 8, "steps": 100}})");
    const auto estimate = solver_info().make()->estimate(input, nullptr, make_offer(input).value());
    QVERIFY(estimate->host_memory > Bytes{12} * 512 * 512 * 512);
    QVERIFY(estimate->host_memory < Bytes{3'500'000'000});
  }

  void a_small_case_runs_and_matches_the_exact_traces() {
    Bench b(small_case);
    const auto solver = solver_info().make();
    for (const auto& d : solver->check(b.input, nullptr, make_offer(b.input).value()))
      QVERIFY2(d.severity != Severity::error, d.render().c_str());
    const auto estimate = solver->estimate(b.input, nullptr, make_offer(b.input).value());
    QVERIFY(estimate->steps > 20 && estimate->seconds > 0 && estimate->host_memory > 41 * 38 * 45 * 8);
    QVERIFY(solver->prepare(b.context).ok());
    Index calls = 0, last = 0;
    for (;;) {
      const auto a = solver->advance(b.context);
      QVERIFY2(a.ok(), a.ok() ? "" : a.error().render().c_str());
      QVERIFY(a->step > last);
      last = a->step;
      if (++calls > 10000 || a->finished) break;
    }
    QCOMPARE(last, estimate->steps);
    QVERIFY(solver->finish(b.context).ok());
    const auto* table = &stored(b.results, "receivers");
    QCOMPARE(table->rows.size(), static_cast<std::size_t>(last + 1));
    QCOMPARE(table->info.columns.size(), std::size_t{5});
    QCOMPARE(table->info.exact.size(), std::size_t{2});
    // Direct wave and free-surface echo over three wavelengths of 11 nodes: time error (w dt)^2/24 = 0.1 % of the phase
    // at the peak, four times that at twice the frequency, and weights between nodes of 0.3 %: below 6 % of the trace.
    double error = 0, size = 0;
    for (const auto& row : table->rows) {
      error += (row[1] - row[3]) * (row[1] - row[3]);
      size += row[3] * row[3];
    }
    QVERIFY(size > 0);
    QVERIFY2(std::sqrt(error / size) < 0.06, qPrintable(QString::number(std::sqrt(error / size))));
    QVERIFY(!stored(b.results, "energy").rows.empty() && !stored(b.results, "gather_1").rows.empty());
    QCOMPARE(stored(b.results, "line_1").rows.size(), table->rows.size());
    bool named = false;
    for (const auto& n : b.results.numbers)
      named |= n.name == "near_error" && std::abs(n.value - std::sqrt(error / size)) < 1e-12;
    QVERIFY(named);
  }

  /// Of a monopole: p v is p²/(ρ c) and a part that is over when the wave has passed, ½ d/dt (∫p)²/(ρ r). A resumed run goes on with it.
  void the_energy_that_passes_is_that_of_a_spherical_wave() {
    constexpr const char* text = R"({
      "conoid": 1, "solver": "acoustic-fd", "grid": {"points": [61, 57, 59], "spacing": "2 m"},
      "medium": {"velocity": {"kind": "constant", "speed": "1.5 km/s"}, "density": {"kind": "constant", "density": "1200 kg/m^3"}},
      "excitation": {"sources": [{"position": [60.3, 57.1, 58], "signal": {"kind": "ricker", "frequency": "70 Hz"}}]},
      "boundaries": {"x_min": {"width": 10}, "x_max": {"width": 10}, "y_min": {"width": 10}, "y_max": {"width": 10},
                     "z_min": {"width": 10}, "z_max": {"width": 10}},
      "parameters": {"order": 8, "courant": 0.25, "end_time": "70 ms"},
      "output": {"trace_every": 3, "receivers": [{"position": [61, 50, 41]},
                 {"name": "near", "position": [80.1, 67.3, 49.7], "velocity": true}]}})";
    Bench b(text), resumed(text);
    const auto solver = solver_info().make(), second = solver_info().make();
    QVERIFY(solver->prepare(b.context).ok() && second->prepare(resumed.context).ok());
    acoustic_fd::testing::MemoryCheckpoint checkpoint;
    for (bool kept = false;;) {
      const auto a = solver->advance(b.context);
      if (!kept && a->step > 60) {
        solver->save(checkpoint);
        second->load(checkpoint);
        kept = true;
      }
      if (a->finished) break;
    }
    while (!second->advance(resumed.context)->finished) continue;
    QVERIFY(solver->finish(b.context).ok() && second->finish(resumed.context).ok());
    const auto &pressure = stored(b.results, "receivers").rows, &flow = stored(b.results, "energy_flow").rows;
    QVERIFY(pressure.size() == flow.size() && stored(resumed.results, "energy_flow").rows.back() == flow.back());
    double squares = 0;
    for (const auto& row : pressure) squares += row[2] * row[2] * (pressure[1][0] - pressure[0][0]);
    const Vec3 way{80.1 - 60.3, 67.3 - 57.1, 49.7 - 58};
    const double r = std::hypot(way[0], way[1], way[2]);
    for (std::size_t a = 0; a < 3; ++a) {
      // Ten nodes a wave at the peak, five where the wavelet ends: weights between nodes are within 0.3 %, twice.
      const double wanted = squares / (1200 * 1500) * way[a] / r, got = flow.back()[1 + a];
      QVERIFY2(std::abs(got - wanted) < 0.01 * squares / (1200 * 1500),
               qPrintable(QString("%1: %2, not %3").arg(a).arg(got).arg(wanted)));
      const auto& numbers = b.results.numbers;
      const auto number = std::find_if(numbers.begin(), numbers.end(), [&](const auto& n) {
        return n.name == std::string("near_intensity_") + "xyz"[a];
      });
      QVERIFY(number != numbers.end() && std::abs(number->value * 0.07 - got) < 0.01 * std::abs(got));
    }
  }

  /// A receiver within a plane wave that moves when the run begins hears its velocity from the first row on.
  void a_wave_that_moves_at_the_start_has_a_velocity() {
    for (const bool attenuated : {false, true}) {
      Bench b(fmt::format(
          R"({{"conoid": 1, "solver": "acoustic-fd", "grid": {{"points": [301, 1, 9], "spacing": 1}},
      "medium": {{"velocity": {{"kind": "constant", "speed": 1500}}, "density": {{"kind": "constant", "density": 1200}}{}}},
      "boundaries": {{"x_min": {{"kind": "rigid"}}, "x_max": {{"kind": "rigid"}}, "z_min": {{"kind": "rigid"}}, "z_max": {{"kind": "rigid"}}}},
      "excitation": {{"initial": {{"kind": "plane", "axis": "x", "direction": -1, "centre": [150, 0, 0], "width": 8, "amplitude": 2}}}},
      "parameters": {{"order": 8, "courant": 0.2, "end_time": "50 ms"}},
      "output": {{"receivers": [{{"position": [150, 0, 4], "velocity": true}}, {{"position": [139, 0, 4], "velocity": true}}]}}}})",
          attenuated ? R"(, "attenuation": {"kind": "constant_q", "quality": 20, "reference": 20})" : ""));
      const auto solver = solver_info().make();
      QVERIFY(solver->prepare(b.context).ok());
      while (!solver->advance(b.context)->finished) continue;
      QVERIFY(solver->finish(b.context).ok());
      const auto &velocity = stored(b.results, "velocity").rows, &flow = stored(b.results, "energy_flow").rows;
      const double peak = 2 / (1200 * 1500.0), limit = attenuated ? 0.03 : 0.01;
      for (const std::size_t n : {0U, 1U}) {
        const double way = n == 0 ? 0 : 11;  // ahead of the middle
        QVERIFY2(std::abs(velocity.front()[1 + 2 * n] / peak + std::exp(-0.5 * way * way / 64)) < limit,
                 qPrintable(QString::number(velocity.front()[1 + 2 * n] / peak)));
        QVERIFY2(std::abs(velocity.back()[1 + 2 * n] / peak) < limit,
                 qPrintable(QString::number(velocity.back()[1 + 2 * n] / peak)));
        // ∫ p²/(ρ c) dt of what has still to come.
        const double exact =
            4 / (1200 * 1500.0) * 8 / 1500 * std::sqrt(std::numbers::pi) * 0.5 * (1 + std::erf(way / 8));
        if (!attenuated)
          QVERIFY2(std::abs(flow.back()[1 + 2 * n] / exact + 1) < 0.01,
                   qPrintable(QString::number(flow.back()[1 + 2 * n] / exact)));
      }
    }
  }

  /// Checkpoints of versions that recorded velocities and kept no flows: what is missing is told, and no mean is made of the rest.
  void a_flow_that_an_earlier_checkpoint_does_not_hold_is_told() {
    constexpr const char* text = R"({
      "conoid": 1, "solver": "acoustic-fd", "grid": {"points": [31, 27, 29], "spacing": "2 m"},
      "excitation": {"sources": [{"position": [30.3, 27.1, 28], "signal": {"kind": "ricker", "frequency": "90 Hz"}}]},
      "boundaries": {"x_min": {"width": 6}, "x_max": {"width": 6}, "y_min": {"width": 6}, "y_max": {"width": 6},
                     "z_min": {"width": 6}, "z_max": {"width": 6}},
      "parameters": {"order": 4, "courant": 0.4, "steps": 600},
      "output": {"trace_every": 1, "receivers": [{"name": "near", "position": [36, 31, 26], "velocity": true}]}})";
    Bench b(text), resumed(text), again(text);
    Told whole(b.results), late(resumed.results), later(again.results);
    const auto context = [](Bench& of, Results& results) {
      return RunContext{of.input, nullptr, of.team, of.offer, *of.cluster, results, of.progress, {}};
    };
    RunContext first = context(b, whole), second = context(resumed, late), third = context(again, later);
    const auto solver = solver_info().make(), cut = solver_info().make(), cut_again = solver_info().make();
    QVERIFY(solver->prepare(first).ok() && cut->prepare(second).ok() && cut_again->prepare(third).ok());
    acoustic_fd::testing::MemoryCheckpoint of_earlier, of_now;
    first.marks = FrameMarks({450, 0, 0}, {});
    second.marks = FrameMarks({30, 0, 0}, {450, 0, 0});
    while (solver->advance(first)->step < 450) continue;
    solver->save(of_earlier);
    of_earlier.forget("energy_flows");
    of_earlier.forget("energy_flows_from");
    cut->load(of_earlier);
    QVERIFY(cut->advance(second).ok());
    cut->save(of_now);
    cut_again->load(of_now);
    while (!solver->advance(first)->finished) continue;
    QVERIFY(solver->finish(first).ok());
    const auto number = [](const MemoryResults& r, std::string_view name) {
      return std::any_of(r.numbers.begin(), r.numbers.end(), [&](const auto& n) { return n.name == name; });
    };
    QVERIFY(number(b.results, "near_intensity_x") && whole.texts.empty());
    const auto& flow = stored(b.results, "energy_flow").rows.back();
    for (auto [run, where, told] :
         {std::tuple{cut.get(), &second, &late}, std::tuple{cut_again.get(), &third, &later}}) {
      while (!run->advance(*where)->finished) continue;
      QVERIFY(run->finish(*where).ok());
      QVERIFY(!number(told->of, "near_intensity_x") && number(told->of, "pressure_largest"));
      QVERIFY(told->texts["energy_flow_note"].find("earlier version") != std::string::npos);
      const auto& table = stored(told->of, "energy_flow");
      QVERIFY(table.info.definition.find("earlier version") != std::string::npos);
      // What is counted is the rest: velocities are those of the run that was never cut.
      QVERIFY(stored(told->of, "velocity").rows.back() == stored(b.results, "velocity").rows.back());
      QVERIFY(table.rows.back()[0] == flow[0] && table.rows.back() != flow);
    }
  }

  void shots_are_runs_of_their_own_also_when_resumed() {
    const auto text = [](const std::string& sources) {
      return R"({"conoid": 1, "title": "t", "solver": "acoustic-fd",
        "grid": {"points": [33, 31, 35], "spacing": "2 m"},
        "boundaries": {"x_min": {"kind": "matched"}, "z_max": {"kind": "free"}, "y_max": {"kind": "rigid"}, "x_max": {"kind": "rigid"},
                       "y_min": {"kind": "rigid"}, "z_min": {"kind": "rigid"}},
        "excitation": {"sources": [)" +
             sources + R"(]}, "parameters": {"order": 6, "steps": 40}, "output": {"trace_every": 1, "exact": false,
        "receivers": [{"name": "a", "position": [40.3, 31, 30]}, {"name": "b", "position": [50, 44.2, 12]}]}})";
    };
    const std::string one =
        R"({"shot": 3, "position": [40, 30, 33.1], "signal": {"kind": "ricker", "frequency": "60 Hz"}})";
    const std::string two =
        R"({"shot": 7, "position": [44.4, 20, 30], "signal": {"kind": "ricker", "frequency": "50 Hz", "amplitude": -2}})";
    const auto go = [](Bench& b, const Solver* from, Index until) {
      auto solver = solver_info().make();
      if (!solver->prepare(b.context).ok()) throw Failure(make_error(ErrorCode::internal, "prepare failed"));
      if (from) {
        acoustic_fd::testing::MemoryCheckpoint checkpoint;
        from->save(checkpoint);
        solver->load(checkpoint);
      }
      for (;;) {
        b.context.marks = FrameMarks({until, 0, 0}, {});
        const auto a = solver->advance(b.context);
        if (!a) throw Failure(a.error());
        if (a->finished && !solver->finish(b.context).ok())
          throw Failure(make_error(ErrorCode::internal, "finish failed"));
        if (a->finished || a->step >= until) return solver;
      }
    };
    Bench first(text(one)), second(text(two)), both(text(one + "," + two));
    go(first, nullptr, 1000);
    go(second, nullptr, 1000);
    go(both, nullptr, 1000);
    QVERIFY(!stored(first.results, "receivers").rows.empty());
    QVERIFY(stored(both.results, "receivers_shot3").rows == stored(first.results, "receivers").rows);
    QVERIFY(stored(both.results, "receivers_shot7").rows == stored(second.results, "receivers").rows);

    Bench begun(text(one + "," + two)), resumed(text(one + "," + two));
    const auto half = go(begun, nullptr, 41);  // inside the second shot
    go(resumed, half.get(), 1000);
    const auto& rest = stored(resumed.results, "receivers_shot7").rows;
    const auto& whole = stored(both.results, "receivers_shot7").rows;
    QVERIFY(rest.size() <= whole.size());
    QVERIFY(std::equal(rest.rbegin(), rest.rend(), whole.rbegin()));
  }

  void a_grid_beyond_the_budget_is_streamed_or_refused() {
    const auto text = [](const std::string& across, const std::string& budget) {
      return R"({"solver": "acoustic-fd", "grid": {"points": [700, )" + across +
             R"(], "spacing": 2}, "parameters": {"order": 4, "steps": 20},
        "excitation": {"sources": [{"position": [40, 30, 33.1], "signal": {"kind": "ricker", "frequency": "60 Hz"}}]},
        "compute": {"memory": {"host": )" +
             budget + "}}}";
    };
    const auto solver = solver_info().make();
    const auto streamed = solver->check(resolved(text("60, 60", "6000000")), nullptr,
                                        make_offer(resolved(text("60, 60", "6000000"))).value());
    QVERIFY(!has_errors(streamed));
    QVERIFY(std::any_of(streamed.begin(), streamed.end(),
                        [](const Diagnostic& d) { return d.text.find("slides over the disk") != std::string::npos; }));
    const auto refused = solver->check(resolved(text("100, 100", "1100000")), nullptr,
                                       make_offer(resolved(text("100, 100", "1100000"))).value());
    QVERIFY(has_errors(refused));
    QVERIFY(refused.back().text.find("even streamed") != std::string::npos);
    Bench b(text("60, 60", "6000000"));
    const auto run = solver_info().make();
    QVERIFY(run->prepare(b.context).ok());
    QVERIFY(run->advance(b.context).ok());
  }

  void frames_hold_the_field_x_fastest() {
    Bench b(small_case);
    const auto solver = solver_info().make();
    QVERIFY(solver->prepare(b.context).ok());
    while (!solver->advance(b.context)->finished) continue;
    const auto frame = frame_of(*solver, {});
    QCOMPARE(frame->parts.size(), std::size_t{4});
    const auto& volume = std::get<ImageGeometry>(frame->parts[0].geometry);
    QCOMPARE(frame->parts[0].name, std::string("volume"));
    const std::array<Index, 3> points{41, 38, 45};
    QVERIFY(volume.points == points);
    const auto& v = *frame->parts[0].fields.at(0).values;
    QCOMPARE(v.size(), std::size_t{41 * 38 * 45});
    for (const auto& part : frame->parts) {  // every plane is a cut of the volume
      const auto& g = std::get<ImageGeometry>(part.geometry);
      const auto& w = *part.fields.at(0).values;
      QCOMPARE(w.size(), static_cast<std::size_t>(g.points[0] * g.points[1] * g.points[2]));
      std::array<Index, 3> o{};
      for (std::size_t a = 0; a < 3; ++a) o[a] = std::lround((g.origin[a] - volume.origin[a]) / volume.spacing[a]);
      Index wrong = 0;
      for (Index z = 0, i = 0; z < g.points[2]; ++z)
        for (Index y = 0; y < g.points[1]; ++y)
          for (Index x = 0; x < g.points[0]; ++x, ++i)
            wrong += w[static_cast<std::size_t>(i)] !=
                     v[static_cast<std::size_t>(((z + o[2]) * 38 + y + o[1]) * 41 + x + o[0])];
      QCOMPARE(wrong, Index{0});
    }
    FrameRequest thin;
    thin.parts = {"volume"};
    thin.points_limit = 9000;
    const auto small = frame_of(*solver, thin);
    QCOMPARE(small->parts.size(), std::size_t{1});
    QCOMPARE(small->parts[0].fields.at(0).values->size(), std::size_t{14 * 13 * 15});
    QCOMPARE((*small->parts[0].fields[0].values)[1], v[3]);
  }

  void a_resumed_run_gives_the_same_tables() {
    Bench whole(small_case), first(small_case), second(small_case);
    const auto a = solver_info().make(), b = solver_info().make(), c = solver_info().make();
    QVERIFY(a->prepare(whole.context).ok() && b->prepare(first.context).ok() && c->prepare(second.context).ok());
    Advanced end;
    while (!end.finished) end = a->advance(whole.context).value();
    const Index half = end.step / 2;
    first.context.marks = FrameMarks({half, 0, 0}, {});
    Index done = 0;
    while (done < half) done = b->advance(first.context)->step;
    QCOMPARE(done, half);
    acoustic_fd::testing::MemoryCheckpoint checkpoint;
    b->save(checkpoint);
    c->load(checkpoint);
    for (;;)
      if (c->advance(second.context)->finished) break;
    for (const char* id : {"receivers", "energy", "gather_1"}) {
      auto rows = stored(first.results, id).rows;
      const auto& more = stored(second.results, id).rows;
      rows.insert(rows.end(), more.begin(), more.end());
      QVERIFY2(rows == stored(whole.results, id).rows, id);
    }
    QVERIFY(a->finish(whole.context).ok() && c->finish(second.context).ok());
    QCOMPARE(second.results.numbers.size(), whole.results.numbers.size());
    for (std::size_t n = 0; n < whole.results.numbers.size(); ++n)
      QCOMPARE(second.results.numbers[n].value, whole.results.numbers[n].value);
  }

  void frames_fall_on_the_same_steps_whatever_the_clock() {
    Bench b(small_case);
    const auto solver = solver_info().make();
    const Index steps = solver->estimate(b.input, nullptr, make_offer(b.input).value())->steps;
    QVERIFY(solver->prepare(b.context).ok());
    std::set<Index> seen;
    Cadence::Moment kept;
    for (Advanced at; !at.finished;) {
      b.context.marks = FrameMarks({}, kept);
      at = solver->advance(b.context).value();
      seen.insert(at.step);
      if (b.context.marks.due(at)) kept = Cadence::moment(at);
    }
    for (Index j = 1; j <= 20; ++j)  // the default: 20 frames
      QVERIFY(seen.contains((j * steps + 19) / 20));
  }
};

QTEST_APPLESS_MAIN(TestSolverRun)
#include "test_solver_run.moc"
