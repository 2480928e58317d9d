// SPDX-License-Identifier: BSD-3-Clause
// A model of 4 x 3 x 5 samples, 10, 20 and 5 m apart, that every format has to give back.
#pragma once

#include "engine/models/model.hpp"

#include <QTest>

#include <cmath>
#include <string>
#include <vector>

namespace conoid::testing {

/// A speed that differs at every node and is linear, so that trilinear samples are exact.
inline float speed_at(double x, double y, double z) {
  return static_cast<float>(1500 + 0.5 * x - 0.25 * y - 1.0 * z);
}

inline void same_values(const std::string& path, const Vec3& origin) {
  const auto model = open_model(path, ModelQuantity::speed);
  QVERIFY2(bool(model), model ? "" : model.error().text.c_str());
  const ModelBox box = (*model)->box();
  QCOMPARE(box.shape, (std::array<Index, 3>{4, 3, 5}));
  QCOMPARE(box.spacing, (Vec3{10, 20, 5}));
  QCOMPARE(box.origin, origin);
  const auto field = (*model)->load();
  QVERIFY(bool(field));
  std::vector<double> row(5);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 3; ++j) {
      const double x = origin[0] + 10 * i, y = origin[1] + 20 * j;
      (*field)->row(x, y, origin[2], 5, row);
      for (int k = 0; k < 5; ++k)
        QVERIFY(std::abs(row[static_cast<std::size_t>(k)] - static_cast<double>(speed_at(x, y, origin[2] + 5 * k))) <
                1e-3);
    }
  const SpeedRange range = (*field)->range({}, {});
  QVERIFY(range.lowest < range.highest);
}

}  // namespace conoid::testing
