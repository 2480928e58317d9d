// SPDX-License-Identifier: BSD-3-Clause
// Reading meshes: Gmsh MSH 2.2 and 4.1, STL, OBJ, PLY, Nastran bulk data, MFEM mesh v1.0 to v1.3, VTU, legacy VTK, Abaqus, I-DEAS UNV.
//
// Bounded: the bytes of the file are counted before anything is allocated for what the file claims to hold, and the
// memory taken stays below a limit. A damaged file gives an Error with the line (text) or byte (binary), what was
// expected and what was found; never a crash. No function here keeps state; any thread may call.
#pragma once

#include "engine/core/error.hpp"
#include "engine/mesh/mesh.hpp"

#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace conoid {

/// What a reader has to say besides the mesh.
struct ReadNotes {
  std::vector<std::string> said;  ///< what was left out or taken to be, a sentence each
  double unit = 0;                ///< metres of the unit that the file itself states; 0: it states none
  std::string unit_name;          ///< "mm"
};

struct ReadOptions {
  double scale = 1;                      ///< metres a unit of the file: 1e-3 for a mesh in millimetres
  Bytes memory_limit = Bytes{16} << 30;  ///< file and mesh together, in bytes; above it ErrorCode::resources
  bool keep_unused_points = false;       ///< points that no cell uses (centres of circles, say) are dropped otherwise
  ReadNotes* notes =
      nullptr;             ///< where to say it; a file that states its unit is read in that one, whatever `scale` is
  std::stop_token stop{};  ///< ends the program that reads a VTU file (ErrorCode::stopped)
};

enum class MeshFormat { msh, stl, obj, ply, nastran, mfem, vtu, vtk, abaqus, unv };

/// A format that can be read: the one table that help, messages and file dialogs are made of.
struct MeshFormatInfo {
  MeshFormat format;
  std::string_view name;
  std::vector<std::string_view> endings;  ///< ".msh", lower case
};
[[nodiscard]] const std::vector<MeshFormatInfo>& mesh_formats();

/// "MSH (2.2, 4.1), STL, OBJ, …", for messages.
[[nodiscard]] std::string_view readable_mesh_formats();

/// The format by content, then by the file name's ending; the error lists the formats that can be read.
[[nodiscard]] Result<MeshFormat> recognise_mesh(std::string_view bytes, const std::filesystem::path& path);

/// Reads a file. Points come out in metres, nodes in VTK's order.
[[nodiscard]] Result<Mesh> read_mesh(const std::filesystem::path& path, const ReadOptions& options = {});

/// The same from memory; `file` stands in messages only (but a VTU file is read again from there, see read_vtu).
[[nodiscard]] Result<Mesh> read_mesh_bytes(std::string_view bytes, const std::string& file,
                                           const ReadOptions& options = {});

/// Gmsh MSH 2.0 to 2.2 and 4.1, ASCII and binary of either byte order. Physical groups become groups, of the name given
/// or else of the tag's number ("3"); several groups may share a cell; cells in no group are kept. Cells on an entity
/// whose physical tag is negative are turned round, as Gmsh means it. Partitions are joined; prisms and pyramids are cut into tetrahedra (mixed_cells.hpp); order 3 and above
/// is an error.
[[nodiscard]] Result<Mesh> read_msh(std::string_view bytes, const std::string& file, const ReadOptions& options = {});

/// STL, ASCII or binary. Points with equal coordinates become one; each solid becomes a group (named "solid", "solid_2",
/// … where it has no name). The normals of the file are ignored: the order of the nodes counts.
[[nodiscard]] Result<Mesh> read_stl(std::string_view bytes, const std::string& file, const ReadOptions& options = {});

/// Wavefront OBJ: v, f (3 or 4 nodes; more are cut into a fan of triangles), l; indices from either end; g and o become
/// groups. Texture, normals, materials and free-form geometry are ignored.
[[nodiscard]] Result<Mesh> read_obj(std::string_view bytes, const std::string& file, const ReadOptions& options = {});

/// PLY, text or binary of either byte order: vertices, faces (more than 4 corners are cut into a fan of triangles) and edges.
/// Colours, normals and the like are ignored; a PLY file has no groups.
[[nodiscard]] Result<Mesh> read_ply(std::string_view bytes, const std::string& file, const ReadOptions& options = {});

/// Nastran bulk data in short, long and free fields: GRID; CTRIA3/6/R, CQUAD4/8/R, CQUAD, CTETRA and CHEXA of order 1 and 2,
/// CPENTA, CPYRAM (by their corners, cut into tetrahedra), CROD, CBAR, CBEAM, CTUBE. The elements of one property become a group of the
/// property's number. Systems of coordinates (CORD1, CORD2) are followed; INCLUDE and '=' are errors; all other cards are ignored.
[[nodiscard]] Result<Mesh> read_nastran(std::string_view bytes, const std::string& file,
                                        const ReadOptions& options = {});

/// MFEM mesh v1.0, v1.2, v1.3: straight cells, or cells with continuous nodes of order 1 or 2 (squares and cubes become quad9
/// and hex27). Attributes become groups of the attribute's number, named attribute sets groups of their name. Prisms and
/// pyramids are cut into tetrahedra. INLINE descriptions of boxes are filled. Hanging nodes, NURBS, discontinuous nodes, order 3 and above
/// are errors.
[[nodiscard]] Result<Mesh> read_mfem(std::string_view bytes, const std::string& file, const ReadOptions& options = {});

/// Legacy VTK (.vtk) 1 to 5.1, ASCII or binary: unstructured grids and surfaces. Cells, groups and ghosts as read_vtu().
[[nodiscard]] Result<Mesh> read_vtk(std::string_view bytes, const std::string& file, const ReadOptions& options = {});

/// Abaqus input files: *NODE, *ELEMENT (solids, shells, membranes, trusses and beams of order 1 and 2, *NGEN and generated elements
/// excepted), *ELSET as groups of their names; one part, or assembled instances with their translation and rotation. Prisms and pyramids are cut.
[[nodiscard]] Result<Mesh> read_abaqus(std::string_view bytes, const std::string& file,
                                       const ReadOptions& options = {});

/// I-DEAS universal files (UNV): nodes (data sets 781, 2411), elements (2412) of order 1 and 2, groups (2435, 2467, 2477 …), units (164).
[[nodiscard]] Result<Mesh> read_unv(std::string_view bytes, const std::string& file, const ReadOptions& options = {});

struct VtuProbe {
  std::string program{};  ///< empty: conoid-probe beside this program
  double seconds = 120;   ///< then it is ended
};
/// VTU by the program conoid-probe (part of builds with VTK): a damaged file can end that program, not this
/// one. It is shut in (core/child_process.hpp) and given memory and time by the size of the file, since a small one may unpack to
/// any size; see vtu.cpp. Integer cell arrays named like "attribute", "material" or
/// "gmsh:physical" become groups.
[[nodiscard]] Result<Mesh> read_vtu(const std::string& file, const ReadOptions& options = {},
                                    const VtuProbe& probe = {});

}  // namespace conoid
