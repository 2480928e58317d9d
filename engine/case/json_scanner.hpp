// SPDX-License-Identifier: BSD-3-Clause
// JSON with comments as people write it: values with the line of each, or an error that teaches.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/case/document.hpp"

namespace conoid {

struct JsonError {
  std::string message;  ///< begins with the column
  std::string hint;
  long line = 0;
};

/// Reads the whole text as one value, by the rules and limits of CaseDocument. On an error both outputs are half done.
[[nodiscard]] std::optional<JsonError> scan_json(std::string_view text, Json& value, LineTree& lines);

}  // namespace conoid
