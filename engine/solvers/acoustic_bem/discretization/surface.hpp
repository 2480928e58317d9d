// SPDX-License-Identifier: BSD-3-Clause
// The scatterer's surface as the boundary elements see it: flat triangles, P1 unknowns at the vertices.
//
// Vertices are numbered so that the unknowns come first, 0 … unknowns−1, in the chosen order; then come those whose values
// follow from the unknowns by weights, their *shares*:
// - on the rim of a screen the pressure jump vanishes: no shares;
// - near the rim the jump grows with the square root of the distance (E. P. Stephan, Integral Equations Oper. Theory 10
//   (1987) 236). A triangle that touches the rim is cut into layers towards it, at the fractions s_j = (j/n)^3 of its height,
//   and the jump there is √s_j times that at the triangle's inner corners. The trial and test functions stay continuous and
//   piecewise linear, so that matrices keep their symmetry and energy, and no unknown is added;
// - where three or more sheets meet along an edge (a T-shaped barrier, a body with a fin) each sheet has a value of its own,
//   and round the edge the jumps add up to nothing: one of them is given by the others.
// A body filled with another fluid has two unknowns a vertex, p and cΔt ∂_n p outside: each vertex and each triangle stands twice, vertices
// side by side, the triangles of the second kind behind all others (double_layers()).
// Lengths in metres. Immutable after make_surface(); may be read from any thread.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"
#include "engine/mesh/mesh.hpp"
#include "engine/solvers/acoustic_bem/discretization/walls.hpp"

namespace conoid::acoustic_bem {

/// Numbering of the unknowns (Bramas et al. 2015, §7.4.1): it decides how well neighbouring row-vectors line up. By clusters: for
/// compressed matrices (skeletons.hpp).
enum class Ordering : std::uint8_t { given, morton, hilbert, clusters };

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

/// Part of an unknown in the value at a vertex.
struct Share {
  std::int32_t unknown = 0;
  double weight = 1;
};

/// An unknown at a wall whose admittance depends on frequency: what the wall remembers of it has a column of its own (memory_columns.hpp).
struct MemoryColumn {
  std::int32_t unknown = 0;
  std::int16_t wall = 0;
};

struct Surface {
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;
  Index unknowns = 0;
  bool closed = true;
  double moved = 0;      ///< the farthest that a corner of the mesh was moved, m: see curved_faces.hpp
  Index turned = 0;      ///< faces of the mesh that were turned round: see make_surface()
  Index rim_faces = 0;   ///< triangles of the mesh that touch a rim
  Index dead_faces = 0;  ///< of these, those with all corners on rims: the jump there is taken as zero
  double mean_edge = 0;  ///< h: mean length of the edges
  double longest_edge = 0;
  double shortest_edge = 0;
  double diameter = 0;  ///< ℓ_max: largest distance of two vertices
  double area = 0;
  std::vector<Index> mesh_point;          ///< vertex → point of the mesh; −1 in the layers at a rim
  std::vector<std::int32_t> share_begin;  ///< vertices + 1 entries into `share`
  std::vector<Share> share;
  std::vector<std::int32_t> touch_begin;          ///< unknowns + 1 entries into `touch`
  std::vector<std::int32_t> touch;                ///< triangles on which each unknown's function lives
  std::vector<std::vector<std::int32_t>> bodies;  ///< triangles of each closed piece, normals into the fluid

  Conditions conditions;
  std::vector<std::int16_t> wall;  ///< of each triangle among conditions.walls; −1: rigid. Empty: all rigid
  std::vector<double>
      admittance;  ///< of each triangle, what pⁿ does to cΔt σⁿ: 1/ζ. Empty: nothing soft and no impedance
  std::vector<double> admittance_before;     ///< what pⁿ⁻¹ does: −1/ζ; empty likewise
  std::vector<MemoryColumn> memory_columns;  ///< by ascending unknown, then wall; empty: no wall depends on frequency
  std::vector<WallMemory> memory;            ///< of each wall; empty likewise
  std::vector<char> soft;                    ///< of each triangle; empty like `admittance`
  std::vector<char>
      derivative;  ///< of each vertex: p = 0, its unknown is cΔt ∂_n p on the soft triangles there; empty likewise
  std::vector<std::int32_t> body_of;  ///< of each face, among `bodies`; empty: bodies are not filled
  /// Of each triangle: what is tested there has form N also where the form is combined, since beyond it is no body whose resonances were to be damped:
  /// the walls of a room that holds bodies. Empty: all are alike.
  std::vector<char> plain;
  std::vector<Triangle> images;  ///< of each triangle below the ground, normals out of the image; empty: no ground

  /// What the value at a vertex is made of: of an unknown's own vertex, itself.
  [[nodiscard]] std::span<const Share> shares(std::int32_t vertex) const {
    const auto v = static_cast<std::size_t>(vertex);
    return std::span(share).subspan(static_cast<std::size_t>(share_begin[v]),
                                    static_cast<std::size_t>(share_begin[v + 1] - share_begin[v]));
  }
  /// Faces that are soft or have an impedance: the unknowns then carry ∂_n p too (tile.hpp).
  [[nodiscard]] bool has_walls() const { return !admittance.empty(); }
  [[nodiscard]] bool is_wall(std::size_t triangle) const {
    return has_walls() && (admittance[triangle] != 0 || soft[triangle] != 0);
  }
  [[nodiscard]] bool is_plain(std::size_t triangle) const { return !plain.empty() && plain[triangle] != 0; }
  /// The admittance of a wall depends on frequency.
  [[nodiscard]] bool remembers(std::int16_t at) const {
    return !memory.empty() && at >= 0 && conditions.walls[static_cast<std::size_t>(at)].admittance.has_value();
  }
  /// Its column, −1: it has none at this wall.
  [[nodiscard]] Index memory_column(std::int32_t unknown, std::int16_t at) const;
  /// β of a triangle under e^{−iωt}, for what has been transformed; has_walls().
  [[nodiscard]] std::complex<double> admittance_at(std::size_t triangle, double omega) const {
    if (!memory.empty() && wall[triangle] >= 0)
      if (const auto& beta = conditions.walls[static_cast<std::size_t>(wall[triangle])].admittance)
        return std::conj(beta->at(omega));
    return admittance[triangle];
  }
  /// Bodies are filled with another fluid.
  [[nodiscard]] bool filled() const { return conditions.filling.has_value(); }
  /// Triangles of the mesh, layers at rims included: `triangles` holds each twice where bodies are filled.
  [[nodiscard]] std::size_t faces() const { return filled() ? triangles.size() / 2 : triangles.size(); }
  /// The unknown at a vertex is a pressure.
  [[nodiscard]] bool carries_pressure(std::int32_t vertex) const {
    return derivative.empty() || derivative[static_cast<std::size_t>(vertex)] == 0;
  }
  [[nodiscard]] double image_sign() const { return conditions.ground ? conditions.ground->sign() : 1; }
  /// Triangles on which the functions of these unknowns live, ascending.
  [[nodiscard]] std::vector<std::int32_t> touching(Interval unknowns) const;
};

/// What a density at a corner of a triangle does: its pressure's part, and what is added of S_k and S_{k−1} (tile.hpp), times 1/(cΔt).
struct Density {
  double pressure = 1, now = 0, before = 0;
};
[[nodiscard]] inline Density density_of(const Surface& surface, std::size_t triangle, std::int32_t vertex) {
  if (!surface.has_walls()) return {};
  if (!surface.carries_pressure(vertex)) return {0, surface.soft[triangle] != 0 ? 1.0 : 0.0, 0};
  return {1, surface.admittance[triangle], surface.admittance_before[triangle]};
}

/// Layers of the triangles at a rim unless told otherwise: four leave a thirtieth of the rim's error of plain linear functions.
constexpr int usual_rim_layers = 4;

/// Takes the triangles of a mesh (quads are cut in two). The mesh must have passed check_surface(). Faces are turned so that
/// neighbours agree, and those of a closed piece point out of it (positive signed volume); of an open piece the direction of
/// most faces stays. `rim_layers` 1: plain linear functions up to the rim. Edges of one triangle in a rigid ground are joined
/// to their images: no rim is there. Error: a group that the mesh does not have.
[[nodiscard]] Result<Surface> make_surface(const Mesh& mesh, Ordering ordering, int rim_layers = usual_rim_layers,
                                           const Conditions& conditions = {});

/// Lays out what walls remember at this time step; to be called once the step is known, where walls depend on frequency (else nothing is done).
void set_wall_memory(Surface& surface, double dt);

/// What is wrong with a mesh as a scatterer, each with its numbers and remedy: no triangles, degenerate ones, duplicate
/// vertices, edges of more than two triangles where a closed body is wanted, one-sided pieces, a rim where a closed body is
/// wanted; and, as notes, faces that will be turned. `closed_needed` is the form's demand, `form` names it in the text.
[[nodiscard]] std::vector<Diagnostic> check_surface(const Mesh& mesh, bool closed_needed, std::string_view form,
                                                    const Conditions& conditions = {});

/// How thin the body is: the least distance between opposite sheets over the radius of the triangles there (pairs that
/// share no corner, face each other within 60 degrees of opposite normals, and lie over one another). 1 where it is not thin.
[[nodiscard]] double thinness(const Surface& surface);

/// Signed volume enclosed, m³: positive for outward normals. Of bodies that stand on the ground, up to there.
[[nodiscard]] double signed_volume(const Surface& surface);

}  // namespace conoid::acoustic_bem
