// SPDX-License-Identifier: BSD-3-Clause
// The kernels in the words of the paper, by plain loops: stress at a point, corner matrix A_z, force F_z = A_z B^T.
//
// Slow and short: what the kernels over lanes are tested against, and what evaluates single points for pictures.
// Source: Dong et al., kernels 1 to 6; Dobrev, Kolev, Rieben, SIAM J. Sci. Comput. 34 (2012) 606, §7 (viscosity).
#pragma once

#include "engine/solvers/hydro_fem/discretization/space.hpp"
#include "engine/solvers/hydro_fem/kernels/zone_kernels.hpp"

#include <array>
#include <vector>

namespace conoid::hydro_fem::reference {

/// What the stress at one point depends on. Matrices are dim × dim, row-major: J = ∂x/∂ξ, dv = ∂v/∂ξ.
struct Point {
  int dim = 2;
  std::array<double, 9> J{}, J0inv{}, dv{};
  double rho = 1, p = 0, c = 0;
  int turns = 0;  ///< Setup::turns
  double radius = 0, radial_velocity = 0;
  Smoothness smooth{};
  double share = 1;  ///< of the zone's viscosity, by its roughness
};
struct Stress {
  std::array<double, 9> sigma{};
  double hoop = 0;                          ///< σ_θθ
  double viscosity = 0;                     ///< ν
  double sound_rate = 0, viscous_rate = 0;  ///< parts of 1/step
  double step = 0;                          ///< stable step for Courant factor 1; 0 where |J| <= 0
};
/// σ = -p I + ν W(ε) and the step that is stable there; README.md has ν and W.
[[nodiscard]] Stress stress_at(const Point& point, bool viscosity, bool vorticity_switch, int k);
/// Of a zone with these nodes at velocities v (dim × nodes): 1 where viscosity does not vanish.
[[nodiscard]] double viscosity_share(const ZoneData& z, const Index* map, const double* v);
/// B = N diag(√a): the axes of the zone at the start in its columns, and its widths a along them; B B^T = (J0 J0^T)^(1/2).
[[nodiscard]] std::array<double, 9> widths(int dim, const std::array<double, 9>& J0inv);

/// r^turns, what integrals carry (Setup::turns).
[[nodiscard]] double measure(int turns, double radius);
[[nodiscard]] double determinant(int dim, const std::array<double, 9>& J);
/// J^-1 by cofactors; the determinant must not be zero.
[[nodiscard]] std::array<double, 9> inverse3(int dim, const std::array<double, 9>& J);

/// Smallest and largest singular value.
[[nodiscard]] double smallest_stretch(int dim, const std::array<double, 9>& J);
[[nodiscard]] double largest_stretch(int dim, const std::array<double, 9>& J);

/// The tensor tables of one zone written out: values and reference derivatives of the velocity basis and values of the
/// energy basis at the quadrature points.
struct ZoneTables {
  ZoneTables(const Tables& t, int dim);
  int nodes, energies, points;
  Matrix w;                    ///< points × nodes
  std::array<Matrix, 3> grad;  ///< one a reference axis, points × nodes
  Matrix phi;                  ///< points × energies: B^T of the paper
};

/// Place and J = ∂x/∂ξ of a zone's quadrature point at positions x (dim × nodes).
struct Spot {
  Vec3 x{};
  std::array<double, 9> J{};
};
[[nodiscard]] Spot spot_of(const ZoneTables& t, const Space& space, const double* x, Index zone, int point);

/// One zone's share of the equations at a state. `lane` says where the zone lies in the arrays of `z` (batch·W + lane).
struct ZoneForce {
  Matrix A;  ///< (dim·nodes) × points: α_k σ(q_k) : J^-1 ∇w_i(q_k) |J|
  Matrix F;  ///< (dim·nodes) × energies: A B^T
  double step = 0;
};
[[nodiscard]] ZoneForce zone_force(const ZoneData& z, const ZoneTables& t, const Space& space, int lanes, Index lane,
                                   const double* x, const double* v, const double* e);
/// (F·1)_i and (F^T v)_j.
[[nodiscard]] std::vector<double> times_one(const Matrix& F);
[[nodiscard]] std::vector<double> transposed_times(const Matrix& F, const std::vector<double>& v);
/// The zone's velocity mass matrix, nodes × nodes.
[[nodiscard]] Matrix zone_mass(const ZoneData& z, const ZoneTables& t, int lanes, Index lane);

}  // namespace conoid::hydro_fem::reference
