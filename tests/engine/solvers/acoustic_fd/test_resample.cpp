// SPDX-License-Identifier: BSD-3-Clause
// Models and traces on another spacing keep the waves that fit, lose those that would fold back, and say what they lose.
// labels: unit
#include "conoid/config.hpp"
#include "engine/io/hdf5_file.hpp"
#include "engine/io/segy.hpp"
#include "engine/models/model.hpp"
#include "engine/solvers/acoustic_fd/discretization/resample.hpp"
#include "engine/solvers/acoustic_fd/discretization/stencil.hpp"
#include "tests/engine/models/linear_model.hpp"

#include <QTemporaryDir>
#include <QTest>
#include <bit>
#include <cmath>
#include <fstream>
#include <map>
#include <numbers>

#include <sys/stat.h>

#include <fmt/core.h>

using namespace conoid;
using namespace conoid::acoustic_fd;
using conoid::testing::same_values;
using conoid::testing::speed_at;

namespace {

/// Samples of cos(π part i spacing + 0.3): `part` of the Nyquist frequency of spacing 1.
std::vector<float> wave(double part, const SampleLine& line) {
  std::vector<float> out;
  for (Index i = 0; i < line.count; ++i)
    out.push_back(static_cast<float>(
        std::cos(std::numbers::pi * part * (line.origin + static_cast<double>(i) * line.spacing) + 0.3)));
  return out;
}

/// The largest difference farther than `margin` from the ends.
double difference(const std::vector<float>& a, const std::vector<float>& b, std::size_t margin) {
  double most = 0;
  for (std::size_t i = margin; i + margin < a.size() && i < b.size(); ++i)
    most = std::max(most, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return most;
}

/// Filters are 120 dB deep, in pass band and stop band; a float has 24 bits.
constexpr double depth = 1e-6, rounding = 1.2e-7;

}  // namespace

class TestResample : public QObject {
  Q_OBJECT
 private slots:
  void a_wave_of_the_band_goes_up_and_back() {
    const SampleLine coarse{400, 5, 1};
    for (const double spacing : {0.5, 1 / 3.0, 0.7}) {
      const SampleLine fine = covering_line(coarse, spacing, false);
      QVERIFY(fine.last() >= coarse.last() - 1e-9 && fine.last() < coarse.last() + spacing);
      for (const double part : {0.05, 0.4, 0.7}) {
        const auto up = resample_axis(wave(part, coarse), 1, 1, coarse, fine, ResampleFilter::sinc);
        const double far = difference(up, wave(part, fine), static_cast<std::size_t>(40 / spacing));
        QVERIFY2(far < depth + rounding, fmt::format("{} {}: {:.2g}", spacing, part, far).c_str());
        // On the way back the pass band ends at 0.75 of the coarse Nyquist frequency.
        const auto back = resample_axis(up, 1, 1, fine, coarse, ResampleFilter::sinc);
        const double there = difference(back, wave(part, coarse), 90);
        QVERIFY2(there < 2 * (depth + rounding), fmt::format("{} {}: {:.2g}", spacing, part, there).c_str());
      }
    }
  }

  void what_would_fold_back_is_taken_away() {
    const SampleLine fine{1200, 0, 1};
    for (const double spacing : {1.5, 2.0, 4.0}) {
      const SampleLine coarse = covering_line(fine, spacing, false);
      const auto margin = static_cast<std::size_t>(50);
      const auto zero = std::vector<float>(static_cast<std::size_t>(coarse.count));
      for (const double part : {1.01, 1.3, 1.49})  // of the new Nyquist frequency, below the old one
        if (part / spacing < 1)
          QVERIFY(difference(resample_axis(wave(part / spacing, fine), 1, 1, fine, coarse, ResampleFilter::sinc), zero,
                             margin) < depth + rounding);
      const auto kept = resample_axis(wave(0.74 / spacing, fine), 1, 1, fine, coarse, ResampleFilter::sinc);
      QVERIFY(difference(kept, wave(0.74 / spacing, coarse), margin) < depth + rounding);
    }
  }

  void lines_of_any_stride_agree_and_constants_stay() {
    const SampleLine from{17, -3, 2};
    for (const double spacing : {0.9, 2.0, 5.3})
      for (const ResampleFilter filter : {ResampleFilter::sinc, ResampleFilter::linear}) {
        const SampleLine to = covering_line(from, spacing, true);
        QVERIFY(std::abs(to.last() - from.last()) < 1e-9);
        const Index inner = 5, outer = 3;
        std::vector<float> all, constant(static_cast<std::size_t>(17 * inner * outer), 1234.5F);
        for (Index i = 0; i < 17 * inner * outer; ++i) all.push_back(static_cast<float>((i * 7919) % 101));
        const auto out = resample_axis(all, outer, inner, from, to, filter);
        for (Index o = 0; o < outer; ++o)
          for (Index i = 0; i < inner; ++i) {
            std::vector<float> line;
            for (Index k = 0; k < 17; ++k) line.push_back(all[static_cast<std::size_t>((o * 17 + k) * inner + i)]);
            const auto alone = resample_axis(line, 1, 1, from, to, filter);
            for (Index k = 0; k < to.count; ++k) {
              const float v = out[static_cast<std::size_t>((o * to.count + k) * inner + i)];
              QCOMPARE(v, alone[static_cast<std::size_t>(k)]);
              if (filter == ResampleFilter::linear) QVERIFY(v >= -1e-4F && v <= 100.0001F);
            }
          }
        for (const float v : resample_axis(constant, outer, inner, from, to, filter))
          QVERIFY(std::abs(v - 1234.5F) < 1e-3F);
      }
  }

  void a_model_keeps_its_values_in_every_format() {
    QTemporaryDir folder;
    const auto path = [&](const char* name) { return std::filesystem::path(folder.filePath(name).toStdString()); };
    std::vector<float> values;
    for (int k = 0; k < 5; ++k)
      for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 4; ++i) values.push_back(speed_at(40 + 10 * i, -20 + 20 * j, -20 + 5 * k));
    std::ofstream(path("m.bin"), std::ios::binary).write(reinterpret_cast<const char*>(values.data()), 240);
    std::ofstream(path("m.json"))
        << R"({"file":"m.bin","axes":"zyx","shape":[5,3,4],"spacing":[5,20,10],"origin":[-20,-20,40]})";
    ResampleTask task;
    task.memory = Bytes{4} << 30;
    task.quantity = "speed";
    const auto nothing = [](const ReportRow&) {};
    const char* chain[] = {"m.json", "a.sgy", "b.vti", "c.json"};
    for (std::size_t n = 1; n < 4; ++n) {
      task.file = path(chain[n - 1]);
      task.out = path(chain[n]);
      const Status done = resample_file(task, nothing);
      QVERIFY2(done.ok(), done ? "" : done.error().text.c_str());
      same_values(task.out.string(), {40, -20, -20});
    }
    const Status again = resample_file(task, nothing);
    QVERIFY(!again && again.error().text.find("nothing is written over") != std::string::npos);
    // Half the spacing along z, from the top; linear samples of a linear field are exact.
    task.filter = "linear";
    task.spacing = {0, 0, 2.5};
    task.out = path("d.vti");
    QVERIFY(resample_file(task, nothing).ok());
    const auto fine = open_model(task.out, ModelQuantity::speed);
    QVERIFY(bool(fine));
    QCOMPARE((*fine)->box().shape, (std::array<Index, 3>{4, 3, 9}));
    std::vector<double> row(9);
    (*(*fine)->load())->row(50, 0, -20, 2.5, row);
    for (int k = 0; k < 9; ++k)
      QVERIFY(std::abs(row[static_cast<std::size_t>(k)] - static_cast<double>(speed_at(50, 0, -20 + 2.5 * k))) < 1e-3);
    task.spacing = {0, 0, 3};  // 20 m are no multiple: the new model reaches below the old one, its top stays at z = 0
    task.out = path("e.sgy");
    QVERIFY(resample_file(task, nothing).ok());
    QCOMPARE((*open_model(task.out, ModelQuantity::speed))->box().origin[2], -21.0);
  }

  void the_report_tells_what_a_spacing_does() {
    QTemporaryDir folder;
    const auto path = [&](const char* name) { return std::filesystem::path(folder.filePath(name).toStdString()); };
    std::vector<float> values(60 * 50 * 40, 2000);
    values[7] = 1500;
    std::ofstream(path("m.bin"), std::ios::binary)
        .write(reinterpret_cast<const char*>(values.data()), 4 * 60 * 50 * 40);
    std::ofstream(path("m.json"))
        << R"({"file":"m.bin","axes":"zyx","shape":[60,50,40],"spacing":[10,10,10],"origin":[5,0,0]})";
    ResampleTask task;
    task.memory = Bytes{4} << 30;
    task.file = path("m.json");
    task.quantity = "speed";
    task.frequency = 25;
    task.path = 1200;
    task.order = 8;
    std::map<std::string, double> rows;
    const auto take = [&](const ReportRow& row) { rows[row.name] = row.value; };
    QVERIFY(resample_file(task, take).ok());
    QCOMPARE(rows.at("shortest wave"), 60.0);
    QCOMPARE(rows.at("nodes in it"), 6.0);
    const Stencil stencil = stencil_of_order(8);
    const double dt = largest_time_step(stencil, {10, 10, 10}, 2000);
    QVERIFY(std::abs(dt - 2 / std::sqrt(3 * 2048.0 / 315) * 10 / 2000) < 1e-12);
    const double error = worst_phase_speed_error(stencil, 6, 1500 * 0.9 * dt / 10);
    QCOMPARE(rows.at("order 8, largest stable time step"), dt);
    QCOMPARE(rows.at("order 8, error of speed"), error);
    QCOMPARE(rows.at("order 8, periods late"), -error * 20);
    QVERIFY(rows.at("order 8, memory") >= 12.0 * 60 * 50 * 40);
    QVERIFY(!rows.contains("order 6, memory"));
    // One odd sample rings at half the spacing; what leaves the range is cut and counted.
    task.spacing = {5, 5, 5};
    task.out = path("fine.json");
    QVERIFY(resample_file(task, take).ok());
    QVERIFY(rows.at("cut to the old range") > 0);
    const auto fine = read_model_header(task.out);
    QVERIFY(bool(fine));
    const SpeedRange range = (*load_model(*fine))->range({}, {});
    QVERIFY(range.lowest >= 1500 && range.highest <= 2000);
  }

  void what_cannot_be_resampled() {
    QTemporaryDir folder;
    const auto path = [&](const char* name) { return std::filesystem::path(folder.filePath(name).toStdString()); };
    const auto refusal = [](const ResampleTask& task) {
      const Status s = resample_file(task, [](const ReportRow&) {});
      return s ? std::string() : s.error().place.file + ": " + s.error().text;
    };
    const float values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    std::ofstream(path("m.bin"), std::ios::binary).write(reinterpret_cast<const char*>(values), 32);
    std::ofstream(path("m.json"))
        << R"({"file":"m.bin","axes":"zyx","shape":[2,2,2],"spacing":[10,10,10],"origin":[5,0,0]})";
    ResampleTask task;
    task.memory = Bytes{4} << 30;
    task.file = path("m.json");
    task.quantity = "speed";
    task.out = path("m.sgy");
    QVERIFY2(refusal(task).find("hang from z = 0") != std::string::npos, refusal(task).c_str());
    task.spacing = {1e-9, 1, 1};
    QVERIFY2(refusal(task).find("million samples along x") != std::string::npos, refusal(task).c_str());
    task.spacing = {2e-5, 2e-5, 2e-5};  // 10^17 samples
    task.out = path("m.vti");
    QVERIFY2(refusal(task).find("may be used") != std::string::npos, refusal(task).c_str());
    QVERIFY(!std::filesystem::exists(task.out));
    task = {};
    task.interval = 0.002;
    task.file = path("t.csv");
    std::ofstream(path("t.csv")) << "t[s],p[Pa]\n0,1\n0.001,2\n0.0025,3\n";
    QVERIFY2(refusal(task).find("t.csv: row 2 lies at 0.001 s") != std::string::npos, refusal(task).c_str());
    std::ofstream(path("t.csv")) << "f[Hz],p[Pa]\n0,1\n1,2\n";
    QVERIFY2(refusal(task).find("in Hz") != std::string::npos, refusal(task).c_str());
    std::ofstream(path("t.csv")) << "t[s],p[Pa]\n0,1\n0.001,2\n";
    task.interval = 1e-14;
    QVERIFY2(refusal(task).find("10^8") != std::string::npos, refusal(task).c_str());
  }

  void traces_keep_headers_and_waves() {
    QTemporaryDir folder;
    const auto path = [&](const char* name) { return std::filesystem::path(folder.filePath(name).toStdString()); };
    const SampleLine line{500, 0, 0.001};
    SegyLayout layout;
    layout.samples = line.count;
    layout.interval = line.spacing;
    std::vector<SegyTrace> headers(2);
    headers[0].receiver = {10, 20, -5};
    headers[1].shot = 3;
    std::vector<float> values = wave(200, line), loud = wave(700, line);  // 100 Hz, 350 Hz
    values.insert(values.end(), loud.begin(), loud.end());
    QVERIFY(write_segy(path("t.sgy"), layout, headers, values).ok());
    ResampleTask task;
    task.memory = Bytes{4} << 30;
    task.file = path("t.sgy");
    task.interval = 0.002;  // up to 250 Hz
    task.out = path("u.sgy");
    std::map<std::string, double> rows;
    const Status done = resample_file(task, [&](const ReportRow& row) { rows[row.name] = row.value; });
    QVERIFY2(done.ok(), done ? "" : done.error().text.c_str());
    QVERIFY(std::abs(rows.at("taken away") - 0.5) < 0.02);  // the second trace, but for what its ends leave
    const auto reader = SegyReader::open(task.out);
    QVERIFY(bool(reader));
    QCOMPARE(reader->samples(), Index(251));
    QCOMPARE(reader->interval_microseconds(), 2000.0);
    SegyTrace header;
    std::vector<float> trace(251);
    QVERIFY(reader->read(0, header, trace).ok());
    QCOMPARE(header.receiver, (std::array<double, 3>{10, 20, -5}));
    QVERIFY(difference(trace, wave(200, {251, 0, 0.002}), 40) < depth + rounding);
    QVERIFY(reader->read(1, header, trace).ok());
    QCOMPARE(header.shot, 3);
    QVERIFY(difference(trace, std::vector<float>(251), 40) < depth + rounding);
    std::string table = "# made by hand\nt[s],p[Pa]\n";
    for (Index i = 0; i < 300; ++i)
      table += fmt::format("{},{}\n", 0.5 + 0.001 * static_cast<double>(i), values[static_cast<std::size_t>(i)]);
    std::ofstream(path("t.csv")) << table;
    task.file = path("t.csv");
    task.out = path("u.csv");
    QVERIFY(resample_file(task, [](const ReportRow&) {}).ok());
    std::ifstream in(path("u.csv"));
    std::string first, second, third;
    std::getline(in, first), std::getline(in, second), std::getline(in, third);
    QCOMPARE(first, std::string("# made by hand\r"));
    QCOMPARE(second, std::string("t[s],p[Pa]\r"));
    QVERIFY(third.starts_with("0.5,"));
  }
};

QTEST_APPLESS_MAIN(TestResample)
#include "test_resample.moc"
