// SPDX-License-Identifier: BSD-3-Clause
// Where S lies and how fine the elements are: by the wave, by the wave inside of materials and by the size of the body; a band of
// frequencies at a time, where the program makes S.
//
// S keeps the smaller of `truncation.distance` wavelengths and 0.8 of the body's size (half its longest side): the static field of
// a body falls with its own size, not with the wavelength, and elements must follow it.
#pragma once

#include "engine/solvers/maxwell_fem/mesh/body.hpp"
#include "engine/solvers/maxwell_fem/mesh/offset.hpp"
#include "engine/solvers/maxwell_fem/problem.hpp"

#include <memory>
#include <vector>

namespace conoid::maxwell_fem {

/// Puts what the case's mesh comes to into `problem.mesh`; null: a built-in sphere. Errors of a mesh with S of its own: those of make_domain().
[[nodiscard]] Status look_at_mesh(Problem& problem, const std::shared_ptr<const Mesh>& given);

/// The surface around which the program puts a layer: a surface mesh, or the skin of a solid without S (what a STEP file becomes). Null: the mesh has S already, or the case is a built-in sphere. `given` may be null.
[[nodiscard]] std::shared_ptr<const Mesh> bare_surface(const Problem& problem, std::shared_ptr<const Mesh> given);

/// All frequencies of a mesh with S of its own share it; else they do up to a factor of 1.5, and as long as S and elements stay the
/// same (small bodies). After look_at_mesh().
[[nodiscard]] std::vector<Band> bands_of(const Problem& problem);
/// The case with the frequencies of the band alone.
[[nodiscard]] Problem in_band(const Problem& problem, const Band& band);

/// The largest |√(ε_r μ_r)| of a material over the frequencies. Conductors so good that a wave ends within the surface (losses as
/// large as the rest, index above 50) count as 0: an element need not follow it, their surface impedance is below 1/50 of η_0.
[[nodiscard]] double refractive_index(const Problem& problem, int material);

/// S and elements around a body, for all frequencies of the problem.
struct Layout {
  SurroundOptions layer;
  int parts = 1;  ///< into which each edge of the body is cut
  [[nodiscard]] bool operator==(const Layout& o) const {
    return layer.distance == o.layer.distance && layer.edge == o.layer.edge && layer.layers == o.layer.layers &&
           layer.filled == o.layer.filled && layer.inside == o.layer.inside && parts == o.parts;
  }
};
/// Edges inside of a filled body of this size in which waves go to and fro must be shorter than elsewhere, by this factor, at most 1.
[[nodiscard]] double shorter_inside(const Problem& problem, int material, double size);
[[nodiscard]] Layout layout_around(const Problem& problem, const BodyMeasure& body);
/// Of a built-in sphere: from the body to S, m.
[[nodiscard]] double sphere_distance(const Problem& problem);
/// Longest edges of a built-in sphere's elements in the vacuum, the coat and the core (0: there is none), m.
struct SphereEdges {
  double vacuum = 0, coat = 0, core = 0;
};
[[nodiscard]] SphereEdges sphere_edges(const Problem& problem);

/// Tetrahedra of the whole mesh before it is made.
[[nodiscard]] double expected_tets(const Problem& problem);

/// The mesh to compute on: the given one, the sphere's, or the given closed surface with its layer up to S. The roles of the groups
/// are put into `problem.domain`. Geometry (STEP, gmsh scripts …) is meshed anew with curved elements, as fine as the
/// wave asks for.
[[nodiscard]] Result<std::shared_ptr<const Mesh>> mesh_to_solve(Problem& problem, std::shared_ptr<const Mesh> given,
                                                                std::stop_token stop);
/// The same with its spaces; those that problem.mesh has of the mesh as it was given are used where nothing in it changes.
[[nodiscard]] Result<Meshed> mesh_with_spaces(Problem& problem, const std::shared_ptr<const Mesh>& given,
                                              std::stop_token stop);

}  // namespace conoid::maxwell_fem
