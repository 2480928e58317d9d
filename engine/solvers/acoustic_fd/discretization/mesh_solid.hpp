// SPDX-License-Identifier: BSD-3-Clause
// The inside of a closed surface, row by row: obstacles from meshes.
//
// A point is inside where the surface winds around it: of the triangles above it, those that face up minus those that face down are not zero. So bodies
// may touch and overlap, hollows whose normals point into them are outside, and a surface that is turned inside out is the same body. Whether a vertical
// line meets a triangle is decided in the plane of x and y by crossings of its edges (Sunday's winding number: Hormann & Agathos, Comput. Geom. 20, 2001):
// an edge that two triangles share is decided once for both, by the same arithmetic, so that no line slips between triangles, nor counts both.
#pragma once

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"
#include "engine/mesh/mesh.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace conoid::acoustic_fd {

/// Read by any number of threads. About 100 B a triangle.
class MeshSolid {
 public:
  /// Of the surface cells, or of the boundary of a volume mesh; quads are two triangles, cells of order 2 are taken by their corners. Errors
  /// (invalid_input): no such cells, a surface that is not closed, cells that disagree about their sides.
  [[nodiscard]] static Result<std::shared_ptr<const MeshSolid>> of(const Mesh& mesh);

  /// 1 for each of the points (x, y, z0 + k dz), dz > 0, that is inside, 0 for others.
  void row(double x, double y, double z0, double dz, std::span<unsigned char> out) const;
  [[nodiscard]] std::size_t triangles() const { return triangles_.size(); }

 private:
  struct Triangle {
    std::array<Vec3, 3> corner;
  };
  void add(const Mesh& mesh, Index a, Index b, Index c);
  void sort_into_bins();
  [[nodiscard]] std::size_t bin(std::size_t axis, double at) const;

  std::vector<Triangle> triangles_;
  // Bins over the plane of x and y: triangles of bin (i, j) are list_[first_[i bins_[1] + j]] up to the next one's.
  std::array<double, 2> low_{}, high_{}, width_{1, 1};
  std::array<std::size_t, 2> bins_{1, 1};
  std::vector<std::size_t> first_;
  std::vector<std::uint32_t> list_;
};

}  // namespace conoid::acoustic_fd
