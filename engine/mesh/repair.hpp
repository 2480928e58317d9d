// SPDX-License-Identifier: BSD-3-Clause
// One repair for all surfaces: points that should be one, normals, holes, and placing. Every solver gets its surface through here,
// so all follow one rule: the normals of a closed body point out of it, those of a cavity in it into the hollow, those of an open surface
// to one side.
#pragma once

#include "engine/core/error.hpp"
#include "engine/mesh/mesh.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace conoid {

struct RepairOptions {
  enum class Merge {
    automatic,  ///< of a surface: corners on rims, where that closes rims and spoils nothing
    none,       ///< nor are cells with a corner twice and copies left out, as they are otherwise
    all         ///< every point of the mesh within the tolerance of another
  };
  enum class Orient {
    automatic,  ///< of a surface whose cells disagree or point inwards, where inside and outside can be told: as `outward`
    keep,       ///< as the file has them
    outward,  ///< out of bodies, into the hollow of cavities; open surfaces: to the side of most cells
    inward    ///< the other way round
  };
  Merge merge = Merge::automatic;
  double tolerance = 0;  ///< m; 0: merge_tolerance()
  Orient orient = Orient::automatic;
  bool fill_holes =
      false;  ///< each rim is closed by triangles between its corners (group "filled" where the mesh has groups)
  bool flip = false;  ///< every surface cell is turned round, at the end
  // Placing, before anything else: scaled about the origin, turned about x, then y, then z, moved.
  double scale = 1;
  Vec3 rotate{};     ///< rad
  Vec3 translate{};  ///< m
};

/// "auto", "keep", "outward", "inward".
[[nodiscard]] std::optional<RepairOptions::Orient> orientation_named(std::string_view name);

/// What was done; `said` has a sentence for each change.
struct RepairReport {
  Index merged_points = 0;
  double tolerance = 0;     ///< m, of the merge
  Index dropped_cells = 0;  ///< had a corner twice, or were there twice
  Index turned_cells = 0;   ///< against the file, before `flip`
  Index filled_holes = 0, filling_cells = 0;
  std::vector<std::string> said;
  [[nodiscard]] bool changed() const { return !said.empty(); }
};

/// Points this near are taken for one unless a tolerance is given: 1e-6 of the diagonal of the mesh's box, but no more than a hundredth
/// of its shortest edge (edges shorter than 1e-9 of the diagonal left out: those are what is to be merged). m.
[[nodiscard]] double merge_tolerance(const Mesh& mesh);

/// The mesh repaired. `automatic` choices change surface meshes (cells of dimension 2 at most) only, and leave alone what would
/// make an edge of three cells or collapse a cell. Errors (invalid_input): a scale that is not positive and finite, a mesh that has no
/// surface to turn or fill, a surface with one side only or with edges of three cells to be turned, a tolerance that collapses everything.
[[nodiscard]] Result<Mesh> repaired(const Mesh& mesh, const RepairOptions& options = {},
                                    RepairReport* report = nullptr);

}  // namespace conoid
