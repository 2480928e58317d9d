// SPDX-License-Identifier: BSD-3-Clause
// When a frame is due, and the hand-over of the newest one.
#include "engine/session/frame_channel.hpp"

#include <utility>

namespace conoid {

namespace {
bool same(const FrameRequest& a, const FrameRequest& b) {
  return a.parts == b.parts && a.fields == b.fields && a.points_limit == b.points_limit;
}
}  // namespace

void FrameChannel::want(FrameRequest request, double per_second) {
  const std::lock_guard lock(mutex_);
  // A viewer that repeats its wish every tick must not force a frame each time.
  if (!same(request, request_) || (per_second > 0 && per_second_ <= 0)) changed_ = true;
  request_ = std::move(request);
  per_second_ = per_second > 0 ? per_second : 0;
  if (per_second_ <= 0) latest_.reset();
}

std::shared_ptr<const Frame> FrameChannel::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(latest_, nullptr);
}

bool FrameChannel::due(Clock::time_point now) const {
  if (per_second_ <= 0) return false;
  if (changed_) return true;
  if (latest_) return false;
  return std::chrono::duration<double>(now - last_put_).count() >= 1.0 / per_second_;
}

std::optional<FrameRequest> FrameChannel::wanted(double share) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (!due(now)) return std::nullopt;
  if (!changed_ && spent_ + last_cost_ > share * std::chrono::duration<double>(now - opened_).count())
    return std::nullopt;
  return request_;
}

std::optional<FrameRequest> FrameChannel::wanted_when_idle() {
  const std::lock_guard lock(mutex_);
  if (!due(Clock::now())) return std::nullopt;
  return request_;
}

std::optional<FrameRequest> FrameChannel::wish() {
  const std::lock_guard lock(mutex_);
  if (per_second_ <= 0) return std::nullopt;
  return request_;
}

bool FrameChannel::wish_is_new() {
  const std::lock_guard lock(mutex_);
  return per_second_ > 0 && changed_;
}

void FrameChannel::put(std::shared_ptr<const Frame> frame, double seconds, bool idle) {
  const std::lock_guard lock(mutex_);
  latest_ = std::move(frame);
  last_put_ = Clock::now();
  changed_ = false;
  if (idle) return;
  spent_ += seconds;
  last_cost_ = seconds;
}

}  // namespace conoid
