// SPDX-License-Identifier: BSD-3-Clause
// What the writer and the reader of results files must agree on. Internal to engine/io.
#pragma once

#include "conoid/config.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"
#include "engine/io/frame.hpp"

namespace conoid::vtkhdf {

inline constexpr std::int64_t format_version = 1;  ///< of /Conoid
inline constexpr std::size_t parts_limit = 256;
inline constexpr std::size_t fields_limit = 4096;

/// "results.vtkhdf", "results-plane-xz.vtkhdf".
[[nodiscard]] std::string first_file_name();
[[nodiscard]] std::string file_name(std::string_view part);
/// Every results file of a folder, the first part's first, then by name.
[[nodiscard]] std::vector<std::filesystem::path> results_files(const std::filesystem::path& folder);

/// Removes what a writer left that was killed before its first frame was whole.
void remove_unfinished(const std::filesystem::path& folder);

/// Can this image be stored as VTKHDF ImageData? VTK's readers (9.3 and 9.7 alike) leave out y and z where they have one
/// point, but then take the extents of the first axes, whichever these are: a plane in x and z reads wrongly, and one in y
/// and z loses its cell values. Turning a plane by the attribute Direction keeps its values, but VTK 9.3 then draws it at
/// the wrong place. So planes and lines that do not begin with x are stored as meshes of quads or lines; /Conoid says
/// that they are images.
[[nodiscard]] bool fits_image_data(const ImageGeometry& image);
/// Extents of an array in a file of ImageData, slowest first, without time and components.
[[nodiscard]] std::vector<Index> image_rows(const ImageGeometry& image, Association association);
/// The same image as quads, lines or a vertex; only for images with two long axes at most.
[[nodiscard]] MeshGeometry image_as_mesh(const ImageGeometry& image);
[[nodiscard]] Index tuples(const ImageGeometry& image, Association association);

/// Name of a field's array: '/' would be a group.
[[nodiscard]] std::string array_name(std::string_view field);

/// Nodes of a cell by VTK's number of its kind; 0 for kinds that no run writes.
[[nodiscard]] int nodes_of_type(std::uint8_t type);

/// Floats that a field has for `tuples` tuples.
[[nodiscard]] inline Index value_count(const FieldInfo& info, Index tuples) {
  return tuples * info.components * (info.is_complex ? 2 : 1);
}

}  // namespace conoid::vtkhdf

#if CONOID_HAVE_HDF5
#include <hdf5.h>
namespace conoid::vtkhdf {
/// Attributes of a field on its (first) array.
void write_info(hid_t array, const FieldInfo& info);
/// Throws Failure(file) when they are missing.
[[nodiscard]] FieldInfo read_info(hid_t array, Association association);
/// Where a part stood in the first frame that had it (on /Conoid), or a field in that part (on its first array): HDF5 lists names by
/// the alphabet, and the first of a frame is what it is about.
void write_place(hid_t object, std::size_t place);
/// Behind all others where the file does not tell, as those of earlier versions.
[[nodiscard]] std::int64_t read_place(hid_t object);
}  // namespace conoid::vtkhdf
#endif
