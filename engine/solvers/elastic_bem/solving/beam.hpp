// SPDX-License-Identifier: BSD-3-Clause
// Foundations that bend: piles whose shaft bounds the ground, as beams of rigid sections.
//
// The shaft moves as the beam's sections do: u = v + w e + φ × (x − c), c the point of the axis (unit vector e) abreast of x, v and w the
// beam's lateral and axial displacement there, φ = e × θ + τ e its rotation, θ being v' less the shear (S. P. Timoshenko; J. S. Przemieniecki,
// "Theory of Matrix Structural Analysis", 1968, 5.6: cubic v, linear w and τ between nodes). Tractions of the ground do work on these motions; with the beam's stiffness and mass they are S d + r = p at its nodes, of which those below the head have p = 0 and are
// solved for: what is left is a foundation that its head moves (A. M. Kaynia, E. Kausel, MIT R82-03, 1982, for piles).
#pragma once

#include <functional>
#include <vector>

#include "engine/solvers/elastic_bem/solving/foundation.hpp"

namespace conoid::elastic_bem {

/// Displacement at x where motion q (Δ, then θ) of a node, 0 the head, is 1 and those of all others are 0.
[[nodiscard]] Vec3 beam_motion(const Beam& beam, int node, std::size_t q, const Vec3& x);
/// Stiffness and mass about the nodes, row-major, six rows a node; real, symmetric.
[[nodiscard]] std::vector<double> beam_stiffness(const Beam& beam);
[[nodiscard]] std::vector<double> beam_mass(const Beam& beam);

/// Solutions and forces of foundations of which only the heads of beams are moved from outside.
struct HeadAnswers {
  std::vector<BoundaryValues> solved;        ///< 6F unit motions, then the loads on heads that are held
  std::vector<Complex> impedance;            ///< 6F × 6F, row-major, with the beams' own stiffness and mass
  std::vector<std::vector<Complex>> forces;  ///< of each load on the heads that are held, 6F
};
/// Of `solved`: unit motions of all nodes (unit_motions() of each foundation), then the loads on nodes that are held. `whole(load)`: the
/// values of a load with its incident field. Error (not_converged): beams that nothing resists.
[[nodiscard]] Result<HeadAnswers> answers_of_heads(const Surface& surface, const std::vector<Foundation>& foundations,
                                                   std::span<const BoundaryValues> solved, double omega,
                                                   const std::function<BoundaryValues(std::size_t)>& whole);

}  // namespace conoid::elastic_bem
