// SPDX-License-Identifier: BSD-3-Clause
// Surfaces of revolution, and the cone-sphere.
#include "engine/mesh/generators.hpp"
#include "engine/mesh/generators/options_check.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace conoid {
namespace {

constexpr double pi = std::numbers::pi;

struct Ring {
  double radius, z;
  int around;  // points; 1 at a pole
};

/// Triangles between two rings of unlike counts: the side whose next point is behind by angle goes on.
void stitch(Mesh& mesh, Index lower, int n_lower, Index upper, int n_upper) {
  int i = 0;
  int j = 0;
  const int steps_lower = n_lower == 1 ? 0 : n_lower;
  const int steps_upper = n_upper == 1 ? 0 : n_upper;
  while (i < steps_lower || j < steps_upper) {
    const Index a = lower + i % n_lower;
    const Index b = upper + j % n_upper;
    // Compared as fractions of the turn, without division; ties alternate to neither side's favour.
    const bool lower_next =
        j >= steps_upper || (i < steps_lower && Index{2 * i + 1} * steps_upper <= Index{2 * j + 1} * steps_lower);
    if (lower_next) {
      mesh.add_cell(CellShape::triangle3, {a, lower + (i + 1) % n_lower, b});
      ++i;
    } else {
      mesh.add_cell(CellShape::triangle3, {a, upper + (j + 1) % n_upper, b});
      ++j;
    }
  }
}

Mesh revolve(const std::vector<Ring>& rings, const Vec3& origin, const std::string& group) {
  Mesh mesh;
  std::vector<Index> first;
  for (const Ring& r : rings) {
    first.push_back(mesh.point_count());
    for (int i = 0; i < r.around; ++i) {
      const double phi = 2 * pi * i / r.around;
      mesh.add_point({origin[0] + r.radius * std::cos(phi), origin[1] + r.radius * std::sin(phi), origin[2] + r.z});
    }
  }
  for (std::size_t k = 0; k + 1 < rings.size(); ++k)
    stitch(mesh, first[k], rings[k].around, first[k + 1], rings[k + 1].around);
  if (!group.empty()) {
    auto& cells = mesh.add_group(group, 2, 1).cells;
    for (Index c = 0; c < mesh.cell_count(); ++c) cells.push_back(c);
  }
  return mesh;
}

}  // namespace

Result<Mesh> revolution(const RevolutionOptions& o) {
  generators::OptionsCheck check("revolution");
  check.count("around", o.around, 3).finite("origin", o.origin);
  check.require(o.profile.size() >= 3,
                fmt::format("'profile' needs at least three points, found {}", o.profile.size()));
  if (check.error()) return *check.error();
  check.require(o.profile.front()[0] == 0 && o.profile.back()[0] == 0,
                "'profile' must begin and end on the axis (radius 0)");
  for (std::size_t i = 0; i < o.profile.size(); ++i) {
    const auto& p = o.profile[i];
    check.require(std::isfinite(p[0]) && std::isfinite(p[1]), fmt::format("point {} of 'profile' is not finite", i));
    if (i > 0 && i + 1 < o.profile.size())
      check.require(p[0] > 0, fmt::format("point {} of 'profile' must have a positive radius", i));
  }
  check.cells(2.0 * o.around * static_cast<double>(o.profile.size()));
  if (check.error()) return *check.error();
  std::vector<Ring> rings;
  for (const auto& [r, z] : o.profile) rings.push_back({r, z, r > 0 ? o.around : 1});
  return revolve(rings, o.origin, o.group);
}

Result<Mesh> cone_sphere(const ConeSphereOptions& o) {
  generators::OptionsCheck check("cone_sphere");
  check.positive("sphere_radius", o.sphere_radius).positive("edge", o.edge);
  check.require(o.half_angle > 0 && o.half_angle < pi / 2, "'half_angle' must lie between 0 and 90 degrees");
  if (check.error()) return *check.error();
  // The sphere touches the cone at right angles to its generator: the centre lies R / sin α above the tip, the circle of
  // contact at height R (1/sin α − sin α), radius R cos α.
  const double r = o.sphere_radius;
  const double s = std::sin(o.half_angle);
  const double centre = r / s;
  const double slant = r / std::tan(o.half_angle);
  const double arc = r * (pi / 2 + o.half_angle);
  check.cells(4 * pi * (slant + arc) / o.edge * r / o.edge + 100);
  check.require((slant + arc) / o.edge < 1e6, "'edge' is too short for this body");
  if (check.error()) return *check.error();
  std::vector<Ring> rings;
  const auto add = [&](double radius, double z) {
    rings.push_back({radius, z, radius > 0 ? std::max(6, static_cast<int>(std::lround(2 * pi * radius / o.edge))) : 1});
  };
  const int on_cone = std::max(1, static_cast<int>(std::lround(slant / o.edge)));
  for (int i = 0; i <= on_cone; ++i) {
    const double l = slant * i / on_cone;
    add(i == 0 ? 0 : l * s, l * std::cos(o.half_angle));
  }
  // Polar angle from +z: from the contact, π/2 + α, to the pole.
  const int on_cap = std::max(2, static_cast<int>(std::lround(arc / o.edge)));
  for (int i = 1; i <= on_cap; ++i) {
    const double theta = (pi / 2 + o.half_angle) * (on_cap - i) / on_cap;
    add(i == on_cap ? 0 : r * std::sin(theta), centre + r * std::cos(theta));
  }
  return revolve(rings, {}, o.group);
}

}  // namespace conoid
