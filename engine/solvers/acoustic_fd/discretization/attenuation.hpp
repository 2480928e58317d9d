// SPDX-License-Identifier: BSD-3-Clause
// Constant Q by standard linear solids: a compliance that relaxes.
//
// 1/K(ω) = 1/K_U (1 + Σ a_l/(1 + iωτ_l)): at high frequency the medium is as stiff as K_U, below 1/τ_l it gives way. The quality is
//
//   1/Q = Σ a_l ωτ_l/(1 + ω²τ_l²) / (1 + Σ a_l/(1 + ω²τ_l²)),
//
// constant within a few percent over a band of frequencies for shares a_l of times τ_l even in its logarithm (the generalised Zener body; Emmerich & Korn,
// Geophysics 52, 1987, fit theirs likewise). With memories m_l, τ_l m_l' + m_l = p, the equation needs neither derivatives of memories nor the Laplacian's history,
//
//   p_tt + b p_t − Σ a_l/τ_l² (p − m_l) = c_U² Δp,   b = Σ a_l/τ_l:
//
// damping that is the same everywhere, which the kernels have from sponges, and one more term a memory. With the z of e^{iωt} in steps, ẑ = (z − 1)²/z for
// dt² p_tt, and
//
//   (1 + σ) p^{k+1} = … + P (p^k − m^k),   m^{k+1} = E m^k + (1 − E)/2 (p^k + p^{k+1}),   σ = a t, P = 4 a t², t = (1 − E)/(1 + E),
//
// a solid gives ẑ a t (z + E)/(z − E) = ẑ a tanh(y/2) coth((y + iωdt)/2), E = e^{−y}: for sinh y = dt/τ that is ẑ a/(1 + iωτ) up to the second order in ωdt, also where
// τ is as short as a step. All of it belongs to its own cell, so that it fits in every order of
// traversal. c_U is c |Re √(1 + Σ a_l/(1 + iωτ_l))| with c at the reference frequency.
#pragma once

#include "engine/core/types.hpp"

#include <complex>
#include <vector>

namespace conoid::acoustic_fd {

struct Relaxation {
  double share = 0;  ///< a_l
  double time = 1;   ///< τ_l in s
};
inline constexpr std::size_t most_relaxations = 6;

/// The shares that come closest to 1/Q at frequencies (Hz) even in the logarithm between `lowest` and `highest`, none negative.
[[nodiscard]] std::vector<Relaxation> constant_quality(double quality, double lowest, double highest,
                                                       std::size_t count);

/// How many times as fast as waves of a frequency those of `ratio` times that are, where Q is the same at all frequencies: ratio^(atan(1/Q)/π) (Kjartansson,
/// J. Geophys. Res. 84, 1979).
[[nodiscard]] double constant_quality_speed(double quality, double ratio);

/// 1 + Σ a/(1 + sτ) for e^{st}.
[[nodiscard]] std::complex<double> relaxed(const std::vector<Relaxation>& relaxations, std::complex<double> s);
/// 1/Q at a frequency in Hz.
[[nodiscard]] double loss(const std::vector<Relaxation>& relaxations, double frequency);
/// c_U/c at the frequency of c.
[[nodiscard]] double stiffening(const std::vector<Relaxation>& relaxations, double frequency);
/// The largest difference of 1/Q from a constant within the band, relative.
[[nodiscard]] double ripple(const std::vector<Relaxation>& relaxations, double quality, double lowest, double highest);
/// σ = b dt/2 of all cells.
[[nodiscard]] double relaxation_damping(const std::vector<Relaxation>& relaxations, double dt);

/// What a step does with a memory.
struct RelaxationStep {
  double damping;    ///< σ
  double pull;       ///< P
  double keep, add;  ///< E, (1 − E)/2
};
[[nodiscard]] RelaxationStep relaxation_step(const Relaxation& relaxation, double dt);

}  // namespace conoid::acoustic_fd
