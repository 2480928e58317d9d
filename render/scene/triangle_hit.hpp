// SPDX-License-Identifier: BSD-3-Clause
// Where a ray meets triangles, for values under the cursor.
#pragma once

#include <optional>

#include "render/scene/scene_part.hpp"

class vtkPolyData;

namespace conoid {

struct TriangleHit {
  double distance = 0;  ///< along the ray's direction, above 0
  double u = 0, v = 0;  ///< weights of the second and the third corner
};
/// Intersection and barycentric coordinates at once (Möller and Trumbore, Journal of Graphics Tools 2 (1997), section 2), from either side.
[[nodiscard]] std::optional<TriangleHit> meet_triangle(const Ray& ray, const Vec3& a, const Vec3& b, const Vec3& c);

/// The nearest polygon of a surface that is drawn, and the value there: between the scalars of its corners, or that of its cell where
/// corners have none; not a number where neither has any.
[[nodiscard]] std::optional<Hit> meet_surface(const Ray& ray, vtkPolyData& surface);

}  // namespace conoid
