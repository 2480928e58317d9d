// SPDX-License-Identifier: BSD-3-Clause
// Weights of points between nodes.
#include "engine/solvers/acoustic_fd/discretization/points.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "engine/numerics/windowed_sinc.hpp"
#include "engine/solvers/acoustic_fd/discretization/medium.hpp"
#include "engine/solvers/acoustic_fd/discretization/walls.hpp"

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

/// Where, and how, a slope is taken.
struct Slope {
  const Grid& grid;
  const std::array<Face, 6>& faces;
  const Vec3& position;
  const Vec3& direction;
  const DensityAlong& density;
  Spread spread;
  PointUse use;
  const Problem* scheme;  ///< as of receiver_weights()
};

/// Faces between nodes n and n + 1, four around `place` (in nodes) from `first` to `last`, with what each gives to the mean of a cubic through them over the spacing around it.
std::array<std::pair<Index, double>, 4> faces_around(double place, Index first, Index last) {
  const Index low = std::max(first, std::min(last - 3, static_cast<Index>(std::lround(place)) - 2));
  const auto own = [&](std::size_t i, double at) {
    double out = 1;
    for (std::size_t j = 0; j < 4; ++j)
      if (j != i)
        out *= (at - static_cast<double>(low + static_cast<Index>(j)) - 0.5) /
               (static_cast<double>(i) - static_cast<double>(j));
    return out;
  };
  std::array<std::pair<Index, double>, 4> out;
  const double half = 0.5 / std::sqrt(3.0);  // Gauss's two points, exact for cubics
  for (std::size_t i = 0; i < 4; ++i)
    out[i] = {low + static_cast<Index>(i), 0.5 * (own(i, place - half) + own(i, place + half))};
  return out;
}

/// Whether the place is so near a face of an impedance that the kink of what is continued behind it shows in differences.
bool beside_impedance(const Problem& problem, std::size_t axis, double place) {
  constexpr double near = 6;  // nodes
  const Index last = problem.grid.points[axis] - 1;
  return last >= 4 &&
         ((problem.faces[2 * axis].kind == FaceKind::impedance && place < near) ||
          (problem.faces[2 * axis + 1].kind == FaceKind::impedance && place > static_cast<double>(last) - near));
}

/// Position along an axis, in nodes; what was typed in decimal rarely hits a node to the last bit.
double place_in_nodes(const Slope& slope, std::size_t axis) {
  const double at = (slope.position[axis] - slope.grid.origin[axis]) / slope.grid.spacing[axis];
  return std::abs(at - std::round(at)) < 1e-9 * std::max(1.0, std::abs(at)) ? std::round(at) : at;
}

std::map<Index, double> weights_along(const Slope& slope, std::size_t axis, double place) {
  return axis_weights(place, slope.grid.points[axis], slope.spread, slope.faces[2 * axis].image_sign(),
                      slope.faces[2 * axis + 1].image_sign(), slope.use);
}

/// call(node, weight) for the rows of nodes along axis a that the place is spread over; node[a] is free.
template <class Call>
void for_rows(const Slope& slope, std::size_t a, const Call& call) {
  const std::size_t b = (a + 1) % 3, c = (a + 2) % 3;
  const std::map<Index, double> along_b = weights_along(slope, b, place_in_nodes(slope, b)),
                                along_c = weights_along(slope, c, place_in_nodes(slope, c));
  for (const auto& [ib, wb] : along_b)
    for (const auto& [ic, wc] : along_c) {
      std::array<Index, 3> node{};
      node[b] = ib;
      node[c] = ic;
      call(node, wb * wc);
    }
}

bool node_is_solid(const Problem& problem, const std::array<Index, 3>& node) {
  return problem.obstacles->at(node[0], node[1], node[2]) != Solid::none;
}

constexpr Index reach_of_slope = 4;  // nodes

/// An obstacle lies within the nodes that a slope along axis a takes.
bool beside_obstacle(const Slope& slope, std::size_t a) {
  if (!slope.scheme || !slope.scheme->obstacles) return false;
  const auto middle = static_cast<Index>(std::lround(place_in_nodes(slope, a)));
  bool found = false;
  for_rows(slope, a, [&](std::array<Index, 3> node, double) {
    for (node[a] = std::max<Index>(0, middle - reach_of_slope);
         node[a] <= std::min(slope.grid.points[a] - 1, middle + reach_of_slope); ++node[a])
      found = found || node_is_solid(*slope.scheme, node);
  });
  return found;
}

/// Along one axis by the polynomial through the fluid's nodes before the wall, of at most six.
void add_one_sided(WeightMap& to, const Slope& slope, std::size_t a, double factor) {
  constexpr Index most = 6;
  const double place = place_in_nodes(slope, a);
  const Index last = slope.grid.points[a] - 1;
  for_rows(slope, a, [&](std::array<Index, 3> node, double weight) {
    const auto fluid = [&](Index i) {
      if (i < 0 || i > last) return false;
      node[a] = i;
      return !node_is_solid(*slope.scheme, node);
    };
    auto low = static_cast<Index>(std::lround(place));
    if (!fluid(low)) low = static_cast<double>(low) > place ? low - 1 : low + 1;
    if (!fluid(low)) return;
    Index high = low;
    const auto middle = low;
    while (low > middle - reach_of_slope && fluid(low - 1)) --low;
    while (high < middle + reach_of_slope && fluid(high + 1)) ++high;
    const bool whole = high - low == 2 * reach_of_slope;
    while (!whole && high - low >= most) {
      if (place - static_cast<double>(low) > static_cast<double>(high) - place)
        ++low;
      else
        --high;
    }
    for (Index i = low; i <= high; ++i) {
      double sum = 0;  // the derivative of the polynomial that is 1 at node i and 0 at the others
      for (Index m = low; m <= high; ++m) {
        if (m == i) continue;
        double term = 1 / static_cast<double>(i - m);
        for (Index j = low; j <= high; ++j)
          if (j != i && j != m) term *= (place - static_cast<double>(j)) / static_cast<double>(i - j);
        sum += term;
      }
      for (const auto& [ia, wa] : weights_along(slope, a, static_cast<double>(i))) {
        node[a] = ia;
        to[node] += wa * weight * factor * sum / slope.grid.spacing[a];
      }
    }
  });
}

/// Along one axis by what the scheme itself carries through faces between nodes: a link of two nodes m apart, of weight C_m/√(ρρ'), passes m of them, so that
///   F_{i+½} = 1/h Σ_m C_m Σ_{i−m < j ≤ i} (p_{j+m} − p_j)/√(ρ_j ρ_{j+m}),   (F_{i+½} − F_{i−½})/h = p_tt/K of the scheme at node i,
/// which jumps of density leave continuous. At a face of an impedance, behind which the pressure is continued with a kink, only fluxes before it count, of the first pair of nodes what its
/// softer link leaves (walls.hpp). F is not the slope over the density but that of which it is the mean over a spacing: (kh/2)/sin(kh/2) times as large.
void add_flux(WeightMap& to, const Slope& slope, std::size_t a, double factor) {
  const Problem& problem = *slope.scheme;
  const Stencil stencil = stencil_of_order(problem.order);
  const Grid& grid = slope.grid;
  const bool dense = problem.density && !problem.density->constant();
  const Index last = grid.points[a] - 1;
  const bool walls[] = {problem.faces[2 * a].kind == FaceKind::impedance,
                        problem.faces[2 * a + 1].kind == FaceKind::impedance};
  const auto faces = faces_around(place_in_nodes(slope, a), walls[0] ? 0 : -last, walls[1] ? last - 1 : 2 * last);
  for_rows(slope, a, [&](std::array<Index, 3> node, double row) {
    const auto root = [&](Index i) {  // √(ρ/ρ_0)
      double out = 1;
      if (!dense) return out;
      node[a] = node_that_counts(problem, a, i);
      pressure_factor(problem, node[0], node[1], node[2], 1, {&out, 1});
      return out;
    };
    const auto add_value = [&](Index i, double weight) {
      for (const auto& [ia, wa] : weights_along(slope, a, static_cast<double>(i))) {
        node[a] = ia;
        to[node] += wa * weight;
      }
    };
    for (const std::pair<Index, double>& own : faces) {
      const Index face = own.first;
      const double all = factor * own.second * row / grid.spacing[a];
      const auto add_link = [&](Index j, int m, double strength) {
        const double weight = all * strength / (root(j) * root(j + m));
        add_value(j + m, weight);
        add_value(j, -weight);
      };
      for (int m = 1; m <= stencil.radius; ++m)
        for (Index j = face - m + 1; j <= face; ++j) add_link(j, m, stencil.weight[static_cast<std::size_t>(m)]);
      if ((walls[0] && face == 0) || (walls[1] && face == last - 1)) add_link(face, 1, -wall_softness(stencil.order));
    }
  });
}

/// The slope, by the stencil of order 8 of differences between values beside the position and the one there; beside an obstacle by what lies before it, beside a jump of density and a face of an impedance by what the scheme carries.
/// `place_density`: ρ at the position.
void add_slope(WeightMap& to, const Slope& slope, double factor, double place_density) {
  static const Stencil stencil = stencil_of_order(8);
  const auto& [grid, faces, position, direction, density, spread, use, scheme] = slope;
  double there = 0;  // what the value at the position counts: nothing where the density does not vary
  for (std::size_t a = 0; a < 3; ++a) {
    if (direction[a] == 0 || grid.points[a] == 1) continue;
    if (beside_obstacle(slope, a)) {
      add_one_sided(to, slope, a, factor * direction[a]);
      continue;
    }
    if (const bool dense = scheme && scheme->density && !scheme->density->constant();
        scheme && (!dense || place_density > 0) &&
        (jump_along(density, a) > smooth_density || beside_impedance(*scheme, a, place_in_nodes(slope, a)))) {
      add_flux(to, slope, a, factor * direction[a] * (dense ? place_density / scheme->reference_density : 1));
      continue;
    }
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
                                       Spread spread, const Problem* scheme) {
  const auto specific = [](double density) { return density > 0 ? 1 / density : 1; };
  WeightMap sum;
  if (source.is_dipole())
    add_slope(sum, {grid, faces, source.position, source.dipole, source.along, spread, PointUse::source, scheme},
              specific(source.density), source.density);
  else if (source.is_point())
    add(sum, point_weights(grid, faces, source.position, spread, PointUse::source), specific(source.density));
  for (const SourcePart& part : source.parts)
    add(sum, point_weights(grid, faces, part.position, spread, PointUse::source), part.share * specific(part.density));
  return listed(sum);
}

std::vector<NodeWeight> receiver_weights(const Grid& grid, const std::array<Face, 6>& faces, const Receiver& receiver,
                                         Spread spread, const Problem* scheme) {
  if (!receiver.is_slope()) return point_weights(grid, faces, receiver.position, spread, PointUse::receiver);
  WeightMap sum;
  add_slope(sum, {grid, faces, receiver.position, receiver.slope, receiver.along, spread, PointUse::receiver, scheme},
            1, receiver.density);
  return listed(sum);
}

double jump_along(const DensityAlong& along, std::size_t axis) {
  double most = 1;
  constexpr std::size_t nodes = DensityAlong::nodes;
  std::array<double, 2 * nodes> part{};  // over the density at the place, from below to above
  for (std::size_t i = 0; i < nodes; ++i) {
    const auto own = [&](const std::array<double, nodes>& side) {
      return static_cast<double>(i + 1) / side[i] - (i > 0 ? static_cast<double>(i) / side[i - 1] : 0);
    };
    part[nodes - 1 - i] = own(along.ratio[axis][0]);
    part[nodes + i] = own(along.ratio[axis][1]);
  }
  for (std::size_t i = 0; i < part.size(); ++i)
    for (std::size_t j = i + 1; j < std::min(part.size(), i + 3); ++j)
      most = std::max({most, part[i] / part[j], part[j] / part[i]});
  return most;
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
        for (int n = 0; n < static_cast<int>(DensityAlong::nodes) * pieces; ++n) {
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
