// SPDX-License-Identifier: BSD-3-Clause
// Spherical Bessel functions, all orders up to one at once, for series of spheres.
//
// Those of the C++ library (GCC 12, libstdc++) are wrong at single arguments: std::sph_bessel(4, x) at the second number above π/2, which
// evenly spaced wave numbers meet.
#pragma once

#include <vector>

namespace conoid {

struct SphericalBessel {
  std::vector<double> j, y;
};

/// j_0 … j_most and y_0 … y_most of x > 0: y by the recurrence upwards, j by that downwards from where it has vanished (Miller's; Abramowitz &
/// Stegun 10.1.19 and 10.5). Relative to √(j² + y²) right to some 1e-14 (tested to x = 300); y is infinite where it overflows, j zero where it
/// underflows. Any thread.
[[nodiscard]] SphericalBessel spherical_bessel(double x, int most);

}  // namespace conoid
