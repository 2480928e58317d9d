// SPDX-License-Identifier: BSD-3-Clause
// Materials over frequency: constant, Debye, Lorentz, Drude, tables.
#pragma once

#include "engine/solvers/maxwell_fem/discretization/elements.hpp"

#include <functional>
#include <string>
#include <vector>

namespace conoid {
class Values;
}

namespace conoid::maxwell_fem {

/// ε_r(f) and μ_r(f), e^{+jωt}.
using MaterialLaw = std::function<Medium(double frequency)>;

struct DebyeTerm {
  double strength, time;
};
struct LorentzTerm {
  double strength, frequency, damping;
};
/// ε_∞ + Σ Δε/(1 + jωτ) − jσ/(ωε_0)
[[nodiscard]] Complex debye(double infinity, const std::vector<DebyeTerm>& terms, double conductivity,
                            double frequency);
/// ε_∞ + Σ Δε f_0²/(f_0² − f² + j f Γ)
[[nodiscard]] Complex lorentz(double infinity, const std::vector<LorentzTerm>& terms, double frequency);
/// ε_∞ − f_p²/(f² − j f Γ): free carriers.
[[nodiscard]] Complex drude(double infinity, double plasma_frequency, double damping, double frequency);
/// Linear between the samples, constant beyond; `otherwise` where there are none.
[[nodiscard]] double interpolate(const std::vector<double>& at, const std::vector<double>& values, double x,
                                 double otherwise);

/// The law of one entry of /materials. `problem` gets a sentence when tables do not fit together.
[[nodiscard]] MaterialLaw read_material(const Values& values, std::string& problem);

}  // namespace conoid::maxwell_fem
