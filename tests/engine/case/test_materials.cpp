// SPDX-License-Identifier: BSD-3-Clause
// The library of materials: every entry has a source and units that can be read, fits the places it is for and no others, and one's own are
// kept beside it.
// labels: unit
#include <cmath>
#include <map>

#include <QFile>
#include <QFloat16>  // <QTest> only declares it, and JSON asks what it can become
#include <QTemporaryDir>
#include <QTest>

#include "engine/case/materials.hpp"
#include "engine/case/schema.hpp"
#include "engine/core/resources.hpp"
#include "engine/core/units.hpp"

using namespace conoid;

class TestMaterials : public QObject {
  Q_OBJECT
  QTemporaryDir home_;

  static Json schema_of(const char* solver) {
    QFile file(QStringLiteral(CONOID_SOURCE_DIR "/engine/solvers/%1/parameters.json").arg(solver));
    if (!file.open(QIODevice::ReadOnly)) return {};
    return read_json(file.readAll().toStdString());
  }
  // Values are rounded to four digits: 5e-4 of each at most, and there are up to four in a comparison.
  static constexpr double rounded = 2e-3, atmosphere = 101325;
  static LibraryMaterial named(const std::string& name) {
    const auto all = library_materials();
    if (!all) qFatal("%s", all.error().text.c_str());
    for (const LibraryMaterial& one : *all)
      if (one.name == name) return one;
    qFatal("no %s", name.c_str());
  }

 private slots:
  void initTestCase() { qputenv("XDG_CONFIG_HOME", home_.path().toUtf8()); }

  void every_entry_says_where_its_values_come_from() {
    const auto all = library_materials();
    QVERIFY2(all, all ? "" : all.error().text.c_str());
    QVERIFY(all->size() > 80);
    const std::map<std::string, const char*> units = {{"speed", "m/s"},
                                                      {"shear_speed", "m/s"},
                                                      {"density", "kg/m^3"},
                                                      {"conductivity", "S/m"},
                                                      {"p_infinity", "Pa"},
                                                      {"A", "Pa"},
                                                      {"B", "Pa"},
                                                      {"energy", "Pa"},
                                                      {"detonation_velocity", "m/s"}};
    for (const LibraryMaterial& one : *all) {
      QVERIFY2(one.source.size() > 10, one.name.c_str());
      QVERIFY2(!one.kind.empty(), one.name.c_str());
      for (const auto& [key, value] : one.values.items()) {
        if (!value.is_string()) continue;
        QVERIFY2(units.contains(key), key.c_str());
        const auto read = parse_quantity(value.get<std::string>(), units.at(key));
        QVERIFY2(read && read->value > 0, (one.name + ' ' + key).c_str());
      }
    }
  }
  void values_of_an_entry_agree_with_each_other() {
    const auto all = library_materials();
    QVERIFY(all.ok());
    int gases = 0, solids = 0, explosives = 0, sediments = 0;
    for (const LibraryMaterial& one : *all) {
      const auto has = [&](const char* key) { return one.values.contains(key); };
      const auto of = [&](const char* key, const char* unit = "1") {
        const Json& value = one.values[key];
        return value.is_number() ? value.get<double>() : parse_quantity(value.get<std::string>(), unit)->value;
      };
      const auto agree = [&](double a, double b, const char* what, double within = rounded) {
        if (!(std::abs(a / b - 1) < within)) qFatal("%s, %s: %g and %g", one.name.c_str(), what, a, b);
      };
      if (has("gamma")) {
        // Sound in a gas, and in a liquid as a stiffened one, c^2 = gamma (p + p_infinity)/rho, at 1 atm.
        QVERIFY2(of("gamma") > 1, one.name.c_str());
        const double p = atmosphere + (has("p_infinity") ? of("p_infinity", "Pa") : 0);
        agree(std::sqrt(of("gamma") * p / of("density", "kg/m^3")), of("speed", "m/s"), "speed of sound");
        ++gases;
      }
      if (has("poisson")) {
        const double nu = of("poisson");
        QVERIFY2(nu > 0 && nu < 0.5, one.name.c_str());
        if (has("speed")) {
          // (c_p/c_s)^2 = (2 - 2 nu)/(1 - 2 nu), and with it a modulus of compression above zero.
          agree(of("speed", "m/s") / of("shear_speed", "m/s"), std::sqrt((2 - 2 * nu) / (1 - 2 * nu)), "speeds");
          QVERIFY2(of("speed", "m/s") > std::sqrt(4.0 / 3) * of("shear_speed", "m/s"), one.name.c_str());
          ++solids;
        }
      }
      if (has("A")) {
        // Where the Rayleigh line touches the products' Hugoniot (Chapman and Jouguet): the least D over V < 1 with
        // rho D^2 (1 - V) = p(V, E) of Jones, Wilkins and Lee and E = E_0 + p (1 - V)/2.
        const double A = of("A", "Pa"), B = of("B", "Pa"), R1 = of("R1"), R2 = of("R2"), w = of("omega");
        const double E = of("energy", "Pa"), rho = of("density", "kg/m^3");
        double least = INFINITY;
        for (double V = 0.5; V < 0.95; V += 1e-4) {
          const double cold = A * (1 - w / (R1 * V)) * std::exp(-R1 * V) + B * (1 - w / (R2 * V)) * std::exp(-R2 * V);
          const double p = (cold + w * E / V) / (1 - w * (1 - V) / (2 * V));
          least = std::min(least, p / (rho * (1 - V)));
        }
        // As published it is off by 1.3 % for one of them, and its note says so.
        const bool off = one.note.find("1.3 %") != std::string::npos;
        agree(std::sqrt(least), of("detonation_velocity", "m/s"), "detonation", off ? 0.014 : 1e-3);
        ++explosives;
      }
      if (one.name.starts_with("Sediment")) {
        agree(of("density", "kg/m^3"), 310 * std::pow(of("speed", "m/s"), 0.25), "density by the speed");
        ++sediments;
      }
      for (const char* key : {"permittivity", "permittivity_infinity", "permeability"})
        if (has(key) && one.values[key].is_number()) QVERIFY2(of(key) >= 1, one.name.c_str());
      for (const char* key : {"permittivity_loss", "permeability_loss"})
        if (has(key))
          for (const Json& loss : one.values[key].is_array() ? one.values[key] : Json::array({one.values[key]}))
            QVERIFY2(loss.get<double>() >= 0, one.name.c_str());
      if (has("frequencies"))
        for (const char* key : {"permittivity", "permittivity_loss", "permeability", "permeability_loss"})
          QCOMPARE(one.values[key].size(), one.values["frequencies"].size());
    }
    QVERIFY(gases >= 16 && solids >= 19 && explosives == 7 && sediments == 4);
  }
  void a_place_gets_the_values_that_it_has_keys_for() {
    const Json sound = schema_of("acoustic_bem")["properties"]["medium"];
    const auto water = material_for(sound, named("Water, 20 °C"));
    QVERIFY(water.has_value());
    QCOMPARE(water->size(), std::size_t{2});
    QCOMPARE((*water)["speed"].get<std::string>(), std::string("1482 m/s"));
    QVERIFY(!material_for(sound, named("FR-4")));
    const Json grid = schema_of("acoustic_fd")["properties"]["medium"];
    const auto salt = material_for(grid, named("Halite (rock salt)"));
    QVERIFY(salt.has_value());
    QCOMPARE((*salt)["velocity"]["kind"].get<std::string>(), std::string("constant"));
    const Json shocks = schema_of("hydro_fem")["properties"]["materials"]["map"];
    QCOMPARE((*material_for(shocks, named("TNT")))["kind"].get<std::string>(), std::string("jwl"));
    QCOMPARE((*material_for(shocks, named("Water, 20 °C")))["kind"].get<std::string>(), std::string("stiffened-gas"));
    QCOMPARE((*material_for(shocks, named("Air, 20 °C")))["kind"].get<std::string>(), std::string("ideal-gas"));
    QVERIFY2(!material_for(shocks, named("Copper")), "a density alone is no explosive");
    const Json radar = schema_of("maxwell_fem")["properties"]["materials"]["map"];
    QCOMPARE((*material_for(radar, named("Water, 25 °C, microwaves")))["kind"].get<std::string>(),
             std::string("debye"));
    QCOMPARE((*material_for(radar, named("Magnetic absorber no. 4")))["kind"].get<std::string>(), std::string("table"));
    QVERIFY2(!material_for(radar, named("Copper")), "a conductivity alone is no volume to compute");
    const auto soil = material_for(schema_of("elastic_bem")["properties"]["medium"], named("Mild steel"));
    QVERIFY(soil && soil->contains("shear_speed") && !soil->contains("shear_modulus"));
  }
  void own_materials_are_kept_and_go_again() {
    LibraryMaterial own;
    own.name = "Rubber of ours";
    own.kind = "Own";
    own.values = values_of_material(
        read_json(R"({"kind": "constant", "speed": "1550 m/s", "density": {"kind": "constant", "density": 1100}})"));
    QCOMPARE(own.values.size(), std::size_t{2});
    QVERIFY(keep_own_material(own).ok());
    QVERIFY(keep_own_material(own).ok());
    const auto all = library_materials();
    QVERIFY(all && all->front().own);
    QCOMPARE(all->front().name, own.name);
    QVERIFY(!(*all)[1].own);
    QVERIFY(forget_own_material(own.name).ok());
    QVERIFY(!library_materials()->front().own);
  }
};

QTEST_GUILESS_MAIN(TestMaterials)
#include "test_materials.moc"
