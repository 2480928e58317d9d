// SPDX-License-Identifier: BSD-3-Clause
// Spectra against the exact transform of a Gaussian, and the transform against its definition.
// labels: unit
#include <QTest>

#include <cmath>

#include "engine/numerics/fft.hpp"
#include "render/chart/spectrum.hpp"

using namespace conoid;

class TestSpectrum : public QObject {
  Q_OBJECT
 private slots:
  void fft_is_the_discrete_transform() {
    std::vector<std::complex<double>> x(32), y;
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = {std::sin(1.7 * static_cast<double>(i)), std::cos(0.3 * static_cast<double>(i * i))};
    y = x;
    fft(y);
    for (std::size_t k = 0; k < x.size(); ++k) {
      std::complex<double> sum = 0;
      for (std::size_t n = 0; n < x.size(); ++n)
        sum += x[n] * std::polar(1.0, -2 * 3.14159265358979323846 * static_cast<double>(k * n) / 32);
      QVERIFY(std::abs(sum - y[k]) < 1e-12 * 32);
    }
  }

  // x = exp(−π (t/T)²) has X = T exp(−π (fT)²); sampled until 1e-30 the trapezia are exact to rounding.
  void a_gaussian_has_its_exact_spectrum() {
    const double T = 2e-3;
    Series curve;
    for (int i = 0; i <= 400; ++i) {
      const double t = (i - 200) * 5e-5;
      curve.x.push_back(t + 0.01);
      curve.y.push_back(std::exp(-3.14159265358979323846 * t * t / T / T));
    }
    const Series s = spectrum_of(curve);
    QVERIFY(s.x.size() == 513);  // 1024 ≥ 2·401, one-sided
    QVERIFY(std::abs(s.x[1] - 1 / (1024 * 5e-5)) < 1e-9);
    for (std::size_t k = 0; k < s.x.size(); ++k) {
      const double exact = T * std::exp(-3.14159265358979323846 * std::pow(s.x[k] * T, 2));
      QVERIFY2(std::abs(s.y[k] - exact) < 1e-13 * T + 1e-12 * exact, qPrintable(QString::number(s.x[k])));
    }
  }

  void uneven_times_are_evened_and_senseless_ones_refused() {
    Series curve;
    for (int i = 0; i < 50; ++i) {
      curve.x.push_back(0.01 * i + (i % 2) * 1e-4);
      curve.y.push_back(3);
    }
    const Series s = spectrum_of(curve);
    QVERIFY(!s.x.empty());
    QVERIFY(std::abs(s.y[0] - 3 * (curve.x.back() - curve.x.front())) < 1e-9);
    curve.x[10] = curve.x[9];
    QVERIFY(spectrum_of(curve).x.empty());
    QVERIFY(spectrum_of({}).x.empty());
  }
};

QTEST_APPLESS_MAIN(TestSpectrum)
#include "test_spectrum.moc"
