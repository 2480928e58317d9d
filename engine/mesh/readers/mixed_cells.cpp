// SPDX-License-Identifier: BSD-3-Clause
// Cutting cells of every shape into tetrahedra and triangles.
#include "engine/mesh/readers/mixed_cells.hpp"

#include "engine/core/vec3.hpp"
#include "engine/mesh/shape_tables.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/core.h>

namespace conoid::readers {
namespace {

/// Corners of a face, outwards; the last is -1 for a triangle.
using Face = std::array<std::int8_t, 4>;
constexpr std::array<Face, 5> prism_faces{{{0, 2, 1, -1}, {3, 4, 5, -1}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}}};
constexpr std::array<Face, 5> pyramid_faces{{{0, 3, 2, 1}, {0, 1, 4, -1}, {1, 2, 4, -1}, {2, 3, 4, -1}, {3, 0, 4, -1}}};

std::vector<Face> faces(CellShape shape) {
  if (shape == prism6) return {prism_faces.begin(), prism_faces.end()};
  if (shape == pyramid5) return {pyramid_faces.begin(), pyramid_faces.end()};
  std::vector<Face> out;
  for (const FaceNodes& f : faces_of(shape)) {
    Face face{-1, -1, -1, -1};
    std::copy_n(f.nodes.begin(), f.shape == CellShape::triangle3 ? 3 : 4, face.begin());
    out.push_back(face);
  }
  return out;
}

class Cutter {
 public:
  explicit Cutter(const std::vector<double>& points) : points_(points) {}

  void cut(CellShape shape, const Index* node) {
    const CellShape flat = shape == prism6 || shape == pyramid5 ? shape : straight(shape);
    if (flat == CellShape::quad4) {
      triangles(std::array<Index, 4>{node[0], node[1], node[2], node[3]}, [this](Index a, Index b, Index c) {
        add(CellShape::triangle3, {a, b, c});
      });
    } else if (flat == CellShape::hex8 || flat == prism6 || flat == pyramid5) {
      volume(flat, node);
    } else {
      shapes.push_back(flat);
      connectivity.insert(connectivity.end(), node, node + nodes_of(flat));
    }
  }
  std::vector<CellShape> shapes;
  std::vector<Index> connectivity;

 private:
  void add(CellShape shape, std::initializer_list<Index> nodes) {
    shapes.push_back(shape);
    connectivity.insert(connectivity.end(), nodes);
  }
  static void triangles(const std::array<Index, 4>& quad, const auto& give) {
    const auto low = static_cast<std::size_t>(std::min_element(quad.begin(), quad.end()) - quad.begin());
    const auto at = [&](std::size_t k) { return quad[(low + k) % 4]; };
    give(at(0), at(1), at(2));
    give(at(0), at(2), at(3));
  }
  [[nodiscard]] Vec3 point(Index i) const {
    const auto k = static_cast<std::size_t>(3 * i);
    return {points_[k], points_[k + 1], points_[k + 2]};
  }

  void volume(CellShape shape, const Index* node) {
    const int corners = shape == CellShape::hex8 ? 8 : cell_nodes(shape);
    const Index low = *std::min_element(node, node + corners);
    std::vector<std::array<Index, 4>> tets;
    double six = 0;
    const auto give = [&](Index a, Index b, Index c) {
      // The face looks out of the cell, so away from `low`.
      tets.push_back({a, c, b, low});
      const Vec3 o = point(a);
      six += vec::triple(vec::sub(point(c), o), vec::sub(point(b), o), vec::sub(point(low), o));
    };
    for (const Face& f : faces(shape)) {
      const int n = f[3] < 0 ? 3 : 4;
      std::array<Index, 4> corner{-1, -1, -1, -1};
      bool holds = false;
      for (int k = 0; k < n; ++k) {
        corner[static_cast<std::size_t>(k)] = node[f[static_cast<std::size_t>(k)]];
        holds = holds || corner[static_cast<std::size_t>(k)] == low;
      }
      if (holds) continue;
      if (n == 3)
        give(corner[0], corner[1], corner[2]);
      else
        triangles(corner, give);
    }
    // Programs disagree about which triangle of a prism comes first: the volume tells.
    for (auto& t : tets) {
      if (six < 0) std::swap(t[0], t[1]);
      add(CellShape::tet4, {t[0], t[1], t[2], t[3]});
    }
  }
  const std::vector<double>& points_;
};

}  // namespace

void cut_mixed_cells(const std::vector<double>& points, std::vector<CellShape>& shapes,
                     std::vector<Index>& connectivity, std::vector<MeshGroup>& groups, ReadNotes* notes) {
  const auto prisms = std::count(shapes.begin(), shapes.end(), prism6);
  const auto pyramids = std::count(shapes.begin(), shapes.end(), pyramid5);
  if (prisms + pyramids == 0) return;
  const auto hexes =
      std::count_if(shapes.begin(), shapes.end(), [](CellShape s) { return straight(s) == CellShape::hex8; });
  const bool curved = std::any_of(shapes.begin(), shapes.end(), [](CellShape s) { return order_of(s) == 2; });
  cut_all_cells(points, shapes, connectivity, groups);
  if (notes != nullptr)
    notes->said.push_back(fmt::format("{} prisms and {} pyramids were cut into tetrahedra{}{}", prisms, pyramids,
                                      hexes > 0 ? fmt::format(", {} hexahedra beside them as well", hexes) : "",
                                      curved ? "; curved cells became straight" : ""));
}

void cut_all_cells(const std::vector<double>& points, std::vector<CellShape>& shapes, std::vector<Index>& connectivity,
                   std::vector<MeshGroup>& groups) {
  Cutter cutter(points);
  std::vector<Index> first(shapes.size() + 1, 0);
  const Index* node = connectivity.data();
  for (std::size_t c = 0; c < shapes.size(); ++c) {
    cutter.cut(shapes[c], node);
    node += cell_nodes(shapes[c]);
    first[c + 1] = static_cast<Index>(cutter.shapes.size());
  }
  for (MeshGroup& g : groups) {
    std::vector<Index> cells;
    for (const Index c : g.cells)
      for (Index k = first[static_cast<std::size_t>(c)]; k < first[static_cast<std::size_t>(c) + 1]; ++k)
        cells.push_back(k);
    g.cells = std::move(cells);
  }
  shapes = std::move(cutter.shapes);
  connectivity = std::move(cutter.connectivity);
}

}  // namespace conoid::readers
