// SPDX-License-Identifier: BSD-3-Clause
// The tetrahedra of a mesh with sorted corners, their edges and faces, and the numbering of the unknowns on them.
#pragma once

#include "engine/core/stop.hpp"
#include "engine/mesh/mesh.hpp"
#include "engine/solvers/maxwell_fem/discretization/basis.hpp"

#include <array>
#include <span>
#include <vector>

namespace conoid::maxwell_fem {

/// A tetrahedron: mesh points of its corners in ascending order, then of the middles of the edges 01, 02, 03, 12, 13, 23
/// (straight tetrahedra: −1). Sorting may mirror the cell: Jacobian determinants may be negative.
struct Tet {
  std::array<Index, 10> points;
  Index cell = 0;  ///< in the mesh
  int region = 0;  ///< index of the material
  bool curved = false;
};

/// x(ξ) of one tetrahedron at a point, and J = ∂x/∂ξ by columns.
struct Map {
  Vec3 x{};
  std::array<Vec3, 3> columns{};
  double determinant = 0;
  [[nodiscard]] Vec3 covariant(const Vec3& reference) const;  ///< J⁻ᵀ v: values
  [[nodiscard]] Vec3 curl(const Vec3& reference) const;       ///< J v / det J: curls
};

/// Unknowns: edge e has 1 (order 1) or 2 (order 2), then come two a face.
class Space {
 public:
  /// Takes the tet4 and tet10 cells of the mesh; the mesh must outlive the space. Errors: no tetrahedra, other volume cells,
  /// a cell without volume; code stopped where `stopped` says so.
  [[nodiscard]] static Result<Space> make(const Mesh& mesh, int order, const Stopped& stopped = {});

  [[nodiscard]] int order() const { return order_; }
  [[nodiscard]] const Mesh& mesh() const { return *mesh_; }
  /// The same mesh, point by point and cell by cell, at another place; it must outlive the space.
  void lies_in(const Mesh& mesh) { mesh_ = &mesh; }
  [[nodiscard]] Index unknowns() const { return order_ == 1 ? edge_count_ : 2 * (edge_count_ + face_count()); }
  [[nodiscard]] Index edge_count() const { return edge_count_; }
  [[nodiscard]] Index face_count() const { return static_cast<Index>(faces_.size()); }
  [[nodiscard]] const std::vector<Tet>& tets() const { return tets_; }
  std::vector<Tet>& tets() { return tets_; }
  [[nodiscard]] int unknowns_a_tet() const { return unknowns_of(order_); }
  /// Global numbers of a tetrahedron's unknowns.
  [[nodiscard]] std::array<Index, most_unknowns> unknowns_of_tet(Index tet) const;

  /// The face with these corners, −1 if there is none.
  [[nodiscard]] Index find_face(std::array<Index, 3> corners) const;
  /// The one or two tetrahedra of a face with the local number of the face in each; −1: none.
  struct Sides {
    std::array<Index, 2> tet{-1, -1};
    std::array<int, 2> local{0, 0};
  };
  [[nodiscard]] const Sides& sides(Index face) const { return sides_[static_cast<std::size_t>(face)]; }
  [[nodiscard]] Index face_of(Index tet, int local) const { return tet_faces_[static_cast<std::size_t>(tet)][local]; }

  [[nodiscard]] Map map(Index tet, const Vec3& reference) const;
  [[nodiscard]] double longest_edge(Index tet) const;

 private:
  const Mesh* mesh_ = nullptr;
  int order_ = 2;
  std::vector<Tet> tets_;
  Index edge_count_ = 0;
  std::vector<std::array<Index, 3>> faces_;  ///< sorted
  std::vector<Sides> sides_;
  std::vector<std::array<Index, 6>> tet_edges_;
  std::vector<std::array<Index, 4>> tet_faces_;
};

}  // namespace conoid::maxwell_fem
