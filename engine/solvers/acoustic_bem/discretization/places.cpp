// SPDX-License-Identifier: BSD-3-Clause
// Distances from triangles and solid angles of bodies.
#include "engine/solvers/acoustic_bem/discretization/places.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "engine/core/vec3.hpp"
#include "engine/solvers/acoustic_bem/discretization/shell_moments.hpp"

namespace conoid::acoustic_bem {

using namespace conoid::vec;

namespace {

constexpr double touching = 1e-6;  ///< of a triangle's radius: a point so near lies on it
constexpr double shallow = 0.1;    ///< a sphere's faces, 10 edges a radian, miss it by a sixtieth

Vec3 nearest_on(const Triangle& t, const Vec3& x) {
  bool over = true;
  Vec3 best{};
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t e = 0; e < 3; ++e) {
    const Vec3 from = sub(x, t.corner[e]);
    over = over && dot(t.outward[e], from) <= 0;
    const Vec3 at = axpy(std::clamp(dot(t.tangent[e], from), 0.0, t.length[e]), t.tangent[e], t.corner[e]);
    if (const double d = distance(at, x); d < least) least = d, best = at;
  }
  return over ? axpy(-dot(t.normal, sub(x, t.corner[0])), t.normal, x) : best;
}

}  // namespace

Vec3 Place::beside(double triangles) const {
  return axpy(triangles * radius, normal, nearest);
}

PlaceFinder::PlaceFinder(const Surface& surface, bool solid)
    : surface_(surface), solid_(solid), body_of_(surface.triangles.size(), -1) {
  if (!solid) return;
  for (std::size_t b = 0; b < surface.bodies.size(); ++b) {
    Box box{surface.triangles[static_cast<std::size_t>(surface.bodies[b].front())].corner[0], {}};
    box.high = box.low;
    for (std::int32_t k : surface.bodies[b]) {
      body_of_[static_cast<std::size_t>(k)] = static_cast<std::int32_t>(b);
      for (const Vec3& x : surface.triangles[static_cast<std::size_t>(k)].corner)
        for (std::size_t d = 0; d < 3; ++d)
          box.low[d] = std::min(box.low[d], x[d]), box.high[d] = std::max(box.high[d], x[d]);
    }
    boxes_.push_back(box);
    if (!surface.conditions.inside) continue;
    double six = 0;  // of the room, whose normals point into it, the only negative volume
    for (std::int32_t k : surface.bodies[b]) {
      const auto& c = surface.triangles[static_cast<std::size_t>(k)].corner;
      six += triple(sub(c[0], box.low), sub(c[1], box.low), sub(c[2], box.low));
    }
    if (six < 0) room_ = static_cast<Index>(b);
  }
}

Index PlaceFinder::body_around(const Vec3& x) const {
  for (std::size_t b = 0; b < boxes_.size(); ++b) {
    bool within = true;
    for (std::size_t d = 0; d < 3; ++d) within = within && x[d] >= boxes_[b].low[d] && x[d] <= boxes_[b].high[d];
    const bool room = static_cast<Index>(b) == room_;
    if (!within && room) return static_cast<Index>(b);
    if (!within) continue;
    double angle = 0;
    const auto& ground = surface_.conditions.ground;
    for (std::int32_t k : surface_.bodies[b]) {
      const ShellMoments m = cumulative_moments(surface_.triangles[static_cast<std::size_t>(k)], x, 0, true);
      angle += m.k[0] + m.k[1] + m.k[2];
      if (!ground) continue;  // what stands on the ground is closed by its image
      const ShellMoments of_image =
          cumulative_moments(surface_.triangles[static_cast<std::size_t>(k)], ground->mirrored(x), 0, true);
      angle += of_image.k[0] + of_image.k[1] + of_image.k[2];
    }
    if ((std::abs(angle) > 2 * std::numbers::pi) != room) return static_cast<Index>(b);
  }
  return -1;
}

Place PlaceFinder::of(const Vec3& x) const {
  Place p;
  p.distance = std::numeric_limits<double>::infinity();
  std::int32_t body = -1;
  for (std::size_t k = 0; k < surface_.faces(); ++k) {
    const Triangle& t = surface_.triangles[k];
    if (conoid::vec::distance(x, t.centroid) - t.radius > p.distance) continue;
    const Vec3 at = nearest_on(t, x);
    const double d = conoid::vec::distance(at, x);
    if (d >= p.distance) continue;
    p.distance = d;
    p.nearest = at;
    p.radius = t.radius;
    body = body_of_[k];
  }
  Vec3 normals{};
  for (const Triangle& t : surface_.triangles)
    if (conoid::vec::distance(p.nearest, t.centroid) <= t.radius * (1 + touching) &&
        conoid::vec::distance(p.nearest, nearest_on(t, p.nearest)) <= touching * t.radius)
      normals = add(normals, t.normal);
  p.normal = unit(normals);
  if (p.distance <= touching * p.radius) {
    p.side = body >= 0 ? Side::on_body : Side::on_screen;
    p.body = static_cast<std::size_t>(std::max(body, 0));
  } else if (const Index around = body_around(x); around >= 0) {
    p.side = body == around && p.distance <= shallow * p.radius ? Side::on_body : Side::inside;
    p.body = static_cast<std::size_t>(around);
  }
  // What is taken as on a surface must have air outside: not where bodies touch or lie in one another.
  if (p.side == Side::on_body && body_around(p.beside(1e-5)) >= 0) p.side = Side::inside;
  return p;
}

}  // namespace conoid::acoustic_bem
