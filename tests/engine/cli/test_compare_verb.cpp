// SPDX-License-Identifier: BSD-3-Clause
// `conoid compare`: two runs whose distance is known in closed form, on one grid and on another, and folders in which things are missing.
// labels: cli
#include <QTest>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "engine/io/run_folder.hpp"
#include "engine/io/vtkhdf.hpp"
#include "tests/engine/cli/solver_safety.hpp"

using conoid::Json;

class TestCompareVerb : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() {
    if (!conoid::fields_can_be_kept()) QSKIP("this build keeps no fields");
    write_run(folder_ / "first", {});
    Difference other;
    other.factor = 1.25;
    other.spacing = "5 m";
    other.number = 2.5;
    write_run(folder_ / "second", other);
    other.cells = 8;
    other.chart_step = 0.5;
    write_run(folder_ / "finer", other);
  }
  void a_run_is_equal_to_itself();
  void what_differs_is_told_with_its_size();
  void another_grid_is_interpolated();
  void cells_that_have_moved_are_the_same();
  void frames_may_be_chosen();
  void what_is_missing_or_damaged_is_said();
  void a_wrong_line_says_what_to_do_data();
  void a_wrong_line_says_what_to_do();

 private:
  struct Difference {
    double factor = 1, number = 2, chart_step = 1;
    int cells = 4;  ///< along x, over 0 … 2 m
    std::string spacing = "10 m";
  };
  /// p = factor · t (1 + 2 x − y + 4 z) at t = 0 … 3 s, which every grid interpolates exactly; the chart is factor · (3 + 2 t).
  static void write_run(const rod::fs::path& run, const Difference& d);
  rod::Said compare(const QStringList& words) const {
    return safety::conoid(folder_.path(), QStringList{"compare"} + words);
  }
  static Json row(const Json& rows, const char* key, const std::string& value) {
    for (const Json& one : rows)
      if (one.value(key, "") == value) return one;
    return Json();
  }
  rod::Scratch folder_;
};

void TestCompareVerb::write_run(const rod::fs::path& run, const Difference& d) {
  using namespace conoid;
  rod::fs::create_directories(run / "charts");
  std::ofstream(run / "case.json")
      << R"({"conoid": 1, "title": "A known field", "solver": "acoustic-fd", "grid": {"spacing": ")" << d.spacing
      << R"(", "order": 4}})";
  std::ofstream(run / "run.json") << R"({"conoid": "0.1.0", "format": 1})";
  std::ofstream(run / "summary.json") << R"({"numbers": {"energy": {"value": )" << d.number
                                      << R"(, "unit": "J"}, "mass": {"value": 7, "unit": "kg"},)"
                                      << R"("seconds": {"value": )" << d.number << R"(, "unit": "s"}}})";
  std::ofstream chart(run / "charts" / "receiver.csv");
  chart << "time [s],pressure [Pa]\n";
  for (double t = 0; t <= 3; t += d.chart_step) chart << t << "," << d.factor * (3 + 2 * t) << "\n";
  auto writer = VtkhdfWriter::create(run, "known");
  const double dx = 2.0 / d.cells;
  for (int i = 0; i < 4; ++i) {
    Frame frame;
    frame.number = static_cast<std::uint64_t>(i);
    frame.step = 10 * i;
    frame.value = i;
    std::vector<float> p;
    for (int z = 0; z < 3; ++z)
      for (int y = 0; y < 4; ++y)
        for (int x = 0; x <= d.cells; ++x)
          p.push_back(static_cast<float>(d.factor * i * (1 + 2 * dx * x - 0.5 * y + 4 * (0.5 * z - 1))));
    frame.parts.push_back(
        {"volume",
         ImageGeometry{{d.cells + 1, 4, 3}, {0, 0, -1}, {dx, 0.5, 0.5}},
         {make_field({"pressure", "Pa", FieldKind::signed_value, Association::point, 1, false, "Pressure"}, p)}});
    (*writer)->write(frame).or_throw();
  }
  (*writer)->close().or_throw();
}

void TestCompareVerb::a_run_is_equal_to_itself() {
  const rod::Said said = compare({"first", "first"});
  COMPARE_EXIT(said, 0);
  QVERIFY2(said.says("The cases are the same."), said.out.c_str());
  const Json json = compare({"first", "first", "--json"}).json();
  QCOMPARE(json["keys"].size(), std::size_t{0});
  QCOMPARE(json["fields"][0]["largest"].get<double>(), 0.0);
  QCOMPARE(json["curves"][0]["largest"].get<double>(), 0.0);
  QCOMPARE(json["fields"][0]["values"].get<int>(), 60);
  QCOMPARE(json["notes"].size(), std::size_t{0});
}

void TestCompareVerb::what_differs_is_told_with_its_size() {
  const Json json = compare({"first", "second", "--json"}).json();
  QCOMPARE(json["keys"].size(), std::size_t{1});
  QCOMPARE(json["keys"][0]["key"].get<std::string>(), std::string("/grid/spacing"));
  QCOMPARE(json["keys"][0]["second"].get<std::string>(), std::string("5 m"));
  const Json energy = row(json["numbers"], "name", "energy");
  QCOMPARE(energy["first"].get<double>(), 2.0);
  QCOMPARE(energy["second"].get<double>(), 2.5);
  QVERIFY(row(json["numbers"], "name", "seconds").is_null());
  // The chart is 3 … 9 and a quarter more; the field at t = 3 s reaches from 3 (1 − 1.5 − 4) to 3 (1 + 4).
  const Json curve = json["curves"][0];
  QCOMPARE(curve["scale"].get<double>(), 9.0);
  QVERIFY(std::abs(curve["largest"].get<double>() - 2.25) < 1e-12);
  const Json field = json["fields"][0];
  QCOMPARE(field["interpolated"].get<bool>(), false);
  QVERIFY(std::abs(field["scale"].get<double>() - 15) < 1e-5);
  QVERIFY(std::abs(field["largest"].get<double>() - 3.75) < 1e-5);
  QVERIFY(std::abs(field["rms"].get<double>() / field["rms_scale"].get<double>() - 0.25) < 1e-6);
  const rod::Said said = compare({"first", "second"});
  for (const char* word : {"/grid/spacing", "10 m", "5 m", "energy [J]", "25 %", "1 result number is equal",
                           "receiver: pressure [Pa]", "volume: pressure [Pa]"})
    QVERIFY2(said.says(word), (word + ("\n" + said.out)).c_str());
}

void TestCompareVerb::another_grid_is_interpolated() {
  const Json json = compare({"second", "finer", "--json"}).json();
  // Both are linear in space and time, so that interpolation leaves round-off of single precision alone.
  QCOMPARE(json["fields"][0]["interpolated"].get<bool>(), true);
  QCOMPARE(json["fields"][0]["values"].get<int>(), 60);
  QVERIFY(json["fields"][0]["largest"].get<double>() < 1e-5);
  QCOMPARE(json["curves"][0]["interpolated"].get<bool>(), true);
  QVERIFY(json["curves"][0]["largest"].get<double>() < 1e-12);
  const Json apart = compare({"first", "finer", "--json"}).json();
  QVERIFY(std::abs(apart["fields"][0]["largest"].get<double>() - 3.75) < 1e-5);
}

/// Two triangles whose values jump at the edge between them; in the second run their nodes have moved, by 1 % or by half of the extent.
void TestCompareVerb::cells_that_have_moved_are_the_same() {
  using namespace conoid;
  const auto write = [&](const char* name, double moved) {
    const rod::fs::path run = folder_ / name;
    rod::fs::create_directories(run);
    std::ofstream(run / "case.json") << R"({"conoid": 1, "title": "Two cells", "solver": "hydro-fem"})";
    std::ofstream(run / "run.json") << R"({"conoid": "0.1.0", "format": 1})";
    auto writer = VtkhdfWriter::create(run, "two");
    Frame frame;
    MeshGeometry mesh;
    mesh.points = std::make_shared<const std::vector<double>>(
        std::vector<double>{0, 0, 0, 1 + moved, 0, 0, 0, 1, 0, 1 + moved, 0, 0, 1, 1, 0, 0, 1, 0});
    mesh.connectivity = std::make_shared<const std::vector<Index>>(std::vector<Index>{0, 1, 2, 3, 4, 5});
    mesh.offsets = std::make_shared<const std::vector<Index>>(std::vector<Index>{0, 3, 6});
    mesh.types = std::make_shared<const std::vector<std::uint8_t>>(std::vector<std::uint8_t>{5, 5});
    frame.parts.push_back({"flow",
                           mesh,
                           {make_field({"energy", "J/kg", FieldKind::magnitude, Association::point, 1, false, "Energy"},
                                       std::vector<float>{1, 1, 1, 5, 5, 5})}});
    (*writer)->write(frame).or_throw();
    (*writer)->close().or_throw();
  };
  write("two", 0);
  write("near", 0.01);
  write("far", 0.5);
  const Json near = compare({"two", "near", "--json"}).json();
  QCOMPARE(near["fields"][0]["interpolated"].get<bool>(), false);
  QCOMPARE(near["fields"][0]["largest"].get<double>(), 0.0);
  QCOMPARE(compare({"two", "far", "--json"}).json()["fields"][0]["interpolated"].get<bool>(), true);
}

void TestCompareVerb::frames_may_be_chosen() {
  const Json json = compare({"first", "second", "--frames", "all", "--json"}).json();
  QCOMPARE(json["fields"].size(), std::size_t{4});
  QVERIFY(std::abs(json["fields"][1]["largest"].get<double>() - 1.25) < 1e-6);
  QCOMPARE(compare({"first", "second", "--no-fields", "--json"}).json()["fields"].size(), std::size_t{0});
}

void TestCompareVerb::what_is_missing_or_damaged_is_said() {
  namespace fs = rod::fs;
  const auto copy = [&](const char* name) {
    fs::remove_all(folder_ / name);
    fs::copy(folder_ / "second", folder_ / name, fs::copy_options::recursive);
    return folder_ / name;
  };
  fs::path run = copy("hurt");
  fs::remove(run / "summary.json");
  fs::rename(run / "charts" / "receiver.csv", run / "charts" / "other.csv");
  rod::Said said = compare({"first", "hurt"});
  COMPARE_EXIT(said, 0);
  for (const char* word : {"hurt has no summary", "chart receiver is in first only", "chart other is in hurt only"})
    QVERIFY2(said.says(word), (word + ("\n" + said.out)).c_str());
  run = copy("cut");
  for (const auto& entry : fs::recursive_directory_iterator(run))
    if (entry.path().extension() == ".vtkhdf") fs::resize_file(entry.path(), 100);
  std::ofstream(run / "charts" / "receiver.csv") << "no table\n\"";
  said = compare({"first", "cut"});
  COMPARE_EXIT(said, 0);
  QVERIFY2(said.says("Note: "), said.out.c_str());
}

void TestCompareVerb::a_wrong_line_says_what_to_do_data() {
  QTest::addColumn<QStringList>("words");
  QTest::addColumn<QString>("said");
  QTest::newRow("one run") << QStringList{"first"} << "SECOND";
  QTest::newRow("no such run") << QStringList{"first", "nothing"} << "nothing";
  QTest::newRow("no such frame") << QStringList{"first", "second", "--frames", "9"} << "9";
}

void TestCompareVerb::a_wrong_line_says_what_to_do() {
  QFETCH(QStringList, words);
  QFETCH(QString, said);
  const rod::Said answer = compare(words);
  QVERIFY(answer.exit != 0);
  QVERIFY2((answer.err + answer.out).find(said.toStdString()) != std::string::npos, (answer.err + answer.out).c_str());
}

QTEST_APPLESS_MAIN(TestCompareVerb)
#include "test_compare_verb.moc"
