// SPDX-License-Identifier: BSD-3-Clause
// Polygons are met as fans of triangles.
#include "render/scene/triangle_hit.hpp"

#include <cmath>
#include <limits>

#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkPointData.h>
#include <vtkPolyData.h>

#include "engine/core/vec3.hpp"

namespace conoid {

std::optional<TriangleHit> meet_triangle(const Ray& ray, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 e1 = vec::sub(b, a), e2 = vec::sub(c, a), p = vec::cross(ray.direction, e2);
  const double det = vec::dot(e1, p);
  if (std::abs(det) < 1e-300) return std::nullopt;
  const Vec3 s = vec::sub(ray.origin, a);
  const double u = vec::dot(s, p) / det;
  if (u < 0 || u > 1) return std::nullopt;
  const Vec3 q = vec::cross(s, e1);
  const double v = vec::dot(ray.direction, q) / det;
  if (v < 0 || u + v > 1) return std::nullopt;
  const double distance = vec::dot(e2, q) / det;
  if (!(distance > 0)) return std::nullopt;
  return TriangleHit{distance, u, v};
}

std::optional<Hit> meet_surface(const Ray& ray, vtkPolyData& surface) {
  vtkCellArray* polygons = surface.GetPolys();
  if (polygons == nullptr) return std::nullopt;
  vtkDataArray* of_points = surface.GetPointData()->GetScalars();
  vtkDataArray* of_cells = surface.GetCellData()->GetScalars();
  const auto point = [&](vtkIdType id) {
    Vec3 p{};
    surface.GetPoint(id, p.data());
    return p;
  };
  // Data of cells count what comes before the polygons as well.
  const vtkIdType before = surface.GetNumberOfVerts() + surface.GetNumberOfLines();
  std::optional<Hit> best;
  for (vtkIdType cell = 0; cell < polygons->GetNumberOfCells(); ++cell) {
    vtkIdType corners = 0;
    const vtkIdType* ids = nullptr;
    polygons->GetCellAtId(cell, corners, ids);
    for (vtkIdType k = 2; k < corners; ++k) {
      const auto met = meet_triangle(ray, point(ids[0]), point(ids[k - 1]), point(ids[k]));
      if (!met || (best && met->distance >= best->distance)) continue;
      double value = std::numeric_limits<double>::quiet_NaN();
      if (of_points != nullptr)
        value = (1 - met->u - met->v) * of_points->GetComponent(ids[0], 0) +
                met->u * of_points->GetComponent(ids[k - 1], 0) + met->v * of_points->GetComponent(ids[k], 0);
      else if (of_cells != nullptr)
        value = of_cells->GetComponent(before + cell, 0);
      best = Hit{met->distance, value, {}};
    }
  }
  return best;
}

}  // namespace conoid
