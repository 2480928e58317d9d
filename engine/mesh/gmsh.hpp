// SPDX-License-Identifier: BSD-3-Clause
// Meshing geometry with the program `gmsh`, as a separate process. (Gmsh is under the GPL: it is called, never linked.)
//
// The mesh is kept under $XDG_CACHE_HOME/conoid/meshes (else ~/.cache, else $TMPDIR or /tmp), named by the hash of the
// geometry's content, the options and the version of gmsh, so that a second call takes no time. A script that includes other files is
// hashed together with the files of its own folder that it names.
//
// A geometry from elsewhere is meshed in a private folder that holds nothing else (gmsh also executes NAME.opt beside a file, and
// options of the user's home), without network, without other programs, and with no writing outside that folder, as far as the
// kernel can see to it. A script that starts programs, or reads or writes files, needs the user's word: GmshOptions::script, or
// trust_geometry(), which is kept for the content that the script has.
#pragma once

#include "engine/core/error.hpp"
#include "engine/mesh/mesh.hpp"
#include "engine/mesh/readers/read_mesh.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace conoid {

/// Whose word there is for a script that does more than geometry.
enum class ScriptUse {
  as_found,  ///< nobody's: it is refused, unless trust_geometry() has been called for its content
  trusted,   ///< the user's: it runs where it lies and may do what the user may
  own        ///< this program wrote it: it reads files beside it and is confined all the same
};

struct GmshOptions {
  int dimension = 3;  ///< mesh up to lines, surfaces or volumes
  int order = 1;      ///< 1 or 2
  double size = 0;    ///< largest edge in units of the file; 0: what the script says
  std::map<std::string, double>
      numbers;              ///< -setnumber NAME VALUE: parameters of the script (DefineConstant) and Mesh.* options
  double time_limit = 600;  ///< seconds, then gmsh is ended
  bool use_cache = true;
  ScriptUse script = ScriptUse::as_found;
  bool only_made_before = false;       ///< gmsh is not called: a mesh that is not in the cache is an error (not_meshed)
  std::filesystem::path program;       ///< empty: $CONOID_GMSH, else `gmsh` on PATH
  std::filesystem::path cache_folder;  ///< empty: as above
};

/// A mesh file made from geometry, and what gmsh said.
struct GmshResult {
  std::filesystem::path mesh_file;
  std::string log;  ///< at most the last 64 KiB of gmsh's output; empty from the cache
  bool from_cache = false;
};

/// True for .geo, .step, .stp, .brep, .iges, .igs (any case): what needs meshing first.
[[nodiscard]] bool is_geometry(const std::filesystem::path& path);

/// What a geometry file does that needs the user's word, and has none yet; none where it may be meshed. For a dialog.
[[nodiscard]] std::optional<Error> needs_trust(const std::filesystem::path& geometry,
                                               const std::filesystem::path& cache_folder = {});
/// The user's word for a script as it is now, kept beside the meshes.
[[nodiscard]] Status trust_geometry(const std::filesystem::path& geometry,
                                    const std::filesystem::path& cache_folder = {});

/// Whether a mesh of the geometry is in the cache, so that nothing is executed to have it.
[[nodiscard]] bool is_meshed(const std::filesystem::path& geometry, const GmshOptions& options = {});

/// A script that this program wrote, kept beside the meshes under the name of its content: the path of its file. To be meshed with
/// ScriptUse::own. Errors: no folder that can be written to (file).
[[nodiscard]] Result<std::filesystem::path> keep_script(std::string_view script,
                                                        const std::filesystem::path& cache_folder = {});

/// The program to call; the error says where it was looked for and how to install it (ErrorCode::resources).
[[nodiscard]] Result<std::filesystem::path> find_gmsh(const std::filesystem::path& wanted = {});

/// Meshes a geometry file. Errors: gmsh missing (resources), gmsh's own first error line with file and line (invalid_input),
/// time limit (resources), stop asked for (stopped), a script that may not run (invalid_input). Blocks; any thread may call.
[[nodiscard]] Result<GmshResult> run_gmsh(const std::filesystem::path& geometry, const GmshOptions& options = {},
                                          std::stop_token stop = {});

/// A mesh file read, or a geometry meshed and then read: what a case's mesh entry names.
[[nodiscard]] Result<Mesh> load_mesh(const std::filesystem::path& path, const ReadOptions& read = {},
                                     const GmshOptions& gmsh = {}, std::stop_token stop = {});

}  // namespace conoid
