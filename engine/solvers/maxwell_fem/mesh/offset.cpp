// SPDX-License-Identifier: BSD-3-Clause
// A grid of distances, its level surface, and gmsh for the volume.
#include "engine/solvers/maxwell_fem/mesh/offset.hpp"

#include "engine/core/hash.hpp"
#include "engine/core/resources.hpp"
#include "engine/core/stop.hpp"
#include "engine/core/vec3.hpp"
#include "engine/mesh/gmsh.hpp"
#include "engine/mesh/topology.hpp"
#include "engine/solvers/maxwell_fem/mesh/body.hpp"
#include "engine/solvers/maxwell_fem/mesh/places.hpp"
#include "engine/solvers/maxwell_fem/mesh/shells.hpp"
#include "engine/team/parallel_for.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>

#include <fmt/core.h>
#include <fmt/format.h>

namespace conoid::maxwell_fem {

using namespace conoid::vec;

namespace {

using Triangle = std::array<Vec3, 3>;

/// Nearest point of a triangle, by the regions of its plane (C. Ericson, Real-Time Collision Detection, 2005, §5.1.5).
Vec3 nearest_on(const Triangle& t, const Vec3& p) {
  const Vec3 ab = sub(t[1], t[0]), ac = sub(t[2], t[0]), ap = sub(p, t[0]);
  const double d1 = dot(ab, ap), d2 = dot(ac, ap);
  if (d1 <= 0 && d2 <= 0) return t[0];
  const Vec3 bp = sub(p, t[1]);
  const double d3 = dot(ab, bp), d4 = dot(ac, bp);
  if (d3 >= 0 && d4 <= d3) return t[1];
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return axpy(d1 / (d1 - d3), ab, t[0]);
  const Vec3 cp = sub(p, t[2]);
  const double d5 = dot(ab, cp), d6 = dot(ac, cp);
  if (d6 >= 0 && d5 <= d6) return t[2];
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return axpy(d2 / (d2 - d6), ac, t[0]);
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) return axpy((d4 - d3) / ((d4 - d3) + (d5 - d6)), sub(t[2], t[1]), t[1]);
  const double all = 1 / (va + vb + vc);
  return axpy(vc * all, ac, axpy(vb * all, ab, t[0]));
}

/// Flat triangles by corners, and for distances four more of one of order 2: the row at the body is meshed between flat ones and S',
/// and must have room for what the surface bulges.
std::vector<Triangle> triangles_of(const Mesh& mesh, bool curved) {
  std::vector<Triangle> out;
  for (Index c = 0; c < mesh.cell_count(); ++c) {
    if (dimension_of(mesh.shape(c)) != 2) continue;
    const auto n = mesh.nodes(c);
    const int corners = corners_of(mesh.shape(c));
    if (curved && mesh.shape(c) == CellShape::triangle6) {
      for (const auto& t : {std::array{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}})
        out.push_back({mesh.point(n[t[0]]), mesh.point(n[t[1]]), mesh.point(n[t[2]])});
    }
    for (int k = 2; k < corners; ++k) out.push_back({mesh.point(n[0]), mesh.point(n[k - 1]), mesh.point(n[k])});
  }
  return out;
}

Vec3 nearest_on(const std::vector<Triangle>& triangles, const Vec3& p) {
  double best = std::numeric_limits<double>::max();
  Vec3 out = p;
  for (const Triangle& t : triangles) {
    const Vec3 n = nearest_on(t, p);
    if (const double r = distance(p, n); r < best) {
      best = r;
      out = n;
    }
  }
  return out;
}

struct Grid {
  Vec3 low{};
  double step = 1;
  std::array<Index, 3> n{};
  [[nodiscard]] Index points() const { return n[0] * n[1] * n[2]; }
  [[nodiscard]] Index at(Index x, Index y, Index z) const { return x + n[0] * (y + n[1] * z); }
  [[nodiscard]] Vec3 place(Index x, Index y, Index z) const {
    return {low[0] + static_cast<double>(x) * step, low[1] + static_cast<double>(y) * step,
            low[2] + static_cast<double>(z) * step};
  }
};

/// Around the body and what is so far from it.
Result<Grid> grid_around(const Mesh& body, double distance_wanted, double step) {
  Grid g;
  g.step = step;
  const auto [low, high] = body.bounds();
  double cells = 1;
  for (int d = 0; d < 3; ++d) {
    g.low[d] = low[d] - distance_wanted - 2.37 * g.step;
    g.n[d] = static_cast<Index>(std::ceil((high[d] + distance_wanted + 2.37 * g.step - g.low[d]) / g.step)) + 1;
    cells *= static_cast<double>(g.n[d]);
  }
  if (cells > 3e7)
    return make_error(ErrorCode::invalid_input,
                      fmt::format("the layer around the body would need a grid of {:.3g} points", cells),
                      "The body is very many wavelengths large: lower the frequency or the size.");
  return g;
}

/// Of the grid's points from the triangles, as far as `reach`; ten times that beyond.
std::vector<double> distances_from(const std::vector<Triangle>& triangles, const Grid& g, double reach,
                                   const std::stop_token& stop) {
  std::vector<double> away(static_cast<std::size_t>(g.points()), 10 * reach);
  for (const Triangle& t : triangles) {
    if (stop.stop_requested()) break;
    std::array<Index, 3> from{}, to{};
    for (int d = 0; d < 3; ++d) {
      const double least = std::min({t[0][d], t[1][d], t[2][d]}) - reach,
                   most = std::max({t[0][d], t[1][d], t[2][d]}) + reach;
      from[d] = std::max<Index>(0, static_cast<Index>(std::ceil((least - g.low[d]) / g.step)));
      to[d] = std::min<Index>(g.n[d] - 1, static_cast<Index>(std::floor((most - g.low[d]) / g.step)));
    }
    for (Index z = from[2]; z <= to[2]; ++z)
      for (Index y = from[1]; y <= to[1]; ++y)
        for (Index x = from[0]; x <= to[0]; ++x) {
          const Vec3 p = g.place(x, y, z);
          double& v = away[g.at(x, y, z)];
          v = std::min(v, distance(p, nearest_on(t, p)));
        }
  }
  return away;
}

/// Outside: what the corner of the grid reaches through points farther away than S.
std::vector<bool> outside_of(const Grid& g, const std::vector<double>& away, double distance_wanted) {
  std::vector<bool> outside(away.size(), false);
  std::vector<Index> stack{0};
  outside[0] = true;
  while (!stack.empty()) {
    const Index i = stack.back();
    stack.pop_back();
    const std::array<Index, 3> p{i % g.n[0], i / g.n[0] % g.n[1], i / (g.n[0] * g.n[1])};
    for (int d = 0; d < 3; ++d)
      for (int side : {-1, 1}) {
        auto q = p;
        q[d] += side;
        if (q[d] < 0 || q[d] >= g.n[d]) continue;
        const Index k = g.at(q[0], q[1], q[2]);
        if (outside[k] || away[k] <= distance_wanted) continue;
        outside[k] = true;
        stack.push_back(k);
      }
  }
  return outside;
}

using Quad = std::array<Index, 4>;

/// The surface where values at the grid's points change their sign: a point in each cell that it passes, the mean of where it crosses the
/// cell's edges, and a quadrilateral over each edge that it crosses, positive values on its outer side.
class SignChange {
 public:
  SignChange(const Grid& grid, const std::vector<double>& values, const std::stop_token& stop)
      : g_(grid), values_(values) {
    for (Index z = 1; z + 1 < g_.n[2] && !stop.stop_requested(); ++z)
      for (Index y = 1; y + 1 < g_.n[1]; ++y)
        for (Index x = 1; x + 1 < g_.n[0]; ++x)
          for (int d = 0; d < 3; ++d) cross({x, y, z}, d);
  }
  [[nodiscard]] Mesh& points() { return points_; }
  [[nodiscard]] const std::vector<Quad>& quads() const { return quads_; }

 private:
  using Corner = std::array<Index, 3>;
  [[nodiscard]] double value(const Corner& p) const { return values_[g_.at(p[0], p[1], p[2])]; }

  /// The edge from `corner` along d.
  void cross(const Corner& corner, int d) {
    Corner end = corner;
    ++end[d];
    const bool inner = value(corner) < 0, next = value(end) < 0;
    if (inner == next) return;
    const int a = (d + 1) % 3, b = (d + 2) % 3;
    Quad quad{};
    constexpr int around[4][2] = {{-1, -1}, {0, -1}, {0, 0}, {-1, 0}};
    for (int k = 0; k < 4; ++k) {
      Corner c = corner;
      c[a] += around[k][0];
      c[b] += around[k][1];
      quad[k] = cell_point(c);
    }
    if (!inner) std::swap(quad[1], quad[3]);
    quads_.push_back(quad);
  }

  Index cell_point(const Corner& cell) {
    const auto [at, fresh] = point_of_.try_emplace(g_.at(cell[0], cell[1], cell[2]), 0);
    if (!fresh) return at->second;
    Vec3 sum{};
    int crossings = 0;
    for (int d = 0; d < 3; ++d)
      for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 2; ++b) {
          Corner p = cell;
          p[(d + 1) % 3] += a;
          p[(d + 2) % 3] += b;
          Corner q = p;
          ++q[d];
          const double v = value(p), w = value(q);
          if ((v < 0) == (w < 0)) continue;
          const Vec3 from = g_.place(p[0], p[1], p[2]), to = g_.place(q[0], q[1], q[2]);
          sum = add(sum, axpy(std::clamp(v / (v - w), 0.05, 0.95), sub(to, from), from));
          ++crossings;
        }
    return at->second = points_.add_point(scale(1.0 / std::max(crossings, 1), sum));
  }

  const Grid& g_;
  const std::vector<double>& values_;
  Mesh points_;
  std::map<Index, Index> point_of_;  ///< of each cell that the surface passes
  std::vector<Quad> quads_;
};

/// Relaxes points along the surface, then puts them back onto the distance.
void relax(Mesh& out, const std::vector<Quad>& quads, const std::vector<Triangle>& triangles, double distance_wanted,
           const std::stop_token& stop) {
  std::vector<std::vector<Index>> neighbours(static_cast<std::size_t>(out.point_count()));
  for (const Quad& q : quads)
    for (int k = 0; k < 4; ++k) neighbours[q[k]].push_back(q[(k + 1) % 4]);
  for (int pass = 0; pass < 8; ++pass) {
    auto& x = out.mutable_points();
    std::vector<double> moved = x;
    if (pass < 6)
      for (Index p = 0; p < out.point_count(); ++p) {
        Vec3 mean{};
        for (Index n : neighbours[p])
          mean = add(mean, scale(1.0 / static_cast<double>(neighbours[p].size()), out.point(n)));
        for (int d = 0; d < 3; ++d) moved[3 * p + d] = 0.5 * (x[3 * p + d] + mean[d]);
      }
    parallel_for(0, {0, static_cast<Index>(moved.size() / 3)}, 64, [&](Index p) {
      if (stop.stop_requested()) return;
      const Vec3 at{moved[3 * p], moved[3 * p + 1], moved[3 * p + 2]};
      const Vec3 foot = nearest_on(triangles, at);
      const double best = distance(at, foot);
      if (best > 0.2 * distance_wanted) {
        const Vec3 on = axpy(distance_wanted / best, sub(at, foot), foot);
        for (int d = 0; d < 3; ++d) moved[3 * p + d] = on[d];
      }
    });
    x = std::move(moved);
  }
}

Result<Mesh> level_surface(const Mesh& body, const std::vector<Triangle>& triangles, double distance_wanted,
                           double step, const std::stop_token& stop) {
  const auto g = grid_around(body, distance_wanted, step);
  if (!g) return g.error();
  std::vector<double> values = distances_from(triangles, *g, distance_wanted + 2 * step, stop);
  if (stop.stop_requested()) return stop_error();
  // No value is zero: each edge of the grid is crossed or it is not.
  const std::vector<bool> outside = outside_of(*g, values, distance_wanted);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = outside[i] ? std::max(values[i] - distance_wanted, 1e-9 * step)
                           : std::min(values[i] - distance_wanted, -1e-9 * step);
  SignChange surface(*g, values, stop);
  Mesh out = std::move(surface.points());
  relax(out, surface.quads(), triangles, distance_wanted, stop);
  if (stop.stop_requested()) return stop_error();
  for (const Quad& q : surface.quads()) {
    const bool first = distance(out.point(q[0]), out.point(q[2])) <= distance(out.point(q[1]), out.point(q[3]));
    const std::array<std::array<Index, 3>, 2> two =
        first ? std::array<std::array<Index, 3>, 2>{{{q[0], q[1], q[2]}, {q[0], q[2], q[3]}}}
              : std::array<std::array<Index, 3>, 2>{{{q[1], q[2], q[3]}, {q[1], q[3], q[0]}}};
    for (const auto& t : two) out.add_group("outer", 2).cells.push_back(out.add_cell(CellShape::triangle3, t));
  }
  return out;
}

}  // namespace

double net_step(const SurroundOptions& o) {
  return std::min(0.7 * o.edge, 0.9 * o.distance);
}

Result<Mesh> offset_surface(const Mesh& body, double distance_wanted, double edge, std::stop_token stop) {
  const auto triangles = triangles_of(body, true);
  if (triangles.empty()) return make_error(ErrorCode::invalid_input, "the body has no surface");
  return level_surface(body, triangles, distance_wanted, net_step({.distance = distance_wanted, .edge = edge}), stop);
}

namespace {

std::string stl(const Mesh& mesh, const char* name) {
  std::string out = fmt::format("solid {}\n", name);
  for (const Triangle& t : triangles_of(mesh, false)) {
    const Vec3 n = unit(cross(sub(t[1], t[0]), sub(t[2], t[0])));
    out += fmt::format("facet normal {:.9g} {:.9g} {:.9g}\nouter loop\n", n[0], n[1], n[2]);
    for (const Vec3& p : t) out += fmt::format("vertex {:.17g} {:.17g} {:.17g}\n", p[0], p[1], p[2]);
    out += "endloop\nendfacet\n";
  }
  return out + fmt::format("endsolid {}\n", name);
}

}  // namespace

std::vector<Vec3> drawn_in(const Mesh& body, const Mesh& offset, double share) {
  const auto triangles = triangles_of(body, true);
  std::vector<Vec3> out(static_cast<std::size_t>(offset.point_count()));
  parallel_for(0, {0, offset.point_count()}, 64, [&](Index p) {
    const Vec3 foot = nearest_on(triangles, offset.point(p));
    out[static_cast<std::size_t>(p)] = axpy(share, sub(offset.point(p), foot), foot);
  });
  return out;
}

namespace {

/// Prisms from the surface "currents" of the mesh, whose points are `levels[0]`, out to S.
Status add_rows(Mesh& mesh, const Mesh& outer, std::vector<std::vector<Vec3>> levels) {
  Places number(outer);
  if (const MeshGroup* g = mesh.group("currents"))
    for (Index c : g->cells)
      for (Index n : mesh.nodes(c)) number.add(mesh.point(n), n);
  std::vector<std::vector<Index>> points(1);
  for (const Vec3& x : levels[0]) {
    const Index found = number.find(x);
    if (found < 0) return make_error(ErrorCode::internal, "the mesher has moved points of a surface that it was given");
    points[0].push_back(found);
  }
  Stack stack;
  for (Index c = 0; c < outer.cell_count(); ++c) {
    const auto n = outer.nodes(c);
    stack.triangles.push_back({n[0], n[1], n[2]});
  }
  stack.groups.assign(levels.size() - 1, "vacuum");
  stack.levels = std::move(levels);
  add_stack(mesh, stack, points);
  for (const auto& t : stack.triangles)
    mesh.add_group("outer", 2)
        .cells.push_back(
            mesh.add_cell(CellShape::triangle3, {points.back()[t[0]], points.back()[t[1]], points.back()[t[2]]}));
  return {};
}

}  // namespace

Result<Mesh> surround(const Mesh& body, const SurroundOptions& o, std::stop_token stop) {
  Mesh skin = body.extract(2);
  if (OrientationChange change = orient_outward(skin); !change.orientable)
    return make_error(ErrorCode::invalid_input, "the surface of the body has only one side",
                      "Repair it in the geometry's program.");
  auto outer = offset_surface(skin, o.distance, o.edge, stop);
  if (!outer) return outer.error();
  // Level l of the rows beyond the one at the body, l = 0 … layers − 1; the last is S.
  std::vector<std::vector<Vec3>> levels;
  Mesh first = *outer;
  for (int l = 1; l <= o.layers && o.layers > 1; ++l) {
    if (stop.stop_requested()) return stop_error();
    levels.push_back(drawn_in(skin, *outer, static_cast<double>(l) / o.layers));
  }
  if (o.layers > 1)
    for (std::size_t p = 0; p < levels[0].size(); ++p)
      std::copy_n(levels[0][p].begin(), 3, first.mutable_points().begin() + static_cast<std::ptrdiff_t>(3 * p));
  namespace fs = std::filesystem;
  const std::string inside = stl(skin, "body"), around = stl(first, "outer");
  const fs::path folder =
      temporary_folder() / fmt::format("conoid-layer-{}-{}", sha256_hex(inside + around).substr(0, 16), getpid());
  std::error_code ec;
  fs::create_directories(folder, ec);
  const auto write = [&](const char* name, const std::string& text) { std::ofstream(folder / name) << text; };
  write("body.stl", inside);
  write("outer.stl", around);
  std::string script = fmt::format(
      "Merge \"body.stl\";\nMerge \"outer.stl\";\nSurface Loop(1) = {{1}};\nSurface Loop(2) = {{2}};\nVolume(1) = {{2, "
      "1}};\n"
      "Physical Volume(\"vacuum\") = {{1}};\nPhysical Surface(\"{}\") = {{2}};\nPhysical Surface(\"body\") = {{1}};\n"
      "Mesh.Optimize = 1;\nMesh.MeshSizeExtendFromBoundary = 1;\n",
      o.layers > 1 ? "currents" : "outer");
  if (o.filled) script += "Volume(2) = {1};\nPhysical Volume(\"inside\") = {2};\n";
  if (o.filled && o.inside > 0)
    script += fmt::format(
        "Field[1] = MathEval;\nField[1].F = \"{:.9g}\";\nField[2] = Restrict;\nField[2].IField = 1;\n"
        "Field[2].VolumesList = {{2}};\nBackground Field = 2;\n",
        o.inside);
  write("layer.geo", script);
  GmshOptions gmsh;
  gmsh.size = 1.5 * o.edge;
  gmsh.script = ScriptUse::own;
  gmsh.use_cache = false;  // the names of the files do not change with their content
  auto made = load_mesh(folder / "layer.geo", {.scale = 1.0}, gmsh, stop);
  fs::remove_all(folder, ec);
  if (!made) {
    Error e = made.error();
    e.text = "the layer around the body could not be meshed: " + e.text;
    if (e.code == ErrorCode::invalid_input)
      e.hint = "The surface may cut or touch itself; repair it, or mesh body and S in a geometry script.";
    return e;
  }
  if (o.layers > 1)
    if (Status s = add_rows(*made, *outer, std::move(levels)); !s) return s.error();
  return curved_onto(*made, skin);
}

}  // namespace conoid::maxwell_fem
