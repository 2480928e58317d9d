// SPDX-License-Identifier: BSD-3-Clause
// Cases that cannot be, or that may mean two things, are refused at their places; what is left out is told.
// labels: unit timeout300
#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/mesh/topology.hpp"
#include "engine/session/offer.hpp"
#include "engine/solvers/maxwell_fem/discretization/impedance.hpp"
#include "tests/engine/solvers/maxwell_fem/case_run.hpp"

using namespace conoid;
using namespace conoid::maxwell_fem;
using namespace conoid::maxwell_fem::test;

class TestMessages : public QObject {
  Q_OBJECT

 private slots:
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

  /// What is legal and computed, and yet not what somebody may think it is.
  void what_answers_leave_out_is_told() {
    const auto said = [](const Json& json) {
      QString out;
      const Case input = resolved(json);
      for (const Diagnostic& d : MaxwellFem().check(input, nullptr, make_offer(input).value()))
        out += QString::fromStdString(d.render());
      return out;
    };
    Json json = sphere_case();
    json["sphere"] = read_json(R"({"radius": "50 mm", "divisions": 4, "layers": 3})");
    json["output"].erase("exact");
    QCOMPARE(said(json), QString());
    // Radians that were meant as degrees.
    json["excitation"]["theta"] = 30;
    QVERIFY2(said(json).contains("30 rad are 1719 degrees"), qPrintable(said(json)));
    json["excitation"]["theta"] = "-360 deg";
    QCOMPARE(said(json), QString());
    json["excitation"]["theta"] = "720 deg";  // with its unit it is meant
    QCOMPARE(said(json), QString());
    // A skin of 16 mm in a ball of 50 mm: 0.30 dB off its series, one of 5 mm 0.010, and one of 159 mm is no metal.
    const auto metal = [&](double conductivity) {
      json["body"] = {{"kind", "metal"}, {"conductivity", conductivity}};
      return said(json);
    };
    QVERIFY2(metal(1).contains("warning") && metal(1).contains("15.92 mm"), qPrintable(metal(1)));
    QCOMPARE(metal(10), QString());
    QVERIFY2(!metal(0.01).contains("warning") && metal(0.01).contains("leaves out"), qPrintable(metal(0.01)));
    json.erase("body");
    // Elements of 29 mm in a ball whose skin is 5 um.
    const auto ball = [&](const Json& material) {
      json["sphere"]["material"] = "stuff";
      json["materials"]["stuff"] = material;
      return said(json);
    };
    QVERIFY2(ball({{"permittivity", 1}, {"conductivity", 1e7}}).contains("absorbed power is not that of this one"),
             qPrintable(said(json)));
    QCOMPARE(ball({{"permittivity", 1}, {"conductivity", 0.3}}), QString());
    QVERIFY2(ball({{"permittivity", -2}}).contains("ring"), qPrintable(said(json)));
    json["output"]["error_bar"] = true;
    QCOMPARE(said(json), QString());
  }

  void tips_are_told() {
    const auto said = [](double half_angle) {
      const Mesh mesh = *cone_sphere({.half_angle = half_angle * std::numbers::pi / 180, .edge = 0.03});
      Json json = mesh_case();
      json["excitation"]["frequency"] = "0.5 GHz";
      const Case input = resolved(json);
      QString out;
      for (const Diagnostic& d : MaxwellFem().check(input, &mesh, make_offer(input).value()))
        out += QString::fromStdString(d.render());
      return out;
    };
    QVERIFY2(said(7).contains("the body ends in a tip of 14 degrees"), qPrintable(said(7)));
    QVERIFY2(!said(22).contains("tip"), qPrintable(said(22)));
  }

  /// An error of a higher band is no less one where something is told of the first.
  void errors_of_all_bands_are_told() {
    Json json = sphere_case();
    json["sphere"] = read_json(R"({"radius": "50 mm", "divisions": 3, "layers": 2})");
    json["excitation"] = read_json(R"({"frequencies": {"values": ["1 GHz", "2.4 GHz", "9 GHz"]}, "theta": 30})");
    QVERIFY2(first_error(json).contains("set sphere.divisions"), qPrintable(first_error(json)));
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

QTEST_APPLESS_MAIN(TestMessages)
#include "test_messages.moc"
