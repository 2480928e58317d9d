// SPDX-License-Identifier: BSD-3-Clause
// Weights of points between nodes.
#include "engine/solvers/acoustic_fd/discretization/points.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "engine/numerics/windowed_sinc.hpp"

namespace conoid::acoustic_fd {

namespace {

/// A source at node i of a line that goes on beyond its faces: what it and all its images give to nodes 0 … last. A slope in a grid of few nodes reaches
/// beyond the image of the opposite face.
void add_images(Index i, double weight, Index last, int lower, int upper, std::map<Index, double>& out) {
  const auto add = [&](Index node, double w) {
    if (w != 0 && node >= 0 && node <= last) out[node] += w;
  };
  const Index most = 1 + std::abs(i) / (2 * last);
  double both = weight;  // after n reflections at either face
  for (Index n = 0; n <= most && both != 0; ++n) {
    const Index moved = 2 * last * n;
    add(i + moved, both);
    if (n > 0) add(i - moved, both);
    add(-i - moved, lower * both);
    add(2 * last - i + moved, upper * both);
    both *= lower * upper;
  }
}

/// A value that is read at node i beyond the faces is that of a node within.
void add_folded(Index i, double weight, Index last, int lower, int upper, std::map<Index, double>& out) {
  while (weight != 0 && (i < 0 || i > last)) {
    weight *= i < 0 ? lower : upper;
    i = i < 0 ? -i : 2 * last - i;
  }
  if (weight != 0) out[i] += weight;
}

std::map<Index, double> axis_weights(double place, Index points, Spread spread, int lower_sign, int upper_sign,
                                     PointUse use) {
  // Positions typed in decimal rarely hit a node to the last bit.
  if (std::abs(place - std::round(place)) < 1e-9 * std::max(1.0, std::abs(place))) place = std::round(place);
  const auto base = static_cast<Index>(std::floor(place));
  const double f = place - static_cast<double>(base);
  std::map<Index, double> raw;
  if (points == 1) return {{0, 1.0}};
  if (f == 0) {
    raw[base] = 1;
  } else if (spread == Spread::trilinear) {
    raw[base] = 1 - f;
    raw[base + 1] = f;
  } else {
    for (Index i = base - 3; i <= base + 4; ++i) raw[i] = windowed_sinc(static_cast<double>(i) - place, 4, 6.31);
  }
  std::map<Index, double> out;
  const Index last = points - 1;
  for (const auto& [i, w] : raw)
    if (use == PointUse::source)
      add_images(i, w, last, lower_sign, upper_sign, out);
    else
      add_folded(i, w, last, lower_sign, upper_sign, out);
  return out;
}

}  // namespace

std::vector<NodeWeight> point_weights(const Grid& grid, const std::array<Face, 6>& faces, const Vec3& position,
                                      Spread spread, PointUse use) {
  std::array<std::map<Index, double>, 3> axis;
  for (std::size_t a = 0; a < 3; ++a)
    axis[a] = axis_weights((position[a] - grid.origin[a]) / grid.spacing[a], grid.points[a], spread,
                           faces[2 * a].image_sign(), faces[2 * a + 1].image_sign(), use);
  std::vector<NodeWeight> out;
  for (const auto& [x, wx] : axis[0])
    for (const auto& [y, wy] : axis[1])
      for (const auto& [z, wz] : axis[2])
        if (const double w = wx * wy * wz; w != 0) out.push_back({x, y, z, w});
  return out;
}

namespace {

using WeightMap = std::map<std::array<Index, 3>, double>;

void add(WeightMap& to, const std::vector<NodeWeight>& weights, double factor) {
  for (const NodeWeight& node : weights) to[{node.x, node.y, node.z}] += factor * node.weight;
}

std::vector<NodeWeight> listed(const WeightMap& from) {
  std::vector<NodeWeight> out;
  for (const auto& [node, weight] : from)
    if (weight != 0) out.push_back({node[0], node[1], node[2], weight});
  return out;
}

/// The slope along `direction`, by the stencil of order 8 of differences between values beside the position and the one there.
void add_slope(WeightMap& to, const Grid& grid, const std::array<Face, 6>& faces, const Vec3& position,
               const Vec3& direction, double factor, const DensityAlong& density, Spread spread, PointUse use) {
  static const Stencil stencil = stencil_of_order(8);
  double there = 0;  // what the value at the position counts: nothing where the density does not vary
  for (std::size_t a = 0; a < 3; ++a) {
    if (direction[a] == 0 || grid.points[a] == 1) continue;
    for (int i = 1; i <= stencil.radius; ++i)
      for (const int side : {-1, 1}) {
        Vec3 beside = position;
        beside[a] += side * i * grid.spacing[a];
        const double ratio = density.ratio[a][side < 0 ? 0 : 1][static_cast<std::size_t>(i - 1)];
        const double weight =
            factor * side * direction[a] * stencil.slope[static_cast<std::size_t>(i)] / grid.spacing[a];
        add(to, point_weights(grid, faces, beside, spread, use), weight * ratio);
        there += weight * (1 - ratio);
      }
  }
  if (there != 0) add(to, point_weights(grid, faces, position, spread, use), there);
}

/// Two unit vectors across `normal`.
std::array<Vec3, 2> across(const Vec3& normal) {
  const std::size_t least = std::abs(normal[0]) <= std::abs(normal[1]) && std::abs(normal[0]) <= std::abs(normal[2]) ? 0
                            : std::abs(normal[1]) <= std::abs(normal[2])                                             ? 1
                                                                         : 2;
  Vec3 first{};
  first[least] = 1;
  const auto cross = [](const Vec3& a, const Vec3& b) {
    return Vec3{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  };
  Vec3 u = cross(normal, first);
  const double length = std::hypot(u[0], u[1], u[2]);
  for (double& v : u) v /= length;
  return {u, cross(normal, u)};
}

/// `height(r)` along the normal at the distance r from the axis; `share(inner, outer)` of a ring between two parameters.
template <class Place, class Share>
std::vector<SourcePart> rings(const Vec3& centre, const Vec3& normal, Index count, double extent, double spacing,
                              bool flat, Place&& place, Share&& share) {
  std::vector<SourcePart> out;
  const auto [u, v] = across(normal);
  const double step = extent / static_cast<double>(count);
  for (Index j = 0; j < count; ++j) {
    const double inner = static_cast<double>(j) * step, outer = inner + step;
    const auto [r, height] = place(0.5 * (inner + outer));
    const Index around =
        flat ? 2 : std::max<Index>(6, static_cast<Index>(std::ceil(4 * std::numbers::pi * r / spacing)));
    for (Index i = 0; i < around; ++i) {
      SourcePart part;
      part.share = share(inner, outer) / static_cast<double>(around);
      const double angle = 2 * std::numbers::pi * (static_cast<double>(i) + 0.5 * static_cast<double>(j % 2)) /
                           static_cast<double>(around);
      // In two dimensions the strip lies across the normal within the plane y = const.
      const Vec3 side = flat ? Vec3{-normal[2], 0, normal[0]} : Vec3{};
      for (std::size_t a = 0; a < 3; ++a)
        part.position[a] = centre[a] + height * normal[a] +
                           (flat ? (i == 0 ? r : -r) * side[a] : r * (std::cos(angle) * u[a] + std::sin(angle) * v[a]));
      out.push_back(part);
    }
  }
  return out;
}

}  // namespace

std::vector<NodeWeight> source_weights(const Grid& grid, const std::array<Face, 6>& faces, const Source& source,
                                       Spread spread) {
  const auto specific = [](double density) { return density > 0 ? 1 / density : 1; };
  WeightMap sum;
  if (source.is_dipole())
    add_slope(sum, grid, faces, source.position, source.dipole, specific(source.density), source.along, spread,
              PointUse::source);
  else if (source.is_point())
    add(sum, point_weights(grid, faces, source.position, spread, PointUse::source), specific(source.density));
  for (const SourcePart& part : source.parts)
    add(sum, point_weights(grid, faces, part.position, spread, PointUse::source), part.share * specific(part.density));
  return listed(sum);
}

std::vector<NodeWeight> receiver_weights(const Grid& grid, const std::array<Face, 6>& faces, const Receiver& receiver,
                                         Spread spread) {
  if (!receiver.is_slope()) return point_weights(grid, faces, receiver.position, spread, PointUse::receiver);
  WeightMap sum;
  add_slope(sum, grid, faces, receiver.position, receiver.slope, 1, receiver.along, spread, PointUse::receiver);
  return listed(sum);
}

void tell_density(const Velocity& density, Problem& problem) {
  const auto at = [&](const Vec3& place) {
    double out = 0;
    density.row(place[0], place[1], place[2], 0, {&out, 1});
    return out;
  };
  const auto along = [&](const Vec3& place, const Vec3& direction) {
    constexpr int pieces = 64;  // of a spacing: a jump is placed within 1/128 of it
    DensityAlong out;
    const double here = at(place);
    for (std::size_t a = 0; a < 3; ++a)
      for (const std::size_t side : {0U, 1U}) {
        if (direction[a] == 0) continue;  // add_slope() passes over them, too
        double sum = 0;
        for (int n = 0; n < 4 * pieces; ++n) {
          Vec3 on = place;
          on[a] += (side == 0 ? -1 : 1) * (n + 0.5) / pieces * problem.grid.spacing[a];
          sum += at(on);
          if ((n + 1) % pieces == 0) out.ratio[a][side][static_cast<std::size_t>(n / pieces)] = here * (n + 1) / sum;
        }
      }
    return out;
  };
  for (Source& source : problem.sources) {
    if (source.transposed) continue;
    source.density = at(source.position);
    if (source.is_dipole()) source.along = along(source.position, source.dipole);
    for (SourcePart& part : source.parts) part.density = at(part.position);
  }
  for (Receiver& receiver : problem.receivers)
    if (receiver.is_slope()) {
      receiver.density = at(receiver.position);
      receiver.along = along(receiver.position, receiver.slope);
    }
}

std::vector<SourcePart> disc_parts(const Vec3& centre, const Vec3& normal, double radius, double spacing, bool flat) {
  const Index count = std::max<Index>(1, static_cast<Index>(std::ceil(2 * radius / spacing)));
  return rings(
      centre, normal, count, radius, spacing, flat,
      [](double r) {
        return std::pair{r, 0.0};
      },
      [&](double inner, double outer) {
        return flat ? (outer - inner) / radius : (outer * outer - inner * inner) / (radius * radius);
      });
}

std::vector<SourcePart> bowl_parts(const Vec3& apex, const Vec3& normal, double curvature, double radius,
                                   double spacing, bool flat) {
  const double widest = std::asin(std::min(1.0, radius / curvature));
  const Index count = std::max<Index>(1, static_cast<Index>(std::ceil(2 * widest * curvature / spacing)));
  return rings(
      apex, normal, count, widest, spacing, flat,
      [&](double angle) {
        return std::pair{curvature * std::sin(angle), curvature * (1 - std::cos(angle))};
      },
      [&](double inner, double outer) {
        return flat ? (outer - inner) / widest : (std::cos(inner) - std::cos(outer)) / (1 - std::cos(widest));
      });
}

}  // namespace conoid::acoustic_fd
