// SPDX-License-Identifier: BSD-3-Clause
// The frames of a run kept for scrubbing, within a budget of memory.
#pragma once

#include <memory>
#include <vector>

#include "engine/core/types.hpp"
#include "engine/io/frame.hpp"

namespace conoid::app {

/// When the budget is reached every second frame is let go (first and last stay), so the whole run remains covered with
/// even, coarser steps. Shared geometry is counted once.
class FrameHistory {
 public:
  explicit FrameHistory(Bytes budget = Bytes{384} << 20) : budget_(budget) {}
  void add(std::shared_ptr<const Frame> frame);
  void clear();
  [[nodiscard]] std::size_t size() const { return frames_.size(); }
  [[nodiscard]] bool empty() const { return frames_.empty(); }
  [[nodiscard]] const std::shared_ptr<const Frame>& at(std::size_t i) const { return frames_.at(i); }
  [[nodiscard]] const std::shared_ptr<const Frame>& latest() const { return frames_.back(); }
  [[nodiscard]] Bytes bytes() const { return bytes_; }

 private:
  void thin();
  Bytes budget_;
  Bytes bytes_ = 0;
  double spacing_ = 0;  ///< least distance in `value` between kept frames, after thinning
  std::vector<std::shared_ptr<const Frame>> frames_;
};

/// Bytes of the values of a frame (geometry not counted: it is shared).
[[nodiscard]] Bytes value_bytes(const Frame& frame);

}  // namespace conoid::app
