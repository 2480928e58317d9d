// SPDX-License-Identifier: BSD-3-Clause
// Where observers are: on an element, in the medium, beside the meshed ground, or where there is no medium.
#pragma once

#include <span>
#include <vector>

#include "engine/solvers/elastic_bem/discretization/surface.hpp"

namespace conoid::elastic_bem {

/// Where an observer sits: on an element, or in the medium (element −1).
struct Site {
  Index element = -1;
  double r = 0, s = 0;
};
[[nodiscard]] std::vector<Site> find_sites(const Surface& surface, std::span<const Vec3> points);

/// A point that is on no element: in the medium; beside the mesh on the level of its rim; where there is no medium.
enum class Place { inside, beside, outside };
[[nodiscard]] Place place_of(const Surface& surface, const SurfaceOptions& options, const Vec3& x);
/// Where many points are; those on an element are `inside`. Points above or below all of the surface need no search.
[[nodiscard]] std::vector<Place> places_of(const Surface& surface, const SurfaceOptions& options,
                                           std::span<const Vec3> points);
/// Height of a point over the rim of open ground; 0 where there is no rim.
[[nodiscard]] double height_over_rim(const Surface& surface, const SurfaceOptions& options, const Vec3& x);
/// Distance of a point from an element, to a millionth of its size.
[[nodiscard]] double distance_to(const Element& element, const Vec3& x);
/// Elements of ground that carry no condition and are not level: trenches, slopes.
[[nodiscard]] bool has_free_walls(const Surface& surface, const SurfaceOptions& options);

}  // namespace conoid::elastic_bem
