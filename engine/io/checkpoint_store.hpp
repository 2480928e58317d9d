// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints on disk: writing by ranks, committing as one step, finding the newest that is whole, reading by any rank.
//
// On disk (format 1, little-endian): checkpoints/step-<12 digits>/ with
//   rank-<r>.bin    "CNDCKPT1", then the bytes of the pieces one after the other, then the index of the pieces as JSON,
//                   then 24 bytes: position of the index (u64), its length (u64), its CRC-32C (u32), "CKPE"
//   manifest.json   {"crc32c": …, "body": "<JSON as text>"}: step, ranks, files with sizes, arrays, pieces with CRC-32C
// While it is written the folder is called step-<12 digits>.part; commit() checks that the pieces cover every array,
// writes the manifest (atomically) and renames the folder. So a folder that has the name has the manifest, and a folder
// without valid manifest does not count.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"
#include "engine/io/checkpoint.hpp"

namespace conoid {

/// A rank's part of a checkpoint being written. The first failure is kept; what comes after it is dropped.
class RankCheckpoint : public CheckpointWriter {
 public:
  /// Ends the file and waits until it is on disk. Must be called before commit(); returns the first failure.
  [[nodiscard]] virtual Status close() = 0;
  /// A piece that another writer has kept, as it came to that one.
  void add(std::string_view name, std::size_t entry, Index global, Index begin, std::span<const std::byte> data) {
    bytes(name, entry, global, begin, data);
  }
};

/// How much of a checkpoint is checked when it is opened.
enum class CheckpointCheck {
  everything,  ///< manifest, sizes, indices and the CRC-32C of every piece (reads all data once)
  manifest     ///< manifest and sizes only: for the other ranks once rank 0 has checked everything
};

class CheckpointStore {
 public:
  /// `folder` is the run's checkpoints/; `keep` committed checkpoints are kept (at least 1).
  explicit CheckpointStore(std::filesystem::path folder, int keep = 2);

  // Writing. Order: prepare() on rank 0 · barrier · writer() on every rank, Solver::save, close() · barrier (with the
  // reduction of "all closed well") · commit() on rank 0, or abandon() if a rank failed.
  [[nodiscard]] Status prepare(Index step) const;
  /// `give_up` is asked before every few megabytes; when it says yes the rest is dropped and close() returns an error of code
  /// stopped.
  [[nodiscard]] Result<std::unique_ptr<RankCheckpoint>> writer(Index step, int rank, int ranks,
                                                               std::function<bool()> give_up = {}) const;
  [[nodiscard]] Status commit(Index step, int ranks) const;
  void abandon(Index step) const;

  struct Found {
    std::optional<Index> step;  ///< none: no valid checkpoint
    std::filesystem::path folder;
    std::vector<Diagnostic> diagnostics;  ///< a warning for each damaged one that was skipped, newest first
  };
  /// The newest checkpoint that passes every check; rank 0 only, then broadcast `step`. Never throws.
  [[nodiscard]] Found newest_valid() const;
  /// Steps of folders that claim to be committed, newest first; not checked.
  [[nodiscard]] std::vector<Index> steps() const;

  [[nodiscard]] Result<std::unique_ptr<CheckpointReader>> open(
      Index step, CheckpointCheck check = CheckpointCheck::everything) const;
  /// A single folder, for tests and tools.
  [[nodiscard]] static Result<std::unique_ptr<CheckpointReader>> open_folder(
      const std::filesystem::path& folder, CheckpointCheck check = CheckpointCheck::everything);

  [[nodiscard]] std::filesystem::path folder_of(Index step) const;

 private:
  [[nodiscard]] std::filesystem::path part_of(Index step) const;
  [[nodiscard]] Status prepare_part(Index step) const;
  [[nodiscard]] Status commit_part(Index step, int ranks) const;
  void remove_surplus(Index newest) const;
  std::filesystem::path folder_;
  int keep_ = 2;
};

}  // namespace conoid
