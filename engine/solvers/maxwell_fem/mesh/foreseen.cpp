// SPDX-License-Identifier: BSD-3-Clause
// Sums over triangles, edges and points of a surface.
#include "engine/solvers/maxwell_fem/mesh/foreseen.hpp"

#include "engine/core/vec3.hpp"
#include "engine/solvers/maxwell_fem/discretization/pi.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace conoid::maxwell_fem {

using namespace conoid::vec;

namespace {

using Edge = std::pair<Index, Index>;

Edge edge_of(Index a, Index b) {
  return {std::min(a, b), std::max(a, b)};
}

double net_along(const Vec3& normal) {
  return 2 * (std::abs(normal[0]) + std::abs(normal[1]) + std::abs(normal[2]));
}

struct Triangle {
  std::array<Index, 3> points;
  Vec3 normal;
  double area;
};

std::vector<Triangle> triangles_of(const Mesh& surface) {
  std::vector<Triangle> out;
  for (Index c = 0; c < surface.cell_count(); ++c) {
    const auto n = surface.nodes(c);
    const int corners = dimension_of(surface.shape(c)) == 2 ? corners_of(surface.shape(c)) : 0;
    for (int k = 2; k < corners; ++k) {
      const Vec3 a = surface.point(n[0]), twice = cross(sub(surface.point(n[k - 1]), a), sub(surface.point(n[k]), a));
      const double area = 0.5 * norm(twice);
      if (area > 0) out.push_back({{n[0], n[k - 1], n[k]}, unit(twice), area});
    }
  }
  return out;
}

/// Of an edge between two triangles: over the part of a cylinder between their normals, outwards; negative where the body is hollow.
double net_over_bend(const Triangle& a, const Triangle& b, const Vec3& from_a_into_b, double outwards) {
  const Vec3 middle = add(a.normal, b.normal);
  const double bend = std::acos(std::clamp(dot(a.normal, b.normal), -1.0, 1.0)), size = norm(middle);
  if (!(bend > 0) || !(size > 0)) return 0;
  const double mean =
      (net_along(a.normal) + 4 * net_along(scale(1 / size, middle)) + net_along(b.normal)) / 6;  // Simpson
  return bend * mean * (dot(a.normal, from_a_into_b) * outwards < 0 ? 1 : -1);
}

}  // namespace

SurfaceCounts count_surface(const Mesh& surface, std::span<const std::pair<Index, Index>> graded) {
  SurfaceCounts out;
  const std::vector<Triangle> triangles = triangles_of(surface);
  const auto is_graded = [&](const Edge& e) { return std::binary_search(graded.begin(), graded.end(), e); };
  std::vector<bool> on(static_cast<std::size_t>(surface.point_count()), false);
  for (const auto& [a, b] : graded) on[a] = on[b] = true;
  std::map<Edge, std::vector<std::size_t>> at;
  std::vector<double> angle(on.size(), 0);
  double volume = 0;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const auto& p = triangles[t].points;
    const double net = net_along(triangles[t].normal) * triangles[t].area;
    out.triangles += 1;
    out.net.flat += net;
    volume += triple(surface.point(p[0]), surface.point(p[1]), surface.point(p[2]));
    int points = 0, edges = 0;
    for (int k = 0; k < 3; ++k) {
      const Edge edge = edge_of(p[k], p[(k + 1) % 3]);
      at[edge].push_back(t);
      const Vec3 x = surface.point(p[k]), u = sub(surface.point(p[(k + 1) % 3]), x),
                 v = sub(surface.point(p[(k + 2) % 3]), x);
      angle[p[k]] += std::acos(std::clamp(dot(u, v) / (norm(u) * norm(v)), -1.0, 1.0));
      points += on[p[k]];
      if (!is_graded(edge)) continue;
      ++edges;
      out.over_edges.flat += net;
      out.flanks += norm(v) + distance(surface.point(p[(k + 1) % 3]), surface.point(p[(k + 2) % 3]));
    }
    out.at_points += points;
    out.over_points.flat += net * points / 3;
    out.triples += points == 3;
    out.corners += 0.5 * edges * (edges - 1);
  }
  for (const auto& [edge, of] : at) {
    const double length = distance(surface.point(edge.first), surface.point(edge.second));
    out.edges += 1;
    out.lengths += length;
    double bent = 0;
    if (of.size() == 2) {
      const Triangle &a = triangles[of[0]], &b = triangles[of[1]];
      Vec3 beyond{};
      for (const Index p : b.points)
        if (p != edge.first && p != edge.second) beyond = sub(surface.point(p), surface.point(edge.first));
      bent = length * net_over_bend(a, b, beyond, volume < 0 ? -1 : 1);
    }
    out.net.bent += bent;
    const int ends = static_cast<int>(on[edge.first]) + static_cast<int>(on[edge.second]);
    if (is_graded(edge)) {
      out.graded += 1;
      out.graded_lengths += length;
      out.over_edges.bent += bent;
    } else if (ends > 0) {
      out.beside += ends;
      out.beside_lengths += ends * length;
      out.over_points.bent += 0.5 * ends * bent;
      if (ends == 2) {
        out.chords += 1;
        out.chord_lengths += length;
      }
    }
  }
  constexpr double all_ways = 3;  // net_along() on average over a ball
  for (std::size_t p = 0; p < angle.size(); ++p) {
    if (!(angle[p] > 0)) continue;
    out.net.round += all_ways * (2 * pi - angle[p]);
    if (on[p]) out.over_points.round += all_ways * (2 * pi - angle[p]);
  }
  return out;
}

namespace {

/// The net of S at its distance.
struct Net {
  double distance, step;
  explicit Net(const SurroundOptions& o) : distance(o.distance), step(net_step(o)) {}
  [[nodiscard]] double triangles(const NetOver& over) const {
    return (over.flat + over.bent * distance + over.round * distance * distance) / (step * step);
  }
  /// Tetrahedra with two points on the body: of so many edges of these lengths in all.
  [[nodiscard]] double across(double edges, double lengths) const { return 0.67 * edges + 0.5 * lengths / step; }
};

}  // namespace

double expected_around(const SurfaceCounts& s, const SurroundOptions& o, double parts) {
  const Net net(o);
  const double faces = net.triangles(s.net);
  return s.triangles * parts * parts + faces + net.across(s.edges * parts * parts, s.lengths * parts) +
         3 * faces * (o.layers - 1);
}

double expected_in_layers(const SurfaceCounts& s, const SurroundOptions& o, double parts, int layers) {
  if (s.graded == 0) return 0;
  const Net net(o);
  // Points between the ends of an edge have six triangles, a third of each belongs to them.
  const double more = s.graded * (parts - 1);
  NetOver over = s.over_points;
  over.flat = (over.flat + (parts - 1) * s.over_edges.flat) / (parts * parts);
  over.bent = over.bent / parts + s.over_edges.bent;
  const double edges = s.graded * parts, at_edges = net.across(edges, s.graded_lengths),
               beside = net.across(s.beside + 4 * more, (s.beside_lengths + (parts - 1) * s.flanks) / parts),
               triples = parts > 1 ? s.corners : s.triples, chords = parts > 1 ? s.corners : s.chords,
               at_chords = net.across(chords, parts > 1 ? s.flanks / (4 * parts * s.graded) * chords : s.chord_lengths);
  const double at_points = s.at_points + 6 * more + net.triangles(over) + 2 * at_edges + beside;
  return 3 * layers * (at_points + triples) - (2 * edges + at_edges) + 2 * chords + at_chords;
}

}  // namespace conoid::maxwell_fem
