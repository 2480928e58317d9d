// SPDX-License-Identifier: BSD-3-Clause
// Sources and receivers between the nodes: weights on the nodes around them, folded at reflecting faces.
//
// Trilinear, or the Kaiser-windowed sinc of Hicks (Geophysics 67, 2002, 156-166): radius 4 nodes, b = 6.31, flat up to
// four points a wavelength. A position on a node gives that node alone.
#pragma once

#include "engine/core/types.hpp"
#include "engine/solvers/acoustic_fd/problem.hpp"

#include <vector>

namespace conoid::acoustic_fd {

struct NodeWeight {
  Index x = 0, y = 0, z = 0;
  double weight = 0;
};

enum class PointUse {
  source,   ///< spreads a δ: behind a reflecting face lies the image source, which adds its sign times its weights
  receiver  ///< reads the field: behind a reflecting face it is the sign times the field in front
};

/// The nodes of the grid that a point touches, sorted by x, y, z. For a receiver without reflecting faces near by the
/// weights sum to one (trilinear) or to one within 10⁻³ (sinc). Nodes behind a sponge face are left out.
[[nodiscard]] std::vector<NodeWeight> point_weights(const Grid& grid, const std::array<Face, 6>& faces,
                                                    const Vec3& position, Spread spread, PointUse use);

/// Of a monopole, a dipole or a source that is spread over a surface, over the density at its place (its parts') where that is given; sorted, a
/// node once. `scheme`: whose links its slopes take beside jumps of the density (as its nodes have it) and faces of an impedance; null: there are none.
[[nodiscard]] std::vector<NodeWeight> source_weights(const Grid& grid, const std::array<Face, 6>& faces,
                                                     const Source& source, Spread spread,
                                                     const Problem* scheme = nullptr);
/// Of the pressure or its slope at a receiver. Slopes are differences of order 8 between points on either side; beside a jump of density and a face of an impedance
/// they are what links of the scheme carry through faces between nodes, times the density at the place.
[[nodiscard]] std::vector<NodeWeight> receiver_weights(const Grid& grid, const std::array<Face, 6>& faces,
                                                       const Receiver& receiver, Spread spread,
                                                       const Problem* scheme = nullptr);

/// The largest ratio of densities, taken over parts of one spacing, within two spacings of each other along an axis and six of a place.
[[nodiscard]] double jump_along(const DensityAlong& along, std::size_t axis);
/// Up to this ratio it counts as smooth.
inline constexpr double smooth_density = 1.06;

/// Tells sources, and receivers of slopes, the density at their places. `density`: as given, not its means over cells (cell_means.hpp).
void tell_density(const Velocity& density, Problem& problem);

/// A disc around `centre`, and a part of a sphere of the radius `curvature` around its pole `apex`, which looks along `normal`: points less
/// than `spacing`/2 apart, with their shares of the area. `flat`: a strip and an arc in the plane of x and z.
[[nodiscard]] std::vector<SourcePart> disc_parts(const Vec3& centre, const Vec3& normal, double radius, double spacing,
                                                 bool flat);
[[nodiscard]] std::vector<SourcePart> bowl_parts(const Vec3& apex, const Vec3& normal, double curvature, double radius,
                                                 double spacing, bool flat);

}  // namespace conoid::acoustic_fd
