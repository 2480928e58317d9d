// SPDX-License-Identifier: BSD-3-Clause
// A kernel on registers would compute something else than the loop over its lanes, in one of the functions that kernels share.
// labels: unit
// links: conoid_simd
#include <QTest>

#include <cmath>
#include <cstring>
#include <limits>

#include "engine/simd/lanes.hpp"
#include "engine/simd/subnormals.hpp"

// This file is compiled for any processor: registers of 16 bytes. The wider ones are passed by the tests of each kernel.
using namespace conoid;
using vd = simd::Lanes<double, 16>::v;
using vf = simd::Lanes<float, 16>::v;

namespace {

bool same_bits(double a, double b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

}  // namespace

class TestLanes : public QObject {
  Q_OBJECT
 private slots:
  void memory_comes_and_goes_as_it_is();
  void functions_are_those_of_each_lane();
  void whole_numbers_below_and_above();
  void comparisons_are_told_lane_by_lane();
  void subnormal_numbers_are_zero_while_the_object_lives();
};

void TestLanes::memory_comes_and_goes_as_it_is() {
  QCOMPARE(simd::lanes_of<vd>, 2);
  QCOMPARE(simd::lanes_of<vf>, 4);
  const double from[5] = {9, -0.0, 3.5, 7, 8};
  const auto v = simd::load<vd>(from + 1);  // no border of 16 bytes
  double to[4] = {1, 1, 1, 1};
  simd::store(to + 1, v);
  QVERIFY(same_bits(to[1], -0.0) && to[2] == 3.5 && to[0] == 1 && to[3] == 1);
  const auto all = simd::splat<vd>(-0.0);
  QVERIFY(same_bits(all[0], -0.0) && same_bits(all[1], -0.0));
  const int places[2] = {4, 0};
  const auto picked = simd::gather<vd>(from, places);
  QVERIFY(picked[0] == 8 && picked[1] == 9);
  vf f{1, 2, 3, 4};
  simd::lane(f, 2) = 7;
  QVERIFY(f[1] == 2 && f[2] == 7);
}

void TestLanes::functions_are_those_of_each_lane() {
  const double values[] = {0.0, -0.0, 1.0, -2.5, 1e300, -1e-300, 0.1, 3.0};
  for (const double a : values)
    for (const double b : values) {
      const vd x{a, b}, y{b, a};
      const vd least = simd::vmin(x, y), most = simd::vmax(x, y), size = simd::vabs(x), root = simd::vsqrt(size);
      const double xs[2] = {a, b}, ys[2] = {b, a};
      for (int l = 0; l < 2; ++l) {
        QVERIFY(same_bits(least[l], xs[l] < ys[l] ? xs[l] : ys[l]));
        QVERIFY(same_bits(most[l], xs[l] > ys[l] ? xs[l] : ys[l]));
        QVERIFY(same_bits(size[l], std::abs(xs[l])));
        QVERIFY(same_bits(root[l], std::sqrt(std::abs(xs[l]))));
      }
    }
  const vf sizes = simd::vabs(vf{-1.5F, 2, -0.0F, -3});
  QVERIFY(sizes[0] == 1.5F && sizes[1] == 2 && !std::signbit(sizes[2]) && sizes[3] == 3);
}

void TestLanes::whole_numbers_below_and_above() {
  for (const double x : {0.0, 0.5, 1.0, 1.999, -0.5, -1.0, -1.25, 123456789.75, -123456789.75}) {
    const vd below = simd::vfloor(vd{x, 0.25}), above = simd::vceil(vd{0.25, x});
    QCOMPARE(below[0], std::floor(x));
    QCOMPARE(below[1], 0.0);
    QCOMPARE(above[0], 1.0);
    QCOMPARE(above[1], std::ceil(x));
  }
}

void TestLanes::comparisons_are_told_lane_by_lane() {
  for (unsigned bits = 0; bits < 16; ++bits) {
    vf v{};
    for (int l = 0; l < 4; ++l) v[l] = (bits >> l & 1U) != 0 ? 1.0F : -1.0F;
    QCOMPARE(simd::bits_of(v > 0), bits);
    QCOMPARE(simd::any(v > 0), bits != 0);
    QCOMPARE(simd::every(v > 0), bits == 15);
  }
  const vd v{1, -1};
  QCOMPARE(simd::bits_of(v > 0), 1U);
  QCOMPARE(simd::bits_of(v < 0), 2U);
  QVERIFY(simd::any(v > 0) && !simd::every(v > 0) && simd::every(v == v));
}

void TestLanes::subnormal_numbers_are_zero_while_the_object_lives() {
#if defined(__x86_64__)
  volatile double small = std::numeric_limits<double>::min(), half = 0.5;
  QVERIFY(small * half > 0);
  {
    const FlushSubnormals flush;
    QVERIFY(subnormal_mode() != 0);
    QCOMPARE(small * half, 0.0);
  }
  QVERIFY(small * half > 0);
#endif
}

QTEST_APPLESS_MAIN(TestLanes)
#include "test_lanes.moc"
