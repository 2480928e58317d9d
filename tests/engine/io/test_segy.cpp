// SPDX-License-Identifier: BSD-3-Clause
// SEG-Y: IBM floats, round trips in both formats, files that lie about their length.
// labels: unit
#include "engine/io/segy.hpp"

#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <cstring>
#include <fstream>
#include <random>

using namespace conoid;

class TestSegy : public QObject {
  Q_OBJECT

  static std::vector<char> bytes(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void write(const std::string& path, const std::vector<char>& data) {
    std::ofstream(path, std::ios::binary).write(data.data(), static_cast<std::streamsize>(data.size()));
  }

 private slots:
  void ibm_floats_known_values() {
    // IBM System/360 Principles of Operation: 1.0 = 0x41100000, -118.625 = 0xC276A000, 0.15625 = 0x40280000.
    QCOMPARE(to_ibm_float(1.0F), 0x41100000U);
    QCOMPARE(to_ibm_float(-118.625F), 0xC276A000U);
    QCOMPARE(to_ibm_float(0.15625F), 0x40280000U);
    QCOMPARE(to_ibm_float(0.0F), 0U);
    QCOMPARE(from_ibm_float(0xC276A000U), -118.625F);
    QCOMPARE(from_ibm_float(0x41100000U), 1.0F);
    std::mt19937 random(1964);
    for (int i = 0; i < 100000; ++i) {
      const float v = std::ldexp(std::uniform_real_distribution<float>(-1, 1)(random),
                                 std::uniform_int_distribution<int>(-100, 120)(random));
      // A base-16 mantissa of 24 bits keeps at least 21 of them: relative error up to 2^-21.
      QVERIFY(std::abs(from_ibm_float(to_ibm_float(v)) - v) <= std::abs(v) * std::ldexp(1.0F, -21));
    }
  }

  void traces_and_headers_come_back() {
    QTemporaryDir folder;
    const std::string path = folder.filePath("a.sgy").toStdString();
    for (const SegyFormat format : {SegyFormat::ieee_float, SegyFormat::ibm_float})
      for (const Index samples : {Index{1}, Index{77}, Index{40000}}) {
        SegyLayout layout;
        layout.format = format;
        layout.samples = samples;
        layout.interval = samples == 77 ? 0.002 : 0.00123456789;
        layout.text = {"A LINE"};
        std::vector<SegyTrace> traces(3);
        for (std::size_t t = 0; t < traces.size(); ++t) {
          traces[t].number = static_cast<std::int32_t>(t + 1);
          traces[t].shot = 7;
          traces[t].source = {1234.5, -6.25, -10};
          traces[t].receiver = {100.125 * static_cast<double>(t), 3, -2};
          traces[t].inline_number = 11;
          traces[t].crossline = static_cast<std::int32_t>(20 + t);
        }
        std::vector<float> values(static_cast<std::size_t>(3 * samples));
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 512) * 0.25F - 30;
        QVERIFY(write_segy(path, layout, traces, values).ok());
        const auto reader = SegyReader::open(path);
        QVERIFY2(bool(reader), reader ? "" : reader.error().text.c_str());
        QCOMPARE(reader->traces(), Index{3});
        QCOMPARE(reader->samples(), samples);
        QVERIFY(std::abs(reader->interval_microseconds() - layout.interval * 1e6) < 1e-6);
        std::vector<float> got(static_cast<std::size_t>(samples));
        for (Index t = 0; t < 3; ++t) {
          SegyTrace h;
          QVERIFY(reader->read(t, h, got).ok());
          QCOMPARE(h.shot, 7);
          QCOMPARE(h.crossline, static_cast<std::int32_t>(20 + t));
          QVERIFY(std::abs(h.receiver[0] - 100.125 * static_cast<double>(t)) < 1e-3);
          QVERIFY(std::abs(h.source[2] + 10) < 1e-3);
          QCOMPARE(std::memcmp(got.data(), values.data() + t * samples, got.size() * 4),
                   0);  // quarters are exact in both
        }
      }
  }

  void damaged_files_are_refused() {
    QTemporaryDir folder;
    const std::string path = folder.filePath("b.sgy").toStdString();
    SegyLayout layout;
    layout.samples = 50;
    QVERIFY(write_segy(path, layout, std::vector<SegyTrace>(4), std::vector<float>(200, 1.0F)).ok());
    const auto good = bytes(path);
    const auto refused = [&](const std::vector<char>& data, const char* word) {
      write(path, data);
      const auto reader = SegyReader::open(path);
      QVERIFY2(!reader, word);
      QVERIFY2(reader.error().text.find(word) != std::string::npos, reader.error().text.c_str());
    };
    refused({good.begin(), good.begin() + 1000}, "1000 bytes");
    refused({good.begin(), good.end() - 3}, "remain");
    auto data = good;
    data[3225] = 4;  // fixed point with gain, obsolete
    refused(data, "format 4");
    data = good;
    data[3220] = data[3221] = 0;
    refused(data, "0 samples");
    data = good;
    data[3221] = 51;
    refused(data, "51 samples");
    std::mt19937 random(5);
    for (int i = 0; i < 300; ++i) {  // any damage ends in a result or an error
      data = good;
      for (int j = 0; j < 5; ++j)
        data[std::uniform_int_distribution<std::size_t>(3200, 3599)(random)] = static_cast<char>(random());
      write(path, data);
      if (const auto reader = SegyReader::open(path)) {
        SegyTrace h;
        std::vector<float> values(static_cast<std::size_t>(reader->samples()));
        for (Index t = 0; t < reader->traces(); ++t) QVERIFY(reader->read(t, h, values).ok());
      }
    }
  }
};

QTEST_APPLESS_MAIN(TestSegy)
#include "test_segy.moc"
