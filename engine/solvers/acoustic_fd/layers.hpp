// SPDX-License-Identifier: BSD-3-Clause
// Absorbing layers: the sponge's profile and the coefficients of the perfectly matched layer.
//
// Perfectly matched layer (complex-frequency-shifted stretch s = 1 + d/(α + iω), Kuzuoglu & Mittra 1996; convolutional form
// Roden & Gedney 2000, Komatitsch & Martin, Geophysics 72, 2007). Along one axis, with β = α + d(x) and R = 1/(iω + β),
//
//   (1/s) ∂(1/s ∂u) = u'' / s² − s' u' / s³ = u'' + R{ −2d u'' − d' u' + R{ d² u'' + 2 d d' u' − R{ d² d' u' } } }
//
// (α constant, so that 1/s = 1 − dR, s' = d'/(α + iω)). Each R is one memory variable with ṁ + βm = input, stepped exactly
// for a constant input, m⁺ = E m + G input, E = exp(−β dt), G = (1 − E)/β, and read half-way, ½(m + m⁺): second order. All
// memory belongs to its own cell and u is read no farther than the stencil reaches, so a layer fits in any order of
// traversal that the stencil allows.
//
// d = d_0 (depth/W)^p, d_0 = −(p + 1) c ln(R_0)/(2W), R_0 the echo of a perfect layer at normal incidence. What limits a thin layer
// is its discretisation, not R_0: p = 3 (below order 6 2.5) and R_0 = 10⁻³ at the safe width were the best of those tried.
#pragma once

#include "engine/core/types.hpp"
#include "engine/solvers/acoustic_fd/problem.hpp"

#include <array>
#include <vector>

namespace conoid::acoustic_fd {

/// σ(i) of one axis: the damping b dt/2 at every node of the grid; see Face::attenuation.
[[nodiscard]] std::vector<double> sponge_profile(const Problem& problem, std::size_t axis);

/// Where the matched layers of an axis lie and their factors, for every node of the axis.
struct MatchedLayer {
  Index low = 0, high = 0;  ///< nodes of the layer at the lower and the upper face
  /// E, G, k3, k2f, k2g, k1f, k1g of MemoryPatch, scaled so that the correction carries h_x² like L.
  std::array<std::vector<double>, 7> factor;
  [[nodiscard]] bool any() const { return low + high > 0; }
};
[[nodiscard]] MatchedLayer matched_layer(const Problem& problem, std::size_t axis);

/// Nodes of a matched layer that keep the promised echo (−60 dB at normal incidence, −40 dB at 60°).
[[nodiscard]] constexpr Index safe_matched_width(int order) {
  return order == 2 ? 16 : order == 4 ? 10 : 9;
}

}  // namespace conoid::acoustic_fd
