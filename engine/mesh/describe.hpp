// SPDX-License-Identifier: BSD-3-Clause
// What `conoid mesh FILE` and the mesh pane say about a mesh: as numbers and as lines of text.
#pragma once

#include "engine/mesh/mesh.hpp"
#include "engine/mesh/quality.hpp"
#include "engine/mesh/topology.hpp"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace conoid {

/// Plain numbers, ready for JSON.
struct MeshSummary {
  struct Group {
    std::string name;
    int dimension = 0;
    int tag = 0;
    Index cells = 0;
    double measure = 0;  ///< length, area or volume
  };
  Index points = 0;
  Index cells = 0;
  int dimension = 0;
  int order = 1;                                ///< the highest of any cell
  std::map<std::string, Index> cells_by_shape;  ///< "triangle3": 1280
  Vec3 low{}, high{};                           ///< bounding box, m
  std::vector<Group> groups;
  Index ungrouped = 0;  ///< cells of the highest dimension in no group
  QualityReport quality;
  bool has_surface = false;                 ///< surface cells, or a volume whose boundary was looked at
  SurfaceReport surface;                    ///< of a surface mesh; of the boundary for a volume mesh
  std::optional<std::array<Index, 2>> cut;  ///< of a surface mesh: two of its cells that pierce each other
};
[[nodiscard]] MeshSummary summarize(const Mesh& mesh, const QualityOptions& options = {});

/// The summary as lines for people.
[[nodiscard]] std::vector<std::string> describe(const MeshSummary& summary, const Mesh& mesh);
[[nodiscard]] std::vector<std::string> describe(const Mesh& mesh);

/// The summary as one JSON object, keys as the members' names.
[[nodiscard]] std::string to_json(const MeshSummary& summary);

}  // namespace conoid
