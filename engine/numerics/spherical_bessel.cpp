// SPDX-License-Identifier: BSD-3-Clause
// f_{l−1} + f_{l+1} = (2l + 1)/x f_l, in the direction in which it is stable.
#include "engine/numerics/spherical_bessel.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace conoid {

namespace {

/// Downwards from an order where the functions are as good as zero, scaled by the larger of j_0 and j_1 at the end.
std::vector<double> regular(double x, int most) {
  constexpr double large = 1e250;
  const int highest = std::max(most + 1, static_cast<int>(std::ceil(x)));
  const int from = highest + 30 + static_cast<int>(6 * std::cbrt(highest));
  std::vector<double> out(static_cast<std::size_t>(std::max(most, 1)) + 1, 0);
  double above = 0, here = 1;
  for (int l = from; l > 0; --l) {
    const double below = (2.0 * l + 1) / x * here - above;
    above = here;
    here = below;
    if (const auto k = static_cast<std::size_t>(l - 1); k < out.size()) out[k] = here;
    if (std::abs(here) < large) continue;
    above /= large;
    here /= large;
    for (std::size_t k = static_cast<std::size_t>(l - 1); k < out.size(); ++k) out[k] /= large;
  }
  const double j0 = std::sin(x) / x, j1 = (std::sin(x) / x - std::cos(x)) / x;
  const double scale = std::abs(j0) > std::abs(j1) ? j0 / out[0] : j1 / out[1];
  out.resize(static_cast<std::size_t>(most) + 1);
  for (double& j : out) j *= scale;
  return out;
}

}  // namespace

SphericalBessel spherical_bessel(double x, int most) {
  SphericalBessel out{regular(x, most), {-std::cos(x) / x}};
  if (most > 0) out.y.push_back(-(std::cos(x) / x + std::sin(x)) / x);
  while (out.y.size() <= static_cast<std::size_t>(most)) {
    const std::size_t l = out.y.size() - 1;
    const double next = (2.0 * static_cast<double>(l) + 1) / x * out.y[l] - out.y[l - 1];
    out.y.push_back(std::isfinite(next) ? next : -std::numeric_limits<double>::infinity());
  }
  return out;
}

}  // namespace conoid
