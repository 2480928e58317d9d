// SPDX-License-Identifier: BSD-3-Clause
// What the writer and the reader of results files must agree on. Internal to engine/io.
#pragma once

#include "conoid/config.hpp"

#include <array>
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

/// How an image lies in its file. VTK's readers leave out the dimensions of one point, but take the extents of the first
/// axes, whichever these are; so planes and lines are turned until their long axes come first, and Direction turns them
/// back. The order of the values stays (x fastest).
struct ImageLayout {
  std::array<int, 3> axis{0, 1, 2};     ///< file axis i runs along axis[i] of the frame
  std::array<double, 9> direction{};    ///< VTK's Direction: row by row, column i is file axis i
  int dimensions = 3;                   ///< of the arrays in the file
};
[[nodiscard]] ImageLayout image_layout(const ImageGeometry& image);
/// Extents of an array, slowest first, without time and components.
[[nodiscard]] std::vector<Index> image_rows(const ImageGeometry& image, Association association);
[[nodiscard]] Index tuples(const ImageGeometry& image, Association association);

/// Name of a field's array: '/' would be a group.
[[nodiscard]] std::string array_name(std::string_view field);

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
}  // namespace conoid::vtkhdf
#endif
