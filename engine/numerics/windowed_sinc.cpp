// SPDX-License-Identifier: BSD-3-Clause
#include "engine/numerics/windowed_sinc.hpp"

#include <cmath>
#include <numbers>

namespace conoid {

double windowed_sinc(double x, double radius, double b) {
  if (std::abs(x) >= radius) return 0;
  if (x == 0) return 1;
  const double window =
      std::cyl_bessel_i(0.0, b * std::sqrt(1 - x * x / (radius * radius))) / std::cyl_bessel_i(0.0, b);
  return window * std::sin(std::numbers::pi * x) / (std::numbers::pi * x);
}

}  // namespace conoid
