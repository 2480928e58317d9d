// SPDX-License-Identifier: BSD-3-Clause
// Gaps under faces by the turn of normals, and where corners go.
#include "engine/solvers/acoustic_bem/discretization/curved_faces.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <Eigen/Eigenvalues>

#include "engine/core/vec3.hpp"
#include "engine/solvers/acoustic_bem/discretization/surface.hpp"

namespace conoid::acoustic_bem {

using namespace conoid::vec;

namespace {

struct Corner {
  std::size_t face;
  int number;
};

/// Faces at each point of the mesh, which points may move, and which of them do so along the ground, where the body meets its image.
struct Stars {
  std::vector<std::vector<Corner>> of;
  std::vector<char> stays, grounded;
  std::optional<Ground> ground;
};

Stars stars_of(const Surface& s, Index points, const std::optional<Ground>& ground) {
  const auto none = std::vector<char>(static_cast<std::size_t>(points), 0);
  Stars out{std::vector<std::vector<Corner>>(none.size()), none, none, ground};
  const double near = 1e-6 * s.mean_edge;
  const auto on_ground = [&](const Vec3& x) { return ground && std::abs(ground->above(x)) <= near; };
  const auto point = [&](const Triangle& t, int a) {
    return s.mesh_point[static_cast<std::size_t>(t.vertex[static_cast<std::size_t>(a)])];
  };
  std::map<std::pair<Index, Index>, int> uses;
  for (std::size_t f = 0; f < s.triangles.size(); ++f)
    for (int a = 0; a < 3; ++a) {
      const Index p = point(s.triangles[f], a), q = point(s.triangles[f], (a + 1) % 3);
      if (p < 0 || q < 0) continue;  // in a layer at a rim
      out.of[static_cast<std::size_t>(p)].push_back({f, a});
      if (on_ground(s.triangles[f].corner[static_cast<std::size_t>(a)])) out.grounded[static_cast<std::size_t>(p)] = 1;
      ++uses[{std::min(p, q), std::max(p, q)}];
    }
  for (const auto& [edge, count] : uses)
    if (count != 2 && !(count == 1 && out.grounded[static_cast<std::size_t>(edge.first)] != 0 &&
                        out.grounded[static_cast<std::size_t>(edge.second)] != 0))
      out.stays[static_cast<std::size_t>(edge.first)] = out.stays[static_cast<std::size_t>(edge.second)] = 1;
  return out;
}

/// Of the surface at a corner of a triangle.
Vec3 normal_at(const Surface& s, const std::vector<Corner>& star, const Triangle& seen_from, const Ground* ground) {
  const double crease = std::cos(50 * std::numbers::pi / 180);
  Vec3 sum{};
  for (const Corner& c : star) {
    const Triangle& t = s.triangles[c.face];
    const auto a = static_cast<std::size_t>(c.number);
    const double weight = t.area / (std::pow(t.length[a], 2) * std::pow(t.length[(a + 2) % 3], 2));
    if (dot(t.normal, seen_from.normal) >= crease) sum = axpy(weight, t.normal, sum);
    if (ground == nullptr) continue;
    const Vec3 mirrored = ground->turned(t.normal);
    if (dot(mirrored, seen_from.normal) >= crease) sum = axpy(weight, mirrored, sum);
  }
  return unit(sum);
}

/// The least move that takes a corner as far along each of its normals as is asked for there.
Vec3 move_of(std::span<const Vec3> normals, std::span<const double> gaps, std::span<const double> weights) {
  constexpr double same = 0.05;  // of normals that lie closer than about 25 degrees there is one direction
  Eigen::Matrix3d sum = Eigen::Matrix3d::Zero();
  Eigen::Vector3d right = Eigen::Vector3d::Zero();
  for (std::size_t k = 0; k < normals.size(); ++k) {
    const Eigen::Vector3d n(normals[k][0], normals[k][1], normals[k][2]);
    sum += weights[k] * n * n.transpose();
    right += weights[k] * gaps[k] * n;
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(sum);
  Eigen::Vector3d out = Eigen::Vector3d::Zero();
  for (int k = 0; k < 3; ++k)
    if (const double value = eigen.eigenvalues()[k]; value > same * eigen.eigenvalues()[2])
      out += eigen.eigenvectors().col(k).dot(right) / value * eigen.eigenvectors().col(k);
  return {out[0], out[1], out[2]};
}

/// Of the surface at the corners of a face; zero in layers at rims.
std::array<Vec3, 3> normals_of(const Surface& s, const Stars& stars, const Triangle& t) {
  std::array<Vec3, 3> out{};
  for (std::size_t a = 0; a < 3; ++a)
    if (s.mesh_point[static_cast<std::size_t>(t.vertex[a])] < 0) return out;
  for (std::size_t a = 0; a < 3; ++a) {
    const auto p = static_cast<std::size_t>(s.mesh_point[static_cast<std::size_t>(t.vertex[a])]);
    out[a] = normal_at(s, stars.of[p], t, stars.grounded[p] != 0 ? &*stars.ground : nullptr);
  }
  return out;
}

double gap_of(const Triangle& t, const std::array<Vec3, 3>& normals) {
  double gap = 0;
  for (std::size_t a = 0; a < 3; ++a)
    gap += t.length[a] * dot(sub(normals[(a + 1) % 3], normals[a]), t.tangent[a]) / 24;
  return gap;
}

}  // namespace

std::vector<double> gaps_of(const Surface& surface) {
  Index points = 0;
  for (const Index p : surface.mesh_point) points = std::max(points, p + 1);
  const Stars stars = stars_of(surface, points, surface.conditions.ground);
  std::vector<double> out;
  for (const Triangle& t : surface.triangles) out.push_back(gap_of(t, normals_of(surface, stars, t)));
  return out;
}

Result<CurvedMesh> with_curved_faces(const Mesh& mesh, const std::optional<Ground>& ground) {
  // Faces that agree on a side; rims without layers.
  const auto surface = make_surface(mesh, Ordering::given, 1);
  if (!surface) return surface.error();
  const Surface& s = *surface;
  const Stars stars = stars_of(s, mesh.point_count(), ground);
  std::vector<std::array<Vec3, 3>> normals(s.triangles.size());
  std::vector<double> gap(s.triangles.size(), 0);
  for (std::size_t f = 0; f < s.triangles.size(); ++f) {
    normals[f] = normals_of(s, stars, s.triangles[f]);
    gap[f] = gap_of(s.triangles[f], normals[f]);
  }
  CurvedMesh out{mesh, 0};
  std::vector<double>& points = out.mesh.mutable_points();
  for (std::size_t p = 0; p < stars.of.size(); ++p) {
    if (stars.stays[p] != 0 || stars.of[p].empty()) continue;
    std::vector<Vec3> along;
    std::vector<double> gaps, weights;
    for (const Corner& c : stars.of[p]) {
      along.push_back(normals[c.face][static_cast<std::size_t>(c.number)]);
      gaps.push_back(gap[c.face]);
      weights.push_back(s.triangles[c.face].area);
      if (stars.grounded[p] == 0) continue;
      along.push_back(ground->turned(along.back()));
      gaps.push_back(gap[c.face]);
      weights.push_back(weights.back());
    }
    Vec3 move = move_of(along, gaps, weights);
    if (stars.grounded[p] != 0) move[static_cast<std::size_t>(ground->axis)] = 0;
    for (std::size_t d = 0; d < 3; ++d) points[3 * p + d] += move[d];
    out.farthest = std::max(out.farthest, norm(move));
  }
  return out;
}

}  // namespace conoid::acoustic_bem
