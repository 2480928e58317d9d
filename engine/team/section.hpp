// SPDX-License-Identifier: BSD-3-Clause
// A section: all workers of a team stay in one body and meet in it, as iterations do whose passes need each other's sums.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>

#include "engine/core/types.hpp"
#include "engine/team/phase.hpp"

namespace conoid {

/// Where the parts of one section meet: some microseconds each time, the waiting threads sleep.
class Meeting {
 public:
  /// Thrown in parts whose section another part has left with an exception; Team::run() rethrows that one.
  struct Abandoned {};

  explicit Meeting(int parts) : parts_(parts) {}
  [[nodiscard]] int parts() const { return parts_; }
  /// Returns when all parts have called it and `once`, that of the last to come, has been run by it: what one wrote before, all read
  /// after. Calls are the same on all parts. An exception of `once` ends the section.
  void meet(const std::function<void()>& once);
  /// A part does not come any more.
  void abandon();

 private:
  std::mutex mutex_;
  std::condition_variable all_;
  int parts_, here_ = 0;
  std::uint64_t round_ = 0;
  bool abandoned_ = false;
};

/// What one worker sees inside a section.
class Part {
 public:
  /// `device`: null for processors. What is given outlives the part.
  Part(int worker, Interval items, const CpuWorker& host, DeviceWorker* device, Meeting& meeting)
      : worker_(worker), items_(items), host_(host), device_(device), meeting_(meeting) {}
  /// Its number in the team: a key for what stays with it from section to section.
  [[nodiscard]] int worker() const { return worker_; }
  [[nodiscard]] int count() const { return meeting_.parts(); }
  /// Its own, the same while the section lasts.
  [[nodiscard]] Interval items() const { return items_; }
  /// Its threads; of a device: those that lay out data for it.
  [[nodiscard]] const CpuWorker& host() const { return host_; }
  [[nodiscard]] DeviceWorker* device() const { return device_; }
  /// Meeting::meet(). While `once` runs all others wait, so that it may add over ranks; no two ranks may differ in their meetings then.
  void meet(const std::function<void()>& once = {});
  [[nodiscard]] double waited() const { return waited_; }  ///< seconds in meet()

 private:
  int worker_;
  Interval items_;
  const CpuWorker& host_;
  DeviceWorker* device_;
  Meeting& meeting_;
  double waited_ = 0;
};

/// A phase whose workers stay together. Team::run() gives a part to every worker that gets items; borders stay while it lasts, and move
/// before the next section of this name, by the seconds in which parts did not wait for each other. Without items one part without any
/// has the body all the same: other ranks may have some, and meet this one in what all of them do.
class Section : public Phase {
 public:
  /// On each part's own host thread, all at the same time.
  virtual void body(Part& part) = 0;
  /// By this worker alone.
  void run(CpuWorker& worker, Interval items) final;
};

}  // namespace conoid
