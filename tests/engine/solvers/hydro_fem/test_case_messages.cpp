// SPDX-License-Identifier: BSD-3-Clause
// Bad cases: each is told apart, with places and a remedy, and nothing crashes.
// labels: unit
#include "engine/session/offer.hpp"
#include "engine/solvers/hydro_fem/discretization/eos_file.hpp"
#include "engine/solvers/hydro_fem/problem.hpp"
#include "tests/engine/solvers/hydro_fem/support.hpp"

#include <QTemporaryDir>
#include <QTest>
#include <fstream>

using namespace conoid;
using namespace conoid::hydro_fem;
using namespace conoid::hydro_fem::testing;

namespace {

constexpr const char* good_case = R"({
  "solver": "hydro-fem",
  "grid": {"lower": [0, 0], "upper": [7, 3], "zones": [14, 6]},
  "materials": {"gas": {"gamma": 1.5}, "water": {"kind": "stiffened-gas"}},
  "regions": [
    {"material": "gas", "density": 1, "pressure": 1},
    {"material": "gas", "lower": [1, 1.5], "upper": [7, 3], "density_formula": "1 + 0.1*x", "pressure": 0.1}
  ],
  "parameters": {"order": 2, "end_time": 0.1}
})";

}  // namespace

class TestCaseMessages : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  [[nodiscard]] std::vector<Diagnostic> check(const std::vector<std::pair<std::string, std::string>>& changes) const {
    const auto input = resolved(good_case, changes, (folder_.path() + "/case.json").toStdString());
    if (!input) return {input.error()};
    const auto solver = solver_info().make();
    auto out = solver->check(*input, nullptr, make_offer(*input).value());
    if (has_errors(out)) return out;
    const auto estimate = solver->estimate(*input, nullptr, make_offer(*input).value());
    if (!estimate) out.push_back(estimate.error());
    return out;
  }
  [[nodiscard]] std::filesystem::path write(const char* name, const std::string& text) const {
    const auto path = std::filesystem::path(folder_.path().toStdString()) / name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

 private slots:
  void the_good_case_is_silent() {
    for (const auto& d : check({})) QFAIL(d.render().c_str());
  }

  void bad_cases_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QStringList>("words");
    const auto row = [](const char* name, const char* path, const char* value, QStringList words) {
      QTest::newRow(name) << path << value << words;
    };
    row("jump inside zones", "regions.1.lower", "[1, 1.4]", {"y = 1.4", "inside zones", "1", "1.5", "zones"});
    row("no geometry", "grid", "null", {"grid"});
    row("group on a grid", "regions.1", R"({"material": "gas", "group": "a", "density": 1, "pressure": 1})",
        {"a grid has no groups"});
    row("piston without direction", "boundaries", R"({"x_min": {"kind": "piston", "direction": [0, 0]}})",
        {"no length"});
    row("pressure twice", "boundaries", R"({"x_min": {"kind": "pressure", "pressure": 1, "pressure_formula": "t"}})",
        {"pressure_formula"});
    row("pressure over place", "boundaries", R"({"x_min": {"kind": "pressure", "pressure_formula": "1 + x"}})",
        {"1 + x", "t"});
    row("pressure that ends", "boundaries", R"({"x_min": {"kind": "pressure", "pressure_formula": "1/t"}})",
        {"inf", "t = 0"});
    row("overpressure on a gas", "boundaries", R"({"x_min": {"kind": "pressure", "pressure": -0.5}})",
        {"-0.5 Pa", "'gas'", "below 0 Pa", "absolute"});
    row("overpressure over time", "boundaries", R"({"y_max": {"kind": "pressure", "pressure_formula": "0.5 - 20*t"}})",
        {"at some time", "'gas'", "absolute"});
    row("a pulse that ends at zero but for rounding", "boundaries",
        R"({"y_max": {"kind": "pressure", "pressure_formula": "1e6*exp(-1e6*t) - 1e-7"}})", {});
    row("a pulse that ends below zero", "boundaries",
        R"({"y_max": {"kind": "pressure", "pressure_formula": "1e6*exp(-1e6*t) - 1e-5"}})", {"-1e-05 Pa", "absolute"});
    row("suction on a liquid", "",
        R"({"regions.0": {"material": "water", "density": 1000, "pressure": 1},
            "boundaries": {"x_min": {"kind": "pressure", "pressure": -1000}}})",
        {});
    row("more suction from outside than a liquid bears", "",
        R"({"regions.0": {"material": "water", "density": 1000, "pressure": 1},
            "boundaries": {"x_min": {"kind": "pressure", "pressure": -7e8}}})",
        {"'water'", "below -6e+08 Pa"});
    row("products that burn on in no time", "materials.gas",
        R"({"kind": "jwl", "afterburn": {"energy": 1e6, "begin": 2, "end": 1}})", {"from 2 s to 1 s", "afterburn"});
    row("no table of speeds", "boundaries", R"({"x_min": {"kind": "piston", "speed_file": "none.csv"}})", {"none.csv"});
    row("nothing to burn", "excitation", R"({"detonation": [{"position": [0, 0]}]})", {"no region burns", "jwl"});
    row("source without power", "excitation", R"({"sources": [{}]})", {"no power"});
    row("source of no region", "excitation", R"({"sources": [{"region": "tank", "power": 1}]})",
        {"no region 'tank'", "name"});
    row("source formula", "excitation", R"({"sources": [{"power_formula": "1 + q"}]})", {"1 + q", "x, y, z, r, t"});
    row("material", "regions.0.material", "\"steam\"", {"no material 'steam'", "gas, water"});
    row("dimensions", "grid.zones", "[4, 4, 4]", {"3 numbers of zones for 2 dimensions"});
    row("gradings", "grid.grading", "[2]", {"1 gradings for 2 dimensions"});
    row("jump inside graded zones", "grid.grading", "[4, 1]",
        {"x = 1", "nearest zone edges are 0.8071 and 1.13399", "zones"});
    row("upside down", "grid.upper", "[-1, 3]", {"not above"});
    row("side", "boundaries", "{\"z_min\": {\"kind\": \"free\"}}", {"no side 'z_min'", "x_min"});
    row("formula", "regions.1.density_formula", "\"1 + q\"", {"1 + q", "cannot be read", "x, y, z"});
    row("radius", "grid",
        "{\"coordinates\": \"axisymmetric\", \"lower\": [0, -1], \"upper\": [7, 3], \"zones\": [14, 8]}",
        {"radius", "-1"});
    row("start from no run", "initial", R"({"from": {"run": "nowhere"}})", {"nowhere", "no run folder"});
    row("spheres in two dimensions", "grid.coordinates", "\"spherical\"",
        {"spherical flow has one dimension", "found 2"});
    row("uncovered", "regions.0.upper", "[1, 3]", {"no region covers"});
    row("too much", "parameters.order", "9", {});
    row("blast outside", "excitation", "{\"blast\": {\"energy\": 1, \"position\": [9, 0]}}", {"outside the grid"});
    row("exact", "output", "{\"exact\": \"sedov\"}", {"one ideal gas", "blast"});
    row("tracer", "output", "{\"tracers\": [{\"position\": [8, 1]}]}", {"no point of the grid"});
    row("gauge in space", "output", "{\"gauges\": [{\"position\": [1, 1, 1]}]}", {"3 coordinates", "the grid 2"});
    row("line in space", "output", "{\"lines\": [{\"from\": [1, 1, 1], \"to\": [2, 1]}]}",
        {"3 coordinates", "the grid 2"});
    row("line of no length", "output", "{\"lines\": [{\"from\": [1, 1], \"to\": [1, 1]}]}", {"no length"});
    row("table", "materials.gas", "{\"model\": \"table\", \"file\": \"none.csv\"}", {"none.csv"});
    row("order", "parameters.order", "13", {"12"});
    row("suction in a gas", "regions.0.pressure", "-1", {"'gas'", "-1 Pa", "below 0 Pa"});
    // Along axes that the flow has not nothing would come of them.
    row("weight across the plane", "excitation", R"({"gravity": [0, 0, -9.81]})",
        {"-9.81 is given along z", "two axes"});
    row("blast above the plane", "excitation", R"({"blast": {"energy": 1, "position": [0, 0, 5]}})",
        {"5 is given along z"});
    row("velocity across the plane", "regions.0",
        R"({"material": "gas", "density": 1, "pressure": 1, "velocity": [0, 0, 5]})", {"5 is given along z"});
    row("formula across the plane", "regions.0",
        R"({"material": "gas", "density": 1, "pressure": 1, "velocity_formula": ["0", "0", "x"]})",
        {"'x' is given along z"});
    row("box in space", "regions.1.upper", "[7, 1.5, 1]", {"1 is given along z"});
    row("grid in space", "grid.lower", "[0, 0, 1]", {"1 is given along z"});
    row("piston across the plane", "boundaries", R"({"x_min": {"kind": "piston", "speed": 1, "direction": [1, 0, 1]}})",
        {"1 is given along z"});
    row("piston along its side", "boundaries", R"({"x_min": {"kind": "piston", "speed": 1, "direction": [0, 1]}})",
        {"moves along its own side", "direction"});
    row("free axis", "", R"({"grid.coordinates": "axisymmetric", "boundaries": {"y_min": {"kind": "free"}}})",
        {"lies on the axis"});
    row("more suction than a liquid bears", "regions.0", R"({"material": "water", "density": 1000, "pressure": -7e8})",
        {"'water'", "below -6e+08 Pa"});
  }
  void bad_cases() {
    QFETCH(QString, path);
    QFETCH(QString, value);
    QFETCH(QStringList, words);
    std::vector<std::pair<std::string, std::string>> changes{{path.toStdString(), value.toStdString()}};
    if (path.isEmpty()) {  // several
      changes.clear();
      const Json several = Json::parse(value.toStdString());
      for (const auto& [key, text] : several.items()) changes.emplace_back(key, text.dump());
    }
    if (words.isEmpty()) {  // any order that fits is welcome, and so is suction that a liquid bears
      for (const auto& d : check(changes)) QFAIL(d.render().c_str());
      return;
    }
    QString all;
    bool wrong = false;
    for (const auto& d : check(changes)) {
      all += QString::fromStdString(d.render()) + "\n";
      wrong = wrong || d.severity == Severity::error;
      QVERIFY2(!d.hint.empty(), qPrintable(all));
    }
    QVERIFY2(wrong, qPrintable(all));
    for (const QString& word : words) QVERIFY2(all.contains(word), qPrintable(word + " is missing in: " + all));
  }

  /// The exact blast is that of a point, between mirrors.
  void an_exact_blast_has_its_centre_where_it_can_be() {
    std::vector<std::pair<std::string, std::string>> blast{
        {"regions", R"([{"material": "gas", "density": 1, "pressure": 0}])"},
        {"excitation", R"({"blast": {"energy": 1, "position": [0, 0]}})"},
        {"output", R"({"exact": "sedov"})"},
        {"boundaries", R"({"x_max": {"kind": "free"}})"}};
    for (const auto& d : check(blast)) QFAIL(d.render().c_str());
    const auto said = [&](std::size_t change, const char* value) {
      auto changed = blast;
      changed[change].second = value;
      const auto found = check(changed);
      return found.empty() ? QString() : QString::fromStdString(found[0].render());
    };
    QVERIFY(said(3, R"({"y_min": {"kind": "free"}})").contains("'y_min' is no wall"));
    QVERIFY(said(1, R"({"blast": {"energy": 1, "position": [3.5, 1.5]}})").isEmpty());
    blast.emplace_back("grid.coordinates", "\"axisymmetric\"");
    QVERIFY(said(1, R"({"blast": {"energy": 1, "position": [3.5, 0]}})").isEmpty());
    QVERIFY(said(1, R"({"blast": {"energy": 1, "position": [0, 1.5]}})").contains("off the axis"));
  }

  void weight_across_an_axis_is_warned_of() {
    std::vector<std::pair<std::string, std::string>> turned{{"grid.coordinates", "\"axisymmetric\""},
                                                            {"excitation", R"({"gravity": [0, -9.81]})"}};
    const auto found = check(turned);
    QCOMPARE(found.size(), std::size_t{1});
    QVERIFY(found[0].severity == Severity::warning &&
            QString::fromStdString(found[0].render()).contains("along the radius"));
    turned[1].second = R"({"gravity": [-9.81, 0, 0]})";
    QVERIFY(check(turned).empty());
    const auto of_sphere =
        check({{"grid", R"({"coordinates": "spherical", "lower": [0], "upper": [7], "zones": [14]})"},
               {"regions", R"([{"material": "gas", "density": 1, "pressure": 1}])"},
               {"excitation", R"({"gravity": [-9.81]})"}});
    QVERIFY(of_sphere.size() == 1 && QString::fromStdString(of_sphere[0].render()).contains("of the centre alike"));
  }

  void an_explosive_that_burns_has_no_pressure_of_its_own() {
    std::vector<std::pair<std::string, std::string>> tnt{
        {"materials.gas", R"({"kind": "jwl", "detonation_velocity": 6930})"},
        {"regions", R"([{"material": "gas", "density": 1630}])"},
        {"excitation", R"({"detonation": [{"position": [0, 0]}]})"}};
    for (const auto& d : check(tnt)) QFAIL(d.render().c_str());
    tnt[1].second = R"([{"material": "gas", "density": 1630, "pressure": 1e5}])";
    const auto found = check(tnt);
    QVERIFY(!found.empty() && QString::fromStdString(found[0].render()).contains("Take the pressure out"));
  }

  /// More often a slip of units than meant: a gauge would say 0, and nothing would burn.
  void places_outside_are_told_of() {
    const auto said = [&](const char* output) {
      const auto found = check({{"output", output}});
      return found.size() == 1 ? std::pair(found[0].severity, QString::fromStdString(found[0].render()))
                               : std::pair(Severity::note, QString::number(found.size()));
    };
    QVERIFY(check({{"output", R"({"gauges": [{"position": [7, 0]}, {"position": [0, 3], "moves": true}]})"}}).empty());
    const auto twice = said(
        R"({"gauges": [{"name": "g", "position": [1, 1]}, {"position": [2, 1]}, {"name": "g", "position": [3, 1]}]})");
    QVERIFY2(twice.first == Severity::warning && twice.second.contains("/output/gauges/2/name") &&
                 twice.second.contains("gauges 1 and 3 are both called 'g'"),
             qPrintable(twice.second));
    const auto far = said(R"({"gauges": [{"position": [7000, 1]}]})");
    QVERIFY2(far.first == Severity::warning && far.second.contains("/output/gauges/0/position") &&
                 far.second.contains("pressure 0"),
             qPrintable(far.second));
    const auto moving = said(R"({"gauges": [{"position": [7.1, 1], "moves": true}]})");
    QVERIFY2(moving.first == Severity::error && moving.second.contains("no point of the grid"),
             qPrintable(moving.second));
    std::vector<std::pair<std::string, std::string>> tnt{
        {"materials.gas", R"({"kind": "jwl", "detonation_velocity": 6930})"},
        {"regions", R"([{"material": "gas", "density": 1630}])"},
        {"excitation", R"({"detonation": [{"position": [7000, 0]}]})"}};
    auto found = check(tnt);
    QVERIFY(!found.empty() && QString::fromStdString(found[0].render()).contains("lies outside the grid"));
    tnt[2].second = R"({"detonation": [{"position": [0, 0], "time": 0.1}]})";
    found = check(tnt);
    QVERIFY(!found.empty() && found[0].severity == Severity::warning &&
            QString::fromStdString(found[0].render()).contains("before any of these points is lit"));
    tnt[2].second = R"({"detonation": [{"position": [0, 0], "time": 0.1}, {"position": [1, 1]}]})";
    for (const auto& d : check(tnt)) QFAIL(d.render().c_str());
  }

  void stiff_matter_with_long_steps_is_warned_of() {
    std::vector<std::pair<std::string, std::string>> water{{"regions.0.material", "\"water\""}};
    QVERIFY(check(water).empty());  // auto is what the viscosity bears
    water.emplace_back("parameters.courant", "0.5");
    const auto found = check(water);
    QCOMPARE(found.size(), std::size_t{1});
    QCOMPARE(found[0].severity, Severity::warning);
    QVERIFY(QString::fromStdString(found[0].render()).contains("'water'"));
    auto shorter = water;
    shorter.emplace_back("parameters.courant", "0.3");
    QVERIFY(check(shorter).empty());
  }

  void high_orders_with_long_steps_are_warned_of() {
    std::vector<std::pair<std::string, std::string>> eighth{{"parameters.order", "8"}};
    QVERIFY(check(eighth).empty());
    eighth.emplace_back("parameters.courant", "0.5");
    const auto found = check(eighth);
    QCOMPARE(found.size(), std::size_t{1});
    QVERIFY(QString::fromStdString(found[0].render()).contains("order 8") &&
            QString::fromStdString(found[0].render()).contains("bears a Courant number of 0.1"));
  }

  /// Each zone longer than the one before by the same factor; half as many have every other line.
  void a_grid_may_be_graded() {
    const std::vector<std::pair<std::string, std::string>> graded{
        {"grid", R"({"lower": [0, 0], "upper": [7, 3], "zones": [14, 6], "grading": [4, 0.5]})"},
        {"regions.1.lower", "[0.8071, 1.75736]"}};
    for (const auto& d : check(graded)) QFAIL(d.render().c_str());
    const auto lines = [&](const char* zones) {
      const Problem p = make_problem(
          *resolved(
              good_case,
              {graded[0], {"grid.zones", zones}, {"regions", R"([{"material": "gas", "density": 1, "pressure": 1}])"}}),
          nullptr);
      std::vector<double> x;
      for (std::size_t v = 0; v < p.setup.mesh.vertices.size(); v += 2)
        if (p.setup.mesh.vertices[v + 1] == 0) x.push_back(p.setup.mesh.vertices[v]);
      return x;
    };
    const auto fine = lines("[14, 6]"), coarse = lines("[7, 6]");
    QCOMPARE(fine.size(), std::size_t{15});
    QCOMPARE(fine.back(), 7.0);
    for (std::size_t i = 2; i < fine.size(); ++i)
      QVERIFY(std::abs((fine[i] - fine[i - 1]) / (fine[i - 1] - fine[i - 2]) / std::pow(4, 1.0 / 14) - 1) < 1e-12);
    for (std::size_t i = 0; i < coarse.size(); ++i) QVERIFY(std::abs(coarse[i] - fine[2 * i]) < 1e-12);
  }

  void a_line_may_lead_to_where_the_material_will_be() {
    QVERIFY(check({{"output", R"({"lines": [{"from": [0, 0], "to": [70, 1]}]})"}}).empty());
  }

  void too_large_for_memory_is_said_before_it_is_taken() {
    const auto found = check({{"grid", R"({"upper": [7, 3], "zones": [70000, 60000]})"}, {"parameters.order", "12"}});
    QVERIFY(!found.empty());
    QCOMPARE(found.back().code, ErrorCode::resources);
    QVERIFY(QString::fromStdString(found.back().render()).contains("order 12"));
  }

  void tables_of_states() {
    std::string text = "density,energy,pressure,sound_speed\n";
    for (const double rho : {2.0, 1.0, 4.0})
      for (const double e : {1.0, 3.0})
        text += QString("%1,%2,%3,%4\n").arg(rho).arg(e).arg(0.4 * rho * e).arg(std::sqrt(0.56 * e)).toStdString();
    const auto good = read_eos_table(write("good.csv", text));
    QVERIFY2(good.ok(), good.ok() ? "" : good.error().render().c_str());
    const auto eos = tabulated(*good);
    // Bilinear tables hold p = 0.4 rho e exactly.
    for (const double rho : {1.0, 1.7, 3.1, 4.0}) {
      const double e = 2.2;
      double p = 0, c = 0;
      eos->evaluate(std::span(&rho, 1), std::span(&e, 1), std::span(&p, 1), std::span(&c, 1));
      QVERIFY(std::abs(p - 0.4 * rho * e) < 1e-14);
      QVERIFY(std::abs(eos->energy(rho, 0.4 * rho * 1.3) - 1.3) < 1e-12);
      QVERIFY(eos->objection(rho, 0.4 * rho).empty() && eos->objection(rho, 1.2 * rho).empty());
    }
    QVERIFY(eos->limited() && eos->holds(4, 3) && !eos->holds(4.01, 3) && !eos->holds(0.99, 3) && !eos->holds(4, 0.9));
    QVERIFY(eos->beyond(4, 3).empty());
    QVERIFY(QString::fromStdString(eos->beyond(5, 2)).contains("densities of 1 to 4 kg/m^3, not 5"));
    QVERIFY(QString::fromStdString(eos->beyond(2, 3.5)).contains("energies of 1 to 3 J/kg, not 3.5"));
    const auto objection = [&](double rho, double p) { return QString::fromStdString(eos->objection(rho, p)); };
    QVERIFY2(objection(5, 1).contains("1 to 4"), qPrintable(objection(5, 1)));
    QVERIFY2(objection(2, 2.5).contains("0.8 to 2.4"), qPrintable(objection(2, 2.5)));
    const auto message = [&](const std::string& t) {
      const auto r = read_eos_table(write("bad.csv", t));
      return QString::fromStdString(r ? std::string("fine") : r.error().render());
    };
    QVERIFY(message("density,energy,pressure\n1,1,1\n").contains("sound_speed"));
    QVERIFY(message("density,energy,pressure,sound_speed\n1,1,1,1\n1,2,1,1\n2,1,1,1\n")
                .contains("density 2 with energy 2 is missing"));
    QVERIFY(message("density,energy,pressure,sound_speed\n1,1,1,1\n1,2,1,1\n2,1,1,1\n2,2,1,-1\n")
                .contains("row 4: sound_speed is -1"));
    QVERIFY(message("density,energy,pressure,sound_speed\n1,1,1,1\n1,2,1,1\n2,1,1,1\n2,2,1,1\n2,2,1,1\n")
                .contains("twice"));
    QVERIFY(message("density,energy,pressure,sound_speed\n1,1,1,1\n").contains("1 densities and 1 energies"));
  }
};

QTEST_APPLESS_MAIN(TestCaseMessages)
#include "test_case_messages.moc"
