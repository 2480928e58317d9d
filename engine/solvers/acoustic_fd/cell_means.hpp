// SPDX-License-Identifier: BSD-3-Clause
// A medium whose jumps lie anywhere between the nodes, as the nodes should have it.
//
// A node stands for the cell around it. The scheme is (1/K_i) p_tt = Σ C_n (p_n − p_i)/√(ρ_i ρ_n), K_i = ρ_i a_i (medium.hpp): an
// echo comes from the right place with the right strength when ρ_i is the mean of ρ over the cell and 1/K_i that of 1/(ρ c²)
// (Backus, J. Geophys. Res. 67, 1962, for waves across thin layers; Moczo et al., Bull. Seismol. Soc. Am. 92, 2002, for cells of
// finite differences). So a node's speed is c_i = 1/√(ρ_i ⟨1/(ρ c²)⟩), and 1/√⟨1/c²⟩ where the density is constant. Sampled at the
// nodes, an interface would act from the middle between two of them.
//
// A mean over a cell of width h weakens the echo of wavenumber k by as much as (2kh)²/12, when the jump lies on a node: 2 % of a pulse
// of 4 nodes' standard deviation, 7 % of a guided wave's shortest parts. So what lies d nodes away counts by
//     K(d) = 7/6 Λ(d) − (Λ(d−1) + Λ(d+1))/12,   Λ(d) = max(0, 1 − |d|),
// a mean over a hat whose second moment is taken out again: ∫ K = 1, ∫ d² K = 0, error O((kh)⁴) wherever the jump lies. It overshoots
// by 4 % of a jump at most; speeds are held below `overshoot` times the largest one, densities within that of their range, which
// the limit of the time step allows for.
//
// Layers are integrated piece by piece with K. Samples of a file that lie as close as the nodes, or closer, hold for cells of their own,
// which a cell of the grid shares by volume (a plain mean, so that samples at the nodes stay what they are); where they lie farther
// apart, the grid goes on sampling between them. Each axis is judged for itself. Faces mirror.
#pragma once

#include "engine/solvers/acoustic_fd/problem.hpp"

namespace conoid::acoustic_fd {

inline constexpr double overshoot = 1.04;

/// Replaces problem.velocity and problem.density by what their row() gives at the nodes. Memory: one
/// float a node and quantity for media in files, less where a file has fewer samples; one column of doubles for layers. Threads:
/// those of OpenMP; the same bits with any number of them. Throws Failure(resources) without memory.
void average_medium(Problem& problem);

}  // namespace conoid::acoustic_fd
