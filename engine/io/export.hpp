// SPDX-License-Identifier: BSD-3-Clause
// Export of a run: frames as VTU or VTI files with a PVD collection, as CSV of points, and the tables.
//
// The XML files hold raw appended binary data with 64-bit sizes (VTK XML format 1.0), which every ParaView since 4
// reads; written here without VTK. Complex fields become name_re and name_im.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"
#include "engine/io/frame.hpp"
#include "engine/io/vtkhdf.hpp"

namespace conoid {

enum class ExportFormat : std::uint8_t {
  vtk,  ///< "vtu": meshes as VTU, images as VTI, one PVD a part
  csv   ///< "csv": one file a frame and part, a row a point (and one for the cells), plus copies of the tables
};
/// "vtu", "vti" and "vtk" mean the first, "csv" the second.
[[nodiscard]] Result<ExportFormat> parse_export_format(std::string_view text);

struct ExportOptions {
  ExportFormat format = ExportFormat::vtk;
  std::filesystem::path out;        ///< made when missing; files in it are replaced one by one, atomically
  std::vector<std::size_t> frames;  ///< positions in the run's list; empty: all
  std::size_t every = 1;            ///< with empty `frames`: each n-th
  FrameRequest request;             ///< parts and fields; empty sets: all
  /// Called after each frame with frames done and in all; false stops (what is written is kept, the PVD is complete).
  std::function<bool(std::size_t, std::size_t)> progress;
};

struct ExportReport {
  std::vector<std::filesystem::path> files;
  std::size_t frames = 0;
  Bytes bytes = 0;
};

/// `run` is a run folder. An unknown part or field is an error that lists what there is, before anything is written.
[[nodiscard]] Result<ExportReport> export_run(const std::filesystem::path& run, const ExportOptions& options);

/// One part of a frame as the text of a file: VTU for a mesh, VTI for an image.
[[nodiscard]] std::string vtk_xml(const FramePart& part, double value);
/// One part's points (or cells, at their centres) and values as CSV; empty if no field has this association.
[[nodiscard]] std::string frame_csv(const FramePart& part, const Frame& frame, Association association,
                                    std::string_view run);

}  // namespace conoid
