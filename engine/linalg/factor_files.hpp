// SPDX-License-Identifier: BSD-3-Clause
// A folder for factors on disk that does not outlive what wrote it, not even after a kill.
#pragma once

#include <filesystem>

#include "engine/core/error.hpp"

namespace conoid {

/// The folder "conoid-factors-<process>-<number>" below another one; goes away with the object. A process that was killed
/// leaves its own behind: whoever makes the next one in the same place removes it. One thread at a time an object.
class FactorFiles {
 public:
  /// Makes `parent` too. Removes what ended processes of this machine have left there.
  [[nodiscard]] static Result<FactorFiles> create(const std::filesystem::path& parent);
  /// Removes folders of ended processes below `parent`; those of running ones stay.
  static void remove_leftovers(const std::filesystem::path& parent);

  ~FactorFiles();
  FactorFiles(FactorFiles&& other) noexcept;
  FactorFiles& operator=(FactorFiles&& other) noexcept;

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  explicit FactorFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path folder_;  ///< empty: moved from
};

}  // namespace conoid
