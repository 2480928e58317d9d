// SPDX-License-Identifier: BSD-3-Clause
// `conoid resample`: models and traces in files, the report, and what it says to a wrong line.
// labels: cli
#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>

#include "tests/engine/cli/program.hpp"

using conoid::Json;

class TestResampleVerb : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() {
    write_model(folder_);
    if (resample({"model.json"}).says("no solver of this program")) QSKIP("this build has no solver that reads models");
  }

  void a_model_comes_out_in_another_format_at_another_spacing() {
    const rod::Said said =
        resample({"model.json", "--spacing", "5m,10m,2.5m", "--filter", "linear", "-o", "fine.vti", "--json"});
    COMPARE_EXIT(said, 0);
    const Json json = said.json();
    QCOMPARE(json["written"].get<std::string>(), std::string("fine.vti"));
    // 6 x 5 x 4 samples 10 m apart become 11 x 5 x 13.
    QVERIFY(rod::text_of(folder_ / "fine.vti").find("\"0 10 0 4 0 12\"") != std::string::npos);
    // Samples between those of a field that is linear along every axis, in a third format.
    COMPARE_EXIT(resample({"fine.vti", "-o", "fine.json"}), 0);
    const Json header = conoid::read_json(rod::text_of(folder_ / "fine.json"));
    QCOMPARE(header["shape"].dump(), std::string("[13,5,11]"));
    const std::string bytes = rod::text_of(folder_ / header["file"].get<std::string>());
    QCOMPARE(bytes.size(), std::size_t(4 * 11 * 5 * 13));
    for (int n = 0; n < 11 * 5 * 13; ++n) {
      float value = 0;
      std::memcpy(&value, bytes.data() + 4 * n, 4);
      const double exact = 1500 + 5.0 * (n % 11) + 20.0 * (n / 11 % 5) + 10.0 * (n / 55);
      QVERIFY2(std::abs(static_cast<double>(value) - exact) < 1e-3, std::to_string(n).c_str());
    }
  }

  void the_report_stands_alone() {
    const rod::Said said = resample({"model.json", "--frequency", "25Hz", "--order", "8", "--json"});
    COMPARE_EXIT(said, 0);
    double nodes = 0;
    int orders = 0;
    const Json json = said.json();
    for (const Json& row : json["rows"]) {
      const auto name = row["name"].get<std::string>();
      if (name == "nodes in it") nodes = row["value"].get<double>();
      orders += name.starts_with("order ") && !name.starts_with("order 8");
    }
    QCOMPARE(nodes, 6.0);  // the slowest, 1500 m/s, at 25 Hz on 10 m
    QCOMPARE(orders, 0);
    QVERIFY(!json.contains("written"));
    QVERIFY(resample({"model.json", "--frequency", "25Hz"}).says("order 12"));
  }

  void what_a_file_states_is_said() {
    for (const bool json : {false, true}) {
      const rod::Said said = resample(QStringList{CONOID_TEST_DATA "/inputs/model-in-feet.sgy"} +
                                      (json ? QStringList{"--json"} : QStringList{}));
      COMPARE_EXIT(said, 0);
      QVERIFY2(said.out.find("feet") != std::string::npos, said.out.c_str());
    }
    const rod::Said table = resample({CONOID_TEST_DATA "/inputs/signal-time-in-ms.csv"});
    COMPARE_EXIT(table, 3);
    QVERIFY2(table.says("--interval"), table.err.c_str());
  }

  void traces_come_out_at_another_interval() {
    std::string table = "t[s],p[Pa]\n";
    for (int i = 0; i <= 100; ++i) table += std::to_string(0.001 * i) + ",2\n";
    std::ofstream(folder_ / "traces.csv") << table;
    COMPARE_EXIT(resample({"traces.csv", "--interval", "0.5ms", "-o", "fine.csv"}), 0);
    const std::string text = rod::text_of(folder_ / "fine.csv");
    QCOMPARE(std::count(text.begin(), text.end(), '\n'), std::ptrdiff_t(202));
    QVERIFY(text.find("p[Pa]") != std::string::npos);
  }

  void nothing_is_written_over() {
    std::ofstream(folder_ / "kept.json") << "mine";
    const rod::Said said = resample({"model.json", "-o", "kept.json"});
    QVERIFY2(said.exit == 4 && said.says("kept.json") && said.says("nothing is written over"), said.err.c_str());
    QCOMPARE(rod::text_of(folder_ / "kept.json"), std::string("mine"));
  }

  void a_wrong_line_is_2_and_says_what_would_do() {
    const struct {
      QStringList words;
      const char* says;
    } lines[] = {{{"model.json", "--order", "3"}, "2, 4, 6, 8, 10 or 12"},
                 {{"model.json", "--spacing", "10m,5m"}, "one distance, or three"},
                 {{"model.json", "--spacing", "-1m"}, "more than 0"},
                 {{"model.json", "--spacing", "10Hz"}, "--spacing"},
                 {{"model.json", "--spacing", "5m", "--interval", "1ms"}, "--interval for traces"},
                 {{"model.json", "--filter", "cubic"}, "linear"},
                 {{}, "FILE"}};
    for (const auto& line : lines) {
      const rod::Said said = resample(line.words);
      QVERIFY2(said.exit == 2 && said.says(line.says), (std::to_string(said.exit) + said.err).c_str());
    }
  }

  void a_bad_file_is_named_with_its_numbers() {
    const rod::Said missing = resample({"nowhere.sgy"});
    QVERIFY2(missing.exit == 4 && missing.says("nowhere.sgy"), missing.err.c_str());
    rod::fs::resize_file(folder_ / "model.f32", 4 * 100);
    const rod::Said cut = resample({"model.json"});
    QVERIFY2(cut.exit != 0 && cut.says("480") && cut.says("400"), cut.err.c_str());
    write_model(folder_);
  }

 private:
  /// Of sample n, z slowest, 1500 m/s and more.
  static float speed(int n) {
    return 1500.0F + 10.0F * static_cast<float>(n % 6) + 20.0F * static_cast<float>(n / 6 % 5) +
           40.0F * static_cast<float>(n / 30);
  }
  static void write_model(const rod::Scratch& folder) {
    std::string bytes(4 * 120, '\0');
    for (int n = 0; n < 120; ++n) {
      const float value = speed(n);
      std::memcpy(bytes.data() + 4 * n, &value, 4);
    }
    std::ofstream(folder / "model.f32", std::ios::binary) << bytes;
    std::ofstream(folder / "model.json")
        << R"({"file": "model.f32", "axes": "zyx", "shape": [4, 5, 6], "spacing": ["10 m", "10 m", "10 m"], "origin": [0, 0, 0]})";
  }
  rod::Said resample(const QStringList& words) {
    QProcess process;
    rod::prepare(process, folder_.path()).start(CONOID_BIN_DIR "/conoid", QStringList{"resample"} + words);
    return rod::collect(process);
  }
  rod::Scratch folder_;
};

QTEST_APPLESS_MAIN(TestResampleVerb)
#include "test_resample_verb.moc"
