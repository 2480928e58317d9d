// SPDX-License-Identifier: BSD-3-Clause
// The library of materials: every entry has a source and units that can be read, fits the places it is for and no others, and one's own are
// kept beside it.
// labels: unit
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
