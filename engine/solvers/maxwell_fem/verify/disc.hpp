// SPDX-License-Identifier: BSD-3-Clause
// The echo of a conducting disc without thickness under a wave along its axis, exactly.
//
// A series for the currents with the right behaviour at the rim, in the space of wave numbers along the disc: the transforms of
// (1 − ρ²)^(n ∓ 1/2) times powers of ρ are spherical Bessel functions (I. N. Sneddon, Mixed Boundary Value Problems in Potential Theory,
// 1966, ch. 4; K. Hongo, Q. A. Naqvi, Prog. Electromagn. Res. 68 (2007) 113). It is the oblate spheroidal series by other functions: its
// coefficients fall faster than geometrically.
#pragma once

#include <complex>

namespace conoid::maxwell_fem {

/// F of a disc of radius 1 m seen from where the wave comes, along its polarisation, for 1 V/m: the echo is 4π |F|² m². `ka` up to 10;
/// to 1e-6. Small ones: (4/3π) (ka)² (Rayleigh's (64/9π) k⁴ a⁶).
[[nodiscard]] std::complex<double> disc_amplitude(double ka);

}  // namespace conoid::maxwell_fem
