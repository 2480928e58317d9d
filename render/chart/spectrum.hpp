// SPDX-License-Identifier: BSD-3-Clause
// Spectra of time histories.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "render/chart/chart_spec.hpp"

namespace conoid {

/// Even samples of a curve between its ends, as many as it has, by straight lines, and their step; not-a-number counts as 0. Empty with fewer
/// than 4 of them, or if its times do not ascend.
[[nodiscard]] std::vector<double> even_samples(const Series& curve, double& step);

/// One-sided amplitude spectrum |X(f)| = |∫ x(t) e^{-2πi f t} dt| of a curve, by trapezia on even steps and the FFT of the
/// curve padded with zeros to at least twice its length. Uneven samples are interpolated to even ones first. Frequencies
/// run from 0 to the Nyquist frequency in steps of 1/(N dt). Not-a-number counts as 0; fewer than 4 samples or times that
/// do not ascend give an empty curve.
[[nodiscard]] Series spectrum_of(const Series& curve);

/// The chart of spectra: units u·s over Hz, logarithmic, cut where all curves have fallen below 10⁻⁶ of the largest value.
[[nodiscard]] ChartSpec spectrum_chart(const ChartSpec& chart);

}  // namespace conoid
