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
//     sums.bring(part, windows->stream(part), {first, last});           // BesideWindows: what kernels wrote for the host
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
#include "engine/solvers/estimate.hpp"
#include "engine/team/device.hpp"
#include "engine/team/device_worker.hpp"
#include "engine/team/section.hpp"
#include "engine/window/disk_windows.hpp"
#include "engine/window/slabs.hpp"

namespace conoid {

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

/// A row of items cut into windows, which are the items of a section, and the memory for them. A solver makes it of the same offer for
/// its estimate and its run, so that `check` says what the run takes.
struct WindowPlan {
  SlabLayout cut;    ///< its planes are the items
  Bytes host = 0;    ///< PartWindows::Options::host
  Bytes device = 0;  ///< of each device; 0: there is none
  [[nodiscard]] Bytes bytes(Interval windows) const;
  /// Adds memory, disk, and what passes between them. `what`: "vectors of the iterations"; `devices`: as many as take part.
  void add_to(Estimate& estimate, std::string_view what, std::size_t devices) const;
};
/// `budget`: bytes of the host for windows. Windows are narrow enough that borders between workers can move and that one comes while
/// another is computed; half of a device's memory is left for what lies beside them.
[[nodiscard]] WindowPlan plan_windows(Index items, Bytes item_bytes, Bytes budget, const ChosenTeam& team);

/// An array of the host beside windows, as one sum a block, or values where windows meet: of each device that computes a part, its kernels
/// write a copy there. Parts use ranges of their own, all at the same time.
template <class T>
class BesideWindows {
 public:
  /// `host` stays where it is; `label` as in Device::allocate().
  BesideWindows(std::span<T> host, std::string label) : host_(host), label_(std::move(label)) {}
  /// Where the part's own entry is: on its device, or on the host.
  [[nodiscard]] T* at(const Part& part, Index entry) {
    return (part.device() ? copy_of(part).data() : host_.data()) + entry;
  }
  /// What a device wrote into these entries comes to the host, once the stream has come past its kernels; null: processors, nothing to do.
  void bring(const Part& part, Stream* stream, Interval entries) {
    if (!stream || entries.empty()) return;
    const auto first = static_cast<std::size_t>(entries.begin), count = static_cast<std::size_t>(entries.size());
    stream->to_host(host_.subspan(first, count), copy_of(part), first);
    stream->synchronize();
  }
  /// Of each device.
  [[nodiscard]] static Bytes bytes(Index entries) { return static_cast<Bytes>(entries) * sizeof(T); }

 private:
  const DeviceBuffer<T>& copy_of(const Part& part) {
    const std::scoped_lock lock(mutex_);
    DeviceBuffer<T>& copy = copies_[part.worker()];
    if (copy.size() == 0) copy = part.device()->device().template allocate<T>(host_.size(), label_);
    return copy;
  }

  std::span<T> host_;
  std::string label_;
  std::mutex mutex_;
  std::map<int, DeviceBuffer<T>> copies_;  ///< one a worker
};

}  // namespace conoid
