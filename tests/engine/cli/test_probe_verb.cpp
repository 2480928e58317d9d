// SPDX-License-Identifier: BSD-3-Clause
// `conoid probe`: values out of run folders, those of a field that is known and those that runs of every solver left.
// labels: cli
#include <QTest>

#include <cmath>
#include <fstream>
#include <iomanip>
#include <numbers>
#include <optional>

#include "engine/io/csv.hpp"
#include "engine/io/run_folder.hpp"
#include "engine/io/vtkhdf.hpp"
#include "tests/engine/cli/solver_safety.hpp"

using conoid::Json;

class TestProbeVerb : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() {
    if (!conoid::fields_can_be_kept()) QSKIP("this build keeps no fields");
    write_run(folder_ / "known");
  }
  void a_run_alone_is_described();
  void points_have_the_values_of_the_field();
  void fields_by_formula_have_exact_values();
  void a_ruler_reads_lengths_and_angles();
  void a_line_has_distances();
  void a_table_of_points_may_have_units();
  void sums_over_a_box();
  void sections_are_summed_all_around();
  void charts_have_the_numbers_of_their_tables();
  void what_is_outside_is_empty_and_counted();
  void a_wrong_line_says_what_there_is_data();
  void a_wrong_line_says_what_there_is();
  void runs_of_every_solver_tell_what_they_hold_data();
  void runs_of_every_solver_tell_what_they_hold();

 private:
  /// p = t (1 + 2 x − y + 4 z) on 5 x 4 x 3 points in the box (0 … 2, 0 … 1.5, −1 … 0), at t = 0, 1, 2, 3 s; v = (x, 0, −z).
  static double known(double t, double x, double y, double z) { return t * (1 + 2 * x - y + 4 * z); }
  static void write_run(const rod::fs::path& run);
  rod::Said probe(const QStringList& words) const {
    return safety::conoid(folder_.path(), QStringList{"probe", "known"} + words);
  }
  static double cell(const Json& table, std::size_t row, const char* column) {
    for (std::size_t c = 0; c < table["columns"].size(); ++c)
      if (table["columns"][c]["name"] == column && table["rows"][row][c].is_number())
        return table["rows"][row][c].get<double>();
    return std::nan("");
  }
  rod::Scratch folder_;
};

void TestProbeVerb::write_run(const rod::fs::path& run) {
  using namespace conoid;
  rod::fs::create_directories(run);
  std::ofstream(run / "case.json") << R"({"conoid": 1, "title": "A known field", "solver": "acoustic-fd"})";
  std::ofstream(run / "run.json") << R"({"conoid": "0.1.0", "format": 1})";
  auto writer = VtkhdfWriter::create(run, "known");
  for (int i = 0; i < 4; ++i) {
    Frame frame;
    frame.number = static_cast<std::uint64_t>(i);
    frame.step = 10 * i;
    frame.value = i;
    ImageGeometry grid{{5, 4, 3}, {0, 0, -1}, {0.5, 0.5, 0.5}};
    std::vector<float> p, v;
    for (int z = 0; z < 3; ++z)
      for (int y = 0; y < 4; ++y)
        for (int x = 0; x < 5; ++x) {
          p.push_back(static_cast<float>(known(i, 0.5 * x, 0.5 * y, 0.5 * z - 1)));
          v.insert(v.end(), {0.5F * static_cast<float>(x), 0, 1 - 0.5F * static_cast<float>(z)});
        }
    frame.parts.push_back(
        {"volume",
         grid,
         {make_field({"pressure", "Pa", FieldKind::signed_value, Association::point, 1, false, "Pressure"}, p),
          make_field({"velocity", "m/s", FieldKind::magnitude, Association::point, 3, false, "Velocity"}, v)}});
    (*writer)->write(frame).or_throw();
  }
  (*writer)->close().or_throw();
}

void TestProbeVerb::a_run_alone_is_described() {
  const rod::Said said = probe({});
  COMPARE_EXIT(said, 0);
  for (const char* word :
       {"pressure", "velocity", "volume", "5 x 4 x 3", "0 to 3 (4 frames, 0 s to 3 s)", "x 0 to 2 m", "groups  none"})
    QVERIFY2(said.says(word), (word + ("\n" + said.out)).c_str());
  const Json json = probe({"--json"}).json();
  QCOMPARE(json["frames"].size(), std::size_t{4});
  QCOMPARE(json["parts"][0]["fields"].size(), std::size_t{2});
  QCOMPARE(json["parts"][0]["high"][1].get<double>(), 1.5);
}

void TestProbeVerb::points_have_the_values_of_the_field() {
  const Json table =
      probe({"--field", "pressure", "--point", "0.3,70cm,-0.1", "--point", "2,1.5,0", "--frames", "all", "--json"})
          .json();
  QCOMPARE(table["rows"].size(), std::size_t{8});
  for (std::size_t r = 0; r < 8; ++r) {
    const double t = cell(table, r, "time");
    const double exact = r % 2 == 0 ? known(t, 0.3, 0.7, -0.1) : known(t, 2, 1.5, 0);
    QVERIFY(std::abs(cell(table, r, "pressure") - exact) < 1e-5);  // of single precision, values up to 15
  }
  // Without a name it is the first that the frames were written with, not the first of the alphabet.
  QCOMPARE(probe({"--point", "1.5,0,-0.8", "--json"}).json(),
           probe({"--field", "pressure", "--point", "1.5,0,-0.8", "--json"}).json());
  const Json vector = probe({"--field", "velocity", "--point", "1.5,0,-0.8", "--json"}).json();
  QVERIFY(std::abs(cell(vector, 0, "velocity_x") - 1.5) < 1e-6 && std::abs(cell(vector, 0, "velocity_z") - 0.8) < 1e-6);
  QCOMPARE(vector["columns"][7]["unit"].get<std::string>(), std::string("m/s"));
  const Json length =
      probe({"--field", "velocity", "--component", "magnitude", "--point", "1.5,0,-0.8", "--json"}).json();
  QVERIFY(std::abs(cell(length, 0, "velocity_magnitude") - 1.7) < 1e-6);
}

void TestProbeVerb::fields_by_formula_have_exact_values() {
  // Linear in the stored field and in the place: blending between points changes nothing.
  const QStringList formula{"--formula", "twice [kPa] = 2*pressure + x - velocity_z"};
  const Json table = probe(formula + QStringList{"--point", "0.3,70cm,-0.1", "--frames", "all", "--json"}).json();
  QCOMPARE(table["rows"].size(), std::size_t{4});
  for (std::size_t r = 0; r < 4; ++r) {
    const double t = cell(table, r, "time"), exact = 2 * known(t, 0.3, 0.7, -0.1) + 0.3 - 0.1;
    QVERIFY2(std::abs(cell(table, r, "twice") - exact) < 2e-5, table.dump().c_str());
  }
  QVERIFY2(table.dump().find("kPa") != std::string::npos, table.dump().c_str());
  // Mean of a linear field: that in the middle of the box.
  const Json sums = probe(formula + QStringList{"--over", "all", "--json"}).json();
  const double middle = 2 * known(3, 1, 0.75, -0.5) + 1 - 0.5;
  QVERIFY2(std::abs(cell(sums, 0, "twice_mean") - middle) < 1e-4, sums.dump().c_str());
  const rod::Said wrong = probe({"--formula", "twice = 2*presure", "--point", "0,0,0"});
  QVERIFY(wrong.exit != 0 && wrong.says("presure"));
  COMPARE_EXIT(probe({"--formula", "twice", "--point", "0,0,0"}), 2);
}

void TestProbeVerb::a_ruler_reads_lengths_and_angles() {
  const Json read = probe({"--measure", "0,0,0", "--measure", "30cm,0.4,0", "--measure", "0.3,0.4,2", "--json"}).json();
  QVERIFY(std::abs(read["length"].get<double>() - 0.5) < 1e-15);
  QVERIFY(std::abs(read["second_length"].get<double>() - 2) < 1e-15);
  QVERIFY(std::abs(read["angle"].get<double>() - 90) < 1e-12);
  const rod::Said said = probe({"--measure", "0,0,0", "--measure", "0,0,1.5"});
  QVERIFY2(said.says("1.5 m") && !said.says("angle"), said.out.c_str());
  COMPARE_EXIT(probe({"--measure", "0,0,0"}), 2);
  COMPARE_EXIT(probe({"--measure", "0,0,0", "--measure", "here"}), 2);
}

void TestProbeVerb::a_line_has_distances() {
  COMPARE_EXIT(probe({"--field", "pressure", "--line", "0,0,-1", "2,1.5,-1m", "6", "--frames", "1", "-o", "line.csv"}),
               0);
  const auto table = conoid::read_csv(folder_ / "line.csv");
  QVERIFY2(table.ok(), table.ok() ? "" : table.error().render().c_str());
  QCOMPARE(table->rows(), std::size_t{6});
  QCOMPARE(table->columns[table->find("pressure")].unit, std::string("Pa"));
  for (std::size_t r = 0; r < 6; ++r) {
    const double s = static_cast<double>(r) / 5;
    QVERIFY(std::abs(table->row(r)[table->find("distance")] - 2.5 * s) < 1e-12);
    QVERIFY(std::abs(table->row(r)[table->find("pressure")] - known(1, 2 * s, 1.5 * s, -1)) < 1e-5);
  }
}

void TestProbeVerb::a_table_of_points_may_have_units() {
  std::ofstream(folder_ / "places.csv") << "name,y[cm],x[mm],z\n1,50,1500,-0.25\n2,0,250,-1\n";
  const Json table = probe({"--field", "pressure", "--points", "places.csv", "--frames", "2", "--json"}).json();
  QCOMPARE(table["rows"].size(), std::size_t{2});
  QVERIFY(std::abs(cell(table, 0, "pressure") - known(2, 1.5, 0.5, -0.25)) < 1e-5);
  QVERIFY(std::abs(cell(table, 1, "pressure") - known(2, 0.25, 0, -1)) < 1e-5);
  std::ofstream(folder_ / "plain.csv") << "1.5 0.5 -0.25\n";
  QVERIFY(std::abs(cell(probe({"--field", "pressure", "--points", "plain.csv", "--frames", "2", "--json"}).json(), 0,
                        "pressure") -
                   known(2, 1.5, 0.5, -0.25)) < 1e-5);
  std::ofstream(folder_ / "wrong.csv") << "x[kg],y[m],z[m]\n1,2,3\n";
  const rod::Said said = probe({"--field", "pressure", "--points", "wrong.csv"});
  QVERIFY2(said.exit == 3 && said.says("wrong.csv") && said.says("kg"), said.err.c_str());
}

void TestProbeVerb::sums_over_a_box() {
  const Json table = probe({"--field", "pressure", "--over", "all", "--frames", "1s:3s", "--json"}).json();
  // Of values at points it is said that sums are those of what frames keep.
  QVERIFY(table["note"].get<std::string>().find("as frames keep it") != std::string::npos);
  QCOMPARE(table["rows"].size(), std::size_t{3});
  for (std::size_t r = 0; r < 3; ++r) {
    const double t = static_cast<double>(r + 1), mean = known(t, 1, 0.75, -0.5);
    QVERIFY(std::abs(cell(table, r, "volume") - 3) < 1e-12);
    QVERIFY(std::abs(cell(table, r, "pressure_mean") - mean) < 1e-5);
    QVERIFY(std::abs(cell(table, r, "pressure_integral") - 3 * mean) < 3e-5);
    QVERIFY(std::abs(cell(table, r, "pressure_min") - known(t, 0, 1.5, -1)) < 1e-5);
    QVERIFY(std::abs(cell(table, r, "pressure_max") - known(t, 2, 0, 0)) < 1e-5);
  }
}

void TestProbeVerb::sections_are_summed_all_around() {
  using namespace conoid;
  // p = 1 + 2 x over a section of a cylinder 2 m long: x along its axis, y its radius up to 1.5 m.
  const rod::fs::path run = folder_.path() / "turned";
  const auto summed = [&](const char* coordinates) {
    rod::fs::remove_all(run);
    rod::fs::create_directories(run);
    std::ofstream(run / "case.json") << R"({"conoid": 1, "title": "Turned", "solver": "hydro-fem", "grid": {)"
                                     << coordinates << R"("upper": [2, 1.5], "zones": [4, 3]}})";
    std::ofstream(run / "run.json") << R"({"conoid": "0.1.0", "format": 1})";
    auto writer = VtkhdfWriter::create(run, "turned");
    Frame frame;
    std::vector<float> p;
    for (int i = 0; i < 20; ++i) p.push_back(1 + 2 * 0.5F * static_cast<float>(i % 5));
    frame.parts.push_back(
        {"section",
         ImageGeometry{{5, 4, 1}, {0, 0, 0}, {0.5, 0.5, 1}},
         {make_field({"pressure", "Pa", FieldKind::signed_value, Association::point, 1, false, "Pressure"}, p)}});
    (*writer)->write(frame).or_throw();
    (*writer)->close().or_throw();
    return safety::conoid(folder_.path(), {"probe", "turned", "--field", "pressure", "--over", "all", "--json"}).json();
  };
  const Json around = summed(R"("coordinates": "axisymmetric", )"), flat = summed("");
  const double section = 2 * 1.5, volume = std::numbers::pi * 1.5 * 1.5 * 2,
               mean = 3;  // r is linear: the trapezoidal rule is exact
  QVERIFY(std::abs(cell(around, 0, "volume") - volume) < 1e-12 * volume);
  QVERIFY(std::abs(cell(around, 0, "pressure_integral") - volume * mean) < 1e-6 * volume);
  QCOMPARE(around["columns"][3]["unit"].get<std::string>(), std::string("Pa*m^3"));
  QVERIFY(std::abs(cell(flat, 0, "area") - section) < 1e-12);
  QVERIFY(std::abs(cell(flat, 0, "pressure_integral") - section * mean) < 1e-6);
}

void TestProbeVerb::charts_have_the_numbers_of_their_tables() {
  if (!rod::fs::exists(CONOID_BIN_DIR "/conoid-render")) QSKIP("this build draws nothing");
  rod::fs::create_directories(folder_ / "known" / "charts");
  std::ofstream(folder_ / "known" / "charts" / "sines.csv")
      << "# title: Sines\n# form: lines\nt [s],one [Pa],two [Pa]\n0,0,1\n0.001,0.5,-2\n0.002,-0.25,4\n";
  const auto chart = [&](const QStringList& words) {
    return safety::conoid(folder_.path(), QStringList{"chart", "known"} + words);
  };
  const rod::Said listed = chart({});
  COMPARE_EXIT(listed, 0);
  QVERIFY2(listed.says("sines"), listed.out.c_str());
  COMPARE_EXIT(chart({"sines", "-o", "sines.csv", "--x-range", "0.5ms:3ms"}), 0);
  QFile file(QString::fromStdString((folder_ / "sines.csv").string()));
  QVERIFY(file.open(QIODevice::ReadOnly));
  QStringList rows;
  for (const QByteArray& line : file.readAll().split('\n'))
    if (!line.isEmpty() && !line.startsWith('#')) rows << QString::fromUtf8(line);
  QVERIFY2(rows.size() == 3 && rows[1].endsWith(",0.5,-2") && rows[2].endsWith(",-0.25,4"), qPrintable(rows.join('|')));
  const rod::Said wrong = chart({"cosines", "-o", "no.csv"});
  QVERIFY(wrong.exit != 0 && wrong.says("sines"));
  // An exponential of 8 1/s, and a bell that is three and a half samples later.
  std::ofstream known(folder_ / "known" / "charts" / "fits.csv");
  known << "# title: Fits\n# form: lines\nt [s],fall [Pa],bell [Pa],later [Pa]\n";
  for (int i = 0; i < 2048; ++i)
    known << i << "e-3," << std::setprecision(17) << std::exp(-8e-3 * i) << ','
          << std::exp(-std::pow((i - 500) / 20.0, 2)) << ',' << std::exp(-std::pow((i - 503.5) / 20.0, 2)) << '\n';
  known.close();
  const rod::Said decay = chart({"fits", "--fit", "decay", "--fit-curve", "fall"});
  COMPARE_EXIT(decay, 0);
  QVERIFY2(decay.says("fall: decay 8 1/s, T20 863.46941 ms"), decay.out.c_str());
  const rod::Said delay =
      chart({"fits", "--fit", "delay", "--fit-curve", "bell", "--fit-curve", "later", "-o", "fits.svg"});
  COMPARE_EXIT(delay, 0);
  QVERIFY2(delay.says("later after bell: delay 3.5 ms, correlation 1"), delay.out.c_str());
  QVERIFY(chart({"fits", "--fit", "decay", "--fit-curve", "rise"}).says("fall, bell, later"));
  QVERIFY(chart({"fits", "--fit", "decay", "--fit-curve", "fall", "--fit-window", "0:0.1"}).says("less than 10 dB"));
  QVERIFY(chart({"fits", "--fit-curve", "fall", "-o", "fits.svg"}).says("--fit was not given"));
}

void TestProbeVerb::what_is_outside_is_empty_and_counted() {
  const QStringList line{"--field", "pressure", "--line", "1,1,-0.5", "4,1,-0.5", "7"};
  const rod::Said csv = probe(line + QStringList{"--to", "csv"});
  COMPARE_EXIT(csv, 0);
  QVERIFY2(csv.err.find("4 of 7 values are empty") != std::string::npos, csv.err.c_str());
  QVERIFY2(csv.out.find("3,3,2,3,1,-0.5,\r\n") != std::string::npos, csv.out.c_str());
  const Json table = probe(line + QStringList{"--json"}).json();
  QVERIFY(table["rows"][6].back().is_null());
  QCOMPARE(table["warnings"].size(), std::size_t{1});
}

void TestProbeVerb::a_wrong_line_says_what_there_is_data() {
  QTest::addColumn<QStringList>("words");
  QTest::addColumn<QString>("says");
  const QStringList at{"--point", "1,1,-0.5"};
  QTest::newRow("field") << at + QStringList{"--field", "presure"} << "Did you mean pressure";
  QTest::newRow("part") << at + QStringList{"--field", "pressure", "--part", "wall"} << "volume";
  QTest::newRow("component") << at + QStringList{"--field", "velocity", "--component", "r"} << "magnitude";
  QTest::newRow("component of a scalar") << at + QStringList{"--field", "pressure", "--component", "y"}
                                         << "one component";
  QTest::newRow("phase of a real field") << at + QStringList{"--field", "pressure", "--show", "phase"} << "is real";
  QTest::newRow("frame") << at + QStringList{"--field", "pressure", "--frames", "9"} << "0 to 3";
  QTest::newRow("unit of time") << at + QStringList{"--field", "pressure", "--frames", "1m:2m"} << "0.1s:0.3s";
  QTest::newRow("place") << QStringList{"--field", "pressure", "--point", "1;2;3"} << "0.5,-2,10cm";
  QTest::newRow("one number") << QStringList{"--field", "pressure", "--point", "1"} << "two or three lengths";
  QTest::newRow("four numbers") << QStringList{"--field", "pressure", "--point", "1,2,3,4"} << "two or three lengths";
  QTest::newRow("points of a line") << QStringList{"--field", "pressure", "--line", "0,0,0", "1,0,0", "1"} << "from 2";
  QTest::newRow("group") << QStringList{"--field", "pressure", "--over", "volum"} << "Did you mean 'volume'";
  QTest::newRow("two ways") << at + QStringList{"--over", "all"} << "found several";
  QTest::newRow("format") << at + QStringList{"--field", "pressure", "--to", "xls"} << "csv or text";
  QTest::newRow("reach") << at + QStringList{"--field", "pressure", "--within", "2s"} << "--within";
  QTest::newRow("nowhere") << QStringList{"--field", "pressure"} << "--line A B N";
}

void TestProbeVerb::a_wrong_line_says_what_there_is() {
  QFETCH(QStringList, words);
  QFETCH(QString, says);
  const rod::Said said = probe(words);
  QVERIFY2(said.exit == 2 && said.says(says.toStdString()), (std::to_string(said.exit) + said.out + said.err).c_str());
}

void TestProbeVerb::runs_of_every_solver_tell_what_they_hold_data() {
  QTest::addColumn<QString>("name");
  for (const auto& entry : rod::fs::directory_iterator(CONOID_TEST_DATA "/runs"))
    if (entry.path().filename().string().find("heat-rod") == std::string::npos)
      QTest::newRow(entry.path().filename().c_str()) << QString::fromStdString(entry.path().filename().string());
}

void TestProbeVerb::runs_of_every_solver_tell_what_they_hold() {
  QFETCH(QString, name);
  const rod::fs::path run = rod::fs::path(CONOID_TEST_DATA "/runs") / name.toStdString();
  const QString folder = QString::fromStdString(run.string());
  const auto reader = conoid::VtkhdfReader::open(run);
  QVERIFY(reader.ok());
  COMPARE_EXIT(safety::conoid(folder_.path(), {"probe", folder}), 0);
  const auto frame = (*reader)->read((*reader)->frames().size() - 1);
  QVERIFY(frame.ok());
  int compared = 0;
  for (const conoid::FramePart& part : (*frame)->parts)
    for (const conoid::Field& field : part.fields) {
      // A place where the value is plain: a point of a grid, the middle of a cell of order 1 (the mean of its points), the first corner of one of order 2.
      conoid::Vec3 place{};
      std::vector<double> wanted(static_cast<std::size_t>(field.info.components) * (field.info.is_complex ? 2 : 1), 0);
      const auto add = [&](conoid::Index entry, double weight) {
        for (std::size_t k = 0; k < wanted.size(); ++k)
          wanted[k] +=
              weight * static_cast<double>((*field.values)[wanted.size() * static_cast<std::size_t>(entry) + k]);
      };
      if (const auto* grid = std::get_if<conoid::ImageGeometry>(&part.geometry)) {
        conoid::Index entry = 0, stride = 1;
        for (std::size_t k = 0; k < 3; ++k) {
          const conoid::Index i = grid->points[k] / 3;
          place[k] = grid->origin[k] + grid->spacing[k] * static_cast<double>(i);
          entry += stride * i;
          stride *= grid->points[k];
        }
        add(entry, 1);
      } else {
        const auto& mesh = std::get<conoid::MeshGeometry>(part.geometry);
        const std::size_t c = mesh.types->size() / 2;
        const auto begin = static_cast<std::size_t>((*mesh.offsets)[c]),
                   end = static_cast<std::size_t>((*mesh.offsets)[c + 1]);
        const bool straight = (*mesh.types)[c] <= 12;
        const std::size_t stop = straight ? end : begin + 1;
        for (std::size_t i = begin; i < stop; ++i) {
          const auto node = static_cast<std::size_t>((*mesh.connectivity)[i]);
          const double weight = 1.0 / static_cast<double>(stop - begin);
          for (std::size_t k = 0; k < 3; ++k) place[k] += weight * (*mesh.points)[3 * node + k];
          if (field.info.association == conoid::Association::point) add(static_cast<conoid::Index>(node), weight);
        }
        if (field.info.association == conoid::Association::cell) {
          if (!straight) continue;
          add(static_cast<conoid::Index>(c), 1);
        }
      }
      const rod::Said said = safety::conoid(
          folder_.path(), {"probe", folder, "--field", QString::fromStdString(field.info.name), "--part",
                           QString::fromStdString(part.name), "--point",
                           QString::fromStdString(fmt::format("{},{},{}", place[0], place[1], place[2])), "--json"});
      COMPARE_EXIT(said, 0);
      const Json row = said.json()["rows"][0];
      double largest = 0;
      for (const float v : *field.values)
        if (std::isfinite(v)) largest = std::max(largest, std::abs(static_cast<double>(v)));
      for (std::size_t k = 0; k < wanted.size(); ++k) {
        const Json& told = row[row.size() - wanted.size() + k];
        // Where the mesh is curved the middle of a cell is found to 1e-9 of its size.
        const bool same = std::isfinite(wanted[k])
                              ? told.is_number() && std::abs(told.get<double>() - wanted[k]) <= 1e-6 * largest
                              : told.is_null();
        QVERIFY2(same, fmt::format("{} on {}: {} {}", field.info.name, part.name, told.dump(), wanted[k]).c_str());
        ++compared;
      }
      COMPARE_EXIT(safety::conoid(folder_.path(), {"probe", folder, "--field", QString::fromStdString(field.info.name),
                                                   "--over", "all", "--frames", "all"}),
                   0);
    }
  QVERIFY(compared > 0);
}

QTEST_APPLESS_MAIN(TestProbeVerb)
#include "test_probe_verb.moc"
