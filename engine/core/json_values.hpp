// SPDX-License-Identifier: BSD-3-Clause
// Values of JSON objects that may lack, or be of another type. Thread-safe.
#pragma once

#include <string>

#include "engine/core/json.hpp"

namespace conoid {

/// A text of an object; empty where there is none, or no object.
[[nodiscard]] inline std::string text_at(const Json& json, const char* key) {
  if (!json.is_object()) return {};
  const auto it = json.find(key);
  return it != json.end() && it->is_string() ? it->get<std::string>() : std::string();
}

}  // namespace conoid
