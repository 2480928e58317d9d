// SPDX-License-Identifier: BSD-3-Clause
// The scatterer's surface as the boundary elements see it: flat triangles, P1 unknowns at the vertices.
//
// Vertices are numbered so that the unknowns come first, 0 … unknowns−1, in the chosen order; the vertices on the rim of
// an open screen, where the pressure jump vanishes, carry no unknown and come last. Lengths in metres. Immutable after
// make_surface(); may be read from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"
#include "engine/mesh/mesh.hpp"

namespace conoid::acoustic_bem {

/// Numbering of the unknowns (Bramas et al. 2015, §7.4.1): it decides how well neighbouring row-vectors line up.
enum class Ordering : std::uint8_t { given, morton, hilbert };

/// One flat triangle with what the moments of the kernels need. Vertices counter-clockwise seen from the normal's tip.
struct Triangle {
  std::array<std::int32_t, 3> vertex{};
  std::array<Vec3, 3> corner{};
  Vec3 normal{};
  Vec3 centroid{};
  double area = 0;
  double radius = 0;               ///< largest distance of a corner from the centroid
  std::array<Vec3, 3> gradient{};  ///< ∇λ_b = n × e_b / (2|T|), e_b = v_{b+2} − v_{b+1}
  std::array<Vec3, 3> curl{};      ///< n × ∇λ_b = −e_b / (2|T|)
  std::array<Vec3, 3> tangent{};   ///< unit, along the edge (v_e, v_{e+1})
  std::array<Vec3, 3> outward{};   ///< unit, in the plane, normal to the edge
  std::array<double, 3> length{};  ///< of the edge (v_e, v_{e+1})
};
[[nodiscard]] Triangle make_triangle(const Vec3& v0, const Vec3& v1, const Vec3& v2);

struct Surface {
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;
  Index unknowns = 0;
  bool closed = true;
  double mean_edge = 0;  ///< h: mean length of the edges
  double longest_edge = 0;
  double shortest_edge = 0;
  double diameter = 0;  ///< ℓ_max: largest distance of two vertices
  double area = 0;
  std::vector<Index> mesh_point;          ///< vertex → point of the mesh
  std::vector<std::int32_t> touch_begin;  ///< vertices + 1 entries into `touch`
  std::vector<std::int32_t> touch;        ///< triangles around each vertex

  /// Triangles that have a corner among these vertices, ascending.
  [[nodiscard]] std::vector<std::int32_t> touching(Interval vertices) const;
};

/// Takes the triangles of a mesh (quads are cut in two). The mesh must have passed check_surface().
[[nodiscard]] Result<Surface> make_surface(const Mesh& mesh, Ordering ordering);

/// What is wrong with a mesh as a scatterer, each with its numbers and remedy: no triangles, degenerate ones, duplicate
/// vertices, edges of more than two triangles, neighbours of opposite orientation, a rim where a closed body is wanted,
/// normals that point inwards. `closed_needed` is the form's demand, `form` names it in the text.
[[nodiscard]] std::vector<Diagnostic> check_surface(const Mesh& mesh, bool closed_needed, std::string_view form);

/// How thin the body is: the least distance between opposite sheets over the radius of the triangles there (pairs that
/// share no corner, face each other within 60 degrees of opposite normals, and lie over one another). 1 where it is not thin.
[[nodiscard]] double thinness(const Surface& surface);

/// Signed volume enclosed, m³: positive for outward normals.
[[nodiscard]] double signed_volume(const Surface& surface);

}  // namespace conoid::acoustic_bem
