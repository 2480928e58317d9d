// SPDX-License-Identifier: BSD-3-Clause
// Small facts that a program found out once and keeps between its starts: tilings that were tried, rates that were measured.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace conoid {

/// Lines "key = value" in $XDG_CACHE_HOME/conoid/<name> (else ~/.cache/conoid/<name>), the newest first, at most 500. Missing or
/// unreadable files and failures to write are no errors: what is not kept is found out again. Any thread may call; of several
/// programs that write at once the last one's line stays.
class KeptValues {
 public:
  /// `folder` empty: the user's cache.
  explicit KeptValues(std::string_view name, std::string folder = {});
  [[nodiscard]] std::optional<std::string> recall(std::string_view key) const;
  /// Neither key nor value may hold a line break; the value must not hold " = ".
  void remember(std::string_view key, std::string_view value) const;

 private:
  std::string file_;
};

}  // namespace conoid
