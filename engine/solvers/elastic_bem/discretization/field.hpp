// SPDX-License-Identifier: BSD-3-Clause
// Displacements and stresses at points of the medium, and resultants over parts of the surface, from boundary values.
#pragma once

#include <span>
#include <vector>

#include "engine/solvers/elastic_bem/solving/system.hpp"

namespace conoid::elastic_bem {

/// Stress in the order xx, yy, zz, xy, yz, zx.
using Stress = std::array<Complex, 6>;

/// u_i(ξ) = ∫ u*_ij t_j − t*_ij u_j dS for each load case and point: out[case][point]. Points on the surface itself are not
/// allowed; close ones cost more. `fade`: weights of the displacements of the nodes (Surface::window), empty: 1. `panels`, `stages`: as
/// assemble_pairs() takes them.
[[nodiscard]] std::vector<std::vector<Complex3>> displacements_at(
    Team& team, const Surface& surface, const FarRules<double>& rules, const Accuracy& accuracy,
    const Harmonic& harmonic, std::span<const Vec3> points, std::span<const BoundaryValues> cases,
    std::stop_token stop = {}, bool deterministic = false, std::span<const double> fade = {},
    PanelStore* panels = nullptr, const PairStages& stages = {});
[[nodiscard]] std::vector<std::vector<Stress>> stresses_at(Team& team, const Surface& surface, const Accuracy& accuracy,
                                                           const Harmonic& harmonic, std::span<const Vec3> points,
                                                           std::span<const BoundaryValues> cases,
                                                           std::stop_token stop = {},
                                                           std::span<const double> fade = {});

/// The rule for stresses at a point off an element.
void stress_rule(const Element& element, const Vec3& point, const Accuracy& accuracy, double wave_number,
                 PointSet& out);

/// Nearer to an element than this stresses_at() is not to be trusted: what its field lacks between and within the elements comes
/// back over the distance. Measured on the wall of a cavity under pressure (verify/scenes_waves.cpp), h the size of the element:
/// constant fields are 4 % off at h and 15 % at h/2, linear ones on a wall that is 6 % off 7 % at h/10 and 30 % at h/100, quadratic
/// ones stay within five times the error of the wall down to h/1000.
[[nodiscard]] double stress_distance(const Element& element);

/// Stress on the surface itself, at (r, s) of an element: the traction gives three parts, the slopes of the displacement along
/// the surface the other three by Hooke's law. Of constant elements, which have no slopes, those three are not a number.
[[nodiscard]] Stress stress_on(const Element& element, double r, double s, const Harmonic& harmonic,
                               const BoundaryValues& values);

/// Force and moment about `origin` that the tractions on the elements of one condition exert on the medium.
[[nodiscard]] std::array<Complex, 6> resultant(const Surface& surface, int condition, const Vec3& origin,
                                               const BoundaryValues& values);
/// Area of the elements of a condition.
[[nodiscard]] double area_of(const Surface& surface, int condition);

/// Displacement on the surface nearest to a point: of the field at the closest node's element. Index of the closest node.
[[nodiscard]] Index nearest_node(const Surface& surface, const Vec3& point);

}  // namespace conoid::elastic_bem
