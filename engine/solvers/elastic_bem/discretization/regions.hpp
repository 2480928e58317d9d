// SPDX-License-Identifier: BSD-3-Clause
// Regions of different media that share interfaces: each has a closed or open surface, and equations, of its own; on an interface the two
// sides have the same displacement and opposite tractions (C. A. Brebbia, J. C. F. Telles, L. C. Wrobel, "Boundary Element Techniques",
// 1984, 6.8).
//
// Cells of an interface are elements of both regions. Nodes of the two sides lie at the same places, as fields break along the rim of every
// interface in both. All regions together are one surface again, node after node, for conditions, loads, results.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/solvers/elastic_bem/discretization/surface.hpp"
#include "engine/solvers/elastic_bem/kernels/medium.hpp"

namespace conoid::elastic_bem {

/// What a region is made of.
struct RegionSetting {
  std::string name;
  Medium medium;
  SurfaceOptions options;    ///< `condition`, `seam` and `below` are join_regions()'s
  std::vector<Index> cells;  ///< of the mesh, those of its interfaces among them
};

struct Region {
  std::string name;
  Medium medium;
  SurfaceOptions options;  ///< without functions of cells
  std::unique_ptr<Surface> surface;
  Index first_node = 0, first_traction = 0, first_element = 0;  ///< among those of all regions
};

struct Regions {
  Mesh mesh;  ///< cells of one region after the other; those of interfaces twice
  std::unique_ptr<Surface> whole;
  std::vector<Region> list;
  std::vector<Index>
      partner;  ///< of each node of `whole`: the one on the other side of its interface, −1: it is on none
};

/// Points, cells and groups of another mesh behind those that are there; nothing is merged.
void append(Mesh& whole, const Mesh& part);

/// `condition` and `interface` of each cell of the mesh; interface 0: it is on none, else a number that the cells of one share. Errors
/// (invalid_input): a region's surface as make_surface(), a node without one on the other side, a layer that is not flat.
[[nodiscard]] Result<Regions> join_regions(const Mesh& mesh, std::vector<RegionSetting> settings,
                                           std::span<const int> condition, std::span<const int> interface);

}  // namespace conoid::elastic_bem
