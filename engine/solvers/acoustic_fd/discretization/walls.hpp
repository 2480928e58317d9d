// SPDX-License-Identifier: BSD-3-Clause
// Obstacles made of the grid's cells, rigid or soft, and walls of a given impedance.
//
// A node that is no fluid is a voxel, whose faces lie half-way to the nodes beside it. Along each axis the fluid between two such faces is a
// row of its own, which the stencil of any order sees continued by its images behind them: of sign +1 at rigid faces (∂p/∂n = 0), −1 at soft
// ones (p = 0), half-sample symmetric, u_{-1-j} = ± u_j. Such a second difference is symmetric, its eigenvectors are the cosines or sines
// of the row, its eigenvalues lie within those of the whole axis: so the sum over axes is symmetric and negative, the limit of the time step is that of
// the grid without obstacles, and energy is conserved. What stands beside the plain update is the difference of both,
//
//   p^{k+1} += a r Σ w_n (u of node n along the axis),   r = 1/(1 + σ),
//
// for nodes within the stencil's reach of a voxel; it reads no farther than the stencil does and so fits in every order of traversal. Voxels
// keep a = 10⁻³⁰: their pressure stays zero to all digits. In absorbing layers, and within the stencil's reach of them, obstacles go on along the
// normal of the face as they are where the layer begins, so that a layer meets no wall across it.
//
// A face of impedance ζ = Z/(ρ c) is a rigid one whose nodes are damped, p_tt + (2c/(ζh)) p_t = c² Δ_h p: a sponge of one node
// (layers.hpp), stable for every ζ > 0. The even continuation has a kink there, which a stencil above order 2 rounds off: its
// pressure stands for one of ζ − iκ kh, κ = 0.14 to 0.19. A softer link between the first two nodes, (1 − δ/C) for the pair, takes
// that out (δ below, of the scattering of a plane wave by the half line); what is left is of order (kh)².
#pragma once

#include "engine/core/types.hpp"
#include "engine/solvers/acoustic_fd/discretization/stencil.hpp"
#include "engine/solvers/acoustic_fd/problem.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace conoid::acoustic_fd {

enum class Solid : unsigned char { none, rigid, soft };
class CutWalls;

/// What every node of a grid is. A byte a node. Read by any number of threads once filled.
class Obstacles {
 public:
  /// All fluid; `held` false: nodes are not kept yet, for plans. Throws Failure(resources) without memory.
  explicit Obstacles(const Grid& grid, bool held = true);
  /// From now on nodes are kept, all of them fluid at first. Throws Failure(resources) without memory.
  void hold();
  void set(Index x, Index y, Index z, Solid what);
  [[nodiscard]] Solid at(Index x, Index y, Index z) const {
    return nodes_[static_cast<std::size_t>((x * points_[1] + y) * points_[2] + z)];
  }
  [[nodiscard]] const Solid* row(Index x, Index y) const {
    return nodes_.data() + static_cast<std::size_t>((x * points_[1] + y) * points_[2]);
  }
  /// Absorbing layers of these faces, and `radius` nodes before them, repeat what lies where they begin. Returns the part of the solid nodes on
  /// each face that are fluid then: obstacles that end within its layer.
  std::array<double, 6> extend_through_layers(const std::array<Face, 6>& faces, int radius);
  /// Their walls are smooth (cut_walls.hpp); null: those of voxels.
  void set_cuts(std::shared_ptr<const CutWalls> cuts) { cuts_ = std::move(cuts); }
  [[nodiscard]] const CutWalls* cuts() const { return cuts_.get(); }
  [[nodiscard]] Index count() const;  ///< of nodes that are no fluid
  [[nodiscard]] Bytes bytes() const { return static_cast<Bytes>(points_[0] * points_[1] * points_[2]); }

 private:
  std::array<Index, 3> points_;
  std::vector<Solid> nodes_;
  std::shared_ptr<const CutWalls> cuts_;
};

/// a of a voxel: zero to all digits of the field, and no divisor of zero.
inline constexpr double still = 1e-30;

/// A node beside a wall and what its update takes in addition: entries [first, last).
struct WallNode {
  Index x = 0, y = 0, z = 0;  ///< global
  std::uint32_t first = 0, last = 0;
};
struct WallEntry {
  std::uint8_t axis = 0;
  std::int8_t offset = 0;  ///< in nodes along it
  double weight = 0;       ///< carries h_x², as L does
};
struct Walls {
  std::vector<WallNode> nodes;  ///< by x, y, z
  std::vector<WallEntry> entries;
};
/// Of the planes (global).
[[nodiscard]] Walls find_walls(const Problem& problem, const Stencil& stencil, Interval planes);

/// What walls change of the potential of a varying density (medium.hpp) in row (x, y): added to h_x² V_h of its nodes. Behind voxels, rigid and soft,
/// 1/√ρ goes on by its even images, as behind the faces of the grid, so that with rigid walls a constant pressure stays at rest, and the operator keeps the bounds
/// of the range of ρ. Beside smooth walls the potential is that of the pairs of nodes that stay linked, A C (√(ρ_i/ρ_j) − 1), to the same end.
void add_wall_potential(const Problem& problem, const Stencil& stencil, Index x, Index y, std::span<double> out);

/// δ of a stencil's order.
[[nodiscard]] double wall_softness(int order);

}  // namespace conoid::acoustic_fd
