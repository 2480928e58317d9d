// SPDX-License-Identifier: BSD-3-Clause
// New nodes are shared through tables keyed by the sorted corners of their edge or face.
#include "engine/mesh/order.hpp"

#include "engine/core/vec3.hpp"
#include "engine/mesh/shape_tables.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace conoid {
namespace {

using Key = std::array<Index, 4>;  // corners sorted, edges and triangles filled up with -1

struct KeyHash {
  std::size_t operator()(const Key& k) const {
    std::uint64_t h = 0;
    for (const Index v : k) {
      h ^= static_cast<std::uint64_t>(v) + 0x9e3779b97f4a7c15ull + (h << 6) + (h >> 2);
      h *= 0xff51afd7ed558ccdull;
    }
    return static_cast<std::size_t>(h ^ (h >> 32));
  }
};

CellShape raised(CellShape shape, bool serendipity) {
  switch (shape) {
    case CellShape::line2: return CellShape::line3;
    case CellShape::triangle3: return CellShape::triangle6;
    case CellShape::quad4: return serendipity ? CellShape::quad8 : CellShape::quad9;
    case CellShape::tet4: return CellShape::tet10;
    case CellShape::hex8: return serendipity ? CellShape::hex20 : CellShape::hex27;
    default: return shape;
  }
}

// VTK's face nodes 20…25 of hex27: x-min, x-max, y-min, y-max, z-min, z-max, the order of faces_of(hex8).
class Raiser {
 public:
  Raiser(const Mesh& mesh, const Projection& project) : mesh_(mesh), project_(project) {}

  Index middle(std::span<const Index> corners) {
    Key key{-1, -1, -1, -1};
    std::copy(corners.begin(), corners.end(), key.begin());
    std::sort(key.begin(), key.end());
    const auto [it, fresh] = known_.try_emplace(key, 0);
    if (fresh) it->second = add(corners);
    return it->second;
  }

  Index add(std::span<const Index> corners) {
    Vec3 sum{};
    for (const Index n : corners) sum = vec::add(sum, mesh_.point(n));
    Vec3 p = vec::scale(1.0 / static_cast<double>(corners.size()), sum);
    if (project_) p = project_(p);
    points_.insert(points_.end(), p.begin(), p.end());
    return mesh_.point_count() + static_cast<Index>(points_.size() / 3) - 1;
  }

  const std::vector<double>& points() const { return points_; }

 private:
  const Mesh& mesh_;
  const Projection& project_;
  std::unordered_map<Key, Index, KeyHash> known_;
  std::vector<double> points_;
};

}  // namespace

Mesh to_order2(const Mesh& mesh, bool serendipity, const Projection& project) {
  Raiser raiser(mesh, project);
  std::vector<CellShape> shapes;
  std::vector<Index> connectivity;
  shapes.reserve(mesh.shapes().size());
  for (Index c = 0; c < mesh.cell_count(); ++c) {
    const CellShape from = mesh.shape(c);
    const CellShape to = raised(from, serendipity);
    const auto n = mesh.nodes(c);
    shapes.push_back(to);
    connectivity.insert(connectivity.end(), n.begin(), n.end());
    if (to == from) continue;
    for (const EdgeNodes& e : edges_of(from)) {
      const std::array<Index, 2> ends{n[static_cast<std::size_t>(e.a)], n[static_cast<std::size_t>(e.b)]};
      connectivity.push_back(raiser.middle(ends));
    }
    if (to == CellShape::quad9) connectivity.push_back(raiser.middle(n));
    if (to == CellShape::hex27) {
      for (const FaceNodes& f : faces_of(from)) {
        std::array<Index, 4> corners{};
        for (std::size_t i = 0; i < 4; ++i) corners[i] = n[static_cast<std::size_t>(f.nodes[i])];
        connectivity.push_back(raiser.middle(corners));
      }
      connectivity.push_back(raiser.add(n));
    }
  }
  std::vector<double> points = mesh.points();
  points.insert(points.end(), raiser.points().begin(), raiser.points().end());
  return Mesh::from_arrays(std::move(points), std::move(shapes), std::move(connectivity), mesh.groups()).value();
}

}  // namespace conoid
