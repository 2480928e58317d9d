// SPDX-License-Identifier: BSD-3-Clause
// Changing a mesh by hand: regions of faces, groups of them, elements of another size.
#pragma once

#include "engine/core/error.hpp"
#include "engine/mesh/mesh.hpp"

#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace conoid {

/// The faces that can be chosen: the surface cells of a surface mesh, the boundary of a volume mesh (normals outwards), with the
/// groups that the mesh has of them.
[[nodiscard]] Mesh outer_faces(const Mesh& mesh);

/// The surface cell whose plane piece (quads: two triangles; curved cells by their corners) is nearest to a place; -1 without any.
[[nodiscard]] Index nearest_face(const Mesh& faces, const Vec3& place);

/// The cell and all that can be reached from it over edges at which the faces turn by less than `angle` degrees, ascending: a
/// side of a box, the whole of a sphere. Edges of three or more cells are not crossed.
[[nodiscard]] std::vector<Index> smooth_region(const Mesh& faces, Index cell, double angle);

/// All such regions: the number of the region of each cell, 0 for the first cell's and on; −1 for what is no surface cell.
[[nodiscard]] std::vector<Index> smooth_regions(const Mesh& faces, double angle);

/// The mesh with the given cells of outer_faces(mesh) as the surface group `name`; they leave other surface groups, of which empty ones go.
/// Of a volume mesh, faces that are no cells yet become some. Errors (invalid_input): an empty name, no cells, a group of that name
/// that is no surface.
[[nodiscard]] Result<Mesh> with_group(const Mesh& mesh, std::span<const Index> faces, const std::string& name);

/// Why remeshed() would refuse; empty: it would not. `faces`: outer_faces(mesh), where they are at hand; else they are made if needed.
[[nodiscard]] std::string why_not_remeshed(const Mesh& mesh, const Mesh* faces = nullptr);

/// The same body with elements of about `size` metres, made by the program gmsh from the surface of the mesh alone: it is cut at
/// edges sharper than 40 degrees, which stay, and meshed over anew (J.-F. Remacle, C. Geuzaine, G. Compère, E. Marchandise, Int. J.
/// Numer. Meth. Engng 83 (2010) 403). Where the body is curved elements are shorter, `elements_a_turn` on a full circle, down to a
/// twentieth of `size`; where such cut each other, or lose a tip of the body, shorter ones are tried. Each new face takes the groups of
/// the old one that is nearest to its middle, so a border of groups that is no edge moves by up to half an element. Errors: what
/// why_not_remeshed() says (invalid_input); more than about `most` elements; those of run_gmsh(). Blocks; any thread may call.
constexpr int elements_a_turn = 20;     ///< flat facets of a cylinder then hold 1.6 % less than it
constexpr int elements_of_finest = 20;  ///< `size` against the shortest that curvature asks for at first
[[nodiscard]] Result<Mesh> remeshed(const Mesh& mesh, double size, std::stop_token stop = {}, double most = 5e6);
/// What a body has lost or gained by being meshed again: its volume (an open surface: its area), from 2 % on, or of its length, from 1 % on,
/// in words; else empty.
[[nodiscard]] std::string how_remeshed_differs(const Mesh& before, const Mesh& after);

}  // namespace conoid
