// SPDX-License-Identifier: BSD-3-Clause
// Builds the surface from a mesh: triangles, numbering of the unknowns, lengths.
#include "engine/solvers/acoustic_bem/surface.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "engine/core/vec3.hpp"
#include "engine/mesh/ordering.hpp"

namespace conoid::acoustic_bem {

using namespace conoid::vec;

Triangle make_triangle(const Vec3& v0, const Vec3& v1, const Vec3& v2) {
  Triangle t;
  t.corner = {v0, v1, v2};
  const Vec3 twice = cross(sub(v1, v0), sub(v2, v0));
  const double size = norm(twice);
  t.area = 0.5 * size;
  t.normal = unit(twice);
  for (int k = 0; k < 3; ++k) t.centroid[k] = (v0[k] + v1[k] + v2[k]) / 3;
  for (std::size_t b = 0; b < 3; ++b) {
    const Vec3 e = sub(t.corner[(b + 2) % 3], t.corner[(b + 1) % 3]);
    t.curl[b] = size > 0 ? scale(-1 / size, e) : Vec3{};
    t.gradient[b] = size > 0 ? scale(1 / size, cross(t.normal, e)) : Vec3{};
    const Vec3 along = sub(t.corner[(b + 1) % 3], t.corner[b]);
    t.length[b] = norm(along);
    t.tangent[b] = unit(along);
    t.outward[b] = cross(t.tangent[b], t.normal);
    t.radius = std::max(t.radius, distance(t.corner[b], t.centroid));
  }
  return t;
}

std::vector<std::int32_t> Surface::touching(Interval range) const {
  std::vector<std::int32_t> out;
  for (Index v = range.begin; v < range.end; ++v)
    for (std::int32_t k = touch_begin[static_cast<std::size_t>(v)]; k < touch_begin[static_cast<std::size_t>(v) + 1];
         ++k)
      out.push_back(touch[static_cast<std::size_t>(k)]);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

namespace {

/// Largest distance of two points. Points are grouped in the given order (neighbours lie together in a space-filling
/// order), and pairs of groups that cannot beat the best are left out.
double largest_distance(const std::vector<Vec3>& points) {
  constexpr std::size_t group = 64;
  struct Ball {
    Vec3 centre{};
    double radius = 0;
    std::size_t begin = 0, end = 0;
  };
  std::vector<Ball> balls;
  for (std::size_t b = 0; b < points.size(); b += group) {
    Ball ball{{}, 0, b, std::min(b + group, points.size())};
    for (std::size_t i = ball.begin; i < ball.end; ++i)
      ball.centre = axpy(1.0 / static_cast<double>(ball.end - ball.begin), points[i], ball.centre);
    for (std::size_t i = ball.begin; i < ball.end; ++i)
      ball.radius = std::max(ball.radius, distance(points[i], ball.centre));
    balls.push_back(ball);
  }
  double best = 0;
  for (std::size_t p = 0; p < balls.size(); ++p)
    for (std::size_t q = p; q < balls.size(); ++q) {
      if (distance(balls[p].centre, balls[q].centre) + balls[p].radius + balls[q].radius <= best) continue;
      for (std::size_t i = balls[p].begin; i < balls[p].end; ++i)
        for (std::size_t j = balls[q].begin; j < balls[q].end; ++j)
          best = std::max(best, distance(points[i], points[j]));
    }
  return best;
}

/// The corner triples of all surface cells; quads are cut along their shorter diagonal.
std::vector<std::array<Index, 3>> corner_triples(const Mesh& mesh) {
  std::vector<std::array<Index, 3>> out;
  for (Index c = 0; c < mesh.cell_count(); ++c) {
    const auto n = mesh.nodes(c);
    const CellShape shape = mesh.shape(c);
    if (dimension_of(shape) != 2) continue;
    if (corners_of(shape) == 3) {
      out.push_back({n[0], n[1], n[2]});
    } else if (distance(mesh.point(n[0]), mesh.point(n[2])) <= distance(mesh.point(n[1]), mesh.point(n[3]))) {
      out.push_back({n[0], n[1], n[2]});
      out.push_back({n[0], n[2], n[3]});
    } else {
      out.push_back({n[0], n[1], n[3]});
      out.push_back({n[1], n[2], n[3]});
    }
  }
  return out;
}

using EdgeKey = std::pair<Index, Index>;
struct EdgeUse {
  int forward = 0, backward = 0;
};
std::map<EdgeKey, EdgeUse> edge_uses(const std::vector<std::array<Index, 3>>& triples) {
  std::map<EdgeKey, EdgeUse> uses;
  for (const auto& t : triples)
    for (std::size_t e = 0; e < 3; ++e) {
      const Index a = t[e], b = t[(e + 1) % 3];
      EdgeUse& use = uses[{std::min(a, b), std::max(a, b)}];
      ++(a < b ? use.forward : use.backward);
    }
  return uses;
}

}  // namespace

Result<Surface> make_surface(const Mesh& mesh, Ordering ordering) {
  const auto triples = corner_triples(mesh);
  if (triples.empty())
    return make_error(ErrorCode::invalid_input, "The mesh has no surface cells.",
                      "Boundary elements need a surface of triangles: mesh the body's surface, not its volume.");
  const auto uses = edge_uses(triples);
  Surface s;
  std::vector<char> used(static_cast<std::size_t>(mesh.point_count()), 0), rim(used);
  for (const auto& t : triples)
    for (Index v : t) used[static_cast<std::size_t>(v)] = 1;
  s.shortest_edge = std::numeric_limits<double>::max();
  for (const auto& [edge, use] : uses) {
    if (use.forward + use.backward == 1) {
      s.closed = false;
      rim[static_cast<std::size_t>(edge.first)] = rim[static_cast<std::size_t>(edge.second)] = 1;
    }
    const double length = distance(mesh.point(edge.first), mesh.point(edge.second));
    s.mean_edge += length / static_cast<double>(uses.size());
    s.longest_edge = std::max(s.longest_edge, length);
    s.shortest_edge = std::min(s.shortest_edge, length);
  }
  std::vector<Index> inner, outer;
  for (Index p = 0; p < mesh.point_count(); ++p)
    if (used[static_cast<std::size_t>(p)]) (rim[static_cast<std::size_t>(p)] ? outer : inner).push_back(p);
  if (inner.empty())
    return make_error(ErrorCode::invalid_input, "The open screen has no vertex inside its rim, so it has no unknowns.",
                      "Refine the mesh until there are vertices inside the rim.");
  if (ordering == Ordering::given) {
    s.mesh_point = inner;
  } else {
    std::vector<double> positions;
    for (Index p : inner)
      for (double x : mesh.point(p)) positions.push_back(x);
    for (Index k : curve_order(positions, ordering == Ordering::morton ? Curve::morton : Curve::hilbert))
      s.mesh_point.push_back(inner[static_cast<std::size_t>(k)]);
  }
  s.unknowns = static_cast<Index>(inner.size());
  s.mesh_point.insert(s.mesh_point.end(), outer.begin(), outer.end());

  std::vector<std::int32_t> vertex_of(used.size(), -1);
  for (std::size_t v = 0; v < s.mesh_point.size(); ++v) {
    vertex_of[static_cast<std::size_t>(s.mesh_point[v])] = static_cast<std::int32_t>(v);
    s.vertices.push_back(mesh.point(s.mesh_point[v]));
  }
  for (const auto& t : triples) {
    Triangle triangle = make_triangle(mesh.point(t[0]), mesh.point(t[1]), mesh.point(t[2]));
    for (std::size_t a = 0; a < 3; ++a) triangle.vertex[a] = vertex_of[static_cast<std::size_t>(t[a])];
    s.area += triangle.area;
    s.triangles.push_back(triangle);
  }
  // Triangles follow their lowest vertex, so that eight neighbours in the list are neighbours in space.
  std::stable_sort(s.triangles.begin(), s.triangles.end(), [](const Triangle& a, const Triangle& b) {
    return *std::min_element(a.vertex.begin(), a.vertex.end()) < *std::min_element(b.vertex.begin(), b.vertex.end());
  });
  s.touch_begin.assign(s.vertices.size() + 1, 0);
  for (const Triangle& t : s.triangles)
    for (std::int32_t v : t.vertex) ++s.touch_begin[static_cast<std::size_t>(v) + 1];
  std::partial_sum(s.touch_begin.begin(), s.touch_begin.end(), s.touch_begin.begin());
  s.touch.resize(3 * s.triangles.size());
  auto next = s.touch_begin;
  for (std::size_t k = 0; k < s.triangles.size(); ++k)
    for (std::int32_t v : s.triangles[k].vertex)
      s.touch[static_cast<std::size_t>(next[static_cast<std::size_t>(v)]++)] = static_cast<std::int32_t>(k);
  s.diameter = largest_distance(s.vertices);
  return s;
}

double thinness(const Surface& surface) {
  // A grid of cells as wide as the widest pair that counts; triangles are looked up by their centroids.
  double widest = 0;
  for (const Triangle& t : surface.triangles) widest = std::max(widest, t.radius);
  if (!(widest > 0)) return 1;
  const double cell = 2 * widest;
  const auto key = [&](const Vec3& x, int dx, int dy, int dz) {
    return std::array<Index, 3>{static_cast<Index>(std::floor(x[0] / cell)) + dx,
                                static_cast<Index>(std::floor(x[1] / cell)) + dy,
                                static_cast<Index>(std::floor(x[2] / cell)) + dz};
  };
  std::map<std::array<Index, 3>, std::vector<const Triangle*>> grid;
  for (const Triangle& t : surface.triangles) grid[key(t.centroid, 0, 0, 0)].push_back(&t);
  double least = 1;
  for (const Triangle& t : surface.triangles)
    for (int n = 0; n < 27; ++n) {
      const auto found = grid.find(key(t.centroid, n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1));
      if (found == grid.end()) continue;
      for (const Triangle* other : found->second) {
        if (vec::dot(t.normal, other->normal) > -0.5) continue;
        const Vec3 to = vec::sub(other->centroid, t.centroid);
        const double gap = std::abs(vec::dot(to, t.normal)), apart = vec::norm(to);
        if (gap >= least * t.radius || apart * apart - gap * gap > t.radius * t.radius) continue;
        bool touch = false;
        for (const auto a : t.vertex)
          for (const auto c : other->vertex) touch = touch || a == c;
        if (!touch) least = gap / t.radius;
      }
    }
  return least;
}

double signed_volume(const Surface& surface) {
  double six = 0;
  for (const Triangle& t : surface.triangles) {
    const Vec3& base = surface.vertices.front();
    six += triple(sub(t.corner[0], base), sub(t.corner[1], base), sub(t.corner[2], base));
  }
  return six / 6;
}

std::vector<Diagnostic> check_surface(const Mesh& mesh, bool closed_needed, std::string_view form) {
  std::vector<Diagnostic> out;
  const auto error = [&](std::string text, std::string hint) {
    out.push_back(make_error(ErrorCode::invalid_input, std::move(text), std::move(hint), {"", 0, "/mesh"}));
  };
  const auto triples = corner_triples(mesh);
  if (triples.empty()) {
    error("the mesh has no surface cells", "Boundary elements need triangles: mesh the surface of the body.");
    return out;
  }
  Index degenerate = 0, first_degenerate = -1;
  double six_volume = 0;
  Vec3 low = mesh.point(triples.front()[0]), high = low;
  std::vector<char> used(static_cast<std::size_t>(mesh.point_count()), 0);
  const Vec3 base = low;
  for (std::size_t k = 0; k < triples.size(); ++k) {
    const Vec3 a = mesh.point(triples[k][0]), b = mesh.point(triples[k][1]), c = mesh.point(triples[k][2]);
    const double longest = std::max({distance(a, b), distance(b, c), distance(c, a)});
    if (!(norm(cross(sub(b, a), sub(c, a))) > 1e-9 * longest * longest)) {
      if (degenerate++ == 0) first_degenerate = static_cast<Index>(k);
    }
    six_volume += triple(sub(a, base), sub(b, base), sub(c, base));
    for (Index v : triples[k]) {
      used[static_cast<std::size_t>(v)] = 1;
      const Vec3 x = mesh.point(v);
      for (std::size_t d = 0; d < 3; ++d) low[d] = std::min(low[d], x[d]), high[d] = std::max(high[d], x[d]);
    }
  }
  if (degenerate > 0)
    error(fmt::format("{} of {} triangles have no area (the first is triangle {})", degenerate, triples.size(),
                      first_degenerate),
          "Remove slivers and repeated corners in the mesh generator.");

  // Duplicate vertices: sorted along x, compared within a tolerance of 1e-7 of the extent.
  const double tolerance = 1e-7 * distance(low, high);
  std::vector<Index> sorted;
  for (Index p = 0; p < mesh.point_count(); ++p)
    if (used[static_cast<std::size_t>(p)]) sorted.push_back(p);
  std::sort(sorted.begin(), sorted.end(), [&](Index a, Index b) { return mesh.point(a) < mesh.point(b); });
  Index duplicates = 0, one = -1, other = -1;
  for (std::size_t i = 0; i < sorted.size(); ++i)
    for (std::size_t j = i + 1; j < sorted.size(); ++j) {
      const Vec3 a = mesh.point(sorted[i]), b = mesh.point(sorted[j]);
      if (b[0] - a[0] > tolerance || j - i > 4096) break;
      if (distance(a, b) <= tolerance && duplicates++ == 0) one = sorted[i], other = sorted[j];
    }
  if (duplicates > 0)
    error(fmt::format("{} pairs of vertices lie at the same place within {:.2g} m (first: points {} and {})",
                      duplicates, tolerance, one, other),
          "Neighbouring triangles must share their corners: `conoid mesh FILE --merge --convert OUT.msh`, or the key "
          "mesh.merge.");

  Index rim = 0, crowded = 0, flipped = 0;
  for (const auto& [edge, use] : edge_uses(triples)) {
    const int count = use.forward + use.backward;
    rim += count == 1;
    crowded += count > 2;
    flipped += count == 2 && use.forward != 1;
  }
  if (crowded > 0)
    error(fmt::format("{} edges belong to more than two triangles", crowded),
          "The surface must be a manifold: remove inner walls and doubled faces.");
  if (flipped > 0)
    error(fmt::format("{} edges join triangles of opposite orientation", flipped),
          "Turn the normals so that they all point out of the body: `conoid mesh FILE --orient --convert OUT.msh`, or "
          "mesh.orient.");
  if (rim > 0 && closed_needed && duplicates == 0)
    error(fmt::format("the surface is open ({} rim edges), but the form \"{}\" needs a closed body", rim, form),
          "Close the surface (`conoid mesh FILE --fill-holes --convert OUT.msh`), or treat it as an open rigid screen "
          "with the form \"N\".");
  if (rim == 0 && flipped == 0 && six_volume < 0)
    error(fmt::format("the normals point into the body (signed volume {:.4g} m³)", six_volume / 6),
          "With inward normals the combined forms grow without bound: `conoid mesh FILE --orient --convert OUT.msh`, "
          "or mesh.orient.");
  return out;
}

}  // namespace conoid::acoustic_bem
