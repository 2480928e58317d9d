// SPDX-License-Identifier: BSD-3-Clause
// Faces of tetrahedra that form a surface, their quadrature points and the traces of the shape functions there.
#pragma once

#include "engine/solvers/maxwell_fem/discretization/space.hpp"

#include <array>
#include <complex>
#include <span>
#include <vector>

namespace conoid::maxwell_fem {

using Complex = std::complex<double>;

/// One face seen from one of its tetrahedra.
struct PatchFace {
  Index tet = 0;
  int local = 0;
  bool inward = false;  ///< normal into the tetrahedron instead of out of it
};

inline constexpr int face_points = 6;  ///< D. A. Dunavant, Int. J. Numer. Meth. Eng. 21 (1985) 1129, degree 4
struct FaceRule {
  double u, v, weight;  ///< weights add up to the area of the reference triangle, 1/2
};
[[nodiscard]] const std::array<FaceRule, face_points>& face_rule();

/// The place of (u, v) of a local face in the reference cell.
[[nodiscard]] Vec3 reference_on_face(int local, double u, double v);

/// A point of a face and its frame: x_u and x_v span the tangent plane, (t1, t2, normal) is orthonormal and right-handed.
struct FacePoint {
  Vec3 x, x_u, x_v, t1, t2, normal;
  double jacobian;  ///< |x_u × x_v|
};

/// Tangential components (along t1, t2) of values and curls of a tetrahedron's shape functions at the points of a face.
struct FaceTraces {
  std::array<Index, most_unknowns> unknowns;
  int count = 0;
  std::array<std::array<std::array<double, 2>, face_points>, most_unknowns> value, curl;
};

class Patch {
 public:
  Patch() = default;
  Patch(const Space& space, std::vector<PatchFace> faces);

  [[nodiscard]] Index faces() const { return static_cast<Index>(faces_.size()); }
  [[nodiscard]] Index size() const { return static_cast<Index>(points_.size()); }  ///< quadrature points
  [[nodiscard]] const PatchFace& face(Index f) const { return faces_[static_cast<std::size_t>(f)]; }
  [[nodiscard]] const FacePoint& point(Index p) const { return points_[static_cast<std::size_t>(p)]; }
  [[nodiscard]] double weight(Index p) const {
    return face_rule()[static_cast<std::size_t>(p % face_points)].weight *
           points_[static_cast<std::size_t>(p)].jacobian;
  }
  [[nodiscard]] double diameter(Index f) const { return diameters_[static_cast<std::size_t>(f)]; }
  [[nodiscard]] double area() const;

  /// The point (u, v) of a face: for rules finer than the patch's own.
  [[nodiscard]] FacePoint at(const Space& space, Index face, double u, double v) const;
  /// `only_tangential`: the face's own unknowns (traces of values); else all of the tetrahedron.
  [[nodiscard]] FaceTraces traces(const Space& space, Index face, bool only_tangential) const;
  /// The same at any one point (u, v) of a face, which is `at` there: entry 0 of each.
  [[nodiscard]] FaceTraces traces_at(const Space& space, Index face, double u, double v, const FacePoint& at) const;
  /// Mesh points of a face's corners.
  [[nodiscard]] std::array<Index, 3> corners(const Space& space, Index face) const;

 private:
  std::vector<PatchFace> faces_;
  std::vector<FacePoint> points_;
  std::vector<double> diameters_;
};

}  // namespace conoid::maxwell_fem
