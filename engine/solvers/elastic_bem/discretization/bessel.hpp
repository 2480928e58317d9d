// SPDX-License-Identifier: BSD-3-Clause
// Bessel functions J_0, J_1, J_2 of a complex argument, for Hankel integrals beside the real axis.
#pragma once

#include <complex>

namespace conoid::elastic_bem {

struct BesselValues {
  std::complex<double> f0, f1, f2;
};
/// For Re w ≥ 0 and |Im w| up to about 10: 12 digits of e^{|Im w|}. The power series for |w| < 2, J. C. P. Miller's backward recurrence up
/// to 25 (normalised by J_0 + 2 ΣJ_2n = 1), Hankel's expansion beyond (M. Abramowitz, I. A. Stegun, "Handbook of Mathematical Functions",
/// 9.1.10, 9.1.46, 9.2.5).
[[nodiscard]] BesselValues bessel_values(std::complex<double> w);
inline constexpr double far_argument = 14;
/// H^(1) (sign +1) and H^(2) (sign −1) of the orders 0, 1, 2 without e^{±iw}, by Hankel's expansion: twelve digits from |w| = far_argument on.
[[nodiscard]] BesselValues hankel_values(std::complex<double> w, double sign);

/// e^−38 is below round-off: where integrands that fall as e^−x end.
inline constexpr double decayed = 38;

}  // namespace conoid::elastic_bem
