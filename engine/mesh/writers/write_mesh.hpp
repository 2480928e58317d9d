// SPDX-License-Identifier: BSD-3-Clause
// Writing meshes, for `conoid mesh FILE --convert OUT`: Gmsh MSH 4.1, STL, OBJ.
#pragma once

#include "engine/core/error.hpp"
#include "engine/mesh/mesh.hpp"

#include <filesystem>
#include <string>

namespace conoid {

struct WriteOptions {
  bool binary = true;  ///< MSH and STL; OBJ is always text
  double scale = 1;    ///< units of the file a metre: 1e3 to write millimetres
};

/// The format by the ending: .msh, .stl, .obj. The file appears whole or not at all.
[[nodiscard]] Status write_mesh(const Mesh& mesh, const std::filesystem::path& path, const WriteOptions& options = {});

/// What the format of that ending cannot hold of this mesh, a sentence; empty: it holds all.
[[nodiscard]] std::string what_is_lost(const Mesh& mesh, const std::filesystem::path& path);

/// MSH 4.1: everything that Mesh holds, cells in their order. Cells that are in the same groups form one entity.
[[nodiscard]] std::string to_msh(const Mesh& mesh, const WriteOptions& options = {});
/// STL: the surface cells, or the boundary of a volume mesh; quads as two triangles, order 2 as four (quads eight). One solid
/// a surface group in text, one solid in all in binary, whose coordinates are floats.
[[nodiscard]] std::string to_stl(const Mesh& mesh, const WriteOptions& options = {});
/// OBJ: surface cells and lines by their corners, cells of order 2 as the straight pieces between all their nodes; points that these use;
/// groups as `g`.
[[nodiscard]] std::string to_obj(const Mesh& mesh, const WriteOptions& options = {});

}  // namespace conoid
