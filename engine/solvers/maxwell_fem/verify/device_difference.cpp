// SPDX-License-Identifier: BSD-3-Clause
// One application on both sides.
#include "engine/solvers/maxwell_fem/verify/device_difference.hpp"

#include "engine/core/vec3.hpp"
#include "engine/team/team.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace conoid::maxwell_fem {

std::vector<Complex> random_currents(const Domain& domain, Index count) {
  std::mt19937 engine(7);
  std::normal_distribution<double> normal;
  std::vector<Complex> out(static_cast<std::size_t>(4 * domain.currents.size() * count));
  for (Complex& v : out) v = {normal(engine), normal(engine)};
  return out;
}

double radiation_round_off(const Domain& domain, double k) {
  double size = 0;
  for (Index p = 0; p < domain.outer.size(); ++p) size = std::max(size, vec::norm(domain.outer.point(p).x));
  return 4 * (20 + 3 * k * 2 * size + std::sqrt(2.0 * static_cast<double>(domain.currents.size()))) * 0x1p-53;
}

double radiation_difference(Team& team, const Domain& domain, double k, double near, Index count, RadiationLoop loop,
                            Interval faces, int times) {
  const auto f = random_currents(domain, count);
  Team processors({{"cpu", 1, 1}});
  const Radiation radiation(domain, k, 1, near);
  std::vector<Complex> want(static_cast<std::size_t>(2 * domain.outer.size() * count)), got(want);
  radiation.apply(processors, f, count, want, RadiationLoop::automatic, faces);
  for (int t = 0; t < times; ++t) {
    std::fill(got.begin(), got.end(), Complex(0));
    radiation.apply(team, f, count, got, loop, faces);
  }
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    difference += std::norm(got[i] - want[i]);
    size += std::norm(want[i]);
  }
  return std::sqrt(difference / size);
}

}  // namespace conoid::maxwell_fem
