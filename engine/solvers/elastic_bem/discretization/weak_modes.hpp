// SPDX-License-Identifier: BSD-3-Clause
// Motions that the boundary integral equations hardly see, and the equations that settle them.
//
// *Hollows in a nearly incompressible medium.* Over a closed cavity the equations fix what would happen in the hollow too, were it
// filled and held: a pressure there makes no displacement as ν → ½, so that the flux of all equations through the wall, ∮ n·(c u + ∫ t* u
// − ∫ u* t) dS, vanishes with 1 − 2ν whatever the radial motion is, and errors of quadrature come back 1/(1 − 2ν) times as large. Its place
// is taken by the dilatation of the same field at points of the hollow, times λ + 2μ, which stays of order one:
//   0 = ∫ −∂Φ/∂x_j t_j dS − ∫ (λ k_P² Φ n_j − 2μ n_i ∂²Φ/∂x_i∂x_j) u_j dS,   Φ = e^{−i k_P r}/(4πr),
// from ∂u*_ij/∂ξ_i = ∂Φ/∂ξ_j/(λ + 2μ) and its traction.
//
// *Bodies that nothing holds.* Rigid motions r satisfy the static equations without traction; near f = 0 only inertia, of order (k a)²,
// tells them apart, and errors take its place. Their mean over the volume follows from the boundary by Betti's theorem with a field w
// of the unit body force, div σ(w) = r:  ∫ u·r dV = ∮ (u·t(w) − w·t) dS + O((k a)²): it is set to that of the body's acceleration.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/solvers/elastic_bem/solving/system.hpp"

namespace conoid::elastic_bem {

/// An equation ⟨displacement, u⟩ + ⟨traction, t⟩ = 0 and the rows that take it up.
struct WeakMode {
  std::vector<double> rows;  ///< d m + n: how the equation is spread over the rows of the system
  std::vector<double>
      replaced;  ///< weights of the combination of rows that gives way to it; empty: it is added to them
  std::vector<Complex3> displacement, traction;  ///< a node, a traction node
};

/// For each hollow where ν is near ½ and the pressure wave is long there (|k_P| R < 1); Poisson's ratio below `from_poisson`: none.
inline constexpr double from_poisson = 0.4;
[[nodiscard]] std::vector<WeakMode> hollow_modes(const Surface& surface, const Harmonic& harmonic);

/// Rigid motions that no condition restrains, of one body computed from inside; about its centre of mass.
struct FreeMotions {
  std::vector<std::array<double, 6>> motions;  ///< orthonormal; rotations are those over `size`
  Vec3 centre{};
  double volume = 0, size = 0;       ///< half of the diameter
  std::array<double, 36> inertia{};  ///< ∫ r·r dV of the six, row-major
  [[nodiscard]] Vec3 at(std::size_t motion, const Vec3& x) const;
  /// ∫ t·r dS of each motion, and ∫ |t| dS.
  [[nodiscard]] std::vector<Complex> forces(const Surface& surface, const std::vector<Complex3>& traction,
                                            double& whole) const;
};
[[nodiscard]] FreeMotions free_motions(const Surface& surface, const std::vector<Condition>& conditions);
/// Below this |k_S| size the equations for the mean motion are better than those of the boundary.
inline constexpr double free_below = 0.15;
/// Loads count as balanced if their resultant is below this share of ∫ |t| dS: what the mesh makes of balanced ones.
inline constexpr double balanced_share = 2e-3;
[[nodiscard]] std::string unbalanced_text(double share);
inline constexpr std::string_view unbalanced_hint =
    "Hold the body with a boundary of kind \"fixed\", \"roller\" or \"prescribed\", balance the loads, or ask for a "
    "frequency above 0 Hz, "
    "where its mass resists.";
[[nodiscard]] std::vector<WeakMode> free_modes(const Surface& surface, const FreeMotions& free,
                                               const Harmonic& harmonic);
/// Acceleration of the body under forces of the motions: coefficients c of its rigid motion, −ω² M c = F.
[[nodiscard]] std::vector<Complex> rigid_answer(const FreeMotions& free, const Harmonic& harmonic,
                                                const std::vector<Complex>& forces);

}  // namespace conoid::elastic_bem
