// SPDX-License-Identifier: BSD-3-Clause
// JSON pointers as forms need them: parent, last token, child, look-up without exceptions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/case/document.hpp"

namespace conoid::app {

/// "/a/b" + "c/d" = "/a/b/c~1d".
[[nodiscard]] std::string child_pointer(const std::string& parent, std::string_view key);
[[nodiscard]] std::string child_pointer(const std::string& parent, std::size_t index);
/// "/a/b/c" → "/a/b"; "/a" → "".
[[nodiscard]] std::string parent_pointer(const std::string& pointer);
/// "/a/b~1c" → "b/c".
[[nodiscard]] std::string last_token(const std::string& pointer);
/// The first token: "/a/b" → "a".
[[nodiscard]] std::string first_token(const std::string& pointer);
/// Whether `pointer` is `ancestor` or lies below it.
[[nodiscard]] bool is_within(const std::string& pointer, const std::string& ancestor);
/// The value at a pointer, null where there is none.
[[nodiscard]] const Json* find_value(const Json& root, const std::string& pointer);
/// Sets or (without a value) removes; objects on the way are made. False when the way is barred by a scalar or an index
/// that does not exist.
bool assign_value(Json& root, const std::string& pointer, std::optional<Json> value);

}  // namespace conoid::app
