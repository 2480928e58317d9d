// SPDX-License-Identifier: BSD-3-Clause
// Parts of a case that are shapes: obstacles, sources over a surface, an initial field in a file.
#pragma once

#include "engine/case/case_reader.hpp"
#include "engine/core/error.hpp"
#include "engine/solvers/acoustic_fd/discretization/walls.hpp"
#include "engine/solvers/acoustic_fd/problem.hpp"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace conoid::acoustic_fd {

/// Whether points of a row along z, (x, y, z0 + k dz), lie in a shape. Made anew for each thread.
using RowTest = std::function<void(double x, double y, double z0, double dz, std::vector<unsigned char>& out)>;
using ShapeMaker = std::function<RowTest()>;

/// Obstacles as a case lists them; later ones go over earlier ones.
struct ListedObstacles {
  std::shared_ptr<Obstacles> nodes;  ///< those of the problem, which hold no node yet; null: there are none
  std::vector<std::pair<ShapeMaker, Solid>> shapes;
  bool smooth = false;  ///< their walls are cut (cut_walls.hpp)
};
/// `medium.obstacles`, files and all: sets problem.obstacles, of which no node is looked at. Needs the grid.
[[nodiscard]] ListedObstacles read_obstacles(const CaseReader& reader, Problem& problem);
/// What every node is, and the cuts of smooth walls. Needs grid, faces, order and time step; the reader names the places in messages.
void fill_obstacles(const ListedObstacles& listed, const CaseReader& reader, const Problem& problem);

/// Sources and receivers of the pressure (the first `heard`) that lie in obstacles, or are spread over nodes that do; of many the first thousand each.
void check_beside_obstacles(const ListedObstacles& listed, const CaseReader& reader, const Problem& problem,
                            std::size_t heard);

/// `shape` of a source that has its place.
void read_shape(const CaseReader& reader, const Values& shape, const Grid& grid, Source& source);

/// `shape` of kind "array" of a source that has its place, signal and shot: its elements, appended to problem.sources. Needs the grid and the medium.
void read_array(const CaseReader& reader, const Values& shape, const Source& source, Problem& problem);

/// `excitation.initial` of kind "file".
void read_initial_file(const CaseReader& reader, const Values& v, Problem& problem);
/// Samples of an initial pressure that lie closer than the nodes become means over cells (initial_field.hpp), which is told.
void take_initial_means(const CaseReader& reader, Problem& problem);

}  // namespace conoid::acoustic_fd
