// SPDX-License-Identifier: BSD-3-Clause
// Parts of a case that are shapes: obstacles, sources over a surface, an initial field in a file.
#pragma once

#include "engine/case/case.hpp"
#include "engine/core/error.hpp"
#include "engine/solvers/acoustic_fd/discretization/walls.hpp"
#include "engine/solvers/acoustic_fd/problem.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace conoid::acoustic_fd {

/// Of obstacles with smooth walls (cut_walls.hpp), which can be cut once the time step is known.
struct UncutObstacles {
  std::shared_ptr<Obstacles> nodes;  ///< those of the problem; null: their walls are voxels'
  std::function<std::function<Solid(const Vec3&)>()> classes;
};
/// `medium.obstacles`: sets problem.obstacles; `fill` false: only checked, and no node is looked at. Needs grid, faces and order.
UncutObstacles read_obstacles(const Case& input, bool fill, Problem& problem, std::vector<Diagnostic>& diagnostics);

/// `shape` of a source that has its place.
void read_shape(const Case& input, const Values& shape, const Grid& grid, Source& source,
                std::vector<Diagnostic>& diagnostics);

/// `shape` of kind "array" of a source that has its place, signal and shot: its elements, appended to problem.sources. Needs the grid and the medium.
void read_array(const Case& input, const Values& shape, const Source& source, Problem& problem,
                std::vector<Diagnostic>& diagnostics);

/// `excitation.initial` of kind "file"; `load` false: the samples are only read through.
void read_initial_file(const Case& input, const Values& v, bool load, Problem& problem,
                       std::vector<Diagnostic>& diagnostics);

/// `excitation.traces`: traces of a SEG-Y file as point sources at its receivers, backwards in time where asked; appended to problem.sources.
void read_traces(const Case& input, Problem& problem, std::vector<Diagnostic>& diagnostics);

/// A Diagnostic of a helper file keeps its own place; the case's value that named the file is said in the hint.
[[nodiscard]] Diagnostic at_value(const Case& input, const Values& value, const Error& error);

}  // namespace conoid::acoustic_fd
