// SPDX-License-Identifier: BSD-3-Clause
// Gauss points, subdivision, Duffy's map.
#include "engine/solvers/elastic_bem/discretization/quadrature.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/core/error.hpp"
#include "engine/core/vec3.hpp"
#include "engine/mesh/shape_functions.hpp"
#include "engine/numerics/gauss_legendre.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

namespace {

constexpr int most_points = 24;

}  // namespace

std::span<const GaussPoint> gauss_points(int n) {
  static const std::vector<std::vector<GaussPoint>> table = [] {
    std::vector<std::vector<GaussPoint>> t(1);
    for (int k = 1; k <= most_points; ++k) {
      const LineRule rule = gauss_legendre(k);
      std::vector<GaussPoint>& points = t.emplace_back();
      for (std::size_t i = 0; i < rule.points.size(); ++i) points.push_back({rule.points[i], rule.weights[i]});
    }
    return t;
  }();
  verify(n >= 1 && n <= most_points, "gauss_points: number of points");
  return table[static_cast<std::size_t>(n)];
}

int points_for_distance(double D, double target) {
  if (D <= 1.4) return most_points;
  const double rho = 0.72 * (D + std::sqrt(D * D - 1));
  if (rho <= 1.02) return most_points;
  return std::clamp(static_cast<int>(std::ceil(std::log(2 / target) / (2 * std::log(rho)))), 1, most_points);
}

int points_for_wave(double kh, double target) {
  double remainder = kh * kh / 24;  // g = 1
  int g = 1;
  while (remainder > target && g < most_points) {
    ++g;
    const double n = 2.0 * g;
    // ratio of consecutive terms of (kh)^{2g} (g!)^4 / ((2g+1) ((2g)!)^3)
    remainder *= kh * kh * std::pow(g, 4) / std::pow(n * (n - 1), 3) * (n - 1) / (n + 1);
  }
  return g;
}

void PointSet::add(const Element& e, double r, double s, double weight, bool with_shape) {
  const SurfacePoint p = e.at(r, s);
  x.push_back(p.x[0]);
  y.push_back(p.x[1]);
  z.push_back(p.x[2]);
  nx.push_back(p.area[0] * weight);
  ny.push_back(p.area[1] * weight);
  nz.push_back(p.area[2] * weight);
  w.push_back(norm(p.area) * weight);
  shape.emplace_back();
  nodes = e.nodes;
  if (with_shape) e.field(r, s, shape.back().data());
}

void product_rule(const Element& e, int gu, int gv, PointSet& out) {
  for (const GaussPoint& a : gauss_points(gu))
    for (const GaussPoint& b : gauss_points(gv)) {
      double jacobian = 1;
      const auto p = e.reference(a.x, b.x, jacobian);
      out.add(e, p[0], p[1], a.w * b.w * jacobian);
    }
}

namespace {

void near_piece(const Element& e, const Vec3& point, double target, double k, double u0, double u1, double v0,
                double v1, int depth, PointSet& out) {
  const auto at = [&](double u, double v) {
    double jacobian = 1;
    const auto p = e.reference(u, v, jacobian);
    return e.at(p[0], p[1]).x;
  };
  const double uc = 0.5 * (u0 + u1), vc = 0.5 * (v0 + v1);
  const Vec3 c = at(uc, vc);
  // Collapsed quads are longest along one of their sides, not always along the middle line.
  const double lu = std::max(distance(at(u0, vc), at(u1, vc)), e.triangular() ? distance(at(u0, v0), at(u1, v0)) : 0.0);
  const double lv = std::max(distance(at(uc, v0), at(uc, v1)), e.triangular() ? distance(at(u0, v0), at(u0, v1)) : 0.0);
  const double d = distance(point, c), longest = std::max(lu, lv);
  const double limit = target < 1e-6 ? 1.2 : 1.0;
  if (d < limit * longest && depth < 48) {
    const bool split_u = lu > 0.7 * lv, split_v = lv > 0.7 * lu;
    for (int i = 0; i < (split_u ? 2 : 1); ++i)
      for (int j = 0; j < (split_v ? 2 : 1); ++j)
        near_piece(e, point, target, k, split_u ? (i == 0 ? u0 : uc) : u0, split_u ? (i == 0 ? uc : u1) : u1,
                   split_v ? (j == 0 ? v0 : vc) : v0, split_v ? (j == 0 ? vc : v1) : v1, depth + 1, out);
    return;
  }
  const int more = e.nodes > 1 ? 1 : 0;
  const int gu =
      std::min(std::max(points_for_distance(2 * d / lu, target), points_for_wave(k * lu, target)) + more, most_points);
  const int gv =
      std::min(std::max(points_for_distance(2 * d / lv, target), points_for_wave(k * lv, target)) + more, most_points);
  for (const GaussPoint& a : gauss_points(gu))
    for (const GaussPoint& b : gauss_points(gv)) {
      double jacobian = 1;
      const auto p = e.reference(u0 + (u1 - u0) * a.x, v0 + (v1 - v0) * b.x, jacobian);
      out.add(e, p[0], p[1], a.w * b.w * (u1 - u0) * (v1 - v0) * jacobian);
    }
}

}  // namespace

void near_rule(const Element& e, const Vec3& point, double target, double wave_number, PointSet& out) {
  near_piece(e, point, target, wave_number, 0, 1, 0, 1, 0, out);
}

std::array<int, 2> singular_orders(const Element& e, double target, double wave_number) {
  const int order = target < 1e-6 ? 10 : target < 1e-4 ? 7 : 5;
  return {order, std::min(std::max(order - 1, points_for_wave(wave_number * e.size, target) + 2), most_points)};
}

void singular_pieces(const Element& e, double r, double s, std::vector<SingularPiece>& out) {
  using P = std::array<double, 2>;
  constexpr std::array<P, 4> square{{{0, 0}, {1, 0}, {1, 1}, {0, 1}}};
  constexpr std::array<P, 4> triangle{{{0, 0}, {1, 0}, {0, 1}, {0, 0}}};
  const int sides = e.triangular() ? 3 : 4;
  const Vec3 centre = e.at(r, s).x;
  for (int side = 0; side < sides; ++side) {
    const P a = e.triangular() ? triangle[static_cast<std::size_t>(side)] : square[static_cast<std::size_t>(side)];
    const P b = e.triangular() ? triangle[static_cast<std::size_t>(side + 1)]
                               : square[static_cast<std::size_t>((side + 1) % 4)];
    const double area = std::abs((a[0] - r) * (b[1] - s) - (a[1] - s) * (b[0] - r));
    if (area < 1e-10) continue;
    const auto on_side = [&](double v) { return P{a[0] + v * (b[0] - a[0]), a[1] + v * (b[1] - a[1])}; };
    const auto piece = [&](auto&& self, double v0, double v1, int depth) -> void {
      const P p0 = on_side(v0), p1 = on_side(v1), pc = on_side(0.5 * (v0 + v1));
      if (depth < 24 &&
          distance(e.at(p0[0], p0[1]).x, e.at(p1[0], p1[1]).x) > 1.05 * distance(centre, e.at(pc[0], pc[1]).x)) {
        self(self, v0, 0.5 * (v0 + v1), depth + 1);
        self(self, 0.5 * (v0 + v1), v1, depth + 1);
        return;
      }
      out.push_back({p0, p1, area * (v1 - v0)});
    };
    piece(piece, 0, 1, 0);
  }
}

void singular_rule(const Element& e, double r, double s, double target, double wave_number, PointSet& out) {
  const auto [along, radial] = singular_orders(e, target, wave_number);
  std::vector<SingularPiece> pieces;
  singular_pieces(e, r, s, pieces);
  for (const SingularPiece& piece : pieces)
    for (const GaussPoint& gv : gauss_points(along)) {
      const double pr = piece.a[0] + gv.x * (piece.b[0] - piece.a[0]),
                   ps = piece.a[1] + gv.x * (piece.b[1] - piece.a[1]);
      for (const GaussPoint& gt : gauss_points(radial))
        out.add(e, r + gt.x * (pr - r), s + gt.x * (ps - s), gv.w * gt.w * gt.x * piece.area);
    }
}

void collapsed_rule(const Element& e, double r, double s, PointSet& out) {
  const std::array<std::array<double, 2>, 4> corner{{{0, 0}, {1, 0}, {1, 1}, {0, 1}}};
  for (std::size_t side = 0; side < 4; ++side) {
    const auto a = corner[side], b = corner[(side + 1) % 4];
    const double area = std::abs((a[0] - r) * (b[1] - s) - (a[1] - s) * (b[0] - r));
    for (const GaussPoint& gu : gauss_points(8))
      for (const GaussPoint& gv : gauss_points(8)) {  // bilinear map of (a, b, c, c): along the side, towards the point
        const double px = a[0] + gu.x * (b[0] - a[0]), py = a[1] + gu.x * (b[1] - a[1]), t = 1 - gv.x;
        out.add(e, r + t * (px - r), s + t * (py - s), gu.w * gv.w * t * area);
      }
  }
}

Vec3 contour_moment(std::span<const Element* const> elements, const Vec3& point, const Vec3& normal) {
  Vec3 moment{};
  for (const Element* e : elements) {
    const int sides = e->triangular() ? 3 : 4;
    for (int side = 0; side < sides; ++side) {
      const Vec3 from = reference_node(e->shape, side), to = reference_node(e->shape, (side + 1) % sides);
      const Vec3 first = e->at(from[0], from[1]).x, last = e->at(to[0], to[1]).x, side_ = sub(last, first);
      const double length = norm(side_);
      const Vec3 middle = e->at(0.5 * (from[0] + to[0]), 0.5 * (from[1] + to[1])).x;
      if (norm(cross(sub(middle, first), side_)) < 1e-12 * length * length) {
        // Straight: ∫ ds/ρ = ln((ρ1 + ρ2 + L)/(ρ1 + ρ2 − L)).
        const double along = std::clamp(dot(sub(point, first), side_) / (length * length), 0.0, 1.0);
        if (distance(axpy(along, side_, first), point) < 1e-6 * e->size) continue;
        const double ends = distance(first, point) + distance(last, point);
        moment = axpy(std::log((ends + length) / (ends - length)) / length, cross(side_, normal), moment);
        continue;
      }
      const auto at = [&](double v) {
        return e->at(from[0] + v * (to[0] - from[0]), from[1] + v * (to[1] - from[1])).x;
      };
      // A side through the point: some place on it comes closer than any other side can.
      double nearest = 1e300;
      for (int k = 0; k <= 64; ++k) nearest = std::min(nearest, distance(at(k / 64.0), point));
      double low = 0, high = 1;
      for (int k = 0; k < 60; ++k) {  // golden section is not needed: distance is unimodal on gently curved sides
        const double a = low + (high - low) / 3, b = high - (high - low) / 3;
        (distance(at(a), point) < distance(at(b), point) ? high : low) =
            distance(at(a), point) < distance(at(b), point) ? b : a;
      }
      nearest = std::min(nearest, distance(at(0.5 * (low + high)), point));
      if (nearest < 1e-6 * e->size) continue;
      const auto piece = [&](auto&& self, double v0, double v1, int depth) -> void {
        if (depth < 30 && distance(at(v0), at(v1)) > 0.7 * distance(at(0.5 * (v0 + v1)), point)) {
          self(self, v0, 0.5 * (v0 + v1), depth + 1);
          self(self, 0.5 * (v0 + v1), v1, depth + 1);
          return;
        }
        const double step = 1e-4 * (v1 - v0);
        for (const GaussPoint& g : gauss_points(10)) {
          const double v = v0 + (v1 - v0) * g.x;
          // order 2 at most: the central difference is exact
          const Vec3 tangent = scale((v1 - v0) / (2 * step), sub(at(v + step), at(v - step)));
          moment = axpy(g.w / distance(at(v), point), cross(tangent, normal), moment);
        }
      };
      piece(piece, 0, 1, 0);
    }
  }
  return moment;
}

}  // namespace conoid::elastic_bem
