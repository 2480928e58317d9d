// SPDX-License-Identifier: BSD-3-Clause
// Copies of a checkpoint's pieces, and their way into the file.
#include "engine/io/held_checkpoint.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace conoid {

HeldCheckpoint::HeldCheckpoint(std::unique_ptr<RankCheckpoint> file, bool leads, Bytes room)
    : file_(std::move(file)), room_(room), leads_(leads), holds_(room > 0) {}

HeldCheckpoint::~HeldCheckpoint() = default;

void HeldCheckpoint::bytes(std::string_view name, std::size_t entry, Index global, Index begin,
                           std::span<const std::byte> data) {
  saved_ += data.size();
  if (holds_ && saved_ <= room_) {
    Copy copy{std::string(name), entry, global, begin, {}, data.size()};
    // Without memory for a copy there is still the file.
    copy.data.reset(new (std::nothrow) std::byte[std::max<std::size_t>(1, data.size())]);
    if (copy.data) {
      if (!data.empty()) std::memcpy(copy.data.get(), data.data(), data.size());
      copies_.push_back(std::move(copy));
      return;
    }
  }
  hand_over();
  file_->add(name, entry, global, begin, data);
}

void HeldCheckpoint::hand_over() {
  holds_ = false;
  for (Copy& copy : copies_) {
    file_->add(copy.name, copy.entry, copy.global, copy.begin, {copy.data.get(), copy.size});
    copy.data.reset();
  }
  copies_.clear();
}

Status HeldCheckpoint::write() {
  hand_over();
  return file_->close();
}

}  // namespace conoid
