// SPDX-License-Identifier: BSD-3-Clause
// Spectrograms against tones and chirps, whose levels and ridges are exact.
// labels: unit
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <functional>
#include <numbers>

#include "engine/core/atomic_file.hpp"
#include "render/chart/chart_export.hpp"
#include "render/chart/chart_rows.hpp"
#include "render/chart/chart_scene.hpp"
#include "render/chart/spectrogram.hpp"

using namespace conoid;

namespace {

constexpr double half_turn = std::numbers::pi;

ChartSpec chart_over_time(int samples, double rate, const std::function<double(double)>& at) {
  ChartSpec chart;
  chart.title = "Pressure";
  chart.x_label = "t";
  chart.x_unit = "s";
  chart.y_unit = "Pa";
  Series s;
  s.label = "north";
  for (int i = 0; i < samples; ++i) {
    s.x.push_back(0.5 + i / rate);
    s.y.push_back(at(i / rate));
  }
  chart.series.push_back(std::move(s));
  return chart;
}

double level(const Spectrogram& s, std::size_t time, std::size_t bin) {
  return static_cast<double>(s.levels[time * s.frequencies.size() + bin]);
}

}  // namespace

class TestSpectrogram : public QObject {
  Q_OBJECT
 private slots:
  // Hann's window is three lines, 1 at the tone and ½ beside it: whole periods in a window meet zeros of the others, so that the level is that
  // of the amplitude to rounding (of single precision, in which levels are kept).
  void a_tone_has_the_level_of_its_amplitude() {
    const double amplitude = 0.02, rate = 8000, tone = 1000;
    const auto made = spectrogram_chart(
        chart_over_time(4000, rate, [&](double t) { return amplitude * std::cos(2 * half_turn * tone * t + 0.7); }),
        {"north", 256 / rate, 0.5});
    QVERIFY2(made.ok(), made.ok() ? "" : made.error().render().c_str());
    const Spectrogram& s = *made->spectrogram;
    QCOMPARE(s.frequencies.size(), std::size_t{257});
    QCOMPARE(s.frequencies.back(), rate / 2);
    QCOMPARE(s.times.size(), std::size_t{(4000 - 256) / 128 + 1});
    QVERIFY(std::abs(s.times.front() - (0.5 + 128 / rate)) < 1e-12 &&
            std::abs(s.times[1] - s.times[0] - 128 / rate) < 1e-12);
    QCOMPARE(s.window, 256 / rate);
    const double exact = 20 * std::log10(amplitude);
    const std::size_t bin = 64;  // 1000 Hz / (8000 Hz / 512)
    QCOMPARE(s.frequencies[bin], tone);
    for (std::size_t c = 0; c < s.times.size(); ++c) {
      QVERIFY2(std::abs(level(s, c, bin) - exact) < 1e-5, qPrintable(QString::number(level(s, c, bin), 'g', 10)));
      QVERIFY(std::abs(level(s, c, bin + 2) - (exact + 20 * std::log10(0.5))) < 1e-5);  // the next line of the window
      QVERIFY(level(s, c, bin + 4) < exact - 200);
    }
    QVERIFY(std::abs(s.top - exact) < 1e-5);
    QCOMPARE(made->z_unit, std::string("dB re 1 Pa"));
    // A constant is at 0 Hz what it is.
    const auto constant = spectrogram_chart(chart_over_time(500, 100, [](double) { return -3.0; }));
    QVERIFY(std::abs(level(*constant->spectrogram, 3, 0) - 20 * std::log10(3.0)) < 1e-5);
  }

  // Under a symmetric window the transform of exp(iπct²) is as large on both sides of the instantaneous frequency of its middle.
  void a_chirp_has_a_straight_ridge() {
    const double rate = 16000, begin = 500, slope = 4000;  // Hz, Hz/s
    const auto made = spectrogram_chart(
        chart_over_time(16000, rate,
                        [&](double t) { return std::sin(2 * half_turn * (begin * t + slope * t * t / 2)); }),
        {"", 512 / rate, 0.75});
    QVERIFY(made.ok());
    const Spectrogram& s = *made->spectrogram;
    const double bin = s.frequencies[1];
    QCOMPARE(bin, rate / 1024);
    for (std::size_t c = 0; c < s.times.size(); ++c) {
      std::size_t best = 0;
      for (std::size_t k = 1; k < s.frequencies.size(); ++k)
        if (level(s, c, k) > level(s, c, best)) best = k;
      const double exact = begin + slope * (s.times[c] - 0.5);
      QVERIFY2(std::abs(s.frequencies[best] - exact) <= bin / 2 + 1e-6 * bin,
               qPrintable(QString("%1 s: %2 Hz, exact %3 Hz").arg(s.times[c]).arg(s.frequencies[best]).arg(exact)));
    }
  }

  void energies_have_half_the_decibels() {
    ChartSpec chart = chart_over_time(400, 100, [](double) { return 100.0; });
    chart.y_unit = "J";
    const auto made = spectrogram_chart(chart);
    QVERIFY(std::abs(level(*made->spectrogram, 0, 0) - 20) < 1e-5);
    QCOMPARE(made->z_unit, std::string("dB re 1 J"));
  }

  void axes_and_rows_are_those_that_are_seen() {
    const double rate = 8000;
    const auto made =
        spectrogram_chart(chart_over_time(4000, rate, [&](double t) { return std::cos(2 * half_turn * 500 * t); }),
                          {"north", 256 / rate, 0.5});
    ChartScene scene;
    scene.set_chart(*made);
    scene.layout(800, 500, 1);
    const ChartScene::View view = scene.view();
    QCOMPARE(view.x_low, 0.5);
    QCOMPARE(view.x_high, 0.5 + 3999 / rate);
    QCOMPARE(view.y_low, 0.0);
    QVERIFY2(view.y_high > 500 && view.y_high < 700, qPrintable(QString::number(view.y_high)));  // of 4000
    // The reading under the pointer is a computed one.
    std::optional<ChartReading> found;
    for (double y = 0; y < 500 && !found; y += 1)
      if (const auto r = scene.read(400, y); r && std::abs(r->values.front().y) < 1e-3) found = r;
    QVERIFY(found.has_value());
    QVERIFY2(found->text.find("500 Hz") != std::string::npos, found->text.c_str());
    ChartSpec limited = *made;
    limited.limits.y_low = 450;
    limited.limits.y_high = 550;
    const ChartRows rows = rows_of_chart(limited, {}, std::pair{0.6, 0.7});
    QCOMPARE(rows.heads, (std::vector<std::string>{"t [s]", "Frequency [Hz]", "Amplitude [dB re 1 Pa]"}));
    QVERIFY(!rows.rows.empty());
    for (const auto& row : rows.rows) QVERIFY(row[0] >= 0.6 && row[0] <= 0.7 && row[1] >= 450 && row[1] <= 550);
  }

  // VTK's writer names pictures and leaves them out: a drawing has to carry its own.
  void drawings_carry_their_pictures() {
    QTemporaryDir folder;
    const auto chart = chart_over_time(400, 1000, [](double t) { return std::sin(2 * half_turn * 50 * t); });
    ChartSpec traces = chart;
    traces.series.assign(4, chart.series.front());
    for (const ChartSpec& spec : {*spectrogram_chart(chart), gather_chart(traces, GatherLook::picture)}) {
      auto scene = std::make_shared<ChartScene>();
      scene->set_chart(spec);
      const std::filesystem::path file = folder.filePath("drawing.svg").toStdString();
      const Status written = export_chart(scene, file, 600, 400);
      QVERIFY2(written.ok(), written.ok() ? "" : written.error().render().c_str());
      const QByteArray text = QByteArray::fromStdString(*read_file(file, Bytes{1} << 26));
      QCOMPARE(text.count("data:image/png;base64,"), 2);  // the picture and its scale
      QCOMPARE(text.count("vtkEmbeddedImage"), 0);
      QVERIFY(text.trimmed().endsWith("</svg>"));
    }
  }

  void what_cannot_be_made_says_why() {
    const ChartSpec chart = chart_over_time(100, 1000, [](double t) { return t; });
    const auto says = [](const Result<ChartSpec>& r, const char* what) {
      return !r.ok() && r.error().render().find(what) != std::string::npos;
    };
    QVERIFY(says(spectrogram_chart(chart, {"south"}), "Curves: north"));
    QVERIFY(says(spectrogram_chart(chart, {"", 2.0}), "8 to the 100"));
    QVERIFY(says(spectrogram_chart(chart, {"", 1e-3}), "8 to the 100"));
    QVERIFY(says(spectrogram_chart(chart, {"", 0, 1}), "less than their length"));
    ChartSpec angles = chart;
    angles.x_unit = "deg";
    QVERIFY(!can_be_spectrogram(angles) && !spectrogram_chart(angles).ok());
    ChartSpec levels = chart;
    levels.y_unit = "dB";
    QVERIFY(!spectrogram_chart(levels).ok());
    QVERIFY(says(spectrogram_chart(chart_over_time(400000, 1000, [](double t) { return t; }), {"", 0.2, 0.999}),
                 "overlap less"));
    QCOMPARE(parse_share("75 %").value_or(-1), 0.75);
    QCOMPARE(parse_share("0.5").value_or(-1), 0.5);
    QVERIFY(!parse_share("half") && !parse_share("%"));
    // Silence has a picture without colours, and no infinite axis.
    const auto silent = spectrogram_chart(chart_over_time(100, 1000, [](double) { return 0.0; }));
    QVERIFY(silent.ok());
    ChartScene scene;
    scene.set_chart(*silent);
    scene.layout(400, 300, 1);
    QVERIFY(std::isfinite(scene.view().y_high));
  }
};

QTEST_APPLESS_MAIN(TestSpectrogram)
#include "test_spectrogram.moc"
