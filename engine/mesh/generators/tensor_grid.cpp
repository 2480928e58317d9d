// SPDX-License-Identifier: BSD-3-Clause
// Grids that are products of three coordinate lists.
#include "engine/mesh/generators.hpp"
#include "engine/mesh/generators/options_check.hpp"
#include "engine/mesh/order.hpp"

#include <algorithm>
#include <cmath>

namespace conoid {
namespace {

constexpr std::array<const char*, 6> sides{"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"};

/// The six tets of a hex that share its diagonal from corner 0 to corner 6 (Kuhn's triangulation): neighbours fit, since
/// every face is cut from its lowest to its highest corner. Positive volume.
constexpr std::array<std::array<std::size_t, 4>, 6> kuhn{
    {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6}, {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}}};

}  // namespace

std::vector<double> graded(double low, double high, int cells, double ratio) {
  std::vector<double> x;
  if (cells < 1) return x;
  // A geometric series of cell lengths, summed from the first.
  double total = 0;
  for (int i = 0; i < cells; ++i) total += std::pow(ratio, i);
  double sum = 0;
  for (int i = 0; i < cells; ++i) {
    x.push_back(low + (high - low) * (ratio == 1.0 ? static_cast<double>(i) / cells : sum / total));
    sum += std::pow(ratio, i);
  }
  x.push_back(high);
  return x;
}

Result<Mesh> tensor_grid(const TensorGridOptions& o) {
  generators::OptionsCheck check("tensor_grid");
  const bool flat = o.coordinates[2].size() < 2;
  double total = 1;
  std::array<Index, 3> n{1, 1, 1};
  for (std::size_t a = 0; a < 3; ++a) {
    const auto& x = o.coordinates[a];
    if (a == 2 && flat) break;
    check.require(x.size() >= 2, fmt::format("axis {} needs at least two coordinates, found {}", "xyz"[a], x.size()));
    for (std::size_t i = 0; i < x.size(); ++i)
      check.require(
          std::isfinite(x[i]) && (i == 0 || x[i] > x[i - 1]),
          fmt::format("the coordinates of axis {} must be finite and ascending, entry {} is {}", "xyz"[a], i, x[i]));
    n[a] = std::max<Index>(1, static_cast<Index>(x.size()) - 1);
    total *= static_cast<double>(n[a]);
  }
  check.cells(total * (o.simplices ? (flat ? 2 : 6) : 1)).order(o.order);
  if (check.error()) return *check.error();

  Mesh mesh;
  const Index px = n[0] + 1;
  const Index py = n[1] + 1;
  const Index pz = flat ? 1 : n[2] + 1;
  const Index pieces = o.simplices ? (flat ? 2 : 6) : 1;
  mesh.reserve(px * py * pz, pieces * n[0] * n[1] * n[2], pieces * n[0] * n[1] * n[2] * (o.simplices ? 4 : 8));
  const double level = o.coordinates[2].size() == 1 ? o.coordinates[2][0] : 0;
  for (Index k = 0; k < pz; ++k)
    for (Index j = 0; j < py; ++j)
      for (Index i = 0; i < px; ++i)
        mesh.add_point({o.coordinates[0][static_cast<std::size_t>(i)], o.coordinates[1][static_cast<std::size_t>(j)],
                        flat ? level : o.coordinates[2][static_cast<std::size_t>(k)]});
  const auto node = [&](Index i, Index j, Index k) { return i + px * (j + py * k); };

  // The domain. Cell numbers are contiguous, so a group is filled afterwards by range.
  for (Index k = 0; k < (flat ? 1 : n[2]); ++k)
    for (Index j = 0; j < n[1]; ++j)
      for (Index i = 0; i < n[0]; ++i) {
        const std::array<Index, 8> c{
            node(i, j, k),     node(i + 1, j, k),     node(i + 1, j + 1, k),     node(i, j + 1, k),
            node(i, j, k + 1), node(i + 1, j, k + 1), node(i + 1, j + 1, k + 1), node(i, j + 1, k + 1)};
        if (flat && o.simplices) {
          mesh.add_cell(CellShape::triangle3, {c[0], c[1], c[2]});
          mesh.add_cell(CellShape::triangle3, {c[0], c[2], c[3]});
        } else if (flat) {
          mesh.add_cell(CellShape::quad4, {c[0], c[1], c[2], c[3]});
        } else if (o.simplices) {
          for (const auto& t : kuhn) mesh.add_cell(CellShape::tet4, {c[t[0]], c[t[1]], c[t[2]], c[t[3]]});
        } else {
          mesh.add_cell(CellShape::hex8, c);
        }
      }
  if (!o.group.empty()) {
    auto& cells = mesh.add_group(o.group, flat ? 2 : 3, 1).cells;
    for (Index c = 0; c < mesh.cell_count(); ++c) cells.push_back(c);
  }
  if (o.boundary) {
    for (std::size_t side = 0; side < (flat ? 4u : 6u); ++side) {
      const std::size_t axis = side / 2;
      const bool upper = side % 2 == 1;
      const Index fixed = upper ? n[axis] : 0;
      auto& cells = mesh.add_group(sides[side], flat ? 1 : 2, static_cast<int>(side) + 2).cells;
      if (flat) {
        const std::size_t u = 1 - axis;
        for (Index i = 0; i < n[u]; ++i) {
          const auto at = [&](Index s) { return axis == 0 ? node(fixed, s, 0) : node(s, fixed, 0); };
          // The domain on the left: xmax runs up, xmin down, ymin to the right, ymax to the left.
          const bool forward = (axis == 0) == upper;
          cells.push_back(mesh.add_cell(CellShape::line2, {at(forward ? i : i + 1), at(forward ? i + 1 : i)}));
        }
        continue;
      }
      const std::size_t u = (axis + 1) % 3;
      const std::size_t v = (axis + 2) % 3;
      for (Index j = 0; j < n[v]; ++j)
        for (Index i = 0; i < n[u]; ++i) {
          const auto corner = [&](Index di, Index dj) {
            std::array<Index, 3> at{};
            at[axis] = fixed;
            at[u] = i + di;
            at[v] = j + dj;
            return node(at[0], at[1], at[2]);
          };
          const Index a = corner(0, 0);
          const Index b = upper ? corner(1, 0) : corner(0, 1);
          const Index c = corner(1, 1);
          const Index d = upper ? corner(0, 1) : corner(1, 0);
          if (o.simplices) {
            cells.push_back(mesh.add_cell(CellShape::triangle3, {a, b, c}));
            cells.push_back(mesh.add_cell(CellShape::triangle3, {a, c, d}));
          } else {
            cells.push_back(mesh.add_cell(CellShape::quad4, {a, b, c, d}));
          }
        }
    }
  }
  if (o.order == 2) return to_order2(mesh, o.serendipity);
  return mesh;
}

Result<Mesh> box(const BoxOptions& o) {
  generators::OptionsCheck check("box");
  const bool flat = o.divisions[2] == 0;
  for (std::size_t a = 0; a < (flat ? 2u : 3u); ++a)
    check.ascending("low/high", o.low[a], o.high[a]).count("divisions", o.divisions[a]);
  if (flat) check.require(std::isfinite(o.low[2]), "'low' must be finite");
  if (check.error()) return *check.error();
  TensorGridOptions grid;
  for (std::size_t a = 0; a < 3; ++a)
    grid.coordinates[a] = a == 2 && flat ? std::vector{o.low[2]} : graded(o.low[a], o.high[a], o.divisions[a]);
  grid.simplices = o.simplices;
  grid.order = o.order;
  grid.serendipity = o.serendipity;
  grid.boundary = o.boundary;
  grid.group = o.group;
  return tensor_grid(grid);
}

}  // namespace conoid
