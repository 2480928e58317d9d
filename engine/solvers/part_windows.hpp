// SPDX-License-Identifier: BSD-3-Clause
// Windows that the parts of sections share: disk ⇄ host for all, and over the host a level of its own for each device.
//
//     auto windows = PartWindows::create(sizes, {.name = "vectors", .folder = folder, .host = bytes});
//     ... in the body of a section whose items are the windows:
//     windows->take(part);                                              // all parts together; borders may have moved
//     windows->visit(part, Access::update, [&](const Lease& lease) {    // each window of the part in ascending order
//       if (Stream* stream = windows->stream(part))                     // bytes of the device: to be given to kernels on this stream
//         stream->launch(kernel, shape, arguments(lease));
//       else
//         compute(part.host(), lease);                                  // bytes of the host
//     });
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/team/device.hpp"
#include "engine/team/section.hpp"
#include "engine/window/disk_windows.hpp"

namespace conoid {

/// Leases whose windows a stream still uses: each is kept until the stream has come to where it stood when the lease was given.
class LeasesInFlight {
 public:
  /// At most `most` at a time; one more waits for the oldest.
  explicit LeasesInFlight(std::size_t most = 2) : most_(most) {}
  void keep_until_here(const Device& device, Stream& stream, Lease lease);
  void finish();  ///< waits for all

 private:
  struct Kept {
    Event event;
    Lease lease;
  };
  std::size_t most_;
  std::vector<Kept> kept_;  ///< oldest first
};

/// take() is collective over the parts of a section; all else is called by each part for itself. Contents of windows that are never
/// written are zero. Failures throw Failure: of the disk (file), of memory that is too small (resources).
class PartWindows {
 public:
  struct Options {
    std::string name = "windows";
    std::filesystem::path folder{};  ///< of the scratch file; empty: that of temporary files
    Bytes host = 0;                  ///< memory for windows of all parts; what is more lies on the disk
    Bytes device = 0;                ///< of each device at most; 0: what its worker may hold
  };
  [[nodiscard]] static std::unique_ptr<PartWindows> create(std::vector<Bytes> sizes, Options options);
  ~PartWindows();

  /// From here on each part visits the windows of its items. What devices hold that others are to have now goes back to the host, unless
  /// all windows will be written anew.
  enum class Contents : bool { dropped, kept };
  void take(Part& part, Contents contents = Contents::kept);
  /// Leases of the part's windows, in their order. When it comes back, all that the stream was given for them is done.
  void visit(Part& part, Access access, const std::function<void(const Lease&)>& body);
  /// Of a part that is a device; null for processors.
  [[nodiscard]] Stream* stream(const Part& part);
  /// Memory of the host that holds them all, so that nothing passes to the disk.
  [[nodiscard]] static Bytes enough(std::span<const Bytes> sizes);
  /// Bytes that passed between disk and host, or host and devices, since the last call; between sections.
  [[nodiscard]] Bytes take_streamed();

 private:
  struct Side;
  PartWindows(Options options, std::unique_ptr<DiskWindows> host);
  Side& side_of(const Part& part);
  void settle(Contents contents);

  Options options_;
  std::unique_ptr<DiskWindows> host_;
  std::mutex mutex_;
  std::map<int, std::unique_ptr<Side>> sides_;  ///< one a worker
  Bytes gone_ = 0;                              ///< streamed by device levels that are no more
  Bytes told_ = 0;
};

}  // namespace conoid
