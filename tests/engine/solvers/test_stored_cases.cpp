// SPDX-License-Identifier: BSD-3-Clause
// Cases that were written for an earlier version, kept as they were, mean what they meant then. When this fails a key was renamed
// without "formerly" in its schema, a default was changed, or a value is read otherwise: somebody's case computes something else now.
// labels: unit
#include "engine/case/case.hpp"
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
    compare(Json::parse(kept), now, "", wrong);
    QVERIFY2(wrong.empty(), wrong.c_str());
    return;
  }
  QFAIL(("there is no solver " + solver).c_str());
}

QTEST_APPLESS_MAIN(TestStoredCases)
#include "test_stored_cases.moc"
