// SPDX-License-Identifier: BSD-3-Clause
// Conversion of a mesh to frame geometry: the cell numbers are the same, so this is a copy.
#include "engine/solvers/mesh_frame.hpp"

namespace conoid {

MeshGeometry mesh_geometry(const Mesh& mesh, int dimension) {
  const int wanted = dimension < 0 ? mesh.dimension() : dimension;
  auto connectivity = std::make_shared<std::vector<Index>>();
  auto offsets = std::make_shared<std::vector<Index>>(1, 0);
  auto types = std::make_shared<std::vector<std::uint8_t>>();
  for (Index c = 0; c < mesh.cell_count(); ++c) {
    if (dimension_of(mesh.shape(c)) != wanted) continue;
    const auto nodes = mesh.nodes(c);
    connectivity->insert(connectivity->end(), nodes.begin(), nodes.end());
    offsets->push_back(static_cast<Index>(connectivity->size()));
    types->push_back(static_cast<std::uint8_t>(mesh.shape(c)));
  }
  return {std::make_shared<const std::vector<double>>(mesh.points()), connectivity, offsets, types};
}

}  // namespace conoid
