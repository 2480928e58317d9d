// SPDX-License-Identifier: BSD-3-Clause
// The surface of a box as a lattice of which only the outer points exist.
#include "engine/mesh/generators.hpp"
#include "engine/mesh/generators/options_check.hpp"
#include "engine/mesh/order.hpp"

#include <array>
#include <unordered_map>

namespace conoid {

Result<Mesh> box_surface(const BoxSurfaceOptions& o) {
  generators::OptionsCheck check("box_surface");
  for (std::size_t a = 0; a < 3; ++a)
    check.ascending("low/high", o.low[a], o.high[a]).count("divisions", o.divisions[a]);
  // Named one by one: lambdas may not capture structured bindings before clang 16.
  const auto nx = o.divisions[0];
  const auto ny = o.divisions[1];
  const auto nz = o.divisions[2];
  check.cells(4.0 * (1.0 * nx * ny + 1.0 * ny * nz + 1.0 * nz * nx)).order(o.order);
  if (check.error()) return *check.error();

  Mesh mesh;
  std::unordered_map<Index, Index> known;
  const auto node = [&](const std::array<Index, 3>& at) {
    const Index key = at[0] + (nx + Index{1}) * (at[1] + (ny + Index{1}) * at[2]);
    const auto [it, fresh] = known.try_emplace(key, 0);
    if (fresh) {
      Vec3 p{};
      for (std::size_t a = 0; a < 3; ++a) {
        const double t = static_cast<double>(at[a]) / o.divisions[a];
        p[a] = at[a] == o.divisions[a] ? o.high[a] : o.low[a] + t * (o.high[a] - o.low[a]);
      }
      it->second = mesh.add_point(p);
    }
    return it->second;
  };
  constexpr std::array<const char*, 6> names{"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"};
  for (std::size_t side = 0; side < 6; ++side) {
    const std::size_t axis = side / 2;
    const bool upper = side % 2 == 1;
    const std::size_t u = (axis + 1) % 3;  // u × v points along +axis
    const std::size_t v = (axis + 2) % 3;
    auto& cells = mesh.add_group(names[side], 2, static_cast<int>(side) + 1).cells;
    for (Index j = 0; j < o.divisions[v]; ++j)
      for (Index i = 0; i < o.divisions[u]; ++i) {
        const auto corner = [&](Index di, Index dj) {
          std::array<Index, 3> at{};
          at[axis] = upper ? o.divisions[axis] : 0;
          at[u] = i + di;
          at[v] = j + dj;
          return node(at);
        };
        const Index a = corner(0, 0);
        const Index b = upper ? corner(1, 0) : corner(0, 1);
        const Index c = corner(1, 1);
        const Index d = upper ? corner(0, 1) : corner(1, 0);
        if (o.quads) {
          cells.push_back(mesh.add_cell(CellShape::quad4, {a, b, c, d}));
        } else {
          cells.push_back(mesh.add_cell(CellShape::triangle3, {a, b, c}));
          cells.push_back(mesh.add_cell(CellShape::triangle3, {a, c, d}));
        }
      }
  }
  if (o.order == 2) return to_order2(mesh);
  return mesh;
}

}  // namespace conoid
