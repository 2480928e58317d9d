// SPDX-License-Identifier: BSD-3-Clause
// Spectra gathered while the march runs, and what follows from the surface's: far field, target strength, pressure
// anywhere. Convention ĝ(ω) = ∫ g e^{iωt} dt.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "engine/solvers/acoustic_bem/discretization/form.hpp"
#include "engine/solvers/acoustic_bem/discretization/surface.hpp"

namespace conoid {
class Team;
}

namespace conoid::acoustic_bem {

/// Δt Σ_n a_j(t_n) e^{iω t_n} for several frequencies and values, some steps at a time.
class RunningSpectrum {
 public:
  RunningSpectrum() = default;
  RunningSpectrum(std::vector<double> frequencies, Index values);
  /// `a`: all values of each step one after the other, the first of them at t.
  void add(Team& team, std::span<const double> a, double t, double dt);
  [[nodiscard]] const std::vector<double>& frequencies() const { return frequencies_; }
  [[nodiscard]] std::span<const std::complex<double>> at(std::size_t frequency) const {
    return std::span(sums_).subspan(frequency * values_, values_);
  }
  [[nodiscard]] std::vector<std::complex<double>>& raw() { return sums_; }
  [[nodiscard]] const std::vector<std::complex<double>>& raw() const { return sums_; }

 private:
  std::vector<double> frequencies_;
  std::size_t values_ = 0;
  std::vector<std::complex<double>> sums_;
};

/// f_∞(x̂, ω) from the surface's coefficients â: −ik/4π ∫(n·x̂) e^{−ikx̂·y} â dS (rigid), −1/4π ∫ e^{−ikx̂·y} â dS (soft), both where
/// walls differ, and from images where there is a ground. Faces that move add their own part (drive.hpp).
/// The coefficients are nodal values: they are not multiplied by the transform of the trial functions. Pa·s·m.
[[nodiscard]] std::complex<double> far_field(const Surface& surface, const Form& form,
                                             std::span<const std::complex<double>> a, double frequency,
                                             const Vec3& direction);
/// Scattered û(x, ω) at a point off the surface.
[[nodiscard]] std::complex<double> near_field(const Surface& surface, const Form& form,
                                              std::span<const std::complex<double>> a, double frequency, const Vec3& x);
/// TS = 20 log₁₀(|f_∞| / (|f̂| · 1 m)), dB.
[[nodiscard]] double target_strength(std::complex<double> f_infinity, std::complex<double> pulse);

}  // namespace conoid::acoustic_bem
