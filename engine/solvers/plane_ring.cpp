// SPDX-License-Identifier: BSD-3-Clause
// Two streams of copies, and the events between them and kernels.
#include "engine/solvers/plane_ring.hpp"

#include <utility>

namespace conoid {

PlaneRing::PlaneRing(Device device)
    : device_(std::move(device)), in_(device_.stream()), out_(device_.stream()), came_(device_.event()) {}

bool PlaneRing::lock(void* memory, Bytes bytes) {
  locks_.push_back(device_.lock_host(memory, bytes));
  return locks_.back().get() != nullptr;
}

void PlaneRing::begin() {
  while (!leaving_.empty()) leaving_.drop();
  named_ = 0;
}

void PlaneRing::wait_until_left(Index plane) {
  while (!leaving_.empty() && leaving_.oldest() < plane) leaving_.drop();
  verify(!leaving_.empty(), "planes have left before others come");
  leaving_.let_wait(in_);
}

void PlaneRing::all_came() {
  in_.record(came_);
  ++statistics_.loads;
}

void PlaneRing::follow(Stream& kernels) {
  kernels.wait(came_);
}

void PlaneRing::leave_after(Stream& kernels) {
  if (named_ == done_.size()) done_.push_back(device_.event());
  const Event& done = done_[named_++];
  kernels.record(done);
  out_.wait(done);
}

void PlaneRing::left(Index below) {
  leaving_.hold(device_, out_, below);
  named_ = 0;
  ++statistics_.saves;
}

void PlaneRing::finish() {
  out_.synchronize();
}

}  // namespace conoid
