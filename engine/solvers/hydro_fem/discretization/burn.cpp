// SPDX-License-Identifier: BSD-3-Clause
#include "engine/solvers/hydro_fem/discretization/burn.hpp"

#include "engine/solvers/hydro_fem/discretization/index.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace conoid::hydro_fem {

double Afterburn::power(double from, double to) const {
  if (!(energy > 0)) return 0;
  const double burning = std::min(to, end) - std::max(from, begin);
  return burning > 0 ? energy / (end - begin) * burning / (to - from) : 0;
}

bool Burn::any() const {
  return !points.empty() && std::any_of(velocity.begin(), velocity.end(), [](double v) { return v > 0; });
}

bool Burn::burns(int region) const {
  return !points.empty() && u(region) < velocity.size() && velocity[u(region)] > 0;
}

double Burn::arrival(const Vec3& x, int region) const {
  if (!burns(region)) return -1e300;
  double first = std::numeric_limits<double>::infinity();
  for (const Point& p : points)
    first = std::min(first, p.time + std::hypot(x[0] - p.position[0], x[1] - p.position[1], x[2] - p.position[2]) /
                                         velocity[u(region)]);
  return first;
}

double Burn::rate(double determinant, int dim, int k, int region) const {
  if (!burns(region)) return 1;
  return velocity[u(region)] * k / (front * std::pow(determinant, 1.0 / dim));
}

double Burn::burnt(const Vec3& x, double determinant, int dim, int k, int region, double t) const {
  if (!burns(region)) return 1;
  return std::clamp((t - arrival(x, region)) * rate(determinant, dim, k, region), 0.0, 1.0);
}

}  // namespace conoid::hydro_fem
