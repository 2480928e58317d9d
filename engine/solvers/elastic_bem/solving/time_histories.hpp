// SPDX-License-Identifier: BSD-3-Clause
// From answers at many frequencies to what happens over time: the spectrum of a signal, traces, response spectra.
//
// With S(ω) = ∫ s e^{−iωt} dt and answers U at the multiples ω_k = 2π k Δf, the trace is that of the signal repeated every T = 1/Δf:
//   u(t) = Δf [Re S(0) U(0) + 2 Re Σ_{k ≥ 1} S(ω_k) U(ω_k) e^{iω_k t}];
// it is that of one signal once motions die down within T, which damping and radiation see to (told: the end's share of the largest motion).
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"
#include "engine/io/time_table.hpp"

namespace conoid::elastic_bem {

using Complex = std::complex<double>;

/// Frequencies first Δf, (first + 1) Δf, …
struct FrequencySteps {
  double step = 0;  ///< Δf, Hz
  Index first = 0, count = 0;
  [[nodiscard]] double period() const { return 1 / step; }
  /// Of a trace: eight to the shortest period, so that its peaks are within 8 %, those of slower motions better.
  [[nodiscard]] Index samples() const { return 8 * (first + count); }
};
/// Error: they are not the multiples of one step, in order, without a gap, two or more.
[[nodiscard]] Result<FrequencySteps> frequency_steps(std::span<const double> frequencies);

/// ∫ s e^{−iωt} dt of the straight lines between the samples, exact; zero outside of them.
[[nodiscard]] Complex spectrum(const TimeTable& signal, double omega);
/// What of ∫ s² dt lies outside of the frequencies; 0 to 1.
[[nodiscard]] double outside_band(const TimeTable& signal, const FrequencySteps& steps);

/// What of the square of a displacement that is the signal integrated so many times lies at multiples of the step above 0 and below the
/// frequencies; 0 to 1. Little of an accelerogram can be most of a displacement.
[[nodiscard]] double displacement_below(const TimeTable& signal, const FrequencySteps& steps, int integrations);

/// `values`: S U of each frequency; samples() of u at the times k T/samples().
[[nodiscard]] std::vector<double> trace(const FrequencySteps& steps, std::span<const Complex> values);
/// ∫ (T − t) s dt: how far a signal that is an acceleration has moved what follows it by T.
[[nodiscard]] double moved_by(const TimeTable& signal, double period);
/// Displacements under a signal that is an acceleration or velocity, from rest at t = 0 on: what they grow by over a period and the mean of their
/// acceleration are not among frequencies above 0, a trace of these alone has no mean and ends where it begins. `values`: those of the trace.
[[nodiscard]] std::vector<double> from_rest(const FrequencySteps& steps, std::span<const Complex> values, double rise,
                                            double mean_acceleration);
/// Largest |u| of the last twentieth of the period over the largest of all.
[[nodiscard]] double left_at_the_end(std::span<const double> trace);

/// Pseudo-acceleration ω² max |d| of oscillators at rest at first, damping ratio ζ < 1, on a base whose acceleration is the trace, straight lines
/// between samples (N. C. Nigam, P. C. Jennings, Bull. Seismol. Soc. Am. 59 (1969) 909), in the base's unit.
[[nodiscard]] std::vector<double> response_spectrum(std::span<const double> acceleration, double time_step,
                                                    std::span<const double> periods, double damping);
/// Sixty equal ratios from two samples' worth of the highest frequency to a quarter of the period of the whole.
[[nodiscard]] std::vector<double> oscillator_periods(const FrequencySteps& steps);

}  // namespace conoid::elastic_bem
