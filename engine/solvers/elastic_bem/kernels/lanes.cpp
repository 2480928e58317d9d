// SPDX-License-Identifier: BSD-3-Clause
// Which lane kernels this processor runs, and their constants.
#include "engine/solvers/elastic_bem/kernels/lanes.hpp"

#include "engine/simd/instruction_set.hpp"

#include <cmath>

namespace conoid::elastic_bem {

extern const LaneKernels<double> lane_kernels_double_base, lane_kernels_double_avx2, lane_kernels_double_avx512;
extern const LaneKernels<float> lane_kernels_single_base, lane_kernels_single_avx2, lane_kernels_single_avx512;

template <>
const LaneKernels<double>& lane_kernels<double>(int widest) {
  return body_for(instruction_set_within(widest), lane_kernels_double_base, lane_kernels_double_avx2,
                  lane_kernels_double_avx512);
}
template <>
const LaneKernels<float>& lane_kernels<float>(int widest) {
  return body_for(instruction_set_within(widest), lane_kernels_single_base, lane_kernels_single_avx2,
                  lane_kernels_single_avx512);
}

template <class Real>
LaneMedium<Real> lane_medium(const Harmonic& h) {
  LaneMedium<Real> m{};
  const auto set = [](Real(&to)[2], Complex from) {
    to[0] = static_cast<Real>(from.real());
    to[1] = static_cast<Real>(from.imag());
  };
  m.damped = h.damped() ? 1 : 0;
  set(m.kS, h.kS);
  set(m.kP, h.kP);
  const double scale = std::abs(h.kS);
  const Complex i(0, 1);
  if (scale > 0) {
    set(m.iS, 1.0 / (i * h.kS));
    set(m.iP, 1.0 / (i * h.kP));
  }
  m.kappa2 = static_cast<Real>(h.kappa * h.kappa);
  m.L = static_cast<Real>(h.L);
  m.kappa2L = static_cast<Real>(h.kappa * h.kappa * h.L);
  m.scale = static_cast<Real>(scale);
  const SeriesCoefficients series(h.kappa);
  const Complex turn = scale > 0 ? -i * h.kS / scale : Complex(1);
  Complex power = 1;
  for (int q = 0; q < lane_terms; ++q) {
    const double a = series.a[static_cast<std::size_t>(q)], b = series.b[static_cast<std::size_t>(q)], d = q - 1;
    const double f[5] = {a, b, d * a - b, 4 * b - 2 * d * b, h.L * (d * a - d * b - 2 * b) - 2 * b};
    for (int k = 0; k < 5; ++k) {
      m.series[k][0][q] = static_cast<Real>(f[k] * power.real());
      m.series[k][1][q] = static_cast<Real>(f[k] * power.imag());
      if (q == 0) m.fixed[k] = static_cast<Real>(f[k]);
    }
    power *= turn;
  }
  return m;
}
template LaneMedium<double> lane_medium<double>(const Harmonic&);
template LaneMedium<float> lane_medium<float>(const Harmonic&);

}  // namespace conoid::elastic_bem
