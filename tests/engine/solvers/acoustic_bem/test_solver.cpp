// SPDX-License-Identifier: BSD-3-Clause
// The solver as a session drives it: a case to tables, frames and numbers; checkpoints; messages for bad cases.
// labels: unit timeout300
#include <QTemporaryDir>
#include <QTest>
#include <array>
#include <cmath>
#include <complex>
#include <filesystem>
#include <fstream>
#include <map>
#include <numbers>
#include <numeric>

#include "engine/core/log.hpp"
#include "engine/io/hdf5_grid.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/session/offer.hpp"
#include "engine/solvers/acoustic_bem/acoustic_bem.hpp"
#include "engine/solvers/acoustic_bem/discretization/exact_sphere.hpp"
#include "engine/solvers/acoustic_bem/plan_team.hpp"
#include "engine/team/team.hpp"

using namespace conoid;
using namespace conoid::acoustic_bem;

namespace {

struct Store {
  std::map<std::string, std::vector<std::byte>> arrays;
};
class Writer final : public CheckpointWriter {
 public:
  explicit Writer(Store& store) : store_(store) {}

 protected:
  [[nodiscard]] bool leads() const override { return true; }
  void bytes(std::string_view name, std::size_t entry, Index global, Index begin,
             std::span<const std::byte> data) override {
    auto& a = store_.arrays[std::string(name)];
    a.resize(static_cast<std::size_t>(global) * entry);
    std::copy(data.begin(), data.end(),
              a.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(begin) * entry));
  }

 private:
  Store& store_;
};
class Reader final : public CheckpointReader {
 public:
  Reader(const Store& store, std::size_t entry) : store_(store), entry_(entry) {}
  [[nodiscard]] Index length(std::string_view name) const override {
    const auto a = store_.arrays.find(std::string(name));
    return a == store_.arrays.end() ? -1 : static_cast<Index>(a->second.size() / entry_);
  }

 protected:
  void bytes(std::string_view name, std::size_t entry, Index begin, std::span<std::byte> out) const override {
    const auto& a = store_.arrays.at(std::string(name));
    std::copy_n(a.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(begin) * entry), out.size(),
                out.begin());
  }

 private:
  const Store& store_;
  std::size_t entry_;  ///< of the past values
};

Json sphere_case() {
  return read_json(R"({
    "solver": "acoustic-bem", "mesh": {"file": "sphere.msh"},
    "medium": {"speed": "340 m/s"},
    "excitation": {"waves": [{"kind": "plane", "direction": [0, 0, 2]}], "pulse": {"kind": "ricker", "frequency": "100 Hz"}},
    "output": {
      "receivers": [{"position": [0, 0, -3]}, {"name": "side", "position": [2.5, 0, 0.5]}],
      "planes": [{"normal": "y", "low": [-3, 0, -3], "high": [3, 0, 3], "points": [13, 13]}],
      "frequencies": {"from": 40, "to": 200, "count": 9}, "maps": [100], "directions": [[1, 0, 0]],
      "pattern": {"count": 24}, "exact": "sphere"}
  })");
}

Case resolved(const Json& json) {
  const auto schema = Schema::for_solver("acoustic-bem", solver_info().schema);
  if (!schema.ok()) qFatal("%s", schema.error().render().c_str());
  auto c = Case::resolve(CaseDocument::from_json(json, "case.json"), *schema);
  if (!c.ok()) qFatal("%s", c.error().render().c_str());
  return *c;
}

std::shared_ptr<const Mesh> sphere(int divisions) {
  return std::make_shared<const Mesh>(*icosphere({.divisions = divisions, .equal_volume = true}));
}

/// Boundaries from their text; a filled surface has a fluid that is slower and lighter.
void set_boundaries(Json& json, const QString& boundaries) {
  json["boundaries"] = read_json(boundaries.toUtf8().constData());
  if (json["boundaries"].value("surface", "") == "filled")
    json["medium"]["filling"] = read_json(R"({"speed": 260, "density": 0.8})");
}

/// A run up to `steps` calls of advance (or its end).
struct Run {
  Case input;
  Offer offer = make_offer(input).value();
  std::shared_ptr<const Mesh> mesh;
  Team team{{{"cpu", 2, 1}}};
  std::unique_ptr<Communicator> cluster = single_rank();
  MemoryResults results;
  NoProgress progress;
  RunContext context{input, mesh, team, offer, *cluster, results, progress, {}};
  AcousticBem solver;

  Run(const Json& json, std::shared_ptr<const Mesh> m) : input(resolved(json)), mesh(std::move(m)) {
    const Status s = solver.prepare(context);
    if (!s) qFatal("%s", s.error().render().c_str());
  }
  Index go(Index calls = 1 << 30) {
    context.marks = calls < 1 << 30 ? FrameMarks({1, 0, 0}, {}) : FrameMarks();  // a group a call
    for (Index k = 1;; ++k) {
      const auto a = solver.advance(context);
      if (!a.ok()) qFatal("%s", a.error().render().c_str());
      if (a->finished || k == calls) return a->step;
    }
  }
  [[nodiscard]] double number(const char* name) const {
    for (const auto& n : results.numbers)
      if (n.name == name) return n.value;
    return std::nan("");
  }
};

/// Keeps in memory, and has a folder for files.
class InFolder final : public Results {
 public:
  InFolder(MemoryResults& kept, std::filesystem::path folder) : kept_(kept), folder_(std::move(folder)) {}
  Table& table(const TableInfo& info) override { return kept_.table(info); }
  void number(std::string_view name, double value, std::string_view unit) override { kept_.number(name, value, unit); }
  void text(std::string_view, std::string_view) override {}
  [[nodiscard]] std::filesystem::path folder() const override { return folder_; }

 private:
  MemoryResults& kept_;
  std::filesystem::path folder_;
};

QString first_error(const Json& json, const Mesh& mesh) {
  const Case c = resolved(json);
  for (const Diagnostic& d : AcousticBem().check(c, &mesh, make_offer(c).value()))
    if (d.severity == Severity::error) return QString::fromStdString(d.render());
  return {};
}

}  // namespace

class TestSolver : public QObject {
  Q_OBJECT

 private slots:
  void sphere_case_matches_the_series() {
    Run run(sphere_case(), sphere(6));
    run.go();
    QVERIFY(run.solver.finish(run.context).ok());
    // ka up to 3.7, h = 0.2: receivers 0.3 %, target strength 0.05 dB measured.
    QVERIFY2(run.number("error_R1") < 0.006, qPrintable(QString::number(run.number("error_R1"))));
    QVERIFY2(run.number("error_side") < 0.006, qPrintable(QString::number(run.number("error_side"))));
    QVERIFY2(run.number("target_strength_error") < 0.1,
             qPrintable(QString::number(run.number("target_strength_error"))));
    QVERIFY(run.number("late_level") < 1e-5);
    const auto* ts = run.results.find("target_strength");
    QVERIFY(ts != nullptr && ts->rows.size() == 9 && ts->info.columns.size() == 5);
    QVERIFY(run.results.find("pattern")->rows.size() == 24);
    QVERIFY(run.results.find("insertion_loss")->rows.size() == 1);

    FrameBuilder builder({}, 1);
    run.solver.fill(builder);
    const auto frame = builder.finish();
    QCOMPARE(frame->parts.size(), std::size_t{2});
    QCOMPARE(frame->parts[0].fields.size(), std::size_t{2});
    QCOMPARE(frame->parts[0].fields[0].values->size(), static_cast<std::size_t>(run.mesh->point_count()));
    QCOMPARE(frame->parts[1].fields[0].values->size(), std::size_t{169});
    std::size_t promised = 0;
    for (const auto& e : run.solver.catalog()) promised += e.part == "surface" || e.part == "plane 1";
    QCOMPARE(promised, frame->parts[0].fields.size() + frame->parts[1].fields.size());
  }

  // A pulsating sphere: radiation efficiency (ka)²/(1 + (ka)²), power and pressure of the exact series.
  void pulsating_sphere_radiates() {
    Mesh mesh = *icosphere({.divisions = 5, .equal_volume = true});
    std::vector<Index> all(static_cast<std::size_t>(mesh.cell_count()));
    std::iota(all.begin(), all.end(), Index{0});
    mesh.add_group("skin", 2).cells = all;
    Json json = sphere_case();
    json.erase("excitation");
    json["medium"]["density"] = 1.3;
    json["boundaries"]["groups"] = read_json(
        R"([{"kind": "velocity", "group": "skin", "pulse": {"kind": "ricker", "frequency": "100 Hz", "amplitude": "2 mm/s"}}])");
    Run run(json, std::make_shared<const Mesh>(mesh));
    run.go();
    QVERIFY(run.solver.finish(run.context).ok());
    const auto* spectrum = run.results.find("radiated_spectrum");
    QVERIFY(spectrum != nullptr && spectrum->rows.size() == 9);
    double energy = 0;
    for (const auto& row : spectrum->rows) {
      const double ka = 2 * 3.14159265358979 * row[0] / 340;
      QVERIFY2(std::abs(row[2] * (1 + 1 / (ka * ka)) - 1) < 0.01,
               qPrintable(QString("%1 Hz: %2").arg(row[0]).arg(row[2])));
      energy += row[1] * 20;
    }
    QVERIFY(run.number("radiated_energy") > energy && run.number("radiated_energy") < 1.1 * energy);
    const auto* power = run.results.find("radiated_power");
    QVERIFY(power != nullptr && power->info.columns.size() == 4);
    QVERIFY(run.results.find("target_strength") == nullptr);
    ExactSphere exact{true, 1, 340, 0};
    exact.density = 1.3;
    exact.motion = {1};
    double most = 0;
    for (const auto& row : run.results.find("receivers")->rows) most = std::max(most, std::abs(row[1]));
    std::vector<double> times;
    for (int k = 0; k < 400; ++k) times.push_back(1e-4 * k);
    const Pulse pulse{PulseKind::ricker, 2e-3, 100, 1, {}, 0};
    double want = 0;
    const auto heard = exact.time_signals(ExactSphere::Quantity::scattered, 3, {-1}, times, pulse, pulse.onset());
    for (const double v : heard[0]) want = std::max(want, std::abs(v));
    QVERIFY2(std::abs(most / want - 1) < 0.02, qPrintable(QString("%1 %2").arg(most).arg(want)));
  }

  // What is solved for at a frequency is the transform of all steps, without marching them: ratios between receivers are those of
  // the signals, and a run of one group of steps has the same spectra.
  void spectra_are_those_of_endless_runs_data() {
    QTest::addColumn<QString>("boundaries");
    QTest::addRow("rigid") << R"({"surface": "rigid"})";
    QTest::addRow("soft") << R"({"surface": "soft"})";
    QTest::addRow("filled") << R"({"surface": "filled"})";
    QTest::addRow("walls that move, absorb and yield over a ground") << R"({"groups": [
      {"kind": "velocity", "group": "first", "pulse": {"kind": "ricker", "frequency": "80 Hz", "amplitude": "2 mm/s"}},
      {"kind": "impedance", "group": "second", "impedance": 1.5}, {"kind": "soft", "group": "third"}],
      "ground": {"height": "-3.5 m"}})";
    QTest::addRow("walls over frequency over a ground") << R"({"groups": [
      {"kind": "poles", "group": "first", "rest": 0.2, "poles": [[-600, 0, 300, 0], [-200, 500, 100, 30]]},
      {"kind": "porous", "group": "second", "flow_resistivity": 8000, "thickness": "30 cm"}],
      "ground": {"height": "-3.5 m"}})";
  }
  void spectra_are_those_of_endless_runs() {
    QFETCH(QString, boundaries);
    Mesh mesh = *icosphere({.divisions = 3, .equal_volume = true});
    const char* names[] = {"first", "second", "third"};
    for (Index k = 0; k < 3; ++k) {
      std::vector<Index> cells(40);
      std::iota(cells.begin(), cells.end(), 40 * k);
      mesh.add_group(names[k], 2).cells = cells;
    }
    Json json = sphere_case();
    set_boundaries(json, boundaries);
    json["excitation"]["waves"][0]["direction"] = {0.3, 0, -1};
    json["output"] =
        read_json(R"({"receivers": [{"position": [0, 0, -3]}, {"position": [2.5, 0, 0.5]}, {"position": [1.05, 0, 0]}],
      "spectra": {"from": 40, "to": 160, "count": 5}})");
    json["parameters"]["steps"] = 1000;
    const auto shared = std::make_shared<const Mesh>(mesh);
    Run whole(json, shared);
    whole.go();
    QVERIFY(whole.solver.finish(whole.context).ok());
    json["parameters"]["steps"] = 8;
    Run one(json, shared);
    one.go();
    QVERIFY(one.solver.finish(one.context).ok());
    const auto &spectra = whole.results.find("spectra")->rows, &other = one.results.find("spectra")->rows;
    QCOMPARE(spectra.size(), std::size_t{5});
    const auto& rows = whole.results.find("receivers")->rows;
    for (std::size_t k = 0; k < spectra.size(); ++k) {
      std::array<std::complex<double>, 3> sum{};
      for (const auto& row : rows)
        for (std::size_t r = 0; r < 3; ++r)
          sum[r] += row[1 + 2 * r] * std::polar(1.0, 2 * 3.14159265358979323846 * spectra[k][0] * row[0]);
      const std::complex<double> first(spectra[k][2], spectra[k][3]);
      for (std::size_t r = 1; r < 3; ++r) {
        const std::complex<double> p(spectra[k][2 + 3 * r], spectra[k][3 + 3 * r]);
        const double off = std::abs(p / first - sum[r] / sum[0]) / std::abs(p / first);
        QVERIFY2(off < 1e-7, qPrintable(QString("%1 Hz, %2: %3").arg(spectra[k][0]).arg(r).arg(off)));
      }
      for (std::size_t c = 0; c < spectra[k].size(); ++c)
        QVERIFY(std::abs(spectra[k][c] - other[k][c]) <= 1e-8 * (1 + std::abs(spectra[k][c])));
    }
    QVERIFY(whole.number("spectrum_iterations") > 1 && whole.number("spectrum_iterations") < 60);
  }

  // Fields of the last frame, of a run that has hardly begun, against the series.
  void spectra_on_the_surface_are_those_of_the_series() {
    Json json = sphere_case();
    json["output"] = read_json(R"({"surface_spectra": [60, 120], "maps": [100]})");
    json["parameters"]["steps"] = 8;
    Run run(json, sphere(6));  // 1.7 % in time
    run.go();
    FrameBuilder builder({}, 1);
    run.solver.fill(builder);
    const auto frame = builder.finish();
    QCOMPARE(frame->parts[0].fields.size(), std::size_t{4});
    const ExactSphere exact{true, 1, 340, 0};
    for (std::size_t k = 0; k < 2; ++k) {
      const Field& field = frame->parts[0].fields[2 + k];
      QCOMPARE(field.info.name, "solved_" + std::to_string(k + 1));
      const double omega = 2 * 3.14159265358979 * (k == 0 ? 60 : 120);
      double difference = 0, all = 0;
      for (Index p = 0; p < run.mesh->point_count(); ++p) {
        const Vec3 x = run.mesh->point(p);
        const std::complex<double> want = exact.surface(omega, x[2] / std::hypot(x[0], x[1], x[2])),
                                   got((*field.values)[static_cast<std::size_t>(2 * p)],
                                       (*field.values)[static_cast<std::size_t>(2 * p + 1)]);
        difference += std::norm(got - want);
        all += std::norm(want);
      }
      QVERIFY2(std::sqrt(difference / all) < 0.02, qPrintable(QString::number(std::sqrt(difference / all))));
    }
  }

  // What was solved is in the checkpoint of the end, and what a stop left is solved by the run that goes on.
  void spectra_on_the_surface_outlive_an_end_and_a_stop_data() {
    QTest::addColumn<bool>("stopped");
    QTest::addRow("resumed at the end") << false;
    QTest::addRow("stopped before any was solved") << true;
  }
  void spectra_on_the_surface_outlive_an_end_and_a_stop() {
    QFETCH(bool, stopped);
    Json json = sphere_case();
    json["output"] = read_json(R"({"surface_spectra": [60, 120]})");
    json["parameters"]["steps"] = 8;
    const auto solved = [](const Run& run) {
      FrameBuilder builder({}, 1);
      run.solver.fill(builder);
      const auto frame = builder.finish();
      std::vector<float> out;
      for (const Field& f : frame->parts[0].fields)
        if (f.info.is_complex) out.insert(out.end(), f.values->begin(), f.values->end());
      return out;
    };
    Run whole(json, sphere(3));
    whole.go();
    const std::vector<float> want = solved(whole);
    QVERIFY(std::all_of(want.begin(), want.end(), [](float v) { return std::isfinite(v); }));
    QVERIFY(std::count(want.begin(), want.end(), 0.0F) < static_cast<std::ptrdiff_t>(want.size() / 10));
    Run first(json, sphere(3));
    std::stop_source stop;
    if (stopped) {
      stop.request_stop();
      first.context.stop = stop.get_token();
      const auto a = first.solver.advance(first.context);
      QVERIFY(a.ok() && !a->finished && a->step + 1 == a->steps);
      FrameBuilder builder({}, 1);
      first.solver.fill(builder);
      QVERIFY(builder.finish()->parts.empty());  // no zeros at the moment of the end
    } else {
      first.go();
    }
    Store store;
    Writer writer(store);
    first.solver.save(writer);
    Run second(json, sphere(3));
    Reader reader(store, 8);
    second.solver.load(reader);
    if (stopped) second.go();
    QCOMPARE(solved(second), want);
    FrameBuilder builder({}, 1);
    second.solver.fill(builder);
    QCOMPARE(builder.finish()->step, Index{9});  // after that of a stop, so that it is kept
  }

  // Ears of a sphere that send against the series for sources that do (Duda and Martens 1998), and the files that hold them.
  void ears_hear_what_the_series_says() {
    Mesh mesh = *icosphere({.divisions = 6, .equal_volume = true});
    const QTemporaryDir folder;
    for (const double side : {1.0, -1.0}) {
      auto& group = mesh.add_group(side > 0 ? "left" : "right", 2);
      for (Index c = 0; c < mesh.cell_count(); ++c) {
        double y = 0;
        for (const Index n : mesh.nodes(c)) y += side * mesh.point(n)[1] / 3;
        if (y > 0.94) group.cells.push_back(c);
      }
      QVERIFY(group.cells.size() >= 6);
    }
    Json json = sphere_case();
    json.erase("excitation");
    json["boundaries"] = read_json(R"({"groups": [
      {"kind": "velocity", "group": "left", "pulse": {"kind": "ricker", "frequency": "80 Hz"}},
      {"kind": "velocity", "group": "right", "pulse": {"kind": "ricker", "frequency": "80 Hz"}}]})");
    json["output"] = read_json(
        R"({"exact": "sphere", "head_related": {"ears": ["right", "left"], "view": [0, 0, 2], "up": [-1, 0, 0.5],
      "radius": 3, "grid": {"kind": "even-angles", "step": 45}, "frequency_step": 27, "highest": 108, "sampling_rate": 432}})");
    json["parameters"]["steps"] = 8;
    Run run(json, std::make_shared<const Mesh>(mesh));
    run.go();
    InFolder results(run.results, folder.path().toStdString());
    RunContext context{run.input, run.mesh, run.team, run.offer, *run.cluster, results, run.progress, {}};
    const Status finished = run.solver.finish(context);
    QVERIFY2(finished.ok(), finished ? "" : finished.error().render().c_str());
    QVERIFY2(run.number("error_head_related") < 0.01, qPrintable(QString::number(run.number("error_head_related"))));

    const auto file = std::filesystem::path(folder.path().toStdString()) / "head-related.sofa";
    const auto real = read_hdf5_grid(file, "Data.Real", ""), imaginary = read_hdf5_grid(file, "Data.Imag", ""),
               places = read_hdf5_grid(file, "SourcePosition", ""), ears = read_hdf5_grid(file, "ReceiverPosition", "");
    QVERIFY(real.ok() && imaginary.ok() && places.ok() && ears.ok());
    QCOMPARE(real->shape, (std::vector<Index>{26, 2, 4}));
    QCOMPARE(places->shape, (std::vector<Index>{26, 3}));
    QVERIFY(ears->values[1] > 0.9F && ears->values[4] < -0.9F && std::abs(ears->values[0]) < 0.05F);
    const auto heard = [&](std::size_t direction, std::size_t ear, std::size_t f) {
      const std::size_t at = (direction * 2 + ear) * 4 + f;
      return std::complex<double>(real->values[at], imaginary->values[at]);
    };
    std::size_t beside = 0;  // a source on the left
    while (places->values[3 * beside] != 90.0F || places->values[3 * beside + 1] != 0.0F) ++beside;
    // At 108 Hz (ka = 2) the near ear is louder than the free field; at 27 Hz it hears before the centre by about 1.5 radii.
    QVERIFY(std::abs(heard(beside, 0, 3)) > 1.5 && std::abs(heard(beside, 1, 3)) < 1);
    QVERIFY(std::arg(heard(beside, 0, 0)) > 0.4 && std::arg(heard(beside, 1, 0)) < -0.4);

    // The signals hold these responses below the fade.
    const auto impulses = read_hdf5_grid(file.parent_path() / "head-related-signals.sofa", "Data.IR", "");
    QVERIFY(impulses.ok());
    QCOMPARE(impulses->shape, (std::vector<Index>{26, 2, 16}));
    const double late = std::ceil(432 * (std::hypot(ears->values[0], ears->values[1], ears->values[2]) / 340 + 5e-4));
    for (std::size_t f = 0; f < 3; ++f) {
      std::complex<double> sum = 0;
      for (std::size_t n = 0; n < 16; ++n)
        sum += double(impulses->values[(beside * 2) * 16 + n]) *
               std::polar(1.0, -2 * 3.14159265358979 * double(f + 1) * (double(n) - late) / 16);
      QVERIFY2(std::abs(sum - heard(beside, 0, f)) < 1e-5,
               qPrintable(QString::number(std::abs(sum - heard(beside, 0, f)))));
    }
    json["output"]["head_related"]["ears"] = read_json(R"(["left", "nose"])");
    QVERIFY(first_error(json, mesh).contains("\"nose\" is no group that moves"));
    json["output"]["head_related"]["ears"] = read_json(R"(["left"])");
    json["output"]["head_related"]["radius"] = 1.1;
    QVERIFY(first_error(json, mesh).contains("the body reaches"));
    json["output"]["head_related"]["radius"] = 3;
    json["output"]["head_related"]["sampling_rate"] = 440;
    QVERIFY(first_error(json, mesh).contains("whole number of frequency steps"));
  }
  void directions_share_the_sphere() {
    const auto even = even_angles(30);
    QCOMPARE(even.size(), std::size_t{2 + 5 * 12});
    // Any harmonic of low degree has no mean over directions that share the sphere evenly.
    double z = 0, zz = 0, x = 0;
    for (const auto& d : spiral(1000)) {
      const double s = std::sin(d[1] * 3.14159265358979 / 180), c = std::cos(d[1] * 3.14159265358979 / 180);
      z += s / 1000;
      zz += s * s / 1000;
      x += c * std::cos(d[0] * 3.14159265358979 / 180) / 1000;
    }
    QVERIFY(std::abs(z) < 1e-9 && std::abs(zz - 1.0 / 3) < 1e-5 && std::abs(x) < 1e-3);
  }

  void walls_and_grounds_that_cannot_be_are_refused() {
    Mesh mesh = *icosphere({.divisions = 4});
    mesh.add_group("part", 2).cells = {0, 1, 2};
    const auto with = [&](const char* pointer, const char* value) {
      Json json = sphere_case();
      json["boundaries"][pointer] = read_json(value);
      return first_error(json, mesh);
    };
    QVERIFY(with("groups", R"([{"kind": "soft", "group": "nowhere"}])").contains("part"));
    QVERIFY(with("groups", R"([{"kind": "poles", "group": "part", "poles": [[-100, 0, -50, 0]]}])")
                .contains("gives energy"));
    QVERIFY(with("groups", R"([{"kind": "poles", "group": "part", "poles": [[100, 0, 50, 0]]}])")
                .contains("does not decay"));
    QVERIFY(
        with("groups", R"([{"kind": "impedance-table", "group": "part", "frequencies": [10, 5], "resistances": [1, 1],
      "reactances": [0, 0]}])")
            .contains("not above the one before"));
    QVERIFY(
        with("groups", R"([{"kind": "impedance-table", "group": "part", "frequencies": [10, 500], "resistances": [1, 1],
      "reactances": [0, 0, 1]}])")
            .contains("2 frequencies and 3 reactances"));
    QVERIFY(with("groups", R"([{"kind": "soft", "group": "part"}, {"kind": "rigid", "group": "part"}])")
                .contains("both have a condition"));
    QVERIFY(with("ground", R"({"height": 0})").contains("below the ground"));
    QVERIFY(with("ground", R"({"height": -3})").contains("from below the ground"));
    QVERIFY(with("fluid", R"("inside")").contains("plane wave in a room"));
    Json nothing = sphere_case();
    nothing.erase("excitation");
    QVERIFY(first_error(nothing, mesh).contains("nothing makes sound"));
    Json soft = sphere_case();
    soft["boundaries"] = read_json(R"({"surface": "soft", "groups": [{"kind": "rigid", "group": "part"}]})");
    QVERIFY(first_error(soft, mesh).contains("soft surface"));
  }

  void what_does_not_go_with_a_filling_is_refused() {
    Mesh mesh = *icosphere({.divisions = 4});
    mesh.add_group("part", 2).cells = {0, 1, 2};
    Json good = sphere_case();
    set_boundaries(good, R"({"surface": "filled"})");
    QCOMPARE(first_error(good, mesh), QString());
    const auto with = [&](const char* section, const char* key, const char* value) {
      Json json = good;
      json[section][key] = read_json(value);
      return first_error(json, mesh);
    };
    QVERIFY(with("boundaries", "groups", R"([{"kind": "soft", "group": "part"}])").contains("filled body"));
    QVERIFY(with("boundaries", "ground", R"({"height": -3})").contains("over a ground"));
    QVERIFY(with("boundaries", "fluid", R"("inside")").contains("on both sides"));
    QVERIFY(with("parameters", "form", R"("NC")").contains("no other form"));
    QVERIFY(with("medium", "filling", R"({"speed": 30, "density": 1})").contains("times as fast"));
    QVERIFY(with("output", "receivers", R"([{"position": [0, 0, 0.2]}])").contains("within a filled body"));
    QVERIFY(with("excitation", "waves", R"([{"kind": "point", "position": [0, 0, 0.2]}])").contains("fluid around"));
    Json weak = good;
    weak["medium"]["filling"] = read_json(R"({"speed": 341, "density": 1.21})");
    bool warned = false;
    const Case c = resolved(weak);
    for (const Diagnostic& d : AcousticBem().check(c, &mesh, make_offer(c).value()))
      warned = warned ||
               (d.severity == Severity::warning && d.text.find("as weak as the mesh's error") != std::string::npos);
    QVERIFY(warned);
    Json without = good;
    without["medium"].erase("filling");
    QVERIFY(first_error(without, mesh).contains("which is not given"));
    Json other = good;
    other["boundaries"]["surface"] = "rigid";
    QVERIFY(first_error(other, mesh).contains("not filled"));
    const Mesh open = *plate({.low = {-1, -1}, .high = {1, 1}, .divisions = {6, 6}, .level = 0});
    QVERIFY(first_error(good, open).contains("closed body"));
  }

  // A group that is soft has no pressure: frames show zero there, and not the unknown that stands for ∂_n p.
  void pressure_of_a_soft_group_is_zero_in_frames() {
    Mesh mesh = *icosphere({.divisions = 4, .equal_volume = true});
    std::vector<Index> cap;
    for (Index c = 0; c < mesh.cell_count(); ++c)
      if (std::all_of(mesh.nodes(c).begin(), mesh.nodes(c).end(), [&](Index n) { return mesh.point(n)[2] < -0.3; }))
        cap.push_back(c);
    mesh.add_group("cap", 2).cells = cap;
    Json json = sphere_case();
    json["boundaries"]["groups"] = read_json(R"([{"kind": "soft", "group": "cap"}])");
    json["output"].erase("exact");
    json["parameters"]["steps"] = 200;
    Run run(json, std::make_shared<const Mesh>(mesh));
    double hidden = 0, shown = 0;
    for (bool on = true; on;) {
      const auto a = run.solver.advance(run.context);
      QVERIFY(a.ok());
      on = !a->finished;
      FrameBuilder builder({}, 1);
      run.solver.fill(builder);
      const auto frame = builder.finish();
      const Field& field = frame->parts[0].fields[0];
      QCOMPARE(field.info.name, std::string("pressure"));
      for (const Index c : cap)
        for (const Index n : mesh.nodes(c)) QCOMPARE((*field.values)[static_cast<std::size_t>(n)], 0.0F);
      for (const float v : *field.values) shown = std::max(shown, std::abs(static_cast<double>(v)));
      hidden += 1;
    }
    QVERIFY(hidden > 1 && shown > 0.1);
  }

  void shadow_lies_behind_the_body() {
    // Insertion loss at ka = 3.7: loss behind the sphere, none to speak of far to the side.
    Json json = sphere_case();
    json["output"]["maps"] = {200};
    json["output"]["receivers"] = read_json(R"([{"position": [0.4, 0, 1.6]}, {"position": [0, 0, -1.5]}])");
    Run run(json, sphere(4));
    run.go();
    QVERIFY(run.solver.finish(run.context).ok());
    const auto& row = run.results.find("insertion_loss")->rows.at(0);
    const ExactSphere exact{true, 1, 340, 0};
    const double omega = 2 * 3.14159265358979 * 200;
    for (std::size_t k = 0; k < 2; ++k) {
      const Vec3 x = k == 0 ? Vec3{0.4, 0, 1.6} : Vec3{0, 0, -1.5};
      const double r = std::hypot(x[0], x[2]);
      const std::complex<double> in = std::polar(1.0, omega / 340 * x[2]);
      const double want = -20 * std::log10(std::abs(in + exact.scattered(omega, r, x[2] / r)));
      QVERIFY2(std::abs(row[1 + k] - want) < 0.3, qPrintable(QString("%1 %2").arg(row[1 + k]).arg(want)));
    }
  }

  void resumed_run_equals_unsplit_run_data() {
    QTest::addColumn<QString>("precision");
    QTest::addColumn<bool>("walls");
    QTest::addRow("double") << "double" << false;
    QTest::addRow("single") << "single" << false;
    QTest::addRow("walls over frequency") << "single" << true;
    QTest::addRow("filled") << "double" << false;
  }
  void resumed_run_equals_unsplit_run() {
    QFETCH(QString, precision);
    Json json = sphere_case();
    QFETCH(bool, walls);
    json["compute"]["precision"] = precision.toStdString();
    if (std::string_view(QTest::currentDataTag()) == "filled") set_boundaries(json, R"({"surface": "filled"})");
    json["excitation"]["waves"].push_back(read_json(R"({"kind": "point", "position": [0, 4, 0]})"));
    Mesh grouped = *icosphere({.divisions = 3, .equal_volume = true});
    std::vector<Index> cells(60);
    std::iota(cells.begin(), cells.end(), 0);
    grouped.add_group("part", 2).cells = cells;
    const auto shared = std::make_shared<const Mesh>(grouped);
    const auto body = [&] { return walls ? shared : sphere(3); };
    if (walls)
      json["boundaries"]["groups"] = read_json(
          R"([{"kind": "poles", "group": "part", "rest": 0.2, "poles": [[-600, 0, 300, 0], [-200, 500, 100, 30]]}])");
    Run whole(json, body());
    whole.go();
    QVERIFY(whole.solver.finish(whole.context).ok());

    Run first(json, body());
    first.go(1);
    Store store;
    Writer writer(store);
    first.solver.save(writer);
    Run second(json, body());
    Reader reader(store, precision == "double" ? 8 : 4);
    second.solver.load(reader);
    second.go();
    QVERIFY(second.solver.finish(second.context).ok());
    const auto& a = whole.results.find("receivers")->rows;
    const auto& b = second.results.find("receivers")->rows;
    QVERIFY(b.size() < a.size() && !b.empty());
    for (std::size_t k = 0; k < b.size(); ++k) QCOMPARE(b[k], a[a.size() - b.size() + k]);  // same bits
    QCOMPARE(second.results.find("target_strength")->rows, whole.results.find("target_strength")->rows);
  }

  void compressed_runs_are_those_of_whole_matrices() {
    Json json = sphere_case();
    json["output"].erase("planes");
    json["output"]["exact"] = "none";
    json["output"]["receivers"][0]["position"] = {2, 0, -3};
    json["parameters"]["steps"] = 320;
    const auto bar = std::make_shared<const Mesh>(
        *box_surface({.low = {-0.25, -0.25, -4}, .high = {0.25, 0.25, 4}, .divisions = {4, 4, 64}}));
    Run whole(json, bar);
    json["parameters"]["matrices"] = "compressed";
    Run compressed(json, bar), first(json, bar), second(json, bar);
    QCOMPARE(compressed.number("clusters"), 32.0);
    // Of all five levels of the tree, on none of them as many as there are unknowns.
    const double points = compressed.number("skeleton_points");
    QVERIFY2(points > 100 && points < 5 * compressed.number("unknowns"), qPrintable(QString::number(points)));
    const double error = compressed.number("compression_error");
    // 0.01 was asked for: five times that at the band's end, and what steps of 0.4 h alias of waves of five edges (test_compressed).
    QVERIFY2(error > 1e-4 && error < 5 * 0.01 + 1.2 * 0.4 / 5, qPrintable(QString::number(error)));
    QVERIFY(compressed.number("matrix_values") < whole.number("matrix_values"));
    whole.go();
    compressed.go();
    const auto &a = whole.results.find("receivers")->rows, &b = compressed.results.find("receivers")->rows;
    QCOMPARE(a.size(), b.size());
    double difference = 0, largest = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
      difference = std::max(difference, std::abs(a[k][1] - b[k][1]));
      largest = std::max(largest, std::abs(a[k][1]));
    }
    QVERIFY2(difference < 0.001 * largest && difference > 0, qPrintable(QString::number(difference / largest)));
    // From a checkpoint with the same bits.
    first.go(1);
    Store store;
    Writer writer(store);
    first.solver.save(writer);
    Reader reader(store, 8);
    second.solver.load(reader);
    second.go();
    const auto& c = second.results.find("receivers")->rows;
    QVERIFY(!c.empty() && c.size() < b.size());
    for (std::size_t k = 0; k < c.size(); ++k) QCOMPARE(c[k], b[b.size() - c.size() + k]);
  }

  /// On one axis of time: what is computed separately adds up to what acts together.
  void separate_waves_add_up() {
    Json apart = sphere_case();
    apart["output"]["exact"] = "none";
    apart["output"].erase("planes");
    apart["parameters"]["steps"] = 160;
    apart["excitation"]["separate"] = true;
    for (const char* wave : {R"({"kind": "plane", "direction": [1, 1, 0], "name": "oblique", "delay": "1 ms"})",
                             R"({"kind": "point", "position": [0, 4, 0], "name": "source"})"})
      apart["excitation"]["waves"].push_back(read_json(wave));
    Json one = apart;
    one["excitation"]["separate"] = false;
    Run separate(apart, sphere(2)), together(one, sphere(2));
    separate.go();
    together.go();
    const auto* s = separate.results.find("receivers");
    const auto* t = together.results.find("receivers");
    QCOMPARE(s->info.columns.size(), std::size_t{13});
    QCOMPARE(s->rows.size(), t->rows.size());
    double largest = 0, off = 0;
    for (std::size_t k = 0; k < s->rows.size(); ++k)
      for (std::size_t c = 1; c < 5; ++c) {
        largest = std::max(largest, std::abs(t->rows[k][c]));
        off = std::max(off, std::abs(s->rows[k][c] + s->rows[k][4 + c] + s->rows[k][8 + c] - t->rows[k][c]));
      }
    QVERIFY2(off < 1e-12 * largest && largest > 1, qPrintable(QString("%1 of %2").arg(off).arg(largest)));
  }

  /// Sources that act together fire together, however far away each is: the far one of two with opposite signs comes later by its way.
  void sources_fire_together() {
    Json json = sphere_case();
    json["output"]["exact"] = "none";
    json["output"].erase("planes");
    json["excitation"]["waves"] = read_json(
        R"([{"kind": "point", "position": [0, 0, 3.3]}, {"kind": "point", "position": [0, 0, 5], "amplitude": -1}])");
    json["boundaries"]["groups"] = read_json(
        R"([{"kind": "velocity", "group": "sphere", "pulse": {"kind": "ricker", "frequency": 50}, "delay": "2 ms"}])");
    Mesh grouped = *sphere(2);
    std::vector<Index> cells;
    for (Index c = 0; c < grouped.cell_count(); ++c) cells.push_back(c);
    grouped.add_group("sphere", 2).cells = cells;
    const auto times = [&] {
      const Settings s = std::move(*read_problem(resolved(json), grouped).problem).settings;
      std::vector<double> out;
      for (const Wave& w : s.runs[0].waves) out.push_back(w.t0 - w.pulse.onset());
      for (const Motion& m : s.motions) out.push_back(m.t0 - m.pulse.onset());
      return out;
    };
    const std::vector<double> moving = times();
    QCOMPARE(moving.size(), std::size_t{3});
    QVERIFY(moving[0] == 0 && moving[1] == 0 && std::abs(moving[2] - 2e-3) < 1e-15);
    // Without motions the first sound reaches the nearest point, a vertex at (0, 0, 1) or a receiver, when the run begins.
    json["boundaries"].erase("groups");
    const std::vector<double> still = times();
    QCOMPARE(still.size(), std::size_t{2});
    QCOMPARE(still[0], still[1]);
    double nearest = HUGE_VAL;
    for (Index p = 0; p < grouped.point_count(); ++p)
      nearest = std::min(nearest, vec::distance(grouped.point(p), {0, 0, 3.3}));
    QVERIFY(std::abs(still[0] + nearest / 340) < 1e-12);
    json["excitation"]["waves"][1]["delay"] = "3 ms";
    QVERIFY(std::abs(times()[1] - times()[0] - 3e-3) < 1e-12);
  }

  /// Echoes are over the whole pulse, also of a wave that passed the origin, or of a source that sent, before the run begins.
  void target_strength_knows_no_place() {
    const auto levels = [](const Json& json, double away) {
      Mesh mesh = *icosphere({.divisions = 2, .equal_volume = true}), moved;
      for (Index p = 0; p < mesh.point_count(); ++p) {
        const Vec3 x = mesh.point(p);
        moved.add_point({x[0], x[1], x[2] + away});
      }
      for (Index c = 0; c < mesh.cell_count(); ++c) moved.add_cell(CellShape::triangle3, mesh.nodes(c));
      Run run(json, std::make_shared<const Mesh>(std::move(moved)));
      run.go();
      if (!run.solver.finish(run.context)) qFatal("not finished");
      std::vector<double> out;
      for (const char* table : {"target_strength", "pattern", "directivity"})
        for (const auto& row : run.results.find(table)->rows) out.push_back(row.back());
      return out;
    };
    const auto off = [](const std::vector<double>& a, const std::vector<double>& b) {
      if (a.size() != b.size()) return HUGE_VAL;
      double worst = 0;
      for (std::size_t k = 0; k < a.size(); ++k) worst = std::max(worst, std::abs(a[k] - b[k]));
      return std::isfinite(worst) ? worst : HUGE_VAL;
    };
    Json json = sphere_case();
    json["output"] =
        read_json(R"({"frequencies": {"from": 40, "to": 100, "count": 3}, "maps": [60], "directions": [[1, 0, 0]],
      "pattern": {"count": 8}, "directivity": {"step": 45}})");
    json["excitation"]["pulse"]["frequency"] = 50;
    // Within what sums over steps of a pulse at another part of a step differ by, and of single sums of levels of some 20 dB.
    const std::vector<double> here = levels(json, 0), there = levels(json, 60);
    QVERIFY2(off(here, there) < 1e-4, qPrintable(QString::number(off(here, there))));
    // A receiver beside the source has the run begin before it sends.
    json["excitation"]["waves"][0] = read_json(R"({"kind": "point", "position": [0, 0, -60]})");
    const std::vector<double> far = levels(json, 0);
    json["output"]["receivers"] = read_json(R"([{"position": [0, 0, -58]}])");
    const std::vector<double> early = levels(json, 0);
    QVERIFY2(off(far, early) < 1e-4, qPrintable(QString::number(off(far, early))));
    // What falls on the sphere is nearly plane: 1/(4π 60 m) of it, with fronts that are curved by a part in 60.
    QVERIFY(std::abs(far[0] + 20 * std::log10(4 * std::numbers::pi * 60) - here[0]) < 0.3);
  }

  /// Spectra of a march that ends too early are not those of the body: that is told.
  void signals_that_are_cut_are_told_of() {
    Json json = sphere_case();
    json["output"].erase("planes");
    for (const bool cut : {true, false}) {
      Index said = 0;
      const auto heard = log::subscribe([&](const LogEntry& entry) {
        said +=
            entry.level == LogLevel::warning && entry.text.find("of its peak when the run ends") != std::string::npos;
      });
      if (cut) json["parameters"]["steps"] = 32;  // while the pulse passes
      Run run(json, sphere(2));
      run.go();
      QVERIFY(run.solver.finish(run.context).ok());
      QCOMPARE(run.number("late_level") > 1e-3, cut);
      QCOMPARE(said, Index{cut ? 1 : 0});
      json.erase("parameters");
    }
  }

  void pieces_that_no_sound_reaches_are_named() {
    const auto with_ball = [](double radius, const Vec3& centre) {
      Mesh out = *icosphere({.divisions = 2});
      const Mesh ball = *icosphere({.divisions = 1});
      const Index first = out.point_count();
      for (Index p = 0; p < ball.point_count(); ++p) {
        Vec3 x = ball.point(p);
        for (std::size_t d = 0; d < 3; ++d) x[d] = centre[d] + radius * x[d];
        out.add_point(x);
      }
      for (Index c = 0; c < ball.cell_count(); ++c) {
        const auto n = ball.nodes(c);
        out.add_cell(ball.shape(c), {first + n[0], first + n[1], first + n[2]});
      }
      return out;
    };
    Json json = sphere_case();
    json["output"]["exact"] = "none";
    const auto said = [&](const Mesh& mesh) {
      QString out;
      for (const Diagnostic& d : AcousticBem().check(resolved(json), &mesh, make_offer(resolved(json)).value()))
        if (d.text.find("inside another") != std::string::npos) out += QString::fromStdString(d.render());
      return out;
    };
    QVERIFY2(said(with_ball(0.3, {0.2, 0, 0})).contains("no sound reaches it"),
             qPrintable(said(with_ball(0.3, {0.2, 0, 0}))));
    QCOMPARE(said(with_ball(0.3, {2.2, 0, 0})), QString());
    QCOMPARE(said(*sphere(2)), QString());
  }

  void planes_have_no_values_within_bodies() {
    Json json = sphere_case();
    json["parameters"]["steps"] = 48;
    Run run(json, sphere(2));
    run.go();
    FrameBuilder builder({}, 1);
    run.solver.fill(builder);
    const auto frame = builder.finish();
    const auto& plane = frame->parts[1];
    const auto& image = std::get<ImageGeometry>(plane.geometry);
    for (const Field& field : plane.fields) {
      int within = 0;
      for (Index k = 0; k < 169; ++k) {
        const double x = image.origin[0] + static_cast<double>(k % 13) * image.spacing[0],
                     z = image.origin[2] + static_cast<double>(k / 13) * image.spacing[2], r = std::hypot(x, z);
        const float v = (*field.values)[static_cast<std::size_t>(k)];
        if (r < 0.9) QVERIFY2(std::isnan(v), qPrintable(QString("%1, %2").arg(x).arg(z)));
        if (r > 1.1) QVERIFY2(std::isfinite(v), qPrintable(QString("%1, %2").arg(x).arg(z)));
        within += std::isnan(v) ? 1 : 0;
      }
      QVERIFY(within >= 9);
    }
  }

  // A plane's points and the directions of the far field took more of a run than all that was foreseen.
  void the_estimate_counts_planes_and_the_far_field() {
    const auto mesh = sphere(8);
    const auto surface = make_surface(*mesh, Ordering::hilbert, 0);
    QVERIFY(surface.ok());
    std::vector<Diagnostic> none;
    Settings s = read_settings(resolved(sphere_case()), none);
    complete(s, *surface);
    s.planes.clear();
    s.receivers.clear();
    s.pattern_normal = -1;
    s.frequencies.clear();
    const ExpectedTime bare = expected_time(s, *surface, 2);
    QVERIFY(bare.points == 0 && bare.finish == 0);
    PlaneSetting plane;
    plane.points = {61, 1, 61};
    s.planes.push_back(plane);
    const ExpectedTime shown = expected_time(s, *surface, 2);
    // As many points as six times the vertices cost more than the assembly among vertices, since each is summed over all triangles.
    QVERIFY2(shown.points > 0.5 * shown.assembly, qPrintable(QString("%1 %2").arg(shown.points).arg(shown.assembly)));
    QVERIFY(shown.march > bare.march && shown.assembly == bare.assembly);
    s.pattern_normal = 1;
    s.pattern_count = 181;
    s.maps = {100, 200};
    QVERIFY(expected_time(s, *surface, 2).finish > 0);
    QVERIFY(std::abs(shown.sum() - shown.assembly - shown.points - shown.march - shown.finish) < 1e-12);
  }

  void the_estimate_has_parts_that_do_not_divide() {
    const auto mesh = sphere(8);
    const auto surface = make_surface(*mesh, Ordering::hilbert, 0);
    QVERIFY(surface.ok());
    std::vector<Diagnostic> none;
    Settings s = read_settings(resolved(sphere_case()), none);
    complete(s, *surface);
    const ExpectedTime one = expected_time(s, *surface, 1), two = expected_time(s, *surface, 2),
                       many = expected_time(s, *surface, 1 << 20);
    // a + b/p by its values at one and two, against that at infinity.
    const auto fits = [](double t1, double t2, double rest) { return std::abs(2 * t2 - t1 - rest) < 1e-3 * t1; };
    QVERIFY(fits(one.assembly, two.assembly, many.assembly) && fits(one.march, two.march, many.march));
    QVERIFY(many.assembly > 0.005 * one.assembly && many.march > 0.05 * one.march);
  }

  /// The echo that is solved for is that of a long march, and so is the far field in the same direction.
  void echoes_from_all_around_are_those_of_the_march_data() {
    QTest::addColumn<QString>("boundaries");
    QTest::addRow("rigid") << R"({"surface": "rigid"})";
    QTest::addRow("soft") << R"({"surface": "soft"})";
    QTest::addRow("filled") << R"({"surface": "filled"})";
    QTest::addRow("walls") << R"({"groups": [{"kind": "impedance", "group": "first", "impedance": 1.5},
      {"kind": "poles", "group": "second", "rest": 0.2, "poles": [[-600, 0, 300, 0], [-200, 500, 100, 30]]}]})";
  }
  void echoes_from_all_around_are_those_of_the_march() {
    QFETCH(QString, boundaries);
    Mesh mesh = *icosphere({.divisions = 3, .equal_volume = true});
    for (Index k = 0; k < 2; ++k) {
      std::vector<Index> cells(40);
      std::iota(cells.begin(), cells.end(), 40 * k);
      mesh.add_group(k == 0 ? "first" : "second", 2).cells = cells;
    }
    Json json = sphere_case();
    set_boundaries(json, boundaries);
    json["output"] = read_json(R"({"frequencies": {"from": 100, "to": 100, "count": 1}, "maps": [100],
      "directions": [[0, 0, 1]], "monostatic": {"frequencies": [100], "normal": "y", "count": 8},
      "directivity": {"step": 45}})");
    json["parameters"]["steps"] = 1000;
    Run run(json, std::make_shared<const Mesh>(mesh));
    run.go();
    QVERIFY(run.solver.finish(run.context).ok());
    const auto& marched = run.results.find("target_strength")->rows[0];
    const auto& echoes = run.results.find("monostatic")->rows;
    const auto& all = run.results.find("directivity")->rows;
    QCOMPARE(echoes.size(), std::size_t{9});
    QVERIFY(echoes[8][0] == 360 && echoes[8][1] == echoes[0][1]);
    QCOMPARE(all.size(), std::size_t{5 * 8});
    QCOMPARE(echoes[4][0], 180.0);  // from z by x: the wave comes from below
    QVERIFY2(std::abs(echoes[4][1] - marched[1]) < 1e-5,
             qPrintable(QString("%1 %2").arg(echoes[4][1], 0, 'g', 12).arg(marched[1], 0, 'g', 12)));
    QVERIFY(std::abs(all.back()[2] - marched[1]) < 1e-9 && std::abs(all.front()[2] - marched[2]) < 1e-9);
    QCOMPARE(all.back()[0], 180.0);
    if (boundaries.contains("groups")) QVERIFY(std::abs(echoes[0][1] - echoes[4][1]) > 0.1);  // sides differ
  }
  /// What a point source beside a body sends far away in a direction is, over 4π, what a plane wave from there brings to its place.
  void the_far_field_of_a_source_is_reciprocal() {
    const auto mesh = sphere(6);
    Json json = sphere_case();
    json["output"] = read_json(R"({"maps": [100], "directivity": {"step": 45}})");
    json["excitation"]["waves"] = read_json(R"([{"kind": "point", "position": [1.2, 0.9, 0.4]}])");
    json["parameters"]["steps"] = 400;
    Run sending(json, mesh);
    sending.go();
    QVERIFY(sending.solver.finish(sending.context).ok());
    const auto& all = sending.results.find("directivity")->rows;
    for (const std::size_t row : {std::size_t{0}, std::size_t{2 * 8}, std::size_t{2 * 8 + 5}}) {
      const double theta = all[row][0] * std::numbers::pi / 180, phi = all[row][1] * std::numbers::pi / 180;
      Json other = sphere_case();
      other["excitation"]["waves"][0]["direction"] = {-std::sin(theta) * std::cos(phi),
                                                      -std::sin(theta) * std::sin(phi), -std::cos(theta)};
      other["output"] = read_json(R"({"receivers": [{"position": [1.2, 0.9, 0.4]}],
        "spectra": {"from": 100, "to": 100, "count": 1}})");
      other["parameters"]["steps"] = 8;
      Run hearing(other, mesh);
      hearing.go();
      QVERIFY(hearing.solver.finish(hearing.context).ok());
      const double heard = hearing.results.find("spectra")->rows[0][1] - 20 * std::log10(4 * std::numbers::pi);
      QVERIFY2(std::abs(all[row][2] - heard) < 0.1, qPrintable(QString("%1 %2").arg(all[row][2]).arg(heard)));
    }
  }
  void far_pages_that_cannot_be_are_named() {
    const Mesh good = *icosphere({.divisions = 4});
    Json json = sphere_case();
    json["output"]["directivity"] = {{"step", 7}};
    QVERIFY(first_error(json, good).contains("180 degrees are 25.71 steps of 7"));
    json["output"]["directivity"] = {{"step", 10}};
    json["output"]["maps"] = Json::array();
    QVERIFY(first_error(json, good).contains("there are none"));
    json = sphere_case();
    json["output"]["exact"] = "none";
    json["boundaries"] = {{"ground", {{"height", -2}}}};
    json["output"]["monostatic"] = {{"frequencies", {100}}};
    QVERIFY2(first_error(json, good).contains("bodies in the free field"), qPrintable(first_error(json, good)));
  }

  /// A fast device computes alone, since processors beside it would be waited for; a slow one is left out; one between shares.
  void auto_takes_the_fastest_team() {
    const auto mesh = sphere(18);  // 3242 unknowns
    const auto surface = make_surface(*mesh, Ordering::hilbert, 0);
    QVERIFY(surface.ok());
    std::vector<Diagnostic> none;
    Settings s = read_settings(resolved(sphere_case()), none);
    complete(s, *surface);
    s.single_precision = true;
    s.steps = 1200;
    const auto price = [&](double evaluations, double bytes) {
      return price_teams(s, *surface, 16, std::vector<DevicePace>{{evaluations, bytes, 1e-4}});
    };
    const double core = 1 / 0.41e-6;
    const TeamPrice fast = price(60 * core, 3e12), slow = price(core, 5e11), between = price(16 * core, 6e10);
    QVERIFY2(fast.use.most == -1 && fast.use.alone.starts_with("cpu: "), fast.use.alone.c_str());
    QVERIFY(fast.alone < fast.both && fast.alone < fast.processors && fast.best() == fast.alone);
    QVERIFY(slow.use.most == 0 && slow.use.alone.empty() && slow.best() == slow.processors);
    QVERIFY2(between.use.most == -1 && between.use.alone.empty() && between.best() == between.both,
             qPrintable(QString("%1 %2 %3").arg(between.processors).arg(between.alone).arg(between.both)));
    QVERIFY(price_teams(s, *surface, 16, {}).use.most == -1);

    // What the team is then: the device has all threads, and what was left out is told.
    Offer offer;
    offer.threads.value = 16;
    offer.workers = {{"cuda:0", 1, 1, "cuda:0", Bytes{1} << 36}, {"cpu", 15, 1, {}, 0}};
    const ChosenTeam alone = choose_team(offer, fast.use, fast.processors);
    QCOMPARE(alone.workers.size(), std::size_t{1});
    QCOMPARE(alone.workers.front().threads, 16);
    QCOMPARE(alone.left_out, fast.use.alone);
    QCOMPARE(choose_team(offer, between.use, between.processors).workers.size(), std::size_t{2});
    QCOMPARE(choose_team(offer, slow.use, slow.processors).devices().size(), std::size_t{0});
    offer.automatic = false;  // what is named is obeyed
    QCOMPARE(choose_team(offer, fast.use, fast.processors).workers.size(), std::size_t{2});
    offer.automatic = true;

    // A second device of 150 cores halves 0.3 s of assembly and 0.02 s of sums, and takes 0.4 s to start: it stays away here, and comes
    // where the surface is 7.5 times as large, or one has no room for the slices.
    const std::vector<DevicePace> two(2, {150 * core, 3e12, 1e-4});
    const TeamPrice small = price_teams(s, *surface, 16, two), forced = price_teams(s, *surface, 16, two, 2);
    QVERIFY2(small.use.most == 1 && small.best() < forced.best(),
             qPrintable(QString("%1: %2 and %3").arg(small.use.most).arg(small.best()).arg(forced.best())));
    QCOMPARE(small.best(), price(150 * core, 3e12).best());
    QCOMPARE(forced.use.most, -1);
    offer.workers.insert(offer.workers.begin() + 1, {"cuda:1", 1, 1, "cuda:1", Bytes{1} << 36});
    offer.workers.back().threads = 14;
    const ChosenTeam first = choose_team(offer, small.use, small.processors);
    QCOMPARE(first.devices(), std::vector<std::string>{"cuda:0"});
    QVERIFY2(first.left_out.starts_with("cuda:1: with 2 devices the run would take about"), first.left_out.c_str());
    const auto fine = make_surface(*sphere(49), Ordering::hilbert, 0);  // 24,012 unknowns
    QVERIFY(fine.ok());
    Settings large = read_settings(resolved(sphere_case()), none);
    complete(large, *fine);
    large.single_precision = true;
    large.steps = 2160;
    const TeamPrice both = price_teams(large, *fine, 32, two),
                    lone = price_teams(large, *fine, 32, std::span(two).first(1));
    QCOMPARE(both.use.most, -1);
    QVERIFY2(both.best() < 0.85 * lone.best(), qPrintable(QString("%1 and %2").arg(both.best()).arg(lone.best())));
  }

  void bad_cases_are_named() {
    const Mesh good = *icosphere({.divisions = 4});
    QCOMPARE(first_error(sphere_case(), good), QString());

    Json json = sphere_case();
    json["parameters"]["courant"] = 3;
    QVERIFY(first_error(json, good).contains("0.1 h to 1.5 h"));
    json = sphere_case();
    json["excitation"]["pulse"]["frequency"] = 2000;
    QVERIFY(first_error(json, good).contains("wavelength is"));
    QVERIFY2(first_error(json, good).contains("8 edges a wavelength: with 7.7 a sphere"),
             qPrintable(first_error(json, good)));
    QVERIFY(!first_error(json, good).contains("half-plane"));
    {
      const Mesh screen = *plate({.low = {-1, -1}, .high = {1, 1}, .divisions = {10, 10}, .level = 0});
      json["boundaries"]["surface"] = "screen";
      json["output"]["exact"] = "none";
      QVERIFY(first_error(json, screen).contains("deep shadow of a half-plane is within 0.3 %"));
      QVERIFY(!first_error(json, screen).contains("sphere"));
      json["parameters"]["rim_layers"] = 1;
      QVERIFY(first_error(json, screen).contains("without layers it is 8 % off"));
    }
    json = sphere_case();
    json["compute"]["memory"]["host"] = 2000000;
    QVERIFY(first_error(json, good).contains("the budget is"));
    json = sphere_case();
    json["parameters"]["form"] = "DC";
    const Case wrong = resolved(json);
    QVERIFY(has_errors(AcousticBem().check(wrong, &good, make_offer(wrong).value())));
    json = sphere_case();
    json["parameters"]["matrices"] = "compressed";
    QCOMPARE(first_error(json, good), QString());  // all near: a note
    json["parameters"]["form"] = "N";
    QVERIFY(first_error(json, good).contains("undamped"));
    json["parameters"].erase("form");
    json["output"]["spectra"] = {100};
    QVERIFY(first_error(json, good).contains("solved for with whole matrices"));
    json["output"].erase("spectra");
    json["boundaries"]["ground"] = {{"height", -3}};
    json["output"]["exact"] = "none";
    json["output"].erase("planes");
    json["output"]["receivers"].erase(0);
    QVERIFY(first_error(json, good).contains("this has a ground"));
    json["boundaries"].erase("ground");
    json["boundaries"]["surface"] = "screen";
    QVERIFY(first_error(json, good).contains("a sheet is closed"));
    json = sphere_case();
    json["excitation"]["waves"][0] = read_json(R"({"kind": "point", "position": [0, 0, 1.01]})");
    QVERIFY(first_error(json, good).contains("point source"));

    // A pulse from a file: numbers, or an error with its line.
    QTemporaryDir folder;
    json = sphere_case();
    const std::string pulse = folder.filePath("pulse.txt").toStdString();
    json["excitation"]["pulse"] = Json{{"kind", "sampled"}, {"step", 1e-4}, {"file", pulse}};
    std::ofstream(pulse) << "pressure[Pa]\n";
    QVERIFY(first_error(json, good).contains("has no values"));
    std::ofstream(pulse) << "0\n0.5\n1 V\n0.5\n";
    QVERIFY(first_error(json, good).contains("pulse.txt:3"));
    std::ofstream(pulse) << "0, 0.5, 1\n0.5, 0.25, 0\n";
    QVERIFY2(!first_error(json, good).contains("pulse.txt"), qPrintable(first_error(json, good)));

    // Inward normals and one triangle turned are mended (test_screens); an open surface, duplicate vertices.
    const auto rebuilt = [&](int drop, bool turn_all, bool turn_one, bool split) {
      Mesh m;
      for (Index p = 0; p < good.point_count(); ++p) m.add_point(good.point(p));
      for (Index c = drop; c < good.cell_count(); ++c) {
        const auto n = good.nodes(c);
        std::array<Index, 3> v{n[0], n[1], n[2]};
        if (turn_all || (turn_one && c == 7)) std::swap(v[1], v[2]);
        if (split && c == 7) v[0] = m.add_point(good.point(v[0]));
        m.add_cell(CellShape::triangle3, v);
      }
      return m;
    };
    QCOMPARE(first_error(sphere_case(), rebuilt(0, true, false, false)), QString());
    QVERIFY(first_error(sphere_case(), rebuilt(1, false, false, false)).contains("the surface is open (3 rim edges)"));
    QCOMPARE(first_error(sphere_case(), rebuilt(0, false, true, false)), QString());
    QVERIFY(first_error(sphere_case(), rebuilt(0, false, false, true)).contains("vertices lie at the same place"));
    Mesh empty;
    QVERIFY(first_error(sphere_case(), empty).contains("no surface cells"));
  }

  /// Row-vectors count their columns by 16 bits.
  void points_too_far_away_are_refused() {
    const Mesh good = *sphere(4);
    Json json = sphere_case();
    json["output"]["exact"] = "none";
    const Problem problem = std::move(*read_problem(resolved(json), good).problem);
    const double most = 60000 * problem.settings.form.delta();
    json["output"]["receivers"][1]["position"] = {0, most - 3, 0};
    QCOMPARE(first_error(json, good), QString());
    json["output"]["receivers"][1]["position"] = {0, most + 3, 0};
    QVERIFY2(first_error(json, good).contains("the receiver \"side\" lies") &&
                 first_error(json, good).contains("at most 60000"),
             qPrintable(first_error(json, good)));
    // What its image sends comes from further away than what a body above a ground sends.
    json["output"]["receivers"][1]["position"] = {0, 0, 0.85 * most};
    json["output"]["receivers"][0]["position"] = {0, 0, 3};
    json["output"].erase("planes");
    QCOMPARE(first_error(json, good), QString());
    json["excitation"]["waves"][0]["direction"] = {0, 0, -1};
    json["boundaries"]["ground"] = {{"height", -0.1 * most}};
    QVERIFY2(first_error(json, good).contains("the receiver \"side\" lies"), qPrintable(first_error(json, good)));
    json = sphere_case();
    json["output"]["exact"] = "none";
    json["output"]["planes"][0]["low"] = {-2 * most, 0, -3};
    QVERIFY2(first_error(json, good).contains("a point of the plane \"plane 1\" lies"),
             qPrintable(first_error(json, good)));
  }

  /// The series is that of a sphere about the origin: nothing else has it as its exact answer.
  void an_exact_answer_needs_its_sphere() {
    const Mesh good = *sphere(4), coarse = *icosphere({.divisions = 1});
    Json slow = sphere_case();
    slow["excitation"]["pulse"]["frequency"] = 20;
    QCOMPARE(first_error(slow, coarse), QString());
    Mesh moved, stretched, two;
    for (Index p = 0; p < good.point_count(); ++p) {
      const Vec3 x = good.point(p);
      moved.add_point({x[0] + 0.1, x[1], x[2]});
      stretched.add_point({x[0], 1.1 * x[1], x[2]});
    }
    for (const double scale : {1.0, 0.5})
      for (Index p = 0; p < good.point_count(); ++p) two.add_point(vec::scale(scale, good.point(p)));
    for (Index c = 0; c < good.cell_count(); ++c) {
      moved.add_cell(CellShape::triangle3, good.nodes(c));
      stretched.add_cell(CellShape::triangle3, good.nodes(c));
    }
    for (const Index shift : {Index{0}, good.point_count()})
      for (Index c = 0; c < good.cell_count(); ++c) {
        const auto n = good.nodes(c);
        two.add_cell(CellShape::triangle3, std::array<Index, 3>{n[0] + shift, n[1] + shift, n[2] + shift});
      }
    for (const Mesh* mesh : {&moved, &stretched, &two})
      QVERIFY2(first_error(sphere_case(), *mesh).contains("that of a sphere about (0, 0, 0) m"),
               qPrintable(first_error(sphere_case(), *mesh)));
    // A wave that the series is not for.
    const auto warned = [&](const Json& json) {
      const Case c = resolved(json);
      const std::vector<Diagnostic> said = AcousticBem().check(c, &good, make_offer(c).value());
      return std::any_of(said.begin(), said.end(), [](const Diagnostic& d) {
        return d.severity == Severity::warning && d.text.find("no exact answer will be given") != std::string::npos;
      });
    };
    Json json = sphere_case();
    QVERIFY(!warned(json));
    json["excitation"]["waves"][0]["direction"] = {1, 0, 0};
    QVERIFY(warned(json));
    json["output"]["monostatic"] = read_json(R"({"frequencies": [100], "count": 4})");
    QVERIFY(!warned(json));  // which has it from all around
  }

  /// Samples are a pulse like any other: what is too fast for the mesh is told of, and walls are fitted to what they hold.
  void samples_are_known_by_their_spectrum() {
    Pulse ricker, samples;
    ricker.frequency = 50;
    samples.kind = PulseKind::sampled;
    samples.step = 2e-4;  // half the sampling rate is 2500 Hz
    for (double t = -ricker.onset(); t < ricker.onset(); t += samples.step) samples.samples.push_back(ricker.value(t));
    QVERIFY(std::abs(samples.highest_frequency() - ricker.highest_frequency()) < 0.01 * ricker.highest_frequency());
    for (const double f :
         {20.0, 50.0, 90.0, 140.0})  // the transform has a value every 4 Hz or less, for which the slope is 6 % at most
      QVERIFY2(std::abs(samples.level(f) - ricker.level(f)) < 0.06, qPrintable(QString::number(samples.level(f))));
    Pulse bell, burst;
    bell.kind = PulseKind::gaussian;
    burst.kind = PulseKind::modulated_gaussian;
    burst.frequency = 60;
    bell.width = burst.width = 4e-3;
    for (const Pulse& pulse : {ricker, bell, burst}) {  // against sums over the pulse
      double largest = 0;
      const auto sum = [&](double f) {
        std::complex<double> out = 0;
        for (double t = -pulse.onset(); t < pulse.onset(); t += 1e-4)
          out += pulse.value(t) * std::polar(1.0, 2 * std::numbers::pi * f * t);
        return std::abs(out);
      };
      for (double f = 0; f < 200; f += 0.5) largest = std::max(largest, sum(f));
      for (const double f : {0.0, 15.0, 60.0, 110.0})
        QVERIFY2(std::abs(pulse.level(f) - sum(f) / largest) < 1e-3,
                 qPrintable(QString("%1: %2").arg(f).arg(pulse.level(f))));
    }

    const Mesh mesh = *sphere(4);
    const auto said = [&](const Json& json, const char* text) {
      const Case c = resolved(json);
      const std::vector<Diagnostic> all = AcousticBem().check(c, &mesh, make_offer(c).value());
      return std::any_of(all.begin(), all.end(), [&](const Diagnostic& d) {
        return d.severity == Severity::warning && d.text.find(text) != std::string::npos;
      });
    };
    Json json = sphere_case();
    json["excitation"]["pulse"] = Json{{"kind", "sampled"}, {"step", samples.step}, {"samples", samples.samples}};
    json["output"]["frequencies"] = {{"from", 40}, {"to", 100}, {"count", 3}};
    json["output"]["maps"] = {50};
    QVERIFY(!said(json, "mean edges of"));
    QVERIFY(!said(json, "is round-off"));
    json["excitation"]["pulse"]["step"] = samples.step / 4;  // 200 Hz
    QVERIFY(said(json, "mean edges of"));
    // Frequencies that a pulse does not hold: e^{-24} of its spectrum at five times its own.
    json = sphere_case();
    json["excitation"]["pulse"]["frequency"] = 20;
    json["output"]["frequencies"] = {{"from", 20}, {"to", 40}, {"count", 3}};
    json["output"]["maps"] = {100};
    QVERIFY(!said(json, "is round-off"));
    json["compute"]["precision"] = "single";
    QVERIFY(said(json, "is round-off"));
    json["compute"]["precision"] = "double";
    json["output"]["maps"] = {120};
    QVERIFY(said(json, "is round-off"));
  }

  void sources_and_receivers_inside_bodies_are_refused() {
    const Mesh good = *sphere(4);
    Json json = sphere_case();
    json["output"]["receivers"][1]["position"] = {0.1, 0, 0.2};
    QVERIFY(first_error(json, good).contains("the receiver \"side\" at (0.1, 0, 0.2) m lies inside a closed body"));
    json = sphere_case();
    json["excitation"]["waves"][0] = read_json(R"({"kind": "point", "name": "siren", "position": [0, 0.2, 0]})");
    QVERIFY(first_error(json, good).contains("the point source \"siren\" at (0, 0.2, 0) m lies inside a closed body"));
    // The same faces as a thin shell have sound on both sides, but a receiver must say which.
    json = sphere_case();
    json["boundaries"]["surface"] = "screen";
    json["output"]["exact"] = "none";
    json["output"]["receivers"][1]["position"] = {0.1, 0, 0.2};
    QCOMPARE(first_error(json, good), QString());
    const Vec3 on = good.point(0);
    json["output"]["receivers"][1]["position"] = {on[0], on[1], on[2]};
    QVERIFY(first_error(json, good).contains("lies on a screen"));
  }

  /// At a corner of the faces a receiver records the surface pressure there.
  void a_receiver_on_the_surface_has_its_pressure() {
    const auto mesh = sphere(4);
    Json json = sphere_case();
    Vec3 on = mesh->point(0);  // that faces the wave
    for (Index p = 1; p < mesh->point_count(); ++p)
      if (mesh->point(p)[2] < on[2]) on = mesh->point(p);
    json["output"] = Json{{"receivers", {{{"position", {on[0], on[1], on[2]}}}}}};
    Run run(json, mesh);
    run.go();
    const auto& table = *run.results.find("receivers");
    double most = 0;
    for (const auto& row : table.rows) most = std::max(most, std::abs(row[1]));
    // A hard wall doubles the wave, a sphere of ka 1.8 comes near that; half of it, which the integral gives on a face, is below 1.
    QVERIFY2(most > 1.4 && most < 2, qPrintable(QString::number(most)));
  }

  void screen_runs_with_form_n() {
    const auto screen =
        std::make_shared<const Mesh>(*plate({.low = {-1, -1}, .high = {1, 1}, .divisions = {10, 10}, .level = 0}));
    Json json = sphere_case();
    json["boundaries"]["surface"] = "screen";
    json["output"]["exact"] = "none";
    QCOMPARE(first_error(json, *screen), QString());
    json["boundaries"]["surface"] = "rigid";
    QVERIFY(first_error(json, *screen).contains("the surface is open"));
    json["boundaries"]["surface"] = "screen";
    Run run(json, screen);
    run.go();
    QVERIFY(run.solver.finish(run.context).ok());
    QVERIFY(run.number("unknowns") == 81);
    QVERIFY(run.number("late_level") < 1e-4);
  }
};

QTEST_APPLESS_MAIN(TestSolver)
#include "test_solver.moc"
