// SPDX-License-Identifier: BSD-3-Clause
// Absorbing layers: the sponge's profile and the coefficients of the perfectly matched layer.
//
// Perfectly matched layer (complex-frequency-shifted stretch s = κ + d/(α + iω), Kuzuoglu & Mittra 1996; convolutional form
// Roden & Gedney, Microw. Opt. Technol. Lett. 27, 2000, Komatitsch & Martin, Geophysics 72, 2007). Here α falls with the depth as d
// grows, α + d/κ = β the same everywhere, so that with γ = 1/κ, R = 1/(iω + β) and δ = γ d/κ
//
//   1/s = γ − δR,   (1/s) ∂(1/s ∂u) = (γ − δR)² u'' + (γ − δR)(γ' − δ'R) u'
//     = u'' − (1 − γ²) u'' + γγ' u' − R{ 2γδ u'' + (γδ)' u' } + R{ R{ δ² u'' + δδ' u' } }
//
// exactly: R does not depend on x, where with constant α a third integral R³ comes in. Each R is one memory variable with
// ṁ + βm = input, stepped exactly for a constant input, m⁺ = E m + G input, E = exp(−β dt), G = (1 − E)/β, and read half-way,
// ½(m + m⁺): second order. (Halves and G are in the factors.) All memory belongs to its own cell and u is read no farther than the
// stencil reaches, so a layer fits in any order of traversal that the stencil allows.
//
// At order 2 γ and δ are taken at nodes and half nodes: u_{i±1} − u_i has the factor (γ − δR)_i (γ − δR)_{i±½}, and half of the sum and
// the difference of both stand with the stencils of u'' and u'. A scheme in which every difference has one stretch is symmetric but
// for the factors of rows, and at order 2 its echo is smaller than that of the formula above.
//
// Where the density varies, the field is q = p/√(ρ/ρ_0) (medium.hpp) and the stretched equation is q_tt/c² = Σ_a D_a²q − (√ρ D_a²(1/√ρ)) q,
// D_a = (1/s_a) ∂_a: the potential is stretched as the second derivative is. So u'' − V_a u and u' − W_a u stand for u'' and u' above, on
// the stencil itself: Σ C_i (√(ρ ρ_n) of) (p_n − p). With an unstretched potential the layer weakens Δ and leaves −V, which is negative
// beside a jump, alone: a bound state that grows by up to 1.12 a step at a jump of 1.9. Stretched, nothing grows where c is the same
// everywhere, whatever the density: with e^{σt}, Re σ > 0, 0 < arg σ = θ < π/2, and a wave number k along the layer
//   (σ²/c² + k²) ∫ (s/ρ)|p|² + ∫ (1/(sρ))|p'|² = 0,  arg s in (−θ, 0],
// would need arg(−(σ²/c² + k²)) in [0, 2θ), but arg(σ²/c² + k²) lies in (0, 2θ]. (Eigenvalues of the step of a row of 44 nodes with random
// densities of 1 to 20 and all k: within 4e-15 of the unit circle or inside at orders 2 to 10.) Where the speed jumps along the normal there
// is no such proof, and waves that are guided beside a layer, evanescent inside it, and cannot leave elsewhere may grow slowly: see README.
//
// What limits a thin layer is its discretisation, so the profiles were chosen by it. With h and c/h as units, node j = 1 … K deep,
//
//   γ = 1 − ξ^a, ξ = (j − j_γ)/(K + e),   d/κ = (β − α_0)(1 − (1 − η^b)^p), η = (j − j_δ)/(K + e)     (ξ, η ≥ 0)
//
// β, a, b, p, e, j_δ and j_γ (a table in layers.cpp) are those of the smallest echo of the discrete layer: of the linear system that a
// plane wave e^{iωt} leaves of the scheme, by least squares over waves of 4 nodes and more, angles of 0 to 70 degrees, time steps of 0.45
// to 0.9 of the largest and speeds of 1, 1/2 and 1/3 of the highest, the slow ones with no less weight: with β of the order of c/h it
// is long waves that a thin layer likes to send back. (Weighing them less gives −60 dB with 6 or 7 nodes to a pulse of 10 nodes a
// wavelength, but only −41 to −45 dB where the medium is a third as fast.) α_0 = 0.03/K keeps the deepest nodes from ringing at low frequency.
#pragma once

#include "engine/core/types.hpp"
#include "engine/solvers/acoustic_fd/problem.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace conoid::acoustic_fd {

/// σ(i) of one axis: the damping b dt/2 at every node of the grid; see Face::attenuation.
[[nodiscard]] std::vector<double> sponge_profile(const Problem& problem, std::size_t axis);

[[nodiscard]] inline bool has_matched_layers(const Problem& problem) {
  return std::any_of(problem.faces.begin(), problem.faces.end(),
                     [](const Face& face) { return face.kind == FaceKind::matched; });
}

/// Variables of a cell in the layer of one axis.
inline constexpr std::size_t layer_variables = 2;
/// Arrays of a cell there: the variables and, where the density varies, the potential and the slope of the axis (medium.hpp).
[[nodiscard]] inline std::size_t layer_arrays(const Problem& problem) {
  return layer_variables + (problem.density && !problem.density->constant() ? 2 : 0);
}

/// Where the matched layers of an axis lie and their factors, for every node of the axis.
struct MatchedLayer {
  Index low = 0, high = 0;  ///< nodes of the layer at the lower and the upper face
  /// E, k2f, k2g, k1f, k1g, k0f, k0g of MemoryPatch, scaled so that the correction carries h_x² like L.
  std::array<std::vector<double>, 7> factor;
  [[nodiscard]] bool any() const { return low + high > 0; }
};
[[nodiscard]] MatchedLayer matched_layer(const Problem& problem, std::size_t axis);

/// Nodes of a matched layer that keep the promised echo (−60 dB at normal incidence, −40 dB at 60°).
[[nodiscard]] constexpr Index safe_matched_width(int order) {
  return order == 4 ? 10 : 9;
}

}  // namespace conoid::acoustic_fd
