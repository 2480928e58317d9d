// SPDX-License-Identifier: BSD-3-Clause
// A solution at single points: where they lie among the elements, and the field there.
#pragma once

#include "engine/solvers/maxwell_fem/discretization/domain.hpp"

#include <complex>
#include <optional>
#include <span>
#include <vector>

namespace conoid::maxwell_fem {

using Complex = std::complex<double>;

/// Of a point.
struct Spot {
  Index tet = -1;    ///< that holds it, −1: none
  Vec3 reference{};  ///< in the tetrahedron
};
/// Straight elements exactly, curved ones by Newton's method on their maps; a point that rounding puts between two belongs to one of them.
[[nodiscard]] Spot spot_of(const Space& space, const Vec3& x);

/// ξ with x(ξ) = x in a tetrahedron, wherever x lies: within a curved one by Newton's method, from `at` on; far outside of it not to be relied on.
[[nodiscard]] Vec3 reference_of(const Space& space, Index tet, const Vec3& x, const Vec3& at = {0.25, 0.25, 0.25});
/// How far a reference point lies outside of its element: the least of its barycentric coordinates, negated.
[[nodiscard]] double outside_by(const Vec3& reference);

/// Whether a closed patch winds around x.
[[nodiscard]] bool winds_around(const Space& space, const Patch& patch, const Vec3& x);

struct FieldAtPoint {
  std::array<Complex, 3> electric{}, curl{};  ///< E in V/m, ∇×E in V/m²
};
/// Of the solution u (all unknowns) within an element.
[[nodiscard]] FieldAtPoint field_at(const Space& space, const Spot& at, std::span<const Complex> u);
/// Scattered field of a column at a point in the elements (of the scattered form) or outside of S, there by what S' radiates. Nothing inside of
/// a body without elements.
[[nodiscard]] FieldAtPoint scattered_at(const Domain& domain, double k, const Vec3& x, std::span<const Complex> u,
                                        std::span<const Complex> f, int threads);

}  // namespace conoid::maxwell_fem
