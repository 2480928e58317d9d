// SPDX-License-Identifier: BSD-3-Clause
// Spectra without a march, on surfaces and around bodies: those of endless runs and of the series, through ends and stops.
// labels: unit timeout300
#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <cmath>
#include <complex>
#include <filesystem>
#include <numbers>
#include <numeric>

#include "engine/io/hdf5_grid.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/solvers/acoustic_bem/discretization/exact_sphere.hpp"
#include "tests/engine/solvers/acoustic_bem/case_run.hpp"

using namespace conoid;
using namespace conoid::acoustic_bem;
using namespace conoid::acoustic_bem::test;

class TestSpectra : public QObject {
  Q_OBJECT

 private slots:
  // What is solved for at a frequency is the transform of all steps, without marching them: ratios between receivers are those of
  // the signals, and a run of one group of steps has the same spectra.
  void spectra_are_those_of_endless_runs_data() {
    QTest::addColumn<QString>("boundaries");
    QTest::addColumn<bool>("compressed");
    QTest::addRow("rigid") << R"({"surface": "rigid"})" << false;
    QTest::addRow("soft") << R"({"surface": "soft"})" << false;
    QTest::addRow("filled") << R"({"surface": "filled"})" << false;
    QTest::addRow("walls that move, absorb and yield over a ground") << R"({"groups": [
      {"kind": "velocity", "group": "first", "pulse": {"kind": "ricker", "frequency": "80 Hz", "amplitude": "2 mm/s"}},
      {"kind": "impedance", "group": "second", "impedance": 1.5}, {"kind": "soft", "group": "third"}],
      "ground": {"height": "-3.5 m"}})" << false;
    for (const bool compressed : {false, true})
      QTest::addRow("walls over frequency over a ground%s", compressed ? ", compressed" : "") << R"({"groups": [
      {"kind": "poles", "group": "first", "rest": 0.2, "poles": [[-600, 0, 300, 0], [-200, 500, 100, 30]]},
      {"kind": "porous", "group": "second", "flow_resistivity": 8000, "thickness": "30 cm"}],
      "ground": {"height": "-3.5 m"}})" << compressed;
  }

  void spectra_are_those_of_endless_runs() {
    QFETCH(QString, boundaries);
    QFETCH(bool, compressed);
    // Clusters of a sphere as small are all near; those of a bar are not.
    Mesh mesh = compressed ? *box_surface({.low = {-0.25, -0.25, -2}, .high = {0.25, 0.25, 2}, .divisions = {3, 3, 24}})
                           : *icosphere({.divisions = 3, .equal_volume = true});
    const char* names[] = {"first", "second", "third"};
    for (Index k = 0; k < 3; ++k) {
      const Index some = mesh.cell_count() / 9 * 2;
      std::vector<Index> cells(static_cast<std::size_t>(some));
      std::iota(cells.begin(), cells.end(), some * k);
      mesh.add_group(names[k], 2).cells = cells;
    }
    Json json = sphere_case();
    set_boundaries(json, boundaries);
    json["excitation"]["waves"][0]["direction"] = {0.3, 0, -1};
    json["output"] =
        read_json(R"({"receivers": [{"position": [0, 0, -3]}, {"position": [2.5, 0, 0.5]}, {"position": [1.05, 0, 0]}],
      "spectra": {"from": 40, "to": 160, "count": 5}})");
    json["parameters"]["steps"] = 1000;
    // Of the same matrices, whatever their error; steps are shorter on the finer mesh, and so many of them leave out more of the tail.
    if (compressed) {
      json["parameters"]["matrices"] = "compressed";
      json["parameters"]["grouped_steps"] = 2;
      json["parameters"]["compression"] = 0.01;
      json["parameters"]["steps"] = 1600;
    }
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
        QVERIFY2(off < (compressed ? 1e-6 : 1e-7),
                 qPrintable(QString("%1 Hz, %2: %3").arg(spectra[k][0]).arg(r).arg(off)));
      }
      for (std::size_t c = 0; c < spectra[k].size(); ++c)
        QVERIFY(std::abs(spectra[k][c] - other[k][c]) <= 1e-8 * (1 + std::abs(spectra[k][c])));
    }
    QVERIFY(whole.number("spectrum_iterations") > 1 && whole.number("spectrum_iterations") < 60);
    if (compressed) QVERIFY(whole.number("compression_error") > 1e-5 && whole.number("skeleton_points") > 10);
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
    conoid::test::MemoryCheckpoint checkpoint;
    first.solver.save(checkpoint);
    Run second(json, sphere(3));
    second.solver.load(checkpoint);
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
};

QTEST_APPLESS_MAIN(TestSpectra)
#include "test_spectra.moc"
