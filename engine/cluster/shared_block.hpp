// SPDX-License-Identifier: BSD-3-Clause
// Memory that processes of one host share, so that what one rank writes another reads without a message:
//
//     auto mine = SharedBlock::make(bytes);                 // and mine.ticket() goes to the other rank in a message
//     auto theirs = SharedBlock::open(ticket);              // there: the same memory; empty on another host
//
// Who reads must have had a message from who wrote since. The memory goes when nobody holds it any more; it has no name that could be left behind.
#pragma once

#include "engine/core/types.hpp"

#include <cstdint>
#include <span>
#include <utility>

namespace conoid {

class SharedBlock {
 public:
  /// Where another process finds a block. `mark` stands before the block too: a process of this number may be another one on another host.
  struct Ticket {
    std::uint64_t process = 0, file = 0, bytes = 0, mark[2] = {0, 0};
  };

  SharedBlock() = default;
  SharedBlock(SharedBlock&& other) noexcept { swap(other); }
  SharedBlock& operator=(SharedBlock&& other) noexcept {
    swap(other);
    return *this;
  }
  ~SharedBlock();

  /// Of zeros; empty where the system refuses.
  [[nodiscard]] static SharedBlock make(Bytes bytes);
  /// Empty where the maker is not at hand: another host, another user, gone.
  [[nodiscard]] static SharedBlock open(const Ticket& ticket);

  [[nodiscard]] bool empty() const { return map_ == nullptr; }
  /// Begins at a page.
  [[nodiscard]] std::span<std::byte> bytes() const {
    return {static_cast<std::byte*>(map_) + head, static_cast<std::size_t>(ticket_.bytes)};
  }
  /// Of no process (bytes = 0) if empty.
  [[nodiscard]] const Ticket& ticket() const { return ticket_; }

 private:
  static constexpr std::size_t head = 65536;  // before the block; whole pages of any usual size
  void swap(SharedBlock& other) noexcept {
    std::swap(map_, other.map_);
    std::swap(file_, other.file_);
    std::swap(ticket_, other.ticket_);
  }
  /// Maps the file; false where it cannot be.
  bool map();

  void* map_ = nullptr;
  int file_ = -1;
  Ticket ticket_;
};

}  // namespace conoid
