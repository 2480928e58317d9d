// SPDX-License-Identifier: BSD-3-Clause
// Nearest points by Newton's method; the medium by counting what a ray meets.
#include "engine/solvers/elastic_bem/discretization/sites.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "engine/core/vec3.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

std::vector<Site> find_sites(const Surface& surface, std::span<const Vec3> points) {
  std::vector<Site> out(points.size());
  for (std::size_t k = 0; k < points.size(); ++k)
    for (Index e = 0; e < surface.active && out[k].element < 0; ++e) {
      const Element& element = surface.elements[static_cast<std::size_t>(e)];
      if (distance(points[k], element.centre) > 1.2 * element.size) continue;
      // Newton's method on the tangent plane.
      double r = element.triangular() ? 1.0 / 3 : 0.5, s = r;
      for (int step = 0; step < 20; ++step) {
        const double h = 1e-6;
        const Vec3 x = element.at(r, s).x, dr = scale(0.5 / h, sub(element.at(r + h, s).x, element.at(r - h, s).x)),
                   ds = scale(0.5 / h, sub(element.at(r, s + h).x, element.at(r, s - h).x)), d = sub(points[k], x);
        const double a = dot(dr, dr), b = dot(dr, ds), c = dot(ds, ds), u = dot(d, dr), v = dot(d, ds),
                     det = a * c - b * b;
        if (!(std::abs(det) > 0)) break;
        const double sr = (c * u - b * v) / det, ss = (a * v - b * u) / det;
        r = std::clamp(r + sr, -1.0, 2.0);
        s = std::clamp(s + ss, -1.0, 2.0);
        if (std::abs(sr) + std::abs(ss) < 1e-12) break;
      }
      const double e1 = 1e-6;
      const bool inside =
          element.triangular() ? r > -e1 && s > -e1 && r + s < 1 + e1 : r > -e1 && r < 1 + e1 && s > -e1 && s < 1 + e1;
      if (inside && distance(element.at(r, s).x, points[k]) < 1e-4 * element.size) out[k] = {e, r, s};
    }
  return out;
}

namespace {

/// Between two open surfaces.
bool is_layer(const Surface& s) {
  return std::ranges::count(s.closed, false) > 1;
}

/// Whether the ray from x along `way` meets the triangle (T. Moeller, B. Trumbore, J. Graph. Tools 2 (1997) 21).
bool meets(const Vec3& x, const Vec3& way, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 e1 = sub(b, a), e2 = sub(c, a), p = cross(way, e2);
  const double det = dot(e1, p);
  if (!(std::abs(det) > 1e-14 * norm(e1) * norm(e2))) return false;
  const Vec3 t = sub(x, a), q = cross(t, e1);
  const double u = dot(t, p) / det, v = dot(way, q) / det;
  return u >= 0 && v >= 0 && u + v <= 1 && dot(e2, q) / det > 0;
}

/// Times that a ray meets the elements, each as 2 × 16 triangles where it is curved.
int crossings(const Surface& s, const Vec3& x, const Vec3& way) {
  int count = 0;
  for (Index k = 0; k < s.active; ++k) {
    const Element& e = s.elements[static_cast<std::size_t>(k)];
    const Vec3 d = sub(e.centre, x);
    if (norm(sub(d, scale(dot(d, way), way))) > 1.2 * e.size) continue;
    const std::size_t n = e.affine ? 1 : 4;
    std::array<std::array<Vec3, 5>, 5> at;  // corners of the triangles
    for (std::size_t i = 0; i <= n; ++i)
      for (std::size_t j = 0; j <= n; ++j) {
        double jacobian = 1;
        const auto p = e.reference(static_cast<double>(i) / static_cast<double>(n),
                                   static_cast<double>(j) / static_cast<double>(n), jacobian);
        at[i][j] = e.at(p[0], p[1]).x;
      }
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        const Vec3 &a = at[i][j], &b = at[i + 1][j], &c = at[i + 1][j + 1], &f = at[i][j + 1];
        count += (meets(x, way, a, b, c) ? 1 : 0) + (meets(x, way, a, c, f) ? 1 : 0);
      }
  }
  return count;
}

}  // namespace

Place place_of(const Surface& s, const SurfaceOptions& o, const Vec3& x) {
  const Vec3 up = unit(scale(-1, o.down));
  // A little aside, so that the ray meets no edge.
  const Vec3 aside = unit(std::abs(up[0]) < 0.9 ? cross(up, {0, 1, 0}) : Vec3{0, 1, 0}), across = cross(up, aside);
  const Vec3 from = axpy(3.1e-5 * s.element_size, aside, axpy(4.7e-5 * s.element_size, across, x));
  const int count = crossings(s, from, up);
  if (o.domain == Domain::inside) return count % 2 == 1 ? Place::inside : Place::outside;
  if (o.domain == Domain::outside) return count % 2 == 0 ? Place::inside : Place::outside;
  if (count % 2 == 1) return Place::inside;
  if (count > 0 || s.rim.empty() || crossings(s, from, scale(-1, up)) > 0) {
    // Within the mesh, with air above; the opening of a trench has its floor below.
    return Place::outside;
  }
  const double above = height_over_rim(s, o, x), tolerance = 1e-6 * s.diameter;
  // Beside its mesh a layer ends at the level of the lower rim.
  if (is_layer(s) &&
      std::ranges::all_of(s.rim, [&](const auto& side) { return dot(x, up) < dot(side[1], up) - tolerance; }))
    return Place::outside;
  return above > tolerance ? Place::outside : above > -tolerance ? Place::beside : Place::inside;
}

double height_over_rim(const Surface& s, const SurfaceOptions& o, const Vec3& x) {
  if (s.rim.empty()) return 0;
  const Vec3 up = unit(scale(-1, o.down));
  double level = 0, highest = -1e300;
  for (const auto& side : s.rim) {
    level += dot(side[1], up) / static_cast<double>(s.rim.size());
    highest = std::max(highest, dot(side[1], up));
  }
  return dot(x, up) - (is_layer(s) ? highest : level);
}

std::vector<Place> places_of(const Surface& s, const SurfaceOptions& o, std::span<const Vec3> points) {
  Vec3 low{1e300, 1e300, 1e300},
      high{-1e300, -1e300, -1e300};  // of the surface, with room for curved sides and tolerances
  for (Index k = 0; k < s.active; ++k) {
    const Element& e = s.elements[static_cast<std::size_t>(k)];
    for (std::size_t d = 0; d < 3; ++d) {
      const double room = 1.2 * e.size;
      low[d] = std::min(low[d], e.centre[d] - room);
      high[d] = std::max(high[d], e.centre[d] + room);
    }
  }
  const Vec3 up = unit(scale(-1, o.down));
  const std::size_t axis = 2;  // `down` is along z
  std::vector<Place> out(points.size(), Place::inside);
  for (std::size_t k = 0; k < points.size(); ++k) {
    const Vec3& x = points[k];
    if (o.domain == Domain::ground) {
      const bool beyond_high = x[axis] > high[axis], beyond_low = x[axis] < low[axis];
      if (beyond_high || beyond_low) {
        // Below a second open surface (rock) there is no ground any more.
        const bool above = beyond_high == (up[axis] > 0), layer = is_layer(s);
        out[k] = above || (layer && place_of(s, o, x) == Place::outside) ? Place::outside : Place::inside;
        continue;
      }
    } else {
      bool within = true;
      for (std::size_t d = 0; d < 3; ++d) within = within && x[d] > low[d] && x[d] < high[d];
      if (!within) {
        out[k] = o.domain == Domain::inside ? Place::outside : Place::inside;
        continue;
      }
    }
    const Place where = place_of(s, o, x);
    if (where != Place::inside && find_sites(s, {&x, 1}).front().element < 0) out[k] = where;
  }
  return out;
}

double distance_to(const Element& e, const Vec3& x) {
  double least = 1e300, r = 0, s = 0;
  constexpr int n = 4;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j) {
      double jacobian = 1;
      const auto p = e.reference(static_cast<double>(i) / n, static_cast<double>(j) / n, jacobian);
      const double d = distance(e.at(p[0], p[1]).x, x);
      if (d < least) {
        least = d;
        r = p[0];
        s = p[1];
      }
    }
  // Downhill from there by halved steps, within the element.
  for (double step = 0.5 / n; step > 1e-7; step *= 0.5)
    for (bool better = true; better;) {
      better = false;
      for (const auto& [dr, ds] :
           {std::pair{step, 0.0}, {-step, 0.0}, {0.0, step}, {0.0, -step}, {step, -step}, {-step, step}}) {
        const double a = r + dr, b = s + ds;
        if (a < 0 || b < 0 || a > 1 || b > 1 || (e.triangular() && a + b > 1)) continue;
        const double d = distance(e.at(a, b).x, x);
        if (d >= least) continue;
        least = d;
        r = a;
        s = b;
        better = true;
      }
    }
  return least;
}

bool has_free_walls(const Surface& s, const SurfaceOptions& o) {
  const Vec3 up = unit(scale(-1, o.down));
  return std::any_of(s.elements.begin(), s.elements.begin() + s.active, [&](const Element& e) {
    const double t = e.triangular() ? 1.0 / 3 : 0.5;
    return e.condition == 0 && std::abs(dot(unit(e.at(t, t).area), up)) < 1 - 1e-6;
  });
}

}  // namespace conoid::elastic_bem
