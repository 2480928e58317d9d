// SPDX-License-Identifier: BSD-3-Clause
// Quadrature over elements: far products of Gauss points, subdivision near a point, Duffy's map around a singular point.
//
// Far rule: the error of g Gauss points on the kernels of an element of length h at the centre distance d behaves as
// 2 (0.72 (D + √(D² − 1)))^{-2g}, D = 2 d/h (fitted to tables of measured errors), and that of the waves as
// (kh)^{2g} (g!)^4 / ((2g + 1) ((2g)!)³), the remainder of Gauss-Legendre on e^{ikx}.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "engine/solvers/elastic_bem/discretization/surface.hpp"

namespace conoid::elastic_bem {

/// Gauss-Legendre points on [0, 1], n ≤ 24; the table lives as long as the program.
struct GaussPoint {
  double x, w;
};
[[nodiscard]] std::span<const GaussPoint> gauss_points(int n);

inline constexpr int most_far = 12;  ///< Gauss points a direction in far rules

struct Accuracy {
  double target = 1e-5;  ///< relative error of an integral
  bool fixed8 = false;   ///< 8 × 8 for every pair, collapsed quads on the diagonal: the classical program's rules
};

/// Gauss points that reach the target at D half-lengths, and for waves of kh.
[[nodiscard]] int points_for_distance(double D, double target);
[[nodiscard]] int points_for_wave(double kh, double target);

/// Points of a rule with the geometry evaluated: x, unit normal times weight, weight with area, field functions.
struct PointSet {
  int nodes = 1;
  std::vector<double> x, y, z, nx, ny, nz, w;
  std::vector<std::array<double, most_nodes>> shape;
  void clear() {
    for (auto* v : {&x, &y, &z, &nx, &ny, &nz, &w}) v->clear();
    shape.clear();
  }
  [[nodiscard]] int count() const { return static_cast<int>(w.size()); }
  void add(const Element& e, double r, double s, double weight, bool with_shape = true);
};

/// g_u × g_v product rule on the whole element.
void product_rule(const Element& e, int gu, int gv, PointSet& out);
/// Around a point off the element: halves the longer side until the rule's error is below the target.
void near_rule(const Element& e, const Vec3& point, double target, double wave_number, PointSet& out);
/// Triangles of the reference element with their apex at (r, s), area the Jacobian of Duffy's map at its far end.
struct SingularPiece {
  std::array<double, 2> a, b;  ///< far side
  double area = 0;
};
void singular_pieces(const Element& e, double r, double s, std::vector<SingularPiece>& out);
/// Gauss points along the far side and towards the apex.
[[nodiscard]] std::array<int, 2> singular_orders(const Element& e, double target, double wave_number);
/// Around a point of the element, at (r, s): Duffy's triangles, each edge cut where it is long as seen from the point.
void singular_rule(const Element& e, double r, double s, double target, double wave_number, PointSet& out);
/// Four quads collapsed onto (r, s), 8 × 8 each: the classical rule.
void collapsed_rule(const Element& e, double r, double s, PointSet& out);

/// M = ∮ ν/|x − point| ds around the given elements, which lie in one plane with the point: minus the principal value of
/// ∫ e/r² dS over them (ν outward in the plane). Sides through the point cancel in pairs and are left out.
[[nodiscard]] Vec3 contour_moment(std::span<const Element* const> elements, const Vec3& point, const Vec3& normal);

}  // namespace conoid::elastic_bem
