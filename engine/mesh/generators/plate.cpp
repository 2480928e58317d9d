// SPDX-License-Identifier: BSD-3-Clause
// A ground plate of quads and the box that closes it from below.
#include "engine/mesh/generators.hpp"
#include "engine/mesh/generators/options_check.hpp"
#include "engine/mesh/order.hpp"

#include <cmath>
#include <vector>

namespace conoid {

Result<Mesh> plate(const PlateOptions& o) {
  generators::OptionsCheck check("plate");
  check.ascending("low/high", o.low[0], o.high[0]).ascending("low/high", o.low[1], o.high[1]);
  check.count("divisions", o.divisions[0]).count("divisions", o.divisions[1]).order(o.order);
  check.require(std::isfinite(o.level), "'level' must be finite");
  const Index nx = o.divisions[0];
  const Index ny = o.divisions[1];
  if (o.enclosing) {
    check.count("rings", o.rings, 0).count("walls", o.walls).positive("depth", o.depth);
    if (o.rings > 0) check.positive("extent", o.extent);
    check.cells(2.0 * static_cast<double>(nx) * static_cast<double>(ny) +
                2.0 * static_cast<double>(nx + ny) * (1.0 * o.rings + o.walls));
  } else {
    check.cells(static_cast<double>(nx) * static_cast<double>(ny));
  }
  if (check.error()) return *check.error();

  Mesh mesh;
  const double down = o.body_above ? 1 : -1;
  // Built with the body towards -z; towards +z every cell is turned round.
  const auto add_quad = [&](Index a, Index b, Index c, Index d) {
    return o.body_above ? mesh.add_cell(CellShape::quad4, {a, d, c, b}) : mesh.add_cell(CellShape::quad4, {a, b, c, d});
  };
  // A layer's lattice is the plate's, its outline moved outwards by `out` on every side.
  const auto place = [&](Index i, Index j, double out, double z) {
    const auto at = [&](std::size_t a, Index k, Index n) {
      const double low = o.low[a] - out;
      const double high = o.high[a] + out;
      return k == n ? high : low + (high - low) * static_cast<double>(k) / static_cast<double>(n);
    };
    return Vec3{at(0, i, nx), at(1, j, ny), z};
  };
  std::vector<Index> lattice(static_cast<std::size_t>((nx + 1) * (ny + 1)));
  const auto node = [&](Index i, Index j) -> Index& { return lattice[static_cast<std::size_t>(i + (nx + 1) * j)]; };
  for (Index j = 0; j <= ny; ++j)
    for (Index i = 0; i <= nx; ++i) node(i, j) = mesh.add_point(place(i, j, 0, o.level));
  {
    auto& ground = mesh.add_group("ground", 2, 1).cells;
    for (Index j = 0; j < ny; ++j)
      for (Index i = 0; i < nx; ++i)
        ground.push_back(add_quad(node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)));
  }
  if (o.enclosing) {
    auto& cells = mesh.add_group("enclosing", 2, 2).cells;
    // The outline, counter-clockwise from above.
    std::vector<std::array<Index, 2>> outline;
    for (Index i = 0; i < nx; ++i) outline.push_back({i, 0});
    for (Index j = 0; j < ny; ++j) outline.push_back({nx, j});
    for (Index i = nx; i > 0; --i) outline.push_back({i, ny});
    for (Index j = ny; j > 0; --j) outline.push_back({0, j});
    std::vector<Index> inner;
    for (const auto& [i, j] : outline) inner.push_back(node(i, j));
    std::vector<Index> outer(inner.size());
    const auto band = [&](double out, double z) {
      for (std::size_t k = 0; k < outline.size(); ++k)
        outer[k] = mesh.add_point(place(outline[k][0], outline[k][1], out, z));
      for (std::size_t k = 0; k < outline.size(); ++k) {
        const std::size_t next = (k + 1) % outline.size();
        cells.push_back(add_quad(inner[k], outer[k], outer[next], inner[next]));
      }
      inner = outer;
    };
    for (int r = 1; r <= o.rings; ++r) band(o.extent * r / o.rings, o.level);
    const double out = o.rings > 0 ? o.extent : 0;
    for (int w = 1; w <= o.walls; ++w) band(out, o.level + down * o.depth * w / o.walls);
    for (std::size_t k = 0; k < outline.size(); ++k) node(outline[k][0], outline[k][1]) = inner[k];
    for (Index j = 1; j < ny; ++j)
      for (Index i = 1; i < nx; ++i) node(i, j) = mesh.add_point(place(i, j, out, o.level + down * o.depth));
    for (Index j = 0; j < ny; ++j)
      for (Index i = 0; i < nx; ++i)
        cells.push_back(add_quad(node(i, j), node(i, j + 1), node(i + 1, j + 1), node(i + 1, j)));
  }
  if (o.order == 2) return to_order2(mesh);
  return mesh;
}

}  // namespace conoid
