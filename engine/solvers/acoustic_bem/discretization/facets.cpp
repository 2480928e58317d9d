// SPDX-License-Identifier: BSD-3-Clause
// Turns of the faces at edges, angles at vertices.
#include "engine/solvers/acoustic_bem/discretization/facets.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "engine/core/vec3.hpp"
#include "engine/solvers/acoustic_bem/discretization/curved_faces.hpp"

namespace conoid::acoustic_bem {

using namespace conoid::vec;

Facets facets_of(const Surface& surface) {
  constexpr double crease = 50 * std::numbers::pi / 180;
  const std::vector<double> gaps = gaps_of(surface);
  Facets out;
  struct Side {
    const Triangle* first = nullptr;
    bool alone = true;
  };
  std::map<std::pair<std::int32_t, std::int32_t>, Side> seen;
  std::vector<double> angle(surface.vertices.size(), 0);
  std::vector<char> true_edge(surface.vertices.size(), 0);
  double lost = 0, volume = 0;
  for (const auto& body : surface.bodies)
    for (std::int32_t k : body) {
      const Triangle& t = surface.triangles[static_cast<std::size_t>(k)];
      volume += triple(sub(t.corner[0], surface.vertices[0]), sub(t.corner[1], surface.vertices[0]),
                       sub(t.corner[2], surface.vertices[0])) /
                6;
      lost += gaps[static_cast<std::size_t>(k)] * t.area;
      for (std::size_t e = 0; e < 3; ++e) {
        const std::int32_t a = t.vertex[e], b = t.vertex[(e + 1) % 3];
        angle[static_cast<std::size_t>(a)] +=
            std::acos(std::clamp(-dot(t.tangent[e], t.tangent[(e + 2) % 3]), -1.0, 1.0));
        const auto [place, fresh] = seen.try_emplace({std::min(a, b), std::max(a, b)}, Side{&t});
        if (fresh) continue;
        place->second.alone = false;
        const Triangle& other = *place->second.first;
        const Vec3 turn = cross(other.normal, t.normal);
        const double theta = std::atan2(norm(turn), dot(other.normal, t.normal));
        if (theta > crease) true_edge[static_cast<std::size_t>(a)] = true_edge[static_cast<std::size_t>(b)] = 1;
      }
    }
  // At a rim, as of a body that stands on the ground, faces end; nothing is round there.
  for (const auto& [corners, side] : seen)
    if (side.alone)
      true_edge[static_cast<std::size_t>(corners.first)] = true_edge[static_cast<std::size_t>(corners.second)] = 1;
  if (volume != 0) out.lost_volume = lost / volume;
  for (std::size_t v = 0; v < angle.size(); ++v) {
    const double missing = 2 * std::numbers::pi - angle[v];
    if (angle[v] <= 0 || true_edge[v] || missing <= out.missing_angle) continue;
    out.missing_angle = missing;
    out.tip = surface.vertices[v];
  }
  return out;
}

}  // namespace conoid::acoustic_bem
