// SPDX-License-Identifier: BSD-3-Clause
// Fields of a run as temporal VTKHDF files: one file a frame part, readable by ParaView while the run goes on.
//
// Layout: VTKHDF 2.0 (docs.vtk.org, "VTKHDF file format") for ImageData and UnstructuredGrid, as the readers of VTK 9.3
// and later take it, in HDF5's classic file format. Beyond the standard, the group /Conoid and attributes on the arrays
// keep what VTK has no place for (units, kinds, complex pairs, frame numbers, the plane of an image, and where parts and
// fields stood in their frame: the first is what a run is opened on).
//   results.vtkhdf           the first part of the first frame
//   results-<part>.vtkhdf    each further part
// A fixed mesh is stored once; on a moving mesh each frame adds points only; a field whose values are the same object as
// in the frame before is stored once as well. A complex field is two arrays, name_re and name_im.
//
// What a kill -9 leaves: every frame whose write() returned. Each frame is data first, then flushed, then the number of
// steps, then flushed; within a flush no byte that a finished frame needs is replaced before what it points to exists.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"
#include "engine/io/frame.hpp"

namespace conoid {

/// False when this build has no HDF5: fields are then not kept (tables and checkpoints are); the functions below return
/// an error that says so.
[[nodiscard]] bool fields_can_be_kept();

/// Writes the frames of one run. Not thread-safe, but several writers and readers may live in different threads (calls
/// into HDF5 are serialised inside). The caller keeps no reference to a frame after write().
class VtkhdfWriter {
 public:
  virtual ~VtkhdfWriter() = default;  ///< closes

  /// Nothing is created before the first frame; existing results files in `folder` are an error.
  [[nodiscard]] static Result<std::unique_ptr<VtkhdfWriter>> create(const std::filesystem::path& folder,
                                                                    std::string run);
  /// Continues the files in `folder`, with only frames whose number is below `frames` kept: the next write() follows
  /// them. Works with no files at all.
  [[nodiscard]] static Result<std::unique_ptr<VtkhdfWriter>> resume(const std::filesystem::path& folder,
                                                                    std::string run, std::uint64_t frames);

  /// Appends a frame; numbers must increase. After a failure (disk full) the files hold all frames before it, and
  /// every further write() returns that failure again.
  [[nodiscard]] virtual Status write(const Frame& frame) = 0;
  /// Waits until all finished frames are on the disk: before a checkpoint counts them.
  [[nodiscard]] virtual Status sync() = 0;
  [[nodiscard]] virtual Status close() = 0;
  /// Number of the last finished frame + 1: what a checkpoint has to remember for resume().
  [[nodiscard]] virtual std::uint64_t frames() const = 0;
};

/// One frame as the files list it.
struct StoredFrame {
  std::uint64_t number = 0;
  Index step = 0;
  double value = 0;
  FrameAxis axis = FrameAxis::time;
};

struct StoredPart {
  std::string name;
  std::filesystem::path file;
  bool is_image = false;
  std::vector<FieldInfo> fields;
};

/// Reads what VtkhdfWriter wrote, also while it is being written and after the writer was killed.
class VtkhdfReader {
 public:
  virtual ~VtkhdfReader() = default;
  /// `path`: a run folder, or one results file. A damaged file is an error; a missing one an error that says that the
  /// run has kept no fields. Forks: a copy of this process reads first, as HDF5 can crash on what a damaged header says.
  [[nodiscard]] static Result<std::unique_ptr<VtkhdfReader>> open(const std::filesystem::path& path);

  [[nodiscard]] virtual const std::vector<StoredFrame>& frames() const = 0;  ///< ascending
  /// In the order of the frames that were written, and so are the fields of each: the first of the first is what the solver calls its
  /// main one. Files of earlier versions do not tell; of these results.vtkhdf comes first, all else goes by the alphabet.
  [[nodiscard]] virtual const std::vector<StoredPart>& parts() const = 0;
  [[nodiscard]] virtual const std::string& run() const = 0;
  /// frames()[position] with the parts and fields that are asked for. Meshes are shared between frames as long as they
  /// do not change.
  [[nodiscard]] virtual Result<std::shared_ptr<const Frame>> read(std::size_t position,
                                                                  const FrameRequest& request = {}) = 0;
  /// Looks for frames written since; true if there are more.
  [[nodiscard]] virtual Result<bool> refresh() = 0;
};

/// The frame to open a run on, as a position in frames(): the last, unless it belongs to a time and little is left to see in it. Then the
/// latest of nine spread over the run whose first field is spread at least half as far (mean of |v − mean|) as in the fullest
/// of them. Reads the first field of the first part; stops looking after `most` bytes of values. 0 without frames.
[[nodiscard]] std::size_t telling_frame(VtkhdfReader& reader, Bytes most = Bytes{128} << 20);

}  // namespace conoid
