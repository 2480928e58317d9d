// SPDX-License-Identifier: BSD-3-Clause
// Quantities as people type them: exact conversions, units that fit, messages for those that do not.
// labels: unit
#include "engine/core/units.hpp"

#include <QTest>
#include <cmath>
#include <numbers>
#include <random>

using namespace conoid;

class TestUnits : public QObject {
  Q_OBJECT

 private slots:
  void reads_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("expected");
    QTest::addColumn<double>("value");
    const auto row = [](const char* text, const char* unit, double value) {
      QTest::addRow("%s -> %s", text, unit) << QString::fromUtf8(text) << QString::fromUtf8(unit) << value;
    };
    row("2 GHz", "Hz", 2e9);
    row("2GHz", "Hz", 2e9);
    row(" 2  GHz ", "Hz", 2e9);
    row("0.5 in", "m", 0.0127);
    row("90 deg", "rad", std::numbers::pi / 2);
    row("90°", "rad", std::numbers::pi / 2);
    row("180 deg", "rad", std::numbers::pi);
    row("-6 dB", "dB", -6);
    row("1 Np", "dB", 20 / std::numbers::ln10);
    row("3 dB/km", "dB/m", 0.003);
    row("12 kN/m^2", "Pa", 12000);
    row("12 kN/m²", "Pa", 12000);
    row("12 kN/m2", "Pa", 12000);
    row("12 kN*m^-2", "Pa", 12000);
    row("1.2 g/cm^3", "kg/m^3", 1200);
    row("7.85 t/m^3", "kg/m^3", 7850);
    row("1500", "m/s", 1500);
    row("1.5 km/s", "m/s", 1500);
    row("90 km/h", "m/s", 25);
    row("10 ft/s", "m/s", 3.048);
    row("0.1 mm", "m", 1e-4);
    row("0.3 mm", "m", 3e-4);
    row("7 µm", "m", 7e-6);
    row("7 \u03bcm", "m", 7e-6);
    row("7 um", "m", 7e-6);
    row("1 mil", "m", 2.54e-5);
    row("3.5e-2 km", "m", 35);
    row("2e3", "m", 2000);
    row("2e3m", "m", 2000);
    row("2 eV", "J", 3.204353268e-19);
    row("2eV", "J", 3.204353268e-19);
    row("+4 m", "m", 4);
    row(".5 m", "m", 0.5);
    row("5. m", "m", 5);
    row("3 min", "s", 180);
    row("2 h", "s", 7200);
    row("250 ms", "s", 0.25);
    row("8 ps", "s", 8e-12);
    row("14.5 psi", "Pa", 14.5 * 6894.757293168361);
    row("2 bar", "Pa", 2e5);
    row("20 mbar", "Pa", 2000);
    row("1 atm", "Pa", 101325);
    row("10 lb", "kg", 4.5359237);
    row("1 lbf", "N", 4.4482216152605);
    row("20 degC", "K", 293.15);
    row("-40 degF", "K", 233.15);
    row("0 °C", "K", 273.15);
    row("3 kJ/(kg*K)", "J/(kg*K)", 3000);
    row("3 kJ/kg/K", "J/(kg*K)", 3000);
    row("1 N s/m", "kg/s", 1);
    row("1 N·s/m", "kg/s", 1);
    row("50 ohm", "ohm", 50);
    row("50 kΩ", "ohm", 50000);
    row("8.8541878128 pF/m", "F/m", 8.8541878128e-12);
    row("5 S/cm", "S/m", 500);
    row("60 rpm", "rad/s", 2 * std::numbers::pi);
    row("4 s^-1", "Hz", 4);
    row("4 1/s", "Hz", 4);
    row("4 s⁻¹", "Hz", 4);
    row("35 %", "1", 0.35);
    row("7", "1", 7);
    row("7", "", 7);
    row("8 GiB", "B", 8589934592.0);
    row("500 MB", "B", 5e8);
    row("500 mm", "cm", 50);
    row("0 km", "m", 0);
    row("1.5 Mrayl", "Pa*s/m", 1.5e6);
    row("5e-324", "m", 5e-324);
  }
  void reads() {
    QFETCH(QString, text);
    QFETCH(QString, expected);
    QFETCH(double, value);
    const auto q = parse_quantity(text.toStdString(), expected.toStdString());
    QVERIFY2(q.ok(), q.ok() ? "" : q.error().render().c_str());
    // One rounding at the end: at most one unit in the last place away from the double nearest to the true
    // value.
    const double step = std::nextafter(std::abs(value), HUGE_VAL) - std::abs(value);
    QVERIFY2(std::abs(q->value - value) <= step, qPrintable(QString::number(q->value, 'g', 17)));
  }

  void powers_of_ten_are_exact() {
    // Whatever decimal prefix a person chooses, the double is the one of the plain number.
    std::mt19937 random(7);
    std::uniform_int_distribution<int> digits(1, 99999);
    for (int i = 0; i < 2000; ++i) {
      const std::string n = std::to_string(digits(random));
      QCOMPARE(parse_quantity(n + " mm", "m")->value, std::stod(n + "e-3"));
      QCOMPARE(parse_quantity("0." + n + " µs", "s")->value, std::stod("0." + n + "e-6"));
      QCOMPARE(parse_quantity(n + " GHz", "Hz")->value, std::stod(n + "e9"));
      QCOMPARE(parse_quantity(n + " g/cm^3", "kg/m^3")->value, std::stod(n + "e3"));
    }
  }

  void remembers_the_unit_as_typed() {
    QCOMPARE(parse_quantity("2 GHz", "Hz")->typed, std::string("GHz"));
    QCOMPARE(parse_quantity("2", "Hz")->typed, std::string());
  }

  void refuses_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("expected");
    QTest::addColumn<QString>("message");  // must occur in the text
    const auto row = [](const char* text, const char* unit, const char* message) {
      QTest::addRow("%.30s -> %s", text, unit) << QString::fromUtf8(text) << unit << QString::fromUtf8(message);
    };
    row("", "Hz", "found nothing");
    row("   ", "Hz", "found nothing");
    row("abc", "Hz", "expected a number in Hz, found 'abc'");
    row("GHz", "Hz", "found 'GHz'");
    row("2 mm", "Hz", "found '2 mm' (length), expected a number in Hz (frequency)");
    row("2 Hz", "rad/s", "expected a number in rad/s (angular velocity)");
    row("2 rad", "1", "expected a number");
    row("3 dB", "1", "found '3 dB' (level)");
    row("3 %", "dB", "expected a number in dB (level)");
    row("2 ghz", "Hz", "did you mean 'GHz'?");
    row("2 hz", "Hz", "did you mean 'Hz'?");
    row("2 PA", "Pa", "did you mean 'Pa'?");
    row("2 xyz", "Hz", "unknown unit 'xyz'");
    row("2 m/q", "m/s", "unknown unit 'q'");
    row("2 m/", "m/s", "unknown unit");
    row("2 /m", "1/m", "unknown unit");
    row("2 m//s", "m/s", "unknown unit");
    row("2 (m", "m", "unknown unit");
    row("2 m)", "m", "unknown unit");
    row("2 J/kg K", "J/(kg*K)", "unknown unit");
    row("2 m^", "m", "unknown unit");
    row("2 m^99", "m", "unknown unit");
    row("2 m^-", "m", "unknown unit");
    row("2 (((((((((((m)))))))))))", "m", "unknown unit");
    row("2 kkm", "m", "unknown unit");
    row("2 kmin", "s", "unknown unit");
    row("2 cs", "s", "unknown unit");
    row("1,5 m", "m", "the decimal mark is a point");
    row("1_000 m", "m", "digits are not grouped");
    row("1.2.3 m", "m", "decimal mark");
    row("nan", "m", "found 'nan'");
    row("inf m", "m", "found 'inf m'");
    row("-inf", "m", "found '-inf'");
    row("1e999 m", "m", "outside the range");
    row("1e308 km", "m", "outside the range");
    row("1e308 ft", "in", "outside the range");
    row("1e-400 m", "m", "outside the range");
    row("1e99999999999999999999 m", "m", "outside the range");
    row("20 degC", "m", "a temperature");
    row("20 degC/m", "K/m", "unknown unit 'degC'");
    row("0x10 m", "m", "unknown unit");
    row("2 \xff", "m", "unknown unit");
  }
  void refuses() {
    QFETCH(QString, text);
    QFETCH(QString, expected);
    QFETCH(QString, message);
    const auto q = parse_quantity(text.toStdString(), expected.toStdString());
    QVERIFY2(!q.ok(), q.ok() ? qPrintable(QString::number(q->value)) : "");
    QVERIFY2(q.error().text.find(message.toStdString()) != std::string::npos, q.error().render().c_str());
    QVERIFY(!q.error().hint.empty());
    QVERIFY(q.error().code == ErrorCode::invalid_input);
  }

  void lists_fitting_units_in_the_hint() {
    const auto q = parse_quantity("2 mm", "Hz");
    QCOMPARE(q.error().hint, std::string("Units that fit: Hz, kHz, MHz, GHz."));
  }

  void long_texts_are_refused_quickly() {
    QVERIFY(!parse_quantity(std::string(1'000'000, '9'), "m").ok());
    QVERIFY(!parse_quantity("1 " + std::string(1'000'000, 'm'), "m").ok());
    QVERIFY(!parse_quantity("1 " + std::string(300, '('), "m").ok());
    QVERIFY(!known_unit(std::string(1'000'000, '*')));
  }

  void an_unknown_expected_unit_is_a_bug() {
    QVERIFY(parse_quantity("1", "furlong").error().code == ErrorCode::internal);
  }

  void every_offered_unit_is_understood() {
    for (const char* unit :
         {"m", "s", "Hz",   "rad",   "m/s",  "kg",    "kg/m^3", "N",   "Pa", "K",   "V/m",  "S/m", "dB",
          "B", "1", "J/kg", "W/m^2", "Pa*s", "rad/s", "1/m",    "ohm", "T",  "A/m", "dB/m", "m^2", "m/s^2"}) {
      const auto offered = units_for(unit);
      QCOMPARE(offered.front(), std::string(unit));
      QVERIFY2(!quantity_kind(unit).empty(), unit);
      for (const auto& u : offered) {
        const auto q = parse_quantity("1 " + u, unit);
        QVERIFY2(q.ok(), q.ok() ? "" : q.error().render().c_str());
      }
    }
    QCOMPARE(units_for("kg/s"), std::vector<std::string>{"kg/s"});
    QCOMPARE(units_for("").front(), std::string("1"));
  }

  void formats_data() {
    QTest::addColumn<double>("value");
    QTest::addColumn<QString>("unit");
    QTest::addColumn<QString>("text");
    const auto row = [](double value, const char* unit, const char* text) {
      QTest::addRow("%s", text) << value << unit << QString::fromUtf8(text);
    };
    row(2.4e9, "Hz", "2.4 GHz");
    row(999.96, "m", "1 km");
    row(999.94, "m", "999.9 m");
    row(0.0005, "m", "500 \u00b5m");
    row(-0.002, "s", "-2 ms");
    row(5000, "s", "5000 s");
    row(0, "Hz", "0 Hz");
    row(1000, "kg/m^3", "1000 kg/m^3");
    row(343.2, "m/s", "343.2 m/s");
    row(3.25, "1", "3.25");
    row(3.25, "", "3.25");
    row(-6, "dB", "-6 dB");
    row(0.5, "kg", "0.5 kg");
    row(2147483648.0, "B", "2 GiB");
    row(1e20, "Hz", "1e+20 Hz");
  }
  void formats() {
    QFETCH(double, value);
    QFETCH(QString, unit);
    QFETCH(QString, text);
    QCOMPARE(QString::fromStdString(format_quantity(value, unit.toStdString())), text);
  }

  void formatted_quantities_read_back() {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> exponent(-14, 13);
    for (const char* unit : {"Hz", "m", "s", "Pa", "kg/m^3", "rad", "dB", "V/m", "ohm"})
      for (int i = 0; i < 300; ++i) {
        const double value = std::pow(10.0, exponent(random)) * (i % 2 == 0 ? 1 : -1);
        const auto text = format_quantity(value, unit, 17);
        const auto back = parse_quantity(text, unit);
        QVERIFY2(back.ok(), text.c_str());
        // Scaling by the prefix rounds once each way.
        QVERIFY2(std::abs(back->value - value) <= 4.5e-16 * std::abs(value), text.c_str());
      }
  }

  void bytes() {
    QCOMPARE(format_bytes(0), std::string("0 B"));
    QCOMPARE(format_bytes(1023), std::string("1023 B"));
    QCOMPARE(format_bytes(1024), std::string("1 KiB"));
    QCOMPARE(format_bytes(3435973836ull), std::string("3.2 GiB"));
    QCOMPARE(format_bytes((1ull << 30) - 1), std::string("1 GiB"));
    QCOMPARE(format_bytes(~0ull), std::string("16 EiB"));
    QCOMPARE(*parse_bytes("8GiB"), std::uint64_t{8} << 30);
    QCOMPARE(*parse_bytes("500 MB"), std::uint64_t{500'000'000});
    QCOMPARE(*parse_bytes("1024"), std::uint64_t{1024});
    QCOMPARE(*parse_bytes("1.5 KiB"), std::uint64_t{1536});
    for (const char* bad : {"", "-1", "8 Gb", "8 s", "lots", "1e30", "16 EiB", "8G"})
      QVERIFY2(!parse_bytes(bad).ok(), bad);
    std::mt19937_64 random(3);
    for (int i = 0; i < 500; ++i) {
      const std::uint64_t n = random() >> (1 + i % 60);
      const auto back = parse_bytes(format_bytes(n));
      QVERIFY(back.ok());
      // Two digits at least are shown: half a unit of the second is 5 %.
      QVERIFY(std::abs(static_cast<double>(*back) - static_cast<double>(n)) <= 0.051 * static_cast<double>(n));
    }
  }

  void durations() {
    QCOMPARE(format_duration(0.35), std::string("350 ms"));
    QCOMPARE(format_duration(12.4), std::string("12.4 s"));
    QCOMPARE(format_duration(200), std::string("3 min 20 s"));
    QCOMPARE(format_duration(7500), std::string("2 h 05 min"));
    QCOMPARE(format_duration(59.97), std::string("1 min 00 s"));
    QCOMPARE(format_duration(0.99999), std::string("1 s"));
    QCOMPARE(format_duration(3599.7), std::string("1 h 00 min"));
    QCOMPARE(format_duration(0), std::string("0 s"));
    QCOMPARE(format_duration(-2), std::string("-2 s"));
    QCOMPARE(format_duration(300000), std::string("3 d 11 h"));
    QCOMPARE(format_duration(std::nan("")), std::string("unknown"));
    QCOMPARE(format_duration(HUGE_VAL), std::string("unknown"));
  }
};

QTEST_APPLESS_MAIN(TestUnits)
#include "test_units.moc"
