// SPDX-License-Identifier: BSD-3-Clause
// Rates, times and delays of curves that are known in closed form.
// labels: unit
#include <QTest>

#include <cmath>

#include "render/chart/curve_fit.hpp"

using namespace conoid;

namespace {

constexpr double pi = 3.14159265358979323846;

template <class F>
Series sampled(const char* label, double begin, double step, int count, F&& value) {
  Series out;
  out.label = label;
  for (int i = 0; i < count; ++i) {
    out.x.push_back(begin + step * i);
    out.y.push_back(value(out.x.back()));
  }
  return out;
}

/// Relative.
bool near(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance * std::abs(b);
}

}  // namespace

class TestCurveFit : public QObject {
  Q_OBJECT
 private slots:
  // Trapezia of e^(−2δt) on even steps are a geometric sum: the level is a line without any error but rounding, once
  // what lies beyond the end is put back.
  void an_exponential_has_its_rate_in_every_unit() {
    const double rate = 4.6, amplitude = 0.03;
    const double end = 70 * std::log(10) / 20 / rate;  // 70 dB
    const auto y = [&](double t) { return amplitude * std::exp(-rate * (t - 0.1)); };
    const double step = end / 2000;
    const auto p = fit_decay(sampled("p", 0.1, step, 2001, y), "Pa");
    QVERIFY(p.ok());
    for (const auto time : {p->early, p->t20, p->t30, p->t60}) {
      QVERIFY(time.has_value());
      QVERIFY2(near(*time, 3 * std::log(10) / rate, 1e-9), qPrintable(QString::number(*time, 'g', 15)));
    }
    QVERIFY(near(p->rate, rate, 1e-9));
    // The sum is the integral times x coth x, x = δh.
    const double x = rate * step;
    QVERIFY(near(p->amplitude, amplitude * std::sqrt(x / std::tanh(x)), 1e-8));
    QVERIFY(!p->frequency && !p->quality);
    const auto energy = fit_decay(sampled("E", 0.1, step, 2001, [&](double t) { return y(t) * y(t); }), "J");
    QVERIFY(energy.ok() && near(energy->rate, rate, 1e-9));
    const auto level = fit_decay(sampled("L", 0.1, step, 2001, [&](double t) { return 20 * std::log10(y(t)); }), "dB");
    QVERIFY(level.ok() && near(level->rate, rate, 1e-9));
    // 28 dB are enough for T20 and not for T30, and what is cut off has no effect.
    const auto cut = fit_decay(sampled("p", 0.1, step, 801, y), "Pa");
    QVERIFY(cut.ok() && cut->t20 && !cut->t30 && !cut->t60);
    QVERIFY2(near(*cut->t20, 3 * std::log(10) / rate, 1e-7), qPrintable(QString::number(*cut->t20, 'g', 15)));
  }

  // y = e^(−δt) sin ωt, silent before. The ripple of ln ∫ y² is at most r = δ/√(δ²+ω²), and a line over the time S turns by at
  // most 6 r/(S² ω) for it; crossings by linear interpolation are off by at most h (ωh)²/10.
  void an_oscillation_has_its_rate_frequency_and_quality() {
    const double rate = 3, omega = 2 * pi * 50, step = 2e-4;
    const Series y = sampled("y", 0, step, 15001, [&](double t) {
      return t < 0.5 ? 0 : std::exp(-rate * (t - 0.5)) * std::sin(omega * (t - 0.5));
    });
    const auto fit = fit_decay(y, "m");
    QVERIFY(fit.ok() && fit->t60 && fit->frequency && fit->quality);
    const double span = 60 * std::log(10) / 20 / rate, ripple = rate / std::hypot(rate, omega);
    QVERIFY(near(fit->rate, rate, 2 * 6 * ripple / (span * span * omega) / (2 * rate)));
    QVERIFY(near(*fit->frequency, 50, 2 * step * std::pow(omega * step, 2) / 10 / span));
    QVERIFY(near(*fit->quality, std::hypot(omega, rate) / (2 * rate), 1e-4));
    // The envelope at the beginning, which is the peak, to the ripple.
    QVERIFY(near(fit->amplitude, std::exp(-rate * (fit->begin - 0.5)), 2 * ripple));
  }

  void what_does_not_die_away_has_no_time() {
    QVERIFY(!fit_decay(sampled("c", 0, 0.01, 1000, [](double) { return 2.0; }), "Pa").ok());
    QVERIFY(!fit_decay(sampled("s", 0, 0.01, 1000, [](double t) { return std::sin(9 * t); }), "Pa").ok());
    QVERIFY(!fit_decay(sampled("0", 0, 0.01, 1000, [](double) { return 0.0; }), "Pa").ok());
    QVERIFY(!fit_decay(sampled("few", 0, 0.01, 5, [](double t) { return std::exp(-t); }), "Pa").ok());
    // 6 dB.
    QVERIFY(!fit_decay(sampled("6", 0, 0.001, 1000, [](double t) { return std::exp(-0.69 * t); }), "Pa").ok());
  }

  // Gaussians vanish to 1e-30 at the ends and have nothing above half of the sampling rate: the correlation is exact between samples.
  void a_pulse_is_found_between_samples() {
    const double step = 1e-4, width = 1e-3;
    const auto pulse = [&](double t) { return std::exp(-t * t / width / width); };
    const Series a = sampled("a", 0, step, 512, [&](double t) { return pulse(t - 0.012); });
    for (const double samples : {0.0, 3.37, -41.5, 120.01}) {
      const Series b = sampled("b", 0, step, 512, [&](double t) { return -0.4 * pulse(t - 0.012 - samples * step); });
      const auto fit = fit_delay(a, b);
      QVERIFY(fit.ok());
      QVERIFY2(std::abs(fit->delay - samples * step) < 1e-9 * step + 1e-12 * width,
               qPrintable(QString::number(fit->delay / step, 'g', 15)));
      QVERIFY(near(fit->gain, -0.4, 1e-9));
      QVERIFY(near(fit->coefficient, 1, 1e-9));
    }
    // Other times and steps: chords leave the curve by at most h² y″/8 = h²/(4 w²) of the peak, on both.
    const Series c = sampled("c", 0.003, 0.7e-4, 600, [&](double t) { return pulse(t - 0.0201234); });
    const auto fit = fit_delay(a, c);
    QVERIFY(fit.ok());
    QVERIFY(std::abs(fit->delay - 0.0081234) < step * step / width / 4);
    QVERIFY(!fit_delay(a, sampled("0", 0, step, 512, [](double) { return 0.0; })).ok());
    // Only what lies within the window.
    QVERIFY(!fit_delay(a, c, {0.04, 0.0405}).ok());
  }

  void a_chart_shows_what_was_fitted() {
    ChartSpec chart;
    chart.x_unit = "s";
    chart.y_unit = "Pa";
    chart.series = {sampled("north", 0, 1e-3, 2000, [](double t) { return 2 * std::exp(-8 * t); })};
    const auto fit = fitted(chart, {FitKind::decay, "north", {}, {}});
    QVERIFY(fit.ok() && fit->curve.overlay);
    QVERIFY(fit->text.starts_with("decay 8 1/s, T20 863"));
    QVERIFY(fit->curve.label.starts_with("north, decay"));
    for (std::size_t i = 0; i < fit->curve.x.size(); ++i)
      QVERIFY(near(fit->curve.y[i], 2 * std::exp(-8 * fit->curve.x[i]), 1e-4));  // (δh)²/6
    const auto none = fitted(chart, {FitKind::delay, "north", "south", {}});
    QVERIFY(!none.ok() && none.error().hint.find("north") != std::string::npos);
    chart.x_unit = "m";
    QVERIFY(!fitted(chart, {FitKind::decay, "north", {}, {}}).ok());
  }
};

QTEST_APPLESS_MAIN(TestCurveFit)
#include "test_curve_fit.moc"
