// SPDX-License-Identifier: BSD-3-Clause
// Cases that were written for an earlier version, kept as they were, mean what they meant then. When this fails a key was renamed
// without "formerly" in its schema, a default was changed, or a value is read otherwise: somebody's case computes something else now.
// labels: unit
#include "engine/case/case.hpp"
#include "engine/case/former_names.hpp"
#include "engine/solvers/registry.hpp"

#include <QDir>
#include <QTest>
#include <fstream>

using conoid::Json;

namespace {

const QString stored = QStringLiteral(CONOID_TEST_DATA "/cases/format-1");

/// What of `then` is missing in `now`, or is another value there. What `now` has besides, keys that came later, changes nothing.
void compare(const Json& then, const Json& now, const std::string& where, std::string& wrong) {
  if (then.is_object() && now.is_object()) {
    for (const auto& [key, value] : then.items()) {
      if (now.contains(key))
        compare(value, now[key], where + "/" + key, wrong);
      else
        wrong += where + "/" + key + " is gone\n";
    }
  } else if (then.is_array() && now.is_array() && then.size() == now.size()) {
    for (std::size_t i = 0; i < then.size(); ++i) compare(then[i], now[i], where + "/" + std::to_string(i), wrong);
  } else if (then.is_number() && now.is_number() ? then.get<double>() != now.get<double>() : then != now) {
    wrong += where + ": " + conoid::json_text(then) + " then, " + conoid::json_text(now) + " now\n";
  }
}

}  // namespace

class TestStoredCases : public QObject {
  Q_OBJECT
 private slots:
  void a_stored_case_means_what_it_meant_data();
  void a_stored_case_means_what_it_meant();
  void keys_have_one_form_in_all_solvers();
  void a_key_of_one_form_is_read_under_its_former_one_data();
  void a_key_of_one_form_is_read_under_its_former_one();
};

void TestStoredCases::a_stored_case_means_what_it_meant_data() {
  QTest::addColumn<QString>("name");
  std::set<std::string> solvers;
  for (const QString& file : QDir(stored).entryList({"*.json"}, QDir::Files)) {
    if (file.endsWith(".meaning.json")) continue;
    QTest::newRow(qPrintable(file)) << file.chopped(5);
    const auto document = conoid::CaseDocument::read((stored + "/" + file).toStdString());
    QVERIFY2(document.ok(), qPrintable(file));
    solvers.insert(document->json()["solver"].get<std::string>());
  }
  for (const conoid::SolverInfo* info : conoid::registered_solvers())
    QVERIFY2(solvers.contains(std::string(info->id)), std::string(info->id).c_str());
}

/// The meaning beside a case is its resolved form: all values in SI, defaults filled in. A new case gets one where it is missing.
void TestStoredCases::a_stored_case_means_what_it_meant() {
  QFETCH(QString, name);
  const std::string file = (stored + "/" + name).toStdString();
  const auto document = conoid::CaseDocument::read(file + ".json");
  QVERIFY2(document.ok(), document.ok() ? "" : document.error().render().c_str());
  const std::string solver = document->json()["solver"].get<std::string>();
  for (const conoid::SolverInfo* info : conoid::registered_solvers()) {
    if (info->id != solver) continue;
    const auto schema = conoid::Schema::for_solver(info->id, info->schema);
    QVERIFY(schema.ok());
    const auto resolved = conoid::Case::resolve(*document, *schema);
    QVERIFY2(resolved.ok(), resolved.ok() ? "" : resolved.error().render().c_str());
    const Json& now = resolved->values().json();
    std::ifstream kept(file + ".meaning.json");
    if (!kept) {
      std::ofstream(file + ".meaning.json") << now.dump(1) << "\n";
      QFAIL("there was no meaning beside this case; it has been written, look at it and keep it");
    }
    std::string wrong;
    compare(conoid::with_present_names(Json::parse(kept), *schema), now, "", wrong);
    QVERIFY2(wrong.empty(), wrong.c_str());
    return;
  }
  QFAIL(("there is no solver " + solver).c_str());
}

namespace {

/// Calls `seen` with the name, the node and the object around of every property of a schema.
template <class Seen>
void each_property(const Json& node, const Seen& seen) {
  if (node.is_object() && node.contains("properties") && node["properties"].is_object())
    for (const auto& [name, part] : node["properties"].items())
      if (part.is_object()) seen(name, part, node);
  if (node.is_structured())
    for (const Json& part : node) each_property(part, seen);
}

}  // namespace

/// One word stands for one thing. `materials` are always by name, each of a `kind`; the constants of a solver's one medium are its
/// `medium`. `frequencies` are from, to, count and scale or values; a bare list of them stands only beside the values of a table.
void TestStoredCases::keys_have_one_form_in_all_solvers() {
  int materials = 0, media = 0, frequencies = 0;
  for (const conoid::SolverInfo* info : conoid::registered_solvers()) {
    const auto schema = conoid::Schema::for_solver(info->id, info->schema);
    QVERIFY(schema.ok());
    std::string wrong;
    each_property(schema->json(), [&](const std::string& name, const Json& node, const Json& around) {
      if (name == "materials") {
        ++materials;
        if (!node.contains("map") || node["map"].value("discriminator", "") != "kind") wrong += " materials";
      } else if (name == "medium") {
        ++media;
        if (node.contains("map") || !node.contains("properties")) wrong += " medium";
      } else if (name == "frequencies" && node["type"] == "array") {
        int lists = 0;
        for (const auto& [other, part] : around["properties"].items()) lists += part.value("type", "") == "array";
        if (lists < 2) wrong += " a list of frequencies";
      } else if (name == "frequencies") {
        ++frequencies;
        const Json& p = node["properties"];
        for (const char* key : {"from", "to", "count", "scale", "values"})
          if (!p.contains(key)) return void(wrong += std::string(" frequencies without ") + key);
        if (p["from"]["unit"] != "Hz" || p["to"]["unit"] != "Hz" || p["values"]["items"]["unit"] != "Hz" ||
            p["scale"]["enum"] != Json({"linear", "log"}) || node.value("list", "") != "values")
          wrong += " the form of frequencies";
      }
    });
    QVERIFY2(wrong.empty(), (std::string(info->id) + ":" + wrong).c_str());
  }
  QVERIFY(conoid::registered_solvers().size() < 5 || (materials >= 2 && media >= 3 && frequencies >= 4));
}

void TestStoredCases::a_key_of_one_form_is_read_under_its_former_one_data() {
  QTest::addColumn<QByteArray>("then");
  QTest::addColumn<QByteArray>("now");
  QTest::addColumn<QByteArray>("place");
  QTest::newRow("acoustic-bem")
      << QByteArray(
             R"({"conoid": 1, "solver": "acoustic-bem", "mesh": {"file": "a.msh"}, "materials": {"speed": "1.5 km/s"},
        "output": {"monostatic": {"frequencies": ["1 kHz", 2000]}}})")
      << QByteArray(R"({"conoid": 1, "solver": "acoustic-bem", "mesh": {"file": "a.msh"}, "medium": {"speed": 1500},
        "output": {"monostatic": {"frequencies": {"values": [1000, 2000]}}}})")
      << QByteArray("/materials");
  QTest::newRow("acoustic-fd")
      << QByteArray(R"({"conoid": 1, "solver": "acoustic-fd", "grid": {"spacing": 1, "points": [4, 4, 4]},
        "materials": {"velocity": {"kind": "layers", "layers": [{"speed": 1400}]}}, "parameters": {"duration": 1}})")
      << QByteArray(R"({"conoid": 1, "solver": "acoustic-fd", "grid": {"spacing": 1, "points": [4, 4, 4]},
        "medium": {"velocity": {"kind": "layers", "layers": [{"speed": 1400}]}}, "parameters": {"end_time": 1}})")
      << QByteArray("/materials");
  QTest::newRow("elastic-bem") << QByteArray(R"({"conoid": 1, "solver": "elastic-bem", "mesh": {"file": "a.msh"},
        "materials": {"shear_speed": 200}, "parameters": {"frequencies": {"from": 1, "to": 3, "count": 3}}})")
                               << QByteArray(R"({"conoid": 1, "solver": "elastic-bem", "mesh": {"file": "a.msh"},
        "medium": {"shear_speed": 200}, "parameters": {"frequencies": {"from": 1, "to": 3, "count": 3}}})")
                               << QByteArray("/materials");
  QTest::newRow("hydro-fem")
      << QByteArray(R"({"conoid": 1, "solver": "hydro-fem", "grid": {"lower": [0], "upper": [1], "zones": [4]},
        "materials": {"w": {"model": "stiffened-gas", "p_infinity": 5}, "g": {}},
        "regions": [{"material": "w", "density": 1, "pressure": 1}], "parameters": {"end_time": 1}})")
      << QByteArray(R"({"conoid": 1, "solver": "hydro-fem", "grid": {"lower": [0], "upper": [1], "zones": [4]},
        "materials": {"w": {"kind": "stiffened-gas", "p_infinity": 5}, "g": {}},
        "regions": [{"material": "w", "density": 1, "pressure": 1}], "parameters": {"end_time": 1}})")
      << QByteArray("/materials/w/model");
  QTest::newRow("maxwell-fem") << QByteArray(R"({"conoid": 1, "solver": "maxwell-fem", "sphere": {"radius": 1},
        "excitation": {"sweep": {"from": "1 GHz", "to": "2 GHz", "fast": {}}}})")
                               << QByteArray(R"({"conoid": 1, "solver": "maxwell-fem", "sphere": {"radius": 1},
        "excitation": {"frequencies": {"from": 1e9, "to": 2e9, "count": 11, "scale": "linear", "fast": {}}}})")
                               << QByteArray("/excitation/sweep");
}

/// A case of before is the same case, number for number, and is told of its former name where it stands.
void TestStoredCases::a_key_of_one_form_is_read_under_its_former_one() {
  QFETCH(QByteArray, then);
  QFETCH(QByteArray, now);
  QFETCH(QByteArray, place);
  const std::string solver = QTest::currentDataTag();
  for (const conoid::SolverInfo* info : conoid::registered_solvers()) {
    if (info->id != solver) continue;
    const auto schema = conoid::Schema::for_solver(info->id, info->schema);
    QVERIFY(schema.ok());
    const auto old = conoid::CaseDocument::parse(then.toStdString(), "old.json"),
               fresh = conoid::CaseDocument::parse(now.toStdString(), "new.json");
    QVERIFY(old.ok() && fresh.ok());
    const auto a = conoid::Case::resolve(*old, *schema), b = conoid::Case::resolve(*fresh, *schema);
    QVERIFY2(a.ok(), a.ok() ? "" : a.error().render().c_str());
    QVERIFY2(b.ok(), b.ok() ? "" : b.error().render().c_str());
    QCOMPARE(a->canonical_text(), b->canonical_text());
    QCOMPARE(a->hash(), b->hash());
    const auto told = conoid::validate(*old, *schema);
    QVERIFY(!conoid::has_errors(told));
    QVERIFY(std::any_of(told.begin(), told.end(), [&](const conoid::Diagnostic& d) {
      return d.place.pointer == place.toStdString() &&
             d.text.find("the former name is still read") != std::string::npos;
    }));
    QVERIFY(conoid::validate(*fresh, *schema).empty());
    return;
  }
  QSKIP("this build has not that solver");
}

QTEST_APPLESS_MAIN(TestStoredCases)
#include "test_stored_cases.moc"
