// SPDX-License-Identifier: BSD-3-Clause
// Uniform refinement: every cell becomes cells of half its size.
#pragma once

#include "engine/core/error.hpp"
#include "engine/mesh/mesh.hpp"

namespace conoid {

/// Lines become two, triangles, quadrilaterals four, tetrahedra and hexahedra eight, all of their parent's shape and groups; new
/// points are the middles of edges, faces and cells, so the surface keeps the facets it has. A tetrahedron's octahedron is cut
/// along the shortest of its diagonals (Bey, Computing 55 (1995) 355, takes a fixed one). Children stand where their parent stood,
/// in its order. Errors (invalid_input): curved cells, which are to be meshed from their geometry; more cells than `most`.
[[nodiscard]] Result<Mesh> refined(const Mesh& mesh, Index most = 20'000'000);

}  // namespace conoid
