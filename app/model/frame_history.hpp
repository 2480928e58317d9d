// SPDX-License-Identifier: BSD-3-Clause
// The frames of a run for scrubbing, within a budget of memory: those that came live, or those that its folder holds.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "engine/core/types.hpp"
#include "engine/io/frame.hpp"

namespace conoid::app {

/// When a frame was, without the frame.
struct Moment {
  std::uint64_t number = 0;
  double value = 0;
  FrameAxis axis = FrameAxis::time;
};

/// Live: when the budget is reached every second frame is let go (first and last stay), so the whole run remains covered
/// with even, coarser steps. Shared geometry is counted once.
/// Stored: every frame of the folder has its place; those read last are kept, the others are read again when wanted.
class FrameHistory {
 public:
  explicit FrameHistory(Bytes budget = Bytes{384} << 20) : budget_(budget) {}
  void set_budget(Bytes budget) { budget_ = budget; }
  void add(std::shared_ptr<const Frame> frame);
  void clear();
  /// Turns to frames on disk: all places are empty at first.
  void set_stored(std::vector<Moment> moments);
  [[nodiscard]] bool is_stored() const { return stored_; }
  /// Fills a place of a stored run; the one that was filled longest ago goes when the budget is reached.
  void put(std::size_t i, std::shared_ptr<const Frame> frame);
  /// Empties all places of a stored run.
  void forget_read();

  [[nodiscard]] std::size_t size() const { return frames_.size(); }
  [[nodiscard]] bool empty() const { return frames_.empty(); }
  /// Null for a place of a stored run that has not been read.
  [[nodiscard]] const std::shared_ptr<const Frame>& at(std::size_t i) const { return frames_.at(i); }
  [[nodiscard]] Moment moment(std::size_t i) const;
  /// The place whose moment is nearest to a value; 0 when there is none.
  [[nodiscard]] std::size_t nearest(double value) const;
  [[nodiscard]] const std::shared_ptr<const Frame>& latest() const { return frames_.back(); }
  [[nodiscard]] Bytes bytes() const { return bytes_; }

 private:
  void thin();
  Bytes budget_;
  Bytes bytes_ = 0;
  double spacing_ = 0;  ///< least distance in `value` between kept frames, after thinning
  bool stored_ = false;
  std::vector<std::shared_ptr<const Frame>> frames_;
  std::vector<Moment> moments_;   ///< of a stored run
  std::deque<std::size_t> read_;  ///< filled places, oldest first
};

/// Bytes of the values of a frame (geometry not counted: it is shared).
[[nodiscard]] Bytes value_bytes(const Frame& frame);

}  // namespace conoid::app
