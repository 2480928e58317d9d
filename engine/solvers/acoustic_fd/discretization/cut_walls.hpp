// SPDX-License-Identifier: BSD-3-Clause
// Smooth walls: what obstacles leave of the cells that they cut.
//
// Rigid walls are those of finite volumes with cut cells (Purvis & Burkhalter, AIAA Journal 17, 1979; symmetric and of second order: Ng, Min & Gibou,
// J. Comput. Phys. 228, 2009). The cell of a node reaches half-way to the nodes beside it. Of volumes V and faces A that obstacles leave open, in parts of whole ones,
//
//   m_i p_tt = c² Σ_faces r_a A_f (p_j − p_i)/h_x²,   r_a = (h_x/h_a)²,
//
// m = V. At soft walls a face counts 1/θ, θ h being the way from the node to the wall along the axis, with p_j = 0 (Gibou et al., J. Comput. Phys. 176, 2002).
// The second difference of higher order is one of pairs of nodes j apart, of weight C_j: a pair stays where all j faces between are alike and no wall, else each of
// these faces takes j C_j A_f (p_{i+1} − p_i) of it, which moves as much in a uniform slope; Σ j² C_j = 1, so that beside a wall the scheme is that above.
// All is symmetric and negative for every geometry. With 4 w = |C_0| + 2 Σ |C_i| (of one axis) no eigenvalue lies above
//
//   max_i 2 w S_i/m_i,   S_i = Σ_fluid r_a A_f + Σ_soft r_a/(2 w θ),
//
// which is 2 w S_0 of the whole grid, S_0 = 2 Σ r_a. So the limit of the time step stays where m_i ≥ κ S_i/S_0, κ = (dt/limit)². What cells of a rigid wall lack
// they take from those beside them that have more than they need: the mass of the fluid stays, moved by a node along the wall's normal, where p hardly varies. What none
// can spare is added. Nodes at soft walls are made heavier as far as they need it, which with p = 0 there is of second order.
//
// A varying density makes a link of weight A one of A (p_j − p_i)/√(ρ_i ρ_j), which is the same link of q and a potential (medium.hpp, add_wall_potential()); its part of S is at most what it is
// in the whole grid, so the same κ holds with the limit of a grid of that density.
//
// In absorbing layers obstacles go on along the normal as they are where the layer begins, and faces along it count as much as their cells: there the update along the normal is
// the plain one. Features thinner than a node's distance are not seen. Cells that keep less than 10⁻³ of their volume are closed.
#pragma once

#include "engine/core/types.hpp"
#include "engine/solvers/acoustic_fd/discretization/walls.hpp"
#include "engine/solvers/acoustic_fd/problem.hpp"

#include <array>
#include <functional>
#include <span>
#include <vector>

namespace conoid::acoustic_fd {

/// A node whose cell or whose faces are not whole.
struct CutNode {
  Index x = 0, y = 0, z = 0;
  double mass = 1;                    ///< m, of fluid nodes
  std::array<double, 6> face{};       ///< A or 1/θ; order of faces as everywhere; 0 closed
  std::array<bool, 6> soft{};         ///< a wall with p = 0
  std::array<bool, 6> along_layer{};  ///< faces across the normal of an absorbing layer, in it or at its beginning
  bool in_layer =
      false;  ///< of any axis, or within the stencil's reach of it: its update is divided by its mass where walls are corrected
};

/// Read by any number of threads once made.
class CutWalls {
 public:
  /// What is at a point, in metres; made anew for each thread.
  using Classes = std::function<std::function<Solid(const Vec3&)>()>;
  /// `obstacles`: voxels by the same classes, extended through layers; nodes of open cells become fluid. `problem`: grid, faces, order, dt, speed.
  CutWalls(const Problem& problem, const Classes& classes, Obstacles& obstacles);

  /// By x, y, z.
  [[nodiscard]] const std::vector<CutNode>& nodes() const { return nodes_; }
  [[nodiscard]] std::span<const CutNode> row(Index x, Index y) const;
  [[nodiscard]] const CutNode* at(Index x, Index y, Index z) const;
  /// Part of the fluid's mass, in whole cells, that had to be added for the time step.
  [[nodiscard]] double added() const { return added_; }

 private:
  void balance(const Problem& problem);

  std::array<Index, 2> rows_{};
  std::vector<CutNode> nodes_;
  std::vector<std::size_t> first_;  ///< of row x · ny + y
  double added_ = 0;
};

}  // namespace conoid::acoustic_fd
