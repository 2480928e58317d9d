// SPDX-License-Identifier: BSD-3-Clause
// Ground meshes made by the program: graded rectangles with patches and trenches, discs with graded rings. z points up, the
// soil lies below.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/mesh/mesh.hpp"

namespace conoid::elastic_bem {

/// A rectangle of the surface that becomes a group of its own.
struct Patch {
  std::string name;
  std::array<double, 2> low{}, high{};
  double edge_growth =
      1;  ///< cells grow by this factor from the patch's edges inwards (contact stresses peak at edges)
};

/// A rectangular hole: walls and bottom become the group "trench". If it is to be filled, they become "filled trench", and its opening has
/// cells of the group "filling".
struct Trench {
  std::array<double, 2> low{}, high{};
  double depth = 1;
  bool filled = false;
};

struct GroundRectangle {
  std::array<double, 2> low{-10, -10}, high{10, 10};
  double element = 1;    ///< wanted length at patches and trenches
  double growth = 1.25;  ///< of neighbouring cells away from them
  double largest = 0;    ///< no cell longer than this; 0: no limit
  double level = 0;
  int order = 2;  ///< 1: quad4, 2: quad9
  std::vector<Patch> patches;
  std::vector<Trench> trenches;
  double rock = 0;  ///< depth of a second plane of the same outline, cells of half of it where that is longer; 0: none
  std::vector<double> layers{};  ///< depths of further such planes, descending into the ground
};
/// Groups: "ground", the patches' names, "trench", "filled trench", "filling", "layer 1" and so on, "rock". Errors: patches outside, overlapping, or cutting a trench; trenches down
/// to the next plane; planes that do not descend.
[[nodiscard]] Result<Mesh> ground_rectangle(const GroundRectangle& options);

struct GroundDisc {
  double radius = 1;           ///< of the inner disc
  double extent = 5;           ///< of the ground around it
  int around = 4;              ///< cells along a quarter of the circle
  int inside = 3;              ///< rings of cells between the core and the circle
  double inside_growth = 0.5;  ///< each ring towards the edge so many times as wide as the one before
  double outside_growth = 1.5;
  double first_outside = 0;  ///< width of the first ring outside; 0: as the last one inside
  double level = 0;
  int order = 2;
  std::string name = "foundation";
  double rock = 0;               ///< depth of a second plane of the same extent; 0: none
  std::vector<double> layers{};  ///< depths of further such planes, descending into the ground
};
/// Groups: the disc's name, "ground" when extent > radius, "layer 1" and so on, "rock". Errors: sizes, planes that do not descend.
[[nodiscard]] Result<Mesh> ground_disc(const GroundDisc& options);

}  // namespace conoid::elastic_bem
