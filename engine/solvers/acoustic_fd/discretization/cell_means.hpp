// SPDX-License-Identifier: BSD-3-Clause
// A medium whose jumps lie anywhere between the nodes, as the nodes should have it.
//
// A node stands for the cell around it. The scheme is (1/K_i) p_tt = Σ C_n (p_n − p_i)/√(ρ_i ρ_n), K_i = ρ_i a_i (medium.hpp). An echo comes
// from the right place with the right strength when 1/K_i is the mean of 1/(ρ c²) over the cell and, for waves across the jump, ρ_i that of ρ, but
// for waves along it 1/ρ_i that of 1/ρ (Backus, J. Geophys. Res. 67, 1962, for thin layers; Moczo et al., Bull. Seismol. Soc. Am. 92, 2002, for
// cells of finite differences; Schoenberg & Muir, Geophysics 54, 1989: such a cell is anisotropic). One ρ_i has to do for both: the means are apart by
// the second order of the contrast. With the mean of ρ guided waves see the floor displaced (a trace of the guide of Pekeris, 1.8:1, is 4.2 % off and echoes
// at normal incidence come 0.01 nodes late); with that of 1/ρ 0.7 % and 0.07 nodes. Taken is ρ_i^(−1/4) = ⟨ρ^(−1/4)⟩: 1.5 % and 0.05 nodes.
// A node's speed is c_i = 1/√(ρ_i ⟨1/(ρ c²)⟩), and 1/√⟨1/c²⟩ where the density is constant. Sampled at the nodes, an interface would act from
// the middle between two of them.
//
// A mean over a cell of width h weakens the echo of wavenumber k by as much as (2kh)²/12, when the jump lies on a node: 2 % of a pulse
// of 4 nodes' standard deviation, 7 % of a guided wave's shortest parts. So what lies d nodes away counts by
//     K(d) = 7/6 Λ(d) − (Λ(d−1) + Λ(d+1))/12,   Λ(d) = max(0, 1 − |d|),
// a mean over a hat whose second moment is taken out again: ∫ K = 1, ∫ d² K = 0, error O((kh)⁴) wherever the jump lies. It overshoots
// by 4 % of a jump at most; speeds are held below `overshoot` times the largest one, densities within that of their range, which
// the limit of the time step allows for.
//
// Between jumps what does not vary is taken once, else integrated with K piece by piece. Samples of a file that lie as close as the nodes, or
// closer, hold for cells of their own; those that lie on the nodes, one each, stay what they are. Where samples lie farther apart than
// nodes, the grid goes on sampling between them. Each axis is judged for itself. Faces mirror.
#pragma once

#include "engine/solvers/acoustic_fd/problem.hpp"

#include <memory>

namespace conoid::acoustic_fd {

inline constexpr double overshoot = 1.04;

/// K(d) above.
[[nodiscard]] double sharp_mean(double d);

/// The medium of a problem at all nodes: its speed and density become means, each made where it is asked for until make() makes all.
class CellMeans {
 public:
  virtual ~CellMeans() = default;
  /// Memory: one float a node and quantity for media in files, less where a file has fewer samples; one column of doubles for
  /// layers. Threads: those of parallel_for, nobody else reads meanwhile; the same bits with any number of them. Throws
  /// Failure(resources) without memory. A second call does nothing.
  virtual void make() = 0;
  /// Memory of what the means are taken of; 0 once they are made.
  [[nodiscard]] virtual Bytes source_bytes() const = 0;
};

/// Replaces problem.velocity and problem.density by what their row() gives at the nodes. Null where nodes have the medium as it is.
[[nodiscard]] std::shared_ptr<CellMeans> means_of_medium(Problem& problem);

/// The same, made at once.
void average_medium(Problem& problem);

}  // namespace conoid::acoustic_fd
