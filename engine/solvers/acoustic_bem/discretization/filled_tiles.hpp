// SPDX-License-Identifier: BSD-3-Clause
// Pairs of triangles of bodies that are filled with another fluid.
//
// Outside (fluid 1) the total pressure is p = u_inc + D₁φ − S₁σ, inside (fluid 2) p = −D₂φ + S₂σ₂, with φ = p and σ = ∂_n p of the outer
// side, and σ₂ = (ρ₂/ρ₁) σ: p and (1/ρ) ∂_n p go through. The traces from both sides, added so that the terms ½ cancel,
//     (W₁ + (ρ₁/ρ₂) W₂) φ + (K₁′ + K₂′) σ = ∂_n u_inc,     −(K₁ + K₂) φ + (V₁ + (ρ₂/ρ₁) V₂) σ = u_inc
// (M. Costabel, E. P. Stephan, J. Math. Anal. Appl. 106 (1985) 367; in frequency also known as PMCHWT). With u_k = D_kφ − (ρ_k/ρ₁) S_kσ in all
// of space the energies of both, over their densities, change by ∫ φ̇ (first row) + σ ∂_t (second row), summed over Γ, divided by ρ₁: tested
// by φ̇ and σ, the first row in its mean over a step and the second summed up to its value at t_n, the march conserves that energy but for
// what leaves, whatever Δt is. There are no resonances of one fluid alone: the exchanged problem, fluid 1 inside and fluid 2 outside, radiates
// as well. φ is linear over the steps and σ constant, as in form N and form D; both rows reuse their kernels with c_kΔt.
//
// The first row is multiplied by c₁ and the unknown of σ is c₁Δt σ. With M^N_k, P_k and κ_k = (k+1) D_k − (k−1) D_{k−1} of a fluid:
//     pressures from pressures   M^N(1) + (ρ₁c₁/ρ₂c₂) M^N(2)      from σ   κᵀ(1) + κᵀ(2)
//     σ from pressures          −κ(1) − κ(2)                      from σ   (P(1) + (ρ₂/ρ₁) P(2))/c₁Δt
// Bodies see one another through fluid 1 alone.
#pragma once

#include <stop_token>

#include "engine/solvers/acoustic_bem/discretization/tile.hpp"

namespace conoid::acoustic_bem {

/// Two triangles of one filled body; of faces or of their second ones.
[[nodiscard]] bool inside_one_body(const Surface& surface, std::int32_t a, std::int32_t b);

/// sweep_pairs() of a surface with Surface::filled().
void sweep_filled_pairs(const TileContext& context, TileSpace& space, Block& direct, Block& transposed,
                        const std::stop_token& stop);

}  // namespace conoid::acoustic_bem
