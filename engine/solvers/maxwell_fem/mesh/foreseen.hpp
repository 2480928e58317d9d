// SPDX-License-Identifier: BSD-3-Clause
// How many tetrahedra surround() makes around a surface, and graded() of those at its edges, from the surface alone.
//
// S is a net of squares over a grid (offset.hpp), two triangles a square: over a face with the normal n there are |n_x| + |n_y| + |n_z| of them
// for each cell of the grid. The surface at a distance d holds the body's faces, d θ a length of an edge that bends by θ, and d² times what is left
// of the angle at a corner (J. Steiner, 1840). The row between two triangulations holds a tetrahedron for each triangle of both, and some where an
// edge of the body passes edges of the other one: 0.56 of its length over theirs, and 0.67.
#pragma once

#include "engine/mesh/mesh.hpp"
#include "engine/solvers/maxwell_fem/mesh/offset.hpp"

#include <span>
#include <utility>

namespace conoid::maxwell_fem {

/// Triangles of S over a part of the body, times the square of the grid's step: flat + bent d + round d².
struct NetOver {
  double flat = 0, bent = 0, round = 0;  ///< m², m, 1
};

/// Of a closed surface, and of its edges that get layers. Lengths in m.
struct SurfaceCounts {
  double triangles = 0, edges = 0, lengths = 0;
  NetOver net;
  double graded = 0, graded_lengths = 0;  ///< edges with layers
  double at_points = 0;                   ///< triangles at points of those, with each of them
  double beside = 0, beside_lengths = 0;  ///< other edges that end at such points, with each of them
  NetOver over_edges,
      over_points;  ///< the net over edges with layers (flat: over the triangles at them), and over their points besides
  double flanks = 0;                     ///< lengths of the other edges of triangles at edges with layers
  double chords = 0, chord_lengths = 0;  ///< other edges with both ends at such points
  double triples = 0;                    ///< triangles all of whose corners are such points
  double corners = 0;                    ///< of triangles, between two edges with layers
};
/// `graded`: corners of the edges that get layers, the lower one first, sorted.
[[nodiscard]] SurfaceCounts count_surface(const Mesh& surface, std::span<const std::pair<Index, Index>> graded);

/// Tetrahedra of surround(), without those inside, of the surface with its edges cut into so many parts.
[[nodiscard]] double expected_around(const SurfaceCounts& surface, const SurroundOptions& options, double parts);
/// And how many more graded() makes of them with so many layers.
[[nodiscard]] double expected_in_layers(const SurfaceCounts& surface, const SurroundOptions& options, double parts,
                                        int layers);

}  // namespace conoid::maxwell_fem
