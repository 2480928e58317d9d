// SPDX-License-Identifier: BSD-3-Clause
// A checkpoint that is first copied in memory, so that a solver may go on while it is written.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/io/checkpoint_store.hpp"

namespace conoid {

/// Given to Solver::save in place of a file. Keeps copies of the pieces while they take no more than `room` bytes; the first
/// that would not fit makes it give up the copies: they, that piece and all that follow go straight to the file.
///
/// Used from one thread at a time: by the one that saves, then by the one that calls write().
class HeldCheckpoint final : public CheckpointWriter {
 public:
  HeldCheckpoint(std::unique_ptr<RankCheckpoint> file, bool leads, Bytes room);
  ~HeldCheckpoint() override;

  /// Whether everything saved is held: nothing of it has gone to the file.
  [[nodiscard]] bool holds() const { return holds_; }
  /// Bytes of all pieces so far, held or written.
  [[nodiscard]] Bytes saved() const { return saved_; }
  /// Writes what is held, frees it piece by piece, and closes the file; returns the first failure.
  [[nodiscard]] Status write();

 protected:
  [[nodiscard]] bool leads() const override { return leads_; }
  void bytes(std::string_view name, std::size_t entry, Index global, Index begin,
             std::span<const std::byte> data) override;

 private:
  struct Copy {
    std::string name;
    std::size_t entry = 0;
    Index global = 0, begin = 0;
    std::unique_ptr<std::byte[]> data;
    std::size_t size = 0;
  };
  void hand_over();

  std::unique_ptr<RankCheckpoint> file_;
  std::vector<Copy> copies_;
  Bytes room_ = 0, saved_ = 0;
  bool leads_ = false;
  bool holds_ = true;
};

}  // namespace conoid
