// SPDX-License-Identifier: BSD-3-Clause
// Cases that cannot be are refused at their places, and what is left out is told.
// labels: unit timeout300
#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <cmath>
#include <complex>
#include <fstream>
#include <numbers>

#include "engine/core/log.hpp"
#include "engine/core/vec3.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/session/offer.hpp"
#include "engine/solvers/acoustic_bem/discretization/exact_sphere.hpp"
#include "engine/solvers/acoustic_bem/verify/room_scenes.hpp"
#include "tests/engine/solvers/acoustic_bem/case_run.hpp"

using namespace conoid;
using namespace conoid::acoustic_bem;
using namespace conoid::acoustic_bem::test;

namespace {

bool warned_of(const Json& json, const Mesh& mesh, const char* text) {
  const Case c = resolved(json);
  const std::vector<Diagnostic> all = AcousticBem().check(c, &mesh, make_offer(c).value());
  return std::any_of(all.begin(), all.end(), [&](const Diagnostic& d) {
    return d.severity == Severity::warning && d.text.find(text) != std::string::npos;
  });
}
Mesh two_spheres(double apart) {
  const Mesh one = *icosphere({.divisions = 3});
  return with_body(one, one, {apart, 0, 0});
}

}  // namespace

class TestMessages : public QObject {
  Q_OBJECT

 private slots:
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
    double highest = 0;
    for (Index p = 0; p < mesh.point_count(); ++p) highest = std::max(highest, mesh.point(p)[2]);
    const auto under = [&](double height) {
      return with("boundaries", "ground",
                  QString(R"({"normal": "-z", "height": %1})").arg(height, 0, 'g', 17).toUtf8());
    };
    QCOMPARE(under(4), QString());
    QVERIFY(under(highest).contains("touches the ground"));
    QVERIFY(under(0.2).contains("below the ground"));
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
    QCOMPARE(first_error(json, good), QString());
    json["output"].erase("spectra");
    json["output"]["exact"] = "none";
    Mesh grouped = good;
    grouped.add_group("part", 2).cells = {0, 1, 2};
    json["boundaries"]["groups"] = read_json(R"([{"kind": "poles", "group": "part", "poles": [[-100, 0, 50, 0]]}])");
    QCOMPARE(first_error(json, grouped), QString());
    json["boundaries"] = {{"fluid", "inside"}};
    json["excitation"]["waves"][0] = read_json(R"({"kind": "point", "position": [0, 0, 0.5]})");
    const Json outside = json["output"]["receivers"];
    json["output"]["receivers"] = read_json(R"([{"position": [0, 0, -0.5]}])");
    QCOMPARE(first_error(json, good), QString());
    const Mesh occupied = with_body(good, *icosphere({.radius = 0.2, .divisions = 2}), {});
    QCOMPARE(first_error(json, occupied), QString());
    json["parameters"]["form"] = "NC";
    QCOMPARE(first_error(json, good), QString());
    json["parameters"]["form"] = "N";
    QCOMPARE(first_error(json, good), QString());
    QVERIFY(first_error(json, occupied).contains("undamped"));
    json["parameters"].erase("form");
    json["excitation"] = sphere_case()["excitation"];
    json["output"]["receivers"] = outside;
    json["boundaries"].erase("fluid");
    json["boundaries"]["surface"] = "screen";
    QVERIFY(first_error(json, good).contains("a sheet is closed"));
    json = sphere_case();
    json["excitation"]["waves"][0] = read_json(R"({"kind": "point", "position": [0, 0, 1.01]})");
    QVERIFY(first_error(json, good).contains("point source"));
    json = sphere_case();
    json["output"]["exact"] = "none";
    json["excitation"]["waves"][0] = read_json(R"({"kind": "point", "position": [0, 2, 1]})");
    json["output"]["receivers"] = read_json(R"([{"position": [0, 2, 1]}])");
    QVERIFY(first_error(json, good).contains("lies where a point source is"));
    json["output"]["receivers"] = read_json(R"([{"position": [0, 2, 1.001]}])");
    QCOMPARE(first_error(json, good), QString());

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

  /// Where the mean edge says nothing, and where bodies cut one another.
  void meshes_that_mislead_are_warned_of() {
    Json json = sphere_case();
    json["output"] = read_json(R"({"receivers": [{"position": [0, 0, -6]}]})");
    json["excitation"]["pulse"] = read_json(R"({"kind": "ricker", "frequency": 41})");
    const char* const mean = "though the mean of all edges has";
    const auto box = [](int along) {
      return *box_surface({.low = {-1, -1, -1}, .high = {1, 1, 1}, .divisions = {along, 24, 24}});
    };
    QVERIFY(warned_of(json, box(2), mean));
    QVERIFY(!warned_of(json, box(24), mean));
    QVERIFY(warned_of(json, two_spheres(1.2), "cut one another"));
    QVERIFY(!warned_of(json, two_spheres(2.2), "cut one another"));
    QVERIFY(!warned_of(json, two_spheres(2.2), "lies inside another"));
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
    // Three of them in the shortest period are the pulse that they were taken from, at the same times; where they hold more than that they stay.
    Pulse few;
    few.kind = PulseKind::sampled;
    few.step = 1 / (3 * ricker.highest_frequency());
    for (double t = -ricker.onset(); t < ricker.onset(); t += few.step) few.samples.push_back(ricker.value(t));
    Pulse refined = few, edge = few;
    refine_samples(refined);
    double off = 0, before = 0;
    for (double t = -0.03; t < 2 * ricker.onset(); t += 1.3e-4) {
      off = std::max(off, std::abs(refined.value(t) - ricker.value(t - ricker.onset())));
      before = std::max(before, std::abs(few.value(t) - ricker.value(t - ricker.onset())));
    }
    QVERIFY2(off < 5e-4 && before > 1e-2, qPrintable(QString("%1, %2").arg(off).arg(before)));
    edge.samples = {1, -1, 1, 1, -1, 0, 1};
    refine_samples(edge);
    QCOMPARE(edge.samples.size(), std::size_t{7});
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
    const auto said = [&](const Json& json, const char* text) { return warned_of(json, mesh, text); };
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
};

QTEST_APPLESS_MAIN(TestMessages)
#include "test_messages.moc"
