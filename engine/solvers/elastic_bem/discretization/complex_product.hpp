// SPDX-License-Identifier: BSD-3-Clause
// Products of complex numbers in inner loops.
#pragma once

#include <complex>

namespace conoid::elastic_bem {

/// Without the care for infinities that the language asks of products of complex numbers.
[[nodiscard]] inline std::complex<double> times(std::complex<double> a, std::complex<double> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

}  // namespace conoid::elastic_bem
