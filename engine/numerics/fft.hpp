// SPDX-License-Identifier: BSD-3-Clause
// The discrete Fourier transform of short records: curves of charts, sampled pulses.
#pragma once

#include <complex>
#include <vector>

namespace conoid {

/// In place, X_k = Σ x_n e^{-2πi kn/N}; the length must be a power of two. Cooley & Tukey, Math. Comp. 19 (1965) 297. Any thread.
void fft(std::vector<std::complex<double>>& values);

}  // namespace conoid
