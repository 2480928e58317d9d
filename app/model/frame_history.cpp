// SPDX-License-Identifier: BSD-3-Clause
// The frames of a run for scrubbing.
#include "app/model/frame_history.hpp"

#include <algorithm>
#include <cmath>

namespace conoid::app {

Bytes value_bytes(const Frame& frame) {
  Bytes total = 0;
  for (const auto& part : frame.parts)
    for (const auto& field : part.fields)
      if (field.values) total += field.values->size() * sizeof(float);
  return total;
}

void FrameHistory::add(std::shared_ptr<const Frame> frame) {
  if (!frame || stored_) return;
  // After thinning, the newest frame is provisional until it is far enough from the one before it.
  if (frames_.size() >= 2 && spacing_ > 0 &&
      std::abs(frames_.back()->value - frames_[frames_.size() - 2]->value) < spacing_) {
    bytes_ -= value_bytes(*frames_.back());
    frames_.pop_back();
  }
  bytes_ += value_bytes(*frame);
  frames_.push_back(std::move(frame));
  while (bytes_ > budget_ && frames_.size() > 2) thin();
}

void FrameHistory::set_stored(std::vector<Moment> moments) {
  clear();
  stored_ = true;
  moments_ = std::move(moments);
  frames_.resize(moments_.size());
}

void FrameHistory::put(std::size_t i, std::shared_ptr<const Frame> frame) {
  if (!stored_ || i >= frames_.size() || !frame || frames_[i]) return;
  bytes_ += value_bytes(*frame);
  frames_[i] = std::move(frame);
  read_.push_back(i);
  while (bytes_ > budget_ && read_.size() > 1) {
    const std::size_t oldest = read_.front();
    read_.pop_front();
    bytes_ -= value_bytes(*frames_[oldest]);
    frames_[oldest] = nullptr;
  }
}

void FrameHistory::forget_read() {
  if (!stored_) return;
  for (auto& frame : frames_) frame = nullptr;
  read_.clear();
  bytes_ = 0;
}

Moment FrameHistory::moment(std::size_t i) const {
  if (stored_) return moments_.at(i);
  const Frame& frame = *frames_.at(i);
  return {frame.number, frame.value, frame.axis};
}

std::size_t FrameHistory::nearest(double value) const {
  std::size_t best = 0;
  for (std::size_t i = 1; i < size(); ++i)
    if (std::abs(moment(i).value - value) < std::abs(moment(best).value - value)) best = i;
  return best;
}

void FrameHistory::clear() {
  frames_.clear();
  moments_.clear();
  read_.clear();
  stored_ = false;
  bytes_ = 0;
  spacing_ = 0;
}

void FrameHistory::thin() {
  std::vector<std::shared_ptr<const Frame>> kept;
  for (std::size_t i = 0; i + 1 < frames_.size(); i += 2) kept.push_back(frames_[i]);
  kept.push_back(frames_.back());
  if (kept.size() == frames_.size()) kept.erase(kept.begin() + 1, kept.end() - 1);
  frames_ = std::move(kept);
  bytes_ = 0;
  for (const auto& frame : frames_) bytes_ += value_bytes(*frame);
  if (frames_.size() > 2)
    spacing_ = std::abs(frames_[frames_.size() - 2]->value - frames_.front()->value) /
               static_cast<double>(frames_.size() - 2) * 0.9;
}

}  // namespace conoid::app
