// SPDX-License-Identifier: BSD-3-Clause
// Elements that get thinner towards rims of sheets and sharp edges of conductors, where fields are singular.
//
// At a distance r from an edge around which the fields fill an angle α the field goes with r^(π/α − 1) (J. Van Bladel, Singular
// Electromagnetic Fields and Sources, 1991): r^(−1/2) at the rim of a sheet. Polynomials on elements of the size h leave an error of h^(2π/α)
// in the energy and in the echo: of first order in h at a rim, whatever their order. Here each tetrahedron at such an edge is cut into
// layers that end at shares ((n + 1 − l)/(n + 1))^power of its way to the edge: an algebraic grading, which for polynomials of a fixed order
// spreads the error over all layers, where geometric ones leave it in the outer; along it nothing is cut, since the fields are smooth that way, so
// that the number of elements grows by a fixed amount a layer (T. Apel, Anisotropic Finite Elements, 1999). Cuts are affine in the
// tetrahedron's own coordinates: curved ones keep their geometry, and the functions of the mesh before stay in the space.
#pragma once

#include "engine/core/error.hpp"
#include "engine/core/stop.hpp"
#include "engine/mesh/mesh.hpp"
#include "engine/solvers/maxwell_fem/discretization/domain.hpp"

#include <utility>
#include <vector>

namespace conoid::maxwell_fem {

struct GradingOptions {
  int layers = 0;  ///< at rims; 0: the mesh as it is
  double power =
      3;  ///< layer l of n ends at the share (1 − l/(n + 1))^power of the way from the elements' far side to the edge
  /// Around an edge, radians, beyond which it is cut: of solid conductors, and of sheets (their rims, and where they are folded or meet; 229
  /// degrees: facets of curved surfaces bend by less than 49).
  double least_angle = 4.0, least_at_sheets = 4.0;
};
/// Around an edge, radians, up to which half the layers are enough: around the edges of boxes fields go with r^(-1/3).
inline constexpr double blunt_edge = 5.76;

struct EdgesFound {
  Index count = 0;
  int layers =
      0;  ///< half of those of the options, rounded up, where all are edges of solid conductors up to blunt_edge
  double longest = 0;                               ///< m
  double added_tets = 0;                            ///< by graded(), within some percent; 0 of a surface
  std::vector<std::pair<Index, Index>> of_surface;  ///< of a surface alone: their corners, the lower one first, sorted
};
/// Edges of conductors that the options mean; none of a mesh without tetrahedra, or without layers. `roles`: which groups are conductors, as for
/// make_domain(). Errors: those of Space::make; stopped.
[[nodiscard]] Result<EdgesFound> find_edges(const Mesh& mesh, const DomainOptions& roles, const GradingOptions& options,
                                            const Stopped& stopped = {});

/// The same of the surface of a body around which the mesh is yet to be made: edges by the angle outside of it, as many as the surface has.
/// `conductor`: of each cell of the surface; `filled`: fields are on both sides of it. How many tetrahedra come of them: mesh/foreseen.hpp.
[[nodiscard]] EdgesFound edges_of_surface(const Mesh& surface, const std::vector<bool>& conductor, bool filled,
                                          const GradingOptions& options);

/// The mesh with layers at these edges: cells of dimension 2 and 3 with their groups. Tetrahedra of order 1 or 2.
[[nodiscard]] Result<Mesh> graded(const Mesh& mesh, const DomainOptions& roles, const GradingOptions& options,
                                  const Stopped& stopped = {});

}  // namespace conoid::maxwell_fem
