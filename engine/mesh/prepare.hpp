// SPDX-License-Identifier: BSD-3-Clause
// The one way from a file to the mesh that a solver gets: read (geometry: meshed), in metres by the file's own unit or the given
// one, given elements of another size, repaired. The command line, the window and the session all open meshes here.
#pragma once

#include "engine/core/error.hpp"
#include "engine/mesh/gmsh.hpp"
#include "engine/mesh/mesh.hpp"
#include "engine/mesh/readers/read_mesh.hpp"
#include "engine/mesh/repair.hpp"

#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace conoid {

struct MeshRequest {
  std::filesystem::path file;
  std::string unit;      ///< of the file's coordinates, "mm", or a length, "0.3 m"; empty: what the file states
  std::string fallback;  ///< the unit where neither says one; empty: then it is an error
  double size = 0;       ///< m; above 0: edges of this length (gmsh)
  RepairOptions repair;
  // The same lengths in units of the file, which may be known only when it is read; added to those above.
  double size_in_units = 0, tolerance_in_units = 0;
  Vec3 translate_in_units{};
  Bytes memory_limit = Bytes{16} << 30;
  GmshOptions gmsh;
};

struct PreparedMesh {
  Mesh mesh;         ///< in metres
  double scale = 1;  ///< metres a unit of the file
  std::string unit;  ///< that unit's name
  bool unit_from_file = false;
  std::vector<Diagnostic> notes;  ///< notes and warnings: what was left out, merged, turned, which unit was taken
};

/// Errors: those of load_mesh(), remeshed(), repaired(); no unit at all (invalid_input); a unit that is none of length. Blocks; any thread
/// may call.
[[nodiscard]] Result<PreparedMesh> prepare_mesh(const MeshRequest& request, std::stop_token stop = {});

/// With what gmsh is called for a geometry, so that prepare_mesh() finds the mesh made before.
[[nodiscard]] Result<GmshOptions> geometry_options(const MeshRequest& request);
/// Whether prepare_mesh() executes nothing: the file is a mesh, or a geometry that was meshed before.
[[nodiscard]] bool is_made(const MeshRequest& request);

/// ".geo", ".step" …: files that gmsh meshes first; is_geometry() says the same of a file.
[[nodiscard]] const std::vector<std::string_view>& geometry_endings();
/// "*.msh *.stl …" of all that can be opened, for file dialogs.
[[nodiscard]] std::string mesh_file_patterns(bool with_geometry);

/// The unit of length that a STEP or IGES file states, in metres; 0 when it states none or is no such file. `name` gets its name.
/// ISO 10303-41 (units of measure: SI_UNIT, CONVERSION_BASED_UNIT), IGES 5.3, section 2.2.4.3 (global parameters 14 and 15).
[[nodiscard]] double geometry_unit(std::string_view bytes, std::string& name);

}  // namespace conoid
