// SPDX-License-Identifier: BSD-3-Clause
// Colour maps keep what they promise: rising lightness, symmetry about zero, no seam.
// labels: unit
#include <QTest>

#include <cmath>
#include <string>

#include "render/scene/color_map.hpp"
#include "render/scene/theme.hpp"

using namespace conoid;

namespace {

double gamma_decode(double v) {
  return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}

/// CIE 15 from IEC 61966-2-1, D65 white.
Lab lab_of(const Rgb& color) {
  const double r = gamma_decode(color[0]);
  const double g = gamma_decode(color[1]);
  const double b = gamma_decode(color[2]);
  const auto f = [](double t) {
    return t > std::pow(6.0 / 29, 3) ? std::cbrt(t) : t * (29.0 / 6) * (29.0 / 6) / 3 + 4.0 / 29;
  };
  const double x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
  const double y = f((0.2126729 * r + 0.7151522 * g + 0.0721750 * b));
  const double z = f((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

}  // namespace

class TestColourMaps : public QObject {
  Q_OBJECT

 private slots:
  void lab_and_rgb_are_inverse() {
    for (const Rgb& c : {Rgb{0.2, 0.5, 0.9}, Rgb{1, 1, 1}, Rgb{0, 0, 0}, Rgb{0.91, 0.13, 0.4}}) {
      const Rgb back = rgb_of(lab_of(c));
      for (std::size_t k = 0; k < 3; ++k) QVERIFY(std::abs(back[k] - c[k]) < 2e-4);  // matrices carry 7 digits
    }
    // CIE 15: sRGB red has L* = 53.24, a* = 80.09, b* = 67.20.
    const Lab red = lab_of({1, 0, 0});
    QVERIFY(std::abs(red[0] - 53.24) < 0.02 && std::abs(red[1] - 80.09) < 0.05 && std::abs(red[2] - 67.20) < 0.05);
  }

  void colours_outside_srgb_keep_their_lightness() {
    const Lab wanted = {50, 120, -120};
    QVERIFY(std::abs(lab_of(rgb_of(wanted))[0] - 50) < 0.5);
  }

  void magnitudes_rise_in_lightness() {
    for (const char* name : {"depth", "depth-dark"}) {
      const auto map = find_color_map(name);
      QVERIFY(map.ok());
      double last = -1;
      for (int i = 0; i <= 100; ++i) {
        const double lightness = lab_of(map->at(i / 100.0))[0];
        QVERIFY2(lightness > last, name);
        last = lightness;
      }
      QVERIFY(last > 90);
    }
  }

  void the_lowest_value_stands_out_in_the_dark() {
    const Lab least = lab_of(find_color_map(dark_theme().magnitude_map)->at(0)),
              ground = lab_of(dark_theme().background);
    QVERIFY(std::hypot(least[0] - ground[0], least[1] - ground[1], least[2] - ground[2]) > 20);
  }

  void signed_maps_are_balanced_about_zero() {
    for (const char* name : {"swing", "swing-dark"}) {
      const auto map = find_color_map(name);
      QVERIFY(map.ok());
      for (int i = 0; i <= 50; ++i) {
        const double below = lab_of(map->at(0.5 - i / 100.0))[0];
        const double above = lab_of(map->at(0.5 + i / 100.0))[0];
        QVERIFY2(std::abs(below - above) < 4, name);
      }
      const Lab middle = lab_of(map->at(0.5));
      QVERIFY2(std::hypot(middle[1], middle[2]) < 4, name);
    }
  }

  void phase_map_has_no_seam() {
    const auto map = find_color_map("clock");
    QVERIFY(map.ok());
    const auto table = map->table(1024);
    const auto jump = [&](std::size_t i, std::size_t j) {
      int largest = 0;
      for (std::size_t k = 0; k < 3; ++k) largest = std::max(largest, std::abs(table[i][k] - table[j][k]));
      return largest;
    };
    int inside = 0;
    for (std::size_t i = 0; i + 1 < table.size(); ++i) inside = std::max(inside, jump(i, i + 1));
    QVERIFY2(inside <= 8, std::to_string(inside).c_str());  // 2 of 255 a step would be the mean of a full swing
    QVERIFY(jump(table.size() - 2, 1) <= 2 * inside);       // across the seam as anywhere else
    QCOMPARE(table.front(), table.back());
  }

  void bad_maps_are_refused_with_a_place() {
    QVERIFY(!parse_color_map("[]", "x.json"));
    QVERIFY(!parse_color_map(R"({"kind":"signed","points":[[0,1,2,3]]})", "x.json"));
    QVERIFY(!parse_color_map(R"({"kind":"phase","points":[[0,1,2,3],[1,1,2,4]]})", "x.json"));
    const auto turned =
        parse_color_map(R"({"kind":"signed","points":[[0,1,2,3],[0.5,1,2,3],[0.4,1,1,1],[1,0,0,0]]})", "x.json");
    QVERIFY(!turned);
    QCOMPARE(turned.error().place.pointer, std::string("/points/2"));
    const auto unknown = find_color_map("jet");
    QVERIFY(!unknown);
    QVERIFY(unknown.error().hint.find("depth") != std::string::npos);
  }
};

QTEST_APPLESS_MAIN(TestColourMaps)
#include "test_colour_maps.moc"
