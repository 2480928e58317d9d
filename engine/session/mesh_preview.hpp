// SPDX-License-Identifier: BSD-3-Clause
// A mesh to be looked at before anything is computed: figures, checks and a frame with groups and quality as fields.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/case/document.hpp"
#include "engine/core/error.hpp"
#include "engine/io/frame.hpp"
#include "engine/mesh/describe.hpp"
#include "engine/mesh/prepare.hpp"

namespace conoid {

struct MeshPreview {
  std::filesystem::path file;
  MeshSummary summary;
  std::string surface;  ///< what is wrong with the surface, in words; empty when nothing is
  std::vector<double>
      longest_edges;               ///< of each cell of the highest dimension, m, ascending: for wavelengths an element
  std::vector<Vec3> worst_places;  ///< centre of each of summary.quality.worst, m
  /// Part "mesh" with the cell fields "group" (number in group_names) and "quality" (scaled Jacobian), "longest_edge" (m); of a volume mesh
  /// with groups of faces a part "faces" besides, with "group".
  std::shared_ptr<const Frame> frame;
  std::vector<std::string> group_names;  ///< 0 is "no group"
  /// Of the outer sides of the cells (faces of a volume mesh, rims of a plane one), for each of group_names the middle of the side that is
  /// nearest to the middle of all of the group: where a mark of it stands. None where no outer side is in it.
  std::vector<std::optional<Vec3>> side_places;
  /// The same for each axis, of the sides that lie where its coordinate is zero and of those that do not: where it is a radius, those at zero
  /// lie on the axis of symmetry.
  struct AtZero {
    std::optional<Vec3> there;                   ///< of the sides at zero in no group
    std::vector<std::optional<Vec3>> elsewhere;  ///< for each of group_names
  };
  std::array<AtZero, 3> at_zero;
  double scale = 1;                ///< metres a unit of the file
  std::vector<std::string> notes;  ///< what was merged, turned, left out; which unit was taken
  std::string fixed;               ///< why its elements cannot be given another size; empty: they can
};

/// The one of some places that is nearest to the middle of all; none of none.
[[nodiscard]] std::optional<Vec3> central(const std::vector<Vec3>& places);

/// The mesh that a case names in its section mesh, repaired as that says; geometry is meshed first (gmsh). Null when it names
/// none. The rest of the case may be wrong. Blocks; any thread may call.
[[nodiscard]] Result<std::shared_ptr<const MeshPreview>> preview_mesh(const CaseDocument& document,
                                                                      std::stop_token stop = {});
[[nodiscard]] Result<std::shared_ptr<const MeshPreview>> preview_mesh(const MeshRequest& request,
                                                                      std::stop_token stop = {});
/// The same of a file whose coordinates are in units of `scale` metres.
[[nodiscard]] Result<std::shared_ptr<const MeshPreview>> preview_mesh(const std::filesystem::path& file, double scale,
                                                                      std::stop_token stop = {});

/// The outer faces of a mesh, parted into sides: what a group can be made of. Made where somebody chooses faces, as it is a copy.
struct MeshSides {
  std::shared_ptr<const Mesh> faces;  ///< outer_faces() (engine/mesh/edit.hpp), its points in metres
  MeshGeometry geometry;              ///< of those, as a frame takes it
  double angle = 0;                   ///< degrees; a side ends at sharper edges
  std::vector<Index> side_of;         ///< of each cell of `faces`
  struct Side {
    Index cells = 0;
    double area = 0;  ///< m²
    Vec3
        normal{};  ///< mean over its area, outwards where the mesh is; shorter than 1 where it is curved, 0 of a closed one
    Vec3 place{};  ///< centre of the face that is nearest to its middle: on the side, to stand a mark there
  };
  std::vector<Side> sides;  ///< the largest first
};
/// Reads the mesh of a preview again for its faces; those of `known`, if it has any, are taken over. Blocks; any thread may call.
[[nodiscard]] Result<std::shared_ptr<const MeshSides>> mesh_sides(const std::filesystem::path& file, double scale,
                                                                  double angle, const MeshSides* known = nullptr,
                                                                  std::stop_token stop = {});
/// The side nearest to a place; −1 without any.
[[nodiscard]] Index side_at(const MeshSides& sides, const Vec3& place);

/// Meshes a geometry, or the surface of a mesh (engine/mesh/edit.hpp), again with edges of `size` metres (`scale` metres a unit of the
/// file) and writes the mesh to `out` in the unit of the file. Blocks.
[[nodiscard]] Status mesh_file_again(const std::filesystem::path& file, double scale, double size,
                                     const std::filesystem::path& out, std::stop_token stop = {});

/// Reads a mesh, makes a group of some of its faces (cells of MeshSides::faces) and writes it to `out`. Blocks.
[[nodiscard]] Status group_faces_of_file(const std::filesystem::path& file, double scale,
                                         const std::vector<Index>& faces, const std::string& name,
                                         const std::filesystem::path& out, std::stop_token stop = {});

/// Reads a mesh, refines it (engine/mesh/refine.hpp) and writes it to `out` (.msh) in the unit of the file, `scale` metres. Blocks.
[[nodiscard]] Status refine_mesh_file(const std::filesystem::path& file, double scale, const std::filesystem::path& out,
                                      std::stop_token stop = {});

/// True for what can be meshed again: a script or a solid.
[[nodiscard]] bool can_be_meshed(const std::filesystem::path& file);

/// The geometry that a case names and that has no mesh yet; empty when there is none. Looking at a case executes nothing.
[[nodiscard]] std::filesystem::path unmeshed_geometry(const CaseDocument& document);
/// What a geometry script does that needs the user's word, in words for a dialog; empty when it needs none.
[[nodiscard]] std::string why_not_trusted(const std::filesystem::path& geometry);
/// Meshes the geometry that a case names, as the case wants it, so that it can be looked at. `trusted`: the user's word for a script,
/// kept for its content.
[[nodiscard]] Status mesh_geometry_of(const CaseDocument& document, bool trusted, std::stop_token stop = {});

}  // namespace conoid
