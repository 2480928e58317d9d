// SPDX-License-Identifier: BSD-3-Clause
// Where the material is at the start: the grid of a case or its mesh, and which region each zone belongs to.
#pragma once

#include "engine/case/case_reader.hpp"
#include "engine/solvers/hydro_fem/discretization/zones_of_mesh.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace conoid::hydro_fem {

/// Of a case and its mesh, null without one.
struct ProblemReader : CaseReader {
  ProblemReader(const Case& input_, const Mesh* mesh_, std::vector<Diagnostic>& out_)
      : CaseReader(input_, out_), mesh(mesh_) {}
  const Mesh* mesh;
};

/// The first three numbers, missing ones zero.
[[nodiscard]] Vec3 padded(const std::vector<double>& v);

/// Which part of the material something applies to: a box, a group of the mesh, or all.
struct Extent {
  Vec3 lower{}, upper{};
  bool everywhere = true;
  std::string group;  ///< of the mesh; empty: by the box
};

/// A grid's sizes are read at once; a mesh becomes zones at once, a grid by zones().
struct Geometry {
  int dim = 2;
  int turns = 0;                          ///< Setup::turns
  Vec3 lower{}, upper{};                  ///< of the box around all points
  std::array<Index, 3> counts{1, 1, 1};   ///< zones along each axis of a grid
  Vec3 grading{1, 1, 1};                  ///< of a grid: density of lines at its lower end over that at its upper one
  std::shared_ptr<const MeshZones> mesh;  ///< null for a grid
  std::shared_ptr<const std::vector<std::vector<Index>>> groups;  ///< of the mesh: zones of each of `group_names`
  std::vector<std::string> group_names;

  [[nodiscard]] bool is_grid() const { return mesh == nullptr; }
  [[nodiscard]] double step(int d) const;  ///< of a grid, on average
  /// Line i of n of a grid: x = lower + (upper - lower) (G^(i/n) - 1)/(G - 1), so that each zone is G^(1/n) times as long as the one
  /// before, and half as many zones have every other line. The number that a place has among them, whole on lines.
  [[nodiscard]] double line_at(int d, double i) const;
  [[nodiscard]] double line_of(int d, double x) const;
  [[nodiscard]] bool graded() const { return grading != Vec3{1, 1, 1}; }
  [[nodiscard]] std::vector<std::string> boundary_names() const;
  /// Zones with their regions: the last extent that holds a zone's centre, -1 where there is none.
  [[nodiscard]] ZoneMesh zones(std::span<const Extent> extents) const;
  /// Regions of the zones of a mesh alone.
  [[nodiscard]] std::vector<int> regions(const ZoneMesh& zones, std::span<const Extent> extents) const;
  /// How many zones there are, from the sizes of a grid.
  struct Count {
    double zones = 0;
    std::string text;  ///< "28 × 12" or "340"
  };
  [[nodiscard]] Count count() const;
  /// Whether a place along an axis of a grid lies inside its zones, not on a side of them.
  [[nodiscard]] bool inside_zones(int d, double x) const;
  /// The centre of the first zone in no extent; of a mesh as well as of a grid.
  [[nodiscard]] std::optional<Vec3> uncovered(std::span<const Extent> extents) const;
};

/// Setup::turns of the coordinates of a case.
[[nodiscard]] int turns_of(std::string_view coordinates);

/// Reads `grid` or `mesh`; what is wrong is added to the reader, and the result is then of no use. `before`: a geometry of the same mesh,
/// whose zones are taken over; null if there is none.
[[nodiscard]] Geometry read_geometry(ProblemReader& reader, const Geometry* before = nullptr);
/// Reads an optional box or group; borders must lie on sides of zones.
[[nodiscard]] Extent read_extent(ProblemReader& reader, const Geometry& geometry, const Values& at);
/// The first zone in no extent is an error at `regions`.
void check_cover(ProblemReader& reader, const Geometry& geometry, std::span<const Extent> extents);

}  // namespace conoid::hydro_fem
