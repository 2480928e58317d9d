// SPDX-License-Identifier: BSD-3-Clause
// Varying density inside the same stencil.
//
// With p = √(ρ/ρ_0) q the equation (1/c²) p_tt = ρ ∇·(1/ρ ∇p) becomes (1/c²) q_tt = Δq − V q, V = √ρ Δ(1/√ρ) (Liouville's
// transform), so that a varying density costs one array and one fma a cell and no wider stencil. Discretely, with the same
// weights, V_h = √ρ Δ_h(1/√ρ); the operator is then Σ C_i (p_n − p)/√(ρ ρ_n), symmetric, and a constant pressure stays exactly
// at rest. The march holds q; sources enter with √(ρ_0/ρ), what is read out is multiplied by √(ρ/ρ_0).
#pragma once

#include "engine/core/types.hpp"
#include "engine/solvers/acoustic_fd/problem.hpp"

#include <span>

namespace conoid::acoustic_fd {

/// The node of the grid whose density counts at index i of an axis, beyond the grid too.
[[nodiscard]] Index node_that_counts(const Problem& problem, std::size_t axis, Index i);

/// √(ρ/ρ_0) at nodes (x, y, z0 + k step); 1 everywhere when the density is constant. Indices beyond the grid are mirrored at
/// reflecting faces and held at absorbing ones.
void pressure_factor(const Problem& problem, Index x, Index y, Index z0, Index step, std::span<double> out);

/// h_x² V_h at all nz nodes of row (x, y).
void density_potential(const Problem& problem, const Stencil& stencil, Index x, Index y, std::span<double> out);

/// What the stretch of an axis does to the density (layers.hpp): the potential is part of the second derivative that is stretched,
/// √ρ D(1/ρ D(√ρ q)) = D²q − (√ρ D²(1/√ρ)) q for D = (1/s) ∂, so that u'' and u' come as u'' − V_a u and u' − W_a u. V_a is the axis's part
/// of V, W_a = √ρ ∂_h(1/√ρ), at all nodes of row (x, y), in nodes of the axis: without h_x²/h_a² and 1/h_a.
void density_stretch(const Problem& problem, const Stencil& stencil, std::size_t axis, Index x, Index y,
                     std::span<double> potential, std::span<double> slope);

/// A bound of h_x² V_h over the grid from the range of ρ, for the stability limit.
[[nodiscard]] double potential_bound(const Stencil& stencil, const Vec3& spacing, double lowest, double highest);

/// What a density between these leaves of the largest time step: λ Σ 1/h² of the three axes grows by that potential.
[[nodiscard]] double density_step_share(const Stencil& stencil, const Vec3& spacing, double lowest, double highest);

}  // namespace conoid::acoustic_fd
